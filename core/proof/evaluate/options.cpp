// Options of calls, as the ops take them.
#include "gradproof/core/proof/evaluate/options.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gradproof::proof {
namespace {

template <class T>
AttrValue option_of(Evaluator<T>& evaluator, const Expr& e) {
    if (e.kind == Kind::word) {
        if (e.name == "true" || e.name == "false") return e.name == "true";
        return e.name;
    }
    const Var<T> x = evaluator.matrix(e);
    if constexpr (is_dual<T>)
        if (std::any_of(x.value().begin(), x.value().end(), [](const T& v) { return !is_zero(v.tangent); }))
            refuse(e, "an option is constant here, and {} depends on an input", text_of(e));
    const auto whole = [](double v) { return v == std::floor(v) && std::abs(v) < 1e15; };
    if (x.shape().empty()) {
        const double v = primal(x.value()[0]);
        const bool written_whole = e.kind != Kind::number || e.name.find_first_of(".eE") == std::string::npos;
        if (whole(v) && written_whole) return static_cast<Index>(v);
        return v;
    }
    bool all_whole = true;
    std::vector<double> list;
    for (const T& v : x.value()) {
        list.push_back(primal(v));
        all_whole = all_whole && whole(list.back());
    }
    if (x.shape().rank() == 1) return list;
    if (!all_whole) refuse(e, "an option takes numbers, lists and arrays of whole numbers");
    Tensor<Index> ids(x.shape());
    for (Index i = 0; i < ids.size(); ++i) ids[i] = static_cast<Index>(list[static_cast<std::size_t>(i)]);
    return ids;
}

}  // namespace

template <class T>
std::vector<OptionValue> options_of(Evaluator<T>& evaluator, const Expr& e, const Option* but) {
    std::vector<OptionValue> options;
    for (const Option& o : e.options) {
        if (&o == but) continue;
        AttrValue value = option_of(evaluator, *o.value);
        // A list of ids or a mask is what some attributes of that name are.
        if (const auto* list = std::get_if<std::vector<double>>(&value); list && o.name == "ids") {
            Tensor<Index> ids(Shape{static_cast<Index>(list->size())});
            for (std::size_t i = 0; i < list->size(); ++i) ids[static_cast<Index>(i)] = static_cast<Index>((*list)[i]);
            value = ids;
        }
        options.push_back({o.name, std::move(value)});
    }
    return options;
}

template std::vector<OptionValue> options_of(Evaluator<double>&, const Expr&, const Option*);
template std::vector<OptionValue> options_of(Evaluator<Tracked>&, const Expr&, const Option*);
template std::vector<OptionValue> options_of(Evaluator<TrackedQuad>&, const Expr&, const Option*);
template std::vector<OptionValue> options_of(Evaluator<Modular>&, const Expr&, const Option*);

}  // namespace gradproof::proof
