// What a sentence says of another work: "in \cite{a}, $A$ is symmetric", "following [3], they assume that".
//
//   citation_length("\\citet[p. 3]{a} assume");        // 15
//   is_of_another_work({"in", kCitation}, 0, {});        // true
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof::proof::latex {

/// How words write a citation among them.
inline constexpr std::string_view kCitation = "\\cite";

/// How far a citation goes at the start of the text: \citep{a}, [3, 7], "al." of "Smith et al.", (2019); 0 where there is none.
std::size_t citation_length(std::string_view text);

/// Of words that lead to a property or a formula, whose last clause begins at that word, and of those behind it.
/// "Following [3], we assume that" says it of this text.
bool is_of_another_work(const std::vector<std::string>& led, std::size_t clause, const std::vector<std::string>& behind);

}  // namespace gradproof::proof::latex
