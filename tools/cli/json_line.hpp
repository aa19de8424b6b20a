// The output of --json: one object a line.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace gradproof::cli {

/// The object on one line, with a newline. Bytes that are not UTF-8, which a path may contain, become U+FFFD.
inline std::string json_line(const nlohmann::ordered_json& object) {
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gradproof::cli
