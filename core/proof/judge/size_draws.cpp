// Draws of other sizes.
#include "gradproof/core/proof/judge/size_draws.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

constexpr int kFirstOfSizes = 4000;  // the number of the first draw

class SizeDraws {
  public:
    SizeDraws(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches,
              const Instance& usual)
        : proof_(proof), plan_(plan), options_(options) {
        for (const Dim& d : proof.dims)
            if (!d.value) usual_.emplace(d.name, usual.sizes().at(d.name));
        std::set<std::string> compared;
        values_decide_ =
            std::ranges::any_of(branches.all(), [](const Branch& b) { return b.of == Branch::Of::drawn && b.has_sides(); });
        for (const Branch& b : branches.all())
            if ((b.by == Branch::By::sign || b.by == Branch::By::mask) && is_of_sizes(*b.compared) &&
                compared.insert(text_of(*b.compared)).second)
                decide_.push_back(&b);
    }

    std::vector<std::unique_ptr<Instance>> run() {
        if (decide_.size() + values_decide_ > 1 && !decide_.empty()) draw_combinations();
        draw_ones();
        draw_larger();
        const Lags beside = lags();
        if (beside.of_two && !usual_.empty()) draw_larger_in_turn();
        draw_far(beside);
        return std::move(draws_);
    }

  private:
    /// Whether it is made of drawn sizes, or of them and numbers.
    bool is_of_sizes(const Expr& e) const {
        const std::set<std::string> names = names_in(e);
        const auto is_dim = [&](const std::string& n) {
            return std::ranges::any_of(proof_.dims, [&](const Dim& d) { return d.name == n; });
        };
        return !usual_.empty() && !names.empty() && std::ranges::all_of(names, is_dim);
    }
    std::vector<bool> sides_at(const SizeMap& drawn) const {
        Scope<double> scope;
        scope.sizes = all_sizes(proof_, drawn);
        std::vector<bool> sides;
        for (const Branch* b : decide_) {
            const double v = Evaluator<double>(scope).matrix(*b->compared).value()[0];
            sides.push_back(b->by == Branch::By::mask || b->is_equality() ? v != 0 : v > 0);
        }
        return sides;
    }

    /// Small sizes, and those beside the numbers that they are compared with.
    std::vector<Index> sizes_tried() const {
        constexpr double kLargest = 150;
        std::set<Index> out{2, 3, 4, 5, 6, 7, 8};
        for (const Branch* b : decide_)
            for_each(*b->compared, [&](const Expr& part) {
                if (part.kind != Kind::number || !(part.number <= kLargest)) return;
                for (const int beside : {-1, 0, 1, 4, 9})
                    if (const auto n = static_cast<Index>(std::floor(part.number)) + beside; n > 1) out.insert(n);
                for (Index other = 2; other < 9 && names_in(*b->compared).size() > 1; ++other)  // n + m == 18
                    if (const auto n = static_cast<Index>(std::floor(part.number)) - other; n > 1) out.insert(n);
            });
        return {out.begin(), out.end()};
    }
    /// Of two that are on the same sides the smaller ones are better, and those that all differ.
    static double cost(const SizeMap& drawn) {
        constexpr double kAlike = 1000;
        double out = 0;
        std::set<Index> different;
        for (const auto& [name, n] : drawn) {
            out += static_cast<double>(n);
            different.insert(n);
        }
        return out + kAlike * static_cast<double>(drawn.size() - different.size());
    }
    /// And the sizes that those follow from.
    void add_behind(std::set<std::string>& sizes) const {
        for (auto d = proof_.dims.rbegin(); d != proof_.dims.rend(); ++d)
            if (d->value && sizes.contains(d->name)) sizes.merge(names_in(*d->value));
    }
    void draw_combinations() {
        constexpr int kTries = 6000;
        constexpr std::size_t kMostDraws = 96;
        std::vector<std::string> names;  // of the sizes that decide, or that those follow from
        std::set<std::string> used;
        for (const Branch* b : decide_) used.merge(names_in(*b->compared));
        add_behind(used);
        for (const auto& [name, n] : usual_)
            if (used.contains(name)) names.push_back(name);
        const std::vector<Index> tried = sizes_tried();
        const double all = std::pow(static_cast<double>(tried.size()), static_cast<double>(names.size()));
        const bool every = all <= kTries;
        Random random(0);
        std::map<std::vector<bool>, SizeMap> found;
        for (int i = 0; i < (every ? static_cast<int>(all) : kTries); ++i) {
            SizeMap sizes = usual_;
            auto rest = static_cast<std::size_t>(i);
            for (const std::string& name : names) {
                sizes[name] =
                    tried[every ? rest % tried.size() : static_cast<std::size_t>(random.below(static_cast<Index>(tried.size())))];
                rest /= tried.size();
            }
            try {
                auto [at, fresh] = found.try_emplace(sides_at(sizes), sizes);
                if (!fresh && cost(sizes) < cost(at->second)) at->second = sizes;
            } catch (const std::invalid_argument&) {  // sizes that do not go together
            }
        }
        for (const auto& [sides, sizes] : found)
            if (draws_.size() < kMostDraws) draw(sizes);
    }
    /// 1 is below the 2 of max(n, 2), where 2 itself shows nothing.
    void draw_ones() {
        std::set<std::string> compared;
        for (const Branch* b : decide_)
            if (b->by == Branch::By::sign) compared.merge(names_in(*b->compared));
        for (const auto& [name, n] : usual_) {
            SizeMap sizes = usual_;
            sizes[name] = 1;
            if (compared.contains(name)) draw(sizes);
        }
    }
    /// The sizes in sums of them, but for those that say where an entry stands, and n of (-1)^n and mod(n, 2).
    void collect_counted(const Expr& e, std::set<std::string>& to) const {
        const bool counts = e.kind == Kind::sum || (e.kind == Kind::call && e.name == "mod");
        if (counts && is_of_sizes(e)) to.merge(names_in(e));
        if (e.kind == Kind::power && is_of_sizes(*e.children[1])) to.merge(names_in(*e.children[1]));
        const std::size_t parts = e.kind == Kind::index ? 1 : e.children.size();
        for (std::size_t i = 0; i < parts; ++i) collect_counted(*e.children[i], to);
    }
    /// Whether a letter is a size or an index, and no value.
    bool counts(const std::string& name) const {
        const bool given =
            std::ranges::any_of(proof_.given, [&](const Given& g) { return g.name == name; }) || proof_.find(name) != nullptr;
        return !given && name != "pi" && name != "π" && name != "e";
    }
    /// In sizes and indices, of i (i - 1) (i - 2) 3: as many whole numbers as that may make it 0.
    double degree(const Expr& e) const {
        double most = 0, total = 0;
        const std::size_t parts = e.kind == Kind::index ? 1 : e.children.size();
        for (std::size_t i = 0; i < parts; ++i) {
            const double d = degree(*e.children[i]);
            most = std::max(most, d);
            total += d;
        }
        if (e.kind == Kind::name) return counts(e.name) ? 1 : 0;
        if (e.kind == Kind::delta || e.kind == Kind::jacobian) return 0;
        if (e.kind == Kind::product) return total;
        if (e.kind == Kind::power && e.children[1]->kind == Kind::number) return most * std::abs(e.children[1]->number);
        return most;
    }
    /// (n - 2) (n - 3) is 0 in small ones, and i (i - 1) (i - 2) for the first indices.
    void draw_larger() {
        std::set<std::string> counted;
        double powers = 0;
        const auto see = [&](const Expr& e) {
            collect_counted(e, counted);
            powers = std::max(powers, degree(e));
        };
        for (const Assignment& a : proof_.forward) see(*a.value);
        for (const JudgedLine& line : proof_.lines)
            if (line.is_judged()) see(*line.right);
        add_behind(counted);
        constexpr double kMost = 40, kAFew = 3;
        SizeMap sizes = usual_;
        const Index zeros = static_cast<Index>(powers < kMost ? powers : kMost);
        Index larger = std::max<Index>(11, zeros + 2);  // all of them odd, and further apart than zeros of n - m may be
        for (auto& [name, n] : sizes)
            if (counted.contains(name) || powers > kAFew) n = std::exchange(larger, larger + 2 + zeros / 2 * 2);
        if (sizes != usual_) draw(sizes);
        const Index alike = sizes.empty() ? 0 : sizes.begin()->second;  // n - m is 0 where they are drawn to differ nowhere
        for (auto& [name, n] : sizes)
            if (counted.contains(name)) n = alike;
        if (counted.size() > 1) draw(sizes);
    }
    /// What stands beside indices: whole numbers, 12 of y[t - 12] and mod(t, 12), and sizes, k of y[t - k].
    struct Lags {
        std::set<Index> numbers;
        std::set<std::string> sizes;
        bool of_two = false;  ///< an index with another one or with a size, i - j
    };
    void collect_lags(const Expr& e, Lags& to) const {
        constexpr double kMost = 40;
        for_each(e, [&](const Expr& part) {
            const bool joins = part.kind == Kind::sum || part.kind == Kind::product || part.kind == Kind::delta ||
                               (part.kind == Kind::call && part.name == "mod");
            if (!joins) return;
            std::set<std::string> names;
            for (const ExprPtr& c : part.children) names.merge(names_in(*c));
            const auto is_size = [&](const std::string& n) { return usual_.contains(n); };
            if (std::ranges::all_of(names, is_size) ||
                !std::ranges::all_of(names, [&](const std::string& n) { return counts(n); }))
                return;
            for (const ExprPtr& c : part.children)
                if (c->kind == Kind::number && c->number > 1 && c->number <= kMost && c->number == std::floor(c->number))
                    to.numbers.insert(static_cast<Index>(c->number));
            std::ranges::copy_if(names, std::inserter(to.sizes, to.sizes.end()), is_size);
            to.of_two = to.of_two || (names.size() > 1 && part.kind == Kind::sum);
        });
    }
    Lags lags() const {
        Lags out;
        for (const Assignment& a : proof_.forward) collect_lags(*a.value, out);
        for (const JudgedLine& line : proof_.lines)
            if (line.is_judged()) {
                collect_lags(*line.left, out);
                collect_lags(*line.right, out);
                if (line.holds) collect_lags(*line.holds, out);
            }
        return out;
    }
    /// i > m and j > 2: fewer columns than rows, and the other way round.
    void draw_larger_in_turn() {
        constexpr Index kLeast = 7;
        constexpr double kPart = 0.05;  // of the work that others may take: gradients of what stands between take more
        for (const Index step : {5, -5}) {
            SizeMap sizes = usual_;
            Index n = step > 0 ? kLeast : kLeast - step * static_cast<Index>(sizes.size() - 1);
            for (auto& [name, size] : sizes) size = std::exchange(n, n + step);
            draw(sizes, kPart);
        }
    }
    /// Sizes several times as far as what stands beside an index: with a lag of 12 the second step back needs more than 24.
    void draw_far(const Lags& lags) {
        constexpr Index kBeyond = 3, kFarthest = 120, kSmallest = 2;
        const auto draw_each = [&](const SizeMap& from, Index reach, const std::set<std::string>& but) {
            for (const Index times : {2, 3})  // the smaller first: it is explained sooner
                for (const auto& [name, n] : from) {
                    SizeMap sizes = from;
                    sizes[name] = std::min(times * reach + kBeyond, kFarthest);
                    if (!but.contains(name) && sizes[name] > n) draw(sizes);
                }
        };
        const Index reach = std::accumulate(lags.numbers.begin(), lags.numbers.end(), Index{0});
        if (reach > 0) draw_each(usual_, reach, {});
        for (const std::string& lag : lags.sizes)
            for (const Index small : {kSmallest, kSmallest + 1}) {
                SizeMap sizes = usual_;
                sizes[lag] = small;
                draw_each(sizes, small + reach, {lag});
            }
    }
    /// `part`: of the work that it may take.
    void draw(const SizeMap& sizes, double part = 1) {
        constexpr double kMostWork = 1e7, kMostWorkOfAll = 2.8e7;  // a little less than a gradient in index form may take
        constexpr double kSpreads[] = {1, 16, 256};                // where values decide too, both sides of these
        for (const double spread : kSpreads) try {
                InstanceOptions options = options_;
                options.sizes = sizes;
                options.spread = spread;
                auto draw = std::make_unique<Instance>(proof_, plan_, options, kFirstOfSizes + static_cast<int>(draws_.size()));
                const double work = draw->derivatives().work();
                if (work < part * kMostWork && work * entries_given(proof_, *draw) < part * kMostWorkOfAll)
                    draws_.push_back(std::move(draw));
                if (!values_decide_) return;
            } catch (const std::invalid_argument&) {  // sizes that do not go together
                return;
            }
    }

    const Proof& proof_;
    const Plan& plan_;
    const InstanceOptions& options_;
    SizeMap usual_;
    std::vector<const Branch*> decide_;
    bool values_decide_ = false;  ///< a branch beside them
    std::vector<std::unique_ptr<Instance>> draws_;
};

}  // namespace

SizeMap all_sizes(const Proof& proof, const SizeMap& drawn) {
    Scope<double> scope;
    scope.sizes = drawn;
    for (const Dim& d : proof.dims)
        if (d.value) {
            const double v = Evaluator<double>(scope).matrix(*d.value).value()[0];
            scope.sizes.insert_or_assign(d.name, static_cast<Index>(v));
        }
    return scope.sizes;
}

double entries_given(const Proof& proof, const Instance& draw) {
    double entries = 0;
    for (const Given& g : proof.given) entries += static_cast<double>(draw.scope().values.at(g.name).value().size());
    return entries;
}

std::vector<std::unique_ptr<Instance>> draws_of_sizes(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                      const Branches& branches, const Instance& usual) {
    return SizeDraws(proof, plan, options, branches, usual).run();
}

}  // namespace gradproof::proof
