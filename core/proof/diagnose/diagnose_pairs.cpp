// Diagnosis: two slips at once. Of slips that scale or add a term the numbers say which: the line changes by a multiple of what
// it loses without the term, so few lines need to be tried.
#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/diagnose/slips.hpp"

namespace gradproof::proof {
namespace {

constexpr Undos::Maker kOthers[] = {kept_axis, same_shape, upstream, exponent, other_index};
constexpr Undos::Maker kAll[] = {kept_axis,   term_sign, same_shape,    upstream,   path_term,
                                 coefficient, exponent,  constant_term, other_index};
constexpr double kResidual = 1e-8;  // of what numbers explain, relative to the truth
constexpr double kFit = 1e-6;       // of a coefficient
constexpr std::size_t kMostLeaves = 12;

using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out += a[i] * b[i];
    return out;
}

/// A change of the line whose size is open: a term that is scaled, or one that is missing.
struct Direction {
    std::size_t place;
    ExprPtr missing;  ///< nullptr: what stands at the place may have another coefficient
    Mistake mistake{};
    Numbers change;
};

class Pairs {
  public:
    explicit Pairs(Search& s) : s_(s), pool_(s), constants_(constants(s, false)) {
        for (std::size_t d = 1; d < s.claim.draws() && s.claim.truth(draw_).size() < kEnough; ++d)
            if (s.claim.truth(d).size() > s.claim.truth(draw_).size()) draw_ = d;
        for (const double t : values_of(s.claim.truth(draw_))) truth_.push_back(t);
        scale_ = dot(truth_, truth_);
        for (const ExprPtr& c : pool_.scalars) {
            const double v = Evaluator<double>(s.claim.draw(draw_).scope()).matrix(*c).value()[0];
            scalars_.push_back({c, v});
            scalars_.push_back({product(number(1), '/', c), 1 / v});
        }
    }

    void run() {
        const bool fits = numbers(s_.right).has_value(), tells = truth_.size() >= kLeast && scale_ > 0 && std::isfinite(scale_);
        if (fits && tells) two_terms();
        if (fits && tells) apart();
        Undos first(pool_, s_.right);
        for (const Undos::Maker maker : kOthers) first.make(maker);
        for (const bool missing : {false, true})
            for (const Undo& one : tells ? first.all : std::vector<Undo>{})
                if (!s_.exhausted()) one_term(one, missing);
        if (!tells)
            for (const Undos::Maker maker : {path_term, constant_term, coefficient, term_sign}) first.make(maker);
        for (const Undo& one : first.all) {
            if (s_.exhausted()) return;
            if (fits && !numbers(one.line)) continue;  // of two slips that fit each alone does
            Undos second(pool_, one.line);
            if (tells)
                for (const Undos::Maker maker : kOthers) second.make(maker, one.place);
            else
                for (const Undos::Maker maker : kAll) second.make(maker, one.place);
            for (const Undo& two : second.all) tries(one, two);
        }
    }

  private:
    static constexpr std::size_t kLeast = 4;  // entries: two numbers explain any two
    static constexpr Index kEnough = 8;

    void tries(const Undo& one, const Undo& two) {
        if (two.line->depth <= kDeepest) s_.tries(Mistake::two_slips, two.line, "{}; and {}", one, two);
    }

    std::optional<Numbers> numbers(const ExprPtr& line) const {
        const std::optional<Tensor<double>> x = s_.claim.plain(draw_, line);
        if (!x || x->size() != static_cast<Index>(truth_.size())) return std::nullopt;
        Numbers out(x->begin(), x->end());
        if (!std::ranges::all_of(out, [](double v) { return std::isfinite(v); })) return std::nullopt;
        return out;
    }

    static Numbers difference(const Numbers& a, const Numbers& b) {
        Numbers out = a;
        for (std::size_t i = 0; i < out.size(); ++i) out[i] -= b[i];
        return out;
    }

    /// What the line is made of, or, where something is `missing`, what it may lack.
    std::vector<Direction> directions(const Undos& at, const Numbers& now, bool missing) {
        std::vector<Direction> out;
        const auto add = [&](Direction d, const ExprPtr& changed) {
            s_.spend();
            const std::optional<Numbers> then = numbers(changed);
            if (!then) return;
            d.change = difference(*then, now);
            if (dot(d.change, d.change) > kResidual * kResidual * scale_) out.push_back(std::move(d));
        };
        for (std::size_t i = 0; !missing && i < at.places.size(); ++i) {
            const Place& p = at.places[i];
            for (std::size_t t = 0; p.node->kind == Kind::sum && p.node->children.size() > 1 && t < p.node->children.size(); ++t)
                for (std::size_t q = i + 1; q < at.places.size(); ++q)
                    if (at.places[q].node == p.node->children[t]) {
                        add({q, nullptr, {}, {}}, p.with(without(*p.node, t)));
                        break;
                    }
        }
        if (!missing) {
            out.push_back({0, nullptr, {}, now});
            return out;
        }
        for (const ExprPtr& term : pool_.path_terms) add({0, term, Mistake::missing_path, {}}, plus_term(at.line, term));
        for (std::size_t i = 0; i < at.places.size(); ++i) {
            const Place& p = at.places[i];
            if (p.node->kind == Kind::number || p.is_term || s_.is_scalar(*p.node)) continue;
            for (const ExprPtr& c : pool_.units) add({i, c, Mistake::missing_term, {}}, p.with(sum(p.node, '+', c)));
            for (std::size_t k = 0; k < std::min(kMostLeaves, pool_.leaves.size()); ++k)
                add({i, pool_.leaves[k], Mistake::missing_path, {}}, p.with(sum(p.node, '+', pool_.leaves[k])));
        }
        return out;
    }

    /// What may be undone along a direction, by so much.
    std::vector<Undo> undos(const Undos& at, const Direction& d, double by) const {
        Undos made(pool_, at.line);
        const Place& p = made.places[d.place];
        made.at = d.place;
        if (d.missing) {
            const auto lacks = [&](const ExprPtr& term) {
                made.add(d.mistake, "the term {1} is missing beside {0}", p.node, term,
                         p.with(by < 0 ? sum(p.node, '-', term)
                                       : plus_term(d.mistake == Mistake::missing_term ? term : p.node,
                                                   d.mistake == Mistake::missing_term ? p.node : term)));
            };
            if (std::abs(std::abs(by) - 1) < kFit) lacks(d.missing);
            for (const auto& [e, value] : scalars_)
                if (d.mistake == Mistake::missing_term && std::abs(std::abs(by) - std::abs(value)) < kFit * std::abs(value))
                    lacks(d.missing->kind == Kind::number ? e : product(e, '@', d.missing));
            return std::move(made.all);
        }
        for (const auto& [e, value] : constants_)
            for (const bool divides : {false, true})
                if (const double c = divides ? 1 / value : value; std::abs(std::abs(1 + by) - std::abs(c)) < kFit * std::abs(c))
                    made.add(factor_mistake(p), divides ? "{} is to be divided by {}" : "{} lacks the factor {}", p.node, e,
                             p.with(divides ? product(p.node, '/', e) : product(e, '@', p.node)));
        for (; made.at < made.places.size(); ++made.at)
            if (made.at == d.place || is_below(made.places[made.at].node, p.node))
                for (const Undos::Maker maker : {term_sign, coefficient}) maker(made, made.places[made.at]);
        for (made.at = 0; made.at < d.place; ++made.at)  // the sign belongs to the sum
            if (std::ranges::count(made.places[made.at].node->children, p.node) > 0) term_sign(made, made.places[made.at]);
        return std::move(made.all);
    }
    static bool is_below(const ExprPtr& part, const ExprPtr& whole) {
        return any_part(*whole, [&](const Expr& e) { return &e == part.get(); });
    }

    /// After one slip is undone, a term that is scaled or missing.
    void one_term(const Undo& one, bool missing) {
        const std::optional<Numbers> now = numbers(one.line);
        if (!now) return;
        const Undos at(pool_, one.line);
        const Numbers open = difference(truth_, *now);
        for (const Direction& d : directions(at, *now, missing)) {
            const double by = dot(open, d.change) / dot(d.change, d.change);
            if (rest(open, d, by) <= kResidual * kResidual * scale_)
                for (const Undo& two : undos(at, d, by)) tries(one, two);
        }
    }

    /// Two terms that are scaled or missing.
    void two_terms() {
        const Numbers now = *numbers(s_.right), open = difference(truth_, now);
        const Undos at(pool_, s_.right);
        std::vector<Direction> all = directions(at, now, false);
        for (Direction& d : directions(at, now, true)) all.push_back(std::move(d));
        constexpr int kMostHits = 12;
        int hits = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t j = i + 1; j < all.size() && hits < kMostHits && !s_.exhausted(); ++j)
                if (const std::optional<double> by = share_of(open, all[i], all[j])) {
                    ++hits;
                    for (const Undo& one : undos(at, all[i], *by)) one_term(one, all[j].missing != nullptr);
                }
    }

    /// Two slips in different terms: what they change adds up.
    void apart() {
        const Numbers now = *numbers(s_.right), open = difference(truth_, now);
        Undos at(pool_, s_.right);
        for (const Undos::Maker maker : kAll) at.make(maker);
        at.make(leaf_term);
        struct Change {
            double along;  ///< a direction that is as good as random
            const Undo* undo;
            Numbers change;
        };
        Numbers direction;
        for (std::size_t i = 0; i < open.size(); ++i) direction.push_back(std::sin(static_cast<double>(7 * i + 1)));
        std::vector<Change> all;
        for (const Undo& u : at.all) {
            if (s_.exhausted()) return;
            s_.spend();
            const std::optional<Numbers> then = numbers(u.line);
            if (!then) continue;
            Numbers change = difference(*then, now);
            if (dot(change, change) > kResidual * kResidual * scale_)
                all.push_back({dot(change, direction), &u, std::move(change)});
        }
        std::ranges::sort(all, {}, &Change::along);
        constexpr int kMostPairs = 20;
        int found = 0;
        const double sought = dot(open, direction), near = kFit * std::sqrt(scale_);
        for (const Change& one : all)
            for (auto two = std::ranges::lower_bound(all, sought - one.along - near, {}, &Change::along);
                 two != all.end() && two->along <= sought - one.along + near; ++two)
                if (found < kMostPairs && one.undo->place <= two->undo->place && one.undo != two->undo &&
                    rest(difference(open, one.change), {0, nullptr, {}, two->change}, 1) <= kResidual * kResidual * scale_) {
                    ++found;
                    both(*one.undo, *two->undo);
                }
    }

    /// The second after the first, wherever it stands then.
    void both(const Undo& one, const Undo& two) {
        Undos again(pool_, one.line);
        for (const Undos::Maker maker : kAll) again.make(maker, one.place);
        again.make(leaf_term);
        const std::string same = fmt::format("{}", two);
        for (const Undo& u : again.all)
            if (u.mistake == two.mistake && fmt::format("{}", u) == same) tries(one, u);
    }

    /// By how much of the first, and some of the second, they explain what is open; nullopt where they do not.
    std::optional<double> share_of(const Numbers& open, const Direction& a, const Direction& b) const {
        const double aa = dot(a.change, a.change), ab = dot(a.change, b.change), bb = dot(b.change, b.change);
        const double determinant = aa * bb - ab * ab;
        if (!(determinant > kFit * aa * bb)) return std::nullopt;
        const double ao = dot(a.change, open), bo = dot(b.change, open);
        const double x = (bb * ao - ab * bo) / determinant, y = (aa * bo - ab * ao) / determinant;
        Numbers after = open;
        for (std::size_t i = 0; i < after.size(); ++i) after[i] -= x * a.change[i];
        return std::abs(x) > kFit && rest(after, b, y) <= kResidual * kResidual * scale_ ? std::optional<double>(x)
                                                                                         : std::nullopt;
    }

    static double rest(const Numbers& open, const Direction& d, double by) {
        double out = 0;
        for (std::size_t i = 0; i < open.size(); ++i) out += (open[i] - by * d.change[i]) * (open[i] - by * d.change[i]);
        return out;
    }

    Search& s_;
    const Pool pool_;
    std::size_t draw_ = 0;
    Numbers truth_;
    std::vector<Constant> scalars_;    ///< in that draw
    std::vector<Constant> constants_;  ///< in the first
    double scale_ = 0;
};

}  // namespace

void two_slips(Search& s) {
    if (s.hurried()) return;
    s.begin_anew();
    Pairs(s).run();
}

}  // namespace gradproof::proof
