// Choosing the instruction set: what was built, what the processor and the operating system support, what was asked for.
#include "gradproof/ops/kernels/kernels.hpp"

#include <atomic>
#include <cstdlib>

#include "gradproof/core/errors.hpp"
#include "gradproof/ops/kernels/blas.hpp"

namespace gradproof {
namespace {

struct Arch {
    std::string_view name;
    bool supported;
    Kernels<float> f32{};
    Kernels<double> f64{};
};

// __builtin_cpu_supports asks the processor and, by XGETBV, whether the operating system saves the wide registers.
#define GRADPROOF_ADD_ARCH(arch, condition)                                                                             \
    if (condition) {                                                                                                    \
        Arch a{#arch, true};                                                                                            \
        kernels_##arch::fill_maps(a.f32), kernels_##arch::fill_rows(a.f32), kernels_##arch::fill_norms(a.f32);          \
        kernels_##arch::fill_steps(a.f32), kernels_##arch::fill_products(a.f32), kernels_##arch::fill_attention(a.f32); \
        kernels_##arch::fill_maps(a.f64), kernels_##arch::fill_rows(a.f64), kernels_##arch::fill_norms(a.f64);          \
        kernels_##arch::fill_steps(a.f64), kernels_##arch::fill_products(a.f64), kernels_##arch::fill_attention(a.f64); \
        found.push_back(a);                                                                                             \
    }

/// Slowest first.
const std::vector<Arch>& available() {
    static const std::vector<Arch> all = [] {
        std::vector<Arch> found;
        GRADPROOF_ADD_ARCH(baseline, true)
#ifdef GRADPROOF_HAVE_avx2
        __builtin_cpu_init();
        GRADPROOF_ADD_ARCH(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif
#ifdef GRADPROOF_HAVE_avx512
        GRADPROOF_ADD_ARCH(avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                                       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
#endif
        return found;
    }();
    return all;
}

const Arch& find(std::string_view name, std::string_view asked_by) {
    std::string known;
    for (const Arch& a : available()) {
        if (a.name == name) return a;
        known += (known.empty() ? "" : ", ") + std::string(a.name);
    }
    value_error("{}: no instruction set named '{}' here: available are {}", asked_by, name, known);
}

std::atomic<const Arch*> chosen{nullptr};

const Arch& choose() {
    const char* wanted = std::getenv("GRADPROOF_ARCH");
    const Arch& arch = wanted != nullptr && *wanted != '\0' ? find(wanted, "GRADPROOF_ARCH") : available().back();
    chosen.store(&arch, std::memory_order_release);
    return arch;
}
const Arch& current() {
    const Arch* arch = chosen.load(std::memory_order_acquire);
    return arch != nullptr ? *arch : choose();
}

}  // namespace

template <class T>
const Kernels<T>& kernels() {
    if constexpr (std::same_as<T, float>)
        return current().f32;
    else
        return current().f64;
}
template const Kernels<float>& kernels();
template const Kernels<double>& kernels();

std::string_view arch_name() { return current().name; }

std::string kernels_in_use() {
    return fmt::format("{}{}, {}", in_plain_scope() ? "plain on " : in_page_scope() ? "page on " : "", arch_name(), blas_core());
}

std::vector<std::string> archs() {
    std::vector<std::string> names;
    for (const Arch& a : available()) names.emplace_back(a.name);
    return names;
}

void use_arch(std::string_view name) { chosen.store(&find(name, "use_arch"), std::memory_order_release); }

}  // namespace gradproof
