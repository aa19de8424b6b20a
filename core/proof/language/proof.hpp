// A proof as read: sizes, inputs, forward assignments, and the claims in the reader's order.
//
//   for (const Proof& p : read_proofs("attention.proof", text)) p.lines.size();
#pragma once

#include <array>
#include <memory>

#include "gradproof/core/proof/language/conventions.hpp"
#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof {

/// A size: given, computed from others, or drawn.
struct Dim {
    std::string name;
    ExprPtr value;  ///< nullptr: drawn
    Span span;
};

enum class Fill { normal, uniform, positive, onehot, index, literal };
struct FillWord {
    std::string_view word;
    Fill fill;
    std::size_t parameters;
};
/// As they stand behind ~.
inline constexpr auto kFillWords = std::to_array<FillWord>({{"normal", Fill::normal, 0},
                                                            {"uniform", Fill::uniform, 2},
                                                            {"positive", Fill::positive, 0},
                                                            {"onehot", Fill::onehot, 0},
                                                            {"index", Fill::index, 1}});
/// A value that is given, not computed.
struct Given {
    std::string name;
    Span span;
    bool differentiable = true;  ///< an input; a constant is not
    std::vector<ExprPtr> shape;
    Fill fill = Fill::normal;
    std::vector<ExprPtr> parameters;
    ExprPtr value;  ///< of a literal
};

/// X = expression, or X[i,j] = expression.
struct Assignment {
    std::string name;
    std::vector<std::string> indices;
    ExprPtr value;
    Statement statement;
    bool is_loss = false;
    bool stopped = false;           ///< no gradient goes through it
    bool inner = false;             ///< it stands within another line, and is named by its text: sg(X), and E of ∂(E)/∂x
    std::vector<Option> extents{};  ///< sizes that are stated of its indices
    /// H[t] = ... H[t-1] ...: what it computes stands in it.
    bool is_recurrence() const;
    /// "X" or "X[i,j]"
    std::string left() const;
};

/// A line that is judged.
struct JudgedLine {
    enum class Type { claim, jacobian, expect, forward } type{};  ///< forward: a line of it that has no value
    ExprPtr left, right;
    ExprPtr holds;    ///< of a line by its indices: where it is claimed, as for t < T - 1; nullptr for all of them
    ExprPtr erratum;  ///< of an expectation: the numbers that would be right, nullptr where none is stated
    Statement statement;
    std::string text;
    std::size_t link = 0;  ///< of a chain A = B = C: 1 for A = C, of the line after A = B
    /// Only those that are judged have two sides. Skipped: by its author. Wrong: as it stands. Open: it needs what has no value.
    enum class State { judged, skipped, unread, wrong, open } state = State::judged;
    std::string why;  ///< it is not judged
    Span at{};        ///< what is unread or wrong in it
    bool is_judged() const { return state == State::judged; }
    /// It has no sides for this error: wrong where that is a slip, unread else.
    void lose(const ProofError& e, std::string because);
};

/// What becomes of a line that cannot be read: the file is refused, or the line alone is lost.
enum class Unreadable { refuses_file, loses_line };

struct Proof {
    std::shared_ptr<const Source> source;
    std::string title;
    TextSpan start{};  ///< of length 0
    std::vector<Dim> dims;
    std::vector<Given> given;
    std::vector<Assignment> forward;  ///< the loss last, where there is one
    std::vector<JudgedLine> lines;
    Unreadable unreadable = Unreadable::refuses_file;
    Conventions conventions{};
    const Assignment* find(std::string_view name) const;
    /// From 1 along the forward; 0 of what is given.
    std::size_t order_of(std::string_view name) const;
    bool is_constant(std::string_view name) const;
};

/// What a further expression about it may name.
Names names_of(const Proof& proof);

/// The proofs of a file. A second title begins a new one; in Markdown so does a block that opens with title, dims or input.
/// Every reader of derivations comes through here; another notation is best turned into this one line by line, since names are
/// checked as it is read. Errors: ProofError; where a line alone is lost, for what is no line: declarations, and what is too
/// much.
std::vector<Proof> read_proofs(std::string file, Text text, Unreadable unreadable = Unreadable::refuses_file);

}  // namespace gradproof::proof
