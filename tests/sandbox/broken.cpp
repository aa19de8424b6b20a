// Ops left wrong on purpose: one for each contract, which breaks that contract and no other, and those that do not come back.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/registry.hpp"

namespace {

using namespace gradproof;

enum Defect : int {
    adjoint,
    dual_value,
    difference,
    float_error,
    linear,
    needed,
    unchanged,
    saved_field,
    second_order,
    errors,
    layout,
    deterministic,
    mutation,
    independent,
    in_bounds,
    throws,
    throws_number,
    writes_nan,
    segfaults,
    overflows_stack,
    exits,
    hangs,
    hangs_up,
    lies,
    throws_in_samples,
    crashes_in_samples,
    forward_segfaults,
    forward_hangs,
    forward_exits,
    forward_throws_number,
    count
};
constexpr std::array<std::string_view, count> kNames{"breaks_adjoint",
                                                     "breaks_dual_value",
                                                     "breaks_difference",
                                                     "breaks_float_error",
                                                     "breaks_linear",
                                                     "breaks_needed",
                                                     "breaks_unchanged",
                                                     "breaks_saved",
                                                     "breaks_second_order",
                                                     "breaks_errors",
                                                     "breaks_layout",
                                                     "breaks_deterministic",
                                                     "breaks_mutation",
                                                     "breaks_independent",
                                                     "breaks_in_bounds",
                                                     "throws",
                                                     "throws_number",
                                                     "writes_nan",
                                                     "segfaults",
                                                     "overflows_stack",
                                                     "exits",
                                                     "hangs",
                                                     "hangs_up",
                                                     "lies",
                                                     "throws_in_samples",
                                                     "crashes_in_samples",
                                                     "forward_segfaults",
                                                     "forward_hangs",
                                                     "forward_exits",
                                                     "forward_throws_number"};

template <Scalar T>
struct Kept {
    Tensor<T> a, b, scratch;
};

template <Scalar T>
void strip(Tensor<T>& x) {
    if constexpr (is_dual<T>)
        for (T& v : x) v.tangent = 0;
}

template <Scalar T>
std::vector<T> last;  ///< a of the call that ran last

int deeper(int n) {
    volatile char room[4096] = {};
    room[0] = static_cast<char>(n);
    return n < 0 ? 0 : deeper(n + 1) + room[0];
}

void do_not_come_back(Defect d) {
    if (d == throws) throw std::runtime_error("no luck today");
    if (d == throws_number || d == forward_throws_number) throw 42;
    if (d == segfaults || d == forward_segfaults) {
        volatile int* volatile nowhere = nullptr;
        *nowhere = 1;
    }
    if (d == overflows_stack) deeper(0);
    if (d == lies)
        for (const char c : std::string_view("nonsense\n[]\n{\"report\": 5}\n"))
            [[maybe_unused]] const auto n = ::write(3, &c, 1);  // where the child answers
    if (d == exits || d == forward_exits) std::_Exit(0);
    if (d == hangs_up) ::close(3);
    while (d == hangs || d == hangs_up || d == forward_hangs) std::this_thread::sleep_for(std::chrono::seconds(1));
}

/// y = a b^2, with one defect: compiled once for all of them.
template <Scalar T>
Tensor<T> value(Defect d, Inputs<T> x, Kept<T>& saved) {
    if (!(x[0].shape() == x[1].shape()) && d != errors)
        shape_error("{}: shapes differ: a is {}, b is {}", kNames[static_cast<std::size_t>(d)], x[0].shape(), x[1].shape());
    if (d >= forward_segfaults) do_not_come_back(d);
    saved.a = x[0];
    saved.b = x[1];
    if (d == independent) last<T>.assign(x[0].begin(), x[0].end());
    if (d == unchanged || d == saved_field) saved.scratch = x[0].clone();
    Tensor<T> y(x[0].shape());
    for (Index i = 0; i < std::min(y.size(), x[1].size()); ++i) {
        y[i] = saved.a[i] * saved.b[i] * saved.b[i];
        if (d == difference) y[i] += T(0.01 * std::sin(static_cast<double>(primal(saved.a[i]))));
        if constexpr (is_dual<T>)
            if (d == dual_value) y[i].value *= 1 + 1e-13;
    }
    if (d == in_bounds) y.data()[y.size()] = T(1);
    return y;
}

template <Scalar T>
void gradients(Defect d, const Kept<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
    if (d < forward_segfaults) do_not_come_back(d);
    Tensor<T> a = saved.a.clone(), b = saved.b.clone(), da(dy.shape()), db(dy.shape());
    if (d == second_order) {
        strip(a);
        strip(b);
    }
    if (d == independent) std::copy(last<T>.begin(), last<T>.end(), a.begin());
    T factor(1);
    if (d == float_error && std::is_same_v<T, float>) factor = T(1.0001);
    if (d == layout && dy.is_view()) factor = T(2);
    if (d == deterministic && threads() == 4) factor = T(1 + 1e-6);
    bool zero = true;
    for (const T& v : dy) zero = zero && v == T(0);
    for (Index i = 0; i < dy.size(); ++i) {
        da[i] = factor * (b[i] * b[i] * dy[i]);
        db[i] = factor * (T(2) * a[i] * b[i] * dy[i]);
        if (d == linear && zero) db[i] = T(1);
        if (d == adjoint && i == 4) db[i] *= T(1 + 1e-10);  // below what differences can see
        if (d == writes_nan && i == 1) db[i] = T(NAN);
    }
    if (d == unchanged && dy.size() > 0) {
        Tensor<T> scratch = saved.scratch;
        scratch[0] += T(1);
    }
    if (dx.needs(0) || d == needed) dx.add(0, da);
    if (dx.needs(1)) dx.add(1, db);
}

template <int D>
struct Broken {
    static constexpr OpInfo info{.name = kNames[D],
                                 .inputs = "a b",
                                 .forward = "y = a b^2",
                                 .backward = "da = b^2 dy; db = 2 a b dy",
                                 .saves = D == unchanged ? "a b scratch" : "a b",
                                 .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved : Kept<T> {
        static void fields(auto& s, auto&& f) {
            f("a", s.a);
            f("b", s.b);
            if constexpr (D == unchanged || D == saved_field) f("scratch", s.scratch);
        }
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>& saved) {
        expect_inputs(info, x, 2);
        return value<T>(Defect{D}, x, saved);
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        gradients<T>(Defect{D}, saved, dy, dx);
    }
    static std::vector<Sample<Broken>> samples() {
        if (D == throws_in_samples) throw std::runtime_error("no samples today");
        if (D == crashes_in_samples) std::abort();
        std::vector<Sample<Broken>> out{{"matrix", {}, {{3, 5}, {3, 5}}}};
        if (D == mutation) out.push_back({"claimed flat", {}, {{4}, {4}}, {.zero_gradient = true, .why = "so it is said"}});
        return out;
    }
    static std::vector<ErrorSample<Broken>> error_samples() { return {{"shapes", {}, {{2, 3}, {3, 2}}, "a is [2, 3]"}}; }
};

template <int... D>
bool register_all(std::integer_sequence<int, D...>) {
    return (detail::register_page(make_entry<Broken<D>>(__FILE__), &detail::ThisBuild::token) && ...);
}
[[maybe_unused]] const bool registered = register_all(std::make_integer_sequence<int, count>());

}  // namespace
