// The functions and methods of NumPy, PyTorch and JAX that are read, and what they mean in the notation.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/numpy/taken.hpp"

namespace gradproof::proof::numpy {
namespace {

/// True, 1.
bool is_true(const ExprPtr& e) {
    return e && ((e->kind == Kind::word && e->name == "true") || (e->kind == Kind::number && e->number != 0));
}
/// None, as it is read.
bool is_none(const ExprPtr& e) { return e && e->kind == Kind::ellipsis; }

/// Functions of the same name and meaning, or with another name.
struct Same {
    std::string_view name, notation;
};
constexpr auto kOfOne = std::to_array<Same>(
    {{"exp", "exp"},         {"log", "log"},    {"sqrt", "sqrt"},         {"tanh", "tanh"},     {"sin", "sin"},
     {"cos", "cos"},         {"abs", "abs"},    {"absolute", "abs"},      {"fabs", "abs"},      {"sign", "sign"},
     {"floor", "floor"},     {"erf", "erf"},    {"sigmoid", "sigmoid"},   {"expit", "sigmoid"}, {"relu", "relu"},
     {"silu", "silu"},       {"swish", "silu"}, {"softplus", "softplus"}, {"trace", "trace"},   {"inv", "inverse"},
     {"inverse", "inverse"}, {"det", "det"},    {"logdet", "logdet"},     {"diag", "diag"},     {"diagonal", "diag"},
     {"arange", "range"},    {"detach", "sg"},  {"stop_gradient", "sg"}});
constexpr auto kOfTwo = std::to_array<Same>({{"maximum", "max"},
                                             {"minimum", "min"},
                                             {"outer", "outer"},
                                             {"kron", "kron"},
                                             {"mod", "mod"},
                                             {"remainder", "mod"},
                                             {"fmax", "max"},
                                             {"fmin", "min"}});
constexpr auto kProducts = std::to_array<std::string_view>({"matmul", "dot", "mm", "bmm", "mv"});
constexpr auto kReductions = std::to_array<Same>({{"sum", "sum"},
                                                  {"mean", "mean"},
                                                  {"max", "max"},
                                                  {"amax", "max"},
                                                  {"min", "max"},
                                                  {"amin", "max"},
                                                  {"logsumexp", "logsumexp"},
                                                  {"norm", "norm"},
                                                  {"std", "var"},
                                                  {"var", "var"}});
constexpr auto kAlong = std::to_array<Same>({{"softmax", "softmax"},
                                             {"log_softmax", "log_softmax"},
                                             {"cumsum", "cumsum"},
                                             {"cumprod", "cumprod"},
                                             {"argmax", "argmax"},
                                             {"argmin", "argmax"}});

template <std::size_t N>
std::string find(const std::array<Same, N>& all, std::string_view name) {
    for (const Same& s : all)
        if (s.name == name) return std::string(s.notation);
    return "";
}

/// What is subtracted from the number of entries: 0 in NumPy and JAX, 1 in PyTorch where nothing is said.
ExprPtr correction_of(std::string_view name, Taken& taken, Library library) {
    const ExprPtr correction = taken.named({"ddof", "correction"}), unbiased = taken.named({"unbiased"});
    if (correction) return correction;
    if (unbiased) return number(is_true(unbiased) ? 1 : 0);
    if (library == Library::unsaid)
        refuse(fmt::format("{}: NumPy and PyTorch differ: say ddof=0, correction=1 or unbiased=False", name));
    return number(library == Library::torch ? 1 : 0);
}

ExprPtr reduction(const std::string& op, std::string_view name, Taken& taken, Library library) {
    const ExprPtr x = taken.one({"x", "a", "input"});
    const ExprPtr order = op == "norm" ? taken.optional({"ord", "p"}) : nullptr;
    if (order && !is_none(order) && signed_number(*order) != 2) refuse("norm: only that of order 2 is read");
    std::vector<Option> options;
    ExprPtr axis = taken.optional({"axis", "dim"});
    if (order && !is_none(order) && (!axis || is_none(axis)))
        refuse("norm: of a matrix, order 2 is its largest singular value in NumPy: leave the order out, or say the axis");
    if (order && !is_none(order) && axis && axis->kind == Kind::array && axis->children.size() != 1)
        refuse("norm: over two axes, order 2 is the largest singular value in NumPy: leave the order out");
    if (axis && axis->kind == Kind::array && axis->children.empty()) refuse("axis=() reduces nothing: write the array itself");
    if (axis && !is_none(axis)) {
        if (axis->kind == Kind::array && axis->children.size() == 1) axis = axis->children[0];
        options.push_back({"axis", axis, {}});
    }
    if (is_true(taken.named({"keepdims", "keepdim", "keep_dims"}))) options.push_back(keep_option());
    if (op == "var") options.push_back({"correction", correction_of(name, taken, library), {}});
    if (name == "std") return taken.finish(call("sqrt", {call(op, x, std::move(options))}));
    if (name == "min" || name == "amin") return taken.finish(negate(call(op, negate(x), std::move(options))));
    return taken.finish(call(op, x, std::move(options)));
}

/// Two axes exchanged, as torch.transpose and swapaxes do; of an array with as many axes as the larger of them says.
ExprPtr swapped(const ExprPtr& x, double a, double b) {
    if (std::min(a, b) == -2 && std::max(a, b) == -1) return last_two_swapped(x);
    if (std::min(a, b) < 0) refuse("the axes to exchange are -1 and -2, or counted from 0");
    if (std::max(a, b) >= kMaxRank) refuse(fmt::format("the axes to exchange are below {} (kMaxRank)", kMaxRank));
    std::vector<ExprPtr> perm;
    for (double axis = 0; axis <= std::max(a, b); ++axis) perm.push_back(number(axis == a ? b : axis == b ? a : axis));
    return call("transpose", x, {{"perm", array_of(perm), {}}});
}

ExprPtr transposed(std::string_view name, Taken& taken) {
    const ExprPtr x = taken.one({"a", "x", "input"});
    std::vector<ExprPtr> axes = taken.rest();
    if (const ExprPtr all = axes.empty() ? taken.named({"axes", "dims"}) : nullptr) axes = {all};
    const bool tuple = axes.size() == 1 && axes[0]->kind == Kind::array;
    if (tuple) axes = axes[0]->children;
    if (axes.empty()) return taken.finish(reversed(x));
    std::vector<double> at;
    for (const ExprPtr& a : axes) at.push_back(signed_number(*a).value_or(99));
    const bool permutes = tuple || name == "permute" || at.size() > 2;
    if (!permutes && at.size() == 2) return taken.finish(swapped(x, at[0], at[1]));
    return taken.finish(call("transpose", x, {{"perm", array_of(axes), {}}}));
}

ExprPtr reshaped(Taken& taken) {
    const ExprPtr x = taken.one({"a", "x", "input"});
    std::vector<ExprPtr> sizes = taken.rest();
    if (sizes.empty()) sizes = {taken.one({"shape", "newshape"})};
    if (sizes.size() == 1 && sizes[0]->kind == Kind::array) sizes = sizes[0]->children;
    return taken.finish(call("reshape", x, {{"shape", array_of(sizes), {}}}));
}

/// What is put into an array of integers is cut off.
void expect_real_type(std::string_view name, Taken& taken) {
    const ExprPtr type = taken.named({"dtype"});
    const bool is_real = !type || ((type->kind == Kind::name || type->kind == Kind::word) &&
                                   (type->name.starts_with("float") || type->name.starts_with("double")));
    if (!is_real) refuse(fmt::format("{}: only floating-point types are read", name));
}

/// Of sizes in a row or in a tuple.
ExprPtr filled(std::string_view name, Taken& taken) {
    std::vector<ExprPtr> sizes = taken.rest();
    if (sizes.size() == 1 && sizes[0]->kind == Kind::array) sizes = sizes[0]->children;
    if (name == "eye" && sizes.size() == 1) sizes.push_back(sizes[0]);
    expect_real_type(name, taken);
    return taken.finish(call(std::string(name), sizes));
}

ExprPtr clipped(Taken& taken) {
    const ExprPtr x = taken.one({"a", "x", "input"});
    const ExprPtr low = taken.optional({"a_min", "min"}), high = taken.optional({"a_max", "max"});
    if (!low && !high) refuse("clip: its bounds are missing");
    ExprPtr y = x;
    if (low && low->kind != Kind::ellipsis) y = call("max", {y, low});
    if (high && high->kind != Kind::ellipsis) y = call("min", {y, high});
    return taken.finish(y);
}

ExprPtr along(const std::string& op, std::string_view name, Taken& taken, Library library) {
    const ExprPtr x = taken.one({"x", "a", "input"}), axis = taken.optional({"axis", "dim"});
    std::vector<Option> options;
    const bool softmax = op == "softmax" || op == "log_softmax", nowhere = !axis || is_none(axis);
    if (softmax && nowhere && library == Library::scipy) {
        const ExprPtr log = sum(x, '-', call("logsumexp", {x}));
        return taken.finish(op == "softmax" ? call("exp", {log}) : log);
    }
    if (softmax && nowhere && library == Library::torch)
        refuse(fmt::format("{}: PyTorch has to be told along which axis: say dim=-1", op));
    if (is_none(axis) || (!axis && !softmax))
        refuse(fmt::format("{}: say along which axis; without one it runs through all entries", op));
    if (axis) options.push_back({"axis", axis, {}});
    return taken.finish(call(op, name == "argmin" ? negate(x) : x, std::move(options)));
}

ExprPtr with_axis(std::string op, Taken& taken) {
    const ExprPtr x = taken.one({"a", "x", "input"}), axis = taken.one({"axis", "dim"});
    return taken.finish(call(std::move(op), x, {{"axis", axis, {}}}));
}

}  // namespace

ExprPtr last_two_swapped(const ExprPtr& x) {
    return x->kind == Kind::transpose && x->name == "T" ? make(node(Kind::transpose, {x})) : transpose(x);
}

ExprPtr reversed(const ExprPtr& x) {
    if (x->kind == Kind::transpose && x->name == "T") return x->children[0];
    return make(node(Kind::transpose, {x}, "T"));
}

ExprPtr meaning(std::string_view f, const Arguments& given, Library library) {
    Taken taken(f, given);
    if (const std::string op = find(kOfOne, f); !op.empty()) return taken.finish(call(op, {taken.one({"x", "a", "input"})}));
    if (const std::string op = find(kOfTwo, f); !op.empty()) {
        const ExprPtr a = taken.one({"a"}), b = taken.one({"b"});
        return taken.finish(call(op, {a, b}));
    }
    if (std::find(kProducts.begin(), kProducts.end(), f) != kProducts.end()) {
        const ExprPtr a = taken.one({"a"}), b = taken.one({"b"});
        Expr of_both = node(Kind::product, {a, b}, f == "dot" || f == "mm" ? std::string(f) : "");
        of_both.joints = "@@";
        return taken.finish(make(std::move(of_both)));
    }
    if (f == "max" && given.positional.size() == 2 && !signed_number(*given.positional[1]))
        return taken.finish(call("max", {taken.one({"a"}), taken.one({"b"})}));
    if (f == "min" && given.positional.size() == 2 && !signed_number(*given.positional[1]))
        return taken.finish(call("min", {taken.one({"a"}), taken.one({"b"})}));
    if (const std::string op = find(kReductions, f); !op.empty()) return reduction(op, f, taken, library);
    if (const std::string op = find(kAlong, f); !op.empty()) return along(op, f, taken, library);
    const auto first = [&] { return taken.one({"x", "a", "input"}); };
    if (f == "power" || f == "pow") {
        const ExprPtr base = first();
        return taken.finish(power_of(base, taken.one({"exponent", "b"})));
    }
    if (f == "where") {
        const ExprPtr mask = taken.one({"condition"}), a = taken.one({"x"});
        return taken.finish(call("where", {mask, a, taken.one({"y", "other"})}));
    }
    if (f == "one_hot") {
        const ExprPtr at = first();
        return taken.finish(call("onehot", {at, taken.one({"num_classes"})}));
    }
    if (f == "clip" || f == "clamp") return clipped(taken);
    if (f == "gelu") {
        if (library == Library::jax) refuse("gelu: that of JAX is the approximation by tanh: write its formula");
        const ExprPtr x = first(), form = taken.named({"approximate"});
        if (form) refuse("gelu: its approximation is not read: write gelu(x) or the formula");
        return taken.finish(call("gelu", {x}));
    }
    if (f == "solve") {
        const ExprPtr a = taken.one({"a"});
        return taken.finish(product(call("inverse", {a}), '@', taken.one({"b"})));
    }
    if (f == "transpose" || f == "t" || f == "permute" || f == "swapaxes") return transposed(f, taken);
    if (f == "reshape" || f == "view") return reshaped(taken);
    if (f == "zeros" || f == "ones" || f == "eye") return filled(f, taken);
    if (f == "empty") return filled("zeros", taken);
    if (f == "full") {
        const ExprPtr shape = taken.one({"shape", "size"}), value = taken.one({"fill_value"});
        Arguments sizes;
        sizes.positional = {shape};
        Taken ones("full", sizes);
        return taken.finish(product(value, '*', filled("ones", ones)));
    }
    if (f == "full_like" || f == "zeros_like" || f == "ones_like") expect_real_type(f, taken);
    if (f == "full_like") {
        const ExprPtr x = first();
        return taken.finish(sum(product(number(0), '@', x), '+', taken.one({"fill_value"})));
    }
    if (f == "zeros_like") return taken.finish(product(number(0), '@', first()));
    if (f == "ones_like") return taken.finish(sum(product(number(0), '@', first()), '+', number(1)));
    if (f == "concatenate" || f == "concat" || f == "cat") {
        const ExprPtr arrays = taken.one({"arrays", "tensors"}), axis = taken.optional({"axis", "dim"});
        if (arrays->kind != Kind::array) refuse(fmt::format("{}: its arrays stand in a list", f));
        Expr all = *call("concat", arrays->children);
        if (axis) all.options.push_back({"axis", axis, {}});
        return taken.finish(make(std::move(all)));
    }
    if (f == "expand_dims" || f == "unsqueeze") return with_axis("expand_dims", taken);
    if (f == "squeeze") return with_axis("squeeze", taken);
    if (f == "item" || f == "contiguous" || f == "copy" || f == "clone" || f == "asarray" || f == "array")
        return taken.finish(first());
    return further_meaning(f, given, library);
}

}  // namespace gradproof::proof::numpy
