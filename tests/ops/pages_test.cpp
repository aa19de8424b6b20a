// The pages of ops: short, in words of whole tensors, without threads, pointers or kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/paths.hpp"

namespace gradproof {
namespace {

/// Code without comments; what stands in quotation marks stays.
std::string without_comments(const std::string& text) {
    std::string out;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quote == 0 && text.compare(i, 2, "//") == 0) i = std::min(text.find('\n', i), text.size() - 1);
        const char c = text[i];
        const bool digits = c == '\'' && i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0;
        if (quote != 0 && c == '\\')
            out += text[i++];
        else if (quote == c)
            quote = 0;
        else if (quote == 0 && (c == '"' || (c == '\'' && !digits)))
            quote = c;
        out += text[i];
    }
    return out;
}

/// Code without the bodies of functions whose names end in "samples".
std::string without_samples(std::string code) {
    constexpr std::string_view kName = "samples(";
    for (std::size_t at = code.find(kName); at != std::string::npos; at = code.find(kName, at)) {
        const std::size_t close = code.find(')', at), body = code.find_first_not_of(" \n", close + 1);
        at += kName.size();
        if (body == std::string::npos || code[body] != '{') continue;  // a call or a declaration
        std::size_t end = body + 1;
        for (int depth = 1; depth > 0 && end < code.size(); ++end) depth += code[end] == '{' ? 1 : code[end] == '}' ? -1 : 0;
        const std::size_t begin = code.rfind('\n', at) + 1;
        code.erase(begin, end - begin);
        at = begin;
    }
    return code;
}

int lines_of(const std::string& page) {
    std::istringstream in(without_samples(without_comments(page)));
    int count = 0;
    for (std::string line; std::getline(in, line);) count += line.find_first_not_of(" \t") != std::string::npos;
    return count;
}

/// What a page must leave to core/algebra and to kernels.
constexpr std::array<std::string_view, 12> kForeign{"use_kernels",  "takes_kernels", "kernels<", "ops/kernels/",
                                                    "parallel_for", "threads",       "gemm(",    ".data()",
                                                    "const T* ",    "T* ",           "_mm",      "KernelScope"};
std::string foreign_word(const std::string& page) {
    const std::string code = without_comments(page);
    for (const std::string_view word : kForeign)
        if (code.find(word) != std::string::npos) return std::string(word);
    return "";
}

struct File {
    std::string name, text;
    bool is_page() const { return name.ends_with(".cpp") && text.find("\nGRADPROOF_OP(") != std::string::npos; }
};
/// The pages, and the headers they are written with.
std::vector<File> pages_and_headers() {
    std::vector<File> out;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(GRADPROOF_SOURCE_DIR) / "ops")) {
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        File file{entry.path().filename().string(), text.str()};
        if (file.is_page() || file.name.ends_with(".hpp")) out.push_back(std::move(file));
    }
    return out;
}

TEST(Pages, AreShort) {
    constexpr int kLongest = 160, kMedian = 70;
    std::vector<int> lines;
    for (const File& page : pages_and_headers()) {
        if (!page.is_page()) continue;
        lines.push_back(lines_of(page.text));
        EXPECT_LE(lines.back(), kLongest) << page.name << " without samples, comments and blank lines";
    }
    ASSERT_GT(lines.size(), 25u);
    std::sort(lines.begin(), lines.end());
    EXPECT_LE(lines[lines.size() / 2], kMedian);
}

TEST(Pages, NameNoThreadsPointersOrKernels) {
    const std::vector<File> files = pages_and_headers();
    ASSERT_GT(files.size(), 60u);
    for (const File& file : files) EXPECT_EQ(foreign_word(file.text), "") << file.name;
}

TEST(Pages, AreMeasuredWithoutSamplesCommentsAndBlankLines) {
    EXPECT_EQ(without_comments("a // b\nc \"// d\" 1'000 // e\n"), "a \nc \"// d\" 1'000 \n");
    EXPECT_EQ(lines_of("int x;\n\n// y\nint z;\n"), 2);
    EXPECT_EQ(lines_of("int x;\nstd::vector<int> samples() {\n    return {{1},\n            {2}};\n}\nint y = samples();\n"), 2);
    std::string planted;
    for (int i = 0; i < 161; ++i) planted += "f();\n";
    EXPECT_EQ(lines_of(planted), 161);
    EXPECT_EQ(foreign_word("for (T x : y) {}  // parallel_for"), "");
    EXPECT_EQ(foreign_word("parallel_for(n, 1, f);"), "parallel_for");
    EXPECT_EQ(foreign_word("const T* x = y.data();"), ".data()");
}

}  // namespace
}  // namespace gradproof
