// Kernels held to the pages of their ops, whoever attached them: what a kernel gives is what its page gives. And ops that have no
// page, being for double and float alone: held to a derivation, or to differences of their own.
//
//   const std::vector<KernelReport> kernels = check_kernels(op, cases, added, options);
//   kernels[0].verdict();
#pragma once

#include "gradproof/core/check/black_box.hpp"

namespace gradproof::check {

/// Every kernel of the op on the page's cases: values, gradients and saved tensors as the page has them, NaN and infinities where
/// it has them, calls refused that it refuses; and contracts 5 to 8, 11, 12, 14 and 15. On `added` values and gradients only.
std::vector<KernelReport> check_kernels(const OpEntry& op, const std::vector<Case>& cases, const std::vector<Case>& added,
                                        const Options& options);

/// Whether dual numbers can be asked what is true of the op.
inline bool has_page(const OpEntry& op) { return op.has_table<Dual<double>>(); }
/// The same of an op without: values and gradients as options.against knows them, or as differences of its own forward do.
void check_without_page(const OpEntry& op, const Options& options, OpReport& report);

// What it is made of.
KernelCall call_of(const Case& c);
/// With n = 1 and n = 100 000 in the place of a size.
std::vector<KernelCall> made_calls(const OpEntry& op, const BlackBox& box, const std::vector<Case>& cases);
ContractResult check_in_bounds(const OpEntry& op, const BlackBox& box, const KernelCall& call);

}  // namespace gradproof::check
