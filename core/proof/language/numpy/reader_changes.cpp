// Names that a program gives another value: y = f(y), y *= ..., y[mask] = ....
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/numpy/function_pairs.hpp"
#include "gradproof/core/proof/language/numpy/integers.hpp"
#include "gradproof/core/proof/language/numpy/places.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Entries where the mask holds, x[mask], as `to` makes them of x.
template <class To>
ExprPtr with_masked(const ExprPtr& value, const std::string& mask, To to) {
    return rewritten(value, [&](const Expr& e) -> ExprPtr {
        const bool masked = e.kind == Kind::index && e.children.size() == 2 && text_of(*e.children[1]) == mask;
        return masked ? to(e.children[0]) : nullptr;
    });
}

/// Whether a mask is made of one value entry by entry, and so has its shape.
bool is_mask_of(const Expr& mask, const std::string& value) {
    const bool by_entries = !any_part(mask, [](const Expr& e) {
        const bool call = e.kind == Kind::call && !is_elementwise(e.name);
        return call || e.kind == Kind::index || e.kind == Kind::transpose || e.kind == Kind::array || e.kind == Kind::helper;
    });
    return by_entries && names_in(mask) == std::set<std::string>{value};
}

/// Whether a bracket opens a list, [P], and no entries of something, P[0].
bool has_list(std::string_view text) {
    for (std::size_t i = text.find('['); i != std::string_view::npos; i = text.find('[', i + 1)) {
        const std::size_t before = text.substr(0, i).find_last_not_of(' ');
        if (before == std::string_view::npos) return true;
        const char c = text[before];
        if (identifier_length(text.substr(before)) == 0 && !(c >= '0' && c <= '9') && c != ')' && c != ']') return true;
    }
    return false;
}

}  // namespace

/// before += value and the like.
ExprPtr Reader::changed(Span s, const ExprPtr& before, char op, const ExprPtr& value) const {
    const Parser parser(source_, s, to_.names(), &file_);
    if (op == '+' && parser.is_list(*value))
        fail(s, "+= of a list joins it to a list: write np.array(...) for what is added entry by entry");
    if (op != '=' && parser.is_list(*before)) fail(s, "a list is changed in place as no array is: write np.array(...)");
    if (op == '+' || op == '-') return sum(before, op, value);
    if (op == '*' || op == '/') return product(before, op, value);
    if (op == '=') return value;
    fail(s, fmt::format("{}= is not read: write it as {} = ...", op, one_line({s.begin, assignment_in(source_, s).first})));
}

/// x[mask] = ... and x[np.arange(n), t] -= ...; nullptr for other entries.
ExprPtr Reader::changed_entries(Span left, const ExprPtr& before, char op, const ExprPtr& value) {
    const std::size_t open = source_.text().find('[', left.begin);
    Parser parser(source_, {open + 1, left.end - 1}, to_.names(), &file_);
    const ExprPtr inside = parser.whole();
    const Proof& proof = to_.proof();
    const std::optional<AxisNames> axes = axis_names(*before, proof);
    if (parser.is_condition(inside)) {
        const std::optional<AxisNames> of_mask = axis_names(*inside, proof);
        const std::string mask = text_of(*inside);
        if (!(axes && of_mask && *axes == *of_mask) && !is_mask_of(*inside, before->name))
            fail(left, fmt::format("{} is read where the mask has the shape of what it stands behind", source_.slice(left)));
        const ExprPtr one = with_masked(value, mask, [](const ExprPtr&) { return number(1); });
        if (!has_no_axes(*one, proof))
            fail(left, fmt::format("behind {} = a number is read, and entries at the same mask", source_.slice(left)));
        const ExprPtr there = with_masked(value, mask, [](const ExprPtr& x) { return x; });
        return call("where", {inside, changed(left, before, op, there), before});
    }
    const bool entry_of_each = inside->kind == Kind::array && inside->children.size() == 2 && axes && axes->size() == 2 &&
                               are_places(*inside->children[1], proof) &&
                               each_row(*inside->children[0], *inside->children[1], *axes, proof);
    if (!entry_of_each) return nullptr;
    const std::optional<AxisNames> of_value = axis_names(*value, proof);
    const bool of_rows = of_value && of_value->size() == 1 && of_value->front() == axes->front();
    if (!of_rows && !has_no_axes(*value, proof))
        fail(left, fmt::format("behind {} {}= a number is read, or one of each row", source_.slice(left),
                               op == '=' ? "" : std::string(1, op)));
    const ExprPtr number_there = of_rows ? over_axis("expand_dims", value, 1) : value;
    const ExprPtr size = over_axis("axis_size", before, 1);
    const ExprPtr there = call("onehot", {inside->children[1], size});
    if (op == '+' || op == '-') return sum(before, op, signed_number(*value) == 1 ? there : product(number_there, '*', there));
    return call("where", {there, changed(left, before, op, number_there), before});
}

/// Entries of a gradient, or of a value of the forward. Whether they are of that kind.
bool Reader::changes_entries(Span s, Span left, char op, const ExprPtr& value) {
    const std::string_view target = source_.slice(left);
    const std::string name(word_at(left));
    if (name.empty() || !target.substr(name.size()).starts_with("[") || !target.ends_with("]")) return false;
    const Span whole_left{left.begin, left.begin + name.size()};
    const std::string of = gradient_named(name);
    if (!of.empty()) {
        const ExprPtr whole = gradient_of(of);
        const ExprPtr after = changed_entries(left, whole, op, value);
        if (!after) return false;
        begin_at_zero(of);
        change_claim(s, whole_left, of, after, true);
        return true;
    }
    const auto expect_room_in = [&](const Expr& made) {
        if (may_hold_integers(made, to_.proof()) && !may_hold_integers(*value, to_.proof()))
            fail(s, fmt::format("{} holds integers, and what is put into it is cut off: say dtype=float", name));
    };
    if (const ExprPtr before = own_value(s, name)) {
        expect_room_in(before->kind == Kind::helper && !before->children.empty() ? *before->children[0] : *before);
        const ExprPtr after = changed_entries(left, before, op, in_terms_of(before, name, value));
        if (after) change_own(s, name, before, after);
        return after != nullptr;
    }
    if (const ExprPtr zeros = zeros_to_fill(s, name)) {
        const ExprPtr after = changed_entries(left, zeros, op, value);
        if (after) define(s, whole_left, after);
        return after != nullptr;
    }
    const Assignment* const array = to_.proof().find(name);
    if (array == nullptr) return false;
    expect_room_in(*array->value);
    const ExprPtr whole = proof::name(name), after = changed_entries(left, whole, op, value);
    if (after) define_anew(s, whole_left, after, true);
    return after != nullptr;
}

/// With what the forward computes values of, as far as a text of so many parts holds it.
ExprPtr Reader::written_out(ExprPtr e) const {
    constexpr std::size_t kMostWritten = 400;
    for (auto a = to_.proof().forward.rbegin(); a != to_.proof().forward.rend() && parts_of(*e) < kMostWritten; ++a)
        if (a->indices.empty() && mentions(*e, a->name)) e = with_name_as(e, a->name, a->value);
    return e;
}

/// norm = (x - mean) * rstd in the backward, where the forward says the same, maybe in several lines.
bool Reader::computes_again(const Assignment& before, const ExprPtr& value) const {
    if (any_part(*value, [](const Expr& part) { return part.kind == Kind::name && part.name.starts_with("(draw of"); }))
        return false;
    const std::vector<std::string> words = identifiers_in(text_of(*value));
    const bool of_its_own = std::ranges::any_of(words, [&](const std::string& word) { return file_.locals.contains(word); });
    const auto text = [](const ExprPtr& e) { return written(*e, Notation::notation); };
    return (!of_its_own && text_of(*before.value) == text_of(*value)) ||
           (before.indices.empty() && text(written_out(before.value)) == text(written_out(value)));
}

/// Whether a function gives a name of another one a value of its own, and speaks of no gradient of it.
bool Reader::is_local(Span s, const std::string& name) const {
    const auto function = function_.find(name);
    if (here_ == 0 || function == function_.end() || function->second == here_ || function->second == 0) return false;
    const std::vector<std::string> words = identifiers_in(source_.slice({s.end, end_of_function(s.end)}));
    return std::ranges::none_of(words, [&](const std::string& word) { return gradient_named(word) == name; });
}

/// What a line says of such an array, with the name of what it is before in the place of its own.
ExprPtr Reader::in_terms_of(const ExprPtr& before, const std::string& name, const ExprPtr& value) {
    return rewritten(value, [&](const Expr& e) { return e.kind == Kind::helper && e.name == name ? before : nullptr; });
}

/// Whether a function has made an array for itself, and nothing else that stands in it may be a name of that.
bool Reader::is_made_here(Span s, const std::string& name) const {
    bool made = false;
    for (const Span line : statements_in(source_, {here_ == 0 ? text_.begin : function_begin_, s.begin})) {
        const auto [at, size] = assignment_in(source_, line);
        const bool named = is_one_of(identifiers_in(source_.slice(line)), name);
        if (size == 0 && named && word_at(line) != "def" && !is_passed(line)) return false;  // kept.append(P)
        if (size == 0 || !named) continue;
        const std::string_view right = source_.slice({at + size, line.end});
        if (has_list(right) && is_one_of(identifiers_in(right), name)) return false;
        const std::vector<std::string> shared = arrays_shared_by(right);
        if (source_.slice(trimmed(source_, {line.begin, at})) == name)
            made = size > 1 ? made : shared.empty();
        else if (is_one_of(shared, name))
            return false;
    }
    return made;
}

/// Of P = np.exp(Z); P /= P.sum() in a function that computes gradients, what P is before that; nullptr of what is no array of
/// its own.
ExprPtr Reader::own_value(Span s, const std::string& name) const {
    if (here_ == 0 || loop_ != 0 || !is_made_here(s, name)) return nullptr;
    const auto wrapped = [&](ExprPtr value) {
        return make(node(Kind::helper, {std::move(value)}, fmt::format("({} above line {})", name, source_.line(s.begin))));
    };
    const auto fresh = [](const ExprPtr& value) { return names_of_array(*value).empty(); };
    const auto local = file_.locals.find(name);
    const auto helper = to_.names().helpers.find(name);
    const ExprPtr said = local != file_.locals.end()           ? local->second
                         : helper != to_.names().helpers.end() ? helper->second
                                                               : nullptr;
    const bool is_whole = said && said->kind == Kind::helper && said->name == name;
    const ExprPtr before = is_whole && said->bound.empty() ? said->children[0] : said;
    if (before) return fresh(before) ? wrapped(before) : nullptr;
    return backward_ && to_.proof().find(name) != nullptr && is_local(s, name) ? wrapped(proof::name(name)) : nullptr;
}

/// Y = np.zeros((n, k)) above Y[np.arange(n), y] = 1; nullptr of others.
ExprPtr Reader::zeros_to_fill(Span s, const std::string& name) const {
    const auto zeros = filled_with_.find(name);
    const bool is_free = zeros != filled_with_.end() && zeroed_.contains(name) && loop_ == 0 && !to_.names().defined(name);
    return is_free && is_made_here(s, name) ? zeros->second : nullptr;
}

/// The name stands for this to the end of the function.
void Reader::bind_own(const std::string& name, const ExprPtr& value) {
    file_.locals[name] = make(node(Kind::helper, {value}, name));
}

/// An array of the function is changed in place.
void Reader::change_own(Span s, const std::string& name, const ExprPtr& before, const ExprPtr& after) {
    const Expr& held = before->kind == Kind::helper ? *before->children[0] : *before;
    if (holds_integers(held, to_.proof()) && !holds_integers(*after, to_.proof()))
        fail(s, fmt::format("{} holds integers, and what is put into it is cut off: say dtype=float", name));
    bind_own(name, after);
}

/// P = P / P.sum() behind P = np.exp(Z) in one function, and P = ... of a function where another one has a P. Whether it is so.
bool Reader::rebinds_own(const std::string& name, const ExprPtr& value) {
    const auto helper = to_.names().helpers.find(name);
    if (here_ == 0 || loop_ != 0 || condition_ || helper == to_.names().helpers.end() || !helper->second->bound.empty())
        return false;
    const ExprPtr before = file_.locals.contains(name) ? file_.locals[name] : helper->second;
    const ExprPtr old = make(node(Kind::helper, before->children, fmt::format("({} before)", name)));
    aliases_.assigned(name, *value);
    file_.conditions.erase(name);
    bind_own(name, in_terms_of(old, name, value));
    return true;
}

/// z = z - z.max(axis=1, keepdims=True) of an input z: what follows is computed of that, and dz is the gradient by the input.
bool Reader::is_shifted_by_maximum(const std::string& name, const Expr& value) {
    if (value.kind != Kind::sum || value.joints != "+-" || value.children[0]->kind != Kind::name ||
        value.children[0]->name != name)
        return false;
    const Expr& by = *value.children[1];
    return by.kind == Kind::call && by.name == "max" && by.children[0]->kind == Kind::name && by.children[0]->name == name;
}

/// A value of the forward is computed anew, maybe from what it was: that gets another name, which no line can say.
void Reader::define_anew(Span s, Span left, const ExprPtr& value, bool in_place) {
    const std::string name(source_.slice(left));
    const Assignment* const before = to_.proof().find(name);
    if (backward_ && !in_place && before != nullptr && computes_again(*before, value)) return;
    const auto function = function_.find(name);
    const bool goes_on = claims_.empty() || is_of_loss(name);
    const bool told = before != nullptr && before->indices.empty() && goes_on && !backward_ && function != function_.end() &&
                      function->second == here_;
    if (!told && !in_place && is_local(s, name)) {
        const bool again = before != nullptr && computes_again(*before, value);
        if (!again && !backward_ && (returned_.contains(name) || results_.contains(name) || is_of_loss(name)))
            other_forward_ = fmt::format("line {} computes another {}: {}", source_.line(s.begin), name, kSeveral);
        file_.locals[name] = value;
        return;
    }
    if (!told && !in_place && rebinds_own(name, value)) return;
    if (!told && !in_place && here_ != 0 && is_input(name) && is_shifted_by_maximum(name, *value)) return bind_own(name, value);
    if (!told && in_place) fail(s, fmt::format("{} is changed in place: give the result a name of its own", name));
    if (!told && to_.names().dims.contains(name))
        fail(left, fmt::format("{} is the name of a size, which a comment declares: give one of the two another name", name));
    if (!told) fail(left, fmt::format("{} is assigned again: give it another name", name));
    if (in_place) change_others(name, s);
    const std::string old = to_.supersede(name);
    file_.saved.rename(name, old, in_place);
    file_.conditions.erase(name);
    is_again_ = true;
    define(s, left, renamed(value, name, old));
    is_again_ = false;
}

}  // namespace gradproof::proof::numpy
