// The fast paths of this machine, chosen once at run time.
//
//   kernels<float>().exp(x.data(), y.data(), n);      // what kernels (core/kernel.hpp) are made of
//
// The environment variable GRADPROOF_ARCH=baseline|avx2|avx512 overrides the choice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/kernel_table.hpp"
#include "gradproof/ops/kernels/table.hpp"

namespace gradproof {

/// The fast paths in use. Errors: ValueError where GRADPROOF_ARCH names no instruction set of this machine.
template <class T>
const Kernels<T>& kernels();
extern template const Kernels<float>& kernels();
extern template const Kernels<double>& kernels();

/// The instruction set in use: "baseline", "avx2" or "avx512".
std::string_view arch_name();
/// What decides the bits of a result beside the call: the instruction set, "page on" or "plain on" it in a KernelScope of them,
/// and the processor that BLAS has chosen its code for. "avx2, Haswell"
std::string kernels_in_use();
/// Those that were built and that this machine runs, slowest first.
std::vector<std::string> archs();
/// Switches to another instruction set. Errors: ValueError.
void use_arch(std::string_view name);

/// While one lives the library runs on one instruction set; not for concurrent use.
class ArchScope {
  public:
    explicit ArchScope(std::string_view name) : before_(arch_name()) { use_arch(name); }
    ~ArchScope() { use_arch(before_); }
    ArchScope(const ArchScope&) = delete;
    ArchScope& operator=(const ArchScope&) = delete;

  private:
    std::string before_;
};

/// Whether fast paths within pages are taken now: never for duals, nor in a KernelScope("plain").
template <class T>
bool use_kernels() noexcept {
    if constexpr (takes_kernels<T>)
        return !in_plain_scope();
    else
        return false;
}

}  // namespace gradproof
