// Arrays put together and taken apart, np.hstack((a, b)), np.split(a, 4, axis=1), and masks that are drawn.
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/draws.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/numpy/taken.hpp"

namespace gradproof::proof::numpy {

std::optional<double> Parser::rank_of(const Expr& e) const {
    const std::optional<AxisNames> axes = file_ && file_->proof ? axis_names(e, *file_->proof) : std::nullopt;
    return axes ? std::optional(static_cast<double>(axes->size())) : std::nullopt;
}

/// x.transpose(1, 2) of PyTorch and swapaxes, where it is known how many axes x has; of NumPy's, which names all axes in their
/// new order; nullptr of others.
ExprPtr Parser::exchanged(std::string_view function, const Arguments& given, Library library) const {
    if ((function != "transpose" && function != "swapaxes") || given.positional.size() != 3 || !given.named.empty())
        return nullptr;
    const std::optional<double> rank = rank_of(*given.positional[0]), first = signed_number(*given.positional[1]),
                                second = signed_number(*given.positional[2]);
    const bool in_order = function == "transpose" && library == Library::numpy;
    const bool known = rank && first && second;
    if (known && function == "transpose" && library == Library::unsaid && file_->numpy_and_torch && file_->said)
        file_->said("arrays of PyTorch, whose transpose(a, b) exchanges two axes");
    if (!known && !in_order) return nullptr;
    const double a = !known       ? -1
                     : *first < 0 ? *first + *rank
                                  : *first,
                 b = !known        ? -1
                     : *second < 0 ? *second + *rank
                                   : *second;
    if (in_order) {
        if (!known || *rank != 2 || std::min(a, b) != 0 || std::max(a, b) != 1)
            throw std::invalid_argument("NumPy's transpose takes all axes in their new order: write swapaxes to exchange two");
        return a < b ? given.positional[0] : transpose(given.positional[0]);
    }
    if (a < 0 || b < 0 || a >= *rank || b >= *rank || *rank < 3) return nullptr;
    std::vector<ExprPtr> perm;
    for (double axis = 0; axis < *rank; ++axis) perm.push_back(number(axis == a ? b : axis == b ? a : axis));
    return call("transpose", given.positional[0], {{"perm", array_of(std::move(perm)), {}}});
}

/// np.squeeze(x) of a number, which it stays; nullptr of others.
ExprPtr Parser::squeezed(std::string_view function, const Arguments& given) const {
    if (function != "squeeze" || given.positional.size() != 1 || !given.named.empty()) return nullptr;
    return rank_of(*given.positional[0]) == 0 ? given.positional[0] : nullptr;
}

/// Python's own sum(S, 1) adds 1 to the sum of the rows, and its max(x, 0) compares no arrays.
void Parser::expect_python(std::string_view function, const Arguments& given, std::size_t at) const {
    if (function == "sum" && (given.positional.size() > 1 || !given.named.empty()))
        fail(at, "Python's sum(x, 1) adds 1 to the sum, and it takes no axis: write np.sum");
    if (function != "max" && function != "min") return;
    const bool arrays = std::ranges::any_of(
        given.positional, [&](const ExprPtr& e) { return rank_of(*e).value_or(0) > (given.positional.size() > 1 ? 0 : 1); });
    if (arrays || !given.named.empty())
        fail(at, fmt::format("Python's {0} compares numbers, and takes no axis: write np.{0} or np.{0}imum", function));
}

/// np.trace(X) of an X with three axes goes over the first two of them, and np.diag takes no such.
void Parser::expect_matrix(std::string_view function, const Arguments& given, std::size_t at) const {
    const bool takes_one = function == "trace" || function == "diag" || function == "diagonal";
    if (takes_one && !given.positional.empty() && rank_of(*given.positional[0]).value_or(0) > 2)
        fail(at, fmt::format("np.{} is read of matrices", function));
}

/// np.hstack and np.vstack of arrays with as many axes as is known; nullptr of other functions.
ExprPtr Parser::put_together(std::string_view function, const Arguments& given) const {
    if (function != "hstack" && function != "vstack") return nullptr;
    Taken taken(function, given);
    const ExprPtr arrays = taken.finish(taken.one({"tup", "tensors"}));
    if (arrays->kind != Kind::array || arrays->children.empty()) refuse(fmt::format("{} takes a list of arrays", function));
    const std::optional<double> rank = rank_of(*arrays->children[0]);
    if (!rank || *rank < 1) refuse(fmt::format("{}: how many axes its arrays have is not known; write np.concatenate", function));
    if (*rank == 1 && function == "vstack") refuse("vstack is read of arrays with two axes");
    Expr out = *call("concat", arrays->children);
    out.options = {{"axis", number(function == "vstack" || *rank == 1 ? 0 : 1), {}}};
    return make(std::move(out));
}

/// np.split(a, 4, axis=1), np.split(a, [k, m]) and a.chunk(4, dim=-1): a tuple of parts of one axis; nullptr of other functions.
ExprPtr Parser::taken_apart(std::string_view function, const Arguments& given, Library library) const {
    if (function != "split" && function != "chunk") return nullptr;
    if (function == "split" && library != Library::numpy && library != Library::jax)
        refuse("split takes a number of parts in NumPy and their size in PyTorch: write np.split, or chunk");
    Taken taken(function, given);
    const ExprPtr of = taken.one({"ary", "input"}), parts = taken.one({"indices_or_sections", "chunks"});
    const ExprPtr said = taken.optional({"axis", "dim"});
    taken.finish(of);
    const std::optional<double> rank = rank_of(*of), count = signed_number(*parts), along = said ? signed_number(*said) : 0;
    const double axis = along && *along < 0 ? *along + rank.value_or(0) : along.value_or(-1);
    constexpr double kMostSplit = 64;
    const bool counted = count && *count >= 1 && *count <= kMostSplit;
    if (axis < 0 || (rank && axis >= *rank) || (!counted && parts->kind != Kind::array))
        refuse(fmt::format("{} is read with a number of parts, and along an axis that is a number", function));
    const ExprPtr size = over_axis("axis_size", of, axis);
    std::vector<ExprPtr> ends{number(0)};
    for (double k = 1; counted && k < *count; ++k) ends.push_back(product(product(number(k), '*', size), '/', number(*count)));
    if (!counted) ends.insert(ends.end(), parts->children.begin(), parts->children.end());
    ends.push_back(size);
    std::vector<ExprPtr> out;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        std::vector<ExprPtr> entries(static_cast<std::size_t>(axis), make(node(Kind::slice)));
        entries.push_back(make(node(Kind::slice, {ends[k], ends[k + 1]})));
        out.push_back(entry(of, std::move(entries)));
    }
    return array_of(std::move(out));
}

std::vector<ExprPtr> Parser::sizes_of_draw(const DrawCall& call, std::size_t begin) {
    std::vector<ExprPtr> sizes;
    for (Span s : call.sizes) {
        if (source_.slice(s).starts_with("*")) ++s.begin;  // *x.shape
        const ExprPtr size = Parser(source_, s, names_, file_).whole();
        const std::optional<double> rank = call.like ? rank_of(*size) : std::nullopt;
        if (call.like && !rank) fail(begin, "how many axes it has is not known");
        for (double axis = 0; call.like && axis < *rank; ++axis) sizes.push_back(over_axis("axis_size", size, axis));
        if (call.like) continue;
        if (size->kind == Kind::array)
            sizes.insert(sizes.end(), size->children.begin(), size->children.end());
        else
            sizes.push_back(size);
    }
    return sizes;
}

/// np.random.rand(*x.shape) < p: any zeros and ones; nullptr of others.
ExprPtr Parser::compared_draw() {
    const std::size_t begin = at_;
    const bool reads = file_ && file_->drawn && !scope_;
    const std::optional<DrawCall> call = reads ? draw_call_at(source_, begin, end_) : std::nullopt;
    if (!call || call->distribution != "uniform") return nullptr;
    at_ = call->end;
    const bool compares = take("<=") || take(">=") || take("<") || take(">");
    if (!compares) {
        at_ = begin;
        return nullptr;
    }
    either();
    return as_condition(file_->drawn(sizes_of_draw(*call, begin), {begin, call->end}, "binary"));
}

/// Noise: X @ w + 0.1 * rng.normal(size=n); nullptr of what is not drawn.
ExprPtr Parser::draw_here() {
    const bool reads = file_ && file_->drawn && !scope_;
    const std::optional<DrawCall> call = reads ? draw_call_at(source_, at_, end_) : std::nullopt;
    const auto is_blank = [&](Span s) { return source_.slice(s).find_first_not_of(" \n") == std::string_view::npos; };
    const bool whole = call && is_blank({start_, at_}) && is_blank({call->end, end_});
    if (!call || whole) return nullptr;  // x = np.random.randn(n) is an input, or is not read
    const std::size_t begin = std::exchange(at_, call->end);
    return finish(begin, file_->drawn(sizes_of_draw(*call, begin), {begin, call->end}, call->distribution));
}

}  // namespace gradproof::proof::numpy
