// Sizes that are so many times others: 4 H - 2.
//
//   plus(*linear_in("4 * H"), *linear_in("H"), -1);       // 3 H
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gradproof::proof {

/// How often each name is in it; the number alone by "".
using Linear = std::map<std::string, double>;

/// a + times b
Linear plus(Linear a, const Linear& b, double times);
/// One that is written as 4 * H, H or 4.
std::optional<Linear> linear_in(std::string_view text);
/// As such a text; "" of a sum.
std::string written(const Linear& size);

}  // namespace gradproof::proof
