// A subject: one op on one of its samples, with its inputs and a random cotangent drawn. The contracts run it.
//
//   const Subject s = draw_subject(registry().find("softmax"), sample, seed);
//   const GradientResult<double> run = differentiate(s, s.x, s.u);       // y and the claimed cotangents
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/check/oracles.hpp"
#include "gradproof/core/registry.hpp"

namespace gradproof::check {

struct Subject {
    const OpEntry* op = nullptr;
    const SampleCase* sample = nullptr;
    Tensors x;                       ///< undefined where absent
    Tensor<double> y, u;             ///< the value, and the cotangent put on it
    std::vector<std::string> names;  ///< of the inputs: "q", "k", "mask"

    int inputs() const { return static_cast<int>(x.size()); }
    bool has(int i) const { return x[static_cast<std::size_t>(i)].defined(); }
    Index entries() const;  ///< of all inputs
    std::string gradient_name(int i) const { return "d(" + names[static_cast<std::size_t>(i)] + ")"; }
};

/// The tensors of a call, filled as its arguments say. The same seed and stream give the same numbers.
Tensors draw(const std::vector<Arg>& args, Random random);
/// The generator for one sample of one op: independent of every other sample and of the order of checking.
Random sample_random(std::uint64_t seed, std::string_view op, std::string_view sample);
Subject draw_subject(const OpEntry& op, const SampleCase& sample, std::uint64_t seed);
/// The input names of an op for a call with `count` inputs: "xs..." becomes xs0, xs1 ...
std::vector<std::string> input_names(const OpInfo& info, int count);

/// The value alone; nothing is recorded.
template <class T>
Tensor<T> evaluate(const OpEntry& op, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x);
Function forward_of(const Subject& s);
DualFunction dual_forward_of(const Subject& s);

template <class T>
struct GradientResult {
    Tensor<T> y;
    std::vector<Gradient<T>> dx;  ///< not_computed for absent inputs and constants
    /// Zeros where no path reached an input; undefined where there is no gradient.
    std::vector<Tensor<T>> gradients(const std::vector<Tensor<T>>& x) const;
};

/// Sees the tape between forward and backward.
template <class T>
class TapeObserver {
  public:
    virtual ~TapeObserver() = default;
    virtual void recorded(Tape<T>& tape, int node) = 0;
};

/// How a call is differentiated; everything off by default.
template <class T>
struct DiffOptions {
    CotangentHook<T>* hook = nullptr;
    TapeObserver<T>* observer = nullptr;
    std::vector<bool> leaves{};  ///< which inputs are leaves; all of them if empty
    bool twice = false;          ///< y = op(x) + op(x): every input is used twice
};

/// A call alone on a tape, which is reset for it.
template <class T>
struct RecordedCall {
    RecordedCall(Tape<T>& on, const OpEntry& op, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x,
                 const std::vector<bool>& leaves = {});
    /// As differentiate, starting from `last`, which is y or is computed from it.
    GradientResult<T> backward(const Var<T>& last, const Tensor<T>& dy);
    GradientResult<T> backward(const Tensor<T>& dy) { return backward(y, dy); }

    Tape<T>& tape;
    std::vector<Var<T>> vars;
    std::vector<const Var<T>*> inputs;
    Var<T> y;
};

/// Forward and backward on a fresh tape. dy is not copied, so that the caller can see whether it was written to.
template <class T>
GradientResult<T> differentiate(const OpEntry& op, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x, const Tensor<T>& dy,
                                const DiffOptions<T>& options = {});
template <class T>
GradientResult<T> differentiate(const Subject& s, const std::vector<Tensor<T>>& x, const Tensor<T>& dy,
                                const DiffOptions<T>& options = {}) {
    return differentiate(*s.op, s.sample->attrs, x, dy, options);
}

template <class T>
std::vector<Tensor<T>> cast_all(const Tensors& x) {
    std::vector<Tensor<T>> out;
    for (const auto& t : x) out.push_back(t.defined() ? cast<T>(t) : Tensor<T>());
    return out;
}

/// Copies with buffers of their own, so that an op that writes to its inputs does no harm.
template <class T>
std::vector<Tensor<T>> clones(std::vector<Tensor<T>> x) {
    for (auto& t : x)
        if (t.defined()) t = t.clone();
    return x;
}

/// Whether two tensors hold the same bits in the same shape; two undefined ones do.
template <class T>
bool same_bits(const Tensor<T>& a, const Tensor<T>& b);
template <class T>
bool same_bits(const std::vector<Tensor<T>>& a, const std::vector<Tensor<T>>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!same_bits(a[i], b[i])) return false;
    return true;
}

}  // namespace gradproof::check
