// What the JSON reports share.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

namespace gradproof::proof {

/// In the order in which it is written.
using Json = nlohmann::ordered_json;

/// A number; "nan", "inf" or "-inf" for what JSON has no number for.
inline Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"); }

}  // namespace gradproof::proof
