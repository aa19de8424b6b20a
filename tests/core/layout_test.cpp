// The tree itself: includes go one way only, and every op page is in the registry.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "gradproof/core/registry.hpp"
#include "tests/paths.hpp"

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

/// What stands between quotes after #include.
std::vector<std::string> included(const fs::path& file) {
    const std::string text = read(file), include = "\n#include \"";
    std::vector<std::string> out;
    for (auto at = text.find(include); at != std::string::npos; at = text.find(include, at + 1)) {
        const auto start = at + include.size();
        out.push_back(text.substr(start, text.find('"', start) - start));
    }
    return out;
}

/// The first folder of a path below `part`, "" for a file of `part` itself.
std::string folder(const std::string& path, const std::string& part = "") {
    const std::string below = path.substr(part.empty() ? 0 : part.size() + 1);
    return below.substr(0, below.find('/') == std::string::npos ? 0 : below.find('/'));
}

TEST(Layout, IncludesGoFromToolsToNnToOpsToCore) {
    const std::map<std::string, int> level{{"core", 0}, {"ops", 1}, {"nn", 2}, {"tools", 3}};
    for (const auto& [part, height] : level)
        for (const auto& file : sources(part))
            for (const std::string& path : included(file)) {
                const std::string target = folder(path.starts_with("gradproof/") ? path.substr(10) : path);
                ASSERT_TRUE(level.contains(target)) << file << " includes " << path;
                EXPECT_LE(level.at(target), height) << file << " includes " << path;
                EXPECT_EQ(path.starts_with("gradproof/"), target != "tools")
                    << file << ": " << path << " is not how it is installed";
            }
}

/// Expects that a file in one folder of `part` includes only what stands in folders of a lower level, or in its own.
void expect_order(const std::string& part, const std::string& prefix, const std::map<std::string, int>& level) {
    for (const auto& file : sources(part)) {
        const std::string own = folder(fs::relative(file, GRADPROOF_SOURCE_DIR).string(), part);
        ASSERT_TRUE(level.contains(own)) << file << ": the order has no folder \"" << own << '"';
        for (const std::string& path : included(file)) {
            if (!path.starts_with(prefix + part + "/") || path == "gradproof/core/errors.hpp") continue;
            const std::string target = folder(path.substr(prefix.size()), part);
            ASSERT_TRUE(level.contains(target)) << file << " includes " << path;
            EXPECT_TRUE(target == own || level.at(target) < level.at(own)) << file << " includes " << path;
        }
    }
}

TEST(Layout, IncludesInsideCoreGoFromProofToCheckToIoToTensorsToPlatform) {
    expect_order("core", "gradproof/", {{"platform", 0}, {"", 1}, {"algebra", 2}, {"io", 2}, {"check", 3}, {"proof", 4}});
}

TEST(Layout, IncludesInsideToolsGoFromTheProgramToItsParts) {
    expect_order("tools", "", {{"figures", 0}, {"web", 0}, {"experiments", 1}, {"bench", 1}, {"cli", 2}, {"python", 2}});
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

/// What stands in a source outside comments: its code with every text between quotes as "", and these texts.
struct Code {
    std::string code;
    std::vector<std::string> texts;
};
Code code_of(const fs::path& file) {
    const std::string all = read(file);
    Code out;
    const auto skip_to = [&](std::size_t from, std::string_view end) { return std::min(all.find(end, from), all.size()); };
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all.compare(i, 2, "//") == 0) i = skip_to(i, "\n");
        if (all.compare(i, 2, "/*") == 0) i = skip_to(i, "*/") + 1;
        if (i >= all.size()) break;
        out.code += all[i];
        if (all.compare(i, 3, "'\"'") == 0) i += 2;
        if (all[i] != '"') continue;
        const std::size_t begin = i + 1;
        for (++i; i < all.size() && all[i] != '"'; ++i) i += all[i] == '\\';
        out.texts.push_back(all.substr(begin, i - begin));
        out.code += '"';
    }
    return out;
}

// A library function takes values and returns a report.
TEST(Layout, TheLibraryDoesNotPrintNorReadWhatItIsNotHandedNorNameAFlag) {
    const std::regex prints(R"(\b(cout|cerr|clog|printf|fprintf|puts|fputs|putchar|fmt::print)\b)");
    const std::regex reads(R"(\b(ifstream|ofstream|fstream|fopen|read_file|read_text_file|freopen)\b)");
    const std::regex flag("(^|[^-<>a-z])--[a-z]|`gradproof ");
    int texts = 0;
    for (const std::string part : {"core", "ops", "nn"})
        for (const auto& file : sources(part)) {
            const std::string name = fs::relative(file, GRADPROOF_SOURCE_DIR).string();
            const Code found = code_of(file);
            EXPECT_FALSE(std::regex_search(found.code, prints)) << name << " prints";
            const bool may_read = name.starts_with("core/io/") || name.starts_with("core/platform/") || name == "core/plugin.cpp";
            EXPECT_FALSE(!may_read && std::regex_search(found.code, reads)) << name << " reads or writes a file";
            for (const std::string& text : found.texts)
                EXPECT_FALSE(std::regex_search(text, flag)) << name << ": \"" << text << "\" names a flag or a command";
            texts += static_cast<int>(found.texts.size());
        }
    EXPECT_GT(texts, 3000);
}

}  // namespace
}  // namespace gradproof
