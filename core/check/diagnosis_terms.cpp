// Diagnosis: sums and terms that are missing, too much or wrong, cotangents that are not used, and gradients of something else.
#include <algorithm>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {

void cotangent_of_ones(Search& s) {
    if (s.claims(s.pulled(mapped(s.e.u, [](double) { return 1.0; }))))
        s.say("dy is not used: it is the gradient for a cotangent of ones", "multiply by dy before the sum over the output");
}
void squared_cotangent(Search& s) {
    if (s.claims(s.pulled(times(s.e.u, s.e.u)))) s.say("dy enters twice: it is the gradient for dy^2");
}
void magnitude_of_cotangent(Search& s) {
    if (s.claims(s.pulled(mapped(s.e.u, [](double v) { return std::abs(v); })))) s.say("the sign of dy is lost");
}
void swapped_axes_of_cotangent(Search& s) {
    for (int a = 0; a < s.e.u.rank(); ++a)
        for (int b = a + 1; b < s.e.u.rank(); ++b)
            if (s.claims(s.pulled(swapped(s.e.u, a, b))))
                s.say(fmt::format("axes {} and {} of dy are swapped", a, b), "transpose dy");
}

/// J dy in the place of Jᵀ dy, as of a rotation that turns dy the way it turned x.
void jacobian_not_transposed(Search& s) {
    const Index n = s.truth.size();
    if (s.e.y.size() != n) return;
    const auto forward = [&](Index i) {
        double sum = 0;
        for (Index k = 0; k < n; ++k) sum += s.jacobian()[i * n + k] * s.e.u[k];
        return sum;
    };
    if (s.claims(forward))
        s.say("dy goes through the forward map, J dy, and not back through its transpose, Jᵀ dy",
              "use the transpose: of a rotation the opposite angle");
}

/// Of the sum over the output what does not come from the entry itself has the wrong sign, at some entries.
void sign_of_other_entries(Search& s) {
    const Search::Off o = s.off();
    const Index n = s.truth.size();
    if (!o.some() || !(s.e.y.shape() == s.truth.shape())) return;
    const auto own = [&](Index k) { return s.e.u[k] * s.jacobian()[k * n + k]; };
    if (s.claims([&](Index k) { return o.at[static_cast<std::size_t>(k)] ? 2 * own(k) - s.truth[k] : s.truth[k]; }))
        s.say(o.text + ": there what comes from other entries of dy has the wrong sign", "turn the sign of those terms there");
}

/// A sum or a mean over an axis, or over each group of a vector's entries, that is too much.
void summed_axis(Search& s) {
    for (const NamedNumber& c : s.e.constants) {
        const Index n = s.truth.size(), groups = static_cast<Index>(c.value);
        if (s.truth.rank() != 1 || c.value != std::floor(c.value) || groups < 2 || groups >= n || n % groups != 0) continue;
        const Tensor<double> grouped = summed(Tensor<double>::from({groups, n / groups}, s.truth.values()), 1);
        if (s.claims(grouped))
            s.say(fmt::format("each entry holds the sum over its group of {} entries, {}={}", n / groups, c.name, groups),
                  fmt::format("keep one entry of {} for each entry of {}", s.here, s.name()));
    }
    for (int a = 0; a < s.truth.rank(); ++a) {
        const Index n = s.truth.dim(a);
        if (n < 2) continue;
        const Tensor<double> sum = summed(s.truth, a);
        const std::string repair = fmt::format("leave axis {} of {} as it is", a, s.here);
        if (s.claims(sum)) s.say(fmt::format("axis {} is summed, and each entry holds the sum", a), repair);
        if (s.claims([&](Index k) { return sum[k] / static_cast<double>(n); }))
            s.say(fmt::format("each entry is the mean over axis {}", a), repair);
    }
}

/// The gradient of a part of the output: a broadcast whose sum lacks all but one term, an index of an axis left out.
void part_of_output(Search& s) {
    const Shape &shape = s.e.y.shape(), &own = s.truth.shape();
    const auto part = [&](auto keep) {
        Tensor<double> v = s.e.u.clone();
        for (Index k = 0; k < v.size(); ++k)
            if (!keep(unravel(k, shape))) v[k] = 0;
        return s.claims(s.pulled(v));
    };
    if (broadcasts_to(own, shape) && !(own == shape)) {
        const Shape strides = broadcast_strides(own, shape);
        for (const bool last : {false, true})
            if (part([&](const Shape& index) {
                    for (int a = 0; a < shape.rank(); ++a)
                        if (strides[a] == 0 && index[a] != (last ? shape[a] - 1 : 0)) return false;
                    return true;
                }))
                s.say(fmt::format("of the sum over the broadcast axes only the {} term is there", last ? "last" : "first"),
                      fmt::format("sum {} over the axes along which {} is broadcast", s.here, s.name()));
    }
    for (int a = 0; a < shape.rank(); ++a) {
        const Index n = shape[a];
        if (n < 2) continue;
        const std::string repair = fmt::format("add what comes from every index of axis {} of dy", a);
        for (const Index at : {Index{0}, n - 1}) {
            const char* which = at == 0 ? "first" : "last";
            if (part([&](const Shape& index) { return index[a] == at; }))
                s.say(fmt::format("only the {} index of axis {} of dy is used", which, a), repair);
            if (part([&](const Shape& index) { return index[a] != at; }))
                s.say(fmt::format("the {} index of axis {} of dy is left out", which, a), repair);
        }
    }
}

namespace {

/// Whether the claim is the sum over the broadcast axes of other contributions.
bool claims_sum(const Search& s, const Tensor<double>& other) {
    const Shape& shape = s.contributions().shape();
    return s.claims(unbroadcast(other.shape() == shape ? other : Tensor<double>::from(shape, other.values()), s.truth.shape()));
}

}  // namespace

void lost_sign_before_sum(Search& s) {
    if (claims_sum(s, mapped(s.contributions(), [](double v) { return std::abs(v); })))
        s.say("the sign is lost in each term of the sum over the broadcast axes");
}

void moved_before_sum(Search& s) {
    const Tensor<double>& c = s.contributions();
    const Index row = c.shape().last(), all = c.size();
    Tensor<double> rolled(c.shape());
    for (Index k = 0; k < all; ++k) rolled[k] = c[(k + row) % all];
    if (claims_sum(s, rolled)) s.say("it is off by one row before the sum over the broadcast axes");
    for (int a = 0; a < c.rank(); ++a) {
        const Index n = c.dim(a);
        if (n < 2) continue;
        if (claims_sum(s, taken_along(c, a, [&](Index i) { return n - 1 - i; })))
            s.say(fmt::format("axis {} is reversed before the sum over the broadcast axes", a));
        if (claims_sum(s, taken_along(c, a, [&](Index i) { return (i + 1) % n; })))
            s.say(fmt::format("axis {} is shifted by -1 before the sum over the broadcast axes", a));
    }
}

void swapped_axes_before_sum(Search& s) {
    const Tensor<double>& c = s.contributions();
    for (int a = 0; a < c.rank(); ++a)
        for (int b = a + 1; b < c.rank(); ++b)
            if (c.dim(a) > 1 && claims_sum(s, swapped(c, a, b)))
                s.say(fmt::format("axes {} and {} are swapped before the sum over the broadcast axes", a, b),
                      "transpose before the sum");
}

/// db = sum over the broadcast axes of dy f, with another f.
void another_summand(Search& s) {
    const Tensor<double>&c = s.contributions(), &u = s.e.u;
    const Tensor<double>& own = s.e.x[static_cast<std::size_t>(s.input)];
    const Shape strides = broadcast_strides(own.shape(), c.shape());
    bool of_product = true;  // y = b f
    for (Index k = 0; k < c.size(); ++k) {
        const Shape at = unravel(k, c.shape());
        Index entry = 0;
        for (int a = 0; a < c.rank(); ++a) entry += at[a] * strides[a];
        of_product = of_product && s.near(c[k] * own[entry], u[k] * s.e.y[k]);
    }
    for (const Basis& b : s.bases(c.shape()))
        if (claims_sum(s, times(u, b.value)))
            s.say(fmt::format("claimed = sum of dy {}{}", b.name,
                              of_product ? fmt::format(", true = sum of dy (y / {})", s.name()) : ""),
                  of_product ? fmt::format("use (y / {}), not {}", s.name(), b.name) : "");
}

void mean_before_sum(Search& s) {
    const Tensor<double>& c = s.contributions();
    for (int a = 0; a < c.rank(); ++a) {
        if (c.dim(a) < 2) continue;
        const Tensor<double> sum = summed(c, a);
        for (const double sign : {-1.0, 1.0}) {
            Tensor<double> other = c.clone();
            for (Index k = 0; k < other.size(); ++k) other[k] += sign * sum[k] / static_cast<double>(c.dim(a));
            if (claims_sum(s, other))
                s.say(fmt::format("the mean along axis {} is {} before the sum over the broadcast axes", a,
                                  sign < 0 ? "subtracted" : "added"));
        }
    }
}

void diagonal(Search& s) {
    const Index n = s.truth.size();
    if (s.e.y.shape() == s.truth.shape() && n > 1 && s.claims([&](Index k) { return s.e.u[k] * s.jacobian()[k * n + k]; }))
        s.say("only the diagonal of the Jacobian is used", "add what the other entries of dy contribute");
}

namespace {

/// Of the mistake that is tried.
void say_alternatives(Search& s, bool rare) {
    for (const Alternative& a : s.e.alternatives)
        if (a.mistake == s.mistake() && a.rare == rare && s.claims([&](Index k) { return a.gradient(s.input, k); }))
            s.say(a.text, a.repair);
}

}  // namespace

void alternatives(Search& s) { say_alternatives(s, false); }
void rare_alternatives(Search& s) { say_alternatives(s, true); }

}  // namespace gradproof::check
