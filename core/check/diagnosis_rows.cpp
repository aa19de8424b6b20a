// Diagnosis: terms with one number for each row, as softmax and the normalisations have.
#include <algorithm>

#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {

Tensor<double> summed(const Tensor<double>& x, int axis) {
    const Index n = x.dim(axis), stride = strides_of(x.shape())[axis];
    Tensor<double> out = zeros<double>(x.shape());
    for (Index k = 0; k < x.size(); ++k) {
        const Index first = k - k / stride % n * stride;
        for (Index i = 0; i < n; ++i) out[k] += x[first + i * stride];
    }
    return out;
}

Tensor<double> times(const Tensor<double>& a, const Tensor<double>& b) {
    Tensor<double> out(a.shape());
    for (Index k = 0; k < out.size(); ++k) out[k] = a[k] * b[k];
    return out;
}

/// true - claimed = s times one number a row.
void GradientDiagnoser::row_terms() {
    if (e_.x.empty()) return;
    std::vector<Basis> all{{"", Tensor<double>(t_.shape(), 1.0)}};
    for (Basis& b : plain_bases(t_.shape())) {
        Basis exp{"exp(" + b.name + ")", Tensor<double>(t_.shape())};
        for (Index k = 0; k < t_.size(); ++k) exp.value[k] = std::exp(b.value[k]);
        all.push_back(std::move(b));
        all.push_back(std::move(exp));
    }
    Tensor<double> gap(t_.shape());
    for (Index k = 0; k < gap.size(); ++k) gap[k] = t_[k] - g_[k];
    for (int a = t_.rank() - 1; a >= 0; --a) {
        if (t_.dim(a) < 2) continue;
        for (const Basis& s : all) {
            Tensor<double> c = summed(times(gap, s.value), a);
            const Tensor<double> weight = summed(times(s.value, s.value), a);
            for (Index k = 0; k < c.size(); ++k) c[k] = weight[k] == 0 ? 0 : c[k] / weight[k];
            if (claims([&](Index k) { return t_[k] - c[k] * s.value[k]; })) name_row_term(s, c, a);
        }
    }
}

GradientDiagnoser::Rows GradientDiagnoser::rows_along(int axis) const {
    Rows out;
    const double n = static_cast<double>(t_.dim(axis));
    const auto add = [&](std::vector<Basis>& to, const std::string& name, const Tensor<double>& x) {
        to.push_back({fmt::format("sum({})", name), summed(x, axis)});
        to.push_back({fmt::format("mean({})", name), to.back().value.clone()});
        for (double& v : to.back().value) v /= n;
    };
    add(out.of_true, here(), t_);
    add(out.of_claim, "claimed", g_);
    const bool has_dy = e_.u.shape() == t_.shape();
    if (has_dy) add(out.of_call, "dy", e_.u);
    for (const Basis& b : plain_bases(t_.shape())) {
        if (has_dy) add(out.of_call, fmt::format("dy {}", b.name), times(e_.u, b.value));
        add(out.of_true, fmt::format("{} {}", here(), b.name), times(t_, b.value));
        add(out.of_claim, fmt::format("claimed {}", b.name), times(g_, b.value));
    }
    return out;
}

void GradientDiagnoser::name_row_term(const Basis& s, const Tensor<double>& c, int axis) {
    const Rows rows = rows_along(axis);
    const auto is = [&](const Basis& r, double f) {
        return std::equal(c.begin(), c.end(), r.value.begin(), [&](double a, double b) {
            return std::abs(a - f * b) <= 1e-9 * (std::abs(a) + std::abs(b)) + allowed_;
        });
    };
    const auto term = [&](const Basis& r) { return s.name.empty() ? r.name : s.name + " " + r.name; };
    const auto taken_off = [&](const Basis& r) {
        for (const double f : {-1.0, 1.0})
            if (is(r, f)) {
                say("wrong_row_term", fmt::format("{} along axis {} is {}", term(r), axis, f > 0 ? "subtracted" : "added"),
                    fmt::format("leave it out of {}", here()));
                return true;
            }
        return false;
    };
    const auto missing = [&](const Basis& r) {
        for (const double f : {-1.0, 1.0})
            if (is(r, f)) {
                say("missing_row_term", fmt::format("the term {} {} along axis {} is missing", f > 0 ? "+" : "-", term(r), axis),
                    fmt::format("{} {} {} {}", f > 0 ? "add" : "subtract", term(r), f > 0 ? "to" : "from", here()));
                return true;
            }
        return false;
    };
    // A row term that is there, but a mean in the place of a sum or the other way round, or with the wrong sign.
    const double n = static_cast<double>(t_.dim(axis));
    const auto wrong = [&](const Basis& r) {
        for (const double f : {-1.0, 1.0}) {
            const bool sum = r.name.starts_with("sum");
            if (is(r, f * 2))
                say("wrong_row_term", fmt::format("the sign of the term {} along axis {} is wrong", term(r), axis),
                    fmt::format("{} it", f < 0 ? "subtract" : "add"));
            else if (sum && is(r, f * (1 - 1 / n)))
                say("wrong_row_term", fmt::format("the term {} along axis {} is a mean, not a sum", term(r), axis),
                    fmt::format("do not divide it by {}", n));
            else if (!sum && is(r, f * (1 - n)))
                say("wrong_row_term", fmt::format("the term {} along axis {} is a sum, not a mean", term(r), axis),
                    fmt::format("divide it by {}", n));
            else
                continue;
            return true;
        }
        return false;
    };
    const auto any = [](const std::vector<Basis>& of, const auto& f) { return std::any_of(of.begin(), of.end(), f); };
    // A bare mean or sum of the gradient itself is one that was taken off or put on.
    if (s.name.empty() && any(rows.of_true, taken_off)) return;
    if (any(rows.of_call, wrong) || any(rows.of_call, missing) || any(rows.of_claim, missing) || any(rows.of_true, taken_off))
        return;
    say_fitted(2, "wrong_row_term",
               fmt::format("true - claimed is {}one number for each row along axis {}: a row term is missing or wrong",
                           s.name.empty() ? "" : s.name + " times ", axis));
}

}  // namespace gradproof::check
