// Entries at places that an array says, in a loop over its steps: x[t][inputs[t]] = 1, dy[targets[t]] -= 1, ds[i, y[i]] -= 1.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/places.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Of x[t][k] where the last bracket opens.
std::size_t last_bracket(std::string_view text) {
    int depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        if (text[i] == ']') ++depth;
        if (text[i] == '[' && --depth == 0) return i;
    }
    return text.size();
}

}  // namespace

/// `before` with another entry at the place.
ExprPtr Reader::changed_at_place(const LoopBody::Line& line, const ExprPtr& before, const std::vector<ExprPtr>& at,
                                 const ExprPtr& value) {
    const std::optional<AxisNames> axes = axis_names(*before, to_.proof());
    const std::optional<AxisNames> of_value = axis_names(*value, to_.proof());
    const bool column = axes && axes->size() == 2 && axes->back() == "1";
    const bool whole = at.size() == 1 || (at.size() == 2 && column && is_number(*at[1], 0));
    if (!axes || (axes->size() != 1 && !column) || !whole || !is_place(*at[0], to_.proof()) || !of_value || !of_value->empty())
        fail(line.left, fmt::format("{} is read of a vector or a column, and a number is put there", source_.slice(line.left)));
    ExprPtr there = one_at(*at[0], axes->front(), before, 0, to_.names());
    if (column) there = over_axis("expand_dims", there, 1);
    const ExprPtr scaled = signed_number(*value) == 1 ? there : product(value, '*', there);
    if (line.op == '+' || line.op == '-') return sum(before, line.op, scaled);
    if (line.op == '=' && is_zero(*before)) return scaled;
    return call("where", {there, changed(line.all, before, line.op, value), before});
}

/// Whether the line changes an entry at a place of what the step has assigned before, or of each row of a gradient.
bool Reader::changes_place(Pass& pass, const LoopBody::Line& line) {
    const std::string_view left = source_.slice(line.left);
    const std::size_t open = last_bracket(left);
    if (line.op == 0 || line.appends || !left.ends_with("]") || has_text_key(left) || open >= left.size()) return false;
    if (left.find(':', open) != std::string_view::npos) return false;
    const Span base = trimmed(source_, {line.left.begin, line.left.begin + open});
    const ExprPtr inside = expression({line.left.begin + open + 1, line.left.end - 1});
    const std::vector<ExprPtr> at = inside->kind == Kind::array ? inside->children : std::vector<ExprPtr>{inside};
    if (std::ranges::none_of(at, [&](const ExprPtr& e) { return is_place(*e, to_.proof()); })) return false;
    if (line.when.end > 0) fail(line.all, "in a branch of a loop names are assigned, and gradients added to");
    const ExprPtr value = expression(line.right);
    const std::string name(source_.slice(base));
    if (pass.held && source_.slice(pass.held->line.left) == name) {
        const Held held = *std::exchange(pass.held, std::nullopt);
        const std::optional<Element> row = element_of(source_, held.line.left, to_.names());
        assign_row(pass, held.line, *row, "", changed_at_place(line, held.value, at, value));
        return true;
    }
    if (changes_claimed_row(pass, line, name, at, value)) return true;
    if (const auto local = pass.local.find(local_key(name)); local != pass.local.end()) {
        expect_no_alias(pass, line, name, *local->second.value);
        local->second.value = changed_at_place(line, local->second.value, at, value);
        local->second.parts += 8;
        return true;
    }
    return changes_each_row(pass, line, name, at, value);
}

/// dy = np.copy(p[t]), dy[target[t]] -= 1, of a y[t] that has rows: the gradient is what both lines give.
bool Reader::changes_claimed_row(const Pass& pass, const LoopBody::Line& line, const std::string& name,
                                 const std::vector<ExprPtr>& at, const ExprPtr& value) {
    const std::string of = gradient_named(name);
    const auto row = pass.local.find(gradient_key(of));
    if (of.empty() || row == pass.local.end()) return false;
    const std::string left = text_of(*row->second.value);
    const auto before = std::find_if(claims_.rbegin(), claims_.rend(), [&](const Claim& c) { return text_of(*c.left) == left; });
    if (before == claims_.rend()) return false;
    const auto uses = [&](const Claim& c) { return any_part(*c.right, [&](const Expr& e) { return is_gradient_of(e, of); }); };
    if (std::any_of(claims_.rbegin(), before, uses)) fail(line.all, fmt::format("{} is used before this changes it", name));
    before->right = changed_at_place(line, before->right, at, value);
    before->span = line.all;
    return true;
}

/// for i in range(n): ds[i, y[i]] -= 1
bool Reader::changes_each_row(const Pass& pass, const LoopBody::Line& line, const std::string& name,
                              const std::vector<ExprPtr>& at, const ExprPtr& value) {
    const std::string of = gradient_named(name);
    const Loop& over = pass.over();
    const std::optional<AxisNames> axes = of.empty() ? std::nullopt : axis_names(of, to_.proof());
    const bool each = axes && axes->size() == 2 && at.size() == 2 && at[0]->kind == Kind::name && at[0]->name == over.index &&
                      at[1]->kind == Kind::index && is_place(*at[1], to_.proof()) && text_of(*at[1]->children[1]) == over.index &&
                      is_number(*over.first, 0) && size_name(*over.stop, to_.proof()) == axes->front();
    if (!each || !signed_number(*value) || (line.op != '+' && line.op != '-')) return false;
    const ExprPtr there = call("onehot", {at[1]->children[0], size_of(axes->back(), proof::name(of), 1, to_.names())});
    const ExprPtr scaled = signed_number(*value) == 1 ? there : product(value, '*', there);
    change_claim(line.all, {line.left.begin, line.left.begin + name.size()}, of, sum(gradient_of(of), line.op, scaled), true);
    return true;
}

}  // namespace gradproof::proof::numpy
