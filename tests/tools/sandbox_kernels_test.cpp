// Kernels out of the tree: the report names the contract that each breaks, apart from its page, and what cannot be attached is
// refused.
#include "gradproof/core/check/report.hpp"
#include "tests/expected_mark.hpp"
#include "tests/tools/sandbox.hpp"

namespace gradproof {
namespace {

using testing::expect_one_line;
using testing::ProgramRun;
using testing::Sandbox;
using Json = nlohmann::json;

TEST_F(Sandbox, TheReadmesKernelIsRight) {
    const ProgramRun r = check("readme_kernel");
    EXPECT_EQ(r.status, 0) << r.text;
    EXPECT_NE(r.text.find("relu: fast_relu "), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("1 op: 1 right, 0 wrong, 0 cannot tell; 2 kernels: 2 right, 0 wrong, 0 cannot tell"), std::string::npos)
        << r.text;
}

TEST_F(Sandbox, OneWithoutAPageIsHeldToItsOwnDifferencesOrToADerivation) {
    const std::string library = copy_of("readme_square");
    const auto checked = [&] { return run("check --time-limit 280 --plugin " + library); };
    const ProgramRun alone = checked();
    EXPECT_EQ(alone.status, 0) << alone.text;
    EXPECT_NE(alone.text.find("square: no page"), std::string::npos) << alone.text;
    EXPECT_NE(alone.text.find("; against differences of its own forward: the weaker evidence"), std::string::npos) << alone.text;
    const auto beside = [&](const std::string& value) {
        std::ofstream(dir_ / "square.proof") << "dims n m\ninput X [n, m]\nforward\n  Y = " << value << "\n";
        return checked();
    };
    const ProgramRun right = beside("X ⊙ X"), wrong = beside("X ⊙ X ⊙ X");
    EXPECT_EQ(right.status, 0) << right.text;
    EXPECT_NE(right.text.find("; against " + (dir_ / "square.proof").string()), std::string::npos) << right.text;
    EXPECT_EQ(right.text.find("weaker"), std::string::npos) << right.text;
    EXPECT_EQ(wrong.status, 1) << wrong.text;
    EXPECT_NE(wrong.text.find("the forward is at fault: y of the op (claimed) is not that of"), std::string::npos) << wrong.text;
    const std::string proof = (dir_ / "uses.proof").string();
    std::ofstream(proof) << "dims n\ninput X [n]\nforward\n  Y = square(X)\nclaim\n  dX = 2 X ⊙ dY\n";
    const ProgramRun used = run("check --plugin " + library + " " + proof);
    EXPECT_NE(used.status, 0) << used.text;
    EXPECT_NE(used.text.find("square: it has no page"), std::string::npos) << used.text;
}

/// What a report must say of a kernel that breaks one contract.
struct KernelBreach {
    const char* kernel;
    const char* contract;  ///< "" for none
    const char* sample;    ///< part of its name
    const char* reason;
};
constexpr KernelBreach kKernelBreaches[] = {
    {"right", "", "", ""},
    {"breaks_value", "value", "matrix", "y of the kernel (claimed) is not the page's (true), as double"},
    {"breaks_float_value", "value", "matrix", "y of the kernel (claimed) is not the page's (true), as float"},
    {"breaks_gradient", "gradient", "matrix", "d(a) of the kernel (claimed) is not the page's (true), as double"},
    {"saves_another", "saved", "matrix", "saved b of the kernel (claimed) is not the page's (true), as double"},
    {"drops_nan", "special values", "matrix", "y is 0 by the kernel and nan by the page, as double, with nan in a"},
    {"breaks_size_1", "value", "as 1", "y of the kernel"},
    {"breaks_size_100000", "value", "as 100000", "y of the kernel"},
    {"breaks_middling_sizes", "value", "as 67", "y of the kernel"},
    {"breaks_whole_blocks", "value", "as 64", "y of the kernel"},
    {"breaks_tiles", "value", "3 as 65, 5 as 66", "y of the kernel"},
    {"breaks_linear", "linear", "matrix", "a zero cotangent gives a gradient that is not zero"},
    {"breaks_needed", "needed", "matrix", "guard it with dx.needs(0)"},
    {"breaks_unchanged", "unchanged", "matrix", "saved scratch is changed"},
    {"breaks_errors", "errors", "shapes", "nothing is thrown"},
    {"breaks_layout", "layout", "matrix", "when the cotangent is a view"},
    {"breaks_deterministic", "deterministic", "matrix", "with 4 threads"},
    {"breaks_independent", "independent", "matrix", "d(b) has other bits when a call with other inputs"},
    {"breaks_in_bounds", "in bounds", "matrix", "the backward writes before the start of d(a): element -1 of [3, 5]"},
    {"takes_nothing", "value", "all samples", "the kernel takes no sample of the page: nothing was compared"},
};

/// What the report shows of a contract where `broken` is the only one that is.
std::string mark(const std::string& contract, const std::string& broken) {
    const auto by_name = [](const std::string& name) {
        const auto at = std::find_if(check::kKernelContracts.begin(), check::kKernelContracts.end(),
                                     [&](check::Contract c) { return check::name(c) == name; });
        return at != check::kKernelContracts.end() ? *at : check::Contract::kernel_value;
    };
    return broken.empty() ? "+" : std::string(1, check::expected_mark(by_name(contract), by_name(broken)));
}

TEST_F(Sandbox, EachBrokenKernelBreaksItsContractAndNoOther) {
    const ProgramRun r = check("kernels", "--json --op held");
    EXPECT_EQ(r.status, 1);
    const Json op = json_of(r)["ops"].at(0);
    for (const Json& c : op["contracts"]) EXPECT_EQ(c["mark"], "+") << c.dump(1);  // the page is right
    ASSERT_EQ(op["kernels"].size(), std::size(kKernelBreaches));
    for (const KernelBreach& b : kKernelBreaches) {
        SCOPED_TRACE(b.kernel);
        const auto found =
            std::find_if(op["kernels"].begin(), op["kernels"].end(), [&](const Json& k) { return k["kernel"] == b.kernel; });
        ASSERT_NE(found, op["kernels"].end());
        const Json& kernel = *found;
        EXPECT_EQ(kernel["file"], "kernels.cpp");
        const bool nothing = std::string_view(b.kernel) == "takes_nothing", right = std::string_view(b.contract).empty();
        EXPECT_EQ(kernel["verdict"], right ? "right" : nothing ? "cannot tell" : "wrong");
        EXPECT_EQ(kernel["samples"], nothing ? 0 : 1);
        for (const Json& c : kernel["contracts"]) {
            const bool broken = c["name"] == b.contract;
            if (!nothing) {
                EXPECT_EQ(c["mark"], mark(c["name"], b.contract)) << c.dump(1);
            }
            if (!broken) continue;
            const Json* wrong = nullptr;
            for (const Json& s : c["samples"])
                if (wrong == nullptr && s["verdict"] != "right") wrong = &s;
            ASSERT_NE(wrong, nullptr);
            EXPECT_NE((*wrong)["sample"].get<std::string>().find(b.sample), std::string::npos) << wrong->dump(1);
            EXPECT_NE((*wrong)["reason"].get<std::string>().find(b.reason), std::string::npos) << wrong->dump(1);
        }
    }
    if (testing::kSanitized) return;  // a second run takes a minute there
    const std::string text = check("kernels", "--op held").text;
    EXPECT_NE(text.find("X held: kernel breaks_value: value, sample \"matrix\": wrong: y of the kernel"), std::string::npos)
        << text;
    EXPECT_NE(text.find("worst entry y[1, 2]: claimed "), std::string::npos) << text;
    EXPECT_NE(text.find("; 20 kernels: 1 right, 18 wrong, 1 cannot tell"), std::string::npos) << text;
}

TEST_F(Sandbox, AKernelOfAnOpOfTheLibraryIsCheckedBesideItsOwn) {
    const ProgramRun r = check("kernels", "--json --op relu");
    EXPECT_EQ(r.status, 1);
    const Json op = json_of(r)["ops"].at(0);
    for (const Json& c : op["contracts"]) EXPECT_EQ(c["mark"], "+") << c.dump(1);
    ASSERT_EQ(op["kernels"].size(), 2u);
    EXPECT_EQ(op["kernels"][0]["kernel"], "careless");  // the one attached last is asked first
    EXPECT_EQ(op["kernels"][0]["types"], Json({"float"}));
    EXPECT_EQ(op["kernels"][0]["directions"], Json({"forward"}));
    EXPECT_EQ(op["kernels"][0]["verdict"], "wrong");
    EXPECT_EQ(op["kernels"][1]["kernel"], "simd");
    EXPECT_EQ(op["kernels"][1]["verdict"], "right");
    if (testing::kSanitized) return;  // further runs take a minute there
    const std::string text = check("kernels", "--op relu").text;
    EXPECT_NE(text.find("y is 0 by the kernel and nan by the page, as float, with nan in x"), std::string::npos) << text;
    const Json all = json_of(check("kernels", "--json"))["ops"];
    std::vector<std::string> names;
    for (const Json& each : all) names.push_back(each["op"]);
    EXPECT_EQ(names, (std::vector<std::string>{"crashing", "held", "relu", "throwing"}));  // all that the plugin has to do with
}

TEST_F(Sandbox, AKernelThatThrowsIsQuotedAndOneThatCrashesIsNamed) {
    const std::string threw = check("kernels", "--op throwing").text;
    EXPECT_NE(threw.find("kernel throws: value, sample \"matrix\": wrong: threw \"no luck today\""), std::string::npos) << threw;
    EXPECT_NE(threw.find(
                  "threw \"throwing: kernel throws_in_predicate cannot say whether it fits: its predicate threw \"undecided\"\""),
              std::string::npos)
        << threw;
    const ProgramRun crashed = check("kernels", "--json --op crashing");
    EXPECT_EQ(crashed.status, 1);
    const Json op = json_of(crashed)["ops"].at(0);
    EXPECT_EQ(op["failure"], "crashed by signal 11 (Segmentation fault)");
    ASSERT_EQ(op["kernels"].size(), 1u);
    EXPECT_EQ(op["kernels"][0]["kernel"], "segfaults");
    EXPECT_EQ(op["kernels"][0]["contracts"][0]["mark"], "X");
}

TEST_F(Sandbox, ADerivationRunsByTheKernelThatIsNamed) {
    const std::string file = (dir_ / "held.proof").string();
    std::ofstream(file) << "dims n m\ninput A [n, m], B [n, m]\nforward\n  Y = held(A, B)\nclaim\n"
                        << "  dA = dY ⊙ held(A, B) / A\n";  // right where held(A, B) is what its page says
    const auto with = [&](const std::string& kernel) { return check("kernels", "--kernel " + kernel + " " + file); };
    for (const std::string kernel : {"page", "right"}) EXPECT_EQ(with(kernel).status, 0) << with(kernel).text;
    const ProgramRun wrong = with("breaks_value");  // the exact derivatives are by the page
    EXPECT_EQ(wrong.status, 3);
    EXPECT_NE(wrong.text.find("the two oracles disagree about A"), std::string::npos) << wrong.text;
    expect_one_line(with("breaks_valu"), "no kernel named breaks_valu; did you mean breaks_value");
    expect_one_line(run("check --proof attention --kernel breaks_value"), "no kernel named breaks_value");
    expect_one_line(check("kernels", "--kernel right"), "check: --kernel goes with derivations, not with ops");
}

TEST_F(Sandbox, AKernelThatCannotBeAttachedIsRefused) {
    expect_one_line(check("lost_kernel"), "kernel fast of sofmax (lost_kernel.cpp): no op named sofmax; did you mean softmax");
    expect_one_line(check("second_kernel"),
                    "kernel simd of softmax is attached twice: by ops/kernels/softmax.cpp and by lost_kernel.cpp");
}

}  // namespace
}  // namespace gradproof
