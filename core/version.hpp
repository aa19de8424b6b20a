// The version of gradproof: written here only, the build reads it from here.
#pragma once

namespace gradproof {

inline constexpr int kVersionMajor = 0;
inline constexpr int kVersionMinor = 1;
inline constexpr int kVersionPatch = 0;

}  // namespace gradproof
