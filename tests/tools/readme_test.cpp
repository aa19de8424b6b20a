// The READMEs are true: the op table is the registry's, transcripts are what the program prints, the custom op is the one the
// install test compiles, and what is pointed at is there.
#include <gtest/gtest.h>
#include <algorithm>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace {

std::string read(const std::string& path) {
    std::ifstream in(std::string(GRADPROOF_SOURCE_DIR) + "/" + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Readme, OpTableIsTheRegistrys) {
    const std::string readme = read("ops/README.md");
    const std::string begin = "held true by a test -->\n", end = "<!-- end of ops -->";
    const auto from = readme.find(begin);
    ASSERT_NE(from, std::string::npos);
    const auto start = from + begin.size();
    EXPECT_EQ(readme.substr(start, readme.find(end) - start), gradproof::testing::run_program("ops --markdown").text)
        << "write the output of `gradproof ops --markdown` between the two comments";
}

/// The text without the sizes of rounding errors at line ends, which differ from processor to processor.
std::string without_rounding(std::string text) {
    for (auto at = text.find("e-1"); at != std::string::npos; at = text.find("e-1", at)) {
        const auto end = text.find('\n', at);
        if (end == at + 4)
            text.replace(at - 1, 5, "~");
        else
            ++at;
    }
    for (auto at = text.find("  exact\n"); at != std::string::npos; at = text.find("  exact\n")) text.replace(at, 7, "  ~");
    return text;
}

/// Each block of ```console is what the command after its $ prints, in the root of the repository.
TEST(Readme, TranscriptsAreWhatTheProgramPrints) {
    const std::string open = "```console\n$ gradproof ",
                      readme = read("README.md") + read("core/proof/README.md") + read("core/proof/exercises/README.md");
    int seen = 0;
    for (auto at = readme.find(open); at != std::string::npos; at = readme.find(open, at + 1), ++seen) {
        const auto command = at + open.size(), line = readme.find('\n', command), close = readme.find("```\n", line);
        EXPECT_EQ(
            without_rounding(readme.substr(line + 1, close - line - 1)),
            without_rounding(gradproof::testing::run_program(readme.substr(command, line - command), GRADPROOF_SOURCE_DIR).text));
    }
    EXPECT_GE(seen, 11);
}

TEST(Readme, IsForSomeoneWhoHasAMinute) {
    const std::string readme = read("README.md");
    EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 120);
}

/// The derivations beside the transcripts are the files that the commands name.
TEST(Readme, DerivationsAreTheFilesThatAreChecked) {
    const std::string readme = read("README.md") + read("core/proof/README.md");
    for (const std::string name : {"attention", "paths", "numbers", "printed"}) {
        const std::string file = "tests/proofs/readme/" + name + ".proof", text = read(file);
        ASSERT_FALSE(text.empty()) << file;
        EXPECT_NE(readme.find("```\n" + text + "```\n"), std::string::npos) << file;
        EXPECT_NE(readme.find("$ gradproof check " + file + "\n"), std::string::npos) << file;
    }
}

TEST(Readme, CustomOpIsTheOneThatIsCompiled) {
    std::string op = read("tests/install/outside/swish.hpp");
    ASSERT_FALSE(op.empty());
    EXPECT_NE(read("ops/README.md").find("```cpp\n" + op + "```"), std::string::npos);
}

/// Every [text](path) of every README is a file beside it.
TEST(Readme, LinksLeadSomewhere) {
    namespace fs = std::filesystem;
    int links = 0;
    for (const fs::path folder : {"", "tools", "ops", "nn", "core/proof", "core/proof/exercises", "tests", "tools/experiments",
                                  "tools/bench", "tools/web", "tools/python", "tools/release"}) {
        const std::string text = read((folder / "README.md").string());
        ASSERT_FALSE(text.empty()) << folder;
        for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
            const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
            if (target.find('/') == std::string::npos && target.find(".md") == std::string::npos) continue;  // f](x) of a formula
            EXPECT_TRUE(fs::exists(fs::path(GRADPROOF_SOURCE_DIR) / folder / target)) << folder << ": " << target;
            ++links;
        }
    }
    EXPECT_GE(links, 20);
}

}  // namespace
