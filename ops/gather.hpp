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
/// Shapes  table [V, C...], ids any -> y [ids..., C...].
/// Errors  ValueError for missing ids or one outside [0, V); ShapeError for a scalar table or a rank above 8.
template <Operand X>
X gather(const X& table, const GatherAttrs& attrs);

}  // namespace gradproof
