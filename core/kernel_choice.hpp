// Which kernels calls take, as long as a scope lives.
//
//   const KernelScope pages("page");        // calls run their pages
#pragma once

#include <string>
#include <string_view>

namespace gradproof {

/// While one lives, calls made in its thread, and in those that work for it, choose among kernels as it says; a backward follows
/// the choice of its forward.
class KernelScope {
  public:
    /// "auto": the first kernel that fits, which is how it is without a scope. "page": no kernel. "plain": no kernel, and within
    /// pages no fast product of matrices either. Any other word: the kernels of this name, each where it fits, and else pages.
    /// Errors: ValueError where no op has a kernel of this name.
    explicit KernelScope(std::string_view choice);
    ~KernelScope();
    KernelScope(const KernelScope&) = delete;
    KernelScope& operator=(const KernelScope&) = delete;

  private:
    int mode_;
    std::string_view name_;
    std::string own_name_;
};

/// The word of the KernelScope that this thread is in, "auto" in none.
std::string_view kernel_scope() noexcept;
/// Whether this thread is in a KernelScope("page") or ("plain"): calls run their pages.
bool in_page_scope() noexcept;
/// Whether this thread is in a KernelScope("plain").
bool in_plain_scope() noexcept;

}  // namespace gradproof
