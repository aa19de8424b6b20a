// Shapes as a forward needs them: ranks by search, sizes by unification.
#include "gradproof/core/proof/language/shapes_needed.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/shape_rules.hpp"

namespace gradproof::proof {
namespace {

constexpr std::size_t kMostTried = 20000;

/// Chooses the axes of wanted values line by line, where they are first used.
class Search {
  public:
    Search(const Proof& proof, const std::vector<Wanted>& wanted, const std::function<bool(std::string_view, bool)>& is_number)
        : proof_(proof), wanted_(wanted), is_number_(is_number) {}

    std::optional<std::map<std::string, AxisNames>> run() {
        constexpr double kVectorsLie = 1.5;
        std::set<std::string> names;
        for (const Wanted& w : wanted_) names.insert(w.name);
        line(0, ShapeRules(proof_, names, false), 0);
        if (!may_leave_out_) line(0, ShapeRules(proof_, names, true), kVectorsLie);
        return best_;
    }
    std::optional<std::size_t> left_out() {
        may_leave_out_ = true;
        return run() ? best_left_out_ : std::nullopt;
    }

  private:
    void line(std::size_t at, const ShapeRules& rules, double cost) {
        if (cost >= least_ || tried_ > kMostTried) return;
        if (at == proof_.forward.size()) return finish(rules, cost);
        std::vector<std::size_t> open;
        for (std::size_t w = 0; w < wanted_.size(); ++w)
            if (!rules.knows(wanted_[w].name) && mentions(*proof_.forward[at].value, wanted_[w].name)) open.push_back(w);
        try_line(at, open, rules, cost);
        if (may_leave_out_ && !left_out_) leave_out(at, rules, cost);
    }
    /// Better one that nothing is computed of, and not the loss.
    void leave_out(std::size_t at, const ShapeRules& rules, double cost) {
        constexpr double kLeftOut = 20, kUsed = 10, kLoss = 100;
        const Assignment& a = proof_.forward[at];
        const bool used = std::any_of(proof_.forward.begin() + static_cast<std::ptrdiff_t>(at) + 1, proof_.forward.end(),
                                      [&](const Assignment& later) { return mentions(*later.value, a.name); });
        ShapeRules without = rules;
        without.give_unknown(a.name);
        left_out_ = at;
        line(at + 1, without, cost + kLeftOut + (used ? kUsed : 0) + (a.is_loss ? kLoss : 0));
        left_out_.reset();
    }
    void try_line(std::size_t at, const std::vector<std::size_t>& open, const ShapeRules& rules, double cost) {
        const Assignment& a = proof_.forward[at];
        if (!a.is_recurrence() || rules.knows(a.name)) return choose(at, open, 0, rules, cost);
        const bool capital = a.name[0] >= 'A' && a.name[0] <= 'Z';
        const double costs[] = {0.6, capital ? 0.6 : 0.0, capital ? 0.0 : 0.6};  // of rows with no axis, one and two
        // The rows of what is computed one by one, and of all that is with it.
        for (const std::size_t inner : {std::size_t{1}, std::size_t{0}, std::size_t{2}}) {
            ShapeRules with = rules;
            for (const Assignment* one : proof_.together_with(a)) with.give_sequence(*one, inner);
            choose(at, open, 0, with, cost + costs[inner]);
        }
    }
    /// Gives axes to open[next] and the others, then goes through the line.
    void choose(std::size_t at, const std::vector<std::size_t>& open, std::size_t next, const ShapeRules& rules, double cost) {
        if (cost >= least_ || tried_ > kMostTried) return;
        if (next == open.size()) return go_through(at, rules, cost);
        const Wanted& w = wanted_[open[next]];
        if (w.is_label) {
            ShapeRules with = rules;
            with.give_label(w.name, w.least > 0);
            return choose(at, open, next + 1, with, cost);
        }
        std::vector<std::size_t> ranks;
        for (std::size_t rank = w.least; rank <= kMostAxesTaken; ++rank) ranks.push_back(rank);
        std::ranges::sort(ranks, {}, [&](std::size_t rank) { return w.costs[rank]; });
        for (const std::size_t rank : ranks) {
            ShapeRules with = rules;
            with.give(w.name, open[next], rank);
            choose(at, open, next + 1, with, cost + w.costs[rank]);
        }
    }
    void go_through(std::size_t at, ShapeRules rules, double cost) {
        ++tried_;
        const Assignment& a = proof_.forward[at];
        if (!rules.add(a)) return;
        const bool last = at + 1 == proof_.forward.size();
        if ((a.is_loss || (a.indices.empty() && is_number_(a.name, last))) && !rules.is_number(a.name)) return;
        cost += rules.take_cost();
        line(at + 1, rules, cost);
    }
    void finish(ShapeRules rules, double cost) {
        const double total = cost + rules.see_claims();
        if (total >= least_) return;
        least_ = total;
        best_.reset();
        best_left_out_ = left_out_;
        constexpr double kPlain = 1;  // the forward says as much as authors mostly say
        if (rules.most_claims_misfit() && cost > kPlain) return;
        best_.emplace();
        for (const Wanted& w : wanted_)
            if (rules.knows(w.name) && rules.is_placed(w.name)) (*best_)[w.name] = rules.sizes_of(w.name);
    }

    const Proof& proof_;
    const std::vector<Wanted>& wanted_;
    const std::function<bool(std::string_view, bool)>& is_number_;
    double least_ = std::numeric_limits<double>::infinity();
    std::size_t tried_ = 0;
    std::optional<std::map<std::string, AxisNames>> best_;
    bool may_leave_out_ = false;
    std::optional<std::size_t> left_out_, best_left_out_;  ///< where the search is, and of the best that it found
};

}  // namespace

std::optional<std::map<std::string, AxisNames>> shapes_needed(const Proof& proof, const std::vector<Wanted>& wanted,
                                                              const std::function<bool(std::string_view, bool)>& is_number) {
    return Search(proof, wanted, is_number).run();
}

std::optional<std::size_t> assignment_to_leave_out(const Proof& proof, const std::vector<Wanted>& wanted,
                                                   const std::function<bool(std::string_view, bool)>& is_number) {
    return Search(proof, wanted, is_number).left_out();
}

}  // namespace gradproof::proof
