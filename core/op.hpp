// The op interface. A page is the struct that defines one op: its formula, a forward and a backward that read like it, and sample
// calls. It stands in a file of its own, or with a few related ops. Any other code that computes the op is a kernel
// (core/kernel.hpp) and is compared with the page.
//
//   struct Square {
//       static constexpr OpInfo info{.name = "square", .inputs = "x", .forward = "y = x^2", .backward = "dx = 2 x dy",
//                                    .saves = "x", .source = "elementary calculus"};
//       using Attrs = NoFields;
//       template <Scalar T> using Saved = SavedInput<T>;        // or a struct of tensors, in the order of .saves
//       template <Scalar T> static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>& saved);
//       template <Scalar T> static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx);
//       static std::vector<Sample<Square>> samples();
//       static std::vector<ErrorSample<Square>> error_samples();
//   };
//   GRADPROOF_OP(Square);      // core/registry.hpp
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// The texts about an op that its page, the op table, the tape printer and error reports share.
struct OpInfo {
    std::string_view name;
    std::string_view inputs;    ///< names in order, "?" after an optional one, "..." after a repeated one: "q k v mask?"
    std::string_view forward;   ///< formula, for readers: shown in the op table, not parsed
    std::string_view backward;  ///< formula, for readers
    std::string_view saves;     ///< the names in Saved, space separated; "" for none
    std::string_view source;    ///< reference to the literature
};

/// An Attrs or Saved without fields.
struct NoFields {
    static void fields(auto&, auto&&) {}
};

/// The two commonest Saved: the only input, or the output. `template <Scalar T> using Saved = SavedInput<T>;`
template <Scalar T>
struct SavedInput {
    Tensor<T> x;
    static void fields(auto& s, auto&& f) { f("x", s.x); }
};
template <Scalar T>
struct SavedOutput {
    Tensor<T> y;
    static void fields(auto& s, auto&& f) { f("y", s.y); }
};

/// The inputs of one call, in the order of OpInfo::inputs. An optional input that is absent is an undefined tensor.
template <class T>
class Inputs {
  public:
    Inputs(const Tensor<T>* const* tensors, int count) : tensors_(tensors), count_(count) {}
    int size() const { return count_; }
    bool has(int i) const { return i < count_ && tensors_[i]->defined(); }
    const Tensor<T>& operator[](int i) const { return *tensors_[i]; }

  private:
    const Tensor<T>* const* tensors_;
    int count_;
};

template <class T>
class Tape;

/// Where a backward puts its results: one cotangent for each input that needs one.
template <class T>
class Cotangents {
  public:
    Cotangents(Tape<T>& tape, int node) : tape_(&tape), node_(node) {}
    /// How many inputs the call has, including absent ones.
    int inputs() const;
    /// Whether the cotangent of input i is wanted; ask before computing it. False for an optional input that was not passed.
    bool needs(int i) const;
    /// Adds g to the cotangent of input i, summed over the axes along which the input was broadcast. If needs(i) is false, g is
    /// dropped, and the contract "needed" reports that it was computed for nothing. (For an op with one input, needs(0) is always
    /// true.)
    /// Errors: ShapeError if g does not reduce to the input's shape or is undefined; TapeError if there is no input i.
    void add(int i, Tensor<T> g);
    /// The shape of input i. Errors: TapeError if there is none.
    const Shape& shape(int i) const;

  private:
    Tape<T>* tape_;
    int node_;
};

/// How a check fills an argument.
enum class Distribution {
    normal,    ///< standard normal
    positive,  ///< uniform in [0.5, 2]
    unit,      ///< uniform in [-0.9, 0.9]
    nonzero,   ///< |x| in [0.5, 2], either sign: away from a kink or a pole at 0
    distinct,  ///< normal-sized values, all at least 0.1 apart from each other: no ties
};

/// One argument of a sample: drawn, given as numbers, or absent.
struct Arg {
    Arg(const Shape& s, Distribution d = Distribution::normal) : shape(s), draw(d) {}                  // NOLINT
    Arg(std::initializer_list<Index> s, Distribution d = Distribution::normal) : shape(s), draw(d) {}  // NOLINT
    Arg(Tensor<double> v) : shape(v.shape()), values(std::move(v)) {}                                  // NOLINT
    static Arg absent() {
        Arg a{Shape{}};
        a.present = false;
        return a;
    }
    Shape shape;
    Distribution draw = Distribution::normal;
    Tensor<double> values;  ///< used where defined
    bool present = true;
};

/// What a sample is excused from, and why: nothing by default.
struct Excuse {
    bool finite_differences = false;  ///< true: not compared with differences, for it is at a kink or tie or not finite
    bool zero_gradient = false;       ///< true: its gradient is zero or has no entries, so that planted bugs cannot show
    std::string_view why{};
};

/// A call of the op on which every contract is checked. Among the samples of an op there should be sizes that all differ, an axis
/// of size 1, one of size 0 (excused), every attribute away from its default, every optional input present and absent, and a
/// nonzero gradient for every input.
template <class Op>
struct Sample {
    std::string_view name;
    typename Op::Attrs attrs{};
    std::vector<Arg> args;
    Excuse excuse{};
};

/// A call that must throw before any work, with `message` somewhere in its text.
template <class Op>
struct ErrorSample {
    std::string_view name;
    typename Op::Attrs attrs{};
    std::vector<Arg> args;
    std::string_view message;
};

/// Errors: ShapeError naming the op where the number of inputs is not `expected`.
template <class T>
void expect_inputs(const OpInfo& info, const Inputs<T>& x, int expected) {
    if (x.size() != expected)
        shape_error("{}: takes {} input{} ({}), got {}", info.name, expected, expected == 1 ? "" : "s", info.inputs, x.size());
    for (int i = 0; i < expected; ++i)
        if (!x.has(i)) shape_error("{}: input {} of {} ({}) is undefined", info.name, i, expected, info.inputs);
}

}  // namespace gradproof
