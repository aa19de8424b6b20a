// Repairs, judged strictly.
#include "gradproof/core/proof/diagnose/strict.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// What stands above and below the line of a fraction, or with plus and with minus in a sum.
struct Sorted {
    std::vector<std::string> with, against;
    void add(const Expr& e, Kind kind, bool inverse) {
        const Kind flip = kind == Kind::sum ? Kind::negate : Kind::product;
        if (e.kind == kind)
            for (std::size_t i = 0; i < e.children.size(); ++i)
                add(*e.children[i], kind, inverse != (e.joints[i] == '-' || (i > 0 && e.joints[i] == '/')));
        else if (e.kind == Kind::negate && (flip == Kind::negate || e.children[0]->kind == kind))
            add(*e.children[0], kind, inverse != (flip == Kind::negate));
        else if (e.kind != Kind::number)
            (inverse ? against : with).push_back(text_of(e));
    }
    bool cancel() const {
        return std::ranges::any_of(with, [&](const std::string& w) { return std::ranges::count(against, w) > 0; });
    }
};

bool cancels(const Expr& e) {
    return any_part(e, [](const Expr& part) {
        if (part.kind != Kind::sum && part.kind != Kind::product) return false;
        Sorted sorted;
        sorted.add(part, part.kind, false);
        return sorted.cancel();
    });
}

/// As it is read: an entry is one thing, however many indices it has.
std::size_t length_of(const Expr& e) {
    if (e.kind == Kind::index || e.kind == Kind::delta) return 1;
    std::size_t out = 1;
    for (const ExprPtr& c : e.children) out += length_of(*c);
    return out;
}

}  // namespace

bool Strict::is_circular(const Expr& repair) const {
    const Expr& left = *claim_.line().left;
    const Expr& claimed = without_indices(left);
    const std::string itself = text_of(left);
    const bool claims_itself = any_part(repair, [&](const Expr& e) {
        if (e.kind == Kind::gradient && claimed.kind == Kind::gradient) return e.name == claimed.name;
        if (e.kind == Kind::gradient && claimed.kind == Kind::jacobian) return e.name == claimed.other;
        return e.kind == left.kind && text_of(e) == itself;
    });
    return claims_itself || (cancels(repair) && !cancels(*claim_.line().right));
}

bool Strict::is_long(const Expr& repair) const {
    constexpr std::size_t kTerm = 10;  // parts of - Y ⊙ rowsum(dY ⊙ Y), which a softmax lacks
    const std::size_t claimed = length_of(*claim_.line().right);
    return length_of(repair) > std::max(claimed + claimed / 2, claimed + kTerm);
}

bool Strict::accepts(const ExprPtr& repair) {
    constexpr int kDraws = 3, kFirst = 5000, kMostJudged = 40;
    constexpr Index kLarger = 6;
    constexpr double kMostWork = 1e5;
    if (claim_.chained) return true;
    if (++judged_ > kMostJudged) return false;
    const ByResidues by = further_.prover ? further_.prover->prove(claim_, repair) : ByResidues{};
    // Of functions that are opaque, and of those that choose a side, two equal formulas may differ; of all others they may not.
    if (by.outcome == ByResidues::Outcome::differs && by.proved.opaque.empty() && !further_.branches) return false;
    if (draws_.empty() && further_.branches) {  // a cap that is not reached may be in larger sizes
        InstanceOptions options = further_.draw;
        options.larger = kLarger;
        auto large = std::make_unique<Instance>(claim_.proof(), plan_, options, kFirst);
        if (large->derivatives().work() < kMostWork) draws_.push_back(std::move(large));
    }
    for (int i = static_cast<int>(draws_.size()); i < kDraws; ++i)
        draws_.push_back(std::make_unique<Instance>(claim_.proof(), plan_, further_.draw, kFirst + i));
    if (!Claim(claim_.line(), claim_.proof(), draws_).holds(repair)) return false;
    return !further_.stands || further_.stands(repair, by);
}

}  // namespace gradproof::proof
