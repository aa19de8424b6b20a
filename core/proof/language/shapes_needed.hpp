// The shapes that a forward needs of values of which no text says any: of f = w^T x + b, and L = (y - f)^2, a vector w, a vector
// x of the same size, and numbers b and y.
//
//   const std::vector<Wanted> wanted{{"w", {1, 0, 4}}, ...};          // a vector is what is most likely
//   shapes_needed(proof, wanted, is_loss);                             // {"w", {"#0"}}, {"x", {"#0"}}, {"b", {}} ...
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

inline constexpr std::size_t kMostAxesTaken = 3;

/// A value without a shape.
struct Wanted {
    std::string name;
    std::array<double, kMostAxesTaken + 1> costs{};  ///< how unlikely its letter makes 0, 1, 2 and 3 axes
    std::size_t least = 0;                           ///< axes, as its entries show
    bool is_label = false;                           ///< it is the place of an entry, y of p_y
};

/// As few axes as the forward can do with, and sizes as free as it leaves them: two are one only where a line needs it. The
/// gradients that are claimed say which of several is meant, and tie no sizes. "#k" is a size without a name. Values that no
/// line of the forward uses have no entry; a label has the size of the axis that it is a place of. Nothing where no shapes fit.
/// `is_number`: whether a value has to be one, by its name and whether it is the last.
std::optional<std::map<std::string, AxisNames>> shapes_needed(const Proof& proof, const std::vector<Wanted>& wanted,
                                                              const std::function<bool(std::string_view, bool)>& is_number);

/// Where no shapes fit: of the forward the place of one assignment without which some do; nothing where there is none.
std::optional<std::size_t> assignment_to_leave_out(const Proof& proof, const std::vector<Wanted>& wanted,
                                                   const std::function<bool(std::string_view, bool)>& is_number);

}  // namespace gradproof::proof
