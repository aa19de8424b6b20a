// Binding arrays to names.
#include "gradproof/core/proof/evaluate/bind.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/compared_arrays.hpp"
#include "gradproof/core/did_you_mean.hpp"

namespace gradproof::proof {
namespace {

const Given* given_named(const std::string& name, const std::vector<Proof>& proofs) {
    for (const Proof& p : proofs)
        for (const Given& g : p.given)
            if (g.name == name) return &g;
    return nullptr;
}

Tensor<double> checked(const Array& array, const Given& given) {
    if (given.differentiable && array.dtype == DType::boolean)
        value_error("{} is an array of bool, an input takes numbers", given.name);
    Tensor<double> x = to_tensor<double>(array, given.name);
    const auto bad =
        std::find_if(x.begin(), x.end(), [&](double v) { return given.differentiable ? !std::isfinite(v) : std::isnan(v); });
    if (bad != x.end())
        value_error("{} holds {} at element {}, expected {}numbers", given.name, *bad, bad - x.begin(),
                    given.differentiable ? "finite " : "");
    if (x.size() > kMostElements) value_error("{} has {} elements, at most {}", given.name, x.size(), kMostElements);
    return x;
}

std::string known_names(const std::vector<Proof>& proofs) {
    std::string out;
    for (const Proof& p : proofs)
        for (const Given& g : p.given) out += (out.empty() ? "" : ", ") + g.name;
    return out.empty() ? "nothing" : out;
}

[[noreturn]] void unknown(const std::string& name, const std::vector<Proof>& proofs) {
    std::vector<std::string> names;
    for (const Proof& p : proofs)
        for (const Given& g : p.given) names.push_back(g.name);
    value_error("no input or constant is called {}{}", printable(name, 60),
                did_you_mean(name, names, "; there is " + known_names(proofs)));
}

}  // namespace

std::optional<Meaning> meaning_of(const std::string& name, const Proof& proof) {
    const auto known = [&](const std::string& value) {
        return proof.find(value) != nullptr ||
               std::any_of(proof.given.begin(), proof.given.end(), [&](const Given& g) { return g.name == value; });
    };
    if (known(name)) return Meaning{name, false};
    const auto value = check::gradient_of(name, known);
    return value ? std::optional(Meaning{*value, true}) : std::nullopt;
}

Bindings bind_arrays(const std::vector<NamedArray>& arrays, const std::vector<Proof>& proofs) {
    Bindings out;
    for (const NamedArray& a : arrays) {
        if (const Given* given = given_named(a.name, proofs)) {
            if (!out.emplace(a.name, checked(a.array, *given)).second) value_error("{} is bound twice", a.name);
        } else if (std::none_of(proofs.begin(), proofs.end(),
                                [&](const Proof& p) { return meaning_of(a.name, p).has_value(); })) {
            unknown(a.name, proofs);
        }
    }
    if (out.empty() && !arrays.empty()) value_error("no array for {}", known_names(proofs));
    return out;
}

}  // namespace gradproof::proof
