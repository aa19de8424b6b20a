// What the tests of files share: a folder that goes away, error texts, and damage done to good files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gradproof/core/io/array.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/random.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace gradproof::testing {

using Bytes = std::vector<std::byte>;

/// An empty folder, removed with all it holds.
class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "gradproof_XXXXXX").native();
        if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) out.push_back(entry.path().filename().native());
        return out;
    }

  private:
    std::filesystem::path path_;
};

inline std::filesystem::path fixture(std::string_view name) {
    return std::filesystem::path(GRADPROOF_SOURCE_DIR) / "tests/data/io" / name;
}

inline Bytes bytes_of(std::string_view text) {
    const auto span = std::as_bytes(std::span(text.data(), text.size()));
    return {span.begin(), span.end()};
}

/// The text of the IoError that `f` throws; it must be one line.
inline std::string io_error_text(const std::function<void()>& f) {
    try {
        f();
    } catch (const IoError& e) {
        const std::string text = e.what();
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        return text;
    }
    return "no error";
}

inline ::testing::AssertionResult contains(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "got \"" << text << "\", expected it to contain \"" << part << "\"";
}

/// Reads every truncation of `good`, which must fail, and `flips` copies with one to four bytes changed, which may. Anything
/// but success or an IoError of one line is a failure.
inline void expect_robust(const Bytes& good, const std::function<void(const Bytes&)>& read, int flips) {
    for (std::size_t n = 0; n < good.size(); ++n) {
        SCOPED_TRACE("truncated to " + std::to_string(n));
        EXPECT_NE(io_error_text([&] { read(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n))); }), "no error");
    }
    constexpr std::uint64_t kSeed = 20240229;
    Random rng(kSeed);
    for (int i = 0; i < flips; ++i) {
        SCOPED_TRACE("flip " + std::to_string(i) + " of seed " + std::to_string(kSeed));
        Bytes bad = good;
        for (Index k = rng.below(4); k >= 0; --k)
            bad[static_cast<std::size_t>(rng.below(static_cast<Index>(bad.size())))] = static_cast<std::byte>(rng.bits() & 0xFF);
        io_error_text([&] { read(bad); });
    }
}

/// 0, 1, 2, ... as bytes of any element type: enough for a round trip.
inline Array counting(DType dtype, const Shape& shape) {
    Array a{dtype, shape, Bytes(static_cast<std::size_t>(shape.size()) * item_size(dtype))};
    for (std::size_t i = 0; i < a.data.size(); ++i)
        a.data[i] = dtype == DType::boolean ? static_cast<std::byte>(i % 2) : static_cast<std::byte>(i * 37 + 1);
    return a;
}

inline std::vector<DType> all_dtypes() {
    std::vector<DType> out;
    for (int i = 0; i < kDTypeCount; ++i) out.push_back(static_cast<DType>(i));
    return out;
}

/// Whether a script that asserts something of files, NumPy as the judge of what we write, comes to its end.
inline ::testing::AssertionResult accepted(const std::string& script, const std::string& arguments) {
    const ProgramRun run = run_python(script, arguments);
    return run.status == 0 ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << run.text;
}

}  // namespace gradproof::testing
