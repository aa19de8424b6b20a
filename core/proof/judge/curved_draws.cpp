// Draws in which curved functions are curved.
#include "gradproof/core/proof/judge/curved_draws.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

constexpr int kFirstCurved = 3000;  // the number of the first draw

class CurvedDraws {
  public:
    CurvedDraws(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches, Branches& curves)
        : proof_(proof), plan_(plan), options_(options), branches_(branches), curves_(curves) {}

    std::vector<std::unique_ptr<Instance>> run(std::vector<std::unique_ptr<Instance>> draws) {
        draws_ = std::move(draws);
        for (const auto& draw : draws_) curves_.see(*draw, Branches::Keep::always);
        draw_wider_and_narrower();
        for (std::size_t i = 0; i < curves_.all().size(); ++i)
            if (!curves_.all()[i].met()) move_towards(curves_.all()[i]);
        return std::move(draws_);
    }

  private:
    /// Whether a function is met where it is curved, and was not before.
    bool keep(std::unique_ptr<Instance> draw) {
        if (branches_.any_by_rounding(*draw) || !curves_.see(*draw, Branches::Keep::with_news)) return false;
        draws_.push_back(std::move(draw));
        return true;
    }
    void draw_wider_and_narrower() {
        int number = kFirstCurved;
        for (const double spread : {16.0, 256.0, 1024.0, 1.0 / 16, 1.0 / 256, 1e-5}) {
            for (const std::set<std::string>& inputs : curves_.asks_for_draws()) {
                InstanceOptions other = options_;
                other.spread = spread;
                other.spread_of = inputs;
                keep(std::make_unique<Instance>(proof_, plan_, other, number++));
            }
        }
    }
    /// One entry of an input is moved until an argument of the function is near 1 or near -1.
    void move_towards(const Branch& curve) {
        constexpr Index kMostEntries = 2;
        const Instance& start = *draws_.front();
        for (const double wanted : {0.75, -0.75}) {
            Branch off = curve;
            off.compared = sum(curve.at->children[0], '-', number(wanted));
            for (const Given& g : proof_.given)
                for (Index k = 0;
                     is_drawn(g, options_) && k < std::min(kMostEntries, start.scope().values.at(g.name).value().size()); ++k)
                    if (auto draw = moved_until_small(off, g, k); draw && keep(std::move(draw))) return;
        }
    }
    /// Newton's method by the entry of what is compared that has a slope; nullptr where it leads nowhere.
    std::unique_ptr<Instance> moved_until_small(const Branch& off, const Given& g, Index k) const {
        constexpr int kSteps = 24;
        constexpr double kStep = 0x1p-10, kNear = 0.25;
        const Tensor<double>& drawn = draws_.front()->scope().values.at(g.name).value();
        const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
        double at = drawn[k];
        for (int i = 0; i < kSteps; ++i) {
            auto draw = with(g, k, at);
            const std::vector<double> here = values_compared(*draw, off), beside = values_compared(*with(g, k, at + kStep), off);
            std::size_t entry = 0;
            while (entry < here.size() && !(std::abs(beside[entry] - here[entry]) > 0)) ++entry;
            if (entry == here.size()) return nullptr;
            if (std::abs(here[entry]) < kNear) return draw;
            at -= here[entry] * kStep / (beside[entry] - here[entry]);
            if (!std::isfinite(at) || (g.fill != Fill::normal && !(*low <= at && at <= *high))) return nullptr;
        }
        return nullptr;
    }
    std::unique_ptr<Instance> with(const Given& g, Index k, double value) const {
        InstanceOptions options = as_drawn(*draws_.front(), proof_, options_);
        Tensor<double> x = options.bind.at(g.name).clone();
        x[k] = value;
        options.bind.insert_or_assign(g.name, x);
        return std::make_unique<Instance>(proof_, plan_, options, kFirstCurved);
    }

    const Proof& proof_;
    const Plan& plan_;
    const InstanceOptions& options_;
    const Branches& branches_;
    Branches& curves_;
    std::vector<std::unique_ptr<Instance>> draws_;
};

}  // namespace

std::vector<std::unique_ptr<Instance>> with_curved_draws(std::vector<std::unique_ptr<Instance>> draws, const Proof& proof,
                                                         const Plan& plan, const InstanceOptions& options,
                                                         const Branches& branches, Branches& curves) {
    return CurvedDraws(proof, plan, options, branches, curves).run(std::move(draws));
}

}  // namespace gradproof::proof
