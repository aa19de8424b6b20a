// One registered op of a proof, within what a proof may take.
#include <algorithm>
#include <array>

#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/quad.hpp"

namespace gradproof::proof {
namespace {

/// What an op makes at most, and how many numbers it multiplies to that end where it is a product of matrices.
struct Cost {
    double elements = 0, products = 0;
};

/// Of the last two axes of two arrays, whichever of them are summed over.
Cost product_cost(const Shape& a, const Shape& b) {
    const auto axes = [](const Shape& s) { return std::min(2, s.rank()); };
    const auto other = [&](const Shape& s, int i) { return axes(s) == 2 ? static_cast<double>(s.last(1 - i)) : 1.0; };
    Cost out;
    for (int i = 0; i < axes(a); ++i)
        for (int j = 0; j < axes(b); ++j) {
            if (a.last(i) != b.last(j)) continue;
            const double made = other(a, i) * other(b, j);
            out.elements = std::max(out.elements, made);
            out.products = std::max(out.products, made * static_cast<double>(a.last(i)));
        }
    return out;
}

/// Of all arguments laid over each other, of a matrix product, of rows gathered.
template <class T>
Cost cost_of(std::string_view op, const std::vector<Var<T>>& arguments, const std::vector<OptionValue>& options) {
    double total = 0;
    std::array<double, kMaxRank> over{};
    over.fill(1);
    const auto lay = [&](const Shape& s) {
        for (int i = 0; i < s.rank(); ++i)
            over[static_cast<std::size_t>(i)] = std::max(over[static_cast<std::size_t>(i)], static_cast<double>(s.last(i)));
    };
    for (const Var<T>& a : arguments) {
        total += static_cast<double>(a.value().size());
        lay(a.shape());
    }
    for (const OptionValue& o : options) {
        if (const auto* ids = std::get_if<Tensor<Index>>(&o.value)) total *= static_cast<double>(std::max<Index>(1, ids->size()));
        if (const auto* mask = std::get_if<Tensor<bool>>(&o.value)) lay(mask->shape());
    }
    if (op == "concat" || op == "stack" || arguments.size() < 2) return {total, 0};
    const bool product = op == "matmul" || op == "linear" || op == "attention";
    Cost out = product ? product_cost(arguments[0].shape(), arguments[1].shape()) : Cost{1, 0};
    for (std::size_t i = product ? 2 : 0; i < over.size(); ++i) {
        out.elements *= over[i];
        out.products *= over[i];
    }
    return out;
}

}  // namespace

template <class T>
Var<T> apply_op(std::string_view op, const std::vector<Var<T>>& arguments, const std::vector<OptionValue>& options) {
    const Cost cost = cost_of(op, arguments, options);
    if (cost.elements > static_cast<double>(kMostElements))
        value_error("{}: would make up to {:.0f} elements, at most {} (kMostElements)", op, cost.elements, kMostElements);
    if (cost.products > kMostMultiplied)
        value_error("{}: {:.0f} products of numbers, at most {:.0f} (kMostMultiplied)", op, cost.products, kMostMultiplied);
    const OpEntry& entry = registry().find(op);
    AnyAttrs attrs = entry.default_attrs();
    for (const OptionValue& o : options) attrs.set(o.name, o.value);
    std::vector<const Var<T>*> pointers;
    for (const Var<T>& a : arguments) pointers.push_back(&a);
    return call(entry.table<T>(), attrs.get(), std::span<const Var<T>* const>(pointers));
}

template Var<double> apply_op(std::string_view, const std::vector<Var<double>>&, const std::vector<OptionValue>&);
template Var<Dual<Bounded<double>>> apply_op(std::string_view, const std::vector<Var<Dual<Bounded<double>>>>&,
                                             const std::vector<OptionValue>&);
template Var<Dual<Bounded<Quad>>> apply_op(std::string_view, const std::vector<Var<Dual<Bounded<Quad>>>>&,
                                           const std::vector<OptionValue>&);

}  // namespace gradproof::proof
