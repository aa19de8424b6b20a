// Text in columns.
//
//   text_table({{"head", "entropy"}, {"0", "1.25"}});          // "  head  entropy\n  0     1.25\n"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// How many columns a text takes on a terminal: characters, not bytes; combining and CJK widths are not told apart.
std::size_t columns_of(std::string_view text);
/// The text with blanks after it, or before it where it stands at the right, up to a width.
enum class Side { left, right };
std::string padded(std::string_view text, std::size_t width, Side side = Side::left);
/// Rows of as many entries each; every column is as wide as its widest entry.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace gradproof
