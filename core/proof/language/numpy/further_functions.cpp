// Functions of NumPy and its like that the notation writes by other functions: x² for square, a - b for subtract.
#include <cmath>
#include <optional>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/taken.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

/// A half goes to the even number, which is told of numbers alone; what is drawn meets none.
ExprPtr rounded(const ExprPtr& x) {
    if (const std::optional<double> value = signed_number(*x)) return number(std::nearbyint(*value));
    if (names_in(*x).empty()) refuse("round: of numbers that are computed it is not read: write the number");
    return call("floor", {sum(x, '+', number(0.5))});
}

/// Of one array; nullptr of others.
ExprPtr of_one(std::string_view f, Taken& taken) {
    const auto first = [&] { return taken.one({"x", "a", "input"}); };
    if (f == "square") return squared(first());
    if (f == "reciprocal") {  // of whole numbers it is 0
        const ExprPtr x = first();
        const bool counts = x->kind == Kind::call && x->name == "axis_size";
        if (counts || any_part(*x, [](const Expr& e) { return e.kind == Kind::number; }))
            refuse("reciprocal: of whole numbers it is 0: write 1 / x");
        return product(number(1), '/', x);
    }
    if (f == "rsqrt") return product(number(1), '/', call("sqrt", {first()}));
    if (f == "negative") return negate(first());
    if (f == "round" || f == "rint" || f == "around") return rounded(first());
    if (f == "ceil") return ceiling(first());
    if (f == "trunc" || f == "fix") {
        const ExprPtr x = first();
        return call("where", {comparison(x, "<", number(0)), ceiling(x), call("floor", {x})});
    }
    if (f == "log2" || f == "log10") return product(call("log", {first()}), '/', call("log", {number(f == "log2" ? 2 : 10)}));
    if (f == "log1p") return call("log", {sum(number(1), '+', first())});
    if (f == "expm1") return sum(call("exp", {first()}), '-', number(1));
    if (f == "range") return call("range", {first()});
    if (f == "len") return over_axis("axis_size", first(), 0);
    if (f == "float" || f == "double") return first();
    if (f == "astype" || f == "type") {
        const ExprPtr x = first(), to = taken.one({"dtype"});
        taken.named({"copy"});
        if (to->kind != Kind::name || !to->name.starts_with("float")) refuse(fmt::format("{}: only float is read", f));
        return x;
    }
    return nullptr;
}

/// Of two arrays, entry by entry; nullptr of others.
ExprPtr of_two(std::string_view f, Taken& taken) {
    const bool whole = f == "floor_divide";
    const char op = f == "add"                                                   ? '+'
                    : f == "subtract" || f == "sub"                              ? '-'
                    : f == "multiply" || f == "mul"                              ? '*'
                    : whole || f == "divide" || f == "true_divide" || f == "div" ? '/'
                                                                                 : '\0';
    if (op == '\0') return nullptr;
    const ExprPtr a = taken.one({"x1", "input", "a"}), b = taken.one({"x2", "other", "b"});
    const ExprPtr out = op == '+' || op == '-' ? sum(a, op, b) : product(a, op, b);
    return whole ? call("floor", {out}) : out;
}

/// Zeros above or below a diagonal.
ExprPtr triangle(std::string_view f, Taken& taken) {
    const ExprPtr x = taken.one({"m", "input", "a"}), k = taken.optional({"k", "diagonal"});
    const auto along = [&](double axis) { return call("range", {over_axis("axis_size", x, axis)}); };
    ExprPtr rows = over_axis("expand_dims", along(-2), 1);
    if (k) rows = sum(rows, '+', k);
    const ExprPtr columns = over_axis("expand_dims", along(-1), 0);
    return call("where", {f == "tril" ? comparison(rows, ">=", columns) : comparison(columns, ">=", rows), x, number(0)});
}

/// x where it is positive, else a fraction of it.
ExprPtr leaky(Taken& taken, Library library) {
    const ExprPtr x = taken.one({"input", "x", "features"}), slope = taken.optional({"negative_slope", "alpha"});
    const double usual = library == Library::tensorflow ? 0.2 : 0.01;
    return call("where", {comparison(x, ">", number(0)), x, product(slope ? slope : number(usual), '*', x)});
}

/// x over its norm along an axis, which is at least eps, as PyTorch has it.
ExprPtr normalized(Taken& taken) {
    const ExprPtr x = taken.one({"input", "x"}), p = taken.optional({"p"}), axis = taken.optional({"dim"});
    const ExprPtr eps = taken.optional({"eps"});
    if (p && signed_number(*p) != 2) refuse("normalize: only the norm of order 2 is read");
    const ExprPtr norm = call("norm", x, {{"axis", axis ? axis : number(1), {}}, keep_option()});
    return product(x, '/', call("max", {norm, eps ? eps : number(1e-12)}));
}

/// All of the losses of the examples, or one number of them.
ExprPtr reduced(const ExprPtr& losses, Taken& taken, std::string_view f) {
    const ExprPtr how = taken.named({"reduction"});
    const std::string word = how ? how->name : "mean";
    if ((how && how->kind != Kind::word) || (word != "none" && word != "mean" && word != "sum"))
        refuse(fmt::format("{}: reduction is 'mean', 'sum' or 'none'", f));
    return word == "none" ? losses : call(word, {losses});
}

/// Of PyTorch: rows of scores, and for each the place of the right one.
ExprPtr cross_entropy(Taken& taken) {
    const ExprPtr scores = taken.one({"input"}), places = taken.one({"target"});
    const ExprPtr size = over_axis("axis_size", scores, -1);
    const ExprPtr logs = over_axis("log_softmax", scores, -1);
    const ExprPtr of_each = over_axis("sum", product(call("onehot", {places, size}), '*', logs), -1);
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
    if (f == "normalize" && library == Library::torch) return taken.finish(normalized(taken));
    if (f == "masked_fill") {
        const ExprPtr x = taken.one({"input"}), mask = taken.one({"mask"});
        return taken.finish(call("where", {mask, taken.one({"value"}), x}));
    }
    if (f == "leaky_relu") return taken.finish(leaky(taken, library));
    return nullptr;
}

}  // namespace gradproof::proof::numpy
