// Functions that a program defines and calls: def softmax(z): e = np.exp(z); return e / e.sum(). A call stands for what they
// return; nothing of them is executed.
//
//   const OwnFunctions own(source, text);
//   own.find("softmax");                           // nullptr of one that is read line by line, as a forward is
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

struct OwnFunction {
    struct Parameter {
        std::string name;
        Span value{};  ///< that it has if it is not given; empty where it has to be
    };
    /// name = ..., name += ..., a, b = ..., and the expression that is returned, last of all.
    struct Step {
        std::vector<std::string> names;
        char op = '=';
        Span right{};
    };
    std::string name;
    Span head{};          ///< its first line
    std::size_t end = 0;  ///< of its last one
    std::vector<Parameter> parameters;
    std::vector<Step> steps;
    std::string why;             ///< it cannot be read
    Span unread{};               ///< what of it
    bool changes_given = false;  ///< an array that it is given is another one after the call
};

/// The functions that begin at the margin of a text, f = lambda x: ... too. Errors: ProofError for a quoted text that is never
/// closed, and for a statement that is too long.
std::vector<OwnFunction> defined_in(const Source& source, Span text);
/// What stands in the brackets of def f(x, eps=1e-5); nothing where they do not close.
std::vector<OwnFunction::Parameter> parameters_of(const Source& source, Span def);

class OwnFunctions {
  public:
    OwnFunctions() = default;
    /// Those of the text that are called in it, and of the cells of a notebook above it that hold no derivation.
    OwnFunctions(const Source& source, Span text);
    const OwnFunction* find(std::string_view name) const;
    /// The one that begins there.
    const OwnFunction* at(std::size_t begin) const;
    /// Their first lines.
    std::vector<Span> heads() const;
    /// The names that stand in the bodies of those that are called in a line, and of those that they call.
    std::set<std::string> used_in(const Source& source, Span line) const;

  private:
    std::vector<OwnFunction> all_;
};

/// What the names of a function stand for while its lines are read.
struct Scope {
    struct Named {
        ExprPtr value;
        std::size_t parts = 0;
        bool condition = false;
    };
    std::string function;
    Span call{};     ///< where it is called
    int within = 1;  ///< how many calls stand within each other
    std::map<std::string, Named, std::less<>> names;
    std::set<std::string> shared;  ///< arrays that something else may be, too: those that it is given, and views
};

}  // namespace gradproof::proof::numpy
