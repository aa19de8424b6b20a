// What the tests of kernels share: units in the last place, guarded buffers, a test body run on each instruction set.
#pragma once

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "tests/support.hpp"

namespace gradproof {

using testing::kInf, testing::kNaN;
using Long = long double;
constexpr Index kLongest = 70;  // more than four of the widest vectors, so each loop and each tail is run

/// |got - want| in units in the last place of `want`, which has the spacing of denormals near 0.
template <class T>
double ulps(T got, Long want) {
    const T rounded = static_cast<T>(want);
    if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) && std::isnan(rounded) ? 0 : kInf;
    if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : kInf;
    const T size = std::max(std::abs(rounded), std::numeric_limits<T>::min());
    const Long ulp = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    return static_cast<double>(std::abs(static_cast<Long>(got) - want) / ulp);
}

/// A buffer whose first element is off the vector alignment, with guards that must stay as they are.
template <class T>
class Guarded {
  public:
    explicit Guarded(Index n, T value = T(0)) : cells_(static_cast<std::size_t>(n) + 2 * kEdge, T(-77)), n_(n) {
        for (Index i = 0; i < n; ++i) data()[i] = value;
    }
    T* data() { return cells_.data() + kEdge; }
    T& operator[](Index i) { return data()[i]; }
    bool intact() const {
        for (std::size_t i = 0; i < kEdge; ++i)
            if (cells_[i] != T(-77) || cells_[cells_.size() - 1 - i] != T(-77)) return false;
        return true;
    }
    Index size() const { return n_; }

  private:
    static constexpr std::size_t kEdge = 3;
    std::vector<T> cells_;
    Index n_;
};

template <class T>
Guarded<T> draw(Random& rng, Index n, double low, double high) {
    Guarded<T> x(n);
    for (Index i = 0; i < n; ++i) x[i] = static_cast<T>(rng.uniform(low, high));
    return x;
}

template <class T>
class KernelsOf : public ::testing::Test {
  protected:
    /// Runs body once on each instruction set.
    void on_each_arch(const std::function<void(const Kernels<T>&)>& body) {
        for (const std::string& name : archs()) {
            SCOPED_TRACE(name);
            const ArchScope scope(name);
            body(kernels<T>());
        }
    }
    static constexpr Long eps = std::numeric_limits<T>::epsilon();
};
using Types = ::testing::Types<float, double>;

}  // namespace gradproof
