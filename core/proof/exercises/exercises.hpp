// Derivation exercises: a forward, the gradient asked for, hints, and answers judged by the checker.
//
//   const Exercise e = find_exercise("6");
//   judge_exercise(e, "A^T dO").verdict();       // Verdict::right
#pragma once

#include "gradproof/core/proof/judge/report.hpp"

namespace gradproof::proof {

struct Exercise {
    int number = 0;
    std::string name, title, statement;
    int difficulty = 1;              ///< 1 to 4
    std::string forward;             ///< the derivation before its claim
    std::string asked;               ///< "∂L/∂V"
    std::vector<std::string> given;  ///< values whose gradients an answer may use
    std::vector<std::string> names;  ///< values and sizes it may use
    std::vector<std::string> hints;  ///< the last is the solution
    std::string solution;            ///< "A^T ∂L/∂O"
};

/// core/proof/exercises/*.proof, in order: a comment `#! KEY text` states difficulty, statement, given and each hint.
std::vector<Exercise> all_exercises();
/// By number or name. Errors: ValueError.
Exercise find_exercise(const std::string& which);

/// "A^T dO", "∂L/∂V = A^T ∂L/∂O" and "dV[j,c] = Σ_i A[i,j] dO[i,c]" are answers to the same exercise. If an answer is wrong, the
/// report says why, but not what would be right.
/// Errors: ProofError for an answer that cannot be read, with its place in the answer; ValueError for an answer to another
/// question, about single entries, or with gradients that are not given; Stopped, when `control` ends the call.
FileReport judge_exercise(const Exercise& exercise, const std::string& answer, const CheckOptions& options = {},
                          const Control& control = {});

}  // namespace gradproof::proof
