// Diagnosis: a term of a product rule, a part of the entries, and constants that are a little wrong.
#include <algorithm>
#include <limits>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {
namespace {

/// What a is times b at every entry; nothing where it is not one number.
std::optional<double> ratio(const Search& s, const Tensor<double>& a, const Tensor<double>& b) {
    double up = 0, down = 0;
    for (Index k = 0; k < a.size(); ++k) {
        up += a[k] / s.largest * (b[k] / s.largest);
        down += b[k] / s.largest * (b[k] / s.largest);
    }
    const double f = up / down;
    for (Index k = 0; k < a.size(); ++k)
        if (!s.near(a[k], f * b[k])) return std::nullopt;
    return f;
}

bool is_zero(const Search& s, const Tensor<double>& x) {
    return std::all_of(x.begin(), x.end(), [&](double v) { return s.near(v, 0); });
}

/// Of an op that works entry by entry.
bool is_elementwise(const Search& s) {
    if (!s.has_jacobian()) return false;
    const Index n = s.truth.size();
    for (Index i = 0; i < n * n; ++i)
        if (i % (n + 1) != 0 && s.jacobian()[i] != 0) return false;
    return true;
}

Tensor<double> minus(const Tensor<double>& a, const Tensor<double>& b) {
    Tensor<double> out(a.shape());
    for (Index k = 0; k < out.size(); ++k) out[k] = a[k] - b[k];
    return out;
}

/// Says of a term of the gradient what is wrong with it, by what the claim has in its place. Returns whether it was said.
bool explain_term(Search& s, const std::string& term, const Tensor<double>& is, const Tensor<double>& should) {
    const std::optional<double> f = ratio(s, is, should);
    if (!f || s.truth.size() < 3) return false;
    if (std::abs(*f) < 1e-7) {
        s.say(fmt::format("of the product rule {} is missing", term), "add it");
        return true;
    }
    for (const Factor& named : factors(s.e.constants))
        for (const double sign : {1.0, -1.0})
            if (std::abs(*f - sign * named.value) <= 1e-9 * std::abs(*f)) {
                const char* minus = sign < 0 ? "-" : "";
                s.say(Mistake::factor, fmt::format("{} is there {}{} times", term, minus, named.name),
                      fmt::format("multiply it by {}{}", minus, named.inverse));
                return true;
            }
    s.say(Mistake::factor, fmt::format("{} is there {:.6g} times", term, *f), fmt::format("divide it by {:.6g}", *f), 1);
    return true;
}

}  // namespace

/// y = x g(x), of which dx = g dy + x g' dy.
void product_terms(Search& s) {
    const Tensor<double>& x = s.e.x[static_cast<std::size_t>(s.input)];
    if (!is_elementwise(s) || std::any_of(x.begin(), x.end(), [](double v) { return v == 0; })) return;
    Basis factor{fmt::format("(y / {})", s.name()), Tensor<double>(x.shape())};
    for (Index k = 0; k < x.size(); ++k) factor.value[k] = s.e.y[k] / x[k];
    const Tensor<double> first = times(s.e.u, factor.value), second = minus(s.truth, first);
    if (is_zero(s, first) || is_zero(s, second)) return;
    const std::string second_name = fmt::format("the term {} d{}/d{} dy", s.name(), factor.name, s.name());
    const Tensor<double> in_place_of_second = minus(s.claimed, first);
    if (explain_term(s, second_name, in_place_of_second, second)) return;
    if (explain_term(s, fmt::format("the term {} dy", factor.name), minus(s.claimed, second), first)) return;
    std::vector<Basis> all{factor};
    for (Basis& b : functions_of(factor)) all.push_back(std::move(b));
    for (Basis& b : s.bases(x.shape())) all.push_back(std::move(b));
    for (const Basis& b : all) {
        if (s.claims([&](Index k) { return first[k] + second[k] / b.value[k]; }))
            s.say(Mistake::missing_chain_factor, fmt::format("in {} the factor {} is missing", second_name, b.name),
                  fmt::format("multiply it by {}", b.name));
        if (s.claims([&](Index k) { return first[k] + second[k] * b.value[k]; }))
            s.say(Mistake::missing_chain_factor, fmt::format("in {} the factor {} is too much", second_name, b.name),
                  fmt::format("leave out {}", b.name));
    }
}

/// A constant factor at some entries only.
void part_factor(Search& s) {
    const Search::Off o = s.off();
    if (!o.some() || o.count < 2 || o.true_is_zero || o.claimed_is_zero) return;
    const auto claims_there = [&](double f) {
        return s.claims([&](Index k) { return o.at[static_cast<std::size_t>(k)] ? f * s.truth[k] : s.truth[k]; });
    };
    if (claims_there(-1)) s.say(Mistake::sign, o.text + ": there the sign is wrong", fmt::format("negate {} there", s.here));
    for (const Factor& f : factors(s.e.constants))
        for (const double sign : {1.0, -1.0})
            if (claims_there(sign * f.value))
                s.say(fmt::format("{}: there claimed = {}{} * true", o.text, sign < 0 ? "-" : "", f.name),
                      fmt::format("multiply {} by {}{} there", s.here, sign < 0 ? "-" : "", f.inverse));
}

/// At some entries another function of the call stands for the derivative.
void part_slope(Search& s) {
    const Search::Off o = s.off();
    if (!o.some() || o.count < 3 || o.claimed_is_zero) return;
    const std::vector<Basis> all = s.bases(s.truth.shape());
    const auto stands_there = [&](const Tensor<double>& g, const Basis& b) {
        for (Index k = 0; k < g.size(); ++k)
            if (o.at[static_cast<std::size_t>(k)] && !s.near(g[k], s.e.u[k] * b.value[k])) return false;
        return true;
    };
    const auto find = [&](const Tensor<double>& g) {
        return std::find_if(all.begin(), all.end(), [&](const Basis& b) { return stands_there(g, b); });
    };
    const auto claimed = find(s.claimed);
    if (claimed == all.end()) return;
    const auto truth = find(s.truth);
    const bool both = truth != all.end();
    s.say(
        fmt::format("{}: there claimed = {} dy{}", o.text, claimed->name, both ? fmt::format(", true = {} dy", truth->name) : ""),
        both ? fmt::format("use {} there, not {}", truth->name, claimed->name) : "");
}

/// claimed = true times one number for each row.
void factor_of_rows(Search& s) {
    for (int a = s.truth.rank() - 1; a >= 0; --a) {
        if (s.truth.dim(a) < 3 || s.truth.size() == s.truth.dim(a)) continue;
        const Tensor<double> both = summed(times(s.claimed, s.truth), a), own = summed(times(s.truth, s.truth), a);
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (Index k = 0; k < own.size(); ++k) {
            if (!(own[k] > 0)) continue;
            low = std::min(low, both[k] / own[k]);
            high = std::max(high, both[k] / own[k]);
        }
        if (low < high && s.claims([&](Index k) { return own[k] > 0 ? both[k] / own[k] * s.truth[k] : 0.0; }))
            s.say(Mistake::missing_chain_factor,
                  fmt::format(
                      "claimed is true times one number for each row along axis {}, from {:.4g} to {:.4g}: a factor of the row "
                      "is missing or too much",
                      a, low, high),
                  "", 2);
    }
}

/// The same number lacks at some entries of the gradient of a loss.
void part_lacks_constant(Search& s) {
    const Search::Off o = s.off();
    if (!o.some() || o.count < 2 || s.e.u.size() != 1) return;
    const auto first = std::find(o.at.begin(), o.at.end(), true) - o.at.begin();
    const double gap = s.truth[first] - s.claimed[first];
    if (!s.claims([&](Index k) { return s.truth[k] - (o.at[static_cast<std::size_t>(k)] ? gap : 0); })) return;
    const double value = std::abs(gap / s.e.u[0]);
    const auto named = [&](const std::string& name, double v) {
        if (!(std::abs(v - value) <= 1e-9 * value)) return false;
        const bool more = gap / s.e.u[0] < 0;
        s.say(fmt::format("{}: there claimed has {} dy too {}", o.text, name, more ? "much" : "little"),
              fmt::format("{} {} dy there", more ? "subtract" : "add", name));
        return true;
    };
    const std::vector<NamedNumber>& all = s.e.constants;
    for (const NamedNumber& c : all)
        if (named(c.name, c.value) || named("1/" + c.name, 1 / c.value)) return;
    for (const NamedNumber& a : all)
        for (const NamedNumber& b : all)
            if (named(fmt::format("{}/{}", a.name, b.name), a.value / b.value) ||
                named(fmt::format("{} {}", a.name, b.name), a.value * b.value))
                return;
}

/// Off by little, and by no constant factor.
void nearly_true(Search& s) {
    constexpr double kLittle = 0.01;
    double worst = 0;
    Index off = 0;
    for (Index k = 0; k < s.truth.size(); ++k) {
        if (!s.known(k)) continue;
        worst = std::max(worst, std::abs(s.claimed[k] - s.truth[k]));
        off += s.near(s.claimed[k], s.truth[k]) ? 0 : 1;
    }
    const double part = worst / finite_largest(s.truth);
    if (!(part <= kLittle) || off < 2 || 2 * off < s.truth.size()) return;
    s.say(Mistake::constant,
          fmt::format(
              "claimed is off by little, at most {:.1e} of the largest entry: a constant in it is rounded or a little wrong, "
              "or an epsilon is left out",
              part),
          "", 2);
}

}  // namespace gradproof::check
