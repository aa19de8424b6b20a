// Code in a Markdown text, found as CommonMark finds it: fenced or indented, in block quotes and list items too.
//
//   for (const CodeBlock& c : code_blocks("> ~~~proof\n> input x = 2\n> ~~~\n")) c.info;       // "proof"
#pragma once

#include <string_view>
#include <vector>

namespace gradproof::proof {

struct CodeBlock {
    bool fenced = false, closed = false;
    std::string_view info;                 ///< what stands behind the fence, without the blanks at its ends
    std::string_view before;               ///< the last line of text above it
    std::size_t opened = 0;                ///< the fence; of indented code its first character
    std::size_t begin = 0, end = 0;        ///< its lines
    std::vector<std::size_t> quote_marks;  ///< the > at the starts of these lines
};

/// Blocks within HTML are found as if they stood outside. Source  CommonMark 0.31, sections 4.4, 4.5, 5.1 and 5.2.
std::vector<CodeBlock> code_blocks(std::string_view text);

}  // namespace gradproof::proof
