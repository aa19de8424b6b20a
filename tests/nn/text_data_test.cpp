// Text as ids: vocabularies, places, splits, what is not a text; sampling; the n-gram model.
#include <sys/stat.h>

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/nn/sampling.hpp"
#include "gradproof/nn/tasks/ngram.hpp"
#include "gradproof/nn/tasks/text.hpp"
#include "tests/core/io_support.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::Folder;
using testing::io_error_text;

std::filesystem::path write_text(const Folder& folder, const std::string& text) {
    const std::filesystem::path path = folder / "text.txt";
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

/// One to four bytes a character, more characters than lie between two kept places.
std::string long_text() {
    std::string out;
    for (int i = 0; i < 1500; ++i)
        out += i % 7 == 0    ? "é"
               : i % 11 == 0 ? "∂"
               : i % 13 == 0 ? "𝛼"
               : i % 5 == 0  ? "\n"
                             : std::string(1, static_cast<char>('a' + i % 26));
    return out;
}

}  // namespace

TEST(TextData, CharactersAreReadFromAnyPlace) {
    const Folder folder;
    const std::string text = long_text();
    const TextData data(write_text(folder, text), {.held_out_share = 0.2});
    ASSERT_EQ(data.symbols(), 1500);
    EXPECT_EQ(data.bytes(), static_cast<Index>(text.size()));
    EXPECT_EQ(data.training().size(), 1200);
    EXPECT_EQ(data.held_out().size(), 300);
    std::vector<Index> all(1500);
    data.read(0, all);
    EXPECT_EQ(data.vocabulary().decode(all), text);
    EXPECT_EQ(data.vocabulary().encode(text), all);
    EXPECT_EQ(data.text({0, 1500}), text);
    for (const Index at : {Index{1}, Index{700}, Index{1023}, Index{1024}, Index{1025}, Index{1490}}) {
        std::vector<Index> some(10);
        data.read(at, some);
        EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + at)) << at;
        EXPECT_EQ(data.text({at, at + 10}), data.vocabulary().decode(some)) << at;
    }
    std::vector<Index> beyond(11);
    EXPECT_THROW(data.read(1490, beyond), ValueError);
    for (const SymbolRange span : {SymbolRange{-1, 3}, SymbolRange{5, 4}, SymbolRange{1490, 1501}}) {
        EXPECT_THROW(data.text(span), ValueError) << span.begin;
        EXPECT_THROW(TextData(folder / "text.txt", {.symbols = TextSymbols::bytes}).characters({0, 1'000'000}), ValueError);
    }
}

TEST(TextData, BytesTakeAnyFile) {
    const Folder folder;
    const std::string text(
        "\x00\xff\xfe"
        "abc\xc3\xa9",
        8);
    const TextData data(write_text(folder, text), {.symbols = TextSymbols::bytes, .held_out_share = 0.5});
    EXPECT_EQ(data.symbols(), 8);
    EXPECT_EQ(data.vocabulary().size(), 8);
    std::vector<Index> all(8);
    data.read(0, all);
    EXPECT_EQ(data.vocabulary().decode(all), text);
    EXPECT_EQ(data.characters({3, 8}), 4);  // a b c é
    EXPECT_EQ(data.vocabulary().label(0), "\\x00");
}

TEST(TextData, TheChecksumTellsTextsApart) {
    const Folder folder;
    const std::uint64_t a = TextData(write_text(folder, "one text of two"), {}).checksum();
    EXPECT_EQ(TextData(write_text(folder, "one text of two"), {}).checksum(), a);
    EXPECT_NE(TextData(write_text(folder, "one text of twO"), {}).checksum(), a);
    EXPECT_EQ(TextData(write_text(folder, "one text of two"), {.symbols = TextSymbols::bytes}).checksum(), a);
}

TEST(TextData, WhatIsNoTextIsNamed) {
    const Folder folder;
    EXPECT_NE(io_error_text([&] { TextData(folder / "none", {}); }).find("No such file"), std::string::npos);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (const char* name : {"", "pipe"})
        EXPECT_NE(io_error_text([&] { TextData(folder / name, {}); }).find("expected a regular file"), std::string::npos) << name;
    EXPECT_NE(io_error_text([&] { TextData(write_text(folder, ""), {}); }).find("empty"), std::string::npos);
    for (const std::string bad : {"ab\xff", "ab\xc3", "ab\xed\xa0\x80", "ab\xc0\x80", "ab\xf5\x80\x80\x80", "ab\xe2\x28\xa1"})
        EXPECT_NE(io_error_text([&] { TextData(write_text(folder, bad), {}); }).find("not UTF-8 at byte 2"), std::string::npos)
            << bad;
    for (const double share : {0.0, 1.0, -1.0, std::nan("")})
        EXPECT_THROW(TextData(write_text(folder, "abc"), {.held_out_share = share}), ValueError);
    EXPECT_THROW(TextData(write_text(folder, "abc"), {.held_out_most = -1}), ValueError);
}

TEST(TextData, AFileCutOffAfterItWasOpenedIsNamed) {
    const Folder folder;
    const auto path = write_text(folder, long_text());
    const TextData data(path, {});
    std::filesystem::resize_file(path, 100);
    std::vector<Index> some(10);
    EXPECT_NE(io_error_text([&] { data.read(1200, some); }).find("it had"), std::string::npos);
}

TEST(Vocabulary, SymbolsWithoutAnIdAreNamed) {
    const Vocabulary letters(TextSymbols::characters, {'a', 'b', 0xE9});
    EXPECT_EQ(letters.encode("abé"), (std::vector<Index>{0, 1, 2}));
    EXPECT_NE(testing::error_of([&] { letters.encode("abc"); }).find("c at byte 2"), std::string::npos);
    EXPECT_NE(testing::error_of([&] { letters.encode("a\xff"); }).find("not UTF-8 at byte 1"), std::string::npos);
    const Vocabulary odd(TextSymbols::characters, {'\t', ' ', 'a', 0x85, 0xE9, 0xFFFD, 0xFFFE, 0xFFFF});
    const std::vector<std::string> labels = {"⇥", "␣", "a", "\\x85", "é", "\uFFFD", "\\ufffe", "\\uffff"};
    for (Index i = 0; i < odd.size(); ++i) EXPECT_EQ(odd.label(i), labels[static_cast<std::size_t>(i)]);
    EXPECT_THROW(letters.decode(std::vector<Index>{3}), ValueError);
    EXPECT_THROW(Vocabulary(TextSymbols::characters, {}), ValueError);
    EXPECT_THROW(Vocabulary(TextSymbols::characters, {2, 1}), ValueError);
    EXPECT_THROW(Vocabulary(TextSymbols::characters, {0xD800}), ValueError);
    EXPECT_THROW(Vocabulary(TextSymbols::bytes, {256}), ValueError);
}

TEST(Sampler, DrawsAsOftenAsTheProbabilitiesSay) {
    const auto scores = Tensor<double>::from({3}, {std::log(1.0), std::log(3.0), std::log(6.0)});
    Sampler sampler({.seed = 5});
    std::array<int, 3> drawn{};
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) ++drawn[static_cast<std::size_t>(sampler.draw(scores))];
    for (const auto& [i, p] : {std::pair{0, 0.1}, {1, 0.3}, {2, 0.6}})  // four standard deviations
        EXPECT_NEAR(drawn[static_cast<std::size_t>(i)], p * kDraws, 4 * std::sqrt(kDraws * p * (1 - p)));
}

TEST(Sampler, TemperatureAndTopKLeaveTheLikeliest) {
    const auto scores = Tensor<float>::from({4}, {0, 3, 2, 3});
    Sampler likeliest({.temperature = 0}), first({.top_k = 1}), two({.temperature = 5, .top_k = 2}), cold({.temperature = 1e-3});
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(likeliest.draw(scores), 1);
        EXPECT_EQ(first.draw(scores), 1);
        EXPECT_EQ(two.draw(scores) % 2, 1);
        EXPECT_EQ(cold.draw(scores) % 2, 1);
    }
    EXPECT_EQ(testing::error_of([] { Sampler({.temperature = -1}); }),
              "sample: temperature is -1, expected a finite number of at least 0, 0 for the likeliest");
    EXPECT_THROW(Sampler({.temperature = std::nan("")}), ValueError);
    EXPECT_THROW(Sampler({.top_k = -1}), ValueError);
    EXPECT_THROW(likeliest.draw(Tensor<float>::from({2}, {NAN, 1})), ValueError);
    EXPECT_EQ(testing::error_of([&] { likeliest.draw(Tensor<float>({2}, -INFINITY)); }),
              "sample: all scores are -inf: there is nothing to draw from");
    EXPECT_EQ(testing::error_of([&] {
                  likeliest.draw(Tensor<float>::from({2}, {INFINITY, 0}));
              }),
              "sample: a score is inf: the model has gone bad");
}

TEST(Ngram, ProbabilitiesAreThoseOfTheFormula) {
    NgramModel model(1, 3);
    model.read({}, std::vector<Index>{0, 1, 0, 2, 0, 1});
    // Order 0: n = 6, d = 3, counts 3 2 1 over the uniform 1/3.   Order 1 after 0: n = 3, d = 2, counts 1: 2, 2: 1.
    const double p0[] = {(3 + 3.0 / 3) / 9, (2 + 3.0 / 3) / 9, (1 + 3.0 / 3) / 9};
    EXPECT_DOUBLE_EQ(model.probability({}, 0), p0[0]);
    const std::vector<Index> zero{0};
    EXPECT_DOUBLE_EQ(model.probability(zero, 1), (2 + 2 * p0[1]) / 5);
    EXPECT_DOUBLE_EQ(model.probability(zero, 2), (1 + 2 * p0[2]) / 5);
    EXPECT_DOUBLE_EQ(model.probability(zero, 0), (0 + 2 * p0[0]) / 5);
    EXPECT_DOUBLE_EQ(model.bits({}, zero), -std::log2(p0[0]));
    EXPECT_DOUBLE_EQ(model.bits(zero, std::vector<Index>{1}), -std::log2((2 + 2 * p0[1]) / 5));
}

TEST(Ngram, ProbabilitiesSumToOneAfterAnyContext) {
    const Folder folder;
    const TextData data(write_text(folder, long_text()), {});
    std::vector<Index> ids(1350);
    data.read(0, ids);
    NgramModel whole(5, data.vocabulary().size()), pieces(5, data.vocabulary().size());
    whole.read({}, ids);
    pieces.read({}, std::span(ids).first(700));
    pieces.read(std::span(ids).subspan(695, 5), std::span(ids).subspan(700));
    for (const std::size_t at : {0u, 3u, 100u, 1000u, 1349u}) {
        double sum = 0;
        for (Index c = 0; c < data.vocabulary().size(); ++c) {
            const double p = whole.probability(std::span(ids).first(at), c);
            EXPECT_GT(p, 0);
            EXPECT_EQ(p, pieces.probability(std::span(ids).first(at), c));
            sum += p;
        }
        EXPECT_NEAR(sum, 1, 1e-12);
    }
    EXPECT_THROW(NgramModel(-1, 3), ValueError);
    EXPECT_THROW(NgramModel(5, 0), ValueError);
}

}  // namespace gradproof
