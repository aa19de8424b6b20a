// The proofs that come with the program.
#include "gradproof/core/proof/library/library.hpp"

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
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
    const std::vector<std::string> names = library_names();
    value_error(
        "no proof named {}{}", printable(name, 60),
        did_you_mean(name, names, fmt::format("; there are {}, from {} to {}", names.size(), names.front(), names.back())));
}

}  // namespace gradproof::proof
