// What tests of figures and pages share: whether a text is well-formed XML, as far as these files use it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradproof::testing {

/// "" for a well-formed text, else what is wrong. Elements, attributes, entities by name or number;
/// HTML's <meta> and <!DOCTYPE> may stay open.
inline std::string xml_mistake(std::string_view text) {
    std::vector<std::string> open;
    bool any = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '&') {
            const std::size_t end = text.find(';', i);
            if (end == std::string_view::npos || end - i > 7) return "a bare & at " + std::to_string(i);
        }
        if (text[i] == '>') return "a bare > at " + std::to_string(i);
        if (text[i] != '<') continue;
        std::size_t end = i + 1;
        for (bool quoted = false; end < text.size() && (quoted || text[end] != '>'); ++end) {
            if (text[end] == '"') quoted = !quoted;
            if (text[end] == '<') return "a < within a tag at " + std::to_string(end);
        }
        if (end >= text.size()) return "a tag without its end at " + std::to_string(i);
        const std::string_view tag = text.substr(i + 1, end - i - 1);
        const std::string name(
            tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" /\n", 1) - (tag.starts_with('/') ? 1 : 0)));
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != name) return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
            open.pop_back();
        } else if (!tag.starts_with('?') && !tag.starts_with('!') && !tag.ends_with('/') && name != "meta") {
            open.push_back(name);
            any = true;
        }
        i = end;
    }
    if (!open.empty()) return "<" + open.back() + "> is not closed";
    return any ? "" : "no element";
}

}  // namespace gradproof::testing
