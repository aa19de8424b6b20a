// What tests of all parts share: the text of an error, counts of a part, and runs of the built program and of Python.
#pragma once

#include <exception>
#include <limits>
#include <string>
#include <string_view>

namespace gradproof::testing {

/// Whether this is the build of a sanitizer, which takes time and memory of its own.
extern const bool kSanitized;
/// Where the release build repeats a test with many numbers, the sanitized and the portable build take some of them.
extern const bool kSampled;
/// Whether GRADPROOF_THOROUGH is set: the longest of such tests take all their numbers then, four times as many.
bool thorough();

/// What f throws, "no error" for nothing.
template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "no error";
}

/// How often `part` stands in `text`.
inline int count_of(std::string_view text, std::string_view part) {
    int n = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++n;
    return n;
}

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct ProgramRun {
    int status = -1;   ///< exit status, or 128 and the signal
    std::string text;  ///< stdout and stderr together
};

/// Runs the built program through a shell, with nothing on its input, in a folder ("" for the one we are in).
ProgramRun run_program(const std::string& arguments, const std::string& folder = "");

/// The one that GRADPROOF_PYTHON names, else that of tests/python/setup, else python3.
std::string python();
/// Runs a program in that Python.
ProgramRun run_python(const std::string& script, const std::string& arguments = "");
/// What to do where that Python lacks the module, for GTEST_SKIP; "" where it has it.
std::string without_module(const std::string& module);

}  // namespace gradproof::testing
