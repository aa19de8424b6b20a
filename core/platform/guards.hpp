// Guard bytes around tensors, which show if something was written beside a buffer.
//
//   pool::GuardScope guards;
//   Tensor<double> x({3});
//   x.data()[3] = 1;
//   guards.breaches();     // one, of x.data(), at byte 24
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace gradproof::pool {

/// A buffer whose guard bytes were overwritten.
struct Breach {
    const void* data;
    std::size_t bytes;
    std::ptrdiff_t at;  ///< the changed byte nearest to the buffer: below 0 before it, `bytes` or more after it
};

/// While one lives, every tensor made by its thread, or by a thread that works for it, has kGuardBytes guard bytes before and
/// after it, each equal to `value`. They are examined when the tensor is freed and by breaches(). Scopes nest; the inner one
/// guards.
class GuardScope {
  public:
    /// Bytes of 0x3F read as an ordinary float (0.75) or double (5e-4), so that adding to them changes them.
    explicit GuardScope(unsigned char value = 0x3F);
    ~GuardScope();
    GuardScope(const GuardScope&) = delete;
    GuardScope& operator=(const GuardScope&) = delete;

    /// All breaches since the scope began, one for each buffer; freed buffers come first.
    std::vector<Breach> breaches();

  private:
    friend void guard(void*, std::size_t);
    friend int guard_value() noexcept;
    friend void note_breach(const Breach&);
    friend void unguard(const void*) noexcept;
    unsigned char value_;
    GuardScope* outer_;
    std::vector<Breach> found_;
};

// For the code that makes and frees tensors.
inline constexpr std::size_t kGuardBytes = 16384;  ///< on either side; a multiple of the alignment of data
inline std::atomic<int> guard_scopes{0};           ///< of all threads
/// Whether this thread is in a scope.
bool guarding() noexcept;
/// The value of this thread's guard bytes, -1 outside any scope.
int guard_value() noexcept;
/// Adds a breach seen in another process to the scope of this thread, if it is in one.
void note_breach(const Breach& seen);
/// Fills the guard bytes around `bytes` bytes at `data`, and watches them until unguard(data).
void guard(void* data, std::size_t bytes);
/// Does nothing if `data` is not guarded.
void unguard(const void* data) noexcept;

}  // namespace gradproof::pool
