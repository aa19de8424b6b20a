// Decoding: what a layer gives for a few positions and a cache of those before, against the rows of its whole forward.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gradproof/core/platform/memory.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/nn/layers.hpp"
#include "tests/support.hpp"

using namespace gradproof;
using gradproof::testing::error_of;

namespace {

using Chunks = std::vector<Index>;

template <class T>
Tensor<T> sequence(const Shape& shape, std::uint64_t seed = 5) {
    return Random(seed).normal<T>(shape);
}

/// Positions [from, from + count) of x [B, S, C].
template <class T>
Tensor<T> positions_of(const Tensor<T>& x, Index from, Index count) {
    Tensor<T> out({x.dim(0), count, x.dim(2)});
    for (Index b = 0; b < x.dim(0); ++b)
        std::copy_n(x.data() + (b * x.dim(1) + from) * x.dim(2), count * x.dim(2), out.data() + b * count * x.dim(2));
    return out;
}

/// An error of a few roundings in sums of some hundred products of numbers of order 1.
template <class T>
constexpr double kNear = sizeof(T) == 8 ? 1e-12 : 1e-5;

template <class T>
::testing::AssertionResult same_rows(const Tensor<T>& rows, const Tensor<T>& whole, Index from) {
    const Tensor<T> expected = positions_of(whole, from, rows.dim(1));
    if (!(rows.shape() == expected.shape()))
        return ::testing::AssertionFailure() << "shapes " << rows.shape().str() << ", " << expected.shape().str();
    for (Index i = 0; i < rows.size(); ++i)
        if (!(std::abs(rows[i] - expected[i]) <= T(kNear<T>)))
            return ::testing::AssertionFailure()
                   << "from position " << from << ", element " << i << ": " << rows[i] << ", whole forward " << expected[i];
    return ::testing::AssertionSuccess();
}

/// A layer with values and a step that evaluates.
template <class T, class Layer>
struct Ready {
    template <class... A>
    explicit Ready(A&&... a) : layer(std::forward<A>(a)...) {
        step.begin_evaluation();
    }
    Layer layer;
    ParameterTree<T> tree{layer, 7};
    Step<T> step{tree};
};

AttentionAttrs& attrs_of(auto& layer) {
    if constexpr (requires { layer.attrs; })
        return layer.attrs;
    else
        return layer.attention.attrs;
}

/// Feeds x in chunks, the last one as often as it takes, and compares each with the whole forward of the readable kernel.
/// Rows of the cache that nothing was written to are NaN: they are not read.
template <class T, class Layer>
void expect_decodes(Ready<T, Layer>& ready, const Tensor<T>& x, const Chunks& chunks, Index spare = 3) {
    const AttentionKernel kernel = std::exchange(attrs_of(ready.layer).kernel, AttentionKernel::reference);
    const Tensor<T> whole = ready.layer.forward(ready.step, x).value();
    attrs_of(ready.layer).kernel = kernel;
    const pool::PoisonScope poison;
    KeyValueCache<T> cache = ready.layer.cache(x.dim(0), x.dim(1) + spare);
    std::size_t n = 0;
    for (Index at = 0; at < x.dim(1);) {
        const Index count = std::min(chunks[std::min(n++, chunks.size() - 1)], x.dim(1) - at);
        ASSERT_TRUE(same_rows(ready.layer.decode(ready.step, positions_of(x, at, count), cache), whole, at));
        at += count;
        ASSERT_EQ(cache.length(), at);
    }
}

const std::vector<Chunks> kChunks{{1}, {1, 7, 2, 30, 1, 3}, {1000}};

template <class T>
void multi_head(Index kv_heads, const AttentionAttrs& options, HeadPositions positions = HeadPositions::none) {
    Ready<T, MultiHeadAttention<T>> ready(
        MultiHeadOptions{.channels = 24, .heads = 4, .kv_heads = kv_heads, .positions = positions});
    AttentionAttrs& attrs = ready.layer.attrs;
    attrs.causal = options.causal, attrs.softcap = options.softcap;
    attrs.window_left = options.window_left, attrs.window_right = options.window_right;
    for (const AttentionKernel kernel : {AttentionKernel::fused, AttentionKernel::reference})
        for (const Chunks& chunks : kChunks) {
            attrs.kernel = kernel;
            // Longer than a tile of keys and than two tiles of queries.
            expect_decodes(ready, sequence<T>({2, 150, 24}), chunks);
        }
}

}  // namespace

TEST(Decode, TokenByTokenOrInChunksIsTheWholeCausalForward) {
    multi_head<double>(0, {.causal = true});
    multi_head<float>(0, {.causal = true});
}

TEST(Decode, GroupedHeadsShareTheirKeys) {
    multi_head<double>(2, {.causal = true});
    multi_head<double>(1, {.causal = true, .softcap = 2});
    multi_head<float>(2, {.causal = true});
}

TEST(Decode, AWindowReachesBackFromEachPosition) {
    multi_head<double>(0, {.causal = true, .window_left = 5});
    multi_head<double>(2, {.causal = true, .window_left = 0});
    multi_head<float>(0, {.causal = true, .window_left = 40});
    multi_head<double>(0, {.window_left = 9, .window_right = 0});  // sees no later position either
}

TEST(Decode, RotaryPositionsGoOnWhereTheCacheEnds) {
    multi_head<double>(0, {.causal = true}, HeadPositions::rotary);
    multi_head<double>(2, {.causal = true, .window_left = 5}, HeadPositions::rotary);
    multi_head<float>(1, {.causal = true}, HeadPositions::rotary);
}

TEST(Decode, LinearBiasesGrowWithTheCache) {
    multi_head<double>(0, {.causal = true}, HeadPositions::alibi);
    multi_head<double>(2, {.causal = true, .softcap = 2, .window_left = 9}, HeadPositions::alibi);
    multi_head<float>(1, {.causal = true}, HeadPositions::alibi);
}

TEST(Decode, OneHeadWithoutAProjection) {
    Ready<double, SingleHeadAttention<double>> ready(10, 7);
    ready.layer.attrs.causal = true;
    for (const Chunks& chunks : kChunks) expect_decodes(ready, sequence<double>({1, 40, 10}), chunks);
}

TEST(Decode, ABlockDecodesWithTheCacheOfItsAttention) {
    Ready<double, Block<double>> wide(BlockOptions{.channels = 24, .heads = 3, .hidden = 20});
    Ready<float, Block<float>> narrow(BlockOptions{.channels = 24, .heads = 3, .hidden = 20});
    wide.layer.attention.attrs.causal = narrow.layer.attention.attrs.causal = true;
    for (const Chunks& chunks : kChunks) {
        expect_decodes(wide, sequence<double>({3, 70, 24}), chunks);
        expect_decodes(narrow, sequence<float>({3, 70, 24}), chunks);
    }
}

TEST(Decode, AStackOfBlocksAndPositionsWithAnOffset) {
    const Index S = 20, C = 12;
    Block<double> first({.channels = C, .heads = 2, .hidden = 9}), second({.channels = C, .heads = 2, .hidden = 9});
    first.attention.attrs.causal = second.attention.attrs.causal = true;
    SinusoidalPositions<double> positions(32, C);
    ParameterTree<double> tree_a(first, 1), tree_b(second, 2);
    Step<double> a(tree_a), b(tree_b);
    a.begin_evaluation(), b.begin_evaluation();
    const Tensor<double> x = sequence<double>({1, S, C});
    const Tensor<double> whole = second.forward(b, first.forward(a, positions.forward(a, x))).value();
    KeyValueCache<double> cache_a = first.cache(1, S), cache_b = second.cache(1, S);
    for (Index at = 0; at < S; ++at) {
        const Tensor<double> placed = positions.forward(a, positions_of(x, at, 1), at).value();
        ASSERT_TRUE(same_rows(second.decode(b, first.decode(a, placed, cache_a), cache_b), whole, at));
    }
}

TEST(Decode, ResetAndTruncateReuseTheMemory) {
    Ready<double, Block<double>> ready(BlockOptions{.channels = 8, .heads = 2, .hidden = 6});
    ready.layer.attention.attrs.causal = true;
    const Tensor<double> x = sequence<double>({1, 9, 8}), other = sequence<double>({1, 9, 8}, 6);
    const Tensor<double> whole = ready.layer.forward(ready.step, x).value();
    KeyValueCache<double> cache = ready.layer.cache(1, 9);
    const double* const memory = cache.keys().data();
    ready.layer.decode(ready.step, other, cache);
    cache.reset();
    EXPECT_EQ(cache.length(), 0);
    EXPECT_TRUE(same_rows(ready.layer.decode(ready.step, positions_of(x, 0, 4), cache), whole, 0));
    ready.layer.decode(ready.step, positions_of(other, 0, 5), cache);  // a guess that is taken back
    cache.truncate(4);
    EXPECT_TRUE(same_rows(ready.layer.decode(ready.step, positions_of(x, 4, 5), cache), whole, 4));
    EXPECT_EQ(cache.keys().data(), memory);
    EXPECT_EQ(error_of([&] { cache.truncate(10); }), "key-value cache: truncate: length is 10, expected 0 to 9");
    EXPECT_EQ(error_of([&] { cache.truncate(-1); }), "key-value cache: truncate: length is -1, expected 0 to 9");
}

TEST(Decode, WritesTheNewRowsAndNothingElse) {
    Ready<double, MultiHeadAttention<double>> ready(MultiHeadOptions{.channels = 8, .heads = 2});
    ready.layer.attrs.causal = true;
    KeyValueCache<double> cache = ready.layer.cache(2, 6);
    const Tensor<double> x = sequence<double>({2, 6, 8});
    ready.layer.decode(ready.step, positions_of(x, 0, 3), cache);
    const Tensor<double> keys = cache.keys().clone(), values = cache.values().clone();
    ready.layer.decode(ready.step, positions_of(x, 3, 1), cache);
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };  // rows not written yet may hold NaN
    for (Index n = 0; n < keys.size(); ++n) {
        if (n / 4 % 6 == 3) continue;  // [2, 2, 6, 4]
        EXPECT_EQ(bits(cache.keys()[n]), bits(keys[n]));
        EXPECT_EQ(bits(cache.values()[n]), bits(values[n]));
    }
}

TEST(Decode, TakesNothingFromTheSystemAfterTheFirstTokens) {
    if (!pool::keeps_blocks()) GTEST_SKIP() << "blocks are not kept in this build";
    const int before_threads = threads();
    set_threads(1);
    for (const AttentionKernel kernel : {AttentionKernel::fused, AttentionKernel::reference}) {
        Ready<float, Block<float>> ready(BlockOptions{.channels = 32, .heads = 4, .hidden = 64});
        ready.layer.attention.attrs.causal = true;
        ready.layer.attention.attrs.kernel = kernel;
        KeyValueCache<float> cache = ready.layer.cache(1, 600);
        const Tensor<float> token = sequence<float>({1, 1, 32});
        for (int i = 0; i < 3; ++i) ready.layer.decode(ready.step, token, cache);
        const auto before = pool::system_allocations(), live = pool::use().live_bytes;
        for (int i = 0; i < 500; ++i) ready.layer.decode(ready.step, token, cache);
        EXPECT_EQ(pool::system_allocations(), before);
        EXPECT_EQ(pool::use().live_bytes, live);
    }
    set_threads(before_threads);
}

TEST(Decode, ErrorsSayWhatIsWrongAndLeaveTheCacheAsItWas) {
    using Layer = MultiHeadAttention<double>;
    Ready<double, Layer> ready(MultiHeadOptions{.channels = 8, .heads = 4, .kv_heads = 2});
    AttentionAttrs& attrs = ready.layer.attrs;
    attrs.causal = true;
    const Tensor<double> x = sequence<double>({2, 6, 8});
    const Tensor<double> whole = ready.layer.forward(ready.step, x).value();
    KeyValueCache<double> cache = ready.layer.cache(2, 6);
    ready.layer.decode(ready.step, positions_of(x, 0, 4), cache);
    const auto refused = [&](const Tensor<double>& with) {
        const std::string text = error_of([&] { ready.layer.decode(ready.step, with, cache); });
        EXPECT_EQ(cache.length(), 4) << text;
        return text;
    };
    const auto shaped = [](const Shape& shape) { return Tensor<double>(shape, 1.0); };
    EXPECT_EQ(refused(shaped({2, 3, 8})),
              "key-value cache: no room: length is 4, new positions are 3, capacity is 6; reset it or make a larger one");
    EXPECT_EQ(refused(shaped({1, 1, 8})), "key-value cache: new positions must be [2, L, ...] with L at least 1: got [1, 1, 8]");
    EXPECT_EQ(refused(shaped({2, 0, 8})), "key-value cache: new positions must be [2, L, ...] with L at least 1: got [2, 0, 8]");
    EXPECT_EQ(refused(shaped({2, 1, 9})), "decode: x must be [B, L, 8]: x is [2, 1, 9]");
    EXPECT_EQ(refused(shaped({2, 8})), "decode: x must be [B, L, 8]: x is [2, 8]");
    EXPECT_EQ(refused({}), "decode: x must be [B, L, 8]: x is undefined");
    const AttentionAttrs kept = attrs;
    attrs = {.causal = true};
    EXPECT_EQ(refused(shaped({2, 1, 8})),
              "decode: q_heads and kv_heads must divide the widths 8 and 4: q_heads is 0, kv_heads is 0");
    EXPECT_EQ(error_of([&] { ready.layer.cache(2, 6); }),
              "decode: q_heads and kv_heads must divide the widths 8 and 4: q_heads is 0, kv_heads is 0");
    attrs = kept;
    const Tensor<double> one = shaped({2, 1, 8});
    attrs.causal = false;
    EXPECT_EQ(refused(one),
              "decode: a query may not see positions that are still to come: causal is false, window_right is -1; set causal");
    attrs.causal = true;
    attrs.bool_mask = Tensor<bool>({6}, true);
    EXPECT_EQ(refused(one), "decode: the layer has a bool_mask, which is laid over a whole sequence; drop it");
    attrs.bool_mask = {};
    attrs.kv_len = Tensor<Index>({2}, Index{3});
    EXPECT_EQ(refused(one), "decode: the layer has a kv_len, which is laid over a whole sequence; drop it");
    attrs.kv_len = {};
    attrs.softcap = -1;  // an error of the op itself, when the rows are already in the cache
    EXPECT_EQ(refused(one), "attention: softcap must be finite and not negative: softcap is -1; 0 is off");
    attrs.softcap = 0;
    ready.step.begin();
    EXPECT_EQ(refused(one), "decode: gives values only, and the step records: start it with begin_evaluation");
    ready.step.begin_evaluation();
    // As wide in all, but other heads.
    KeyValueCache<double> other({.batch = 2, .capacity = 6, .kv_heads = 4, .head_size = 1});
    EXPECT_EQ(error_of([&] { ready.layer.decode(ready.step, one, other); }),
              "decode: the cache is of another layer: its heads are 4 of size 1, those of the layer 2 of size 2");
    EXPECT_EQ(other.length(), 0);
    EXPECT_TRUE(same_rows(ready.layer.decode(ready.step, positions_of(x, 4, 2), cache), whole, 4));
}

TEST(Decode, AnErrorBehindTheAttentionOfABlockTakesTheRowsBack) {
    Ready<double, Block<double>> ready(BlockOptions{.channels = 8, .heads = 2, .hidden = 6});
    ready.layer.attention.attrs.causal = true;
    KeyValueCache<double> cache = ready.layer.cache(1, 4);
    ready.layer.feed_forward.up.weight.value = Tensor<double>({7, 6}, 1.0);
    ready.step.begin_evaluation();
    EXPECT_NE(error_of([&] { ready.layer.decode(ready.step, sequence<double>({1, 1, 8}), cache); }), "no error");
    EXPECT_EQ(cache.length(), 0);
}

TEST(KeyValueCache, RefusesSizesAndRowsThatDoNotFit) {
    EXPECT_EQ(error_of([] { KeyValueCache<float>({.batch = 1, .capacity = 0, .kv_heads = 1, .head_size = 4}); }),
              "key-value cache: sizes must be at least 1: batch is 1, capacity is 0, kv_heads is 1, head_size is 4");
    EXPECT_THROW(KeyValueCache<float>({.batch = 1, .capacity = 1, .kv_heads = -1, .head_size = 4}), ValueError);
    const Index huge = Index{1} << 40;
    EXPECT_THROW(KeyValueCache<float>({.batch = huge, .capacity = huge, .kv_heads = 1, .head_size = 4}), ShapeError);
    EXPECT_THROW(KeyValueCache<float>({.batch = 1, .capacity = 1, .kv_heads = huge, .head_size = huge}), ShapeError);
    KeyValueCache<float> cache({.batch = 1, .capacity = 3, .kv_heads = 2, .head_size = 2});
    const Tensor<float> good({1, 2, 4}, 1.0F), narrow({1, 2, 3}, 1.0F), longer({1, 3, 4}, 1.0F);
    EXPECT_EQ(error_of([&] { cache.append(good, narrow); }),
              "key-value cache: rows do not fit: k is [1, 2, 4], v is [1, 2, 3], expected [1, L, 4]");
    EXPECT_EQ(error_of([&] { cache.append(good, longer); }),
              "key-value cache: rows do not fit: k is [1, 2, 4], v is [1, 3, 4], expected [1, L, 4]");
    EXPECT_EQ(error_of([&] { cache.append(narrow, narrow); }),
              "key-value cache: rows do not fit: k is [1, 2, 3], v is [1, 2, 3], expected [1, L, 4]");
    EXPECT_EQ(error_of([&] { cache.append(good, {}); }), "key-value cache: keys and values are both needed: v is undefined");
    EXPECT_EQ(cache.length(), 0);
    cache.append(good, good);
    EXPECT_EQ(cache.lengths().shape(), (Shape{1}));
    EXPECT_EQ(cache.lengths()[0], 2);
}

TEST(Positions, AnOffsetTakesTheRowsFromThereOn) {
    Ready<double, LearnedPositions<double>> learned(5, 3);
    const SinusoidalPositions<double> fixed(5, 3);
    const Tensor<double> x = sequence<double>({2, 5, 3});
    const Tensor<double> a = learned.layer.forward(learned.step, x).value(), b = fixed.forward(learned.step, x).value();
    for (Index at = 0; at < 5; ++at)
        for (Index count = 1; at + count <= 5; ++count) {
            const Tensor<double> part = positions_of(x, at, count);
            EXPECT_TRUE(same_rows(learned.layer.forward(learned.step, part, at).value(), a, at));
            EXPECT_TRUE(same_rows(fixed.forward(learned.step, part, at).value(), b, at));
        }
    const std::string leaves = "positions: the sequence leaves the table: x is [2, 2, 3], offset is ";
    for (const Index at : {Index{-1}, Index{4}, std::numeric_limits<Index>::max()}) {
        const auto text = leaves + std::to_string(at) + ", positions are 5";
        EXPECT_EQ(error_of([&] { learned.layer.forward(learned.step, positions_of(x, 0, 2), at); }), text);
        EXPECT_EQ(error_of([&] { fixed.forward(learned.step, positions_of(x, 0, 2), at); }), text);
    }
    EXPECT_THROW(learned.layer.forward(learned.step, Tensor<double>({1, 6, 3}, 0.0), 0), ShapeError);
    EXPECT_THROW(learned.layer.forward(learned.step, Tensor<double>({1, 2, 4}, 0.0), 0), ShapeError);
}

TEST(Positions, LearnedOnesWithAnOffsetTakeTheirGradientThere) {
    Ready<double, LearnedPositions<double>> learned(4, 2);
    learned.step.begin();
    const Var<double> y = learned.layer.forward(learned.step, Tensor<double>({3, 2, 2}, 1.0), 1);
    learned.step.tape().backward(y, Tensor<double>({3, 2, 2}, 1.0));
    const Tensor<double> g = learned.step.grad(0);
    for (Index i = 0; i < 8; ++i) EXPECT_EQ(g[i], i / 2 == 1 || i / 2 == 2 ? 3 : 0);
}
