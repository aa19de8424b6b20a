// The proofs that come with the program.
#include "tools/proof/library.hpp"

#include "core/errors.hpp"
#include "core/io/file.hpp"
#include "tools/embedded.hpp"

namespace gradproof::proof {

std::vector<std::string> library_names() {
    std::vector<std::string> out;
    for (const EmbeddedFile& f : embedded_files()) out.emplace_back(f.name);
    return out;
}

std::string library_text(const std::string& name) {
    for (const EmbeddedFile& f : embedded_files())
        if (f.name == name) return f.text();
    const std::string near = nearest(name, library_names());
    value_error("no proof named {}{}", printable(name, 60),
                near.empty() ? "; `gradproof proofs` lists them" : "; did you mean " + near);
}

}  // namespace gradproof::proof
