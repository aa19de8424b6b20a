// Text files inside the program: an installed program needs no file beside it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

struct EmbeddedFile {
    std::string_view name;                     ///< without its extension
    std::span<const std::string_view> pieces;  ///< the text is their concatenation

    std::string text() const {
        std::string out;
        for (const std::string_view piece : pieces) out += piece;
        return out;
    }
};

// Each in alphabetical order, and written at build time by tools/cmake/embed.cmake.
namespace proof {
std::vector<EmbeddedFile> embedded_files();  ///< core/proof/library/*.proof
}
namespace documents {
std::vector<EmbeddedFile> embedded_files();  ///< core/proof/documents/*.proof
}
namespace exercises {
std::vector<EmbeddedFile> embedded_files();  ///< core/proof/exercises/*.proof
}

}  // namespace gradproof
