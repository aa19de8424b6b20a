// The fused kernel of attention: the walk over tiles and heads, and who may add to dq when.
#include "gradproof/ops/kernels/attention_fused.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include "gradproof/ops/kernels/attention_heads.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

/// Keys of the past, then those of the call, as the kernels take them.
template <class T>
struct KeySpans {
    AttentionKeys<T> span[2];
    Index count = 0;
};

template <class T>
struct Fused {
    const AttentionPlan& plan;
    const AttentionOperands<T>& x;
    const AttentionKernels<T>& kernel = kernels<T>().attention;
    const AttentionSizes<T> sizes{plan.D, plan.E, T(plan.scale), T(plan.softcap)};

    Index query_tiles() const { return (plan.L + kernel.queries - 1) / kernel.queries; }
    Tensor<T> scratch() const { return Tensor<T>({kernel.scratch(plan.D, plan.E)}); }

    AttentionQueries<T> queries(Index b, Index h) const {
        const auto rows = head_rows<const T>(x.q, plan.packed, plan.Hq, b, h, plan.D);
        AttentionQueries<T> q{rows.data, rows.stride, key_band(plan, x.mask.defined(), b), nullptr, 0, 0, nullptr, 0, 0};
        if (x.mask.defined())
            q.mask = x.mask.data() + plan.mask_layout.at(b, h, 0, 0), q.mask_query = plan.mask_layout.query,
            q.mask_key = plan.mask_layout.key;
        if (plan.bool_mask.defined())
            q.allowed = plan.bool_mask.data() + plan.bool_layout.at(b, h, 0, 0), q.allowed_query = plan.bool_layout.query,
            q.allowed_key = plan.bool_layout.key;
        return q;
    }
    KeySpans<T> key_spans(Index b, Index hk) const {
        KeySpans<T> out;
        const auto add = [&](const Tensor<T>& k, const Tensor<T>& v, bool packed, Index begin, Index count) {
            if (count == 0) return;
            const auto keys = head_rows<const T>(k, packed, plan.Hk, b, hk, plan.D);
            const auto values = head_rows<const T>(v, packed, plan.Hk, b, hk, plan.E);
            out.span[out.count++] = {keys.data, values.data, keys.stride, values.stride, begin, count};
        };
        add(x.past_key, x.past_value, false, 0, plan.P);
        add(x.k, x.v, plan.packed, plan.P, plan.S);
        return out;
    }
};

template <class T>
void forward(const AttentionPlan& plan, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& log_sum_exp) {
    const Fused<T> fused{plan, x};
    const Index tiles = fused.query_tiles(), tile_rows = fused.kernel.queries, heads = plan.B * plan.Hq;
    const auto some = [&](Index begin, Index end) {
        Tensor<T> scratch = fused.scratch();
        for (Index n = begin; n < end; ++n) {
            const Index head = n / tiles, b = head / plan.Hq, h = head % plan.Hq, i = n % tiles * tile_rows;
            const auto y_rows = head_rows<T>(y, plan.packed, plan.Hq, b, h, plan.E);
            const AttentionRows<T> out{y_rows.data, y_rows.stride, log_sum_exp.data() + head * plan.L,
                                       log_sum_exp.data() + (heads + head) * plan.L};
            const KeySpans<T> spans = fused.key_spans(b, h / plan.group());
            fused.kernel.forward(fused.sizes, fused.queries(b, h), spans.span, spans.count, i, std::min(tile_rows, plan.L - i),
                                 out, scratch.data());
        }
    };
    parallel_for(heads * tiles, attention_grain(plan, std::min(plan.L, tile_rows)), std::cref(some));
}

/// Lets the tiles of keys add to the rows of dq in their order, whatever the order they finish in: sums are then always the same.
class Turns {
  public:
    Turns(Index heads, Index query_tiles)
        : tiles_(query_tiles), next_(new std::atomic<Index>[static_cast<std::size_t>(heads * query_tiles)]) {}
    std::atomic<Index>& of(Index head, Index query_tile) { return next_[static_cast<std::size_t>(head * tiles_ + query_tile)]; }
    /// The one before is being worked on by another thread: tiles are begun in order.
    void wait(Index head, Index query_tile, Index key_tile) {
        const std::atomic<Index>& next = of(head, query_tile);
        while (next.load(std::memory_order_acquire) != key_tile) std::this_thread::yield();
    }
    void pass(Index head, Index query_tile, Index key_tile) {
        of(head, query_tile).store(key_tile + 1, std::memory_order_release);
    }

  private:
    Index tiles_;
    std::unique_ptr<std::atomic<Index>[]> next_;
};

template <class T>
struct Backward {
    Fused<T> fused;
    const Tensor<T>&y, &log_sum_exp, &dy;
    AttentionOperands<T>& dx;
    Tensor<T> inverse_sum, inner;
    std::unique_ptr<Turns> turns;  // null where one thread takes all key tiles of a head, in order

    const AttentionPlan& plan() const { return fused.plan; }
    Index tiles_of(Index keys) const { return (keys + fused.kernel.keys - 1) / fused.kernel.keys; }
    Index key_tiles() const { return tiles_of(plan().P) + tiles_of(plan().S); }

    /// The n-th tile of keys, those of the past first.
    AttentionKeys<T> tile_of(const KeySpans<T>& spans, Index n) const {
        const Index size = fused.kernel.keys;
        const AttentionKeys<T>& run = spans.span[n < tiles_of(spans.span[0].count) ? 0 : 1];
        const Index at = (&run == spans.span ? n : n - tiles_of(spans.span[0].count)) * size;
        return {run.k + at * run.k_stride,     run.v + at * run.v_stride, run.k_stride, run.v_stride, run.begin + at,
                std::min(size, run.count - at)};
    }
    /// The first tile of keys that a query which sees keys from `key` on has to do with.
    Index first_tile(Index key) const {
        key = std::max<Index>(key, 0);
        return key < plan().P ? key / fused.kernel.keys : tiles_of(plan().P) + (key - plan().P) / fused.kernel.keys;
    }

    AttentionCotangents<T> cotangents(Index b, Index h) const {
        const Index head = b * plan().Hq + h, L = plan().L, columns = plan().mask_layout.columns;
        const auto rows = head_rows<const T>(dy, plan().packed, plan().Hq, b, h, plan().E);
        return {rows.data,
                rows.stride,
                log_sum_exp.data() + head * L,
                inverse_sum.data() + head * L,
                inner.data() + head * L,
                dx.mask.defined() ? dx.mask.data() + head * L * columns : nullptr,
                columns};
    }

    /// inner = rowsum(dy * y) = rowsum(dw * w), and what the weights are divided by.
    void row_sums() {
        const Index heads = plan().B * plan().Hq, L = plan().L;
        inverse_sum = Tensor<T>({heads, L}), inner = Tensor<T>({heads, L});
        const T* sum = log_sum_exp.data() + heads * L;
        for (Index n = 0; n < heads * L; ++n) inverse_sum[n] = sum[n] == T(0) ? T(0) : T(1) / sum[n];
        parallel_for(heads, row_grain(L * plan().E), [&](Index begin, Index end) {
            for (Index head = begin; head < end; ++head) {
                const Index b = head / plan().Hq, h = head % plan().Hq;
                const auto a = head_rows<const T>(dy, plan().packed, plan().Hq, b, h, plan().E);
                const auto c = head_rows<const T>(y, plan().packed, plan().Hq, b, h, plan().E);
                fused.kernel.inner(a.data, a.stride, c.data, c.stride, L, plan().E, inner.data() + head * L);
            }
        });
    }

    /// One tile of keys against all queries that may see it.
    void keys(Index b, Index hk, Index n, T* scratch) {
        AttentionKeyTile<T> tile{tile_of(fused.key_spans(b, hk), n), scratch, dx.q.defined(), false, false, false, nullptr, 0};
        const bool of_past = tile.keys.begin < plan().P;
        Tensor<T>&dk = of_past ? dx.past_key : dx.k, &dv = of_past ? dx.past_value : dx.v;
        tile.needs_dk = dk.defined(), tile.needs_dv = dv.defined();
        fused.kernel.load_keys(fused.sizes, tile);
        for (Index h = hk * plan().group(); h < (hk + 1) * plan().group(); ++h) queries(b, h, n, tile);
        const bool packed = plan().packed && !of_past;
        const Index row = tile.keys.begin - (of_past ? 0 : plan().P);
        const auto dk_rows = head_rows<T>(dk, packed, plan().Hk, b, hk, plan().D);
        const auto dv_rows = head_rows<T>(dv, packed, plan().Hk, b, hk, plan().E);
        fused.kernel.store_keys(fused.sizes, tile, dk.defined() ? dk_rows[row] : nullptr, dk_rows.stride,
                                dv.defined() ? dv_rows[row] : nullptr, dv_rows.stride);
    }

    void queries(Index b, Index h, Index n, AttentionKeyTile<T>& tile) {
        const AttentionQueries<T> q = fused.queries(b, h);
        const AttentionCotangents<T> g = cotangents(b, h);
        const Index size = fused.kernel.queries, j = tile.keys.begin, head = b * plan().Hq + h;
        if (j >= q.band.limit) return;
        const Index begin = std::max<Index>(0, j - q.band.last), end = std::min(plan().L, j + tile.keys.count - q.band.first);
        const auto dq = head_rows<T>(dx.q, plan().packed, plan().Hq, b, h, plan().D);
        // Fewer queries at a time where the band forbids some of the keys: less is worked out in vain.
        const Index edge = fused.kernel.edge_queries, last_key = j + tile.keys.count - 1;
        for (Index i = begin, rows = 0; i < end; i += rows) {
            const Index tile_end = std::min(end, (i / size + 1) * size);
            const bool whole = j >= tile_end - 1 + q.band.first && last_key <= i + q.band.last;
            rows = std::min(tile_end - i, whole ? size : edge);
            const bool any = fused.kernel.backward(fused.sizes, q, g, tile, i, rows);
            if (!dx.q.defined()) continue;
            if (turns) turns->wait(head, i / size, n);
            if (any) fused.kernel.add_dq(fused.sizes, tile, rows, dq[i], dq.stride);
            if (turns && i + rows == tile_end) turns->pass(head, i / size, n);
        }
    }

    /// Whole heads are dealt out where there are enough of them, tiles of keys where there are not.
    void run() {
        row_sums();
        const Index heads = plan().B * plan().Hk, tiles = key_tiles();
        if (threads() == 1 || heads >= 8 * threads() || tiles < 2) {
            for_key_heads(plan(), [&](Index begin, Index end) {
                Tensor<T> scratch = fused.scratch();
                for (Index head = begin; head < end; ++head)
                    for (Index n = 0; n < tiles; ++n) keys(head / plan().Hk, head % plan().Hk, n, scratch.data());
            });
            return;
        }
        take_turns();
        std::atomic<Index> next{0};
        parallel_for(heads * tiles, 1, [&](Index, Index) {
            Tensor<T> scratch = fused.scratch();
            const Index task = next.fetch_add(1), head = task / tiles;
            keys(head / plan().Hk, head % plan().Hk, task % tiles, scratch.data());
        });
    }

    void take_turns() {
        const Index heads = plan().B * plan().Hq, tiles = fused.query_tiles();
        turns = std::make_unique<Turns>(heads, tiles);
        for (Index head = 0; head < heads; ++head) {
            const AttentionBand band = key_band(plan(), fused.x.mask.defined(), head / plan().Hq);
            for (Index t = 0; t < tiles; ++t) turns->of(head, t) = first_tile(t * fused.kernel.queries + band.first);
        }
    }
};

}  // namespace

template <class T>
void attention_fused_forward(const AttentionPlan& plan, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& log_sum_exp) {
    if (plan.E == 0)
        log_sum_exp.fill(T(0));  // nobody will read it
    else
        forward(plan, x, y, log_sum_exp);
}

template <class T>
void attention_fused_backward(const AttentionPlan& plan, const AttentionOperands<T>& x, const Tensor<T>& y,
                              const Tensor<T>& log_sum_exp, const Tensor<T>& dy, AttentionOperands<T>& dx) {
    // These gather, or are not written where keys are forbidden.
    for (Tensor<T>* g : {&dx.q, &dx.mask})
        if (g->defined()) g->fill(T(0));
    if (plan.E > 0) return Backward<T>{{plan, x}, y, log_sum_exp, dy, dx, {}, {}, {}}.run();
    for (Tensor<T>* g : {&dx.k, &dx.past_key})  // y has no entries that anything could change
        if (g->defined()) g->fill(T(0));
}

#define GRADPROOF_ATTENTION(T)                                                                                        \
    template void attention_fused_forward(const AttentionPlan&, const AttentionOperands<T>&, Tensor<T>&, Tensor<T>&); \
    template void attention_fused_backward(const AttentionPlan&, const AttentionOperands<T>&, const Tensor<T>&,       \
                                           const Tensor<T>&, const Tensor<T>&, AttentionOperands<T>&);
GRADPROOF_ATTENTION(float)
GRADPROOF_ATTENTION(double)
#undef GRADPROOF_ATTENTION

}  // namespace gradproof
