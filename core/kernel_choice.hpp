// Which kernels calls take while a scope lives.
//
//   const KernelScope pages("page");        // calls take no kernel: they run their pages
#pragma once

#include <string>
#include <string_view>

namespace gradproof {

/// While one lives, it decides which kernels are taken by calls in its thread and in those that work for it. A backward follows
/// the choice made for its forward.
class KernelScope {
  public:
    /// "auto": the first kernel that fits, as without a scope. "page": no kernel. "plain": no kernel, and no fast matrix product
    /// within pages either. Any other word: kernels of this name where they fit, otherwise pages.
    /// Errors: ValueError if no op has a kernel of this name.
    explicit KernelScope(std::string_view choice);
    ~KernelScope();
    KernelScope(const KernelScope&) = delete;
    KernelScope& operator=(const KernelScope&) = delete;

  private:
    int mode_;
    std::string_view name_;
    std::string own_name_;
};

/// The choice of the KernelScope that this thread is in, "auto" outside any.
std::string_view kernel_scope() noexcept;
/// Whether this thread is in a KernelScope("page") or ("plain"): calls run their pages.
bool in_page_scope() noexcept;
/// Whether this thread is in a KernelScope("plain").
bool in_plain_scope() noexcept;

}  // namespace gradproof
