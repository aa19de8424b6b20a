// A library without an op.
#include "gradproof/core/registry.hpp"

int nothing() { return gradproof::registry().has("nothing") ? 1 : 0; }
