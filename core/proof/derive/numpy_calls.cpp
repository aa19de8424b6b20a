// Writing in NumPy the calls of whole arrays: what has an axis, and what makes an array.
#include <algorithm>

#include "gradproof/core/proof/derive/numpy_text.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

std::string NumpyText::option(const Expr& e, std::string_view name) {
    const Option* found = find_option(e, name);
    if (found == nullptr) return "";
    return found->value->kind == Kind::array ? list(found->value->children, "(", ")") : any(found->value);
}

/// f(x, axis=k, keepdims=True), for the axis of rows and columns too.
std::string NumpyText::with_axis(const std::string& function, const Expr& e, const std::string& otherwise) {
    const bool rows = e.name.starts_with("row"), columns = e.name.starts_with("col");
    for (const Option& o : e.options)
        if (o.name != "axis" && o.name != "axes" && o.name != "keep" && o.name != "keep_dims" && o.name != "correction" &&
            o.name != "temperature")
            no_numpy(e);
    std::string axis = rows ? "-1" : columns ? "-2" : option(e, find_option(e, "axes") != nullptr ? "axes" : "axis");
    if (axis.empty()) axis = otherwise;
    const bool keep = rows || columns || option(e, "keep") == "True" || option(e, "keep_dims") == "True";
    const std::string temperature = option(e, "temperature"), correction = option(e, "correction");
    std::string out = function + "(";
    out += temperature.empty() ? any(e.children[0]) : at_least(e.children[0], kUnary) + " / (" + temperature + ")";
    if (!axis.empty()) out += ", axis=" + axis;
    if (keep) out += ", keepdims=True";
    if (function == "np.var") out += ", ddof=" + (correction.empty() ? "0" : correction);
    return out + ")";
}

/// Arrays of given sizes.
std::string NumpyText::made(const Expr& e) {
    const std::vector<ExprPtr>& x = e.children;
    if (e.name == "ones" || e.name == "zeros") return "np." + e.name + "(" + list(x, "(", ")") + ")";
    if (e.name == "eye" && x.size() == 1) return "np.eye(" + any(x[0]) + ")";
    if (e.name == "eye") return "np.eye(" + any(x[0]) + ", " + any(x[1]) + ")";
    return fmt::format("np.where(np.arange({})[:, None] >= np.arange({}), 0, -np.inf)", any(x[0]), any(x.back()));
}

std::string NumpyText::of_arrays(const ExprPtr& e) {
    const std::vector<ExprPtr>& x = e->children;
    const std::string& f = e->name;
    const std::string reduced = f.starts_with("row") || f.starts_with("col") ? f.substr(3) : f;
    if (const std::string_view function = numpy_reduction(reduced); !function.empty() && x.size() == 1)
        return with_axis(std::string(function), *e, "");
    if (f == "softmax" || f == "log_softmax") return with_axis(f, *e, "-1");
    if (f == "cumsum" || f == "cumprod" || f == "argmax") return with_axis("np." + f, *e, "-1");
    if (f == "onehot_argmax")
        return fmt::format("one_hot(np.argmax({0}, axis=-1), {1}.shape[-1])", any(x[0]), at_least(x[0], kPrimary));
    if (f == "ones" || f == "zeros" || f == "eye" || f == "causal") return made(*e);
    if (f == "concat") {
        const std::string axis = option(*e, "axis");
        return "np.concatenate(" + list(x, "(", ")") + ", axis=" + (axis.empty() ? "0" : axis) + ")";
    }
    if (f == "reshape" || (f == "transpose" && !e->options.empty()))
        return "np." + f + "(" + any(x[0]) + ", " + option(*e, f == "reshape" ? "shape" : "perm") + ")";
    if (f == "expand_dims" || f == "squeeze") return "np." + f + "(" + any(x[0]) + ", axis=" + option(*e, "axis") + ")";
    if (f == "axis_size") return at_least(x[0], kPrimary) + ".shape[" + option(*e, "axis") + "]";
    if (f == "pow" && x.size() == 1) return at_least(x[0], kPrimary) + "**(" + option(*e, "exponent") + ")";
    if (f == "scale" && x.size() == 1) return "(" + option(*e, "factor") + ") * " + at_least(x[0], kUnary);
    no_numpy(*e);
}

}  // namespace gradproof::proof
