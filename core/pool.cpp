// Thread-local free lists by size class over aligned system memory.
#include "core/pool.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <new>

namespace gradproof::pool {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kKeptPerThread = std::size_t{1} << 30;  // bytes a thread may keep
constexpr int kClasses = 4 * 48;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeep = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kKeep = false;
#else
constexpr bool kKeep = true;
#endif
#else
constexpr bool kKeep = true;
#endif

std::atomic<std::int64_t> system_count{0};
std::atomic<int> poison_depth{0};

/// Size classes: four steps to a doubling, from 256 bytes; waste is at most a quarter.
struct SizeClass {
    int index;
    std::size_t bytes;
};
SizeClass size_class(std::size_t bytes) {
    if (bytes <= 256) return {0, 256};
    const int log = static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^log < bytes <= 2^(log+1)
    const std::size_t base = std::size_t{1} << log;
    const std::size_t step = base / 4;
    const std::size_t quarter = (bytes - base + step - 1) / step;  // 1..4
    return {4 * (log - 8) + static_cast<int>(quarter), base + quarter * step};
}

struct FreeBlock {
    FreeBlock* next;
};
struct Lists {
    std::array<FreeBlock*, kClasses> heads{};
    std::size_t kept = 0;
    bool closed = false;  // after thread exit: blocks go straight back
    Use use{};
};
thread_local constinit Lists lists{};

/// Returns a thread's blocks to the system when the thread ends.
struct Closer {
    ~Closer() {
        for (FreeBlock*& head : lists.heads)
            while (head != nullptr) {
                FreeBlock* next = head->next;
                std::free(head);
                head = next;
            }
        lists.closed = true;
    }
    void touch() const noexcept {}
};
thread_local Closer closer;

void* from_system(std::size_t bytes) {
    closer.touch();
    void* block = std::aligned_alloc(kAlignment, bytes);
    if (block == nullptr) throw std::bad_alloc();
    system_count.fetch_add(1, std::memory_order_relaxed);
    return block;
}

}  // namespace

void* allocate(std::size_t bytes) {
    const SizeClass c = size_class(bytes);
    ++lists.use.allocations;
    lists.use.live_bytes += static_cast<std::int64_t>(c.bytes);
    if constexpr (!kKeep) return from_system(c.bytes);
    if (c.index < kClasses) {
        if (FreeBlock* head = lists.heads[static_cast<std::size_t>(c.index)]) {
            lists.heads[static_cast<std::size_t>(c.index)] = head->next;
            lists.kept -= c.bytes;
            return head;
        }
    }
    return from_system(c.bytes);
}

void release(void* block, std::size_t bytes) noexcept {
    const SizeClass c = size_class(bytes);
    lists.use.live_bytes -= static_cast<std::int64_t>(c.bytes);
    if (!kKeep || lists.closed || c.index >= kClasses || lists.kept + c.bytes > kKeptPerThread) {
        std::free(block);
        return;
    }
    auto* freed = static_cast<FreeBlock*>(block);
    freed->next = lists.heads[static_cast<std::size_t>(c.index)];
    lists.heads[static_cast<std::size_t>(c.index)] = freed;
    lists.kept += c.bytes;
}

std::int64_t system_allocations() noexcept { return system_count.load(std::memory_order_relaxed); }
Use use() noexcept { return lists.use; }
std::size_t block_bytes(std::size_t bytes) noexcept { return size_class(bytes).bytes; }
bool keeps_blocks() noexcept { return kKeep; }

PoisonScope::PoisonScope() noexcept { poison_depth.fetch_add(1, std::memory_order_relaxed); }
PoisonScope::~PoisonScope() { poison_depth.fetch_sub(1, std::memory_order_relaxed); }
bool poisoning() noexcept { return poison_depth.load(std::memory_order_relaxed) > 0; }

}  // namespace gradproof::pool
