// Guard words: what is written beside a buffer shows.
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

/// A buffer whose guard words were written over.
struct Breach {
    const void* data;
    std::size_t bytes;
    std::ptrdiff_t at;  ///< the byte nearest to the buffer that changed: below 0 before it, from `bytes` on behind it
};

/// While one lives, every tensor that its thread makes, or a thread that works for it, stands between guard words: kGuardBytes
/// that hold `word`. They are looked at when the tensor is freed and when they are asked for. Scopes nest; the inner one guards.
class GuardScope {
  public:
    /// Bytes of 0x3F are ordinary numbers as float (0.75) and as double (5e-4): whatever is added to them shows.
    explicit GuardScope(unsigned char word = 0x3F);
    ~GuardScope();
    GuardScope(const GuardScope&) = delete;
    GuardScope& operator=(const GuardScope&) = delete;

    /// All since the scope began, each buffer once, those that were freed first.
    std::vector<Breach> breaches();

  private:
    friend void guard(void*, std::size_t);
    friend int guard_word() noexcept;
    friend void note_breach(const Breach&);
    friend void unguard(const void*) noexcept;
    unsigned char word_;
    GuardScope* outer_;
    std::vector<Breach> found_;
};

// For what makes and frees tensors.
inline constexpr std::size_t kGuardBytes = 1024;  ///< on either side; a multiple of the alignment of data
inline std::atomic<int> guard_scopes{0};          ///< of all threads
/// Whether this thread is in a scope.
bool guarding() noexcept;
/// What the guard words of this thread hold, -1 where it is in no scope.
int guard_word() noexcept;
/// Adds what was seen in another process to the scope of this thread, if it is in one.
void note_breach(const Breach& seen);
/// Fills the guard words around `bytes` bytes at `data`, and watches them until unguard(data).
void guard(void* data, std::size_t bytes);
/// Nothing where `data` is not guarded.
void unguard(const void* data) noexcept;

}  // namespace gradproof::pool
