// Values that a sentence holds fixed.
#include "gradproof/core/proof/judge/held_fixed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gradproof::proof {
namespace {

bool stands_in(const JudgedLine& line, const std::vector<Span>& spans) {
    const std::size_t at = line.statement.span.begin;
    return std::ranges::any_of(spans, [&](Span of) { return of.begin <= at && at < of.end; });
}

}  // namespace

std::vector<OtherForward> with_others_fixed(const Proof& proof) {
    std::vector<OtherForward> out;
    Proof as_read = proof;
    for (Assignment& a : as_read.forward) a.said_fixed.clear();  // so that none of them is asked for again
    OtherForward all{"no gradient through each of them", "say of each that it is held fixed, or leave the word out", 0, as_read};
    std::vector<Span> of_all;
    for (std::size_t i = 0; i < proof.forward.size(); ++i) {
        const Assignment& a = proof.forward[i];
        if (a.said_fixed.empty()) continue;
        OtherForward other{"", "", a.statement.line, as_read};
        other.proof.forward[i].stopped = !a.stopped;
        if (a.stopped) {
            other.how = fmt::format("a gradient through {}", a.name);
            other.clearly = fmt::format("say for which lines {} is held fixed", a.name);
            other.may_mean = [said = a.said_fixed](const JudgedLine& line, bool) { return !stands_in(line, said); };
        } else {
            other.how = fmt::format("no gradient through {}", a.name);
            other.clearly = fmt::format("say that {} is held fixed, or leave the word out", a.name);
            other.may_mean = [said = a.said_fixed](const JudgedLine& line, bool right) {
                return !right || stands_in(line, said);
            };
            all.line = a.statement.line;
            all.proof.forward[i].stopped = true;
            of_all.insert(of_all.end(), a.said_fixed.begin(), a.said_fixed.end());
        }
        out.push_back(std::move(other));
    }
    if (of_all.size() > 1) {
        all.may_mean = [of_all](const JudgedLine& line, bool right) { return !right || stands_in(line, of_all); };
        out.push_back(std::move(all));
    }
    return out;
}

}  // namespace gradproof::proof
