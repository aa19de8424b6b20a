// Thread-local free lists by size class over aligned system memory.
#include "gradproof/core/platform/memory.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/call_state.hpp"

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
    Use use{};
};
// Only a pointer and a flag live in the thread: they are reached without a call, also in a library that is loaded late.
#define GRADPROOF_NEAR_THREAD thread_local constinit __attribute__((tls_model("initial-exec")))
GRADPROOF_NEAR_THREAD Lists* own_lists = nullptr;
GRADPROOF_NEAR_THREAD bool ended = false;  // the thread is on its way out: blocks go straight back
#undef GRADPROOF_NEAR_THREAD

/// Returns a thread's blocks to the system when the thread ends.
struct Closer {
    ~Closer() {
        for (FreeBlock*& head : own_lists->heads)
            while (head != nullptr) {
                FreeBlock* next = head->next;
                std::free(head);
                head = next;
            }
        delete std::exchange(own_lists, nullptr);
        ended = true;
    }
    void touch() const noexcept {}
};
thread_local Closer closer;

/// The lists of this thread, nullptr once it has ended.
Lists* lists() {
    if (own_lists != nullptr || ended) [[likely]]
        return own_lists;
    own_lists = new Lists;
    closer.touch();  // from now on it is destroyed with the thread
    return own_lists;
}

void* from_system(std::size_t bytes) {
    void* block = std::aligned_alloc(kAlignment, bytes);
    if (block == nullptr) throw MemoryError(bytes);
    system_count.fetch_add(1, std::memory_order_relaxed);
    return block;
}

}  // namespace

namespace {

void* take(const SizeClass& c) {
    Lists* own = lists();
    if (own == nullptr) return from_system(c.bytes);
    ++own->use.allocations;
    own->use.bytes += static_cast<std::int64_t>(c.bytes);
    own->use.live_bytes += static_cast<std::int64_t>(c.bytes);
    if constexpr (!kKeep) return from_system(c.bytes);
    if (c.index < kClasses) {
        FreeBlock*& first = own->heads[static_cast<std::size_t>(c.index)];
        if (FreeBlock* head = first) {
            first = head->next;
            own->kept -= c.bytes;
            return head;
        }
    }
    return from_system(c.bytes);
}

}  // namespace

void* allocate(std::size_t bytes) {
    const SizeClass c = size_class(bytes);
    auto* const call = gradproof::detail::call_state.call;
    if (call == nullptr) [[likely]]
        return take(c);
    gradproof::detail::took(*call, c.bytes);
    try {
        return take(c);
    } catch (...) {
        gradproof::detail::gave_back(*call, c.bytes);
        throw;
    }
}

void release(void* block, std::size_t bytes) noexcept {
    const SizeClass c = size_class(bytes);
    if (auto* call = gradproof::detail::call_state.call) [[unlikely]]
        gradproof::detail::gave_back(*call, c.bytes);
    Lists* own = own_lists;  // a thread that only frees keeps nothing
    if (own != nullptr) own->use.live_bytes -= static_cast<std::int64_t>(c.bytes);
    if (!kKeep || own == nullptr || c.index >= kClasses || own->kept + c.bytes > kKeptPerThread) {
        std::free(block);
        return;
    }
    auto* freed = static_cast<FreeBlock*>(block);
    FreeBlock*& first = own->heads[static_cast<std::size_t>(c.index)];
    freed->next = first;
    first = freed;
    own->kept += c.bytes;
}

std::int64_t system_allocations() noexcept { return system_count.load(std::memory_order_relaxed); }
Use use() noexcept { return own_lists != nullptr ? own_lists->use : Use{}; }
void add_use(const Use& more) noexcept {
    Lists* own = lists();
    if (own == nullptr) return;
    own->use.allocations += more.allocations;
    own->use.bytes += more.bytes;
    own->use.live_bytes += more.live_bytes;
}
std::size_t block_bytes(std::size_t bytes) noexcept { return size_class(bytes).bytes; }
bool keeps_blocks() noexcept { return kKeep; }

std::atomic<int> detail::poison_scopes{0};
bool detail::poisoning_here() noexcept { return gradproof::detail::call_state.poison > 0; }
PoisonScope::PoisonScope() noexcept {
    detail::poison_scopes.fetch_add(1, std::memory_order_relaxed);
    ++gradproof::detail::call_state.poison;
}
PoisonScope::~PoisonScope() {
    --gradproof::detail::call_state.poison;
    detail::poison_scopes.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace gradproof::pool
