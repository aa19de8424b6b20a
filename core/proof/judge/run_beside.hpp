// A program that is run beside its reading: what its lines compute, held to what they were read as.
//
//   const RunCase given = run_case(proof, plan, {.seed = 1}, 0);    // what it is run with
//   run_beside(proof, {.run = run}, report);          // a right line that computes something else cannot be told
//
// Nothing is run here: `run` does it, in a process of its own.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// An array that a program is given.
struct RunArray {
    Tensor<double> value;
    bool whole = false;           ///< its numbers are whole, as places in an axis are
    bool differentiable = false;  ///< an input, and no constant
};

/// What a program is run with: one draw of its derivation.
struct RunCase {
    using Arrays = std::map<std::string, RunArray, std::less<>>;
    Arrays inputs;                                ///< that comments of the program declare
    Arrays fallbacks;                             ///< values that the reading gave names of the program: for parameters without a default
    Arrays incoming;                              ///< gradients that come in from outside, by the names of parameters
    Arrays gradients;                             ///< by each value
    Tensor<double> cotangent;                     ///< of the last value; undefined where a loss is stated
    std::map<std::string, Index, std::less<>> sizes;
    std::set<int> lines, gradient_lines;          ///< in which what is read begins
};

/// What a line computed once.
struct RunValue {
    Tensor<double> value;
    bool narrow = false;  ///< in fewer bits than a double has
};

struct RunResult {
    std::string python;                                  ///< its version
    std::map<std::size_t, std::vector<RunValue>> values; ///< by where in the text, in bytes, an assignment begins
    std::map<std::size_t, int> changed;                  ///< where one begins that was changed afterwards: the line of the return
    struct NotRun {
        std::string name;        ///< of a function; "" for the whole program
        std::vector<int> lines;  ///< of those asked for
        std::string why;
    };
    std::vector<NotRun> not_run;
};

/// One draw as arrays of the program. Errors: ProofError, as those of an Instance.
RunCase run_case(const Proof& proof, Instance& draw);

/// Runs the program in the draws of `options` and compares each value of the forward and each gradient that is right so far with
/// what the line was read as. Where one differs, right lines get `cannot tell`, with the first line that differs. Errors: those
/// of options.run.
void run_beside(const Proof& proof, const CheckOptions& options, ProofReport& report);

}  // namespace gradproof::proof
