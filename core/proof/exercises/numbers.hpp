// Numbers as people type them for an exercise that asks for numbers.
//
//   typed_numbers("2.5, 0", 2, 2);        // "[2.50, 0.00]", as the notation has them
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gradproof::proof {

/// So many numbers with points, each with at least so many decimals: those that are not typed are zeros, and a fraction 1/3 is
/// written out. Between them stand commas, semicolons or blanks, around them may stand brackets.
/// Errors: ValueError, also for commas in the place of points.
std::string typed_numbers(std::string_view text, std::size_t count, std::size_t decimals);

/// Behind the point of a number; 0 without one.
std::size_t decimals_of(std::string_view number);

}  // namespace gradproof::proof
