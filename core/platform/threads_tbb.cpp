// Parallel loops on oneTBB.
#include <map>
#include <memory>
#include <mutex>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "gradproof/core/platform/threads_backend.hpp"

namespace gradproof::detail {
namespace {

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

}  // namespace

void run_chunks(int workers, const Chunks& chunks) {
    arena(workers).execute([&] { tbb::parallel_for(std::int64_t{0}, chunks.count, [&](std::int64_t c) { chunks.run(c); }); });
}

int processor_count() { return tbb::info::default_concurrency(); }

}  // namespace gradproof::detail
