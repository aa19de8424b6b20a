// Ops whose backward has one classic slip each: what the diagnosis must name.
#include <array>
#include <cmath>

#include "gradproof/core/registry.hpp"

namespace {

using namespace gradproof;

enum class Form {
    tanh,     ///< y = tanh(a)
    softmax,  ///< y = softmax(a) of rows
    product,  ///< y = scale a b, b as a or one row
    scores,   ///< y = a bᵀ / sqrt(d)
    mean,     ///< y = mean of the rows of a
    lower,    ///< y = a where column <= row, else 0
};

struct Slip {
    std::string_view name;
    Form form;
    int which;  ///< 0 is the first of the form
};
constexpr auto kSlips = std::to_array<Slip>({
    {"forgets_the_derivative", Form::tanh, 0},
    {"takes_x_for_y", Form::tanh, 1},
    {"forgets_a_square", Form::tanh, 2},
    {"ignores_the_cotangent", Form::tanh, 3},
    {"turns_the_sign", Form::tanh, 4},
    {"adds_twice", Form::tanh, 5},
    {"hands_back_nothing", Form::tanh, 6},
    {"is_off_by_one_row", Form::tanh, 7},
    {"transposes", Form::tanh, 8},
    {"forgets_the_last_row", Form::tanh, 9},
    {"uses_the_cotangent_twice", Form::tanh, 10},
    {"forgets_the_row_term", Form::softmax, 0},
    {"means_the_row_term", Form::softmax, 1},
    {"keeps_the_diagonal_only", Form::softmax, 2},
    {"forgets_the_scale", Form::product, 0},
    {"squares_the_scale", Form::product, 1},
    {"forgets_the_broadcast_sum", Form::product, 2},
    {"means_the_broadcast", Form::product, 3},
    {"exchanges_the_inputs", Form::product, 4},
    {"adds_both_to_one", Form::product, 5},
    {"forgets_the_root", Form::scores, 0},
    {"divides_by_the_size", Form::scores, 1},
    {"transposes_the_cotangent", Form::scores, 2},
    {"forgets_to_divide", Form::mean, 0},
    {"divides_by_one_less", Form::mean, 1},
    {"leaks_through_the_mask", Form::lower, 0},
});

constexpr std::string_view inputs_of(Form f) { return f == Form::product || f == Form::scores ? "a b" : "a"; }

template <Scalar T>
struct Kept {
    Tensor<T> a, b, y;
};

template <Scalar T>
T exp_of(const T& v) {
    using std::exp;
    return exp(v);
}
template <Scalar T>
T tanh_of(const T& v) {
    const T e = exp_of(T(2) * v);
    return (e - T(1)) / (e + T(1));
}

template <Scalar T>
Tensor<T> value(const Slip& s, double scale, Inputs<T> x, Kept<T>& saved) {
    const Tensor<T>& a = saved.a = x[0];
    const Index n = a.dim(0), m = a.dim(1);
    Tensor<T> y = s.form == Form::mean ? zeros<T>({n}) : s.form == Form::scores ? zeros<T>({n, x[1].dim(0)}) : zeros<T>({n, m});
    if (x.size() > 1) saved.b = x[1];
    for (Index i = 0; i < n; ++i) {
        T sum(0);
        for (Index k = 0; k < m; ++k) sum += exp_of(a[i * m + k]);
        for (Index k = 0; k < m; ++k) {
            const Index e = i * m + k;
            if (s.form == Form::tanh) y[e] = tanh_of(a[e]);
            if (s.form == Form::softmax) y[e] = exp_of(a[e]) / sum;
            if (s.form == Form::product) y[e] = T(scale) * a[e] * saved.b[e % saved.b.size()];
            if (s.form == Form::mean) y[i] += a[e] / T(static_cast<double>(m));
            if (s.form == Form::lower && k <= i) y[e] = a[e];
        }
        for (Index j = 0; s.form == Form::scores && j < saved.b.dim(0); ++j)
            for (Index k = 0; k < m; ++k)
                y[i * saved.b.dim(0) + j] += a[i * m + k] * saved.b[j * m + k] / T(std::sqrt(static_cast<double>(m)));
    }
    saved.y = y;
    return y;
}

template <Scalar T>
Tensor<T> of_tanh(int which, const Kept<T>& s, const Tensor<T>& dy) {
    const Index n = dy.dim(0), m = dy.dim(1);
    Tensor<T> g(dy.shape());
    for (Index e = 0; e < g.size(); ++e) {
        const T slope = T(1) - s.y[e] * s.y[e];
        const T wrong[] = {T(1), T(1) - s.a[e] * s.a[e], T(1) - s.y[e]};
        g[e] = dy[e] * (which < 3 ? wrong[which] : slope);
        if (which == 3) g[e] = slope;
        if (which == 4) g[e] = T(-1) * g[e];
        if (which == 9 && e / m == n - 1) g[e] = T(0);
        if (which == 10) g[e] = dy[e] * g[e];
    }
    if (which != 7 && which != 8) return g;
    Tensor<T> moved(g.shape());
    for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < m; ++k) {
            if (which == 7)
                moved[(i + 1) % n * m + k] = g[i * m + k];
            else
                moved[k * n + i] = g[i * m + k];
        }
    return moved;
}

template <Scalar T>
Tensor<T> of_softmax(int which, const Kept<T>& s, const Tensor<T>& dy) {
    const Index n = dy.dim(0), m = dy.dim(1);
    Tensor<T> g(dy.shape());
    for (Index i = 0; i < n; ++i) {
        T sum(0);
        for (Index k = 0; k < m; ++k) sum += s.y[i * m + k] * dy[i * m + k];
        for (Index e = i * m; e < (i + 1) * m; ++e) {
            const T term[] = {T(0), sum / T(static_cast<double>(m)), s.y[e] * dy[e]};
            g[e] = s.y[e] * (dy[e] - term[which]);
        }
    }
    return g;
}

template <Scalar T>
void of_product(int which, double scale, const Kept<T>& s, const Tensor<T>& dy, Cotangents<T>& dx) {
    const double factor = which == 0 ? 1 : which == 1 ? scale * scale : scale;
    Tensor<T> da(dy.shape()), db = zeros<T>(s.b.shape());
    const Index rows = dy.size() / s.b.size(), m = s.b.size();
    for (Index e = 0; e < dy.size(); ++e) {
        da[e] = T(factor) * s.b[e % m] * dy[e];
        if (which != 2 || e < m)
            db[e % m] += T(which < 2 ? scale : factor) * s.a[e] * dy[e] / T(which == 3 ? static_cast<double>(rows) : 1.0);
    }
    const bool alike = s.a.shape() == s.b.shape();
    dx.add(0, which == 4 && alike ? db : da);
    if (which == 5 && alike)
        dx.add(0, db);
    else
        dx.add(1, which == 4 && alike ? da : db);
}

template <Scalar T>
void of_scores(int which, const Kept<T>& s, const Tensor<T>& dy, Cotangents<T>& dx) {
    const Index n = s.a.dim(0), m = s.b.dim(0), d = s.a.dim(1);
    const double size = static_cast<double>(d), factor = which == 0 ? 1 : which == 1 ? 1 / size : 1 / std::sqrt(size);
    Tensor<T> da = zeros<T>(s.a.shape()), db = zeros<T>(s.b.shape());
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j)
            for (Index k = 0; k < d; ++k) {
                const T& u = which == 2 && n == m ? dy[j * n + i] : dy[i * m + j];
                da[i * d + k] += T(factor) * u * s.b[j * d + k];
                db[j * d + k] += T(1 / std::sqrt(size)) * dy[i * m + j] * s.a[i * d + k];
            }
    dx.add(0, da);
    dx.add(1, db);
}

template <Scalar T>
void gradients(const Slip& s, double scale, const Kept<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
    if (s.form == Form::product) return of_product(s.which, scale, saved, dy, dx);
    if (s.form == Form::scores) return of_scores(s.which, saved, dy, dx);
    if (s.form == Form::softmax) return dx.add(0, of_softmax(s.which, saved, dy));
    if (s.form == Form::tanh) {
        if (s.which == 6) return;
        const Tensor<T> g = of_tanh(s.which, saved, dy);
        if (s.which == 5) dx.add(0, g.clone());
        return dx.add(0, g);
    }
    Tensor<T> g(saved.a.shape());
    const Index m = g.dim(1);
    for (Index e = 0; e < g.size(); ++e)
        g[e] = s.form == Form::lower ? dy[e] : dy[e / m] / T(s.which == 0 ? 1.0 : static_cast<double>(m - 1));
    dx.add(0, g);
}

template <int N>
struct Slipped {
    static constexpr Slip kSlip = kSlips[N];
    static constexpr OpInfo info{.name = kSlip.name,
                                 .inputs = inputs_of(kSlip.form),
                                 .forward = "y = f(a)",
                                 .backward = "a slip",
                                 .saves = "a b y",
                                 .source = "tests"};
    struct Attrs {
        double scale = 0.7;
        static void fields(auto& a, auto&& f) { f("scale", a.scale); }
    };
    template <Scalar T>
    struct Saved : Kept<T> {
        static void fields(auto& s, auto&& f) {
            f("a", s.a);
            f("b", s.b);
            f("y", s.y);
        }
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> x, Saved<T>& saved) {
        expect_inputs(info, x, info.inputs == "a" ? 1 : 2);
        return value<T>(kSlip, a.scale, x, saved);
    }
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        gradients<T>(kSlip, a.scale, saved, dy, dx);
    }
    static std::vector<Sample<Slipped>> samples() {
        if (kSlip.form == Form::product) return {{"a row", {}, {{3, 5}, {5}}}, {"alike", {.scale = 1.3}, {{2, 3}, {2, 3}}}};
        if (kSlip.form == Form::scores) return {{"square", {}, {{3, 5}, {3, 5}}}, {"oblong", {}, {{2, 3}, {4, 3}}}};
        return {{"matrix", {}, {{3, 5}}}, {"another", {}, {{4, 3}}}};
    }
    static std::vector<ErrorSample<Slipped>> error_samples() { return {{"no inputs", {}, {}, "takes"}}; }
};

template <int... N>
bool register_all(std::integer_sequence<int, N...>) {
    return (detail::register_page(make_entry<Slipped<N>>(__FILE__), &detail::ThisBuild::token) && ...);
}
[[maybe_unused]] const bool registered = register_all(std::make_integer_sequence<int, static_cast<int>(kSlips.size())>());

}  // namespace
