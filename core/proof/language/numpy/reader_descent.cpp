// Updates of parameters that do not go down the gradient of the loss: by that of another parameter, or upwards.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Whether a program may want what it takes the gradient of to become larger.
bool may_ascend(std::string_view text, std::string_view loss) {
    std::string small(text);
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool falls = has_any(loss, {"loss", "cost", "err", "nll", "mse"});
    return has_any(small, {"reward", "elbo", "ascent", "ascend", "maximi", "advers", "utility", "policy"}) ||
           (!falls && has_any(small, {"likelihood", "llik", "logp", "log_p"}));
}

/// - e behind -=, and e behind +=.
bool goes_up(char op, std::string_view by) {
    const std::size_t first = std::min(by.find_first_not_of(" ("), by.size());
    const bool negative = op == '+' ? by.find('-') != std::string_view::npos : by.substr(first, 1) != "-";
    return !negative;
}

/// Behind += and -= what is no multiple of the gradient, or whose sign is not seen: - -dW, abs(dW), dW ** 2, 0.1 / dW.
bool is_no_multiple(std::string_view by) {
    std::size_t minuses = 0;
    for (std::size_t i = 0; i < by.size(); ++i) minuses += by[i] == '-' && (i == 0 || by[i - 1] != 'e') ? 1 : 0;
    const bool leads = by.substr(std::min(by.find_first_not_of(" ("), by.size())).starts_with("-");
    return minuses > (leads ? 1u : 0u) || by.ends_with("* 0") || by.ends_with("*0") ||
           has_any(by, {"**", "abs(", "[", ".mean(", ".sum(", "1 / d", "1/d", "* 0 ", ".T"});
}

}  // namespace

/// p = x @ w, or dp = p - y, above a loop that uses it and changes w: from its second step on it is that of the w before.
void Reader::tell_computed_before_loop(Span s, const std::string& changed) {
    if (s.begin < repeated_.begin || s.begin >= repeated_.end) return;
    std::set<std::string> follow{changed};
    const std::vector<std::string> used = identifiers_in(source_.slice(repeated_));
    const auto is_stale = [&](Span at, const std::string& name) {
        return at.begin < repeated_.begin && std::ranges::find(used, name) != used.end();
    };
    const auto follows = [&](const Expr& e) {
        return std::ranges::any_of(names_in(e), [&](const std::string& name) { return follow.contains(name); });
    };
    const auto told = [&](Span at, const std::string& name) {
        if (is_stale(at, name))
            tell(s, fmt::format("line {} computes {} before the loop that changes {}", source_.line(at.begin), name, changed));
        return is_stale(at, name);
    };
    for (const Assignment& a : to_.proof().forward) {
        if (!follows(*a.value)) continue;
        follow.insert(a.name);
        if (told(a.statement.span, a.name)) return;
    }
    for (const Claim& c : claims_) {
        const auto [at, size] = assignment_in(source_, c.span);
        const Span name = trimmed(source_, {c.span.begin, at});
        if (size > 0 && c.right != nullptr && follows(*c.right) && told(c.span, std::string(source_.slice(name)))) return;
    }
}

/// W1 -= lr * dW2, where there is a dW1, and W += lr * dW. What is not the gradient by its name is told.
void Reader::expect_descent(Span s) {
    const auto [at, size] = assignment_in(source_, s);
    const Span left = trimmed(source_, {s.begin, at});
    const std::optional<Place> place = place_of(source_, left);
    const std::string name(source_.slice(place ? place->member : left));
    Span right = trimmed(source_, {at + size, s.end});
    char op = size == 2 ? source_.text()[at] : '=';
    if (const auto [added, sign] = added_to_itself(source_, source_.slice(left), right); size == 1 && added.end > added.begin) {
        right = added;
        op = sign;
    }
    tell_computed_before_loop(s, name);
    expect_step(s, name, op, right);
}

/// W - lr * dW of return W - lr * dW, b - lr * db, which is no gradient.
bool Reader::passes_step(Span part) {
    const std::string name(word_at(part));
    const auto [added, sign] = is_input(name) ? added_to_itself(source_, name, part) : std::pair<Span, char>{};
    const std::vector<std::string> words = identifiers_in(source_.slice(added));
    if (std::ranges::none_of(words, [&](const std::string& word) { return !gradient_named(word).empty(); })) return false;
    expect_step(part, name, sign, added);
    return true;
}

/// w of dw, and of gw in gw, gb = grad(w, b); "" of others.
std::string Reader::value_behind(const std::string& word) const {
    if (const auto found = unpacked_.find(word); found != unpacked_.end()) return found->second;
    const std::string value = gradient_named(word), renamed = gradient_renamed(word);
    return !value.empty() || renamed.empty() ? value : renamed.substr(1);
}

/// gw, gb = grad(w, b) of a function that returns dw, db.
void Reader::unpack_gradients(Span s, const std::vector<Span>& names, const std::vector<Span>& returned) {
    for (std::size_t i = 0; names.size() == returned.size() && i < names.size(); ++i) {
        const std::string name(source_.slice(names[i])), of = gradient_of_place(names[i]), given = gradient_of_place(returned[i]);
        if (!of.empty() && !given.empty() && of != given)
            fail(s, fmt::format("{} is given the gradient by {}, which the function returns in this place", name, given));
        if (!given.empty()) unpacked_[name] = given;
    }
}

/// Whether what is called so follows the gradient, as by v = 0.9 * v + dW, or goes against it, as by v = 0.9 * v - lr * dW; ' '
/// where lines above s say neither.
char Reader::sign_of_state(Span s, const std::string& state, const std::vector<std::string>& gradients) const {
    const auto is_gradient = [&](const std::string& word) { return is_one_of(gradients, word) || !value_behind(word).empty(); };
    char sign = ' ';
    for (const Span line : statements_in(source_, {here_ == 0 ? text_.begin : function_begin_, s.begin})) {
        const auto [at, size] = assignment_in(source_, line);
        const std::string_view target = source_.slice(trimmed(source_, {line.begin, at}));
        const std::vector<std::string> names = identifiers_in(target);
        if (size == 0 || names.empty() || !is_one_of(names, state) || target.find(',') != target.npos) continue;
        sign = ' ';
        if (size == 2 && source_.text()[at] != '+' && source_.text()[at] != '-') continue;
        const char outer = size == 2 ? source_.text()[at] : '+';
        for (const auto& [term, inner] : terms_of(source_, trimmed(source_, {at + size, line.end})))
            if (std::ranges::any_of(identifiers_in(source_.slice(term)), is_gradient)) sign = inner == outer ? '+' : '-';
    }
    return sign;
}

/// W -= v of v = 0.9 * v - lr * dW.
void Reader::expect_state_goes_down(Span s, const std::string& name, char op, Span by,
                                    const std::vector<std::string>& gradients) const {
    const std::string_view text = source_.slice(by);
    if ((op != '+' && op != '-') || text.find('-') != text.npos || may_ascend(source_.text(), to_.names().loss)) return;
    for (const std::string& word : identifiers_in(text))
        if (sign_of_state(s, word, gradients) == op && word != name)
            fail(s, fmt::format("{} goes {} the gradient, and so this goes up: expected {} {}= ...", word,
                                op == '+' ? "along" : "against", name, op == '+' ? '-' : '+'));
}

/// Of the parameter of that name.
void Reader::expect_step(Span s, const std::string& name, char op, Span by) {
    const std::string_view text = source_.slice(by);
    std::set<std::string> of;
    for (const std::string& word : identifiers_in(text))
        if (const std::string value = value_behind(word); !value.empty()) of.insert(value);
    if (of.empty()) expect_state_goes_down(s, name, op, by, {});
    const auto claimed = [&](const Claim& c) { return without_indices(*c.left).name == name; };
    const bool judged = !of.empty() && std::ranges::any_of(claims_, claimed), steps = op == '+' || op == '-';
    const auto is_inner = [&](const std::string& value) {  // W of W = np.exp(V)
        const Assignment* const a = to_.proof().find(value);
        return a != nullptr && (a->value->kind != Kind::name || a->value->name != name);
    };
    const bool goes_on = std::ranges::any_of(identifiers_in(text), [&](const std::string& word) {  // dW * W, which may be right
        const Assignment* const a = to_.proof().find(word);
        const auto given = std::ranges::find(to_.proof().given, word, &Given::name);
        return (a != nullptr && !names_in(*a->value).empty()) || (given != to_.proof().given.end() && given->differentiable);
    });
    const bool inner = is_input(name) && !goes_on && std::ranges::any_of(of, is_inner);
    if (steps && (judged || inner) && !of.contains(name))
        fail(s, fmt::format("{} is changed by the gradient by {}, and not by its own", name, *of.begin()));
    if (steps && judged && of.size() == 1 && goes_up(op, text) && !may_ascend(source_.text(), to_.names().loss))
        fail(s, fmt::format("this goes up the gradient: expected {} -= ... to make the loss smaller", name));
    const bool other = !steps && !of.empty() && text.find_first_of("+-*/@(") != std::string_view::npos;
    if (other || computes_of_values(by, name) || (steps && !of.empty() && is_no_multiple(text)))
        tell(s, "a step by what is called no gradient");
}

/// What a loop of updates goes over at once: the parameters and gradients of zip([W, b], [dW, db]) and of ((W, dW), (b, db)).
/// Nothing where that cannot be read.
std::vector<std::pair<ExprPtr, ExprPtr>> Reader::pairs_over(Span over) {
    if (const Span inside = given_to(source_, over, "enumerate("); inside.end > inside.begin) over = inside;
    std::vector<std::pair<ExprPtr, ExprPtr>> out;
    const auto all = [&](const std::vector<ExprPtr>& parts) {
        return std::ranges::all_of(parts, [](const ExprPtr& e) { return e->kind == Kind::array; });
    };
    try {
        const Span zipped = given_to(source_, over, "zip(");
        const bool zips = zipped.end > zipped.begin;
        std::vector<ExprPtr> parts;
        for (const Span part : zips ? split_at_commas(source_, zipped) : std::vector{over})
            if (parts.size() < 2) parts.push_back(expression(part));
        if (!all(parts)) return {};
        if (!zips) parts = std::vector<ExprPtr>(parts[0]->children);
        if (!all(parts)) return {};
        if (zips && parts.size() == 2 && parts[0]->children.size() == parts[1]->children.size())
            for (std::size_t i = 0; i < parts[0]->children.size(); ++i)
                out.emplace_back(parts[0]->children[i], parts[1]->children[i]);
        if (!zips)
            for (const ExprPtr& pair : parts)
                if (pair->children.size() == 2) out.emplace_back(pair->children[0], pair->children[1]);
    } catch (const ProofError&) {
        return {};
    }
    return out;
}

/// for p, dp in zip([W1, W2], [dW1, dW2]): in this order, and p -= ... of dp. What is not known to be so is told.
void Reader::expect_descent_of_all(Span header, Span body) {
    const std::size_t in = std::min(source_.text().find(" in ", header.begin), header.end);
    const Span over = trimmed(source_, {std::min(in + 4, header.end), header.end - 1});
    const std::vector<std::string> names = identifiers_in(source_.slice({header.begin + 3, in}));
    const std::vector<std::pair<ExprPtr, ExprPtr>> pairs = pairs_over(over);
    bool known = !pairs.empty();
    for (const auto& [parameter, gradient] : pairs) {
        const bool both = parameter->kind == Kind::name && gradient->kind == Kind::gradient;
        known = known && both;
        if (both && parameter->name != gradient->name)
            fail(header, fmt::format("{} is changed by the gradient by {}, and not by its own", parameter->name, gradient->name));
    }
    if (names.size() > 1 && !known && !source_.slice(over).ends_with(".items()")) tell(header, "pairs that cannot be seen");
    const std::vector<std::string> gradients = over_gradients(header);
    for (const Span s : statements_in(source_, body)) {
        const auto [at, size] = assignment_in(source_, s);
        const Span left = trimmed(source_, {s.begin, at}), right = trimmed(source_, {at + size, s.end});
        if (const std::optional<Program::Call> call = size == 1 ? program_.call_in(source_, right) : std::nullopt) {
            unpack_gradients(s, split_at_commas(source_, left), call->function->returned);
            continue;
        }
        if (is_input(source_.slice(left))) expect_descent(s);
        if (size == 2 && is_one_of(names, word_at(left)))
            expect_state_goes_down(s, std::string(source_.slice(left)), source_.text()[at], right, gradients);
        const std::vector<std::string> words = identifiers_in(source_.slice(right));
        const bool by_gradient = std::ranges::any_of(words, [&](const std::string& word) {
            return (names.size() > 1 && word == names.back()) || word == "grad" || holds_gradients(word);
        });
        const char op = size == 2 ? source_.text()[at] : '=';
        if ((op == '+' || op == '-') && by_gradient && goes_up(op, source_.slice(right)) &&
            !may_ascend(source_.text(), to_.names().loss))
            fail(s, fmt::format("this goes up the gradient: expected {} -= ... to make the loss smaller", source_.slice(left)));
        if (size > 0 && !program_.call_in(source_, right) && computes_of_values(right, std::string(source_.slice(left))))
            tell(s, "a step by what is called no gradient");
    }
}

}  // namespace gradproof::proof::numpy
