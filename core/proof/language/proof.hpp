// One derivation as read: sizes, inputs, forward assignments, and the claims in the order of the text.
//
//   for (const Proof& p : read_proofs("attention.proof", text)) p.lines.size();
#pragma once

#include <array>
#include <memory>
#include <set>

#include "gradproof/core/proof/language/conventions.hpp"
#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof {

/// A size: given, computed from others, or drawn.
struct Dim {
    std::string name;
    ExprPtr value;  ///< nullptr: drawn
    Span span;
};

/// Those from unit on are of readers: a proof that is taken has values of its forward in their place (structured.hpp).
enum class Fill {
    normal,
    uniform,
    positive,
    onehot,
    distribution,
    index,
    symmetric,
    definite,
    binary,
    signs,
    literal,
    unit,
    orthogonal,
    frame,  ///< a matrix with orthonormal columns
    diagonal,
    skew,
    lower,
    upper
};
struct FillWord {
    std::string_view word;
    Fill fill;
    std::size_t parameters;
};
/// The words that may follow ~.
inline constexpr auto kFillWords = std::to_array<FillWord>({{"normal", Fill::normal, 0},
                                                            {"uniform", Fill::uniform, 2},
                                                            {"positive", Fill::positive, 0},
                                                            {"onehot", Fill::onehot, 0},
                                                            {"distribution", Fill::distribution, 0},
                                                            {"index", Fill::index, 1},
                                                            {"symmetric", Fill::symmetric, 0},
                                                            {"definite", Fill::definite, 0},
                                                            {"binary", Fill::binary, 0},
                                                            {"signs", Fill::signs, 0}});
/// An input or a constant: a value that is not computed.
struct Given {
    std::string name;
    Span span;
    bool differentiable = true;  ///< an input; a constant is not
    std::vector<ExprPtr> shape;
    Fill fill = Fill::normal;
    std::vector<ExprPtr> parameters;
    ExprPtr value;              ///< of a literal
    std::string behind{};       ///< x of an input that the text has no name for, and a unit vector x is computed from
    Fill form = Fill::literal;  ///< unit, of that x
    bool taken = false;         ///< no text states its shape
    bool by_default = false;    ///< the value is a parameter's, where a call gives no other
    bool hidden() const { return !behind.empty(); }
};

/// Something that stands in the text, is not read, and may change what the lines mean.
struct Passed {
    Span span;
    std::string why;  ///< 'the word "momentum"'
};

/// What the text assumes of values and no input is drawn to have: that P is idempotent, u^T v = 0.
struct Assumption {
    std::string text;
    ExprPtr left, right;        ///< equal under it; nullptr where it is no equation
    std::set<std::string> of;   ///< these values
    Fill fill = Fill::literal;  ///< or what the one value is
};

/// X = expression, or X[i,j] = expression.
struct Assignment {
    std::string name;
    std::vector<std::string> indices;
    ExprPtr value;
    Statement statement;
    bool is_loss = false;
    bool stopped = false;           ///< no gradient goes through it
    bool inner = false;             ///< it is part of another line and named by its text: sg(X), or E in ∂(E)/∂x
    std::string gradient{};         ///< of an inner one, what the text calls its gradient; else ""
    std::vector<Option> extents{};  ///< sizes stated for its indices
    /// Of sequences that use each other, a[t] = ... h[t-1] ... and h[t] = ... a[t] ..., the name of the first; they stand one after
    /// the other, in the order of a step. "" for all others.
    std::string block{};
    /// Where the text says "with W fixed", which may mean that no gradient goes through it; of a stopped one, for which lines.
    std::vector<Span> said_fixed{};
    /// Whether it uses the value it computes: H[t] = ... H[t-1] ..., by itself or through others of its block.
    bool is_recurrence() const;
    bool is_with(const Assignment& other) const { return !block.empty() && block == other.block; }
    /// "X" or "X[i,j]"
    std::string left() const;
};

/// A line that is judged.
struct JudgedLine {
    enum class Type { claim, jacobian, expect, forward } type{};  ///< forward: a line of the forward that has no value
    ExprPtr left, right;
    ExprPtr holds;    ///< for a line by its indices: where it is claimed, as for t < T - 1; nullptr for everywhere
    ExprPtr erratum;  ///< for an expectation: the numbers that would be right; nullptr if none are stated
    Statement statement;
    std::string text;
    std::string read_as{};                   ///< what is said of how it was read
    Language language = Language::notation;  ///< in which it is written
    bool called_jacobian = false;            ///< the words before it call it a Jacobian
    std::size_t link = 0;                    ///< in a chain A = B = C, 1 for the line A = C, which follows the line A = B
    /// Only judged lines have two sides. skipped: by the author; wrong: it does not fit, as it is written; open: it needs a value
    /// that is not there.
    enum class State { judged, skipped, unread, wrong, open } state = State::judged;
    std::string why;            ///< why it is not judged
    std::string doubt{};        ///< why it cannot be told to be right, where it seems so
    bool doubt_either = false;  ///< nor to be wrong
    Span at{};                  ///< the part that is unread or wrong
    bool is_judged() const { return state == State::judged; }
    /// It cannot be told to be right, nor to be wrong.
    void leave_open(std::string because) {
        doubt = std::move(because);
        doubt_either = true;
    }
    /// Takes its sides away because of this error: it is wrong if the error is a Slip, else unread.
    void lose(const ProofError& e, std::string because);
};

/// What happens if a line cannot be read: the file is refused (an error), or only the line is lost (the report shows it as not
/// read).
enum class Unreadable { refuses_file, loses_line };

/// One derivation. A file holds one or more.
struct Proof {
    std::shared_ptr<const Source> source;
    std::string title;
    TextSpan start{};  ///< of length 0
    std::vector<Dim> dims;
    std::vector<std::string> functions;    ///< declared: any smooth function of one number
    std::vector<std::string> holds_for{};  ///< what the text says of functions it uses, as it says it
    std::vector<Assumption> assumed{};     ///< what inputs are not drawn to have
    std::map<std::string, std::vector<ExprPtr>, std::less<>> stated{};  ///< shapes that the text states of computed values
    std::vector<Passed> passed_over{};
    std::vector<Span> updates{};  ///< of a program: lines that change parameters by gradients
    std::vector<Span> program{};  ///< its parts, in the order of the text
    bool has_program = false;     ///< some of it is one, in which a product means one thing
    bool in_sentences = false;    ///< of a text in LaTeX, of whose sentences what is no formula may say more
    std::vector<Given> given;
    std::vector<Assignment> forward;  ///< the loss comes last, if there is one
    std::vector<JudgedLine> lines;
    Unreadable unreadable = Unreadable::refuses_file;
    int loss_runs_through = 0;  ///< a line that is not read and that the loss may depend on; 0 if there is none
    Conventions conventions{};
    /// Whether it states one, read or not.
    bool has_forward() const;
    const Assignment* find(std::string_view name) const;
    /// The assignments of its block, in order; without a block, itself alone.
    std::vector<const Assignment*> together_with(const Assignment& a) const;
    /// The place of a value in the forward, from 1; 0 for given values.
    std::size_t order_of(std::string_view name) const;
    bool is_constant(std::string_view name) const;
};

/// The values and inputs that an expression follows from.
std::set<std::string> sources_of(const Expr& e, const Proof& proof);
/// Whether a value is computed from another, or from an input.
bool follows_from(const std::string& value, const std::string& from, const Proof& proof);
/// The names of values that a line uses, or another value.
std::set<std::string> names_used_in(const Proof& proof);
/// The names that judged lines use, and what these are computed of; so are those of the loss, or of the last value where none is
/// stated; but where gradients come in from outside only if `last_too`.
std::set<std::string> names_behind_lines(const Proof& proof, bool last_too);

/// The names that a further expression about the proof may use.
Names names_of(const Proof& proof);

/// Reads the proofs of a text; the end of `file` says in which notation it is written. A second title begins a new proof; in
/// Markdown, so does a block that opens with title, dims or input. Every notation is read here: a reader for another one should
/// add statements line by line (statements.hpp), since names are checked as they are read. Errors: ProofError at the first line
/// that cannot be read; with Unreadable::loses_line only for declarations and for texts larger than the limits of budget.hpp.
std::vector<Proof> read_proofs(std::string file, Text text, Unreadable unreadable = Unreadable::refuses_file);

}  // namespace gradproof::proof
