// The language model: what it may see, decoding beside the whole forward, training that repeats itself and follows PyTorch.
#include "gradproof/nn/language_model.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tests/core/io_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::Folder;

LanguageModelOptions small(PositionKind positions) {
    return {.vocabulary = 11, .context = 12, .layers = 2, .heads = 2, .channels = 8, .positions = positions};
}

Tensor<Index> ids_of(Index rows, Index length, std::uint64_t seed) {
    Random random(seed);
    Tensor<Index> out({rows, length});
    for (Index& id : out) id = random.below(11);
    return out;
}

class EveryPosition : public ::testing::TestWithParam<PositionKind> {};

/// A text with structure to learn, in a file.
std::string write_text(const Folder& folder, int lines = 120) {
    const std::string path = (folder / "text.txt").string();
    std::ofstream out(path);
    for (int i = 0; i < lines; ++i) out << "line " << i % 7 << " says " << (i % 3 == 0 ? "yes" : "no") << ".\n";
    return path;
}

TextTrainOptions short_run(const std::string& data, Index steps) {
    return {.data = data,
            .model = {.context = 16, .layers = 2, .heads = 2, .channels = 16},
            .steps = steps,
            .batch = 4,
            .warmup = 5,
            .interval = 10};
}

void expect_same_tensors(const TrainingRun& a, const TrainingRun& b) {
    const auto x = a.tensors(), y = b.tensors();
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(x[i].array == y[i].array) << x[i].name;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(LanguageModels, EveryPosition,
                         ::testing::Values(PositionKind::learned, PositionKind::sinusoidal, PositionKind::rotary,
                                           PositionKind::alibi, PositionKind::none),
                         [](const auto& p) { return name_of(p.param); });

TEST_P(EveryPosition, ScoresDependOnNothingThatComesLater) {
    LanguageModel<double> model(small(GetParam()), 3);
    Step<double> step(model.tree());
    step.begin_evaluation();
    Tensor<Index> ids = ids_of(2, 12, 1);
    const Tensor<double> before = model.forward(step, ids).value().clone();
    for (Index r = 0; r < 2; ++r) ids[r * 12 + 7] = (ids[r * 12 + 7] + 1) % 11;
    const Tensor<double> after = model.forward(step, ids).value();
    double later = 0;
    for (Index i = 0; i < before.size(); ++i) {
        if (i / 11 % 12 < 7)
            ASSERT_EQ(before[i], after[i]) << i;
        else
            later = std::max(later, std::abs(before[i] - after[i]));
    }
    EXPECT_GT(later, 1e-6);
}

TEST_P(EveryPosition, DecodingGivesTheScoresOfTheWholeForward) {
    const auto largest_difference = [](auto zero, PositionKind positions) {
        using T = decltype(zero);
        LanguageModel<T> model(small(positions), 3);
        Decoder<T> cached(model), whole(model, Decoding::whole);
        const Tensor<Index> ids = ids_of(1, 40, 2);  // far beyond the context of 12
        double worst = 0;
        for (Index at = 0; at < 40; at += 1 + at % 3) {
            const std::span<const Index> some(ids.data() + at, static_cast<std::size_t>(std::min<Index>(1 + at % 3, 40 - at)));
            const Tensor<T> a = cached.read(some), b = whole.read(some);
            EXPECT_EQ(cached.context(), whole.context());
            EXPECT_LE(cached.context().size(), 12u);
            for (Index i = 0; i < a.size(); ++i)
                worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        }
        return worst;
    };
    EXPECT_LT(largest_difference(0.0, GetParam()), 1e-13);
    EXPECT_LT(largest_difference(0.0f, GetParam()), 1e-6);
}

TEST_P(EveryPosition, OrderMattersUnlessThereAreNoPositions) {
    LanguageModelOptions o = small(GetParam());
    o.layers = 1;  // a second one would see how many keys each position had
    LanguageModel<double> model(o, 3);
    Step<double> step(model.tree());
    step.begin_evaluation();
    // The keys in another order, the same query last.
    const auto last = [&](std::initializer_list<Index> ids) {
        const Tensor<double> y = model.forward(step, Tensor<Index>::from({1, 4}, ids)).value();
        return Tensor<double>::from({11}, std::span<const double>(y.data() + 33, 11));
    };
    const Tensor<double> a = last({1, 1, 2, 5}), b = last({1, 2, 1, 5});
    double difference = 0;
    for (Index i = 0; i < 11; ++i) difference = std::max(difference, std::abs(a[i] - b[i]));
    EXPECT_EQ(difference > 1e-9, GetParam() != PositionKind::none) << difference;  // with none, sums in another order
}

namespace {

/// The model of one layer, from the layers it is said to have.
struct ByHand {
    ByHand(const LanguageModelOptions& o, HeadPositions in_heads)
        : embedding(o.vocabulary, o.channels, init::normal(0.02)),
          learned(o.context, o.channels),
          sinusoidal(o.context, o.channels),
          block({.channels = o.channels,
                 .heads = o.heads,
                 .hidden = 4 * o.channels,
                 .residual_gain = 1 / std::sqrt(2.0),
                 .positions = in_heads}),
          norm(o.channels) {
        block.attention.attrs.causal = true;
    }
    void parameters(auto&& visit) {
        visit("embedding", embedding);
        visit("positions", learned);
        visit("blocks.0", block);
        visit("norm", norm);
    }
    Embedding<double> embedding;
    LearnedPositions<double> learned;
    SinusoidalPositions<double> sinusoidal;
    Block<double> block;
    LayerNorm<double> norm;
};

}  // namespace

TEST_P(EveryPosition, TheModelIsThatOfItsLayers) {
    LanguageModelOptions o = small(GetParam());
    o.layers = 1;
    LanguageModel<double> model(o, 3);
    ByHand layers(o, GetParam() == PositionKind::rotary  ? HeadPositions::rotary
                     : GetParam() == PositionKind::alibi ? HeadPositions::alibi
                                                         : HeadPositions::none);
    ParameterTree<double> tree(layers, 3);  // the same names, so the same first values
    Step<double> step(model.tree()), by_hand(tree);
    step.begin_evaluation();
    by_hand.begin_evaluation();
    const Tensor<Index> ids = ids_of(2, 12, 4);
    Var<double> x = layers.embedding.forward(by_hand, ids);
    if (GetParam() == PositionKind::learned) x = layers.learned.forward(by_hand, x);
    if (GetParam() == PositionKind::sinusoidal) x = layers.sinusoidal.forward(by_hand, x);
    x = layers.norm.forward(by_hand, layers.block.forward(by_hand, x));
    const Tensor<double> expected = matmul(x, by_hand(layers.embedding.weight), {.transpose_b = true}).value(),
                         scores = model.forward(step, ids).value();
    for (Index i = 0; i < scores.size(); ++i) ASSERT_NEAR(scores[i], expected[i], 1e-15) << i;
}

TEST(LanguageModel, TheReadoutIsTheEmbedding) {
    LanguageModel<float> model({.vocabulary = 96, .context = 128, .layers = 5, .heads = 4, .channels = 128}, 1);
    // 96 and 128 rows of 128; a block: 4 C² + 8 C² + 5 C of biases + 4 C of norms; a last norm.
    EXPECT_EQ(model.tree().count(), (96 + 128) * 128 + 5 * (12 * 128 * 128 + 9 * 128) + 2 * 128);
    EXPECT_EQ(model.tree()[0].name, "embedding.weight");
    EXPECT_EQ(model.tree()[1].name, "positions.weight");
    EXPECT_EQ(model.tree()[2].name, "blocks.0.norm1.gain");
}

TEST(LanguageModel, BadSizesAreNamed) {
    const auto text = [](const LanguageModelOptions& o) { return testing::error_of([&] { LanguageModel<float>(o, 1); }); };
    EXPECT_EQ(text({.heads = 3}), "language model: heads must divide the width: heads is 3, width is 128");
    EXPECT_EQ(text({.layers = 0}), "language model: layers is 0, expected 1 to 1000");
    EXPECT_EQ(text({.layers = 1001}), "language model: layers is 1001, expected 1 to 1000");
    EXPECT_EQ(text({.context = -1}), "language model: context is -1, expected 1 to 1000000");
    LanguageModel<double> model(small(PositionKind::learned), 3);
    Step<double> step(model.tree());
    step.begin_evaluation();
    EXPECT_THROW(model.forward(step, Tensor<Index>({1, 13}, 0)), ShapeError);
    EXPECT_THROW(model.forward(step, Tensor<Index>({1, 0})), ShapeError);
    EXPECT_THROW(model.forward(step, Tensor<Index>({1, 3}, 11)), ValueError);
    auto caches = model.caches(1);
    model.decode(step, Tensor<Index>({1, 3}, 1), caches);
    EXPECT_THROW(model.decode(step, Tensor<Index>({1, 10}, 1), caches), ShapeError);
    EXPECT_THROW(model.decode(step, Tensor<Index>({1, 1}, 11), caches), ValueError);
    for (const auto& cache : caches) EXPECT_EQ(cache.length(), 3);
}

TEST(LanguageModel, AReadThatIsRefusedReadsNothing) {
    LanguageModel<double> model(small(PositionKind::learned), 3);
    const std::vector<Index> first = {1, 2, 3}, bad = {4, 11}, many(20, -1), next = {5};
    for (const Decoding decoding : {Decoding::cached, Decoding::whole}) {
        Decoder<double> spoilt(model, decoding), clean(model, decoding);
        spoilt.read(first);
        clean.read(first);
        EXPECT_EQ(testing::error_of([&] { spoilt.read(bad); }), "language model: id is 11, expected 0 to 10");
        EXPECT_THROW(spoilt.read(many), ValueError);
        EXPECT_EQ(spoilt.context(), first);
        const Tensor<double> a = spoilt.read(next), b = clean.read(next);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
    }
}

TEST(TextTraining, LearnsWhatIsRegularInAText) {
    const Folder folder;
    TextTrainOptions o = short_run(write_text(folder), 150);
    o.batch = 8;
    const auto run = make_text_training(o);
    const double before = run->held_out_bits();
    const RunSummary outcome = run->train();
    EXPECT_EQ(outcome.end, RunSummary::End::finished);
    EXPECT_LT(run->held_out_bits(), 0.5 * before);
    EXPECT_NEAR(outcome.validation.loss / std::log(2.0), run->held_out_bits(), 0.5);
}

namespace {

/// Bits a character over what is held out, a forward for each symbol:
/// it is told from its window, a context that ends with the half
/// context the symbol is in.
double held_out_bits_by_symbol(TextTraining& run, LanguageModel<double>& model, Index characters) {
    const TextSpan out = run.data().held_out();
    const Index context = model.options().context, half = std::max<Index>(1, context / 2);
    Step<double> step(model.tree());
    step.begin_evaluation();
    double nats = 0;
    for (Index at = out.begin; at < out.end; ++at) {
        const Index window_end = std::min(out.begin + ((at - out.begin) / half + 1) * half, out.end);
        std::vector<Index> symbols(static_cast<std::size_t>(at - (window_end - 1 - context) + 1));
        run.data().read(window_end - 1 - context, symbols);
        const auto before = static_cast<Index>(symbols.size()) - 1;
        const Tensor<double> scores =
            model.forward(step, Tensor<Index>::from({1, before}, std::span(symbols).first(symbols.size() - 1))).value();
        const double* last = scores.data() + (before - 1) * model.options().vocabulary;
        double sum = 0;
        for (Index c = 0; c < model.options().vocabulary; ++c) sum += std::exp(last[c]);
        nats += std::log(sum) - last[symbols.back()];
    }
    return nats / std::log(2.0) / static_cast<double>(characters);
}

}  // namespace

TEST(TextTraining, HeldOutBitsAreThoseOfEachSymbolAlone) {
    const Folder folder;
    const std::string path = (folder / "text.txt").string();
    {
        std::ofstream out(path);
        for (int i = 0; i < 40; ++i) out << "né " << i << (i % 3 == 0 ? " yes\n" : " no\n");
    }
    for (const TextSymbols kind : {TextSymbols::characters, TextSymbols::bytes})
        for (const Index context : {Index{1}, Index{7}, Index{16}})
            for (const double share : {0.07, 0.11}) {  // the last window is cut short
                TextTrainOptions o{.data = path,
                                   .text = {.symbols = kind, .held_out_share = share},
                                   .model = {.context = context, .layers = 1, .heads = 2, .channels = 8},
                                   .precision = Precision::f64,
                                   .steps = 20,
                                   .batch = 3,
                                   .rate = 0.01,
                                   .warmup = 1};
                const auto run = make_text_training(o);
                for (int i = 0; i < 10; ++i) run->step();
                o.model.vocabulary = run->data().vocabulary().size();
                LanguageModel<double> model(o.model, 1);
                const auto tensors = run->tensors();
                for (int i = 0; i < model.tree().size(); ++i) {
                    Parameter<double>& p = model.tree()[i];
                    p.value = to_tensor<double>(*find_array(tensors, p.name), p.name);
                }
                const std::string held_out = run->data().text(run->data().held_out());
                const auto characters =
                    std::count_if(held_out.begin(), held_out.end(), [](char c) { return (c & 0xC0) != 0x80; });
                EXPECT_NEAR(run->held_out_bits(), held_out_bits_by_symbol(*run, model, characters), 1e-12)
                    << name_of(kind) << ", context " << context << ", " << share;
            }
}

TEST(TextTraining, AStoppedRunGoesOnBitForBit) {
    const Folder folder;
    const TextTrainOptions o = short_run(write_text(folder), 12);
    const auto straight = make_text_training(o), stopped = make_text_training(o);
    straight->train();
    std::atomic<bool> stop{false};
    stopped->train({.on_step = [&](const StepReport& s) { stop = s.step == 7; }, .stop = &stop});
    EXPECT_EQ(stopped->steps_done(), 7);
    save_checkpoint(*stopped, folder / "");
    EXPECT_EQ(checkpoint_task(folder / ""), Task::text);
    const auto resumed = load_text_checkpoint(folder / "", read_text_options(folder / ""));
    resumed->train();
    expect_same_tensors(*straight, *resumed);
}

TEST(TextTraining, AStepIsOverOnceItsIntervalIsReported) {
    const Folder folder;
    const auto run = make_text_training(short_run(write_text(folder), 25));  // reports after steps 10, 20 and 25
    std::vector<Index> reported;
    run->train({.on_interval = [&](const IntervalReport& r) { reported.push_back(r.step); },
                .after_step =
                    [&](const StepReport& s) {
                        EXPECT_EQ(reported.size(), static_cast<std::size_t>(s.step / 10 + s.step / 25)) << s.step;
                    }});
    EXPECT_EQ(reported, (std::vector<Index>{10, 20, 25}));
}

TEST(TextTraining, StepsDependOnTheSeedAndTheStepOnly) {
    const Folder folder;
    TextTrainOptions o = short_run(write_text(folder), 3);
    const auto a = make_text_training(o), b = make_text_training(o);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(a->step().loss, b->step().loss);
        b->evaluate();
        b->model().sample("line", {.count = 3}, [](std::string_view) {});
    }
    o.seed = 43;
    const auto c = make_text_training(o);
    const Tensor<Index> x = a->batch_ids(), y = c->batch_ids();
    EXPECT_FALSE(std::equal(x.begin(), x.end(), y.begin()));
}

TEST(TextTraining, LossesFollowPyTorch) {
    const std::string folder = std::string(GRADPROOF_SOURCE_DIR) + "/tests/parity/";
    std::ifstream file(folder + "text_losses.json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    TextTrainOptions o = short_run(folder + "follow_text.txt", 100);
    o.precision = Precision::f64;
    o.model = {.context = golden["context"], .layers = golden["layers"], .heads = golden["heads"], .channels = golden["width"]};
    o.batch = golden["batch"];
    o.rate = golden["lr"];
    o.seed = golden["seed"];
    o.warmup = golden["warmup"];
    o.decay_steps = golden["decay_steps"];
    const auto run = make_text_training(o);
    ASSERT_EQ(golden["losses"].size(), 100u);
    for (const auto& loss : golden["losses"]) {
        const StepReport s = run->step();
        ASSERT_NEAR(s.loss, loss.get<double>(), 1e-8 * loss.get<double>()) << "step " << s.step;
    }
}

TEST(TextTraining, TextsThatDoNotFitAreNamed) {
    const Folder folder;
    const auto text = [](const TextTrainOptions& o) { return testing::error_of([&] { make_text_training(o); }); };
    const std::string tiny = (folder / "tiny.txt").string();
    std::ofstream(tiny) << "one line";
    EXPECT_NE(text(short_run(tiny, 1)).find("too short for this context: 7 symbols to train on, context is 16"),
              std::string::npos);
    EXPECT_EQ(text({}), "train: no text is named");
    TextTrainOptions o = short_run(write_text(folder), 1);
    o.text.held_out_share = 1e-9;
    EXPECT_NE(text(o).find("nothing is left to hold out"), std::string::npos);
    o = short_run(write_text(folder), 0);
    EXPECT_EQ(text(o), "train: steps is 0, expected at least 1");
}

TEST(TextTraining, AnotherTextOrAnotherModelIsNotGoneOnWith) {
    const Folder folder;
    const auto run = make_text_training(short_run(write_text(folder), 1));
    save_checkpoint(*run, folder / "");
    TextTrainOptions o = read_text_options(folder / "");
    write_text(folder, 121);
    EXPECT_NE(
        testing::io_error_text([&] { load_text_checkpoint(folder / "", o); }).find("is not the text this run was started on"),
        std::string::npos);
    write_text(folder, 120);
    o.model.channels = 32;
    EXPECT_NE(testing::io_error_text([&] { load_text_checkpoint(folder / "", o); }).find("the model has"), std::string::npos);
    EXPECT_NE(testing::io_error_text([&] { load_expression_checkpoint(folder / ""); }).find("a checkpoint of the task text"),
              std::string::npos);
}

TEST(TextModel, ACheckpointSpeaksWithoutItsText) {
    const Folder folder;
    const auto run = make_text_training(short_run(write_text(folder), 3));
    run->train();
    save_checkpoint(*run, folder / "");
    std::filesystem::remove(folder / "text.txt");
    const auto model = load_text_model(folder / "");
    const auto drawn = [](TextModel& m, Decoding decoding) {
        std::string out;
        m.sample(
            "line 3", {.count = 40, .seed = 9}, [&](std::string_view s) { out += s; }, decoding);
        return out;
    };
    EXPECT_EQ(drawn(*model, Decoding::cached).size(), 40u);
    EXPECT_EQ(drawn(*model, Decoding::cached), drawn(run->model(), Decoding::cached));
    EXPECT_EQ(drawn(*model, Decoding::cached), drawn(*model, Decoding::whole));
    const std::vector<Tensor<double>> w = model->attention("says");
    ASSERT_EQ(w.size(), 2u);
    ASSERT_EQ(w[0].shape(), (Shape{2, 4, 4}));
    EXPECT_EQ(w[1][1], 0);  // the first query sees itself only
    EXPECT_THROW(model->attention("line 1 says no.\nl"), ValueError);
    EXPECT_THROW(model->sample("", {}, [](std::string_view) {}), ValueError);
    EXPECT_EQ(testing::error_of([&] { model->sample("Q", {}, [](std::string_view) {}); }).substr(0, 18), "prompt: Q at byte ");
    EXPECT_EQ(testing::error_of([&] { model->attention("Q"); }).substr(0, 16), "text: Q at byte ");
}

TEST(TextModel, ACheckpointOfAnotherModelThanItsConfigSaysDoesNotSpeak) {
    const Folder folder;
    const auto run = make_text_training(short_run(write_text(folder), 1));
    save_checkpoint(*run, folder / "");
    Safetensors file = read_safetensors(model_file(folder / ""));
    std::string& config = file.metadata.at("config");
    config.replace(config.find("\"learned\""), 9, "\"alibi\"");
    write_safetensors(model_file(folder / ""), file);
    EXPECT_NE(testing::io_error_text([&] { load_text_model(folder / ""); }).find("parameters, the model of its config has"),
              std::string::npos);
}

}  // namespace gradproof
