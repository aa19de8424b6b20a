// Names of one array: y, z = y, w = z.T. What is changed in place under one of them is changed under all.
//
//   aliases.assigned("z", *value);                     // of z = y[0:n]
//   aliases.others_of("z");                            // {"y"}
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof::numpy {

/// How the gradient of a value is called here, whatever its name in the program.
std::string gradient_key(const std::string& value);

/// The names of the array that this is a view of; none of what is an array of its own.
std::vector<std::string> names_of_array(const Expr& value);
/// Those of an expression of a program that may be no new array: W, dy[t], a if t > 0 else b; none of a sum, a product or f(x).
std::vector<std::string> arrays_shared_by(std::string_view right);
/// reshape of x.reshape(n) and np.reshape(x, n), which may give the array itself in another shape.
bool gives_view(std::string_view function);
/// split of np.split(z, 2), whose parts are views, and others that give parts of an array or its axes in another order.
bool gives_parts(std::string_view function);

class Aliases {
  public:
    /// One that may be a view of the other, in a line that is not read.
    void may_be_same(const std::string& name, const std::string& other);
    /// The name stands for this value from here on; a view of an array is one of its names.
    void assigned(const std::string& name, const Expr& value);
    std::vector<std::string> others_of(const std::string& name) const;

  private:
    std::map<std::string, std::set<std::string>> same_;  ///< of each, those that it was a view of, or that are views of it
    int before_ = 0;                                     ///< how many names have stood for something else
};

}  // namespace gradproof::proof::numpy
