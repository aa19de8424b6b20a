// Functions that go together by their names, f and f_backward, and what functions change of what they are given.
//
//   const FunctionPairs pairs(source, text, proof, claims, is_gradient);
//   for (const Passed& one : pairs.of_other_forwards()) to.doubt(...);       // lines of leaky_relu_backward beside relu
//   pairs.changes_of_given(updates);                                         // dz = self.p; dz -= y
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/numpy/text_functions.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

/// What to do about a second forward.
inline constexpr std::string_view kSeveral = "each layer or loss needs its own comment  # gradproof: dims ...; input ...";

class FunctionPairs {
  public:
    using IsGradient = std::function<bool(const std::string&)>;
    /// `claims`: the lines that compute gradients; `is_gradient`: whether a name is one of a gradient.
    FunctionPairs(const Source& source, Span text, const Proof& proof, std::vector<Span> claims, IsGradient is_gradient);
    /// The bodies of functions whose names go with another forward than is read, and why nothing in them can be told.
    std::vector<Passed> of_other_forwards() const;
    /// The lines after which what the object keeps, or what the function is given, is another array; `updates` are left out.
    std::vector<Passed> changes_of_given(const std::vector<Span>& updates) const;

  private:
    using Origins = std::map<std::string, std::string>;  ///< by names: what each is another name for
    void find_forward(const Proof& proof);
    bool computes(const TextFunction& f) const;
    std::string changed_in_place(Span s) const;
    void follow_aliases(Span s, Origins& origins) const;
    std::string origin_of(std::string_view value, const Origins& origins) const;

    const Source& source_;
    std::vector<TextFunction> all_;
    std::vector<bool> in_forward_;  ///< whether values that judged lines go back to are computed in it, or by calls of it
    std::vector<Span> claims_;
    IsGradient is_gradient_;
};

}  // namespace gradproof::proof::numpy
