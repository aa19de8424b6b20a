// Which part of an array a set of entries lies in.
//
//   Region r({2, 3, 4});  r.add({0, 2, 1});  r.add({1, 2, 3});
//   r.text();                                       // "axis 1 at 2, axis 2 at 1 to 3"
#pragma once

#include <string>

#include "gradproof/core/shape.hpp"

namespace gradproof::check {

/// The smallest box that holds some entries.
class Region {
  public:
    explicit Region(const Shape& shape);
    void add(const Shape& index);
    /// The axes along which the entries cover only a part, with that part; "" if they extend along every axis.
    std::string text() const;

  private:
    Shape shape_, first_, last_;
};

}  // namespace gradproof::check
