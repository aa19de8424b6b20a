// Bad input to attention: one text for one mistake, whichever kernel was asked for; and inputs from memory of any layout.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gradproof/core/check/contracts.hpp"
#include "tests/ops/attention_calls.hpp"
#include "tests/support.hpp"

using namespace gradproof;
using gradproof::attention_test::near;
using gradproof::attention_test::wave;
using gradproof::testing::error_of;

namespace {

const OpEntry& attention_op() { return registry().find("attention"); }

ErrorCase bad(std::string name, const std::vector<std::pair<std::string, AttrValue>>& attrs, std::vector<Arg> args,
              std::string text) {
    ErrorCase c{std::move(name), attention_op().default_attrs(), std::move(args), std::move(text)};
    for (const auto& [field, value] : attrs) c.attrs.set(field, value);
    return c;
}

/// What the page does not list.
std::vector<ErrorCase> more_errors() {
    const std::vector<Arg> good{{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 2, 6, 7}};
    const auto past = [&](const Shape& key, const Shape& value) {
        return std::vector<Arg>{good[0], good[1], good[2], Arg::absent(), Arg(key), Arg(value)};
    };
    const Index huge = Index{1} << 62, least = std::numeric_limits<Index>::min();
    const std::string multiple = "attention: query heads must be a multiple of key heads: ";
    const std::string fit = "expected [2, 2, P, 5], [2, 2, P, 7]";
    return {
        bad("no queries given", {}, {Arg::absent(), good[1], good[2]}, "attention: q, k and v are all needed: q is undefined"),
        bad("no keys given", {}, {good[0], Arg::absent(), good[2]}, "attention: q, k and v are all needed: k is undefined"),
        bad("seven inputs", {}, std::vector<Arg>(7, good[0]),
            "attention: takes 3 to 6 inputs (q k v mask? past_key? past_value?), got 7"),
        bad("rank 5", {}, {{1, 2, 4, 3, 5}, {1, 2, 2, 6, 5}, {1, 2, 2, 6, 7}}, "attention: inputs must be 4-D"),
        bad("values of another batch", {}, {good[0], good[1], {3, 2, 6, 7}}, "attention: batch sizes differ"),
        bad("packed keys do not divide", {{"q_heads", Index{4}}, {"kv_heads", Index{3}}}, {{2, 3, 20}, {2, 6, 10}, {2, 6, 14}},
            "attention: the last axis of k does not split into heads: k is [2, 6, 10], kv_heads is 3"),
        bad("packed values do not divide", {{"q_heads", Index{4}}, {"kv_heads", Index{2}}}, {{2, 3, 20}, {2, 6, 10}, {2, 6, 13}},
            "attention: the last axis of v does not split into heads: v is [2, 6, 13], kv_heads is 2"),
        bad("packed heads not a multiple", {{"q_heads", Index{3}}, {"kv_heads", Index{2}}}, {{2, 3, 15}, {2, 6, 10}, {2, 6, 14}},
            multiple + "q is [2, 3, 15], k is [2, 6, 10] (3 and 2 heads)"),
        bad("key heads but no query heads in the counts", {{"kv_heads", Index{1}}}, good,
            "attention: head counts contradict the 4-D inputs"),
        bad("negative key heads", {{"kv_heads", Index{-2}}}, good,
            "attention: head counts must not be negative: q_heads is 0, kv_heads is -2"),
        bad("head counts beyond counting, of empty axes", {{"q_heads", huge}, {"kv_heads", Index{1}}},
            {{1, 3, 0}, {1, 6, 0}, {1, 6, 4}},
            "attention: too many queries: batch is 1, heads are 4611686018427387904, length is 3, value size is 4"),
        bad("as many key heads", {{"q_heads", huge}, {"kv_heads", huge}}, {{1, 3, 0}, {1, 6, 0}, {1, 6, 0}},
            "attention: too many queries"),
        bad("a length that only an empty axis allows", {}, {{1, 1, Index{1} << 46, 0}, {1, 1, 2, 0}, {1, 1, 2, 0}},
            "attention: too many queries"),
        bad("results beyond counting", {}, {{1, 1 << 20, 1 << 20, 0}, {1, 1, 2, 0}, {1, 1, 2, 1 << 20}},
            "attention: too many queries"),
        bad("scale of nan", {{"scale", std::nan("")}}, good, "attention: scale must be finite: scale is nan"),
        bad("the least window", {{"window_left", least}}, good,
            "attention: a window size must be -1 (unbounded) or more: window_left is -9223372036854775808"),
        bad("past of another batch", {}, past({1, 2, 4, 5}, {1, 2, 4, 7}), fit),
        bad("past of other heads", {}, past({2, 4, 4, 5}, {2, 4, 4, 7}), fit),
        bad("past of another value size", {}, past({2, 2, 4, 5}, {2, 2, 4, 5}), fit),
        bad("lengths of rank 2", {{"kv_len", Tensor<Index>({2, 1}, Index{1})}}, good,
            "attention: kv_len has one length for each batch entry: kv_len is [2, 1], expected [2]"),
        bad("a huge length", {{"kv_len", Tensor<Index>({2}, huge)}}, good,
            "attention: kv_len is out of range: kv_len[0] is 4611686018427387904, keys are 6"),
        bad("two offsets of a window", {{"window_right", Index{0}}, {"kv_len", Tensor<Index>({2}, Index{1})}},
            past({2, 2, 4, 5}, {2, 2, 4, 7}), "attention: kv_len and a past give two offsets"),
        bad("bool mask of rank 0", {{"bool_mask", Tensor<bool>(Shape{}, true)}}, good,
            "attention: bool_mask must have 1 to 4 axes: bool_mask is []"),
        bad("bool mask wider than the keys", {{"bool_mask", Tensor<bool>({7}, true)}}, good,
            "attention: bool_mask does not broadcast to the scores: bool_mask is [7], scores are [2, 4, 3, 6]"),
        bad("mask without columns over other heads", {}, {good[0], good[1], good[2], {3, 3, 0}},
            "attention: mask does not broadcast to the scores"),
    };
}

/// What the op says when `kernel` is asked for.
template <class T>
std::string text_of(ErrorCase& c, std::string_view kernel) {
    c.attrs.set("kernel", std::string(kernel));
    std::vector<Var<T>> x;
    for (const Arg& a : c.args)
        x.push_back(a.present ? Var<T>(a.values.defined() ? cast<T>(a.values) : Tensor<T>(a.shape, T(1))) : Var<T>());
    std::vector<const Var<T>*> inputs;
    for (const Var<T>& v : x) inputs.push_back(&v);
    return error_of([&] { call(attention_op().table<T>(), c.attrs.get(), std::span<const Var<T>* const>(inputs)); });
}

}  // namespace

TEST(AttentionErrors, BothKernelsSayTheSameAboutEveryMistake) {
    std::vector<ErrorCase> cases = attention_op().error_samples();
    for (ErrorCase& c : more_errors()) cases.push_back(std::move(c));
    for (ErrorCase& c : cases) {
        const std::string text = text_of<double>(c, "auto");
        EXPECT_NE(text.find(c.message), std::string::npos) << c.name << ": " << text;
        for (const std::string_view kernel : names(AttentionKernel{})) {
            EXPECT_EQ(text_of<double>(c, kernel), text) << c.name;
            EXPECT_EQ(text_of<float>(c, kernel), text) << c.name;
            EXPECT_EQ(text_of<Dual<double>>(c, kernel), text) << c.name;
        }
    }
}

TEST(AttentionErrors, WhatThePageDoesNotListThrowsBeforeAnyWorkToo) {
    for (ErrorCase& c : more_errors())
        for (const std::string_view kernel : names(AttentionKernel{})) {
            c.attrs.set("kernel", std::string(kernel));
            const check::ContractResult f = check::check_errors(attention_op(), c, 1);
            EXPECT_TRUE(f.verdict == check::Verdict::right) << c.name << ": " << f.reason;
        }
}

TEST(AttentionErrors, WeightsThatNobodyCanHoldAreAnErrorOfTheReadableKernelOnly) {
    // 2^48 weights over axes without features: as long as this, but nothing to compute.
    const Tensor<float> q({1, 1, Index{1} << 24, 0}), v({1, 1, Index{1} << 24, 0});
    EXPECT_EQ(
        error_of([&] { attention(q, v, v, {.kernel = AttentionKernel::reference}); }),
        "attention: too many weights: they are [1, 1, 16777216, 16777216], at most 70368744177664; the fused kernel holds none");
    EXPECT_EQ(
        error_of([&] { attention_forward(q, v, v); }),
        "attention: too many weights: they are [1, 1, 16777216, 16777216], at most 70368744177664; the fused kernel holds none");
    EXPECT_EQ(attention(q, v, v).shape(), q.shape());
}

TEST(AttentionErrors, AxesOfSizeZeroAreNoMistake) {
    for (const AttentionKernel kernel : {AttentionKernel::reference, AttentionKernel::fused}) {
        const AttentionAttrs attrs{.kernel = kernel};
        const auto y = [&](const Shape& q, const Shape& k, const Shape& v) {
            return attention(wave(q, 1), wave(k, 2), wave(v, 3), attrs);
        };
        EXPECT_EQ(y({0, 2, 3, 4}, {0, 2, 5, 4}, {0, 2, 5, 6}).shape(), (Shape{0, 2, 3, 6}));         // no batch
        EXPECT_EQ(y({1, 0, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}).shape(), (Shape{1, 0, 3, 6}));         // no query heads
        EXPECT_EQ(y({1, 0, 3, 4}, {1, 0, 5, 4}, {1, 0, 5, 6}).shape(), (Shape{1, 0, 3, 6}));         // no heads at all
        EXPECT_EQ(y({1, 2, 0, 4}, {1, 2, 0, 4}, {1, 2, 0, 6}).shape(), (Shape{1, 2, 0, 6}));         // neither queries nor keys
        EXPECT_EQ(y({1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 0}).shape(), (Shape{1, 2, 3, 0}));         // no value features
        for (const double entry : y({1, 2, 3, 4}, {1, 2, 0, 4}, {1, 2, 0, 6})) EXPECT_EQ(entry, 0);  // no keys
        // Without key features all scores are 0: the mean of the values.
        const auto v = wave({1, 1, 4, 1}, 3);
        EXPECT_NEAR(attention(Tensor<double>({1, 1, 1, 0}), Tensor<double>({1, 1, 4, 0}), v, attrs)[0],
                    std::accumulate(v.begin(), v.end(), 0.0) / 4, 1e-15);
    }
}

TEST(AttentionErrors, MemoryOfAnyLayoutGivesTheSameBits) {
    const Index B = 2, H = 3, S = 37, D = 5;
    const Shape shape{B, H, S, D};
    const auto stored = wave({B * H * S * D + 1}, 0.3);
    const double* const odd = stored.data() + 1;  // eight bytes behind a 64-byte boundary
    // As stored: heads packed, [B, S, H, D]; transposed, [B, H, D, S]; back to front.
    const std::vector<std::pair<const double*, Shape>> layouts{{odd, {S * H * D, D, H * D, 1}},
                                                               {odd, {H * S * D, S * D, 1, S}},
                                                               {stored.end() - 1, {-H * S * D, -S * D, -D, -1}},
                                                               {odd, {0, 0, D, 1}}};
    for (const auto& [data, strides] : layouts) {
        Tensor<double> plain(shape);
        for (Index b = 0, n = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < S; ++i)
                    for (Index d = 0; d < D; ++d, ++n)
                        plain[n] = data[b * strides[0] + h * strides[1] + i * strides[2] + d * strides[3]];
        const auto x = Tensor<double>::from_strided(data, shape, strides);
        for (const AttentionKernel kernel : {AttentionKernel::reference, AttentionKernel::fused}) {
            const AttentionAttrs attrs{.causal = true, .kernel = kernel};
            EXPECT_TRUE(near(attention(x, x, x, attrs), attention(plain, plain, plain, attrs), 0)) << strides.str();
        }
    }
}
