// Diagnosis: paths that are missing or counted twice, and masks.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::proof {

bool RepairSearch::repeated_term() {
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind != Kind::sum) continue;
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            const std::string term = text_of(*n.children[i]);
            const bool twice =
                std::count_if(n.children.begin(), n.children.end(), [&](const ExprPtr& c) { return text_of(*c) == term; }) > 1;
            if (twice && try_change("double_path", fmt::format("{} is counted twice", term), p.with(without(n, i)))) return true;
        }
    }
    return false;
}

bool RepairSearch::paths() {
    if (of_.empty() || sides_.empty() || claim_.line().left->kind == Kind::jacobian) return false;
    const std::vector<Use> uses = uses_on_paths();
    if (uses.size() < 2 || uses.size() > 6) return false;
    std::vector<std::vector<Tensor<double>>> parts(sides_.size());
    for (std::size_t d = 0; d < sides_.size(); ++d) {
        if (!(sides_[d].claimed.shape() == sides_[d].truth.shape())) return false;
        for (const Use& u : uses) {
            parts[d].push_back(claim_.draw(d).path(of_, u.consumer, u.value));
            if (parts[d].back().size() != sides_[d].truth.size()) return false;
        }
    }
    const std::size_t all = (std::size_t{1} << uses.size()) - 1;
    for (const double weight : {-1.0, 1.0})
        for (std::size_t subset = 1; subset <= all; ++subset) {
            if ((weight < 0 && subset == all) || !differs_by(parts, subset, weight)) continue;
            std::string through;
            bool rows = true;
            for (std::size_t i = 0; i < uses.size(); ++i) {
                if (!(subset >> i & 1)) continue;
                through += (through.empty() ? "" : " and ") + uses[i].label;
                rows = rows && uses[i].row_statistic;
            }
            // Half of the uses in a square: a factor 2, where a term without it stands there.
            if (weight < 0 && through.find(" (use ") != std::string::npos &&
                constants_at([](const Place& p) { return p.is_term; }))
                return true;
            // A mean or a sum over the row, in terms of what stands there, says more than the value it came through.
            if (weight < 0 && rows && row_terms()) return true;
            if (weight > 0) return report("double_path", fmt::format("the path through {} is counted twice", through), nullptr);
            ExprPtr repaired = index_form_ ? nullptr : right_;
            for (std::size_t i = 0; i < uses.size() && repaired; ++i)
                if (subset >> i & 1) repaired = with_path(repaired, uses[i].consumer);
            if (repaired && !claim_.holds(repaired)) repaired = nullptr;
            return report("missing_path", fmt::format("the path through {} is missing", through), repaired);
        }
    return false;
}

std::vector<RepairSearch::Use> RepairSearch::uses_on_paths() const {
    std::vector<Use> out;
    const std::string& last = claim_.draw(0).last();
    for (const std::size_t c : plan_.consumers(of_)) {
        const Assignment& a = claim_.proof().forward[c];
        if (a.name != last && !plan_.reaches(a.name, last)) continue;
        const std::size_t first = out.size();
        for (const Place& p : places(a.value))
            if (p.node->kind == Kind::name && p.node->name == of_)
                out.push_back({c, p.with(name(kOneUse)), a.name, is_row_statistic(p, c)});
        for (std::size_t i = first; i < out.size() && out.size() - first > 1; ++i)
            out[i].label = fmt::format("{} (use {} of {})", a.name, i - first + 1, out.size() - first);
    }
    return out;
}

bool RepairSearch::is_row_statistic(const Place& use, std::size_t consumer) const {
    if (!use.in_reduction) return false;
    const auto& values = claim_.draw(0).scope().values;
    const Shape &from = values.find(of_)->second.shape(),
                &to = values.find(claim_.proof().forward[consumer].name)->second.shape();
    return to.size() < from.size() && (to.size() > 1 || from.rank() <= 1);
}

bool RepairSearch::differs_by(const std::vector<std::vector<Tensor<double>>>& parts, std::size_t subset, double weight) const {
    for (std::size_t d = 0; d < sides_.size(); ++d) {
        const Sides& s = sides_[d];
        Tensor<double> expected = s.truth.clone();
        for (std::size_t i = 0; i < parts[d].size(); ++i)
            if (subset >> i & 1)
                for (Index e = 0; e < expected.size(); ++e) expected[e] += weight * parts[d][i][e];
        // A path without a gradient of its own explains nothing.
        if (!agreement({s.claimed, expected, s.magnitude}).agree || agreement({expected, s.truth, s.magnitude, ""}).agree)
            return false;
    }
    return true;
}

ExprPtr RepairSearch::with_path(const ExprPtr& claimed, std::size_t consumer) const {
    const Assignment& a = claim_.proof().forward[consumer];
    const ExprPtr dy = gradient(a.name);
    const std::vector<ExprPtr> terms = path_terms(*a.value, dy);
    for (const ExprPtr& t : terms) {
        const ExprPtr whole = sum(claimed, '+', t);
        if (claim_.holds(whole)) return whole;
    }
    // Of several missing paths only the last makes the line right: the likeliest form, and the caller checks.
    return terms.empty() ? nullptr : sum(claimed, '+', terms.front());
}

std::vector<ExprPtr> RepairSearch::path_terms(const Expr& e, const ExprPtr& dy) const {
    std::vector<ExprPtr> out;
    const auto is_x = [&](const Expr& part) { return part.kind == Kind::name && part.name == of_; };
    if (e.kind == Kind::sum)
        for (std::size_t i = 0; i < e.children.size(); ++i)
            for (const ExprPtr& t : path_terms(*e.children[i], e.joints[i] == '-' ? negate(dy) : dy)) out.push_back(t);
    if (e.kind == Kind::product && e.children.size() >= 2) {
        ExprPtr rest = dy;
        for (std::size_t i = 2; i < e.children.size(); ++i) rest = product(rest, e.joints[i], e.children[i]);
        const ExprPtr &a = e.children[0], &b = e.children[1];
        if (is_x(*a)) out.push_back(product(rest, '@', e.joints[1] == '@' ? transpose(b) : b));
        if (is_x(*a) && e.joints[1] != '@') out.push_back(product(rest, '*', b));
        if (is_x(*b)) out.push_back(product(transpose(a), '@', rest));
        if (b->kind == Kind::transpose && is_x(*b->children[0])) out.push_back(product(transpose(rest), '@', a));
    }
    if (is_x(e)) out.push_back(dy);
    return out;
}

bool RepairSearch::masks() {
    std::vector<std::string> masks;
    for (const Given& g : claim_.proof().given)
        if (!g.differentiable) masks.push_back(g.name);
    for (const std::string& m : masks)
        if (only_masked(m)) {
            ExprPtr repair;
            if (!index_form_) {
                const ExprPtr changed = product(right_, '*', name(m));
                if (claim_.holds(changed)) repair = changed;
            }
            return report("mask_leak", fmt::format("it is wrong only where the mask {} forbids: the gradient leaks through", m),
                          repair);
        }
    for (const std::string& m : masks)
        for (const Place& p : places_) {
            const Expr& n = *p.node;
            if (n.kind != Kind::call || n.name != "softmax" || n.children.size() != 1) continue;
            const ExprPtr inside = with_child(n, 0, sum(n.children[0], '+', name(m)));
            const std::string text = fmt::format("the mask {} belongs inside the softmax: {}", m, text_of(*inside));
            if (try_change("mask_after_softmax", text, p.with(inside))) return true;
            const std::string bare = text_of(n);
            if (try_change("mask_after_softmax", text,
                           rewritten(right_, [&](const Expr& e) { return text_of(e) == bare ? inside : nullptr; })))
                return true;
            const ExprPtr changed = p.with(inside);
            for (const Place& q : places(changed))
                if (q.node->kind == Kind::product)
                    for (std::size_t i = 0; i < q.node->children.size(); ++i) {
                        const Expr& f = *q.node->children[i];
                        const bool mask = f.kind == Kind::name ? claim_.proof().is_constant(f.name)
                                                               : f.kind == Kind::call && f.name != "softmax";
                        if (mask && (i > 0 || q.node->joints[1] != '/') &&
                            try_change("mask_after_softmax", text, q.with(without(*q.node, i))))
                            return true;
                    }
        }
    return false;
}

bool RepairSearch::only_masked(const std::string& mask) const {
    if (sides_.empty()) return false;
    bool leaks = false;
    for (std::size_t d = 0; d < sides_.size(); ++d) {
        const Sides& s = sides_[d];
        const Tensor<double>& m = claim_.draw(d).scope().values.at(mask).value();
        if (!(s.claimed.shape() == s.truth.shape()) || !broadcasts_to(m.shape(), s.truth.shape()) || m.rank() == 0) return false;
        const Shape strides = broadcast_strides(m.shape(), s.truth.shape());
        for (const Index e : check::compare(s.claimed, s.truth, {.relative = 1e-9, .scale = norm(s.truth)}).off_at) {
            const Shape at = check::unravel(e, s.truth.shape());
            Index offset = 0;
            for (int a = 0; a < at.rank(); ++a) offset += at[a] * strides[a];
            const bool forbidden = m[offset] == 0 ? is_zero_one(m) : m[offset] == -std::numeric_limits<double>::infinity();
            if (!forbidden || s.truth[e] != 0) return false;
            leaks = true;
        }
    }
    return leaks;
}

bool RepairSearch::is_zero_one(const Tensor<double>& m) {
    return std::none_of(m.begin(), m.end(), [](double v) { return std::isinf(v); });
}

}  // namespace gradproof::proof
