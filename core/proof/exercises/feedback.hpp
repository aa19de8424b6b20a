// What a student hears of an answer: a question first, on request a counterexample in numbers, on a further one what repairs it.
//
//   const Response r = respond(find_exercise("values"), "A dO");
//   r.question->text;               // "Do the parts of your answer fit together? ..."
//   counterexample(r, 1);           // products, sums and differences at one entry, in a draw of seed 1
//   r.repair;                       // "A must be transposed; write A^T dO"
#pragma once

#include "gradproof/core/proof/exercises/read_answer.hpp"

namespace gradproof::proof {

/// A first thought that is true of the answer and no solution.
struct Question {
    std::string kind;  ///< upstream, inner, shape, axis, index, or what kind of mistake the repair undoes: sign, factor, path ...
    std::string text;
};

struct Response {
    Exercise exercise;
    ReadAnswer answer;
    FileReport report;                 ///< of that one line; of a wrong one without its repair
    std::optional<Question> question;  ///< of a wrong one
    std::string repair;                ///< what is wrong and what would be right; "" of a right one
    Verdict verdict() const { return report.verdict(); }
    const LineReport& line() const { return report.proofs.front().lines.front(); }
};
/// Errors: those of judge_exercise.
Response respond(const Exercise& exercise, const std::string& answer, const CheckOptions& options = {},
                 const Control& control = {});

struct Counterexample {
    std::uint64_t seed = 0;  ///< of the draw
    std::string text;
};
/// The first draw, from that seed on, in which the answer differs: the entry that is off most, with the products the answer makes of
/// it, the true value and finite differences; of shapes that do not fit, the sizes.
Counterexample counterexample(const Response& response, std::uint64_t seed);

/// The question that a kind of mistake is asked by, of the gradient or Jacobian by `name`; "" where there is none of its own.
std::string question_for(Mistake mistake, const std::string& name);
/// "sign", "factor" ...: under which name questions of that mistake are counted.
std::string_view kind_for(Mistake mistake);

}  // namespace gradproof::proof
