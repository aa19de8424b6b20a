// Kernels held to the pages of their ops, whoever attached them: what a kernel gives is what its page gives.
//
//   const std::vector<KernelReport> kernels = check_kernels(op, cases, added, options);
//   kernels[0].verdict();
#pragma once

#include "gradproof/core/check/contracts.hpp"

namespace gradproof::check {

/// A call that a kernel is compared on: a sample of the page, or one made from it.
struct KernelCall {
    std::string name;
    AnyAttrs attrs;
    Tensors x;
    Tensor<double> u;     ///< the cotangent
    double rounding = 0;  ///< what the gradients of the page may be off by themselves, as double
};

/// One kernel on its way through the contracts.
struct KernelCheck {
    const OpEntry* op = nullptr;
    const KernelEntry* kernel = nullptr;
    std::vector<Case> cases;        ///< of the page's samples those that the kernel takes; the claims are the kernel's
    std::vector<KernelCall> calls;  ///< these, and with n = 1 and n = 100 000 in the place of one of their sizes
    KernelReport report;
};

/// Whether a call with these inputs goes to the kernel, forward or backward.
template <class T>
bool takes(const OpEntry& op, const KernelEntry& kernel, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x);

/// Every kernel of the op on the page's cases: values, gradients and saved tensors as the page has them, NaN and infinities where
/// it has them, calls refused that it refuses; and contracts 5 to 8, 11 and 12. On `added` values and gradients only.
std::vector<KernelReport> check_kernels(const OpEntry& op, const std::vector<Case>& cases, const std::vector<Case>& added,
                                        const Options& options);

// What it is made of.
KernelReport describe(const KernelEntry& kernel);  ///< without findings
std::vector<KernelCall> made_calls(const OpEntry& op, const KernelEntry& kernel, const std::vector<Case>& cases);
std::vector<ContractResult> compare_with_page(const KernelCheck& check, const KernelCall& call);  ///< value, gradient and saved
ContractResult check_special_values(const KernelCheck& check, const KernelCall& call);
ContractResult check_in_bounds(const KernelCheck& check, const KernelCall& call);
ContractResult check_same_bits(const KernelCheck& check, const KernelCall& call);

}  // namespace gradproof::check
