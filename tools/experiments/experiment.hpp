// What an experiment is: claims of the documents, a run that measures them, and the tables, figures and findings it returns.
//
//   const Experiment& e = find_experiment("variance");
//   const Result r = e.run({.seed = 42, .effort = Effort::quick});
//   for (const Finding& f : r.findings) print(f.claim, f.measured_text(), text(f.outcome()));
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

/// How much is run. whole: everything; quick: fewer repeats and shorter training, enough to judge the claims;
/// smoke: hardly anything, for tests.
enum class Effort { whole, quick, smoke };

struct Context {
    std::uint64_t seed = 42;  ///< the same seed gives the same numbers, except for times and memory
    Effort effort = Effort::whole;
    template <class T>
    T pick(T whole, T quick, T smoke) const {
        return effort == Effort::whole ? whole : effort == Effort::quick ? quick : smoke;
    }
    /// The n-th repeat: the same with another seed.
    Context repeat(Index n) const { return {seed + static_cast<std::uint64_t>(n), effort}; }
    /// The number of repeats for a claim where chance could decide a single run.
    Index repeats() const { return pick<Index>(12, 8, 1); }
};

/// One entry of a table.
using Value = std::variant<std::string, double, Index>;
/// The text that is printed; numbers with up to four significant digits.
std::string text(const Value& value);

struct Table {
    std::string name{};  ///< name of its file, without the extension
    std::string title{};
    std::vector<std::string> columns{};  ///< with units in parentheses
    std::vector<std::vector<Value>> rows{};
    bool detail = false;  ///< left out on a terminal
};

/// A number with half the width of its 95 % interval.
struct Estimate {
    double value = 0;
    double error = 0;  ///< 0 for a number that chance does not change
    Estimate(double number, double half_width = 0) : value(number), error(half_width) {}  // a number is an estimate
};

enum class Outcome { held, refuted, open };
/// "held", "did not hold", "cannot tell"
std::string_view text(Outcome outcome);

/// A claim and the measured number that decides it.
struct Finding {
    std::string claim{};     ///< what the documents say
    std::string quantity{};  ///< what was measured
    Estimate measured;
    double low = -INFINITY, high = INFINITY;  ///< the range of the number if the claim is true, ends included
    /// Held if the whole interval of the number lies within the bounds, refuted if all of it lies beyond one of them, else open.
    /// NaN is refuted.
    Outcome outcome() const;
    bool held() const { return outcome() == Outcome::held; }
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
    std::string name{};  ///< name of its file, without the extension
    figures::Figure figure{};
};

/// At least one of each: a test holds it.
struct Result {
    std::vector<Table> tables{};
    std::vector<NamedFigure> figures{};
    std::vector<Finding> findings{};
};

struct Experiment {
    int number = 0;  ///< its place in the list: the next that is free
    std::string_view name{}, title{};
    std::string_view setting{};  ///< what is done and measured, in one or two sentences
    Result (*run)(const Context&) = nullptr;
};

/// Adds an experiment to the list: one object at namespace scope in the file of the experiment; nothing else in the
/// program has to name it; README.md tells of its rows and figure.
class NewExperiment {
  public:
    explicit NewExperiment(const Experiment& experiment);
};

/// All of them by number.
std::span<const Experiment> all_experiments();
/// Errors: ValueError for an unknown name, with the nearest known one.
const Experiment& find_experiment(const std::string& name);

}  // namespace gradproof::experiments
