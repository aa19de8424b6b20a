// The derivations of a file of LaTeX.
#include "gradproof/core/proof/language/latex/paper.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/epochs.hpp"
#include "gradproof/core/proof/language/latex/parts.hpp"
#include "gradproof/core/proof/language/latex/read.hpp"
#include "gradproof/core/proof/language/statements.hpp"
#include "gradproof/core/proof/language/upstream.hpp"

namespace gradproof::proof::latex {
namespace {

/// "\\item" and "(b)", which a list of problems or cases has.
bool is_listed(std::string_view text) {
    if (text.find("\\item") != std::string_view::npos) return true;
    for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
        const std::string_view label = text.substr(at + 1, text.find(')', at) - at - 1);
        const bool before = at == 0 || std::string_view(" \n~").find(text[at - 1]) != std::string_view::npos;
        const bool letters =
            label == "ii" || label == "iii" || (label.size() == 1 && std::isalnum(static_cast<unsigned char>(label[0])) != 0);
        if (before && letters && at + label.size() + 2 < text.size() &&
            std::string_view(" ,.:~\n").find(text[at + label.size() + 2]) != std::string_view::npos)
            return true;
    }
    return false;
}

/// Of "(a) $L = f$. (b) $L = g$." and lines behind both: which L each of them is of, is not known.
void doubt_listed(std::vector<Proof>& all) {
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const Proof& first = all[i];
        Proof& second = all[i + 1];
        if (std::ranges::any_of(first.lines, &JudgedLine::is_judged)) continue;
        for (const Assignment& a : first.forward) {
            const Assignment* const b = second.find(a.name);
            if (b == nullptr || b->statement.span.begin <= a.statement.span.end ||
                proof::text_of(*b->value) == proof::text_of(*a.value))
                continue;
            const Span between{a.statement.span.end, b->statement.span.begin};
            if (!is_listed(second.source->slice(between))) continue;
            for (JudgedLine& line : second.lines) {
                const std::size_t behind = b->statement.span.end, at = line.statement.span.begin;
                if (at < behind || !is_listed(second.source->slice({behind, at}))) continue;  // L = g, where ...
                line.leave_open(
                    fmt::format("lines {} and {} both say what {} is: say of which this is, or write each where it belongs",
                                a.statement.line, b->statement.line, a.name));
            }
        }
    }
}

}  // namespace

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
        doubt_listed(out);
        return out;
    };
    try {
        if (const std::vector<Span> parts = derivations_in(*source, text); parts.size() > 1) return read_parts(parts);
    } catch (const ProofError&) {  // told where it is read as one
    }
    return read_parts({text});
}

}  // namespace gradproof::proof::latex
