// The calls on which a kernel is compared: those of the page of an op, draws of a derivation, arrays that were given.
#pragma once

#include <optional>

#include "gradproof/core/check/black_box.hpp"
#include "gradproof/core/proof/language/proof.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {

/// The samples of an op with these attributes: those that have them, and those of the default ones, changed to them.
std::vector<SampleCase> samples_with(const OpEntry& op, const nb::dict& values);
/// The samples as calls, and what the checker adds to those of at most `inputs` inputs: large values, zeros, ties. One that the
/// page refuses is left out.
std::vector<check::KernelCall> page_calls(const OpEntry& op, const std::vector<SampleCase>& samples, std::size_t inputs,
                                          std::uint64_t seed);
/// A sample with one of its sizes made each of `sizes`, as far as that is no large call; one that the page refuses is left out.
std::vector<check::KernelCall> resized_calls(const OpEntry& op, const SampleCase& sample, const std::vector<Index>& sizes,
                                             std::uint64_t seed);

/// The one derivation of a text with a forward. Errors: ValueError where there is not exactly one.
proof::Proof one_proof(const std::string& name, const std::string& text,
                       proof::Unreadable unreadable = proof::Unreadable::refuses_file);
/// What a derivation draws: the inputs of the kernel.
std::vector<std::string> inputs_of(const proof::Proof& p);
/// Draws of the derivation; with larger values; and with each of its sizes as 1.
std::vector<check::KernelCall> proof_calls(const proof::Proof& p, std::uint64_t seed);
/// With each of its sizes made each of `sizes`, as far as that is no large call.
std::vector<check::KernelCall> resized_proof_calls(const proof::Proof& p, const std::vector<Index>& sizes, std::uint64_t seed);

/// A call of these arrays; y says how large its values are.
check::KernelCall made_call(const std::string& name, const std::vector<std::optional<AnyArray>>& x, const AnyArray& y,
                            const AnyArray& u, bool added);

}  // namespace gradproof::python
