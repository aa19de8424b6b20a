// The mistakes in a kernel for attention: without one the readable attention is the op, and each is told from what it makes.
#include "gradproof/ops/attention_with_mistake.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/ops/attention_fuzz.hpp"

namespace gradproof {
namespace {

using attention_test::Call;
using Called = AttentionCall<double>;

Called call_of(const Call& c) {
    return {c.q, c.k, c.v, c.dy, {.mask = c.mask, .past_key = c.past_key, .past_value = c.past_value}, c.attrs};
}

Tensor<double> drawn(const Shape& shape, std::uint64_t stream) {
    Random random = Random(5).stream(stream);
    return random.normal<double>(shape);
}

std::string explain(const Called& call, std::string_view array, const Tensor<double>& claimed, bool y_is_wrong = false) {
    const auto all = explain_by_mistakes(call, {{array, claimed, {.tolerance = 1e-9}}}, y_is_wrong);
    return all.empty() ? "" : all.begin()->second.text;
}

/// Two groups of two heads, a past of two keys, every kind of mask, a soft cap: every mistake changes something.
Called busy() {
    Called c{drawn({2, 4, 5, 3}, 1),
             drawn({2, 2, 6, 3}, 2),
             drawn({2, 2, 6, 6}, 3),
             drawn({2, 4, 5, 6}, 4),
             {.mask = drawn({5, 8}, 7), .past_key = drawn({2, 2, 2, 3}, 5), .past_value = drawn({2, 2, 2, 6}, 6)},
             {.causal = true, .softcap = 2, .window_left = 3}};
    c.attrs.bool_mask = Tensor<bool>({5, 8}, true);
    for (const Index hidden : {1, 10, 20, 30}) c.attrs.bool_mask[hidden] = false;
    return c;
}
/// The same without a past, and with lengths.
Called padded() {
    Called c = busy();
    c.with = {};
    c.attrs.bool_mask = {};
    c.attrs.window_left = -1;
    c.attrs.causal = false;
    c.attrs.kv_len = Tensor<Index>::from({2}, {6, 5});
    return c;
}

double difference(const Tensor<double>& a, const Tensor<double>& b) {
    EXPECT_EQ(a.shape(), b.shape());
    double most = 0;
    for (Index i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

TEST(AttentionMistakes, WithoutOneTheReadableAttentionIsTheOp) {
    attention_test::RandomCalls calls(7);
    int seen = 0;
    for (int n = 0; n < 200; ++n) {
        Call c = calls.next();
        const auto finite = [](const Tensor<double>& t) {
            return std::all_of(t.begin(), t.end(), [](double x) { return std::isfinite(x); });
        };
        if (!finite(c.q) || !finite(c.k) || !finite(c.v) || !finite(c.dy) ||
            (c.past_key.defined() && (!finite(c.past_key) || !finite(c.past_value))))
            continue;
        if (c.q.dim(0) == 0) continue;
        c.attrs.kernel = AttentionKernel::reference;
        const attention_test::Results truth = attention_test::run<double>(c);
        const AttentionArrays<double> ours = attention_with_mistake(call_of(c), "");
        EXPECT_LT(difference(ours.at("y"), truth.y), 1e-11) << n;
        EXPECT_LT(difference(ours.at("dq"), truth.gradients[0]), 1e-11) << n;
        EXPECT_LT(difference(ours.at("dk"), truth.gradients[1]), 1e-11) << n;
        EXPECT_LT(difference(ours.at("dv"), truth.gradients[2]), 1e-11) << n;
        ++seen;
    }
    EXPECT_GT(seen, 100);
}

TEST(AttentionMistakes, EachIsNamedFromEveryArrayThatItChanges) {
    std::set<std::string_view> seen;
    for (const Called& call : {busy(), padded()}) {
        const AttentionArrays<double> truth = attention_with_mistake(call, "");
        for (const std::string_view text : attention_mistake_names()) {
            for (const auto& [name, array] : attention_with_mistake(call, text)) {
                if (difference(array, truth.at(name)) < 1e-9) continue;
                seen.insert(text);
                // Mistakes may agree in one array: what two of them make of it is named after the first.
                const std::string named = explain(call, name, array);
                EXPECT_FALSE(named.empty()) << text << ": " << name;
                if (named != text) {
                    EXPECT_LT(difference(attention_with_mistake(call, named).at(name), array), 1e-9)
                        << text << ": " << name << " is called " << named;
                }
            }
        }
        for (const auto& [name, array] : truth) EXPECT_EQ(explain(call, name, drawn(array.shape(), 9)), "") << name;
    }
    for (const std::string_view text : attention_mistake_names()) EXPECT_TRUE(seen.contains(text)) << text << " changes nothing";
}

TEST(AttentionMistakes, WhatIsNotThereIsNotLeftOut) {
    Called c = busy();
    c.attrs = {};
    c.with = {};
    c.k = drawn({2, 4, 6, 3}, 2);
    c.v = drawn({2, 4, 6, 6}, 3);
    Called causal = c, capped = c;
    causal.attrs.causal = true;
    EXPECT_EQ(explain(c, "y", attention(c.q, c.k, c.v, causal.attrs), true), "");
    EXPECT_EQ(explain(causal, "y", attention(c.q, c.k, c.v), true), "the causal mask is left out");
    causal.attrs.window_left = 1;
    EXPECT_EQ(explain(causal, "y", attention(c.q, c.k, c.v, {.causal = true}), true), "the window is left out");
    capped.attrs.softcap = 1;
    EXPECT_EQ(explain(capped, "y", attention(c.q, c.k, c.v), true), "the soft cap is left out");
    Called masked = c;
    masked.with.mask = Tensor<double>::from({3}, {0.3, -0.5, -INFINITY});
    EXPECT_EQ(explain(masked, "y", attention(c.q, c.k, c.v), true), "the mask that is added to the scores is left out");
    // No width: every score is 0 whatever is done to it.
    const Called flat{
        zeros<double>({1, 2, 4, 0}), zeros<double>({1, 2, 5, 0}), drawn({1, 2, 5, 3}, 1), drawn({1, 2, 4, 3}, 2), {}, {}};
    EXPECT_EQ(explain(flat, "y", drawn({1, 2, 4, 3}, 3), true), "");
    EXPECT_EQ(explain(flat, "dv", drawn({1, 2, 5, 3}, 3)), "");
    EXPECT_EQ(explain(c, "present_key", drawn({2, 4, 6, 3}, 3)), "");
}

/// dq of one head with ds as the caller makes it from the rows of w and dw.
Tensor<double> dq_with(const Called& c, auto&& row_of_ds) {
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
            for (Index d = 0; d < D; ++d)
                dq[i * D + d] += ds[static_cast<std::size_t>(j)] * c.k[j * D + d] / std::sqrt(static_cast<double>(D));
    }
    return dq;
}

TEST(AttentionMistakes, MistakesWrittenElsewhereAreNamed) {
    const Called c{drawn({1, 1, 4, 3}, 1), drawn({1, 1, 5, 3}, 2), drawn({1, 1, 5, 2}, 3), drawn({1, 1, 4, 2}, 4), {}, {}};
    using Row = std::vector<double>;
    const auto named = [&](auto&& row_of_ds) { return explain(c, "dq", dq_with(c, row_of_ds)); };
    const auto dot_of = [](const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
    const auto row = [](const Row& p, auto&& entry) {
        Row out;
        for (std::size_t j = 0; j < p.size(); ++j) out.push_back(entry(j));
        return out;
    };
    const Tensor<double> truth = attention_with_mistake(c, "").at("dq");
    EXPECT_LT(difference(truth, dq_with(c,
                                        [&](const Row& p, const Row& dw) {
                                            return row(p, [&](std::size_t j) { return p[j] * (dw[j] - dot_of(p, dw)); });
                                        })),
              1e-12);
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) {
                    return row(p, [&](std::size_t j) { return p[j] * dw[j]; });
                }).starts_with("the row sum of the softmax Jacobian is missing"));
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) {
                    return row(p, [&](std::size_t j) { return p[j] * (dw[j] - dot_of(p, dw) / 5); });
                }).find("is a mean") != std::string::npos);
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) {
                    return row(p, [&](std::size_t j) { return p[j] * (dw[j] - std::accumulate(dw.begin(), dw.end(), 0.0)); });
                }).find("not weighted") != std::string::npos);
    EXPECT_TRUE(named([&](const Row& p, const Row& dw) {
                    return row(p, [&](std::size_t j) { return p[j] * (1 - p[j]) * dw[j]; });
                }).starts_with("only the diagonal"));
    EXPECT_TRUE(named([&](const Row&, const Row& dw) { return dw; }).starts_with("the backward of the softmax is left out"));
}

TEST(AttentionMistakes, TheReportSaysWhichArrayIsWrongAndWhy) {
    Called call = busy();
    const AttentionArrays<double> truth = attention_results(call, true);
    std::vector<NamedArray> theirs;
    for (const auto& [name, array] : truth) theirs.push_back({name, from_tensor(array)});
    EXPECT_EQ(theirs.size(), kAttentionResults.size());
    EXPECT_EQ(attention_mistakes(call, truth, theirs).verdict(), check::Verdict::right);
    const std::string mistake = "the slope of the soft cap is left out; multiply ds by 1 - (s / c)^2";
    const Tensor<double> dk = attention_with_mistake(call, mistake).at("dk");
    const check::ComparedArrays r = attention_mistakes(call, truth, {{"dk", from_tensor(dk)}, {"y", from_tensor(truth.at("y"))}});
    ASSERT_EQ(r.arrays.size(), 2U);
    EXPECT_EQ(r.arrays[0].name, "y");
    EXPECT_EQ(r.arrays[0].verdict(), check::Verdict::right);
    EXPECT_EQ(r.arrays[1].verdict(), check::Verdict::wrong);
    EXPECT_EQ(r.arrays[1].mistake.text, mistake);
    EXPECT_NE(to_text(r).find("diagnosis: " + mistake), std::string::npos) << to_text(r);
    EXPECT_NE(to_json(r).find("\"diagnosis\":\"" + mistake), std::string::npos) << to_json(r);
    EXPECT_NE(to_text(r).find("verdict: wrong (1 of 2 arrays)"), std::string::npos) << to_text(r);
    std::atomic<bool> stop{false};
    Control control{.stop = &stop};
    control.progress = [&](Index, Index, std::string_view part) { stop = part == mistake; };
    EXPECT_THROW(attention_mistakes(call, truth, {{"dk", from_tensor(dk)}}, DType::f64, control), Stopped);
    call.dy = {};
    EXPECT_THROW(attention_mistakes(call, attention_results(call), {{"dk", from_tensor(dk)}}), ValueError);
}

TEST(AttentionMistakes, ASmallRowIsComparedWithItself) {
    const auto single = [](const Tensor<double>& x) { return cast<double>(cast<float>(x)); };
    Called call{single(drawn({1, 2, 5, 3}, 1)),
                single(drawn({1, 2, 6, 3}, 2)),
                single(drawn({1, 2, 6, 4}, 3)),
                single(drawn({1, 2, 5, 4}, 4)),
                {},
                {}};
    for (Index k = 4; k < 8; ++k) call.dy[k] *= 0x1p-20;  // of the second query
    const AttentionArrays<double> truth = attention_results(call);
    const auto verdict = [&](double by) {
        Tensor<double> dq = truth.at("dq").clone();
        for (Index k = 3; k < 6; ++k) dq[k] *= by;
        return attention_mistakes(call, truth, {{"dq", from_tensor(cast<float>(dq))}}).verdict();
    };
    EXPECT_EQ(verdict(1), check::Verdict::right);
    for (const double by : {2.0, -1.0, 0.0}) EXPECT_EQ(verdict(by), check::Verdict::wrong) << by;
}

TEST(AttentionMistakes, EntriesThatAreOffAlikeAreNoRounding) {
    const auto single = [](const Tensor<double>& x) { return cast<double>(cast<float>(x)); };
    const Called call{single(drawn({1, 2, 5, 3}, 1)),
                      single(drawn({1, 2, 6, 3}, 2)),
                      single(drawn({1, 2, 6, 4}, 3)),
                      single(drawn({1, 2, 5, 4}, 4)),
                      {},
                      {}};
    const AttentionArrays<double> truth = attention_results(call);
    for (const char* name : {"y", "dq", "dk", "dv"}) {
        const auto compared = [&](double by) {
            Tensor<double> x = truth.find(name)->second.clone();
            for (double& v : x) v *= by;
            return attention_mistakes(call, truth, {{name, from_tensor(cast<float>(x))}}).arrays.at(0);
        };
        EXPECT_EQ(compared(1).verdict(), check::Verdict::right) << name;
        const check::ComparedArray off = compared(1 + 2e-5);
        EXPECT_TRUE(off.comparison.right()) << name;  // each entry is within its tolerance
        EXPECT_EQ(off.verdict(), check::Verdict::wrong) << name;
        EXPECT_NEAR(off.median_ratio.value_or(1), 1 + 2e-5, 1e-6) << name;
    }
}

TEST(AttentionMistakes, TooManyWeightsAreNotLookedThrough) {
    constexpr Index n = 40'000;  // 12.8 GB of weights
    const Called c{zeros<double>({1, 1, n, 1}), zeros<double>({1, 1, n, 1}), zeros<double>({1, 1, n, 1}), {}, {}, {}};
    EXPECT_TRUE(
        explain(c, "y", ones<double>({1, 1, n, 1})).starts_with("not looked for: there are 1600000000 weights, up to 2097152"));
}

}  // namespace
}  // namespace gradproof
