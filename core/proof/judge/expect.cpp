// Expectations of numbers as they are printed.
#include "gradproof/core/proof/judge/expect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gradproof/core/proof/judge/printed.hpp"

namespace gradproof::proof {
namespace {

constexpr double kOfExact = 1e-11;  // relative to an entry that is no printed number, 1/3

bool ends_open(const Expr& array) { return !array.children.empty() && array.children.back()->kind == Kind::ellipsis; }

/// A number, or one with a minus, and not an expression.
const Expr* digits_of(const Expr& e, bool& minus) {
    if (e.kind == Kind::number) return std::isfinite(e.number) ? &e : nullptr;
    if (e.kind != Kind::negate) return nullptr;
    minus = !minus;
    return digits_of(*e.children[0], minus);
}
std::optional<Printed> printed_number(const Expr& e) {
    bool minus = false;
    const Expr* digits = digits_of(e, minus);
    if (digits == nullptr) return std::nullopt;
    Printed out = parse_printed(digits->name);
    if (minus) out.value = -out.value;
    return out;
}

/// An entry as computed, and a bound of its rounding error.
struct Computed {
    double value = 0, bound = 0;
};
template <class T>
Computed computed(const T& x) {
    constexpr double kRoundings = 4;  // constants carry more than one
    const auto error = static_cast<double>(x.value.error);
    return {primal(x), std::isnan(error) ? std::numeric_limits<double>::infinity() : kRoundings * error};
}

/// Within so many units and a half of the last printed digit. The engine's own rounding must not decide a tie.
bool within(const Printed& p, const Computed& t, int units = 0) {
    if (!std::isfinite(p.value) || !std::isfinite(t.value)) return p.value == t.value;
    constexpr double kOfDoubles = 0x1p-53;
    const double rounding = t.bound + kOfDoubles * (std::abs(p.value) + std::abs(t.value) + 4 * p.half_unit);
    return std::abs(p.value - t.value) <= (2 * units + 1) * p.half_unit + rounding;
}
/// Whether rounding reaches a thousandth of what the printed digits tell apart.
bool is_coarse(const Computed& t, double half_unit) { return !(t.bound <= 1e-3 * half_unit); }

/// Whether half a unit of the last digit is as large as the number itself, as of 1e5, or of a 0 that stands for 0.4.
bool says_nothing(const Printed& p, double truth) {
    const double off = std::abs(p.value - truth), least = 0.1 * p.half_unit;
    return p.half_unit >= 0.5 && off > least && (p.value == 0 || (p.half_unit > 0.5 && p.half_unit >= 0.5 * std::abs(p.value)));
}
/// No rounding makes one whole number of another.
bool both_whole(const Printed& p, double truth) { return p.half_unit >= 0.5 && std::abs(truth - std::round(truth)) < 1e-9; }
/// By a factor of more than ten.
bool is_magnitudes_apart(const Printed& p, double truth) {
    const double a = std::abs(p.value), b = std::abs(truth);
    return p.half_unit > 0.5 && (a > 10 * b || b > 10 * a);
}

/// The numbers of one line against what is true, entry by entry.
class Judge {
  public:
    Judge(Instance& draw, const Proof& proof, const Expr& left, LineReport& report)
        : draw_(draw), proof_(proof), left_(left), report_(report), truth_(computed_by(draw.derivatives())) {}
    const Shape& shape() const { return truth_.shape(); }

    /// The entries of `e` at axes from `axis` on, below the element `offset`; `erratum` corrects them, or is nullptr.
    void compare(const Expr& e, const Expr* erratum, int axis, Index offset, Shape index) {
        if (erratum != nullptr && erratum->kind == Kind::ellipsis) erratum = nullptr;
        const int rank = truth_.rank();
        Index below = 1;  // entries of one part of this axis
        for (int a = axis + 1; a < rank; ++a) below *= truth_.dim(a);
        if (e.kind == Kind::ellipsis) {
            if (erratum != nullptr) fail(*erratum, "an erratum where no number is printed");
            report_.unprinted += axis == rank ? 1 : truth_.dim(axis) * below;
            return;
        }
        if (axis == rank) {
            number(e, erratum, offset, index);
            return;
        }
        for (const Expr* part : {&e, erratum})
            if (part != nullptr && part->kind != Kind::array)
                slip(*part, fmt::format("expected an array of {} more ax{}, got {}", rank - axis, rank - axis == 1 ? "is" : "es",
                                        text_of(*part)));
        const Index n = truth_.dim(axis), stated = stated_in(e);
        if (ends_open(e) ? stated > n : stated != n)
            slip(e, fmt::format("axis {} has {} entries, {} are stated", axis, n, stated));
        const Index corrected = erratum == nullptr ? 0 : stated_in(*erratum);
        if (erratum != nullptr && (ends_open(*erratum) ? corrected > stated : corrected != stated))
            fail(*erratum,
                 fmt::format("{} entries are printed, {} are corrected: write ... for one that is right", stated, corrected));
        report_.unprinted += (n - stated) * below;
        index.push_back(0);
        for (Index i = 0; i < stated; ++i) {
            index[axis] = i;
            const auto child = static_cast<std::size_t>(i);
            compare(*e.children[child], i < corrected ? erratum->children[child].get() : nullptr, axis + 1, offset + i * below,
                    index);
        }
    }

    /// The verdict and its reason, of all numbers compared.
    void conclude() {
        if (report_.entries == 0) {
            report_.verdict = Verdict::cannot_tell;
            report_.reason = "no number is stated";
        } else if (silent_ > 0) {
            report_.verdict = Verdict::cannot_tell;
            report_.reason = fmt::format("{} of {} numbers ha{} no digit to compare, as {}: print more digits", silent_,
                                         report_.entries, silent_ == 1 ? "s" : "ve", first_silent_);
        }
        if (!untold_.empty()) {
            report_.verdict = Verdict::cannot_tell;
            report_.reason = untold_;
        }
        Index rounding = 0, wrong = 0, stray = 0;
        const Misprint* first = nullptr;
        for (const Misprint& m : report_.misprints) {
            if (m.as_stated) continue;
            if (!m.erratum.empty() && ++stray == 1) first = &m;
            if (m.erratum.empty()) ++(m.kind == Misprint::Kind::rounding ? rounding : wrong);
        }
        const Index off = rounding + wrong;
        if (off + stray == 0) return;
        report_.verdict = Verdict::wrong;
        report_.reason.clear();
        Diagnosis d;
        if (first != nullptr) {
            d.mistake = Mistake::erratum;
            d.text = (first->index.empty() ? "" : index_text(first->index) + ": ") +
                     (first->kind == Misprint::Kind::none
                          ? fmt::format("the printed {} is right: it needs no erratum", first->printed)
                          : fmt::format("the true number is {:.9g}, not {}", first->truth, first->erratum));
            if (stray > 1) d.text += fmt::format("; so with {} more", stray - 1);
            if (off > 0) d.text += off == 1 ? "; another number differs" : fmt::format("; {} other numbers differ", off);
        } else {
            d.mistake = wrong > 0 ? Mistake::values : Mistake::rounding;
            const std::string which = report_.entries == 1 ? "the number" : fmt::format("{} of {} numbers", off, report_.entries);
            const bool one = off == 1;
            d.text = which + (wrong > 0 ? one ? " differs" : " differ"
                                        : fmt::format(" {} off by one or two in the last digit", one ? "is" : "are"));
        }
        report_.diagnosis = d;
    }

  private:
    [[noreturn]] void fail(const Expr& e, const std::string& text) const { throw ProofError(*proof_.source, e.span.begin, text); }
    [[noreturn]] void slip(const Expr& e, const std::string& text) const { throw Slip(*proof_.source, e.span.begin, text); }

    static Index stated_in(const Expr& array) { return static_cast<Index>(array.children.size()) - (ends_open(array) ? 1 : 0); }

    void number(const Expr& e, const Expr* erratum, Index offset, const Shape& index) {
        const std::optional<Printed> digits = printed_number(e);
        const std::optional<Printed> corrected = erratum == nullptr ? std::nullopt : printed_number(*erratum);
        Printed p = digits ? *digits : Printed{};
        Computed t = digits ? computed(truth_[offset]) : beside(e, truth_[offset], draw_.derivatives(), p);
        const double finest = corrected ? std::min(p.half_unit, corrected->half_unit) : p.half_unit;
        ++report_.entries;
        if (!std::isfinite(t.value) || is_coarse(t, finest)) {
            const TrackedQuad& precise = more_precise()[offset];
            t = digits ? computed(precise) : beside(e, precise, draw_.more_precise(), p);
            if (std::isnan(t.value)) return untold(kNaN);
            // A constant with many digits is a double in quadruple precision too.
            const bool coarse = is_coarse(t, finest) && t.bound > 1e-15 * std::abs(t.value);
            Agreement hidden;
            hidden.untold = hidden.open_at = index;
            hidden.open_by = t.bound;
            if (coarse && !std::isfinite(t.value)) return untold(beyond_the_range(hidden));
            if (coarse && within(p, t, 2)) return untold(hidden_by_rounding(hidden));
        }
        Misprint m{index, text_of(e), "", t.value, Misprint::Kind::wrong, false};
        if (within(p, t) && !is_magnitudes_apart(p, t.value))
            m.kind = Misprint::Kind::none;
        else if (within(p, t, 2) && !is_magnitudes_apart(p, t.value) && !both_whole(p, t.value))
            m.kind = Misprint::Kind::rounding;
        if (m.kind == Misprint::Kind::none && digits && says_nothing(p, t.value) && silent_++ == 0) first_silent_ = text_of(e);
        double claimed = p.value;
        if (erratum != nullptr) {
            if (!digits || !corrected)
                fail(*erratum, fmt::format("an erratum puts a number in the place of a number: {} erratum {}", text_of(e),
                                           text_of(*erratum)));
            if (corrected->half_unit > p.half_unit)
                fail(*erratum, fmt::format("{} has fewer digits than the {} it corrects", text_of(*erratum), text_of(e)));
            m.erratum = text_of(*erratum);
            m.as_stated = m.kind != Misprint::Kind::none && within(*corrected, t);
            claimed = corrected->value;
        } else if (m.kind == Misprint::Kind::none) {
            return;
        }
        report_.misprints.push_back(m);
        const double off = std::abs(claimed - t.value);
        if (m.as_stated || (off <= worst_ && report_.worst)) return;
        worst_ = off;
        report_.worst = check::Worst{"", index, claimed, t.value};
        report_.error = std::max(report_.error, off / std::max(std::abs(t.value), 1e-300));
    }
    void untold(const std::string& why) {
        if (untold_.empty()) untold_ = why;
    }

    /// The computed entry beside one that is no printed number, 1/3, which becomes `p`: the bound is that of both.
    template <class T>
    Computed beside(const Expr& e, const T& entry, Derivatives<T>& by, Printed& p) const {
        Evaluator<T> evaluator(by.scope());
        const Var<T> x = evaluator.matrix(e);
        if (!x.shape().empty()) fail(e, fmt::format("expected a number, got an array of shape {}", x.shape()));
        const Computed stated = computed(x.value()[0]), t = computed(entry);
        p = {stated.value, kOfExact * std::abs(t.value)};
        return {t.value, t.bound + stated.bound};
    }
    template <class T>
    Tensor<T> computed_by(Derivatives<T>& by) const {
        return Evaluator<T>(by.scope()).matrix(left_).value();
    }
    const Tensor<TrackedQuad>& more_precise() {
        if (!precise_.defined()) precise_ = computed_by(draw_.more_precise());
        return precise_;
    }

    Instance& draw_;
    const Proof& proof_;
    const Expr& left_;
    LineReport& report_;
    Tensor<Tracked> truth_;
    Tensor<TrackedQuad> precise_;
    double worst_ = 0;
    Index silent_ = 0;  ///< printed numbers that agree with anything of their size
    std::string first_silent_;
    std::string untold_;  ///< why a number cannot be compared
};

/// Both sides of an expectation of two expressions.   Errors  ProofError where their shapes differ, EvaluationError.
template <class T>
Sides sides_by(Derivatives<T>& by, const JudgedLine& line, double unit, const Proof& proof) {
    Evaluator<T> evaluator(by.scope());
    const Sides sides = sides_of(evaluator.matrix(*line.right).value(), evaluator.matrix(*line.left).value(), unit);
    if (!(sides.claimed.shape() == sides.truth.shape()))
        throw Slip(*proof.source, line.right->span.begin,
                   fmt::format("shapes differ: expected {}, computed {}", sides.claimed.shape(), sides.truth.shape()));
    return sides;
}

}  // namespace

void judge_expectation(Instance& draw, const Proof& proof, const JudgedLine& line, LineReport& report) {
    try {
        Judge judge(draw, proof, *line.left, report);
        const bool number = line.right->kind != Kind::array && printed_number(*line.right);
        if (line.right->kind == Kind::array || (number && judge.shape().empty())) {
            judge.compare(*line.right, line.erratum.get(), 0, 0, {});
            judge.conclude();
            return;
        }
        if (line.erratum)
            throw ProofError(*proof.source, line.erratum->span.begin,
                             fmt::format("an erratum corrects printed numbers; {} is none", text_of(*line.right)));
        const Agreement a = agreement_of(sides_by(draw.derivatives(), line, draw.unit(), proof),
                                         [&] { return sides_by(draw.more_precise(), line, draw.unit(), proof); });
        report.entries = judge.shape().size();
        report.error = a.error;
        report.worst = a.worst;
        if (a.agree && a.finite && !a.open && !a.untold) return;
        report.verdict = a.agree || !a.finite ? Verdict::cannot_tell : Verdict::wrong;
        report.reason = !a.finite ? kNaN : !a.agree ? "" : a.untold ? beyond_the_range(a) : hidden_by_rounding(a);
        if (report.verdict == Verdict::cannot_tell) return;
        report.diagnosis = Diagnosis{.mistake = Mistake::values, .text = "the two sides differ"};
    } catch (const EvaluationError& e) {
        fail(proof, e);
    }
}

}  // namespace gradproof::proof
