// Counts by replacing operator new for every library of the process.
#include "tools/bench/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "gradproof/core/platform/memory.hpp"

namespace {
std::atomic<long long> heap_allocations = 0;
}

void* operator new(std::size_t bytes) {
    heap_allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* p = std::malloc(bytes == 0 ? 1 : bytes)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace gradproof::bench {

long long Allocations::now() { return pool::system_allocations() + heap_allocations.load(std::memory_order_relaxed); }

}  // namespace gradproof::bench
