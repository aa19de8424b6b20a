// The order in which patterns are tried, and what they share.
//
// Kinds: not_finite, missing_path, sign, factor, wrong_name (the gradient of another input),
// transpose, permuted_axes, cotangent_ignored,
// missing_chain_factor, wrong_slope, missing_sum, mean_for_sum, extra_sum, diagonal_only, missing_row_term,
// wrong_row_term, ignored_attribute, wrong_point (the
// derivative at other values), shifted, mask_leak, entries (right but for some).
#include "gradproof/core/check/diagnosis.hpp"

#include <algorithm>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {
namespace {

Tensor<double> laid_over(const Tensor<double>& x, const Shape& shape) {
    return x.shape() == shape ? x : Tensor<double>::from_strided(x.data(), shape, broadcast_strides(x.shape(), shape));
}

bool is_constant(const Tensor<double>& x) {
    return std::all_of(x.begin(), x.end(), [&](double v) { return v == x[0]; });
}

struct Formula {
    std::string_view form;  ///< with {0} for the argument
    double (*f)(double);
};
constexpr Formula kFormulas[] = {
    {"(1 - {0})", [](double v) { return 1 - v; }},
    {"(1 + {0})", [](double v) { return 1 + v; }},
    {"{0}^2", [](double v) { return v * v; }},
    {"{0}^3", [](double v) { return v * v * v; }},
    {"(1 - {0}^2)", [](double v) { return 1 - v * v; }},
    {"{0} (1 - {0})", [](double v) { return v * (1 - v); }},
    {"exp({0})", [](double v) { return std::exp(v); }},
    {"log({0})", [](double v) { return std::log(v); }},
    {"sqrt({0})", [](double v) { return std::sqrt(v); }},
    {"sigmoid({0})", [](double v) { return 1 / (1 + std::exp(-v)); }},
    {"sigmoid({0}) (1 - sigmoid({0}))", [](double v) { return 1 / (2 + std::exp(-v) + std::exp(v)); }},
    {"tanh({0})", [](double v) { return std::tanh(v); }},
    {"(1 - tanh({0})^2)", [](double v) { return 1 - std::tanh(v) * std::tanh(v); }},
    {"sin({0})", [](double v) { return std::sin(v); }},
    {"cos({0})", [](double v) { return std::cos(v); }},
    {"exp(-{0}^2)", [](double v) { return std::exp(-v * v); }},
    {"exp(-{0}^2 / 2)", [](double v) { return std::exp(-v * v / 2); }},
    {"abs({0})", [](double v) { return std::abs(v); }},
    {"sign({0})", [](double v) { return v > 0   ? 1.0
                                        : v < 0 ? -1.0
                                                : 0.0; }},
    {"step({0})", [](double v) { return v > 0 ? 1.0 : 0.0; }},
};

}  // namespace

GradientDiagnoser::GradientDiagnoser(const Evidence& e, int input)
    : e_(e), input_(input), g_(e.claimed[static_cast<std::size_t>(input)]), t_(e.truth[static_cast<std::size_t>(input)]) {
    largest_ = std::max(finite_largest(g_), finite_largest(t_));
    partial_ = std::any_of(t_.begin(), t_.end(), [](double v) { return std::isnan(v); });
    allowed_ = std::max(e.tolerance * largest_, e.noise);
    if (!(g_.shape() == t_.shape())) {
        wrong_ = true;
        return;
    }
    double error = 0;
    for (Index k = 0; k < t_.size(); ++k)
        if (known(k))
            error = std::isfinite(g_[k]) ? std::max(error, std::abs(g_[k] - t_[k])) : std::numeric_limits<double>::infinity();
    wrong_ = error > e.noise;
    // What leaves a twentieth of the error explains nothing.
    allowed_ = std::min(allowed_, error / 20);
}

std::vector<Explanation> GradientDiagnoser::run() {
    if (!wrong_ || g_.size() == 0) return {};
    if (g_.shape() == t_.shape()) {
        not_finite();
        zero();
        mean_for_sum();
        constant_factor();
        other_inputs();
        cotangent();
    }
    permuted_axes();
    if (!(g_.shape() == t_.shape())) return std::move(out_);
    alternatives();
    slopes();
    leaks();
    diagonal();
    row_terms();
    another_slope();
    sums();
    lost_sign();
    moved();
    parts_of_output();
    slips_before_the_sum();
    slopes_of_output();
    entries();
    unnamed_factor();
    return std::move(out_);
}

void GradientDiagnoser::say(std::string kind, std::string text, std::string repair) {
    out_.push_back({std::move(kind), std::move(text), std::move(repair), 0});
}

void GradientDiagnoser::say_fitted(int numbers, std::string kind, std::string text, std::string repair) {
    say(std::move(kind), std::move(text), std::move(repair));
    out_.back().fitted = numbers;
}

std::vector<GradientDiagnoser::Basis> GradientDiagnoser::plain_bases(const Shape& shape) const {
    std::vector<Basis> out;
    const auto add = [&](const std::string& name, const Tensor<double>& x) {
        if (x.defined() && broadcasts_to(x.shape(), shape)) out.push_back({name, laid_over(x, shape)});
    };
    add("y", e_.y);
    for (std::size_t i = 0; i < e_.x.size(); ++i) add(e_.names[i], e_.x[i]);
    add("dy", e_.u);
    return out;
}

std::vector<GradientDiagnoser::Basis> GradientDiagnoser::bases(const Shape& shape) const {
    std::vector<Basis> out = plain_bases(shape);
    std::erase_if(out, [](const Basis& b) { return b.value.size() == 0 || is_constant(b.value); });
    const std::size_t plain = out.size();
    for (std::size_t i = 0; i < plain; ++i)
        for (const Formula& f : kFormulas) {
            Basis b{fmt::format(fmt::runtime(f.form), out[i].name), Tensor<double>(shape)};
            for (Index k = 0; k < b.value.size(); ++k) b.value[k] = f.f(out[i].value[k]);
            out.push_back(std::move(b));
        }
    return out;
}

bool GradientDiagnoser::has_jacobian() const {
    return static_cast<std::size_t>(input_) < e_.jacobian.size() && e_.jacobian[static_cast<std::size_t>(input_)].defined();
}

Tensor<double> GradientDiagnoser::pulled(const Tensor<double>& v) const {
    if (!has_jacobian()) return {};
    const Tensor<double>& j = e_.jacobian[static_cast<std::size_t>(input_)];
    const Index n = t_.size();
    Tensor<double> out = zeros<double>(t_.shape());
    for (Index i = 0; i < v.size(); ++i)
        for (Index k = 0; k < n; ++k)
            if (j[i * n + k] != 0) out[k] += v[i] * j[i * n + k];
    return out;
}

std::vector<Explanation> explanations(const Evidence& e, int input) { return GradientDiagnoser(e, input).run(); }

namespace {

/// In how many of the calls an explanation is among those that fit.
template <class Same>
int coverage(const std::vector<std::vector<Explanation>>& calls, Same same) {
    return static_cast<int>(
        std::count_if(calls.begin(), calls.end(), [&](const auto& here) { return std::any_of(here.begin(), here.end(), same); }));
}

}  // namespace

std::vector<std::optional<Explanation>> explain_calls(const std::vector<const Evidence*>& calls, int input) {
    std::vector<std::vector<Explanation>> fitting;
    for (const Evidence* e : calls) fitting.push_back(explanations(*e, input));
    const auto kind_covers = [&](const Explanation& x) {
        return coverage(fitting, [&](const Explanation& o) { return o.kind == x.kind; });
    };
    const auto text_covers = [&](const Explanation& x) {
        return coverage(fitting, [&](const Explanation& o) { return o.kind == x.kind && o.text == x.text; });
    };
    std::vector<std::optional<Explanation>> out;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::vector<Explanation>& here = fitting[i];
        std::optional<Explanation> best;
        std::pair<int, int> most{0, 0};
        const bool one_number = calls[i]->truth[static_cast<std::size_t>(input)].size() < 2;
        for (const Explanation& x : here) {
            if (x.fitted > 0 && one_number && text_covers(x) < 2) continue;
            const std::pair<int, int> covers{-x.fitted, kind_covers(x)};
            // The kind first; then of its kind the words that other calls have too.
            const bool better =
                !best || (x.kind == best->kind ? x.fitted <= best->fitted && text_covers(x) > text_covers(*best) : covers > most);
            if (!better) continue;
            most = covers;
            best = x;
        }
        out.push_back(std::move(best));
    }
    return out;
}

}  // namespace gradproof::check
