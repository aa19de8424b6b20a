// Exercises: a forward and a gradient, a value or numbers asked for, graded hints, and answers judged by the checker.
//
//   const Exercise e = find_exercise("6");
//   judge_exercise(e, "A^T dO").verdict();       // Verdict::right
//   respond(e, "A dO").question->text;           // "Do the parts of your answer fit together? ..."; feedback.hpp
#pragma once

#include "gradproof/core/proof/judge/report.hpp"

namespace gradproof::proof {

struct Exercise {
    int number = 0;
    std::string name, title, statement;
    int difficulty = 1;                ///< 1 to 4
    bool numeric = false;              ///< numbers are asked for, each to the digits of the solution
    std::string forward;               ///< the derivation before what is asked
    std::string asked;                 ///< "∂L/∂V"
    std::vector<std::string> given;    ///< values whose gradients an answer may use
    std::vector<std::string> names;    ///< values and sizes it may use
    std::vector<std::string> without;  ///< values and functions that it may not use
    std::vector<std::string> hints;    ///< the last is the solution
    std::string solution;              ///< "A^T ∂L/∂O"
};

/// core/proof/exercises/*.proof, in order.
std::vector<Exercise> all_exercises();
/// The exercises of a text, each a proof with one claim, or one expectation of numbers, and comments `#! KEY text` before its title:
/// name, difficulty, statement, given, without, and each hint. They are numbered from 1.
/// Errors: ProofError; ValueError where a key is unknown or missing, a name stands twice, or a claim is not right.
std::vector<Exercise> read_exercises(const std::string& file, const std::string& text);
/// By number or name. Errors: ValueError.
Exercise find_exercise(const std::string& which, const std::vector<Exercise>& all = all_exercises());

/// Its hints as written, and before the last of them, the solution, each step of the derivation by rules.
std::vector<std::string> hints_of(const Exercise& exercise);

/// "A^T dO", "∂L/∂V = A^T ∂L/∂O", "dV[j,c] = Σ_i A[i,j] dO[i,c]", "A.T @ dO" and "A^\top \frac{\partial L}{\partial O}" are answers to
/// the same exercise. If an answer is wrong, the report says why, but not what would be right.
/// Errors: ProofError for an answer that cannot be read, with its place in the answer; ValueError for an answer to another
/// question, about single entries, or with gradients that are not given; Stopped, when `control` ends the call.
FileReport judge_exercise(const Exercise& exercise, const std::string& answer, const CheckOptions& options = {},
                          const Control& control = {});

}  // namespace gradproof::proof
