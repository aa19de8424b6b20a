// Why a gradient of a kernel is wrong, found as for the backward of an op.
#pragma once

#include "gradproof/core/check/black_box.hpp"
#include "gradproof/core/registry.hpp"

namespace gradproof::python {

/// Adds to wrong gradients of the report, on samples that were not added, what explains them. `page` is the op that the kernel is
/// held to. Without one, the Jacobian is taken from differences of the kernel's forward, which is right where its gradient was
/// judged.
void explain(const check::BlackBox& box, const std::vector<check::KernelCall>& calls, const check::Against& against,
             const OpEntry* page, check::KernelReport& report);

}  // namespace gradproof::python
