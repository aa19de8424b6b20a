// Sums, products, scripts and numbers of LaTeX.
#include "gradproof/core/proof/language/latex/parser.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/number_text.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

Parser::Level::Level(const Parser& parser, const Token& at) : depth(*parser.depth_) {
    if (++depth > kDeepestNesting) parser.fail(at, fmt::format("nested deeper than {} (kDeepestNesting)", kDeepestNesting));
}

const Token& Parser::peek() const { return at_ < end_ ? tokens_[at_] : last_; }
Token Parser::take() {
    const Token t = peek();
    if (at_ < end_) ++at_;
    return t;
}
bool Parser::take_symbol(std::string_view s) {
    if (!peek().is_symbol(s)) return false;
    ++at_;
    return true;
}

ExprPtr Parser::whole() {
    const ExprPtr out = expression();
    if (done()) return out;
    const Token& t = peek();
    if (t.kind == closing || t.is_symbol(")") || t.is_symbol("]") || t.is_command("\\}"))
        fail(t, fmt::format("this {} closes nothing", t.text));
    fail(t, fmt::format("expected an operator or the end of the equation, got {}", printable(t.text, 40)));
}

ExprPtr Parser::inner(const Tokens& tokens) {
    Parser p(reading_, tokens, 0, tokens.size());
    p.parts_ = parts_;
    p.depth_ = depth_;
    p.notation_ = notation_;
    p.in_entry_ = in_entry_;
    p.bound_ = bound_;
    p.is_below_ = is_below_;
    if (tokens.empty()) fail(peek(), "expected an expression in the brackets before this");
    const Level level(*this, tokens.front());
    return p.whole();
}

ExprPtr Parser::finish(std::size_t begin, Expr e) {
    e.span = {tokens_[begin].span.begin, tokens_[begin].span.end};
    for (std::size_t i = begin; i < at_; ++i) e.span.end = std::max(e.span.end, tokens_[i].span.end);
    e.spelling = reading_.spelling;
    if (++*parts_ > kMostParts) fail(tokens_[begin], fmt::format("the equation has more than {} parts (kMostParts)", kMostParts));
    ExprPtr out = make(std::move(e));
    if (out->depth > kDeepest) fail(tokens_[begin], fmt::format("nested deeper than {} (kDeepest)", kDeepest));
    return out;
}

ExprPtr Parser::expression() {
    const Level level(*this, peek());
    const std::size_t begin = at_;
    const ExprPtr first = product();
    Expr e = node(Kind::sum, {first});
    e.joints = "+";
    while (peek().is_symbol("+") || peek().is_symbol("-") || peek().is_symbol("−")) {
        e.joints.push_back(take().text == "+" ? '+' : '-');
        e.children.push_back(product());
    }
    return e.children.size() == 1 ? first : finish(begin, std::move(e));
}

constexpr char kBlocks = '#';  // \otimes, Kronecker's product, which is a call in the tree

/// '@', '*', '/' or kBlocks of the operator that is next, '\0' where there is none.
char Parser::operator_here() const {
    const Token& t = peek();
    if (t.kind == symbol)
        return t.text == "/"                                                      ? '/'
               : t.text == "*" || t.text == "⊙" || t.text == "×" || t.text == "∘" ? '*'
               : t.text == "·"                                                    ? '@'
                                                                                  : '\0';
    if (t.kind != command) return '\0';
    if (t.text == "\\cdot") return '@';
    if (t.text == "\\otimes") return kBlocks;
    if (t.text == "\\odot" || t.text == "\\circ" || t.text == "\\times" || t.text == "\\ast") return '*';
    return t.text == "\\div" || t.text == "\\oslash" ? '/' : '\0';
}

bool Parser::starts_operand() const {
    const Token& t = peek();
    switch (t.kind) {
        case letter:
        case word:
        case words:
        case digits:
        case begins:
        case opening: return true;
        case symbol:
            return t.text == "(" || (t.text == "[" && !notation_) || (t.text == "|" && bars_ == 0) || t.text == "∂" ||
                   t.text == "∇";
        case command: {
            constexpr std::string_view kNone[] = {"\\rvert", "\\rVert", "\\rangle", "\\}",   "\\rfloor",
                                                  "\\rceil", "\\\\",    "\\le",     "\\leq", "\\ge",
                                                  "\\geq",   "\\neq",   "\\ne",     "\\in",  "\\mid"};
            if (t.text == "\\|") return bars_ == 0;
            return std::find(std::begin(kNone), std::end(kNone), t.text) == std::end(kNone);
        }
        default: return false;
    }
}

ExprPtr Parser::product() {
    const std::size_t begin = at_;
    Expr e = node(Kind::product, {unary()});
    e.joints = "@";
    for (;;) {
        const Token sign = peek();
        if (const char op = operator_here(); op != '\0') {
            take();
            e.joints.push_back(op);
        } else if (starts_operand()) {
            expect_no_index_in_brackets(begin);
            expect_no_function(*e.children.back());
            if (e.children.size() == 1 && is_number(*e.children[0], 1)) fail(tokens_[begin], kPlainOne);
            e.joints.push_back('@');
        } else {
            break;
        }
        const std::size_t behind = at_;
        ExprPtr next = unary();
        if (e.joints.back() == '/' && is_row(*next) && starts_operand())  // of x / a^\top a, which divides by no row
            next = finish(behind, proof::product(next, '@', unary()));
        if (sign.is(digits, "1") && is_number(*next, 1)) fail(sign, kPlainOne);
        if (e.joints.back() == kBlocks) {
            e.joints.pop_back();
            const ExprPtr so_far = e.children.size() == 1 ? e.children[0] : finish(begin, std::move(e));
            const auto is_vector_there = [&](const ExprPtr& one) {
                const std::optional<AxisNames> axes = names_of_axes(*one);
                return axes && axes->size() == 1;
            };
            const bool outer = is_vector_there(so_far) && is_vector_there(next);  // u \\otimes v is u v^\\top
            e = node(Kind::product, {finish(begin, *call(outer ? "outer" : "kron", {so_far, next}))});
            e.joints = "@";
            continue;
        }
        e.children.push_back(next);
        e.joints.back() = meaning_of_sign(sign, e.joints.back(), *e.children[e.children.size() - 2], *next);
    }
    return e.children.size() == 1 ? e.children[0] : finish(begin, std::move(e));
}

ExprPtr Parser::unary() {
    const std::size_t begin = at_;
    bool minus = false, any = false;
    while (peek().is_symbol("-") || peek().is_symbol("+") || peek().is_symbol("−")) {
        if (take().text != "+") minus = !minus, any = true;
    }
    const std::size_t start = at_;
    const ExprPtr e = postfix(primary(), start);
    return any ? finish(begin, minus ? negate(e) : e) : e;
}

ExprPtr Parser::operand() {
    const std::size_t begin = at_;
    return postfix(primary(), begin);
}

Tokens Parser::script() {
    const Token mark = take();
    if (done()) fail(mark, fmt::format("nothing stands behind {}", mark.text));
    std::size_t end = end_of_group(reading_.source, tokens_, at_);
    const Token& first = peek();
    Tokens out = inside_group(reading_.source, tokens_, at_);
    if (first.kind == command && (is_font(first.text) || !accent_of(first.text).empty())) {
        end = end_of_group(reading_.source, tokens_, at_ + 1);
        out = {tokens_.begin() + static_cast<std::ptrdiff_t>(at_), tokens_.begin() + static_cast<std::ptrdiff_t>(end)};
    }
    at_ = std::min(end, end_);
    return out;
}

ExprPtr Parser::postfix(ExprPtr base, std::size_t begin) {
    for (;;) {
        if (peek().is_symbol("^")) {
            base = raised(base, script(), begin);
        } else if (peek().is_symbol("_")) {
            const Tokens below = script();
            const bool positive = below.size() == 1 && below[0].is_symbol("+");  // of [x]_+
            if (positive) expect_positive_entries(below[0], *base);
            base = positive ? finish(begin, call("relu", {base})) : entry_of(base, below, begin);
        } else if (take_symbol("'")) {
            expect_no_slope_of_brackets(begin, *base);
            base = finish(begin, transpose(base));
        } else {
            return base;
        }
    }
}

/// (u + v)'(x) and (u v)' of numbers, which have no transpose.
void Parser::expect_no_slope_of_brackets(std::size_t begin, const Expr& base) const {
    if (notation_ || !tokens_[begin].is_symbol("(")) return;
    if (peek().is_symbol("(") || is_without_axes(base))
        fail(tokens_[begin], "a prime behind brackets may be a derivative: write \\frac{d}{dx}(...), or ^\\top for a transpose");
}

/// A name of a matrix: A, Λ.
bool has_capital(const Expr& e) {
    if (e.kind != Kind::name) return false;
    const bool greek = e.name.size() > 1 && e.name.starts_with("\xce") && e.name[1] >= '\x91' && e.name[1] <= '\xa9';
    return greek || (e.name[0] >= 'A' && e.name[0] <= 'Z');
}
const Expr* named_within(const Expr* e) {
    while (e && e->kind != Kind::name) e = e->children.empty() ? nullptr : e->children[0].get();
    return e;
}

/// p_t[x_{t+1}] is an entry to most, and p_t times x_{t+1} to none.
void Parser::expect_no_index_in_brackets(std::size_t begin) const {
    if (at_ + 2 >= end_ || !tokens_[at_].is_symbol("[") || notation_) return;
    const NameParts p = parts_of(reading_.source, tokens_, at_ + 1);
    if (!p.base.empty() && p.end < end_ && tokens_[p.end].is_symbol("]"))
        fail(tokens_[at_], fmt::format("for an entry write {0}_{{...}}, for a product {0} \\cdot", shown(begin, at_)));
}

/// g^2(x), g^{-1}(x) and (g + h)(x) of a g that is written g(x).
void Parser::expect_no_power_of_function(const Expr& before) const {
    if (before.kind == Kind::name || before.kind == Kind::transpose) return;  // f'(x)
    const NameParts inside = parts_of(reading_.source, tokens_, at_ + 1);
    if (inside.base.empty() || inside.end + 1 != end_of_brackets(tokens_, at_)) return;
    const std::string of = reading_.id_of(inside.key(inside.has_above, inside.has_below, inside.primed));
    const std::set<std::string> all = names_in(before);
    if (std::ranges::any_of(all, [&](const std::string& name) {
            const auto written = reading_.arguments.find(name);
            return written != reading_.arguments.end() && written->second.names == std::vector<std::string>{of};
        }))
        fail(peek(),
             fmt::format("{} before brackets may be a function of what stands in them: write each as (g(x))^2 or g(x) + h(x)",
                         proof::text_of(before)));
}

/// \Gamma(a) and w(x_i) of a \Gamma and a w of which the text says nothing: brackets around one name make no product.
void Parser::expect_no_function(const Expr& before) const {
    if (notation_ || !peek().is_symbol("(") || peek().blank) return;
    expect_no_power_of_function(before);
    if (before.kind != Kind::name) return;
    const auto given = std::ranges::find(reading_.proof.given, before.name, &Given::name);
    if (given == reading_.proof.given.end() || !given->taken) return;
    const std::size_t close = end_of_brackets(tokens_, at_);
    const NameParts inside = parts_of(reading_.source, tokens_, at_ + 1);
    const bool number = close == at_ + 3 && tokens_[at_ + 1].kind == digits;
    if (!number && (inside.base.empty() || inside.end + 1 != close)) return;  // W (x y^\top) groups
    fail(peek(),
         fmt::format("{} before brackets may be a function: say what it is, or write \\cdot between", proof::text_of(before)));
}

/// Of 1\tfrac12 the fraction, below 1, as that of a mixed number is.
bool Parser::begins_a_fraction_of_digits() const {
    if (!is_fraction(peek()) || notation_) return false;
    const Tokens top = inside_group(reading_.source, tokens_, at_ + 1);
    const Tokens bottom = inside_group(reading_.source, tokens_, end_of_group(reading_.source, tokens_, at_ + 1));
    const auto is_digits = [](const Tokens& t) { return t.size() == 1 && t[0].kind == digits; };
    return is_digits(top) && is_digits(bottom) &&
           std::pair(top[0].text.size(), top[0].text) < std::pair(bottom[0].text.size(), bottom[0].text);
}

/// 1 500, 1'500 and 1{2}, which are printed as one number or as two.
void Parser::expect_one_number(std::size_t begin) const {
    const bool group = peek().kind == opening;
    const Tokens next = inside_group(reading_.source, tokens_, group || !peek().is_symbol("'") ? at_ : at_ + 1);
    if (!done() && !notation_ && next.size() == 1 && next[0].kind == digits)
        fail(tokens_[begin], "numbers side by side: write one number, or \\cdot between them");
}

ExprPtr Parser::plain_number() {
    const std::size_t begin = at_;
    Expr e = node(Kind::number);
    std::ranges::copy_if(take().text, std::back_inserter(e.name), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
    if (e.name == "10" && peek().is_symbol("^")) {  // 10^{-5} is a number
        const Tokens power = inside_group(reading_.source, tokens_, at_ + 1);
        const bool minus = power.size() == 2 && power[0].is_symbol("-");
        if ((minus || power.size() == 1) && power.back().kind == digits &&
            power.back().text.find('.') == std::string_view::npos) {
            e.name = "1e" + std::string(minus ? "-" : "") + std::string(power.back().text);
            at_ = end_of_group(reading_.source, tokens_, at_ + 1);
        }
    }
    expect_one_number(begin);
    const NumberText number = number_of(e.name);
    if (!number.why.empty()) fail(tokens_[begin], number.why);
    e.number = number.value;
    if (begins_a_fraction_of_digits())
        fail(tokens_[begin], "a number before a fraction of numbers may be a mixed number: write 3/2, or \\cdot between them");
    return finish(begin, std::move(e));
}

Tokens Parser::group(const char* what) {
    if (done()) fail(peek(), fmt::format("expected {}", what));
    if (peek().kind == digits && peek().text.size() > 1)
        fail(peek(), fmt::format("TeX takes one digit of {0} here: write {{{0}}}", printable(peek().text, 40)));
    const Tokens out = inside_group(reading_.source, tokens_, at_);
    at_ = std::min(end_of_group(reading_.source, tokens_, at_), end_);
    return out;
}

ExprPtr Parser::primary() {
    const Level level(*this, peek());
    const Token& t = peek();
    const std::size_t begin = at_;
    if (t.kind == digits) {
        const ExprPtr indicator = notation_ ? nullptr : plain_indicator();
        return indicator ? indicator : plain_number();
    }
    if (t.is_symbol("[") && notation_) return array_of_notation();
    if (t.is_symbol("[") || t.is_symbol("("))
        if (const ExprPtr condition = notation_ ? nullptr : iverson()) return condition;
    if (t.kind == opening || t.is_symbol("(") || t.is_symbol("[") || t.is_command("\\{") || t.is_command("\\langle"))
        return bracketed();
    if (t.is_command("\\lfloor") || t.is_command("\\lceil")) return whole_part();
    if (t.is_symbol("|") || t.is_command("\\|") || t.is_command("\\lvert") || t.is_command("\\lVert")) return between_bars();
    if (t.kind == begins) return environment();
    if (t.is_symbol("∂") || t.is_command("\\partial")) return partial();
    if (t.is_symbol("∇") || t.is_command("\\nabla")) return nabla();
    if (t.kind == command) {
        if (t.text == "\\frac" || t.text == "\\dfrac" || t.text == "\\tfrac" || t.text == "\\cfrac") return fraction();
        if (t.text == "\\sum" || t.text == "\\prod") {
            const char* function = t.text == "\\sum" ? "sum" : "prod";
            take();
            return reduction(function, begin);
        }
        if (t.text == "\\infty") {
            take();
            Expr e = node(Kind::number, {}, "∞");
            e.number = std::numeric_limits<double>::infinity();
            return finish(begin, std::move(e));
        }
        if (t.text == "\\sqrt") {
            take();
            const bool other = peek().is_symbol("[");
            Tokens degree;
            for (; other && !done() && !peek().is_symbol("]");) degree.push_back(take());
            if (other) take();
            const ExprPtr of = inner(group("what the root is taken of: \\sqrt{x}"));
            if (!other) return finish(begin, call("sqrt", {of}));
            degree.erase(degree.begin());
            return finish(begin, node(Kind::power, {of, proof::product(proof::number(1), '/', inner(degree))}));
        }
    }
    return name_or_call();
}

}  // namespace gradproof::proof::latex
