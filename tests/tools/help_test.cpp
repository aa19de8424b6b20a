// `gradproof help`: every command has a page, and no page names an option that the program does not take.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "gradproof/core/io/npz.hpp"
#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof {
namespace {

using testing::run_program;
using HelpFiles = testing::InAFolder;

std::vector<std::string> commands() {
    std::vector<std::string> out;
    std::istringstream lines(run_program("help").text);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("`")) out.push_back(line.substr(0, line.find(' ')));
    return out;
}

std::set<std::string> options_in(const std::string& text) {
    std::set<std::string> out;
    for (auto at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
        const bool begins = at == 0 || std::string_view(" \t\n,[").find(text[at - 1]) != std::string_view::npos;
        auto end = at + 2;
        while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || (end > at + 2 && text[end] == '-'))) ++end;
        if (begins && end > at + 2) out.insert(text.substr(at, end - at));
        at = end;
    }
    return out;
}

std::string between(const std::string& page, const std::string& title, const std::string& next) {
    const std::size_t from = page.find(title + "\n"), to = next.empty() ? page.size() : page.find(next + "\n");
    return from == std::string::npos || to == std::string::npos || to < from ? "" : page.substr(from, to - from);
}

TEST(Help, EveryCommandHasAWholePage) {
    const auto all = commands();
    EXPECT_GE(all.size(), 11U);
    for (const std::string& name : all) {
        const auto run = run_program("help " + name);
        EXPECT_EQ(run.status, 0) << name;
        std::size_t at = 0;
        for (const char* title : {"NAME\n", "SYNOPSIS\n", "DESCRIPTION\n", "OPTIONS\n", "EXIT STATUS\n", "EXAMPLES\n"}) {
            const std::size_t found = run.text.find(title, at);
            EXPECT_NE(found, std::string::npos) << name << " lacks " << title;
            if (found != std::string::npos) at = found;
        }
        EXPECT_NE(run.text.find("gradproof " + name, at), std::string::npos) << name << ": no example of it";
    }
}

TEST(Help, OptionsOfAPageAreThoseTheProgramTakes) {
    for (const std::string& name : commands()) {
        const std::string page = run_program("help " + name).text, usage = run_program(name + " --help").text;
        const auto listed = options_in(between(page, "OPTIONS", "EXIT STATUS"));
        const auto known = options_in(usage.substr(0, usage.find("DESCRIPTION\n")));
        for (const std::string& o : known) EXPECT_TRUE(listed.contains(o)) << name << " takes " << o;
        if (name != "exercise") {
            EXPECT_EQ(listed, known) << name;
        }
        for (const std::string& part : {between(page, "EXAMPLES", ""), between(page, "DESCRIPTION", "OPTIONS")})
            for (const std::string& o : options_in(part)) EXPECT_TRUE(listed.contains(o)) << name << " is described with " << o;
    }
}

TEST(Help, AnUnknownCommandIsALineWithTheNearest) {
    const auto run = run_program("help chek");
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.text.find("did you mean check"), std::string::npos) << run.text;
}

/// The keys of all objects in it, but those of objects whose keys are names of the user's.
void keys_of(const nlohmann::json& j, std::set<std::string>& out) {
    if (!j.is_structured()) return;
    for (const auto& [key, value] : j.items()) {
        if (j.is_object()) out.insert(key);
        if (key != "sizes" && key != "parameters") keys_of(value, out);
    }
}

TEST_F(HelpFiles, TheJsonOfAPageIsTheJsonThatIsPrinted) {
    const std::string wrong = GRADPROOF_SOURCE_DIR "/tests/proofs/readme/attention.proof";
    const std::string not_a_proof = dir_ / "help.proof";
    std::ofstream(not_a_proof) << "claim dX = \n";
    const std::string release = GRADPROOF_SOURCE_DIR "/tests/data/release-0.1.0/";
    const std::string theirs = dir_ / "help_theirs.npz";
    write_npz(theirs, {{"O", from_tensor(Tensor<double>({5, 3}, 0.5))}});
    const std::pair<const char*, std::vector<std::string>> runs[] = {
        {"check", {"--json " + wrong, "--json --op softmax --verbose", "--json " + not_a_proof}},
        {"derive", {"--json --proof attention --prove", "--json --proof softmax --jvp"}},
        {"explain", {"--json --proof attention", "--json --proof attention --cell 'dK[2,1]'"}},
        {"exercise", {"list --json", "show 3 --json"}},
        {"proofs", {"--json"}},
        {"experiment", {"list --json", "variance --quick --json --out " + (dir_ / "experiment").native()}},
        {"replay", {"--json"}},
        {"train", {"--json --epochs 1 --overwrite --out " + (dir_ / "train").native()}},
        {"compare", {"--json --proof attention --bind " + release + "arrays.npz --expect " + theirs}},
        {"generate",
         {"--json --prompt 'Max(1,6,2)' --checkpoint " + release + "expressions",
          "--json --prompt 'the cat' --tokens 5 --checkpoint " + release + "text"}},
        {"heads", {"--json --text 'Max(1,6,2)' --checkpoint " + release + "expressions --out " + (dir_ / "heads").native()}},
        {"ops", {"--json", "softmax --json"}},
    };
    std::set<std::string> listed, with_json;
    for (const auto& [command, arguments] : runs) listed.insert(command);
    for (const std::string& name : commands())
        if (options_in(between(run_program("help " + name).text, "OPTIONS", "EXIT STATUS")).contains("--json"))
            with_json.insert(name);
    EXPECT_EQ(listed, with_json);
    for (const auto& [command, arguments] : runs) {
        const std::string page = between(run_program("help " + std::string(command)).text, "JSON", "EXAMPLES");
        std::set<std::string> said, printed;
        std::string word;
        for (const char c : page) {
            if ((c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9'))
                word += c;
            else if (!word.empty())
                said.insert(std::exchange(word, ""));
        }
        for (const std::string& a : arguments) {
            const std::string text = run_program(command + (" " + a)).text;
            const auto whole = nlohmann::json::parse(text, nullptr, false);
            if (!whole.is_discarded()) {
                keys_of(whole, printed);
                continue;
            }
            std::istringstream lines(text);
            for (std::string line; std::getline(lines, line);) {
                const auto j = nlohmann::json::parse(line, nullptr, false);
                EXPECT_FALSE(j.is_discarded()) << command << " " << a << ": " << line;
                keys_of(j, printed);
            }
        }
        printed.erase("event");
        EXPECT_GT(printed.size(), 2U) << command;
        for (const std::string& key : printed) EXPECT_TRUE(said.contains(key)) << command << " prints " << key;
    }
}

}  // namespace
}  // namespace gradproof
