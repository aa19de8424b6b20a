// What a statement of Python binds: the targets of assignments and of loops, with ... as f, except E as e, imports, def, class,
// del and :=.
//
//   for (const Binding& b : bindings_of("for i, (x, self.y) in rows:")) b.target ...        // i, x, self.y
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradproof::proof::numpy {

struct Binding {
    enum class By { assignment, loop, block, import, definition, deletion };  ///< block: with and except
    By by = By::assignment;
    std::string target;  ///< without blanks: k, self.x, c["x"]; * of from m import *
    std::string of{};    ///< of an import, the module, and the name that it has there: numpy.multiply
    /// k of k, self of self.x, c of c["x"].
    std::string name() const;
    bool is_name() const { return name() == target; }
};

/// `code`: one statement without its comment; of a compound one its header, and what stands beside that.
std::vector<Binding> bindings_of(std::string_view code);

}  // namespace gradproof::proof::numpy
