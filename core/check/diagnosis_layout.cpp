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

Tensor<double> swapped(const Tensor<double>& x, int a, int b) {
    Shape order = x.shape();
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[a], order[b]);
    return permuted(x, order);
}

void other_inputs(Search& s) {
    for (std::size_t k = 0; k < s.e.truth.size(); ++k) {
        const Tensor<double>& other = s.e.truth[k];
        if (static_cast<int>(k) == s.input || !other.defined() || !(other.shape() == s.truth.shape())) continue;
        const std::string& name = s.e.names[k];
        if (s.claims(other))
            s.say(fmt::format("it is the gradient of {}, handed to {}", name, s.name()),
                  fmt::format("hand back {} here", s.here));
        if (s.claims([&](Index i) { return s.truth[i] + other[i]; }))
            s.say(fmt::format("it holds d({}) as well", name), fmt::format("hand d({}) to {}", name, name));
    }
}

namespace {

/// All orders of the axes that move two of them, or more than two;
/// the claim may have the true shape with the numbers of another order in it.
template <class Text>
void reordered(Search& s, bool two, Text text) {
    constexpr int kMostAxes = 5;
    const int rank = s.truth.rank();
    if (rank < 2 || rank > kMostAxes) return;
    Shape order = s.truth.shape();
    std::iota(order.begin(), order.end(), 0);
    while (std::next_permutation(order.begin(), order.end())) {
        std::vector<Index> moved;
        for (int a = 0; a < rank; ++a)
            if (order[a] != a) moved.push_back(a);
        if ((moved.size() == 2) != two) continue;
        const Tensor<double> other = permuted(s.truth, order);
        if (!(other.shape() == s.claimed.shape()) && !s.same_shape()) continue;
        const bool fits = s.same_shape() ? s.claims(other)
                                         : std::equal(s.claimed.begin(), s.claimed.end(), other.begin(),
                                                      [&](double a, double b) { return s.near(a, b); });
        if (fits) s.say(text(order, moved), s.e.names.empty() ? "" : fmt::format("transpose {}", s.here));
    }
}

}  // namespace

void swapped_axes(Search& s) {
    reordered(s, true, [](const Shape&, const std::vector<Index>& moved) {
        return fmt::format("axes {} and {} are swapped", moved[0], moved[1]);
    });
}

void permuted_axes(Search& s) {
    reordered(s, false, [](const Shape& order, const auto&) { return fmt::format("the axes stand in the order {}", order); });
}

void moved(Search& s) {
    for (int a = 0; a < s.truth.rank(); ++a) {
        const Index n = s.truth.dim(a);
        if (n < 2) continue;
        if (s.claims(taken_along(s.truth, a, [&](Index i) { return n - 1 - i; }))) s.say(fmt::format("axis {} is reversed", a));
        for (const Index by : {Index{1}, n - 1})
            if ((n > 2 || by == 1) && s.claims(taken_along(s.truth, a, [&](Index i) { return (i + by) % n; })))
                s.say(fmt::format("axis {} is shifted by {}", a, by == 1 ? "-1" : "1"),
                      fmt::format("start axis {} of {} at its own index", a, s.here));
    }
    if (s.truth.rank() < 2) return;
    const Index n = s.truth.size(), row = s.truth.shape().last();
    for (const Index by : {row, n - row})
        if (s.claims([&](Index k) { return s.truth[(k + by) % n]; }))
            s.say("it is off by one row", "start at the row of its own");
}

Search::Off Search::off() const {
    Off out;
    Region region(truth.shape());
    Index last = 0;
    for (Index k = 0; k < truth.size(); ++k) {
        if (!known(k)) continue;
        ++out.compared;
        if (near(claimed[k], truth[k])) continue;
        ++out.count;
        last = k;
        region.add(unravel(k, truth.shape()));
        out.true_is_zero = out.true_is_zero && truth[k] == 0;
        out.claimed_is_zero = out.claimed_is_zero && claimed[k] == 0;
    }
    if (out.count == 1)
        out.text = fmt::format("only the entry {} is off", unravel(last, truth.shape()));
    else
        out.text = fmt::format("only {} of {} entries are off{}", out.count, out.compared,
                               region.text().empty() ? "" : ", " + region.text());
    return out;
}

/// Right but where the true gradient is 0.
void leaks(Search& s) {
    if (const Search::Off o = s.off(); o.some() && o.true_is_zero)
        s.say(o.text + ", and there the true gradient is 0", fmt::format("set {} to 0 there", s.here));
}

/// Right but for some entries.
void some_entries(Search& s) {
    if (const Search::Off o = s.off(); o.some() && !o.true_is_zero)
        s.say(Mistake::entries, o.text + (o.claimed_is_zero ? ", and there claimed is 0" : ""), "", 2);
}

}  // namespace gradproof::check
