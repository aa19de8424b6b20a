// A kernel: another implementation of the forward or the backward of an op that has a page, attached to the op by name.
//
//   struct FastRelu {
//       static constexpr KernelInfo info{.op = "relu", .name = "fast"};
//       using Attrs = NoFields;                 // the op's public Attrs; without this line attributes come by name (AnyAttrs)
//       static bool fits(const Attrs&, const InputShapes& x) { return x[0].rank() > 0; }   // without it: every call
//       static Tensor<float> forward(const Attrs&, Inputs<float> x, SavedTensors<float>& saved);
//       static void backward(const Attrs&, const SavedTensors<float>& saved, const Tensor<float>& dy, Cotangents<float> dx);
//   };
//   GRADPROOF_KERNEL(FastRelu, float);          // or (FastRelu, float, double), with overloads or templates for both types
//
// A fast path for several instruction sets is added as ops/kernels/table.hpp says.
//
// The checks compare each kernel with the page of its op. A kernel has a forward, a backward, or both. It fills and reads the
// tensors that the page saves, saved["y"]; a kernel with both directions may save tensors of its own instead, which `info.saves`
// names. A call takes the first kernel that fits; the one attached last is tried first.
//
// Inputs are contiguous, row-major, 64-byte aligned CPU memory and must not be written. A new Tensor(shape) is not initialised.
// Both functions may be called from several threads at once, and must return the same bits each time. A GPU kernel copies to the
// device, launches, waits and copies back within them.
#pragma once

#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/registry.hpp"

namespace gradproof {

namespace detail {

/// run(attrs), with the attributes in the form that the kernel K asks for.
template <class K, class T, class Run>
auto with_attrs(const KernelTable<T>& kernel, const void* attrs, Run run) {
    if constexpr (requires { typename K::Attrs; })
        return run(*static_cast<const typename K::Attrs*>(attrs));
    else
        return run(kernel.view_attrs(attrs));
}
template <class K>
auto attrs_form() {
    if constexpr (requires { typename K::Attrs; })
        return typename K::Attrs{};
    else
        return AnyAttrs{};
}
template <class K>
using AttrsOf = decltype(attrs_form<K>());

template <class K, class T>
concept HasForward = requires(const AttrsOf<K>& a, Inputs<T> x, SavedTensors<T>& saved) {
    { K::forward(a, x, saved) } -> std::same_as<Tensor<T>>;
};
template <class K, class T>
concept HasBackward = requires(const AttrsOf<K>& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
    { K::backward(a, saved, dy, dx) } -> std::same_as<void>;
};
// Whether there is something of this name, callable or not.
template <class K, class T>
concept NamesForward = requires {
    &K::forward;
}
|| requires { &K::template forward<T>; };
template <class K, class T>
concept NamesBackward = requires {
    &K::backward;
}
|| requires { &K::template backward<T>; };

/// The names in a list separated by spaces.
std::vector<std::string_view> split_names(std::string_view names);

/// The one table of kernel K for type T.
template <class K, class T>
KernelTable<T>* kernel_table() {
    static_assert(takes_kernels<T>, "kernel: the element types of kernels are float and double");
    static_assert(
        HasForward<K, T> || HasBackward<K, T>,
        "kernel: neither `Tensor<T> forward(const Attrs&, Inputs<T>, SavedTensors<T>&)` nor `void backward(const Attrs&, "
        "const SavedTensors<T>&, const Tensor<T>& dy, Cotangents<T> dx)` is there for this element type");
    static_assert(HasForward<K, T> || !NamesForward<K, T>,
                  "kernel: forward is ill-typed: `Tensor<T> forward(const Attrs&, Inputs<T>, SavedTensors<T>&)`");
    static_assert(HasBackward<K, T> || !NamesBackward<K, T>,
                  "kernel: backward is ill-typed: `void backward(const Attrs&, const SavedTensors<T>&, const Tensor<T>& dy, "
                  "Cotangents<T> dx)`");
    static KernelTable<T> table = [] {
        KernelTable<T> k;
        k.name = K::info.name;
        k.own = split_names(K::info.saves);
        if constexpr (requires(const AttrsOf<K>& a, const InputShapes& x) { K::fits(a, x); })
            k.fits = [](const KernelTable<T>& self, const void* attrs, const InputShapes& x) -> bool {
                return with_attrs<K>(self, attrs, [&](const auto& a) { return K::fits(a, x); });
            };
        if constexpr (HasForward<K, T>)
            k.forward = [](const KernelTable<T>& self, const void* attrs, Inputs<T> x, SavedTensors<T>& saved) {
                return with_attrs<K>(self, attrs, [&](const auto& a) { return K::forward(a, x, saved); });
            };
        if constexpr (HasBackward<K, T>)
            k.backward = [](const KernelTable<T>& self, const void* attrs, const SavedTensors<T>& saved, const Tensor<T>& dy,
                            Cotangents<T> dx) {
                with_attrs<K>(self, attrs, [&](const auto& a) { K::backward(a, saved, dy, dx); });
            };
        return k;
    }();
    return &table;
}

}  // namespace detail

/// The kernel K for the element types Types.
template <class K, class... Types>
KernelEntry make_kernel(std::string_view file) {
    KernelEntry entry{.info = K::info, .file = page_file(file)};
    if constexpr ((std::is_same_v<Types, float> || ...)) entry.f32 = detail::kernel_table<K, float>();
    if constexpr ((std::is_same_v<Types, double> || ...)) entry.f64 = detail::kernel_table<K, double>();
    if constexpr (requires { typename K::Attrs; }) entry.attrs = &typeid(typename K::Attrs);
    return entry;
}

}  // namespace gradproof

/// Attaches a kernel for the element types listed. Write it at namespace scope; the page may be in any file or library.
#define GRADPROOF_KERNEL(K, ...)                                                                      \
    [[maybe_unused]] static const bool gradproof_attached_##K = ::gradproof::detail::register_kernel( \
        ::gradproof::make_kernel<K, __VA_ARGS__>(__FILE__), &::gradproof::detail::ThisBuild::token)
