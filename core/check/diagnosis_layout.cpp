// Diagnosis: the right numbers in the wrong place.
#include <algorithm>
#include <limits>
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

namespace {

constexpr Index kFurthest = 3;  // steps that numbers are moved by

/// Whether each entry holds `other` of the index `by` further along an axis, wherever there is one; for at least half of the
/// entries there is, they are not all alike, and half of them are off.
bool holds_moved(const Search& s, const Tensor<double>& other, int axis, Index by) {
    const Index n = s.truth.dim(axis), stride = strides_of(s.truth.shape())[axis];
    if (2 * std::abs(by) > n) return false;
    Index compared = 0, off = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index k = 0; k < s.truth.size(); ++k) {
        const Index at = k / stride % n + by;
        if (at < 0 || at >= n || !s.known(k)) continue;
        const double v = other[k + by * stride];
        if (!s.near(s.claimed[k], v)) return false;
        low = std::min(low, v);
        high = std::max(high, v);
        ++compared;
        off += s.near(s.claimed[k], s.truth[k]) ? 0 : 1;
    }
    return compared > 1 && 2 * off >= compared && !s.near(low, high);
}

}  // namespace

/// Moved along an axis, where what falls off one end does not come back at the other.
void moved_inside(Search& s) {
    for (int a = 0; a < s.truth.rank(); ++a)
        for (Index by = 1; by <= kFurthest; ++by)
            for (const Index step : {by, -by})
                if (holds_moved(s, s.truth, a, step))
                    s.say(fmt::format("axis {} is shifted by {}", a, -step),
                          fmt::format("start axis {} of {} at its own index", a, s.here));
}

/// Each index along an axis is taken back as if it stood at the next: Jᵀ of the neighbour.
void moved_position(Search& s) {
    const Tensor<double>& u = s.e.u;
    for (int a = 0; a < std::min(s.truth.rank(), u.rank()); ++a) {
        if (u.dim(a) != s.truth.dim(a)) continue;
        const Index n = u.dim(a), stride = strides_of(u.shape())[a];
        for (const Index by : {Index{1}, Index{-1}}) {
            Tensor<double> shifted = zeros<double>(u.shape());
            for (Index k = 0; k < u.size(); ++k)
                if (const Index at = k / stride % n + by; at >= 0 && at < n) shifted[k + by * stride] = u[k];
            if (holds_moved(s, s.pulled(shifted), a, by))
                s.say(fmt::format("index i of axis {} of dy goes back as if it stood at i {} 1", a, by > 0 ? '+' : '-'),
                      "use the position at which it stands");
        }
    }
}

/// Pairs of an axis that are (2i, 2i + 1) in the backward and (i, i + n/2) in the forward, or the other way round.
void other_pairs(Search& s) {
    const Tensor<double>& u = s.e.u;
    if (!(u.shape() == s.truth.shape())) return;
    for (int a = 0; a < u.rank(); ++a) {
        const Index n = u.dim(a), half = n / 2;
        if (n < 4 || n % 2 != 0) continue;
        const auto halves = [half](Index i) { return i < half ? 2 * i : 2 * (i - half) + 1; };
        const auto neighbours = [half](Index i) { return i / 2 + i % 2 * half; };
        const std::string split = fmt::format("(i, i + {})", half), beside = "(2i, 2i + 1)";
        if (s.claims(taken_along(s.pulled(taken_along(u, a, halves)), a, neighbours)))
            s.say(fmt::format("along axis {} the pairs of dy are {}, and those of the forward {}", a, beside, split),
                  fmt::format("pair {} in the backward too", split));
        if (s.claims(taken_along(s.pulled(taken_along(u, a, neighbours)), a, halves)))
            s.say(fmt::format("along axis {} the pairs of dy are {}, and those of the forward {}", a, split, beside),
                  fmt::format("pair {} in the backward too", beside));
    }
}

std::string Search::condition(const std::vector<bool>& set) const {
    constexpr Index kFewest = 8;  // of fewer entries some condition holds by chance
    const auto entries = static_cast<Index>(set.size());
    const Index inside = std::count(set.begin(), set.end(), true);
    if (entries < kFewest || inside < 2 || entries - inside < 2) return {};
    for (const Basis& b : input_bases(truth.shape())) {
        const std::string size = b.name.front() == '(' ? "abs" + b.name : fmt::format("abs({})", b.name);
        const auto fits = [&](auto holds) {
            for (Index k = 0; k < entries; ++k)
                if (known(k) && holds(b.value[k]) != set[static_cast<std::size_t>(k)]) return false;
            return true;
        };
        if (fits([](double v) { return v > 0; })) return b.name + " > 0";
        if (fits([](double v) { return v < 0; })) return b.name + " < 0";
        for (const NamedNumber& c : e.constants) {
            if (c.name.find('.') != std::string::npos || !(c.value > 0)) continue;
            if (fits([&](double v) { return std::abs(v) > c.value; })) return fmt::format("{} > {}", size, c.name);
            if (fits([&](double v) { return std::abs(v) < c.value; })) return fmt::format("{} < {}", size, c.name);
        }
    }
    return {};
}

Search::Off Search::off() const {
    Off out;
    out.at.assign(static_cast<std::size_t>(truth.size()), false);
    Region region(truth.shape());
    Index last = 0, all = 0;
    for (Index k = 0; k < truth.size(); ++k) {
        if (!known(k)) continue;
        const double judged =
            e.off.empty() ? std::numeric_limits<double>::quiet_NaN() : e.off[static_cast<std::size_t>(input)][k];
        const bool agrees = std::isnan(judged) ? near(claimed[k], truth[k]) : judged == 0;
        const bool is_counted = e.off.empty() || !std::isnan(judged);  // as the report counts them
        out.compared += is_counted;
        if (agrees) continue;
        out.count += is_counted;
        ++all;
        out.at[static_cast<std::size_t>(k)] = true;
        last = k;
        region.add(unravel(k, truth.shape()));
        out.true_is_zero = out.true_is_zero && truth[k] == 0;
        out.claimed_is_zero = out.claimed_is_zero && claimed[k] == 0;
    }
    if (all == 1)
        out.text = fmt::format("only the entry {} is off", unravel(last, truth.shape()));
    else
        out.text = fmt::format("only {} of {} entries are off{}", out.count, out.compared,
                               region.text().empty() ? "" : ", " + region.text());
    if (const std::string where = out.some() ? condition(out.at) : ""; !where.empty()) out.text += ", those where " + where;
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
