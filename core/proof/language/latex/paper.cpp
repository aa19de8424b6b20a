// The derivations of a file of LaTeX.
#include "gradproof/core/proof/language/latex/paper.hpp"

#include <utility>

#include "gradproof/core/proof/language/latex/epochs.hpp"
#include "gradproof/core/proof/language/latex/parts.hpp"
#include "gradproof/core/proof/language/latex/read.hpp"
#include "gradproof/core/proof/language/statements.hpp"
#include "gradproof/core/proof/language/upstream.hpp"

namespace gradproof::proof::latex {

std::vector<Proof> read_paper(const std::shared_ptr<const Source>& source, Span text, Unreadable unreadable) {
    const auto read_within = [&](Span part, Span epoch) {
        Statements to(source, unreadable);
        read(source, part, epoch, to);
        to.written_in(Language::latex, 0);
        return to.take();
    };
    // What is said behind it may be of other values with the same names, unless nothing is read without.
    const auto read_epoch = [&](Span part, Span epoch) {
        if (epoch.end == part.end) return read_within(part, epoch);
        try {
            return read_within({part.begin, epoch.end}, epoch);
        } catch (const ProofError&) {
            return read_within(part, epoch);
        }
    };
    const auto read_parts = [&](const std::vector<Span>& parts) {
        std::vector<Proof> out;
        for (const Span part : parts) {
            for (const Span epoch : epochs_of(*source, part)) {
                Proof p = read_epoch(part, epoch);
                if (epoch.begin != part.begin && p.lines.empty()) continue;
                for (Proof& one : by_upstream(std::move(p))) out.push_back(std::move(one));
            }
        }
        return out;
    };
    try {
        if (const std::vector<Span> parts = derivations_in(*source, text); parts.size() > 1) return read_parts(parts);
    } catch (const ProofError&) {  // told where it is read as one
    }
    return read_parts({text});
}

}  // namespace gradproof::proof::latex
