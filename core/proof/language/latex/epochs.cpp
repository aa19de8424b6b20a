// Where a text says anew what something is.
#include "gradproof/core/proof/language/latex/epochs.hpp"

#include "gradproof/core/proof/language/latex/missing.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {

std::vector<Span> epochs_of(const Source& source, Span text) {
    std::vector<Span> out(1, text);
    if (has_annotations(source, with_text_before(source, text))) return out;
    const Prose prose(source, text, text);
    for (const std::size_t at : prose.changes()) {
        if (at <= out.back().begin) continue;
        out.back().end = at;
        out.push_back({at, text.end});
    }
    return out;
}

}  // namespace gradproof::proof::latex
