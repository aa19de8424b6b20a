// What a program is run with, and what its lines computed; as the JSON, too, that tools/python/gradproof/_run takes and gives.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof::proof {

/// An array that a program is given.
struct RunArray {
    Tensor<double> value;
    bool whole = false;           ///< its numbers are whole, as places in an axis are
    bool differentiable = false;  ///< an input, and no constant
};

/// What a program is run with: one draw of its derivation. Lines are told apart by where in the text they begin, in bytes.
struct RunCase {
    using Arrays = std::map<std::string, RunArray, std::less<>>;
    Arrays inputs;             ///< that comments of the program declare
    Arrays fallbacks;          ///< what else is given: for parameters without a default
    Arrays incoming;           ///< gradients that come in from outside, by the names of parameters
    Arrays gradients;          ///< by the names of parameters that are called so
    Tensor<double> cotangent;  ///< of the last value; undefined where a loss is stated
    std::map<std::string, Index, std::less<>> sizes;
    std::set<std::size_t> lines, gradient_lines;
};

/// What a line computed once.
struct RunValue {
    Tensor<double> value;
    bool narrow = false;  ///< in fewer bits than a double has
};

struct RunResult {
    std::string python;  ///< its version
    struct Line {
        std::string name{};           ///< that it assigns, without what it is an attribute of; "" for what is returned
        std::vector<RunValue> times;  ///< as often as it ran
    };
    std::map<std::size_t, Line> values;
    std::map<std::size_t, std::size_t> changed;  ///< lines whose value was another at this return
    std::set<std::size_t> again;                 ///< lines whose value is another when they were called before
    std::map<std::string, RunValue> gradients;   ///< by values, what PyTorch and JAX get
    struct Handed {
        std::string by;                   ///< "backward returns", "Net keeps"
        std::string name;                 ///< as that of a line; "" of what has none
        std::optional<std::size_t> at{};  ///< the return, of what has to be a gradient
        std::optional<RunValue> value{};  ///< nothing where None is returned
    };
    std::vector<Handed> handed;
    struct NotRun {
        std::string name;                ///< of a function; "" for the whole program
        std::vector<std::size_t> lines;  ///< of those asked for
        std::string why;
        std::optional<std::size_t> at{};  ///< the line that failed
    };
    std::vector<NotRun> not_run;
};

/// {"path", "text", "cases": [...]}
std::string run_request(const std::string& path, const std::string& text, std::span<const RunCase> cases);
/// Errors: IoError, with the path, for text that is no answer to so many cases.
std::vector<RunResult> run_answer(const std::string& path, const std::string& json, std::size_t cases);

}  // namespace gradproof::proof
