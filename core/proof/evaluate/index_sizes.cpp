// How far indices run.
#include "gradproof/core/proof/evaluate/index_sizes.hpp"

#include <algorithm>

#include "gradproof/core/proof/evaluate/evaluate.hpp"

namespace gradproof::proof {
namespace {

/// A helper has indices of its own.
void for_each_outside_helpers(const Expr& e, const std::function<void(const Expr&)>& f) {
    f(e);
    if (e.kind == Kind::helper) return;
    for (const ExprPtr& c : e.children) for_each_outside_helpers(*c, f);
    for (const Option& o : e.options) for_each_outside_helpers(*o.value, f);
}

}  // namespace

/// Within a sum, what it binds is an index, also where a size has that name.
bool IndexSizes::is_index(const Expr& e, const std::vector<std::string>& bound) const {
    if (e.kind != Kind::name || where_.values(e.name)) return false;
    return !where_.sizes.contains(e.name) || std::find(bound.begin(), bound.end(), e.name) != bound.end();
}

/// Those that stand at axes: of an array X[i,j], of ∂A[i,j]/∂S[i,k].
void IndexSizes::collect_axes(const Expr& e, Sizes& sizes, const std::vector<std::string>& bound) const {
    const bool jacobian = e.kind == Kind::jacobian;
    if (jacobian && e.children.empty()) return;  // as a whole: no indices to learn of
    const std::size_t first = jacobian ? 0 : 1;
    const Shape shape = where_.shape(jacobian ? e : *e.children[0]);
    const std::string of = jacobian ? "∂" + e.name + "/∂" + e.other : text_of(*e.children[0]);
    const std::size_t rank = static_cast<std::size_t>(shape.rank()), given = e.children.size() - first;
    // The axis that rowsum and its like keep may be left out.
    bool kept_only = given > 0 && !jacobian;
    for (std::size_t a = given; a < rank; ++a) kept_only = kept_only && shape[static_cast<int>(a)] == 1;
    if (given > rank || (given < rank && !where_.rows && !kept_only))
        refuse_shape(e, "{} is {}: it takes {} indices, got {}", of, named_shape(shape, where_.sizes), rank, given);
    for (std::size_t i = first; i < e.children.size(); ++i) {
        const Expr& at = *e.children[i];
        if (at.kind == Kind::slice && where_.rows) continue;
        if (at.kind == Kind::slice) refuse(at, "an index is needed here, : is for matrix form");
        if (!is_index(at, bound)) continue;
        // Of a Jacobian in rows, the indices of x begin where the axes of y end.
        const bool by = jacobian && where_.rows && i >= e.split;
        const std::size_t skipped = by ? static_cast<std::size_t>(where_.rank(e.name)) - e.split : 0;
        const Index size = shape[static_cast<int>(i - first + skipped)];
        const auto [known, fresh] = sizes.emplace(at.name, size);
        if (!fresh && known->second != size)
            refuse_shape(at, "index {} runs over {} at {}, and over {} elsewhere", at.name, size, of, known->second);
    }
}

void IndexSizes::bind(const Expr& reduction, std::vector<std::string>& bound) const {
    for (const std::string& b : reduction.bound) {
        if (where_.values(b)) refuse_shape(reduction, "{} is bound by the sum, and names something else too", b);
        if (std::find(bound.begin(), bound.end(), b) != bound.end()) refuse_shape(reduction, "index {} is bound twice", b);
        bound.push_back(b);
    }
}

/// Whether an index stands in it: (x[t] W)[0:2] has no value but at a step.
bool IndexSizes::uses_index(const Expr& e, const std::vector<std::string>& bound) const {
    if (e.kind == Kind::helper) return false;
    if (is_index(e, bound)) return !constant_named(e.name);
    const auto below = [&](const ExprPtr& c) { return uses_index(*c, bound); };
    return std::ranges::any_of(e.children, below);
}

void IndexSizes::collect(const Expr& e, Sizes& sizes, std::vector<std::string>& bound) {
    if (e.kind == Kind::helper) return;  // its indices are its own
    if (e.kind == Kind::index && where_.rows && uses_index(*e.children[0], bound)) return collect(*e.children[0], sizes, bound);
    if (e.kind == Kind::index || e.kind == Kind::jacobian) collect_axes(e, sizes, bound);
    if (e.kind == Kind::reduce) return collect_sum(e, sizes, bound);
    for (std::size_t i = e.kind == Kind::index ? 1 : 0; i < e.children.size(); ++i) collect(*e.children[i], sizes, bound);
}

void IndexSizes::collect_sum(const Expr& e, Sizes& sizes, std::vector<std::string>& bound) {
    const std::size_t outside = bound.size();
    bind(e, bound);
    Sizes before;  // of the same letters in sums beside it
    for (const std::string& b : e.bound)
        if (auto node = sizes.extract(b)) before.insert(std::move(node));
    collect(*e.children[0], sizes, bound);
    Sizes& own = sums_[&e];
    own.clear();
    for (const std::string& b : e.bound)
        if (const auto at = sizes.find(b); at != sizes.end()) own.insert(*at);
    for (const auto& [b, size] : before) sizes.insert_or_assign(b, size);
    bound.resize(outside);
}

/// An index that is only compared with another, as i in Σ_{j<=i} x[j], runs as far as that one.
void IndexSizes::share(const Expr& e, Sizes& sizes) const {
    const Expr* compared = e.kind == Kind::delta ? &e : nullptr;
    if (e.kind == Kind::call && e.name == "step" && e.children[0]->kind == Kind::sum) compared = e.children[0].get();
    if (compared == nullptr) return;
    std::vector<const Expr*> names;
    for (const ExprPtr& c : compared->children)
        if (c->kind != Kind::number) names.push_back(c.get());
    if (names.size() != 2 || names[0]->kind != Kind::name || names[1]->kind != Kind::name) return;
    const auto take = [&](const Expr& from, const Expr& to) {
        if (const auto known = sizes.find(from.name); known != sizes.end() && is_index(to, {}) && !constant_named(to.name))
            sizes.emplace(to.name, known->second);
    };
    take(*names[0], *names[1]);
    take(*names[1], *names[0]);
}

std::map<std::string, Index> IndexSizes::of(const Expr& e, std::map<std::string, Index> known) {
    std::vector<std::string> bound;
    for (const auto& [index, size] : known) bound.push_back(index);
    collect(e, known, bound);
    for_each_outside_helpers(e, [&](const Expr& part) { share(part, known); });
    for_each_outside_helpers(e, [&](const Expr& part) {
        if (part.kind != Kind::reduce) return;
        for (const Option& o : part.options) {  // Σ_{i=1}^{n}
            const Index size = where_.number(*o.value);
            known.emplace(o.name, size);
            const auto [at, fresh] = sums_[&part].emplace(o.name, size);
            if (!fresh && at->second != size)
                refuse_shape(part, "index {} runs over an axis of {}, not to {} = {}", o.name, at->second, text_of(*o.value),
                             size);
        }
        for (const std::string& b : part.bound) {
            if (!known.contains(b)) refuse_shape(part, "index {} is not used at an axis: its size is unknown", b);
            sums_[&part].emplace(b, known.at(b));
        }
    });
    return known;
}

}  // namespace gradproof::proof
