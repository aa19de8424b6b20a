// Sums of sines in the place of functions that are not given.
#include "gradproof/core/proof/language/any_function.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/quad.hpp"

namespace gradproof::proof {
namespace {

constexpr std::string_view kAny = "any ";

/// Numbers from 0 to 1 that follow from a name (FNV-1a, then steps of a linear congruence), in 32nds: products of a few of them are
/// exact, so that proofs by residues see a derivative as that of its function.
class Numbers {
  public:
    explicit Numbers(std::string_view name) {
        for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    double next() {
        state_ = state_ * 6364136223846793005 + 1442695040888963407;
        return static_cast<double>(state_ >> 59) / 32;
    }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

std::string any_function(std::string_view name) { return std::string(kAny).append(name); }
bool is_any_function(std::string_view name) { return name.starts_with(kAny); }
std::string_view shown_function(std::string_view name) { return is_any_function(name) ? name.substr(kAny.size()) : name; }

template <class T>
Var<T> any_function_value(std::string_view name, const Var<T>& x) {
    const std::string_view shown = shown_function(name), base = shown.substr(0, shown.find('\''));
    const std::size_t derivatives = shown.size() - base.size();
    Numbers numbers(base);
    const auto scaled = [](const Var<T>& of, double by) { return apply_op<T>("scale", {of}, {{"factor", by}}); };
    std::optional<Var<T>> total;
    constexpr int kSines = 3;
    for (int i = 0; i < kSines; ++i) {
        const double size = 0.5 + numbers.next(), frequency = 0.625 + numbers.next(), phase = 6 * numbers.next();
        const Var<T> at = apply_op<T>("add", {scaled(x, frequency), Var<T>(Tensor<T>::scalar(T(phase)))});
        const double sign = derivatives % 4 < 2 ? 1 : -1;
        const Var<T> sine = apply_op<T>(derivatives % 2 == 0 ? "sin" : "cos", {at});
        const Var<T> term = scaled(sine, sign * size * std::pow(frequency, static_cast<double>(derivatives)));
        total = total ? apply_op<T>("add", {*total, term}) : term;
    }
    return *total;
}

#define GRADPROOF_ANY_FUNCTION(T) template Var<T> any_function_value(std::string_view, const Var<T>&);
GRADPROOF_ANY_FUNCTION(double)
GRADPROOF_ANY_FUNCTION(Dual<Bounded<double>>)
GRADPROOF_ANY_FUNCTION(Dual<Bounded<Quad>>)
GRADPROOF_ANY_FUNCTION(Modular)
#undef GRADPROOF_ANY_FUNCTION

}  // namespace gradproof::proof
