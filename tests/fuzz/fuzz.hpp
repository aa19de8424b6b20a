// A fuzz target: a function of bytes that either does nothing anybody sees, or tells what is broken and ends the program.
//
//   GRADPROOF_FUZZ(npy)(Input in) { ... if (!same) broken("it is not read back as it was written"); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace gradproof::fuzz {

/// The bytes of an input, taken one after the other; where there are no more, zeros.
class Input {
  public:
    explicit Input(std::span<const std::uint8_t> bytes) : left_(bytes) {}
    bool empty() const { return left_.empty(); }
    /// From 0 to n - 1.
    std::size_t below(std::size_t n) { return byte() % n; }
    bool flag() { return below(2) == 1; }
    std::uint8_t byte() {
        if (left_.empty()) return 0;
        const std::uint8_t first = left_.front();
        left_ = left_.subspan(1);
        return first;
    }
    template <class T>
    T raw() {
        T out{};
        const std::size_t n = std::min(sizeof out, left_.size());
        std::memcpy(&out, left_.data(), n);
        left_ = left_.subspan(n);
        return out;
    }
    /// A number of ordinary size, or any: now and then one that is huge, tiny or none.
    double number() {
        if (const std::size_t kind = below(8); kind < 6)
            return (static_cast<double>(raw<std::int16_t>())) / (kind < 3 ? 256.0 : 7.0);
        return raw<double>();
    }
    std::string rest() { return text(left_.size()); }
    std::string text(std::size_t most) {
        const std::size_t n = std::min(most, left_.size());
        const std::string out(reinterpret_cast<const char*>(left_.data()), n);
        left_ = left_.subspan(n);
        return out;
    }
    std::span<const std::byte> bytes() const { return std::as_bytes(left_); }

  private:
    std::span<const std::uint8_t> left_;
};

using Target = void (*)(Input in);
bool add_target(const char* name, Target run);

[[noreturn]] inline void broken(const std::string& text) {
    std::fprintf(stderr, "fuzz: %s\n", text.c_str());
    std::abort();
}
/// An error is one line that a terminal can show.
inline void expect_told(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) < ' ') broken("a control character in: " + std::string(text));
}

}  // namespace gradproof::fuzz

#define GRADPROOF_FUZZ(name)                                                                           \
    static void fuzz_##name(gradproof::fuzz::Input in);                                                \
    [[maybe_unused]] static const bool added_##name = gradproof::fuzz::add_target(#name, fuzz_##name); \
    static void fuzz_##name
