// Diagnosis: what a derivation multiplies by. The values, their slopes and the parts of the forward, in matrix and in index form.

#include "gradproof/core/proof/diagnose/repair_search.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof {
namespace {

/// Expressions, each once, in the order they came.
class Distinct {
  public:
    void add(const ExprPtr& e) {
        if (e && e->kind != Kind::number && known_.insert(text_of(*e)).second) all_.push_back(e);
    }
    void add_all(std::initializer_list<ExprPtr> some) {
        for (const ExprPtr& e : some) add(e);
    }
    /// The calls, sums and powers in it that are no scalars.
    void add_parts(const Expr& of, const Search& s) {
        for_each(of, [&](const Expr& e) {
            if ((e.kind == Kind::call || e.kind == Kind::sum || e.kind == Kind::power) && !s.is_scalar(e)) add(make(e));
        });
    }
    std::vector<ExprPtr> take() { return std::move(all_); }

  private:
    std::set<std::string> known_;
    std::vector<ExprPtr> all_;
};

std::vector<ExprPtr> entries_of(const Search& s, const std::string& value, const std::map<std::string, Index>& sizes) {
    std::set<std::string> fixed;  // [i,a,0]: the numbers that stand as an index of some value
    for_each(*s.right, [&](const Expr& e) {
        for (std::size_t i = 1; e.kind == Kind::index && i < e.children.size(); ++i)
            if (e.children[i]->kind == Kind::number) fixed.insert(e.children[i]->name);
    });
    constexpr std::size_t kMostLists = 200;
    std::vector<std::vector<ExprPtr>> lists{{}};
    for (const Index n : s.claim.draw(0).scope().values.find(value)->second.shape()) {
        std::vector<std::vector<ExprPtr>> longer;
        for (const auto& list : lists) {
            const auto extend = [&](const ExprPtr& e) {
                longer.push_back(list);
                longer.back().push_back(e);
            };
            for (const auto& [index, size] : sizes)
                if (size == n) extend(name(index));
            for (const std::string& f : fixed)
                if (std::stod(f) < static_cast<double>(n) && n <= 3) extend(number(std::stod(f)));
        }
        if (longer.size() > kMostLists) return {};
        lists = std::move(longer);
    }
    std::vector<ExprPtr> out;
    for (const auto& list : lists) {
        if (list.empty()) continue;
        out.push_back(entry(name(value), list));
        if (!s.claim.proof().is_constant(value)) out.push_back(entry(s.gradient(value), list));
    }
    return out;
}

}  // namespace

std::vector<ExprPtr> slopes(const Search& s) {
    Distinct pool;
    const std::vector<std::string> values = s.value_names();
    for (const Assignment& a : s.claim.proof().forward)
        for_each(*a.value, [&](const Expr& e) {
            if (e.kind == Kind::call && a.indices.empty())
                pool.add(slope_of_call(e, &e == a.value.get() ? name(a.name) : make(e)));
        });
    for (const std::string& v : values) pool.add_all({name(v), one_minus(name(v))});
    for (const std::string& v : values) {
        const ExprPtr x = name(v);
        pool.add_all({product(x, '*', one_minus(x)), one_minus(squared(x)), call("exp", {x}), call("log", {x}),
                      call("log", {one_minus(x)})});
    }
    for (const Assignment& a : s.claim.proof().forward) {
        if (!a.indices.empty()) continue;
        pool.add_parts(*a.value, s);
        for (const std::string& v : values) {
            const ExprPtr d = slope(*a.value, v, [&](const Expr& e) { return s.is_scalar(e); });
            if (!d) continue;
            pool.add(d);
            pool.add_parts(*d, s);
        }
    }
    return pool.take();
}

std::map<std::string, Index> index_sizes(const Search& s) {
    try {
        Evaluator<double> evaluator(s.claim.draw(0).scope());
        return evaluator.index_sizes(*s.right, evaluator.index_sizes(s.left, {}));
    } catch (const EvaluationError&) {
        return {};
    }
}

std::vector<ExprPtr> index_factors(const Search& s) {
    const std::map<std::string, Index> sizes = index_sizes(s);
    Distinct pool;
    for (const std::string& v : s.value_names())
        for (const ExprPtr& e : entries_of(s, v, sizes)) pool.add(e);
    for (auto a = sizes.begin(); a != sizes.end(); ++a)
        for (auto b = std::next(a); b != sizes.end(); ++b)
            if (a->second == b->second) pool.add(delta(name(a->first), name(b->first)));
    // X[w[i], c] in the forward: δ[k, w[i]] in what comes back.
    for (const Assignment& a : s.claim.proof().forward)
        for_each(*a.value, [&](const Expr& e) {
            for (std::size_t i = 1; e.kind == Kind::index && i < e.children.size(); ++i)
                if (const Kind kind = e.children[i]->kind; kind != Kind::name && kind != Kind::number && kind != Kind::slice)
                    for (const auto& [index, size] : sizes) pool.add(delta(name(index), e.children[i]));
        });
    return pool.take();
}

std::vector<ExprPtr> index_slopes(const Search& s) {
    Distinct pool;
    // What stands elsewhere in the line, and the cosine for a sine.
    for_each(*s.right, [&](const Expr& e) {
        if (e.kind == Kind::sum || e.kind == Kind::call) pool.add(make(e));
        if (e.kind == Kind::call && (e.name == "cos" || e.name == "sin"))
            pool.add(call(e.name == "cos" ? "sin" : "cos", e.children));
    });
    std::vector<ExprPtr> values, deltas;
    for (const ExprPtr& x : index_factors(s)) {
        pool.add(x);
        if (x->kind == Kind::delta) deltas.push_back(x);
        if (x->kind != Kind::index || x->children[0]->kind != Kind::name) continue;
        values.push_back(x);
        pool.add_all({one_minus(x), one_minus(squared(x)), product(x, '@', one_minus(x)), call("exp", {x}), call("log", {x})});
    }
    for (const ExprPtr& d : deltas)
        for (const ExprPtr& x : values) pool.add(sum(d, '-', x));
    constexpr std::size_t kMostPairs = 12;
    for (const ExprPtr& x : values.size() <= kMostPairs ? values : std::vector<ExprPtr>{})
        for (const ExprPtr& y : values)
            if (x != y) pool.add(sum(x, '-', y));
    return pool.take();
}

}  // namespace gradproof::proof
