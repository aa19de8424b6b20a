// The text of a proof: positions, logical lines, blocks inside Markdown, and the error that points at a place.
//
//   const Source source("notes.md", text);                       // throws ProofError where it is not UTF-8
//   for (const ProofBlock& block : source.blocks()) ...          // one for a .proof file, the fenced ones of a Markdown file
//   throw ProofError(source, span, "unknown name W_k; did you mean W_K");
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/expression.hpp"
#include "gradproof/core/proof/language/text.hpp"

namespace gradproof::proof {

/// Where a piece of the text lies, as editors count: lines and columns from 1, columns in characters, offsets from 0.
struct TextSpan {
    int line = 1, column = 1;
    std::size_t offset = 0, length = 0;              ///< in bytes
    std::size_t utf16_offset = 0, utf16_length = 0;  ///< in units of UTF-16, as JavaScript counts
    std::string in{};  ///< the part of the file that the other numbers count in, as Text::Origin::of; "": the file itself
};

/// One statement's text, which may span several physical lines.
struct Statement {
    Span span;
    int line = 0;  ///< of its first character, from 1
    static constexpr std::size_t kClosed = static_cast<std::size_t>(-1);
    std::size_t unclosed = kClosed;  ///< the place of a bracket that is never closed; the statement ends with its line
};

/// To add one:
/// - For `check`: its value here, the ending of its files in language_of_file() of source.cpp, and its read() in read_proofs()
///   (proof.cpp), which says when a text begins a new proof, or, as of_paper() there, which derivations a file holds, and adds
///   statements one by one (statements.hpp).
/// - In Markdown and notebooks: the words of its fence in fences.hpp and fences.cpp, its value in language_of_fence(), and its
///   cells in find_cells() (source.cpp).
/// - Tests: a file of its own in tests/core/proof, limits in budget.hpp with budget_test, a fuzz target in tests/fuzz with corpus
///   and dictionary in tests/fuzz/run.
/// - What it is: is_program() below if a text means one thing, with --function in tools/cli/proof_input.cpp and with_functions in
///   tools/python/src/derivations.cpp; is_typeset() if it is typeset mathematics. If its files take in others: annotations.cpp,
///   and is_latex() in proof_input.cpp and in derivations.cpp.
/// - How it is answered: in the notation, unless its reader sets `spelling` (readings.cpp, other_forwards.cpp and
///   statements_ranges.cpp look at it), LaTeX's. Another typeset notation is a spelling of its own beside LatexSpelling, in
///   write.cpp and write_proof.cpp here, a write.cpp as latex/write.cpp, beside.cpp and derive_documents.cpp of derive/,
///   editor.cpp of tools/python/src.
/// - To answer in it: repairs in derive/beside.cpp, answers to exercises in exercises/read_answer.cpp and typed.cpp.
/// - To be written: a Notation of write.hpp with write.cpp and write_proof.cpp, --as of print, derive and tools/web, and the
///   methods of Derivation in Python.
/// - Names of its files: proof_input.cpp, check_command.cpp and replay_command.cpp of tools/cli; the endings that print_test.cpp
///   walks; from Python KINDS of _source.py, check_NAME in derivations.py and __init__.py.
/// - In editors: word_of() of tools/python/src/editor.cpp, the tables of files.py and names.py in gradproof/lsp, what
///   completion.py, document.py, hover.py, open_files.py, repairs.py there and _html.py do by language, tools/python/editors.md,
///   WRITTEN of tests/python/test_lsp.py.
/// - Told in README.md, core/proof/README.md, its exercises/README.md, tests/README.md, tools/python/README.md, checker.hpp and
///   answer.tsx of tools/web.
enum class Language { notation, latex, numpy };
/// Its text means one thing, and other readings of it are none.
constexpr bool is_program(Language l) { return l == Language::numpy; }
/// Vectors lie as rows and columns in it.
constexpr bool is_typeset(Language l) { return l == Language::latex; }

/// Statements that belong together.
struct ProofBlock {
    std::vector<Statement> statements{};  ///< for the notation; other languages split the span themselves
    Language language = Language::notation;
    Span span{};
};

class Source {
  public:
    /// A file whose name ends in .md or .markdown holds its proofs in fenced blocks, one in .tex is LaTeX, one in .py NumPy, one
    /// in .ipynb a notebook.
    /// Errors: ProofError for text that is not UTF-8, holds a zero byte, or is longer than kLongestFile; in Markdown for what
    /// looks like a proof and is not read.
    Source(std::string file, Text text);
    const std::string& file() const { return file_; }
    std::string_view text() const { return text_; }
    /// With one blank for all that stand together, and for the ends of lines.
    std::string one_line(Span s) const;
    std::string_view slice(Span s) const { return std::string_view(text_).substr(s.begin, s.end - s.begin); }
    /// A second title within one block begins another. Errors: ProofError for a text in quotes that is never closed, and for
    /// more than the budget allows: brackets nested too deeply, a statement too long, too many of them.
    std::vector<ProofBlock> blocks() const;

    /// Code cells of a notebook that hold no derivation, but may define what one calls.
    const std::vector<Span>& unmarked_cells() const { return unmarked_; }
    /// The text as Python: of a notebook with blanks in the place of all but its code, of Markdown of all but the blocks in which
    /// one of these lines begins.
    std::string program(const std::set<std::size_t>& lines) const;

    struct Place {
        int line = 1, column = 1;  ///< from 1; columns count characters, not bytes
        std::string text{};        ///< of that line
        int shown = 1;             ///< the column in that text, which begins later where a stretch does
        std::string in{};          ///< as that of TextSpan
    };
    Place place(std::size_t offset) const;
    /// Of what stands there, from 1.
    int line(std::size_t offset) const;
    /// Without the blanks at its ends.
    TextSpan span(Span s) const;
    /// With blanks in the place of these stretches, but for the ends of their lines.
    Source without(const std::vector<Span>& hidden) const;

  private:
    /// In a text that begins so far behind the beginning.
    void find_fences(std::string_view text, std::size_t begin);
    void find_cells();
    ProofBlock block(std::size_t begin, std::size_t end) const;
    void add_blocks(std::size_t begin, std::size_t end, std::vector<ProofBlock>& out) const;
    bool chain_goes_on(std::size_t line_end, std::size_t end) const;
    std::size_t end_of_statement(Statement& s, std::size_t end) const;
    /// How far the text is at a byte, in other units.
    struct Point {
        std::size_t byte = 0, utf16 = 0, characters = 0;
    };
    /// How many lines begin at or before a byte.
    std::size_t line_of(std::size_t offset) const;
    Point point(std::size_t offset) const;
    /// The stretch in which it lies, and where it does in what that is taken from.
    Text::Origin stretch(std::size_t offset) const;
    Text::Origin at(std::size_t offset) const;
    std::string file_, text_;
    std::vector<Text::Origin> origins_;
    std::vector<Span> unmarked_;
    std::size_t mark_ = 0;               ///< bytes of a byte order mark, which is one unit of UTF-16 and no column
    std::vector<std::size_t> lines_{0};  ///< where they begin
    std::vector<Point> points_{{}};      ///< one every few thousand bytes
    struct Fenced {
        Span lines;
        Language language{};
    };
    std::vector<Fenced> fenced_;            ///< in Markdown, its proofs
    std::vector<std::size_t> quote_marks_;  ///< the > in them, which are blanks in text_
};

/// An error in a file, with its place: "file:3:7: text", then the line and a caret.
class ProofError : public std::invalid_argument {
  public:
    ProofError(const Source& source, std::size_t offset, const std::string& message);
    const std::string& message() const { return message_; }
    int line() const { return at_.line; }
    int column() const { return at_.column; }
    const TextSpan& at() const { return at_; }      ///< of length 0
    std::size_t offset() const { return offset_; }  ///< in the whole text of the source

  private:
    std::string message_;
    TextSpan at_;
    std::size_t offset_;
};

/// An error in a line that was understood: an index, a name or a shape that does not fit. The line is wrong, not unread.
class Slip : public ProofError {
  public:
    using ProofError::ProofError;
};

/// "3:7", or "appendix.tex:3:7" of a text that is not the file itself.
std::string place_text(const std::string& in, int line, int column);

/// How a block is read behind whose fence this stands; none where it is no derivation.
std::optional<Language> language_of_fence(std::string_view info);
/// Whether the end of the name says so.
bool is_latex(std::string_view file);
bool is_markdown(std::string_view file);
bool is_notebook(std::string_view file);

/// How many bytes the UTF-8 character at `at` has; 0 if there is no valid one.
std::size_t character_length(std::string_view text, std::size_t at);

}  // namespace gradproof::proof
