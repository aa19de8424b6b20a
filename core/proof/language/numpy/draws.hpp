// Arrays that a program draws at random or fills, X = np.random.randn(n, d) * 0.01 and b = np.zeros(d): what it is given.
//
//   const std::optional<Draw> draw = draw_in(source, statement);      // its name "X", its sizes "n" and "d", "normal"
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

struct Draw {
    Span name;                       ///< X of X = ... and of self.X = ...
    std::vector<Span> sizes;         ///< none of a number
    std::string_view distribution;   ///< as behind ~
    std::vector<Span> parameters{};  ///< n of index(n), the ends of uniform
    bool is_filled = false;          ///< with zeros or ones
    std::set<std::string> in_sizes{};
    std::set<std::string> around{};  ///< names in what it is multiplied by
};
/// Nothing for a statement that is no assignment of such an array to one name.
std::optional<Draw> draw_in(const Source& source, Span statement);
/// np.random.rand(n, d) at the start of a text: where it ends, and its sizes; those of x where it is rand_like(x).
struct DrawCall {
    std::size_t end = 0;
    std::string_view distribution;
    std::vector<Span> sizes;
    bool like = false;
};
std::optional<DrawCall> draw_call_at(const Source& source, std::size_t at, std::size_t end);
/// n and 4, d and 3 of n, d = 4, 3; without a number for what else is assigned to a name.
std::vector<std::pair<std::string, std::optional<double>>> assigned_in(const Source& source, Span statement);

}  // namespace gradproof::proof::numpy
