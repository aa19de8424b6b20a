// Diagnosis: what a normalisation of rows or groups hands back, term by term.
#include <algorithm>
#include <array>
#include <set>

#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {
namespace {

/// The entries that are normalised together.
struct Blocks {
    std::string where;
    std::vector<std::vector<Index>> entries;
};

/// Along each axis, and the groups of consecutive entries that the whole numbers of a call give.
std::vector<Blocks> all_blocks(const Search& s) {
    constexpr Index kFewest = 4;  // entries for three terms and a check
    const Shape& shape = s.truth.shape();
    std::vector<Blocks> out;
    for (int a = 0; a < shape.rank(); ++a) {
        const Index n = shape[a], stride = strides_of(shape)[a];
        if (n < kFewest) continue;
        Blocks along{fmt::format("along axis {}", a), {}};
        for (Index k = 0; k < s.truth.size(); ++k) {
            if (k / stride % n != 0) continue;
            along.entries.emplace_back();
            for (Index i = 0; i < n; ++i) along.entries.back().push_back(k + i * stride);
        }
        out.push_back(std::move(along));
    }
    std::set<Index> sizes;
    Index behind = 1;
    for (int a = shape.rank() - 1; a >= 0; --a) {
        if (a < shape.rank() - 1) sizes.insert(behind * shape[a]);
        for (const NamedNumber& c : s.e.constants)
            if (c.value == std::floor(c.value) && c.value > 1 && std::fmod(static_cast<double>(shape[a]), c.value) == 0)
                sizes.insert(behind * shape[a] / static_cast<Index>(c.value));
        behind *= shape[a];
    }
    for (const Index n : sizes) {
        if (n < kFewest || n == shape.last() || s.truth.size() % n != 0) continue;
        Blocks groups{fmt::format("over groups of {} entries", n), {}};
        for (Index k = 0; k < s.truth.size(); ++k) {
            if (k % n == 0) groups.entries.emplace_back();
            groups.entries.back().push_back(k);
        }
        out.push_back(std::move(groups));
    }
    return out;
}

/// A term that stands in a gradient with one number for each block.
struct Term {
    std::string name;
    Tensor<double> value;
};

Tensor<double> centred(const Tensor<double>& x, const Blocks& blocks) {
    Tensor<double> out(x.shape());
    for (const std::vector<Index>& block : blocks.entries) {
        double sum = 0;
        for (const Index k : block) sum += x[k];
        for (const Index k : block) out[k] = x[k] - sum / static_cast<double>(block.size());
    }
    return out;
}

/// The numbers of each block by which the terms add up to v; none where they do not.
std::vector<std::vector<double>> fit(const Search& s, const Blocks& blocks, const std::vector<Term>& terms,
                                     const Tensor<double>& v) {
    std::vector<std::vector<double>> out;
    for (const std::vector<Index>& block : blocks.entries) {
        // Gram-Schmidt; `weights` are the coefficients of each orthogonal vector in those before it.
        const std::size_t n = terms.size();
        std::vector<std::vector<double>> q(n, std::vector<double>(block.size()));
        std::vector<std::vector<double>> weights(n, std::vector<double>(n, 0.0));
        std::vector<double> coefficient(n, 0.0), rest(block.size());
        const auto inner = [](const std::vector<double>& a, const std::vector<double>& b) {
            double sum = 0;
            for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
            return sum;
        };
        for (std::size_t i = 0; i < block.size(); ++i) rest[i] = v[block[i]];
        for (std::size_t t = 0; t < n; ++t) {
            for (std::size_t i = 0; i < block.size(); ++i) q[t][i] = terms[t].value[block[i]];
            const double whole = inner(q[t], q[t]);
            for (std::size_t before = 0; before < t; ++before) {
                weights[t][before] = inner(q[t], q[before]) / inner(q[before], q[before]);
                for (std::size_t i = 0; i < block.size(); ++i) q[t][i] -= weights[t][before] * q[before][i];
            }
            if (!(inner(q[t], q[t]) > 1e-12 * whole)) return {};
            coefficient[t] = inner(rest, q[t]) / inner(q[t], q[t]);
            for (std::size_t i = 0; i < block.size(); ++i) rest[i] -= coefficient[t] * q[t][i];
        }
        for (const double r : rest)
            if (!s.near(r, 0)) return {};
        for (std::size_t t = n; t-- > 0;)
            for (std::size_t before = 0; before < t; ++before) coefficient[before] -= coefficient[t] * weights[t][before];
        out.push_back(std::move(coefficient));
    }
    return out;
}

/// What each block's number of a term is times the true one; nothing where that is not the same for all.
std::optional<double> times_true(const std::vector<std::vector<double>>& claimed, const std::vector<std::vector<double>>& truth,
                                 std::size_t term) {
    double largest = 0;
    for (const auto& block : truth) largest = std::max(largest, std::abs(block[term]));
    if (largest == 0) return std::nullopt;
    std::optional<double> out;
    for (std::size_t b = 0; b < truth.size(); ++b) {
        const double f = claimed[b][term] / truth[b][term];
        if (std::abs(truth[b][term]) < 1e-3 * largest) continue;
        if (out && !(std::abs(f - *out) <= 1e-6 * std::max(1.0, std::abs(f)))) return std::nullopt;
        out = f;
    }
    return out;
}

void compare_terms(Search& s, const Blocks& blocks, const std::vector<Term>& terms) {
    const auto truth = fit(s, blocks, terms, s.truth);
    if (truth.empty()) return;
    for (std::size_t t = 0; t < terms.size(); ++t) {  // each is there and more than rounding
        double largest = 0;
        for (std::size_t b = 0; b < truth.size(); ++b)
            for (const Index k : blocks.entries[b]) largest = std::max(largest, std::abs(truth[b][t] * terms[t].value[k]));
        if (largest < 1e-6 * s.largest) return;
    }
    const auto claimed = fit(s, blocks, terms, s.claimed);
    if (claimed.empty()) return;
    std::vector<std::string> off;
    std::optional<double> times;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::optional<double> f = times_true(claimed, truth, t);
        if (!f || (!off.empty() && std::abs(*f - *times) > 1e-6 && std::abs(*f - 1) > 1e-6)) return;
        if (std::abs(*f - 1) <= 1e-6) continue;
        off.push_back(terms[t].name);
        times = f;
    }
    if (off.empty() || off.size() == terms.size()) return;
    const std::string names = fmt::format("{} {}", fmt::join(off, " and "), blocks.where);
    const char *is = off.size() > 1 ? "are" : "is", *it = off.size() > 1 ? "them" : "it";
    if (std::abs(*times) < 1e-6) return s.say(fmt::format("{} {} missing", names, is), fmt::format("add {}", it));
    for (const Factor& f : factors(s.e.constants))
        for (const double sign : {1.0, -1.0})
            if (std::abs(*times - sign * f.value) <= 1e-6 * f.value)
                return s.say(Mistake::wrong_row_term,
                             fmt::format("{} {} there {}{} times: is the count right?", names, is, sign < 0 ? "-" : "", f.name),
                             fmt::format("multiply {} by {}{}", it, sign < 0 ? "-" : "", f.inverse));
    if (std::abs(*times + 1) <= 1e-6)
        s.say(Mistake::wrong_row_term, fmt::format("the sign of {} is wrong", names), fmt::format("negate {}", it));
}

}  // namespace

/// dx = a dy gain + b + c (x - mean(x)), or a dy gain + c x, with numbers of each block: a backward with one of them wrong.
void norm_terms(Search& s) {
    const Tensor<double>& x = s.e.x[static_cast<std::size_t>(s.input)];
    std::vector<Term> direct{{"dy", s.e.u}};
    for (const Basis& b : s.plain_bases(s.truth.shape()))
        if (b.name != s.name() && b.name != "y" && b.name != "dy") direct.push_back({"dy " + b.name, times(s.e.u, b.value)});
    const std::string mean = fmt::format("the path through the mean of {}", s.name());
    const Tensor<double> ones(x.shape(), 1.0);
    for (const Blocks& blocks : all_blocks(s))
        for (const Term& d : direct) {
            compare_terms(s, blocks, {d, {fmt::format("the path through the mean square of {}", s.name()), x}});
            compare_terms(s, blocks, {d, {mean, ones}});
            compare_terms(s, blocks,
                          {d, {mean, ones}, {fmt::format("the path through the variance of {}", s.name()), centred(x, blocks)}});
        }
}

}  // namespace gradproof::check
