// The training behind the film, and one expression seen with the parameters of one of its epochs.
#pragma once

#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/expression_training.hpp"
#include "tools/web/calls.hpp"

namespace gradproof::web {

/// A training, the parameters after each of its epochs, and a model in doubles that they are laid into to be looked at.
struct Film {
    std::unique_ptr<ExpressionTraining> training;
    std::unique_ptr<Model<double>> model;
    ModelKind kind{};
    Index heads = 0;
    std::vector<std::vector<Array>> frames;  ///< by epoch, in tree order

    void keep_frame();
    void lay_in(std::size_t epoch) const;
};

Film& film();
Film& begun();  ///< Errors: ValueError before the first training.

/// The one attention on a tape.
inline int attention_of(const Tape<double>& tape) {
    int node = 0;
    while (tape.line(node).op != "attention") ++node;
    return node;
}

/// The expression of a question with the parameters of its epoch: the forward, whose tape keeps its values and cotangents.
struct Seen {
    Seen(const Json& question, const Film& f);
    std::size_t epoch;
    Examples data;  ///< one row
    Step<double> step;
    Var<double> scores;  ///< of its answers
};

}  // namespace gradproof::web
