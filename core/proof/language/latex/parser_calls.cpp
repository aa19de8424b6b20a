// Calls of functions in LaTeX.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

ExprPtr Parser::call_of(const std::string& function, std::size_t begin, std::size_t scripts) {
    const bool natural = tokens_[begin].is_command("\\ln");  // to whatever base \log is
    const FunctionMeaning* const m = natural ? nullptr : meaning_of(function);
    return m ? defined_call(*m, begin, scripts) : call_of_known(function, begin, scripts);
}

/// f, its scripts and its arguments.
ExprPtr Parser::call_of_known(const std::string& function, std::size_t begin, std::size_t scripts) {
    at_ = scripts;
    const bool reduces = function == "max" || function == "mean" || function == "sum" || function == "min";
    if (reduces && peek().is_symbol("_")) return reduction(function, begin);
    std::optional<Tokens> above;
    if (peek().is_symbol("^")) above = script();
    const bool primed = take_symbol("'");
    if (const ExprPtr over = peek().is_symbol("_") && !above && !primed ? softmax_over(function, begin) : nullptr) return over;
    if (peek().is_symbol("_"))
        fail(peek(), fmt::format("{} with a subscript is not read: apply it, then take the entry: ({}(x))_j",
                                 shown(begin, scripts), shown(begin, scripts)));
    Expr e = node(Kind::call, {}, reading_.names.function_called(function));
    const std::size_t opens = at_;
    if (peek().is_symbol("(") || peek().is_symbol("["))
        e.children = arguments(e.options);
    else
        e.children = {bare_argument(shown(begin, scripts))};
    expect_end_of_logarithm(e.name, begin, opens);
    constexpr std::string_view kOfOne[] = {"cos", "sin", "tan", "exp", "log", "tanh", "σ", "sqrt", "abs"};
    if (is_one(kOfOne, e.name) && e.children.size() > 1)
        fail(tokens_[begin], fmt::format("{} of several arguments is not read", shown(begin, scripts)));
    if (is_short_form(e.name)) {
        const ExprPtr meaning = short_form(e.name, e.children);
        if (!meaning) fail(tokens_[begin], fmt::format("{}: a wrong number of arguments, {}", e.name, e.children.size()));
        e = *meaning;
    }
    if (e.name == "log" && e.children.size() == 1) e = of_determinant(e);
    if (e.name == "diag" && e.children.size() == 1) e.children[0] = as_vector(without_own_index(e.children[0]));
    if (e.name == "trace" && e.children.size() == 1 && e.children[0]->kind == Kind::call && e.children[0]->name == "exp")
        fail(tokens_[begin], "the trace of an exponential speaks of that of a matrix, which is not read");
    if (e.name == "trace" && e.children.size() == 1 && !above && !primed)  // of u^\top v, which is a number
        if (is_without_axes(*e.children[0])) return e.children[0];
    ExprPtr out = finish(begin, std::move(e));
    if (primed) {
        const ExprPtr slope = slope_of_call(*out, out);
        if (!slope) fail(tokens_[begin], fmt::format("{} has no derivative entry by entry that is known", shown(begin, scripts)));
        out = finish(begin, slope);
    }
    if (!above) return out;
    if (above->size() == 2 && (*above)[0].is_symbol("-")) fail(tokens_[begin], "an inverse function is not read");
    return raised(out, *above, begin);
}

/// Of an a \in \mathbb{R}^{1 \times n} or \mathbb{R}^{n \times 1} the vector, as \mathrm{diag}(a) takes it.
ExprPtr Parser::as_vector(const ExprPtr& e) const {
    const auto axes = names_of_axes(*e);
    if (!axes || axes->size() != 2 || (axes->front() == "1") == (axes->back() == "1")) return e;
    const ExprPtr all = make(node(Kind::slice)), first = number(0);
    Expr out = axes->front() == "1" ? node(Kind::index, {e, first, all}) : node(Kind::index, {e, all, first});
    out.span = e->span;
    return make(std::move(out));
}

/// Of \mathrm{diag}(p_i (1 - p_i)) the vector p (1 - p): with arrays in place of their entries at an index that nothing runs
/// over.
ExprPtr Parser::without_own_index(const ExprPtr& e) {
    const std::set<std::string> free = free_indices(*e, reading_.names);
    if (free.size() != 1 || is_known_index(*free.begin())) return e;
    bool of_vectors = true;
    const ExprPtr all = rewritten(e, [&](const Expr& part) -> ExprPtr {
        const bool entry = part.kind == Kind::index && part.children.size() == 2 && part.children[1]->kind == Kind::name &&
                           part.children[1]->name == *free.begin();
        if (!entry) return nullptr;
        const auto axes = names_of_axes(*part.children[0]);
        of_vectors = of_vectors && (!axes || axes->size() == 1);
        return part.children[0];
    });
    return of_vectors ? by_entries(all) : e;
}

/// \mathrm{softmax}_j(S_{ij}), which is of the entries j; nullptr of others.
ExprPtr Parser::softmax_over(const std::string& function, std::size_t begin) {
    const std::size_t here = at_;
    const Tokens below = script();
    const bool index = below.size() == 1 && below[0].kind == letter && !reading_.names.defined(below[0].text);
    if (function == "softmax" && index && peek().is_symbol("(")) {
        const std::string j(below[0].text);
        std::vector<Option> options;
        bound_->push_back(j);
        const std::vector<ExprPtr> of = arguments(options);
        bound_->pop_back();
        if (of.size() == 1 && options.empty() && of[0]->kind == Kind::index && mentions(*of[0], j)) {
            const ExprPtr e = finish(begin, call("exp", of));
            const std::string k(free_index(reading_, [&](std::string_view letter) {
                return letter != j && !is_known_index(letter) && !mentions(*e, std::string(letter));
            }));
            if (k.empty()) fail(tokens_[begin], "no letter is left for the index that softmax sums over");
            Expr total = node(Kind::reduce, {renamed(e, j, k)}, "sum");
            total.bound = {k};
            return finish(begin, proof::product(e, '/', finish(begin, std::move(total))));
        }
    }
    at_ = here;
    return nullptr;
}

std::vector<ExprPtr> Parser::arguments(std::vector<Option>& options) {
    const Token opener = take();
    const std::string_view closer = opener.text == "(" ? ")" : "]";
    const int bars = std::exchange(bars_, 0);
    std::vector<ExprPtr> out;
    do {
        std::size_t to = at_;
        std::string name;
        while (to < end_ && tokens_[to].kind == letter) name += tokens_[to++].text;
        if (to == at_)
            if (const NameParts p = parts_of(reading_.source, tokens_, at_); !p.base.empty()) name = p.base, to = p.end;
        if (to < end_ && tokens_[to].is_symbol("=")) {
            const std::size_t first = at_;
            at_ = to + 1;
            ExprPtr value;
            const NameParts truth = parts_of(reading_.source, tokens_, at_);
            if (truth.base == "true" || truth.base == "false") {
                at_ = truth.end;
                Expr w = node(Kind::word, {}, truth.base);
                value = finish(first, std::move(w));
            } else {
                value = expression();
            }
            options.push_back({name, value, {tokens_[first].span.begin, value->span.end}});
        } else {
            out.push_back(expression());
        }
    } while (take_symbol(","));
    bars_ = bars;
    expect_close(opener, closer);
    return out;
}

/// Of \log x: what stands next, where that is clear.
ExprPtr Parser::bare_argument(const std::string& function) {
    if (done() || !starts_operand()) fail(peek(), fmt::format("{} of what? expected an argument", function));
    ExprPtr out = operand();
    if (out->kind == Kind::number && peek().is_command("\\pi") && !reading_.may_stand("π"))  // of \log 2\pi
        out = proof::product(out, '*', operand());
    const Token& next = peek();
    const bool name = next.kind == letter || next.kind == digits || next.kind == word ||
                      (next.kind == command && (!letter_of(next.text).empty() || !accent_of(next.text).empty() ||
                                                is_font(next.text) || next.text == "\\frac" || next.text == "\\sqrt"));
    const bool derivative =  // \cos\theta \frac{\partial L}{\partial y}
        next.is_command("\\frac") && at_ + 2 < end_ && is_derivative_sign(tokens_[at_ + 2]);
    if (!done() && name && !derivative && function_at(parts_of(reading_.source, tokens_, at_)).empty())
        fail(next, fmt::format("it is not clear what {} is taken of: put that in brackets", function));
    return out;
}

}  // namespace gradproof::proof::latex
