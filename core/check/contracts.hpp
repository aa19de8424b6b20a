// The fifteen contracts every op is held to, driven by the registry: nothing about an op is written here.
//
//   const Report report = check_all({.seed = 7});
//   const OpReport one = check_op(registry().find("softmax"), {});
//   one.verdict() == Verdict::right;
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
    std::shared_ptr<const Against> against{};  ///< what values and gradients are held to beside the contracts: a derivation
};

/// Every registered op, in parallel over ops. Errors: Stopped, by the control; a part is a contract on a
/// sample, "adjoint: rows", for a kernel "value: fused: rows".
Report check_all(const Options& options, const Control& control = {});
Report check_ops(const std::vector<const OpEntry*>& ops, const Options& options, const Control& control = {});
/// One op. It need not be registered.
OpReport check_op(const OpEntry& op, const Options& options, const Control& control = {});

/// A subject with what the contracts about gradients share.
struct Case {
    Subject subject;
    Tensors claimed;  ///< what the op's backward says Jᵀ u is
    Truth dual, difference;
    struct Direction {
        Tensors v;
        Tensor<double> jv;  ///< by dual numbers
    };
    std::vector<Direction> directions;  ///< none where a sample is excused from differences: they would cross the kink
    Random random{0};
    const Excuse& excuse() const { return subject.sample->excuse; }
    const std::string& sample() const { return subject.sample->name; }
    bool empty() const { return subject.entries() == 0 || subject.y.size() == 0; }
};

/// A call that was drawn and ran once, among guard words; what it was given is untouched, whatever it writes to.
Case begin_case(const OpEntry& op, const SampleCase& sample, std::uint64_t seed);
/// Adds what is true: for an op that is sound.
void complete(Case& c);
inline Case make_case(const OpEntry& op, const SampleCase& sample, std::uint64_t seed) {
    Case c = begin_case(op, sample, seed);
    complete(c);
    return c;
}

// Each contract on one case, or on what else it speaks of. A broken op may throw through them.
ContractResult check_adjoint(const Case& c);
ContractResult check_dual_value(const Case& c);
ContractResult check_difference(const Case& c);
ContractResult check_float_error(const Case& c);
ContractResult check_linear(const Case& c);
ContractResult check_needed(const Case& c);
ContractResult check_unchanged(const Case& c);
ContractResult check_written(const Case& c);  ///< the part of contract 6 that speaks of memory
ContractResult check_saved(const Case& c);
ContractResult check_second_order(const Case& c);
ContractResult check_errors(const OpEntry& op, const ErrorCase& error, std::uint64_t seed);
ContractResult check_layout(const Case& c);
ContractResult check_finite(const Case& c);  ///< the part of contract 2 that speaks of the forward alone
/// With the sample's inputs drawn anew, and with another sample.
ContractResult check_independent(const Case& c, const Case& other);
ContractResult check_in_bounds(const Case& c);
/// The same of one call over T, float or double.
template <class T>
void expect_in_bounds(const OpEntry& op, const AnyAttrs& attrs, const Tensors& x, const Tensor<double>& u, ContractResult& f);
std::vector<ContractResult> check_deterministic(const std::vector<Case>& cases);  ///< one a case
/// Plants every bug there is; `results` gets one entry for each that was planted.
ContractResult check_mutation(const Case& c, std::vector<MutantResult>& results);

/// Whether a claimed gradient would be refused: by dual numbers entry by entry, along directions, or by differences.
bool refused(const Case& c, const Tensors& claimed);

}  // namespace gradproof::check
