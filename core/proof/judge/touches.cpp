// Where a root, a power or a logarithm folds what stands in it.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gradproof/core/proof/judge/boundaries.hpp"

namespace gradproof::proof {
namespace {

constexpr int kFirstNumber = 2600;  // the number of the first draw: those below are taken
constexpr int kParts = 16;          // of the way from one draw to another
constexpr std::array kSpreads{1.0, 64.0, 1024.0, 16.0, 256.0};
constexpr std::size_t kRounds = 4, kOfEach = 2;  // of one fold

/// An entry of what stands there, along the way.
class Along {
  public:
    Along(const Branch& fold, std::shared_ptr<const Segment> way, std::size_t entry)
        : fold_(fold), way_(std::move(way)), entry_(entry) {}
    double at(double t) const {
        try {
            return values_compared(*way_->at(t), fold_).at(entry_);
        } catch (const std::invalid_argument&) {  // a matrix is singular right there
            return 0;
        }
    }
    /// Of a part of the way at whose ends it has different signs, or of two about the least one: where it is 0.
    std::optional<Crossing> where_zero(double low, double high) const {
        const double here = at(low), there = at(high);
        return here * there < 0 ? changed(low, high, here) : touched(low, high, std::max(std::abs(here), std::abs(there)));
    }

  private:
    std::optional<Crossing> changed(double low, double high, double here) const {
        constexpr int kHalvings = 54;  // to the next double
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = (low + high) / 2;
            (at(middle) * here > 0 ? low : high) = middle;
        }
        return crossing(low, high);
    }
    /// By golden sections, as long as it goes on falling.
    std::optional<Crossing> touched(double low, double high, double beside) const {
        constexpr int kFirst = 12, kAll = 60;
        constexpr double kGolden = 0.6180339887498949, kFalls = 1e-3, kIsZero = 1e-12;
        double a = high - kGolden * (high - low), b = low + kGolden * (high - low), at_a = std::abs(at(a)),
               at_b = std::abs(at(b));
        for (int i = 0; i < kAll; ++i) {
            if (i == kFirst && !(std::min(at_a, at_b) < kFalls * beside)) return std::nullopt;
            if (at_a < at_b) {
                high = b;
                b = a;
                at_b = at_a;
                a = high - kGolden * (high - low);
                at_a = std::abs(at(a));
            } else {
                low = a;
                a = b;
                at_a = at_b;
                b = low + kGolden * (high - low);
                at_b = std::abs(at(b));
            }
        }
        if (!(std::min(at_a, at_b) < kIsZero * beside)) return std::nullopt;
        return crossing(low, high);
    }
    Crossing crossing(double low, double high) const {
        constexpr double kAside = 1e-6;  // both sides are nearly 0 there
        return {&fold_, way_, low - kAside, high + kAside};
    }

    const Branch& fold_;
    std::shared_ptr<const Segment> way_;
    std::size_t entry_;
};

/// Of the parts of the way those where the entry may be 0.
std::vector<std::pair<int, int>> parts_with_zero(const std::vector<std::vector<double>>& values, std::size_t entry) {
    std::vector<std::pair<int, int>> out;
    const auto v = [&](int i) { return values[static_cast<std::size_t>(i)].at(entry); };
    for (int i = 1; i <= kParts; ++i) {
        if (v(i - 1) * v(i) < 0) out.emplace_back(i - 1, i);
        const bool least = i < kParts && std::abs(v(i)) <= std::abs(v(i - 1)) && std::abs(v(i)) <= std::abs(v(i + 1));
        if (least && v(i - 1) * v(i) > 0 && v(i) * v(i + 1) > 0) out.emplace_back(i - 1, i + 1);
    }
    return out;
}

void look_along(const Branch& fold, const std::shared_ptr<const Segment>& way, std::vector<Crossing>& to) {
    std::vector<std::vector<double>> values;
    for (int i = 0; i <= kParts; ++i) values.push_back(values_compared(*way->at(i / static_cast<double>(kParts)), fold));
    if (values.front().empty()) return;
    for (const std::size_t entry : std::set<std::size_t>{0, values.front().size() - 1})
        for (const auto& [low, high] : parts_with_zero(values, entry))
            if (to.size() < kOfEach)
                if (auto found =
                        Along(fold, way, entry).where_zero(low / static_cast<double>(kParts), high / static_cast<double>(kParts)))
                    to.push_back(*found);
}

}  // namespace

std::vector<Crossing> touches(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches) {
    std::vector<Crossing> out;
    std::set<std::string> looked_at;
    std::vector<std::shared_ptr<const Segment>> ways(kRounds * kSpreads.size());
    for (const Branch& fold : branches.folds()) {
        if (!looked_at.insert(text_of(*fold.compared)).second) continue;
        std::vector<Crossing> found;
        for (std::size_t i = 0; i < ways.size() && found.empty(); ++i) try {
                InstanceOptions wider = options;
                wider.spread = kSpreads[i % kSpreads.size()];
                if (!ways[i]) ways[i] = std::make_shared<Segment>(proof, plan, wider, kFirstNumber + 2 * static_cast<int>(i));
                look_along(fold, ways[i], found);
            } catch (const std::invalid_argument&) {  // no value apart from its line
                break;
            }
        out.insert(out.end(), found.begin(), found.end());
    }
    return out;
}

}  // namespace gradproof::proof
