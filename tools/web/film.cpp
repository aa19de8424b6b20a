// The training film: the models of the expressions, trained an epoch a call, and what one expression looked like after each epoch.
//
//   film_start {"model": "multi-head"}                          // epoch 0: the first parameters
//   film_epoch {}                                               // the next one
//   film_look {"expression": "Max(1,6,2)", "epoch": 3}          // A, dS and the answer with the parameters of that epoch
#include <algorithm>

#include "gradproof/nn/train/typed_run.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tools/web/arrays.hpp"
#include "tools/web/film.hpp"

namespace gradproof::web {
namespace {

constexpr Index kEpochs = 30;

Json evaluated(const Evaluation& e) {
    return {{"loss", check::json_number(e.loss)},
            {"accuracy", check::json_number(e.accuracy)},
            {"entropy", check::json_number(e.attention.entropy)}};
}

Json report(const IntervalReport& r) {
    Json gradients = Json::array();
    for (const GradientStats& g : r.gradients) gradients.push_back({{"name", g.name}, {"norm", check::json_number(g.norm)}});
    return {{"epoch", r.epoch},
            {"loss", check::json_number(r.loss)},
            {"validation", evaluated(r.validation)},
            {"gradient_norm", check::json_number(r.gradient_norm)},
            {"gradients", gradients}};
}

/// What it computed on a tape that kept its values and whose backward ran.
struct Attended {
    Tensor<double> weights, score_gradient;  ///< [heads, length, length]
};
Attended attended(const Tape<double>& tape, Index heads) {
    const int node = attention_of(tape);
    const std::vector<int> inputs = tape.line(node).inputs;
    const Tensor<double>&q = tape.value(inputs[0]), &k = tape.value(inputs[1]), &v = tape.value(inputs[2]);
    const AttentionAttrs attrs{.q_heads = heads, .kv_heads = heads};
    const Shape shape{heads, q.dim(1), k.dim(1)};
    // A mask is added to the scores, so its gradient is theirs.
    Tape<double> again;
    const Var<double> mask = again.leaf(zeros<double>({1, heads, q.dim(1), k.dim(1)}));
    again.backward(attention(Var<double>(q), Var<double>(k), Var<double>(v), {.mask = mask}, attrs), tape.cotangent(node));
    return {attention_forward(q, k, v, attrs).weights.reshape(shape), again.grad(mask).reshape(shape)};
}

/// The first position's attention by head, as a share of the largest entropy that it can have: only what it reads is answered.
Json entropies(const Tensor<double>& weights) {
    Json out = Json::array();
    const Index length = weights.dim(1);
    for (Index head = 0; head < weights.dim(0); ++head) {
        const std::span<const double> row(weights.data() + head * length * length, static_cast<std::size_t>(length));
        out.push_back(check::json_number(attention_stats(Tensor<double>::from({1, length}, row)).entropy));
    }
    return out;
}

std::size_t epoch_in(const Json& question, const Film& f) {
    const auto found = question.find("epoch");
    const auto last = static_cast<Index>(f.frames.size()) - 1;
    const Index epoch = found == question.end() ? last : found->is_number_integer() ? found->get<Index>() : -1;
    if (epoch < 0 || epoch > last) value_error("epoch: expected a number from 0 to {}", last);
    return static_cast<std::size_t>(epoch);
}

Examples row_of(const std::string& expression) {
    const Index row = find_expression(expression);
    return all_expressions().rows({&row, 1});
}

}  // namespace

void Film::keep_frame() {
    std::vector<NamedArray> all = training->tensors();  // parameters first, then what the optimiser keeps
    std::vector<Array> frame;
    for (int i = 0; i < model->tree().size(); ++i) frame.push_back(std::move(all[static_cast<std::size_t>(i)].array));
    frames.push_back(std::move(frame));
}

void Film::lay_in(std::size_t epoch) const {
    ParameterTree<double>& tree = model->tree();
    for (int i = 0; i < tree.size(); ++i) copy_values(frames[epoch][static_cast<std::size_t>(i)], tree[i].name, tree[i].value);
}

Film& film() {
    static Film one;
    return one;
}

Film& begun() {
    if (!film().training) value_error("nothing is trained yet; train first");
    return film();
}

Seen::Seen(const Json& question, const Film& f)
    : epoch(epoch_in(question, f)), data(row_of(text_in(question, "expression"))), step(f.model->tree()) {
    f.lay_in(epoch);
    step.tape().keep_values(true);
    step.tape().keep_cotangents(true);
    step.begin();
    scores = f.model->forward(step, data.ids);
}

Json film_start(const Json& question) {
    const std::string name = text_in(question, "model");
    const std::optional<ModelKind> kind = value_named<ModelKind>(name.empty() ? "single-head" : name);
    if (!kind) value_error("model: got {}, expected single-head, multi-head or block", printable(name, 40));
    Film& f = film();
    f = {};
    const ExpressionTrainOptions options{.model = *kind, .epochs = kEpochs};
    f.kind = *kind;
    f.model = make_model<double>(*kind, {}, options.seed);
    f.training = make_expression_training(options);
    f.heads = f.training->attention(0).dim(0);
    f.keep_frame();
    Json shapes = Json::array();
    for (const auto& [parameter, shape] : f.training->parameter_shapes())
        shapes.push_back({{"name", parameter}, {"shape", check::json_shape(shape)}});
    return {{"epochs", kEpochs},
            {"steps", f.training->steps_per_epoch()},
            {"count", f.training->parameter_count()},
            {"parameters", shapes},
            {"validation", evaluated(f.training->evaluate())}};
}

Json film_epoch(const Json&) {
    Film& f = begun();
    ExpressionTraining& t = *f.training;
    if (t.epochs_done() >= kEpochs) value_error("all {} epochs are trained", kEpochs);
    Json out;
    const RunSummary summary = t.train(
        {.on_interval = [&](const IntervalReport& r) { out = report(r); }, .until = (t.epochs_done() + 1) * t.steps_per_epoch()});
    if (summary.end == RunSummary::End::diverged) value_error("the training diverged: {}", summary.first_bad);
    f.keep_frame();
    return out;
}

Json film_look(const Json& question) {
    const Film& f = begun();
    Seen seen(question, f);
    const Examples& data = seen.data;
    seen.step.backward(cross_entropy(seen.scores, {.ids = data.answers}));
    const Attended at = attended(seen.step.tape(), f.heads);
    const Tensor<double> p = softmax(seen.scores.value()).reshape({-1});
    return {{"expression", expression_text(data.row(0))},
            {"tokens", token_texts(data.row(0))},
            {"answer", data.answers[0]},
            {"given", std::max_element(p.begin(), p.end()) - p.begin()},
            {"probabilities", std::vector<double>(p.begin(), p.end())},
            {"weights", drawn_step("A", at.weights)},
            {"score_gradient", drawn_step("∂L/∂S", at.score_gradient)},
            {"entropy", entropies(at.weights)}};
}

}  // namespace gradproof::web
