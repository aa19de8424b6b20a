// Matrix products over broadcast leading axes: one plan of sizes and strides, carried out by what ops/kernels offers or by loops.
#include <algorithm>

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/algebra/products.hpp"
#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/rows.hpp"

namespace gradproof {
namespace {

Shape leading(const Shape& s) { return Shape(std::span(s.begin(), static_cast<std::size_t>(std::max(s.rank() - 2, 0)))); }

/// Strides over `batch`, in elements, of an operand whose own batch axes are `own` and whose matrices hold `matrix` elements.
Shape batch_strides(const Shape& own, const Shape& batch, Index matrix) {
    Shape strides = broadcast_strides(own, batch);
    for (Index& s : strides) s *= matrix;
    return strides;
}

/// The products of two operands, and the shape of their result.
struct Plan : MatrixProducts {
    Shape result;

    template <class T>
    Plan(const Matrix<T>& left, const Matrix<T>& right) {
        for (const Tensor<T>* x : {&left.x, &right.x})
            if (!x->defined()) shape_error("matmul: an operand is an undefined tensor");
        const Shape &as = left.x.shape(), &bs = right.x.shape();
        ta = left.transposed, tb = right.transposed;
        if (as.rank() == 0 || bs.rank() == 0)
            shape_error("matmul: a scalar has no axis to sum over: a is {}, b is {}; use mul", as, bs);
        const bool row = as.rank() == 1, column = bs.rank() == 1;
        if (row && ta) value_error("matmul: transpose_a is true for a vector: a is {}, b is {}", as, bs);
        if (column && tb) value_error("matmul: transpose_b is true for a vector: a is {}, b is {}", as, bs);
        k = as.last(ta ? 1 : 0);
        m = row ? 1 : as.last(ta ? 0 : 1);
        n = column ? 1 : bs.last(tb ? 1 : 0);
        const Index inner = column ? bs.last() : bs.last(tb ? 0 : 1);
        if (inner != k)
            shape_error("matmul: inner sizes differ: a is {}{}, b is {}{} ({} != {})", as, ta ? " transposed" : "", bs,
                        tb ? " transposed" : "", k, inner);
        broadcast_batch(as, bs);
        result = batch;
        if (!row) result.push_back(m);
        if (!column) result.push_back(n);
    }

    void broadcast_batch(const Shape& as, const Shape& bs) {
        const Shape a_batch = leading(as), b_batch = leading(bs);
        const int rank = std::max(a_batch.rank(), b_batch.rank());
        for (int i = 0; i < rank; ++i) {
            const int ia = i - rank + a_batch.rank(), ib = i - rank + b_batch.rank();
            const Index da = ia < 0 ? 1 : a_batch[ia], db = ib < 0 ? 1 : b_batch[ib];
            if (da != db && da != 1 && db != 1)
                shape_error("matmul: batch axes do not broadcast: a is {}, b is {} ({} != {})", as, bs, da, db);
            batch.push_back(da == 1 ? db : da);
        }
        a = batch_strides(a_batch, batch, m * k);
        b = batch_strides(b_batch, batch, k * n);
        c = batch_strides(batch, batch, m * n);
    }

    /// Results that belong together are summed into `shape`.
    void sum_to(const Shape& shape) {
        if (shape == result) return;
        if (!broadcasts_to(shape, result) || shape.rank() < 2 || result.rank() < 2 || shape.last() != n || shape.last(1) != m)
            shape_error("matmul_to: the product is {}, which does not reduce to {}", result, shape);
        c = batch_strides(leading(shape), batch, m * n);
        result = shape;
        c_size = shape.size();
        sums = c_size != batch.size() * m * n;
        // Where all products make one matrix of stacked aᵀ and b, their sum is one product of longer rows.
        if (ta && !tb && c_size == m * n && dense(a, m * k) && dense(b, k * n)) {
            k *= batch.size();
            batch = a = b = c = {};
            sums = false;
        }
    }
    bool dense(const Shape& strides, Index matrix) const { return strides == batch_strides(batch, batch, matrix); }

    /// Where the last batch axes share one b, their matrices a lie under each other: one product with more rows.
    void stack_rows() {
        while (!ta && !sums && !batch.empty()) {
            const int axis = batch.rank() - 1;
            if (batch[axis] != 1 && (a[axis] != m * k || b[axis] != 0)) return;
            m *= batch[axis];
            for (Shape* s : {&batch, &a, &b, &c}) *s = Shape(std::span(s->begin(), static_cast<std::size_t>(axis)));
        }
    }
};

/// c += op(a) op(b) of one pair of matrices.
template <class T>
void add_product(const MatrixProducts& p, const T* a, const T* b, T* c) {
    const Index a_row = p.ta ? 1 : p.k, a_column = p.ta ? p.m : 1;
    for (Index i = 0; i < p.m; ++i, c += p.n) {
        const T* row = a + i * a_row;
        if (p.tb) {
            for (Index j = 0; j < p.n; ++j) {
                T sum(0);
                for (Index l = 0; l < p.k; ++l) sum += row[l * a_column] * b[j * p.k + l];
                c[j] += sum;
            }
        } else {
            for (Index l = 0; l < p.k; ++l) {
                const T x = row[l * a_column];
                for (Index j = 0; j < p.n; ++j) c[j] += x * b[l * p.n + j];
            }
        }
    }
}

/// Calls product(offset of a, of b, of c) for each pair of matrices.
template <class Product>
void each_product(const MatrixProducts& p, const Product& product) {
    for (Index count = p.batch.size(), i = 0; i < count; ++i) {
        Index at_a = 0, at_b = 0, at_c = 0;
        for (Index rest = i, axis = p.batch.rank() - 1; axis >= 0; rest /= p.batch[static_cast<int>(axis--)]) {
            const int x = static_cast<int>(axis);
            const Index at = rest % p.batch[x];
            at_a += at * p.a[x], at_b += at * p.b[x], at_c += at * p.c[x];
        }
        product(at_a, at_b, at_c);
    }
}

template <class T>
void multiply(const MatrixProducts& p, const T* a, const T* b, Tensor<T>& c) {
    if (fast_products<T> && !in_plain_scope()) return fast_products<T>(p, a, b, c.data());
    c.fill(T(0));
    each_product(p, [&](Index at_a, Index at_b, Index at_c) { add_product(p, a + at_a, b + at_b, c.data() + at_c); });
}

/// c += op(a) op(b) of one pair, of the entries of b that are not finite, where the mask, laid out as a, is true.
template <class T>
void add_infinite(const MatrixProducts& p, const bool* mask, const T* a, const T* b, T* c) {
    for (Index l = 0; l < p.k; ++l)
        for (Index j = 0; j < p.n; ++j) {
            const T& x = b[p.tb ? j * p.k + l : l * p.n + j];
            if (isfinite(x)) continue;
            for (Index i = 0; i < p.m; ++i)
                if (const Index at = p.ta ? l * p.m + i : i * p.k + l; mask[at]) c[i * p.n + j] += a[at] * x;
        }
}

}  // namespace

template <Scalar T>
Tensor<T> matmul(const Matrix<T>& a, const Matrix<T>& b) {
    Plan plan(a, b);
    Tensor<T> y(plan.result);
    plan.stack_rows();
    multiply(plan, a.x.data(), b.x.data(), y);
    return y;
}

template <Scalar T>
Tensor<T> matmul_to(const Shape& shape, const Matrix<T>& a, const Matrix<T>& b) {
    Plan plan(a, b);
    plan.sum_to(shape);
    Tensor<T> y(plan.result);
    plan.stack_rows();
    multiply(plan, a.x.data(), b.x.data(), y);
    return y;
}

template <Scalar T>
Tensor<T> matmul_where(const Tensor<bool>& mask, const Matrix<T>& a, const Matrix<T>& b) {
    Plan plan(a, b);
    const Shape& stored = a.x.shape();
    if (stored.rank() >= 2 && mask.shape() == Shape{stored.last(1), stored.last()}) plan.mask = mask.data();
    Tensor<T> y(plan.result);
    if (all_finite(b.x.data(), b.x.size())) {
        multiply(plan, a.x.data(), b.x.data(), y);
        return y;
    }
    Tensor<T> finite = b.x.clone();
    for (T& x : finite)
        if (!isfinite(x)) x = T(0);
    multiply(plan, a.x.data(), finite.data(), y);
    const Tensor<bool> meet = broadcast_to(mask, a.x.shape());
    each_product(plan, [&](Index at_a, Index at_b, Index at_c) {
        add_infinite(plan, meet.data() + at_a, a.x.data() + at_a, b.x.data() + at_b, y.data() + at_c);
    });
    return y;
}

#define GRADPROOF_ALGEBRA(T)                                                        \
    template Tensor<T> matmul(const Matrix<T>&, const Matrix<T>&);                  \
    template Tensor<T> matmul_to(const Shape&, const Matrix<T>&, const Matrix<T>&); \
    template Tensor<T> matmul_where(const Tensor<bool>&, const Matrix<T>&, const Matrix<T>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ALGEBRA)
#undef GRADPROOF_ALGEBRA

}  // namespace gradproof
