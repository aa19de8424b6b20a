// The draws in which every line of a proof is judged.
#include "gradproof/core/proof/judge/usual_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gradproof/core/proof/judge/boundaries.hpp"
#include "gradproof/core/proof/judge/constant_draws.hpp"
#include "gradproof/core/proof/judge/size_draws.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof {
namespace {

class UsualDraws {
  public:
    UsualDraws(const Proof& proof, const Plan& plan, const InstanceOptions& options, Branches& branches)
        : proof_(proof), plan_(plan), options_(options), branches_(branches) {}

    std::vector<std::unique_ptr<Instance>> run(int draws) {
        for (int i = 0; i < (is_random() ? draws : 1); ++i) {
            draws_.push_back(std::make_unique<Instance>(proof_, plan_, options_, i));
            branches_.see(*draws_.back(), Branches::Keep::always);
        }
        if (!plan_.anything_drawn()) return std::move(draws_);
        draw_for_branches();
        draw_towards_sides();
        draw_for_equal_sizes();
        draw_for_sizes();
        draw_beyond_options();
        return std::move(draws_);
    }

  private:
    /// One draw says all where nothing is drawn: no value, and no cotangent that a line asks for.
    bool is_random() const {
        const bool asks_gradient = std::any_of(proof_.lines.begin(), proof_.lines.end(), [](const JudgedLine& l) {
            return l.left && (l.type != JudgedLine::Type::expect || contains(*l.left, Kind::gradient) ||
                              contains(*l.right, Kind::gradient));
        });
        return plan_.anything_drawn() || (asks_gradient && !proof_.forward.empty() && !proof_.forward.back().is_loss);
    }
    /// Wider and narrower ones, where they meet a side of a branch that none has met. Of the inputs that decide it alone: beside
    /// others that are as wide, what depends on the branch may underflow.
    void draw_for_branches() {
        int number = static_cast<int>(draws_.size());
        for (const double spread :
             {4.0, 16.0, 64.0, 256.0, 1024.0, 0.25, 1.0 / 16, 1.0 / 256, 1.0 / 1024, 1e5, 1e5, 1e-6, 1e-13}) {
            const auto asked = branches_.asks_for_draws();
            if (asked.empty()) return;
            for (const std::set<std::string>& inputs : asked) draw_spread(inputs, spread, number++);
        }
        draw_one_input_spread(number);
    }
    /// Of a margin m against a distance, m > \|x - y\|, one is to be large beside the other.
    void draw_one_input_spread(int number) {
        constexpr std::size_t kMostInputs = 6;
        for (const double spread : {8.0, 1.0 / 8, 64.0, 1.0 / 64})
            for (const std::set<std::string>& inputs : branches_.asks_for_draws())
                for (const std::string& input :
                     inputs.size() > 1 && inputs.size() <= kMostInputs ? inputs : std::set<std::string>{})
                    draw_spread({input}, spread, number++);
    }
    void draw_spread(const std::set<std::string>& inputs, double spread, int number) {
        InstanceOptions wider = options_;
        wider.spread = spread;
        wider.spread_of = inputs;
        auto draw = std::make_unique<Instance>(proof_, plan_, wider, number);
        if (branches_.see(*draw, Branches::Keep::with_news)) draws_.push_back(std::move(draw));
    }
    /// Those that lead to a side that none met: of a product of conditions, where all of them hold.
    void draw_towards_sides() {
        for (std::size_t i = 0; i < branches_.all().size(); ++i) {
            const Branch& b = branches_.all()[i];
            const bool asks = b.of == Branch::Of::drawn && !b.by_domain && (decides(b) || b.by == Branch::By::factor);
            if (b.met() || !asks) continue;
            const bool is_factor = b.by == Branch::By::factor;
            std::vector<const Branch*> of;
            for (const Branch& other : branches_.all())
                if (is_factor ? other.whole == b.whole : &other == &b) of.push_back(&other);
            take_until_met(i, draws_of_combinations(proof_, plan_, options_, of));
            if (is_factor) take_until_met(i, draws_of_constants(proof_, plan_, options_, *draws_.front()).draws);
        }
    }
    void take_until_met(std::size_t branch, std::vector<std::unique_ptr<Instance>> some) {
        for (std::unique_ptr<Instance>& draw : some)
            if (!branches_.all()[branch].met() && branches_.see(*draw, Branches::Keep::with_news))
                draws_.push_back(std::move(draw));
    }
    /// Those of the first draw, but for the sizes that a branch depends on: others need not be larger for its sake.
    SizeMap sizes_that_stay() const {
        SizeMap drawn, stay;
        for (const Dim& dim : proof_.dims)
            if (!dim.value) drawn.emplace(dim.name, draws_[0]->sizes().at(dim.name));
        for (const auto& [name, size] : drawn) {
            InstanceOptions options = options_;
            options.sizes = drawn;
            ++options.sizes[name];
            try {
                if (!branches_.follow_sizes(*draws_[0], Instance(proof_, plan_, options, 0))) stay.emplace(name, size);
            } catch (const std::invalid_argument&) {  // sizes that do not go together
            }
        }
        return stay.size() < drawn.size() ? stay : decltype(stay){};
    }
    /// Sizes are drawn all different: one more draw where n = m, or n = 1, decides.
    void draw_for_equal_sizes() {
        int number = 150;
        const auto is_drawn = [&](const Expr& e) {
            const auto dim = std::ranges::find(proof_.dims, e.name, &Dim::name);
            return e.kind == Kind::name && dim != proof_.dims.end() && !dim->value;
        };
        for (std::size_t i = 0; i < branches_.all().size(); ++i) {
            const Branch& b = branches_.all()[i];
            if (!b.is_equality() || b.of != Branch::Of::sizes || b.met()) continue;
            auto [a, to] = parts_compared(b.compared);
            if (!is_drawn(*a)) std::swap(a, to);
            InstanceOptions options = options_;
            for (const Dim& dim : proof_.dims)
                if (!dim.value) options.sizes.emplace(dim.name, draws_[0]->sizes().at(dim.name));
            try {
                if (is_drawn(*a)) {
                    const double size = Evaluator<double>(draws_[0]->scope()).matrix(*to).value()[0];
                    if (size < 1) continue;
                    options.sizes.insert_or_assign(a->name, static_cast<Index>(size));
                } else if (!make_equal(*a, *to, options.sizes)) {
                    continue;
                }
                auto draw = std::make_unique<Instance>(proof_, plan_, options, number++);
                if (branches_.see(*draw, Branches::Keep::with_news)) draws_.push_back(std::move(draw));
            } catch (const std::invalid_argument&) {  // sizes that do not go together
            }
        }
    }
    /// Changes one drawn size so that two that follow from sizes are equal. Whether there is one.
    bool make_equal(const Expr& a, const Expr& b, SizeMap& sizes) const {
        constexpr Index kLargest = 16;
        for (const auto& [name, usual] : SizeMap(sizes))
            for (Index n = 1; n <= kLargest; ++n) {
                SizeMap tried = sizes;
                tried[name] = n;
                try {
                    Scope<double> scope;
                    scope.sizes = all_sizes(proof_, tried);
                    const double difference =
                        Evaluator<double>(scope).matrix(a).value()[0] - Evaluator<double>(scope).matrix(b).value()[0];
                    if (difference != 0) continue;
                    sizes = tried;
                    return true;
                } catch (const std::invalid_argument&) {  // sizes that do not go together
                }
            }
        return false;
    }
    /// Of other and of larger sizes, where these decide, and where gradients take no while.
    void draw_for_sizes() {
        constexpr double kMostWork = 3e7;
        int number = 100;
        std::optional<SizeMap> stay;
        for (const Index larger : {0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 8, 8, 16, 16, 32, 64, 128}) {
            if (!branches_.asks_for_larger_sizes()) return;
            InstanceOptions options = options_;
            options.larger = larger;
            if (larger > 0 && !stay) stay = sizes_that_stay();
            if (larger > 0) options.sizes.insert(stay->begin(), stay->end());
            auto draw = std::make_unique<Instance>(proof_, plan_, options, number++);
            if (draw->derivatives().work() * entries_given(proof_, *draw) > kMostWork) return;
            if (branches_.see(*draw, Branches::Keep::with_news)) draws_.push_back(std::move(draw));
        }
        if (!branches_.asks_for_larger_sizes()) return;
        for (std::unique_ptr<Instance>& draw : draws_of_sizes(proof_, plan_, options_, branches_, *draws_.front()))
            if (branches_.see(*draw, Branches::Keep::with_news)) draws_.push_back(std::move(draw));
    }
    /// The largest whole number among the options of calls, as of a window; 0 where there is none.
    Index largest_option() const {
        constexpr double kMost = 64;
        double largest = 0;
        const auto look = [&](const Expr& part) {
            for (const Option& o : part.options)
                if (o.value->kind == Kind::number && o.value->number <= kMost && std::trunc(o.value->number) == o.value->number)
                    largest = std::max(largest, o.value->number);
        };
        for (const Assignment& a : proof_.forward) for_each(*a.value, look);
        for (const JudgedLine& line : proof_.lines)
            if (line.is_judged()) for_each(*line.right, look);
        return static_cast<Index>(largest);
    }
    /// One with a size beyond all options for each size that never was: what a window leaves out may show in larger ones only.
    void draw_beyond_options() {
        constexpr double kMostWork = 1e7, kMostWorkOfAll = 3e8;
        const Index option = largest_option();
        int number = 200;
        for (const Dim& dim : proof_.dims) {
            const bool met = std::any_of(draws_.begin(), draws_.end(),
                                         [&](const auto& draw) { return draw->sizes().at(dim.name) > option + 1; });
            if (dim.value || option == 0 || met) continue;
            InstanceOptions options = options_;
            options.sizes = draws_[0]->sizes();
            options.sizes[dim.name] = option + 2;
            try {
                auto draw = std::make_unique<Instance>(proof_, plan_, options, number++);
                const double work = draw->derivatives().work();
                if (work > kMostWork || work * entries_given(proof_, *draw) > kMostWorkOfAll) continue;
                branches_.see(*draw, Branches::Keep::always);
                draws_.push_back(std::move(draw));
            } catch (const std::invalid_argument&) {  // sizes that do not go together
            }
        }
    }

    const Proof& proof_;
    const Plan& plan_;
    const InstanceOptions& options_;
    Branches& branches_;
    std::vector<std::unique_ptr<Instance>> draws_;
};

}  // namespace

std::string why_no_window_is_left(const Proof& proof, const std::vector<std::unique_ptr<Instance>>& draws) {
    constexpr Index kAny = std::numeric_limits<Index>::max();
    Index met = kAny;  // every size was that large; one with a value is as the author wants it
    for (const Dim& d : proof.dims) {
        Index largest = 0;
        for (const auto& draw : draws) largest = std::max(largest, draw->sizes().at(d.name));
        if (!d.value) met = std::min(met, largest);
    }
    if (met == kAny) return "";
    std::string out;
    const auto look = [&](const Expr& part) {
        for (const Option& o : part.options)
            if (o.name.starts_with("window") && o.value->kind == Kind::number && o.value->number >= static_cast<double>(met))
                out =
                    fmt::format("{}={} may leave nothing out, since not every size is drawn larger than {}: state a smaller one",
                                o.name, text_of(*o.value), met);
    };
    for (const Assignment& a : proof.forward) for_each(*a.value, look);
    return out;
}

std::vector<std::unique_ptr<Instance>> usual_draws(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                   int draws, Branches& branches) {
    return UsualDraws(proof, plan, options, branches).run(draws);
}

}  // namespace gradproof::proof
