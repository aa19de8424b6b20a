// What can be done with a model of expressions: its files after training, a table over seeds, its answers and its heads.
#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/tools/folder.hpp"
#include "tests/tools/xml.hpp"

namespace gradproof {
namespace {

using Json = nlohmann::json;
using testing::count_of;
using testing::expect_one_line;
using testing::json_lines;
using testing::ProgramRun;
using testing::read;
using testing::run_program;
using testing::xml_mistake;

constexpr const char* kShort = " --batch 1200 ";  // two steps an epoch

class ExpressionCommands : public testing::InAFolder {
  protected:
    std::string at(const std::string& name) const { return (dir_ / name).string(); }
    ProgramRun train(const std::string& arguments) { return run_program("train" + std::string(kShort) + arguments); }
};

TEST_F(ExpressionCommands, TrainingLeavesAttentionAndGradientsAsPictures) {
    const ProgramRun run = train("--model multi-head --epochs 3 --out " + at("run"));
    ASSERT_EQ(run.status, 0) << run.text;
    const std::string attention = read(dir_ / "run/attention.svg"), gradients = read(dir_ / "run/gradients.svg");
    EXPECT_EQ(xml_mistake(attention), "");
    EXPECT_EQ(xml_mistake(gradients), "");
    for (int head = 0; head < 4; ++head)
        for (const char* when : {"before", "after"}) {
            const std::string title = "head " + std::to_string(head) + ", " + when + " training";
            EXPECT_EQ(count_of(attention, ">" + title + " [8, 8]<"), 1) << title;
            EXPECT_EQ(count_of(run.text, title + "\n"), 1) << title;
        }
    const std::string csv = read(dir_ / "run/gradients.csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "step,embedding.weight,attention.wq,attention.wk,attention.wv,attention.wo,readout.weight,readout.bias");
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    for (const int step : {1, 2, 4, 6}) {  // the first step, and the last of each epoch
        ASSERT_TRUE(std::getline(lines, line)) << step;
        EXPECT_EQ(line.substr(0, line.find(',')), std::to_string(step));
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), 7);
        EXPECT_EQ(line.find("nan"), std::string::npos);
    }
    EXPECT_FALSE(std::getline(lines, line));
    // The norms of the parameters make up that of all of them, which loss.csv has.
    const Json last = json_lines(train("--model multi-head --epochs 3 --json --overwrite --out " + at("run")).text).at(3);
    std::istringstream fields(csv.substr(csv.rfind('\n', csv.size() - 2) + 1));
    double squares = 0;
    std::getline(fields, line, ',');
    while (std::getline(fields, line, ',')) squares += std::stod(line) * std::stod(line);
    EXPECT_NEAR(std::sqrt(squares), last["gradient_norm"].get<double>(), 1e-6 * std::sqrt(squares));
}

TEST_F(ExpressionCommands, GradientsOfARunThatWasContinuedAreThoseOfOneThatWasNot) {
    ASSERT_EQ(train("--epochs 4 --out " + at("straight")).status, 0);
    ASSERT_EQ(train("--epochs 2 --out " + at("run")).status, 0);
    ASSERT_EQ(run_program("train --resume " + at("run") + " --epochs 4").status, 0);
    for (const char* name : {"gradients.csv", "gradients.svg", "attention.svg"}) {
        ASSERT_FALSE(read(dir_ / "straight" / name).empty()) << name;
        EXPECT_EQ(read(dir_ / "run" / name), read(dir_ / "straight" / name)) << name;
    }
}

TEST_F(ExpressionCommands, ATableOverSeedsHasARowForEachAsItsOwnRunHasIt) {
    const ProgramRun table = train("--seeds 3 --epochs 2");
    ASSERT_EQ(table.status, 0) << table.text;
    EXPECT_EQ(count_of(table.text, "never"), 6) << "two epochs are too few for all three";
    EXPECT_EQ(count_of(table.text, "0 of 3 seeds end with every held-out expression right"), 1) << table.text;
    const std::vector<Json> rows = json_lines(train("--seeds 3 --epochs 2 --json").text);
    ASSERT_EQ(rows.size(), 4u);
    const Json own = json_lines(train("--seed 2 --epochs 2 --json --out " + at("own")).text).back();
    EXPECT_EQ(rows[1]["seed"], 2);
    EXPECT_EQ(rows[1]["val_accuracy"], own["val_accuracy"]);
    EXPECT_EQ(rows[1]["val_loss"], own["val_loss"]);
    EXPECT_TRUE(rows[1]["epochs_to_100"].is_null());
    EXPECT_EQ(rows[3]["event"], "seeds");
    EXPECT_EQ(rows[3]["seeds"], 3);
    EXPECT_EQ(rows[3]["at_100"], 0);
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += rows[static_cast<std::size_t>(i)]["val_accuracy"].get<double>();
    EXPECT_NEAR(rows[3]["val_accuracy_mean"].get<double>(), sum / 3, 1e-12);
    EXPECT_EQ(train("--seeds 2 --epochs 1 --require 0").status, 0);
    EXPECT_EQ(train("--seeds 2 --epochs 1 --require 1").status, 1);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_), {}), 1) << "a table writes no files";
}

TEST_F(ExpressionCommands, WhatATableOverSeedsHasNoUseForIsRefused) {
    for (const char* more : {"--out x", "--resume x", "--log x.csv", "--trace x.npz", "--save-every 3", "--overwrite"})
        expect_one_line(run_program(std::string("train --seeds 2 ") + more), "--seeds writes nothing");
    expect_one_line(run_program("train --seeds 2 --seed 3"), "the seeds are 1 to 2; leave out --seed");
    expect_one_line(run_program("train --seeds 0"), "--seeds is 0");
    expect_one_line(run_program("train --task text --seeds 2"), "--seeds is an option of the task expressions");
    const ProgramRun diverged = run_program("train --seeds 2 --lr 1e38 --warmup 0");
    EXPECT_EQ(diverged.status, 2);
    EXPECT_EQ(count_of(diverged.text, "gradproof: train: seed 1: step "), 1) << diverged.text;
}

TEST_F(ExpressionCommands, GenerateAnswersAnExpression) {
    ASSERT_EQ(run_program("train --epochs 8 --out " + at("run")).status, 0);
    const std::string start = "generate --checkpoint " + at("run") + " --prompt ";
    const ProgramRun answer = run_program(start + "'Max(1, 6,2)' --temperature 0");
    EXPECT_EQ(answer.status, 0) << answer.text;
    EXPECT_TRUE(answer.text.starts_with("Max(1,6,2) = 6\n")) << answer.text;
    EXPECT_EQ(count_of(answer.text, "\n  "), 10) << "a probability for each digit";
    const Json j = Json::parse(run_program(start + "'Min(7,3,9)' --temperature 0 --json").text);
    EXPECT_EQ(j["text"], "3");
    EXPECT_EQ(j["tokens"], 1);
    ASSERT_EQ(j["probabilities"].size(), 10u);
    double sum = 0;
    for (const Json& p : j["probabilities"]) sum += p.get<double>();
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_EQ(run_program(start + "'First(4,0,0)' --tokens 1 --top-k 1").text.substr(0, 16), "First(4,0,0) = 4");
    expect_one_line(run_program(start + "'Mox(1,6,2)'"), "did you mean Max");
    expect_one_line(run_program(start + "'Max(1,6)'"), "expected three digits");
    expect_one_line(run_program(start + "'Max(1,6,2)' --tokens 5"), "answers with one digit");
    expect_one_line(run_program(start + "'Max(1,6,2)' --no-cache"), "--no-cache is for text");
    expect_one_line(run_program(start + "'Max(1,6,2)' --temperature -1"), "temperature");
}

TEST_F(ExpressionCommands, HeadsShowsEachHeadOfAnExpression) {
    ASSERT_EQ(train("--model multi-head --epochs 1 --out " + at("run")).status, 0);
    const std::string start = "heads --checkpoint " + at("run") + " --out " + at("heads") + " --text ";
    const ProgramRun shown = run_program(start + "'Min(1,6,2)'");
    ASSERT_EQ(shown.status, 0) << shown.text;
    const std::string picture = read(dir_ / "heads/layer0.svg");
    EXPECT_EQ(xml_mistake(picture), "");
    for (int head = 0; head < 4; ++head) {
        EXPECT_EQ(count_of(picture, ">layer 0, head " + std::to_string(head) + " [8, 8]<"), 1);
        EXPECT_EQ(count_of(shown.text, "head " + std::to_string(head) + "\n"), 1);
    }
    EXPECT_EQ(count_of(picture, ">masked<"), 0) << "every token sees every other";
    EXPECT_EQ(count_of(picture, ">Min<"), 8) << "a row and a column of each head";
    const Json j = Json::parse(run_program(start + "'Min(1,6,2)' --json").text);
    EXPECT_EQ(j["symbols"], 8);
    EXPECT_EQ(j["unlabelled"], "");
    ASSERT_EQ(j["heads"].size(), 4u);
    EXPECT_TRUE(j["heads"][0]["next"].is_number());
    expect_one_line(run_program(start + "'the cat'"), "no function thecat");
}

TEST_F(ExpressionCommands, HeadsSaysWhichSymbolsItCannotLabel) {
    std::ofstream(dir_ / "text.txt") << std::string(3000, 'a') + std::string(3000, 'b') + std::string(3000, 'a');
    ASSERT_EQ(
        run_program("train --task text --data " + at("text.txt") +
                    " --context 200 --layers 1 --heads 1 --width 8 --batch 1 --steps 1 --sample-tokens 0 --out " + at("run"))
            .status,
        0);
    const auto heads = [&](int symbols) {
        return run_program("heads --checkpoint " + at("run") + " --out " + at("h") + " --text " +
                           std::string(static_cast<std::size_t>(symbols), 'a'));
    };
    EXPECT_EQ(count_of(heads(160).text, "leave out"), 0) << "9 pixels for each";
    const std::string dropped =
        "the pictures label every 5. of the 200 symbols, from the first, and leave out the names of the other 160\n";
    EXPECT_EQ(count_of(heads(200).text, dropped), 1);
    EXPECT_EQ(count_of(read(dir_ / "h/layer0.svg"), "labelled: every 5. row and column, from the first"), 1);
    EXPECT_EQ(count_of(read(dir_ / "h/index.html"), "leave out the names of the other 160."), 1);
}

}  // namespace
}  // namespace gradproof
