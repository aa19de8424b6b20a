// Shapes that sentences state: of "the inputs $x$ and $y$ are in $\mathbb{R}^d$" the names x and y, and the size d.
//
//   for (const Stated& s : stated_in(source, text)) s.name, s.sizes ...
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

struct Stated {
    Tokens name;
    std::vector<Tokens> sizes;
    bool positive = false;          ///< \mathbb{R}_{>0}
    std::vector<Tokens> between{};  ///< of \lambda \in [0, 1] the two ends
    bool compared = false;          ///< \beta > 0, which may be said of an index as well
    bool sums_to_one = false;       ///< a probability distribution
    std::string fill{};             ///< binary of \{0, 1\}^n, signs of \{-1, 1\}^n, symmetric of \mathbb{S}^n, onehot

    /// Labels have no gradient.
    bool is_label() const { return fill == "binary" || fill == "signs" || fill == "onehot"; }
    /// Whether only some numbers may stand in it.
    bool is_limited() const { return positive || !between.empty() || !fill.empty(); }
};

/// In the order of the text, of formulas in sentences and of displayed ones. What cannot be read states nothing.
std::vector<Stated> stated_in(const Source& source, Span text);

/// Whether it is a name of its own that may be a number: \lambda, \theta_1, \lambda_{\text{reg}}; of x_i, an entry, not.
bool may_be_number(const Source& source, const Tokens& name);

/// The parts of a formula between commas, wide blanks and words.
std::vector<Tokens> parts_of_list(const Tokens& t);

/// A part of a LaTeX file with all before it, where functions are defined and names are said to be symmetric.
Span with_text_before(const Source& source, Span text);

/// Whether the text before a formula says that it sets something to zero: "setting the gradient to zero", "at the optimum".
bool says_to_set_to_zero(std::string_view text);

/// Whether the text says that what lies beyond the ends of a sequence is 0: "zero padded", "padded with zeros".
bool says_zero_padding(std::string_view text);

}  // namespace gradproof::proof::latex
