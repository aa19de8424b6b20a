// The text of a proof: positions, logical lines, blocks inside Markdown, and the error that points at a place.
//
//   const Source source("notes.md", text);                       // throws ProofError where it is not UTF-8
//   for (const Block& block : source.blocks()) ...               // one for a .proof file, the fenced ones of a Markdown file
//   throw ProofError(source, span, "unknown name W_k; did you mean W_K");
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

/// One statement's text, which may span several physical lines.
struct Statement {
    Span span;
    int line = 0;  ///< of its first character, from 1
};

/// Statements that belong together.
struct Block {
    std::vector<Statement> statements;
    int line = 0;
};

class Source {
  public:
    /// A file whose name ends in .md or .markdown holds its proofs in fenced blocks. Errors: ProofError for text that is not
    /// UTF-8, holds a zero byte, or is longer than kLongestFile.
    Source(std::string file, std::string text);
    const std::string& file() const { return file_; }
    std::string_view text() const { return text_; }
    std::string_view slice(Span s) const { return std::string_view(text_).substr(s.begin, s.end - s.begin); }
    /// A second title within one block begins another. Errors: ProofError for a bracket that is never closed, or brackets
    /// nested too deeply.
    std::vector<Block> blocks() const;

    struct Place {
        int line = 1, column = 1;  ///< from 1; columns count characters, not bytes
        std::string text;          ///< of that line
    };
    Place place(std::size_t offset) const;

  private:
    Block block(std::size_t begin, std::size_t end) const;
    void add_blocks(std::size_t begin, std::size_t end, std::vector<Block>& out) const;
    std::size_t end_of_statement(std::size_t begin, std::size_t end) const;
    std::string file_, text_;
};

inline constexpr std::size_t kLongestFile = std::size_t{4} << 20;
inline constexpr int kDeepestBrackets = 100;

/// What is wrong in a file, and where: "file:3:7: text", then the line and a caret.
class ProofError : public std::invalid_argument {
  public:
    ProofError(const Source& source, std::size_t offset, const std::string& message);
    const std::string& message() const { return message_; }
    int line() const { return line_; }
    int column() const { return column_; }
    std::size_t offset() const { return offset_; }  ///< in bytes from the start of the text

  private:
    ProofError(const Source& source, std::size_t offset, const Source::Place& place, const std::string& message);
    std::string message_;
    std::size_t offset_;
    int line_, column_;
};

/// Bytes of the UTF-8 character at `at`; 0 where there is none that is valid.
std::size_t character_length(std::string_view text, std::size_t at);

}  // namespace gradproof::proof
