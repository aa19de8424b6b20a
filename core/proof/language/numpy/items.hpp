// What a return gives, piece by piece.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {

/// The pieces of what `given` says, each as it stands: a, b of (a, (b,)), of [a, np.array(b)], of t and of t[0], t[1] where
/// t = a, b stands in `before`, and of t = [] with t.append(a), t.append(b) behind it.
std::vector<Span> items_of(const Source& source, Span before, Span given);

}  // namespace gradproof::proof::numpy
