// The number that digits stand for, and whether a double holds it.
//
//   const NumberText n = number_of("9007199254740993");      // n.why: "a double for 9007199254740993 is 9007199254740992"
#pragma once

#include <string>
#include <string_view>

namespace gradproof::proof {

struct NumberText {
    double value = 0;
    std::string why{};  ///< it cannot stand for the number; "" where it can
};

/// Of 2, 2., .5, 1e-3. `rounds`: whoever wrote it means the double next to a fraction, as programs do; whole numbers are exact
/// there, too.
NumberText number_of(std::string_view text, bool rounds = false);

}  // namespace gradproof::proof
