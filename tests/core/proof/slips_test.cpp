// Slips of learners: planted in the library one at a time and in pairs, and those that were made up outside of it.
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include "gradproof/core/proof/judge/planted.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

// A few are enough for sanitizers: their sources are the same.
const int kEvery = testing::kSampled ? 480 : testing::thorough() ? 24 : 96;
const std::size_t kStep = testing::kSampled ? 14 : 1;

/// `gradproof proofs --diagnosis` plants them all, and core/proof/README.md shows the table.
TEST(Slips, PlantedInTheLibraryAreNamed) {
    SlipTable all;
    for (std::size_t i = 0; i < library_names().size(); i += kStep)
        for (const Proof& p : read_proofs(library_names()[i] + ".proof", library_text(library_names()[i])))
            all.add(plant_slips(p, {}, {.every = kEvery, .every_pair = 25 * kEvery}));
    for (const std::string& m : all.missed) std::printf("missed %s\n", m.c_str());
    for (const std::string& m : all.misled) std::printf("misled %s\n", m.c_str());
    std::printf("%s", all.text().c_str());
    int planted = 0, misleading = 0;
    for (const SlipCounts& r : all.rows) {
        EXPECT_EQ(r.caught, r.planted);
        const int percent = testing::kSampled ? 0 : &r == &all.rows.back() ? 80 : 95;
        EXPECT_GE(r.named, r.planted * percent / 100 - 1);
        planted += r.planted;
        misleading += r.misleading;
    }
    EXPECT_GT(planted, testing::kSampled ? 15 : 200);
    EXPECT_LE(misleading, planted / 200);
}

/// tests/proofs/slips/NAME.slips: a derivation and, after `slips`, "LEFT = WRONG  # class  # RIGHT" lines.
struct Slip {
    std::string left, wrong, kind, right;
};
struct Notes {
    std::string name, forward;
    std::vector<Slip> slips;
};
std::vector<Notes> all_notes() {
    std::vector<Notes> out;
    for (const auto& entry : std::filesystem::directory_iterator(GRADPROOF_SOURCE_DIR "/tests/proofs/slips")) {
        Notes notes{entry.path().stem().string(), "", {}};
        std::ifstream in(entry.path());
        std::string line;
        while (std::getline(in, line) && line != "slips") notes.forward += line + "\n";
        while (std::getline(in, line)) {
            const std::size_t equals = line.find(" = "), kind = line.find("  # "), right = line.find("  # ", kind + 4);
            notes.slips.push_back({line.substr(0, equals + 3), line.substr(equals + 3, kind - equals - 3),
                                   line.substr(kind + 4, right - kind - 4), line.substr(right + 4)});
        }
        out.push_back(std::move(notes));
    }
    return out;
}
ProofReport judge(const Notes& notes, const std::vector<std::string>& lines, bool diagnose, std::uint64_t seed) {
    std::string text = notes.forward + "claim\n";
    for (const std::string& l : lines) text += l + "\n";
    CheckOptions options;
    options.draw.seed = seed;
    options.diagnose = diagnose;
    options.mutation = false;
    return check_file(notes.name, text, options).proofs.at(0);
}

const std::map<std::string, std::string> kNames{
    {"upstream", "cotangent_ignored missing_chain_factor"},
    {"kept", "lost_axis missing_sum wrong_row_term"},
    {"index", "wrong_name shifted transpose permuted_axes"},
    {"value", "wrong_name"},
    {"coefficient", "factor wrong_row_term double_path"},
    {"exponent", "wrong_exponent factor missing_chain_factor"},
    {"identity", "missing_term missing_path"},
    {"path", "missing_path missing_row_term"},
    {"comparison", "comparison"},
    {"two", ""},
};

/// Written before the patterns were run on them; what is right was decided first, and is held true here.
TEST(Slips, MadeUpOutsideAreNamedAndNoneMisleads) {
    int all = 0, named = 0, missed = 0, misleading = 0;
    for (const Notes& notes : all_notes()) {
        if (testing::kSampled && notes.slips.size() > 9) continue;
        std::vector<std::string> right, wrong;
        for (const Slip& s : notes.slips) {
            right.push_back(s.left + s.right);
            wrong.push_back(s.left + s.wrong);
        }
        const ProofReport truth = judge(notes, right, false, 5), said = judge(notes, wrong, true, CheckOptions{}.draw.seed);
        for (std::size_t i = 0; i < notes.slips.size(); ++i) {
            EXPECT_EQ(truth.lines[i].verdict, Verdict::right) << notes.name << ": " << right[i] << "  " << truth.lines[i].reason;
            EXPECT_EQ(said.lines[i].verdict, Verdict::wrong) << notes.name << ": " << wrong[i];
            if (!said.lines[i].diagnosis) continue;
            const Diagnosis& d = *said.lines[i].diagnosis;
            const std::string kind(check::key(d.mistake));
            const bool is_kind = kNames.at(notes.slips[i].kind).find(kind) != std::string::npos;
            bool names = is_kind, misleads = !is_kind && d.mistake != Mistake::none;
            if (!d.repair.empty()) {
                names = judge(notes, {notes.slips[i].left + d.repair}, false, 9).verdict() == Verdict::right;
                misleads = !names;
            }
            ++all;
            named += names;
            misleading += misleads;
            missed += !names && !misleads;
            if (!names || misleads)
                std::printf("%s %s: %s is called %s: %s; %s\n", misleads ? "misled" : "missed", notes.name.c_str(),
                            wrong[i].c_str(), kind.c_str(), d.text.c_str(), d.repair.c_str());
        }
    }
    std::printf("%d lines: %d named, %d missed, %d misleading\n", all, named, missed, misleading);
    EXPECT_GE(all, testing::kSampled ? 9 : 60);
    EXPECT_GE(named, all * 85 / 100);
    EXPECT_EQ(misleading, 0);
}

}  // namespace
}  // namespace gradproof::proof
