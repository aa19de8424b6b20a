// Lines that give a name to something else, whatever they are: with open(f) as f, for f in files, from mine import *, class f.
//
//   binds("with open(path) as f:", "f");        // true
#pragma once

#include <string_view>

namespace gradproof::proof::numpy {

/// `code`: one line of Python, without its comment. Keywords of calls, h(f=2), and uses of the name bind nothing.
bool binds(std::string_view code, std::string_view name);
/// Whether the line may give any name: from mine import *, %run mine.py, exec(...).
bool binds_unseen(std::string_view code);

}  // namespace gradproof::proof::numpy
