// What a return may say wrongly: gradients that it leaves out, gives twice or in another order, and others in their place.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/items.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// grads = scaled(grads) and grads |= {...} behind grads["W"] = ....
void Reader::tell_kept_anew(Span s) {
    const auto [at, size] = assignment_in(source_, s);
    std::string_view left = source_.slice(trimmed(source_, {s.begin, at}));
    left = left.substr(0, left.find_last_not_of(" |") + 1);
    if (size == 0 || left.empty() || !gradient_named(std::string(left)).empty()) return;
    for (const Claim& c : claims_) {
        const std::string_view claimed = source_.slice(c.span);
        if (c.function == here_ && claimed.starts_with(left) && claimed.substr(left.size()).starts_with("["))
            return tell(s, fmt::format("{} holds gradients, and is made anew", left));
    }
}

/// Of self.dW = ..., W.grad += ... and grads["W"] = ..., which need no return, as dX[t] = ... does.
bool Reader::is_kept(const Claim& c) const {
    const std::string_view target = source_.slice({c.span.begin, assignment_in(source_, c.span).first});
    const std::size_t at = target.find_first_of(".[");
    return at != target.npos && (target[at] == '.' || gradient_named(std::string(target.substr(0, at))).empty());
}

/// The pieces of what a return gives.
std::vector<Span> Reader::items_returned(Span rest) const { return items_of(source_, {function_begin_, rest.begin}, rest); }

/// return, return None and return () of a backward that has computed gradients under names of its own.
void Reader::tell_nothing_returned(Span s) {
    const bool own = std::ranges::any_of(claims_, [&](const Claim& c) { return c.function == here_ && !is_kept(c); });
    if (backward_ && own && !parameters_.contains("self")) tell(s, "it returns none of the gradients");
}

/// return y, (w, x) and y, cache[::-1] behind cache = (x, w), where a function below is given a cache, and y, np.log(p), where it
/// is given p.
void Reader::tell_other_cache(Span rest) {
    const std::vector<Span> items = split_at_commas(source_, rest);
    const auto is_returned = [&](const std::string& name) {
        const auto is_it = [&](Span item) { return source_.slice(item) == name; };
        return std::ranges::any_of(items, is_it) || std::ranges::any_of(items_returned(rest), is_it);
    };
    const auto is_changed = [&](const std::string& name) {
        const auto of = function_.find(name);
        if (!(of != function_.end() && of->second == here_) && !parameters_.contains(name)) return false;
        return std::any_of(items.begin() + 1, items.end(), [&](Span item) {
            const std::string_view text = source_.slice(item);
            return text != name && is_one_of(identifiers_in(text), name) && text.find("shape") == text.npos &&
                   text.find("len(") == text.npos && text.find_first_of("([{") != 0;
        });
    };
    for (const Span s : statements_in(source_, {rest.end, text_.end})) {
        if (word_at(s) != "def") continue;
        for (const OwnFunction::Parameter& p : parameters_of(source_, s))
            if (!is_returned(p.name) && (file_.saved.is_kept_here(p.name) || is_changed(p.name)))
                return tell(rest, fmt::format("it returns no {}, which line {} is given", p.name, source_.line(s.begin)));
    }
}

/// return relu(x) of def forward(x, relu): what it is given.
void Reader::expect_no_parameter_called(Span rest) const {
    if (const Span call = own_call(source_, rest, parameters_); call.end > call.begin)
        fail(call, fmt::format("{} is what the function is given, and not known", source_.slice(call)));
}

/// return y of y = z; z *= 2: y is changed, too.
void Reader::tell_changed_behind(Span rest) {
    for (const Span part : split_at_commas(source_, rest)) {
        const std::optional<Place> place = place_of(source_, part);  // self.z
        const ExprPtr kept = place ? file_.saved.find(place->key) : nullptr;
        const std::string name(kept ? kept->name : source_.slice(place ? place->member : part));
        if (const auto found = changed_.find(name); found != changed_.end() && to_.names().defined(name))
            return tell(rest, found->second);
    }
}

/// Of a torch.autograd.Function whose forward returns several values each has a gradient that comes in.
void Reader::expect_one_output(Span rest) const {
    const std::vector<Span> parts = split_at_commas(source_, rest);
    for (const Span part : parts)
        if (parts.size() > 1 && source_.slice(part) != "None" && !to_.names().defined(source_.slice(part)))
            fail(part, "of several outputs each needs a name: out2 = ..., and return that");
}

/// x, W of def forward(x, W), whose backward this is.
std::vector<std::string> Reader::parameters_of_pair() const {
    const Output* const pair = output_of_pair();
    std::vector<std::string> out;
    for (const Span s : pair ? statements_in(source_, text_) : std::vector<Span>{}) {
        if (!source_.slice(s).starts_with("def " + pair->function + "(")) continue;
        for (const OwnFunction::Parameter& p : parameters_of(source_, s)) out.push_back(p.name);
        break;
    }
    return out;
}

/// dw of a dX = dw.
std::string Reader::gradient_renamed(const std::string& name) const {
    const auto found = to_.names().helpers.find(name);
    const ExprPtr value = found == to_.names().helpers.end() ? file_.saved.find(name) : found->second;
    return value && value->kind == Kind::gradient ? "d" + value->name : "";
}

/// w of dw, 2 * dw and dw.reshape(-1); "" where no gradient is named, or another value is.
std::string Reader::gradient_within(Span item) const {
    if (const std::string of = gradient_of_place(item); !of.empty()) return of;
    std::string out;
    for (const std::string& word : identifiers_in(source_.slice(item))) {
        const std::string of = value_behind(word);
        const bool is_value = to_.names().defined(word) && !to_.names().dims.contains(word);
        if (of.empty() ? is_value : !out.empty() && of != out) return "";
        if (!of.empty()) out = of;
    }
    return out;
}

/// Not dx.copy(), which is dx itself.
bool Reader::is_computed(Span part) {
    try {
        const ExprPtr value = expression(part);
        return value->kind != Kind::gradient && value->kind != Kind::helper;
    } catch (const ProofError&) {
        return false;
    }
}

/// return dx, x and return dW, dx of a forward(x, W): a value among gradients, and gradients in another order.
void Reader::tell_doubtful(Span rest) {
    std::vector<std::string> of, values;
    std::string loss;                // behind the first gradient
    std::set<std::string> computed;  // b of db.sum(axis=0), which is claimed of an input, and judged
    for (const Span item : items_returned(rest)) {
        if (!named_by_key(item).empty() && behind_key(item).begin > item.begin) continue;
        const Span part = behind_key(item);
        const std::string name(source_.slice(part));
        const auto function = function_.find(name);
        const bool of_another = function != function_.end() && function->second != here_ && !to_.names().is_loss(name);
        const std::string gradient = gradient_within(part);
        if (!gradient.empty() && !loss.empty()) values.push_back(loss);
        if (!of.empty() && is_loss(name)) loss = name;
        if (!gradient.empty()) {
            of.push_back(gradient);
            if (is_computed(part)) computed.insert(gradient);
        } else if (is_input(name) || holds_parameters(name) || is_size(name) || to_.names().dims.contains(name) ||
                   (of_another && name != loss_)) {
            values.push_back(name);
        }
    }
    const bool updated = std::ranges::any_of(statements_in(source_, {function_begin_, rest.begin}), [&](Span s) {
        const auto [at, size] = assignment_in(source_, s);
        return size > 0 && std::ranges::any_of(values, [&](const std::string& name) { return word_at(s) == name; });
    });
    if (of.empty() && (values.empty() || updated || updates_in_function(rest.begin))) return;
    if (!values.empty()) return tell(rest, fmt::format("{} among gradients", values[0]));
    std::vector<std::string> all = parameters_of_pair();
    if (all.empty())
        for (const OwnFunction::Parameter& p :
             parameters_of(source_, {function_begin_, end_of_statement(source_, function_begin_, text_.end)}))
            all.push_back(p.name);
    const auto is_claimed = [&](const std::string& name) {
        return is_input(name) && std::ranges::find(of, name) == of.end() && last_claim(name) != claims_.rend();
    };
    const auto within = std::ranges::find_if(
        of, [&](const std::string& name) { return to_.proof().find(name) != nullptr && !computed.contains(name); });
    if (within != of.end() && !all.empty() && (of.size() == 1 || std::ranges::any_of(all, is_claimed)))
        return tell(rest, fmt::format("the gradient by {} in the place of one by what the function is given", *within));
    tell_order(rest, of, all);
    if (class_ != 0) tell_order(rest, of, order_of_parameters());
}

/// W, b of self.params = [W, b], or else of def __init__(self, W, b).
std::vector<std::string> Reader::order_of_parameters() const {
    std::vector<std::string> out;
    const ExprPtr kept = file_.saved.find("self.params");
    if (kept && is_tuple(*kept)) {
        for (const ExprPtr& parameter : kept->children) out.push_back(parameter->name);
        return out;
    }
    for (const Span s : statements_in(source_, {class_, function_begin_}))
        if (source_.slice(s).starts_with("def __init__("))
            for (const OwnFunction::Parameter& p : parameters_of(source_, s)) out.push_back(p.name);
    std::erase(out, "self");
    return out;
}

/// Gradients by these, where the parameters stand in another order.
void Reader::tell_order(Span s, const std::vector<std::string>& of, const std::vector<std::string>& all) {
    std::vector<std::size_t> places;
    for (const std::string& name : of)
        if (const auto at = std::ranges::find(all, name); at != all.end())
            places.push_back(static_cast<std::size_t>(at - all.begin()));
    if (!std::ranges::is_sorted(places)) tell(s, fmt::format("in another order than {}", fmt::join(all, ", ")));
}

/// self.grads = [db, dW] beside self.params = [W, b].
void Reader::tell_order_of_kept(Span s, const Expr& gradients) {
    std::vector<std::string> of;
    for (const ExprPtr& g : gradients.children) of.push_back(g->kind == Kind::gradient ? g->name : "");
    tell_order(s, of, order_of_parameters());
}

/// return [(W, db), (b, dW)], and return self.db, self.dW of what is no backward.
void Reader::tell_pairs(Span rest) {
    const std::vector<Span> items = items_returned(rest);
    std::vector<std::string> of;
    for (std::size_t i = 0; i < items.size(); ++i) {
        of.push_back(gradient_of_place(items[i]));
        const std::optional<Place> before = i > 0 ? place_of(source_, items[i - 1]) : std::nullopt;
        const std::string parameter(i > 0 ? source_.slice(before ? before->member : items[i - 1]) : "");
        if (i > 0 && of[i - 1].empty() && !of[i].empty() && is_input(parameter) && parameter != of[i])
            return tell(rest, fmt::format("the gradient by {} beside {}", of[i], parameter));
    }
    if (!backward_ && class_ != 0) tell_order(rest, of, order_of_parameters());
}

/// Whether the function changes its parameters itself: W -= lr * dW.
bool Reader::updates_in_function(std::size_t end) const {
    return std::ranges::any_of(statements_in(source_, {function_begin_, end}), [&](Span s) {
        const auto [at, size] = assignment_in(source_, s);
        const std::string name(source_.slice(trimmed(source_, {s.begin, at})));
        const bool adds = added_to_itself(source_, name, {std::min(at + size, s.end), s.end}).second != '\0';
        return is_input(name) && (size == 2 || (size == 1 && adds));
    });
}

/// n of n = X.shape[0].
bool Reader::is_size(const std::string& name) const {
    const Assignment* const a = to_.proof().find(name);
    return a != nullptr && a->value->kind == Kind::call && a->value->name == "axis_size";
}

bool Reader::is_loss(const std::string& name) const { return is_of_loss(name) || to_.names().is_loss(name) || name == loss_; }

/// Those that a piece of a return names, and those kept in what it names.
std::set<std::string> Reader::gradients_in(Span item) const {
    std::set<std::string> out{gradient_of_place(item)};
    for (const std::string& word : identifiers_in(source_.slice(item))) {
        out.insert(value_behind(word));
        if (const ExprPtr kept = file_.saved.find(word))
            for_each(*kept, [&](const Expr& e) { out.insert(e.kind == Kind::gradient ? e.name : ""); });
    }
    out.erase("");
    return out;
}

/// da and t of `for t in range(T): da = ...` above `end`, which no line of the function outside of a loop assigns.
bool Reader::is_of_step(const std::string& name, std::size_t end) const {
    bool inside = false;
    for (const Span s : statements_in(source_, {function_begin_, end})) {
        const std::string_view text = source_.slice(s);
        if (word_at(s) == "for") inside = inside || is_one_of(identifiers_in(text.substr(0, text.find(" in "))), name);
        if (word_at(s) != name || assignment_in(source_, s).second != 1) continue;
        if (indent_of(source_, s.begin) <= body_indent_) return false;
        inside = true;
    }
    return inside;
}

/// Whether a line between it and `end` has the name that it assigns.
bool Reader::is_used_behind(const Claim& c, std::size_t end) const {
    const std::string name(word_at(c.span));
    const bool of_object = source_.text().find("self." + name) != std::string_view::npos;  // tell_lost_gradients()
    return of_object || is_one_of(identifiers_in(source_.slice({c.span.end, end})), name);
}

/// return dx, h and return loss, r where dw was computed: h, dz or nothing in the place of dw.
void Reader::tell_left_gradient(Span rest) {
    std::set<std::string> returned;
    std::string other;
    bool has_loss = false, unknown = false;  // what may hold gradients
    for (const Span item : items_returned(rest)) {
        const std::string name(source_.slice(item)), given(source_.slice(behind_key(item))), gradient = gradient_named(given);
        if (!gradient.empty() && here_ != 0 && is_never_computed(given, gradient))
            return tell(rest, fmt::format("no line above computes {}", given));
        const std::set<std::string> all = gradients_in(item);
        returned.insert(all.begin(), all.end());
        const bool by_place = source_.slice(item) == given && identifier_length(given) == given.size() && !is_loss(given);
        if (by_place && ((!gradient.empty() && !is_input(gradient)) ||
                         (gradient.empty() && (is_of_step(given, rest.begin) || is_computed_of_gradients(given)))))
            inner_returned_.push_back({rest, given, gradient});
        if (is_loss(name) && std::exchange(has_loss, true)) other = name;  // return loss, loss, dw
        if (given == "None") other = given;
        if (!all.empty() || is_loss(name) || identifier_length(name) != name.size()) continue;
        if (program_.has_function(name)) other = name;
        if (to_.names().helpers.contains(name) || to_.proof().find(name) != nullptr || file_.conditions.contains(name) ||
            is_of_step(name, rest.begin))
            other = name;
        else
            unknown = unknown || (!to_.names().defined(name) && other != name);
    }
    const bool may_be_elsewhere =
        returned.empty() ? unknown || parameters_.contains("self") || updates_in_function(rest.begin) : other.empty();
    for (const Claim& c : claims_) {
        const std::string of = without_indices(*c.left).name;
        const bool own = c.function == here_ && c.span.begin > function_begin_ && !is_kept(c);
        if (!own || !is_input(of) || returned.contains(of) || (may_be_elsewhere && is_used_behind(c, rest.end))) continue;
        return tell(rest, other.empty()
                              ? fmt::format("the gradient by {}, which is computed, is not returned", of)
                              : fmt::format("{} where the gradient by {}, which is computed, is not returned", other, of));
    }
}

/// da = dc * (1 - c ** 2) of no value a.
bool Reader::is_computed_of_gradients(const std::string& name) const {
    const auto helper = to_.names().helpers.find(name);
    return helper != to_.names().helpers.end() && contains(*helper->second, Kind::gradient);
}

/// return dz, dW of x, W and z = f(x), where no line computes the gradient by x: dz stands in its place.
void Reader::tell_inner_returned() {
    const Proof& proof = to_.proof();
    const std::vector<std::string> left = inputs_left();
    for (const InnerReturned& inner : inner_returned_) {
        const Assignment* const value = inner.of.empty() && !proof.forward.empty() ? &proof.forward.back() : proof.find(inner.of);
        if (value == nullptr) continue;
        const std::set<std::string> sources = sources_of(*value->value, proof);
        const auto input = std::ranges::find_if(left, [&](const std::string& x) { return sources.contains(x); });
        if (input != left.end())
            tell(inner.at, fmt::format("{} is returned, and no line computes the gradient by {}", inner.name, *input));
    }
}

/// return dX, dW, 0 and return {"W": dW, "b": 0} of a function that computes the gradient by b: what is returned for it is none.
void Reader::tell_constant_gradient(const std::vector<Returned>& parts) {
    constexpr std::array<std::string_view, 4> kEmpty{"''", "\"\"", "False", "True"};
    std::set<std::string> returned;
    const Returned* constant = nullptr;
    for (const Returned& part : parts) {
        const std::string_view text = source_.slice(part.value);
        const std::string of = gradient_of_place(part.value);
        if (!of.empty())
            returned.insert(of);
        else if (number_length(text) == text.size() || std::ranges::find(kEmpty, text) != kEmpty.end())
            constant = &part;
    }
    if (constant == nullptr || returned.empty()) return;
    std::set<std::string> wanted;
    for (const Claim& c : claims_)
        if (c.function == here_) wanted.insert(without_indices(*c.left).name);
    for (const std::string& name : parameters_) wanted.insert(name);
    for (const std::string& of : wanted)
        if (is_input(of) && !returned.contains(of))
            return tell(constant->value,
                        fmt::format("{} where the gradient by {} is not returned", one_line(constant->value), of));
}

/// return dX, dX, where another gradient of the function is left.
void Reader::expect_each_once(Span rest, const std::vector<Returned>& parts) {
    std::set<std::string> names;
    std::string twice;
    for (const Returned& part : parts)
        if (const std::string of = part.of.empty() ? gradient_of_place(part.value) : ""; !of.empty() && !names.insert(of).second)
            twice = of;
    const bool left = std::ranges::any_of(claims_, [&](const Claim& c) {
        return c.function == here_ && c.span.begin > function_begin_ && !names.contains(without_indices(*c.left).name);
    });
    if (!twice.empty() && left) fail(rest, fmt::format("the gradient by {} is returned twice, and another one is not", twice));
    if (!twice.empty()) tell_function();
}

/// return loss / 2, where gradients are of what is called the loss.
void Reader::expect_loss_as_it_is(Span part) const {
    const std::string& loss = loss_.empty() ? to_.names().loss : loss_;
    const std::string_view text = source_.slice(part);
    if (loss.empty() || text == loss) return;
    const std::vector<std::string> words = identifiers_in(text);
    const bool computes = text.find_first_of("+-*/@") != std::string_view::npos;
    if (computes && std::ranges::find(words, loss) != words.end())
        fail(part, fmt::format("{0} is what gradients are taken of, and not what is returned: give the name {0} to {1}", loss,
                               one_line(part)));
}

}  // namespace gradproof::proof::numpy
