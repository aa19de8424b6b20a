// What threads.cpp asks of a library of threads: threads_tbb.cpp or threads_plain.cpp, whichever the build chose.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gradproof::detail {

/// The ranges of one parallel loop: `count` of them, each of `grain` indices.
struct Chunks {
    std::int64_t n, grain, count;
    void* body;
    void (*call)(void* body, std::int64_t begin, std::int64_t end);

    void run(std::int64_t chunk) const { call(body, chunk * grain, std::min(n, (chunk + 1) * grain)); }
};

/// Runs every chunk once on up to `workers` threads, the caller among them; rethrows what one of them throws.
void run_chunks(int workers, const Chunks& chunks);
/// How many threads the machine runs at once.
int processor_count();

}  // namespace gradproof::detail
