// Modules: named parameters, the ordered tree of them, and the step that puts them on a tape.
//
//   struct Linear { Parameter<T> weight, bias;  Var<T> forward(const Step<T>&, const Var<T>& x);
//                  auto parameters(auto&& visit) {...} };
//   ParameterTree<float> tree(model, 42);         // "head.weight", "head.bias", ... initialised from seed 42
//   Step<float> step(tree);
//   step.begin();                                 // every parameter becomes a leaf, once
//   step.backward(cross_entropy(model.forward(step, x), {.ids = labels}));
//   step.grad(0);                                 // the gradient of the first parameter
//
// A module is a plain struct with `forward` members and `parameters(visit)`, which calls visit(name, child) for each
// parameter and submodule in order. There is no base class and no registration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/tape.hpp"
#include "gradproof/nn/init.hpp"

namespace gradproof {

/// One trained tensor. The tree that holds it sets its name and slot.
template <Scalar T>
struct Parameter {
    Parameter() = default;
    Parameter(const Shape& s, const Initialiser& i) : shape(s), initialiser(i) {}
    Shape shape;
    Initialiser initialiser;
    std::string name{};
    Tensor<T> value{};
    int slot = -1;
};

/// The parameters of a module in order, with dotted names: "block.attention.wq". The module must outlive it and not be moved.
template <Scalar T>
class ParameterTree {
  public:
    /// Collects the parameters of `module` and draws their initial values. Errors: ValueError for a name used twice.
    template <class Module>
    ParameterTree(Module& module, std::uint64_t seed) {
        collect(std::string(), module);
        expect_different_names();
        initialise(seed);
    }
    ParameterTree(const ParameterTree&) = delete;
    ParameterTree& operator=(const ParameterTree&) = delete;

    int size() const { return static_cast<int>(list_.size()); }
    Parameter<T>& operator[](int i) { return *list_[static_cast<std::size_t>(i)]; }
    const Parameter<T>& operator[](int i) const { return *list_[static_cast<std::size_t>(i)]; }
    /// Errors: ValueError for an unknown name, with the nearest known one.
    Parameter<T>& find(const std::string& name);
    /// The total number of trained numbers.
    Index count() const;
    /// Draws the initial values of every parameter again.
    void initialise(std::uint64_t seed);

  private:
    template <class Node>
    void collect(const std::string& prefix, Node& node) {
        if constexpr (std::is_same_v<Node, Parameter<T>>) {
            add(prefix, node);
        } else {
            node.parameters([&](std::string_view name, auto& child) {
                collect(prefix.empty() ? std::string(name) : prefix + "." + std::string(name), child);
            });
        }
    }
    void add(const std::string& name, Parameter<T>& parameter);
    void expect_different_names() const;
    std::vector<Parameter<T>*> list_;
};

/// One forward and backward pass over a tree: a tape, and a leaf for each parameter. Only the first step allocates memory.
template <Scalar T>
class Step {
  public:
    explicit Step(const ParameterTree<T>& tree) : tree_(&tree), leaves_(static_cast<std::size_t>(tree.size())) {}
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

    /// Starts a recorded step: resets the tape and makes every parameter a leaf, in tree order.
    void begin();
    /// Starts an evaluation: parameters are constants and nothing is recorded.
    void begin_evaluation();
    /// The value of a parameter in this step.
    const Var<T>& operator()(const Parameter<T>& p) const { return leaves_[static_cast<std::size_t>(p.slot)]; }
    void backward(const Var<T>& loss) { tape_.backward(loss); }
    /// The gradient of parameter i. It is an undefined tensor if no path reached the parameter (Tape::grad gives zeros there).
    /// Only after begin() and backward(), and valid until the next begin() or begin_evaluation().
    const Tensor<T>& grad(int i) const { return tape_.cotangent(leaves_[static_cast<std::size_t>(i)].node()); }
    Tape<T>& tape() { return tape_; }
    const Tape<T>& tape() const { return tape_; }

  private:
    const ParameterTree<T>* tree_;
    Tape<T> tape_;
    std::vector<Var<T>> leaves_;
};

extern template class ParameterTree<float>;
extern template class ParameterTree<double>;
extern template class Step<float>;
extern template class Step<double>;

}  // namespace gradproof
