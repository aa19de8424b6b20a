// What functions of a program return: the value that dout is the gradient of, the loss, gradients.
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/function_pairs.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// None, a name, self.x, grads["x"]: nothing is computed there.
bool is_plain(std::string_view text) {
    return text.find_first_of("+-*/@(~<>&|^%") == std::string_view::npos && !text.starts_with("not ") &&
           text.find(" or ") == text.npos && text.find(" and ") == text.npos;
}

/// What a forward returns for the function that begins there.
std::string kept_for(std::size_t function) { return fmt::format("(kept for {})", function); }

}  // namespace

/// dw and self.dw[:], and not dw[0] and -dw.
bool Reader::is_name_alone(Span part) const {
    const std::string_view text = source_.slice(part);
    return is_plain(text) && identifier_length(text) > 0 && text.find("[:") == text.npos;
}

/// What a forward returns is what dout is the gradient of. An expression gets the name out.
void Reader::returned(Span s) {
    const Span rest = without_brackets(source_, trimmed(source_, {s.begin + std::string_view("return").size(), s.end}));
    const std::string name(word_at(rest));
    const bool nothing = inputs_.empty() && (source_.slice(rest) == "None" || source_.slice(rest) == "()");
    if (rest.begin >= rest.end || nothing) return tell_nothing_returned(s);
    last_returns_[here_] = s;
    tell_pairs(rest);
    const bool computes_none = !claims_.empty() && claims_.back().function != here_;
    if (class_ != 0 && computes_none && function_name_.find("grad") != std::string::npos) tell_function();  // def get_grads(self)
    if (backward_) expect_incoming_known(rest);
    if (backward_) return returned_gradients(s, rest, names_its_gradients(rest) ? std::vector<std::string>{} : inputs_);
    if (!is_plain(source_.slice(rest))) expect_unchanged(rest);
    expect_no_parameter_called(rest);
    tell_changed_behind(rest);
    if (has_context_) expect_one_output(rest);
    for (const Span part : split_at_commas(source_, rest)) expect_loss_as_it_is(part);
    const bool names_gradients = function_name_.find("grad") != std::string::npos && returns_loss_first(rest);
    if (names_gradients || (!claims_.empty() && claims_.back().span.begin > function_begin_)) {
        if (to_.proof().find(name) != nullptr) with_gradients_ = name;
        return returned_gradients(s, rest, {});
    }
    const std::string_view behind = source_.slice({rest.begin + name.size(), rest.end});
    results_.clear();
    for (const Span part : split_at_commas(source_, rest))
        if (to_.proof().find(source_.slice(part)) != nullptr) results_.emplace(source_.slice(part));
    if (split_at_commas(source_, rest).size() > 1 && !keep_returned(rest)) tell_other_cache(rest);
    if (here_ != 0) keep_result(rest);
    if (const std::string loss = kept_loss(rest); !loss.empty()) {
        results_.insert(loss);
        returns(loss);
        outputs_[here_] = {loss, "", false, function_name_, function_begin_, class_, results_};
        return;
    }
    if (is_one_of(identifiers_in(source_.slice(rest)), "lambda")) tell_function();
    if (behind.empty() || behind.starts_with(",")) {
        if (returns_steps(name)) {
            keep_output(s, first_returned(rest), true);
        } else if (to_.proof().find(name) != nullptr) {
            returns(name);
            outputs_[here_] = {name, "", false, function_name_, function_begin_, class_, results_};
            for (const Span part : split_at_commas(source_, rest)) outputs_[here_].order.emplace_back(source_.slice(part));
        } else if (std::ranges::any_of(function_, [&](const auto& value) { return value.second == here_; }) &&
                   (is_input(name) || to_.names().dims.contains(name))) {
            const std::string why =
                fmt::format("line {} returns {}, which the function does not compute", source_.line(s.begin), name);
            outputs_[here_] = {"", why, false, function_name_, function_begin_, class_, results_};
        }
        return tell_return(behind.empty() ? rest : first_returned(rest));
    }
    if (see_another_forward(s, rest)) return tell_function();
    if (!returns_loss(s, rest) && !returns_expression(s, rest)) tell_return(first_returned(rest));
}
/// return loss, X.T @ r, r.sum()
bool Reader::returns_loss_first(Span rest) const {
    const std::vector<Span> parts = split_at_commas(source_, rest);
    return parts.size() > 1 && here_ != 0 && to_.proof().find(std::string(source_.slice(parts[0]))) != nullptr &&
           to_.names().is_loss(std::string(source_.slice(parts[0])));
}
/// return self.dW of a backward(self), which goes to no layer before.
bool Reader::names_its_gradients(Span rest) const {
    const auto is_named = [&](Span part) { return !gradient_of_place(part).empty(); };
    return parameters_ == std::set<std::string, std::less<>>{"self"} &&
           std::ranges::all_of(split_at_commas(source_, rest), is_named);
}
/// The loss of return self.loss; "" of others.
std::string Reader::kept_loss(Span rest) const {
    const std::optional<Place> place = place_of(source_, rest);
    if (!place || place->owner != "self") return "";
    const ExprPtr value = file_.saved.find(place->key);
    const bool is_loss =
        value && value->kind == Kind::name && is_of_loss(value->name) && to_.proof().find(value->name) != nullptr;
    return is_loss ? value->name : "";
}

/// return np.mean(np.abs(p - y)), behind the gradients of another function of the same that returns an expression.
bool Reader::see_another_forward(Span s, Span rest) {
    const std::string text = one_line(rest);
    const bool other =
        !expression_returned_.empty() && expression_returned_ != text && parameters_ == returns_of_ && !claims_.empty();
    if (other)
        other_forward_ = fmt::format("line {} returns another value than the function that the lines above are of: {}",
                                     source_.line(s.begin), kSeveral);
    if (expression_returned_.empty()) {
        expression_returned_ = text;
        returns_of_ = parameters_;
    }
    return other;
}
/// The expressions that are returned; none of what is not read, which a return changes nothing by.
std::vector<ExprPtr> Reader::parts_returned(Span rest) {
    try {
        const ExprPtr all = expression(rest);
        return split_at_commas(source_, rest).size() > 1 && all->kind == Kind::array ? all->children : std::vector<ExprPtr>{all};
    } catch (const ProofError&) {
        return {};
    }
}
/// return out, (x, w) and return out, {"x": x}: what a function that is given the second unpacks; of return out, x what it is
/// given. Whether that function, and what it calls this, are known.
bool Reader::keep_returned(Span rest) {
    const std::vector<Span> items = split_at_commas(source_, rest);
    const Span def = items.size() == 2 && !has_context_ ? given_beside_gradient(rest.end) : Span{};
    const bool given = def.end > 0;
    const std::string key = given ? kept_for(def.begin) : kReturned;
    if (items.size() == 2 && keeps_returned_dict(items[1], key)) {
        if (!given && !file_.saved.is_dict(source_.slice(items[1]))) tell(items[1], "which function is given it is not seen");
        return given;
    }
    const std::vector<ExprPtr> parts = parts_returned(rest);
    for (const ExprPtr& part : parts)
        if (const ExprPtr tuple = as_tuple(part)) file_.saved.keep(key, tuple, rest);
    if (!given || parts.size() != 2) return false;
    const bool is_value =
        parts[1]->kind == Kind::name && (is_input(parts[1]->name) || to_.proof().find(parts[1]->name) != nullptr);
    if (is_value) file_.saved.keep(key, parts[1], rest);
    return is_value || as_tuple(parts[1]) != nullptr;
}
/// What a forward above returns for this function has the name that it is given here.
void Reader::take_returned(Span def) {
    const ExprPtr value = file_.saved.find(kept_for(def.begin));
    const std::string name = value ? name_beside_gradient(def) : "";
    if (!name.empty()) file_.saved.keep(name, value, def);
}
/// The cache of def f_backward(dout, cache), "" where it is given more beside gradients and known values.
std::string Reader::name_beside_gradient(Span def) const {
    std::vector<std::string> others;
    bool comes_in = false;
    for (const OwnFunction::Parameter& p : parameters_of(source_, def)) {
        const bool is_gradient = names_upstream(p.name) || !gradient_named(p.name).empty();
        comes_in = comes_in || is_gradient;
        if (!is_gradient && p.name != "self" && !to_.names().defined(p.name)) others.push_back(p.name);
    }
    return comes_in && others.size() == 1 ? others[0] : "";
}
/// The def f_backward(dout, cache) behind a place in f; an empty span where there is none.
Span Reader::given_beside_gradient(std::size_t from) const {
    const std::vector<Span> paired = paired_in({from, text_.end});
    return paired.empty() || name_beside_gradient(paired[0]).empty() ? Span{} : paired[0];
}
void Reader::returns(const std::string& name) {
    returned_.insert(name);
    file_.returned = returned_.size() == 1 ? name : "";  // of two, it is not known which
}

/// Of `return 3 * dx, {"w": dw}` the parts, each with the value whose gradient it is by its place or key; "" where these say
/// nothing.
std::vector<Reader::Returned> Reader::parts_of_return(Span rest, const std::vector<std::string>& inputs) const {
    const std::string_view text = source_.slice(rest);
    const std::size_t open = text.starts_with("dict(") ? text.find('(') : 0;
    const bool brackets = open > 0 || text.starts_with("(") || text.starts_with("[") || text.starts_with("{");
    if (brackets && closer_of(source_, rest.begin + open, rest.end) + 1 == rest.end)
        return parts_of_return(trimmed(source_, {rest.begin + open + 1, rest.end - 1}), inputs);
    std::vector<Span> parts = split_at_commas(source_, rest);
    std::erase_if(parts, [](Span part) { return part.begin >= part.end; });
    if (!inputs.empty() && parts.size() != inputs.size() && parameters_.contains("self")) return parts_of_return(rest, {});
    if (!inputs.empty() && parts.size() != inputs.size())
        fail(rest, fmt::format("{} gradients are returned, and the forward has {} inputs", parts.size(), inputs.size()));
    std::vector<Returned> out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Span value = behind_key(parts[i]);
        if (!inputs.empty() && value.begin > parts[i].begin)
            fail(rest, "gradients are returned by name, where each is that of the input in its place: expected a tuple");
        if (!inputs.empty())
            out.push_back({parts[i], inputs[i]});
        else if (value.begin > parts[i].begin)
            out.push_back({value, named_by_key(parts[i])});
        else if (parts.size() == 1)
            out.push_back({value, ""});
        else
            for (Returned& part : parts_of_return(value, {})) out.push_back(std::move(part));
    }
    return out;
}

/// return 3 * dx is claimed of the gradient by x; of an autograd.Function each part is that by the input in its place.
void Reader::returned_gradients(Span s, Span rest, const std::vector<std::string>& inputs) {
    const std::vector<std::string> words = identifiers_in(source_.slice(rest));
    if (std::ranges::any_of(words, [&](const std::string& word) { return !gradient_named(word).empty(); }))
        expect_unchanged(rest);
    tell_doubtful(rest);
    const bool comprehends = std::ranges::find(words, "for") != words.end();
    if (comprehends && std::ranges::any_of(words, [&](const std::string& word) {
            return holds_gradients(word) || !gradient_named(word).empty();
        }))
        fail(rest, "what is done to gradients in a comprehension is not read: give each a line of its own");
    std::vector<Returned> parts = parts_of_return(rest, inputs);
    std::erase_if(parts, [&](const Returned& part) { return passes_step(part.value); });
    if (parts.size() == 1 && parts[0].of.empty() && gradient_of_place(parts[0].value).empty()) parts[0].of = input_by_name();
    if (inputs.empty()) take_in_order(parts);
    expect_each_once(rest, parts);
    tell_left_gradient(rest);
    tell_constant_gradient(parts);
    std::vector<ExprPtr> values;  // all of them before the first is claimed
    for (const Returned& part : parts) {
        const std::string named = gradient_of_place(part.value);
        if (nones_.contains(named) && is_plain(source_.slice(part.value)))
            fail(part.value, fmt::format("{} is None there", one_line(part.value)));
        const auto given = std::ranges::find(to_.proof().given, part.of, &Given::name);
        const bool is_input = !inputs.empty() && given != to_.proof().given.end() && given->differentiable;
        if (is_input && source_.slice(part.value) == "None")
            fail(part.value,
                 fmt::format("None is returned for the gradient by {0}, which is an input: declare it by  const {0}", part.of));
        values.push_back(value_returned(part.value, to_.names().defined(part.of) ? part.of : ""));
        ExprPtr& value = values.back();
        const bool other = value && !part.of.empty() && value->kind == Kind::gradient && value->name != part.of;
        if (const auto before = other ? last_claim(value->name) : claims_.rend(); before != claims_.rend()) value = before->right;
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (values[i])
            claim_returned(s, parts[i].value, parts[i].of, values[i]);
        else
            tell_return(parts[i].value);
    const bool claims = std::ranges::any_of(claims_, [&](const Claim& c) { return c.function == here_; });
    if (parts.size() == 1 && !claims && parameters_.contains(source_.slice(rest))) tell_function();  // def relu_grad(x): return x
}

bool Reader::is_input(std::string_view name) const {
    return std::ranges::find(to_.proof().given, name, &Given::name) != to_.proof().given.end();
}

/// w of "w": dw, of "dw": 2 * v and of w=dw; "" of another key.
std::string Reader::named_by_key(Span part) const {
    std::string_view key = source_.slice(part);
    key = key.substr(0, key.find_first_of(":="));
    while (!key.empty() && (key.back() == ' ' || key.back() == '"' || key.back() == '\'')) key.remove_suffix(1);
    while (!key.empty() && (key.front() == '"' || key.front() == '\'')) key.remove_prefix(1);
    return to_.names().values.contains(key) ? std::string(key) : gradient_named(std::string(key));
}

/// dw of "w": dw and of w=dw.
Span Reader::behind_key(Span part) const {
    const std::string_view text = source_.slice(part);
    if (const auto [at, size] = assignment_in(source_, part); size == 1) return trimmed(source_, {at + size, part.end});
    const std::size_t quote = text.starts_with('"') || text.starts_with('\'') ? text.find(text[0], 1) : std::string_view::npos;
    if (quote == std::string_view::npos) return part;
    const Span behind = trimmed(source_, {part.begin + quote + 1, part.end});
    return source_.slice(behind).starts_with(":") ? trimmed(source_, {behind.begin + 1, behind.end}) : part;
}

/// nullptr of what is no gradient, unless its place or key says that it is one.
ExprPtr Reader::value_returned(Span part, const std::string& of) {
    expect_loss_as_it_is(part);
    if (!is_plain(source_.slice(part))) expect_unchanged(part);
    try {
        const ExprPtr value = expression(part);
        const bool named = !of.empty();
        const std::optional<AxisNames> axes = named ? axis_names(*value, to_.proof()) : std::nullopt;
        const bool like_input = axes && is_input(of) && axes == axis_names(*name(of), to_.proof());  // a loss is one number
        const bool says =
            contains(*value, Kind::gradient) || (axes && !axes->empty()) || like_input || (named && value->kind == Kind::number);
        return says ? value : nullptr;
    } catch (const ProofError&) {
        const std::vector<std::string> words = identifiers_in(source_.slice(part));
        const auto is_gradient = [&](const std::string& word) { return !gradient_named(word).empty(); };
        const std::string_view text = source_.slice(part);
        const std::string owner(text.substr(0, text.find('.')));  // dW of dW.imag
        const bool attribute = owner.size() < text.size() && identifier_length(owner) == owner.size() && is_gradient(owner);
        if ((!is_plain(text) || attribute) && std::ranges::any_of(words, is_gradient)) throw;
        return nullptr;
    }
}
/// `of`: by its place; "" where that says nothing.
void Reader::claim_returned(Span s, Span part, const std::string& of, const ExprPtr& value) {
    const bool computed = value->kind == Kind::helper && !file_.locals.contains(value->name);
    const bool itself = value->kind == Kind::gradient || computed;
    const bool given = itself && parameters_.contains(source_.slice(part)) && last_claim(value->name) == claims_.rend();
    if (of.empty() && given) tell_function();  // return dout
    if (!of.empty() && to_.names().defined(of)) {
        if (itself && value->name == of) return;
        expect_unchanged(part);
        return claim(s, part, '=', of, value);
    }
    if (itself) return;
    expect_unchanged(part);
    std::set<std::string> claimed, inner;  // 2 * dx is that by x, and dz @ W.T that by the input left
    for_each(*value, [&](const Expr& e) {
        if (e.kind == Kind::gradient && last_claim(e.name) != claims_.rend()) (is_input(e.name) ? claimed : inner).insert(e.name);
    });
    if (const std::string left = input_left(); claimed.empty() && !left.empty()) claimed.insert(left);
    if (claimed.empty() && inputs_left().empty()) claimed = inner;
    if (claimed.size() != 1)
        fail(part, "of which value this is the gradient is not said: give it a name, dx = ..., and return that");
    claim(s, part, '=', *claimed.begin(), value);
}

/// W of def grad_W(...) and def dW(...), and of def grad(w) and its like the one input that it is given, where the loss is
/// stated; "" of others.
std::string Reader::input_by_name() const {
    if (to_.names().loss.empty() || parameters_.contains("self")) return "";
    std::vector<std::string> inputs, given;
    for (const Given& g : to_.proof().given)
        if (g.differentiable) inputs.push_back(g.name);
    std::ranges::copy_if(inputs, std::back_inserter(given), [&](const std::string& x) { return parameters_.contains(x); });
    constexpr std::array<std::string_view, 9> kOfLoss{"grad",        "gradient",      "grad_fn",
                                                      "gradient_fn", "compute_grad",  "loss_grad",
                                                      "grad_loss",   "loss_gradient", "compute_gradient"};
    if (given.size() == 1 && is_one_of(kOfLoss, function_name_)) return given[0];
    return std::string(value_named_in(function_name_, [&](std::string_view name) { return is_one_of(inputs, name); }));
}

/// The one input by which no gradient is claimed, if the function or its forward is given it; "" where there is none.
std::string Reader::input_left() const {
    const std::vector<std::string> left = inputs_left();
    if (left.size() != 1) return "";
    const auto inputs = std::ranges::count_if(to_.proof().given, &Given::differentiable);
    return inputs == 1 || parameters_.contains(left[0]) || forward_parameters_.contains(left[0]) ? left[0] : "";
}
/// Those by which no gradient is claimed.
std::vector<std::string> Reader::inputs_left() const {
    std::vector<std::string> out;
    for (const Given& g : to_.proof().given) {
        const auto is_of_it = [&](const Claim& c) { return without_indices(*c.left).name == g.name; };
        if (g.differentiable && std::ranges::none_of(claims_, is_of_it)) out.push_back(g.name);
    }
    return out;
}

}  // namespace gradproof::proof::numpy
