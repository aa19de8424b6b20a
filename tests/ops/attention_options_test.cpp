// Attention: each option against what it abbreviates, and against the steps it is composed of.
#include <gtest/gtest.h>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tests/ops/attention_calls.hpp"

namespace gradproof {
namespace {

using namespace attention_test;

/// [B, H, L, W] -> [B, L, H W]
D packed(const D& x) {
    const Index B = x.dim(0), H = x.dim(1), L = x.dim(2), W = x.dim(3);
    D out({B, L, H * W});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < L; ++i)
                for (Index d = 0; d < W; ++d) out[((b * L + i) * H + h) * W + d] = x[((b * H + h) * L + i) * W + d];
    return out;
}

/// Rows begin .. end of axis 2 of [B, H, L, W].
D rows(const D& x, Index begin, Index end) {
    const Index heads = x.dim(0) * x.dim(1), L = x.dim(2), W = x.dim(3);
    D out({x.dim(0), x.dim(1), end - begin, W});
    for (Index h = 0; h < heads; ++h)
        std::copy(x.data() + (h * L + begin) * W, x.data() + (h * L + end) * W, out.data() + h * (end - begin) * W);
    return out;
}

/// Every head of [B, H, L, W] `times` times in a row, and the sum that takes it back.
D repeated_heads(const D& x, Index times) {
    const Index heads = x.dim(0) * x.dim(1), width = x.dim(2) * x.dim(3);
    D out({x.dim(0), x.dim(1) * times, x.dim(2), x.dim(3)});
    for (Index h = 0; h < heads * times; ++h)
        std::copy(x.data() + h / times * width, x.data() + (h / times + 1) * width, out.data() + h * width);
    return out;
}
D summed_heads(const D& x, Index times) {
    const Index heads = x.dim(0) * x.dim(1), width = x.dim(2) * x.dim(3);
    D out({x.dim(0), x.dim(1) / times, x.dim(2), x.dim(3)}, 0.0);
    for (Index h = 0; h < heads; ++h)
        for (Index n = 0; n < width; ++n) out[h / times * width + n] += x[h * width + n];
    return out;
}

/// What the readable kernel does: its results for two ways of saying the same are equal to the bit.
constexpr AttentionKernel kReadable = AttentionKernel::reference;

Call grouped_call() {
    return {{.kernel = kReadable}, wave({2, 4, 3, 4}, 1), wave({2, 2, 5, 4}, 2), wave({2, 2, 5, 6}, 3), {}, {}, {},
            wave({2, 4, 3, 6}, 8)};
}

TEST(Attention, PackedHeadsEqualUnpacked) {
    const Call c = grouped_call();
    const Results r = run<double>(c);
    const Results p = run<double>(
        {{.q_heads = 4, .kv_heads = 2, .kernel = kReadable}, packed(c.q), packed(c.k), packed(c.v), {}, {}, {}, packed(c.dy)});
    EXPECT_TRUE(near(packed(r.y), p.y, 0));  // the same sums in the same order
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(near(packed(r.gradients[i]), p.gradients[i], 0)) << i;
}

TEST(Attention, GroupedHeadsEqualRepeatedKeysAndValues) {
    const Call c = grouped_call();
    const Results r = run<double>(c);
    const Results full = run<double>({c.attrs, c.q, repeated_heads(c.k, 2), repeated_heads(c.v, 2), {}, {}, {}, c.dy});
    EXPECT_TRUE(near(r.y, full.y, 0));
    EXPECT_TRUE(near(r.gradients[0], full.gradients[0], 0));
    for (const std::size_t i : {1u, 2u}) EXPECT_TRUE(near(r.gradients[i], summed_heads(full.gradients[i], 2), 12 * kEps)) << i;
}

TEST(Attention, PastEqualsKeysAndValuesGivenTogether) {
    Call c = grouped_call();
    const Results whole = run<double>(c);
    c.past_key = rows(c.k, 0, 2);
    c.past_value = rows(c.v, 0, 2);
    c.k = rows(c.k, 2, 5);
    c.v = rows(c.v, 2, 5);
    const Results cached = run<double>(c);
    EXPECT_TRUE(near(whole.y, cached.y, 0));
    EXPECT_TRUE(near(rows(whole.gradients[1], 2, 5), cached.gradients[1], 0));
    EXPECT_TRUE(near(rows(whole.gradients[2], 2, 5), cached.gradients[2], 0));
    EXPECT_TRUE(near(rows(whole.gradients[1], 0, 2), cached.gradients[4], 0));
    EXPECT_TRUE(near(rows(whole.gradients[2], 0, 2), cached.gradients[5], 0));
}

TEST(Attention, DecodingStepByStepEqualsOneCausalPass) {
    const D q = wave({1, 2, 4, 3}, 1), k = wave({1, 2, 4, 3}, 2), v = wave({1, 2, 4, 5}, 3);
    const D all = attention(q, k, v, {.causal = true, .kernel = kReadable});
    AttentionResult<double> step;
    for (Index i = 0; i < 4; ++i) {
        step = attention_forward(rows(q, i, i + 1), rows(k, i, i + 1), rows(v, i, i + 1),
                                 {.past_key = step.present_key, .past_value = step.present_value}, {.causal = true});
        EXPECT_TRUE(near(step.y, rows(all, i, i + 1), 4 * kEps)) << i;  // one row and four may be summed up in another order
    }
    EXPECT_TRUE(near(step.present_key, k, 0));
    EXPECT_TRUE(near(step.present_value, v, 0));
}

TEST(Attention, PresentOfPackedInputsHasFourAxes) {
    const Call c = grouped_call();
    const auto r = attention_forward(packed(c.q), packed(c.k), packed(c.v),
                                     {.past_key = rows(c.k, 1, 3), .past_value = rows(c.v, 1, 3)}, {.q_heads = 4, .kv_heads = 2});
    EXPECT_EQ(r.present_key.shape(), (Shape{2, 2, 7, 4}));
    EXPECT_TRUE(near(rows(r.present_key, 0, 2), rows(c.k, 1, 3), 0));
    EXPECT_TRUE(near(rows(r.present_key, 2, 7), c.k, 0));
    EXPECT_TRUE(near(rows(r.present_value, 2, 7), c.v, 0));
}

TEST(Attention, CausalWindowAndLengthsEqualTheMaskTheyStandFor) {
    const Index B = 2, L = 4, S = 6;
    const auto lengths = Tensor<Index>::from({B}, {5, 3});
    for (const bool causal : {false, true})
        for (const Index left : {-1, 0, 2})
            for (const Index right : {-1, 1})
                for (const bool with_lengths : {false, true}) {
                    SCOPED_TRACE(fmt::format("causal {} left {} right {} lengths {}", causal, left, right, with_lengths));
                    Call c{{.causal = causal, .window_left = left, .window_right = right, .kernel = kReadable},
                           wave({B, 2, L, 3}, 1),
                           wave({B, 1, S, 3}, 2),
                           wave({B, 1, S, 5}, 3),
                           {},
                           {},
                           {},
                           wave({B, 2, L, 5}, 8)};
                    if (with_lengths) c.attrs.kv_len = lengths;
                    Call masked = c;
                    masked.attrs = {.kernel = kReadable};
                    masked.attrs.bool_mask = Tensor<bool>({B, 1, L, S});
                    for (Index b = 0; b < B; ++b)
                        for (Index i = 0; i < L; ++i)
                            for (Index j = 0; j < S; ++j) {
                                const Index offset = with_lengths ? lengths[b] - L : 0;
                                masked.attrs.bool_mask.at({b, 0, i, j}) =
                                    (!causal || j <= i + offset) && (left < 0 || j >= i + offset - left) &&
                                    (right < 0 || j <= i + offset + right) && (!with_lengths || j < lengths[b]);
                            }
                    const Results r = run<double>(c), m = run<double>(masked);
                    EXPECT_TRUE(near(r.y, m.y, 0));
                    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(near(r.gradients[i], m.gradients[i], 0)) << i;
                }
}

TEST(Attention, AWindowOfOneOnBothSidesIsTheNeighbourhoodOfThree) {
    // Position i sees i-1, i and i+1 and no others: where all scores are equal it takes their mean.
    const Index T = 6;
    D x({1, 1, T, 1});
    for (Index i = 0; i < T; ++i) x[i] = static_cast<double>(i * i);
    const D y = attention(zeros<double>({1, 1, T, 1}), zeros<double>({1, 1, T, 1}), x, {.window_left = 1, .window_right = 1});
    EXPECT_TRUE(near(y, D::from({1, 1, T, 1}, {0.5, 5. / 3, 14. / 3, 29. / 3, 50. / 3, 20.5}), 1e-14));
    const auto weights = attention_forward(wave({1, 2, T, 3}, 1), wave({1, 2, T, 3}, 2), wave({1, 2, T, 3}, 3),
                                           {.window_left = 1, .window_right = 1})
                             .weights;
    for (Index n = 0; n < weights.size(); ++n) EXPECT_EQ(weights[n] > 0, std::abs(n / T % T - n % T) <= 1) << n;
}

TEST(Attention, HugeWindowIsUnbounded) {
    Call c = grouped_call();
    const Results r = run<double>(c);
    c.attrs.window_left = c.attrs.window_right = std::numeric_limits<Index>::max();
    EXPECT_TRUE(near(r.y, run<double>(c).y, 0));
}

TEST(Attention, HugeSoftCapIsNone) {
    Call c = grouped_call();
    const Results r = run<double>(c);
    c.attrs.softcap = 1e8;  // c tanh(s / c) = s - s³ / (3 c²): 1e-16 off
    const Results capped = run<double>(c);
    EXPECT_TRUE(near(r.y, capped.y, 20 * kEps));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(near(r.gradients[i], capped.gradients[i], 20 * kEps)) << i;
}

TEST(Attention, EqualsItsStepsOnTheTape) {
    Call c{{.scale = 0.4},       wave({2, 3, 4, 5}, 1), wave({2, 3, 6, 5}, 2), wave({2, 3, 6, 7}, 3), wave({3, 1, 6}, 4), {}, {},
           wave({2, 3, 4, 7}, 8)};
    const Results r = run<double>(c);
    Tape<double> tape;
    const std::vector<Var<double>> x{tape.leaf(c.q), tape.leaf(c.k), tape.leaf(c.v), tape.leaf(c.mask)};
    const auto s = add(scale(matmul(x[0], x[1], {.transpose_b = true}), {.factor = 0.4}), x[3]);
    const auto y = matmul(softmax(s), x[2]);
    tape.backward(y, c.dy);
    EXPECT_TRUE(near(r.y, y.value(), 20 * kEps));
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_TRUE(near(r.gradients[i], tape.grad(x[i]), 60 * kEps)) << i;  // sums of up to 24 terms
}

TEST(Attention, WorkedExampleOfThreeTokens) {
    // q = k, four features of which two are used; scores / 2, softmax, mean of the values.
    const D x = D::from({1, 1, 3, 4}, {3, 1, 0, 0, 1, 4, 0, 0, 2, 2, 0, 0});
    const D v = D::from({1, 1, 3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0.5, 0, 0});
    const auto r = attention_forward(x, x, v);
    EXPECT_TRUE(near(r.weights,
                     D::from({1, 1, 3, 3}, {0.6285317192117624, 0.14024438316608848, 0.23122389762214907, 0.00649794331566194,
                                            0.9643802951468596, 0.0291217615374784, 0.21194155761708547, 0.5761168847658291,
                                            0.21194155761708547}),
                     10 * kEps));
    EXPECT_TRUE(near(r.y,
                     D::from({1, 1, 3, 4}, {0.7441436680228369, 0.255856331977163, 0, 0, 0.021058824084401143, 0.9789411759155988,
                                            0, 0, 0.3179123364256282, 0.6820876635743719, 0, 0}),
                     10 * kEps));
    EXPECT_NEAR(r.log_sum_exp[0], std::log(std::exp(5.0) + std::exp(3.5) + std::exp(4.0)), 10 * 6 * kEps);
}

TEST(Attention, WeightsSumToOneAndTheirInnerProductWithDwIsThatOfYWithDy) {
    const Call c = grouped_call();
    const auto r = attention_forward(c.q, c.k, c.v, {.softcap = 0.8});
    for (Index row = 0; row < 2 * 4 * 3; ++row) {
        const Index b = row / 12, hk = row / 3 % 4 / 2;
        double sum = 0, weights_dw = 0, y_dy = 0;
        for (Index j = 0; j < 5; ++j) {
            double dw = 0;
            for (Index e = 0; e < 6; ++e) dw += c.dy[row * 6 + e] * c.v.at({b, hk, j, e});
            sum += r.weights[row * 5 + j];
            weights_dw += r.weights[row * 5 + j] * dw;
        }
        for (Index e = 0; e < 6; ++e) y_dy += r.y[row * 6 + e] * c.dy[row * 6 + e];
        EXPECT_NEAR(sum, 1, 5 * kEps);
        EXPECT_NEAR(weights_dw, y_dy, 30 * kEps);
    }
}

TEST(Attention, GivesTheSameBitsForEveryThreadCount) {
    Call masked{{.causal = true},
                wave({3, 8, 40, 16}, 1),
                wave({3, 4, 48, 16}, 2),
                wave({3, 4, 48, 16}, 3),
                wave({40, 48}, 4),
                {},
                {},
                wave({3, 8, 40, 16}, 8)};
    Call dense = masked;
    dense.attrs = {};
    dense.mask = {};
    // One head: its tiles of keys are dealt out, and add to dq in turn.
    Call single{{.causal = true},        wave({1, 2, 300, 16}, 1), wave({1, 1, 280, 16}, 2), wave({1, 1, 280, 24}, 3), {}, {}, {},
                wave({1, 2, 300, 24}, 8)};
    Call past = single;
    past.attrs = {.window_left = 100};
    past.past_key = wave({1, 1, 70, 16}, 5), past.past_value = wave({1, 1, 70, 24}, 6);
    const int before = threads();
    for (const Call& c : {masked, dense, single, past}) {
        set_threads(1);
        const Results one = run<float>(c);
        for (const int n : {2, 4, 5, 8}) {
            set_threads(n);
            const Results many = run<float>(c);
            EXPECT_TRUE(near(one.y, many.y, 0));
            for (std::size_t i = 0; i < one.gradients.size(); ++i)
                EXPECT_TRUE(!one.gradients[i].defined() || near(one.gradients[i], many.gradients[i], 0))
                    << n << " threads, gradient " << i;
        }
    }
    set_threads(before);
}

}  // namespace
}  // namespace gradproof
