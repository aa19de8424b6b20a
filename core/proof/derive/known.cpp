// Sizes, names and facts about the values of a proof.
#include "gradproof/core/proof/derive/known.hpp"

#include <algorithm>

#include "gradproof/core/proof/evaluate/orientation.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// The scope of a draw where gradients are zeros of the right shape: only shapes are asked for.
Scope<double> with_empty_gradients(const Instance& draw) {
    Scope<double> out = draw.scope();
    out.gradient = [values = out.values](const Expr& e) {
        const auto of = values.find(e.name);
        if (of == values.end()) throw NoRule(fmt::format("a gradient of what has no name: {}", e.name));
        return Tensor<double>(of->second.shape(), 0.0);
    };
    return out;
}

}  // namespace

ExprPtr unwritten(const ExprPtr& e) {
    Expr copy = *e;
    copy.source.clear();
    copy.spelling = nullptr;
    if (copy.kind == Kind::call && copy.name == "σ") copy.name = "sigmoid";
    for (ExprPtr& c : copy.children) c = unwritten(c);
    for (Option& o : copy.options) o.value = unwritten(o.value);
    return make(std::move(copy));
}

std::vector<int> own_steps(const Expr& formula, const Expr& own) {
    std::vector<int> out;
    for_each(formula, [&](const Expr& e) {
        if (e.kind != Kind::index || e.children[0]->kind != own.kind || e.children[0]->name != own.name) return;
        out.resize(e.children.size() - 1);
        for (std::size_t i = 1; i < e.children.size(); ++i) {
            const Expr& at = *e.children[i];
            if (at.kind == Kind::sum && at.joints.size() == 2) out[i - 1] = at.joints[1] == '-' ? -1 : 1;
        }
    });
    return out;
}

ExprPtr left_of(const Assignment& a) {
    std::vector<ExprPtr> at;
    for (const std::string& i : a.indices) at.push_back(name(i));
    return at.empty() ? name(a.name) : entry(name(a.name), at);
}

std::vector<std::string> indices_of(const Expr& left) {
    std::vector<std::string> out;
    for (std::size_t i = 1; left.kind == Kind::index && i < left.children.size(); ++i) out.push_back(left.children[i]->name);
    return out;
}

Axes broadcast(const Axes& a, const Axes& b) {
    Axes out = a.size() >= b.size() ? a : b;
    const Axes& shorter = a.size() >= b.size() ? b : a;
    for (std::size_t i = 1; i <= shorter.size(); ++i)
        if (out[out.size() - i] == kSizeOne) out[out.size() - i] = shorter[shorter.size() - i];
    return out;
}

Known::Known(const Proof& proof) : proof_(proof), plan_(proof) {
    for (std::size_t i = 0; i < kSizeDraws; ++i) {
        draws_.push_back(std::make_unique<Instance>(proof, plan_, InstanceOptions{}, static_cast<int>(i)));
        scopes_.push_back(with_empty_gradients(*draws_.back()));
    }
    for (const Assignment& a : proof.forward) {
        forward_.push_back(a);
        forward_.back().value = unwritten(a.value);
        const Kind kind = forward_.back().value->kind;
        if (a.indices.empty() && kind != Kind::name && kind != Kind::number)
            named_.emplace(text_of(*forward_.back().value), a.name);
    }
    const auto add = [&](const ExprPtr& e) {
        AxisSize axis{};
        for (std::size_t i = 0; i < kSizeDraws; ++i)
            axis[i] = static_cast<Index>(Evaluator<double>(scopes_[i]).matrix(*e).value()[0]);
        sizes_.emplace_back(unwritten(e), axis);
    };
    for (const Dim& d : proof.dims) add(name(d.name));
    for (const Given& g : proof.given)
        for (const ExprPtr& e : g.shape) add(e);
}

const Assignment* Known::find(const std::string& name) const {
    const auto found = std::ranges::find(forward_, name, &Assignment::name);
    return found == forward_.end() ? nullptr : &*found;
}

Shape Known::shape_in_draw(std::size_t draw, const Expr& e) const {
    const std::set<std::string> names = free_names_in(e);
    const auto is_index = [&](const std::string& n) { return !is_value(n) && !constant_named(n); };
    if (std::ranges::none_of(names, is_index)) return Evaluator<double>(scopes_[draw]).matrix(e).shape();
    // Which row it is does not matter.
    const ExprPtr at_first = rewritten(make(Expr(e)), [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::index || part.children[0]->kind == Kind::index) return nullptr;
        std::vector<ExprPtr> children = part.children;
        for (std::size_t i = 1; i < children.size(); ++i)
            if (children[i]->kind != Kind::slice &&
                std::ranges::any_of(names, [&](const std::string& n) { return is_index(n) && mentions(*children[i], n); }))
                children[i] = number(0);
        const bool plain = children[0]->kind == Kind::name || children[0]->kind == Kind::gradient;
        return plain ? with_children(part, std::move(children)) : nullptr;
    });
    if (const std::optional<Shape> shape = shape_in(scopes_[draw], *at_first)) return *shape;
    throw NoRule("it has no value at one place alone");
}

std::size_t Known::together_from(std::size_t first, std::size_t count,
                                 const std::function<std::string(std::size_t)>& name_of) const {
    const Assignment* const a = find(name_of(first));
    std::size_t n = 1;
    for (; a != nullptr && first + n < count; ++n)
        if (const Assignment* b = find(name_of(first + n)); b == nullptr || !a->is_with(*b)) break;
    return n;
}

bool Known::is_by_rows(const Expr& e) const {
    const auto below = [&](std::size_t from) {
        return std::any_of(e.children.begin() + static_cast<std::ptrdiff_t>(from), e.children.end(),
                           [&](const ExprPtr& c) { return is_by_rows(*c); });
    };
    const auto is_array = [&](const Expr& of) {
        const bool named = of.kind == Kind::name || of.kind == Kind::gradient;
        return named && scopes_[0].values.contains(of.name) && !axes_of(of.name).empty();
    };
    if (is_array(e)) return true;
    if (e.kind != Kind::index || !is_array(*e.children[0])) return below(0);
    const auto is_slice = [](const ExprPtr& c) { return c->kind == Kind::slice; };
    return e.children.size() <= axes_of(e.children[0]->name).size() || std::ranges::any_of(e.children, is_slice);
}

const Axes& Known::axes(const ExprPtr& e) const {
    const auto found = axes_.find(e.get());
    if (found != axes_.end()) return found->second.second;
    Axes out;
    for (std::size_t i = 0; i < kSizeDraws; ++i) {
        try {
            const Shape shape = shape_in_draw(i, *e);
            out.resize(static_cast<std::size_t>(shape.rank()));
            for (std::size_t a = 0; a < out.size(); ++a) out[a][i] = shape[static_cast<int>(a)];
        } catch (const std::invalid_argument& error) {
            no_rule("{} does not fit: {}", text_of(*e), error.what());
        }
    }
    return axes_.emplace(e.get(), std::pair{e, std::move(out)}).first->second.second;
}

const Axes& Known::axes_of(const std::string& value) const { return axes(name(value)); }

bool Known::is_plain(const Expr& e) const {
    return !any_part(e, [](const Expr& part) { return part.kind == Kind::index; }) &&
           is_plain_scalar(e, [&](const std::string& n) { return !scopes_[0].values.contains(n); });
}

ExprPtr Known::size(const AxisSize& axis) const {
    for (const auto& [e, of] : sizes_)
        if (of == axis) return e;
    if (axis == AxisSize{axis[0], axis[0], axis[0]}) return number(static_cast<double>(axis[0]));
    no_rule("a size has no name");
}

std::string Known::name_of(const Expr& e) const {
    if (e.kind == Kind::name || e.kind == Kind::number) return "";
    const auto found = named_.find(text_of(e));
    return found == named_.end() ? "" : found->second;
}

bool Known::sums_to_one(const Expr& e) const {
    if (e.kind == Kind::call)
        return e.name == "softmax" &&
               std::ranges::none_of(e.options, [](const Option& o) { return o.name == "axis" || o.name == "axes"; });
    if (e.kind != Kind::name) return false;
    if (const Assignment* a = find(e.name)) return a->indices.empty() && sums_to_one(*a->value);
    const auto given = std::ranges::find(proof_.given, e.name, &Given::name);
    return given != proof_.given.end() && (given->fill == Fill::onehot || given->fill == Fill::distribution) &&
           !given->differentiable;
}

bool Known::sums_to_zero(const ExprPtr& e, std::size_t from_last) const {
    const auto resolved = [&](const ExprPtr& x) {
        const Assignment* a = x->kind == Kind::name ? find(x->name) : nullptr;
        return a && a->indices.empty() ? a->value : x;
    };
    const ExprPtr x = resolved(e);
    if (x->kind == Kind::product) {
        for (std::size_t i = 1; i < x->children.size(); ++i) {
            const Axes& of = axes(x->children[i]);
            if (x->joints[i] == '@' && !of.empty()) return false;
            if (of.size() >= from_last && of[of.size() - from_last] != kSizeOne) return false;
        }
        return sums_to_zero(x->children[0], from_last);
    }
    if (x->kind != Kind::sum || x->children.size() != 2 || x->joints[0] == '-' || x->joints[1] != '-') return false;
    const ExprPtr mean = resolved(x->children[1]);
    const bool is_mean = mean->kind == Kind::call && mean->options.empty() &&
                         (mean->name == (from_last == 1   ? "rowmean"
                                         : from_last == 2 ? "colmean"
                                                          : "") ||
                          (mean->name == "mean" && axes(x).size() == 1));
    return is_mean && text_of(*mean->children[0]) == text_of(*x->children[0]);
}

std::map<std::string, ExprPtr> sizes_of_indices(const Known& known, const Expr& e) {
    std::map<std::string, ExprPtr> out;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::reduce && part.bound.size() == 1 && part.options.size() == 1)
            out[part.bound[0]] = part.options[0].value;
        if (part.kind != Kind::index) return;
        const Axes& of = known.axes(part.children[0]);
        for (std::size_t i = 1; i < part.children.size() && i <= of.size(); ++i)
            if (part.children[i]->kind == Kind::name) out.emplace(part.children[i]->name, known.size(of[i - 1]));
    });
    return out;
}

bool Known::is_taken(const std::string& name) const {
    return is_value(name) || name == "e" || name == "d" || name == "pi" || name == "π" || name == "L";
}

}  // namespace gradproof::proof
