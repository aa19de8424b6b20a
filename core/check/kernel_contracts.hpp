// Kernels compared with the pages of their ops, and ops without a page (for double and float only) compared with a derivation, or
// with differences of their own forward.
//
//   const std::vector<KernelReport> kernels = check_kernels(op, cases, added, options);
//   kernels[0].verdict();
#pragma once

#include "gradproof/core/check/black_box.hpp"

namespace gradproof::check {

/// Checks every kernel of the op on the page's cases: the page's values, gradients and saved tensors; NaN and infinities in the
/// same places; refusal of the calls that the page refuses; and the contracts of kKernelContracts. On `added`, only values and
/// gradients.
std::vector<KernelReport> check_kernels(const OpEntry& op, const std::vector<Case>& cases, const std::vector<Case>& added,
                                        const Options& options);

/// Whether the op has a page: whether dual numbers can give its true derivatives.
inline bool has_page(const OpEntry& op) { return op.has_table<Dual<double>>(); }
/// The same for an op without a page: its values and gradients are compared with options.against, or with differences of its own
/// forward.
void check_without_page(const OpEntry& op, const Options& options, OpReport& report);

// Parts of check_kernels.
KernelCall call_of(const Case& c);
/// The calls with a size replaced by 1, 64, 67, 1 024, 1 030 and 100 000, and with all of them about 64.
std::vector<KernelCall> made_calls(const OpEntry& op, const BlackBox& box, const std::vector<Case>& cases);
ContractResult check_in_bounds(const OpEntry& op, const BlackBox& box, const KernelCall& call);

}  // namespace gradproof::check
