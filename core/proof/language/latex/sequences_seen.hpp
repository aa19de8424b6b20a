// Which names of a text are sequences, a_l beside an a_{l-1}, and what stands at their ends.
//
//   SequencesSeen seen;
//   seen.see_left(p);                      // of each left side, first of all
//   seen.see(p);                           // of each name
//   if (seen.is_last(p)) ...               // a_L
#pragma once

#include <map>
#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

class SequencesSeen {
  public:
    void see_left(const NameParts& p);
    void see(const NameParts& p);
    /// An input with this key stands with this first index.
    void stands_at(const std::string& key, std::string_view index) { stands_at_[key].emplace(index); }

    bool is_on_the_left(const std::string& key) const { return lefts_.contains(key); }
    /// a_L and a_{L,j} of an a_l that equations say.
    bool is_last(const NameParts& p) const;
    /// h_{t-1} and h_{t-1,k} of an h that equations say, where t is an index.
    bool is_step_back(const NameParts& p, const std::set<std::string>& indices) const;
    /// W of W_l, where an l - 1 or l + 1 stands in the text.
    bool goes_by_steps(const std::string& key) const;

  private:
    using Indices = std::set<std::string>;
    bool any_steps(const Indices& indices) const;

    std::set<std::string> lefts_;               ///< keys of left sides
    Indices steps_;                             ///< t beside a t - 1
    std::map<std::string, Indices> stands_at_,  ///< the first indices of inputs, by key
        stands_left_;                           ///< and of left sides, by base
};

}  // namespace gradproof::proof::latex
