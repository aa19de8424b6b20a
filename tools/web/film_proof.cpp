// What the film shows of one expression, as a derivation, so that every number of it can be traced on the board.
//
//   film_proof {"expression": "Max(1,6,2)", "epoch": 3, "head": 2}    // one head
//   film_proof {"expression": "Max(1,6,2)", "epoch": 3}               // the answer; of a model of one head all of it
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/slice.hpp"
#include "tools/web/film.hpp"
#include "tools/web/literal.hpp"

namespace gradproof::web {
namespace {

/// In four digits.
std::string matrix(const Tensor<double>& x) {
    const Index width = x.shape().last();
    return literal(x.reshape({x.size() / width, width}), 4);
}

std::string one_at(Index place, Index size) {
    Tensor<double> out = zeros<double>({1, size});
    out.data()[place] = 1;
    return literal(out);
}

const Tensor<double>& parameter(const Film& f, const char* name) { return f.model->tree().find(name).value; }

constexpr std::string_view kAnswer =
    "  P = softmax(Z)\n"
    "  loss L = -sum(T ⊙ log(P))\n";
std::string right_answer(const Seen& seen) { return one_at(seen.data.answers[0], seen.scores.shape().last()); }

/// The answer, from what its readout reads.
std::string readout_text(const Seen& seen, const Film& f) {
    const Tape<double>& tape = seen.step.tape();
    int last = tape.nodes() - 1;
    while (tape.line(last).op != "linear") --last;
    return fmt::format("input N = {}\nconst W = {}, b = {}, T = {}\nforward\n  Z = N W + b\n{}",
                       matrix(tape.value(tape.line(last).inputs[0])), matrix(parameter(f, "readout.weight")),
                       matrix(parameter(f, "readout.bias")), right_answer(seen), kAnswer);
}

/// The share of one head in an axis that holds all of them side by side.
Tensor<double> share(const Tensor<double>& x, int axis, const Film& f, Index head) {
    const Index size = x.dim(axis) / f.heads;
    return slice(x, {.axis = axis, .start = head * size, .stop = (head + 1) * size});
}

/// The weights that lead from a head to the scores, where nothing but products lies between.
Tensor<double> to_scores(const Film& f, Index head) {
    const Tensor<double>& readout = parameter(f, "readout.weight");
    return f.kind == ModelKind::multi_head ? linear(share(parameter(f, "attention.wo"), 0, f, head), readout) : readout;
}

struct Ending {
    std::string constants, lines;
};
/// What follows the output O of a head up to the loss.
Ending after(const Tensor<double>& output, const Seen& seen, const Film& f, Index head) {
    const Tensor<double> W = to_scores(f, head);
    const Tensor<double> first = slice(output, {.axis = 1, .start = 0, .stop = 1}).reshape({1, W.dim(0)});
    const Tensor<double> rest = sub(seen.scores.value(), linear(first, W));
    return {fmt::format("const F = {}, W = {}, b = {}, T = {}\n", one_at(0, output.dim(1)), matrix(W), matrix(rest),
                        right_answer(seen)),
            fmt::format("  Z = F O W + b\n{}", kAnswer)};
}

/// In a block more than products follow: its gradient stands for that.
Ending after_in_block(Seen& seen, const Film& f, Index head) {
    seen.step.backward(cross_entropy(seen.scores, {.ids = seen.data.answers}));
    const Tape<double>& tape = seen.step.tape();
    return {fmt::format("const G = {}\n", matrix(share(tape.cotangent(attention_of(tape)), 2, f, head))),
            "  loss L = sum(G ⊙ O)\n"};
}

/// One head, and what follows it.
std::string head_text(Seen& seen, const Film& f, Index head) {
    const Tape<double>& tape = seen.step.tape();
    const int node = attention_of(tape);
    const auto part = [&](int of) { return share(tape.value(of), 2, f, head); };
    const std::vector<int> inputs = tape.line(node).inputs;
    const Tensor<double> q = part(inputs[0]);
    const std::string given =
        fmt::format("input Q = {}\ninput K = {}\ninput V = {}\n", matrix(q), matrix(part(inputs[1])), matrix(part(inputs[2])));
    const Ending end = f.kind == ModelKind::block ? after_in_block(seen, f, head) : after(part(node), seen, f, head);
    return fmt::format("{}{}forward\n  S = Q K^T / {}\n  A = softmax(S)\n  O = A V\n{}", given, end.constants,
                       std::sqrt(static_cast<double>(q.shape().last())), end.lines);
}

/// A note for the reader of the derivation, where it is not the whole model.
std::string_view note(const Film& f, bool head) {
    if (f.heads == 1 || !head) return "";
    return f.kind == ModelKind::block
               ? "# G is the gradient of the output of this head; L stands for the loss near these numbers.\n"
               : "# W leads through the projection of this head; b holds what the other heads add.\n";
}

std::optional<Index> head_in(const Json& question, const Film& f) {
    const auto found = question.find("head");
    if (found == question.end()) return f.heads == 1 ? std::optional<Index>(0) : std::nullopt;
    const Index head = found->is_number_integer() ? found->get<Index>() : -1;
    if (head < 0 || head >= f.heads)
        value_error("head: expected a number from 0 to {}, got {}", f.heads - 1, printable(found->dump(), 40));
    return head;
}

}  // namespace

Json film_proof(const Json& question) {
    const Film& f = begun();
    const std::optional<Index> head = head_in(question, f);
    Seen seen(question, f);
    const std::string title = fmt::format("{} after epoch {}{}", expression_text(seen.data.row(0)), seen.epoch,
                                          head && f.heads > 1 ? fmt::format(", head {}", *head) : "");
    return {{"text", fmt::format("# tokens: {}\n{}title \"{}\"\n{}", fmt::join(token_texts(seen.data.row(0)), " "),
                                 note(f, head.has_value()), title, head ? head_text(seen, f, *head) : readout_text(seen, f))}};
}

}  // namespace gradproof::web
