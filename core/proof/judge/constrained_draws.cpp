// Inputs moved to where equations hold, by the steps of Gauss and Newton.
#include "gradproof/core/proof/judge/constrained_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/judge/boundaries.hpp"

namespace gradproof::proof {
namespace {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;
constexpr Index kMostMoved = 64;     // that are moved
constexpr double kSlopeStep = 1e-5;  // of differences, which are exact for equations of second degree

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double largest(const Vector& x) {
    return std::accumulate(x.begin(), x.end(), 0.0, [](double most, double v) { return std::max(most, std::abs(v)); });
}

/// Gram and Schmidt, twice each: of rows that depend on others nothing is left.
Normals orthonormal(const Rows& rows) {
    constexpr double kDepends = 1e-6;
    Normals out;
    for (Vector row : rows) {
        const double length = std::sqrt(dot(row, row));
        for (int again = 0; again < 2; ++again)
            for (const Vector& other : out) {
                const double along = dot(row, other);
                for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * other[i];
            }
        const double left = std::sqrt(dot(row, row));
        if (!(left > kDepends * length)) continue;
        for (double& v : row) v /= left;
        out.push_back(std::move(row));
    }
    return out;
}

/// Equations as a function of the inputs in them.
class Equations {
  public:
    Equations(const std::vector<const Assumption*>& all, const Proof& proof, const Plan& plan, const InstanceOptions& options,
              int number)
        : all_(all), proof_(proof), plan_(plan), number_(number) {
        const Instance start(proof, plan, options, number);
        at_ = as_drawn(start, proof, options);
        for (const Given& g : proof.given) {
            const bool is_in = std::ranges::any_of(
                all, [&](const Assumption* a) { return a->of.contains(g.name) || (g.hidden() && a->of.contains(g.behind)); });
            const bool free = g.fill == Fill::normal || g.fill == Fill::positive;
            if (!is_in || !free || options.bind.contains(g.name)) continue;
            moved_.push_back(g.name);
            if (g.fill == Fill::positive) positive_.insert(g.name);
            entries_ += at_.bind.at(g.name).size();
        }
    }
    const std::vector<std::string>& moved() const { return moved_; }
    Index entries() const { return entries_; }
    const Tensor<double>& value(const std::string& name) const { return at_.bind.at(name); }
    std::unique_ptr<Instance> draw() const { return std::make_unique<Instance>(proof_, plan_, at_, number_); }

    /// What is left over of each.
    Vector residuals() const {
        const std::unique_ptr<Instance> here = draw();
        Evaluator<double> evaluator(here->scope());
        Vector out;
        for (const Assumption* a : all_) {
            const Tensor<double> left = evaluator.matrix(*a->left).value(), right = evaluator.matrix(*a->right).value();
            const bool spread = right.size() == 1 && left.size() > 1;  // A x = 0
            if (!spread && left.size() != right.size()) throw std::invalid_argument("the sides do not fit together");
            for (Index i = 0; i < left.size(); ++i) out.push_back(left[i] - right[spread ? 0 : i]);
        }
        return out;
    }
    /// How they change with the entries of an input: one row for each of them.
    Rows slopes(const std::string& name) {
        Rows out;
        const Index n = at_.bind.at(name).size();
        for (Index i = 0; i < n; ++i) {
            const double x = at_.bind.at(name)[i];
            const auto at = [&](double v) {
                Tensor<double> moved = at_.bind.at(name).clone();
                moved[i] = v;
                at_.bind.insert_or_assign(name, moved);
                return residuals();
            };
            const Vector above = at(x + kSlopeStep), below = at(x - kSlopeStep);
            at(x);
            out.resize(above.size(), Vector(static_cast<std::size_t>(n)));
            for (std::size_t k = 0; k < above.size(); ++k)
                out[k][static_cast<std::size_t>(i)] = (above[k] - below[k]) / (2 * kSlopeStep);
        }
        return out;
    }
    /// By steps of the entries, or of the logarithms of those that stay positive.
    void move(const std::string& name, const double* by) {
        constexpr double kLongest = 2;
        Tensor<double> moved = at_.bind.at(name).clone();
        for (Index i = 0; i < moved.size(); ++i)
            if (is_positive(name))
                moved[i] *= std::exp(std::clamp(by[i], -kLongest, kLongest));
            else
                moved[i] += by[i];
        at_.bind.insert_or_assign(name, moved);
    }
    bool is_positive(const std::string& name) const { return positive_.contains(name); }

  private:
    const std::vector<const Assumption*>& all_;
    const Proof& proof_;
    const Plan& plan_;
    int number_;
    InstanceOptions at_;
    std::vector<std::string> moved_;
    std::set<std::string> positive_;
    Index entries_ = 0;
};

/// The shortest step after which the linear equations hold: J step = -r, by what is left of each row beside those before.
Vector shortest_step(const Rows& slopes, const Vector& r) {
    constexpr double kDepends = 1e-6;
    Vector step(slopes.front().size());
    Normals directions;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
        Vector row = slopes[k];
        const double length = std::sqrt(dot(row, row));
        for (int again = 0; again < 2; ++again)
            for (const Vector& other : directions) {
                const double along = dot(row, other);
                for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * other[i];
            }
        const double left = std::sqrt(dot(row, row));
        if (!(left > kDepends * length)) continue;
        for (double& v : row) v /= left;
        const double missing = (-r[k] - dot(slopes[k], step)) / dot(slopes[k], row);
        for (std::size_t i = 0; i < row.size(); ++i) step[i] += missing * row[i];
        directions.push_back(std::move(row));
    }
    return step;
}

/// Moves the inputs; whether the equations hold then.
bool solve(Equations& equations) {
    constexpr int kMostSteps = 40;
    constexpr double kHolds = 1e-12;
    for (int i = 0; i < kMostSteps; ++i) {
        const Vector r = equations.residuals();
        if (!(largest(r) < 1e6)) return false;
        if (largest(r) <= kHolds) return true;
        Rows slopes(r.size());
        for (const std::string& name : equations.moved()) {
            Rows of_name = equations.slopes(name);
            if (equations.is_positive(name))
                for (Vector& row : of_name)
                    for (std::size_t k = 0; k < row.size(); ++k) row[k] *= equations.value(name)[static_cast<Index>(k)];
            for (std::size_t k = 0; k < r.size(); ++k) slopes[k].insert(slopes[k].end(), of_name[k].begin(), of_name[k].end());
        }
        const Vector step = shortest_step(slopes, r);
        const double* at = step.data();
        for (const std::string& name : equations.moved()) {
            equations.move(name, at);
            at += equations.value(name).size();
        }
    }
    return false;
}

}  // namespace

std::optional<ConstrainedDraw> draw_under(const std::vector<const Assumption*>& equations, const Proof& proof, const Plan& plan,
                                          const InstanceOptions& options, int number) {
    try {
        Equations of(equations, proof, plan, options, number);
        if (of.moved().empty() || of.entries() > kMostMoved || !solve(of)) return std::nullopt;
        ConstrainedDraw out{of.draw(), {}};
        for (const std::string& name : of.moved()) out.normals.emplace(name, orthonormal(of.slopes(name)));
        return out;
    } catch (const std::invalid_argument&) {  // it does not fit together
        return std::nullopt;
    }
}

}  // namespace gradproof::proof
