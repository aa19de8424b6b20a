// A derivation in NumPy that `gradproof check` reads: what is given in comments, the forward and the claims as assignments.
#pragma once

#include <memory>
#include <string>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Values, and gradients of values, by arrays; entries become arrays by broadcasting. Lines that NumPy has no words for, such as
/// Jacobians and printed numbers, stand in comments. Names are made those of Python. Errors: ValueError where a line of the
/// forward has no words: steps in time, entries at computed places; ProofError.
std::string to_numpy(const Proof& proof);

/// The right sides of claims of one proof, in NumPy.
class NumpyLines {
  public:
    /// The proof is kept by reference.
    explicit NumpyLines(const Proof& proof);
    ~NumpyLines();
    NumpyLines(const NumpyLines&) = delete;
    NumpyLines& operator=(const NumpyLines&) = delete;
    /// All of it.
    std::string text();
    /// "dY * W" of a right side that belongs to this left side; "" where NumPy has no words for it.
    std::string right(const Expr& left, const ExprPtr& right);
    /// "dX = dY * W".
    std::string line(const Expr& left, const ExprPtr& right);

  private:
    class Writer;
    std::unique_ptr<Writer> writer_;
};

}  // namespace gradproof::proof
