// Parallel loops on oneTBB.
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "gradproof/core/platform/threads_backend.hpp"

namespace gradproof::detail {
namespace {

/// Whether so many threads may be started beside this one: where they may not, oneTBB ends the process.
bool may_start(int n) {
    std::latch tried(1);
    std::vector<std::thread> threads;
    bool all = true;
    try {
        while (static_cast<int>(threads.size()) < n) threads.emplace_back([&] { tried.wait(); });
    } catch (const std::system_error&) {
        all = false;
    }
    tried.count_down();
    for (std::thread& t : threads) t.join();
    return all;
}

/// Null where the threads it needs are not to be had.
tbb::task_arena* arena(int n) {
    static std::mutex mutex;
    static std::map<int, tbb::task_arena> arenas;         // kept: another thread may still be inside one
    static std::unique_ptr<tbb::global_control> allowed;  // more threads than cores must be allowed, or oneTBB warns on stderr
    static int most = tbb::info::default_concurrency();
    static std::optional<bool> has_threads;
    const std::lock_guard lock(mutex);
    if (n > most || !has_threads) has_threads = may_start(std::max(n, most) - 1);
    if (!*has_threads) return nullptr;
    if (n > most) {
        most = n;
        allowed =
            std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n));
    }
    return &arenas.try_emplace(n, n).first->second;
}

}  // namespace

void run_chunks(int workers, const Chunks& chunks) {
    if (tbb::task_arena* const threads = arena(workers))
        threads->execute([&] { tbb::parallel_for(std::int64_t{0}, chunks.count, [&](std::int64_t c) { chunks.run(c); }); });
    else
        for (std::int64_t c = 0; c < chunks.count; ++c) chunks.run(c);
}

int processor_count() { return tbb::info::default_concurrency(); }

}  // namespace gradproof::detail
