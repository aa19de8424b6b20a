// Documents as they come with the library, and as they are read.
#include "gradproof/core/proof/documents/documents.hpp"

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/library/embedded.hpp"

namespace gradproof::proof {

std::vector<std::string> document_names() {
    std::vector<std::string> out;
    for (const EmbeddedFile& f : documents::embedded_files()) out.emplace_back(f.name);
    return out;
}

std::string document_text(const std::string& name) {
    for (const EmbeddedFile& f : documents::embedded_files())
        if (f.name == name) return f.text();
    value_error("no document named {}{}", printable(name, 60), did_you_mean(name, document_names()));
}

Document read_document(const std::string& name, const std::string& text) {
    Document out{name, "", {}};
    for (Proof& p : read_proofs(name, text)) {
        std::string id = fmt::format("line {}", p.start.line);
        out.examples.push_back({std::move(id), "", std::move(p)});
    }
    int line = 1;
    std::size_t example = 0;
    for (std::size_t begin = 0; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view words = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        while (example + 1 < out.examples.size() && out.examples[example + 1].proof.start.line <= line) ++example;
        if (!words.starts_with("#! ")) continue;
        const std::size_t blank = std::min(words.find(' ', 3), words.size());
        const std::string_view key = words.substr(3, blank - 3);
        const std::string value(words.substr(std::min(blank + 1, words.size())));
        WorkedExample& e = out.examples[example];
        if (key == "document") out.title = value;
        if (key == "id") e.id = value;
        if (key == "note") e.note += (e.note.empty() ? "" : "; ") + value;
    }
    return out;
}

}  // namespace gradproof::proof
