// Calls in expressions of NumPy and its like: arguments, and the functions that are known.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/contractions.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"

namespace gradproof::proof::numpy {

/// f(x) of a declared f, and its derivative as f_prime(x), fprime(x) or df(x); nullptr of others.
ExprPtr Parser::any_function_called(const std::string& name, const Arguments& given) const {
    if (given.positional.size() != 1 || !given.named.empty()) return nullptr;
    for (const std::string& f : names_.functions) {
        const bool slope = name == f + "_prime" || name == f + "prime" || name == "d" + f;
        if (slope || name == f) return call(any_function(f) + (slope ? "'" : ""), {given.positional[0]});
    }
    return nullptr;
}

/// 'sum' of reduction='sum', or an expression.
ExprPtr Parser::text_or_expression() {
    blanks();
    const std::size_t begin = at_;
    const char quote = at_ < end_ ? source_.text()[at_] : ' ';
    const std::size_t size = identifier_length(source_.text().substr(std::min(at_ + 1, end_), end_ - std::min(at_ + 1, end_)));
    const bool is_text = (quote == '"' || quote == '\'') && at_ + 1 + size < end_ && source_.text()[at_ + 1 + size] == quote;
    if (!is_text) return expression();
    at_ += size + 2;
    return finish(begin, make(node(Kind::word, {}, std::string(source_.slice({begin + 1, begin + 1 + size})))));
}

Arguments Parser::arguments() {
    Arguments out;
    while (!next_is(")")) {
        const std::size_t before = at_;
        const std::string name(word());
        if (!name.empty() && next_is("=") && !next_is("==")) {
            take("=");
            if (!out.named.emplace(name, text_or_expression()).second) fail(before, fmt::format("{} is given twice", name));
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

/// np.dot by an array of more than two axes is no matrix product: each row of a by each matrix of b.
ExprPtr Parser::dot_of_more_axes(const Arguments& given) const {
    if (!file_ || !file_->proof || given.positional.size() != 2) return nullptr;
    const std::optional<AxisNames> a = axis_names(*given.positional[0], *file_->proof),
                                   b = axis_names(*given.positional[1], *file_->proof);
    if (!a || !b || a->empty() || b->size() < 3 || a->size() + b->size() > kMaxRank + 2) return nullptr;
    return contracted(letters_of_dot(a->size(), b->size()), given.positional);
}

/// np.ones_like(x > 0) and np.dot(x > 0, y > 0) hold True and False.
void Parser::expect_numbers(const std::string& function, const Arguments& given, std::size_t begin) const {
    const auto conditions = std::ranges::count_if(given.positional, [&](const ExprPtr& e) { return is_condition(e); });
    if (function.ends_with("_like") && conditions > 0)
        fail(begin, fmt::format("{} of a condition holds True and False: write that of an array of numbers", function));
    constexpr std::string_view kOfNumbers[] = {"dot", "matmul", "einsum", "inner", "outer", "add", "tensordot", "vdot"};
    if (conditions > 1 && std::ranges::find(kOfNumbers, function) != std::end(kOfNumbers))
        fail(begin,
             fmt::format("conditions are no numbers in NumPy: {} of two holds True and False; write 1.0 * (x > 0)", function));
    constexpr std::string_view kOfHalves[] = {"exp",    "expm1", "exp2",    "log",   "log1p",   "log2", "log10",
                                              "sqrt",   "tanh",  "sin",     "cos",   "tan",     "sinh", "cosh",
                                              "arctan", "erf",   "sigmoid", "expit", "softplus"};
    if (conditions > 0 && std::ranges::find(kOfHalves, function) != std::end(kOfHalves))
        fail(begin, fmt::format("{} of a condition has half precision in NumPy: write that of 1.0 * (x > 0)", function));
    const bool rounds = function == "round" || function == "rint" || function == "around";
    const bool of_file = file_ && file_->proof && !given.positional.empty();
    if (rounds && of_file && !signed_number(*given.positional[0]) && !is_drawn(*given.positional[0], *file_->proof))
        fail(begin, fmt::format("{} of numbers that are given is not read: a half goes to the even number; write the numbers",
                                function));
}

bool is_drawn(const Expr& e, const Proof& proof) {
    const std::set<std::string> first = names_in(e);
    std::vector<std::string> names(first.begin(), first.end());
    std::set<std::string> seen = first;  // h of h[t] = ... h[t - 1] ... goes back to itself
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto given = std::ranges::find(proof.given, names[i], &Given::name);
        if (given != proof.given.end() && !given->value) return true;
        if (const Assignment* const a = proof.find(names[i]))
            for (const std::string& n : names_in(*a->value))
                if (seen.insert(n).second) names.push_back(n);
    }
    return false;
}

/// np.maximum(x > 0, y > 0), (x > 0).reshape(n), np.where(c, x > 0, y > 0), which still hold True and False.
bool Parser::keeps_conditions(const std::string& function, const Arguments& given) const {
    constexpr auto kAll = std::to_array<std::string_view>(
        {"abs",          "absolute",  "amax",     "amin",        "array",       "asarray",    "atleast_1d", "atleast_2d",
         "broadcast_to", "ceil",      "clone",    "concat",      "concatenate", "contiguous", "copy",       "detach",
         "diag",         "diagonal",  "expand",   "expand_dims", "flatten",     "flip",       "fliplr",     "flipud",
         "floor",        "hstack",    "max",      "maximum",     "min",         "minimum",    "moveaxis",   "multiply",
         "permute",      "ravel",     "repeat",   "reshape",     "roll",        "round",      "sort",       "split",
         "squeeze",      "stack",     "swapaxes", "take",        "tile",        "transpose",  "tril",       "triu",
         "trunc",        "unsqueeze", "view",     "vstack",      "where"});
    if (std::ranges::find(kAll, function) == kAll.end() || given.positional.empty()) return false;
    const auto holds = [&](const ExprPtr& e) {
        const bool list = e->kind == Kind::array && !e->children.empty();
        return is_condition(e) || (list && std::ranges::all_of(e->children, [&](const ExprPtr& c) { return is_condition(c); }));
    };
    if (function == "where") return given.positional.size() == 3 && holds(given.positional[1]) && holds(given.positional[2]);
    const bool of_two = function == "maximum" || function == "minimum" || function == "multiply";
    return holds(given.positional[0]) && (!of_two || (given.positional.size() == 2 && holds(given.positional[1])));
}

/// np.ones((n, n), dtype=bool); the type is taken away.
bool Parser::are_all_true(const std::string& function, Arguments& given) {
    const auto type = given.named.find("dtype");
    const bool of_bool = type != given.named.end() && type->second->kind == Kind::name && type->second->name == "bool";
    if (!of_bool || function != "ones") return false;
    given.named.erase(type);
    return true;
}

ExprPtr Parser::called(const std::string& function, Arguments given, std::size_t begin, Library library) {
    if (function == "bool" && given.positional.size() == 1 && given.named.empty()) {  // mask.bool()
        const ExprPtr x = given.positional[0];
        return as_condition(finish(begin, is_condition(x) ? x : call("where", {x, number(1), number(0)})));
    }
    const bool detaches = function == "detach" || function == "stop_gradient";  // which changes nothing there
    if (detaches && file_ && file_->untracked && given.positional.size() == 1 && given.named.empty())
        return finish(begin, given.positional[0]);
    const bool conditions = are_all_true(function, given) || keeps_conditions(function, given);
    const ExprPtr out = called_with(function, std::move(given), begin, library);
    return conditions ? as_condition(out) : out;
}

ExprPtr Parser::called_with(const std::string& function, Arguments given, std::size_t begin, Library library) {
    expect_numbers(function, given, begin);
    if (function == "solve" && given.positional.size() == 2 && rank_of(*given.positional[0]).value_or(2) > 2 &&
        rank_of(*given.positional[0]) != rank_of(*given.positional[1]))
        fail(begin,
             "solve: of stacked matrices the right side is read where it has as many axes as they have: write b[..., None]");
    if (function == "cross_entropy" && !given.positional.empty() && rank_of(*given.positional[0]).value_or(2) > 2)
        fail(begin, "cross_entropy: of more than two axes PyTorch takes the second for the classes: it is read of rows alone");
    try {
        if (const ExprPtr e = function == "dot" ? dot_of_more_axes(given) : nullptr) return finish(begin, e);
        if (const ExprPtr e = exchanged(function, given, library)) return finish(begin, e);
        if (const ExprPtr e = squeezed(function, given)) return finish(begin, e);
        if (const ExprPtr e = put_together(function, given)) return finish(begin, e);
        if (const ExprPtr e = taken_apart(function, given, library)) return finish(begin, e);
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
