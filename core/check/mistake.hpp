// Every mistake that a diagnosis can name, with its key in JSON and a sentence: one table for ops, derivations and attention.
//
//   key(Mistake::missing_row_term);                    // "missing_row_term"
//   Diagnosis{.mistake = Mistake::factor, .text = "claimed = 2 * true", .repair = "multiply d(x) by 1/2"};
//
// To add one: its value here, before `erratum`, which stays last; its row in mistake.cpp and in the table of
// core/proof/README.md. For formulas: a function declared in core/proof/diagnose/repair_search.hpp and a row of kPatterns in
// diagnose.cpp; to be found beside a second slip, a maker of slips.hpp and its place in kOthers or kAll of diagnose_pairs.cpp;
// to be measured, a class in core/proof/judge/planted.cpp or, if it is a classic one, in bugs.cpp; for students, a row of
// core/proof/exercises/questions.cpp, its words in feedback.cpp and its kind in by_solution.cpp there, and in answers.txt of
// the tests. For arrays: the same in core/check/gradient_diagnoser.hpp and diagnosis.cpp, and a bug in core/check/mutation.cpp;
// for attention, a Slip in ops/attention_with_mistake.cpp. Tests: diagnosis_test, op_diagnosis_test (kinds_of),
// attention_mistakes_test, slips_test of tests/core/proof (kNames, tests/proofs/slips) and of tests/tools
// (tests/sandbox/slips.cpp); where it is off by one factor everywhere, masked() of tests/recorded/run. Figures that no test
// holds: both tables of `gradproof proofs --diagnosis` and the last sentence of core/proof/README.md, those of OpDiagnosis in
// ops/README.md, the number of answers in core/proof/exercises/README.md.
//
// A special case of another mistake, as of `factor`, stands before it in both kPatterns, and has to be expected in its place: by
// claims in tests/proofs/wrong (WrongProofs.AreNamedForWhatTheyAre prints those named otherwise), by bugs.cpp, in kSlips of
// tests/tools/slips_test.cpp and kOutsideSlips of outside_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gradproof::check {

enum class Mistake {
    none,
    sign,
    factor,
    constant,
    transpose,
    permuted_axes,
    wrong_product,
    shifted,
    missing_sum,
    lost_axis,
    mean_for_sum,
    extra_sum,
    missing_path,
    double_path,
    missing_chain_factor,
    wrong_slope,
    wrong_exponent,
    comparison,
    diagonal_only,
    missing_row_term,
    wrong_row_term,
    missing_term,
    extra_term,
    wrong_name,
    wrong_point,
    cotangent_ignored,
    ignored_attribute,
    mask_leak,
    mask_after_softmax,
    not_finite,
    entries,
    values,
    two_slips,
    rounding,
    erratum,
};

struct MistakeInfo {
    Mistake mistake{};
    std::string_view key;       ///< in JSON and in counts
    std::string_view sentence;  ///< what is wrong in general; the text of a diagnosis is about its own line
};
/// All of them, in the order of the enum.
std::span<const MistakeInfo> mistakes();
std::string_view key(Mistake m);

/// Why something is wrong.
struct Diagnosis {
    Mistake mistake = Mistake::none;
    std::string text{};    ///< "claimed = 2 * true"; "" if nothing simple explains it
    std::string repair{};  ///< "multiply d(x) by 1/2"; for a derivation the correct right-hand side; "" if it is not determined
    std::string tensor{};  ///< for an op, the gradient that is wrong: "d(x)"
    std::string factor{};  ///< for a derivation, the constant in its notation: "sqrt(d_k)"
    int fitted = 0;  ///< how much was fitted to the claim: 0 nothing, 1 one number, 2 more numbers, or some entries left out
};

}  // namespace gradproof::check
