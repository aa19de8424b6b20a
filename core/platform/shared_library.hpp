// Shared libraries that are loaded while the program runs.
//
//   const SharedLibrary library = open_shared_library("/home/me/libswish.so");
//   if (library.handle == nullptr) ... library.error ...
#pragma once

#include <string>

namespace gradproof {

/// Whether this build can load shared libraries. A build without dlopen cannot, nor a static one, whose code a plugin could not
/// share.
bool loads_shared_libraries() noexcept;

/// A library that was loaded, or a null handle and why it was not.
struct SharedLibrary {
    void* handle = nullptr;
    std::string error;
};

/// Loads the library at an absolute path and runs its initialisers; it stays loaded until it is closed.
SharedLibrary open_shared_library(const std::string& path);
void close_shared_library(const SharedLibrary& library) noexcept;

}  // namespace gradproof
