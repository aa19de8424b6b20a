// Kernels left wrong on purpose, one contract each, attached to a right page of the same plugin and to an op of the library.
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"

namespace {

using namespace gradproof;

/// y = a b^2
template <int N>
struct Page {
    static constexpr OpInfo info{.name = N == 0   ? "held"
                                         : N == 1 ? "throwing"
                                                  : "crashing",
                                 .inputs = "a b",
                                 .forward = "y = a b^2",
                                 .backward = "da = b^2 dy; db = 2 a b dy",
                                 .saves = "a b",
                                 .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> a, b;
        static void fields(auto& s, auto&& f) {
            f("a", s.a);
            f("b", s.b);
        }
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>& saved) {
        expect_inputs(info, x, 2);
        if (!(x[0].shape() == x[1].shape()))
            shape_error("{}: shapes differ: a is {}, b is {}", info.name, x[0].shape(), x[1].shape());
        saved = {x[0], x[1]};
        Tensor<T> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = x[0][i] * x[1][i] * x[1][i];
        return y;
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        Tensor<T> da(dy.shape()), db(dy.shape());
        for (Index i = 0; i < dy.size(); ++i) da[i] = s.b[i] * s.b[i] * dy[i], db[i] = T(2) * s.a[i] * s.b[i] * dy[i];
        if (dx.needs(0)) dx.add(0, da);
        if (dx.needs(1)) dx.add(1, db);
    }
    static std::vector<Sample<Page>> samples() { return {{"matrix", {}, {{3, 5}, {3, 5}}}}; }
    static std::vector<ErrorSample<Page>> error_samples() { return {{"shapes", {}, {{2, 3}, {3, 2}}, "a is [2, 3]"}}; }
};
using Held = Page<0>;
GRADPROOF_OP(Held);
using Throwing = Page<1>;
GRADPROOF_OP(Throwing);
using Crashing = Page<2>;
GRADPROOF_OP(Crashing);

enum Defect : int {
    none,
    value,
    of_float_only,
    gradient,
    saved_other,
    special,
    size_1,
    size_100_000,
    middling_sizes,
    whole_blocks,
    tiles,
    linear,
    needed,
    unchanged,
    errors,
    layout,
    deterministic,
    independent,
    in_bounds,
    takes_nothing,
    throws,
    throws_in_predicate,
    segfaults,
    count
};
constexpr std::array<std::string_view, count> kNames{
    "right",         "breaks_value",         "breaks_float_value", "breaks_gradient",       "saves_another",
    "drops_nan",     "breaks_size_1",        "breaks_size_100000", "breaks_middling_sizes", "breaks_whole_blocks",
    "breaks_tiles",  "breaks_linear",        "breaks_needed",      "breaks_unchanged",      "breaks_errors",
    "breaks_layout", "breaks_deterministic", "breaks_independent", "breaks_in_bounds",      "takes_nothing",
    "throws",        "throws_in_predicate",  "segfaults"};

template <class T>
std::vector<T> last;  ///< a of the call that ran last

template <int D>
struct Claim {
    static constexpr KernelInfo info{.op = D < throws      ? "held"
                                           : D < segfaults ? "throwing"
                                                           : "crashing",
                                     .name = kNames[D],
                                     .saves = D == unchanged ? "a b scratch" : ""};

    static bool fits(const AnyAttrs&, const InputShapes& x) {
        if (D == throws_in_predicate) throw std::runtime_error("undecided");
        return D == errors || (D != takes_nothing && x[0] == x[1]);
    }
    template <class T>
    static Tensor<T> forward(const AnyAttrs&, Inputs<T> x, SavedTensors<T>& saved) {
        if (D == throws) throw std::runtime_error("no luck today");
        if (D == segfaults) {
            volatile int* volatile nowhere = nullptr;
            *nowhere = 1;
        }
        const Tensor<T>&a = x[0], &b = x[1];
        saved["a"] = a;
        saved["b"] = b;
        if (D == saved_other) saved["b"] = b.clone(), saved["b"][0] *= T(-1);
        if (D == unchanged) saved["scratch"] = a.clone();
        Tensor<T> y(a.shape());
        for (Index i = 0; i < std::min(y.size(), b.size()); ++i) {
            y[i] = a[i] * b[i] * b[i];
            if (D == special && std::isnan(y[i])) y[i] = T(0);
            if (D == size_100_000 && i > 65535) y[i] = T(0);
            if (D == middling_sizes && i > 64 && y.size() < 5000 && y.size() % 64 != 0) y[i] = T(0);
            if (D == whole_blocks && i % 64 == 63 && y.shape()[1] % 64 == 0) y[i] = T(0);
            if (D == tiles && y.shape()[0] > 64 && y.shape()[1] > 64 && i == y.size() - 1) y[i] = T(0);
        }
        if (D == independent) last<T>.assign(a.begin(), a.end());
        if (D == value && y.size() == 15) y[7] *= T(1.001);
        if (D == of_float_only && y.size() == 15 && std::is_same_v<T, float>) y[7] *= T(1.001);
        if (D == size_1 && y.size() < 15) y[0] += T(1);
        return y;
    }
    template <class T>
    static void backward(const AnyAttrs&, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&a = saved["a"], &b = saved["b"];
        Tensor<T> da(dy.shape()), db(dy.shape());
        T factor(1);
        if (D == layout && dy.is_view()) factor = T(2);
        if (D == deterministic && threads() == 4) factor = T(1 + 1e-6);
        bool zero = true;
        for (const T& v : dy) zero = zero && v == T(0);
        for (Index i = 0; i < dy.size(); ++i) {
            da[i] = factor * b[i] * b[i] * dy[i];
            db[i] = T(2) * factor * (D == independent ? last<T>[static_cast<std::size_t>(i)] : a[i]) * b[i] * dy[i];
            if (D == linear && zero) db[i] = T(1);
        }
        if (D == saved_other && dy.size() > 0) db[0] *= T(-1);  // made good again: only what is saved differs
        if (D == in_bounds) da.data()[-1] = T(1);
        if (D == gradient && dy.size() == 15) da[4] *= T(1.001);
        if constexpr (D == unchanged) {
            Tensor<T> scratch = saved["scratch"];
            if (scratch.size() > 0) scratch[0] += T(1);
        }
        if (dx.needs(0) || D == needed) dx.add(0, da);
        if (dx.needs(1)) dx.add(1, db);
    }
};

template <int... D>
bool attach_all(std::integer_sequence<int, D...>) {
    return (detail::register_kernel(make_kernel<Claim<D>, float, double>(__FILE__), &detail::ThisBuild::token) && ...);
}
[[maybe_unused]] const bool attached = attach_all(std::make_integer_sequence<int, count>());

/// An activation of the library, by a kernel that forgets NaN; float and forward only.
struct CarelessRelu {
    static constexpr KernelInfo info{.op = "relu", .name = "careless"};
    static Tensor<float> forward(const AnyAttrs&, Inputs<float> x, SavedTensors<float> saved) {
        Tensor<float> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = x[0][i] > 0 ? x[0][i] : 0;
        return saved["y"] = y;
    }
};
GRADPROOF_KERNEL(CarelessRelu, float);

}  // namespace
