// Expressions of NumPy and its like.
#include "gradproof/core/proof/language/numpy/parser.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/number_text.hpp"
#include "gradproof/core/proof/language/numpy/integers.hpp"
#include "gradproof/core/proof/language/numpy/loops.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

/// masks of masks = (Z > 0, Z > 1), whose parts are conditions.
bool Parser::holds_conditions(const Expr& e) {
    const Expr& all = e.kind == Kind::helper && !e.children.empty() ? *e.children[0] : e;
    return all.kind == Kind::array && !all.children.empty() &&
           std::ranges::all_of(all.children, [](const ExprPtr& c) { return c->truth; });
}

ExprPtr Parser::finish(std::size_t begin, const ExprPtr& e) {
    if (++parts_ > kMostParts) fail(begin, fmt::format("the statement has more than {} parts (kMostParts)", kMostParts));
    if (e->depth > kDeepest) fail(begin, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
    Expr out = *e;
    out.truth = out.listed = false;
    std::size_t end = std::min(at_, end_);
    while (end > begin && std::isspace(static_cast<unsigned char>(source_.text()[end - 1])) != 0) --end;
    const Span here{begin, end};
    out.span = scope_ ? scope_->call : here;
    out.source.clear();
    for (const char c : source_.slice(here))
        if (const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0; !blank || !out.source.ends_with(' '))
            out.source += blank ? ' ' : c;
    return make(std::move(out));
}

void Parser::blanks() {
    const std::string_view text = source_.text();
    while (at_ < end_) {
        if (text[at_] == '#')
            at_ = std::min(text.find('\n', at_), end_);
        else if (std::isspace(static_cast<unsigned char>(text[at_])) != 0)
            ++at_;
        else if (text[at_] == '\\' && at_ + 1 < end_ && (text[at_ + 1] == '\n' || text[at_ + 1] == '\r'))
            at_ += 2;
        else
            return;
    }
}
bool Parser::next_is(std::string_view text) {
    blanks();
    return source_.text().substr(at_, end_ - at_).starts_with(text);
}
bool Parser::take(std::string_view text) {
    if (!next_is(text)) return false;
    at_ += text.size();
    return true;
}
void Parser::expect(std::string_view text) {
    if (!take(text)) fail(at_, fmt::format("expected {}", text));
}
/// The identifier that is next, "" where there is none.
std::string_view Parser::word() {
    blanks();
    const std::string_view left = source_.text().substr(at_, end_ - at_);
    const std::size_t n = identifier_length(left);
    at_ += n;
    return left.substr(0, n);
}

ExprPtr Parser::whole() {
    const ExprPtr e = list("");
    blanks();
    if (at_ < end_) fail(at_, "expected an operator or the end of the statement");
    return e;
}

/// One expression, or several as an array, up to the closer.
ExprPtr Parser::list(std::string_view closer) {
    blanks();
    const std::size_t begin = at_;
    Expr all = node(Kind::array);
    bool comma = false;
    while (closer.empty() || !next_is(closer)) {
        if (file_ && take("*"))
            take_all_of(all.children);
        else
            all.children.push_back(expression());
        if (!take(",")) break;
        comma = true;
        if (closer.empty() && (blanks(), at_ >= end_)) break;
    }
    if (!comma && all.children.size() == 1 && closer != "]") return all.children[0];
    return as_list(finish(begin, make(std::move(all))));
}

/// *cache of (*cache, z): what that holds.
void Parser::take_all_of(std::vector<ExprPtr>& to) {
    blanks();
    const std::size_t begin = at_;
    const ExprPtr e = expression();
    if (!is_sequence(*e) || e->source.ends_with(".shape")) fail(begin, "behind * a tuple or a list is read");
    std::ranges::copy(e->children, std::back_inserter(to));
}

ExprPtr Parser::expression() {
    struct Guard {
        int& depth;
        ~Guard() { --depth; }
    } guard{++depth_};
    if (depth_ > kDeepestNesting) fail(at_, fmt::format("nested deeper than {} (kDeepestNesting)", kDeepestNesting));
    blanks();
    const std::size_t begin = at_;
    const ExprPtr a = compared();
    const std::size_t after = at_;
    if (word() != "if") {
        at_ = after;
        return a;
    }
    blanks();
    const std::size_t where = at_;
    const ExprPtr holds = compared();
    if (any_part(*holds, [&](const Expr& e) { return is_value(e); }))
        fail(where, "in Python this chooses once, and of an array it is an error: write np.where(x > 0, a, b)");
    if (word() != "else") fail(at_, "expected else: a if t > 0 else b");
    const ExprPtr b = expression(), out = finish(begin, call("where", {holds, a, b}));
    return is_condition(a) && is_condition(b) ? as_condition(out) : out;
}

ExprPtr Parser::compared() {
    blanks();
    const std::size_t begin = at_;
    if (const ExprPtr mask = compared_draw()) return as_condition(finish(begin, mask));
    const ExprPtr a = either();
    for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
        if (take(sign)) {
            const ExprPtr b = either();
            const bool equal = sign == "==";
            // Of arrays, entry by entry; of indices, which of the entries.
            if (!equal && sign != "!=") return as_condition(finish(begin, comparison(a, sign, b)));
            if (!is_value(*a) && !is_value(*b)) return as_condition(finish(begin, comparison(a, sign, b)));
            const double if_differs = equal ? 0 : 1;
            return as_condition(finish(begin, call("where", {sum(a, '-', b), number(if_differs), number(1 - if_differs)})));
        }
    return a;
}

/// a | b of conditions.
ExprPtr Parser::either() {
    blanks();
    const std::size_t begin = at_;
    ExprPtr a = both();
    while (next_is("|")) {
        const std::size_t at = at_++;
        const ExprPtr b = both();
        if (!is_condition(a) || !is_condition(b)) fail(at, "| is read of conditions only: (x > 0) | (y > 0)");
        a = as_condition(finish(begin, one_minus(product(one_minus(a), '*', one_minus(b)))));
    }
    return a;
}

/// a & b of conditions.
ExprPtr Parser::both() {
    blanks();
    const std::size_t begin = at_;
    ExprPtr a = sum_of_terms();
    while (next_is("&")) {
        const std::size_t at = at_++;
        const ExprPtr b = sum_of_terms();
        if (!is_condition(a) || !is_condition(b)) fail(at, "& is read of conditions only: (x > 0) & (y > 0)");
        a = as_condition(finish(begin, product(a, '*', b)));
    }
    return a;
}

ExprPtr Parser::sum_of_terms() {
    blanks();
    const std::size_t begin = at_;
    Expr e = node(Kind::sum, {term()});
    e.joints = "+";
    while (next_is("+") || next_is("-")) {
        e.joints += source_.text()[at_++];
        e.children.push_back(term());
    }
    if (e.children.size() == 1) return e.children[0];
    if (file_ && std::ranges::all_of(e.children, [](const ExprPtr& c) { return is_sequence(*c); })) {  // cache + (z,)
        if (e.joints.find('-') != std::string::npos) fail(begin, "of tuples and lists + is read alone");
        Expr all = node(Kind::array);
        for (const ExprPtr& c : e.children) std::ranges::copy(c->children, std::back_inserter(all.children));
        return as_list(finish(begin, make(std::move(all))));
    }
    if (std::ranges::count_if(e.children, [&](const ExprPtr& c) { return is_condition(c); }) > 1)
        fail(begin, "conditions are no numbers in NumPy: + of two is `or`, - an error; write 1.0 * (x > 0)");
    if (is_list(*e.children[0]) && is_list(*e.children[1]))
        fail(begin, "+ of two lists joins them: write np.array(a) + np.array(b), or np.concatenate((a, b))");
    return finish(begin, make(std::move(e)));
}

ExprPtr Parser::term() {
    blanks();
    const std::size_t begin = at_;
    Expr e = node(Kind::product, {factor()});
    e.joints = "@";
    for (;;) {
        if (next_is("**")) fail(at_, "** goes with brackets here");
        const bool whole = next_is("//");
        const char op = next_is("*") ? '*' : next_is("/") ? '/' : next_is("@") ? '@' : next_is("%") ? '%' : '\0';
        if (op == '\0') break;
        if (whole || op == '%') {
            const ExprPtr left = e.children.size() == 1 ? e.children[0] : finish(begin, make(e));
            at_ += whole ? 2 : 1;
            const ExprPtr right = factor();
            e.children = {finish(begin, whole ? call("floor", {product(left, '/', right)}) : call("mod", {left, right}))};
            e.joints = "@";
        } else {
            ++at_;
            e.joints += op;
            e.children.push_back(factor());
        }
    }
    if (e.children.size() == 1) return e.children[0];
    const auto other = std::find_if_not(e.children.begin(), e.children.end(), [&](const ExprPtr& c) { return is_condition(c); });
    const bool of_conditions = other == e.children.end();
    // (x > 0).T @ (x > 0) * w goes from left to right
    const auto first_conditions = static_cast<std::size_t>(other - e.children.begin());
    if (e.joints.find('@', 1) < first_conditions)
        fail(begin, "conditions are no numbers in NumPy: @ of two says whether any holds; write 1.0 * (x > 0)");
    const auto counts = [&](const Expr& c) { return signed_number(c) || (c.kind == Kind::name && names_.dims.contains(c.name)); };
    if (e.joints[1] == '*' &&
        ((is_list(*e.children[0]) && counts(*e.children[1])) || (counts(*e.children[0]) && is_list(*e.children[1]))))
        fail(begin, "* of a list and a number repeats the list: write np.array(a) * 2");
    const ExprPtr out = finish(begin, make(std::move(e)));
    return of_conditions ? as_condition(out) : out;
}

/// What a program has written down as one: c of t[1][0] behind t = (a, (c, d)), and t itself; nullptr of others.
const Expr* Parser::written(const Expr& e) const {
    if (e.kind == Kind::array) return &e;
    if (e.kind == Kind::helper && e.children.size() == 1) return written(*e.children[0]);
    if (e.kind == Kind::name) {
        const Assignment* const a = file_ && file_->proof ? file_->proof->find(e.name) : nullptr;
        return a != nullptr && a->value->kind == Kind::array ? a->value.get() : nullptr;
    }
    if (e.kind != Kind::index || e.children.size() != 2) return nullptr;
    const Expr* const all = written(*e.children[0]);
    const double at = all == nullptr ? -1 : signed_number(*e.children[1]).value_or(-1);
    return at >= 0 && at < static_cast<double>(all->children.size()) ? all->children[static_cast<std::size_t>(at)].get()
                                                                     : nullptr;
}

bool Parser::is_list(const Expr& e) const {
    if (file_ == nullptr || file_->proof == nullptr) return false;  // who types an answer means an array
    if (e.listed) return true;
    if (e.source.ends_with("[::-1]")) {
        const std::string name = e.source.substr(0, identifier_length(e.source));
        return name.size() + 6 == e.source.size() && is_list(*proof::name(name));
    }
    const bool part = e.kind == Kind::index && std::all_of(e.children.begin() + 1, e.children.end(),
                                                           [](const ExprPtr& c) { return c->kind == Kind::slice; });
    if (part) return is_list(*e.children[0]);
    if (e.kind == Kind::array) return e.source.starts_with("[") || e.source.starts_with("(");
    if (e.kind == Kind::helper && e.children.size() == 1 && (e.source.empty() || e.source == e.name))
        return is_list(*e.children[0]);
    if (e.kind != Kind::name || (!e.source.empty() && e.source != e.name)) return false;  // np.array(a)
    const Assignment* const a = file_->proof->find(e.name);
    return (file_->lists && file_->lists->contains(e.name)) ||
           (a != nullptr && a->value->kind == Kind::array && is_list(*a->value));
}

ExprPtr Parser::factor() {
    blanks();
    const std::size_t begin = at_;
    if (take("~")) {
        const ExprPtr e = factor();
        if (!is_condition(e)) fail(begin, "~ is read of conditions only: ~(x > 0)");
        return as_condition(finish(begin, one_minus(e)));
    }
    bool minus = false;
    while (next_is("-") || next_is("+")) minus = minus != (source_.text()[at_++] == '-');
    const ExprPtr e = power();
    if (minus && is_condition(e)) fail(begin, "conditions are no numbers in NumPy: - of one is an error; write 1.0 * (x > 0)");
    return minus ? finish(begin, negate(e)) : e;
}

ExprPtr Parser::power() {
    blanks();
    const std::size_t begin = at_;
    const ExprPtr base = postfix();
    if (!take("**")) return base;
    const ExprPtr exponent = factor();
    const auto is_whole = [&](const Expr& e) { return file_ && file_->proof && holds_integers(e, *file_->proof); };
    if (exponent->kind != Kind::number && is_whole(*base) && is_whole(*exponent))
        fail(begin, "whole numbers to the power of others overflow in NumPy, and may not be negative: write 2.0 ** k");
    return finish(begin, power_of(base, exponent));
}

ExprPtr Parser::postfix() {
    blanks();
    const std::size_t begin = at_;
    ExprPtr e = primary();
    for (;;) {
        if (next_is(".") && !next_is("..."))
            e = attribute(e, begin);
        else if (take("[")) {
            const auto tuples = file_ && e->kind == Kind::name ? file_->tuples.find(e->name) : decltype(file_->tuples.end()){};
            if (file_ && e->kind == Kind::name && tuples != file_->tuples.end()) {  // cache[t]
                const ExprPtr at = expression();
                expect("]");
                e = finish(begin, at_step(tuples->second.one, tuples->second.index, at));
                continue;
            }
            if (e->kind == Kind::array) {
                e = part_of_sequence(e, begin);
                continue;
            }
            const Expr& largest = e->kind == Kind::negate ? *e->children[0] : *e;  // min(x) is -max(-x)
            if (largest.kind == Kind::call && largest.name == "max" && !largest.options.empty() &&
                (next_is("0]") || next_is("1]")))
                fail(begin, "max(...)[0] is a row in NumPy and the values in PyTorch: write .values, or amax");
            const bool condition = is_condition(e) || holds_conditions(*e);
            e = subscript(e, begin);
            if (const Expr* const one = written(*e)) e = marked_as(*one, e);
            if (condition) e = as_condition(e);
        } else if (next_is("("))
            fail(at_, "only functions by name are called");
        else
            return e;
    }
}

ExprPtr Parser::primary() {
    blanks();
    const std::size_t begin = at_;
    if (at_ >= end_) fail(at_, "expected a name, a number, a function or an opening bracket");
    if (take("(")) {
        const ExprPtr inside = list(")");
        expect(")");
        return marked_as(*inside, finish(begin, inside));
    }
    if (take("[")) {
        const ExprPtr items = list("]");
        expect("]");
        return as_list(finish(begin, items));
    }
    const char c = source_.text()[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number_here();
    if (c == '"' || c == '\'') fail(at_, "a text is read as the first argument of einsum only");
    return name_or_call(begin);
}

ExprPtr Parser::number_here() {
    const std::size_t begin = at_;
    const std::string_view left = source_.text().substr(at_, end_ - at_);
    std::size_t n = number_length(left);
    if (n > 0 && n < left.size() && left[n] == '.' && left.substr(0, n).find('.') == std::string_view::npos) ++n;  // 2.
    if (n == 0 || (n < left.size() && is_word_character(left[n]))) fail(begin, "expected a number");
    Expr e = node(Kind::number, {}, std::string(left.substr(0, n)));
    const NumberText number = number_of(e.name, true);
    if (!number.why.empty()) fail(begin, number.why);
    e.number = number.value;
    at_ += n;
    return finish(begin, make(std::move(e)));
}

}  // namespace gradproof::proof::numpy
