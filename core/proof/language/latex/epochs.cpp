// Where a text says anew what something is.
#include "gradproof/core/proof/language/latex/epochs.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/missing.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {

std::vector<Span> epochs_of(const Source& source, Span text) {
    std::vector<Span> out(1, text);
    if (has_annotations(source, with_text_before(source, text))) return out;
    std::vector<std::size_t> changes = Prose(source, text, text).changes();
    std::ranges::sort(changes);
    for (const std::size_t at : changes) {
        if (at <= out.back().begin) continue;
        out.back().end = at;
        out.push_back({at, text.end});
    }
    return out;
}

}  // namespace gradproof::proof::latex
