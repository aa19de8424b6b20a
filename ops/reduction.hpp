// How a loss reduces its rows to one number.
#pragma once

#include <array>
#include <string_view>

namespace gradproof {

enum class Reduction { mean, sum, none };

/// The values' names, as attributes take and print them.
constexpr std::array<std::string_view, 3> names(Reduction) { return {"mean", "sum", "none"}; }

}  // namespace gradproof
