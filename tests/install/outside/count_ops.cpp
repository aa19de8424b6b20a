// Prints how many ops the installed library registers in a program that refers to none of them.
#include <cstdio>

#include "gradproof/core/registry.hpp"

int main() { std::printf("%zu\n", gradproof::registry().all().size()); }
