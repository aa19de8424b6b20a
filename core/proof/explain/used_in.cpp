// Which entries are computed from one entry.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/proof/explain/cell.hpp"

namespace gradproof::proof {
namespace {

/// Of a set of entries the index along each axis, or : where all along it are in; where the set is another, "".
std::string pattern(const std::vector<Shape>& entries, const Shape& shape) {
    if (entries.empty()) return "";
    std::string out;
    Index product = 1;
    for (int a = 0; a < shape.rank(); ++a) {
        std::set<Index> along;
        for (const Shape& e : entries) along.insert(e[a]);
        product *= static_cast<Index>(along.size());
        const bool all = static_cast<Index>(along.size()) == shape[a] && shape[a] > 1;
        if (!all && along.size() > 1) return "";
        out += (out.empty() ? "" : ",") + (all ? ":" : std::to_string(*along.begin()));
    }
    return product == static_cast<Index>(entries.size()) ? out : "";
}

/// In the words of attention, where the pattern is its own: a query meets every key, a key every query.
std::string in_words(const Cell& cell, const std::string& pattern) {
    if (cell.index.size() != 2 || cell.name.empty()) return "";
    const std::string row = std::to_string(cell.index[0]), column = std::to_string(cell.index[1]);
    if (cell.name == "K" && pattern == ":," + row) return fmt::format(": key {} is seen by every query", row);
    if (cell.name == "Q" && pattern == row + ",:") return fmt::format(": query {} looks at every key", row);
    if (cell.name == "V" && pattern == ":," + column) return fmt::format(": value {} is mixed into every output", row);
    if (cell.name == "S" && pattern == row + ",:") return ": a score moves every weight of its row";
    return "";
}

}  // namespace

std::string used_in(const Cell& cell, const Proof& proof, const Plan& plan, Instance& draw) {
    const auto found = draw.scope().values.find(cell.name);
    if (found == draw.scope().values.end()) return "";
    const Shape& shape = found->second.shape();
    const Index at = check::ravel(Shape(cell.index), shape);
    std::string out;
    for (const std::size_t c : plan.consumers(cell.name)) {
        const std::string& next = proof.forward[c].name;
        const Tensor<double> step = values_of(draw.derivatives().step_jacobian(cell.name, c));
        const Tensor<double>& y = draw.scope().values.find(next)->second.value();
        std::vector<Shape> entries;
        for (Index i = 0; i < y.size(); ++i)
            if (step[i * shape.size() + at] != 0) entries.push_back(check::unravel(i, y.shape()));
        const std::string where = pattern(entries, y.shape());
        out += fmt::format("{}{}{}, {} of {} entr{}{}", out.empty() ? "" : "; ", next, where.empty() ? "" : "[" + where + "]",
                           entries.size(), y.size(), y.size() == 1 ? "y" : "ies",
                           entries.empty() ? ": where it stands, it changes nothing" : in_words(cell, where));
    }
    return out;
}

}  // namespace gradproof::proof
