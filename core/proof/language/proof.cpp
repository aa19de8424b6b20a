// Files that hold derivations.
#include "gradproof/core/proof/language/proof.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/hidden.hpp"
#include "gradproof/core/proof/language/latex/paper.hpp"
#include "gradproof/core/proof/language/latex/read.hpp"
#include "gradproof/core/proof/language/notation.hpp"
#include "gradproof/core/proof/language/numpy/changed_between.hpp"
#include "gradproof/core/proof/language/numpy/read.hpp"
#include "gradproof/core/proof/language/numpy/rebindings.hpp"
#include "gradproof/core/proof/language/numpy/wiped.hpp"
#include "gradproof/core/proof/language/statements.hpp"
#include "gradproof/core/proof/language/unmarked.hpp"

namespace gradproof::proof {
namespace {

/// Whether a block's first statement opens a proof of its own.
bool opens_proof(const Source& source, const ProofBlock& block) {
    if (block.statements.empty()) return false;
    const std::string_view text = source.slice(block.statements.front().span);
    const std::string_view word = text.substr(0, identifier_length(text));
    return word == "title" || word == "dims" || word == "input" || Statements::is_convention(word);
}

/// One proof being read, by the readers of its blocks.
struct Open {
    Open(const std::shared_ptr<const Source>& source, Unreadable unreadable)
        : statements(source, unreadable), notation(notation_reader(*source, statements)) {}
    Statements statements;
    std::function<void(const ProofBlock&)> notation;
};

/// All of a program: the parts of one derivation, those of others, and what stands in none.
std::vector<numpy::ProgramPart> all_of(const std::vector<Span>& parts, const std::vector<numpy::ProgramPart>& program) {
    std::vector<numpy::ProgramPart> out;
    for (numpy::ProgramPart p : program) {
        p.is_read = std::ranges::any_of(parts, [&](Span s) { return s.begin == p.text.begin; });
        p.of_another = p.of_another && !p.is_read;
        out.push_back(p);
    }
    std::ranges::sort(out, {}, [](const numpy::ProgramPart& p) { return p.text.begin; });
    return out;
}

/// Whatever Python a file holds: what is marked as part of a derivation, what is not, and the cells and blocks beside these.
std::vector<numpy::ProgramPart> all_of_programs(const Source& source) {
    std::vector<numpy::ProgramPart> out;
    for (const Span cell : source.unmarked_cells()) out.push_back({cell, false});
    for (const ProofBlock& block : source.blocks()) {
        if (block.language != Language::numpy) continue;
        std::size_t from = block.span.begin;  // where the part before ends
        for (const Span part : numpy::marked(source, block.span)) {
            if (from < part.begin) out.push_back({{from, part.begin}, false});
            out.push_back({part, false, true});
            from = part.end;
        }
        if (from < block.span.end) out.push_back({{from, block.span.end}, false});
    }
    return out;
}

}  // namespace

std::vector<Proof> read_proofs(std::string file, Text text, Unreadable unreadable) {
    auto source = std::make_shared<const Source>(std::move(file), std::move(text));
    std::vector<Passed> undecided;
    if (is_latex(source->file())) {
        for (const Span s : latex::undecided_in(*source)) undecided.push_back({s, "text under a condition"});
        source = std::make_shared<const Source>(source->without(latex::hidden_in(*source)));
    }
    std::vector<Proof> out;
    std::optional<Open> open;
    const std::vector<numpy::ProgramPart> program = all_of_programs(*source);
    const auto close = [&] {
        if (open) {
            Statements& to = open->statements;
            if (const std::vector<Span>& parts = to.proof().program; !parts.empty()) {
                const numpy::ScopedLines lines(*source, all_of(parts, program));
                to.pass_over(numpy::rebindings_in(*source, lines, to));
                to.pass_over(numpy::wiped_in(lines, to));
                if (!to.proof().forward.empty() && to.proof().lines.empty())
                    to.pass_over({{parts.front(), "no line of it computes a gradient"}});
            }
            out.push_back(open->statements.take());
        }
        open.reset();
    };
    std::size_t last = 0;  // where the program's last part ends
    for (const ProofBlock& block : source->blocks()) {
        if (block.language == Language::notation && opens_proof(*source, block)) close();
        if (block.language == Language::latex && latex::opens_proof(*source, block.span)) close();
        if (is_latex(source->file())) {
            out = latex::read_paper(source, block.span, unreadable);
            for (Proof& p : out) p.passed_over.insert(p.passed_over.begin(), undecided.begin(), undecided.end());
            return out;
        }
        if (block.language == Language::numpy) {
            for (const Span cell : open ? source->unmarked_cells() : std::vector<Span>{})
                if (last <= cell.begin && cell.end <= block.span.begin)
                    open->statements.pass_over(numpy::changed_between(*source, cell, open->statements));
            last = block.span.end;
            std::size_t from = block.span.begin;  // where the part before ends
            for (const Span part : numpy::marked(*source, block.span)) {
                const bool is_between = block.span.begin < from && from < part.begin;
                if (numpy::opens_proof(*source, part)) close();
                if (open && is_between)
                    open->statements.pass_over(numpy::changed_between(*source, {from, part.begin}, open->statements));
                from = part.end;
                if (!open) open.emplace(source, unreadable);
                open->statements.add_program(part);
                const std::size_t before = open->statements.proof().lines.size();
                numpy::read(source, part, open->statements);
                open->statements.written_in(block.language, before);
            }
            if (open && from < block.span.end)
                open->statements.pass_over(numpy::gradients_changed_in(*source, {from, block.span.end}, open->statements));
            continue;
        }
        if (!open) open.emplace(source, unreadable);
        const std::size_t before = open->statements.proof().lines.size();
        if (block.language == Language::latex) {
            latex::read(source, block.span, open->statements);
            open->statements.holds_for("what stands in the blocks alone");
        } else {
            open->notation(block);
        }
        open->statements.written_in(block.language, before);
    }
    const auto* const expected = is_notebook(source->file()) ? "a block fenced as ```proof, or code with a comment # gradproof:"
                                                             : "a block fenced as ```proof";
    if (!open) throw ProofError(*source, 0, fmt::format("no proofs: expected {}", expected));
    for (const Span cell : source->unmarked_cells())
        if (last > 0 && last <= cell.begin)
            open->statements.pass_over(numpy::gradients_computed_in(*source, cell, open->statements));
    open->statements.pass_over(formulas_not_marked(*source));
    close();
    return out;
}

}  // namespace gradproof::proof
