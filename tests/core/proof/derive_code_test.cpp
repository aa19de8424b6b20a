// Derivations as programs: each is run, and compares its gradients with finite differences.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/derive/cpp.hpp"
#include "gradproof/core/proof/derive/python.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/paths.hpp"

namespace gradproof::proof {
namespace {

using testing::error_of;
using testing::without_module;

std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Proof over_steps() {
    const std::string file = GRADPROOF_SOURCE_DIR "/tests/proofs/back_in_time.proof";
    return read_proofs(file, contents(file)).front();
}

/// Two sequences that use each other, and a product whose row is 0 before the first step.
Proof row_by_row() {
    const std::string text = R"page(dims T n m
input x [T, m], s [n], z [n], W [n, n], V [n, n], U [n, m]
forward
  f[t] = σ(W where(t > 0, h[t-1], s) + U x[t])
  c[t] = f[t] ⊙ where(t > 0, c[t-1], z) + tanh(where(t > 0, h[t-1], 0) V)
  h[t] = f[t] ⊙ tanh(c[t])
loss L = Σ_t ‖h[t]‖² + sum(c[T-1])
)page";
    return read_proofs("row_by_row.proof", text).front();
}

class DeriveCode : public ::testing::Test {
  protected:
    DeriveCode() : folder_(std::filesystem::path(::testing::TempDir()) / ("derived_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~DeriveCode() override { std::filesystem::remove_all(folder_); }

    /// All programs in one Python.
    testing::ProgramRun run(const std::vector<std::string>& programs) {
        std::string files;
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const std::string file = (folder_ / (std::to_string(i) + ".py")).string();
            std::ofstream(file) << programs[i];
            files += " " + file;
        }
        return testing::run_python("import runpy, sys; [runpy.run_path(f, run_name=\"__main__\") for f in sys.argv[1:]]", files);
    }

    void agrees(PythonTarget target, std::vector<std::string> names) {
        if (testing::kSanitized) names.resize(2);  // the sources are the same
        std::vector<std::string> programs;
        for (const std::string& n : names) programs.push_back(to_python(from_library(n), target));
        programs.push_back(to_python(over_steps(), target));
        programs.push_back(to_python(row_by_row(), target));
        const testing::ProgramRun right = run(programs);
        EXPECT_EQ(right.status, 0) << right.text;
        std::string wrong = to_python(from_library("attention"), target);
        const std::size_t at = wrong.find("dV = ");
        ASSERT_NE(at, std::string::npos) << wrong;
        EXPECT_NE(run({wrong.insert(at + 5, "2 * ")}).status, 0);
    }

    std::filesystem::path folder_;
};

TEST_F(DeriveCode, NumpyAgreesWithFiniteDifferences) {
    if (const std::string lacks = without_module("numpy"); !lacks.empty()) GTEST_SKIP() << lacks;
    agrees(PythonTarget::numpy,
           {"attention", "embedding", "batch_norm", "conv1d", "gelu", "linear_attention", "rope", "weight_tying"});
}

/// Within the range, both sides of the min are equal: an entry of c alone has two slopes there.
TEST_F(DeriveCode, NumpyAgreesWhereSlopesDiffer) {
    if (const std::string lacks = without_module("numpy"); !lacks.empty()) GTEST_SKIP() << lacks;
    const std::string text =
        "dims n\ninput p [n]\nconst o [n], A [n]\nforward\n  r = exp(p - o)\n  c = clip(r, 0.8, 1.2)\n"
        "loss L = -mean(min(r ⊙ A, c ⊙ A))\n";
    std::string program = to_python(read_proofs("ppo.proof", text).front(), PythonTarget::numpy);
    const testing::ProgramRun right = run({program});
    EXPECT_EQ(right.status, 0) << right.text;
    const std::size_t at = program.find("    dp = ");
    ASSERT_NE(at, std::string::npos) << program;
    EXPECT_NE(run({program.insert(at + 9, "2 * ")}).status, 0);
}

TEST_F(DeriveCode, TorchAgreesWithGradcheck) {
    if (const std::string lacks = without_module("torch"); !lacks.empty()) GTEST_SKIP() << lacks;
    agrees(PythonTarget::torch, {"attention", "embedding", "layer_norm", "relative_positions", "cross_entropy", "lstm_step"});
}

TEST_F(DeriveCode, JaxAgreesWithCheckGrads) {
    if (const std::string lacks = without_module("jax"); !lacks.empty()) GTEST_SKIP() << lacks;
    agrees(PythonTarget::jax, {"attention", "embedding", "cross_entropy"});
}

constexpr PythonTarget kTargets[] = {PythonTarget::numpy, PythonTarget::torch, PythonTarget::jax};
const char* lacks(PythonTarget target) {
    const char* const module = target == PythonTarget::torch ? "torch" : target == PythonTarget::jax ? "jax" : "numpy";
    static std::map<std::string, std::string> known;
    if (!known.contains(module)) known[module] = without_module(module);
    return known[module].empty() ? nullptr : known[module].c_str();
}

TEST_F(DeriveCode, OnlyTheGradientsThatAreAskedFor) {
    const Proof p = from_library("attention");
    for (const PythonTarget target : kTargets) {
        if (lacks(target)) continue;
        std::string program = to_python(p, target, {.wrt = {"Q"}});
        EXPECT_EQ(program.find("dV"), std::string::npos) << program;
        EXPECT_EQ(program.find("dK"), std::string::npos) << program;
        const testing::ProgramRun right = run({program});
        EXPECT_EQ(right.status, 0) << right.text;
        const std::size_t at = program.find("dQ = ");
        ASSERT_NE(at, std::string::npos) << program;
        EXPECT_NE(run({program.insert(at + 5, "2 * ")}).status, 0);
    }
}

TEST_F(DeriveCode, HessiansAgreeWithDifferencesOfGradients) {
    const std::string text = "dims n d\ninput X [n, d], w [d], y [n]\nforward\n  r = σ(X w) - y\nloss L = sum(r ⊙ r)\n";
    const Proof p = read_proofs("squares.proof", text).front();
    for (const PythonTarget target : kTargets) {
        if (lacks(target)) continue;
        const testing::ProgramRun right =
            run({to_python_hessian(p, "w", target), to_python_hessian(from_library("cross_entropy"), "Z", target)});
        EXPECT_EQ(right.status, 0) << right.text;
        for (const char* line : {"    G_w = ", "    moved_G_w = "}) {
            std::string program = to_python_hessian(p, "w", target);
            const std::size_t at = program.rfind(line);
            ASSERT_NE(at, std::string::npos) << program;
            EXPECT_NE(run({program.insert(at + std::string(line).size(), "2 * ")}).status, 0) << line;
        }
    }
}

/// Each forward of the library has words in C++ and in Python.
TEST(DeriveCodeTargets, SayEveryForwardOfTheLibrary) {
    const std::vector<std::string> all = library_names();
    for (std::size_t i = 0; i < all.size(); i += testing::kSanitized ? 6 : 1) {
        const auto target = static_cast<PythonTarget>(i % 3);
        EXPECT_EQ(error_of([&] { to_python(from_library(all[i]), target); }), "no error") << all[i];
        EXPECT_EQ(error_of([&] { to_cpp(from_library(all[i])); }), "no error") << all[i];
    }
}

TEST(DeriveCodeTargets, WhatHasNoRuleOrNoWordsIsOneLine) {
    const auto read = [](const std::string& text) { return read_proofs("a.proof", text).front(); };
    const Proof no_rule = read("dims n\ninput x [n], t []\nforward\n  y = t prod_i(x[i])\n");
    EXPECT_EQ(error_of([&] { to_cpp(no_rule); }), "cpp: no backward without ∂L/∂x: no rule yet for prod_i(x[i])");
    EXPECT_EQ(error_of([&] { to_python(no_rule, PythonTarget::torch); }),
              "python: no backward without ∂L/∂x: no rule yet for prod_i(x[i])");
    EXPECT_EQ(error_of([&] { to_cpp(read("forward\n  Y = 2\n")); }), "cpp: an op has inputs, and nothing is drawn here");
    EXPECT_TRUE(error_of([&] {
                    to_python_hessian(row_by_row(), "W", PythonTarget::numpy);
                }).starts_with("no Hessian through steps yet: ∂L/∂"));
    // What is not asked for needs no rule.
    EXPECT_EQ(derive(no_rule, {.wrt = {"t"}}).missing.size(), 0U);
    EXPECT_EQ(derive(no_rule).missing.size(), 1U);
    EXPECT_EQ(error_of([&] { to_python(from_library("attention"), PythonTarget::jax, {.wrt = {"S"}}); }),
              "S is computed, and this program gives gradients of inputs: NumPy gives all");
}

TEST(DeriveCodeTargets, RulesBeyondTheLibraryHaveWordsToo) {
    const Proof p = read_proofs("a.proof",
                                "dims n m\ninput X [n, m] ~ positive, W [n, m]\nforward\n"
                                "  Y = cumprod(X)\n  Z = matmul(layer_norm(Y), transpose(W))\n  U = kron(Z, X)\n")
                        .front();
    EXPECT_NE(to_cpp(p).find("running_product<Element>(X, 1)"), std::string::npos);
    EXPECT_NE(to_python(p, PythonTarget::torch).find("torch.cumprod(X, dim=-1)"), std::string::npos);
}

TEST(DeriveCodeTargets, RowsAndBlocksAreLoopsInCpp) {
    const std::string rows = to_cpp(row_by_row());
    for (const char* part :
         {"for (Index t = 0; t < T; ++t) {\n", "put(h, {t}, entry(f, 0, t) * ", "for (Index t = T; t-- > 0;) {\n",
          "put(dh, {t}, ", "matmul((double(t) > 0 ? entry(h, 0, t - 1) : Tensor<Element>(Shape{n}, Element(0.0))), V)"})
        EXPECT_NE(rows.find(part), std::string::npos) << part << "\n" << rows;
}

TEST(DeriveCodeTargets, NamesAreThoseOfTheLanguage) {
    const Proof p =
        read_proofs("9 lives.proof", "dims n\ninput W₁ [n], lambda [], ℓ [n]\nforward\n  class = lambda W₁ ⊙ ℓ\n").front();
    const std::string python = to_python(p, PythonTarget::numpy), cpp = to_cpp(p);
    EXPECT_NE(python.find("class_ = lambda_ * W1 * ell"), std::string::npos) << python;
    EXPECT_NE(cpp.find("class_ = lambda * W1 * ell"), std::string::npos) << cpp;
    EXPECT_NE(cpp.find(".name = \"op_9_lives\""), std::string::npos) << cpp;
}

TEST(DeriveCpp, ValuesHaveNoNamesOfHelpers) {
    const std::string page = to_cpp(read_proofs("a.proof",
                                                "dims n m\ninput X [n, m]\nforward\n  variance = rowvar(X)\n"
                                                "  magnitude = abs(X)\n  Y = magnitude / variance\n")
                                        .front(),
                                    {});
    for (const char* own : {" variance = variance(", " magnitude = magnitude("})
        EXPECT_EQ(page.find(own), std::string::npos) << page;
    EXPECT_NE(page.find("variance_ = "), std::string::npos) << page;
}

}  // namespace
}  // namespace gradproof::proof
