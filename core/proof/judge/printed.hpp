// Numbers as a text prints them: their last digit shows their precision.
//
//   parse_printed("0.25").half_unit;         // 0.005
#pragma once

#include <string>

namespace gradproof::proof {

/// The number, and half a unit of its last printed digit.
struct Printed {
    double value = 0;
    double half_unit = 0;
};
/// Errors: ValueError for text that is not a finite decimal number.
Printed parse_printed(const std::string& text);

}  // namespace gradproof::proof
