// `gradproof compare` and `check --bind` as a user runs them: right, wrong and unusable arrays.
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/core/tape.hpp"
#include "gradproof/ops/attention.hpp"
#include "tests/core/io_support.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using namespace testing;

constexpr const char* kComparedAttention = R"(title "Attention"
dims n m d v
input Q [n, d], K [m, d], V [m, v]
forward
  S = Q K^T / sqrt(d)
  A = softmax(S)
  O = A V
claim
  dV = A^T dO
)";

class CompareResults : public ::testing::Test {
  protected:
    void SetUp() override {
        std::ofstream(path("a.proof")) << kComparedAttention;
        Random rng(5);
        q_ = rng.normal<double>({3, 4});
        k_ = rng.normal<double>({5, 4});
        v_ = rng.normal<double>({5, 2});
        g_ = rng.normal<double>({3, 2});
        write_npz(path("in.npz"), {{"Q", from_tensor(q_)}, {"K", from_tensor(k_)}, {"V", from_tensor(v_)}});
        write_npy(path("q.npy"), from_tensor(q_));
        Tape<double> tape;
        const auto batched = [](const Tensor<double>& x) { return x.reshape({1, 1, x.dim(0), x.dim(1)}); };
        const auto q = tape.leaf(batched(q_)), k = tape.leaf(batched(k_)), v = tape.leaf(batched(v_));
        const auto y = attention(q, k, v, {}, AttentionAttrs{});
        tape.backward(y, batched(g_));
        o_ = y.value().reshape({3, 2});
        dq_ = tape.grad(q).reshape({3, 4});
        dk_ = tape.grad(k).reshape({5, 4});
    }
    std::string path(const std::string& name) const { return (folder_ / name).native(); }
    ProgramRun compare(const std::vector<NamedArray>& theirs, const std::string& more = "") {
        write_npz(path("theirs.npz"), theirs);
        return run_program("compare " + path("a.proof") + " --bind " + path("in.npz") + " --expect " + path("theirs.npz") + " " +
                           more);
    }
    void refused(const std::string& arguments, const std::string& message) {
        const ProgramRun run = run_program(arguments);
        EXPECT_EQ(run.status, 2) << arguments << "\n" << run.text;
        EXPECT_NE(run.text.find(message), std::string::npos) << arguments << "\n" << run.text;
    }
    NamedArray named(const char* name, const Tensor<double>& x) const { return {name, from_tensor(x)}; }
    Folder folder_;
    Tensor<double> q_, k_, v_, g_, o_, dq_, dk_;
};

TEST_F(CompareResults, RightOnesAreRightUnderManyNames) {
    const ProgramRun run = compare({named("O", o_), named("dO", g_), named("∂L/∂Q", dq_), named("K.grad", dk_)});
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_NE(run.text.find("verdict: right (3 arrays)"), std::string::npos) << run.text;
    EXPECT_NE(compare({named("dO", g_), named("dQ", dq_)}).text.find("verdict: right (1 array)\n"), std::string::npos);
    EXPECT_EQ(compare({named("O", o_)}).status, 0);
    EXPECT_EQ(compare({named("grad_Q", dq_), named("O_grad", g_)}).status, 0);
}

TEST_F(CompareResults, FloatArraysAreAllowedTheirRounding) {
    const auto rounded = [](const Tensor<double>& x) { return from_tensor(cast<float>(x)); };
    const ProgramRun run = compare({{"O", rounded(o_)}, {"dO", from_tensor(g_)}, {"dQ", rounded(dq_)}});
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_NE(run.text.find("4 times the rounding error"), std::string::npos) << run.text;
    EXPECT_EQ(compare({{"O", rounded(o_)}}, "--tolerance 1e-12").status, 1);
}

TEST_F(CompareResults, WrongOnesAreExplained) {
    Tensor<double> twice = dq_.clone();
    for (double& x : twice) x *= 2;
    const ProgramRun run = compare({named("dO", g_), named("dQ", twice), named("dK", dk_)}, "--json");
    EXPECT_EQ(run.status, 1);
    const auto json = nlohmann::json::parse(run.text);
    EXPECT_EQ(json.at("schema"), 1);
    EXPECT_EQ(json.at("verdict"), "wrong");
    EXPECT_EQ(json.at("arrays").at(0).at("diagnosis"), "claimed = 2 * true");
    EXPECT_EQ(json.at("arrays").at(1).at("verdict"), "right");
}

TEST_F(CompareResults, RefusesWhatCannotBeCompared) {
    EXPECT_NE(compare({named("dQ", dq_)}).text.find("add the incoming gradient of O to the results as dO"), std::string::npos);
    EXPECT_EQ(compare({named("dQ", dq_)}).status, 2);
    EXPECT_NE(compare({named("dW", dq_), named("dO", g_)}).text.find("the results hold dW"), std::string::npos);
    EXPECT_NE(compare({named("dO", g_)}).text.find("nothing to compare"), std::string::npos);
    EXPECT_NE(compare({named("Q", q_), named("K", k_)}).text.find("hold only what is given, as Q: there is nothing to compare"),
              std::string::npos);
    EXPECT_EQ(compare({named("Q", q_)}).status, 2);
    EXPECT_EQ(compare({named("Q", q_), named("O", o_)}).status, 0);
    EXPECT_EQ(compare({named("Q", dq_)}).status, 1) << "it is not what is bound";
    EXPECT_NE(compare({named("dO", q_), named("dQ", dq_)}).text.find("the cotangent of O is [3, 4], expected"),
              std::string::npos);
    EXPECT_NE(compare({named("dQ", dq_), named("grad_Q", dq_), named("dO", g_)}).text.find("name the same result"),
              std::string::npos);
    refused("compare " + path("a.proof") + " --bind Q=" + path("q.npy") + " --expect " + path("theirs.npz"),
            "K has no values: give an array for it: --bind K=FILE.npy");
    refused("compare " + path("a.proof") + " --bind " + path("in.npz") + " --expect " + path("none.npz"), "none.npz");
    refused("compare --bind " + path("in.npz") + " --expect " + path("theirs.npz"), "give FILE or --proof NAME");
    EXPECT_EQ(compare({named("O", o_)}, "--tolerance 2").status, 2);
}

TEST_F(CompareResults, ADimMayHaveTheNameOfAConstant) {
    std::string text = kComparedAttention;
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"m d v", "m e v"},
                                   {"[n, d]", "[n, e]"},
                                   {"[m, d]", "[m, e]"},
                                   {"sqrt(d)", "sqrt(e)"}})
        text.replace(text.find(from), from.size(), to);
    std::ofstream(path("a.proof")) << text;
    const ProgramRun run = compare({named("O", o_), named("dO", g_), named("dQ", dq_)});
    EXPECT_EQ(run.status, 0) << run.text;
}

TEST_F(CompareResults, TakesTheLibrarysProofs) {
    write_npz(path("theirs.npz"), {named("O", o_), named("dO", g_), named("dQ", dq_)});
    for (const std::string option : {"--expect", "--theirs"})
        EXPECT_EQ(
            run_program("compare --proof attention --bind " + path("in.npz") + " " + option + " " + path("theirs.npz")).status, 0)
            << option;
}

TEST_F(CompareResults, CheckBindsArraysOrSaysWhyNot) {
    const std::string check = "check " + path("a.proof") + " --bind ";
    EXPECT_EQ(run_program(check + path("in.npz")).status, 0);
    EXPECT_EQ(run_program(check + "Q=" + path("q.npy")).status, 0);
    write_npy(path("rank.npy"), from_tensor(Tensor<double>(Shape{3}, 1.0)));
    write_npy(path("narrow.npy"), from_tensor(Tensor<double>(Shape{5, 3}, 1.0)));
    write_npy(path("bool.npy"), from_tensor(Tensor<bool>(Shape{3, 4})));
    Tensor<double> nan = q_.clone();
    nan[5] = std::nan("");
    write_npy(path("nan.npy"), from_tensor(nan));
    write_npz(path("other.npz"), {named("Z", q_)});
    write_npz(path("results.npz"), {named("O", o_)});
    refused(check + "Q=" + path("missing.npy"), "missing.npy");
    refused(check + "W=" + path("q.npy"), "no input or constant is called W");
    refused(check + path("q.npy"), "write NAME=");
    refused(check + "Q=", "the file is missing");
    refused(check + "Q=" + path("rank.npy"), "Q: the bound array is [3], expected 2 axes");
    refused(check + "Q=" + path("q.npy") + " --bind K=" + path("narrow.npy"), "K: the bound array is [5, 3]");
    refused(check + "Q=" + path("bool.npy"), "an array of bool");
    refused(check + "Q=" + path("nan.npy"), "holds nan at element 5");
    refused(check + path("other.npz"), "no input or constant is called Z");
    refused(check + path("results.npz"), "no array for Q, K, V");
    refused(check + "Q=" + path("q.npy") + " --bind " + path("in.npz"), "Q is bound twice");
    refused("check --all-ops --bind Q=" + path("q.npy"), "--bind goes with derivations");
}

TEST_F(CompareResults, CheckSaysWhatBoundArraysFix) {
    const ProgramRun r = run_program("check " + path("a.proof") + " --bind " + path("in.npz"));
    EXPECT_NE(r.text.find("Q, K, V as they are given"), std::string::npos) << r.text;
    EXPECT_EQ(r.text.find("draws of ("), std::string::npos) << r.text;
}

}  // namespace
}  // namespace gradproof
