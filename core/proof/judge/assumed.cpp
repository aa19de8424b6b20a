// What a text assumes of its inputs and the draws do not have.
#include "gradproof/core/proof/judge/assumed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/judge/claim.hpp"
#include "gradproof/core/proof/judge/constrained_draws.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/language/structured.hpp"

namespace gradproof::proof {
namespace {

constexpr int kDraws = 2;
constexpr double kRounding = 1e-9;

double size_of(const Tensor<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0, [](double most, double v) { return std::max(most, std::abs(v)); });
}
bool near(const Tensor<double>& a, const Tensor<double>& b) {
    if (!(a.shape() == b.shape())) return false;
    const double most = kRounding * (1 + size_of(a));
    for (Index i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= most)) return false;
    return true;
}

/// Whether a value is of the form: a computed one may be so by itself.
bool is_so(const Tensor<double>& x, Fill fill) {
    if (fill == Fill::unit && x.rank() == 1)
        return std::abs(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) - 1) <= kRounding;
    if (x.rank() != 2) return false;
    const Index rows = x.shape()[0], columns = x.shape()[1];
    const auto at = [&](Index i, Index j) { return x[i * columns + j]; };
    const double most = kRounding * (1 + size_of(x));
    for (Index i = 0; i < columns; ++i)
        for (Index j = 0; j < columns; ++j) {
            if (fill == Fill::orthogonal || fill == Fill::frame) {
                double sum = i == j ? -1 : 0;
                for (Index k = 0; k < rows; ++k) sum += at(k, i) * at(k, j);
                if (std::abs(sum) > kRounding) return false;
                continue;
            }
            if (rows != columns) return false;
            const bool zero =
                (fill == Fill::diagonal && i != j) || (fill == Fill::lower && i < j) || (fill == Fill::upper && i > j);
            if (zero && std::abs(at(i, j)) > most) return false;
            if (fill == Fill::symmetric && std::abs(at(i, j) - at(j, i)) > most) return false;
            if (fill == Fill::skew && std::abs(at(i, j) + at(j, i)) > most) return false;
        }
    return fill == Fill::symmetric || is_structured(fill);
}

bool holds_in(const Assumption& a, const Instance& draw) {
    try {
        if (a.left) {
            Evaluator<double> evaluator(draw.scope());
            return near(evaluator.matrix(*a.left).value(), evaluator.matrix(*a.right).value());
        }
        const auto value = a.of.size() == 1 ? draw.scope().values.find(*a.of.begin()) : draw.scope().values.end();
        return value != draw.scope().values.end() && is_so(value->second.value(), a.fill);
    } catch (const std::invalid_argument&) {  // by entries, or it does not fit together
        return false;
    }
}

/// Whether the line may hang on one of these: every gradient does.
bool may_hang_on(const JudgedLine& line, const std::set<std::string>& of, const Plan& plan) {
    for (const ExprPtr& side : {line.left, line.right}) {
        if (contains(*side, Kind::gradient) || contains(*side, Kind::jacobian) || contains(*side, Kind::helper)) return true;
        for (const std::string& name : names_in(*side))
            if (std::ranges::any_of(of, [&](const std::string& x) { return x == name || plan.reaches(x, name); })) return true;
    }
    return false;
}

/// What the left side is the derivative by; "" of other lines.
std::string derived_by(const JudgedLine& line) {
    const Expr& left = line.left->kind == Kind::index ? *line.left->children[0] : *line.left;
    if (left.kind == Kind::gradient) return left.name;
    return left.kind == Kind::jacobian ? left.other : "";
}
/// The input of a form, as D that is said to be diagonal, that the left side is the derivative by; nullptr of others.
const Given* derived_by_form(const JudgedLine& line, const Proof& proof) {
    const bool is_entry = line.left->kind == Kind::index || (line.left->kind == Kind::jacobian && !line.left->children.empty());
    const std::string by = derived_by(line);
    const auto given = std::ranges::find_if(proof.given, [&](const Given& g) {
        const bool by_each =
            g.form == Fill::diagonal || g.form == Fill::lower || g.form == Fill::upper;  // each entry is free or 0
        return !by.empty() && g.hidden() && g.behind == by && !(is_entry && by_each);
    });
    return given == proof.given.end() ? nullptr : &*given;
}

/// The part of a derivative v by an x of a form that steps along the form see.
Tensor<double> along_form(const Tensor<double>& v, const Tensor<double>& x, Fill form) {
    Tensor<double> out = v.clone();
    if (form == Fill::unit) {
        const double outwards = std::inner_product(x.begin(), x.end(), v.begin(), 0.0);
        for (Index i = 0; i < out.size(); ++i) out[i] -= outwards * x[i];
        return out;
    }
    const Index rows = x.shape()[0], columns = x.shape()[1];
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j) {
            double& at = out[i * columns + j];
            if ((form == Fill::diagonal && i != j) || (form == Fill::lower && i < j) || (form == Fill::upper && i > j)) at = 0;
            if (form == Fill::skew) at = (v[i * columns + j] - v[j * columns + i]) / 2;
            for (Index k = 0; k < columns && (form == Fill::orthogonal || form == Fill::frame); ++k)  // v - x (x^T v + v^T x) / 2
                for (Index l = 0; l < rows; ++l)
                    at -= x[i * columns + k] *
                          (x[l * columns + k] * v[l * columns + j] + v[l * columns + k] * x[l * columns + j]) / 2;
        }
    return out;
}

bool is_small(const Tensor<double>& x, double beside) {
    constexpr double kAlike = 1e-7;
    return size_of(x) <= kAlike * beside;
}
Tensor<double> minus(const Tensor<double>& a, const Tensor<double>& b, double times = 1) {
    Tensor<double> out = a.clone();
    for (Index i = 0; i < out.size(); ++i) out[i] -= times * b[i];
    return out;
}
/// What a wrong line says in a draw, and what is true; nullopt where they do not compare.
std::optional<Sides> sides_in(const JudgedLine& line, const Proof& proof, std::vector<std::unique_ptr<Instance>>& draws,
                              std::size_t i) {
    try {
        const Claim c(line, proof, draws);
        Sides s = c.sides(i, line.right);
        const bool fit =
            s.claimed.size() == s.truth.size() && std::isfinite(size_of(s.claimed)) && std::isfinite(size_of(s.truth));
        return fit ? std::optional(std::move(s)) : std::nullopt;
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

/// Whether a wrong line may be the derivative along the form: that part of the true one, or twice that, as where both entries of
/// a pair move.
bool may_be_along(const Given& g, const JudgedLine& line, const Proof& proof, std::vector<std::unique_ptr<Instance>>& draws) {
    const bool of_pairs = g.form == Fill::skew || g.form == Fill::orthogonal || g.form == Fill::frame;
    for (std::size_t i = 0; i < draws.size(); ++i) {
        const std::optional<Sides> s = sides_in(line, proof, draws, i);
        const Tensor<double>& x = draws[i]->scope().values.at(g.behind).value();
        if (!s || s->truth.size() != x.size()) return true;
        const Tensor<double> claimed = s->claimed.reshape(x.shape());
        const Tensor<double> truth = along_form(s->truth.reshape(x.shape()), x, g.form);
        const double size = size_of(s->truth) + size_of(s->claimed);
        const bool twice = of_pairs && is_small(minus(claimed, truth, 2), size);
        if (!twice && !is_small(minus(claimed, truth), size)) return false;
    }
    return true;
}

/// Draws in which the assumed equations hold, and whether wrong lines are right there.
class UnderAssumptions {
  public:
    UnderAssumptions(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                     const std::vector<const Assumption*>& all)
        : proof_(proof) {
        constexpr int kFirst = 6000, kTries = 8;
        const bool equations = std::ranges::all_of(all, [](const Assumption* a) { return a->left != nullptr; });
        for (int i = 0; i < kTries && equations && draws_.size() < static_cast<std::size_t>(kDraws); ++i)
            if (auto drawn = draw_under(all, proof, plan, options, kFirst + i)) {
                draws_.push_back(std::move(drawn->draw));
                normals_.push_back(std::move(drawn->normals));
            }
    }
    /// Whether the line is also wrong where they hold, as it stands and along them.
    bool is_wrong(const JudgedLine& line) {
        bool right = true, right_along = true;
        for (std::size_t i = 0; i < draws_.size(); ++i) {
            const std::optional<Sides> s = sides_in(line, proof_, draws_, i);
            if (!s) return false;
            const double size = size_of(s->truth) + size_of(s->claimed);
            const Tensor<double> off = minus(s->claimed.reshape(s->truth.shape()), s->truth);
            right = right && is_small(off, size);
            right_along = right_along && is_normal(off, derived_by(line), i, size);
        }
        return !draws_.empty() && !right && !right_along;
    }

  private:
    /// Whether steps along the equations do not see it. Of a Jacobian whose rows and columns may be either, one way is enough.
    bool is_normal(const Tensor<double>& off, const std::string& by, std::size_t draw, double size) const {
        const auto& values = draws_[draw]->scope().values;
        const auto x = values.find(by);
        if (x == values.end()) return false;
        const auto entries = static_cast<std::size_t>(x->second.value().size()), all = static_cast<std::size_t>(off.size());
        const bool computed = std::ranges::any_of(proof_.given, [&](const Given& g) { return g.behind == by; });
        if (entries == 0 || all % entries != 0 || computed) return true;  // it is of a part: nothing is known
        const auto normals = normals_[draw].find(by);
        if (normals == normals_[draw].end() || normals->second.size() == entries) return false;  // no step is left
        const auto left_over = [&](std::size_t stride, std::size_t step) {
            double most = 0;
            for (std::size_t row = 0; row < all / entries; ++row) {
                std::vector<double> v(entries);
                for (std::size_t k = 0; k < entries; ++k) v[k] = off[static_cast<Index>(row * stride + k * step)];
                for (const std::vector<double>& n : normals->second) {
                    const double along = std::inner_product(v.begin(), v.end(), n.begin(), 0.0);
                    for (std::size_t k = 0; k < entries; ++k) v[k] -= along * n[k];
                }
                for (const double left : v) most = std::max(most, std::abs(left));
            }
            return most;
        };
        constexpr double kAlike = 1e-7;
        return std::min(left_over(entries, 1), left_over(1, all / entries)) <= kAlike * size;
    }

    const Proof& proof_;
    std::vector<std::unique_ptr<Instance>> draws_;
    std::vector<std::map<std::string, Normals, std::less<>>> normals_;
};

std::string told_of_form(const Given& g) {
    if (g.form == Fill::unit)
        return fmt::format(
            "{0} is a unit vector: it is no derivative by all entries of {0}, and is one along the sphere: write "
            "\\operatorname{{grad}} for that",
            g.behind);
    return fmt::format("{0} is {1}: it is no derivative by all entries of {0}, and may be one by those that are free", g.behind,
                       word_of_structure(g.form));
}

}  // namespace

void judge_assumptions(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    const std::size_t lines = std::min(report.lines.size(), proof.lines.size());
    const auto is_wrong = [&](std::size_t i) {
        const LineReport& r = report.lines[i];
        return r.verdict == Verdict::wrong && !r.unread && !r.skipped && proof.lines[i].is_judged() &&
               !r.reason.starts_with("shapes differ");
    };
    const auto any_form = std::ranges::any_of(proof.given, [](const Given& g) { return g.hidden(); });
    if (!any_form && proof.assumed.empty()) return;
    const Plan plan(proof, options.draw.bind);
    std::vector<std::unique_ptr<Instance>> draws;
    for (int i = 0; i < kDraws; ++i) draws.push_back(std::make_unique<Instance>(proof, plan, options.draw, i));
    for (std::size_t i = 0; i < lines; ++i)
        if (const Given* g = is_wrong(i) ? derived_by_form(proof.lines[i], proof) : nullptr)
            if (may_be_along(*g, proof.lines[i], proof, draws)) tell_nothing(report.lines[i], told_of_form(*g));
    std::vector<const Assumption*> missing;
    for (const Assumption& a : proof.assumed)
        if (!std::ranges::all_of(draws, [&](const auto& draw) { return holds_in(a, *draw); })) missing.push_back(&a);
    std::optional<UnderAssumptions> under;
    for (std::size_t i = 0; i < lines; ++i) {
        const auto matters = [&](const Assumption* a) { return may_hang_on(proof.lines[i], a->of, plan); };
        const auto first = is_wrong(i) ? std::ranges::find_if(missing, matters) : missing.end();
        if (first == missing.end()) continue;
        if (!under) under.emplace(proof, plan, options.draw, missing);
        if (under->is_wrong(proof.lines[i])) continue;
        tell_nothing(report.lines[i], fmt::format("the text assumes {}, and inputs are not drawn so: it is wrong in general, and "
                                                  "may be right under that",
                                                  (*first)->text));
    }
}

}  // namespace gradproof::proof
