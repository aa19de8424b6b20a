// Shared libraries by dlopen.
#include <dlfcn.h>

#include "gradproof/core/platform/shared_library.hpp"

namespace gradproof {

bool loads_shared_libraries() noexcept { return true; }

SharedLibrary open_shared_library(const std::string& path) {
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return handle != nullptr ? SharedLibrary{handle, ""} : SharedLibrary{nullptr, ::dlerror()};
}

void close_shared_library(const SharedLibrary& library) noexcept {
    if (library.handle != nullptr) ::dlclose(library.handle);
}

}  // namespace gradproof
