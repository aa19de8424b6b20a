// What stands between the parts of a derivation.
#include "gradproof/core/proof/language/numpy/changed_between.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/aliases.hpp"
#include "gradproof/core/proof/language/numpy/bound_again.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/rebound.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Functions that hold what they are given, and others that give it, or parts of it, as gives_view() has them.
constexpr auto kHold = std::to_array<std::string_view>({"iter", "zip", "list", "tuple", "reversed", "enumerate", "values",
                                                        "items", "get", "dict", "next", "setdefault", "meshgrid"});
constexpr auto kFurtherViews = std::to_array<std::string_view>(
    {"flatten", "view_as", "rollaxis", "expand", "atleast_3d", "broadcast_arrays", "rot90", "as_strided"});
constexpr auto kAsItIs = std::to_array<std::string_view>(
    {"ascontiguousarray", "as_tensor", "from_numpy", "require", "numpy", "cpu", "contiguous", "sliding_window_view"});
bool gives_the_same(std::string_view name) {
    return gives_view(name) || is_one_of(kHold, name) || is_one_of(kFurtherViews, name) || is_one_of(kAsItIs, name) ||
           gives_parts(name);
}
/// Of np.add and torch.relu, which give something new, but for those that change what they are given.
bool gives_something_new(std::string_view module, std::string_view name) {
    constexpr auto kChange =
        std::to_array<std::string_view>({"shuffle", "copyto", "put", "place", "putmask", "fill_diagonal", "at", "put_along_axis",
                                         "clip_grad_norm", "backward", "nan_to_num", "nditer"});
    return is_module(module) && !name.ends_with("_") && !is_one_of(kChange, name);
}
/// np.clip(X, 0, 1, X), np.add(X, 1, X) and np.exp(X, X), whose last argument is where the result goes.
bool writes_to_argument(const Source& source, std::string_view module, std::string_view name, Span given) {
    constexpr auto kOfOne =
        std::to_array<std::string_view>({"abs", "absolute", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "square",
                                         "tanh", "sin", "cos", "negative", "sign", "reciprocal", "floor", "ceil", "rint"});
    constexpr auto kOfTwo =
        std::to_array<std::string_view>({"add", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum", "power",
                                         "dot", "matmul", "outer", "mod", "fmax", "fmin"});
    constexpr auto kOfMany = std::to_array<std::string_view>({"where", "einsum", "allclose", "isclose", "interp", "select"});
    if ((module != "np" && module != "numpy") || is_one_of(kOfMany, name)) return false;
    const std::vector<Span> arguments = split_at_commas(source, given);
    const std::size_t own = is_one_of(kOfOne, name) ? 1 : is_one_of(kOfTwo, name) ? 2 : 3;
    return arguments.size() > own && source.slice(given).find('=') == std::string_view::npos &&
           !is_number_text(source.slice(arguments.back())) && source.slice(arguments.back()) != "None";
}
/// Whether each call in the code is known to change nothing.
bool only_reads(const Source& source, Span line) {
    constexpr auto kMethods =
        std::to_array<std::string_view>({"reshape", "ravel", "transpose", "dot", "astype", "print", "display", "clone", "plot",
                                         "scatter", "imshow", "hist", "set_title", "legend", "show", "title"});
    const std::string_view code = source.slice(line);
    for (const std::string_view changes : {"out=", "inplace=", ":=", "overwrite_"})
        if (code.find(changes) != std::string_view::npos) return false;
    std::string_view owner;
    for (std::size_t i = 0; i < code.size();) {
        const std::size_t size = identifier_length(code.substr(i));
        const std::string_view name = code.substr(i, size), behind = code.substr(i + size);
        if (size > 0 && behind.starts_with("(")) {
            const std::size_t open = line.begin + i + size;
            const bool known = is_function_that_reads(name) || is_one_of(kMethods, name);
            if (!known && !gives_something_new(owner, name)) return false;
            if (writes_to_argument(source, owner, name, {open + 1, closer_of(source, open, line.end)})) return false;
        }
        if (size > 0) owner = i > 0 && code[i - 1] == '.' && !owner.empty() ? owner : name;
        i += std::max<std::size_t>(size, 1);
    }
    return true;
}

/// Whether what is given may be the arrays named in it, or parts of them: (X, W), X[0], zip(X, W), X.reshape(len(X), -1).
bool gives_arrays(std::string_view given) {
    constexpr auto kNew = std::to_array<std::string_view>({"astype", "clone", "dot", "deepcopy", "item"});
    if (has_any(given, {"copy=False", "copy=None"})) return true;
    std::string_view owner;
    int depth = 0;
    for (std::size_t i = 0; i < given.size();) {
        const std::size_t size = identifier_length(given.substr(i));
        const std::string_view name = given.substr(i, size);
        if (size > 0 && depth == 0) {
            const bool is_new = is_function_that_reads(name) || is_one_of(kNew, name) || gives_something_new(owner, name);
            if (given.substr(i + size).starts_with("(") && !gives_the_same(name) && is_new) return false;
            owner = i > 0 && given[i - 1] == '.' && !owner.empty() ? owner : name;
        }
        if (size == 0) {
            if (depth == 0 && std::string_view("+-*/@%<>&|^~").find(given[i]) != std::string_view::npos) return false;
            depth += deeper_by(given[i]);
        }
        i += std::max<std::size_t>(size, 1);
    }
    return true;
}

/// Names that stand for arrays, or for rows of them, by what lines bind: x of for x in X, p of p = [W].
class OtherNames {
  public:
    bool contains(std::string_view name) const { return names_.contains(name); }
    void see(const Source& source, Span line, const auto& is_value) {
        const std::string_view code = source.slice(line);
        const std::size_t in = code.starts_with("for ") ? code.find(" in ") : code.npos;
        const auto [at, size] = assignment_in(source, line);
        const std::string_view given = in != code.npos ? code.substr(in + 4) : size == 1 ? source.slice({at + 1, line.end}) : "";
        const std::string_view bound = in != code.npos ? code.substr(4, in - 4) : source.slice({line.begin, at});
        const bool of_arrays = gives_arrays(given) && std::ranges::any_of(identifiers_in(given), [&](const std::string& n) {
                                   return is_value(n) || contains(n);
                               });
        if (given.empty() || bound.find_first_of("[.") != bound.npos) return;
        for (const std::string& name : identifiers_in(bound)) of_arrays ? void(names_.insert(name)) : void(names_.erase(name));
    }
    /// x of x /= 2 and x[0] = 1; "" where the line changes none so.
    std::string changed_in(const Source& source, Span line) const {
        const auto [at, size] = assignment_in(source, line);
        const std::string_view left = size > 0 ? source.slice({line.begin, at}) : "";
        const std::string name(left.substr(0, identifier_length(left)));
        return contains(name) && (size == 2 || left.find('[') != left.npos) ? name : "";
    }

  private:
    std::set<std::string, std::less<>> names_;
};

}  // namespace

bool is_function_that_reads(std::string_view name) {
    constexpr auto kAll = std::to_array<std::string_view>(
        {"abs",       "all",        "allclose",     "any",    "argmax",     "argmin",     "array",      "array2string",
         "asarray",   "bool",       "callable",     "copy",   "cpu",        "detach",     "dict",       "endswith",
         "enumerate", "exp",        "flatten",      "float",  "format",     "get",        "hasattr",    "int",
         "is_tensor", "isclose",    "isfinite",     "isinf",  "isinstance", "isnan",      "issubdtype", "item",
         "items",     "iter",       "join",         "keys",   "len",        "list",       "log",        "log10",
         "max",       "mean",       "median",       "min",    "ndim",       "next",       "norm",       "numpy",
         "open",      "parameters", "perf_counter", "prod",   "range",      "repr",       "reversed",   "round",
         "set",       "shape",      "size",         "sorted", "sqrt",       "startswith", "std",        "str",
         "sum",       "time",       "tolist",       "tuple",  "type",       "values",     "var",        "zip"});
    return std::ranges::find(kAll, name) != kAll.end();
}

namespace {
std::vector<Passed> gradients_assigned_in(const Source& source, Span behind, const Statements& to, bool computed_too) {
    std::vector<Passed> out;
    const auto is_value = [&](std::string_view name) { return to.names().defined(name); };
    for (const Span s : statements_or_lines(source, behind)) {
        const Span line = code_of(source, s);
        const auto [at, size] = assignment_in(source, line);
        const std::string_view left = size > 0 ? source.slice({line.begin, at}) : "";
        const std::string name(left.substr(0, identifier_length(left)));
        if (name.empty() || is_value(name) || value_named_in(name, is_value).empty()) continue;
        const std::vector<std::string> right = identifiers_in(source.slice({at + size, line.end}));
        if (size == 2 || left.find('[') != left.npos || std::ranges::find(right, name) != right.end())
            out.push_back({s, fmt::format("it changes {} below the lines that are read", name)});
        else if (computed_too)
            out.push_back({s, fmt::format("it computes {} in a cell that is not marked", name)});
    }
    return out;
}
}  // namespace

std::vector<Passed> gradients_changed_in(const Source& source, Span behind, const Statements& to) {
    return gradients_assigned_in(source, behind, to, false);
}
std::vector<Passed> gradients_computed_in(const Source& source, Span cell, const Statements& to) {
    std::vector<Passed> out = gradients_assigned_in(source, cell, to, true);
    const std::vector<ProofBlock> blocks = source.blocks();
    constexpr std::string_view kBackward = ".backward(";
    for (const Span s : statements_or_lines(source, cell)) {
        const std::string_view code = source.slice(s);
        const std::size_t call = assignment_in(source, s).second == 0 ? code.find(kBackward) : code.npos;
        if (call != code.npos && call == identifier_length(code) && !code.substr(call + kBackward.size()).starts_with(")"))
            out.push_back({s, "it computes gradients in a cell that is not marked"});
        if (!code.starts_with("def ")) continue;
        const std::string_view name = code.substr(4, identifier_length(code.substr(4)));
        const auto defines = [&](const ProofBlock& b) {
            return is_program(b.language) && has_any(source.slice(b.span), {fmt::format("def {}(", name)});
        };
        if (std::ranges::any_of(blocks, defines)) out.push_back({s, fmt::format("it defines {} again", name)});
    }
    return out;
}

std::vector<Passed> changed_between(const Source& source, Span between, const Statements& to) {
    std::vector<Passed> out;
    const auto is_value = [&](std::string_view name) { return to.names().defined(name); };
    const auto of_value = [&](const std::string& name) { return is_value(name) || !value_named_in(name, is_value).empty(); };
    OtherNames others;
    for (const Span s : statements_or_lines(source, between)) {
        const Span line = code_of(source, s);
        const std::string_view code = source.slice(line);
        if (code.starts_with("#")) continue;
        const auto [at, size] = assignment_in(source, line);
        const std::vector<std::string> names = identifiers_in(code);
        const std::vector<std::string> left =
            size > 0 ? identifiers_in(source.slice({line.begin, at})) : std::vector<std::string>{};
        const std::vector<std::string> shared =
            size > 0 ? arrays_shared_by(source.slice({at + size, line.end})) : std::vector<std::string>{};
        const auto assigned = std::ranges::find_if(left, of_value);
        const auto bound = std::ranges::find_if(names, [&](const std::string& n) { return is_value(n) && binds(code, n); });
        const auto same = std::ranges::find_if(shared, is_value);
        const auto used = std::ranges::find_if(names, [&](const std::string& n) { return is_value(n) || others.contains(n); });
        const std::string changed = others.changed_in(source, line);
        others.see(source, line, is_value);
        if (assigned != left.end())
            out.push_back({s, fmt::format("it assigns {} between marked lines", *assigned)});
        else if (bound != names.end())
            out.push_back({s, fmt::format("it gives the name {} to something else between marked lines", *bound)});
        else if (binds_unseen(code))
            out.push_back({s, "it runs what is not read between marked lines"});
        else if (!changed.empty())
            out.push_back({s, fmt::format("it changes {}, an array or a row of one, between marked lines", changed)});
        else if (same != shared.end() || (used != names.end() && !only_reads(source, line)))
            out.push_back({s, fmt::format("it may change {} between marked lines", same != shared.end() ? *same : *used)});
    }
    return out;
}

}  // namespace gradproof::proof::numpy
