// Draws of a proof: sizes, given values, the forward, and its true derivatives.
#include "gradproof/core/proof/evaluate/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::proof {
namespace {

/// A dim may have the name of a constant, as e.
std::set<std::string> unknown_sizes(const Proof& proof, const Expr& e, const std::map<std::string, Index, std::less<>>& sizes) {
    std::set<std::string> out;
    for (const std::string& n : names_in(e)) {
        const bool is_dim = std::any_of(proof.dims.begin(), proof.dims.end(), [&](const Dim& d) { return d.name == n; });
        if (!sizes.contains(n) && (is_dim || (n != "pi" && n != "e" && n != "inf" && n != "π"))) out.insert(n);
    }
    return out;
}

/// A size as a number. Errors: ProofError.
Index size_value(const Proof& proof, const Expr& e, const std::map<std::string, Index, std::less<>>& sizes) {
    Scope<double> scope;
    scope.sizes = sizes;
    try {
        const Var<double> x = Evaluator<double>(scope).matrix(e);
        const double v = x.shape().empty() ? x.value()[0] : std::numeric_limits<double>::quiet_NaN();
        if (v >= 0 && v <= static_cast<double>(kMostElements) && v == std::floor(v)) return static_cast<Index>(v);
        const std::string what = e.kind == Kind::name || e.kind == Kind::call ? "the size " + text_of(e) : "a size";
        throw ProofError(*proof.source, e.span.begin,
                         fmt::format("{} is {}, expected a whole number from 0 to {}", what, v, kMostElements));
    } catch (const EvaluationError& error) {
        fail(proof, error);
    }
}

/// Rows of positive numbers that sum to 1, exactly so: in decimals too, as residues are made of them.
Tensor<double> distributions(const Shape& shape, Random random, double spread) {
    constexpr Index kParts = Index{1} << 14;
    constexpr double kMostSpread = 16;
    Tensor<double> x(shape);
    const Index n = shape.rank() > 0 ? shape.last() : 1;
    const Index least = spread > 1 ? 1 : 0;
    for (Index row = 0; n > 0 && row < x.size() / n; ++row) {
        Tensor<double> weights = random.uniform<double>({n}, 0.1, 1);
        if (spread > 1)  // most of it in one entry
            for (double& w : weights) w = std::pow(w, std::min(spread, kMostSpread));
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        Index left = kParts;
        for (Index i = 0; i < n; ++i) {
            const Index parts =
                i + 1 == n ? left : least + static_cast<Index>(weights[i] / total * static_cast<double>(kParts - least * n));
            x[row * n + i] = static_cast<double>(parts) / static_cast<double>(kParts);
            left -= parts;
        }
    }
    return x;
}

/// With what is above the diagonal below it as well; `definite`: X X^T / n + I of that, and I smaller where X is.
Tensor<double> mirrored(Tensor<double> x, bool definite, double spread) {
    const Index n = x.shape().last();
    Tensor<double> out(x.shape());
    for (Index i = 0; i < n; ++i)
        for (Index j = i; j < n; ++j) {
            double value = x[i * n + j];
            if (definite) {
                value = i == j ? std::min(spread, 1.0) : 0;
                for (Index k = 0; k < n; ++k) value += x[i * n + k] * x[j * n + k] / static_cast<double>(n);
            }
            out[i * n + j] = out[j * n + i] = value;
        }
    return out;
}

}  // namespace

Instance::Instance(const Proof& proof, const Plan& plan, const InstanceOptions& options, int number)
    : proof_(proof), plan_(plan), random_(Random(options.seed).stream(static_cast<std::uint64_t>(number) + 1)) {
    scope_.conventions = proof.conventions;
    solve_sizes(options, random_.stream(1));
    fill(options, random_.stream(2));
    try {
        for (const Assignment& a : proof.forward) compute(proof, a, scope_);
    } catch (const EvaluationError& e) {
        fail(proof, e);
    }
    if (proof.forward.empty()) return;
    const Assignment& last = proof.forward.back();
    last_ = last.name;
    const Tensor<double>& y = scope_.values.at(last_).value();
    if (!last.is_loss) {
        Random r = random_.stream(3);
        cotangent_ = options.cotangent.defined() ? options.cotangent : r.normal<double>(y.shape());
        if (!options.cotangent.defined() && options.incoming != 1)
            for (double& g : cotangent_) g *= options.incoming;
        if (!(cotangent_.shape() == y.shape()))
            throw ProofError(*proof.source, last.value->span.begin,
                             fmt::format("the cotangent of {} is {}, expected {}", last_, cotangent_.shape(),
                                         named_shape(y.shape(), scope_.sizes)));
        if (options.last_row_alone && last.is_recurrence() && y.size() > 0)
            std::fill(cotangent_.begin(), cotangent_.end() - y.size() / y.shape()[0], 0);
    } else if (y.size() != 1) {
        throw ProofError(*proof.source, last.value->span.begin,
                         fmt::format("the loss {} is {}, expected one number", last_, y.shape()));
    }
    scope_.gradient = [this](const Expr& e) { return gradient(e.name).value; };
    scope_.jacobian = [this](const Expr& e) { return values_of(derivatives().jacobian(e.name, e.other)); };
}

void Instance::solve_sizes(const InstanceOptions& options, Random random) {
    auto& sizes = scope_.sizes;
    sizes = options.sizes;
    // From the arrays that are given: an axis of a size not yet known names it.
    for (const Given& g : proof_.given) {
        const auto bound = options.bind.find(g.name);
        if (bound == options.bind.end() || g.shape.empty()) continue;
        const Shape& shape = bound->second.shape();
        if (static_cast<std::size_t>(shape.rank()) != g.shape.size())
            throw ProofError(*proof_.source, g.span.begin,
                             fmt::format("{}: the bound array is {}, expected {} axes", g.name, shape, g.shape.size()));
        for (std::size_t a = 0; a < g.shape.size(); ++a) {
            const std::set<std::string> open = unknown_sizes(proof_, *g.shape[a], sizes);
            const Index n = shape[static_cast<int>(a)];
            if (open.size() != 1 || proof_.dims.end() != std::find_if(proof_.dims.begin(), proof_.dims.end(), [&](const Dim& d) {
                                        return d.name == *open.begin() && d.value;
                                    }))
                continue;
            auto trial = sizes;
            bool solved = false;
            for (Index v = 0; v <= n && !solved; ++v) {
                trial[*open.begin()] = v;
                try {
                    solved = size_value(proof_, *g.shape[a], trial) == n;
                } catch (const ProofError&) {
                    continue;
                }
            }
            if (!solved)
                throw ProofError(*proof_.source, g.shape[a]->span.begin,
                                 fmt::format("{}: no size {} makes {} equal to {}, which the bound array has", g.name,
                                             *open.begin(), text_of(*g.shape[a]), n));
            sizes = trial;
        }
    }
    const auto compute = [&](std::map<std::string, Index, std::less<>>& into) {
        for (const Dim& d : proof_.dims)
            if (d.value) {
                const Index v = size_value(proof_, *d.value, into);
                if (const auto [at, fresh] = into.emplace(d.name, v); !fresh && at->second != v)
                    throw ProofError(*proof_.source, d.span.begin,
                                     fmt::format("{} is {}, and {} by the bound arrays", d.name, v, at->second));
            }
    };
    std::vector<const Dim*> drawn;
    for (const Dim& d : proof_.dims)
        if (!d.value && !sizes.contains(d.name)) drawn.push_back(&d);
    // x [B, T, H * E] of large H and E would take long: sizes with which no such input is large come first.
    const auto is_small = [&](const std::map<std::string, Index, std::less<>>& trial) {
        constexpr double kMostEntries = 500;
        const auto is_computed = [](const ExprPtr& e) { return e->kind != Kind::name && e->kind != Kind::number; };
        return std::ranges::all_of(proof_.given, [&](const Given& g) {
            double entries = 1;
            for (const ExprPtr& e : g.shape) entries *= static_cast<double>(size_value(proof_, *e, trial));
            return entries <= kMostEntries || std::ranges::none_of(g.shape, is_computed);
        });
    };
    const Index highest = 4 + static_cast<Index>(drawn.size());
    constexpr int kTries = 200, kSmallTries = 20;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        auto trial = sizes;
        const Index spread = highest + attempt / 20;  // wider where the first tries meet sizes that are taken
        const std::vector<Index> order = random.permutation(spread - 1);
        for (std::size_t i = 0; i < drawn.size(); ++i) trial[drawn[i]->name] = 2 + options.larger + order[i];
        compute(trial);
        const bool distinct = std::all_of(drawn.begin(), drawn.end(), [&](const Dim* d) {
            return std::count_if(trial.begin(), trial.end(), [&](const auto& s) { return s.second == trial.at(d->name); }) == 1;
        });
        if ((distinct && (attempt >= kSmallTries || options.larger > 0 || is_small(trial))) || attempt + 1 == kTries) {
            sizes = std::move(trial);
            return;
        }
    }
}

Shape Instance::shape_of(const Given& g) const {
    Shape shape;
    for (const ExprPtr& e : g.shape) shape.push_back(size_value(proof_, *e, scope_.sizes));
    double size = 1;
    for (const Index n : shape) size *= static_cast<double>(n);
    if (size > static_cast<double>(kMostElements))
        throw ProofError(*proof_.source, g.span.begin,
                         fmt::format("{} is {}: at most {} elements", g.name, shape, kMostElements));
    return shape;
}

void Instance::fill(const InstanceOptions& options, Random random) {
    std::uint64_t stream = 0;
    for (const Given& g : proof_.given) {
        const Shape shape = shape_of(g);
        Tensor<double> x;
        if (const auto bound = options.bind.find(g.name); bound != options.bind.end()) {
            x = bound->second;
            if (!g.shape.empty() && !(x.shape() == shape))
                throw ProofError(
                    *proof_.source, g.span.begin,
                    fmt::format("{}: the bound array is {}, expected {}", g.name, x.shape(), named_shape(shape, scope_.sizes)));
        } else {
            const bool spreads = options.spread_of.empty() || options.spread_of.contains(g.name);
            x = given(g, shape, random.stream(++stream), spreads ? options.spread : 1);
        }
        if (!g.shape.empty() && g.fill == Fill::literal && !(x.shape() == shape))
            throw ProofError(
                *proof_.source, g.span.begin,
                fmt::format("{}: its value is {}, its shape is {}", g.name, x.shape(), named_shape(shape, scope_.sizes)));
        scope_.values[g.name] = x;
    }
}

Tensor<double> Instance::given(const Given& g, const Shape& shape, Random random, double spread) {
    const auto parameter = [&](std::size_t i) {
        try {
            const Var<double> x = Evaluator<double>(scope_).matrix(*g.parameters[i]);
            if (x.shape().empty() && std::isfinite(x.value()[0])) return x.value()[0];
        } catch (const EvaluationError& e) {
            fail(proof_, e);
        }
        throw ProofError(*proof_.source, g.parameters[i]->span.begin, "expected a finite number");
    };
    switch (g.fill) {
        case Fill::normal: return random.normal<double>(shape, 0, spread);
        case Fill::uniform: {
            const double low = parameter(0), high = parameter(1);
            if (!(low < high))
                throw ProofError(*proof_.source, g.parameters[0]->span.begin,
                                 fmt::format("uniform({}, {}): the first is not below the second", low, high));
            Tensor<double> x = random.uniform<double>(shape, low, high);
            bool at_low = random.below(2) == 0;  // every other entry near either end
            if (spread > 1)
                for (double& v : x) {
                    v = at_low ? low + (v - low) / spread : high - (high - v) / spread;
                    at_low = !at_low;
                }
            return x;
        }
        case Fill::positive: {
            Tensor<double> x = random.uniform<double>(shape, 0.5, 2);
            if (spread != 1)
                for (double& v : x) v *= std::pow(spread, random.uniform(-1, 1));
            return x;
        }
        case Fill::index: {
            const auto n = static_cast<Index>(parameter(0));
            if (n < 1)
                throw ProofError(*proof_.source, g.parameters[0]->span.begin, fmt::format("index({}): expected at least 1", n));
            Tensor<double> x(shape);
            for (double& v : x) v = static_cast<double>(random.below(n));
            return x;
        }
        case Fill::onehot: {
            Tensor<double> x = zeros<double>(shape);
            const Index n = shape.rank() > 0 ? shape.last() : 0;
            for (Index row = 0; n > 0 && row < x.size() / n; ++row) x[row * n + random.below(n)] = 1;
            return x;
        }
        case Fill::distribution: return distributions(shape, random, spread);
        case Fill::symmetric:
        case Fill::definite: return mirrored(random.normal<double>(shape, 0, spread), g.fill == Fill::definite, spread);
        case Fill::binary:
        case Fill::signs: {
            Tensor<double> x(shape);
            for (double& v : x) v = random.below(2) == 1 ? 1 : g.fill == Fill::binary ? 0 : -1;
            return x;
        }
        default: break;
    }
    try {
        Evaluator<double> evaluator(scope_);
        const Tensor<double> x = evaluator.matrix(*g.value).value();
        const bool mask = !g.differentiable;  // a mask may hold -inf
        for (const double v : x)
            if (!std::isfinite(v) && !mask)
                throw ProofError(*proof_.source, g.value->span.begin,
                                 fmt::format("{}: an input holds {}, expected finite numbers", g.name, v));
        return x;
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
}

template <class T>
std::unique_ptr<Derivatives<T>> Instance::derivatives_by() const {
    Scope<T> given{{}, scope_.sizes, {}, {}};
    given.conventions = scope_.conventions;
    for (const Given& g : proof_.given) given.values[g.name] = exact<T>(scope_.values.at(g.name).value());
    return std::make_unique<Derivatives<T>>(proof_, plan_, std::move(given),
                                            cotangent_.defined() ? exact<T>(cotangent_) : Tensor<T>());
}
Derivatives<Tracked>& Instance::derivatives() {
    if (!derivatives_) derivatives_ = derivatives_by<Tracked>();
    return *derivatives_;
}
Derivatives<TrackedQuad>& Instance::more_precise() {
    if (!more_precise_) more_precise_ = derivatives_by<TrackedQuad>();
    return *more_precise_;
}

double Instance::unit() const { return has_cotangent() ? check::finite_largest(cotangent_) : 1; }

double Instance::loss_value(const Scope<double>& scope) const {
    const Tensor<double>& y = scope.values.find(last_)->second.value();
    return has_cotangent() ? dot(cotangent_, y) : y[0];
}

Scope<double> Instance::moved(const std::string& name, const Tensor<double>& x) const {
    Scope<double> out = scope_.values_alone();
    try {
        put(proof_, out, name, x, scope_.values.at(name).value());
        for (const std::size_t i : plan_.reached_by(name)) compute(proof_, proof_.forward[i], out);
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
    return out;
}

const TrueGradient& Instance::gradient(const std::string& name) {
    if (const auto found = gradients_.find(name); found != gradients_.end()) return found->second;
    const Tensor<Tracked>& tracked = derivatives().gradient(name);
    TrueGradient g{.value = values_of(tracked), .error = errors_of(tracked)};
    const auto is_infinite = [](double v) { return !std::isfinite(v); };
    if (std::any_of(g.value.begin(), g.value.end(), is_infinite)) {  // a number on the way may be too large for a double
        const Tensor<TrackedQuad>& precise = more_precise().gradient(name);
        g = {.value = values_of(precise), .error = errors_of(precise)};
    }
    if (name != last_ && !plan_.reaches(name, last_)) {
        g.confirmed = g.reached = false;
        g.doubt = fmt::format("no path leads from {} to {}", name, last_);
    } else if (std::any_of(g.value.begin(), g.value.end(), is_infinite)) {
        g.confirmed = false;
        g.doubt = fmt::format("the true gradient of {} is not finite: keep the inputs away from where it is not", name);
    } else if (g.doubt = nan_after(name); !g.doubt.empty()) {
        g.confirmed = false;
    } else if (name != last_) {
        confirm(name, g);
    }
    return gradients_.emplace(name, std::move(g)).first->second;
}

std::string Instance::nan_after(const std::string& name) const {
    for (const std::size_t i : plan_.reached_by(name)) {
        const std::string& y = proof_.forward[i].name;
        const Tensor<double>& value = scope_.values.find(y)->second.value();
        const auto nans = std::count_if(value.begin(), value.end(), [](double v) { return std::isnan(v); });
        if (nans > 0)
            return fmt::format("{} is NaN at {} of {} entries: draw the inputs from where it has a value, as with ~ positive", y,
                               nans, value.size());
    }
    return "";
}

bool Instance::is_scalar(const Expr& e) const {
    return is_plain_scalar(e, [&](const std::string& n) {
        const auto v = scope_.values.find(n);
        return v != scope_.values.end() ? v->second.shape().empty()
                                        : scope_.sizes.contains(n) || n == "pi" || n == "π" || n == "e";
    });
}

}  // namespace gradproof::proof
