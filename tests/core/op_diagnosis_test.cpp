// The diagnosis of ops: planted bugs in every registered op get their true names, and right gradients get none.
#include "gradproof/core/check/evidence.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "gradproof/core/check/mutation.hpp"
#include "tests/support.hpp"

namespace gradproof::check {
namespace {

/// What a planted bug is: the kinds that say so.
std::set<std::string> kinds_of(const std::string& mutant) {
    const std::pair<std::string_view, std::set<std::string>> known[] = {
        {"sign of", {"sign"}},
        {"factor", {"factor"}},
        {"absolute value", {"sign"}},
        {"transpose", {"transpose", "permuted_axes"}},
        {"reversed axis", {"shifted"}},
        {"rolled rows", {"shifted"}},
        {"mean subtracted", {"wrong_row_term"}},
        {"mean added", {"wrong_row_term"}},
        {"one wrong entry", {"entries"}},
        {"one missing entry", {"entries"}},
        {"mean for broadcast sum", {"mean_for_sum"}},
        {"first term for broadcast sum", {"missing_sum"}},
        {"dropped path", {"missing_path"}},
        {"one use dropped", {"factor"}},
        {"= for +=", {"factor"}},
    };
    for (const auto& [begin, kinds] : known)
        if (mutant.starts_with(begin)) return kinds;
    if (mutant.ends_with("swapped")) return {"wrong_name", "sign"};  // one may be minus the other
    return {};
}

/// Of one number, and of rows of one number, these slips are other ones: a factor, a zero, nothing.
bool is_degenerate(const std::string& mutant, const Shape& shape) {
    const bool one_number = shape.size() < 2;
    for (const char* begin : {"one wrong entry", "one missing entry"})
        if (mutant.starts_with(begin)) return one_number;
    for (const char* begin : {"mean subtracted", "mean added"})
        if (mutant.starts_with(begin)) return one_number || shape.last() < 2;
    return false;
}

// Of all planted bugs every so many. Sanitizers are slow.
const std::size_t kStride = testing::kSampled ? 40 : 4;

struct Score {
    std::map<std::string, std::map<std::string, int>> said;  // class of bug -> kind -> how often
    int planted = 0, named = 0;
    std::size_t offered = 0;
    void add(const std::string& what, const std::string& kind, bool hit) {
        ++said[what][kind];
        ++planted;
        named += hit;
    }
};

void plant_in(const OpEntry& op, Score& score) {
    const std::vector<SampleCase> samples = op.samples();
    std::vector<Case> cases;
    for (const SampleCase& s : samples) cases.push_back(make_case(op, s, 7));
    struct Planted {
        int input = 0;
        std::vector<Evidence> calls;
    };
    std::map<std::string, Planted> bugs;
    std::map<std::string, bool> seen;  // and whether it is planted
    for (const Case& c : cases) {
        if (c.empty() || c.excuse().zero_gradient || c.excuse().finite_differences) continue;
        const Evidence honest = evidence_of(c);
        for (int i = 0; i < c.subject.inputs(); ++i)
            if (c.subject.has(i)) {
                EXPECT_TRUE(explanations(honest, i).empty())
                    << op.info.name << ", " << c.sample() << ": " << explanations(honest, i).front().text;
            }
        for (const Mutant& m : mutants(c.subject)) {
            if (kinds_of(m.name).empty() || !seen.try_emplace(m.name, score.offered++ % kStride == 0).first->second) continue;
            const auto claimed = plant(c.subject, c.claimed, m);
            if (!claimed || is_degenerate(m.name, c.subject.x[static_cast<std::size_t>(m.input)].shape())) continue;
            Planted& p = bugs[m.name];
            p.input = m.input;
            p.calls.push_back(honest);
            p.calls.back().claimed = *claimed;
        }
    }
    for (const auto& [name, p] : bugs) {
        std::vector<const Evidence*> calls;
        for (const Evidence& e : p.calls) calls.push_back(&e);
        for (const auto& why : explain_calls(calls, p.input)) {
            const std::string kind(key(why ? why->mistake : Mistake::none));
            const bool hit = kinds_of(name).contains(kind);
            score.add(name.substr(0, name.find(" of d(")), kind, hit);
            if (!hit)
                std::printf("%s: %s is called %s: %s\n", std::string(op.info.name).c_str(), name.c_str(), kind.c_str(),
                            why ? why->text.c_str() : "");
        }
    }
}

TEST(OpDiagnosis, NamesPlantedBugsAndNoRightGradient) {
    Score score;
    for (const auto& op : registry().all()) plant_in(*op, score);
    for (const auto& [what, said] : score.said) {
        std::printf("%-40s", what.c_str());
        for (const auto& [kind, n] : said) std::printf(" %s %d", kind.c_str(), n);
        std::printf("\n");
    }
    std::printf("%d of %d\n", score.named, score.planted);
    EXPECT_GT(score.planted, kStride > 10 ? 100 : 1000);
    EXPECT_GE(score.named, score.planted * (kStride > 10 ? 95 : 98) / 100);
}

}  // namespace
}  // namespace gradproof::check
