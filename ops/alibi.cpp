// Linear biases of attention: formula, forward, backward, samples, registration; and the paper's slopes.
#include "gradproof/ops/alibi.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

/// |i + offset - j| of every query and key.
template <class T>
Tensor<T> distances(const AlibiAttrs& a) {
    Tensor<T> d({a.queries, a.keys});
    for (Index n = 0; n < d.size(); ++n) {  // not by rows: there may be very many, of no entries
        const Index i = n / a.keys, j = n % a.keys;
        d[n] = T(static_cast<double>(std::abs(i + a.offset - j)));
    }
    return d;
}

struct Alibi {
    static constexpr OpInfo info{
        .name = "alibi",
        .inputs = "slopes",
        .forward = "y[h,i,j] = -slopes[h] |i + offset - j|",
        .backward = "dslopes[h] = -Σ_ij dy[h,i,j] |i + offset - j|",
        .saves = "",
        .source = "Press et al. 2022",
    };
    using Attrs = AlibiAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Tensor<T>& slopes = in[0];
        if (slopes.rank() != 1) shape_error("alibi: slopes must be [H]: slopes is {}", slopes.shape());
        if (a.queries < 0 || a.keys < 0)
            value_error("alibi: sizes must not be negative: queries is {}, keys is {}", a.queries, a.keys);
        constexpr Index kFarthest = Index{1} << 40;
        if (a.offset < -kFarthest || a.offset > kFarthest)
            value_error("alibi: offset must be from -2^40 to 2^40: offset is {}", a.offset);
        return -slopes.reshape({-1, 1, 1}) * distances<T>(a);
    }

    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, -sum(dy * distances<T>(a), Axes{1, 2}).reshape(dx.shape(0)));
    }

    static std::vector<Sample<Alibi>> samples() {
        return {
            {"square", {.queries = 4, .keys = 4}, {Arg({3})}},
            {"one query at the end", {.queries = 1, .keys = 5, .offset = 4}, {Arg({2})}},
            {"queries beyond the keys", {.queries = 3, .keys = 2, .offset = 6}, {Arg({4})}},
            {"one head", {.queries = 2, .keys = 3}, {Arg({1})}},
            {"one position: no distance",
             {.queries = 1, .keys = 1},
             {Arg({3})},
             {.zero_gradient = true, .why = "all distances are 0"}},
            {"no keys", {.queries = 2}, {Arg({3})}, {.zero_gradient = true, .why = "no entries"}},
            {"no heads", {.queries = 2, .keys = 2}, {Arg({0})}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Alibi>> error_samples() {
        return {
            {"slopes of two axes", {.queries = 2, .keys = 2}, {{2, 3}}, "alibi: slopes must be [H]: slopes is [2, 3]"},
            {"negative length",
             {.queries = 2, .keys = -1},
             {Arg({3})},
             "alibi: sizes must not be negative: queries is 2, keys is -1"},
            {"offset beyond all sequences",
             {.queries = 2, .keys = 2, .offset = -(Index{1} << 41)},
             {Arg({3})},
             "alibi: offset must be from -2^40 to 2^40"},
            {"two inputs", {.queries = 2, .keys = 2}, {Arg({3}), Arg({3})}, "alibi: takes 1 input"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Alibi);
GRADPROOF_FUNCTION_1(alibi, Alibi);

template <Scalar T>
Tensor<T> alibi_slopes(Index heads) {
    if (heads < 1) value_error("alibi_slopes: heads must be 1 or more: heads is {}", heads);
    Index below = 1;
    while (2 * below <= heads) below *= 2;
    Tensor<T> slopes({heads});
    const auto slope = [](Index n, Index of) {
        return T(static_cast<base_t<T>>(std::exp2(-8.0 * static_cast<double>(n) / static_cast<double>(of))));
    };
    for (Index h = 0; h < heads; ++h) slopes[h] = h < below ? slope(h + 1, below) : slope(2 * (h - below) + 1, 2 * below);
    return slopes;
}
#define GRADPROOF_SLOPES(T) template Tensor<T> alibi_slopes(Index);
GRADPROOF_FOR_SCALARS(GRADPROOF_SLOPES)
#undef GRADPROOF_SLOPES

}  // namespace gradproof
