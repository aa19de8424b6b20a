// Rows of a table by their ids: the embedding lookup.
//
//   gather(table, {.ids = ids});     // table [V, C], ids [B, T] -> [B, T, C]
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct GatherAttrs {
    Tensor<Index> ids{};  ///< row numbers, any shape
    static void fields(auto& a, auto&& f) { f("ids", a.ids); }
};

/// Rows of a table.
///   y[i..., :] = table[ids[i...], :]
///   dtable[v, :] = the sum of dy[i..., :] over all i with ids[i...] = v, added in the order of i
/// Shapes  table [V, C...], ids any -> y [ids..., C...].   Saves  nothing: ids is an attribute.
/// Errors  ValueError for missing ids or one outside [0, V); ShapeError for a scalar table or a rank above 8.
/// Source  Bengio et al. 2003, section 2.
template <Operand X>
X gather(const X& table, const GatherAttrs& attrs);

}  // namespace gradproof
