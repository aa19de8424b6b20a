// Layers that a text counts above: a^l = \sigma(W^l a^{l-1}), and a^{[l]}, are read as a^{(l)}, W^{(1)} beside them as W_1, and
// an \ell that counts as an l.
//
//   const Layers layers(source);
//   if (!layers.empty()) tokens = layers.counted_below(tokens);
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class Layers {
  public:
    explicit Layers(const Source& source);
    /// Whether nothing of a text is counted so.
    bool empty() const { return indices_.empty() && !ell_; }
    Tokens counted_below(const Tokens& tokens) const;

  private:
    void find_indices(const Tokens& all);
    bool is_layer(const Tokens& tokens, std::size_t power, const Tokens& script) const;
    Tokens in_brackets(const Tokens& tokens) const;

    const Source& source_;
    std::set<std::string_view> indices_;  ///< l of a^{(l)} and a^{[l]}, beside an a^{(l-1)}
    std::set<std::string_view> plain_;    ///< those of a^l, beside an a^{l-1}
    std::set<std::string_view> raised_;   ///< the letters before them
    std::set<std::string> sequences_;     ///< bases of names that are counted so
    bool ell_ = false;                    ///< there is an \ell - 1
};

}  // namespace gradproof::proof::latex
