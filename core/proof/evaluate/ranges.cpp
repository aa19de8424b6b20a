// Ranges of expressions.
#include "gradproof/core/proof/evaluate/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace gradproof::proof {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr int kDeepestRange = 40;

Range minus(const Range& r) { return {-r.high, -r.low}; }
Range plus(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }
bool is_positive(const Range& r) { return r.low >= 0; }
double without_nan(double x) { return std::isnan(x) ? 0 : x; }  // of 0 times an endless one

/// Of factors that are never below 0; a matrix product adds up, unless a number stands there.
Range times(const Range& a, char joint, const Range& b, const Expr& product) {
    if (!is_positive(a) || !is_positive(b)) return {};
    if (joint == '/') return {without_nan(a.low / b.high), b.low > 0 ? a.high / b.low : kEndless};
    const bool by_entry =
        joint == '*' || std::ranges::any_of(product.children, [](const ExprPtr& c) { return c->kind == Kind::number; });
    return by_entry && product.children.size() == 2 ? Range{without_nan(a.low * b.low), without_nan(a.high * b.high)}
                                                    : Range{0, kEndless};
}

class Ranges {
  public:
    explicit Ranges(const Proof& proof) : proof_(proof) {}

    Range of(const Expr& e, int depth = 0) const {
        if (depth > kDeepestRange) return {};
        const auto part = [&](std::size_t i) { return of(*e.children[i], depth + 1); };
        switch (e.kind) {
            case Kind::number: return {e.number, e.number};
            case Kind::name: return of_name(e.name, depth);
            case Kind::negate: return minus(part(0));
            case Kind::index:
            case Kind::transpose: return part(0);
            case Kind::sum: {
                Range out{0, 0};
                for (std::size_t i = 0; i < e.children.size(); ++i)
                    out = plus(out, e.joints[i] == '-' ? minus(part(i)) : part(i));
                return out;
            }
            case Kind::product: {
                Range out = part(0);
                for (std::size_t i = 1; i < e.children.size(); ++i) out = times(out, e.joints[i], part(i), e);
                return out;
            }
            case Kind::power: return e.children[1]->kind == Kind::number && is_positive(part(0)) ? Range{0, kEndless} : Range{};
            case Kind::call: return of_call(e, depth);
            default: return {};
        }
    }

  private:
    Range of_name(const std::string& name, int depth) const {
        const auto given = std::find_if(proof_.given.begin(), proof_.given.end(), [&](const Given& g) { return g.name == name; });
        if (given != proof_.given.end()) return of_given(*given, depth);
        const Assignment* a = proof_.find(name);
        if (a == nullptr || !a->indices.empty()) return {};
        if (const auto known = of_values_.find(name); known != of_values_.end()) return known->second;
        return of_values_[name] = of(*a->value, depth + 1);
    }
    Range of_given(const Given& g, int depth) const {
        switch (g.fill) {
            case Fill::positive: return {std::numeric_limits<double>::min(), kEndless};
            case Fill::uniform: return {of(*g.parameters[0], depth + 1).low, of(*g.parameters[1], depth + 1).high};
            case Fill::onehot:
            case Fill::distribution:
            case Fill::binary: return {0, 1};
            case Fill::signs: return {-1, 1};
            default: return {};
        }
    }
    Range of_call(const Expr& e, int depth) const {
        const auto part = [&](std::size_t i) { return of(*e.children[i], depth + 1); };
        if (e.name == "max" && e.children.size() == 2) {
            const Range a = part(0), b = part(1);
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        }
        if (e.name == "min" && e.children.size() == 2) {
            const Range a = part(0), b = part(1);
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        }
        if (e.children.size() != 1) return {};
        if (e.name == "step") {
            const Range x = part(0);
            return {x.low > 0 ? 1.0 : 0.0, x.high <= 0 ? 0.0 : 1.0};
        }
        if (e.name == "sigmoid" || e.name == "softmax") return {0, 1};
        if (e.name == "tanh") return {-1, 1};
        if (e.name == "exp" || e.name == "abs" || e.name == "relu") {
            const Range x = part(0);
            if (e.name == "exp") return {std::exp(x.low), std::exp(x.high)};
            return is_positive(x) ? x : Range{0, kEndless};
        }
        if (e.name == "sqrt" || e.name == "softplus") return {0, kEndless};
        return {};
    }

    const Proof& proof_;
    mutable std::map<std::string, Range, std::less<>> of_values_{};  ///< each worked out once
};

}  // namespace

Range range_of(const Expr& e, const Proof& proof) { return Ranges(proof).of(e); }

}  // namespace gradproof::proof
