// The README is true: its op table is the registry's, its custom op is the one the install test compiles.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support.hpp"

namespace {

std::string read(const std::string& path) {
    std::ifstream in(std::string(GRADPROOF_SOURCE_DIR) + "/" + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Readme, OpTableIsTheRegistrys) {
    const std::string readme = read("README.md");
    const std::string begin = "held true by a test -->\n", end = "<!-- end of ops -->";
    const auto from = readme.find(begin);
    ASSERT_NE(from, std::string::npos);
    const auto start = from + begin.size();
    EXPECT_EQ(readme.substr(start, readme.find(end) - start), gradproof::testing::run_program("ops --markdown").text)
        << "write the output of `gradproof ops --markdown` between the two comments";
}

TEST(Readme, CustomOpIsTheOneThatIsCompiled) {
    std::string op = read("tests/install/outside/swish.hpp");
    ASSERT_FALSE(op.empty());
    EXPECT_NE(read("README.md").find("```cpp\n" + op + "```"), std::string::npos);
}

}  // namespace
