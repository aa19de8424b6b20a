// Names of one array: y, z = y, w = z.T. What is changed in place under one of them is changed under all.
//
//   aliases.add("z", *value);                          // of z = y[0:n]
//   aliases.others_of("z");                            // {"y"}
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof::numpy {

class Aliases {
  public:
    /// Nothing where the value is no view of a named array.
    void add(const std::string& name, const Expr& value);
    std::vector<std::string> others_of(const std::string& name) const;

  private:
    std::string root_of(const std::string& name) const;

    std::map<std::string, std::string> roots_;  ///< of a view, the array that it is one of
};

}  // namespace gradproof::proof::numpy
