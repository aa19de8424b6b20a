// Training: it learns, it repeats itself, it goes on from a checkpoint bit for bit, it follows PyTorch, and says what went bad.
#include "gradproof/nn/train/expression_training.hpp"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/core/platform/memory.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tests/core/io_support.hpp"
#include "tests/paths.hpp"

using namespace gradproof;
using gradproof::testing::Folder;

namespace {

std::string value_error_text(const ExpressionTrainOptions& options) {
    try {
        make_expression_training(options);
    } catch (const ValueError& e) {
        return e.what();
    }
    return "no error";
}

void expect_same_bits(const std::vector<NamedArray>& a, const std::vector<NamedArray>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].name, b[i].name);
        EXPECT_TRUE(a[i].array == b[i].array) << a[i].name;
    }
}

ExpressionTrainOptions short_run(ModelKind model, Index epochs) {
    return {.model = model, .epochs = epochs, .batch = 600, .warmup = 3};  // 4 steps an epoch
}

std::string model_name(const ::testing::TestParamInfo<ModelKind>& model) {
    static const char* const kNames[] = {"SingleHead", "MultiHead", "Block"};
    return kNames[static_cast<std::size_t>(model.param)];
}

class EveryModel : public ::testing::TestWithParam<ModelKind> {};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::Values(ModelKind::single_head, ModelKind::multi_head, ModelKind::block),
                         model_name);

TEST_P(EveryModel, ParametersAreNamedAndCounted) {
    const auto t = make_expression_training({.model = GetParam()});
    const Index readout = GetParam() == ModelKind::single_head ? 16 * 10 + 10 : 64 * 10 + 10;
    const Index body = GetParam() == ModelKind::single_head  ? 3072
                       : GetParam() == ModelKind::multi_head ? 4 * 64 * 64
                                                             : 4 * 64 * 64 + 4 * 64 + 2 * 64 * 128 + 128 + 64 + 2 * 64;
    EXPECT_EQ(t->parameter_count(), 20 * 64 + body + readout);
    EXPECT_EQ(t->parameter_shapes().front().first, "embedding.weight");
    EXPECT_EQ(t->parameter_shapes().back().first, "readout.bias");
}

TEST_P(EveryModel, TheSameSeedGivesTheSameBitsAndAnotherDoesNot) {
    ExpressionTrainOptions options = short_run(GetParam(), 1);
    const auto a = make_expression_training(options), b = make_expression_training(options);
    a->train();
    b->train();
    expect_same_bits(a->tensors(), b->tensors());
    options.seed = 43;
    const auto c = make_expression_training(options);
    c->train();
    EXPECT_FALSE(a->tensors()[0].array == c->tensors()[0].array);
}

TEST_P(EveryModel, TwoEpochsAndTwoMoreAreFourBitForBit) {
    const Folder folder;
    const auto straight = make_expression_training(short_run(GetParam(), 4)),
               first = make_expression_training(short_run(GetParam(), 2));
    straight->train();
    first->train();
    save_checkpoint(*first, folder / "");
    const auto second = load_expression_checkpoint(folder / "", short_run(GetParam(), 4));
    EXPECT_EQ(second->steps_done(), 8);
    EXPECT_GT(straight->position().first_loss, 1);
    EXPECT_EQ(second->position().first_loss, straight->position().first_loss);
    const RunSummary outcome = second->train();
    EXPECT_EQ(outcome.steps, 8);
    expect_same_bits(straight->tensors(), second->tensors());
}

TEST_P(EveryModel, AStopInTheMiddleOfAnEpochGoesOnBitForBit) {
    const Folder folder;
    const auto straight = make_expression_training(short_run(GetParam(), 2)),
               stopped = make_expression_training(short_run(GetParam(), 2));
    std::vector<double> losses, resumed_losses;
    straight->train({.on_interval = [&](const IntervalReport& r) { losses.push_back(r.loss); }});
    std::atomic<bool> stop{false};
    const RunSummary outcome = stopped->train({.on_step = [&](const StepReport& s) { stop = s.step == 3; }, .stop = &stop});
    EXPECT_EQ(outcome.end, RunSummary::End::stopped);
    EXPECT_EQ(stopped->steps_done(), 3);
    save_checkpoint(*stopped, folder / "");
    const auto resumed = load_expression_checkpoint(folder / "");
    resumed->train({.on_interval = [&](const IntervalReport& r) { resumed_losses.push_back(r.loss); }});
    expect_same_bits(straight->tensors(), resumed->tensors());
    EXPECT_EQ(resumed_losses, losses) << "the interval that was cut is told whole";
}

TEST_P(EveryModel, StepsTakeNothingFromTheSystemOnceWarm) {
    if (!pool::keeps_blocks()) GTEST_SKIP() << "blocks are not kept in this build";
    // One thread: with more, a worker that first gets a task in a later step fills its own lists then.
    const int use = threads();
    set_threads(1);
    const auto t = make_expression_training({.model = GetParam(), .batch = 64});
    for (int i = 0; i < 3; ++i) t->step();
    const auto before = pool::system_allocations();
    for (int i = 0; i < 20; ++i) t->step();
    EXPECT_EQ(pool::system_allocations(), before);
    set_threads(use);
}

TEST_P(EveryModel, LossesFollowPyTorch) {
    std::ifstream file(std::string(GRADPROOF_SOURCE_DIR) + "/tests/parity/losses.json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    ExpressionTrainOptions options{.model = GetParam(),
                                   .precision = Precision::f64,
                                   .epochs = 100,
                                   .batch = golden["batch"],
                                   .rate = golden["lr"],
                                   .seed = golden["seed"],
                                   .clip = golden["clip"]};
    options.optimiser.weight_decay = golden["weight_decay"];
    options.embedding_spread = 0.3;  // the first values that PyTorch was given
    const auto t = make_expression_training(options);
    const auto& losses = golden["losses"][name_of(GetParam())];
    ASSERT_EQ(losses.size(), 200u);
    for (const auto& loss : losses) {
        const StepReport s = t->step();
        ASSERT_NEAR(s.loss, loss.get<double>(), 1e-9 * loss.get<double>()) << "step " << s.step;
    }
}

TEST_P(EveryModel, AttentionOfARowIsADistributionForEachQuery) {
    const auto t = make_expression_training({.model = GetParam()});
    const Tensor<double> w = t->attention(162);
    ASSERT_EQ(w.shape(), (Shape{GetParam() == ModelKind::single_head ? 1 : 4, 8, 8}));
    for (Index row = 0; row < w.size() / 8; ++row) {
        double sum = 0;
        for (Index k = 0; k < 8; ++k) sum += w[row * 8 + k];
        EXPECT_NEAR(sum, 1, 8 * 6e-8);  // eight float roundings
    }
    const Evaluation e = t->evaluate();
    EXPECT_GT(e.attention.entropy, 0);
    EXPECT_LE(e.attention.entropy, 1);
}

TEST(Training, SingleHeadLearnsTheTask) {
    const auto t = make_expression_training({.epochs = 12});
    Index intervals = 0;
    const RunSummary outcome = t->train({.on_interval = [&](const IntervalReport&) { ++intervals; }});
    EXPECT_EQ(outcome.end, RunSummary::End::finished);
    EXPECT_EQ(intervals, 12);
    EXPECT_EQ(outcome.steps, 12 * 38);
    EXPECT_GT(outcome.validation.accuracy, 0.98);
}

TEST(Training, WeightDecayEndsAfterItsEpochs) {
    // Three runs of sgd, four steps an epoch: decay in all epochs, in none, and in the first of two.
    const auto tensors_after = [](Index epochs, double decay, Index decay_epochs) {
        ExpressionTrainOptions o = short_run(ModelKind::single_head, epochs);
        o.optimiser = {.kind = OptimiserKind::sgd, .weight_decay = decay};
        o.weight_decay_epochs = decay_epochs;
        const auto t = make_expression_training(o);
        t->train();
        return t->tensors();
    };
    expect_same_bits(tensors_after(1, 0.5, 1), tensors_after(1, 0.5, 0));
    const auto norm = [](const std::vector<NamedArray>& all) {
        double squares = 0;
        for (const float x : to_tensor<float>(all[0].array, all[0].name))
            squares += static_cast<double>(x) * static_cast<double>(x);
        return std::sqrt(squares);
    };
    const double always = norm(tensors_after(2, 0.5, 0)), first = norm(tensors_after(2, 0.5, 1)),
                 never = norm(tensors_after(2, 0, 0)), one_epoch = norm(tensors_after(1, 0.5, 0));
    EXPECT_LT(always, first);
    EXPECT_LT(first, never);
    EXPECT_NEAR(first, one_epoch, 0.02 * one_epoch) << "the second epoch shrinks nothing";
}

TEST(Training, ALastBatchIsShorterAndEveryRowIsSeenOnceAnEpoch) {
    const auto t = make_expression_training({.batch = 1000});
    std::vector<Index> seen;
    for (const std::size_t rows : {1000u, 1000u, 400u}) {
        const auto batch = t->batch_rows();
        EXPECT_EQ(batch.size(), rows);
        seen.insert(seen.end(), batch.begin(), batch.end());
        t->step();
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(Training, AParameterThatWentBadIsNamed) {
    const auto t = make_expression_training({.model = ModelKind::block});
    std::vector<NamedArray> tensors = t->tensors();
    for (NamedArray& a : tensors)
        if (a.name == "block.feed_forward.up.weight") {
            Tensor<float> w = to_tensor<float>(a.array, a.name);
            w[5] = std::nanf("");
            a.array = from_tensor(w);
        }
    t->restore(tensors, {}, "test");
    const RunSummary outcome = t->train();
    EXPECT_EQ(outcome.end, RunSummary::End::diverged);
    EXPECT_EQ(outcome.first_bad, "parameter block.feed_forward.up.weight [64, 128]");
    EXPECT_EQ(t->steps_done(), 0);
}

TEST(Training, AnOverflowInTheForwardNamesTheOp) {
    const auto t = make_expression_training({});
    std::vector<NamedArray> tensors = t->tensors();
    for (NamedArray& a : tensors)
        if (a.name == "readout.weight") a.array = from_tensor(Tensor<float>({16, 10}, 3e38f));
    t->restore(tensors, {}, "test");
    const RunSummary outcome = t->train();
    EXPECT_EQ(outcome.end, RunSummary::End::diverged);
    EXPECT_EQ(outcome.first_bad.substr(0, 49), "output of linear of readout.weight, readout.bias ");
}

TEST(Training, BadOptionsAreNamed) {
    EXPECT_EQ(value_error_text({.epochs = 0}), "train: epochs is 0, expected at least 1");
    EXPECT_EQ(value_error_text({.batch = 0}), "train: batch is 0, expected at least 1");
    EXPECT_EQ(value_error_text({.batch = 2401}), "train: batch is 2401, there are 2400 training rows");
    EXPECT_EQ(value_error_text({.rate = -1}), "train: lr is -1, expected a positive finite number");
    EXPECT_EQ(value_error_text({.rate = std::nan("")}), "train: lr is nan, expected a positive finite number");
    EXPECT_EQ(value_error_text({.clip = -1}), "train: clip is -1, expected a positive finite number, or 0 for none");
    EXPECT_EQ(value_error_text({.warmup = -1}), "train: warmup is -1, expected at least 0");
}

TEST(Checkpoint, ConfigKeepsEveryOption) {
    const Folder folder;
    ExpressionTrainOptions o{.model = ModelKind::multi_head,
                             .precision = Precision::f64,
                             .epochs = 3,
                             .batch = 17,
                             .rate = 0.125,
                             .seed = 18446744073709551615ULL,
                             .optimiser = {.kind = OptimiserKind::sgd, .momentum = 0.5, .weight_decay = 0.25},
                             .weight_decay_epochs = 5,
                             .embedding_spread = 0.5,
                             .clip = 0,
                             .warmup = 7,
                             .decay_epochs = 9};
    save_checkpoint(*make_expression_training(o), folder / "");
    const ExpressionTrainOptions back = read_expression_options(folder / "");
    EXPECT_EQ(back.model, o.model);
    EXPECT_EQ(back.precision, o.precision);
    EXPECT_EQ(back.epochs, 3);
    EXPECT_EQ(back.batch, 17);
    EXPECT_EQ(back.rate, 0.125);
    EXPECT_EQ(back.seed, o.seed);
    EXPECT_EQ(back.optimiser.kind, OptimiserKind::sgd);
    EXPECT_EQ(back.optimiser.momentum, 0.5);
    EXPECT_EQ(back.optimiser.weight_decay, 0.25);
    EXPECT_EQ(back.clip, 0);
    EXPECT_EQ(back.warmup, 7);
    EXPECT_EQ(back.decay_epochs, 9);
    EXPECT_EQ(back.weight_decay_epochs, 5);
    EXPECT_EQ(back.embedding_spread, 0.5);
}

TEST(Checkpoint, DamageIsNamedInOneLine) {
    using gradproof::testing::io_error_text;
    const Folder folder;
    EXPECT_NE(io_error_text([&] { load_expression_checkpoint(folder / ""); }).find("no checkpoint there"), std::string::npos);
    const auto t = make_expression_training(short_run(ModelKind::single_head, 1));
    save_checkpoint(*t, folder / "");
    const auto damaged = [&](const std::function<void(Safetensors&)>& damage) {
        save_checkpoint(*t, folder / "");
        Safetensors file = read_safetensors(folder / "model.safetensors");
        damage(file);
        write_safetensors(folder / "model.safetensors", file);
        return io_error_text([&] { load_expression_checkpoint(folder / ""); });
    };
    EXPECT_NE(damaged([](Safetensors& f) { f.metadata.erase("steps_done"); }).find("how many steps"), std::string::npos);
    for (const std::string steps : {"-4", "", "7x", "1e3", "9999999999999999", "99999999999999999999"})
        EXPECT_NE(damaged([&](Safetensors& f) { f.metadata["steps_done"] = steps; }).find("how many steps"), std::string::npos)
            << steps;
    for (const std::string name : {"first_loss", "loss_sum", "loss_steps"})
        for (const std::string loss : {"nan", "-inf", "-1", "2.3 nats", "1e999"})
            EXPECT_NE(
                damaged([&](Safetensors& f) { f.metadata[name] = loss; }).find(name + " is " + loss + ", expected a number"),
                std::string::npos)
                << loss;
    EXPECT_NE(damaged([](Safetensors& f) { f.tensors.pop_back(); }).find("is missing"), std::string::npos);
    EXPECT_NE(damaged([](Safetensors& f) {
                  f.tensors.push_back({"more", from_tensor(Tensor<float>({1}, 1.0f))});
              }).find("tensors, the run has"),
              std::string::npos);
    EXPECT_NE(
        damaged([](Safetensors& f) { f.tensors[0].array = from_tensor(Tensor<float>({3}, 1.0f)); }).find(", the model has ["),
        std::string::npos);
    EXPECT_NE(damaged([](Safetensors& f) {
                  NamedArray& a = f.tensors[0];
                  a.array = from_tensor(to_tensor<double>(a.array, a.name));
              }).find(" is f64, the run is f32"),
              std::string::npos);
    EXPECT_NE(damaged([](Safetensors& f) { f.metadata.clear(); }).find("not a checkpoint of gradproof"), std::string::npos);
    EXPECT_NE(damaged([](Safetensors& f) {
                  f.metadata["format"] = "gradproof 1";
              }).find("its format is gradproof 1, this program reads"),
              std::string::npos);
    EXPECT_NE(damaged([](Safetensors& f) { f.metadata.erase("config"); }).find("holds no config"), std::string::npos);
    for (const std::string text :
         {"", "[1]", "{}", "{\"task\": 3}", "{\"task\": \"expression\"}", "{\"task\": \"expressions\", \"model\": 3}",
          "{\"task\": \"expressions\", \"model\": \"blok\"}"})
        EXPECT_NE(damaged([&](Safetensors& f) { f.metadata["config"] = text; }).find("model.safetensors: "), std::string::npos)
            << text;
    EXPECT_NE(damaged([](Safetensors& f) {
                  f.metadata["config"].replace(f.metadata["config"].find("expressions"), 11, "text");
              }).find("of the task text"),
              std::string::npos);
}
