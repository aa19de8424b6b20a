// What an experiment is: a claim of the documents, a run that measures it, and the tables, figures and findings it leaves.
//
//   const Experiment& e = find_experiment("variance");
//   const Result r = e.run({.seed = 42, .effort = Effort::quick});
//   for (const Finding& f : r.findings) print(f.claim, f.measured_text(), text(f.verdict()));
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gradproof/core/shape.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::experiments {

/// How much is run: whole; quick: fewer repeats and shorter training, the claims can still be told;
/// smoke: hardly anything, for tests.
enum class Effort { whole, quick, smoke };

struct Context {
    std::uint64_t seed = 42;  ///< the same seed gives the same numbers, but for those of the clock and of memory
    Effort effort = Effort::whole;
    template <class T>
    T pick(T whole, T quick, T smoke) const {
        return effort == Effort::whole ? whole : effort == Effort::quick ? quick : smoke;
    }
    /// The same with another seed: its n-th repeat.
    Context repeat(Index n) const { return {seed + static_cast<std::uint64_t>(n), effort}; }
    /// How many repeats a claim is judged over where one could fall out either way by chance.
    Index repeats() const { return pick<Index>(12, 8, 1); }
};

/// One entry of a table.
using Value = std::variant<std::string, double, Index>;
/// As it is printed; numbers with up to four significant digits.
std::string text(const Value& value);

struct Table {
    std::string name{};  ///< of its file, without the ending
    std::string title{};
    std::vector<std::string> columns{};  ///< with units in brackets
    std::vector<std::vector<Value>> rows{};
    bool detail = false;  ///< not printed to a terminal
};

/// A number and how far chance may have moved it.
struct Estimate {
    double value = 0;
    double error = 0;  ///< the true one lies within it of the value, 19 times in 20; 0 where the number is taken as it is
    Estimate(double number, double half_width = 0) : value(number), error(half_width) {}  // a number is an estimate
};

enum class Verdict { held, refuted, open };
/// "held", "did not hold", "cannot tell"
std::string_view text(Verdict verdict);

/// A statement that was held against a measured number.
struct Finding {
    std::string claim{};     ///< what the documents expect, in our words
    std::string quantity{};  ///< what was measured
    Estimate measured;
    double low = -INFINITY, high = INFINITY;  ///< where the number lies if the claim is true, ends included
    /// Held or refuted where all that the number may be lies within the bounds or beyond one of them, else open. NaN never held.
    Verdict verdict() const;
    bool held() const { return verdict() == Verdict::held; }
    /// "0.9", "0.9 ± 0.05"
    std::string measured_text() const;
    /// ">= 0.9", "<= 0.1", "0.9 to 1.1"
    std::string expected() const;
};
inline Finding at_least(std::string claim, std::string quantity, Estimate measured, double low) {
    return {std::move(claim), std::move(quantity), measured, low, INFINITY};
}
inline Finding at_most(std::string claim, std::string quantity, Estimate measured, double high) {
    return {std::move(claim), std::move(quantity), measured, -INFINITY, high};
}
inline Finding between(std::string claim, std::string quantity, Estimate measured, double low, double high) {
    return {std::move(claim), std::move(quantity), measured, low, high};
}

struct NamedFigure {
    std::string name{};  ///< of its file, without the ending
    figures::Figure figure{};
};

struct Result {
    std::vector<Table> tables{};
    std::vector<NamedFigure> figures{};
    std::vector<Finding> findings{};
};

struct Experiment {
    int number = 0;
    std::string_view name{}, title{};
    std::string_view setting{};  ///< what is done and measured, in a sentence or two
    Result (*run)(const Context&) = nullptr;
};

/// All of them by number.
std::span<const Experiment> all_experiments();
/// Errors: ValueError for an unknown name, with the nearest known one.
const Experiment& find_experiment(const std::string& name);

}  // namespace gradproof::experiments
