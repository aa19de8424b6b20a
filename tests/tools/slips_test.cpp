// Ops with one slip each, judged as plugins: the report says what the slip is and how it is mended, in its text and in its JSON.
#include <fmt/format.h>

#include "tests/tools/sandbox.hpp"

namespace gradproof {
namespace {

using testing::ProgramRun;
using testing::Sandbox;
using Json = nlohmann::json;

struct Slip {
    const char* op;
    const char* tensor;
    const char* kind;
    const char* text;
    const char* repair;
};
constexpr Slip kSlips[] = {
    {"forgets_the_derivative", "d(a)", "missing_chain_factor", "the factor (1 - y^2) is missing", "multiply d(a) by (1 - y^2)"},
    {"takes_x_for_y", "d(a)", "wrong_slope", "claimed = (1 - a^2) dy, true = (1 - y^2) dy", "use (1 - y^2), not (1 - a^2)"},
    {"forgets_a_square", "d(a)", "missing_chain_factor", "the factor (1 + y) is missing", "multiply d(a) by (1 + y)"},
    {"ignores_the_cotangent", "d(a)", "cotangent_ignored", "dy is not used", "multiply by dy"},
    {"turns_the_sign", "d(a)", "sign", "claimed = -true", "negate d(a)"},
    {"adds_twice", "d(a)", "factor", "claimed = 2 * true", "multiply d(a) by 1/2"},
    {"hands_back_nothing", "d(a)", "missing_path", "claimed is zero everywhere", "hand back d(a)"},
    {"is_off_by_one_row", "d(a)", "shifted", "axis 0 is shifted by 1", "its own index"},
    {"transposes", "d(a)", "transpose", "axes 0 and 1 are swapped", "transpose d(a)"},
    {"forgets_the_last_row", "d(a)", "missing_sum", "the last index of axis 0 of dy is left out", "every index of axis 0"},
    {"uses_the_cotangent_twice", "d(a)", "missing_chain_factor", "dy enters twice", ""},
    {"forgets_the_row_term", "d(a)", "missing_row_term", "the term - y sum(dy y) along axis 1 is missing",
     "subtract y sum(dy y) from d(a)"},
    {"means_the_row_term", "d(a)", "wrong_row_term", "the term y sum(dy y) along axis 1 is a mean, not a sum",
     "do not divide it"},
    {"keeps_the_diagonal_only", "d(a)", "diagonal_only", "only the diagonal of the Jacobian is used", ""},
    {"forgets_the_scale", "d(a)", "factor", "claimed = 1/scale * true", "multiply d(a) by scale"},
    {"squares_the_scale", "d(a)", "factor", "claimed = scale * true", "multiply d(a) by 1/scale"},
    {"forgets_the_broadcast_sum", "d(b)", "missing_sum", "only the first term is there", "sum d(b) over the axes"},
    {"means_the_broadcast", "d(b)", "mean_for_sum", "not the sum", "sum d(b)"},
    {"exchanges_the_inputs", "d(a)", "wrong_name", "it is the gradient of b, handed to a", "hand back d(a) here"},
    {"adds_both_to_one", "d(a)", "wrong_name", "it holds d(b) as well", "hand d(b) to b"},
    {"forgets_the_root", "d(a)", "factor", "claimed = sqrt(a.shape[-1]) * true", "multiply d(a) by 1/sqrt(a.shape[-1])"},
    {"divides_by_the_size", "d(a)", "factor", "claimed = 1/sqrt(a.shape[-1]) * true", "multiply d(a) by sqrt(a.shape[-1])"},
    {"transposes_the_cotangent", "d(a)", "transpose", "axes 0 and 1 of dy are swapped", "transpose dy"},
    {"forgets_to_divide", "d(a)", "factor", "claimed = a.shape[-1] * true", "multiply d(a) by 1/a.shape[-1]"},
    {"divides_by_one_less", "d(a)", "factor", "claimed = a.shape[-1]/(a.shape[-1] - 1) * true",
     "multiply d(a) by (a.shape[-1] - 1)/a.shape[-1]"},
    {"leaks_through_the_mask", "d(a)", "mask_leak", "and there the true gradient is 0", "set d(a) to 0 there"},
};
void PrintTo(const Slip& s, std::ostream* out) { *out << s.op; }

class SandboxSlip : public Sandbox, public ::testing::WithParamInterface<Slip> {};

TEST_P(SandboxSlip, IsNamedAndMended) {
    const Slip& s = GetParam();
    const Json op = json_of(check("slips", std::string("--json --op ") + s.op))["ops"].at(0);
    int wrong = 0;
    for (const Json& sample : op["contracts"][0]["samples"]) {
        if (sample["verdict"] != "wrong") continue;
        ++wrong;
        ASSERT_TRUE(sample.contains("diagnoses")) << sample.dump(1);
        const Json& why = sample["diagnoses"].at(0);
        EXPECT_EQ(why["tensor"], s.tensor);
        EXPECT_EQ(why["kind"], s.kind) << why.dump(1);
        EXPECT_NE(why["text"].get<std::string>().find(s.text), std::string::npos) << why.dump(1);
        EXPECT_NE(why.value("repair", "").find(s.repair), std::string::npos) << why.dump(1);
    }
    EXPECT_GT(wrong, 0);
    const std::string text = check("slips", std::string("--op ") + s.op).text;
    const std::size_t why = text.find(fmt::format("\n      why: {}: ", s.tensor));
    ASSERT_NE(why, std::string::npos) << text;
    EXPECT_NE(text.find(s.text, why), std::string::npos) << text;
}
INSTANTIATE_TEST_SUITE_P(Sandbox, SandboxSlip, ::testing::ValuesIn(kSlips),
                         [](const auto& p) { return std::string(p.param.op); });

TEST_F(Sandbox, WhatIsNotAboutAGradientHasNoDiagnosis) {
    const ProgramRun r =
        check("broken", "--op breaks_saved --op breaks_needed --op breaks_linear --op tiny --plugin " + plugin("tiny"));
    EXPECT_EQ(r.text.find("why:"), std::string::npos) << r.text;
    const std::string adjoint = check("broken", "--op breaks_adjoint").text;
    EXPECT_NE(adjoint.find("why: d(b): only the entry [0, 4] is off"), std::string::npos) << adjoint;
}

}  // namespace
}  // namespace gradproof
