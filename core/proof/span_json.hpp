// A place in a text as JSON. Not for use outside core/proof.
#pragma once

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof {

inline check::Json span_json(const TextSpan& s) {
    check::Json out{{"line", s.line},
                    {"column", s.column},
                    {"offset", s.offset},
                    {"length", s.length},
                    {"utf16_offset", s.utf16_offset},
                    {"utf16_length", s.utf16_length}};
    if (!s.in.empty()) out["in"] = s.in;
    return out;
}

}  // namespace gradproof::proof
