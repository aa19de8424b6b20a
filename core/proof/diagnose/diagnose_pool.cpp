// Diagnosis: what a derivation multiplies by. The values, their slopes and the parts of the forward, in matrix and in index form.

#include "gradproof/core/proof/diagnose/repair_search.hpp"
#include "gradproof/core/proof/evaluate/slopes.hpp"

namespace gradproof::proof {
namespace {

ExprPtr one_minus(const ExprPtr& e) { return sum(number(1), '-', e); }

ExprPtr squared(const ExprPtr& e) {
    Expr p;
    p.kind = Kind::power;
    p.children = {e, number(2)};
    return make(std::move(p));
}

ExprPtr entry(const ExprPtr& of, const std::vector<ExprPtr>& indices) {
    Expr e;
    e.kind = Kind::index;
    e.children = {of};
    e.children.insert(e.children.end(), indices.begin(), indices.end());
    return make(std::move(e));
}

ExprPtr delta(const ExprPtr& a, const ExprPtr& b) {
    Expr e;
    e.kind = Kind::delta;
    e.children = {a, b};
    return make(std::move(e));
}

/// Expressions, each once, in the order they came.
class Pool {
  public:
    void add(const ExprPtr& e) {
        if (e && e->kind != Kind::number && known_.insert(text_of(*e)).second) all_.push_back(e);
    }
    std::vector<ExprPtr> take() { return std::move(all_); }

  private:
    std::set<std::string> known_;
    std::vector<ExprPtr> all_;
};

}  // namespace

std::vector<ExprPtr> RepairSearch::slopes() const {
    Pool pool;
    const auto scalar = [this](const Expr& e) { return is_scalar(e); };
    const std::vector<std::string> values = value_names();
    for (const Assignment& a : claim_.proof().forward)
        for_each(*a.value, [&](const Expr& e) {
            if (e.kind == Kind::call && a.indices.empty())
                pool.add(slope_of_call(e, &e == a.value.get() ? name(a.name) : make(e)));
        });
    for (const std::string& v : values) {
        pool.add(name(v));
        pool.add(one_minus(name(v)));
    }
    for (const std::string& v : values) {
        const ExprPtr x = name(v);
        for (const ExprPtr& e : {product(x, '*', one_minus(x)), one_minus(squared(x)), call("exp", {x}), call("log", {x}),
                                 call("log", {one_minus(x)})})
            pool.add(e);
    }
    for (const Assignment& a : claim_.proof().forward) {
        if (!a.indices.empty()) continue;
        for_each(*a.value, [&](const Expr& e) {
            if ((e.kind == Kind::call || e.kind == Kind::sum || e.kind == Kind::power) && !is_scalar(e)) pool.add(make(e));
        });
        for (const std::string& v : values) {
            const ExprPtr d = slope(*a.value, v, scalar);
            if (!d) continue;
            pool.add(d);
            for_each(*d, [&](const Expr& e) {
                if ((e.kind == Kind::call || e.kind == Kind::sum || e.kind == Kind::power) && !is_scalar(e)) pool.add(make(e));
            });
        }
    }
    return pool.take();
}

std::map<std::string, Index> RepairSearch::index_sizes() const {
    try {
        Evaluator<double> evaluator(claim_.draw(0).scope());
        return evaluator.index_sizes(*right_, evaluator.index_sizes(*claim_.line().left, {}));
    } catch (const EvaluationError&) {
        return {};
    }
}

std::vector<ExprPtr> RepairSearch::entries_of(const std::string& value, const std::map<std::string, Index>& sizes) const {
    std::set<std::string> fixed;  // [i,a,0]: the numbers that stand as an index of some value
    const auto collect = [&](const Expr& e) {
        if (e.kind == Kind::index)
            for (std::size_t i = 1; i < e.children.size(); ++i)
                if (e.children[i]->kind == Kind::number) fixed.insert(e.children[i]->name);
    };
    for_each(*right_, collect);
    constexpr std::size_t kMostLists = 200;
    std::vector<std::vector<ExprPtr>> lists{{}};
    for (const Index n : claim_.draw(0).scope().values.find(value)->second.shape()) {
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
        if (!claim_.proof().is_constant(value)) out.push_back(entry(gradient(value), list));
    }
    return out;
}

std::vector<ExprPtr> RepairSearch::index_factors() const {
    const std::map<std::string, Index> sizes = index_sizes();
    Pool pool;
    for (const std::string& v : value_names())
        for (const ExprPtr& e : entries_of(v, sizes)) pool.add(e);
    std::vector<ExprPtr> deltas;
    for (auto a = sizes.begin(); a != sizes.end(); ++a)
        for (auto b = std::next(a); b != sizes.end(); ++b)
            if (a->second == b->second) deltas.push_back(delta(name(a->first), name(b->first)));
    // X[w[i], c] in the forward: δ[k, w[i]] in what comes back.
    for (const Assignment& a : claim_.proof().forward)
        for_each(*a.value, [&](const Expr& e) {
            if (e.kind != Kind::index) return;
            for (std::size_t i = 1; i < e.children.size(); ++i)
                if (e.children[i]->kind != Kind::name && e.children[i]->kind != Kind::number &&
                    e.children[i]->kind != Kind::slice)
                    for (const auto& [index, size] : sizes) deltas.push_back(delta(name(index), e.children[i]));
        });
    for (const ExprPtr& d : deltas) pool.add(d);
    return pool.take();
}

std::vector<ExprPtr> RepairSearch::index_slopes() const {
    const std::vector<ExprPtr> plain = index_factors();
    const auto is_value = [](const ExprPtr& e) { return e->kind == Kind::index && e->children[0]->kind == Kind::name; };
    Pool pool;
    // What stands elsewhere in the line, and the cosine for a sine.
    for_each(*right_, [&](const Expr& e) {
        if (e.kind == Kind::sum || e.kind == Kind::call) pool.add(make(e));
        if (e.kind == Kind::call && (e.name == "cos" || e.name == "sin"))
            pool.add(call(e.name == "cos" ? "sin" : "cos", e.children));
    });
    for (const ExprPtr& x : plain) {
        pool.add(x);
        if (!is_value(x)) continue;
        for (const ExprPtr& e :
             {one_minus(x), one_minus(squared(x)), product(x, '@', one_minus(x)), call("exp", {x}), call("log", {x})})
            pool.add(e);
    }
    std::vector<ExprPtr> values, deltas;
    for (const ExprPtr& x : plain)
        if (is_value(x))
            values.push_back(x);
        else if (x->kind == Kind::delta)
            deltas.push_back(x);
    for (const ExprPtr& d : deltas)
        for (const ExprPtr& x : values) pool.add(sum(d, '-', x));
    constexpr std::size_t kMostPairs = 12;
    if (values.size() <= kMostPairs)
        for (const ExprPtr& x : values)
            for (const ExprPtr& y : values)
                if (x != y) pool.add(sum(x, '-', y));
    return pool.take();
}

}  // namespace gradproof::proof
