// The characters of the notation: what a blank, a number and a name are made of.
//
//   identifier_length("dW_q = 3")      // 4
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof::proof {

/// The small letter of one of ASCII; 0 of anything else.
constexpr char small_letter(char c) {
    return c >= 'a' && c <= 'z' ? c : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '\0';
}

// Bytes of what is named at the start of `text`, 0 where there is none.

/// Blanks, no-break spaces and comments.
std::size_t blanks_length(std::string_view text);
/// 2, 2., 2.5, .5, 1e-3; of 2... the 2.
std::size_t number_length(std::string_view text);
/// A letter, then letters, digits, subscripts and accents that combine with what is before them.
std::size_t identifier_length(std::string_view text);
/// Whether the character may stand within an identifier.
bool goes_on_in_identifier(char c);
/// The same with what may be part of a name that is declared so: W_{hx}, h_{t-1}, x'.
std::size_t name_length(std::string_view text);
/// The name as it is known: W_hx, h_tm1, x_prime.
std::string plain_name(std::string_view written);
/// Those that stand in it.
std::vector<std::string> identifiers_in(std::string_view text);
/// The text without line breaks and comments.
std::string in_one_line(std::string_view text);
/// Letters as subscripts, as after Σ.
std::size_t subscripts_length(std::string_view text);

/// The index that one subscript letter stands for, '\0' where there is none: Σₖ is Σ_k.
char subscript_index(std::string_view letter);

}  // namespace gradproof::proof
