// Diagnosis: the right numbers in the wrong place.
#include <algorithm>
#include <numeric>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/gradient_diagnoser.hpp"
#include "gradproof/core/check/region.hpp"

namespace gradproof::check {
Tensor<double> permuted(const Tensor<double>& x, const Shape& order) {
    Shape shape = x.shape(), strides = x.shape();
    const Shape own = strides_of(x.shape());
    for (int a = 0; a < order.rank(); ++a) {
        shape[a] = x.dim(static_cast<int>(order[a]));
        strides[a] = own[static_cast<int>(order[a])];
    }
    return Tensor<double>::from_strided(x.data(), shape, strides);
}

void GradientDiagnoser::other_inputs() {
    const auto inputs = static_cast<int>(e_.truth.size());
    for (int k = 0; k < inputs; ++k) {
        const Tensor<double>& other = e_.truth[static_cast<std::size_t>(k)];
        if (k == input_ || !other.defined() || !(other.shape() == t_.shape())) continue;
        if (claims(other))
            say("wrong_name",
                fmt::format("it is the gradient of {}, handed to {}", e_.names[static_cast<std::size_t>(k)],
                            e_.names[static_cast<std::size_t>(input_)]),
                fmt::format("hand back {} here", here()));
        if (claims([&](Index i) { return t_[i] + other[i]; }))
            say("wrong_name", fmt::format("it holds {} as well", gradient_name(k)),
                fmt::format("hand {} to {}", gradient_name(k), e_.names[static_cast<std::size_t>(k)]));
    }
}

/// All orders of the axes; the claim may have the true shape with the numbers of another order in it.
void GradientDiagnoser::permuted_axes() {
    constexpr int kMostAxes = 5;
    const int rank = t_.rank();
    if (rank < 2 || rank > kMostAxes || t_.size() != g_.size()) return;
    Shape order = t_.shape();
    std::iota(order.begin(), order.end(), 0);
    while (std::next_permutation(order.begin(), order.end())) {
        const Tensor<double> other = permuted(t_, order);
        if (!(other.shape() == g_.shape()) && !(g_.shape() == t_.shape())) continue;
        const bool fits = g_.shape() == t_.shape() ? claims(other)
                                                   : std::equal(g_.begin(), g_.end(), other.begin(),
                                                                [this](double a, double b) { return near(a, b); });
        if (!fits) continue;
        std::vector<Index> moved;
        for (int a = 0; a < rank; ++a)
            if (order[a] != a) moved.push_back(a);
        const bool swap = moved.size() == 2;
        const std::string text = swap ? fmt::format("axes {} and {} are swapped", moved[0], moved[1])
                                      : fmt::format("the axes stand in the order {}", order);
        say(swap ? "transpose" : "permuted_axes", text, e_.names.empty() ? "" : fmt::format("transpose {}", here()));
    }
}

void GradientDiagnoser::moved() {
    for (int a = 0; a < t_.rank(); ++a) {
        const Index n = t_.dim(a);
        if (n < 2) continue;
        if (claims(taken_along(t_, a, [&](Index i) { return n - 1 - i; }))) say("shifted", fmt::format("axis {} is reversed", a));
        for (const Index by : {Index{1}, n - 1})
            if (n > 2 || by == 1)
                if (claims(taken_along(t_, a, [&](Index i) { return (i + by) % n; })))
                    say("shifted", fmt::format("axis {} is shifted by {}", a, by == 1 ? "-1" : "1"),
                        fmt::format("start axis {} of {} at its own index", a, here()));
    }
    if (t_.rank() < 2) return;
    const Index n = t_.size(), row = t_.shape().last();
    for (const Index by : {row, n - row})
        if (claims([&](Index k) { return t_[(k + by) % n]; }))
            say("shifted", "it is off by one row", "start at the row of its own");
}

GradientDiagnoser::Off GradientDiagnoser::off() const {
    Off out;
    Region region(t_.shape());
    Index last = 0;
    for (Index k = 0; k < t_.size(); ++k) {
        if (!known(k)) continue;
        ++out.compared;
        if (near(g_[k], t_[k])) continue;
        ++out.count;
        last = k;
        region.add(unravel(k, t_.shape()));
        out.true_is_zero = out.true_is_zero && t_[k] == 0;
        out.claimed_is_zero = out.claimed_is_zero && g_[k] == 0;
    }
    if (out.count == 1)
        out.text = fmt::format("only the entry {} is off", unravel(last, t_.shape()));
    else
        out.text = fmt::format("only {} of {} entries are off{}", out.count, out.compared,
                               region.text().empty() ? "" : ", " + region.text());
    return out;
}

/// Right but where the true gradient is 0.
void GradientDiagnoser::leaks() {
    const Off o = off();
    if (o.count > 0 && o.count < o.compared && o.true_is_zero && !e_.x.empty())
        say("mask_leak", o.text + ", and there the true gradient is 0", fmt::format("set {} to 0 there", here()));
}

/// Right but for some entries.
void GradientDiagnoser::entries() {
    const Off o = off();
    if (o.count > 0 && o.count < o.compared && !o.true_is_zero && !e_.x.empty())
        say_fitted(2, "entries", o.text + (o.claimed_is_zero ? ", and there claimed is 0" : ""));
}

}  // namespace gradproof::check
