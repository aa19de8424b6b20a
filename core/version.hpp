// The version of gradproof: written here only, the build reads it from here.
#pragma once

#include <string>

namespace gradproof {

inline constexpr int kVersionMajor = 0;
inline constexpr int kVersionMinor = 1;
inline constexpr int kVersionPatch = 0;

/// "major.minor.patch"
inline std::string version() {
    return std::to_string(kVersionMajor) + "." + std::to_string(kVersionMinor) + "." + std::to_string(kVersionPatch);
}

}  // namespace gradproof
