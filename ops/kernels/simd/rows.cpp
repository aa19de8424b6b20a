// Fast paths over rows: softmax and log-softmax, sums of exponentials, and the sums of columns.
#include "gradproof/ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

template <class T>
inline constexpr T minus_inf = -static_cast<T>(__builtin_inf());

/// The largest of a row that is not NaN.
template <class T>
T row_max(const T* x, Index n) {
    V<T> m(minus_inf<T>);
    Index i = 0;
    for (; i + kLanes<T> <= n; i += kLanes<T>) m = v_max<T>(m, load(x + i));
    if (i < n) m = v_max<T>(m, load_part(x + i, n - i, minus_inf<T>));
    return reduce_max(m);
}
/// The same, 0 for -inf: shifting a masked row by 0 keeps exp(-inf) = 0.
template <class T>
T row_shift(const T* x, Index n) {
    const T top = row_max(x, n);
    return top == minus_inf<T> ? T(0) : top;
}

/// (x - shift) / t, without the division where t is 1.
template <class T, bool kDivide>
V<T> scaled(V<T> x, V<T> shift, V<T> t) {
    if constexpr (kDivide)
        return (x - shift) / t;
    else
        return x - shift;
}

template <class T, bool kDivide>
void softmax_rows(const T* x, T* y, Index rows, Index n, T t) {
    for (Index r = 0; r < rows; ++r, x += n, y += n) {
        const V<T> shift(row_shift(x, n)), divisor(t);
        V<T> total(T(0));
        Index i = 0;
        for (; i + kLanes<T> <= n; i += kLanes<T>) {
            const V<T> e = v_exp(scaled<T, kDivide>(load(x + i), shift, divisor));
            store(y + i, e);
            total = total + e;
        }
        if (const Index k = n - i; k > 0) {
            const V<T> e = keep_first(v_exp(scaled<T, kDivide>(load_part(x + i, k), shift, divisor)), k);
            store_part(y + i, e, k);
            total = total + e;
        }
        const T sum = reduce_add(total);
        const V<T> factor(sum == T(0) ? T(0) : T(1) / sum);  // 0 only for a row of -inf
        for_vectors<T>(n, [=](auto in, auto out) { out(y, in(y)*factor); });
    }
}
template <class T>
void softmax(const T* x, T* y, Index rows, Index n, T t) {
    if (t == T(1))
        softmax_rows<T, false>(x, y, rows, n, t);
    else
        softmax_rows<T, true>(x, y, rows, n, t);
}
// dx = y (dy - sum(dy y)) / t
template <class T>
void softmax_backward(const T* y, const T* dy, T* dx, Index rows, Index n, T t) {
    for (Index r = 0; r < rows; ++r, y += n, dy += n, dx += n) {
        const V<T> inner(sum_vectors<T>(n, [=](auto in) { return in(dy)*in(y); }));
        if (t == T(1))
            for_vectors<T>(n, [=](auto in, auto out) { out(dx, in(y) * (in(dy)-inner)); });
        else
            for_vectors<T>(n, [=](auto in, auto out) { out(dx, in(y) * (in(dy)-inner) / V<T>(t)); });
    }
}

template <class T, bool kDivide>
void log_softmax_rows(const T* x, T* y, Index rows, Index n, T t) {
    for (Index r = 0; r < rows; ++r, x += n, y += n) {
        const V<T> shift(row_shift(x, n)), divisor(t);
        const T sum = sum_vectors<T>(n, [=](auto in) { return v_exp(scaled<T, kDivide>(in(x), shift, divisor)); });
        const V<T> log_sum(sum == T(0) ? T(0) : std::log(sum));
        for_vectors<T>(n, [=](auto in, auto out) { out(y, scaled<T, kDivide>(in(x), shift, divisor) - log_sum); });
    }
}
template <class T>
void log_softmax(const T* x, T* y, Index rows, Index n, T t) {
    if (t == T(1))
        log_softmax_rows<T, false>(x, y, rows, n, t);
    else
        log_softmax_rows<T, true>(x, y, rows, n, t);
}
// dx = (dy - exp(y) sum(dy)) / t. Where y = -inf it is a constant: its dy leads nowhere.
template <class T>
void log_softmax_backward(const T* y, const T* dy, T* dx, Index rows, Index n, T t) {
    const V<T> zero(T(0)), least(minus_inf<T>);
    for (Index r = 0; r < rows; ++r, y += n, dy += n, dx += n) {
        const V<T> total(sum_vectors<T>(n, [=](auto in) { return select(in(y) == least, zero, in(dy)); }));
        for_vectors<T>(n, [=](auto in, auto out) {
            const V<T> log_p = in(y);
            out(dx, select(log_p == least, zero, (in(dy)-v_exp(log_p) * total) / V<T>(t)));
        });
    }
}

/// In pieces that stay in the first cache: the row is read from memory once,
/// and what was summed is scaled where the maximum grows.
template <class T>
void sum_exp(const T* x, T* shift, T* sum, Index n) {
    constexpr Index kPiece = 2048;
    T top = minus_inf<T>, total = T(0);
    for (Index from = 0; from < n; from += kPiece, x += kPiece) {
        const Index count = n - from < kPiece ? n - from : kPiece;
        const T largest = row_max(x, count);
        if (largest > top) {
            total *= std::exp(top - largest);
            top = largest;
        }
        const V<T> by(top == minus_inf<T> ? T(0) : top);
        total += sum_vectors<T>(count, [=](auto in) { return v_exp(in(x)-by); });
    }
    *shift = top == minus_inf<T> ? T(0) : top;
    *sum = total;
}
template <class T>
void scaled_exp(const T* x, T shift, T factor, T* y, Index n) {
    const V<T> by(shift), times(factor);
    for_vectors<T>(n, [=](auto in, auto out) { out(y, times * v_exp(in(x)-by)); });
}

/// Four vectors of columns at a time stay in registers while the rows go by.
template <class T>
void sum_columns(const T* x, Index stride, T* y, Index rows, Index n) {
    constexpr Index w = kLanes<T>;
    Index c = 0;
    for (; c + 4 * w <= n; c += 4 * w) {
        V<T> s0(T(0)), s1(T(0)), s2(T(0)), s3(T(0));
        for (Index r = 0; r < rows; ++r) {
            const T* p = x + r * stride + c;
            s0 = s0 + load(p);
            s1 = s1 + load(p + w);
            s2 = s2 + load(p + 2 * w);
            s3 = s3 + load(p + 3 * w);
        }
        store(y + c, s0);
        store(y + c + w, s1);
        store(y + c + 2 * w, s2);
        store(y + c + 3 * w, s3);
    }
    for_vectors<T>(n - c, [=](auto in, auto out) {
        V<T> s(T(0));
        for (Index r = 0; r < rows; ++r) s = s + in(x + r * stride + c);
        out(y + c, s);
    });
}

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.sum_columns = sum_columns<T>;
    k.softmax = softmax<T>;
    k.softmax_backward = softmax_backward<T>;
    k.log_softmax = log_softmax<T>;
    k.log_softmax_backward = log_softmax_backward<T>;
    k.sum_exp = sum_exp<T>;
    k.scaled_exp = scaled_exp<T>;
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_rows(Kernels<float>& k) noexcept { fill(k); }
void fill_rows(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
