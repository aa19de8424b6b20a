// Names without what identifiers cannot have.
#include "gradproof/core/proof/derive/identifiers.hpp"

namespace gradproof::proof {

const std::string& Identifiers::found(const std::string& key, const std::string& name) {
    if (const auto known = names_.find(key); known != names_.end()) return known->second;
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        // ₀ to ₉ are E2 82 80 to E2 82 89.
        const bool subscript =
            name.compare(i, 2, "\xE2\x82") == 0 && i + 2 < name.size() && static_cast<unsigned char>(name[i + 2]) <= 0x89;
        if (subscript) {
            out += static_cast<char>('0' + (static_cast<unsigned char>(name[i + 2]) - 0x80));
            i += 2;
        } else {
            out += name[i] == '\'' ? '_' : name[i];
        }
    }
    while (!taken_.insert(out).second) out += "_";
    return names_.emplace(key, out).first->second;
}

}  // namespace gradproof::proof
