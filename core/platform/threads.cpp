// The number of threads, and the ranges of a parallel loop.
#include "gradproof/core/platform/threads.hpp"

#include <atomic>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/threads_backend.hpp"

namespace gradproof {
namespace {

std::atomic<int> thread_count{0};  // 0: not chosen yet

}  // namespace

void set_threads(int n) {
    if (n < 1) value_error("threads: at least 1 is needed: n is {}", n);
    thread_count = n;
}

int threads() {
    const int n = thread_count.load(std::memory_order_relaxed);
    return n > 0 ? n : detail::processor_count();
}

void detail::parallel_ranges(std::int64_t n, std::int64_t grain, void* body, void (*call)(void*, std::int64_t, std::int64_t)) {
    grain = std::max<std::int64_t>(grain, 1);
    const Chunks chunks{n, grain, (n + grain - 1) / grain, body, call};
    const int workers = threads();
    if (workers > 1 && chunks.count > 1) return run_chunks(workers, chunks);
    for (std::int64_t c = 0; c < chunks.count; ++c) chunks.run(c);
}

}  // namespace gradproof
