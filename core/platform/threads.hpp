// The one parallel loop. Each index is done by exactly one task in the same way, so results never depend on the thread count.
//
//   parallel_for(rows, 16, [&](Index begin, Index end) { for (Index r = begin; r < end; ++r) row(r); });
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace gradproof {

namespace detail {
void parallel_ranges(std::int64_t n, std::int64_t grain, void* body,
                     void (*call)(void* body, std::int64_t begin, std::int64_t end));
}

/// Calls body(begin, end) on disjoint ranges that cover [0, n), each of `grain` indices (the last may be shorter).
/// Ranges are the same for every thread count. If there is one range only, it runs in the caller at no extra cost. Nothing is
/// allocated here. An exception thrown by body is rethrown here. Scopes of the caller (KernelScope and the like, Control) apply
/// in every thread that runs body.
template <class F>
void parallel_for(std::int64_t n, std::int64_t grain, F&& body) {
    if (n <= 0) return;
    if (n <= grain) {
        body(std::int64_t{0}, n);
        return;
    }
    using Body = std::remove_reference_t<F>;
    detail::parallel_ranges(n, grain, const_cast<void*>(static_cast<const void*>(std::addressof(body))),
                            [](void* b, std::int64_t begin, std::int64_t end) { (*static_cast<Body*>(b))(begin, end); });
}

/// The grain for loops over rows of n elements each, so that every task has enough work.
constexpr std::int64_t row_grain(std::int64_t n) {
    constexpr std::int64_t kElements = 32768;
    return n >= kElements ? 1 : kElements / (n > 0 ? n : 1);
}

/// How many threads parallel_for may use; 1 runs everything in the caller. Errors: ValueError for n < 1.
void set_threads(int n);
int threads();

/// While one lives, the parallel loops of its thread, and loops inside them, use n threads. Errors: ValueError for n < 1.
class ThreadScope {
  public:
    explicit ThreadScope(int n);
    ~ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;

  private:
    int before_;
};

}  // namespace gradproof
