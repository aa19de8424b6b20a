// The expression tree of the notation: immutable nodes that edits share, with the place in the text each came from.
//
//   const ExprPtr e = parse_expression(source, span, names);   // of "A^T ∂L/∂O"; language/grammar.hpp
//   text_of(*e);                                    // "A^T ∂L/∂O", also of a tree that was edited
//   for_each(*e, [](const Expr& part) { ... });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/shape.hpp"

namespace gradproof::proof {

/// Where a piece of a file lies, in bytes from its start.
struct Span {
    std::size_t begin = 0, end = 0;
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

enum class Kind {
    number,    ///< `number`, as printed in `name`
    name,      ///< a value, a dim, or an index
    word,      ///< true, false or the name of an option, as the value of a call's option
    array,     ///< [a, b, ...]
    ellipsis,  ///< ... inside an array: the rest is not stated
    sum,      ///< children joined by `joints`: '+' and '-'; joints[0] is '-' where the sum begins with a minus. `name`: the index
              ///< that counts from 1 in the text, of i + 1
    product,  ///< children joined by `joints`: '@' matrix product, '*' elementwise, '/'; joints[0] is unused. `name`: dot or mm of
              ///< NumPy, of at most two axes
    negate,
    transpose,  ///< `name`: T of NumPy, of at most two axes
    power,      ///< children[0] to the children[1]
    call,       ///< `name` of children, with `options`
    index,      ///< children[0] at the other children; a `slice` child is all of an axis
    slice,      ///< all of an axis, or those from children[0] up to, without, children[1]
    reduce,     ///< `name` (sum, mean, max) over the indices `bound` of children[0]
    delta,      ///< Kronecker's delta of two indices
    gradient,   ///< of the loss with respect to `name`
    helper,     ///< `name`, which stands for children[0], of each of the indices `bound` where it has some
    jacobian,   ///< of `name` at the first `split` children with respect to `other` at the rest; as it is read, the last child
                ///< is what it is taken of where it has no name
};

/// \frac{\partial L}{\partial X}, \nabla_X L, \partial L/\partial X or dX.
enum class GradientStyle { none, fraction, nabla, slash, d };

/// How a text in LaTeX writes what it names; of names that are not here, as write.hpp would.
struct LatexSpelling {
    std::map<std::string, std::string, std::less<>> names;
    std::string loss;  ///< "" is L
    GradientStyle style = GradientStyle::none;
    int first = 1;  ///< number of the first entry of an axis
};

struct Option;

struct Expr {
    Kind kind{};
    Span span;
    std::string source;  ///< as written; empty where an edit made the node
    std::string name, other;
    double number = 0;
    std::vector<ExprPtr> children;
    std::string joints;
    std::vector<std::string> bound;
    std::vector<Option> options;
    std::size_t split = 0;
    std::shared_ptr<const LatexSpelling> spelling;  ///< where it, or a part of it, stands in LaTeX; else nullptr
    int depth = 1;
    bool truth = false;   ///< of a program: true or false entry by entry, x > 0, and no number
    bool listed = false;  ///< of a program: a tuple or a list that it writes down, and no array
};
struct Option {
    std::string name;
    ExprPtr value;
    Span span;
};

/// What make makes a node of.
Expr node(Kind kind, std::vector<ExprPtr> children = {}, std::string name = "");
/// A node, its depth set. Clear `source` of one that was copied and changed: text_of prints it as long as it is there.
ExprPtr make(Expr e);
ExprPtr number(double value);
ExprPtr name(std::string name);
ExprPtr negate(ExprPtr x);
ExprPtr transpose(ExprPtr x);
ExprPtr call(std::string function, std::vector<ExprPtr> arguments);
/// a op b, with op one of '@', '*', '/'; a product on the left is extended.
ExprPtr product(const ExprPtr& a, char op, const ExprPtr& b);
/// a + b or a - b; a sum on the left is extended.
ExprPtr sum(const ExprPtr& a, char op, const ExprPtr& b);
/// The node with other children.
ExprPtr with_children(const Expr& e, std::vector<ExprPtr> children);

/// In the notation it stands in: as written where no edit touched it, brackets only where they are needed.
std::string text_of(const Expr& e);
/// Calls f on the node and all below it.
void for_each(const Expr& e, const std::function<void(const Expr&)>& f);
std::size_t parts_of(const Expr& e);
/// Whether f holds of the node or of any below it.
bool any_part(const Expr& e, const std::function<bool(const Expr&)>& f);
bool contains(const Expr& e, Kind kind);
/// The names of values and sizes that stand in an expression.
std::set<std::string> names_in(const Expr& e);
/// Those of them that stand outside of what binds them, as the sum over i binds i.
std::set<std::string> free_names_in(const Expr& e);
/// Whether a name stands in it.
bool mentions(const Expr& e, const std::string& name);

}  // namespace gradproof::proof
