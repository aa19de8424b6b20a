// Assignments of a program: to new names, to names that have a value, to gradients.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/integers.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Whether it is made of numbers and sizes alone.
bool is_of_sizes(const Expr& e, const std::set<std::string, std::less<>>& dims) {
    if (e.kind == Kind::number || (e.kind == Kind::call && e.name == "axis_size")) return true;
    if (e.kind == Kind::name) return dims.contains(e.name);
    const bool counts = e.kind == Kind::sum || e.kind == Kind::product || e.kind == Kind::negate || e.kind == Kind::power;
    return counts && std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is_of_sizes(*c, dims); });
}

/// Whether a name is, or may be meant for, that of a gradient: dw, w_grad.
bool may_be_gradient(std::string_view name) { return name.starts_with("d") || name.find("grad") != std::string_view::npos; }

}  // namespace

/// W of W.grad and self.W.grad; "" where that is no value.
std::string Reader::value_with_grad(std::string_view target) const {
    constexpr std::string_view kSelf = "self.", kGrad = ".grad";
    if (!target.ends_with(kGrad)) return "";
    target.remove_suffix(kGrad.size());
    if (target.starts_with(kSelf)) target.remove_prefix(kSelf.size());
    return to_.names().values.contains(target) ? std::string(target) : "";
}

/// W of dW, self.dW, grads["W"] and W.grad; "" of others.
std::string Reader::gradient_of_place(Span left) const {
    const std::string name(source_.slice(left));
    if (const std::string of = value_with_grad(name); !of.empty()) return of;
    const std::optional<Place> place = place_of(source_, left);
    return place ? gradient_kept(*place, std::string(source_.slice(place->member)), to_.names(), &file_) : gradient_named(name);
}

/// (a, b), c = (x, y), z: the names in their order and what each is given, as many as values at each place.
void Reader::take_apart(Span s, Span left, const ExprPtr& value, std::vector<Span>& names, std::vector<ExprPtr>& values) const {
    const std::vector<Span> all = split_at_commas(source_, without_brackets(source_, left));
    if (value->kind != Kind::array || value->children.size() != all.size())
        fail(s, fmt::format("{} names on the left, as many expressions are expected on the right", all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Span inner = without_brackets(source_, all[i]);
        if (source_.slice(inner).find(',') != std::string_view::npos && inner.begin != all[i].begin) {
            take_apart(s, inner, value->children[i], names, values);
            continue;
        }
        names.push_back(inner);
        values.push_back(value->children[i]);
    }
}

/// a, b = x, y
void Reader::several(Span s, Span left, Span right) {
    if (unpacks_sizes(s, split_at_commas(source_, without_brackets(source_, left)), right)) return;
    if (source_.slice(right).find_first_not_of("{}[](), ") == std::string_view::npos) return;
    ExprPtr values = expression(right);
    const bool is_argument = here_ > 0 && values->kind == Kind::name && !to_.names().defined(values->name);
    if (const ExprPtr kept = is_argument ? file_.saved.find(kReturned) : nullptr) values = kept;
    std::vector<Span> names;
    std::vector<ExprPtr> given;
    take_apart(s, left, values, names, given);
    if (const std::vector<Span> each = split_at_commas(source_, without_brackets(source_, right)); each.size() == names.size())
        for (std::size_t i = 0; i < names.size(); ++i) expect_no_integers(names[i], each[i]);
    std::vector<ExprPtr> parts = given;  // all of them before the first is assigned
    for (ExprPtr& part : parts)
        if (const auto before = part->kind == Kind::gradient ? last_claim(part->name) : claims_.rend(); before != claims_.rend())
            part = before->right;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const ExprPtr part = given[i];
        const Expr& value = *part;
        const std::string name(source_.slice(names[i]));
        condition_ = value.truth;
        const bool itself = value.kind == Kind::name && value.name == name;  // x, w = cache
        if (itself || name == "_") continue;
        const bool keeps = backward_ && is_tuple(*values) && gradient_of_place(names[i]).empty() && !to_.names().defined(name);
        if (!keeps) {
            const std::string of = gradient_of_place(names[i]);
            const bool other = !of.empty() && value.kind == Kind::gradient && value.name != of;  // dW1, dW2 = dW2, dW1
            const Assignment* const before = to_.proof().find(name);
            const std::string old = before == nullptr ? "" : Statements::superseded(*before);
            take(s, names[i], '=', other ? parts[i] : part);
            if (before != nullptr && to_.proof().find(old) != nullptr)  // of a, b = b, a the second is the a that was
                for (ExprPtr& later : given) later = renamed(later, name, old);
            continue;
        }
        file_.saved.keep(name, part, s);
        aliases_.assigned(name, value);
    }
}

namespace {

bool is_cache(std::string_view name) {
    constexpr std::array<std::string_view, 4> kAll{"cache", "saved", "residuals", "tape"};
    return std::ranges::any_of(kAll, [&](std::string_view one) { return name.find(one) != std::string_view::npos; });
}

}  // namespace

/// Whether what is assigned is a tuple for a backward: cache = (x, z > 0), self.cache = ..., and what the function returns.
bool Reader::keeps_for_later(Span s, Span left) const {
    const std::string name(source_.slice(left));
    if (is_cache(name) || name.starts_with("self.")) return true;
    if (here_ == 0 || identifier_length(name) != name.size()) return false;
    return std::ranges::any_of(statements_in(source_, {s.end, end_of_function(s.end)}), [&](Span line) {
        const std::vector<std::string> words = identifiers_in(source_.slice(line));
        return word_at(line) == "return" && std::ranges::find(words, name) != words.end();
    });
}

/// scale = x.abs().max().item() and math.sqrt(x.sum()): for PyTorch a number, through which no gradient goes.
void Reader::say_items(Span left, Span right, const Expr& value) {
    const bool item = has_any(source_.slice(right), {".item()", "float(", "math.", "np.array("});
    if (!item || backward_ || file_.untracked || file_.numpy_alone || is_of_loss(source_.slice(left))) return;
    if (source_.text().find("torch") == std::string_view::npos || !is_drawn(value, to_.proof())) return;
    to_.holds_for(
        fmt::format("gradients that go through the number {} of line {}", source_.slice(left), source_.line(left.begin)));
}

void Reader::assign(Span s, Span left, char op, Span right) {
    // A type behind the name says nothing here: x: Tensor = ...
    const std::string_view target = source_.slice(left);
    if (const std::size_t colon = target.find(':'); colon < target.find('['))
        left = trimmed(source_, {left.begin, left.begin + colon});
    if (op == '=' && assigns_dict(s, left, right)) return;
    if (op == '=') expect_no_integers(left, right);
    ExprPtr value = expression(right);
    const bool list = source_.slice(trimmed(source_, right)).starts_with("[") && !is_cache(source_.slice(left));
    if (op == '=' && !list && keeps_for_later(s, left))
        if (const ExprPtr tuple = as_tuple(value)) value = tuple;
    say_items(left, right, *value);
    take(s, left, op, value);
}

namespace {

/// dw.flat = 0 sets all of dw.
bool is_part_of_array(std::string_view member) {
    constexpr std::array<std::string_view, 9> kAll{"flat", "real", "imag", "data", "T", "mT", "shape", "strides", "dtype"};
    return is_one_of(kAll, member);
}

}  // namespace

/// self.W = None above a line that uses it.
void Reader::tell_dropped(Span s, Span left) {
    const std::optional<Place> place = place_of(source_, left);
    if (!place || initialises_ || !to_.names().values.contains(source_.slice(place->member))) return;
    const std::string_view behind = source_.slice({s.end, text_.end}), written = source_.slice(left);
    if (behind.find(written) != std::string_view::npos) tell(s, fmt::format("it sets {} to None", written));
}

/// c = d of a dict d, and cache += (z,). Whether it is that.
bool Reader::takes_container(Span s, Span left, char op, const ExprPtr& value) {
    const std::string name(source_.slice(left));
    if (is_dict(*value)) {
        if (op != '=') fail(s, fmt::format("{} is changed in place: give the result a name of its own", name));
        const std::optional<Place> place = place_of(source_, left);
        file_.saved.keep(place ? place->key : name, value, s);
        return true;
    }
    if (op != '+' || !is_sequence(*value) || to_.names().defined(name)) return false;
    const ExprPtr before = expression(left);
    if (!is_sequence(*before)) fail(s, "to what is no tuple one is added");
    std::vector<ExprPtr> all = before->children;
    std::ranges::copy(value->children, std::back_inserter(all));
    file_.saved.keep(name, with_children(*before, std::move(all)), s);
    return true;
}

void Reader::take(Span s, Span left, char op, const ExprPtr& value) {
    const std::string_view target = source_.slice(left);
    const bool is_grad = is_grad_of_value(target);
    const std::string name(target);
    if (takes_container(s, left, op, value)) return;
    if (value->kind == Kind::ellipsis && op == '=') {  // None
        if (const std::string of = gradient_of_place(left); !of.empty()) {
            const auto before = last_claim(of);
            if (before != claims_.rend() && before->function == here_)
                fail(s, fmt::format("None takes the place of what line {} computes", source_.line(before->span.begin)));
            nones_.insert(of);
        }
        tell_dropped(s, left);
        if (to_.proof().find(name) != nullptr || (here_ != 0 && is_input(name)))
            changed_.emplace(name, fmt::format("line {} sets it to None", source_.line(s.begin)));
        return;
    }
    const bool is_setting = value->kind == Kind::word && value->name != "true" && value->name != "false";
    if (is_setting && op == '=') return;
    if (op == '=' && value->kind == Kind::name && value->name == name && to_.names().defined(name)) return;  // W = params["W"]
    if (op == '=' && !contains(*value, Kind::gradient)) file_.gradients.erase(name);                         // dh is of h again
    if (const auto in = file_.incoming.find(name); in != file_.incoming.end()) {                             // dnext_c += ...
        const ExprPtr before = proof::name(in->second);
        file_.incoming.erase(in);
        return take(s, left, '=', op == '=' ? value : changed(s, before, op, in_terms_of(before, name, value)));
    }
    const bool size = op == '=' && value->kind == Kind::call && value->name == "axis_size";  // d_k = k.shape[-1]
    const std::string of = is_grad ? value_with_grad(name) : size ? "" : gradient_named(name);
    if ((carried_.contains(name) || filled_.contains(name)) && op == '=' && is_zero(*value) && is_filled_above(name, of))
        fail(s, fmt::format("it makes {} anew below the loop that computes it", name));
    if (carried_.contains(name) && op == '=' && is_zero(*value)) {
        first_[name] = value;
        return;
    }
    if (appended_.contains(name) && op == '=' && value->kind == Kind::array && value->children.size() == 1) {  // h = [h0]
        starts_[name] = value->children[0];
        begun_[name] = left;
        lists_.insert(name);
        return;
    }
    if (!is_grad && filled_.contains(name) && op == '=' && is_zero(*value)) {
        if (file_.locals.contains(name) || to_.names().helpers.contains(name))
            fail(left, fmt::format("{} is assigned again: give it another name", name));
        if (to_.names().values.contains(name)) tell(s, fmt::format("it makes {} anew", name));
        if (value->kind == Kind::product && holds_integers(*value, to_.proof()))
            fail(s, fmt::format("{} holds integers, and what is put into its rows is cut off: say dtype=float", name));
        if (source_.slice(s).find("empty") == std::string_view::npos) zeroed_.insert(name);
        if (of.empty()) filled_with_[name] = value;
        if (!of.empty()) zeros_[of] = {gradient_of(of), value, nullptr, s, ""};
        return;
    }
    if (const std::string_view part = target.substr(target.rfind('.') + 1); part.size() < target.size() && is_part_of_array(part))
        fail(s, fmt::format("{} is changed in place: give the result a name of its own", target.substr(0, target.rfind('.'))));
    if (!is_grad && !to_.names().defined(word_at(left)))
        if (const std::optional<Place> place = place_of(source_, left)) return store(s, *place, op, value);
    if (changes_entries(s, left, op, value)) return;
    if (const std::optional<Element> row = element_of(source_, left, to_.names()); row && op == '=')
        return begin_rows(left, *row, value);
    if (!is_grad && (target.empty() || identifier_length(target) != target.size()))
        fail(left, "the left of an assignment is a name, or X.grad");
    if (!of.empty()) return claim(s, left, op, of, value);
    const bool is_size = value->kind == Kind::name && to_.names().dims.contains(value->name) && here_ == 0;
    if (op == '=' && is_size && !to_.names().defined(name)) return file_.saved.keep(name, value, s);  // vocab_size = V
    const bool says_size = sizes_.contains(name) || size_name(*value, to_.proof()) == name;           // n = 4, n = x.shape[0]
    if (op == '=' && to_.names().dims.contains(name) && says_size) return;
    const bool keeps = is_tuple(*value) && is_sequence(*value);
    const bool keeps_one = value->kind == Kind::name && is_cache(name);
    if (op == '=' && (keeps || keeps_one) && !to_.names().defined(name)) return file_.saved.keep(name, value, s);
    if (const ExprPtr before = op != '=' ? own_value(s, name) : nullptr)
        return change_own(s, name, before, changed(s, before, op, in_terms_of(before, name, value)));
    if (op != '=') return define_anew(s, left, changed(s, proof::name(name), op, value), true);
    if (!to_.names().defined(name)) return define(s, left, value);
    const bool is_condition = condition_;
    define_anew(s, left, value, false);
    if (is_condition) file_.conditions.insert(name);
}

/// Whether a loop of the function above has carried the name on, or assigned its rows: h[t] = ....
bool Reader::is_filled_above(const std::string& name, const std::string& of) const {
    const bool claimed = !of.empty() && std::ranges::any_of(claims_, [&](const Claim& c) {
        return c.function == here_ && c.loop != 0 && without_indices(*c.left).name == of;
    });
    return claimed || carried_out_.contains({name, here_});
}

bool Reader::is_returned_below(Span s, const std::string& name) const {
    return std::ranges::any_of(statements_in(source_, {s.end, end_of_function(s.end)}), [&](Span line) {
        return word_at(line) == "return" && is_one_of(identifiers_in(source_.slice(line)), name);
    });
}

/// A name that has no value yet.
void Reader::define(Span s, Span left, const ExprPtr& value) {
    const std::string name(source_.slice(left));
    if (condition_) {  // which is no value that a gradient goes through
        file_.conditions.insert(name);
        return file_.saved.keep(name, value, s);
    }
    to_.expect_free(name, left, true, true);
    aliases_.assigned(name, *value);
    Expr n = node(Kind::name, {}, name);
    n.span = left;
    const Equality e{make(std::move(n)), value, {}, nullptr};
    const bool by_gradients = contains(*value, Kind::gradient) || any_part(*value, [&](const Expr& part) {
                                  return part.kind == Kind::helper && to_.names().helpers.contains(part.name);
                              });
    if (!by_gradients && states_loss(name, *value)) return to_.assign(at(s), name, e, true);
    const bool late_loss =
        here_ != 0 && to_.names().loss.empty() && (name == loss_ || to_.names().is_loss(name));  // below grad()
    if (backward_ || (!claims_.empty() && !is_again_ && !late_loss) || by_gradients) {
        to_.define_helper(name, left, e, at(s));
        // m = N * H * W, whether a line uses it or not
        if (is_of_sizes(*value, to_.names().dims) && !may_be_gradient(name) && !is_returned_below(s, name)) to_.uses(name);
        return;
    }
    const bool called_so = name == loss_ || (to_.names().is_loss(name) && !is_given_gradient_of(name));
    const bool is_loss = called_so && to_.names().loss.empty();
    to_.assign(at(s), name, e, is_loss);
    function_[name] = here_;
}

}  // namespace gradproof::proof::numpy
