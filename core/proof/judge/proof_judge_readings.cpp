// How a line is read otherwise: by other readings of its right side, by the layout that a text states, as a link of a chain.
#include "gradproof/core/proof/judge/proof_judge.hpp"

#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/orientation.hpp"
#include "gradproof/core/proof/judge/readings.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

using check::Verdict;

std::string ProofJudge::told_of_link(const Claim& c) {
    const JudgedLine* above = &c.line() - 1;
    while (above->link > 0 && !above->is_judged()) --above;
    if (!above->is_judged()) return "";
    const ExprPtr &before = above->right, &here = c.line().right;
    for (std::size_t i = 0; i < draws_.size(); ++i) {
        const std::optional<Tensor<double>> a = c.plain(i, before), b = c.plain(i, here);
        if (!a || !b || !(a->size() == b->size()) ||
            !check::compare(b->reshape(a->shape()), *a, check::relative_to_largest(*a, 1e-9)).right())
            return fmt::format("the step from {} is wrong", text_of(*before));
    }
    return fmt::format("the step from {} is right: the error stands before it", text_of(*before));
}

void ProofJudge::read_otherwise(const Claim& c, LineReport& r) {
    if (options_.chain) return;
    const std::size_t line = place_of(c);
    if (r.verdict == Verdict::right) {
        const ExprPtr other = read_in(Way::products_first, c, c.line().right);
        if (other != c.line().right && !c.holds(other)) {
            r.read_as = "right only if ⊙ and matrix products are read from left to right";
            if (is_typeset(c.line().language) && widens_before_a_product(c, c.line().right))
                return fall(r, Verdict::cannot_tell, std::exchange(r.read_as, "") + ": put brackets there");
        }
        const ExprPtr powers = is_typeset(c.line().language) ? read_in(Way::matrix_powers, c, c.line().right) : c.line().right;
        if (powers != c.line().right && !c.holds(powers))
            return fall(r, Verdict::cannot_tell,
                        "right if powers of square matrices are taken entry by entry, and not if A^2 is A A: write the product");
        readings_.add(line, c, {});
    }
    if (r.verdict != Verdict::wrong) return;
    if (is_turned_by_layout(c) && c.holds(transpose(c.line().right))) {
        r.verdict = Verdict::right;
        r.reason.clear();
        r.error = 0;
        r.worst.reset();
        r.read_as = "the transpose of the gradient, by the numerator layout that the text states";
        return;
    }
    for (const Reading& reading : other_readings(c)) {
        if (!c.holds(reading.right) || !stands(c, reading.right, by_residues(c, reading.right))) continue;
        r.verdict = Verdict::right;
        r.reason.clear();
        r.error = 0;
        r.worst.reset();
        r.read_as = fmt::format("right if read with {}: {}", reading.name(), text_of(*reading.right));
        readings_.add(line, c, reading.ways);
        return;
    }
}

bool ProofJudge::fits_as_written(const Claim& c, const ExprPtr& repair) const {
    if (is_program(c.line().language) && c.line().left->kind == Kind::index) return true;  // of each row
    if (is_program(c.line().language)) {
        const std::optional<Shape> shape = shape_in(draws_.front()->scope(), *repair);
        return !shape || shape->empty() || *shape == c.truth(0).shape();
    }
    if (!is_typeset(c.line().language) || !may_be_a_vector(*c.line().left)) return true;
    return Orientation(proof_, draws_.front()->scope()).fit(c.line().left, repair).why.empty();
}

bool ProofJudge::is_turned_by_layout(const Claim& c) const {
    const Expr& left = *c.line().left;
    return proof_.conventions.layout == Layout::numerator && is_typeset(c.line().language) && left.kind == Kind::gradient &&
           is_by_ratio(*proof_.source, left.span) && rank_in(draws_.front()->scope(), *name(left.name)).value_or(0) == 2;
}

bool ProofJudge::lies_wrong(const Claim& c, LineReport& r) {
    if (options_.chain || !may_be_a_vector(*c.line().left)) return false;
    const bool said = proof_.conventions.vectors != Vectors::unsaid;
    const Orientation orientation(proof_, draws_.front()->scope());
    const bool stated = c.line().language == Language::notation && said && orientation.forward_fits(proof_.conventions.vectors);
    if (!is_typeset(c.line().language) && !stated) {
        if (const std::string why = why_turned(c); !why.empty()) r.read_as = "right if a vector has one axis: " + why;
        return false;
    }
    if (is_turned_by_layout(c) && r.read_as.empty() && !c.holds(transpose(c.line().right))) {
        fall(r, Verdict::cannot_tell,
             fmt::format("it is right where {0} has the shape of its value, as in denominator layout, and by the numerator "
                         "layout that the text states it is the transpose: say which is meant",
                         text_of(*c.line().left)));
        return true;
    }
    const Fit fit = orientation.fit(c.line().left, c.line().right);
    readings_.add_fit(place_of(c), c, fit);
    if (fit.why.empty()) return false;
    fall(r, said ? Verdict::wrong : Verdict::cannot_tell,
         fmt::format("its numbers are right, and its vectors do not fit: {}{}", fit.why, said ? "" : ": transpose one of them"));
    return true;
}

std::string ProofJudge::why_turned(const Claim& c) const {
    const Expr& left = *c.line().left;
    const bool turned = c.line().language == Language::notation && left.kind == Kind::transpose;
    if (!turned || rank_in(draws_.front()->scope(), *left.children[0]).value_or(0) != 1) return "";
    return Orientation(proof_, draws_.front()->scope()).fit(c.line().left, c.line().right).why;
}

std::optional<JudgedLine> ProofJudge::with_fitting_shape(const Claim& c, LineReport& r) {
    if (options_.chain || has_fitting_shape(c, c.line().right)) return std::nullopt;
    for (const Reading& reading : other_readings(c)) {
        if (!has_fitting_shape(c, reading.right)) continue;
        JudgedLine line = c.line();
        line.right = reading.right;
        const Claim other = claim(line);
        LineReport read = r;
        read.verdict = Verdict::right;
        read.reason.clear();
        read.entries = 0;
        std::string hidden;
        for (std::size_t i = 0; i < draws_.size(); ++i) judge_draw(other, i, read, hidden);
        if (read.verdict != Verdict::wrong) continue;
        r = std::move(read);
        r.read_as = fmt::format("read with {}: {}", reading.name(), text_of(*reading.right));
        return line;
    }
    return std::nullopt;
}

bool ProofJudge::has_fitting_shape(const Claim& c, const ExprPtr& right) const {
    try {
        const Sides s = c.sides(0, right);
        return agreement_of(s, [&] { return c.precise_sides(0, right); }).same_shape;
    } catch (const EvaluationError&) {
        return false;
    }
}

}  // namespace gradproof::proof
