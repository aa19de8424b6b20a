// Recurrences of the notation by subscripts, h_t = tanh(W h_{t-1} + U x_t), where h_0 stands before the first row.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kRecurrence =
    "dims T n k\ninput x [T, n], W [k, k], U [k, n], b [k], h_0 [k]\nconst y [T, k]\nforward\n"
    "  h_t = tanh(W h_{t-1} + U x_t + b)\nloss L = Σ_t sum((h_t - y_t)²)\nclaim\n";

TEST(Subscripts, ARecurrenceIsReadByItsRows) {
    EXPECT_EQ(verdicts(kRecurrence + "  ∂L/∂b = Σ_t (1 - h_t²) ⊙ ∂L/∂h_t\n  ∂L/∂b = Σ_t (1 - h_t) ⊙ ∂L/∂h_t\n"
                                     "  ∂L/∂W = Σ_t outer((1 - h_t²) ⊙ ∂L/∂h_t, h_{t-1})\n"
                                     "  ∂L/∂W = Σ_t outer((1 - h_t²) ⊙ ∂L/∂h_t, h_t)\n"
                                     "  ∂L/∂x_t = U^T ((1 - h_t²) ⊙ ∂L/∂h_t)\n"),
              "right, wrong, right, wrong, right");
}

TEST(Subscripts, CountFromOneWhereTheFirstIsGiven) {
    EXPECT_EQ(verdicts(kRecurrence + "  ∂L/∂h_T = 2 (h_T - y_T)\n  ∂L/∂h_T = 2 (h_1 - y_T)\n"
                                     "  ∂L/∂h_t = 2 (h_t - y_t) + W^T ((1 - h_{t+1}²) ⊙ ∂L/∂h_{t+1})  for t < T\n"
                                     "  ∂L/∂h_t = 2 (h_t - y_t) + W ((1 - h_{t+1}²) ⊙ ∂L/∂h_{t+1})  for t < T\n"
                                     "  ∂L/∂h_0 = W^T ((1 - h_1²) ⊙ ∂L/∂h_1)\n  ∂L/∂h_0 = W^T ∂L/∂h_1\n"),
              "right, wrong, right, wrong, right, wrong");
}

TEST(Subscripts, SequencesThatUseEachOther) {
    const std::string gated =
        "dims T n\ninput x [T, n], U [n, n], V [n, n]\nconst h_0 [n]\nforward\n"
        "  a_t = V x_t + U h_{t-1}\n  f_t = sigmoid(a_t)\n"
        "  h_t = f_t ⊙ x_t + (1 - f_t) ⊙ h_{t-1}\nclaim\n";
    EXPECT_EQ(verdicts(gated + "  da_t = df_t ⊙ f_t ⊙ (1 - f_t)\n  df_t = dh_t ⊙ (x_t - h_{t-1})\n  df_t = dh_t ⊙ (x_t - h_t)\n"
                               "  dU = Σ_t outer(da_t, h_{t-1})\n"),
              "right, right, wrong, right");
}

TEST(Subscripts, WhatStandsBeforeTheFirstHasToBeSaid) {
    EXPECT_EQ(refused_as("dims T n\ninput x [T, n], W [n, n]\nforward\n  h_t = tanh(W h_{t-1} + x_t)\nclaim\n  dx = dh\n"),
              "nothing says what stands before the first entry of h: write h_0 = ... above it, or  input h_0 [n]");
    EXPECT_EQ(verdicts("dims T n\ninput x [T, n], W [n, n]\nforward\n  h_0 = 0\n  h_t = tanh(W h_{t-1} + x_t)\nclaim\n"
                       "  dx_t = (1 - h_t²) ⊙ dh_t\n  dx_t = (1 - h_{t-1}²) ⊙ dh_t\n"),
              "right, wrong");
}

/// Where nothing stands before the first, subscripts count from 0 as before.
TEST(Subscripts, OtherEntriesAreAsTheyWere) {
    EXPECT_EQ(verdicts("dims n=4\ninput x [n]\nforward\n  y_i = where(i > 0, x_{i-1}, 0) + x_i\nclaim\n"
                       "  dx_i = dy_i + where(i < n - 1, dy_{i+1}, 0)\n  dx_i = dy_i\n"),
              "right, wrong");
}

}  // namespace
}  // namespace gradproof::proof
