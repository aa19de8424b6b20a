// What the JSON reports share. Not for use outside core and ops.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

#include "gradproof/core/shape.hpp"

namespace gradproof::check {

/// In the order in which it is written.
using Json = nlohmann::ordered_json;

/// A number; "nan", "inf" or "-inf" for what JSON has no number for.
inline Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"); }
inline Json json_shape(const Shape& s) { return std::vector<Index>(s.begin(), s.end()); }

}  // namespace gradproof::check
