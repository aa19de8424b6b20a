// Slips in ops as they are written outside the tree: what a report must say of each stands here, what it says in ops/README.md.
#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "tests/tools/sandbox.hpp"

namespace gradproof {
namespace {

using testing::Sandbox;
using Json = nlohmann::json;

/// A slip and what names it: the words that must be found where anything is said of one of these gradients.
struct OutsideSlip {
    const char* op;
    const char* tensors;
    const char* words;   ///< in the text, one of these, "" where no name is asked for
    const char* repair;  ///< in the repair
};
constexpr OutsideSlip kOutsideSlips[] = {
    {"swish_lacks_product_term", "d(x)", "of the product rule the term x d(y / x)/dx dy is missing", "add it"},
    {"swish_forgets_beta_in_term", "d(x)", "the term x d(y / x)/dx dy is there 1/beta times", "multiply it by beta"},
    {"swish_forgets_factor_in_term", "d(x)", "in the term x d(y / x)/dx dy the factor (y / x) is missing",
     "multiply it by (y / x)"},
    {"swish_lacks_first_term", "d(x)", "of the product rule the term (y / x) dy is missing", "add it"},
    {"gelu_rounds_constant", "d(x)", "a constant in it is rounded", ""},
    {"gelu_forgets_inner_constant", "d(x)", "the term x d(y / x)/dx dy is there 1.25331 times", "divide it by 1.25331"},
    {"gelu_lacks_product_term", "d(x)", "of the product rule the term x d(y / x)/dx dy is missing", "add it"},
    {"group_norm_takes_gain_by_group", "d(x)", "gain taken at the number of the group", "take gain at the index of each entry"},
    {"group_norm_lacks_mean_path", "d(x)", "the path through the mean of x over groups of", "add it"},
    {"group_norm_lacks_variance_path", "d(x)", "the path through the variance of x over groups of", "add it"},
    {"group_norm_counts_places_only", "d(x)", "are there 2 times: is the count right?", "multiply them by 1/2"},
    {"group_norm_forgets_gain", "d(x)", "gain is left out", "use gain in the backward"},
    {"group_norm_sums_gain_by_group", "d(gain)", "each entry holds the sum over its group", "keep one entry of d(gain)"},
    {"conv_flips_kernel", "d(x)", "with axis 0 of w reversed", "take w in the order in which the forward does"},
    {"conv_flips_dw", "d(w)", "axis 0 is reversed", ""},
    {"conv_shifts_dx", "d(x)", "axis 0 is shifted by 1", "start axis 0 of d(x) at its own index"},
    {"conv_forgets_dilation", "d(x)", "it is the gradient for dilation=1, not for dilation=2", "use the attribute"},
    {"conv_means_db", "d(b)", "the mean over the axes along which b is broadcast", "sum d(b) over them"},
    {"loss_forgets_smoothing", "d(scores)", "it is the gradient for smoothing=0, not for", "use "},
    {"loss_smooths_the_others_only", "d(scores)", "smoothing over scores.shape[-1] - 1 in the place of scores.shape[-1]", "use"},
    {"loss_keeps_whole_onehot", "d(scores)", "there claimed has smoothing/scores.shape[-2] dy too little", "add"},
    {"loss_counts_classes", "d(scores)", "claimed = scores.shape[-2]/scores.shape[-1] * true",
     "scores.shape[-1]/scores.shape[-2]"},
    {"rotary_turns_the_same_way", "d(x)", "dy goes through the forward map", "of a rotation the opposite angle"},
    {"rotary_pairs_neighbours", "d(x)", "the pairs of dy are (2i, 2i + 1), and those of the forward (i, i + ",
     "in the backward too"},
    {"rotary_takes_next_position", "d(x)", "index i of axis 0 of dy goes back as if it stood at i + 1", "at which it stands"},
    {"rotary_one_sign", "d(x)", "there what comes from other entries of dy has the wrong sign", "turn the sign"},
    {"rotary_takes_another_base", "d(x)", "(a tenth of base)", "use base="},
    {"rms_norm_lacks_mean_square_path", "d(x)", "the path through the mean square of x along axis 1 is missing", "add it"},
    {"rms_norm_forgets_gain", "d(x)", "gain is left out", "use gain in the backward"},
    {"rms_norm_takes_x_for_xhat", "d(gain)", "claimed = sum of dy x, true = sum of dy (y / gain)", "use (y / gain), not x"},
    {"rms_norm_sums_for_mean", "d(x)", "there x.shape[-1] times: is the count right?", "multiply it by 1/x.shape[-1]"},
    {"rms_norm_forgets_eps", "d(x)", "it is the gradient for eps=0, not for", "use eps="},
    {"huber_forgets_delta_outside", "d(x) d(target)", "those where abs(x - target) > delta: there claimed = 1/delta * true",
     "by delta there"},
    {"huber_never_clips", "d(x) d(target)", "it is the gradient for no bound of delta|claimed = (x - target) dy", ""},
    {"huber_doubles_inside", "d(x) d(target)", "those where abs(x - target) < delta: there claimed = 2 * true", "by 1/2 there"},
    {"huber_turns_no_sign", "d(target)", "claimed = -true", "negate d(target)"},
    {"attention_forgets_scale_in_dk", "d(k)", "claimed = sqrt(q.shape[-1]) * true", "1/sqrt(q.shape[-1])"},
    {"attention_forgets_bias", "d(q) d(k) d(v) d(bias)", "bias is left out", "use bias in the backward"},
    {"attention_keeps_first_of_batch", "d(bias)", "only the first index of axis 0 of dy is used", "every index of axis 0"},
    {"attention_lacks_row_term", "d(bias)", "the true gradient adds up to 0 and the claimed one does not", ""},
    {"attention_takes_scores_for_weights", "d(v)", "", ""},
};
struct Op {
    const char* right;  ///< the op as it should be
    const char* slips;  ///< how the names of its slips begin
};
constexpr Op kOps[] = {{"my_swish", "swish_"},       {"my_gelu", "gelu_"},          {"my_group_norm", "group_norm_"},
                       {"my_conv", "conv_"},         {"my_smoothed_loss", "loss_"}, {"my_rotary", "rotary_"},
                       {"my_rms_norm", "rms_norm_"}, {"my_huber", "huber_"},        {"my_biased_attention", "attention_"}};
void PrintTo(const Op& op, std::ostream* out) { *out << op.right; }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
bool has_one_of(const std::string& text, std::string_view parts) {
    const std::size_t end = parts.find('|');
    return has(text, parts.substr(0, end)) || (end != std::string_view::npos && has_one_of(text, parts.substr(end + 1)));
}

/// What is said of the gradients of an op, each text once.
struct Said {
    bool named = false, misleading = false;
    std::string text;  ///< the first, with its repair
};
Said said_of(const Json& op, const OutsideSlip& slip) {
    Said out;
    for (const Json& sample : op["contracts"][0]["samples"])
        for (const Json& why : sample.value("diagnoses", Json::array())) {
            const std::string text = why["text"], repair = why.value("repair", "");
            const bool right = *slip.words != 0 && has(slip.tensors, why["tensor"].get<std::string>()) &&
                               has_one_of(text, slip.words) && has(repair, slip.repair);
            out.named = out.named || right;
            out.misleading = out.misleading || !right;
            if (out.text.empty() || !right)
                out.text = fmt::format("{}: {}{}", why["tensor"].get<std::string>(), text, repair.empty() ? "" : "; " + repair);
        }
    return out;
}

class SandboxOutside : public Sandbox, public ::testing::WithParamInterface<Op> {};

/// With sanitizers the op itself and its first slip.
TEST_P(SandboxOutside, SlipsAreNamedAndNothingMisleads) {
    std::vector<const OutsideSlip*> slips;
    std::string words = fmt::format("--json --op {}", GetParam().right);
    for (const OutsideSlip& slip : kOutsideSlips) {
        if (!std::string_view(slip.op).starts_with(GetParam().slips) || (testing::kSanitized && !slips.empty())) continue;
        slips.push_back(&slip);
        words += fmt::format(" --op {}", slip.op);
    }
    std::map<std::string, Json> ops;
    const Json report = json_of(check("outside", words));
    for (const Json& op : report["ops"]) ops[op["op"]] = op;
    EXPECT_EQ(ops.at(GetParam().right)["verdict"], "right") << ops.at(GetParam().right).dump(1);
    std::ifstream in(GRADPROOF_SOURCE_DIR "/ops/README.md");
    const std::string readme{std::istreambuf_iterator<char>(in), {}};
    for (const OutsideSlip* slip : slips) {
        const Json& op = ops.at(slip->op);
        EXPECT_EQ(op["verdict"], "wrong") << slip->op;
        const Said said = said_of(op, *slip);
        EXPECT_FALSE(said.misleading) << slip->op << " is said to be: " << said.text;
        EXPECT_EQ(said.named, *slip->words != 0) << slip->op << " is said to be: " << said.text;
        const std::string row = fmt::format("| `{}` | {} |\n", slip->op, said.text.empty() ? "no reason is given" : said.text);
        EXPECT_TRUE(has(readme, row)) << "write into ops/README.md:\n" << row;
    }
}
INSTANTIATE_TEST_SUITE_P(Sandbox, SandboxOutside, ::testing::ValuesIn(kOps),
                         [](const auto& p) { return std::string(p.param.right); });

TEST(OutsideSlips, TheReadmeCountsThem) {
    const auto named =
        std::count_if(std::begin(kOutsideSlips), std::end(kOutsideSlips), [](const OutsideSlip& s) { return *s.words != 0; });
    std::ifstream in(GRADPROOF_SOURCE_DIR "/ops/README.md");
    const std::string readme{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(has(readme, fmt::format("{} of {} are named", named, std::size(kOutsideSlips))));
}

}  // namespace
}  // namespace gradproof
