// An answer in one draw: its claim, and whether its sides have one shape.
#pragma once

#include <memory>
#include <optional>

#include "gradproof/core/proof/evaluate/expand.hpp"
#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// One draw, and the answer in it.
struct Drawn {
    Drawn(const Proof& of, std::uint64_t seed) : proof(of), plan(proof) {
        InstanceOptions options;
        options.seed = seed;
        draws.push_back(std::make_unique<Instance>(proof, plan, options, 0));
        claim.emplace(proof.lines.front(), proof, draws);
    }
    Drawn(const Drawn&) = delete;  // the draw keeps a reference to the plan
    Drawn& operator=(const Drawn&) = delete;
    Instance& draw() const { return *draws.front(); }
    std::string shape(const Shape& s) const { return named_shape(s, draw().sizes()); }

    const Proof& proof;
    const Plan plan;
    std::vector<std::unique_ptr<Instance>> draws;
    std::optional<Claim> claim;
};

inline std::string at_text(const Shape& index) { return index_text({index.begin(), index.end()}); }

/// Whether the sides have one shape; nothing where the right one cannot be computed.
struct Fit {
    std::optional<Sides> sides;
    std::string why;  ///< it cannot be computed
    bool same_shape() const { return sides && sides->gap.defined(); }
};
inline Fit fit(const Drawn& d, const ExprPtr& right) {
    try {
        return {d.claim->sides(0, right), ""};
    } catch (const EvaluationError& e) {
        return {std::nullopt, e.what()};
    }
}

}  // namespace gradproof::proof
