// The contracts that every op has to keep (Contract in report.hpp lists them), checked for any registered op.
//
//   const Report report = check_all({.seed = 7});
//   const OpReport one = check_op(registry().find("softmax"), {});
//   one.verdict() == Verdict::right;
//
// Words of core/check:
//   Sample       a call that a page lists, by shapes and distributions, as the page writes it (core/op.hpp)
//   SampleCase   the same as the registry holds it, without the type of the op (core/registry.hpp)
//   Subject      a SampleCase with its inputs and a random cotangent drawn (subject.hpp)
//   Case         a Subject with what its backward claims, and the true gradients by two oracles
//   Truth        the true gradients by one oracle, with how exact they are (truth.hpp)
//   BlackBox     anything that computes on arrays, as a kernel does, without a look inside (black_box.hpp)
//   KernelCall   a call of a black box: drawn arrays, attributes, cotangent (black_box.hpp)
//   Evidence     what a diagnosis may use to explain a wrong gradient of one call (diagnosis.hpp)
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/check/truth.hpp"
#include "gradproof/core/platform/control.hpp"

namespace gradproof::check {

struct Against;  // black_box.hpp

struct Options {
    std::uint64_t seed = 20240613;
    std::shared_ptr<const Against>
        against{};  ///< a derivation that values and gradients are compared with, besides the contracts
};

/// Every registered op, in parallel over ops. Errors: Stopped, when `control` ends the call. Its progress counts contracts on
/// samples: "adjoint: rows", for a kernel "value: fused: rows".
Report check_all(const Options& options, const Control& control = {});
Report check_ops(const std::vector<const OpEntry*>& ops, const Options& options, const Control& control = {});
/// One op. It need not be registered.
OpReport check_op(const OpEntry& op, const Options& options, const Control& control = {});

/// A subject with the claimed and the true gradients, which several contracts share.
struct Case {
    Subject subject;
    Tensors claimed;  ///< what the op's backward says Jᵀ u is
    Truth dual, difference;
    struct Direction {
        Tensors v;
        Tensor<double> jv;  ///< by dual numbers
    };
    std::vector<Direction> directions;  ///< none if the sample is excused from differences, which would cross a kink
    Random random{0};
    const Excuse& excuse() const { return subject.sample->excuse; }
    const std::string& sample() const { return subject.sample->name; }
    bool empty() const { return subject.entries() == 0 || subject.y.size() == 0; }
};

/// Draws a call and runs it once, with guard bytes around its tensors. The case keeps the inputs as drawn, even if the op writes
/// to what it was given.
Case begin_case(const OpEntry& op, const SampleCase& sample, std::uint64_t seed);
/// Adds the true gradients. Only for an op that passed the contracts checked first: memory, numbers, state.
void complete(Case& c);
inline Case make_case(const OpEntry& op, const SampleCase& sample, std::uint64_t seed) {
    Case c = begin_case(op, sample, seed);
    complete(c);
    return c;
}

// Each contract on one case, or on whatever else it is about. A broken op may throw through them.
ContractResult check_adjoint(const Case& c);
ContractResult check_dual_value(const Case& c);
ContractResult check_difference(const Case& c);
ContractResult check_float_error(const Case& c);
ContractResult check_linear(const Case& c);
ContractResult check_needed(const Case& c);
ContractResult check_unchanged(const Case& c);
ContractResult check_written(const Case& c);  ///< the part of contract 6 about memory: every entry is written
ContractResult check_saved(const Case& c);
ContractResult check_second_order(const Case& c);
ContractResult check_errors(const OpEntry& op, const ErrorCase& error, std::uint64_t seed);
ContractResult check_layout(const Case& c);
ContractResult check_finite(const Case& c);  ///< the part of contract 2 about the forward alone: no NaN from finite inputs
/// With the sample's inputs drawn anew, and with another sample.
ContractResult check_independent(const Case& c, const Case& other);
ContractResult check_in_bounds(const Case& c);
/// The same of one call over T, float or double.
template <class T>
void expect_in_bounds(const OpEntry& op, const AnyAttrs& attrs, const Tensors& x, const Tensor<double>& u, ContractResult& f);
std::vector<ContractResult> check_deterministic(const std::vector<Case>& cases);  ///< one result for each case
/// Plants every bug that fits; `results` gets one entry for each bug planted.
ContractResult check_mutation(const Case& c, std::vector<MutantResult>& results);

/// Whether the checks would find a claimed gradient wrong: by dual numbers entry by entry, along directions, or by differences.
bool refused(const Case& c, const Tensors& claimed);

}  // namespace gradproof::check
