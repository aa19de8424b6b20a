// JSON helpers shared by reports and commands. Not for use outside core, ops and tools.
#pragma once

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "gradproof/core/shape.hpp"

namespace gradproof::check {

/// In the order in which it is written.
using Json = nlohmann::ordered_json;

/// A number; "nan", "inf" or "-inf" for what JSON has no number for.
inline Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"); }
/// The object on one line, with a newline. Bytes that are not UTF-8, which a path may contain, become U+FFFD.
inline std::string json_line(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }
inline Json json_shape(const Shape& s) { return std::vector<Index>(s.begin(), s.end()); }

}  // namespace gradproof::check
