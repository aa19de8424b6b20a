// Training of the language model: it learns, repeats itself, goes on bit for bit and follows PyTorch; its checkpoints speak.
#include "gradproof/nn/language_model.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tests/core/io_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::Folder;

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
    const SymbolRange out = run.data().held_out();
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
