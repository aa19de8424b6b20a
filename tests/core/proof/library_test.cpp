// The library of proofs: every claim right and every planted bug seen; the wrong versions refused.
#include "gradproof/core/proof/library/library.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/paths.hpp"

namespace gradproof::proof {
namespace {

const int kNamedPercent = testing::kSampled ? 95 : 98;  // what the diagnosis reaches on these, and on a third of them

std::string lines_with(const ProofReport& r, Verdict v) {
    std::string out;
    for (const LineReport& l : r.lines)
        if (l.verdict == v) out += fmt::format("\n  {}:{}: {}  {}", r.file, l.line, l.text, l.reason);
    return out;
}

FileReport check_library(const std::string& name, std::uint64_t seed, bool mutation) {
    CheckOptions options;
    options.draw.seed = seed;
    options.mutation = mutation;
    options.diagnose = false;
    return check_file(name + ".proof", library_text(name), options);
}

TEST(ProofLibrary, EveryClaimIsRightAndEveryPlantedBugIsSeen) {
    for (const std::string& name : some_library_names(2))
        for (const ProofReport& r : check_library(name, CheckOptions{}.draw.seed, true).proofs) {
            EXPECT_FALSE(r.title.empty()) << name;
            EXPECT_EQ(r.count(Verdict::wrong), 0) << lines_with(r, Verdict::wrong);
            EXPECT_EQ(r.count(Verdict::cannot_tell), 0) << lines_with(r, Verdict::cannot_tell);
            EXPECT_EQ(r.skipped(), 0) << name;
            EXPECT_GE(r.planted, 4) << name;
            EXPECT_EQ(r.caught, r.planted) << name;
        }
}

TEST(ProofLibrary, IsRightInOtherDraws) {
    for (const std::string& name : some_library_names(3))
        for (std::uint64_t seed = 1; seed <= (testing::kSampled ? 1u : 5u); ++seed)
            for (const ProofReport& r : check_library(name, seed, false).proofs)
                EXPECT_EQ(r.verdict(), Verdict::right)
                    << "seed " << seed << lines_with(r, Verdict::wrong) << lines_with(r, Verdict::cannot_tell);
}

/// A claim that people get wrong, and the kinds of diagnosis that are true of it.
struct WrongClaim {
    std::string claim;
    std::set<std::string> kinds;
};

/// tests/proofs/wrong/NAME.claims: wrong claims about the library's NAME, one a line, each with "# kind" or "# kind | kind".
std::vector<WrongClaim> wrong_claims(const std::string& name) {
    std::ifstream in(GRADPROOF_SOURCE_DIR "/tests/proofs/wrong/" + name + ".claims");
    std::vector<WrongClaim> out;
    for (std::string line; std::getline(in, line);) {
        const std::size_t mark = line.find(" # ");
        if (mark == std::string::npos) continue;
        WrongClaim w{line.substr(0, mark), {}};
        std::istringstream kinds(line.substr(mark + 3));
        for (std::string kind; kinds >> kind;)
            if (kind != "|") w.kinds.insert(kind);
        out.push_back(std::move(w));
    }
    return out;
}
ProofReport check_wrong(const std::string& name, const std::vector<WrongClaim>& claims, bool diagnose, std::uint64_t seed) {
    std::string text = library_text(name);
    text.erase(text.find("\nclaim\n") + 7);
    for (const WrongClaim& w : claims) text += "  " + w.claim + "\n";
    CheckOptions options;
    options.draw.seed = seed;
    options.mutation = false;
    options.diagnose = diagnose;
    return check_file(name + ".proof", text, options).proofs.at(0);
}

TEST(WrongProofs, AreAllRefused) {
    for (const std::string& name : some_library_names(3)) {
        const std::vector<WrongClaim> claims = wrong_claims(name);
        EXPECT_GE(claims.size(), 4u) << name;
        for (const std::uint64_t seed : {CheckOptions{}.draw.seed, std::uint64_t{1}, std::uint64_t{2}}) {
            const ProofReport r = check_wrong(name, claims, false, seed);
            EXPECT_EQ(r.count(Verdict::wrong), static_cast<int>(claims.size()))
                << "seed " << seed << lines_with(r, Verdict::right) << lines_with(r, Verdict::cannot_tell);
        }
    }
}

TEST(WrongProofs, AreNamedForWhatTheyAre) {
    std::map<std::string, std::pair<int, int>> of;  // the first kind of a claim: named, all
    int named = 0, all = 0;
    for (const std::string& name : some_library_names(3)) {
        const std::vector<WrongClaim> claims = wrong_claims(name);
        const ProofReport r = check_wrong(name, claims, true, CheckOptions{}.draw.seed);
        for (std::size_t i = 0; i < claims.size(); ++i) {
            const std::string kind(check::key(r.lines[i].diagnosis ? r.lines[i].diagnosis->mistake : Mistake::none));
            const bool hit = claims[i].kinds.contains(kind);
            auto& [right, total] = of[*claims[i].kinds.begin()];
            right += hit;
            ++total;
            named += hit;
            ++all;
            if (!hit)
                std::printf("%s: %s is called %s: %s\n", name.c_str(), claims[i].claim.c_str(), kind.c_str(),
                            r.lines[i].diagnosis ? r.lines[i].diagnosis->text.c_str() : "");
        }
    }
    for (const auto& [kind, count] : of) std::printf("%-22s %3d of %3d\n", kind.c_str(), count.first, count.second);
    std::printf("%-22s %3d of %3d\n", "all", named, all);
    EXPECT_GE(named, all * kNamedPercent / 100);
}

/// A repair that is offered makes the line right, in draws the diagnosis did not see.
TEST(WrongProofs, AreRightOnceRepaired) {
    int repaired = 0, wrong = 0;
    for (const std::string& name : some_library_names(6)) {
        const std::vector<WrongClaim> claims = wrong_claims(name);
        const ProofReport r = check_wrong(name, claims, true, CheckOptions{}.draw.seed);
        std::vector<WrongClaim> repairs;
        for (std::size_t i = 0; i < claims.size(); ++i)
            if (r.lines[i].diagnosis && !r.lines[i].diagnosis->repair.empty())
                repairs.push_back(
                    {claims[i].claim.substr(0, claims[i].claim.find(" = ") + 3) + r.lines[i].diagnosis->repair, {}});
        wrong += static_cast<int>(claims.size());
        repaired += static_cast<int>(repairs.size());
        if (repairs.empty()) continue;
        const ProofReport again = check_wrong(name, repairs, false, 77);
        EXPECT_EQ(again.count(Verdict::wrong), 0) << name << lines_with(again, Verdict::wrong);
    }
    EXPECT_GE(repaired, wrong * 85 / 100);
}

/// The formulas of the five documents; their numbers are in core/proof/documents.
TEST(Documents, DeriveTheirFormulasRight) {
    int documents = 0;
    for (const auto& entry : std::filesystem::directory_iterator(GRADPROOF_SOURCE_DIR "/tests/proofs/documents")) {
        ++documents;
        std::ifstream in(entry.path());
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (const ProofReport& r : check_file(entry.path().filename().string(), text, {}).proofs)
            for (const LineReport& l : r.lines)
                EXPECT_EQ(l.verdict, Verdict::right) << r.file << ":" << l.line << ": " << l.text << "  " << l.reason;
    }
    EXPECT_EQ(documents, 5);
}

TEST(ProofLibrary, NamesTheNearestProof) {
    EXPECT_EQ(testing::error_of([] { library_text("softmx"); }), "no proof named softmx; did you mean softmax");
    EXPECT_EQ(testing::error_of([] { library_text("zzzzzzzzzzzz"); }),
              fmt::format("no proof named zzzzzzzzzzzz; there are {}, from additive_attention to weight_tying",
                          library_names().size()));
}

std::string verdicts_of(const std::string& text) {
    std::string out;
    CheckOptions options;
    options.diagnose = false;
    for (const ProofReport& r : check_file("a.proof", text, options).proofs)
        for (const LineReport& l : r.lines)
            out += std::string(out.empty() ? "" : " ") + (l.verdict == Verdict::right   ? "right"
                                                          : l.verdict == Verdict::wrong ? "wrong"
                                                                                        : "cannot");
    return out;
}
constexpr const char* kSoftmax = "dims n m\ninput X [n, m]\nforward\n Y = softmax(X)\n";

TEST(Notation, EquatesWholeJacobians) {
    EXPECT_EQ(
        verdicts_of("dims n\ninput x [n]\nforward\n y = softmax(x)\nclaim\n ∂y/∂x = diag(y) - outer(y, y)\n ∂y/∂x = diag(y)"),
        "right wrong");
}
TEST(Notation, TakesRangesOfAnAxis) {
    EXPECT_EQ(verdicts_of("dims n m\ninput A [n, m], B [n, m]\nforward\n C = concat(A, B, axis=1)\nclaim\n dA = dC[:, 0:m]\n dB "
                          "= dC[:, m:2*m]\n dA = dC[:, m:2*m]\n"),
              "right right wrong");
    EXPECT_NE(refusal_of("a.proof", std::string(kSoftmax) + "claim\n dX = dY[:, 1:m+1]").find("is not a part of 0:"),
              std::string::npos);
}
TEST(Notation, TakesTheLargerOfTwoAndOfAnAxis) {
    EXPECT_EQ(verdicts_of("input X = [[1, 5, 2], [4, 0, 3]]\nexpect\n max(X, axis=1) = [5, 4]\n max(X, 2) = [[2, 5, 2], [4, 2, "
                          "3]]\n min(X, 2) = [[1, 2, 2], [2, 0, 2]]\n range(3) = [0, 1, 2]\n"),
              "right right right right");
}
TEST(Notation, AZeroInOneDrawIsNotVacuous) {
    // Of two standardised numbers the gradient vanishes; of more it does not, and other draws have more.
    EXPECT_EQ(verdicts_of("dims n\ninput x [n]\nforward\n y = (x - mean(x)) / sqrt(var(x))\nclaim\n dx = (dy - mean(dy) - y "
                          "mean(dy ⊙ y)) / sqrt(var(x))\n"),
              "right");
    EXPECT_EQ(verdicts_of(std::string(kSoftmax) + " s = sum(Y)\nclaim\n dX = Y ⊙ (dY - rowsum(dY ⊙ Y))\n"), "cannot");
}
TEST(Notation, SaysHowALineGoesOn) {
    EXPECT_NE(refusal_of("a.proof", std::string(kSoftmax) + "claim\n dX = Y ⊙ dY\n  + Y\n")
                  .find("a line begins with +: to go on from the line before, end that one with an operator"),
              std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
