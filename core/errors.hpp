// The errors that core throws, and functions that build their text. A call that is ended throws Stopped
// (core/platform/control.hpp); the notation adds ProofError (core/proof/language/source.hpp), whose text has the line and a
// caret.
//
//   shape_error("matmul: inner sizes differ: a is {}, b is {}", a.shape(), b.shape());
//
// Text is `op: what is wrong: name is got, name is got; hint`, one line.
#pragma once

#include <cstddef>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace gradproof {

/// Sizes or ranks that do not fit together.
class ShapeError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
/// A value outside what the callee accepts (an axis, an id, an option).
class ValueError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
/// A tape used against its rules: consumed, reset, or mixed with another.
class TapeError : public std::logic_error {
    using std::logic_error::logic_error;
};
/// A file that cannot be read or written, or whose contents are not what its format requires.
class IoError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The system has not enough memory.
class MemoryError : public std::bad_alloc {
  public:
    explicit MemoryError(std::size_t bytes) noexcept {
        std::snprintf(text_, sizeof text_, "not enough memory: %zu bytes asked for", bytes);
    }
    const char* what() const noexcept override { return text_; }

  private:
    char text_[64];
};

template <class... A>
[[noreturn]] void shape_error(fmt::format_string<A...> text, A&&... a) {
    throw ShapeError(fmt::format(text, std::forward<A>(a)...));
}
template <class... A>
[[noreturn]] void value_error(fmt::format_string<A...> text, A&&... a) {
    throw ValueError(fmt::format(text, std::forward<A>(a)...));
}
template <class... A>
[[noreturn]] void tape_error(fmt::format_string<A...> text, A&&... a) {
    throw TapeError(fmt::format(text, std::forward<A>(a)...));
}
template <class... A>
[[noreturn]] void io_error(fmt::format_string<A...> text, A&&... a) {
    throw IoError(fmt::format(text, std::forward<A>(a)...));
}

/// `text` for an error line: control characters and bytes that are not UTF-8 escaped, at most `limit` bytes of it.
std::string printable(std::string_view text, std::size_t limit = 120);

/// The candidate nearest to `word` by edit distance, or "" if none is near: for "did you mean".
template <class Range>
std::string nearest(const std::string& word, const Range& candidates);
/// The edit distance from which on a candidate counts as a different word.
std::size_t nearest_limit(std::size_t letters);
/// How many letters are inserted, left out, changed, or exchanged with a neighbour.
std::size_t edit_distance(const std::string& a, const std::string& b);

template <class Range>
std::string nearest(const std::string& word, const Range& candidates) {
    std::string best;
    std::size_t best_distance = nearest_limit(word.size());
    for (const auto& c : candidates) {
        const std::string candidate(c);
        if (const auto d = edit_distance(word, candidate); d < best_distance) {
            best = candidate;
            best_distance = d;
        }
    }
    return best;
}

}  // namespace gradproof
