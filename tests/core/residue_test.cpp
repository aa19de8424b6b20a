// Residues: what holds of numbers holds of them, and what does not hold does not.
#include "gradproof/core/residue.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

namespace gradproof {
namespace {

class Residues : public ::testing::Test {
  protected:
    Residue any() { return Residue::random(random_, Sign::any); }
    Residue positive() { return Residue::random(random_, Sign::positive); }
    Random random_{7};
};

TEST_F(Residues, AreAField) {
    const Residue a = any(), b = any(), c = any();
    EXPECT_EQ(a * (b + c), a * b + a * c);
    EXPECT_EQ((a + b) * (a - b), a * a - b * b);
    EXPECT_EQ(a / b * b, a);
    EXPECT_EQ(a - a, Residue(0));
    EXPECT_FALSE(a * b == a * c);
    EXPECT_FALSE(a * a == a);
    EXPECT_THROW(a / (b - b), NoResidue);
}

TEST_F(Residues, ConstantsAreMeantAsTheyAreWritten) {
    EXPECT_EQ(Residue(0.1) + Residue(0.2), Residue(0.3));
    EXPECT_EQ(Residue(0.044715) * Residue(1e6), Residue(44715));
    EXPECT_EQ(Residue(1.0 / 3) * Residue(3), Residue(1));
    EXPECT_EQ(Residue(1e-5) * Residue(1e5), Residue(1));
    EXPECT_EQ(Residue(-2.5e30) / Residue(1e30), Residue(-2.5));
    EXPECT_EQ(Residue(1e300) * Residue(1e-300), Residue(1));
    EXPECT_FALSE(Residue(0.3333) * Residue(3) == Residue(1));
    EXPECT_FALSE(Residue(3.14159) == Residue(std::numbers::pi));
    EXPECT_THROW(Residue(std::nan("")), NoResidue);
}

TEST_F(Residues, ConstantsAreNotWhatDoublesRoundThemTo) {
    const Residue a = any(), tiny = exp(Residue(-800)), large = exp(Residue(800));
    EXPECT_FALSE(a + tiny == a);
    EXPECT_FALSE(a + Residue(1) / large == a);
    EXPECT_EQ(tiny * large, Residue(1));
    EXPECT_EQ(Residue(1e-200) * Residue(1e-200) * Residue(1e300), Residue(1e-100));
    EXPECT_TRUE(tiny.is_positive() && large.is_positive() && (-large) < tiny);
    EXPECT_FALSE(tanh(Residue(50)) == Residue(1));
    EXPECT_THROW(static_cast<void>(Residue(1) - Residue(1e-20) > Residue(1)), NoResidue);
    EXPECT_THROW(static_cast<void>(floor(Residue(1) - Residue(1e-17))), NoResidue);
    EXPECT_EQ(floor(Residue(0.1) * Residue(30)), Residue(3));  // 2.9999... or 3.0000...4 in doubles
    EXPECT_EQ(floor(Residue(-2.5)), Residue(-3));
}

TEST_F(Residues, ExpTurnsSumsIntoProducts) {
    const Residue a = any(), b = any();
    EXPECT_EQ(exp(a + b), exp(a) * exp(b));
    EXPECT_EQ(exp(-a), Residue(1) / exp(a));
    EXPECT_EQ(exp(Residue(2) * a), exp(a) * exp(a));
    EXPECT_EQ(exp(a / sqrt(Residue(3)) * sqrt(Residue(3))), exp(a));
    EXPECT_EQ(exp(Residue(0)), Residue(1));
    EXPECT_EQ(exp(Residue(-INFINITY)), Residue(0));
    EXPECT_FALSE(exp(a) == a);
    EXPECT_FALSE(exp(a) + exp(b) == exp(a + b));
    EXPECT_FALSE(exp(a * b) == exp(a) * exp(b));
}

TEST_F(Residues, ExpUndoesLog) {
    const Residue a = any(), b = any(), c = any();
    EXPECT_EQ(exp(log(a)), a);
    EXPECT_EQ(exp(c - log(a)), exp(c) / a);
    EXPECT_EQ(exp(log(a) + log(b)), a * b);
    EXPECT_EQ(exp(Residue(-3) * log(a)), Residue(1) / (a * a * a));
    EXPECT_EQ(log(Residue(1) / a), -log(a));
    EXPECT_EQ(log(Residue(1)), Residue(0));
    EXPECT_FALSE(exp(a * log(b)) == exp(a) * b);
    EXPECT_FALSE(log(a) == log(b));
}

TEST_F(Residues, RootsAndSignsRespectProducts) {
    const Residue a = positive(), b = positive(), c = any();
    EXPECT_EQ(sqrt(a) * sqrt(a), a);
    EXPECT_EQ(sqrt(a * b), sqrt(a) * sqrt(b));
    EXPECT_EQ(sqrt(c * c), abs(c));
    EXPECT_TRUE((a * b).is_positive());
    EXPECT_NE(c.is_positive(), (-c).is_positive());
    EXPECT_EQ((Residue(6) * c).is_positive(), c.is_positive());
    EXPECT_TRUE(exp(c).is_positive());
    EXPECT_THROW(sqrt(-a), NoRoot);
    for (int n = 1; n <= 42; ++n) EXPECT_EQ(sqrt(Residue(n)) * sqrt(Residue(n)), Residue(n)) << n;
    EXPECT_EQ(pow(a, 1.5), a * sqrt(a));
    EXPECT_EQ(pow(a, 0.3 - 1) * a, pow(a, 0.3));
    EXPECT_FALSE(pow(a, 1.0000000000001) == a);
    EXPECT_EQ(pow(c, -2), Residue(1) / (c * c));
    EXPECT_EQ(pow(Residue(0), 0), Residue(1));
    EXPECT_FALSE(pow(a, 0.3) == pow(a, 0.4));
}

TEST_F(Residues, RandomNumbersHaveBothSigns) {
    int above = 0;
    for (int i = 0; i < 200; ++i) above += any().is_positive() ? 1 : 0;
    EXPECT_GT(above, 60);
    EXPECT_LT(above, 140);
    EXPECT_FALSE(Residue::random(random_, Sign::negative).is_positive());
}

TEST_F(Residues, FunctionsAreOdd) {
    const Residue a = any(), b = any();
    const Residue two = Residue(2);
    EXPECT_EQ(tanh(-a), -tanh(a));
    EXPECT_EQ(erf(-a), -erf(a));
    EXPECT_EQ(sin(-a), -sin(a));
    EXPECT_EQ(cos(-a), cos(a));
    EXPECT_EQ(sin(a) * sin(a) + cos(a) * cos(a), Residue(1));
    EXPECT_EQ(tanh(a), two / (Residue(1) + exp(-two * a)) - Residue(1));
    EXPECT_EQ(exp(tanh(a) + b), exp(tanh(a)) * exp(b));
    for (const auto& f : std::vector<std::function<Residue(const Residue&)>>{
             [](const Residue& x) { return tanh(x); }, [](const Residue& x) { return erf(x); },
             [](const Residue& x) { return sin(x); }, [](const Residue& x) { return floor(x); }}) {
        EXPECT_EQ(f(a), f(a));
        EXPECT_FALSE(f(a) == f(b));
        EXPECT_FALSE(f(a) + f(b) == f(a + b));
    }
}

TEST_F(Residues, SayWhatTheyFollowFrom) {
    const Residue a = any(), b = any();
    EXPECT_EQ(opaque_names((log(a) + erf(b)).opaque), (std::vector<std::string>{"log", "erf"}));
    EXPECT_EQ(opaque_names(exp(exp(a)).opaque), std::vector<std::string>{"exp of exp"});
    EXPECT_TRUE(opaque_names((exp(a) * b).opaque).empty());
    EXPECT_EQ((a * b + a).degree, 2);
    EXPECT_EQ((a / b + b / a).degree, 2);
    EXPECT_EQ((a / b + b / a).below, 2);
    EXPECT_EQ(Residue(5).degree, 0);
    EXPECT_TRUE((Residue(2) * Residue(3)).is_constant());
    EXPECT_FALSE((a - a + Residue(1)).is_constant());
}

TEST_F(Residues, DualNumbersHaveTheSlopesOfTheFunctions) {
    const Residue a = positive();
    const Dual<Residue> x(a, Residue(1));
    const Residue two = Residue(2);
    EXPECT_EQ(tanh(x).tangent, Residue(1) - tanh(a) * tanh(a));
    EXPECT_EQ(log(x).tangent, Residue(1) / a);
    EXPECT_EQ(sqrt(x).tangent, Residue(1) / (two * sqrt(a)));
    EXPECT_EQ(erf(x).tangent, two / sqrt(Residue(std::numbers::pi)) * exp(-(a * a)));
    EXPECT_EQ(pow(x, 3).tangent, Residue(3) * a * a);
    EXPECT_EQ(sin(x).tangent, cos(a));
    EXPECT_FALSE(cos(x).tangent == sin(a));
}

}  // namespace
}  // namespace gradproof
