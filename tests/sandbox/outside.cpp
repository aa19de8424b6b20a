// Nine ops as they are written outside the tree, each right once and then with one slip of its backward at a time.
#include <utility>

#include "outside/activations.hpp"
#include "outside/attention.hpp"
#include "outside/losses.hpp"
#include "outside/norms.hpp"
#include "outside/places.hpp"

namespace {

template <class Model, int... N>
bool register_slips(std::integer_sequence<int, N...>) {
    return (detail::register_page(make_entry<Page<Model, N>>(__FILE__), &detail::ThisBuild::token) && ...);
}
template <class... Models>
bool register_all() {
    return (register_slips<Models>(std::make_integer_sequence<int, static_cast<int>(Models::kNames.size())>()) && ...);
}
[[maybe_unused]] const bool registered =
    register_all<Swish, Gelu, GroupNorm, Conv, SmoothedLoss, Rotary, RmsNorm, Huber, BiasedAttention>();

}  // namespace
