// The untyped call: an op run by its table, by a kernel where one fits.
#include <array>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// The payload lives for the call only.
template <class T>
Tensor<T> call(const OpTable<T>& op, const void* attrs, Inputs<T> x) {
    const detail::Chosen<T> by = detail::choose(op, attrs, x);
    constexpr std::size_t kInline = 1024;
    alignas(std::max_align_t) std::byte in_place[kInline];
    std::unique_ptr<std::byte[]> on_heap;
    struct Guard {
        detail::Kept<T> kept;
        ~Guard() { kept.destroy(); }
    } guard{{&op, by.backward, in_place}};
    if (const std::size_t bytes = detail::Kept<T>::bytes(op, by.backward); bytes > kInline) {
        on_heap = std::make_unique<std::byte[]>(bytes);
        guard.kept.payload = on_heap.get();
    }
    guard.kept.construct(attrs);
    return guard.kept.forward(by.forward, x);
}

template <class T>
Var<T> call(const OpTable<T>& op, const void* attrs, std::span<const Var<T>* const> inputs) {
    for (const Var<T>* x : inputs)
        if (x->on_tape()) return x->tape()->record(op, attrs, inputs);
    std::array<const Tensor<T>*, 8> few;  // most ops: nothing is allocated for them
    std::vector<const Tensor<T>*> many(inputs.size() > few.size() ? inputs.size() : 0);
    const Tensor<T>** const tensors = many.empty() ? few.data() : many.data();
    for (std::size_t i = 0; i < inputs.size(); ++i) tensors[i] = &inputs[i]->value();
    return Var<T>(call(op, attrs, Inputs<T>(tensors, static_cast<int>(inputs.size()))));
}

#define GRADPROOF_CALL(T)                                                                 \
    template Var<T> call(const OpTable<T>&, const void*, std::span<const Var<T>* const>); \
    template Tensor<T> call(const OpTable<T>&, const void*, Inputs<T>);
GRADPROOF_FOR_SCALARS(GRADPROOF_CALL)
#undef GRADPROOF_CALL

}  // namespace gradproof
