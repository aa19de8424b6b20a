// `gradproof page`: the page that stands beside the program, or how to build it.
#include <filesystem>

#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof {
namespace {

using testing::run_program;
using PageFile = testing::InAFolder;

namespace fs = std::filesystem;

TEST_F(PageFile, WritesThePageOrSaysHowToBuildIt) {
    const fs::path out = dir_ / "page.html";
    const auto run = run_program("page --out '" + out.native() + "'");
    if (fs::exists(fs::path(GRADPROOF_BINARY).parent_path() / "../web/gradproof.html")) {
        if (run.text.find("of another version") != std::string::npos) GTEST_SKIP() << "build/web holds the page of another build";
        EXPECT_EQ(run.status, 0) << run.text;
        std::ifstream in(out);
        std::string first;
        std::getline(in, first);
        EXPECT_EQ(first, "<!doctype html>");
    } else {
        EXPECT_EQ(run.status, 2);
        EXPECT_EQ(run.text, "gradproof: page: it is not built yet; tools/web/build makes it, with emscripten and node\n");
        EXPECT_FALSE(fs::exists(out));
    }
}

TEST(PageCommand, NeedsAFileToWriteTo) {
    EXPECT_EQ(run_program("page").status, 2);
    EXPECT_EQ(run_program("page --out /no/such/folder/page.html").status, 2);
}

}  // namespace
}  // namespace gradproof
