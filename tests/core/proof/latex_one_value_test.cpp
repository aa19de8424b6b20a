// Names and marks of LaTeX that look like one value or one thing, and may be another: indices within names, braces, primes, dots.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// "L = ..." and a claim, in one display each.
std::string said(const std::string& value, const std::string& claim) {
    return of_tex(displayed(value) + "Then\n" + displayed(claim));
}
/// Whether the text is refused, or a line of it is not read.
bool is_refused(const std::string& value, const std::string& claim) {
    const std::string text = displayed(value) + "Then\n" + displayed(claim);
    try {
        return of_tex(text).find("not read") != std::string::npos;
    } catch (const std::exception&) {
        return true;
    }
}

TEST(LatexOneValue, AnIndexOfASumWithinANameIsNotPassedOver) {
    for (const char* x : {"y_{\\mathrm{pred},n}", "\\hat y^{(n)}_k", "x_{kn}", "w_{(i,n)}"}) {
        const std::string name(x);
        EXPECT_TRUE(
            is_refused("L = \\frac{1}{2N} \\sum_{n=1}^N " + name + "^2", "\\frac{\\partial L}{\\partial " + name + "} = " + name))
            << name;
    }
    EXPECT_TRUE(is_refused("L = \\sum_{i<j} w_{ij} z_i z_j", "\\frac{\\partial L}{\\partial w_{ij}} = \\sum_{i<j} z_i z_j"));
    EXPECT_TRUE(is_refused("S = \\sum_{i,j} W^{ij} x_i y_j", "\\frac{\\partial S}{\\partial x_i} = \\sum_j W^{ji} y_j"));
    EXPECT_EQ(said("L = \\frac{1}{2N} \\sum_{n=1}^N y_n^2", "\\frac{\\partial L}{\\partial y_n} = \\frac1N y_n"), "3 right");
    EXPECT_EQ(said("L = \\sum_i (x_i - x_{\\mathrm{mid}})^2", "\\frac{\\partial L}{\\partial x_i} = 2 (x_i - x_{\\mathrm{mid}})"),
              "3 right");
}

TEST(LatexOneValue, BracesAreNotPrinted) {
    for (const char* group : {"{\\sum_i x_i}^2", "{\\frac12 v}^2", "{\\ln x}^2", "{\\sin x}^{-1}", "{(x + 1) y}^2", "1 / {2 x}"})
        EXPECT_TRUE(is_refused("f = " + std::string(group), "\\frac{df}{dx} = 1")) << group;
    EXPECT_EQ(said("f = {(x + 1)}^2", "\\frac{df}{dx} = 2(x + 1)"), "3 right");
    EXPECT_EQ(said("f = {x}^2", "\\frac{df}{dx} = 2x"), "3 right");
    EXPECT_EQ(said("f = {\\sin(x)}^2", "\\frac{df}{dx} = 2 \\sin x \\cos x"), "3 right");
    EXPECT_EQ(said("f = {\\|w\\|}^2", "\\nabla_w f = 2w"), "3 right");
}

TEST(LatexOneValue, APrimeOfANumberIsNoTranspose) {
    EXPECT_TRUE(is_refused("u = x^2, \\qquad v = x^3", "\\frac{d}{dx}(uv) = u'v + uv'"));
    EXPECT_TRUE(is_refused("u(x) = x^2, \\qquad v(x) = x^3", "(u + v)'(x) = x^3 + x^4"));
    EXPECT_EQ(said("u(x) = x^2, \\qquad v(x) = x^3", "\\frac{d}{dx}(u(x) v(x)) = u'(x) v(x) + u(x) v'(x)"), "3 right");
}

TEST(LatexOneValue, WhatMayFollowFromAnotherValueIsTold) {
    const auto told = [](const std::string& value, const std::string& claim) {
        return passed_because("a.tex", displayed(value) + "Then\n" + displayed(claim));
    };
    using Told = std::vector<std::string>;
    EXPECT_EQ(told("y = a x^2, \\qquad L = \\dot x^2 + \\dot y^2 - y", "\\frac{dL}{dx} = -2 a x"),
              Told{"y_dot is read as a value of its own, and may be the derivative of y"});
    EXPECT_EQ(told("f = \\frac12 x_+^2 + x^2", "\\frac{df}{dx} = 2 x"),
              Told{"x_plus is read as a value of its own, and may be the positive part of x"});
    EXPECT_EQ(told("f = x^2, \\qquad T = f(1) + 2(x - 1)", "\\frac{dT}{dx} = 2x + 2"), Told{"f(1) is read as a product"});
    EXPECT_EQ(told("f = x^2, \\qquad D = f(x+h) - f", "\\frac{dD}{dh} = x^2"), Told{"f(x+h) is read as a product"});
    EXPECT_EQ(told("J(w, b) = w^2 + 3 b", "\\frac{\\partial J(w, b)}{\\partial w} = 2 w"), Told{});
    EXPECT_EQ(told("s = e^x, \\qquad D = \\frac{1}{s}(x + 1)", "\\frac{dD}{dx} = -\\frac{x}{s}"), Told{});
    EXPECT_EQ(told("p = \\frac{1}{1 + e^{-x}}, \\qquad D = p(1 - p)", "\\frac{dD}{dx} = p(1 - p)(1 - 2p)"), Told{});
}

TEST(LatexOneValue, CirclesBetweenNumbersAndWordsWithoutABackslash) {
    EXPECT_TRUE(is_refused("f = x^2, \\qquad g = 3x, \\qquad h = f \\circ g", "\\frac{dh}{dx} = 9x^2"));
    for (const char* word : {"ln", "tan", "log"})
        EXPECT_TRUE(is_refused("f = x " + std::string(word) + " x", "\\frac{df}{dx} = 2 " + std::string(word) + " x")) << word;
}

}  // namespace
}  // namespace gradproof::proof
