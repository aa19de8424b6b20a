// Where branches change their side.
#include "gradproof/core/proof/judge/boundaries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace gradproof::proof {
namespace {

constexpr int kFirstNumber = 2000;  // the number of the first draw: those below are taken
constexpr std::size_t kOfEach = 4;  // crossings of one branch
constexpr int kHalvings = 54;       // of the way: to the next double
constexpr std::array kBoundarySpreads{1.0, 16.0, 4.0, 64.0, 256.0, 1024.0, 1.0 / 16, 1.0 / 256, 1e5, 1e-6};

/// The entries that lie on different sides, some of them.
std::vector<std::size_t> that_differ(const std::vector<double>& a, const std::vector<double>& b) {
    constexpr std::size_t kMost = 2;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] != b[i] && !std::isnan(a[i]) && !std::isnan(b[i])) all.push_back(i);
    if (all.size() > kMost) all = {all.front(), all.back()};
    return all;
}

/// Of whole parts, whether they are those on either side of 0, where others change too: floor(x / 50) and floor(x / 51).
bool is_at_zero(double side, double other) { return std::min(side, other) == -1 && std::max(side, other) == 0; }

/// Where the entry leaves the side that it has at the start.
Crossing crossing(const Branch& branch, const std::shared_ptr<const Segment>& along, std::size_t entry, double side) {
    Crossing c{&branch, along, 0, 1};
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (c.before + c.after) / 2;
        (sides_met(*along->at(middle), branch)[entry] == side ? c.before : c.after) = middle;
    }
    return c;
}

}  // namespace

bool decides(const Branch& branch) { return branch.of == Branch::Of::drawn && branch.has_sides(); }
bool is_drawn(const Given& g, const InstanceOptions& options) {
    return (g.fill == Fill::normal || g.fill == Fill::uniform || g.fill == Fill::positive) && !options.bind.contains(g.name);
}

Segment::Segment(const Proof& proof, const Plan& plan, const InstanceOptions& options, int number, double scale)
    : proof_(proof), plan_(plan), options_(options), number_(number), scale_(scale) {
    const Instance from(proof, plan, options_, number);
    options_.sizes = from.sizes();
    const Instance to(proof, plan, options_, number + 1);
    for (const Given& g : proof.given) {
        const bool moves = is_drawn(g, options);
        if (moves && scale != 1 && g.fill != Fill::uniform) grows_.insert(g.name);
        from_[g.name] = from.scope().values.at(g.name).value();
        to_[g.name] = (moves ? to : from).scope().values.at(g.name).value();
    }
}

std::unique_ptr<Instance> Segment::at(double t) const {
    InstanceOptions options = options_;
    for (const auto& [name, from] : from_) {
        Tensor<double> x = from.clone();
        if (grows_.contains(name))
            for (double& one : x) one *= std::pow(scale_, t);
        const Tensor<double>& to = to_.at(name);
        for (Index i = 0; i < x.size() && scale_ == 1; ++i)
            if (to[i] != x[i]) x[i] += t * (to[i] - x[i]);
        options.bind.insert_or_assign(name, x);
    }
    return std::make_unique<Instance>(proof_, plan_, options, number_);
}

namespace {

/// Branches, and the side of each that is wanted of every entry, or of one: of the same one in all that have as many entries.
struct Wanted {
    const std::vector<const Branch*>& branches;
    std::vector<bool> above;
    bool every = false;
};

/// How far the entries are from the sides that are wanted, each branch counted alike; 0 where they are there.
double distance_from(const Instance& draw, const Wanted& wanted) {
    double total = 0;
    std::map<std::size_t, std::vector<double>> of_entries;  // by their number
    for (std::size_t i = 0; i < wanted.branches.size(); ++i) {
        const Branch& branch = *wanted.branches[i];
        try {
            const std::vector<double> values = values_compared(draw, branch);
            std::vector<double>& sums = of_entries[values.size()];
            sums.resize(values.size());
            for (std::size_t k = 0; k < values.size(); ++k) {
                const double v = values[k];
                const bool there = branch.by == Branch::By::sign ? (v > 0) == wanted.above[i] : (v != 0) == wanted.above[i];
                sums[k] += there ? 0 : 0.01 + std::abs(v) / (1 + std::abs(v));
            }
        } catch (const std::invalid_argument&) {  // no value apart from its line
        }
    }
    for (const auto& [entries, sums] : of_entries) {
        if (sums.empty()) continue;
        total += wanted.every ? std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(entries)
                              : *std::min_element(sums.begin(), sums.end());
    }
    return total;
}

/// Of up to six branches every combination of sides; of more all, none, and all but one.
std::vector<std::vector<bool>> combinations(std::size_t branches) {
    constexpr std::size_t kAll = 6, kMost = 12;
    std::vector<std::vector<bool>> out;
    for (unsigned some = 0; branches <= kAll && some < 1u << branches; ++some) {
        out.emplace_back();
        for (std::size_t i = 0; i < branches; ++i) out.back().push_back((some >> i & 1u) != 0);
    }
    if (branches <= kAll) return out;
    out = {std::vector<bool>(branches, true), std::vector<bool>(branches, false)};
    for (std::size_t i = 0; i < std::min(branches, kMost); ++i) {
        out.emplace_back(branches, true);
        out.back()[i] = false;
    }
    return out;
}

/// An array near x, as the input may be drawn: part of the way to another draw. Of what is normal also a step to any side, of all
/// entries or of one, `far` times as long, and one that is near another input, where these are compared.
Tensor<double> near_to(const Given& g, const Tensor<double>& x, const Tensor<double>& another, const Bindings& all,
                       Random& random, double far) {
    constexpr double kNear = 0.01;
    Tensor<double> y = x.clone();
    const double kind = random.uniform(), step = std::pow(10.0, random.uniform(-2, 0.5)) * far;
    const auto only = static_cast<Index>(random.uniform() * static_cast<double>(std::max<Index>(x.size(), 1)));
    const Tensor<double>* other = nullptr;
    if (g.fill == Fill::normal && kind < 0.2)
        for (const auto& [name, value] : all)
            if (name != g.name && value.shape() == x.shape() && (other == nullptr || random.uniform() < 0.5)) other = &value;
    for (Index i = 0; i < y.size(); ++i) {
        if (g.fill != Fill::normal)
            y[i] += random.uniform(0, 1) * (another[i] - y[i]);
        else if (other != nullptr)
            y[i] = (*other)[i] + kNear * another[i];
        else if (kind < 0.6 || i == only)
            y[i] += step * another[i];
    }
    return y;
}

/// What cannot go part of the way to another draw: masks, signs and labels, and what is drawn with a property.
bool is_drawn_whole(const Given& g, const InstanceOptions& options) {
    return g.fill != Fill::literal && !is_drawn(g, options) && !g.hidden() && !options.bind.contains(g.name);
}

/// As in another draw: all of it, or one entry or row where these are drawn one by one.
Tensor<double> partly_as(const Given& g, const Tensor<double>& x, const Tensor<double>& another, Random& random) {
    constexpr double kAll = 0.5;
    const bool by_entries = g.fill == Fill::signs || g.fill == Fill::binary || g.fill == Fill::index;
    const bool by_rows = g.fill == Fill::onehot || g.fill == Fill::distribution;
    if (x.size() == 0 || (!by_entries && !by_rows) || random.uniform() < kAll) return another.clone();
    Tensor<double> y = x.clone();
    const Index together = by_rows && x.shape().rank() > 0 ? x.shape().last() : 1;
    const Index at = static_cast<Index>(random.uniform() * static_cast<double>(x.size() / together)) * together;
    for (Index i = at; i < at + together; ++i) y[i] = another[i];
    return y;
}

/// Other labels: 1 - y of masks, -y of signs, and the places of labels moved on by one.
Tensor<double> turned(const Given& g, const Tensor<double>& x) {
    Tensor<double> y = x.clone();
    const Index together = g.fill == Fill::onehot && x.shape().rank() > 0 ? x.shape().last() : 1;
    for (Index i = 0; i < y.size(); ++i) {
        if (g.fill == Fill::binary) y[i] = 1 - x[i];
        if (g.fill == Fill::signs) y[i] = -x[i];
        if (g.fill == Fill::onehot) y[i] = x[i - i % together + (i + 1) % together];
    }
    return y;
}
bool is_label(const Given& g, const InstanceOptions& options) {
    const bool label = g.fill == Fill::binary || g.fill == Fill::signs || g.fill == Fill::onehot;
    return label && !g.hidden() && !options.bind.contains(g.name);
}

constexpr int kMostTries = 60, kFewTries = 12;

struct Reached {
    std::unique_ptr<Instance> draw;
    double distance;
};
/// A draw as near to the sides that are wanted as is found by changing one input after the other. `round`: by other steps.
Reached draw_towards(const Wanted& wanted, const Proof& proof, const Plan& plan, const InstanceOptions& options, int tries,
                     int round) {
    constexpr int kNumber = kFirstNumber - kMostTries - 1;
    auto best = std::make_unique<Instance>(proof, plan, options, kNumber);
    InstanceOptions here = as_drawn(*best, proof, options);
    double distance = distance_from(*best, wanted);
    for (int i = 0; i < tries && distance > 0; ++i) {
        InstanceOptions drawn = options;
        drawn.sizes = here.sizes;
        const Instance another(proof, plan, drawn, kNumber + 1 + i);
        Random random(static_cast<std::uint64_t>(i + kMostTries * round));
        constexpr double kFar = 30;  // of every third step from the middle on
        const double far = i > tries / 2 && i % 3 == 0 ? kFar : 1;
        for (const Given& g : proof.given) {
            const bool whole = is_drawn_whole(g, options);
            if (!whole && !is_drawn(g, options)) continue;
            InstanceOptions changed = here;
            const Tensor<double>& x = here.bind.at(g.name);
            const Tensor<double>& other = another.scope().values.at(g.name).value();
            changed.bind.insert_or_assign(g.name,
                                          whole ? partly_as(g, x, other, random) : near_to(g, x, other, here.bind, random, far));
            auto draw = std::make_unique<Instance>(proof, plan, changed, kNumber);
            const double found = distance_from(*draw, wanted);
            if (!(found <= distance)) continue;  // a step aside may be needed first
            distance = found;
            best = std::move(draw);
            here = std::move(changed);
        }
    }
    return {std::move(best), distance};
}
/// The same, again from the start where it does not get there, unless few tries are enough.
std::unique_ptr<Instance> draw_towards(const Wanted& wanted, const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                       int tries) {
    const int rounds = tries > kFewTries ? 2 : 1;
    Reached best = draw_towards(wanted, proof, plan, options, tries, 0);
    for (int round = 1; round < rounds && best.distance > 0; ++round) {
        Reached other = draw_towards(wanted, proof, plan, options, tries, round);
        if (other.distance < best.distance) best = std::move(other);
    }
    for (const Given& g : proof.given) {  // with other labels, which may lead away from there first
        if (best.distance == 0 || !is_label(g, options)) continue;
        InstanceOptions held = options;
        held.sizes = best.draw->sizes();
        held.bind.insert_or_assign(g.name, turned(g, best.draw->scope().values.at(g.name).value()));
        Reached other = draw_towards(wanted, proof, plan, held, tries, 0);
        if (other.distance < best.distance) best = std::move(other);
    }
    return std::move(best.draw);
}

/// The same draws with other labels.
void add_with_labels_turned(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                            std::vector<std::unique_ptr<Instance>>& draws) {
    const std::size_t drawn = draws.size();
    for (const Given& g : proof.given) {
        if (!is_label(g, options)) continue;
        for (std::size_t i = 0; i < drawn; ++i) {
            InstanceOptions changed = as_drawn(*draws[i], proof, options);
            Tensor<double>& x = changed.bind.at(g.name);
            x = turned(g, x);
            draws.push_back(std::make_unique<Instance>(proof, plan, changed, kFirstNumber - 1));
        }
    }
}

}  // namespace

InstanceOptions as_drawn(const Instance& draw, const Proof& proof, InstanceOptions options) {
    options.sizes = draw.sizes();
    for (const Given& g : proof.given) options.bind.insert_or_assign(g.name, draw.scope().values.at(g.name).value());
    return options;
}

std::vector<std::unique_ptr<Instance>> draws_of_combinations(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                             const std::vector<const Branch*>& of) {
    std::vector<const Branch*> all;
    std::set<std::string> compared;
    for (const Branch* b : of)
        if (decides(*b) && compared.insert(text_of(*b->compared)).second) all.push_back(b);
    std::vector<std::unique_ptr<Instance>> out;
    if (all.empty() || (all.size() == 1 && all[0]->by == Branch::By::condition)) return out;
    constexpr int kTogether = 3840, kFewest = 20;
    std::vector<std::vector<bool>> wanted;
    if (all.size() > 1) wanted = combinations(all.size());
    const int tries = wanted.empty() ? kFewTries : std::clamp(kTogether / static_cast<int>(wanted.size()), kFewest, kMostTries);
    for (std::vector<bool>& above : wanted) out.push_back(draw_towards({all, std::move(above)}, proof, plan, options, tries));
    for (const bool above : {true, false})
        out.push_back(draw_towards({all, std::vector<bool>(all.size(), above), true}, proof, plan, options, tries));
    add_with_labels_turned(proof, plan, options, out);
    return out;
}

namespace {

/// A path on which crossings are looked for: with draws of which spread, to another draw or to one so many times as large.
struct Path {
    double spread, scale;
    std::size_t enough;  ///< crossings of a branch
};
/// The paths, the usual first. A number that decides, as the norm of an array, may lie on one side at both ends of every line to
/// another draw.
std::vector<Path> paths() {
    constexpr std::size_t kRounds = 4;
    constexpr double kScales[] = {1e-20, 1e12};
    std::vector<Path> out;
    for (std::size_t round = 0; round < kRounds; ++round)
        for (const double spread : kBoundarySpreads) out.push_back({spread, 1, round == 0 ? kOfEach : 1});
    for (const double scale : kScales) out.push_back({1, scale, kOfEach});
    return out;
}

}  // namespace

std::vector<Crossing> crossings(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches) {
    std::vector<std::vector<Crossing>> of(branches.all().size());
    int number = kFirstNumber;
    for (const Path& path : paths()) {
        InstanceOptions wider = options;
        wider.spread = path.spread;
        std::shared_ptr<const Segment> along;
        std::unique_ptr<Instance> start, end;
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (of[i].size() >= path.enough || !decides(branches.all()[i])) continue;
            if (!along) {
                along = std::make_shared<Segment>(proof, plan, wider, number, path.scale);
                start = along->at(0);
                end = along->at(1);
            }
            const Branch& b = branches.all()[i];
            try {
                const std::vector<double> sides = sides_met(*start, b), other = sides_met(*end, b);
                for (const std::size_t entry : that_differ(sides, other)) {
                    if (b.by == Branch::By::whole && !of[i].empty() && is_at_zero(sides[entry], other[entry])) continue;
                    of[i].push_back(crossing(b, along, entry, sides[entry]));
                }
            } catch (const std::invalid_argument&) {  // no value apart from its line
            }
        }
        number += 2;
    }
    std::vector<Crossing> out;
    for (std::size_t k = 0; k < kOfEach; ++k)
        for (const auto& some : of)
            if (k < some.size()) out.push_back(some[k]);
    return out;
}

}  // namespace gradproof::proof
