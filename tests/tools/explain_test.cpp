// `gradproof explain` as a user runs it: the steps, one entry taken apart, and cells that are none.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

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
