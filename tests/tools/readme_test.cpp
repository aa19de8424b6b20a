// The README is true: its op table is the registry's, its custom op is the one the install test compiles.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

namespace {

std::string read(const std::string& path) {
    std::ifstream in(std::string(GRADPROOF_SOURCE_DIR) + "/" + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string output_of(const std::string& arguments) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((std::string(GRADPROOF_BINARY) + " " + arguments).c_str(), "r"), pclose);
    std::string out;
    char buffer[4096];
    while (const auto n = std::fread(buffer, 1, sizeof buffer, pipe.get())) out.append(buffer, n);
    return out;
}

TEST(Readme, OpTableIsTheRegistrys) {
    const std::string readme = read("README.md");
    const std::string begin = "held true by a test -->\n", end = "<!-- end of ops -->";
    const auto from = readme.find(begin);
    ASSERT_NE(from, std::string::npos);
    const auto start = from + begin.size();
    EXPECT_EQ(readme.substr(start, readme.find(end) - start), output_of("ops --markdown"))
        << "write the output of `gradproof ops --markdown` between the two comments";
}

TEST(Readme, CustomOpIsTheOneThatIsCompiled) {
    std::string op = read("tests/install/outside/swish.hpp");
    ASSERT_FALSE(op.empty());
    EXPECT_NE(read("README.md").find("```cpp\n" + op + "```"), std::string::npos);
}

}  // namespace
