// What tests of commands that write files share: a folder of their own, and the one line an error is.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/support.hpp"

namespace gradproof::testing {

inline std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What --json prints: an object a line.
inline std::vector<nlohmann::json> json_lines(const std::string& text) {
    std::vector<nlohmann::json> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
    return out;
}

inline void expect_one_line(const ProgramRun& r, const std::string& part) {
    EXPECT_EQ(r.status, 2) << r.text;
    EXPECT_NE(r.text.find(part), std::string::npos) << r.text;
    EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 1) << r.text;
    EXPECT_TRUE(r.text.starts_with("gradproof: ")) << r.text;
}

/// Each test gets a folder, removed afterwards.
class InAFolder : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "gradproof_test_XXXXXX").string();
        dir_ = ::mkdtemp(name.data());
    }
    void TearDown() override { std::filesystem::remove_all(dir_); }
    std::filesystem::path dir_;
};

}  // namespace gradproof::testing
