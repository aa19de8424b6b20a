// What decides a branch in a draw: its values, and on which sides they lie.
#include "gradproof/core/proof/evaluate/branches.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// The values of what is compared, entry by entry where it has indices.
template <class T>
Tensor<T> values_in(const Scope<T>& outside, const Branch& b) {
    const Expr &e = *b.compared, &whole = b.helper != nullptr ? *b.helper->children[0] : *b.whole;
    const bool uses_itself = b.helper != nullptr && mentions(whole, b.helper->name);
    Scope<T> with_helper;
    if (uses_itself) {
        with_helper = outside;
        with_helper.values.insert_or_assign(b.helper->name, Evaluator<T>(outside).matrix(*b.helper));
    }
    const Scope<T>& scope = uses_itself ? with_helper : outside;
    Evaluator<T> evaluator(scope);
    // How far indices run may take gradients of the line to know, which take a while.
    const std::set<std::string> free = free_names_in(e);
    std::set<std::string> summed;
    for_each(whole, [&](const Expr& part) { summed.insert(part.bound.begin(), part.bound.end()); });
    const auto is_known = [&](const std::string& n) {
        return scope.values.contains(n) || (scope.sizes.contains(n) && !summed.contains(n));
    };
    if (std::ranges::all_of(free, is_known)) return evaluator.matrix(e).value();
    std::map<std::string, Index> sizes;
    if (b.extents != nullptr) sizes = evaluator.stated_sizes(*b.extents);
    if (b.left != nullptr) sizes = evaluator.index_sizes(*b.left, sizes);
    if (b.left != nullptr)  // what a sum on the left binds is free again
        for_each(*b.left, [&](const Expr& part) {
            for (const std::string& index : part.bound) sizes.erase(index);
        });
    sizes = evaluator.index_sizes(whole, sizes);
    try {  // of a letter that several sums bind, the size that it has here
        for (const auto& [index, size] : evaluator.index_sizes(e, {})) sizes.insert_or_assign(index, size);
    } catch (const EvaluationError&) {  // only the whole says how far an index runs
    }
    std::vector<std::string> indices;
    Shape shape;
    std::set<std::string> bound, used;
    for_each(e, [&](const Expr& part) {
        bound.insert(part.bound.begin(), part.bound.end());
        if (part.kind == Kind::name) used.insert(part.name);
    });
    for (const auto& [index, size] : sizes)
        if (used.contains(index) && !bound.contains(index) && shape.rank() < kMaxRank) {
            indices.push_back(index);
            shape.push_back(size);
        }
    return indices.empty() ? evaluator.matrix(e).value() : evaluator.indexed(e, indices, shape).value();
}

}  // namespace

std::vector<double> values_compared(const Instance& draw, const Branch& branch) {
    const Tensor<double> values = values_in(draw.scope(), branch);
    return {values.begin(), values.end()};
}

std::vector<Bounded<double>> bounded_values_compared(Instance& draw, const Branch& branch) {
    std::vector<Bounded<double>> out;
    for (const Tracked& x : values_in(draw.derivatives().scope(), branch)) out.push_back(x.value);
    return out;
}

bool is_claimed_in(const Instance& draw, const JudgedLine& line) {
    if (!line.holds) return true;
    try {
        return std::ranges::any_of(values_compared(draw, condition_of(line)), [](double v) { return v != 0; });
    } catch (const std::invalid_argument&) {  // what it says of its shapes is said where it is judged
        return true;
    }
}

std::vector<double> sides_met(const Instance& draw, const Branch& branch) {
    std::vector<double> sides;
    for (const double x : values_compared(draw, branch)) {
        if (std::isnan(x) || branch.by == Branch::By::whole)
            sides.push_back(std::floor(x));
        else if (branch.by == Branch::By::slope)
            sides.push_back(x);
        else if (branch.is_equality())
            sides.push_back((x > 0) - (x < 0));
        else
            sides.push_back(branch.by == Branch::By::sign ? x > 0 : x != 0);
    }
    return sides;
}

}  // namespace gradproof::proof
