// The grammar in PEGTL, and its parse tree turned into expressions.
#include "tools/proof/grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/parse_tree.hpp>

#include "core/registry.hpp"
#include "tools/proof/functions.hpp"

namespace gradproof::proof {
namespace {

namespace peg = tao::pegtl;
using peg::at, peg::eof, peg::if_must, peg::list, peg::must, peg::not_at, peg::opt, peg::seq, peg::sor, peg::star, peg::success;

constexpr int kDeepestNesting = 2 * kDeepestBrackets;

/// What the rules below look at and count while they match.
struct Context {
    const Names& names;
    int depth = 0;
};

bool is_letter(char32_t c) {
    const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
    if (in('a', 'z') || in('A', 'Z') || c == '_') return true;
    if (c == 0x3B4 || c == 0x3A3) return false;  // δ and Σ are reserved
    return in(0x391, 0x3FF) || in(0xC0, 0xD6) || in(0xD8, 0xF6) || in(0xF8, 0x24F) || c == 0x2113 || c == 0x2112;
}
bool is_subscript_letter(char32_t c) { return c == 0x2C7C || (c >= 0x1D62 && c <= 0x1D6A) || (c >= 0x2090 && c <= 0x209C); }
bool is_subscript(char32_t c) { return (c >= 0x2080 && c <= 0x2089) || is_subscript_letter(c); }

char32_t decode(std::string_view text, std::size_t at, std::size_t n) {
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
    if (n == 1) return byte(0);
    if (n == 2) return ((byte(0) & 0x1F) << 6) | (byte(1) & 0x3F);
    if (n == 3) return ((byte(0) & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F);
    return ((byte(0) & 0x07) << 18) | ((byte(1) & 0x3F) << 12) | ((byte(2) & 0x3F) << 6) | (byte(3) & 0x3F);
}

/// The index that a subscript letter stands for: Σₖ is Σ_k.
char subscript_letter(char32_t c) {
    switch (c) {
        case 0x2C7C: return 'j';
        case 0x1D62: return 'i';
        case 0x2096: return 'k';
        case 0x2097: return 'l';
        case 0x2098: return 'm';
        case 0x2099: return 'n';
        case 0x209A: return 'p';
        case 0x209B: return 's';
        case 0x209C: return 't';
        case 0x2090: return 'a';
        default: return 0;
    }
}

/// An identifier that Accept(text of the identifier, text after it, names) takes.
template <class Accept>
struct word {
    using rule_t = word;
    using subs_t = peg::empty_list;
    template <peg::apply_mode, peg::rewind_mode, template <typename...> class, template <typename...> class, class Input, class... States>
    static bool match(Input& in, States&&... states) {
        const auto& context = std::get<0>(std::tie(states...));
        const std::string_view text(in.current(), in.size());
        const std::size_t n = identifier_length(text);
        if (n == 0 || !Accept::accept(text.substr(0, n), text.substr(n), context.names)) return false;
        in.bump(n);
        return true;
    }
};
/// R, one level deeper.
template <class R>
struct nested {
    using rule_t = nested;
    using subs_t = peg::type_list<R>;
    template <peg::apply_mode A, peg::rewind_mode M, template <typename...> class Action, template <typename...> class Control, class Input, class... States>
    static bool match(Input& in, States&&... states) {
        auto& context = std::get<0>(std::tie(states...));
        struct Guard {
            int& depth;
            ~Guard() { --depth; }
        } guard{++context.depth};
        if (context.depth > kDeepestNesting) throw peg::parse_error(fmt::format("nested deeper than {} (kDeepestNesting)", kDeepestNesting), in);
        return Control<R>::template match<A, M, Action, Control>(in, states...);
    }
};

bool opens(std::string_view after) {
    const std::size_t i = after.find_first_not_of(" \t\r\n");
    return i != std::string_view::npos && after[i] == '(';
}
struct Any {
    static bool accept(std::string_view, std::string_view, const Names&) { return true; }
};
struct Function {
    static bool accept(std::string_view word, std::string_view after, const Names& names) { return opens(after) && names.is_function(word); }
};
struct Grad {
    static bool accept(std::string_view word, std::string_view after, const Names& names) { return word == "grad" && opens(after) && !names.defined(word); }
};
struct Delta {
    static bool accept(std::string_view word, std::string_view after, const Names& names) { return word == "delta" && after.starts_with("[") && !names.defined(word); }
};
/// sum_k( and the like: the index after the underscore.
struct Reducer {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        const std::size_t bar = word.find('_');
        if (bar == std::string_view::npos || names.defined(word)) return false;
        const std::string_view head = word.substr(0, bar);
        if (head != "sum" && head != "max" && head != "mean") return false;
        return bar + 1 < word.size() ? opens(after) && !names.is_function(word) : after.starts_with("{");
    }
};
/// The dX of a value X, where nothing is called dX.
struct DName {
    static bool accept(std::string_view word, std::string_view, const Names& names) {
        return word.size() > 1 && word[0] == 'd' && names.values.contains(word.substr(1)) && !names.defined(word);
    }
};
struct DLoss {
    static bool accept(std::string_view word, std::string_view, const Names& names) {
        return word.size() > 1 && word[0] == 'd' && names.is_loss(word.substr(1)) && !names.defined(word);
    }
};
struct Option_ {
    static bool accept(std::string_view, std::string_view after, const Names&) {
        const std::size_t i = after.find_first_not_of(" \t\r\n");
        return i != std::string_view::npos && after[i] == '=';
    }
};
struct Word_ {
    static bool accept(std::string_view word, std::string_view after, const Names& names) { return !names.defined(word) && !names.is_function(word) && !opens(after); }
};

// Rules of characters are matched by hand: put together of rules, they take g++ seconds more.

template <std::size_t N>
struct Chars {
    char text[N];
    constexpr Chars(const char (&of)[N]) { std::copy_n(of, N, text); }
    constexpr std::string_view view() const { return {text, N - 1}; }
};
/// The first of these texts that is next.
template <Chars... Texts>
struct literal {
    using rule_t = literal;
    using subs_t = peg::empty_list;
    template <class Input> static bool match(Input& in) {
        const std::string_view left(in.current(), in.size());
        const auto take = [&](std::string_view one) { return left.starts_with(one) && (in.bump(one.size()), true); };
        return (take(Texts.view()) || ...);
    }
};
/// As many bytes as Length finds; where it finds none, the rule matches only if it may be Empty.
template <std::size_t (*Length)(std::string_view), bool Empty = false>
struct scan {
    using rule_t = scan;
    using subs_t = peg::empty_list;
    template <class Input> static bool match(Input& in) {
        const std::size_t n = Length({in.current(), in.size()});
        in.bump(n);
        return Empty || n > 0;
    }
};

/// Blanks, no-break spaces and comments.
std::size_t blanks(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] == '#') at = std::min(text.find('\n', at), text.size());
        else if (std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos) ++at;
        else if (text.substr(at).starts_with("\xC2\xA0")) at += 2;
        else break;
    }
    return at;
}
/// 2, 2., 2.5, .5, 1e-3; of 2... the 2.
std::size_t number_length(std::string_view text) {
    const auto digits = [&](std::size_t at) {
        std::size_t n = 0;
        while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9') ++n;
        return n;
    };
    const auto is = [&](std::size_t at, std::string_view set) { return at < text.size() && set.find(text[at]) != std::string_view::npos; };
    std::size_t at = digits(0);
    if (is(at, ".") && !(is(at + 1, ".") && is(at + 2, ".")) && at + digits(at + 1) > 0) at += 1 + digits(at + 1);
    if (at == 0) return 0;
    const std::size_t power = at + 1 + (is(at + 1, "+-") ? 1 : 0);
    return is(at, "eE") && digits(power) > 0 ? power + digits(power) : at;
}
std::size_t subscripts_length(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t n = character_length(text, at);
        if (n == 0 || !is_subscript_letter(decode(text, at, n))) break;
        at += n;
    }
    return at;
}
std::size_t until_quote(std::string_view text) { return std::min(text.find_first_of("\"\n"), text.size()); }

struct ws : scan<blanks, true> {};

/// Rules that stand in the parse tree.
struct kept {};

struct expression;
struct product_expression;
struct unary;

struct identifier : kept, word<Any> {};
struct variable : kept, word<Any> {};
struct slice_mark : kept, literal<":"> {};
struct ellipsis_mark : kept, literal<"...", "…"> {};
struct infinity : kept, literal<"∞"> {};
struct number_text : kept, scan<number_length> {};

struct open_round : literal<"("> {};
struct open_square : literal<"["> {};
struct open_curly : literal<"{"> {};
struct close_round : literal<")"> {};
struct close_square : literal<"]"> {};
struct close_curly : literal<"}"> {};
struct comma : seq<ws, literal<",">, ws> {};
struct operand : nested<expression> {};
struct stop : kept, if_must<literal<":">, ws, operand> {};  // of the entries start:stop
struct entry : sor<seq<ellipsis_mark, at<ws, literal<",", "]">>>, slice_mark, seq<operand, opt<ws, stop>>> {};
struct element : sor<ellipsis_mark, operand> {};

struct round : if_must<open_round, ws, operand, ws, close_round> {};
struct array : kept, if_must<open_square, ws, opt<list<element, comma>>, ws, close_square> {};
struct index_list : kept, if_must<open_square, ws, list<entry, comma>, ws, close_square> {};

struct subscripts : kept, scan<subscripts_length> {};
struct bound_names : sor<if_must<open_curly, ws, list<identifier, comma>, ws, close_curly>, identifier> {};
struct sigma_index : sor<seq<literal<"_">, bound_names>, subscripts> {};
struct sigma : kept, if_must<literal<"Σ">, sigma_index, ws, nested<product_expression>> {};
struct reducer_word : kept, word<Reducer> {};
struct reducer : kept, seq<reducer_word, opt<if_must<open_curly, ws, list<identifier, comma>, ws, close_curly>>, ws, if_must<open_round, ws, operand, ws, close_round>> {};
struct delta_indices : if_must<open_square, ws, operand, comma, operand, ws, close_square> {};
struct delta : kept, seq<sor<literal<"δ">, word<Delta>>, must<delta_indices>> {};

struct partial_sign : literal<"∂"> {};
struct partial_top : kept, seq<identifier, opt<index_list>> {};
struct partial_bottom : kept, seq<identifier, opt<index_list>> {};
struct partial_slash : literal<"/"> {};
struct partial : kept, if_must<partial_sign, ws, partial_top, ws, partial_slash, ws, partial_sign, ws, partial_bottom> {};
struct nabla : kept, if_must<literal<"∇">, opt<literal<"_">>, identifier> {};
struct grad_call : kept, seq<word<Grad>, ws, if_must<open_round, ws, identifier, ws, close_round>> {};
struct d_name : kept, word<DName> {};
struct d_quotient : kept, seq<word<DLoss>, ws, literal<"/">, ws, d_name> {};

struct option_name : kept, word<Option_> {};
struct option_word : kept, word<Word_> {};
struct option_value : sor<option_word, operand> {};
struct option : kept, seq<option_name, ws, literal<"=">, ws, must<option_value>> {};
struct argument : sor<option, operand> {};
struct function_name : kept, word<Function> {};
struct call_expression : kept, seq<function_name, ws, if_must<open_round, ws, opt<list<argument, comma>>, ws, close_round>> {};

struct primary : sor<round, array, number_text, infinity, sigma, reducer, delta, partial, nabla, grad_call, d_quotient, d_name, call_expression, variable> {};

struct not_in_word {
    using rule_t = not_in_word;
    using subs_t = peg::empty_list;
    template <class Input> static bool match(Input& in) {
        const std::string_view text(in.current(), in.size());
        return identifier_length(text) == 0 && (text.empty() || text[0] < '0' || text[0] > '9');
    }
};
struct transpose_mark : kept, sor<seq<literal<"^">, ws, sor<seq<literal<"T">, not_in_word>, literal<"⊤", "{T}">>>, literal<"ᵀ", "'">> {};
struct minus : literal<"-", "−"> {};
struct power_minus : kept, minus {};
struct exponent : kept, seq<opt<power_minus>, sor<round, number_text, variable>> {};
struct square_mark : kept, literal<"²"> {};
struct cube_mark : kept, literal<"³"> {};
struct power_mark : kept, sor<square_mark, cube_mark, if_must<literal<"^">, ws, exponent>> {};
struct postfix : kept, seq<primary, star<sor<index_list, seq<ws, transpose_mark>, seq<ws, power_mark>>>> {};

struct minus_sign : kept, minus {};
struct root_sign : kept, literal<"√"> {};
struct plus_sign : literal<"+"> {};
struct unary : kept, seq<star<sor<minus_sign, root_sign, plus_sign>, ws>, postfix> {};

struct by_matrix : kept, literal<"@", "·", "⋅"> {};
struct by_element : kept, literal<".*", "*", "⊙", "×", "∘"> {};
struct by_division : kept, literal<"/"> {};
struct beside : kept, success {};
struct factor : unary {};
struct product_expression : kept, seq<unary, star<ws, sor<seq<sor<by_matrix, by_element, by_division>, ws, must<factor>>, seq<not_at<sor<minus, literal<"+">>>, beside, unary>>>> {};
struct add_sign : kept, literal<"+"> {};
struct subtract_sign : kept, minus {};
struct term : product_expression {};
struct expression : kept, seq<product_expression, star<ws, sor<add_sign, subtract_sign>, ws, must<term>>> {};

struct end : eof {};
struct equals : literal<"=", "≈"> {};
struct whole_expression : seq<ws, must<operand>, ws, must<end>> {};
struct equality : seq<ws, must<operand>, ws, must<equals>, ws, must<operand>, ws, must<end>> {};

struct shape_list : kept, if_must<open_square, ws, opt<list<operand, comma>>, ws, close_square> {};
struct value_of_name : kept, if_must<literal<"=">, ws, operand> {};
struct parameters : kept, if_must<open_round, ws, opt<list<operand, comma>>, ws, close_round> {};
struct distribution : kept, if_must<literal<"~">, ws, identifier, ws, opt<parameters>> {};
struct declaration : kept, seq<identifier, ws, opt<shape_list>, ws, opt<value_of_name>, ws, opt<distribution>> {};
struct declarations : seq<ws, must<list<declaration, comma>>, ws, must<end>> {};
struct dim_operator : kept, literal<"*", "/", "+"> {};
struct dim_factor : unary {};
struct dim_value : kept, seq<dim_factor, star<ws, dim_operator, ws, must<dim_factor>>> {};
struct dim : kept, seq<identifier, opt<ws, literal<"=">, ws, must<dim_value>>> {};
struct dims : seq<ws, must<list<dim, sor<comma, scan<blanks>>>>, ws, must<end>> {};
struct quoted_text : kept, scan<until_quote, true> {};
struct quote : literal<"\""> {};
struct quoted : seq<ws, must<quote>, quoted_text, must<quote>, ws, must<end>> {};

constexpr const char* kOperand = "expected a name, a number, a function or an opening bracket";
template <class> constexpr const char* message = "expected something else";
template <> constexpr const char* message<ws> = "expected a blank";
template <> constexpr const char* message<operand> = kOperand;
template <> constexpr const char* message<factor> = kOperand;
template <> constexpr const char* message<term> = kOperand;
template <> constexpr const char* message<nested<product_expression>> = kOperand;
template <> constexpr const char* message<dim_factor> = "expected a size";
template <> constexpr const char* message<dim_value> = "expected a size";
template <> constexpr const char* message<option_value> = "expected a value of the option";
template <> constexpr const char* message<exponent> = "expected an exponent: T, a number, a dim or brackets";
template <> constexpr const char* message<close_round> = "expected ) or an operator";
template <> constexpr const char* message<close_square> = "expected ] or a comma";
template <> constexpr const char* message<close_curly> = "expected } or a comma";
template <> constexpr const char* message<comma> = "expected a comma and a second index";
template <> constexpr const char* message<list<entry, comma>> = "expected an index";
template <> constexpr const char* message<list<identifier, comma>> = "expected an index";
template <> constexpr const char* message<sigma_index> = "expected the index that is summed over: Σ_k";
template <> constexpr const char* message<delta_indices> = "expected two indices: δ[i,j]";
template <> constexpr const char* message<identifier> = "expected a name";
template <> constexpr const char* message<partial_top> = "expected a name after ∂";
template <> constexpr const char* message<partial_bottom> = "expected a name after ∂";
template <> constexpr const char* message<partial_slash> = "expected / and what the derivative is taken by: ∂L/∂X";
template <> constexpr const char* message<partial_sign> = "expected ∂";
template <> constexpr const char* message<equals> = "expected = or an operator";
template <> constexpr const char* message<end> = "expected an operator or the end of the statement";
template <> constexpr const char* message<quote> = "expected a text in quotes: \"...\"";
template <> constexpr const char* message<list<declaration, comma>> = "expected a name";
template <> constexpr const char* message<list<dim, sor<comma, scan<blanks>>>> = "expected the name of a size";

using Input = peg::memory_input<peg::tracking_mode::eager, peg::eol::lf>;
[[noreturn, gnu::noinline]] void raise(const char* message, const Input& in) { throw peg::parse_error(message, in); }

template <class Rule>
struct control : peg::normal<Rule> {
    template <class... States> [[noreturn]] static void raise(const Input& in, States&&...) { proof::raise(message<Rule>, in); }
};

template <class Rule>
struct keep : std::is_base_of<kept, Rule> {};

using Node = peg::parse_tree::node;

/// Turns the parse tree of one statement into expressions.
class Builder {
  public:
    Builder(const Source& source, std::size_t offset) : source_(source), offset_(offset) {}

    Span span(const Node& n) const { return {offset_ + n.begin().byte, offset_ + n.end().byte}; }

    ExprPtr build(const Node& n) const {
        if (n.is_type<expression>()) return joined(n, Kind::sum);
        if (n.is_type<product_expression>() || n.is_type<term>() || n.is_type<dim_value>()) return joined(n, Kind::product);
        if (n.is_type<unary>() || n.is_type<factor>() || n.is_type<dim_factor>()) return prefixed(n);
        if (n.is_type<postfix>()) return postfixed(n);
        if (n.is_type<exponent>()) {
            const bool minus = n.children.front()->is_type<power_minus>();
            const ExprPtr e = build(*n.children.back());
            return minus ? finish(n, *negate(e)) : e;
        }
        return leaf(n);
    }

  private:
    [[noreturn]] void fail(const Node& n, const std::string& text) const { throw ProofError(source_, span(n).begin, text); }

    ExprPtr finish(const Node& n, Expr e) const {
        e.span = span(n);
        while (e.span.end > e.span.begin && std::string_view(" \t\r\n").find(source_.text()[e.span.end - 1]) != std::string_view::npos) --e.span.end;
        e.source = one_line(source_.slice(e.span));
        ExprPtr out = make(std::move(e));
        if (out->depth > kDeepest) fail(n, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
        return out;
    }

    /// Without line breaks and comments.
    static std::string one_line(std::string_view text) {
        std::string out;
        bool comment = false;
        for (const char c : text) {
            if (c == '#') comment = true;
            if (c == '\n') comment = false;
            const bool blank = comment || c == '\n' || c == '\r' || c == '\t' || c == ' ';
            if (!blank) out += c;
            else if (!out.empty() && out.back() != ' ') out += ' ';
        }
        return out;
    }

    static char joint(const Node& n) {
        if (n.is_type<by_matrix>() || n.is_type<beside>()) return '@';
        if (n.is_type<by_element>()) return '*';
        if (n.is_type<by_division>()) return '/';
        if (n.is_type<add_sign>()) return '+';
        if (n.is_type<subtract_sign>()) return '-';
        return n.is_type<dim_operator>() ? n.string_view()[0] : '\0';
    }

    ExprPtr joined(const Node& n, Kind kind) const {
        if (n.children.size() == 1) return build(*n.children[0]);
        Expr e;
        e.kind = kind;
        e.joints = kind == Kind::sum ? "+" : "@";
        for (const auto& c : n.children) {
            if (const char op = joint(*c)) e.joints.push_back(op);
            else e.children.push_back(build(*c));
        }
        if (n.is_type<dim_value>() && e.joints.find('+') != std::string::npos) fail(n, "a sum as a size goes in brackets: C=(a + b)");
        return finish(n, std::move(e));
    }

    ExprPtr prefixed(const Node& n) const {
        ExprPtr out = build(*n.children.back());
        for (std::size_t i = n.children.size() - 1; i-- > 0;) {
            if (n.children[i]->is_type<minus_sign>()) out = negate(out);
            else out = call("sqrt", {out});
            if (out->depth > kDeepest) fail(n, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
        }
        return n.children.size() == 1 ? out : finish(n, *out);
    }

    ExprPtr postfixed(const Node& n) const {
        ExprPtr out = build(*n.children.front());
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const Node& mark = *n.children[i];
            Expr e;
            if (mark.is_type<transpose_mark>()) {
                e.kind = Kind::transpose;
                e.children = {out};
            } else if (mark.is_type<power_mark>()) {
                const Node& by = *mark.children.front();
                e.kind = Kind::power;
                e.children = {out, by.is_type<square_mark>() ? number(2) : by.is_type<cube_mark>() ? number(3) : build(by)};
            } else {
                e.kind = Kind::index;
                e.children = {out};
                for (const auto& c : mark.children) add_entry(e.children, *c);
            }
            out = make(std::move(e));
            if (out->depth > kDeepest) fail(n, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
        }
        return n.children.size() == 1 ? out : finish(n, *out);
    }

    /// An index, or the stop that makes the index before it a range.
    void add_entry(std::vector<ExprPtr>& entries, const Node& n) const {
        if (!n.is_type<stop>()) {
            entries.push_back(build(n));
            return;
        }
        Expr range;
        range.kind = Kind::slice;
        range.children = {entries.back(), build(*n.children.front())};
        range.span = {entries.back()->span.begin, span(n).end};
        entries.back() = make(std::move(range));
    }

    ExprPtr leaf(const Node& n) const {
        Expr e;
        e.name = n.string();
        if (n.is_type<number_text>()) {
            e.kind = Kind::number;
            std::from_chars(e.name.data(), e.name.data() + e.name.size(), e.number);
            if (double parsed = 0; std::from_chars(e.name.data(), e.name.data() + e.name.size(), parsed).ec == std::errc::result_out_of_range)
                fail(n, fmt::format("{} does not fit a double", e.name));
        } else if (n.is_type<infinity>()) {
            e.kind = Kind::number;
            e.number = std::numeric_limits<double>::infinity();
        } else if (n.is_type<slice_mark>()) {
            e.kind = Kind::slice;
        } else if (n.is_type<ellipsis_mark>()) {
            e.kind = Kind::ellipsis;
        } else if (n.is_type<option_word>()) {
            e.kind = Kind::word;
        } else if (n.is_type<variable>() || n.is_type<identifier>()) {
            e.kind = Kind::name;
        } else if (n.is_type<array>()) {
            e.kind = Kind::array;
            for (const auto& c : n.children) e.children.push_back(build(*c));
        } else if (n.is_type<sigma>() || n.is_type<reducer>()) {
            return reduction(n);
        } else if (n.is_type<delta>()) {
            e.kind = Kind::delta;
            for (const auto& c : n.children) e.children.push_back(build(*c));
        } else if (n.is_type<partial>()) {
            return derivative(n);
        } else if (n.is_type<nabla>() || n.is_type<grad_call>()) {
            e.kind = Kind::gradient;
            e.name = n.children.back()->string();
        } else if (n.is_type<d_name>() || n.is_type<d_quotient>()) {
            e.kind = Kind::gradient;
            e.name = (n.is_type<d_name>() ? n : *n.children.back()).string().substr(1);
        } else if (n.is_type<call_expression>()) {
            return function(n);
        } else {
            fail(n, kOperand);
        }
        return finish(n, std::move(e));
    }

    ExprPtr reduction(const Node& n) const {
        Expr e;
        e.kind = Kind::reduce;
        e.name = "sum";
        for (std::size_t i = 0; i + 1 < n.children.size(); ++i) {
            const Node& c = *n.children[i];
            if (c.is_type<reducer_word>()) {
                const std::string word = c.string();
                e.name = word.substr(0, word.find('_'));
                if (word.back() != '_') e.bound.push_back(word.substr(word.find('_') + 1));
            } else if (c.is_type<subscripts>()) {
                const std::string text = c.string();
                for (std::size_t at = 0; at < text.size();) {
                    const std::size_t length = character_length(text, at);
                    const char letter = subscript_letter(decode(text, at, length));
                    if (letter == 0) fail(c, "no such index: write Σ_{...}");
                    e.bound.emplace_back(1, letter);
                    at += length;
                }
            } else {
                e.bound.push_back(c.string());
            }
        }
        e.children = {build(*n.children.back())};
        return finish(n, std::move(e));
    }

    ExprPtr derivative(const Node& n) const {
        const Node &top = *n.children[0], &bottom = *n.children[1];
        Expr e;
        e.kind = Kind::jacobian;
        e.name = top.children[0]->string();
        e.other = bottom.children[0]->string();
        const auto add = [&](const Node& part) {
            if (part.children.size() > 1)
                for (const auto& c : part.children[1]->children) add_entry(e.children, *c);
        };
        add(top);
        e.split = e.children.size();
        add(bottom);
        return finish(n, std::move(e));  // told from a gradient once the names are known
    }

    ExprPtr function(const Node& n) const {
        Expr e;
        e.kind = Kind::call;
        e.name = n.children.front()->string();
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const Node& c = *n.children[i];
            if (c.is_type<option>()) e.options.push_back({c.children[0]->string(), build(*c.children[1]), span(c)});
            else if (!e.options.empty()) fail(c, "an argument after an option: options come last");
            else e.children.push_back(build(c));
        }
        return finish(n, std::move(e));
    }

    const Source& source_;
    std::size_t offset_;
};

/// ∂L/∂X is a gradient where L is the loss and carries no index; an index of X is then one of the gradient.
ExprPtr resolve(const ExprPtr& e, const Names& names) {
    bool changed = false;
    Expr copy = *e;
    for (ExprPtr& c : copy.children) {
        const ExprPtr r = resolve(c, names);
        changed = changed || r != c;
        c = r;
    }
    for (Option& o : copy.options) {
        const ExprPtr r = resolve(o.value, names);
        changed = changed || r != o.value;
        o.value = r;
    }
    if (e->kind == Kind::jacobian && e->split == 0 && names.is_loss(e->name)) {
        Expr g;
        g.kind = Kind::gradient;
        g.name = e->other;
        g.span = e->span;
        if (copy.children.empty()) {
            g.source = e->source;
            return make(std::move(g));
        }
        Expr at;
        at.kind = Kind::index;
        at.span = e->span;
        at.source = e->source;
        at.children = {make(std::move(g))};
        at.children.insert(at.children.end(), copy.children.begin(), copy.children.end());
        return make(std::move(at));
    }
    return changed ? make(std::move(copy)) : e;
}

template <class Rule>
std::unique_ptr<Node> tree(const Source& source, Span text, const Names& names) {
    const std::string_view slice = source.slice(text);
    Input in(slice.data(), slice.data() + slice.size(), "");
    Context context{names};
    try {
        return peg::parse_tree::parse<Rule, keep, peg::nothing, control>(in, context);
    } catch (const peg::parse_error& e) {
        std::size_t at = std::min(text.begin + e.positions().front().byte, text.end);
        throw ProofError(source, at, std::string(e.message()));
    }
}

}  // namespace

std::size_t identifier_length(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t n = character_length(text, at);
        if (n == 0) break;
        const char32_t c = decode(text, at, n);
        if (!is_letter(c) && !(at > 0 && ((c >= '0' && c <= '9') || is_subscript(c)))) break;
        at += n;
    }
    return at;
}

bool Names::is_function(std::string_view name) const { return !defined(name) && (is_builtin(name) || registry().has(name)); }
bool Names::is_loss(std::string_view name) const {
    if (!loss.empty() && name == loss) return true;
    return (name == "L" || name == "Loss" || name == "loss" || name == "ℒ") && !values.contains(name);
}
std::vector<std::string> Names::all() const {
    std::vector<std::string> out(values.begin(), values.end());
    out.insert(out.end(), dims.begin(), dims.end());
    return out;
}

Equality parse_equality(const Source& source, Span statement, const Names& names) {
    const auto root = tree<equality>(source, statement, names);
    const Builder b(source, statement.begin);
    return {resolve(b.build(*root->children.at(0)), names), resolve(b.build(*root->children.at(1)), names)};
}

ExprPtr parse_expression(const Source& source, Span text, const Names& names) {
    const auto root = tree<whole_expression>(source, text, names);
    return resolve(Builder(source, text.begin).build(*root->children.at(0)), names);
}

std::vector<Declaration> parse_declarations(const Source& source, Span text, const Names& names) {
    const auto root = tree<declarations>(source, text, names);
    const Builder b(source, text.begin);
    std::vector<Declaration> out;
    for (const auto& n : root->children) {
        Declaration d;
        d.name = n->children[0]->string();
        d.span = b.span(*n->children[0]);
        for (std::size_t i = 1; i < n->children.size(); ++i) {
            const Node& part = *n->children[i];
            if (part.is_type<shape_list>()) {
                d.has_shape = true;
                for (const auto& c : part.children) d.shape.push_back(b.build(*c));
            } else if (part.is_type<value_of_name>()) {
                d.value = resolve(b.build(*part.children[0]), names);
            } else {
                d.distribution = part.children[0]->string();
                if (part.children.size() > 1)
                    for (const auto& c : part.children[1]->children) d.parameters.push_back(b.build(*c));
            }
        }
        out.push_back(std::move(d));
    }
    return out;
}

std::vector<Declaration> parse_dims(const Source& source, Span text, const Names& names) {
    const auto root = tree<dims>(source, text, names);
    const Builder b(source, text.begin);
    std::vector<Declaration> out;
    for (const auto& n : root->children) {
        Declaration d;
        d.name = n->children[0]->string();
        d.span = b.span(*n->children[0]);
        if (n->children.size() > 1) d.value = b.build(*n->children[1]);
        out.push_back(std::move(d));
    }
    return out;
}

std::string parse_quoted(const Source& source, Span text) {
    const Names none;
    return tree<quoted>(source, text, none)->children.at(0)->string();
}

}  // namespace gradproof::proof
