// Vectors of 16 bytes as the compiler itself knows them (GNU vector extensions), for processors that xsimd does not know.
// The compiler makes them of what the processor has. Kernels of single numbers would be summed in one chain, and g++ 12 makes
// loops of them that read behind their end.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gradproof {
namespace {

template <class T>
struct PlainLanes;
template <>
struct PlainLanes<float> {
    typedef float Values __attribute__((vector_size(16)));
    typedef std::int32_t Bits __attribute__((vector_size(16)));
};
template <>
struct PlainLanes<double> {
    typedef double Values __attribute__((vector_size(16)));
    typedef std::int64_t Bits __attribute__((vector_size(16)));
};

/// The result of comparing two vectors: all bits of a lane are set where it holds.
template <class T>
struct PlainMask {
    typename PlainLanes<T>::Bits lanes;
    friend bool any(PlainMask m) {
        bool found = false;
        for (std::size_t i = 0; i < 16 / sizeof(T); ++i) found = found || m.lanes[i] != 0;
        return found;
    }
};

/// What the kernels use of xsimd::batch<T>.
template <class T>
struct PlainVector {
    using value_type = T;
    using Lanes = typename PlainLanes<T>::Values;
    using BitLanes = typename PlainLanes<T>::Bits;
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Mask = PlainMask<T>;
    static constexpr std::size_t size = 16 / sizeof(T);
    Lanes lanes;

    PlainVector() = default;
    PlainVector(Lanes x) : lanes(x) {}
    explicit PlainVector(T x) : lanes(Lanes{} + x) {}

    friend PlainVector operator+(PlainVector a, PlainVector b) { return a.lanes + b.lanes; }
    friend PlainVector operator-(PlainVector a, PlainVector b) { return a.lanes - b.lanes; }
    friend PlainVector operator*(PlainVector a, PlainVector b) { return a.lanes * b.lanes; }
    friend PlainVector operator/(PlainVector a, PlainVector b) { return a.lanes / b.lanes; }
    friend PlainVector operator-(PlainVector a) { return -a.lanes; }
    friend Mask operator<(PlainVector a, PlainVector b) { return {a.lanes < b.lanes}; }
    friend Mask operator>(PlainVector a, PlainVector b) { return {a.lanes > b.lanes}; }
    friend Mask operator>=(PlainVector a, PlainVector b) { return {a.lanes >= b.lanes}; }
    friend Mask operator==(PlainVector a, PlainVector b) { return {a.lanes == b.lanes}; }
    friend PlainVector select(Mask c, PlainVector a, PlainVector b) { return c.lanes ? a.lanes : b.lanes; }
    friend PlainVector fma(PlainVector a, PlainVector b, PlainVector c) { return a.lanes * b.lanes + c.lanes; }
    friend PlainVector abs(PlainVector a) {
        constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
        return Lanes(BitLanes(a.lanes) & ~(BitLanes{} + sign));
    }
    friend PlainVector sqrt(PlainVector a) {
        for (std::size_t i = 0; i < size; ++i) a.lanes[i] = std::sqrt(a.lanes[i]);
        return a;
    }
    /// The bits of every lane shifted left, and `bias` added.
    friend PlainVector shifted_bits(PlainVector a, int left, Bits bias) { return Lanes((BitLanes(a.lanes) << left) + bias); }
};

}  // namespace
}  // namespace gradproof
