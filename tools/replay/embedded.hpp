// The documents inside the program: an installed program needs no file beside it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace gradproof::replay {

struct EmbeddedFile {
    std::string_view name;                      ///< without its extension
    std::span<const std::string_view> pieces;   ///< the text is their concatenation
};

/// In alphabetical order. Written at build time by tools/cmake/embed.cmake from tools/replay/documents/*.json.
std::vector<EmbeddedFile> embedded_files();

}  // namespace gradproof::replay
