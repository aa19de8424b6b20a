// Which gradproof a library of ops was built against, as a symbol. Another gradproof lacks the symbol, so that the system does
// not even load the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gradproof/core/version.hpp"

namespace gradproof::detail {

/// A page refers to the token of the version and layout it was compiled with; the library defines its own and no other.
template <int Major, int Minor, int Patch, std::uint64_t Layout>
struct BuiltAgainst {
    static const char token;
};

/// A number that changes when one of the types changes its size or alignment (FNV-1a over both).
template <class... T>
constexpr std::uint64_t layout_of() {
    std::uint64_t hash = 14695981039346656037U;
    for (const std::size_t n : {sizeof(T)..., alignof(T)...}) hash = (hash ^ n) * 1099511628211U;
    return hash;
}

}  // namespace gradproof::detail
