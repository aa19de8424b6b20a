// The slips that `attention --expect` names: without one the readable attention is the op, and each is told from what it makes.
#include "tools/cli/attention_slips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/ops/attention_fuzz.hpp"

namespace gradproof {
namespace {

using attention_test::Call;
using cli::AttentionCall;
using cli::AttentionSlips;

AttentionCall call_of(const Call& c) { return {c.q, c.k, c.v, c.dy, {.mask = c.mask, .past_key = c.past_key, .past_value = c.past_value}, c.attrs}; }

Tensor<double> drawn(const Shape& shape, std::uint64_t stream) {
    Random random = Random(5).stream(stream);
    return random.normal<double>(shape);
}

/// Two groups of two heads, causal with a past of two keys, a soft cap: every slip changes something.
AttentionCall busy() {
    AttentionCall c{drawn({2, 4, 5, 3}, 1), drawn({2, 2, 4, 3}, 2), drawn({2, 2, 4, 6}, 3), drawn({2, 4, 5, 6}, 4),
                    {.mask = {}, .past_key = drawn({2, 2, 2, 3}, 5), .past_value = drawn({2, 2, 2, 6}, 6)}, {.causal = true, .softcap = 2}};
    return c;
}

double difference(const Tensor<double>& a, const Tensor<double>& b) {
    EXPECT_EQ(a.shape(), b.shape());
    double most = 0;
    for (Index i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

TEST(AttentionSlips, WithoutOneTheReadableAttentionIsTheOp) {
    attention_test::RandomCalls calls(7);
    int seen = 0;
    for (int n = 0; n < 200; ++n) {
        Call c = calls.next();
        const auto finite = [](const Tensor<double>& t) { return std::all_of(t.begin(), t.end(), [](double x) { return std::isfinite(x); }); };
        if (!finite(c.q) || !finite(c.k) || !finite(c.v) || !finite(c.dy) || (c.past_key.defined() && (!finite(c.past_key) || !finite(c.past_value)))) continue;
        if (c.q.size() == 0 || c.k.size() == 0 || c.v.size() == 0) continue;
        c.attrs.kernel = AttentionKernel::reference;
        const attention_test::Results truth = attention_test::run<double>(c);
        const cli::AttentionArrays ours = AttentionSlips(call_of(c)).results("");
        EXPECT_LT(difference(ours.at("y"), truth.y), 1e-11) << n;
        EXPECT_LT(difference(ours.at("dq"), truth.gradients[0]), 1e-11) << n;
        EXPECT_LT(difference(ours.at("dk"), truth.gradients[1]), 1e-11) << n;
        EXPECT_LT(difference(ours.at("dv"), truth.gradients[2]), 1e-11) << n;
        ++seen;
    }
    EXPECT_GT(seen, 100);
}

TEST(AttentionSlips, EachIsNamedFromEveryArrayThatItChanges) {
    AttentionSlips slips(busy());
    const cli::AttentionArrays truth = slips.results("");
    std::set<std::string> texts;
    for (const std::string_view text : AttentionSlips::names()) {
        EXPECT_TRUE(texts.insert(std::string(text)).second);
        int changed = 0;
        for (const auto& [name, array] : slips.results(text)) {
            if (difference(array, truth.at(name)) < 1e-9) continue;
            ++changed;
            // Slips may agree in one array: what two of them make of it is named after the first.
            const std::string named = slips.explain(name, array, {.tolerance = 1e-9});
            EXPECT_FALSE(named.empty()) << text << ": " << name;
            if (named != text) {
                EXPECT_LT(difference(slips.results(named).at(name), array), 1e-9) << text << ": " << name << " is called " << named;
            }
        }
        EXPECT_GE(changed, 1) << text << " changes nothing";
    }
    for (const auto& [name, array] : truth) {
        EXPECT_EQ(slips.explain(name, array, {.tolerance = 1e-9}), "") << "what is right is no slip: " << name;
        EXPECT_EQ(slips.explain(name, drawn(array.shape(), 9), {.tolerance = 1e-9}), "") << name;
    }
}

/// dq of one head with ds as the caller makes it from the rows of w and dw.
Tensor<double> dq_with(const AttentionCall& c, auto&& row_of_ds) {
    const Index L = c.q.dim(2), S = c.k.dim(2), D = c.q.dim(3), E = c.v.dim(3);
    const Tensor<double> w = attention_forward(c.q, c.k, c.v).weights;
    Tensor<double> dq = zeros<double>(c.q.shape());
    for (Index i = 0; i < L; ++i) {
        std::vector<double> p(static_cast<std::size_t>(S)), dw(p.size(), 0.0);
        for (Index j = 0; j < S; ++j) {
            p[static_cast<std::size_t>(j)] = w[i * S + j];
            for (Index e = 0; e < E; ++e) dw[static_cast<std::size_t>(j)] += c.dy[i * E + e] * c.v[j * E + e];
        }
        const std::vector<double> ds = row_of_ds(p, dw);
        for (Index j = 0; j < S; ++j)
            for (Index d = 0; d < D; ++d) dq[i * D + d] += ds[static_cast<std::size_t>(j)] * c.k[j * D + d] / std::sqrt(static_cast<double>(D));
    }
    return dq;
}

TEST(AttentionSlips, SlipsWrittenElsewhereAreNamed) {
    const AttentionCall c{drawn({1, 1, 4, 3}, 1), drawn({1, 1, 5, 3}, 2), drawn({1, 1, 5, 2}, 3), drawn({1, 1, 4, 2}, 4), {}, {}};
    AttentionSlips slips(c);
    using Row = std::vector<double>;
    const auto named = [&](auto&& row_of_ds) { return slips.explain("dq", dq_with(c, row_of_ds), {.tolerance = 1e-9}); };
    const auto dot_of = [](const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
    const auto row = [](const Row& p, auto&& entry) {
        Row out;
        for (std::size_t j = 0; j < p.size(); ++j) out.push_back(entry(j));
        return out;
    };
    EXPECT_EQ(named([&](const Row& p, const Row& dw) { return row(p, [&](std::size_t j) { return p[j] * (dw[j] - dot_of(p, dw)); }); }), "") << "the truth";
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) { return row(p, [&](std::size_t j) { return p[j] * dw[j]; }); }).starts_with("the row sum of the softmax Jacobian is missing"));
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) { return row(p, [&](std::size_t j) { return p[j] * (dw[j] - dot_of(p, dw) / 5); }); }).find("is a mean") != std::string::npos);
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) { return row(p, [&](std::size_t j) { return p[j] * (dw[j] - std::accumulate(dw.begin(), dw.end(), 0.0)); }); }).find("not weighted") != std::string::npos);
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) { return row(p, [&](std::size_t j) { return p[j] * (1 - p[j]) * dw[j]; }); }).starts_with("only the diagonal"));
    EXPECT_TRUE(named([&](const Row&, const Row& dw) { return dw; }).starts_with("the backward of the softmax is left out"));
}

TEST(AttentionSlips, TooManyWeightsAreNotLookedThrough) {
    const AttentionCall c{zeros<double>({1, 1, 2100, 1}), zeros<double>({1, 1, 2100, 1}), zeros<double>({1, 1, 2100, 1}), {}, {}, {}};
    EXPECT_EQ(AttentionSlips(c).explain("y", ones<double>({1, 1, 2100, 1}), {}), "");
}

}  // namespace
}  // namespace gradproof
