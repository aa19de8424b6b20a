// A matrix as a derivation states it: [[1, 2], [3, 4]].
#pragma once

#include <fmt/format.h>

#include "tools/web/calls.hpp"

namespace gradproof::web {

/// So many significant digits; 0 for as many as tell it from every other double.
inline std::string literal(const Tensor<double>& x, int digits = 0) {
    std::string out = "[";
    for (Index i = 0; i < x.dim(0); ++i) {
        out += i == 0 ? "[" : ", [";
        for (Index j = 0; j < x.dim(1); ++j) {
            const double v = x[i * x.dim(1) + j];
            out += j == 0 ? "" : ", ";
            out += digits > 0 ? fmt::format("{:.{}g}", v, digits) : fmt::format("{}", v);
        }
        out += "]";
    }
    return out + "]";
}

}  // namespace gradproof::web
