// Sums over the indices that a product repeats.
#include "gradproof/core/proof/language/einstein.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

class ImpliedSums {
  public:
    using IsIndex = std::function<bool(const std::string&)>;
    explicit ImpliedSums(const IsIndex& is_index) : is_index_(is_index) {}

    /// Every term of its own; `known` are the indices that something outside gives a value.
    ExprPtr of(const ExprPtr& e, const std::vector<std::string>& known) const {
        switch (e->kind) {
            case Kind::sum:
            case Kind::negate:
            case Kind::call: return of_each(e, known);
            case Kind::reduce: {
                std::vector<std::string> inside = known;
                inside.insert(inside.end(), e->bound.begin(), e->bound.end());
                return of_each(e, inside);
            }
            default: return summed(e, known);
        }
    }

  private:
    ExprPtr of_each(const ExprPtr& e, const std::vector<std::string>& known) const {
        std::vector<ExprPtr> children;
        for (const ExprPtr& c : e->children) children.push_back(of(c, known));
        return children == e->children ? e : with_children(*e, std::move(children));
    }

    /// A product, or one factor: what it repeats is summed over all of it; calls in it have products of their own.
    ExprPtr summed(const ExprPtr& e, std::vector<std::string> known) const {
        std::vector<std::string> repeated;
        for (const std::string& i : indices_in(*e))
            if (std::ranges::count(known, i) == 0 && count(*e, i) > 1) repeated.push_back(i);
        known.insert(known.end(), repeated.begin(), repeated.end());
        ExprPtr out = rewritten(e, [&](const Expr& part) -> ExprPtr {
            if (part.kind != Kind::call && part.kind != Kind::reduce) return nullptr;
            return of(std::make_shared<const Expr>(part), known);
        });
        for (auto i = repeated.rbegin(); i != repeated.rend(); ++i) out = summed_over(*i, out);
        return out;
    }

    /// Those that stand outside of sums over indices, in their order.
    std::vector<std::string> indices_in(const Expr& e) const {
        std::vector<std::string> out;
        collect(e, out);
        return out;
    }
    void collect(const Expr& e, std::vector<std::string>& out) const {
        if (e.kind == Kind::reduce) return;
        if (e.kind == Kind::name && is_index_(e.name) && std::ranges::count(out, e.name) == 0) out.push_back(e.name);
        for (const ExprPtr& c : e.children) collect(*c, out);
    }
    /// How often an index stands in a product; in a sum, as often as in its first term that has it.
    static int count(const Expr& e, const std::string& index) {
        if (e.kind == Kind::name) return e.name == index ? 1 : 0;
        if (e.kind == Kind::reduce) return 0;
        int most = 0, total = 0;
        for (const ExprPtr& c : e.children) {
            const int here = count(*c, index);
            most = std::max(most, here);
            total += here;
        }
        if (e.kind == Kind::power) return e.children[1]->kind == Kind::number && e.children[1]->number == 2 ? 2 * most : most;
        return e.kind == Kind::sum ? most : e.kind == Kind::call ? std::min(most, 1) : total;
    }

    const IsIndex& is_index_;
};

}  // namespace

ExprPtr with_implied_sums(const ExprPtr& e, const std::vector<std::string>& free,
                          const std::function<bool(const std::string&)>& is_index) {
    return ImpliedSums(is_index).of(e, free);
}

}  // namespace gradproof::proof
