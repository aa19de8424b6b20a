// Jupyter notebooks that tests ask of.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gradproof::proof {

struct NotebookCell {
    std::string type, source;
};
/// Of format 4. `by_lines`: each source as a list of its lines.
inline std::string notebook(const std::vector<NotebookCell>& cells, bool by_lines = false) {
    nlohmann::json out{{"nbformat", 4}, {"nbformat_minor", 5}, {"metadata", {}}, {"cells", nlohmann::json::array()}};
    for (const NotebookCell& c : cells) {
        nlohmann::json source = c.source;
        if (by_lines) {
            source = nlohmann::json::array();
            for (std::size_t at = 0; at < c.source.size();) {
                const std::size_t end = std::min(c.source.find('\n', at), c.source.size() - 1) + 1;
                source.push_back(c.source.substr(at, end - at));
                at = end;
            }
        }
        out["cells"].push_back({{"cell_type", c.type}, {"source", source}, {"metadata", {}}});
    }
    return out.dump(1);
}

}  // namespace gradproof::proof
