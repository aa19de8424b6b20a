// Places in an expression and elementary changes there.
#include "gradproof/core/proof/language/edits.hpp"

#include <algorithm>

namespace gradproof::proof {
namespace {

void collect(const ExprPtr& e, const Place& here, std::vector<Place>& out) {
    out.push_back(here);
    if (e->kind == Kind::array || e->kind == Kind::delta || e->kind == Kind::jacobian || e->kind == Kind::helper) return;
    const std::size_t last = e->kind == Kind::index || e->kind == Kind::power ? 1 : e->children.size();
    for (std::size_t i = 0; i < last; ++i) {
        Place below;
        below.node = e->children[i];
        below.in_reduction = here.in_reduction || is_reduction(*e);
        below.is_term = e->kind == Kind::sum;
        below.below_term = here.below_term || below.is_term;
        below.in_row_term = here.in_row_term || (here.below_term && is_reduction(*e));
        below.is_factor = e->kind == Kind::product;
        below.is_argument = e->kind == Kind::call && e->children.size() > 1;
        below.with = [e, i, outer = here.with](const ExprPtr& n) {
            std::vector<ExprPtr> children = e->children;
            children[i] = n;
            return outer(with_children(*e, std::move(children)));
        };
        collect(e->children[i], below, out);
    }
}

}  // namespace

std::vector<Place> places(const ExprPtr& e) {
    std::vector<Place> out;
    Place root;
    root.node = e;
    root.with = [](const ExprPtr& n) { return n; };
    collect(e, root, out);
    return out;
}

ExprPtr rewritten(const ExprPtr& e, const std::function<ExprPtr(const Expr&)>& f) {
    if (const ExprPtr other = f(*e)) return other;
    if (e->kind == Kind::helper) return e;
    std::vector<ExprPtr> children;
    bool changed = false;
    for (const ExprPtr& c : e->children) {
        children.push_back(rewritten(c, f));
        changed = changed || children.back() != c;
    }
    return changed ? with_children(*e, std::move(children)) : e;
}

ExprPtr gradient_of(std::string value) { return make(node(Kind::gradient, {}, std::move(value))); }
bool is_gradient_of(const Expr& e, std::string_view value) { return e.kind == Kind::gradient && e.name == value; }
ExprPtr array_of(std::vector<ExprPtr> entries) { return make(node(Kind::array, std::move(entries))); }

ExprPtr entry(const ExprPtr& of, const std::vector<ExprPtr>& indices) {
    Expr e = node(Kind::index, {of});
    e.children.insert(e.children.end(), indices.begin(), indices.end());
    return make(std::move(e));
}

ExprPtr entry_at(const ExprPtr& of, const std::vector<std::string>& indices) {
    std::vector<ExprPtr> at;
    for (const std::string& i : indices) at.push_back(name(i));
    return at.empty() ? of : entry(of, at);
}

const Expr& without_indices(const Expr& e) { return e.kind == Kind::index ? *e.children[0] : e; }

ExprPtr delta(const ExprPtr& a, const ExprPtr& b) { return make(node(Kind::delta, {a, b})); }

ExprPtr power_of(const ExprPtr& base, const ExprPtr& exponent) { return make(node(Kind::power, {base, exponent})); }
ExprPtr squared(const ExprPtr& x) { return power_of(x, number(2)); }

ExprPtr times(const ExprPtr& a, char joint, const ExprPtr& x) {
    return joint != '/' && is_number(*a, 1) ? x : product(a, joint, x);
}
ExprPtr one_minus(const ExprPtr& x) { return sum(number(1), '-', x); }
ExprPtr ceiling(const ExprPtr& x) { return negate(call("floor", {negate(x)})); }

ExprPtr plus_term(const ExprPtr& a, const ExprPtr& b) {
    if (b->kind == Kind::negate) return sum(a, '-', b->children[0]);
    if (b->kind != Kind::sum) return sum(a, '+', b);
    ExprPtr out = a;
    for (std::size_t i = 0; i < b->children.size(); ++i) out = sum(out, b->joints[i], b->children[i]);
    return out;
}

ExprPtr with_opposite_sign(const ExprPtr& e) {
    const auto is_difference = [](const ExprPtr& x) {
        return x->kind == Kind::sum && x->children.size() == 2 && x->joints[0] != '-' && x->joints[1] == '-';
    };
    if (is_difference(e)) return sum(e->children[1], '-', e->children[0]);
    if (e->kind == Kind::product)
        for (std::size_t i = 0; i < e->children.size(); ++i)
            if (is_difference(e->children[i])) return with_child(*e, i, with_opposite_sign(e->children[i]));
    return negate(e);
}
ExprPtr summed_over(const std::string& index, const ExprPtr& body) {
    Expr e = node(Kind::reduce, {body}, "sum");
    e.bound = {index};
    return make(std::move(e));
}

Option keep_option() { return {"keep", make(node(Kind::word, {}, "true")), {}}; }

ExprPtr call(std::string function, const ExprPtr& argument, std::vector<Option> options) {
    Expr e = *call(std::move(function), {argument});
    e.options = std::move(options);
    return make(std::move(e));
}
ExprPtr over_axis(std::string function, const ExprPtr& x, double axis) {
    return call(std::move(function), x, {{"axis", number(axis), {}}});
}

const Option* find_option(const Expr& call, std::string_view name) {
    const auto found = std::ranges::find(call.options, name, &Option::name);
    return found == call.options.end() ? nullptr : &*found;
}

bool is_number(const Expr& e, double value) { return e.kind == Kind::number && e.number == value; }
bool is_one_minus(const Expr& e) { return e.kind == Kind::sum && e.joints == "+-" && is_number(*e.children[0], 1); }

std::optional<double> signed_number(const Expr& e) {
    if (e.kind == Kind::number) return e.number;
    if (e.kind == Kind::negate && e.children[0]->kind == Kind::number) return -e.children[0]->number;
    return std::nullopt;
}

std::optional<IndexStep> step_of(const Expr& index) {
    if (index.kind == Kind::name) return IndexStep{index.name, 0};
    const bool moved = index.kind == Kind::sum && index.children.size() == 2 && index.children[0]->kind == Kind::name &&
                       index.joints[0] == '+' && index.children[1]->kind == Kind::number;
    if (!moved) return std::nullopt;
    const double by = index.children[1]->number;
    return IndexStep{index.children[0]->name, index.joints[1] == '-' ? -by : by};
}
ExprPtr size_of_last(const Expr& index) {
    const std::optional<IndexStep> step = step_of(index);
    return step && step->by == -1 ? index.children[0] : nullptr;
}
ExprPtr stepped(const std::string& index, double by) {
    return by == 0 ? name(index) : sum(name(index), by < 0 ? '-' : '+', number(by < 0 ? -by : by));
}

ExprPtr with_name_as(const ExprPtr& e, const std::string& from, const ExprPtr& to) {
    return rewritten(e, [&](const Expr& part) { return part.kind == Kind::name && part.name == from ? to : nullptr; });
}
ExprPtr renamed(const ExprPtr& e, const std::string& from, const std::string& to) { return with_name_as(e, from, name(to)); }

ExprPtr without(const Expr& e, std::size_t i) {
    if (e.kind == Kind::product && i == 0 && e.joints[1] == '/') return with_child(e, 0, number(1));
    Expr copy = e;
    copy.source.clear();
    copy.children.erase(copy.children.begin() + static_cast<std::ptrdiff_t>(i));
    copy.joints.erase(copy.joints.begin() + static_cast<std::ptrdiff_t>(i));
    if (copy.children.size() == 1)
        return e.kind == Kind::sum && copy.joints[0] == '-' ? negate(copy.children[0]) : copy.children[0];
    return make(std::move(copy));
}

std::vector<ExprPtr> without_a_factor(const ExprPtr& e) {
    std::vector<ExprPtr> out;
    for (const Place& p : places(e))
        for (std::size_t i = 0; p.node->kind == Kind::product && i < p.node->children.size(); ++i)
            out.push_back(p.with(without(*p.node, i)));
    return out;
}

ExprPtr with_child(const Expr& e, std::size_t i, const ExprPtr& child) {
    std::vector<ExprPtr> children = e.children;
    children[i] = child;
    return with_children(e, std::move(children));
}

ExprPtr with_joint(const Expr& e, std::size_t i, char joint) {
    Expr copy = e;
    copy.source.clear();
    copy.joints[i] = joint;
    return make(std::move(copy));
}

bool is_reduction(const Expr& e) {
    if (e.kind == Kind::reduce) return true;
    if (e.kind != Kind::call) return false;
    std::string_view name = e.name;
    if (name.starts_with("row") || name.starts_with("col")) name.remove_prefix(3);
    return name == "sum" || name == "mean" || name == "max" || name == "var" || name == "norm" || name == "logsumexp" ||
           name == "trace";
}

bool has_reduction(const Expr& e) { return any_part(e, is_reduction); }

bool is_plain_scalar(const Expr& e, const std::function<bool(const std::string&)>& is_scalar_name) {
    if (e.kind == Kind::number) return true;
    if (e.kind == Kind::name) return is_scalar_name(e.name);
    if (e.kind != Kind::sum && e.kind != Kind::product && e.kind != Kind::power && e.kind != Kind::negate && e.kind != Kind::call)
        return false;
    return !e.children.empty() && std::all_of(e.children.begin(), e.children.end(),
                                              [&](const ExprPtr& c) { return is_plain_scalar(*c, is_scalar_name); });
}

}  // namespace gradproof::proof
