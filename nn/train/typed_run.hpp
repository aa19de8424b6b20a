// What every run shares once the element type is known: the training step, the optimiser, the tensors by name, and the search for
// the first tensor that is not finite. A run adds the loss of a batch.
//
//   template <class T>
//   class TextRun final : public TypedRun<T, TextTraining, LanguageModel<T>> { Var<T> batch_loss() override; ... };
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "gradproof/nn/module.hpp"
#include "gradproof/nn/optimiser.hpp"
#include "gradproof/nn/train/trainer.hpp"

namespace gradproof {

/// How many answers have the largest of their scores; those that are `ignored` do not count.
/// Shapes  scores [..., n], answers [...].
template <class T>
Index count_right(const Tensor<T>& scores, const Tensor<Index>& answers, Index ignored = -1) {
    const Index n = scores.shape().last(0);
    Index right = 0;
    for (Index i = 0; i < answers.size(); ++i) {
        const T* row = scores.data() + i * n;
        right += answers[i] != ignored && std::max_element(row, row + n) - row == answers[i];
    }
    return right;
}

/// The tensor of that name.   Errors  IoError naming `source` if it is missing or has another shape.
inline const Array& expect_tensor(const std::vector<NamedArray>& tensors, const std::string& name, const Shape& shape,
                                  std::string_view source) {
    const Array* a = find_array(tensors, name);
    if (!a) io_error("{}: the tensor {} is missing", source, name);
    if (!(a->shape == shape)) io_error("{}: {} is {}, the model has {}", source, name, a->shape, shape);
    return *a;
}
/// Writes values into the buffer of a tensor, which leaves and optimisers go on using.
template <class T>
void copy_values(const Array& from, std::string_view name, Tensor<T> to) {
    const Tensor<T> values = to_tensor<T>(from, name);
    std::copy(values.begin(), values.end(), to.begin());
}

/// How a step changes the parameters.
struct UpdateOptions {
    OptimiserOptions optimiser{};
    Schedule schedule{};
    double clip = 0;        ///< limit of the global gradient norm; 0 does not clip
    Index decay_until = 0;  ///< the last step with weight decay; 0: all have it
};

/// Base is the run's public interface; Model has tree().
template <class T, class Base, class Model>
class TypedRun : public Base {
    using Base::position_;
    std::unique_ptr<Model> owned_;

  public:
    using Base::steps_done;
    TypedRun(std::unique_ptr<Model> model, const UpdateOptions& update) : TypedRun(*model, update) { owned_ = std::move(model); }
    /// Of a model that outlives the run.
    TypedRun(Model& model, const UpdateOptions& update)
        : model_(model),
          step_(model.tree()),
          optimiser_(model.tree(), update.optimiser),
          schedule_(update.schedule),
          clip_(update.clip),
          decay_until_(update.decay_until) {}

    Index parameter_count() const override { return tree().count(); }
    std::vector<std::pair<std::string, Shape>> parameter_shapes() const override {
        std::vector<std::pair<std::string, Shape>> out;
        for (int i = 0; i < tree().size(); ++i) out.emplace_back(tree()[i].name, tree()[i].shape);
        return out;
    }

    StepReport step() override {
        has_gradients_ = false;
        step_.begin();
        const Var<T> loss = batch_loss();
        StepReport report{
            .step = steps_done() + 1, .loss = static_cast<double>(loss.value().item()), .rate = schedule_.at(steps_done() + 1)};
        if (!std::isfinite(report.loss)) return report;
        if (steps_done() == 0) position_.first_loss = report.loss;
        step_.backward(loss);
        has_gradients_ = true;
        report.gradient_norm = gradient_norm(step_, tree());
        if (!std::isfinite(report.gradient_norm)) return report;
        const bool decays = decay_until_ == 0 || steps_done() < decay_until_;
        optimiser_.update(step_, tree(), report.rate, clip_factor(report.gradient_norm, clip_), decays ? 1 : 0);
        ++position_.steps_done;
        ++position_.loss_steps;
        position_.loss_sum += report.loss;
        return report;
    }

    std::string first_bad_tensor() override {
        Tape<T>& tape = step_.tape();
        tape.keep_values(true);
        tape.keep_cotangents(true);
        step_.begin();
        const Var<T> loss = batch_loss();
        std::string found;
        for (int id = 0; id < tape.nodes() && found.empty(); ++id)
            if (!all_finite(tape.value(id))) found = describe_node(id);
        if (found.empty()) {
            step_.backward(loss);
            for (int id = tape.nodes() - 1; id >= 0 && found.empty(); --id)
                if (tape.cotangent(id).defined() && !all_finite(tape.cotangent(id)))
                    found = "the gradient of " + describe_node(id);
        }
        tape.keep_values(false);
        tape.keep_cotangents(false);
        return found;
    }

    std::vector<GradientStats> gradients() const override {
        std::vector<GradientStats> out;
        for (int i = 0; has_gradients_ && i < tree().size(); ++i) {
            double squares = 0;
            if (const Tensor<T>& g = step_.grad(i); g.defined())
                for (const T x : g) squares += static_cast<double>(x) * static_cast<double>(x);
            out.push_back({tree()[i].name, std::sqrt(squares), tree()[i].shape.size()});
        }
        return out;
    }

    std::vector<NamedArray> tensors() const override {
        std::vector<NamedArray> out;
        each_tensor([&](const std::string& name, const Tensor<T>& t) { out.push_back({name, from_tensor(t)}); });
        return out;
    }

    void restore(const std::vector<NamedArray>& tensors, const RunPosition& position, std::string_view source) override {
        const DType expected = std::is_same_v<T, float> ? DType::f32 : DType::f64;
        std::size_t used = 0;
        // Everything is checked before anything is changed.
        each_tensor([&](const std::string& name, const Tensor<T>& t) {
            const Array& a = expect_tensor(tensors, name, t.shape(), source);
            if (a.dtype != expected)
                io_error("{}: {} is {}, the run is {}", source, name, dtype_name(a.dtype), dtype_name(expected));
            ++used;
        });
        if (used != tensors.size()) io_error("{}: {} tensors, the run has {}", source, tensors.size(), used);
        if (position.steps_done < 0) io_error("{}: the number of steps done is {}", source, position.steps_done);
        each_tensor([&](const std::string& name, const Tensor<T>& t) { copy_values(*find_array(tensors, name), name, t); });
        position_ = position;
        optimiser_.set_updates(steps_done());
    }

  protected:
    /// The mean loss of the current step's batch, from the parameters in step_.
    virtual Var<T> batch_loss() = 0;
    ParameterTree<T>& tree() const { return model_.tree(); }

    Model& model_;
    Step<T> step_;

  private:
    static bool all_finite(const Tensor<T>& x) {
        for (const T v : x)
            if (!std::isfinite(v)) return false;
        return true;
    }
    void each_tensor(auto&& visit) const {
        for (int i = 0; i < tree().size(); ++i) visit(tree()[i].name, tree()[i].value);
        auto& optimiser = const_cast<Optimiser<T>&>(optimiser_);  // handles on the same buffers
        for (int s = 0; s < optimiser.states(); ++s)
            for (int i = 0; i < tree().size(); ++i)
                visit(fmt::format("optimiser.{}.{}", optimiser.state_name(s), tree()[i].name), optimiser.state(s, i));
    }
    std::string describe_node(int id) const {
        const TapeLine line = step_.tape().line(id);
        if (line.op == "leaf") return fmt::format("parameter {} {}", line.name, line.shape);
        std::string inputs;
        for (const int i : line.inputs)
            if (i >= 0 && step_.tape().line(i).op == "leaf")
                inputs += (inputs.empty() ? " of " : ", ") + step_.tape().line(i).name;
        return fmt::format("output of {}{} (node %{}, {})", line.op, inputs, id, line.shape);
    }

    Optimiser<T> optimiser_;
    Schedule schedule_;
    double clip_;
    Index decay_until_;
    bool has_gradients_ = false;
};

}  // namespace gradproof
