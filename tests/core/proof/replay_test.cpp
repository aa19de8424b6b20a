// The documents replayed: as many numbers as they print and as many misprints as they have, each held by an erratum; a change
// of any of them is seen.
#include "gradproof/core/proof/documents/replay.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

using testing::error_of;

Document document(const std::string& name) { return read_document(name, document_text(name)); }
ReplayedExample replay_text(const std::string& text) { return replay(read_document("notes.proof", text)).examples.at(0); }

struct Printed {
    const char* example;
    Index agree, rounding, wrong;
};
/// Counted when the documents were first typed in; the misprints among these are what their authors were told.
constexpr Printed kPrinted[] = {
    {"attention_deep_dive/three-tokens-scores", 29, 0, 2},
    {"attention_deep_dive/first-row-softmax", 11, 0, 0},
    {"attention_deep_dive/three-tokens-weights", 42, 2, 11},
    {"attention_deep_dive/three-tokens-output", 43, 0, 9},
    {"attention_deep_dive/short-dot-product", 4, 0, 0},
    {"attention_deep_dive/softmax-1-2-3", 3, 0, 0},
    {"attention_deep_dive/softmax-10-20-30", 3, 0, 0},
    {"attention_deep_dive/soft-lookup", 0, 0, 0},
    {"attention_deep_dive/base-model-sizes", 3, 0, 0},
    {"attention_deep_dive/soft-adjacency", 4, 0, 0},
    {"attention_deep_dive/normalised-positions", 4, 0, 0},
    {"attention_deep_dive/dimension-indices", 6, 0, 0},
    {"attention_deep_dive/wavelengths", 9, 1, 4},
    {"attention_deep_dive/wavelength-rounded-exponent", 0, 1, 0},
    {"attention_deep_dive/sinusoids-width-4", 45, 0, 0},
    {"attention_deep_dive/circle-positions", 9, 0, 0},
    {"attention_deep_dive/slow-circle", 8, 0, 0},
    {"attention_deep_dive/causal-mask", 20, 0, 0},
    {"attention_deep_dive/causal-mask-three-tokens", 0, 0, 0},
    {"search_engine/clusters", 2, 0, 0},
    {"search_engine/bank-similarity", 0, 0, 0},
    {"search_engine/it-scores", 0, 0, 0},
    {"search_engine/score-matrix-sizes", 4, 0, 0},
    {"search_engine/small-counts", 2, 0, 0},
    {"search_engine/magnitude-problem", 6, 0, 0},
    {"search_engine/scaling-keeps-ratio", 4, 0, 0},
    {"search_engine/pronoun-scores", 7, 3, 0},
    {"search_engine/pronoun-softmax", 25, 7, 2},
    {"search_engine/pronoun-context", 25, 4, 0},
    {"search_engine/sharp-exponentials", 2, 0, 0},
    {"search_engine/heatmap", 14, 0, 0},
    {"search_engine/three-tokens", 3, 0, 0},
    {"single_head/vector-listings", 38, 0, 4},
    {"single_head/score-0-4", 18, 1, 0},
    {"single_head/score-4-0", 0, 0, 2},
    {"single_head/scores-from-vectors", 3, 0, 6},
    {"single_head/scaled-table", 67, 0, 0},
    {"single_head/position-4-softmax", 46, 3, 4},
    {"single_head/weights-table", 87, 3, 119},
    {"single_head/position-4-shares", 26, 7, 1},
    {"single_head/amplification", 2, 2, 0},
    {"single_head/temperatures", 4, 2, 3},
    {"single_head/negative-scores", 6, 0, 0},
    {"single_head/saturation", 6, 0, 0},
    {"single_head/all-ones", 2, 0, 0},
    {"single_head/scaling-choices", 12, 0, 0},
    {"single_head/value-ranges", 3, 0, 0},
    {"single_head/output-4-products", 28, 2, 0},
    {"single_head/output-4", 15, 12, 22},
    {"single_head/output-table", 71, 14, 118},
    {"single_head/parameters", 4, 0, 0},
    {"single_head/operation-counts", 7, 0, 2},
    {"single_head/receptive-fields", 3, 0, 0},
    {"single_head/pattern-sums", 3, 1, 3},
    {"single_head/stated-shares", 0, 0, 2},
    {"single_head/epoch-sums", 2, 0, 1},
    {"single_head/graph-edges", 7, 0, 0},
    {"single_head/uniform-weights", 8, 0, 0},
    {"single_head/exercise-score", 0, 0, 0},
    {"single_head/exercise-softmax", 1, 0, 0},
    {"single_head/exercise-output", 0, 0, 1},
    {"single_head/exercise-rescaling", 0, 0, 0},
    {"students/queries", 12, 0, 0},
    {"students/keys", 12, 0, 0},
    {"students/raw-scores", 57, 0, 0},
    {"students/scaled-scores", 28, 6, 10},
    {"students/plain-normalisation", 0, 0, 0},
    {"students/exponentials", 1, 1, 0},
    {"students/attention-weights", 46, 16, 11},
    {"students/values", 36, 0, 0},
    {"students/mixtures", 32, 4, 0},
    {"students/end-to-end", 39, 10, 9},
    {"students/two-digit-mixture", 0, 2, 0},
};

TEST(Replay, FindsTheNumbersAndTheMisprintsOfTheDocuments) {
    EXPECT_EQ(document_names(), (std::vector<std::string>{"attention_deep_dive", "search_engine", "single_head", "students"}));
    std::size_t n = 0;
    for (const std::string& name : document_names()) {
        const Replay r = replay(document(name));
        EXPECT_FALSE(r.title.empty()) << name;
        for (const ReplayedExample& e : r.examples) {
            ASSERT_LT(n, std::size(kPrinted));
            const Printed& p = kPrinted[n++];
            EXPECT_EQ(name + "/" + e.id, p.example);
            EXPECT_FALSE(e.title.empty()) << p.example;
            EXPECT_EQ(e.agree, p.agree) << p.example;
            EXPECT_EQ(e.rounding, p.rounding) << p.example;
            EXPECT_EQ(e.wrong, p.wrong) << p.example;
            EXPECT_EQ(static_cast<Index>(e.disagreements.size()), p.rounding + p.wrong) << p.example;
            for (const Disagreement& d : e.disagreements)
                EXPECT_FALSE(d.misprint.erratum.empty()) << p.example << " " << d.text();
            for (const std::string& text : e.objections()) ADD_FAILURE() << p.example << ": " << text;
        }
    }
    EXPECT_EQ(n, std::size(kPrinted));
}

TEST(Replay, TheDocumentsAreProofsThatCheckFindsRight) {
    std::string repeated;  // two entries are printed again of vectors that are given
    for (const std::string& name : document_names())
        for (const ProofReport& r : check_file(name + ".proof", document_text(name), {}).proofs)
            for (const LineReport& l : r.lines)
                if (l.reason.find(" is given, not computed") != std::string::npos)
                    repeated += l.text + "; ";
                else
                    EXPECT_EQ(l.verdict, Verdict::right) << name << ":" << l.line << ": " << l.text << "  " << l.reason;
    EXPECT_EQ(repeated, "V0[15] = 0.34; V4[15] = 0.56; ");
}

/// The number three units of its last digit further from zero: beyond what rounding excuses.
std::string moved_digits(const std::string& digits) {
    const std::size_t exponent = std::min(digits.find_first_of("eE"), digits.size());
    std::string mantissa = digits.substr(0, exponent);
    for (int unit = 0; unit < 3; ++unit) {
        std::size_t i = mantissa.size();
        while (i > 0 && (mantissa[i - 1] == '9' || mantissa[i - 1] == '.')) {
            if (mantissa[i - 1] == '9') mantissa[i - 1] = '0';
            --i;
        }
        if (i > 0)
            ++mantissa[i - 1];
        else
            mantissa.insert(0, "1");
    }
    return mantissa + digits.substr(exponent);
}

/// `e` with its n-th number moved; nullptr where it has fewer.
ExprPtr with_number_moved(const ExprPtr& e, int& n) {
    if (e->kind == Kind::number) {
        if (n-- != 0) return nullptr;
        Expr moved = *e;
        moved.name = moved_digits(e->name);
        moved.number = std::stod(moved.name);
        moved.source.clear();
        return make(std::move(moved));
    }
    std::vector<ExprPtr> children = e->children;
    for (ExprPtr& c : children)
        if (const ExprPtr changed = with_number_moved(c, n)) {
            c = changed;
            return with_children(*e, std::move(children));
        }
    return nullptr;
}

/// Moves each number of the errata, or each printed number that has none, alone; how many, all of which must be seen.
int planted_and_seen(const std::string& name, bool errata) {
    int planted = 0;
    for (const WorkedExample& e : document(name).examples)
        for (std::size_t l = 0; l < e.proof.lines.size(); ++l) {
            const JudgedLine& line = e.proof.lines[l];
            if (errata ? !line.erratum : static_cast<bool>(line.erratum)) continue;
            for (int number = 0;; ++number) {
                WorkedExample changed = e;
                int n = number;
                ExprPtr& part = errata ? changed.proof.lines[l].erratum : changed.proof.lines[l].right;
                part = with_number_moved(part, n);
                if (!part) break;
                ++planted;
                EXPECT_EQ(replay({name, "", {changed}}).examples[0].objections().size(), 1U)
                    << name << "/" << e.id << ":" << line.statement.line << ": " << text_of(*part);
            }
        }
    return planted;
}

TEST(Replay, EveryPrintedNumberThatIsChangedIsSeen) {
    EXPECT_EQ(moved_digits("0.98"), "1.01");
    EXPECT_EQ(moved_digits("2.0e3"), "2.3e3");
    int planted = 0;
    for (const std::string& name : document_names()) planted += planted_and_seen(name, false);
    EXPECT_GE(planted, 700);
}

TEST(Replay, EveryErratumThatIsChangedIsSeen) {
    int planted = 0;
    for (const std::string& name : document_names()) planted += planted_and_seen(name, true);
    EXPECT_EQ(planted, 450);
}

TEST(Replay, ATrueNumberThatChangesIsSeen) {
    const auto objections = [](const std::string& name, const std::string& id, const std::string& from, const std::string& to) {
        std::string text = document_text(name);
        const std::size_t at = text.find(from, text.find("#! id " + id));
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        for (const ReplayedExample& e : replay(read_document(name, text)).examples)
            if (e.id == id) return e.objections().size();
        return std::size_t{0};
    };
    EXPECT_EQ(objections("students", "exponentials", "[2, 3]", "[2, 2.9998]"), 1U) << "20.08 would be right";
    EXPECT_EQ(objections("students", "exponentials", "[2, 3]", "[2, 3.001]"), 1U) << "the erratum would be wrong";
    EXPECT_GT(objections("students", "queries", "0.1, 0.2", "0.2, 0.2"), 0U);
    EXPECT_GT(objections("single_head", "weights-table", "4.2, 1.8", "4.1, 1.8"), 0U);
    EXPECT_EQ(objections("single_head", "temperatures", "temperature=0.5", "temperature=1.0"), 3U)
        << "then nothing is misprinted";
}

constexpr const char* kNotes =
    "title \"Sums\"\n#! document Notes of mine\n#! id sums\n#! note of two numbers\n"
    "dims n\ninput x = [0.1, 0.2], z [n]\nforward\n y = sum(x)\n w = exp(x)\nexpect\n";

TEST(Replay, SaysWhatIsNotAsStated) {
    const std::string notes = kNotes;
    EXPECT_EQ(replay_text(notes + " y = 0.3\n y = 0.300\n y = 0\n").agree, 3) << "0.3 rounds to 0";
    const ReplayedExample bare = replay_text(notes + " y = 0.7\n y = 0.32\n");
    EXPECT_EQ(bare.objections(),
              (std::vector<std::string>{"line 11: y: printed 0.7, true 0.3, and no erratum says so",
                                        "line 12: y: printed 0.32, true 0.3 (rounding), and no erratum says so"}));
    EXPECT_EQ(bare.wrong, 1);
    EXPECT_EQ(bare.rounding, 1);
    EXPECT_EQ(replay_text(notes + " y = 0.7 erratum 0.3\n").objections().size(), 0U);
    EXPECT_EQ(replay_text(notes + " y = 0.7 erratum 0.4\n").objections().at(0),
              "line 11: y: printed 0.7, true 0.3, and the erratum says 0.4");
    const ReplayedExample stray = replay_text(notes + " 2 x = [0.2, 0.4] erratum [..., 0.5]\n");
    EXPECT_EQ(stray.objections().at(0), "line 11: (2 x)[1]: the printed 0.4 is right, and needs no erratum");
    EXPECT_EQ(stray.agree, 2);
    const ReplayedExample open = replay_text(notes + " x = [0.1, ...]\n y = sum(x)\n skip \"later\"\n y = 9\n z = [1, ...]\n");
    EXPECT_EQ(open.entries(), 1) << "neither an equation nor a skipped line is a printed number";
    EXPECT_EQ(open.computed_only, 1 + 1 + 2) << "x[1], y and w";
    EXPECT_EQ(open.drawn_lines, (std::vector<int>{15}));
}

TEST(Replay, ReadsTheCommentsOfADocument) {
    const Document d = read_document("notes.proof", std::string(kNotes) +
                                                        " y = 0.3\n\ntitle \"Bare\"\n#! note one\n#! note two\n#!\n"
                                                        "input x = 2\nexpect\n x = 2\n");
    EXPECT_EQ(d.title, "Notes of mine");
    ASSERT_EQ(d.examples.size(), 2U);
    EXPECT_EQ(d.examples[0].id, "sums");
    EXPECT_EQ(d.examples[0].note, "of two numbers");
    EXPECT_EQ(d.examples[1].id, "line 13");
    EXPECT_EQ(d.examples[1].note, "one; two");
    EXPECT_EQ(error_of([] { document_text("student"); }), "no document named student; did you mean students");
}

TEST(Replay, ShowsTheFirstDisagreementsAndCountsTheRest) {
    ReplayedExample e;
    for (int i = 0; i < 9; ++i) e.disagreements.push_back({i, "S", fmt::format("S[{}]", i), {}});
    const Replay r{"a", "", {e}};
    const std::string some = to_text(r, {}), all = to_text(r, {.all = true});
    EXPECT_NE(some.find("S[5]: printed"), std::string::npos) << some;
    EXPECT_NE(some.find("      … 3 more\n"), std::string::npos) << some;
    EXPECT_NE(all.find("S[8]: printed"), std::string::npos) << all;
    EXPECT_EQ(all.find(" more\n"), std::string::npos) << all;
}

TEST(Replay, TablesAreCorrectedToTheDigitsPrinted) {
    const ReplayedExample e = replay_text(
        "title \"t\"\ninput x = [1, 2, -0.01, 5]\nforward\n  y = x / 3\n  z = x\n"
        "expect\n  y = [0.34, 0.67, -0.1, ...] erratum [0.33, ..., 0.0, ...]\n  z = [1, 2, -0.01, 5]\n");
    ASSERT_EQ(e.corrected.size(), 1U);  // z is right as printed
    const CorrectedLine& y = e.corrected[0];
    EXPECT_EQ(y.step, "y");
    std::vector<std::string> printed, right;
    for (const CorrectedLine::Number& n : y.numbers) printed.push_back(n.printed), right.push_back(n.right);
    EXPECT_EQ(printed, (std::vector<std::string>{"0.34", "0.67", "-0.1", "..."}));
    EXPECT_EQ(right, (std::vector<std::string>{"0.33", "0.67", "0.0", "..."}));
    const Replay r = replay(read_document("notes.proof", "input x = [1]\nforward\n  y = x / 3\nexpect\n  y = [0.3]\n"));
    EXPECT_EQ(to_text(r, {.corrected = true}).find("printed"), std::string::npos);
}

/// In every document each number that a corrected table changes is right to half a unit of its last digit, and no other is changed.
TEST(Replay, CorrectedTablesOfTheDocumentsAreTrue) {
    int tables = 0;
    for (const std::string& name : document_names())
        for (const ReplayedExample& e : replay(document(name)).examples)
            for (const CorrectedLine& c : e.corrected) {
                int changed = 0;
                ++tables;
                for (const CorrectedLine::Number& n : c.numbers) {
                    const auto found = std::ranges::find_if(e.disagreements, [&](const Disagreement& d) {
                        return d.line == c.line && d.misprint.index == n.index && d.misprint.kind != Misprint::Kind::none;
                    });
                    EXPECT_EQ(n.changed(), found != e.disagreements.end()) << name << "/" << e.id << " line " << c.line;
                    if (found == e.disagreements.end()) continue;
                    ++changed;
                    const std::size_t point = n.right.find('.');
                    const double unit =
                        std::pow(10, point == std::string::npos ? 0 : -static_cast<double>(n.right.size() - point - 1));
                    EXPECT_NEAR(std::stod(n.right), found->misprint.truth, 0.5 * unit * (1 + 1e-9)) << name << "/" << e.id;
                }
                EXPECT_GT(changed, 0);
            }
    EXPECT_GE(tables, 60);
}

}  // namespace
}  // namespace gradproof::proof
