// What a program says of gradients, and how it goes on from there: dx += ..., dx = dx * ..., dx[mask] = 0.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/numpy/scaled.hpp"

namespace gradproof::proof::numpy {
namespace {

/// What the gradient is multiplied by, g of dX * g, or the mask where it is set to 0; nullptr where it is neither.
ExprPtr slope_in(const ExprPtr& after, const std::string& of) {
    const auto is_itself = [&](const ExprPtr& e) { return is_gradient_of(*e, of); };
    if (after->kind == Kind::call && after->name == "where" && after->children.size() == 3) {
        const bool zero = is_zero(*after->children[1]) || is_zero(*after->children[2]);
        return zero && std::ranges::any_of(after->children, is_itself) ? after->children[0] : nullptr;
    }
    if (after->kind != Kind::product || std::ranges::count_if(after->children, is_itself) != 1) return nullptr;
    if (after->joints.find_first_of("@/", 1) != std::string::npos) return nullptr;
    ExprPtr out;
    for (const ExprPtr& c : after->children)
        if (!is_itself(c)) out = out ? product(out, '*', c) : c;
    return out;
}

/// x of max(0, x), tanh(x) and the like; nullptr of others.
ExprPtr argument_of(const Expr& value) {
    if (value.kind != Kind::call || !value.options.empty()) return nullptr;
    if (value.name == "max" && value.children.size() == 2)
        return is_zero(*value.children[0]) ? value.children[1] : is_zero(*value.children[1]) ? value.children[0] : nullptr;
    const bool known = value.name == "relu" || value.name == "tanh" || value.name == "sigmoid";
    return known && value.children.size() == 1 ? value.children[0] : nullptr;
}

/// Whether it is the slope of the function that gives the value: y > 0, 1 - y², y (1 - y).
bool is_slope_of(const Expr& value, const Expr& argument, const std::string& name, const Expr& slope) {
    const std::string x = text_of(argument);
    const bool of_it =
        any_part(slope, [&](const Expr& e) { return (e.kind == Kind::name && e.name == name) || text_of(e) == x; });
    const bool steps = any_part(slope, [](const Expr& e) { return e.kind == Kind::call && e.name == "step"; });
    const bool rectifies = value.name == "max" || value.name == "relu";
    return of_it && (rectifies ? steps : !steps && contains(slope, Kind::sum));
}

/// Whether a gradient goes on to that of an earlier value, and is neither added to nor multiplied by a number.
bool goes_back(const Expr& after, const std::string& of, const ExprPtr& slope) {
    if (slope) return !names_in(*slope).empty();
    int times = 0;
    const std::function<void(const Expr&)> count = [&](const Expr& e) {
        if (e.kind == Kind::call && e.name == "axis_size") return;
        times += is_gradient_of(e, of) ? 1 : 0;
        for (const ExprPtr& c : e.children) count(*c);
    };
    count(after);
    const bool adds =
        after.kind == Kind::sum && std::ranges::any_of(after.children, [&](const ExprPtr& c) { return is_gradient_of(*c, of); });
    const bool divides = after.kind == Kind::product && after.joints.find('@', 1) == std::string::npos;
    return times > 1 || (!adds && !divides);
}

}  // namespace

bool is_zero(const Expr& e) {
    for (std::size_t i = 0; e.kind == Kind::product && i < e.children.size(); ++i)  // zeros_like
        if (e.joints[i] != '/' && is_zero(*e.children[i])) return true;
    return is_number(e, 0) || (e.kind == Kind::call && e.name == "zeros");
}

Reader::Claims::reverse_iterator Reader::last_claim(const std::string& of) {
    return std::find_if(claims_.rbegin(), claims_.rend(), [&](const Claim& k) { return k.left->name == of; });
}

void Reader::add_claim(Claim c) {
    if (!other_forward_.empty()) fail(c.span, other_forward_);
    c.function = here_;
    c.loop = loop_;
    nones_.erase(without_indices(*c.left).name);
    const bool of_none = loop_ == 0 && any_part(*c.right, [&](const Expr& e) {
                             return e.kind == Kind::gradient && nones_.contains(e.name) && last_claim(e.name) == claims_.rend();
                         });
    if (of_none) fail(c.span, "a gradient in it is None there");
    claims_.push_back(std::move(c));
}

/// What is added to a gradient makes one claim of its sum, in the place of the last part.
void Reader::claim(Span s, Span left, char op, const std::string& of, const ExprPtr& value) {
    if (op == '=' && is_gradient_of(*value, of)) return;                              // grads["W"] = dW
    if (is_zero(*value) && function_name_.find("zero") != std::string::npos) return;  // zero_grad()
    if (op == '=' && claims_.empty() && is_zero(*value) && is_assigned_below(s, of)) {
        zeros_[of] = {gradient_of(of), value, nullptr, s, ""};
        return;
    }
    tell_never_computed(s, source_.slice({left.end, s.end}), of);
    const bool has_rows = std::ranges::any_of(claims_, [&](const Claim& c) { return is_row_of(c, of); });
    const bool goes_on = any_part(*value, [&](const Expr& e) { return is_gradient_of(e, of); });
    if ((op != '=' || goes_on) && !has_rows) begin_at_zero(of);
    const bool given = is_gradient_of(*value, of);  // self.dW += dW
    const bool first = op == '+' && !has_rows && (given || last_claim(of) == claims_.rend());
    const bool in_object = first && is_zero_in_object(s, left, of);
    if (in_object) to_.holds_for("gradients that objects hold and that are 0 before");
    if (in_object || (first && is_of_zero_dict(s))) {
        if (!given) claim(s, left, '=', of, value);
        return;
    }
    if (op != '=') return change_claim(s, left, of, changed(s, gradient_of(of), op, value), true);
    const bool adds = value->kind == Kind::sum && is_gradient_of(*value->children[0], of);  // a.grad = a.grad + ...
    if (goes_on && (adds || has_rows || last_claim(of) != claims_.rend() || slope_in(value, of)))
        return change_claim(s, left, of, value, false);
    Expr g = node(Kind::gradient, {}, of);
    g.span = left;
    add_claim({make(std::move(g)), value, nullptr, s, std::exchange(why_, "")});
    aliases_.assigned(gradient_key(of), *value);
    changed_.erase(gradient_key(of));
}

/// self.dW and self.grads["W"] that __init__ made 0, and that other lines above and in other functions make 0 alone. `member`: W
/// of the latter, in the statement s.
bool Reader::is_zero_in_object(Span s, Span member, const std::string& of) const {
    const std::string_view statement = source_.slice(s);
    if (!begin_at_zero_in_object_.contains(of) || !statement.starts_with("self.") || member.begin < s.begin) return false;
    const std::string place(source_.slice({s.begin, s.begin + place_length(statement)}));
    const std::size_t end = end_of_function(s.end);
    return std::ranges::none_of(statements_in(source_, text_), [&](Span other) {
        const std::string_view text = source_.slice(other);
        const bool below = s.begin <= other.begin && other.begin < end;
        if (below || word_at(other) == "return" || word_at(other) == "def" || text.find(place) == std::string_view::npos)
            return false;
        const auto [at, size] = assignment_in(source_, other);
        const bool zero =
            (size == 1 && makes_zeros(source_.slice(trimmed(source_, {at + size, other.end})))) || text == place + ".fill(0)";
        return !zero && (size == 0 || text.find(place) < at - other.begin);
    });
}

/// Whether an entry is assigned of a dict of this function that begins with zeros for all parameters.
bool Reader::is_of_zero_dict(Span s) const {
    const std::optional<Place> place = place_of(source_, {s.begin, s.begin + place_length(source_.slice(s))});
    const auto made = place ? zero_dicts_.find(place->owner) : zero_dicts_.end();
    return made != zero_dicts_.end() && made->second == here_;
}

/// dw = X.T @ dz below a loss, where no line above computes dz: nothing comes in from outside.
void Reader::tell_never_computed(Span s, std::string_view used, const std::string& by) {
    if (to_.names().loss.empty() || loop_ != 0) return;
    for (const std::string& word : identifiers_in(used))
        if (const std::string of = gradient_named(word); !of.empty() && of != by && is_never_computed(word, of))
            tell(s, fmt::format("no line above computes {}", word));
}
bool Reader::is_never_computed(const std::string& word, const std::string& of) {
    const bool kept = to_.names().helpers.contains(word) || file_.locals.contains(word) || zeros_.contains(of) ||
                      file_.saved.find(word) != nullptr || function_.contains(word);
    const bool bare = source_.text().find("." + word) == std::string_view::npos;  // self.dz, and x.grad
    return bare && !kept && !parameters_.contains(word) && last_claim(of) == claims_.rend();
}

/// Zeros that nothing has been added to become a claim.
void Reader::begin_at_zero(const std::string& of) {
    if (const auto zero = zeros_.find(of); zero != zeros_.end() && last_claim(of) == claims_.rend()) add_claim(zero->second);
}

/// Whether a line below in the function assigns the gradient or changes it.
bool Reader::is_assigned_below(Span s, const std::string& of) const {
    const std::vector<Span> below = statements_in(source_, {s.end, end_of_function(s.end)});
    return std::ranges::any_of(below, [&](Span line) {
        const auto [at, size] = assignment_in(source_, line);
        const Span left = trimmed(source_, {line.begin, at});
        if (size == 0) return false;
        if (const std::optional<Place> place = place_of(source_, left))
            if (gradient_kept(*place, std::string(source_.slice(place->member)), to_.names(), &file_) == of) return true;
        const std::vector<Span> names = split_at_commas(source_, left);
        return std::ranges::any_of(names, [&](Span n) { return gradient_named(std::string(word_at(n))) == of; });
    });
}

/// Other names of an array that is changed in place stand for something else from there on.
void Reader::change_others(const std::string& array, Span s) {
    const std::string why = fmt::format("line {} changes this array under another name: copy it there", source_.line(s.begin));
    for (const std::string& other : aliases_.others_of(array)) {
        changed_.emplace(other, why);
        if (is_input(other)) changed_kept_.emplace(other, why);
        for (const std::string& key : file_.saved.keys_of(other)) {  // another function reads it there
            changed_.emplace(key, why);
            changed_kept_.emplace(key, why);
        }
    }
}

bool Reader::is_row_of(const Claim& c, const std::string& of) {
    return c.rows && c.left->kind == Kind::index && without_indices(*c.left).name == of;
}
/// dX /= n behind a loop that assigns its rows: each of them is divided. Whether there are such rows.
bool Reader::change_rows(Span s, const std::string& of, const ExprPtr& after) {
    const auto is_row = [&](const Claim& c) { return is_row_of(c, of); };
    if (loop_ != 0 || std::ranges::none_of(claims_, is_row)) return false;
    const bool scales = after->kind == Kind::product && after->joints.find('@', 1) == std::string::npos &&
                        std::ranges::all_of(after->children, [&](const ExprPtr& c) {
                            const std::optional<AxisNames> axes = axis_names(*c, to_.proof());
                            return is_gradient_of(*c, of) || (axes && axes->empty());
                        });
    if (!scales) fail(s, "a loop assigns the rows of what this changes: change them in the loop");
    std::size_t last = 0;
    for (Claim& c : claims_)
        if (is_row(c)) {
            c.right = rewritten(after, [&](const Expr& e) { return is_gradient_of(e, of) ? c.right : nullptr; });
            last = c.span.begin;
        }
    for (const Claim& c : claims_)
        if (c.span.begin > last && any_part(*c.right, [&](const Expr& e) { return is_gradient_of(e, of); }))
            fail(s, fmt::format("line {} uses the gradient by {} before this changes it", source_.line(c.span.begin), of));
    return true;
}

/// The gradient goes on from what it was: `after` says how.
void Reader::change_claim(Span s, Span left, const std::string& of, const ExprPtr& after, bool in_place) {
    const std::string name(source_.slice(left));
    if (change_rows(s, of, after)) return;
    const auto before = last_claim(of);
    Expr g = node(Kind::gradient, {}, of);
    g.span = left;
    Claim c{make(std::move(g)), after, nullptr, s, std::exchange(why_, "")};
    if (in_place)
        change_others(gradient_key(of), s);
    else
        aliases_.assigned(gradient_key(of), *after);
    if (const std::string input = value_before(of, after); !input.empty()) {
        c.left = gradient_of(input);
        file_.gradients[name] = input;
        to_.name_gradient(input, name);
        if (in_place) aliases_.assigned(gradient_key(input), *gradient_of(of));
        add_claim(std::move(c));
        return;
    }
    if (before == claims_.rend()) fail(s, fmt::format("this changes what is not assigned before: expected {} = ... first", name));
    for (auto later = claims_.rbegin(); later != before; ++later)
        if (any_part(*later->right, [&](const Expr& e) { return is_gradient_of(e, of); }))
            fail(s, fmt::format("line {} uses {} before this is added to it", source_.line(later->span.begin), name));
    c.right = rewritten(after, [&](const Expr& e) { return is_gradient_of(e, of) ? before->right : nullptr; });
    claims_.erase(std::next(before).base());
    add_claim(std::move(c));
}

/// Of dh = dh * (h > 0), where h = max(0, x): x, whose gradient dh is from there on, and of ds = ds / np.sqrt(d), where
/// s = q @ k.T / np.sqrt(d), the product; "" where it stays that of h. Where h has had another value before, which it is computed
/// of, it is that.
std::string Reader::value_before(const std::string& of, const ExprPtr& after) {
    ExprPtr slope = slope_in(after, of);
    const Assignment* const a = to_.proof().find(of);
    if (a == nullptr || !a->indices.empty()) return "";
    if (const std::string earlier = earlier_value(*a); !earlier.empty() && goes_back(*after, of, slope)) return earlier;
    const Scaled gradient = scaled(after);
    if (is_gradient_of(*gradient.what, of))
        if (const std::string product = product_scaled(of, gradient.by); !product.empty()) return product;
    if (!slope) return "";
    if (slope->kind == Kind::name)
        if (const Assignment* const mask = to_.proof().find(slope->name)) slope = mask->value;
    const ExprPtr argument = argument_of(*a->value);
    if (!argument || !is_slope_of(*a->value, *argument, of, *slope)) return "";
    return to_.value_within(of, argument);
}

}  // namespace gradproof::proof::numpy
