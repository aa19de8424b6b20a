// What the fast paths of attention are handed: pointers and numbers only, as ops/kernels/table.hpp asks.
//
// One tile of queries meets one tile of keys; ops/kernels/attention_fused.cpp walks over the tiles.
#pragma once

#include <cstdint>

#include "gradproof/ops/attention_band.hpp"

namespace gradproof {

/// What all heads of a call share.
template <class T>
struct AttentionSizes {
    std::int64_t D, E;
    T scale, softcap;  ///< softcap 0 is off
};

/// The queries of one head; rows are `stride` elements apart.
template <class T>
struct AttentionQueries {
    using Index = std::int64_t;
    const T* q;
    Index stride;
    AttentionBand band;
    const T* mask;  ///< null, or added to the scores; -inf forbids
    Index mask_query, mask_key;
    const bool* allowed;  ///< null, or false forbids
    Index allowed_query, allowed_key;
};

/// One run of keys and values with rows evenly apart: key begin + n is row n.
template <class T>
struct AttentionKeys {
    using Index = std::int64_t;
    const T *k, *v;
    Index k_stride, v_stride;
    Index begin, count;
};

/// What the forward leaves of the queries of one head; the backward reads it.
/// The log-sum-exp of the scores of a query is kept in two parts, so that large scores lose nothing.
template <class T>
struct AttentionRows {
    T* y;
    std::int64_t stride;
    /// The score, before `scale` where nothing but the scale is done to scores, of some key that few others exceed by much.
    T* shift;
    T* sum;  ///< of exp(score - shift); 0 without a key
};

/// What the backward reads and writes of the queries of one head.
template <class T>
struct AttentionCotangents {
    using Index = std::int64_t;
    const T* dy;
    Index dy_stride;
    const T* shift;        ///< as AttentionRows
    const T* inverse_sum;  ///< 1 / sum, 0 without a key
    const T* inner;        ///< rowsum(dy * y)
    T* dmask;              ///< null where nobody needs it; row i begins at dmask + i * dmask_stride
    Index dmask_stride;
};

/// A tile of keys in the backward, and the gradients that gather in its scratch.
template <class T>
struct AttentionKeyTile {
    AttentionKeys<T> keys;  ///< begin and count are those of the tile
    T* scratch;             ///< as many elements as `scratch` tells, 64-byte aligned
    bool needs_dq, needs_dk, needs_dv;
    bool finite;         ///< whether k is; this and what follows is set by load_keys
    const T* rows_of_k;  ///< in whole vectors
    std::int64_t rows_of_k_stride;
};

/// The functions. A tile is at most `queries` by `keys`; `edge_queries` are enough where the band crosses it.
template <class T>
struct AttentionKernels {
    using Index = std::int64_t;
    Index queries, keys, edge_queries;
    Index (*scratch)(Index D, Index E);
    /// y, shift and sum of queries [i, i + rows), over all runs of keys.
    void (*forward)(const AttentionSizes<T>& sizes, const AttentionQueries<T>& queries, const AttentionKeys<T>* runs,
                    Index run_count, Index i, Index rows, const AttentionRows<T>& out, T* scratch);
    /// out[r] = sum of a b over row r of n.
    void (*inner)(const T* a, Index a_stride, const T* b, Index b_stride, Index rows, Index n, T* out);
    /// Readies the scratch of a tile of keys.
    void (*load_keys)(const AttentionSizes<T>& sizes, AttentionKeyTile<T>& tile);
    /// What queries [i, i + rows) and the tile have to do with each other: dk and dv gather in the scratch, this tile's share of
    /// dq stays there for add_dq. Returns whether there is any.
    bool (*backward)(const AttentionSizes<T>& sizes, const AttentionQueries<T>& queries, const AttentionCotangents<T>& cotangents,
                     AttentionKeyTile<T>& tile, Index i, Index rows);
    /// dq += the share of the last `backward`.
    void (*add_dq)(const AttentionSizes<T>& sizes, const AttentionKeyTile<T>& tile, Index rows, T* dq, Index stride);
    /// The tile's rows of dk and dv; a null one is left out.
    void (*store_keys)(const AttentionSizes<T>& sizes, const AttentionKeyTile<T>& tile, T* dk, Index dk_stride, T* dv,
                       Index dv_stride);
};

}  // namespace gradproof
