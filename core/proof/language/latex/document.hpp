// A LaTeX file as its formulas: displayed mathematics, and the comments that are meant for this program.
//
//   Document document(source, span);
//   while (auto part = document.next()) ...
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/latex/entries_called.hpp"
#include "gradproof/core/proof/language/latex/inputs.hpp"
#include "gradproof/core/proof/language/latex/layers.hpp"
#include "gradproof/core/proof/language/latex/likelihoods.hpp"
#include "gradproof/core/proof/language/latex/macros.hpp"
#include "gradproof/core/proof/language/latex/policies.hpp"
#include "gradproof/core/proof/language/latex/sets.hpp"
#include "gradproof/core/proof/language/latex/small_entries.hpp"

namespace gradproof::proof::latex {

/// Goes on behind what a token begins that is not read: a verbatim environment or \verb. Whether it begins one.
/// Errors: ProofError for an environment that is never ended.
bool skips_verbatim(Lexer& lexer, const Token& t);

/// What a comment behind % gradproof: says, or the tokens of an environment of formulas.
struct Part {
    Token note;            ///< of kind note, or of kind end
    Tokens tokens;         ///< of a formula
    Span span;             ///< of its whole environment
    bool in_line = false;  ///< $...$ and \(...\), which only those get that ask for them
};

/// Whether an environment of this name is a formula: equation, align*.
bool is_formula(std::string_view environment);

class Document {
  public:
    /// `in_line`: formulas within sentences too. `macros`: those of a file that stand before the span go too.
    Document(const Source& source, Span span, bool in_line = false, bool macros = true);
    /// Nothing at the end. Errors: ProofError for environments that do not close.
    std::optional<Part> next();
    /// With macros expanded. Errors: ProofError for braces that do not match, and of macros.
    Tokens expanded(const Tokens& tokens) const;
    /// Formulas are passed over until this is called with false.
    void pass_over(bool on) { passing_ = on; }
    /// The files that stand in the text read so far and are not taken in.
    const std::vector<Input>& left_out() const { return left_out_; }
    /// The same, if a comment says off or on.
    void switched_by(const Token& note);

  private:
    void define_what_stands_before(std::size_t end);
    Tokens with_changes(const Tokens& tokens) const;
    std::string_view bold_of_differential(const Tokens& t, std::size_t at) const;
    Tokens with_fonts(const Tokens& tokens) const;
    Part formula(const Token& opener, std::string_view closer);
    std::optional<Part> formula_of_macro(const Token& t);
    Tokens argument();
    bool closes_by_macro(const Token& t, std::string_view closer) const;
    Part within_a_sentence(const Token& opener);
    void group(const Token& t, const Token& before);

    const Source& source_;
    const bool changes_;                          ///< \Delta stands before names only: \Delta W is one
    const bool primes_;                           ///< x'Qx: primes are transposes
    const bool deltas_;                           ///< \delta x is the gradient by x
    const std::set<std::string_view> two_fonts_;  ///< \mathbf{x} is another name than x
    const Layers layers_;
    const Likelihoods likelihoods_;
    const Sets sets_;
    const EntriesCalled entries_called_;
    const SmallEntries small_entries_;
    const Policies policies_;
    Lexer lexer_;
    Macros macros_;
    Token last_;                    ///< of what is no formula
    std::vector<bool> arguments_;   ///< of the braces that are open: whether they hold the argument of a command
    bool closed_argument_ = false;  ///< the last braces did
    bool passing_ = false, in_line_ = false;
    std::vector<Input> left_out_;
};

/// Calls f with each formula that no comment switches off, also in sentences, and its tokens with macros expanded. What is not read
/// says nothing here: it is told where equations are read.
void each_formula(const Source& source, Span text, const std::function<void(const Part&, const Tokens&)>& f);

}  // namespace gradproof::proof::latex
