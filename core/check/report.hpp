// What the checks found: per op, per contract, per sample, with the worst entry and a census, as text and as JSON.
//
//   const Report report = check_all({.seed = 1});     // core/check/contracts.hpp
//   fmt::print("{}", table(report, {}));
//   report.verdict();                                  // right, wrong or cannot_tell
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/mistake.hpp"

namespace gradproof::check {

/// Wrong outranks cannot tell, which outranks right.
enum class Verdict { right, cannot_tell, wrong };
std::string_view name(Verdict v);

/// The contracts that every op has to keep, numbered from 1 in reports, and those of kernels. To add one:
///   its value here, before those of kernels, and kContracts one higher; in kKernelContracts too if kernels have to keep it;
///   its name and meaning in report.cpp (kTexts); its check declared in contracts.hpp, defined in a *_contracts.cpp and called in
///   contracts.cpp, for kernels in kernel_contracts.cpp, where kPartsOfASample or kPartsOfACase is one higher; an op that breaks
///   only this contract in tests/sandbox/broken.cpp, with its row of kBreaches in tests/tools/sandbox_test.cpp, for kernels
///   in tests/sandbox/kernels.cpp and sandbox_kernels_test.cpp. If a sample may be excused from it, its name in
///   check_not_vacuous() of contracts.cpp: every op has to show it in one that is not. If it is checked first, kFirst in
///   tests/expected_mark.hpp. A Defect in tests/core/contracts_test.cpp breaks it within the tree; ops/README.md names
///   contracts by their numbers. Kernels in Python are asked by tools/python/gradproof/_contracts.py (QUESTIONS, WHY_NOT) and
///   _kernel_report.py (MEANING; left out where it cannot be seen there), by testing.py for each sample if in _PER_SAMPLE, with
///   test_contracts.py of tests/python, tools/python/README.md and what the notebooks hold (tools/python/notebooks/run --record).
///   without_page_test.cpp lists those of an op without a page. One that only the process of a plugin can see: plugin_calls.hpp,
///   frames.hpp, serve_plugins_command.cpp and remote_calls.hpp of tools/cli, and "Three contracts" in ops/README.md. One of
///   kernels alone: the number of kTexts beyond kContracts, and kernel_special in tools/cli/plugins.cpp where it is the last.
enum class Contract {
    adjoint,        ///< 1  <u, J v> = <Jᵀ u, v>, with J v from dual numbers
    dual_value,     ///< 2  the forward gives numbers, the same over dual numbers as over doubles
    difference,     ///< 3  fourth-order differences of the double forward
    float_error,    ///< 4  float against double
    linear,         ///< 5  the backward is linear in the cotangent, gives 0 for 0, and adds to what is there
    needed,         ///< 6  cotangents that are not needed are not computed; those needed are written in every entry
    unchanged,      ///< 7  inputs, cotangent and saved tensors unchanged by backward
    saved,          ///< 8  the tensors saved are those that OpInfo::saves names
    second_order,   ///< 9  the Hessian is symmetric, and is the derivative of the gradient
    errors,         ///< 10 wrong calls throw, before any work
    layout,         ///< 11 copies of strided memory, views and shared tensors give the same bits
    deterministic,  ///< 12 same bits twice, and for every thread count
    mutation,       ///< 13 planted bugs are caught
    independent,    ///< 14 two calls recorded before the backward of either give what each gives alone
    in_bounds,      ///< 15 nothing outside a buffer is written or read
    // For kernels only, which have to keep some of those above too:
    kernel_value,     ///< y is the page's
    kernel_gradient,  ///< every gradient is the page's
    kernel_special,   ///< NaN and infinities are in the same places as the page's, and all else is the page's
};
inline constexpr int kContracts = 15;
/// The contracts of kernels, in the order of reports.
inline constexpr std::array kKernelContracts{Contract::kernel_value,   Contract::kernel_gradient, Contract::saved,
                                             Contract::kernel_special, Contract::linear,          Contract::needed,
                                             Contract::unchanged,      Contract::errors,          Contract::layout,
                                             Contract::deterministic,  Contract::independent,     Contract::in_bounds};
/// "adjoint", "dual value" ...
std::string_view name(Contract c);
/// The meaning of each contract, one line each.
std::string contracts_text();
inline int number(Contract c) { return static_cast<int>(c) + 1; }

/// How the compared entries of one tensor turned out.
struct Census {
    std::string tensor;
    std::int64_t compared = 0, off = 0, skipped = 0;
    double lowest_ratio = 0, highest_ratio = 0;  ///< claimed / true over the entries that are off
    std::string text() const;
};
Census census_of(std::string tensor, const Comparison& c);

/// One contract on one sample.
struct ContractResult {
    Contract contract{};
    std::string sample;
    Verdict verdict = Verdict::right;
    bool excused = false;  ///< not checked here: `reason` says why
    bool added = false;    ///< the sample was added by the checker
    std::string reason;
    double error = 0, bound = 0;
    std::int64_t entries = 0;
    std::optional<Worst> worst;
    std::vector<Census> census;
    std::vector<Diagnosis> diagnoses;  ///< one for each wrong gradient that something simple explains
    /// The worst entry; null if the result is wrong although every entry agrees.
    const Worst* blamed() const;
};

/// A planted bug and whether it was seen.
struct MutantResult {
    std::string name, sample;
    bool caught = false;
};

/// One kernel beside the page of its op.
struct KernelReport {
    std::string kernel, file;
    std::vector<std::string> types, directions;  ///< "float", "double"; "forward", "backward"
    std::string against{};                       ///< what it is compared with instead of the page (black_box.hpp)
    int samples = 0;                             ///< how many of the page's samples it takes
    std::vector<ContractResult> findings;
    Verdict verdict() const;
    /// As OpReport::mark.
    char mark(Contract c) const;
};

struct OpReport {
    std::string op, file;
    int samples = 0;
    std::int64_t entries = 0;  ///< entries of true gradients that were compared
    double adjoint_error = 0, difference_error = 0;
    double gradient_norm = 0;  ///< the largest over samples
    std::vector<ContractResult> findings;
    std::vector<MutantResult> mutants;
    double ms = 0;
    std::vector<KernelReport> kernels;
    std::string failure;  ///< why the check could not be finished ("timed out"); "" if it was

    int planted() const { return static_cast<int>(mutants.size()); }
    int caught() const;
    /// Of the page and of every kernel.
    Verdict verdict() const;
    /// '+' kept, 'X' broken, '?' cannot tell (or not reached, after a failure), '-' excused on every sample or not judged.
    char mark(Contract c) const;
    std::vector<const ContractResult*> of(Contract c) const;
};

struct Report {
    std::uint64_t seed = 0;
    double seconds = 0;
    std::vector<OpReport> ops;
    Verdict verdict() const;
};

struct TableStyle {
    bool colour = false;
    bool verbose = false;  ///< every finding, not only those that are broken or cannot be told
};
/// One line for each op, then what is broken, the summary, and how much was compared.
std::string table(const Report& report, const TableStyle& style);
/// One JSON object, "schema": 2. The kernels of an op, if it has any, are its "kernels" [{kernel file types directions verdict
/// samples contracts [{name mark samples}]}]. (2 adds "diagnoses" [{tensor kind text repair?}] to the samples of contract 1
/// that are wrong.)
std::string json(const Report& report);

}  // namespace gradproof::check
