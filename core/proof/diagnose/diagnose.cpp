// Diagnosis of wrong claims: changes of the line are tried, simplest first, until one makes it right in every draw.
#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/diagnose/repair_search.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::proof {
namespace {

struct Pattern {
    Mistake mistake;
    bool (*applies)(const Search&);
    void (*attempt)(Search&);
};
bool always(const Search&) { return true; }
bool fits_together(const Search& s) { return !s.sides.empty(); }
bool does_not_fit(const Search& s) { return s.sides.empty(); }
bool is_of_program(const Search& s) { return is_program(s.claim.line().language); }
bool is_jacobian(const Search& s) { return s.left.kind == Kind::jacobian; }
bool is_gradient(const Search& s) {
    return fits_together(s) && !s.of.empty() && !is_jacobian(s) && s.forward_parts <= kMostPartsOfAClaim;
}
bool has_row_terms(const Search& s) {
    return std::any_of(s.places.begin(), s.places.end(), [](const Place& p) { return p.in_row_term; });
}
/// In index form a swapped index is likelier than a missing term.
bool order_is_likely(const Search& s) { return s.index_form || does_not_fit(s); }

/// The first that makes the line right is said. Where row terms stand, one of them is likelier wrong than a path. Every mistake
/// is the one that its pattern finds unless it says otherwise.
constexpr Pattern kPatterns[] = {
    {Mistake::factor, is_of_program, own_slope},
    {Mistake::double_path, always, repeated_term},
    {Mistake::extra_term, always, extra_terms},
    {Mistake::comparison, always, comparisons},
    {Mistake::factor, always, conditions},
    {Mistake::sign, always, sign},
    {Mistake::factor, fits_together, factor},
    {Mistake::missing_sum, always, wrong_axes},
    {Mistake::wrong_product, always, elementwise_products},
    {Mistake::transpose, order_is_likely, orders},
    {Mistake::transpose, order_is_likely, everywhere},
    {Mistake::transpose, does_not_fit, two_orders},
    {Mistake::lost_axis, fits_together, one_number},
    {Mistake::lost_axis, always, lost_axes},
    {Mistake::mask_after_softmax, always, masks},
    {Mistake::wrong_row_term, has_row_terms, row_term_factors},
    {Mistake::extra_sum, has_row_terms, reductions},
    {Mistake::wrong_row_term, has_row_terms, row_term_constants},
    {Mistake::missing_row_term, has_row_terms, row_terms},
    {Mistake::missing_path, is_gradient, paths},
    {Mistake::extra_sum, always, reductions},
    {Mistake::diagonal_only, always, diagonal},
    {Mistake::diagonal_only, is_jacobian, diagonal_of_jacobian},
    {Mistake::missing_row_term, always, row_terms},
    {Mistake::transpose, always, orders},
    {Mistake::transpose, always, everywhere},
    {Mistake::wrong_product, always, matrix_products},
    {Mistake::permuted_axes, always, reshapes},
    {Mistake::factor, always, factors_inside},
    {Mistake::missing_chain_factor, is_gradient, local_slope},
    {Mistake::missing_chain_factor, always, chain_factors},
    {Mistake::missing_path, always, missing_terms},
    {Mistake::factor, always, wrong_scalars},
    {Mistake::none, always, more_tries},
    {Mistake::wrong_name, always, wrong_names},
    {Mistake::wrong_exponent, always, wrong_exponents},
    {Mistake::cotangent_ignored, always, upstream_forgotten},
    {Mistake::missing_path, always, path_terms_missing},
    {Mistake::wrong_name, always, wrong_indices},
    {Mistake::wrong_name, always, wrong_slopes},
    {Mistake::missing_term, always, constant_terms_missing},
    {Mistake::missing_path, always, leaf_terms_missing},
    {Mistake::missing_term, fits_together, scaled_terms_missing},
    {Mistake::missing_chain_factor, is_gradient, other_forward},
    {Mistake::transpose, always, two_orders},
    {Mistake::factor, fits_together, unnamed_factor},
    {Mistake::two_slips, always, two_slips},
};

bool contains_free_index(const Expr& l) {
    return std::any_of(l.children.begin() + 1, l.children.end(), [](const ExprPtr& c) { return c->kind == Kind::name; });
}

}  // namespace

std::vector<Place> places_of_repairs(const ExprPtr& e) {
    std::set<const Expr*> within;
    for_each(*e, [&](const Expr& part) {
        if (!is_of_equality(part)) return;
        for (const ExprPtr& half : part.children) for_each(*half, [&](const Expr& below) { within.insert(&below); });
    });
    std::vector<Place> out = places(e);
    std::erase_if(out, [&](const Place& p) { return within.contains(p.node.get()); });
    return out;
}

RepairSearch::RepairSearch(const Claim& c, const Plan& p, const FurtherEvidence& further)
    : claim(c),
      plan(p),
      left(*c.line().left),
      right(c.line().right),
      places(places_of_repairs(right)),
      strict_(c, p, further),
      deadline_(further.deadline) {
    index_form =
        (left.kind == Kind::jacobian && !left.children.empty()) || (left.kind == Kind::index && contains_free_index(left));
    if (left.kind == Kind::gradient)
        of = left.name;
    else if (left.kind == Kind::index && left.children[0]->kind == Kind::gradient)
        of = left.children[0]->name;
    by = left.kind == Kind::jacobian ? left.other : of;
    try {
        for (std::size_t i = 0; i < claim.draws(); ++i) sides.push_back(claim.sides(i, right));
    } catch (const std::invalid_argument&) {
        sides.clear();
    }
    // Large arrays: fewer tries, so that an answer comes. A try that fails fails in the first draw.
    constexpr double kWork = 3e7, kLeast = 150;
    const double work = sides.empty() ? static_cast<double>(claim.truth(0).size()) : sides[0].work;
    allowed_ = static_cast<int>(std::clamp(kWork / std::max(work, 1.0), kLeast, static_cast<double>(allowed_)));
    // Long lines, and many of them: fewer still, since each is made and evaluated part by part.
    for (const Assignment& a : claim.proof().forward) forward_parts += parts_of(*a.value);
    constexpr double kForward = 0.05;  // few changes touch the forward
    const double longer =
        std::max(1.0, (static_cast<double>(parts_of(*right)) + kForward * static_cast<double>(forward_parts)) / kPartsToExplain);
    const double more = std::max(1.0, static_cast<double>(claim.proof().lines.size()) / kLinesToExplain);
    if (const double share = 1 / (longer * longer * more * more); share < 1) {
        constexpr double kFewest = 8;
        allowed_ = static_cast<int>(std::max(kFewest, share * allowed_));
        hurried_ = true;
    }
    begin_anew();
}

Diagnosis RepairSearch::run() {
    if (const std::string why = why_zero(); !why.empty()) return {.mistake = Mistake::values, .text = why};
    const auto* p = std::begin(kPatterns);
    while (p != std::end(kPatterns)) {
        mistake_ = p->mistake;
        try {
            if (p->applies(*this)) p->attempt(*this);
            ++p;
        } catch (const Found&) {
            return found_;
        } catch (const OutOfTime&) {
            return {.mistake = Mistake::none, .text = kOutOfTime};
        } catch (const Exhausted&) {  // of a long line; the cheap patterns have tries of their own
            p = std::find_if(p + 1, std::end(kPatterns), [](const Pattern& later) { return later.attempt == more_tries; });
        } catch (const EvaluationError&) {  // what the pattern makes has no value here, as a part of a block alone
            ++p;
        }
    }
    found_.text = census();
    return found_;
}

std::string RepairSearch::why_zero() const {
    if (of.empty() || left.kind == Kind::jacobian) return "";
    for (std::size_t i = 0; i < claim.draws(); ++i)
        if (const TrueGradient& g = claim.draw(i).gradient(of); g.reached && check::finite_largest(g.value) > 0) return "";
    return claim.draw(0).gradient(of).reached ? fmt::format("the true ∂L/∂{} is 0 everywhere", of)
                                              : fmt::format("∂L/∂{0} is 0: no path leads from {0} to the loss", of);
}

/// (x of each step), (dh before) and (x of line 3): what the reader calls values that the text has no name for. Of a loss (L) and
/// an expression (v^T p) the author can see what is meant.
bool RepairSearch::is_of_reader(const Expr& e) {
    const auto is_made_up = [](const std::string& name) {
        return name.starts_with("(") && (name.find(" of ") != std::string::npos || name.ends_with(" before)"));
    };
    return is_made_up(e.name) || is_made_up(e.other);
}

/// In the language of the line; nullptr of one with a name that the reader made up, (v^T p), which no author can write.
ExprPtr RepairSearch::writable(const ExprPtr& repair) const {
    if (!repair || !left.spelling) return repair;
    const auto is_new = [&](const std::string& name) { return name.starts_with("(") && !left.spelling->names.contains(name); };
    if (any_part(*repair, [&](const Expr& e) { return is_new(e.name) || is_new(e.other); })) return nullptr;
    if (repair->spelling) return repair;
    Expr out = *repair;
    out.spelling = left.spelling;
    return make(std::move(out));
}

void RepairSearch::found(Mistake mistake, const ExprPtr& mended, std::string text, std::string factor) {
    const ExprPtr repair = writable(mended);
    repair_ = repair;
    found_ = {.mistake = mistake, .text = std::move(text), .repair = repair ? text_of(*repair) : "", .factor = std::move(factor)};
    throw Found{};
}

bool RepairSearch::fits(const ExprPtr& changed) {
    if (hurried_ && tried_ >= most_tries_) throw Exhausted{};
    if (changed->depth > kDeepest || ++tried_ > most_tries_) return false;
    return mends(changed);
}

ExprPtr RepairSearch::value(const std::string& name) const {
    Expr out = node(Kind::name, {}, name);
    out.spelling = left.spelling;
    return make(std::move(out));
}
bool RepairSearch::is_loss(const std::string& value) const {
    if (value != claim.draw(0).last()) return false;
    const Tensor<double>& gradient_of_it = claim.draw(0).gradient(value).value;
    return gradient_of_it.size() == 1 && *gradient_of_it.begin() == 1;
}
ExprPtr RepairSearch::gradient(const std::string& name) const {
    Expr g = node(Kind::gradient, {}, name);
    g.spelling = left.spelling;
    if (left.source.starts_with("d") || left.source.starts_with("∇"))
        g.source = (left.source.starts_with("d") ? "d" : "∇") + name;
    else if (left.source.starts_with("∂Loss"))
        g.source = "∂Loss/∂" + name;
    return make(std::move(g));
}

std::vector<std::string> RepairSearch::value_names() const {
    std::vector<std::string> out;
    for (const Given& g : claim.proof().given)
        if (!g.hidden()) out.push_back(g.name);
    for (const Assignment& a : claim.proof().forward)
        if (const Expr value = node(Kind::name, {}, a.name); !is_of_reader(value)) out.push_back(a.name);
    return out;
}

std::vector<std::string> RepairSearch::differentiable_names() const {
    std::vector<std::string> out = value_names();
    const auto is_loss = [&](const std::string& n) {  // by itself, its derivative is 1
        const Assignment* const a = claim.proof().find(n);
        return a != nullptr && a->is_loss;
    };
    std::erase_if(out, [&](const std::string& n) { return claim.proof().is_constant(n) || is_loss(n); });
    return out;
}

std::string RepairSearch::census() const {
    for (const Sides& s : sides) {
        const Agreement a = agreement(s);
        if (!a.same_shape) return "";
        if (a.agree) continue;
        const std::string hurry =
            hurried_ ? fmt::format("; {} changes were tried: the line has {} parts, the forward {}, the proof {} lines", tried_,
                                   parts_of(*right), forward_parts, claim.proof().lines.size())
                     : "";
        return fmt::format("no simple explanation; {} of {} entries agree{}", a.agreeing, s.truth.size(), hurry);
    }
    return "";
}

void sign(Search& s) {
    for (const Place& p : s.places)
        if (p.node->kind == Kind::negate)
            s.tries(p.with(p.node->children[0]), "the minus before {} is wrong", p.node->children[0]);
    s.tries(with_opposite_sign(s.right), "the sign is wrong");
    for (const Place& p : s.places)
        if (const Expr& n = *p.node; n.kind == Kind::sum)
            for (std::size_t i = 0; i < n.children.size(); ++i)
                s.tries(p.with(with_joint(n, i, n.joints[i] == '-' ? '+' : '-')), "the sign of {} is wrong", n.children[i]);
    for (const Place& p : s.places)
        if ((p.is_factor || p.is_term || p.is_argument) && p.node->kind != Kind::number)
            s.tries(p.with(negate(p.node)), "the sign of {} is wrong", p.node);
}

Diagnosed diagnose(const Claim& claim, const Plan& plan, const FurtherEvidence& further) {
    RepairSearch search(claim, plan, further);
    Diagnosis why = search.run();
    return {std::move(why), search.repair()};
}

}  // namespace gradproof::proof
