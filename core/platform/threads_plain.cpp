// Parallel loops on plain threads, started for each loop: for builds without oneTBB, and for ThreadSanitizer, which reports
// races in every hand-over of work by a oneTBB that was built without it.
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "gradproof/core/platform/threads_backend.hpp"

namespace gradproof::detail {

void run_chunks(int workers, const Chunks& chunks) {
    std::atomic<std::int64_t> next{0};
    std::exception_ptr error;
    std::mutex mutex;
    const auto work = [&] {
        try {
            for (std::int64_t c; (c = next.fetch_add(1)) < chunks.count;) chunks.run(c);
        } catch (...) {
            const std::lock_guard lock(mutex);
            error = std::current_exception();
            next = chunks.count;
        }
    };
    const auto most = static_cast<std::size_t>(std::min<std::int64_t>(workers, chunks.count));
    std::vector<std::thread> helpers;
    helpers.reserve(most);
    try {
        while (helpers.size() + 1 < most) helpers.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads are to be had: the caller and those that were started do the work
    }
    work();
    for (std::thread& t : helpers) t.join();
    if (error) std::rethrow_exception(error);
}

int processor_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace gradproof::detail
