// `gradproof explain` as a user runs it: the steps, one entry taken apart, and cells that are none.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/core/io_support.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using namespace testing;
using Json = nlohmann::json;

constexpr const char* kExplainedAttention = R"(title "Attention"
dims n m d v
input Q [n, d], K [m, d], V [m, v]
forward
  S = Q K^T / sqrt(d)
  A = softmax(S)
  O = A V
claim
  ∂L/∂V = A^T ∂L/∂O
  ∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))
  ∂L/∂K = (∂L/∂S)^T Q
  ∂A[i,j]/∂S[i,k] = A[i,j] (δ[j,k] - A[i,k])
)";
constexpr const char* kNotes = R"(# Notes

```proof
input X = [[1, 2], [3, 4]], W = [[0.5], [-1]]
const b = [2]
forward
  Z = X W + b
  R[i,j] = Σ_k Z[i,k] Z[i,j] / 2
  P = X + X
loss L = mean(R)
claim
  dX = (dZ / 2 + dZ / 2) W^T
  ∂L/∂Z[i,j] = Z[i,j] / 2
```

```proof
input x = [1, 2, 3]
forward
  y = rowsum(x ⊙ x)
```
)";

class Explain : public ::testing::Test {
  protected:
    void SetUp() override {
        std::ofstream(path("a.proof")) << kExplainedAttention;
        std::ofstream(path("n.md")) << kNotes;
    }
    std::string path(const char* name) const { return (folder_ / name).native(); }
    ProgramRun explain(const char* file, const std::string& cell, const std::string& more = "") const {
        return run_program("explain " + path(file) + (cell.empty() ? "" : " --cell '" + cell + "'") + more);
    }
    Json json(const char* file, const std::string& cell) const {
        const ProgramRun run = explain(file, cell, " --json");
        EXPECT_EQ(run.status, 0) << run.text;
        return Json::parse(run.text.substr(0, run.text.find('\n')));
    }
    /// The products add up, and both oracles agree with the sum (unless the line is wrong by a factor).
    void adds_up(const char* file, const std::string& cell, std::size_t products, double factor = 1) const {
        const Json c = json(file, cell).at("cell");
        EXPECT_EQ(c.at("products").size(), products) << cell << c.dump(1);
        double sum = 0, share = 0;
        for (const Json& p : c.at("products")) {
            double product = p.at("minus").get<bool>() ? -1 : 1;
            for (const Json& f : p.at("factors"))
                product *= f.contains("divides") ? 1 / f.at("value").get<double>() : f.at("value").get<double>();
            EXPECT_NEAR(p.at("product").get<double>(), product, 1e-14 * std::abs(product));
            sum += product;
            if (p.at("share").is_number()) share += p.at("share").get<double>();
        }
        const double stated = c.at("sum").get<double>();
        EXPECT_NEAR(stated, sum, 1e-13) << cell;
        if (stated != 0) {
            EXPECT_NEAR(share, 1, 1e-9);
        }
        if (!c.contains("true")) return;
        EXPECT_NEAR(c.at("true").get<double>() * factor, stated, 1e-12) << cell;
        EXPECT_NEAR(c.at("difference").get<double>(), c.at("true").get<double>(), 1e-9)
            << cell;  // fourth-order differences: <= 1e-9
    }
    Folder folder_;
};

TEST_F(Explain, ListsTheProductsThatWereSummedIntoAnEntry) {
    const Json found = json("a.proof", "dV[1,0]");
    const auto n = found.at("sizes").at("n").get<std::size_t>();
    const Json first = found.at("cell").at("products").at(0).at("factors");
    EXPECT_EQ(first.at(0).at("name"), "A");
    EXPECT_EQ(first.at(0).at("index"), Json({0, 1}));
    EXPECT_EQ(first.at(1).at("name"), "∂L/∂O");
    EXPECT_EQ(first.at(1).at("index"), Json({0, 0}));
    adds_up("a.proof", "dV[1,0]", n);
    adds_up("a.proof", "∂L/∂S[0,1]", 1);
    adds_up("a.proof", "S[1,1]", found.at("sizes").at("d").get<std::size_t>());
    adds_up("a.proof", "∂A[0,1]/∂S[0,0]", 1);
    adds_up("a.proof", "dK[1,1]", n, std::sqrt(found.at("sizes").at("d").get<double>()));
}

TEST_F(Explain, SaysByHowMuchAWrongLineIsOff) {
    const ProgramRun run = explain("a.proof", "dK[1,1]");
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.text.find("the line gives"), std::string::npos) << run.text;
    EXPECT_NE(run.text.find("times as much"), std::string::npos) << run.text;
}

TEST_F(Explain, ReadsIndexFormLiteralsAndMarkdown) {
    adds_up("n.md", "dX[0,1]", 1);  // a sum inside a product stays one factor
    adds_up("n.md", "Z[1,0]", 3);   // two products and b
    adds_up("n.md", "R[1,0]", 1);   // Σ over the one column of Z
    adds_up("n.md", "dZ[0,0]", 1);  // by the indexed claim
    adds_up("n.md", "dR[0,0]", 1);  // no claim: the chain rule
    adds_up("n.md", "y[0]", 3);     // of the second block
    adds_up("n.md", "L", 2);
    EXPECT_EQ(json("n.md", "P[0,0]").at("cell").at("sum"), 2);
    EXPECT_EQ(json("n.md", "W[1,0]").at("cell").at("sum"), -1);
}

TEST_F(Explain, ShowsEveryStepWithItsNumbers) {
    const Json all = json("a.proof", "");
    EXPECT_EQ(all.at("schema"), 1);
    ASSERT_EQ(all.at("forward").size(), 3U);
    EXPECT_EQ(all.at("forward").at(1).at("formula"), "softmax(S)");
    std::vector<std::string> order;
    for (const Json& s : all.at("backward")) order.push_back(s.at("name"));
    EXPECT_EQ(order, (std::vector<std::string>{"∂L/∂O", "∂L/∂A", "∂L/∂S", "∂L/∂V", "∂L/∂K", "∂L/∂Q"}));
    EXPECT_NE(all.at("backward").at(2).at("through").at(0).get<std::string>().find("softmax: dx ="), std::string::npos);
    EXPECT_TRUE(all.at("backward").at(2).at("claim").at("agrees").get<bool>());
    EXPECT_FALSE(all.at("backward").at(4).at("claim").at("agrees").get<bool>());
    EXPECT_EQ(all.at("backward").at(3).at("value").size(), all.at("sizes").at("m").get<std::size_t>());
    EXPECT_NE(explain("a.proof", "").text.find("∂L/∂V    [m, v] = ["), std::string::npos);
    EXPECT_NE(explain("a.proof", "", " --seed 3").text, explain("a.proof", "").text);
}

TEST_F(Explain, OpensSumsAmongTheFactors) {
    const Json found = json("a.proof", "dS[0,1]");
    const auto m = found.at("sizes").at("m").get<std::size_t>();
    const Json opened = found.at("cell").at("opened");
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened.at(0).at("factor"), "(∂L/∂A - rowsum(∂L/∂A ⊙ A))[0,1]");
    ASSERT_EQ(opened.at(0).at("products").size(), 1 + m);  // the entry itself, and the products of its row
    double sum = 0;
    for (const Json& p : opened.at(0).at("products")) sum += p.at("product").get<double>();
    EXPECT_NEAR(sum, opened.at(0).at("sum").get<double>(), 1e-13);
    EXPECT_NEAR(sum, found.at("cell").at("products").at(0).at("factors").at(1).at("value").get<double>(), 1e-13);
}

TEST_F(Explain, OpensASoftmaxIntoItsExponentials) {
    adds_up("a.proof", "A[0,1]", 1);
    const Json found = json("a.proof", "A[0,1]");
    const Json factors = found.at("cell").at("products").at(0).at("factors"), opened = found.at("cell").at("opened");
    EXPECT_EQ(factors.at(0).at("name"), "exp(S)");
    EXPECT_TRUE(factors.at(1).at("divides").get<bool>());
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened.at(0).at("products").size(), found.at("sizes").at("m").get<std::size_t>());
    EXPECT_NE(explain("a.proof", "A[0,1]").text.find("exp(S[0,1]) / rowsum(exp(S))[0,0]"), std::string::npos);
    // Where exponentials overflow it stays whole, and right.
    std::ofstream(path("large.proof")) << "input s = [1000, 999]\nforward\n  a = softmax(s)\n";
    const Json whole = json("large.proof", "a[0]").at("cell");
    EXPECT_NEAR(whole.at("sum").get<double>(), 1 / (1 + std::exp(-1)), 1e-12);
}

TEST_F(Explain, ShowsNoShareAboveAllWhereTermsCancel) {
    std::ofstream(path("c.proof"))
        << "input a = [1, 2, 3], b = [5, -4, 0]\nconst z = [0, 1, -0.5]\nforward\n  y = a b\n  w = a z\n"
           "  r = rowsum(a ⊙ b)\n";
    const std::string text = explain("c.proof", "y").text;  // 5 - 8 + 0
    EXPECT_EQ(text.find('%'), std::string::npos) << text;
    EXPECT_NE(text.find("|++++++\n"), std::string::npos) << text;
    EXPECT_NE(text.find("----------|\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("-0"), std::string::npos) << text;
    const std::string with_zero = explain("c.proof", "w").text;  // 0 + 2 - 1.5
    EXPECT_NE(with_zero.find(" 0\n"), std::string::npos) << with_zero;
    EXPECT_NE(explain("a.proof", "A[0,1]").text.find(" %"), std::string::npos);
}

TEST_F(Explain, SaysWhoUsesTheCell) {
    const auto used = [&](const char* cell) { return json("a.proof", cell).at("cell").value("used_in", ""); };
    EXPECT_NE(used("K[2,1]").find("S[:,2], "), std::string::npos);
    EXPECT_NE(used("dK[2,1]").find("key 2 is seen by every query"), std::string::npos);
    EXPECT_NE(used("Q[1,0]").find("S[1,:], "), std::string::npos);
    EXPECT_NE(used("V[1,0]").find("O[:,0], "), std::string::npos);
    EXPECT_NE(used("S[0,1]").find("A[0,:], "), std::string::npos);
    EXPECT_EQ(used("O[0,0]"), "");
    const std::string masked = run_program("explain --proof attention_causal --cell 'S[0,1]'").text;
    EXPECT_NE(masked.find("used in A, 0 of 4 entries: where it stands, it changes nothing"), std::string::npos) << masked;
}

TEST_F(Explain, TellsTheBackwardInSentences) {
    const ProgramRun run = explain("a.proof", "", " --words");
    EXPECT_EQ(run.status, 0);
    std::string text = run.text;  // without line breaks
    for (std::size_t at = 0; (at = text.find("\n   ", at)) != std::string::npos;) text.replace(at, 4, " ");
    for (const char* part :
         {"1. O is the last value.", "2. A stands in O = A V. Matrix product: ∂L/∂A = ∂L/∂O V^T", "Its rows sum to 0.",
          "Line 9 of the file says A^T ∂L/∂O, and agrees.", "says (∂L/∂S)^T Q, and does not"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << run.text;
    std::istringstream lines(run.text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 200U) << line;
    EXPECT_EQ(explain("a.proof", "", " --words --json").status, 2);
    EXPECT_EQ(explain("n.md", "", " --words").status, 0);
}

TEST_F(Explain, ShowsTheDerivedLineAndItsRule) {
    const Json all = json("a.proof", "");
    const Json ds = all.at("backward").at(2);
    EXPECT_EQ(ds.at("derived"), "A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))");
    EXPECT_EQ(ds.at("rule"), "softmax");
    EXPECT_NE(explain("a.proof", "").text.find("derived  ∂L/∂S K / sqrt(d)    by quotient rule, matrix product"),
              std::string::npos);
}

TEST_F(Explain, RefusesACellThatIsNone) {
    const std::vector<std::pair<const char*, const char*>> cases{{"dK[2", "expected ] or a comma"},
                                                                 {"dZ[0]", "no value is called dZ"},
                                                                 {"Sx[0,0]", "no value is called Sx; did you mean S"},
                                                                 {"dK[99,0]", "index 99 is out of range at axis 0"},
                                                                 {"dK[1]", "it takes 2 indices, got 1"},
                                                                 {"dK", "got 0"},
                                                                 {"dK[-1,0]", "expected a whole number"},
                                                                 {"dK[0.5,0]", "expected a whole number"},
                                                                 {"S[i,j]", "expected a whole number"},
                                                                 {"softmax(S)", "expected an entry"},
                                                                 {"∂A[0]/∂S[0,1]", "it takes 2 indices, got 1"},
                                                                 {" ", "expected"}};
    for (const auto& [cell, message] : cases) {
        const ProgramRun run = explain("a.proof", cell);
        EXPECT_EQ(run.status, 2) << cell;
        EXPECT_NE(run.text.find(message), std::string::npos) << cell << ": " << run.text;
        EXPECT_EQ(std::count(run.text.begin(), run.text.end(), '\n'), 1) << run.text;
    }
    EXPECT_NE(explain("n.md", "db[0]").text.find("b is a constant"), std::string::npos);
}

}  // namespace
}  // namespace gradproof
