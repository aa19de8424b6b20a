// The table of mistakes: a key for each, and the list of the README.
#include "gradproof/core/check/mistake.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/paths.hpp"

namespace gradproof::check {
namespace {

TEST(Mistake, EachHasAKeyOfItsOwn) {
    std::set<std::string_view> keys;
    for (const MistakeInfo& m : mistakes()) {
        EXPECT_EQ(key(m.mistake), m.key);
        EXPECT_TRUE(keys.insert(m.key).second) << m.key;
    }
}

TEST(Mistake, TheReadmeListsThemAll) {
    std::string table = "| mistake | what is wrong |\n|---|---|\n";
    for (const MistakeInfo& m : mistakes()) table += fmt::format("| `{}` | {} |\n", m.key, m.sentence);
    std::ifstream in(std::filesystem::path(GRADPROOF_SOURCE_DIR) / "core/proof/README.md");
    const std::string readme{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NE(readme.find("held true by a test -->\n" + table + "<!-- end of mistakes -->"), std::string::npos) << table;
}

}  // namespace
}  // namespace gradproof::check
