// The proofs that come with the program.
#include "gradproof/core/proof/library/library.hpp"

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/library/embedded.hpp"

namespace gradproof::proof {

std::vector<std::string> library_names() {
    std::vector<std::string> out;
    for (const EmbeddedFile& f : embedded_files()) out.emplace_back(f.name);
    return out;
}

std::string library_text(const std::string& name) {
    for (const EmbeddedFile& f : embedded_files())
        if (f.name == name) return f.text();
    value_error("no proof named {}{}", printable(name, 60),
                did_you_mean(name, library_names(), "; `gradproof proofs` lists them"));
}

}  // namespace gradproof::proof
