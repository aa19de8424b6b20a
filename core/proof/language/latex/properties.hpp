// What sentences say of matrices, vectors and labels: "where $A$ is symmetric", "$P$ and $R$ are positive definite", "a
// covariance matrix $\Sigma$", "a unit vector $u$", "$y$ is one-hot", "$\sum_k y_k = 1$"; and where in the text that is so.
//
//   for (const Property& p : properties_said(source, text)) p.key, p.fill, p.where ...
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/property_words.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

struct Property {
    std::string key;              ///< of a name
    std::string text;             ///< its name as it stands there
    Fill fill = Fill::symmetric;  ///< or definite, onehot, unit and so on; literal of what is not drawn
    std::string words{};          ///< of that: "idempotent"
    Span where{};                 ///< of "if $A$ is symmetric, then ..." the sentence; of what is assumed all behind it
    std::size_t first = 0;        ///< where the name is first spoken of
    bool of_all = false;          ///< it is said of the whole text
    bool doubted = false;         ///< the sentence may mean something else
    bool by_base = false;         ///< of \sum_k y_{ik} = 1, said of every y with an index

    bool is_label() const { return is_label_fill(fill); }
};
/// Nothing of what is denied, as in "we do not assume that $A$ is symmetric".
std::vector<Property> properties_said(const Source& source, Span text);

/// What it says of the name: "symmetric A", "one-hot y".
std::string said_of(const Property& p);

}  // namespace gradproof::proof::latex
