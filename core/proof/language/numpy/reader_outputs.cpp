// What functions of a program return that has no name in it, `return 2 * h, cache`: the gradient that a backward is given is that
// of the whole of it.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// Whether a function below is given a gradient of what comes back, or of a value of this function.
bool Reader::is_awaited() const {
    const auto comes_in = [&](const OwnFunction::Parameter& p) {
        const auto function = function_.find(gradient_named(p.name));
        return names_upstream(p.name) || (function != function_.end() && function->second == here_);
    };
    return std::ranges::any_of(statements_in(source_, {function_begin_, text_.end}), [&](Span s) {
        return word_at(s) == "def" && s.begin > function_begin_ && std::ranges::any_of(parameters_of(source_, s), comes_in);
    });
}

/// "out", or where that is taken a name that the text does not use; the name of a value that is returned as it is.
std::string Reader::name_of_output(const ExprPtr& first, Span at_first) const {
    if (first->kind == Kind::name) return first->name;
    if (forward_ && !to_.names().defined("out")) return "out";
    const std::vector<std::string> words = identifiers_in(source_.text());
    constexpr std::array<std::string_view, 5> kNames{"output", "result", "returned", "outcome", "product"};
    for (const std::string_view name : kNames) {
        const auto speaks_of_it = [&](const std::string& word) {
            return word == name || value_named_in(word, [&](std::string_view value) { return value == name; }) == name;
        };
        const auto not_upstream = [&](const std::string& word) { return !names_upstream(word) && speaks_of_it(word); };
        if (std::ranges::none_of(words, not_upstream)) return std::string(name);
    }
    fail(at_first, "what is returned needs a name: y = ..., and return that");
}

/// 2 * h of return 2 * h, cache
Span Reader::first_returned(Span rest) const {
    Span all = rest;
    if (source_.slice(all).starts_with("(") && closer_of(source_, all.begin, all.end) + 1 == all.end)
        all = trimmed(source_, {all.begin + 1, all.end - 1});
    const std::vector<Span> parts = split_at_commas(source_, all);
    return parts.empty() ? rest : parts[0];
}

/// Whether a function below computes the gradients of what this one returns, as its name says: f and f_grad, which is given none.
bool Reader::has_backward() const { return !paired_in({function_begin_, text_.end}).empty(); }
/// The defs of a part that pair with the function that stands here: f_backward with f.
std::vector<Span> Reader::paired_in(Span part) const {
    std::vector<Span> out = statements_or_lines(source_, part);
    std::erase_if(out, [&](Span s) {
        if (word_at(s) != "def" || indent_of(source_, s.begin) != indent_) return true;
        const std::string name(first_word(source_.slice({s.begin + std::string_view("def ").size(), s.end})));
        return name == function_name_ || stem_of(name) != stem_of(function_name_);
    });
    return out;
}

/// self.cache of return self.cache: a tuple or a dict, and no value.
bool Reader::is_of_several(Span part) {
    try {
        const ExprPtr e = expression(part);
        return is_sequence(*e) || is_dict(*e);
    } catch (const ProofError&) {
        return false;
    }
}

/// return 2 * h, cache: a value, where a forward returns it. Whether it is one.
bool Reader::returns_expression(Span s, Span rest) {
    const bool wanted = is_awaited() || (forward_ && !to_.names().defined("out"));
    if ((!wanted && !has_backward()) || is_of_several(first_returned(rest))) return false;
    try {
        keep_output(s, first_returned(rest), wanted);
    } catch (const ProofError&) {
        if (wanted) throw;
        outputs_.erase(here_);  // of a function of values that nothing declares
        return false;
    }
    return true;
}
/// h of h[t] = f(h[t-1]), where a function below is given dh: that is the gradient of what comes back, and not the one by h[t],
/// which goes through the later steps, too.
bool Reader::returns_steps(const std::string& name) {
    const Assignment* const value = to_.proof().find(name);
    if (value == nullptr || !value->is_recurrence() || here_ == 0 || value->statement.span.begin < function_begin_) return false;
    function_.emplace(name, here_);  // a loop assigned it
    return (is_awaited() || has_context_ || forward_) && !to_.names().defined("out");
}
/// h of a loop outside of functions, of which nothing below is computed but gradients, and whose dh no line assigns: dh is that
/// of h as it comes out, as if a function returned it.
void Reader::see_steps_that_come_out(Span loop) {
    if (here_ != 0 || to_.proof().forward.empty() || !loss_.empty() || !to_.names().loss.empty() || to_.names().defined("out"))
        return;
    const Assignment& last = to_.proof().forward.back();
    if (!last.is_recurrence() || last.statement.span.begin < loop.begin) return;
    const std::string steps = last.name;
    std::set<std::string> gradients;
    for (const std::string& word : identifiers_in(source_.slice(text_)))
        if (word == "out" || gradient_named(word) == "out")
            return;
        else if (gradient_named(word) == steps)
            gradients.insert(word);
    for (const Span s : statements_in(source_, {loop.begin, text_.end})) {
        const auto [at, size] = assignment_in(source_, s);
        const std::string target(word_at(s));
        const bool computes =
            size > 0 && gradient_named(target).empty() && is_one_of(identifiers_in(source_.slice({at, s.end})), steps);
        if ((size > 0 && gradients.contains(target)) || (computes && s.begin > loop.end)) return;
    }
    if (gradients.size() != 1) return;
    to_.assign(at(loop), "out", {proof::name("out"), proof::name(steps), {}, nullptr}, false);
    file_.gradients[*gradients.begin()] = "out";
}
void Reader::keep_output(Span s, Span first, bool wanted) {
    const std::string why = fmt::format("it is the gradient of what line {} returns, which is not read", source_.line(s.begin));
    Output& output = outputs_[here_] = {"", why, true, function_name_, function_begin_, class_, results_};
    const ExprPtr value = expression(first);
    const bool steps = value->kind == Kind::name && returns_steps(value->name);
    const std::string name = steps ? "out" : name_of_output(value, first);
    if (!to_.names().defined(name)) {
        to_.expect_free(name, first, true, true);
        to_.assign(at(s), name, {proof::name(name), value, {}, nullptr}, false);
        function_[name] = here_;
    }
    output.expression = value->kind != Kind::name || steps;
    if (steps) output.names.erase(value->name);
    output.value = output.expression ? name : value->name;
    output.why.clear();
    if (wanted || returned_.empty()) returns(name);
}

/// Of the forward that this backward belongs to: of its class, or called like it. nullptr where no function is.
const Reader::Output* Reader::output_of_pair() const {
    const Output* out = nullptr;
    for (const auto& [function, output] : outputs_)
        if (output.in_class == class_ && stem_of(output.function) == stem_of(function_name_)) out = &output;
    return out;
}

/// g of backward(ctx, g), of f_bwd(res, g) in a jax.custom_vjp and of backward(self, g), which its place says to be the gradient;
/// "" where there is none, or where its name says so.
std::string Reader::incoming_by_place(Span def) const {
    std::vector<std::string> given;
    for (const OwnFunction::Parameter& p : parameters_of(source_, def))
        if (p.name != "self" && p.name != "cls" && p.name != "ctx") given.push_back(p.name);
    const bool layer = parameters_.contains("self") && function_name_ == "backward" && given.size() == 1;
    const bool vjp = !inputs_.empty() && !has_context_ && !parameters_.contains("self") && given.size() == 2;
    std::string out;
    if ((has_context_ && given.size() == 1) || layer) out = given[0];
    if (vjp) out = given[1];
    const bool says = names_upstream(out) || !gradient_named(out).empty() || to_.names().defined(out);
    return says ? "" : out;
}

/// x of return y, x, which def f_bwd(y, g) is given by the name y.
void Reader::see_residual(Span def) {
    const std::vector<OwnFunction::Parameter> given = parameters_of(source_, def);
    const std::string_view kept = source_.slice(program_.residual_of_backward(def.begin));
    const bool one = !kept.empty() && kept[0] != '(' && kept[0] != '[' && kept[0] != '{';
    if (given.size() == 2 && one && kept != given[0].name && to_.names().defined(given[0].name))
        changed_.emplace(given[0].name, fmt::format("it is given {}, which the forward keeps", kept));
}

/// backward(dh, cache) of a forward that returns h, c, cache: the loss is one of h alone.
void Reader::say_outputs_without_gradient(Span def, const Output& pair) {
    const std::vector<OwnFunction::Parameter> given = parameters_of(source_, def);
    const auto comes_in = [&](const std::string& name) {
        return std::ranges::any_of(given, [&](const auto& p) { return gradient_named(p.name) == name; });
    };
    const bool named = std::ranges::any_of(pair.order, comes_in);
    const bool upstream = !named && std::ranges::any_of(given, [](const auto& p) { return names_upstream(p.name); });
    std::vector<std::string> with, without;
    for (const std::string& name : pair.order) {
        if (upstream ? name == pair.order[0] : comes_in(name))
            with.push_back(name);
        else if (to_.proof().find(name) != nullptr && !parameters_.contains(name) && !is_loss(name))
            without.push_back(name);
    }
    if (with.empty() || without.empty() ||
        std::ranges::any_of(pair.order, [&](const std::string& name) { return is_loss(name); }))
        return;
    to_.holds_for(
        fmt::format("a loss of {} alone, as no gradient of {} comes in", fmt::join(with, " and "), fmt::join(without, " and ")));
}

/// backward(ctx, dz, dy) of a torch.autograd.Function that returns y, z: what is given first is the gradient of y. Of others
/// it may be.
void Reader::see_order_of_incoming(Span def) {
    const Output* const pair = output_of_pair();
    if (pair == nullptr || pair->order.size() < 2) return;
    std::vector<std::ptrdiff_t> places;  // in which they are returned
    for (const OwnFunction::Parameter& p : parameters_of(source_, def))
        if (const auto at = std::ranges::find(pair->order, gradient_named(p.name)); at != pair->order.end())
            places.push_back(at - pair->order.begin());
    say_outputs_without_gradient(def, *pair);
    if (!has_context_) {
        if (!std::ranges::is_sorted(places)) tell(def, fmt::format("{} are returned", fmt::join(pair->order, ", ")));
        return;
    }
    std::size_t place = 0;
    for (const OwnFunction::Parameter& p : parameters_of(source_, def)) {
        if (p.name == "ctx" || place >= pair->order.size()) continue;
        const std::string of = gradient_named(p.name), &there = pair->order[place++];
        if (is_one_of(pair->order, of) && of != there)
            changed_.emplace(p.name, fmt::format("by its place it is the gradient of {}", there));
    }
}

/// def backward(dH, cache) of a forward that returns 2 * H: dH is the gradient of that.
void Reader::see_incoming(Span def) {
    see_residual(def);
    see_order_of_incoming(def);
    if (!file_.incoming.empty()) return;
    const Output* const pair = output_of_pair();
    std::vector<std::string> own;  // gradients of values within the forward
    for (const OwnFunction::Parameter& p : parameters_of(source_, def)) {
        const std::string of = gradient_named(p.name);
        const auto function = function_.find(of);
        if (names_upstream(p.name) && pair && !pair->why.empty()) changed_.emplace(p.name, pair->why);
        if (function == function_.end() || last_claim(of) != claims_.rend()) continue;
        const auto found = outputs_.find(function->second);
        if (found == outputs_.end() || found->second.value == of || &found->second != (pair ? pair : &found->second)) continue;
        const Output& output = found->second;
        const bool returned_beside = output.names.contains(of) && !parameters_.contains(of);
        const bool certain = pair && !returned_beside && (output.expression || has_context_);
        if (!output.why.empty())
            changed_.emplace(p.name, output.why);
        else if (certain)
            own.push_back(p.name);
        else if (output.expression || (pair && !output.names.contains(of)))
            changed_.emplace(p.name, fmt::format("{} is not what {} returns: of which of them {} is the gradient is not said", of,
                                                 output.function, p.name));
    }
    for (const std::string& name : own) {
        if (own.size() > 1)
            changed_.emplace(name, fmt::format("{} returns an expression: give it a name", pair->function));
        else
            file_.gradients[name] = pair->value;
    }
    bound_ = own;
    const std::string by_place = pair && !pair->value.empty() ? incoming_by_place(def) : "";
    if (by_place.empty()) return;
    file_.gradients[by_place] = pair->value;
    bound_.push_back(by_place);
}

/// return dH * (1 - H ** 2), where it is not known what dH is the gradient of.
void Reader::expect_incoming_known(Span rest) const {
    for (const std::string& word : identifiers_in(source_.slice(rest)))
        if (const auto found = changed_.find(word);
            parameters_.contains(word) && found != changed_.end() && (names_upstream(word) || !gradient_named(word).empty()))
            fail(rest, found->second);
}

}  // namespace gradproof::proof::numpy
