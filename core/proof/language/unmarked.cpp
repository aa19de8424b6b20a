// Formulas of Markdown outside of its marked blocks.
#include "gradproof/core/proof/language/unmarked.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/fences.hpp"
#include "gradproof/core/proof/language/markdown.hpp"

namespace gradproof::proof {
namespace {

constexpr std::string_view kMarks = "$$";

/// Code and what is read.
std::vector<Span> elsewhere(const Source& source, const std::vector<ProofBlock>& blocks) {
    std::vector<Span> out = source.unmarked_cells();
    for (const ProofBlock& block : blocks) out.push_back(block.span);
    for (const CodeBlock& code : code_blocks(source.text())) out.push_back({code.begin, code.end});
    return out;
}

}  // namespace

std::vector<Passed> formulas_not_marked(const Source& source) {
    if (!is_markdown(source.file()) && !is_notebook(source.file())) return {};
    const std::vector<ProofBlock> blocks = source.blocks();
    const std::vector<Span> others = elsewhere(source, blocks);
    const auto is_text = [&](std::size_t at) {
        return std::ranges::none_of(others, [&](Span s) { return s.begin <= at && at < s.end; });
    };
    std::vector<std::size_t> marks;
    const std::string_view text = source.text();
    for (std::size_t at = text.find(kMarks); at != text.npos; at = text.find(kMarks, at + kMarks.size()))
        if (is_text(at)) marks.push_back(at);
    std::vector<Passed> out;
    for (std::size_t i = 0; i + 1 < marks.size(); i += 2) {
        const Span inside{marks[i] + kMarks.size(), marks[i + 1]};
        if (claims_a_derivative(source.slice(inside)))
            out.push_back({inside, "a formula with a derivative outside of the marked blocks"});
    }
    return out;
}

}  // namespace gradproof::proof
