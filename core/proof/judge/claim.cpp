// Claims in their draws.
#include "gradproof/core/proof/judge/claim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof::proof {
namespace {

constexpr double kSlack = 4;         // of the bounds: constants that a page computes carry more than one rounding
constexpr double kLeastGap = 1e-11;  // relative to an entry: less is no error of a derivation
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNarrow = 1e-9;  // bounds wider than this, relative to the largest entry, tell nothing
// Nor do those that are wider relative to the entry itself, if they are more than rounding of ordinary numbers.
constexpr double kHidden = 1e-6, kNothing = 1e-9;

/// The values a right side is evaluated with: a gradient claimed before takes the place of the true one where lines are chained.
template <class T>
Scope<T> scope_of(Derivatives<T>& by, const std::map<std::string, Tensor<double>>* claimed) {
    Scope<T> scope = by.scope();
    if (claimed)
        scope.gradient = [&by, claimed](const Expr& e) {
            const auto found = claimed->find(e.name);
            return found != claimed->end() ? exact<T>(found->second) : by.gradient(e.name);
        };
    return scope;
}

}  // namespace

Claim::Claim(const JudgedLine& line, const Proof& proof, std::vector<std::unique_ptr<Instance>>& draws)
    : line_(line), proof_(proof), draws_(draws), truth_(draws.size()) {
    const Expr& l = *line.left;
    left_ = where_it_holds(line.left);
    if (l.kind != Kind::index && l.kind != Kind::jacobian) return;
    for (std::size_t i = l.kind == Kind::index ? 1 : 0; i < l.children.size(); ++i) {
        const Expr& c = *l.children[i];
        const bool free = c.kind == Kind::name &&
                          std::none_of(proof.dims.begin(), proof.dims.end(), [&](const Dim& d) { return d.name == c.name; });
        if (free && std::find(indices_.begin(), indices_.end(), c.name) == indices_.end()) indices_.push_back(c.name);
    }
}

bool Claim::by_entries() const {
    return !indices_.empty() || (line_.left->kind == Kind::jacobian && !line_.left->children.empty());
}

const Tensor<Tracked>& Claim::truth(std::size_t draw) const {
    if (truth_.size() <= draw) truth_.resize(draws_.size());
    if (!truth_[draw].defined()) truth_[draw] = left_of(draws_[draw]->derivatives().scope());
    return truth_[draw];
}

template <class T>
Tensor<T> Claim::left_of(const Scope<T>& scope) const {
    Evaluator<T> evaluator(scope);
    try {
        if (!by_entries()) return evaluator.matrix(*left_).value();
        const auto sizes = evaluator.index_sizes(*line_.left, {});
        Shape shape;
        for (const std::string& i : indices_) shape.push_back(sizes.at(i));
        return evaluator.indexed(*left_, indices_, shape).value();
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
}

ExprPtr Claim::where_it_holds(const ExprPtr& e) const { return line_.holds ? call("where", {line_.holds, e, number(0)}) : e; }

/// `shape` is that of the truth.
template <class T>
Tensor<T> Claim::right_of(Evaluator<T>& evaluator, const Expr& right, const Shape& shape) const {
    if (!by_entries()) return evaluator.matrix(right).value();
    const auto letters = static_cast<int>(indices_.size());
    Shape sizes;
    for (int i = 0; i < letters; ++i) sizes.push_back(shape[i]);
    if (!evaluator.in_rows(right)) return evaluator.entries(right, indices_, sizes).value();
    try {
        const Tensor<T> rows = evaluator.indexed(right, indices_, sizes).value();
        if (shape.rank() > letters || rows.shape() == shape) return rows;
    } catch (const EvaluationError&) {
        if (shape.rank() > letters) throw;
    }
    return evaluator.entries(right, indices_, sizes).value();  // it says what is missing
}

template <class T>
Tensor<T> Claim::claimed(Evaluator<T>& evaluator, const ExprPtr& right, const Shape& shape) const {
    const ExprPtr here = where_it_holds(right);
    const Tensor<T> x = right_of(evaluator, *here, shape);
    const bool nowhere = line_.holds && std::all_of(x.begin(), x.end(), [](const T& v) { return v == T(0); });
    if (by_entries() && (is_number(*right) || nowhere) && shape.rank() > x.rank() &&
        x.size() > 0) {  // one number in all of a row
        Tensor<T> rows(shape);
        for (Index i = 0; i < rows.size(); ++i) rows[i] = x[i / (rows.size() / x.size())];
        return rows;
    }
    // A sum of arrays over no index at all is 0, of which nothing shows the shape.
    const bool empty_sum = x.rank() == 0 && contains(*right, Kind::reduce) && x[0] == T(0);
    return x.rank() == 0 && shape.rank() > 0 && (empty_sum || is_constant(*right, proof_)) ? Tensor<T>(shape, x[0]) : x;
}

namespace {

Shape squeezed(const Shape& shape) {
    Shape out;
    for (const Index n : shape)
        if (n != 1) out.push_back(n);
    return out;
}

/// Whether rowsum and its like keep an axis of size 1 in it, which may be dropped on paper.
bool keeps_an_axis(const Expr& e) {
    return any_part(e, [](const Expr& part) {
        const bool by_name = part.name.starts_with("row") || part.name.starts_with("col");
        return part.kind == Kind::call && (by_name || std::any_of(part.options.begin(), part.options.end(), [](const Option& o) {
                                               return o.name == "keep" || o.name == "keep_dims";
                                           }));
    });
}

}  // namespace

bool is_constant(const Expr& e, const Proof& proof) {
    return !any_part(e, [&](const Expr& part) {
        const bool value = part.kind == Kind::name &&
                           (proof.find(part.name) != nullptr || std::any_of(proof.given.begin(), proof.given.end(),
                                                                            [&](const Given& g) { return g.name == part.name; }));
        return value || part.kind == Kind::gradient || part.kind == Kind::jacobian;
    });
}
bool is_number(const Expr& e) { return e.kind == Kind::number || (e.kind == Kind::negate && is_number(*e.children[0])); }

bool Claim::fits(const Shape& claimed, const Shape& truth, const Expr& right) const {
    if (claimed == truth) return true;
    if (!(squeezed(claimed) == squeezed(truth))) return false;
    if (squeezed(truth).empty() && claimed.size() == truth.size()) return true;
    return claimed.rank() != truth.rank() && (keeps_an_axis(right) || keeps_an_axis(*line_.left));
}

template <class T>
Sides Claim::sides_by(std::size_t draw, const ExprPtr& right, Derivatives<T>& by) const {
    Tensor<T> truth;
    if constexpr (std::is_same_v<T, Tracked>)
        truth = this->truth(draw);
    else
        truth = left_of(by.scope());
    const Scope<T> scope = scope_of(by, chained ? &(*chained)[draw] : nullptr);
    Evaluator<T> evaluator(scope);
    const Tensor<T> claimed = this->claimed(evaluator, right, truth.shape());
    const double unit = draws_[draw]->unit();
    Sides out{.claimed = values_of(claimed), .truth = values_of(truth), .gap = {}, .error = {}, .unit = unit};
    if (fits(claimed.shape(), truth.shape(), *right)) out = sides_of(claimed, truth, unit);
    out.work = evaluator.work();
    return out;
}

namespace {

/// Finite, and no double.
template <class T>
bool is_too_large(const Bounded<T>& x) {
    return isfinite(x) && !std::isfinite(primal(x));
}

}  // namespace

template <class T>
Sides sides_of(const Tensor<T>& claimed, const Tensor<T>& truth, double unit) {
    Sides out{.claimed = values_of(claimed), .truth = values_of(truth), .gap = {}, .error = {}, .unit = unit};
    if (claimed.size() != truth.size()) return out;
    out.gap = Tensor<double>(truth.shape());
    out.error = Tensor<double>(truth.shape());
    for (Index i = 0; i < truth.size(); ++i) {
        auto a = claimed[i].value, b = truth[i].value;
        if (is_too_large(a) || is_too_large(b)) {  // in units of the larger one
            const auto larger = decltype(a)::exactly((a.size() < b.size() ? b : a).value);
            a /= larger;
            b /= larger;
            out.claimed[i] = primal(a);
            out.truth[i] = primal(b);
        }
        out.gap[i] = primal(a - b);
        out.error[i] = static_cast<double>(a.error + b.error);
    }
    return out;
}
template Tensor<Modular> Claim::left_of(const Scope<Modular>&) const;
template Tensor<Modular> Claim::claimed(Evaluator<Modular>&, const ExprPtr&, const Shape&) const;
template Sides sides_of(const Tensor<Tracked>&, const Tensor<Tracked>&, double);
template Sides sides_of(const Tensor<TrackedQuad>&, const Tensor<TrackedQuad>&, double);

Sides Sides::beside(const Tensor<double>& other) const {
    Sides out = *this;
    out.truth = other;
    out.gap = out.error = {};
    if (claimed.size() != other.size() || !(squeezed(claimed.shape()) == squeezed(other.shape()))) return out;
    out.gap = Tensor<double>(other.shape());
    // What was added up to make the other truth is known to doubles only.
    out.error = Tensor<double>(other.shape(), 1e-13 * std::max(check::finite_largest(other), check::finite_largest(truth)));
    for (Index i = 0; i < other.size(); ++i) {
        out.gap[i] = claimed[i] - other[i];
        if (error.defined() && error.size() == other.size()) out.error[i] += 2 * error[i];
    }
    return out;
}

bool Claim::differs(std::size_t draw, const ExprPtr& right) const {
    try {
        const Sides s = precise_sides(draw, right);
        for (Index i = 0; s.error.defined() && i < s.gap.size(); ++i)
            if (std::abs(s.gap[i]) > kSlack * s.error[i]) return true;
    } catch (const std::invalid_argument&) {  // an op of a plugin, of doubles only
    }
    return false;
}

std::optional<Tensor<double>> Claim::plain(std::size_t draw, const ExprPtr& right) const {
    try {
        const Shape& shape = truth(draw).shape();
        Evaluator<double> evaluator(draws_[draw]->scope());
        const Tensor<double> c = claimed(evaluator, right, shape);
        if (fits(c.shape(), shape, *right)) return c;
    } catch (const std::invalid_argument&) {
    }
    return std::nullopt;
}

bool Claim::is_far(std::size_t draw, const ExprPtr& right) const {
    constexpr double kFar = 1e-6;
    const std::optional<Tensor<double>> c = plain(draw, right);
    if (!c) return true;
    const Tensor<Tracked>& t = truth(draw);
    double largest = check::finite_largest(*c);
    for (const Tracked& x : t) largest = std::max(largest, std::isfinite(primal(x)) ? std::abs(primal(x)) : 0);
    for (Index i = 0; i < t.size(); ++i)
        if (std::abs((*c)[i] - primal(t[i])) > kFar * largest + 10 * t[i].value.error) return true;
    return false;
}

bool Claim::holds(const ExprPtr& right, bool proved) const {
    for (std::size_t i = 0; i < draws_.size(); ++i) {
        try {
            if (!chained && is_far(i, right)) return false;
            const Agreement a =
                proved ? agreement(sides(i, right)) : agreement_of(sides(i, right), [&] { return precise_sides(i, right); });
            if (!a.same_shape || !a.agree || (a.open && !proved) || a.untold || !a.finite) return false;
        } catch (const EvaluationError&) {
            return false;
        } catch (const std::invalid_argument&) {
            return false;
        }
    }
    return true;
}

bool Claim::holds_with(std::size_t draw, const std::function<Tensor<double>(const Expr&)>& gradient) const {
    Scope<double> scope = draws_[draw]->scope();
    scope.gradient = gradient;
    Evaluator<double> evaluator(scope);
    const Tensor<double> left = left_of(scope), right = claimed(evaluator, line_.right, left.shape());
    if (!fits(right.shape(), left.shape(), *line_.right)) return false;
    return check::compare(right.reshape(left.shape()), left, check::relative_to_largest(left, 1e-9)).right();
}

Agreement agreement_of(const Sides& sides, const std::function<Sides()>& more_precise) {
    const Agreement a = agreement(sides);
    return a.same_shape && ((a.agree && a.open) || a.overflow) ? agreement(more_precise()) : a;
}

std::string index_text(const Shape& index) {
    return index.empty() ? "" : fmt::format("[{}]", fmt::join(index.begin(), index.end(), ","));
}

std::string hidden_by_rounding(const Agreement& a) {
    return fmt::format(
        "rounding may change entry {} by {:.1e}, of numbers of quadruple precision too: draw the inputs from a smaller range, or "
        "state smaller constants",
        index_text(a.open_at), a.open_by);
}

std::string beyond_the_range(const Agreement& a) {
    return fmt::format(
        "entry {} is not finite because numbers on the way overflow or underflow, of quadruple precision too: draw the inputs "
        "from a smaller range",
        index_text(*a.untold));
}

namespace {

/// Whether the sides are finite and not, or not finite each in its way, for want of range alone.
bool is_untold(double claimed, double truth, double bound) {
    const bool both_finite = std::isfinite(claimed) && std::isfinite(truth);
    return !both_finite && !(bound < kInfinity) && !std::isnan(truth) && claimed != truth;
}

}  // namespace

Agreement agreement(const Sides& s) {
    Agreement out;
    out.same_shape = s.error.defined();
    if (!out.same_shape) {
        out.agree = false;
        return out;
    }
    Tensor<double> claimed = s.claimed.reshape(s.truth.shape()).clone();
    for (Index i = 0; i < s.truth.size(); ++i) {
        if (!is_untold(claimed[i], s.truth[i], s.error[i])) continue;
        out.untold = check::unravel(i, s.truth.shape());
        claimed[i] = s.truth[i];
    }
    out.zero = true;
    double scale = 0;  // the largest entry that is not 0 but for its rounding
    for (Index i = 0; i < s.truth.size(); ++i) {
        const double bound = kSlack * s.error[i];
        if (std::isfinite(s.truth[i]) && !(std::abs(s.truth[i]) <= bound)) out.zero = false;
        for (const double x : {s.truth[i], claimed[i]})
            if (std::isfinite(x) && std::abs(x) > bound) scale = std::max(scale, std::abs(x));
    }
    if (scale == 0) scale = s.unit;
    const double largest = check::finite_largest(s.truth);
    check::Tolerance tolerance{
        .relative = 0, .scale = out.zero ? scale : largest, .scales = {}, .bounds = Tensor<double>(s.truth.shape())};
    for (Index i = 0; i < s.truth.size(); ++i) {
        const double bound = std::isnan(s.error[i]) ? kInfinity : kSlack * s.error[i];
        const bool finite = std::isfinite(s.truth[i]) && std::isfinite(claimed[i]);
        tolerance.bounds[i] = finite ? bound + kLeastGap * std::max(std::abs(s.truth[i]), std::abs(claimed[i])) : 0;
        const double entry = std::max(std::abs(s.truth[i]), std::abs(claimed[i]));
        const bool wide = bound > kNarrow * scale || (bound > kHidden * entry && bound > kNothing * s.unit);
        if (!finite || !wide || bound <= out.open_by) continue;
        out.open = true;
        out.open_at = check::unravel(i, s.truth.shape());
        out.open_by = bound;
    }
    const check::Comparison c = check::compare(claimed, s.truth, tolerance, check::NotFinite::compared, s.gap);
    out.finite = std::none_of(s.truth.begin(), s.truth.end(), [](double v) { return std::isnan(v); });
    const auto is_infinite = [](double v) { return !std::isfinite(v); };
    out.overflow =
        std::any_of(s.truth.begin(), s.truth.end(), is_infinite) || std::any_of(s.claimed.begin(), s.claimed.end(), is_infinite);
    const auto infinite = [](double v) { return std::isinf(v); };
    out.endless = s.truth.size() > 0 && std::all_of(s.truth.begin(), s.truth.end(), infinite);
    out.agree = c.right();
    out.agreeing = c.agree;
    out.error = c.error;
    out.worst = c.worst;
    return out;
}

}  // namespace gradproof::proof
