// Constants of the element types that the checks share. Not for use outside core/check.
#pragma once

#include <limits>

namespace gradproof::check {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();
inline constexpr double kFloatEps = std::numeric_limits<float>::epsilon();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace gradproof::check
