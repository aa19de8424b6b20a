// Answers as they are typed, in the notation, NumPy or LaTeX, in matrix or index form, with or without a left side, read as a claim.
//
//   read_answer(find_exercise("values"), "A.T @ dO").claim;           // "∂L/∂V = A^T ∂L/∂O"
#pragma once

#include "gradproof/core/proof/exercises/exercises.hpp"

namespace gradproof::proof {

/// The most bytes of an answer that other ways to read it are tried for.
inline constexpr std::size_t kLongestAnswer = 4000;

/// What keeps a text from being an answer.
enum class NoAnswerKind { empty, other_question, not_given, index, numbers };
class NoAnswer : public ValueError {
  public:
    NoAnswer(NoAnswerKind kind, const std::string& text) : ValueError("exercise: " + text), kind_(kind) {}
    NoAnswerKind kind() const { return kind_; }

  private:
    NoAnswerKind kind_;
};

struct ReadAnswer {
    Proof proof;        ///< the forward, and the answer as its one line
    std::string claim;  ///< as it was read
};

/// Errors: NoAnswer; ProofError, at its place in the answer where that is known.
ReadAnswer read_answer(const Exercise& exercise, const std::string& answer);

/// The same of an exercise that asks for numbers.
ReadAnswer read_numbers(const Exercise& exercise, const std::string& answer);

/// The exercise with its own solution as the line.
Proof solved(const Exercise& exercise);

}  // namespace gradproof::proof
