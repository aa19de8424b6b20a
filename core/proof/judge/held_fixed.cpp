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
    std::vector<std::size_t> called;                             // fixed, and read as if they were not
    std::vector<Span> said_of_all;
    const auto add = [&](std::string how, std::string clearly, const std::vector<std::size_t>& values) -> OtherForward& {
        out.push_back({std::move(how), std::move(clearly), proof.forward[values[0]].statement.line, as_read});
        for (const std::size_t i : values) out.back().proof.forward[i].stopped = !proof.forward[i].stopped;
        return out.back();
    };
    const auto wrong_or_within = [](std::vector<Span> said) {
        return [said = std::move(said)](const JudgedLine& line, bool right) { return !right || stands_in(line, said); };
    };
    for (std::size_t i = 0; i < proof.forward.size(); ++i) {
        const Assignment& a = proof.forward[i];
        if (a.said_fixed.empty()) continue;
        if (a.stopped) {
            add(fmt::format("a gradient through {}", a.name), fmt::format("say for which lines {} is held fixed", a.name), {i})
                .may_mean = [said = a.said_fixed](const JudgedLine& line, bool) { return !stands_in(line, said); };
            continue;
        }
        add(fmt::format("no gradient through {}", a.name),
            fmt::format("say that {} is held fixed, or leave the word out", a.name), {i})
            .may_mean = wrong_or_within(a.said_fixed);
        called.push_back(i);
        said_of_all.insert(said_of_all.end(), a.said_fixed.begin(), a.said_fixed.end());
    }
    if (called.size() > 1)
        add("no gradient through each of them", "say of each that it is held fixed, or leave the word out", called).may_mean =
            wrong_or_within(std::move(said_of_all));
    return out;
}

}  // namespace gradproof::proof
