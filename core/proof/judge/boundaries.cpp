// Where branches change their side.
#include "gradproof/core/proof/judge/boundaries.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradproof::proof {
namespace {

constexpr int kFirst = 2000;   // the number of the first draw: those below are taken
constexpr int kOfEach = 4;     // crossings of one branch
constexpr int kHalvings = 30;  // of the way
constexpr std::array kSpreads{1.0, 16.0, 4.0, 64.0, 256.0, 1024.0, 1.0 / 16, 1.0 / 256, 1e5, 1e-6};

bool is_drawn(const Given& g, const InstanceOptions& options) {
    return (g.fill == Fill::normal || g.fill == Fill::uniform || g.fill == Fill::positive) && !options.bind.contains(g.name);
}
bool decides(const Branch& b) { return b.of == Branch::Of::inputs && b.by != Branch::By::root; }

/// The entries that lie on different sides, some of them.
std::vector<std::size_t> that_differ(const std::vector<double>& a, const std::vector<double>& b) {
    constexpr std::size_t kMost = 2;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] != b[i] && !std::isnan(a[i]) && !std::isnan(b[i])) all.push_back(i);
    if (all.size() > kMost) all = {all.front(), all.back()};
    return all;
}

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

Segment::Segment(const Proof& proof, const Plan& plan, const InstanceOptions& options, int number)
    : proof_(proof), plan_(plan), options_(options), number_(number) {
    const Instance from(proof, plan, options_, number);
    options_.sizes = from.sizes();
    const Instance to(proof, plan, options_, number + 1);
    for (const Given& g : proof.given) {
        const bool moves = is_drawn(g, options);
        from_[g.name] = from.scope().values.at(g.name).value();
        to_[g.name] = (moves ? to : from).scope().values.at(g.name).value();
    }
}

std::unique_ptr<Instance> Segment::at(double t) const {
    InstanceOptions options = options_;
    for (const auto& [name, from] : from_) {
        const Tensor<double>& to = to_.at(name);
        Tensor<double> x = from.clone();
        for (Index i = 0; i < x.size(); ++i)
            if (to[i] != x[i]) x[i] += t * (to[i] - x[i]);
        options.bind.insert_or_assign(name, x);
    }
    return std::make_unique<Instance>(proof_, plan_, options, number_);
}

namespace {

/// The part of the entries of all branches that is above, each branch counted alike.
double above_in(const Instance& draw, const Branches& branches) {
    double total = 0;
    for (const Branch& b : branches.all()) {
        if (!decides(b)) continue;
        try {
            const std::vector<double> sides = sides_met(draw, b);
            const auto above = std::count_if(sides.begin(), sides.end(), [](double s) { return s > 0; });
            if (!sides.empty()) total += static_cast<double>(above) / static_cast<double>(sides.size());
        } catch (const std::invalid_argument&) {  // no value apart from its line
        }
    }
    return total;
}

/// The arrays that may take the place of one that is drawn.
std::vector<Tensor<double>> others_for(const Given& g, const Tensor<double>& x, const Tensor<double>& another) {
    std::vector<Tensor<double>> out{another};
    if (g.fill != Fill::normal) return out;
    for (const double factor : {1.0, -1.0, 8.0, -8.0}) {
        Tensor<double> y = x.clone();
        for (double& v : y) v = factor * std::abs(v);
        out.push_back(std::move(y));
    }
    return out;
}

}  // namespace

std::vector<std::unique_ptr<Instance>> draws_on_one_side(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                         const Branches& branches) {
    constexpr std::ptrdiff_t kMany = 5;
    constexpr int kTries = 4, kNumber = kFirst - 10;
    std::vector<std::unique_ptr<Instance>> out;
    if (std::count_if(branches.all().begin(), branches.all().end(), decides) < kMany) return out;
    for (const double wanted : {1.0, -1.0}) {
        auto best = std::make_unique<Instance>(proof, plan, options, kNumber);
        InstanceOptions here = options;
        here.sizes = best->sizes();
        for (const Given& g : proof.given) here.bind.insert_or_assign(g.name, best->scope().values.at(g.name).value());
        double score = wanted * above_in(*best, branches);
        for (int i = 0; i < kTries; ++i) {
            InstanceOptions drawn = options;
            drawn.sizes = here.sizes;
            const Instance another(proof, plan, drawn, kNumber + 1 + i);
            for (const Given& g : proof.given) {
                if (!is_drawn(g, options)) continue;
                for (const Tensor<double>& x : others_for(g, here.bind.at(g.name), another.scope().values.at(g.name).value())) {
                    InstanceOptions changed = here;
                    changed.bind.insert_or_assign(g.name, x);
                    auto draw = std::make_unique<Instance>(proof, plan, changed, kNumber);
                    const double found = wanted * above_in(*draw, branches);
                    if (!(found > score)) continue;
                    score = found;
                    best = std::move(draw);
                    here = std::move(changed);
                }
            }
        }
        out.push_back(std::move(best));
    }
    return out;
}

std::vector<Crossing> crossings(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches) {
    std::vector<std::vector<Crossing>> of(branches.all().size());
    const auto asks = [&](std::size_t i) {
        const Branch& b = branches.all()[i];
        return of[i].size() < kOfEach && decides(b);
    };
    int number = kFirst;
    for (const double spread : kSpreads) {
        InstanceOptions wider = options;
        wider.spread = spread;
        std::shared_ptr<const Segment> along;
        std::unique_ptr<Instance> start, end;
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (!asks(i)) continue;
            if (!along) {
                along = std::make_shared<Segment>(proof, plan, wider, number);
                start = along->at(0);
                end = along->at(1);
            }
            const Branch& b = branches.all()[i];
            try {
                const std::vector<double> sides = sides_met(*start, b);
                for (const std::size_t entry : that_differ(sides, sides_met(*end, b)))
                    of[i].push_back(crossing(b, along, entry, sides[entry]));
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
