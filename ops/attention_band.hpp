// The keys that the queries of an attention may attend to, as far as that goes by their places. Numbers only, no function:
// sources compiled for several instruction sets read it.
#pragma once

#include <cstdint>

namespace gradproof {

/// Query i sees key j iff i + first <= j <= i + last and j < limit.
struct AttentionBand {
    std::int64_t first, last, limit;
};

}  // namespace gradproof
