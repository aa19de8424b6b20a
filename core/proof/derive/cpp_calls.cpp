// The functions of the notation in C++.
#include <algorithm>

#include "gradproof/core/proof/derive/cpp_text.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

struct Word {
    std::string_view name, word;
};
/// Of one argument, entry by entry. Words of core/algebra.hpp that hold for numbers too stand for themselves.
constexpr auto kElementwiseWords = std::to_array<Word>({
    {"exp", ""},
    {"log", ""},
    {"sqrt", ""},
    {"tanh", ""},
    {"sin", "sine"},
    {"cos", "cosine"},
    {"erf", "error_function"},
    {"abs", "magnitude"},
    {"sigmoid", "logistic"},
    {"σ", "logistic"},
    {"relu", "relu"},
    {"silu", "silu"},
    {"gelu", "gelu"},
    {"softplus", "softplus"},
    {"step", "step"},
    {"sign", "sign"},
    {"floor", "whole_part"},
});
/// Over axes that stay with size 1.
constexpr auto kReductions = std::to_array<Word>({
    {"sum", ""},
    {"mean", ""},
    {"max", "amax"},
    {"var", "variance"},
    {"norm", "length"},
    {"logsumexp", "log_sum_exp"},
});

const Word* found(const auto& all, std::string_view name) {
    const auto at = std::ranges::find(all, name, &Word::name);
    return at == all.end() ? nullptr : &*at;
}

}  // namespace

std::string CppText::option(const Expr& e, std::string_view name, const std::string& otherwise) {
    const Option* at = find_option(e, name);
    if (at == nullptr) return otherwise;
    return at->value->kind == Kind::word ? at->value->name : matrix(at->value).text;
}

Index CppText::axis_option(const Expr& e, Index otherwise) const {
    const Option* at = find_option(e, "axis");
    if (at == nullptr) return otherwise;
    const std::optional<double> axis = signed_number(*at->value);
    if (!axis) value_error("cpp: nothing is written for {}", text_of(e));
    return static_cast<Index>(*axis);
}

std::optional<CppText::Piece> CppText::elementwise(const Expr& e) {
    const Word* word = e.children.size() == 1 && e.options.empty() ? found(kElementwiseWords, e.name) : nullptr;
    if (!word) return std::nullopt;
    const Piece x = any(e.children[0]);
    if (!word->word.empty()) {
        helpers_.insert(std::string(word->word));
        return Piece{fmt::format("{}({})", word->word, x.text), kWhole, x.is_number};
    }
    return Piece{fmt::format("{}{}({})", x.is_number ? "std::" : "", e.name, x.text), kWhole, x.is_number};
}

std::optional<CppText::Piece> CppText::reduction(const Expr& e) {
    const bool rows = e.name.starts_with("row"), columns = e.name.starts_with("col");
    const Word* word = e.children.size() == 1 ? found(kReductions, e.name.substr(rows || columns ? 3 : 0)) : nullptr;
    if (!word) return std::nullopt;
    const std::string function(word->word.empty() ? word->name : word->word);
    if (!word->word.empty() && function != "amax") helpers_.insert(function);
    const auto rank = static_cast<Index>(known_.axes(e.children[0]).size());
    const bool all = !rows && !columns && find_option(e, "axis") == nullptr;
    const Index axis = rows ? -1 : columns ? -2 : axis_option(e, 0);
    const std::string x = tensor(e.children[0]);
    if (all) return Piece{fmt::format("{}({}, Axes{{}}).reshape(Shape{{}})", function, x), kWhole, false};
    const std::string kept = fmt::format("{}({}, Axes{{{}}})", function, x, axis);
    if (rows || columns || option(e, "keep", "false") == "true") return Piece{kept, kWhole, false};
    return helper("without_axis", fmt::format("{}, {}", kept, axis < 0 ? axis + rank : axis));
}

CppText::Piece CppText::call(const Expr& e) {
    const std::vector<ExprPtr>& x = e.children;
    if (const auto known = elementwise(e)) return *known;
    if (const auto known = reduction(e)) return *known;
    if (e.name == "softmax" || e.name == "log_softmax") {
        const std::string temperature = option(e, "temperature", "");
        const std::string scores = tensor(x[0]) + (temperature.empty() ? "" : " / (" + temperature + ")");
        return helper(e.name + "_over", fmt::format("{}, {}", scores, axis_option(e, -1)));
    }
    const auto two = [&](const std::string& name) { return helper(name, tensor(x[0]) + ", " + tensor(x[1])); };
    if (e.name == "max" || e.name == "min") return two(e.name == "max" ? "larger" : "smaller");
    if (e.name == "outer") return two("outer_product");
    if (e.name == "kron") return two("kronecker");
    if (e.name == "mod") return two("remainder_of");
    if (e.name == "where" && x.size() == 3 && !indices_.empty() && known_.is_number(x[0])) return choice_of_rows(e);
    if (e.name == "where" && x.size() == 3) {
        helpers_.insert("nonzero");
        return {fmt::format("where(nonzero({}), {}, {})", tensor(x[0]), tensor(x[1]), tensor(x[2])), kWhole, false};
    }
    if (e.name == "diag") return helper("diagonal", tensor(x[0]));
    if (e.name == "trace") return {"sum(" + helper("diagonal", tensor(x[0])).text + ", Axes{}).reshape(Shape{})", kWhole, false};
    if (e.name == "inverse") return {"inverses(info.name, " + tensor(x[0]) + ")", kWhole, false};
    if (e.name == "det") return {"determinants(info.name, " + tensor(x[0]) + ")", kWhole, false};
    if (e.name == "logdet") return {"log_determinants(info.name, " + tensor(x[0]) + ")", kWhole, false};
    return builder(e);
}

/// Only the branch that holds is computed: the other one may take a step that is not there.
CppText::Piece CppText::choice_of_rows(const Expr& e) {
    const Expr& condition = *e.children[0];
    const bool is_step = condition.kind == Kind::call && condition.name == "step";
    const Piece x = any(is_step ? condition.children[0] : e.children[0]);
    const std::string value = x.is_number ? x.text : "(" + x.text + ").item()";
    const Axes& of = known_.axes(make(Expr(e)));
    const auto branch = [&](const ExprPtr& b) {  // as a factor of a product of matrices a number would not do
        if (of.empty() || !known_.axes(b).empty()) return tensor(b);
        const Piece number = any(b);
        return fmt::format("Tensor<Element>({}, Element({}))", shape(of),
                           number.is_number ? number.text : "(" + number.text + ").item()");
    };
    return {fmt::format("({} {} ? {} : {})", value, is_step ? "> 0" : "!= 0", branch(e.children[1]), branch(e.children[2])),
            kWhole, false};
}

/// What is made of sizes, and what only moves entries.
CppText::Piece CppText::builder(const Expr& e) {
    const std::vector<ExprPtr>& x = e.children;
    const auto rank = [&] { return static_cast<Index>(known_.axes(x[0]).size()); };
    const auto of_sizes = [&](const std::string& name) {
        std::string sizes;
        for (std::size_t i = 0; i < 2; ++i) sizes += (i > 0 ? ", " : "") + whole(i < x.size() ? x[i] : x[0]);
        return helper(name + "<Element>", sizes);
    };
    if (e.name == "eye") return of_sizes("unit_matrix");
    if (e.name == "causal") return of_sizes("causal_mask");
    if (e.name == "range") return helper("range_of<Element>", whole(x[0]));
    if (e.name == "ones" || e.name == "zeros") return {fmt::format("{}<Element>({})", e.name, shape(x)), kWhole, false};
    if (e.name == "concat") {
        std::string parts;
        for (const ExprPtr& c : x) parts += (parts.empty() ? "" : ", ") + tensor(c);
        const Index axis = axis_option(e, 0);
        return helper("joined<Element>", fmt::format("{{{}}}, {}", parts, axis < 0 ? axis + rank() : axis));
    }
    if (e.name == "cumsum" || e.name == "cumprod") {
        const Index axis = axis_option(e, -1);
        return helper(e.name == "cumsum" ? "running_sum<Element>" : "running_product<Element>",
                      fmt::format("{}, {}", tensor(x[0]), axis < 0 ? axis + rank() : axis));
    }
    const auto list = std::ranges::find_if(e.options, [](const Option& o) { return o.name == "shape" || o.name == "perm"; });
    if (list != e.options.end() && list->value->kind == Kind::array) {
        const Piece of = matrix(x[0]);
        if (e.name == "reshape")
            return {(of.binds < kWhole || of.is_number ? "(" + tensor(x[0]) + ")" : of.text) + ".reshape(" +
                        shape(list->value->children) + ")",
                    kWhole, false};
        std::string order;
        for (const ExprPtr& c : list->value->children) order += (order.empty() ? "" : ", ") + whole(c);
        if (e.name == "transpose") return {fmt::format("transpose({}, Axes{{{}}})", tensor(x[0]), order), kWhole, false};
    }
    value_error("cpp: nothing is written for {}", text_of(e));
}

CppText::Piece CppText::call_of_entries(const Expr& e) {
    const std::vector<ExprPtr>& x = e.children;
    if (const auto known = elementwise(e)) return *known;
    if (e.name == "where" && x.size() == 3) {
        const Piece condition = any(x[0]);
        const std::string holds = condition.is_number ? condition.text + " != 0" : condition.text + " != Element(0)";
        return {fmt::format("({} ? {} : {})", holds, of_element(x[1]), of_element(x[2])), kWhole, false};
    }
    if (x.size() == 2 && (e.name == "max" || e.name == "min")) {
        const bool numbers = any(x[0]).is_number && any(x[1]).is_number;
        if (numbers) return {fmt::format("std::{}({}, {})", e.name, any(x[0]).text, any(x[1]).text), kWhole, true};
        return helper(e.name == "max" ? "larger" : "smaller", of_element(x[0]) + ", " + of_element(x[1]));
    }
    if (x.size() == 2 && e.name == "mod") {
        const Piece a = any(x[0]), b = any(x[1]);
        Piece out = helper("remainder_of", a.text + ", " + b.text);
        out.is_number = a.is_number && b.is_number;
        return out;
    }
    // Of whole arrays, without an index in it: its one entry.
    const bool closed = std::ranges::none_of(indices_, [&](const std::string& i) { return mentions(e, i); });
    if (closed && known_.is_number(make(Expr(e)))) return {tensor(make(Expr(e))) + ".item()", kWhole, false};
    value_error("cpp: nothing is written for {} in index form", text_of(e));
}

}  // namespace gradproof::proof
