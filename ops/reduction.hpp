// How a loss combines its rows: their mean, their sum, or not at all.
#pragma once

#include <array>
#include <string_view>

namespace gradproof {

enum class Reduction { mean, sum, none };

/// The values' names, as attributes take and print them.
constexpr std::array<std::string_view, 3> names(Reduction) { return {"mean", "sum", "none"}; }

}  // namespace gradproof
