// The keys that the queries of an attention may attend to, as far as that depends on positions. It holds only numbers and no
// functions, because sources compiled for several instruction sets include it.
#pragma once

#include <cstdint>

namespace gradproof {

/// Query i sees key j iff i + first <= j <= i + last and j < limit.
struct AttentionBand {
    std::int64_t first, last, limit;
};

}  // namespace gradproof
