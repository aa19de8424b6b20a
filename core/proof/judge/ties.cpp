// Where what is compared is exactly 0.
#include "gradproof/core/proof/judge/ties.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

constexpr int kNumber = 1900;      // of the draw
constexpr double kGrid = 0x1p-8;   // its numbers are multiples of this: sums and products of few are exact
constexpr double kFine = 0x1p-32;  // the one that is moved is a multiple of this
constexpr double kStep = 0x1p-3;   // for slopes
constexpr Index kMostEntries = 4;  // of an input, that are tried
constexpr int kMostSlopes = 24;    // of a branch, that are worked out

double on_grid(double x, double grid) { return std::round(x / grid) * grid; }

/// A draw of numbers on the grid, of which one is moved until an entry of what a branch compares is 0.
class Search {
  public:
    Search(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches)
        : proof_(proof), plan_(plan), options_(options), branches_(branches), start_(proof, plan, options, kNumber) {
        options_.sizes = start_.sizes();
        for (const Given& g : proof.given) {
            Tensor<double> x = start_.scope().values.at(g.name).value().clone();
            if (is_drawn(g, options)) {
                moved_.push_back(&g);
                for (Index i = 0; i < x.size(); ++i) x[i] = on_grid(x[i], kGrid);
            }
            values_.insert_or_assign(g.name, x);
        }
        // A bias is moved before a weight: its slope is 1.
        std::ranges::stable_sort(moved_, {}, [&](const Given* g) { return values_.at(g->name).size(); });
    }

    /// nullptr where none is found.
    std::unique_ptr<Instance> tie(const Branch& branch) const {
        const std::unique_ptr<Instance> draw = with(values_);
        const std::vector<Bounded<double>> compared = bounded_values_compared(*draw, branch);
        int slopes = 0;
        for (const std::size_t entry : std::set<std::size_t>{0, compared.size() - 1}) {
            if (compared.empty() || compared[entry].error != 0) continue;  // rounding is part of it
            for (const Given* g : moved_) {
                for (const Index k : entries_beside(entry, compared.size(), values_.at(g->name).size()))
                    if (auto found = slopes++ < kMostSlopes ? by(branch, entry, *g, k) : nullptr) return found;
            }
        }
        return nullptr;
    }

  private:
    std::unique_ptr<Instance> with(const Bindings& values) const {
        InstanceOptions options = options_;
        options.bind = values;
        return std::make_unique<Instance>(proof_, plan_, options, kNumber);
    }
    /// The entry of the same place, by rows, columns and from the front.
    static std::set<Index> entries_beside(std::size_t entry, std::size_t entries, Index size) {
        std::set<Index> out;
        if (size == 0) return out;
        const auto e = static_cast<Index>(entry), n = static_cast<Index>(entries);
        out = {std::min(e, size - 1), e % size, e / std::max<Index>(1, n / size) % size};
        for (Index k = 0; k < std::min(size, kMostEntries); ++k) out.insert(k);
        return out;
    }
    /// Newton's method, whose steps lead to numbers of few digits where there is a tie.
    std::unique_ptr<Instance> by(const Branch& branch, std::size_t entry, const Given& g, Index k) const {
        constexpr int kSteps = 3;
        const Tensor<double>& from = values_.at(g.name);
        double at = from[k];
        std::unique_ptr<Instance> draw = with(values_);
        for (int i = 0;; ++i) {
            const double off = values_compared(*draw, branch).at(entry);
            if (off == 0) return meets(*draw, branch, entry) ? std::move(draw) : nullptr;
            const double slope = (values_compared(*with(moved(g, k, at + kStep)), branch).at(entry) - off) / kStep;
            const double to = at - off / slope;
            if (i == kSteps || !std::isfinite(to) || on_grid(to, kFine) != to || !may_be(g, to)) return nullptr;
            at = to;
            draw = with(moved(g, k, at));
        }
    }
    Bindings moved(const Given& g, Index k, double to) const {
        Bindings values = values_;
        Tensor<double> x = values_.at(g.name).clone();
        x[k] = to;
        values.insert_or_assign(g.name, x);
        return values;
    }
    /// Of what is drawn from a range: whether it lies between numbers that were drawn.
    bool may_be(const Given& g, double x) const {
        const Tensor<double>& drawn = start_.scope().values.at(g.name).value();
        const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
        return g.fill == Fill::normal || (*low <= x && x <= *high);
    }
    bool meets(Instance& draw, const Branch& branch, std::size_t entry) const {
        return bounded_values_compared(draw, branch).at(entry).error == 0 && !branches_.any_by_rounding(draw);
    }

    const Proof& proof_;
    const Plan& plan_;
    InstanceOptions options_;
    const Branches& branches_;
    Instance start_;
    Bindings values_;
    std::vector<const Given*> moved_;
};

/// Z of Z[i,c].
std::string array_of(const Expr& e) { return text_of(without_indices(e)); }

}  // namespace

Ties ties(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches) {
    Ties out;
    std::optional<Search> search;
    std::set<std::string> looked_at;
    for (const Branch& b : branches.all()) {
        if (b.by != Branch::By::sign || !decides(b) || !looked_at.insert(array_of(*b.compared)).second) continue;
        try {
            if (!search) search.emplace(proof, plan, options, branches);
            if (auto draw = search->tie(b)) {
                out.branches.push_back(&b);
                out.draws.push_back(std::move(draw));
            }
        } catch (const std::invalid_argument&) {  // no value apart from its line
        }
    }
    return out;
}

}  // namespace gradproof::proof
