// Products of sums, multiplied out where what cancels makes them shorter: (1 - y) p - y (1 - p) is p - y.
#include <algorithm>

#include "gradproof/core/proof/derive/term.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// The most terms that a product of sums is multiplied out to.
constexpr std::size_t kMostTerms = 64;

bool stands_above(const PowerOf& p) { return p.exponent >= 1 && is_whole(p.exponent); }
bool is_call_of_one(const Expr& e, std::string_view name) {
    return e.kind == Kind::call && e.name == name && e.children.size() == 1 && e.options.empty();
}
/// x of -x, in front of a product too; nullptr of anything else.
ExprPtr without_sign(const Expr& e) {
    if (e.kind == Kind::negate) return e.children[0];
    if (e.kind != Kind::product) return nullptr;
    const ExprPtr first = without_sign(*e.children[0]);
    return first ? with_child(e, 0, first) : nullptr;
}

/// How far products of sums are multiplied out.
enum class Reach {
    dividends,  ///< only sums in which something is divided by a factor beside them
    all,
    names,  ///< all, and q where q = 1 - p
};

class MultipliedOut {
  public:
    MultipliedOut(const Algebra& a, Reach reach) : a_(a), reach_(reach) {}

    /// Terms whose sum it is; none where they are too many.
    std::vector<Term> of(const Term& t) {
        add(t);
        return too_many_ ? std::vector<Term>{} : std::move(out_);
    }

  private:
    void add(const Term& t) {
        for (std::size_t i = 0; i < t.powers.size(); ++i) {
            if (!stands_above(t.powers[i])) continue;
            const ExprPtr sum = as_sum(t.powers[i].base);
            if (!sum) continue;
            Term rest = t;
            rest.powers[i].exponent -= 1;
            if (rest.powers[i].exponent == 0) rest.powers.erase(rest.powers.begin() + static_cast<std::ptrdiff_t>(i));
            if (reach_ == Reach::dividends && !cancels(*sum, rest)) continue;
            for (std::size_t k = 0; k < sum->children.size() && !too_many_; ++k) {
                const Term one = a_.times(rest, a_.term(sum->children[k]));
                add(sum->joints[k] == '-' ? Algebra::negated(one) : one);
            }
            return;
        }
        out_.push_back(t);
        too_many_ = too_many_ || out_.size() > kMostTerms;
    }

    /// The sum that it is; nullptr where it is none.
    ExprPtr as_sum(const ExprPtr& e) const {
        if (e->kind == Kind::sum) return e;
        if (reach_ == Reach::dividends) return nullptr;
        if (is_call_of_one(*e, "sigmoid"))
            if (const ExprPtr x = without_sign(*e->children[0])) return one_minus(a_.expression(a_.term(call("sigmoid", {x}))));
        if (reach_ != Reach::names || e->kind != Kind::name) return nullptr;
        const Assignment* const a = a_.known().find(e->name);
        return a && a->indices.empty() && is_one_minus(*a->value) ? a->value : nullptr;
    }

    /// Whether a term of the sum is divided by what stands in the rest.
    bool cancels(const Expr& sum, const Term& rest) const {
        return std::ranges::any_of(sum.children, [&](const ExprPtr& c) {
            const Term t = a_.term(c);
            return std::ranges::any_of(t.powers, [&](const PowerOf& below) {
                return below.exponent < 0 && std::ranges::any_of(rest.powers, [&](const PowerOf& p) {
                           return stands_above(p) && text_of(*p.base) == text_of(*below.base);
                       });
            });
        });
    }

    const Algebra& a_;
    Reach reach_;
    std::vector<Term> out_;
    bool too_many_ = false;
};

/// How long a formula is to read: its names above all, then its terms, quotients, functions and numbers, and no signs.
std::size_t length_of(const Expr& e) {
    std::size_t n = 0;
    for_each(e, [&](const Expr& part) {
        switch (part.kind) {
            case Kind::name:
            case Kind::gradient: n += 2; break;
            case Kind::sum: n += part.children.size(); break;
            case Kind::product: n += static_cast<std::size_t>(std::ranges::count(part.joints, '/')); break;
            case Kind::negate: break;
            default: ++n;
        }
    });
    return n;
}

/// Whether it is 1 + exp(u) for this exp(u).
bool is_one_plus(const Expr& e, const std::string& exponential) {
    if (e.kind != Kind::sum || e.children.size() != 2 || e.joints[0] == '-' || e.joints[1] == '-') return false;
    const std::size_t one = is_number(*e.children[0], 1) ? 0 : 1;
    return is_number(*e.children[one], 1) && text_of(*e.children[1 - one]) == exponential;
}

}  // namespace

/// exp(u) / (1 + exp(u)) is sigmoid(u), and 1 - p where p is a value that 1 / (1 + exp(u)) is.
Term Algebra::with_sigmoids(const Term& t) const {
    for (std::size_t i = 0; i < t.powers.size(); ++i) {
        const Expr& up = *t.powers[i].base;
        if (t.powers[i].exponent != 1 || !is_call_of_one(up, "exp")) continue;
        const std::string exponential = text_of(up);
        const auto below = std::ranges::find_if(
            t.powers, [&](const PowerOf& p) { return p.exponent == -1 && is_one_plus(*p.base, exponential); });
        if (below == t.powers.end()) continue;
        const std::string other = known_.name_of(*proof::product(proof::number(1), '/', below->base));
        const ExprPtr sigmoid = other.empty() ? call("sigmoid", {up.children[0]}) : one_minus(proof::name(other));
        Term rest = t;
        std::erase_if(rest.powers, [&](const PowerOf& p) { return p.base.get() == &up || p.base == below->base; });
        return with_sigmoids(times(std::move(rest), {1, 1, {{sigmoid, 1}}}));
    }
    return t;
}

/// -x, which is b - a of a - b where both are no numbers.
Term Algebra::opposite(Term t) {
    const auto is_difference = [](const PowerOf& p) {
        return p.exponent == 1 && p.base->kind == Kind::sum && p.base->joints == "+-" &&
               std::ranges::none_of(p.base->children, [](const ExprPtr& c) { return c->kind == Kind::number; });
    };
    const auto found = std::ranges::find_if(t.powers, is_difference);
    if (t.up < 0 || found == t.powers.end()) return negated(std::move(t));
    found->base = proof::sum(found->base->children[1], '-', found->base->children[0]);
    return t;
}

Term Algebra::shortest(const Term& given) const {
    const Term t = with_sigmoids(given);
    Term out = t;
    std::size_t length = length_of(*expression(t));
    for (const Reach reach : {Reach::dividends, Reach::all, Reach::names}) {
        const std::vector<Term> terms = MultipliedOut(*this, reach).of(t);
        if (terms.size() < 2) continue;
        const Term together = add(terms);
        if (const std::size_t n = length_of(*expression(together)); n < length && axes(together) == axes(t)) {
            length = n;
            out = together;
        }
    }
    return out;
}

}  // namespace gradproof::proof
