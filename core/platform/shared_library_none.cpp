// No shared libraries: for static builds and systems without dlopen.
#include "gradproof/core/platform/shared_library.hpp"

namespace gradproof {

bool loads_shared_libraries() noexcept { return false; }
SharedLibrary open_shared_library(const std::string&) { return {nullptr, "this build loads no shared libraries"}; }
void close_shared_library(const SharedLibrary&) noexcept {}

}  // namespace gradproof
