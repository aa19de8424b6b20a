// What a text says once of how it writes: vectors as columns or as rows, how Jacobians are laid out, what A^2 is.
#pragma once

namespace gradproof::proof {

/// Of vectors u and v: u v^T is a matrix where they are columns, u^T v where they are rows; else both are numbers.
enum class Vectors { unsaid, columns, rows };
/// ∂y/∂x is [shape of y, shape of x], which goes for a text that says nothing of it, or with the denominator first.
enum class Layout { unsaid, numerator, denominator };

struct Conventions {
    Vectors vectors = Vectors::unsaid;
    bool assumed = false;  ///< nothing in the text says so, and a line may mean the other
    Layout layout = Layout::unsaid;
    Vectors gradients = Vectors::unsaid;  ///< how gradients of one axis lie, whatever their values do
    bool elementwise = false;             ///< A^2 of a square matrix, A^-1 and exp(A) go entry by entry
};

}  // namespace gradproof::proof
