// Absolute values, norms and determinants, which stand between bars, and whole parts.
#include <utility>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {

bool Parser::is_vector(const Expr& e) const {
    const auto all = [&] { return std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is_vector(*c); }); };
    switch (e.kind) {
        case Kind::name: {
            const std::optional<std::size_t> axes = axes_of(e);
            return axes ? *axes <= 1 : !has_capital(e);
        }
        case Kind::product: {
            for (std::size_t i = e.children.size(); i-- > 0;)
                if (e.joints[i] != '/' || i == 0) return is_vector(*e.children[i]);  // what it is divided by is a number
            return true;
        }
        case Kind::power: return is_vector(*e.children[0]);
        case Kind::gradient: return is_vector(*name(e.name));
        case Kind::index:
        case Kind::helper:
        case Kind::jacobian: return true;
        default: return all();
    }
}

/// Whether |e| is a determinant.
bool Parser::is_square(const Expr& e) const {
    const auto is_row = [&](const ExprPtr& row) { return row->kind == Kind::array && row->children.size() == e.children.size(); };
    if (e.kind == Kind::array && std::ranges::all_of(e.children, is_row)) return true;
    const std::optional<AxisNames> axes = names_of_axes(e);
    return axes && axes->size() == 2 && axes->front() == axes->back() && axes->front() != "?";
}

/// \log |A| of a matrix is that of its determinant.
Expr Parser::of_determinant(const Expr& log) const {
    const Expr& of = *log.children[0];
    if (of.kind != Kind::call || (of.name != "abs" && of.name != "det")) return log;
    const Expr& what = *of.children[0];
    const bool of_det = of.name == "abs" && what.kind == Kind::call && what.name == "det";  // \log |\det A|
    const std::optional<AxisNames> axes = names_of_axes(what);
    if (!of_det && (is_vector(what) || (axes && axes->empty()))) return log;
    Expr out = log;
    out.name = "logdet";
    out.children = of_det ? what.children : of.children;
    return out;
}

/// \lfloor x \rfloor, \lceil x \rceil, and \lfloor x \rceil, which is rounded.
ExprPtr Parser::whole_part() {
    const std::size_t begin = at_;
    const Token opener = take();
    const int bars = std::exchange(bars_, 0);
    const ExprPtr e = expression();
    bars_ = bars;
    const bool down = opener.is_command("\\lfloor"), rounds = down && peek().is_command("\\rceil");
    expect_close(opener, down && !rounds ? "\\rfloor" : "\\rceil");
    if (rounds) return finish(begin, call("floor", {sum(e, '+', number(0.5))}));
    return finish(begin, down ? call("floor", {e}) : ceiling(e));
}

/// |x|, \lVert x \rVert, with the p of a norm below it.
ExprPtr Parser::between_bars() {
    const std::size_t begin = at_;
    const Token opener = take();
    const bool toggles = opener.text == "|" || opener.text == "\\|";
    const bool double_bar = opener.text == "\\|" || opener.text == "\\lVert";
    const int bars = std::exchange(bars_, toggles ? 1 : 0);
    ExprPtr e = expression();
    bars_ = bars;
    const std::size_t last = at_ - 1;
    expect_close(opener, opener.text == "|" ? "|" : opener.text == "\\|" ? "\\|" : double_bar ? "\\rVert" : "\\rvert");
    const bool of_two = !double_bar && e->kind == Kind::call && e->name == "abs" && tokens_[begin + 1].text == opener.text &&
                        e->span.begin == tokens_[begin + 1].span.begin && e->span.end == tokens_[last].span.end;
    if (of_two) e = e->children[0];  // of ||x||
    const Tokens mark_behind = !double_bar && peek().is_symbol("_") && at_ + 1 < tokens_.size()
                                   ? inside_group(reading_.source, tokens_, at_ + 1)
                                   : Tokens{};
    const bool marked =
        mark_behind.size() == 1 && (mark_behind[0].kind == Token::Kind::digits || mark_behind[0].is_command("\\infty"));
    const bool norm = double_bar || of_two || (marked && is_vector(*e));  // |x|_2
    const bool doubled =
        begin > 0 && tokens_[begin - 1].text == opener.text && at_ < end_ && tokens_[at_].text == tokens_[at_ - 1].text;
    if (!norm && !doubled && !notation_ && !reading_.bars_by_entry)
        if (const std::optional<AxisNames> axes = names_of_axes(*e); axes && axes->size() == 1)
            fail(opener, "|x| of a vector may be its norm: write \\|x\\| for that, |x_i| for its entries");
    if (!norm) return finish(begin, call(is_square(*e) ? "det" : "abs", {e}));
    const FunctionMeaning* const m = peek().is_symbol("_") ? nullptr : meaning_of("norm");
    if (m && !m->same_as.empty()) return norm_of(e, m->same_as, opener, begin);
    if (m && (!m->of_matrices || axes_of(*e) == std::optional<std::size_t>(2) || !is_vector(*e)))
        return m->refused.empty() ? value_of(*m, e, false, begin) : (fail(opener, m->refused), nullptr);
    if (!peek().is_symbol("_")) return finish(begin, call("norm", {e}));
    const Token mark = peek();
    const Tokens below = script();
    const std::string which = flat(reading_.source, below);
    const bool infinity = below.size() == 1 && below[0].is_command("\\infty");
    return norm_of(e, infinity ? "\\infty" : which, mark, begin);
}

/// \|x\|_1, \|x\|_2, \|x\|_\infty and \|A\|_F, of which the mark is `which`.
ExprPtr Parser::norm_of(const ExprPtr& e, const std::string& which, const Token& at, std::size_t begin) {
    if (which == "\\infty" && is_vector(*e)) return finish(begin, call("max", {finish(begin, call("abs", {e}))}));
    if (which != "F" && !is_vector(*e))
        fail(
            at,
            "this norm of a matrix is not read: \\|A\\|_F is, and \\|x\\|_1 and \\|x\\|_2 of a vector, which has a small letter");
    if (which == "1") return finish(begin, call("sum", {finish(begin, call("abs", {e}))}));
    if (which != "2" && which != "F")
        fail(at, "norms that are read are \\|x\\|, \\|x\\|_2, \\|x\\|_F, \\|x\\|_1 and \\|x\\|_\\infty");
    return finish(begin, call("norm", {e}));
}

}  // namespace gradproof::proof::latex
