// Printed numbers in a proof: errata, the numbers that printed(S) carries on, and several proofs in one file.
#include <cmath>

#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/printed.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string sentence(const std::string& text) {
    const LineReport l = judged(text).lines.at(0);
    return l.diagnosis ? std::string(check::key(l.diagnosis->mistake)) + ": " + l.diagnosis->text : "";
}
constexpr const char* kScores =
    "input Q = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]], K = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0]]\n"
    "forward\n S = Q K^T\nexpect\n";
const std::string kScore = std::string(kScores) + " S[1,1] = ";

TEST(Printed, TheLastDigitSaysHowFarANumberIsMeant) {
    EXPECT_EQ(parse_printed("0.340").half_unit, 0.5 * std::pow(10.0, -3));
    EXPECT_EQ(parse_printed("-12").half_unit, 0.5);
    EXPECT_EQ(parse_printed("1.5e-3").half_unit, 0.5 * std::pow(10.0, -4));
    EXPECT_EQ(parse_printed("+1.5").value, 1.5);
    for (const char* bad : {"", "1.2.3", "about 3", "nan", "1 ", "1e"}) EXPECT_THROW(parse_printed(bad), ValueError) << bad;
    EXPECT_EQ(verdicts("const M = causal(2)\nexpect\n M = [[0, -∞], [0, 0]]\n M = [[0, 5], [0, 0]]\n M = [[0, 1/2], [0, 0]]\n"),
              "right, wrong, wrong")
        << "no number agrees with infinity";
}

TEST(Erratum, IsRightOnlyWhileTheTextErrsExactlySo) {
    EXPECT_EQ(verdicts(kScore + "2 erratum 1\n"), "right");
    EXPECT_EQ(verdicts(kScore + "2 erratum 1.000\n"), "right") << "more digits hold it closer";
    EXPECT_EQ(sentence(kScore + "1 erratum 2\n"), "erratum: the printed 1 is right: it needs no erratum");
    EXPECT_EQ(sentence(kScore + "1 erratum 1\n"), "erratum: the printed 1 is right: it needs no erratum");
    EXPECT_EQ(sentence(kScore + "2 erratum 3\n"), "erratum: the true number is 1, not 3");
    EXPECT_EQ(sentence(kScore + "2 erratum 2\n"), "erratum: the true number is 1, not 2");
    EXPECT_EQ(sentence(kScore + "2\n"), "values: the number differs") << "no rounding makes a 2 of a 1";
    const LineReport l = judged(kScore + "2 erratum 3\n").lines[0];
    EXPECT_EQ(l.text, "S[1,1] = 2 erratum 3");
    EXPECT_EQ(l.worst->claimed, 3);
    EXPECT_EQ(l.worst->truth, 1);
}

TEST(Erratum, OfAnArrayLeavesOutWhatIsRight) {
    const std::string head = std::string(kScores) + " S = [[1, 1, 2], [1, 2, 0], [1, 1, 1]]";
    EXPECT_EQ(verdicts(head + " erratum [..., [..., 1, ...], ...]\n"), "right");
    EXPECT_EQ(verdicts(head + "\n"), "wrong");
    EXPECT_EQ(sentence(head + " erratum [[1, ...], [..., 1, ...], ...]\n"),
              "erratum: [0,0]: the printed 1 is right: it needs no erratum");
    EXPECT_EQ(sentence(head + " erratum [[..., 2, ...], [..., 1, 5], ...]\n"),
              "erratum: [0,1]: the printed 1 is right: it needs no erratum; so with 1 more");
    EXPECT_EQ(sentence(head + " erratum [[1, ...], ..., ...]\n"),
              "erratum: [0,0]: the printed 1 is right: it needs no erratum; another number differs");
    const LineReport l = judged(head + " erratum [..., [..., 1, ...], ...]\n").lines[0];
    ASSERT_EQ(l.misprints.size(), 1U);
    EXPECT_EQ(l.misprints[0].index, (Shape{1, 1}));
    EXPECT_EQ(l.misprints[0].printed, "2");
    EXPECT_EQ(l.misprints[0].erratum, "1");
    EXPECT_EQ(l.misprints[0].truth, 1);
    EXPECT_TRUE(l.misprints[0].as_stated);
    EXPECT_EQ(l.entries, 9);
    EXPECT_EQ(judged(std::string(kScores) + " S = [[1, ...], ..., [1, ..., 1]]\n").lines[0].unprinted, 6);
    EXPECT_NE(
        to_text({"a.proof", {judged(head + " erratum [..., [..., 1, ...], ...]\n")}}, {}).find("1 of 9 misprinted as stated"),
        std::string::npos);
}

TEST(Erratum, ATrueNumberThatMovesIsSeen) {
    const auto with = [](const char* x) { return std::string("input x = ") + x + "\nexpect\n exp(x) = 20.08 erratum 20.09\n"; };
    EXPECT_EQ(verdicts(with("3")), "right");
    EXPECT_EQ(sentence(with("3.001")), "erratum: the true number is 20.1056325, not 20.09");
    EXPECT_EQ(sentence(with("2.9998")), "erratum: the printed 20.08 is right: it needs no erratum");
}

TEST(Erratum, StandsWherePrintedNumbersStand) {
    const auto refused = [](const std::string& text, const std::string& part) {
        const std::string error = refusal_of("a.proof", text);
        EXPECT_NE(error.find(part), std::string::npos) << text << "\n" << error;
    };
    const std::string head = kScores, only_expectations = "an erratum corrects a printed number: it belongs to an expectation";
    refused("input x [3]\nforward\n y = x erratum 2\n", "3:16: " + only_expectations);
    refused("input x [3]\nforward\n y = x\nclaim\n dx = dy erratum 2\n", "5:18: " + only_expectations);
    refused(kScore + "2 erratum\n", "expected the number that would be right: S = 2 erratum 1");
    refused(kScore + "2 erratum 1 erratum 1\n", "expected an operator or the end of the statement");
    refused(kScore + "erratum 1\n", "expected a name, a number");
    refused(kScore + "2 erratum ...\n", "expected the number that would be right");
    refused(kScore + "2 erratum [1]\n", "an erratum puts a number in the place of a number: 2 erratum [1]");
    refused(kScore + "2 erratum 1/2\n", "an erratum puts a number in the place of a number");
    refused(kScore + "2/1 erratum 1\n", "an erratum corrects printed numbers; 2/1 is none");
    refused(head + " S[0] = [1, 1/2, 2] erratum [..., 1, ...]\n", "an erratum puts a number in the place of a number");
    refused(head + " S[0] = 2 ones(3) erratum [1, 1, 1]\n", "an erratum corrects printed numbers; 2 ones(3) is none");
    refused(head + " S[0] = [1, 1, 3] erratum 2\n", "expected an array of 1 more axis, got 2");
    refused(head + " S[0] = [1, 1, 3] erratum [..., 2]\n",
            "3 entries are printed, 2 are corrected: write ... for one that is right");
    refused(head + " S = [[1, 1, 2], [1, 2, 0], [1, 1, 1]] erratum [..., [..., 1, ...]]\n",
            "3 entries are printed, 2 are corrected");
    refused(head + " S[0] = [1, ...] erratum [..., 2, ...]\n", "1 entries are printed, 2 are corrected");
    refused(head + " S[0] = [1, ..., 2] erratum [..., 2, ...]\n", "an erratum where no number is printed");
    refused("expect\n exp(3) = 20.08 erratum 20.1\n", "20.1 has fewer digits than the 20.08 it corrects");
    EXPECT_EQ(verdicts("input erratum = 2\nexpect\n 3 erratum = 6\n"), "right") << "a value of that name is that value";
}

TEST(Printed, ASmallNumberIsComparedToItsOwnDigits) {
    const auto of_small = [](const char* line) {
        return verdicts(std::string("input s = [0, 30, 31]\nforward\n p = softmax(s)\nexpect\n ") + line + "\n");
    };
    EXPECT_EQ(of_small("p = [2.5e-14, 0.269, 0.731]"), "right");
    EXPECT_EQ(of_small("p = [0.00, 0.269, 0.731]"), "right") << "within half a unit";
    EXPECT_EQ(of_small("p = [9.9e-13, 0.269, 0.731]"), "wrong");
    EXPECT_EQ(of_small("p = [-2.5e-14, 0.269, 0.731]"), "wrong");
    EXPECT_EQ(of_small("p = [1/10^13, ..., ...]"), "wrong");
    EXPECT_EQ(verdicts("input x = 0\nexpect\n sin(x) = 1e-300\n sin(x) = 0.0\n"), "wrong, right");
    EXPECT_EQ(verdicts("const M = causal(2)\nexpect\n M = [[0, -inf], [0, 0]]\n M = [[inf, -inf], [0, 0]]\n"), "right, wrong");
}

TEST(Printed, TheLastOfManyDigitsCounts) {
    EXPECT_EQ(verdicts("input x = 7\nexpect\n 1 / x = 0.142857142857\n 1 / x = 0.142857142858\n 1 / x = 0.14285714285714285\n"),
              "right, wrong, right");
    EXPECT_EQ(sentence("input x = 7\nexpect\n 1 / x = 0.142857142858\n"),
              "rounding: the number is off by one or two in the last digit");
    EXPECT_EQ(verdicts("input x = 17636684144571\nexpect\n x / 1000 = 17636684144.571\n x / 1000 = 17636684144.572\n"),
              "right, wrong");
    EXPECT_EQ(verdicts("input x = 0.125\nexpect\n x + 0 = 0.13\n x + 0 = 0.12\n"), "right, right") << "a tie goes both ways";
    EXPECT_EQ(verdicts("input x = 1e-9\nexpect\n (1 + x) - 1 = 1.000000000e-9\n (1 + x) - 1 = 1.000000083e-9\n"), "right, wrong")
        << "what doubles lose is computed again";
}

TEST(Printed, NothingIsToldOfWhatHasNoTrueValue) {
    const std::string head = "input x = [1, 3]\nforward\n q = log(x - 2)\nexpect\n ";
    EXPECT_EQ(verdicts(head + "q[0] = 5\n q = [5, 0]\n q = [..., 0]\n q = [5, 1]\n"), "cannot tell, cannot tell, right, wrong");
    EXPECT_NE(judged(head + "q[0] = 5\n").lines[0].reason.find("the true value is NaN"), std::string::npos);
}

TEST(Printed, NumbersAreCarriedOnAsPrinted) {
    EXPECT_EQ(
        verdicts("input s = [0.5, 0.5, 1.0]\n"
                 "forward\n e = exp(s)\n"
                 "expect\n e = [1.65, 1.65, 2.72]\n sum(printed(e)) = 6.02\n sum(printed(e)) = 6.0200000\n sum(e) = 6.0200000\n"),
        "right, right, right, wrong");
    EXPECT_EQ(verdicts(std::string(kScores) + " S = [[1, 1, 2], [1, 2, 0], [1, 1, 1]] erratum [..., [..., 1, ...], ...]\n"
                                              "forward\n scaled = printed(S) / 2\n"
                                              "expect\n scaled[1] = [0.5, 1.0, 0.0]\n printed(S)[1,1] = 2\n"),
              "right, right, right")
        << "the misprint is carried on";
    EXPECT_EQ(verdicts("input x = 2\nforward\n r = √x\nexpect\n r = 1.41421356\n r = 1.41\n 10 printed(r) = 14.1000000\n"),
              "right, right, right")
        << "the last print above";
    EXPECT_EQ(
        verdicts("input x = -2\nforward\n y = x^3\nexpect\n y = -8\nforward\n z = printed(y) x\nclaim\n ∂z/∂x = printed(y)\n"),
        "right, right")
        << "printed numbers take no gradient";
}

TEST(Printed, OnlyWhatIsPrintedInFullAboveIsCarriedOn) {
    const auto refused = [](const std::string& text, const std::string& part) {
        const std::string error = refusal_of("a.proof", text);
        EXPECT_NE(error.find(part), std::string::npos) << text << "\n" << error;
    };
    const std::string head = kScores, never = "no expectation above prints all of S: write S = [...] with every number";
    refused(head + " sum(printed(S)) = 2\n", "5:6: " + never);
    refused(head + " S = printed(S)\n", never);
    refused(head + " S[0] = [1, 1, 2]\n sum(printed(S)) = 2\n", never);
    refused(head + " S = [[1, 1, 2], ...]\n sum(printed(S)) = 2\n", never);
    refused(head + " S = Q K^T\n sum(printed(S)) = 2\n", never);
    refused(head + " skip \"not yet\"\n S = [[1, 1, 2], [1, 1, 0], [1, 1, 1]]\n sum(printed(S)) = 2\n", never);
    refused("input x = 2\nforward\n y = printed(y)\n", "unknown name y");
    refused("input x = 2\nforward\n y = printed(x) \nexpect\n x = 2\n", "no expectation above prints all of x");
    refused(head + " printed(T) = 2\n", "unknown name T");
    refused(head + " printed(S[0]) = 2\n", "printed takes the name of a value: printed(S)");
    refused(head + " printed() = 2\n", "printed takes the name of a value");
    refused(head + " printed(S, Q) = 2\n", "printed takes the name of a value");
    refused(head + " printed = 2\n", "printed is a function: write printed(...)");
    refused("input printed = 2\n", "printed has a meaning of its own: choose another name");
    refused("input x = 2\nforward\n y = x\nclaim\n dx = dy\nforward\n z = y\n", "forward after claims");
}

TEST(Proofs, ASecondTitleBeginsAnother) {
    const FileReport r = check_file("a.proof",
                                    "title \"one\"\ninput x = 2\nexpect\n x = 2\n\n"
                                    "title \"two\"\ninput x = 3\nexpect\n x = 3\n x = 4\n",
                                    {});
    ASSERT_EQ(r.proofs.size(), 2U);
    EXPECT_EQ(r.proofs[0].title, "one");
    EXPECT_EQ(r.proofs[1].title, "two");
    EXPECT_EQ(r.proofs[1].start.line, 6);
    EXPECT_EQ(r.proofs[1].first_wrong()->line, 10);
    EXPECT_EQ(read_proofs("a.md", "```proof\ntitle \"one\"\ninput x = 2\ntitle \"two\"\ninput x = 3\n```\n").size(), 2U);
    EXPECT_EQ(read_proofs("a.proof", "input x = 2\ntitle \"late\"\nforward\n title = x\n").size(), 1U);
}

}  // namespace
}  // namespace gradproof::proof
