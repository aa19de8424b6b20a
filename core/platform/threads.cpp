// parallel_for over oneTBB.
#include "gradproof/core/platform/threads.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#if defined(__SANITIZE_THREAD__)
#include <exception>
#include <thread>
#include <vector>
#endif

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace gradproof {
namespace {

std::atomic<int> thread_count{0};  // 0: not chosen yet

#if defined(__SANITIZE_THREAD__)
/// oneTBB comes without instrumentation, and every hand-over of its work would look like a race: here plain threads do it.
template <class Run>
void run_in_threads(Index workers, Index chunks, Run run) {
    std::atomic<Index> next{0};
    std::exception_ptr error;
    std::mutex mutex;
    const auto work = [&] {
        try {
            for (Index c; (c = next.fetch_add(1)) < chunks;) run(c);
        } catch (...) {
            const std::lock_guard lock(mutex);
            error = std::current_exception();
            next = chunks;
        }
    };
    std::vector<std::thread> threads;
    for (Index i = 1; i < workers; ++i) threads.emplace_back(work);
    work();
    for (std::thread& t : threads) t.join();
    if (error) std::rethrow_exception(error);
}
#else
tbb::task_arena& arena(int n) {
    static std::mutex mutex;
    static std::map<int, tbb::task_arena> arenas;         // kept: another thread may still be inside one
    static std::unique_ptr<tbb::global_control> allowed;  // more threads than cores must be allowed, or oneTBB warns on stderr
    static int most = tbb::info::default_concurrency();
    const std::lock_guard lock(mutex);
    if (n > most) {
        most = n;
        allowed =
            std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n));
    }
    return arenas.try_emplace(n, n).first->second;
}
#endif

}  // namespace

void set_threads(int n) {
    if (n < 1) value_error("threads: at least 1 is needed: n is {}", n);
    thread_count = n;
}

int threads() {
    const int n = thread_count.load(std::memory_order_relaxed);
    return n > 0 ? n : tbb::info::default_concurrency();
}

void detail::parallel_ranges(Index n, Index grain, void* body, void (*call)(void*, Index, Index)) {
    grain = std::max<Index>(grain, 1);
    const Index chunks = (n + grain - 1) / grain;
    const auto run = [=](Index c) { call(body, c * grain, std::min(n, (c + 1) * grain)); };
    const int use = threads();
    if (use == 1 || chunks == 1) {
        for (Index c = 0; c < chunks; ++c) run(c);
        return;
    }
#if defined(__SANITIZE_THREAD__)
    run_in_threads(std::min<Index>(use, chunks), chunks, run);
#else
    arena(use).execute([&] { tbb::parallel_for(Index{0}, chunks, run); });
#endif
}

}  // namespace gradproof
