// What --json prints: an object a line.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace gradproof::cli {

/// Ends with a newline. Bytes that are not UTF-8, as a path may have, become U+FFFD.
inline std::string json_line(const nlohmann::ordered_json& object) {
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gradproof::cli
