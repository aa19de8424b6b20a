// The allocator behind every tensor: 64-byte aligned blocks, kept by the thread that freed them.
//
//   void* p = pool::allocate(1000);  ...  pool::release(p, 1000);
//
// A training step that repeats its shapes allocates nothing from the system after the first one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gradproof::pool {

/// A block of at least `bytes` bytes, 64-byte aligned, contents unspecified. Errors: MemoryError.
void* allocate(std::size_t bytes);
/// Gives back a block; `bytes` is what was asked for.
void release(void* block, std::size_t bytes) noexcept;

/// How many blocks this process has taken from the system so far.
std::int64_t system_allocations() noexcept;
/// What the calling thread has allocated so far; live_bytes is what it has not given back. The checks measure work by these.
struct Use {
    std::int64_t allocations = 0;
    std::int64_t bytes = 0;
    std::int64_t live_bytes = 0;
};
Use use() noexcept;
/// Adds what another process allocated for the calling thread.
void add_use(const Use& more) noexcept;
/// The size of the block that a request for `bytes` gets.
std::size_t block_bytes(std::size_t bytes) noexcept;
/// Whether freed blocks are kept (not in sanitizer builds, where reuse would hide errors).
bool keeps_blocks() noexcept;

/// While one lives, every new tensor of a floating type made by its thread, or by a thread that works for it, is filled with NaN,
/// so that an entry that is never written shows.
class PoisonScope {
  public:
    PoisonScope() noexcept;
    ~PoisonScope();
    PoisonScope(const PoisonScope&) = delete;
    PoisonScope& operator=(const PoisonScope&) = delete;
};
namespace detail {
extern std::atomic<int> poison_scopes;  ///< of all threads
bool poisoning_here() noexcept;
}  // namespace detail
inline bool poisoning() noexcept { return detail::poison_scopes.load(std::memory_order_relaxed) > 0 && detail::poisoning_here(); }

}  // namespace gradproof::pool
