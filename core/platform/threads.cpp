// The number of threads, and the ranges of a parallel loop.
#include "gradproof/core/platform/threads.hpp"

#include <atomic>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/platform/threads_backend.hpp"

namespace gradproof {
namespace {

std::atomic<int> thread_count{0};  // 0: not chosen yet

void expect_count(int n) {
    if (n < 1) value_error("threads: at least 1 is needed: n is {}", n);
}

/// A loop, and the call it is part of.
struct Loop {
    void* body;
    void (*call)(void* body, std::int64_t begin, std::int64_t end);
    detail::CallState state;
};

}  // namespace

void set_threads(int n) {
    expect_count(n);
    thread_count = n;
}

int threads() {
    if (const int n = detail::call_state.threads; n > 0) return n;
    const int n = thread_count.load(std::memory_order_relaxed);
    return n > 0 ? n : detail::processor_count();
}

ThreadScope::ThreadScope(int n) : before_(detail::call_state.threads) {
    expect_count(n);
    detail::call_state.threads = n;
}
ThreadScope::~ThreadScope() { detail::call_state.threads = before_; }

void detail::parallel_ranges(std::int64_t n, std::int64_t grain, void* body, void (*call)(void*, std::int64_t, std::int64_t)) {
    grain = std::max<std::int64_t>(grain, 1);
    Loop loop{body, call, call_state};
    const Chunks chunks{n, grain, (n + grain - 1) / grain, &loop, [](void* of, std::int64_t from, std::int64_t to) {
                            const Loop& whole = *static_cast<const Loop*>(of);
                            const WorksFor its_call(whole.state);
                            checkpoint();
                            whole.call(whole.body, from, to);
                        }};
    const int workers = threads();
    if (workers > 1 && chunks.count > 1) return run_chunks(workers, chunks);
    for (std::int64_t c = 0; c < chunks.count; ++c) chunks.run(c);
}

}  // namespace gradproof
