// The tree itself: includes go one way only, and every op page is in the registry.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "core/registry.hpp"

namespace gradproof {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sources(const std::string& part) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(GRADPROOF_SOURCE_DIR) / part)) {
        const auto extension = entry.path().extension();
        if (extension == ".hpp" || extension == ".cpp") out.push_back(entry.path());
    }
    return out;
}

std::string read(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Layout, IncludesGoFromToolsToNnToOpsToCore) {
    const std::map<std::string, int> level{{"core", 0}, {"ops", 1}, {"nn", 2}, {"tools", 3}};
    const std::string include = "#include \"";
    for (const auto& [part, height] : level)
        for (const auto& file : sources(part)) {
            const std::string text = read(file);
            for (auto at = text.find(include); at != std::string::npos; at = text.find(include, at + 1)) {
                const auto start = at + include.size();
                const auto target = level.find(text.substr(start, text.find('/', start) - start));
                if (target == level.end()) continue;
                EXPECT_LE(target->second, height) << file << " includes " << target->first << "/";
            }
        }
}

TEST(Layout, EveryOpPageIsRegistered) {
    std::set<std::string> registered;
    for (const auto& e : registry().all()) registered.insert(e->file);
    int pages = 0;
    for (const auto& file : sources("ops")) {
        if (read(file).find("\nGRADPROOF_OP(") == std::string::npos) continue;
        ++pages;
        EXPECT_TRUE(registered.count("ops/" + file.filename().string())) << file << " is not in the registry";
    }
    EXPECT_GT(pages, 0);
}

TEST(Layout, XtensorIsIncludedThroughOneHeader) {
    for (const std::string part : {"core", "ops", "nn", "tools"})
        for (const auto& file : sources(part)) {
            if (file.filename() == "xt.hpp") continue;
            EXPECT_EQ(read(file).find("#include <xtensor/"), std::string::npos) << file;
        }
}

}  // namespace
}  // namespace gradproof
