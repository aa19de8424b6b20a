// The table of patterns, in the order in which they are tried, and what they share.
#include "gradproof/core/check/diagnosis.hpp"

#include <algorithm>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {
namespace {

/// x broadcast to a shape; a vector lies along the only axis of its size. Undefined where neither is possible.
Tensor<double> laid_over(const Tensor<double>& x, const Shape& shape) {
    if (x.shape() == shape) return x;
    if (broadcasts_to(x.shape(), shape))
        return Tensor<double>::from_strided(x.data(), shape, broadcast_strides(x.shape(), shape));
    if (x.rank() != 1 || std::count(shape.begin(), shape.end(), x.size()) != 1) return {};
    Shape strides = shape;
    for (int a = 0; a < shape.rank(); ++a) strides[a] = shape[a] == x.size() ? 1 : 0;
    return Tensor<double>::from_strided(x.data(), shape, strides);
}

void add_basis(const std::string& name, const Tensor<double>& x, const Shape& shape, std::vector<Basis>& to) {
    if (!x.defined()) return;
    Tensor<double> laid = laid_over(x, shape);
    if (laid.defined()) to.push_back({name, std::move(laid)});
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

struct Pattern {
    Mistake mistake;
    bool (*applies)(const Search&);
    void (*attempt)(Search&);
};
bool same_shape(const Search& s) { return s.same_shape(); }
bool same_size(const Search& s) { return s.truth.size() == s.claimed.size(); }
bool has_call(const Search& s) { return s.has_call(); }
bool has_cotangent(const Search& s) { return s.same_shape() && s.e.u.defined() && s.e.u.shape() == s.truth.shape(); }
bool has_jacobian(const Search& s) { return s.same_shape() && s.has_jacobian(); }
bool has_contributions(const Search& s) { return s.contributions().defined(); }

/// Of what fits equally well the first is said. Every mistake is the one that its pattern finds unless it says otherwise.
constexpr Pattern kPatterns[] = {
    {Mistake::not_finite, has_call, not_finite},
    {Mistake::missing_path, same_shape, zero},
    {Mistake::mean_for_sum, same_shape, mean_for_sum},
    {Mistake::sign, same_shape, negated},
    {Mistake::factor, same_shape, constant_factor},
    {Mistake::wrong_name, same_shape, other_inputs},
    {Mistake::cotangent_ignored, has_jacobian, cotangent_of_ones},
    {Mistake::missing_chain_factor, has_jacobian, squared_cotangent},
    {Mistake::sign, has_jacobian, magnitude_of_cotangent},
    {Mistake::transpose, has_jacobian, swapped_axes_of_cotangent},
    {Mistake::transpose, has_jacobian, jacobian_not_transposed},
    {Mistake::transpose, same_size, swapped_axes},
    {Mistake::permuted_axes, same_size, permuted_axes},
    {Mistake::ignored_attribute, same_shape, alternatives},
    {Mistake::wrong_point, same_shape, alternatives},
    {Mistake::missing_chain_factor, has_call, chain_factor},
    {Mistake::mask_leak, has_call, leaks},
    {Mistake::diagonal_only, has_jacobian, diagonal},
    {Mistake::wrong_row_term, has_call, row_terms},
    {Mistake::missing_chain_factor, has_cotangent, bare_cotangent},
    {Mistake::wrong_slope, has_cotangent, another_slope},
    {Mistake::missing_path, has_cotangent, product_terms},
    {Mistake::extra_sum, has_call, summed_axis},
    {Mistake::sign, same_shape, lost_sign},
    {Mistake::shifted, same_shape, moved},
    {Mistake::missing_sum, has_jacobian, part_of_output},
    {Mistake::sign, has_contributions, lost_sign_before_sum},
    {Mistake::shifted, has_contributions, moved_before_sum},
    {Mistake::transpose, has_contributions, swapped_axes_before_sum},
    {Mistake::wrong_row_term, has_contributions, mean_before_sum},
    {Mistake::wrong_slope, has_contributions, another_summand},
    {Mistake::ignored_attribute, same_shape, rare_alternatives},
    {Mistake::wrong_point, same_shape, rare_alternatives},
    {Mistake::missing_chain_factor, has_jacobian, chain_factor_of_output},
    {Mistake::shifted, has_call, moved_inside},
    {Mistake::wrong_point, has_jacobian, moved_position},
    {Mistake::shifted, has_jacobian, other_pairs},
    {Mistake::sign, has_jacobian, sign_of_other_entries},
    {Mistake::missing_row_term, has_cotangent, norm_terms},
    {Mistake::factor, has_call, part_factor},
    {Mistake::wrong_slope, has_cotangent, part_slope},
    {Mistake::entries, has_call, part_lacks_constant},
    {Mistake::entries, has_call, some_entries},
    {Mistake::factor, same_shape, unnamed_factor},
    {Mistake::missing_chain_factor, has_call, factor_of_rows},
    {Mistake::constant, has_call, nearly_true},
    {Mistake::missing_row_term, has_call, rows_add_up_to_zero},
};

}  // namespace

GradientDiagnoser::GradientDiagnoser(const Evidence& evidence, int i)
    : e(evidence),
      input(i),
      claimed(e.claimed[static_cast<std::size_t>(i)]),
      truth(e.truth[static_cast<std::size_t>(i)]),
      here(e.names.empty() ? "" : gradient_name(i)),
      largest(std::max(finite_largest(claimed), finite_largest(truth))) {
    partial_ = std::any_of(truth.begin(), truth.end(), [](double v) { return std::isnan(v); });
    allowed = std::max(e.tolerance * largest, e.noise);
    if (!same_shape()) {
        wrong_ = claimed.size() > 0;
        return;
    }
    double error = 0;
    for (Index k = 0; k < truth.size(); ++k)
        if (known(k))
            error = std::isfinite(claimed[k]) ? std::max(error, std::abs(claimed[k] - truth[k]))
                                              : std::numeric_limits<double>::infinity();
    wrong_ = error > e.noise;
    // What leaves a twentieth of the error explains nothing.
    allowed = std::min(allowed, error / 20);
    if (wrong_ && has_jacobian()) contributions_ = find_contributions();
}

std::vector<Diagnosis> GradientDiagnoser::run() {
    for (const Pattern& p : kPatterns) {
        mistake_ = p.mistake;
        if (wrong_ && p.applies(*this)) p.attempt(*this);
    }
    return std::move(out_);
}

void GradientDiagnoser::say(Mistake mistake, std::string text, std::string repair, int fitted) {
    out_.push_back({.mistake = mistake, .text = std::move(text), .repair = std::move(repair), .fitted = fitted});
}

std::vector<Basis> GradientDiagnoser::input_bases(const Shape& shape) const {
    std::vector<Basis> out;
    for (std::size_t i = 0; i < e.x.size(); ++i) add_basis(e.names[i], e.x[i], shape, out);
    for (std::size_t i = 0; i < e.x.size(); ++i)
        for (std::size_t k = i + 1; k < e.x.size(); ++k) {
            if (!e.x[i].defined() || !e.x[k].defined() || !(e.x[i].shape() == e.x[k].shape())) continue;
            Tensor<double> gap(e.x[i].shape());
            for (Index n = 0; n < gap.size(); ++n) gap[n] = e.x[i][n] - e.x[k][n];
            add_basis(fmt::format("({} - {})", e.names[i], e.names[k]), gap, shape, out);
        }
    return out;
}

std::vector<Basis> GradientDiagnoser::plain_bases(const Shape& shape) const {
    std::vector<Basis> out;
    add_basis("y", e.y, shape, out);
    for (Basis& b : input_bases(shape)) out.push_back(std::move(b));
    add_basis("dy", e.u, shape, out);
    for (const auto& [name, x] : e.saved) add_basis(name, x, shape, out);
    return out;
}

std::vector<Basis> functions_of(const Basis& b) {
    std::vector<Basis> out;
    for (const Formula& f : kFormulas) out.push_back({fmt::format(fmt::runtime(f.form), b.name), mapped(b.value, f.f)});
    return out;
}

std::vector<Basis> GradientDiagnoser::bases(const Shape& shape) const {
    std::vector<Basis> out = plain_bases(shape);
    std::erase_if(out, [](const Basis& b) { return b.value.size() == 0 || is_constant(b.value); });
    const std::size_t plain = out.size();
    for (std::size_t i = 0; i < plain; ++i)
        for (Basis& b : functions_of(out[i])) out.push_back(std::move(b));
    return out;
}

bool GradientDiagnoser::has_jacobian() const {
    return static_cast<std::size_t>(input) < e.jacobian.size() && e.jacobian[static_cast<std::size_t>(input)].defined();
}

Tensor<double> GradientDiagnoser::pulled(const Tensor<double>& v) const {
    const Tensor<double>& j = jacobian();
    const Index n = truth.size();
    Tensor<double> out = zeros<double>(truth.shape());
    for (Index i = 0; i < v.size(); ++i)
        for (Index k = 0; k < n; ++k)
            if (j[i * n + k] != 0) out[k] += v[i] * j[i * n + k];
    return out;
}

Tensor<double> GradientDiagnoser::find_contributions() const {
    const Shape &own = truth.shape(), &shape = e.y.shape();
    if (!broadcasts_to(own, shape) || own == shape) return {};
    const Shape strides = broadcast_strides(own, shape);
    Tensor<double> out(shape);
    for (Index k = 0; k < out.size(); ++k) {
        const Shape at = unravel(k, shape);
        Index entry = 0;
        for (int a = 0; a < shape.rank(); ++a) entry += at[a] * strides[a];
        out[k] = e.u[k] * jacobian()[k * truth.size() + entry];
    }
    const Tensor<double> sum = unbroadcast(out, own);
    for (Index k = 0; k < sum.size(); ++k)
        if (!near(sum[k], truth[k])) return {};
    return out;
}

std::vector<Diagnosis> explanations(const Evidence& e, int input) { return GradientDiagnoser(e, input).run(); }

namespace {

/// In how many of the calls an explanation is among those that fit.
template <class Same>
int coverage(const std::vector<std::vector<Diagnosis>>& calls, Same same) {
    return static_cast<int>(
        std::count_if(calls.begin(), calls.end(), [&](const auto& here) { return std::any_of(here.begin(), here.end(), same); }));
}

}  // namespace

std::vector<std::optional<Diagnosis>> explain_calls(const std::vector<const Evidence*>& calls, int input) {
    std::vector<std::vector<Diagnosis>> fitting;
    for (const Evidence* e : calls) fitting.push_back(explanations(*e, input));
    const auto mistake_covers = [&](const Diagnosis& x) {
        return coverage(fitting, [&](const Diagnosis& o) { return o.mistake == x.mistake; });
    };
    const auto text_covers = [&](const Diagnosis& x) {
        return coverage(fitting, [&](const Diagnosis& o) { return o.mistake == x.mistake && o.text == x.text; });
    };
    std::vector<std::optional<Diagnosis>> out;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::vector<Diagnosis>& here = fitting[i];
        std::optional<Diagnosis> best;
        std::pair<int, int> most{0, 0};
        const bool one_number = calls[i]->truth[static_cast<std::size_t>(input)].size() < 2;
        for (const Diagnosis& x : here) {
            if (x.fitted > 0 && one_number && text_covers(x) < 2) continue;
            const std::pair<int, int> covers{-x.fitted, mistake_covers(x)};
            // The mistake first; then of the same mistake the words that other calls have too.
            const auto words = [&](const Diagnosis& d) { return std::pair(text_covers(d), -d.fitted); };
            const bool better =
                !best || (x.mistake == best->mistake ? x.fitted <= best->fitted && words(x) > words(*best) : covers > most);
            if (!better) continue;
            most = covers;
            best = x;
        }
        out.push_back(std::move(best));
    }
    return out;
}

}  // namespace gradproof::check
