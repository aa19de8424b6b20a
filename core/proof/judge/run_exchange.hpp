// What a program is run with, and what its lines computed, as the JSON that tools/python/gradproof/_run takes and gives.
#pragma once

#include <span>

#include "gradproof/core/proof/judge/run_beside.hpp"

namespace gradproof::proof {

/// {"path", "text", "cases": [...]}
std::string run_request(const std::string& path, const std::string& text, std::span<const RunCase> cases);
/// Errors: IoError, with the path, for text that is no answer to so many cases.
std::vector<RunResult> run_answer(const std::string& path, const std::string& json, std::size_t cases);

}  // namespace gradproof::proof
