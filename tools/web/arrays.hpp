// Values as the page draws them: a step of a derivation, {name, shape, value}.
#pragma once

#include "gradproof/core/proof/explain/explain.hpp"
#include "tools/web/calls.hpp"

namespace gradproof::web {

inline proof::Step step(const std::string& name, const Tensor<double>& value) {
    proof::Step out;
    out.name = name;
    out.value = value;
    return out;
}

/// One value alone.
inline Json drawn_step(const std::string& name, const Tensor<double>& value) {
    proof::Explanation e;
    e.forward.push_back(step(name, value));
    return Json::parse(to_json(e)).at("forward").at(0);
}

}  // namespace gradproof::web
