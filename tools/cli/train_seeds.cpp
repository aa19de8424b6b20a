// Trains with one seed after the other, and prints a row for each.
#include "tools/cli/train_seeds.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/nn/train/expression_training.hpp"
#include "tools/cli/train_command.hpp"

namespace gradproof::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What became of one seed.
struct SeedResult {
    std::uint64_t seed = 0;
    RunSummary summary{};
    Index first = 0;       ///< the first epoch after which every held-out expression was right; 0 for none
    Index stays_from = 0;  ///< the epoch from which they stayed so to the end; 0 where the last one was not
    double loss = 0;       ///< mean over the last epoch
};

SeedResult train_seed(ExpressionTrainOptions options, std::uint64_t seed, const std::atomic<bool>* stop) {
    options.seed = seed;
    SeedResult out{.seed = seed};
    out.summary = make_expression_training(options)->train({.on_interval =
                                                                [&](const IntervalReport& r) {
                                                                    const bool all = r.validation.accuracy >= 1;
                                                                    if (all && out.first == 0) out.first = r.epoch;
                                                                    if (all && out.stays_from == 0) out.stays_from = r.epoch;
                                                                    if (!all) out.stays_from = 0;
                                                                    out.loss = r.loss;
                                                                },
                                                            .stop = stop});
    return out;
}

std::string epoch_text(Index epoch) { return epoch == 0 ? "never" : std::to_string(epoch); }

void print_seed(const SeedResult& r, bool json) {
    const Evaluation& v = r.summary.validation;
    if (json) {
        const auto epoch = [](Index e) { return e == 0 ? Json() : Json(e); };
        fmt::print("{}", check::json_line(train_event("seed", {{"seed", r.seed},
                                                               {"val_accuracy", v.accuracy},
                                                               {"epochs_to_100", epoch(r.first)},
                                                               {"stays_from", epoch(r.stays_from)},
                                                               {"loss", r.loss},
                                                               {"val_loss", v.loss},
                                                               {"seconds", r.summary.seconds}})));
    } else {
        fmt::print("{:>6} {:>10.2f} % {:>14} {:>10} {:>10.3e} {:>10.3e} {:>8.2f}\n", r.seed, 100 * v.accuracy,
                   epoch_text(r.first), epoch_text(r.stays_from), r.loss, v.loss, r.summary.seconds);
    }
    std::fflush(stdout);
}

/// The last line: how many seeds got all right, and the mean and the least accuracy.
void print_seeds(const std::vector<SeedResult>& all, const TrainCommand& c) {
    double sum = 0, least = 1, seconds = 0;
    Index right = 0;
    for (const SeedResult& r : all) {
        const double accuracy = r.summary.validation.accuracy;
        sum += accuracy, seconds += r.summary.seconds;
        least = std::min(least, accuracy);
        right += accuracy >= 1;
    }
    const double mean = all.empty() ? 0 : sum / static_cast<double>(all.size());
    if (c.json) {
        Json event = train_event("seeds", {{"seeds", all.size()},
                                           {"at_100", right},
                                           {"val_accuracy_mean", mean},
                                           {"val_accuracy_least", all.empty() ? 0 : least},
                                           {"seconds", seconds}});
        if (c.require) event["required"] = *c.require;
        fmt::print("{}", check::json_line(event));
    } else if (!all.empty()) {
        fmt::print(
            "\n{} of {} seeds end with every held-out expression right; mean accuracy {:.2f} %, least {:.2f} %, {:.1f} s\n",
            right, all.size(), 100 * mean, 100 * least, seconds);
    }
    std::fflush(stdout);
}

}  // namespace

void expect_no_single_run(const TrainCommand& c) {
    const std::pair<const char*, bool> others[] = {
        {"--resume", !c.resume.empty()},        {"--out", !c.out.empty()},        {"--log", !c.log.empty()},
        {"--trace", !c.trace.empty()},          {"--save-every", !!c.save_every}, {"--overwrite", c.overwrite},
        {"--expression", !c.expression.empty()}};
    for (const auto& [name, given] : others)
        if (given) value_error("train: --seeds writes nothing and shows no single run: leave out {}", name);
}

int train_seeds(const TrainCommand& c, const TypedOptions& typed) {
    if (typed.given("seed")) value_error("train: --seeds is {}: the seeds are 1 to {}; leave out --seed", *c.seeds, *c.seeds);
    ExpressionTrainOptions options;
    typed.merge_into(options, c.resume);
    validate(options);
    if (!c.json) {
        fmt::print("model {}, {} epochs, seeds 1 to {}\n\n", name_of(options.model), options.epochs, *c.seeds);
        fmt::print("{:>6} {:>12} {:>14} {:>10} {:>10} {:>10} {:>8}\n", "seed", "val acc", "epochs to 100%", "stays from", "loss",
                   "val loss", "seconds");
    }
    const InterruptScope interrupt;
    std::vector<SeedResult> all;
    int status = kOk;
    for (Index n = 1; n <= *c.seeds && status == kOk; ++n) {
        const SeedResult r = train_seed(options, static_cast<std::uint64_t>(n), interrupt.stop());
        if (r.summary.end == RunSummary::End::stopped) {
            status = kInterrupted;
        } else if (r.summary.end == RunSummary::End::diverged) {
            status = kUsage;
            fmt::print(stderr,
                       "gradproof: train: seed {}: step {}: the loss is not finite; first tensor that is not finite: {}\n", n,
                       r.summary.steps + 1, r.summary.first_bad);
        } else {
            print_seed(r, c.json);
            all.push_back(r);
        }
    }
    print_seeds(all, c);
    if (status != kOk || !c.require) return status;
    const auto missed =
        std::count_if(all.begin(), all.end(), [&](const SeedResult& r) { return r.summary.validation.accuracy < *c.require; });
    if (missed == 0) return kOk;
    fmt::print(stderr, "gradproof: train: validation accuracy of {} of {} seeds is below {}, which --require asks for\n", missed,
               all.size(), *c.require);
    return kWrong;
}

}  // namespace gradproof::cli
