// Diagnosis: slips of the pen, one at a time and two at once.
#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/diagnose/slips.hpp"

namespace gradproof::proof {
namespace {

/// Of values that stand in the forward or are given, what scales or shifts: 2, λ, ε, √d.
std::vector<ExprPtr> scalars_of(const Search& s) {
    constexpr std::size_t kMost = 8;
    std::vector<ExprPtr> out;
    std::set<std::string> known{"0", "1", "2", "3"};
    const auto add = [&](const ExprPtr& e) {
        if (out.size() < kMost && known.insert(text_of(*e)).second) out.push_back(e);
    };
    for (const auto& [n, v] : s.claim.draw(0).scope().values)
        if (v.shape().empty() && n != s.claim.draw(0).last()) add(name(n));
    for (const Constant& c : forward_scalars(s)) add(c.expression);
    for (const auto& [n, v] : s.claim.draw(0).sizes()) add(name(n));
    return out;
}

std::vector<ExprPtr> unit_terms(const Search& s, const std::map<std::string, Index>& index_sizes) {
    std::vector<ExprPtr> out{number(1)};
    if (s.index_form) {
        for (auto a = index_sizes.begin(); a != index_sizes.end(); ++a)
            for (auto b = std::next(a); b != index_sizes.end(); ++b)
                if (a->second == b->second) out.push_back(delta(name(a->first), name(b->first)));
        return out;
    }
    std::vector<Shape> shapes{s.claim.truth(0).shape()};
    for (const auto& [n, v] : s.claim.draw(0).scope().values) shapes.push_back(v.shape());
    for (const auto& [n, size] : s.claim.draw(0).sizes())
        if (std::ranges::any_of(
                shapes, [size = size](const Shape& x) { return x.rank() >= 2 && x.last() == size && x[x.rank() - 2] == size; }))
            out.push_back(call("eye", {name(n)}));
    return out;
}

/// 1, an identity and δ; the same times what scales; and 1/n of a mean.
std::vector<ExprPtr> constant_terms(const Search& s, const std::vector<ExprPtr>& units, const std::vector<ExprPtr>& scalars) {
    std::vector<ExprPtr> out = units;
    for (const ExprPtr& c : scalars) {
        const bool is_size = c->kind == Kind::name && s.claim.draw(0).sizes().contains(c->name);
        if (is_size && !s.index_form) continue;
        out.push_back(is_size ? product(number(1), '/', c) : c);
        for (std::size_t i = 1; i < units.size() && !is_size; ++i) out.push_back(product(c, '@', units[i]));
    }
    return out;
}

/// Those of the left side and what is bound on the right; 0 where the size is not known because the line does not fit together.
std::map<std::string, Index> sizes_of_indices(const Search& s) {
    std::map<std::string, Index> out = index_sizes(s);
    if (!out.empty()) return out;
    try {
        out = Evaluator<double>(s.claim.draw(0).scope()).index_sizes(s.left, {});
    } catch (const EvaluationError&) {
    }
    for_each(*s.right, [&](const Expr& e) {
        for (const std::string& b : e.bound) out.emplace(b, 0);
    });
    return out;
}

std::vector<ExprPtr> leaves_of(const Pool& pool) {
    const Search& s = pool.search;
    std::vector<ExprPtr> out;
    if (s.index_form) {
        for (const ExprPtr& e : index_factors(s))
            if (e->kind == Kind::index && !(e->children[0]->kind == Kind::gradient && e->children[0]->name == s.of))
                out.push_back(e);
        return out;
    }
    const Shape& shape = s.claim.truth(0).shape();
    for (const auto& [n, of] : pool.shapes) {
        if (s.left.kind == Kind::jacobian && of.rank() == 1)
            for (const ExprPtr& e : {call("diag", {name(n)}), call("outer", {name(n), name(n)})}) out.push_back(e);
        if (!(of == shape)) continue;
        if (!s.of.empty() && n != s.of && !s.is_loss(n) && !s.claim.proof().is_constant(n)) out.push_back(s.gradient(n));
        out.push_back(name(n));
    }
    return out;
}

}  // namespace

Pool::Pool(const Search& s) : search(s) {
    for (const auto& [n, v] : s.claim.draw(0).scope().values) shapes[n] = v.shape();
    if (s.index_form || contains(*s.right, Kind::reduce)) {
        index_sizes = sizes_of_indices(s);
        for (const auto& [i, size] : index_sizes) offsets.push_back(i);
        for (const auto& [n, size] : s.claim.draw(0).sizes()) offsets.push_back(n);
    }
    if (!s.of.empty()) {
        std::vector<std::string> names;
        for (const std::size_t c : s.plan.consumers(s.of)) names.push_back(s.claim.proof().forward[c].name);
        for (const std::string& n : s.differentiable_names())
            if (n != s.of && std::ranges::find(names, n) == names.end()) names.push_back(n);
        if (!s.index_form)
            for (const std::string& n : names) {
                if (!s.is_loss(n)) upstream.push_back(s.gradient(n));
            }
        else
            for (const ExprPtr& e : index_factors(s))
                if (e->kind == Kind::index && e->children[0]->kind == Kind::gradient && e->children[0]->name != s.of)
                    upstream_entries.push_back(e);
    }
    const std::vector<Use> uses = s.by.empty() ? std::vector<Use>{} : uses_on_paths(s);
    if (uses.size() > 1)
        for (const Use& use : uses)
            for (const ExprPtr& term : terms_through(s, use)) path_terms.push_back(term);
    leaves = leaves_of(*this);
    scalars = scalars_of(s);
    coefficients = {number(2), number(3)};
    coefficients.insert(coefficients.end(), scalars.begin(), scalars.end());
    units = unit_terms(s, index_sizes);
    constants = constant_terms(s, units, scalars);
}

const Shape* Pool::shape_of(const std::string& name) const {
    const auto found = shapes.find(name);
    return found == shapes.end() ? nullptr : &found->second;
}

void Undos::make(Maker maker, std::size_t from) {
    for (at = from; at < places.size(); ++at) maker(*this, places[at]);
}

namespace {

/// Place by place: of a long line few are tried, and no more are made.
void try_each(Search& s, Undos::Maker maker) {
    const Pool pool(s);
    Undos undos(pool, s.right);
    for (undos.at = 0; undos.at < undos.places.size(); ++undos.at) {
        maker(undos, undos.places[undos.at]);
        for (const Undo& undo : undos.all) s.tries(undo.mistake, undo.line, "{}", undo);
        undos.all.clear();
    }
}

}  // namespace

void upstream_forgotten(Search& s) { try_each(s, upstream); }
void lost_axes(Search& s) { try_each(s, kept_axis); }
void wrong_indices(Search& s) { try_each(s, other_index); }
void wrong_exponents(Search& s) { try_each(s, exponent); }
void constant_terms_missing(Search& s) { try_each(s, constant_term); }
void path_terms_missing(Search& s) { try_each(s, path_term); }
void leaf_terms_missing(Search& s) { try_each(s, leaf_term); }
void more_tries(Search& s) { s.begin_anew(); }

/// c x, where x is a value of the shape of the truth and c a constant: what is missing is that multiple of x.
void scaled_terms_missing(Search& s) {
    const Tensor<double> truth = values_of(s.claim.truth(0));
    const std::optional<Tensor<double>> claimed = s.claim.plain(0, s.right);
    if (!claimed || !(claimed->shape() == truth.shape())) return;
    for (const ExprPtr& x : leaves_of(Pool(s))) {
        const std::optional<Tensor<double>> leaf = s.claim.plain(0, x);
        if (!leaf || !(leaf->shape() == truth.shape())) continue;
        double with = 0, of = 0;
        for (Index i = 0; i < truth.size(); ++i) {
            with += (*leaf)[i] * (truth[i] - (*claimed)[i]);
            of += (*leaf)[i] * (*leaf)[i];
        }
        if (of == 0 || with == 0 || !std::isfinite(with / of)) continue;
        for (const bool inverse : {false, true})
            for (const Constant& c : constants(s, true)) {
                const double value = inverse ? 1 / c.value : c.value;
                if (std::abs(std::abs(with / of) - std::abs(value)) > 1e-8 * std::abs(value)) continue;
                const ExprPtr term = inverse ? product(x, '/', c.expression) : product(c.expression, '@', x);
                const bool minus = with / of * value < 0;
                s.tries(minus ? sum(s.right, '-', term) : plus_term(s.right, term), "the term {}{} is missing", minus ? "- " : "",
                        term);
            }
    }
}

}  // namespace gradproof::proof
