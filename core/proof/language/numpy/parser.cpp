// Expressions of NumPy and its like.
#include "gradproof/core/proof/language/numpy/parser.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

#include <fmt/format.h>

#include "gradproof/core/platform/from_chars.hpp"
#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr auto kModules = std::to_array<std::string_view>(
    {"np", "numpy", "jnp", "jax", "torch", "nn", "functional", "F", "math", "scipy", "special", "linalg", "lax", "tf"});

bool is_module(std::string_view word) { return std::find(kModules.begin(), kModules.end(), word) != kModules.end(); }
Library library_of(std::string_view module) {
    if (module == "scipy" || module == "special") return Library::scipy;
    if (module == "jax" || module == "jnp") return Library::jax;
    return module == "torch" || module == "functional" || module == "F" ? Library::torch : Library::numpy;
}
bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string value_of_gradient(std::string_view name, const Names& names) {
    if (names.defined(name)) return "";
    const auto value = [&](std::string_view x) { return names.values.contains(x) ? std::string(x) : std::string(); };
    if (name.starts_with("grad_")) return value(name.substr(5));
    if (name.ends_with("_grad")) return value(name.substr(0, name.size() - 5));
    if (name.size() > 1 && name[0] == 'd') {
        const std::string x = value(name.substr(name[1] == '_' ? 2 : 1));
        return x.empty() ? value(name.substr(1)) : x;
    }
    return "";
}

ExprPtr Parser::finish(std::size_t begin, const ExprPtr& e) {
    if (++parts_ > kMostParts) fail(begin, fmt::format("the statement has more than {} parts (kMostParts)", kMostParts));
    if (e->depth > kDeepest) fail(begin, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
    Expr out = *e;
    std::size_t end = std::min(at_, end_);
    while (end > begin && std::isspace(static_cast<unsigned char>(source_.text()[end - 1])) != 0) --end;
    out.span = {begin, end};
    out.source.clear();
    for (const char c : source_.slice(out.span))
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
        all.children.push_back(expression());
        if (!take(",")) break;
        comma = true;
        if (closer.empty() && (blanks(), at_ >= end_)) break;
    }
    if (!comma && all.children.size() == 1 && closer != "]") return all.children[0];
    return finish(begin, make(std::move(all)));
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
    const auto is_array = [&](const Expr& e) {
        return e.kind == Kind::gradient || e.kind == Kind::helper || (e.kind == Kind::name && names_.values.contains(e.name));
    };
    if (any_part(*holds, is_array))
        fail(where, "in Python this chooses once, and of an array it is an error: write np.where(x > 0, a, b)");
    if (word() != "else") fail(at_, "expected else: a if t > 0 else b");
    return finish(begin, call("where", {holds, a, expression()}));
}

ExprPtr Parser::compared() {
    blanks();
    const std::size_t begin = at_;
    const ExprPtr a = sum_of_terms();
    for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
        if (take(sign)) return as_condition(finish(begin, comparison(a, sign, sum_of_terms())));
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
    if (std::ranges::count_if(e.children, [&](const ExprPtr& c) { return is_condition(c); }) > 1)
        fail(begin, "conditions are no numbers in NumPy: + of two is `or`, - an error; write 1.0 * (x > 0)");
    return e.children.size() == 1 ? e.children[0] : finish(begin, make(std::move(e)));
}

ExprPtr Parser::term() {
    blanks();
    const std::size_t begin = at_;
    Expr e = node(Kind::product, {factor()});
    e.joints = "@";
    for (;;) {
        if (next_is("**")) fail(at_, "** goes with brackets here");
        if (next_is("//")) fail(at_, "// is not read: write / or np.floor");
        const char op = next_is("*") ? '*' : next_is("/") ? '/' : next_is("@") ? '@' : next_is("%") ? '%' : '\0';
        if (op == '\0') break;
        ++at_;
        if (op == '%') {
            const ExprPtr left = e.children.size() == 1 ? e.children[0] : finish(begin, make(e));
            e.children = {call("mod", {left, factor()})};
            e.joints = "@";
        } else {
            e.joints += op;
            e.children.push_back(factor());
        }
    }
    if (e.children.size() == 1) return e.children[0];
    const bool of_conditions = std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is_condition(c); });
    if (of_conditions && e.joints.find('@', 1) != std::string::npos)
        fail(begin, "conditions are no numbers in NumPy: @ of two says whether any holds; write 1.0 * (x > 0)");
    const ExprPtr out = finish(begin, make(std::move(e)));
    return of_conditions ? as_condition(out) : out;
}

ExprPtr Parser::factor() {
    blanks();
    const std::size_t begin = at_;
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
    return finish(begin, power_of(base, factor()));
}

ExprPtr Parser::postfix() {
    blanks();
    const std::size_t begin = at_;
    ExprPtr e = primary();
    for (;;) {
        if (next_is(".") && !next_is("..."))
            e = attribute(e, begin);
        else if (take("[")) {
            if (e->kind == Kind::call && e->name == "max" && !e->options.empty() && (next_is("0]") || next_is("1]")))
                fail(begin, "max(...)[0] is a row in NumPy and the values in PyTorch: write .values, or amax");
            e = subscript(e, begin);
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
        const ExprPtr out = finish(begin, inside);
        return is_condition(inside) ? as_condition(out) : out;
    }
    if (take("[")) {
        const ExprPtr items = list("]");
        expect("]");
        return finish(begin, items);
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
    if (from_chars(e.name.data(), e.name.data() + e.name.size(), e.number).ec == std::errc::result_out_of_range)
        fail(begin, fmt::format("{} does not fit a double", e.name));
    at_ += n;
    return finish(begin, make(std::move(e)));
}

ExprPtr Parser::name_or_call(std::size_t begin) {
    std::string_view name = word();
    if (name.empty()) fail(at_, "expected a name, a number, a function or an opening bracket");
    bool of_module = false;
    Library library = Library::numpy;
    while (is_module(name) && !names_.defined(name) && take(".")) {
        if (library == Library::numpy) library = library_of(name);
        name = word();
        of_module = true;
    }
    const std::string text(name);
    if (!of_module && of_scipy_ && of_scipy_->contains(text)) library = Library::scipy;
    if (!names_.defined(text)) {
        if (text == "einsum" && take("(")) return einsum(begin);
        if (take("(")) {
            Arguments given = arguments();
            // Python's own adds up along the first axis; who types an answer means the sum of mathematics.
            const bool in_a_file = of_scipy_ != nullptr;
            if (in_a_file && text == "sum" && !of_module && given.positional.size() == 1 && given.named.empty())
                given.named.emplace("axis", proof::number(0));
            if (const ExprPtr e = any_function_called(text, given)) return finish(begin, e);
            return called(text, std::move(given), begin, library);
        }
        if (text == "None" || text == "newaxis") return make(node(Kind::ellipsis));
        if (text == "True" || text == "False")
            return finish(begin, make(node(Kind::word, {}, text == "True" ? "true" : "false")));
        if (text == "pi" || text == "e" || text == "inf") return finish(begin, proof::name(text));
        if (of_module) fail(begin, fmt::format("{} is not read", source_.slice({begin, at_})));
        if (const std::string x = value_of_gradient(text, names_); !x.empty()) return finish(begin, gradient_of(x));
        if (text == "lambda" || text == "if" || text == "for")
            fail(begin, fmt::format("{} is not read: write an expression", text));
    }
    if (const auto helper = names_.helpers.find(text); helper != names_.helpers.end()) return finish(begin, helper->second);
    return finish(begin, proof::name(text));
}

/// x.T, x.grad, x.shape[k], x.sum(...)
ExprPtr Parser::attribute(const ExprPtr& of, std::size_t begin) {
    expect(".");
    const std::size_t at = at_;
    const std::string name(word());
    if (name == "T") return finish(begin, reversed(of));
    if (name == "mT") return finish(begin, transpose(of));
    if (name == "grad" && of->kind == Kind::name) return finish(begin, gradient_of(of->name));
    if (name == "shape") {
        expect("[");
        const ExprPtr axis = expression();
        expect("]");
        return finish(begin, call("axis_size", of, {{"axis", axis, {}}}));
    }
    if (name == "values") return of;
    if (!take("(")) fail(at, fmt::format("the attribute {} is not read", name));
    Arguments given = arguments();
    if (name == "size" && given.positional.size() == 1)
        return finish(begin, call("axis_size", of, {{"axis", given.positional[0], {}}}));
    given.positional.insert(given.positional.begin(), of);
    return called(name, std::move(given), begin, name.ends_with("softmax") ? Library::torch : Library::numpy);
}

/// f(x) of a declared f, and its derivative as f_prime(x), fprime(x) or df(x); nullptr of others.
ExprPtr Parser::any_function_called(const std::string& name, const Arguments& given) const {
    if (given.positional.size() != 1 || !given.named.empty()) return nullptr;
    for (const std::string& f : names_.functions) {
        const bool slope = name == f + "_prime" || name == f + "prime" || name == "d" + f;
        if (slope || name == f) return call(any_function(f) + (slope ? "'" : ""), {given.positional[0]});
    }
    return nullptr;
}

Arguments Parser::arguments() {
    Arguments out;
    while (!next_is(")")) {
        const std::size_t before = at_;
        const std::string name(word());
        if (!name.empty() && next_is("=") && !next_is("==")) {
            take("=");
            if (!out.named.emplace(name, expression()).second) fail(before, fmt::format("{} is given twice", name));
        } else {
            at_ = before;
            if (!out.named.empty()) fail(before, "an argument without a name stands after one with a name");
            out.positional.push_back(expression());
        }
        if (!take(",")) break;
    }
    expect(")");
    return out;
}

ExprPtr Parser::called(const std::string& function, Arguments given, std::size_t begin, Library library) {
    try {
        const ExprPtr e = meaning(function, given, library);
        if (!e)
            fail(begin,
                 fmt::format("unknown function {}: nothing is executed, and only the functions of NumPy, PyTorch and JAX that "
                             "core/proof/README.md lists are read",
                             function));
        return finish(begin, e);
    } catch (const ProofError&) {
        throw;
    } catch (const std::invalid_argument& error) {
        fail(begin, error.what());
    }
}

}  // namespace gradproof::proof::numpy
