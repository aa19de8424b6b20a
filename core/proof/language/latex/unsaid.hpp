// Names that the equations of a text use, and of which no sentence, comment or equation says what they are.
//
//   for (const Unsaid& u : unsaid_in(source, all, is_said)) u.name, u.is_size ...
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/lines_said.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

struct Unsaid {
    Tokens name;  ///< as it stands first
    std::string key, base;
    bool is_size = false;  ///< sums go up to it, or it divides
    bool is_bare = false;  ///< it stands without indices, too
    bool is_bold = false;
    bool is_rows = false;               ///< X of x_i
    bool is_function = false;           ///< it stands before one argument in brackets
    bool is_covariance = false;         ///< \Sigma, and B of \mathcal{N}(m, B)
    bool is_label = false;              ///< y of p_y
    bool is_sequence = false;           ///< W of W_l, where an l - 1 or l + 1 stands in the text
    bool is_number = false;             ///< u of \rho'(u), \delta of \rho_\delta(r): also where no value follows from it
    bool is_transposed = false;         ///< W of W^\top and (W_l)^\top: no number
    bool is_by_entry = false;           ///< \gamma of \gamma \odot x: no number
    bool is_power = false;              ///< W of W^2 x: no number
    bool is_bias = false;               ///< b of W x + b and X W + b, but not of X w + b: no number
    bool is_mask = false;               ///< of zeros and ones that say what lies in a set
    std::size_t entries = 0;            ///< the most indices that it has
    std::size_t claimed_entries = 0;    ///< those of what a claim is by: j of \partial L / \partial x_j
    std::optional<std::size_t> said{};  ///< axes: "the vector", "a matrix"
};

/// In the order of the text. Those that claims alone use, and functions, are none of them. `is_said`: of names that are stated,
/// declared or defined.
/// `lines`: matrices whose rows or columns the text names.
std::vector<Unsaid> unsaid_in(const Source& source, const std::vector<Equation>& all,
                              const std::function<bool(const NameParts&)>& is_said, const LinesSaid& lines = {});

}  // namespace gradproof::proof::latex
