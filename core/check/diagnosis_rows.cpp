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

namespace {

struct Rows {
    std::vector<Basis> of_true, of_call, of_claim;  ///< sums and means along an axis, named
};

Rows rows_along(const Search& s, int axis) {
    Rows out;
    const double n = static_cast<double>(s.truth.dim(axis));
    const auto add = [&](std::vector<Basis>& to, const std::string& name, const Tensor<double>& x) {
        const Tensor<double> sum = summed(x, axis);
        to.push_back({fmt::format("sum({})", name), sum});
        to.push_back({fmt::format("mean({})", name), mapped(sum, [n](double v) { return v / n; })});
    };
    add(out.of_true, s.here, s.truth);
    add(out.of_claim, "claimed", s.claimed);
    const bool has_dy = s.e.u.shape() == s.truth.shape();
    if (has_dy) add(out.of_call, "dy", s.e.u);
    for (const Basis& b : s.plain_bases(s.truth.shape())) {
        if (has_dy) add(out.of_call, fmt::format("dy {}", b.name), times(s.e.u, b.value));
        add(out.of_true, fmt::format("{} {}", s.here, b.name), times(s.truth, b.value));
        add(out.of_claim, fmt::format("claimed {}", b.name), times(s.claimed, b.value));
    }
    return out;
}

/// Names the row term that true - claimed = c b is, c one number for each row along the axis.
void name_row_term(Search& s, const Basis& b, const Tensor<double>& c, int axis) {
    const auto is = [&](const Basis& r, double f) {
        return std::equal(c.begin(), c.end(), r.value.begin(), [&](double x, double y) {
            return std::abs(x - f * y) <= 1e-9 * (std::abs(x) + std::abs(y)) + s.allowed;
        });
    };
    const auto term = [&](const Basis& r) { return b.name.empty() ? r.name : b.name + " " + r.name; };
    const auto taken_off = [&](const Basis& r, double f) {
        if (!is(r, f)) return false;
        s.say(fmt::format("{} along axis {} is {}", term(r), axis, f > 0 ? "subtracted" : "added"),
              fmt::format("leave it out of {}", s.here));
        return true;
    };
    const auto missing = [&](const Basis& r, double f) {
        if (!is(r, f)) return false;
        s.say(Mistake::missing_row_term, fmt::format("the term {} {} along axis {} is missing", f > 0 ? "+" : "-", term(r), axis),
              fmt::format("{} {} {} {}", f > 0 ? "add" : "subtract", term(r), f > 0 ? "to" : "from", s.here));
        return true;
    };
    // A row term that is there, but a mean in the place of a sum or the other way round, or with the wrong sign.
    const double n = static_cast<double>(s.truth.dim(axis));
    const auto wrong = [&](const Basis& r, double f) {
        const bool sum = r.name.starts_with("sum");
        if (is(r, f * 2))
            s.say(fmt::format("the sign of the term {} along axis {} is wrong", term(r), axis),
                  fmt::format("{} it", f < 0 ? "subtract" : "add"));
        else if (sum && is(r, f * (1 - 1 / n)))
            s.say(fmt::format("the term {} along axis {} is a mean, not a sum", term(r), axis),
                  fmt::format("do not divide it by {}", n));
        else if (!sum && is(r, f * (1 - n)))
            s.say(fmt::format("the term {} along axis {} is a sum, not a mean", term(r), axis),
                  fmt::format("divide it by {}", n));
        else
            return false;
        return true;
    };
    const auto any = [](const std::vector<Basis>& of, const auto& f) {
        return std::any_of(of.begin(), of.end(), [&](const Basis& r) { return f(r, -1.0) || f(r, 1.0); });
    };
    const Rows rows = rows_along(s, axis);
    // A bare mean or sum of the gradient itself is one that was taken off or put on.
    if (b.name.empty() && any(rows.of_true, taken_off)) return;
    if (any(rows.of_call, wrong) || any(rows.of_call, missing) || any(rows.of_claim, missing) || any(rows.of_true, taken_off))
        return;
    s.say(Mistake::wrong_row_term,
          fmt::format("true - claimed is {}one number for each row along axis {}: a row term is missing or wrong",
                      b.name.empty() ? "" : b.name + " times ", axis),
          "", 2);
}

}  // namespace

/// true - claimed = b times one number a row.
void row_terms(Search& s) {
    const Tensor<double>&t = s.truth, &g = s.claimed;
    std::vector<Basis> all{{"", Tensor<double>(t.shape(), 1.0)}};
    for (const Basis& b : s.plain_bases(t.shape())) {
        all.push_back(b);
        all.push_back({"exp(" + b.name + ")", mapped(b.value, [](double v) { return std::exp(v); })});
    }
    Tensor<double> gap(t.shape());
    for (Index k = 0; k < gap.size(); ++k) gap[k] = t[k] - g[k];
    for (int a = t.rank() - 1; a >= 0; --a) {
        if (t.dim(a) < 2) continue;
        for (const Basis& b : all) {
            Tensor<double> c = summed(times(gap, b.value), a);
            const Tensor<double> weight = summed(times(b.value, b.value), a);
            for (Index k = 0; k < c.size(); ++k) c[k] = weight[k] == 0 ? 0 : c[k] / weight[k];
            if (s.claims([&](Index k) { return t[k] - c[k] * b.value[k]; })) name_row_term(s, b, c, a);
        }
    }
}

/// A gradient that adds up to 0 along an axis, and a claim that has too much in each entry of a row, or too little.
void rows_add_up_to_zero(Search& s) {
    Tensor<double> gap(s.truth.shape());
    for (Index k = 0; k < gap.size(); ++k) gap[k] = s.claimed[k] - s.truth[k];
    for (int a = s.truth.rank() - 1; a >= 0; --a) {
        if (s.truth.dim(a) < 3) continue;
        const Tensor<double> sum = summed(s.truth, a), off = summed(gap, a);
        const double rounding = 1e-12 * s.largest * static_cast<double>(s.truth.dim(a)) + s.e.noise;
        bool fits = true;
        for (Index k = 0; k < gap.size(); ++k)
            fits = fits && std::abs(sum[k]) <= rounding && !s.near(gap[k], 0) && gap[k] * off[k] > 0;
        if (!fits) continue;
        s.say(
            Mistake::missing_row_term,
            fmt::format("along axis {} the true gradient adds up to 0 and the claimed one does not: the term that a softmax or a "
                        "mean takes off each row is missing or wrong",
                        a),
            "", 2);
    }
}

}  // namespace gradproof::check
