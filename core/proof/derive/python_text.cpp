// Expressions of arrays and of their entries in Python.
#include "gradproof/core/proof/derive/python_text.hpp"
#include "gradproof/core/proof/derive/term.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

struct Words {
    std::string_view name;
    std::array<std::string_view, 3> words;  ///< of NumPy, PyTorch and JAX; without a dot it is a helper
};
constexpr auto kWords = std::to_array<Words>({
    {"exp", {"np.exp", "torch.exp", "jnp.exp"}},
    {"log", {"np.log", "torch.log", "jnp.log"}},
    {"tanh", {"np.tanh", "torch.tanh", "jnp.tanh"}},
    {"sin", {"np.sin", "torch.sin", "jnp.sin"}},
    {"cos", {"np.cos", "torch.cos", "jnp.cos"}},
    {"abs", {"np.abs", "torch.abs", "jnp.abs"}},
    {"sqrt", {"np.sqrt", "torch.sqrt", "jnp.sqrt"}},
    {"floor", {"np.floor", "torch.floor", "jnp.floor"}},
    {"sign", {"np.sign", "torch.sign", "jnp.sign"}},
    {"diag", {"np.diag", "torch.diag", "jnp.diag"}},
    {"trace", {"np.trace", "torch.trace", "jnp.trace"}},
    {"outer", {"np.outer", "torch.outer", "jnp.outer"}},
    {"kron", {"np.kron", "torch.kron", "jnp.kron"}},
    {"sigmoid", {"sigmoid", "torch.sigmoid", "jax.nn.sigmoid"}},
    {"σ", {"sigmoid", "torch.sigmoid", "jax.nn.sigmoid"}},
    {"relu", {"relu", "torch.relu", "jax.nn.relu"}},
    {"silu", {"silu", "torch.nn.functional.silu", "jax.nn.silu"}},
    {"gelu", {"gelu", "torch.nn.functional.gelu", "gelu"}},
    {"erf", {"erf", "torch.erf", "jax.scipy.special.erf"}},
    {"softplus", {"softplus", "softplus", "jax.nn.softplus"}},
    {"softmax", {"softmax", "torch.softmax", "jax.nn.softmax"}},
    {"log_softmax", {"log_softmax", "torch.log_softmax", "jax.nn.log_softmax"}},
    {"logsumexp", {"logsumexp", "torch.logsumexp", "jax.nn.logsumexp"}},
    {"inverse", {"np.linalg.inv", "torch.linalg.inv", "jnp.linalg.inv"}},
    {"det", {"np.linalg.det", "torch.linalg.det", "jnp.linalg.det"}},
    {"slogdet", {"np.linalg.slogdet", "torch.linalg.slogdet", "jnp.linalg.slogdet"}},
    {"sum", {"np.sum", "torch.sum", "jnp.sum"}},
    {"mean", {"np.mean", "torch.mean", "jnp.mean"}},
    {"max", {"np.max", "torch.amax", "jnp.max"}},
    {"var", {"np.var", "torch.var", "jnp.var"}},
    {"cumsum", {"np.cumsum", "torch.cumsum", "jnp.cumsum"}},
    {"cumprod", {"np.cumprod", "torch.cumprod", "jnp.cumprod"}},
    {"concat", {"np.concatenate", "torch.cat", "jnp.concatenate"}},
    {"reshape", {"np.reshape", "torch.reshape", "jnp.reshape"}},
    {"transpose", {"np.transpose", "torch.permute", "jnp.transpose"}},
    {"triu", {"np.triu", "torch.triu", "jnp.triu"}},
    {"full", {"np.full", "torch.full", "jnp.full"}},
    {"eye", {"np.eye", "torch.eye", "jnp.eye"}},
    {"ones", {"np.ones", "torch.ones", "jnp.ones"}},
    {"zeros", {"np.zeros", "torch.zeros", "jnp.zeros"}},
    {"range", {"np.arange", "torch.arange", "jnp.arange"}},
    {"array", {"np.array", "torch.tensor", "jnp.array"}},
    {"norm", {"norm", "norm", "norm"}},
    {"step", {"step", "step", "step"}},
});

/// Those that the module math has for numbers.
constexpr auto kOfNumbers = std::to_array<std::string_view>({"exp", "log", "tanh", "sin", "cos", "sqrt", "floor", "erf"});

[[noreturn]] void no_words(const Expr& e) { value_error("python: nothing is written for {}", text_of(e)); }

}  // namespace

std::string PythonText::word(std::string_view name) {
    const auto found = std::ranges::find(kWords, name, &Words::name);
    const std::string out(found->words[target_]);
    if (out.find('.') == std::string::npos) helpers_.insert(out);
    return out;
}

std::string PythonText::helper(const std::string& name, const std::string& arguments) {
    helpers_.insert(name);
    return fmt::format("{}({})", name, arguments);
}

std::string PythonText::made(std::string_view name, const std::string& arguments) {
    const bool literal = name == "array" || name == "range";
    uses_type_ = uses_type_ || is_torch();
    return function(name, arguments + (is_torch() ? ", **like" : literal ? ", dtype=float" : ""));
}

std::string PythonText::tuple(const std::vector<ExprPtr>& sizes) {
    std::string out;
    for (const ExprPtr& s : sizes) out += (out.empty() ? "" : ", ") + text(unwritten(s));
    return "(" + out + (sizes.size() == 1 ? ",)" : ")");
}

std::string PythonText::tuple(const Axes& axes) {
    std::vector<ExprPtr> sizes;
    for (const AxisSize& a : axes) sizes.push_back(a == kSizeOne ? number(1) : known_.size(a));
    return tuple(sizes);
}

/// Whether it is made of sizes and indices of loops alone: a number of Python.
bool PythonText::is_number(const ExprPtr& e) const {
    return known_.is_plain(*e) && std::ranges::none_of(letters_, [&](const std::string& l) { return mentions(*e, l); });
}

std::string PythonText::text(const ExprPtr& e) {
    const bool before = std::exchange(by_entries_, false);
    std::string out = any(e);
    by_entries_ = before;
    return out;
}

std::string PythonText::row(const ExprPtr& e, const std::vector<std::string>& looped) {
    looped_ = looped;
    std::string out = text(e);
    looped_.clear();
    return out;
}

std::string PythonText::name(const Expr& e) {
    const bool letter = std::ranges::count(letters_, e.name) + std::ranges::count(looped_, e.name) > 0;
    if (!letter && !known_.is_value(e.name)) {
        if (e.name == "pi" || e.name == "π") return "math.pi";
        if (e.name == "e") return "math.e";
        if (e.name == "inf" || e.name == "∞") return "math.inf";
    }
    if (!letter) used_.insert(e.name);
    return names_.of(e.name);
}

std::string PythonText::any(const ExprPtr& e) {
    switch (e->kind) {
        case Kind::number: return std::isinf(e->number) ? "math.inf" : fmt::format("{}", e->number);
        case Kind::name: return name(*e);
        case Kind::gradient: used_.insert("∂" + e->name); return names_.gradient(e->name);
        case Kind::sum: {
            std::string out;
            for (std::size_t i = 0; i < e->children.size(); ++i) {
                const bool minus = e->joints[i] == '-';
                out += i > 0 ? (minus ? " - " : " + ") : minus ? "-" : "";
                out += e->children[i]->kind == Kind::sum ? bracketed(e->children[i]) : any(e->children[i]);
            }
            return out;
        }
        case Kind::product: return product(*e);
        case Kind::negate: return "-" + bracketed(e->children[0]);
        case Kind::transpose:
            if (by_entries_ || known_.axes(e->children[0]).size() < 2) return any(e->children[0]);
            return bracketed(e->children[0]) + (known_.axes(e->children[0]).size() == 2 ? ".T" : ".swapaxes(-1, -2)");
        case Kind::power: return bracketed(e->children[0]) + "**" + bracketed(e->children[1]);
        case Kind::index: return entry(*e);
        case Kind::call: return call(*e);
        case Kind::delta: return fmt::format("1.0 * ({} == {})", any(e->children[0]), any(e->children[1]));
        case Kind::array: {
            const auto list = [&](const auto& self, const Expr& a) -> std::string {
                std::string out;
                for (const ExprPtr& c : a.children)
                    out += (out.empty() ? "" : ", ") + (c->kind == Kind::array ? self(self, *c) : any(c));
                return "[" + out + "]";
            };
            return made("array", list(list, *e));
        }
        case Kind::reduce: return summed(*e);
        default: no_words(*e);
    }
}

/// As a factor of a product of arrays: of a row, 0 is zeros.
std::string PythonText::filled(const ExprPtr& e) {
    const bool chosen =
        !by_entries_ && !looped_.empty() && e->kind == Kind::call && e->name == "where" && e->children.size() == 3;
    if (!chosen || known_.axes(e).empty()) return bracketed(e);
    Expr copy = *e;
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
        if (known_.axes(e->children[i]).empty()) {
            const ExprPtr zeros = proof::call("zeros", ones(known_, known_.axes(e))->children);
            copy.children[i] = proof::is_number(*e->children[i], 0) ? zeros : proof::sum(zeros, '+', e->children[i]);
        }
    return bracketed(make(std::move(copy)));
}

std::string PythonText::bracketed(const ExprPtr& e) {
    const bool whole = e->kind == Kind::name || e->kind == Kind::gradient || (e->kind == Kind::number && e->number >= 0) ||
                       e->kind == Kind::call || e->kind == Kind::index || e->kind == Kind::reduce || e->kind == Kind::array;
    return whole ? any(e) : "(" + any(e) + ")";
}

std::string PythonText::product(const Expr& e) {
    std::string out;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const ExprPtr& c = e.children[i];
        if (i > 0) {
            const bool numbers = by_entries_ || known_.is_number(c) || known_.is_number(first_factors(e, i));
            out += e.joints[i] == '/' ? " / " : e.joints[i] == '@' && !numbers ? " @ " : " * ";
        }
        const bool alone = i == 0 && (c->kind == Kind::power || c->kind == Kind::negate);
        out += c->kind == Kind::transpose || alone ? any(c) : filled(c);
    }
    return out;
}

/// The indices that sums bind, each with an axis of its own behind those of the free ones.
void PythonText::collect(const ExprPtr& e) {
    for_each(*e, [&](const Expr& part) {
        if (part.kind != Kind::reduce) return;
        const auto sizes = sizes_of_indices(known_, part);
        for (const std::string& b : part.bound) {
            const auto size = sizes.find(b);
            if (size == sizes.end()) value_error("python: the size of index {} is not known", b);
            const auto [known, fresh] = sizes_.emplace(b, unwritten(size->second));
            if (fresh) letters_.push_back(b);
            if (!fresh && text_of(*known->second) != text_of(*unwritten(size->second)))
                value_error("python: index {} runs over two sizes, {} and {}", b, text_of(*known->second),
                            text_of(*size->second));
        }
    });
}

PythonText::Entries PythonText::entries(const ExprPtr& e, const std::vector<std::string>& free,
                                        const std::vector<std::string>& looped, const Axes& of, const std::string& indent) {
    looped_ = looped;
    for (std::size_t i = 0; i < free.size(); ++i) {
        const ExprPtr size = unwritten(known_.size(of[i]));
        sizes_[free[i]] = size;
        if (std::ranges::count(looped, free[i]) == 0) letters_.push_back(free[i]);
    }
    std::vector<ExprPtr> shape;
    for (const std::string& l : letters_) shape.push_back(sizes_.at(l));
    const std::size_t axes = letters_.size();
    collect(e);
    std::string names, sizes;
    for (const std::string& l : letters_) {
        names += (names.empty() ? "" : ", ") + names_.of(l);
        sizes += (sizes.empty() ? "" : ", ") + text(sizes_.at(l));
    }
    by_entries_ = true;
    Entries out;
    if (!letters_.empty())
        out.grid = fmt::format("{}{}{} = {}\n", indent, names.find(',') == std::string::npos ? names + "," : names, "",
                               helper("grid", sizes));
    const bool all = std::ranges::all_of(letters_, [&](const std::string& l) {
        return any_part(*e, [&](const Expr& part) {
            return part.kind == Kind::index &&
                   std::any_of(part.children.begin() + 1, part.children.end(), [&](const ExprPtr& c) { return mentions(*c, l); });
        });
    });
    out.value = any(e);
    by_entries_ = false;
    if (letters_.size() > axes || !all) out.value = helper("spread", fmt::format("{}, {}", out.value, tuple(shape)));
    letters_.clear();
    looped_.clear();
    sizes_.clear();
    return out;
}

/// Σ_t of arrays, one after the other.
std::string PythonText::summed_rows(const Expr& e) {
    const std::map<std::string, ExprPtr> sizes = sizes_of_indices(known_, e);
    std::string loops;
    const std::size_t before = looped_.size();
    for (const std::string& b : e.bound) {
        const auto size = sizes.find(b);
        if (size == sizes.end()) value_error("python: the size of index {} is not known", b);
        loops += fmt::format(" for {} in range({})", names_.of(b), text(unwritten(size->second)));
        looped_.push_back(b);
    }
    const std::string body = any(e.children[0]);
    looped_.resize(before);
    return "sum(" + body + loops + ")";
}

/// Σ, whose axes stay with size 1.
std::string PythonText::summed(const Expr& e) {
    if (e.name != "sum") no_words(e);
    if (!by_entries_ && known_.is_by_rows(*e.children[0])) return summed_rows(e);
    if (!by_entries_) {  // a number of a line in matrices
        const Entries all = entries(make(Expr(e)), {}, {}, {}, "");
        std::string grid = all.grid;
        const std::size_t equals = grid.find(" = ");
        return fmt::format("(lambda {}: {})(*{})", grid.substr(0, grid[equals - 1] == ',' ? equals - 1 : equals), all.value,
                           grid.substr(equals + 3, grid.size() - equals - 4));
    }
    std::string axes, counts;
    std::size_t n = 0;
    for (const std::string& b : e.bound) {
        if (!mentions(*e.children[0], b)) {
            counts += " * " + bracketed(sizes_.at(b));
            continue;
        }
        axes += (n++ > 0 ? ", " : "") + std::to_string(std::ranges::find(letters_, b) - letters_.begin());
    }
    const std::string body = any(e.children[0]);
    if (n == 0) return "(" + body + ")" + counts;
    const std::string sum = function("sum", body + over(n == 1 ? axes : "(" + axes + ")", true));
    return counts.empty() ? sum : "(" + sum + counts + ")";
}

/// The place of an entry; what is computed is kept inside the array: a condition tells where it counts.
std::string PythonText::place(const ExprPtr& at, const AxisSize& size) {
    if (at->kind == Kind::name || at->kind == Kind::number) return any(at);
    return helper("inside", fmt::format("{}, {}", any(at), text(unwritten(known_.size(size)))));
}

std::string PythonText::entry(const Expr& e) {
    std::string at;
    const Axes& of = known_.axes(e.children[0]);
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const ExprPtr& c = e.children[i];
        if (i > 1) at += ", ";
        if (c->kind == Kind::slice)
            at += c->children.empty() ? ":" : text(c->children[0]) + ":" + text(c->children[1]);
        else
            at += by_entries_ ? place(c, of[i - 1]) : text(c);
    }
    // The base is an array also where its entries are taken one by one.
    const bool before = std::exchange(by_entries_, false);
    const std::string base = bracketed(e.children[0]);
    by_entries_ = before;
    return base + "[" + at + "]";
}

std::string PythonText::option(const Expr& e, std::string_view name, const std::string& otherwise) {
    const Option* found = find_option(e, name);
    if (found == nullptr) return otherwise;
    return found->value->kind == Kind::word ? found->value->name : text(found->value);
}

std::string PythonText::over(const std::string& axis, bool keep) {
    std::string out = axis.empty() ? "" : (is_torch() ? ", dim=" : ", axis=") + axis;
    if (keep) out += is_torch() ? ", keepdim=True" : ", keepdims=True";
    return out;
}

std::optional<std::string> PythonText::reduction(const Expr& e) {
    const bool rows = e.name.starts_with("row"), columns = e.name.starts_with("col");
    const std::string name = e.name.substr(rows || columns ? 3 : 0);
    constexpr auto kAll = std::to_array<std::string_view>({"sum", "mean", "var", "max", "norm", "logsumexp"});
    if (e.children.size() != 1 || std::ranges::find(kAll, name) == kAll.end()) return std::nullopt;
    std::string axis = rows ? "-1" : columns ? "-2" : option(e, "axis", option(e, "axes", ""));
    const bool keep = rows || columns || option(e, "keep", option(e, "keep_dims", "false")) == "true";
    if (axis.empty() && is_torch() && name == "logsumexp") {
        for (std::size_t i = 0; i < known_.axes(e.children[0]).size(); ++i) axis += std::to_string(i) + ", ";
        axis = "(" + axis + ")";
    }
    const std::string correction = is_torch() && name == "var" ? ", correction=0" : "";
    return function(name, any(e.children[0]) + over(axis, keep) + correction);
}

std::string PythonText::call(const Expr& e) {
    const std::vector<ExprPtr>& x = e.children;
    const bool of_one = x.size() == 1 && e.options.empty();
    if (of_one && is_number(x[0])) {
        if (std::ranges::find(kOfNumbers, e.name) != kOfNumbers.end()) return fmt::format("math.{}({})", e.name, any(x[0]));
        if (e.name == "abs") return fmt::format("abs({})", any(x[0]));
    }
    if (const auto known = reduction(e)) return *known;
    const auto both = [&] { return fmt::format("{}, {}", filled(x[0]), filled(x[1])); };
    // At one step only the branch that holds is computed: the other one may take a step that is not there.
    if (e.name == "where" && x.size() == 3 && !by_entries_ && !looped_.empty() && is_number(x[0])) {
        const bool steps = x[0]->kind == Kind::call && x[0]->name == "step";
        const std::string condition = steps ? any(x[0]->children[0]) + " > 0" : any(x[0]) + " != 0";
        return fmt::format("({} if {} else {})", any(x[1]), condition, any(x[2]));
    }
    if (e.name == "where" && x.size() == 3) return helper("where", fmt::format("{}, {}, {}", any(x[0]), any(x[1]), any(x[2])));
    if (x.size() == 2 && (e.name == "max" || e.name == "min"))
        return helper(e.name == "max" ? "larger" : "smaller", fmt::format("{}, {}", any(x[0]), any(x[1])));
    if (e.name == "mod") return fmt::format("({} % {})", bracketed(x[0]), bracketed(x[1]));
    if (e.name == "softmax" || e.name == "log_softmax") {
        const std::string temperature = option(e, "temperature", "");
        const std::string scores = temperature.empty() ? any(x[0]) : fmt::format("{} / ({})", bracketed(x[0]), temperature);
        return function(e.name, scores + over(option(e, "axis", "-1"), false));
    }
    if (e.name == "logdet") return function("slogdet", any(x[0])) + "[1]";
    if (e.name == "cumsum" || e.name == "cumprod") return function(e.name, any(x[0]) + over(option(e, "axis", "-1"), false));
    if (e.name == "outer" || e.name == "kron") return function(e.name, both());
    if (e.name == "eye") return made("eye", fmt::format("{}, {}", text(x[0]), text(x.back())));
    if (e.name == "causal") return function("triu", made("full", fmt::format("{}, -math.inf", tuple({x[0], x.back()}))) + ", 1");
    if (e.name == "ones" || e.name == "zeros") return made(e.name, tuple(x));
    if (e.name == "range") return made("range", text(x[0]));
    if (e.name == "concat") {
        std::string parts;
        for (const ExprPtr& c : x) parts += (parts.empty() ? "" : ", ") + any(c);
        return function("concat", fmt::format("[{}]{}", parts, over(option(e, "axis", "0"), false)));
    }
    const auto list = std::ranges::find_if(e.options, [](const Option& o) { return o.name == "shape" || o.name == "perm"; });
    if ((e.name == "reshape" || e.name == "transpose") && list != e.options.end() && list->value->kind == Kind::array)
        return function(e.name, fmt::format("{}, {}", any(x[0]), tuple(list->value->children)));
    if (of_one && std::ranges::find(kWords, e.name, &Words::name) != kWords.end()) return function(e.name, any(x[0]));
    no_words(e);
}

}  // namespace gradproof::proof
