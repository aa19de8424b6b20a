// Calls of attention with all that comes out of them, shared by its tests.
#pragma once

#include "gradproof/ops/attention.hpp"
#include "tests/ops/waves.hpp"

namespace gradproof::attention_test {

using namespace gradproof::testing;

/// A call and its cotangent, and all that comes out of it.
struct Call {
    AttentionAttrs attrs;
    D q, k, v, mask, past_key, past_value, dy;
};
struct Results {
    D y;
    std::vector<D> gradients;  // of q k v mask past_key past_value; undefined where absent
};

template <class T>
Results run(const Call& c) {
    Tape<T> tape;
    const auto leaf = [&](const D& x) { return x.defined() ? tape.leaf(cast<T>(x)) : Var<T>(); };
    const std::vector<Var<T>> x{leaf(c.q), leaf(c.k), leaf(c.v), leaf(c.mask), leaf(c.past_key), leaf(c.past_value)};
    const Var<T> y = attention(x[0], x[1], x[2], {.mask = x[3], .past_key = x[4], .past_value = x[5]}, c.attrs);
    Results out{cast<double>(y.value()), {}};
    if (!c.dy.defined()) return out;
    tape.backward(y, cast<T>(c.dy));
    for (const auto& v : x) out.gradients.push_back(v.on_tape() ? cast<double>(tape.grad(v)) : D());
    return out;
}

}  // namespace gradproof::attention_test
