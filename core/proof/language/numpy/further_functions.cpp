// Functions of NumPy and its like that the notation writes by others: x² for square, a - b for subtract.
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/taken.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Of one array; nullptr of others.
ExprPtr of_one(std::string_view f, Taken& taken) {
    const auto first = [&] { return taken.one({"x", "a", "input"}); };
    if (f == "square") return squared(first());
    if (f == "reciprocal") return product(number(1), '/', first());
    if (f == "rsqrt") return product(number(1), '/', call("sqrt", {first()}));
    if (f == "negative") return negate(first());
    if (f == "round" || f == "rint" || f == "around") return call("floor", {sum(first(), '+', number(0.5))});
    if (f == "log2" || f == "log10") return product(call("log", {first()}), '/', call("log", {number(f == "log2" ? 2 : 10)}));
    if (f == "log1p") return call("log", {sum(number(1), '+', first())});
    if (f == "expm1") return sum(call("exp", {first()}), '-', number(1));
    if (f == "range") return call("range", {first()});
    if (f == "len") return call("axis_size", first(), {{"axis", number(0), {}}});
    if (f == "float" || f == "double") return first();
    if (f == "astype" || f == "type") {
        const ExprPtr x = first(), to = taken.one({"dtype"});
        if (to->kind != Kind::name || !to->name.starts_with("float")) refuse(fmt::format("{}: only float is read", f));
        return x;
    }
    return nullptr;
}

/// Of two arrays, entry by entry; nullptr of others.
ExprPtr of_two(std::string_view f, Taken& taken) {
    const auto both = [&](auto join) {
        const ExprPtr a = taken.one({"x1", "input", "a"});
        return join(a, taken.one({"x2", "other", "b"}));
    };
    if (f == "add") return both([](const ExprPtr& a, const ExprPtr& b) { return sum(a, '+', b); });
    if (f == "subtract" || f == "sub") return both([](const ExprPtr& a, const ExprPtr& b) { return sum(a, '-', b); });
    if (f == "multiply" || f == "mul") return both([](const ExprPtr& a, const ExprPtr& b) { return product(a, '*', b); });
    if (f == "divide" || f == "true_divide" || f == "div")
        return both([](const ExprPtr& a, const ExprPtr& b) { return product(a, '/', b); });
    if (f == "floor_divide") return both([](const ExprPtr& a, const ExprPtr& b) { return call("floor", {product(a, '/', b)}); });
    return nullptr;
}

/// Zeros above or below a diagonal.
ExprPtr triangle(std::string_view f, Taken& taken) {
    const ExprPtr x = taken.one({"m", "input", "a"}), k = taken.optional({"k", "diagonal"});
    const auto along = [&](double axis) { return call("range", {call("axis_size", x, {{"axis", number(axis), {}}})}); };
    ExprPtr rows = call("expand_dims", along(-2), {{"axis", number(1), {}}});
    if (k) rows = sum(rows, '+', k);
    const ExprPtr columns = call("expand_dims", along(-1), {{"axis", number(0), {}}});
    return call("where", {f == "tril" ? comparison(rows, ">=", columns) : comparison(columns, ">=", rows), x, number(0)});
}

/// x where it is positive, else a fraction of it.
ExprPtr leaky(Taken& taken) {
    const ExprPtr x = taken.one({"input", "x"}), slope = taken.optional({"negative_slope"});
    return call("where", {comparison(x, ">", number(0)), x, product(slope ? slope : number(0.01), '*', x)});
}

/// All of the losses of the examples, or one number of them.
ExprPtr reduced(const ExprPtr& losses, Taken& taken, std::string_view f) {
    const ExprPtr how = taken.named({"reduction"});
    const std::string word = how ? how->name : "mean";
    if (how && how->kind != Kind::word) refuse(fmt::format("{}: reduction is 'mean', 'sum' or 'none'", f));
    if (word == "none") return losses;
    if (word != "mean" && word != "sum") refuse(fmt::format("{}: reduction is 'mean', 'sum' or 'none'", f));
    return call(word, {losses});
}

/// Of PyTorch: rows of scores, and for each the place of the right one.
ExprPtr cross_entropy(Taken& taken) {
    const ExprPtr scores = taken.one({"input"}), places = taken.one({"target"});
    const ExprPtr size = call("axis_size", scores, {{"axis", number(-1), {}}});
    const ExprPtr logs = call("log_softmax", scores, {{"axis", number(-1), {}}});
    const ExprPtr of_each = call("sum", product(call("onehot", {places, size}), '*', logs), {{"axis", number(-1), {}}});
    return reduced(negate(of_each), taken, "cross_entropy");
}

}  // namespace

ExprPtr further_meaning(std::string_view f, const Arguments& given, Library library) {
    Taken taken(f, given);
    if (const ExprPtr e = of_one(f, taken)) return taken.finish(e);
    if (const ExprPtr e = of_two(f, taken)) return taken.finish(e);
    if (f == "tril" || f == "triu") return taken.finish(triangle(f, taken));
    if (f == "cross_entropy" && library == Library::torch) return taken.finish(cross_entropy(taken));
    if (f == "mse_loss") {
        const ExprPtr a = taken.one({"input"}), b = taken.one({"target"});
        return taken.finish(reduced(squared(sum(a, '-', b)), taken, f));
    }
    if (f == "leaky_relu") return taken.finish(leaky(taken));
    return nullptr;
}

}  // namespace gradproof::proof::numpy
