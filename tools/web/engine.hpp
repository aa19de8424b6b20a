// The library behind one function: a question as JSON, its answer as JSON. What the page asks.
//
//   answer(R"({"call": "cell", "text": "...", "cell": "dK[2,1]"})");      // {"ok": {...}} or {"error": {"text", "span"?}}
#pragma once

#include <string>

namespace gradproof::web {

/// Never throws: what went wrong is the answer, in one sentence.
std::string answer(const std::string& question);

}  // namespace gradproof::web
