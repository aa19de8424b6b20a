// Each contract is seen to fail: one op with one planted defect at a time, which breaks that contract and no other.
#include "gradproof/core/check/contracts.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gradproof/core/check/mutation.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "tests/expected_mark.hpp"

namespace gradproof::check {
namespace {

enum class Defect {
    none,
    gradient_slightly_off,  // 1: below what differences can see
    dual_value_off,         // 2
    term_nobody_follows,    // 3: neither the backward nor the duals see it
    float_off,              // 4
    answers_zero,           // 5: a zero cotangent gives 1
    unguarded,              // 6
    writes_saved,           // 7
    saves_undeclared,       // 8
    saves_hidden,           // 8
    holds_input,            // 8
    first_order_only,       // 9
    no_error,               // 10
    nameless_error,         // 10
    late_error,             // 10
    view_confused,          // 11
    thread_dependent,       // 12
    false_excuse,           // 13
    one_entry,              // 1, 3 ...: for the report
    unwritten,              // 6 ...: an entry left as it was allocated
    forgets_tangent,        // the duals are wrong, the backward is right
    static_buffer,          // 14
    past_the_end,           // 15: in the forward
    before_the_start,       // 15: in the backward
    past_a_scratch,         // 15: of a tensor that the backward makes for itself
    reads_beside,           // 15
    writes_cotangent,       // 7
    value_unwritten,        // 6
    random,                 // 12
    value_not_a_number,     // 2
    gradient_not_a_number,  // 1
    no_samples,             // nothing to check
    zero_samples,           // nothing but zero gradients
};

template <class T>
std::vector<T> last_seen;  ///< a of the call that ran last

template <class T>
void strip(Tensor<T>& x) {
    if constexpr (is_dual<T>)
        for (T& v : x) v.tangent = 0;
}

Defect planted = Defect::none;

/// y = a b^2, with the planted defect; Layout is the one of its saved tensors, if any.
template <Defect Layout>
struct Model {
    static constexpr OpInfo info{.name = "model",
                                 .inputs = "a b",
                                 .forward = "y = a b^2",
                                 .backward = "da = b^2 dy; db = 2 a b dy",
                                 .saves = Layout == Defect::writes_saved  ? "a b scratch"
                                          : Layout == Defect::holds_input ? "b"
                                                                          : "a b",
                                 .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> a, b, scratch;
        static void fields(auto& s, auto&& f) {
            if constexpr (Layout != Defect::holds_input) f("a", s.a);
            f("b", s.b);
            if constexpr (Layout == Defect::writes_saved || Layout == Defect::saves_undeclared) f("scratch", s.scratch);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>& saved) {
        if (planted == Defect::late_error) Tensor<T> work(x[0].shape());
        if (!(x[0].shape() == x[1].shape()) && planted != Defect::no_error) {
            if (planted == Defect::nameless_error) shape_error("shapes differ");
            shape_error("model: shapes differ: a is {}, b is {}", x[0].shape(), x[1].shape());
        }
        saved.a = x[0];
        saved.b = x[1];
        if (Layout == Defect::writes_saved || Layout == Defect::saves_undeclared || planted == Defect::saves_hidden)
            saved.scratch = x[0].clone();
        Tensor<T> y(x[0].shape());
        for (Index i = 0; i < std::min(y.size(), x[1].size()); ++i) {
            if (planted == Defect::value_unwritten && i == 2) continue;
            y[i] = saved.a[i] * saved.b[i] * saved.b[i];
            if (planted == Defect::value_not_a_number && i == 2) y[i] = T(NAN);
            if (planted == Defect::term_nobody_follows) y[i] += T(0.01 * std::sin(static_cast<double>(primal(saved.a[i]))));
            if constexpr (is_dual<T>) {
                if (planted == Defect::dual_value_off) y[i].value *= 1 + 1e-13;
                if (planted == Defect::forgets_tangent) y[i].tangent *= 0.5;
            }
        }
        if (planted == Defect::static_buffer) last_seen<T>.assign(saved.a.begin(), saved.a.end());
        if (planted == Defect::past_the_end) y.data()[y.size()] = T(1);
        return y;
    }

    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        Tensor<T> a = saved.a.clone(), b = saved.b.clone();
        if (planted == Defect::static_buffer) std::copy(last_seen<T>.begin(), last_seen<T>.end(), a.begin());
        if (planted == Defect::past_a_scratch) b.data()[b.size() + 1] += T(1);
        if (planted == Defect::reads_beside && b.size() > 0) a[0] += b.data()[b.size()];
        if (planted == Defect::first_order_only) {
            strip(a);
            strip(b);
        }
        const Index n = dy.size();
        Tensor<T> da(dy.shape()), db(dy.shape());
        for (Index i = 0; i < n; ++i) {
            if (planted == Defect::unwritten && i == n - 1) continue;
            da[i] = b[i] * b[i] * dy[i];
            db[i] = T(2) * a[i] * b[i] * dy[i];
        }
        if (planted == Defect::before_the_start) da.data()[-1] = T(1);
        if (planted == Defect::writes_cotangent) {
            Tensor<T> shared = dy;
            for (T& v : shared) v *= T(2);
        }
        T factor(1);
        static int calls = 0;
        if (planted == Defect::random) factor = T(1 + 1e-3 * (++calls % 7));
        if (planted == Defect::gradient_slightly_off) factor = T(1 + 1e-10);
        if (planted == Defect::float_off && std::is_same_v<T, float>) factor = T(1.0001);
        if (planted == Defect::view_confused && dy.is_view()) factor = T(2);
        if (planted == Defect::thread_dependent && threads() == 4) factor = T(1 + 1e-6);
        for (T& v : da) v *= factor;
        for (T& v : db) v *= factor;
        if (planted == Defect::answers_zero) {
            bool zero = true;
            for (const T& d : dy) zero = zero && d == T(0);
            for (T& v : db) v = zero ? T(1) : v;
        }
        if (planted == Defect::gradient_not_a_number && n > 4) db[4] = T(NAN);
        if (planted == Defect::one_entry && n > 4) db[4] *= T(2);
        if constexpr (Layout == Defect::writes_saved) {
            Tensor<T> scratch = saved.scratch;
            if (n > 0) scratch[0] += T(1);
        }
        if (dx.needs(0) || planted == Defect::unguarded) dx.add(0, da);
        if (dx.needs(1)) dx.add(1, db);
    }

    static std::vector<Sample<Model>> samples() {
        if (planted == Defect::no_samples) return {};
        if (planted == Defect::zero_samples)
            return {{"zero",
                     {},
                     {zeros<double>({2, 3}), zeros<double>({2, 3})},
                     {.zero_gradient = true, .why = "the slope is 0 at 0"}}};
        std::vector<Sample<Model>> out{{"matrix", {}, {{3, 5}, {3, 5}}},
                                       {"size 0", {}, {{0, 2}, {0, 2}}, {.zero_gradient = true, .why = "no entries"}}};
        if (planted == Defect::false_excuse)
            out.push_back({"claimed flat", {}, {{4}, {4}}, {.zero_gradient = true, .why = "so it is said"}});
        return out;
    }
    static std::vector<ErrorSample<Model>> error_samples() { return {{"shapes", {}, {{2, 3}, {3, 2}}, "a is [2, 3]"}}; }
};

template <Defect Layout = Defect::none>
const OpEntry& model() {
    static const OpEntry entry = make_entry<Model<Layout>>("tests/model.cpp");
    return entry;
}
const OpEntry& model_of(Defect defect) {
    switch (defect) {
        case Defect::writes_saved: return model<Defect::writes_saved>();
        case Defect::saves_undeclared: return model<Defect::saves_undeclared>();
        case Defect::holds_input: return model<Defect::holds_input>();
        default: return model();
    }
}

Report check_model(Defect defect) {
    planted = defect;
    Report report = check_ops({&model_of(defect)}, {.seed = 1});
    planted = Defect::none;
    return report;
}

/// The report names the contract; every other one holds, or comes later.
ContractResult breaks_only(Defect defect, Contract expected) {
    const Report report = check_model(defect);
    const OpReport& op = report.ops.front();
    for (int c = 0; c < kContracts; ++c)
        EXPECT_EQ(op.mark(static_cast<Contract>(c)), expected_mark(static_cast<Contract>(c), expected))
            << name(static_cast<Contract>(c)) << '\n'
            << table(report, {});
    EXPECT_EQ(report.verdict(), Verdict::wrong);
    EXPECT_NE(table(report, {}).find(std::to_string(number(expected)) + " " + std::string(name(expected))), std::string::npos);
    for (const ContractResult& f : op.findings)
        if (f.verdict == Verdict::wrong) return f;
    return {};
}

TEST(Contract, AllHoldForARightOp) {
    const Report report = check_model(Defect::none);
    for (int c = 0; c < kContracts; ++c)
        EXPECT_EQ(report.ops[0].mark(static_cast<Contract>(c)), '+') << name(static_cast<Contract>(c)) << '\n'
                                                                     << table(report, {});
    EXPECT_EQ(report.verdict(), Verdict::right);
    EXPECT_GT(report.ops[0].planted(), 30);
    EXPECT_EQ(report.ops[0].caught(), report.ops[0].planted());
}

TEST(Contract, AdjointSeesAGradientTooCloseForDifferences) {
    const ContractResult f = breaks_only(Defect::gradient_slightly_off, Contract::adjoint);
    ASSERT_TRUE(f.worst);
    EXPECT_NEAR(f.worst->ratio(), 1 + 1e-10, 1e-13);
    EXPECT_GT(f.census[0].off, 7);  // the others are below a hundredth of the largest: 1e-10 of them is within 1e-12 of it
}
TEST(Contract, DualValueSeesAnotherForward) { EXPECT_TRUE(breaks_only(Defect::dual_value_off, Contract::dual_value).worst); }
/// Dual numbers agree with the backward: on differences alone nothing is wrong.
TEST(Contract, DifferenceSeesATermNobodyFollowsAndCannotTell) {
    const Report report = check_model(Defect::term_nobody_follows);
    const OpReport& op = report.ops.front();
    for (int c = 0; c < kContracts; ++c)
        EXPECT_EQ(op.mark(static_cast<Contract>(c)), static_cast<Contract>(c) == Contract::difference ? '?' : '+') << c;
    EXPECT_EQ(report.verdict(), Verdict::cannot_tell);
    const ContractResult& f = *op.of(Contract::difference).front();
    EXPECT_NE(f.reason.find("the oracles disagree at d(a)"), std::string::npos) << f.reason;
    ASSERT_TRUE(f.worst);
    EXPECT_EQ(f.worst->tensor, "d(a)");
}
TEST(Contract, FloatErrorSeesASloppyFloatPath) {
    EXPECT_NEAR(breaks_only(Defect::float_off, Contract::float_error).worst->ratio(), 1.0001, 1e-5);
}
TEST(Contract, LinearSeesAnAnswerToNothing) {
    EXPECT_EQ(breaks_only(Defect::answers_zero, Contract::linear).worst->claimed, 1.0);
}
TEST(Contract, NeededSeesUnguardedWork) {
    EXPECT_NE(breaks_only(Defect::unguarded, Contract::needed).reason.find("dx.needs(0)"), std::string::npos);
}
TEST(Contract, UnchangedSeesAWriteIntoASavedTensor) {
    EXPECT_EQ(breaks_only(Defect::writes_saved, Contract::unchanged).worst->tensor, "saved scratch");
}
TEST(Contract, SavedSeesAnUndeclaredField) {
    EXPECT_NE(breaks_only(Defect::saves_undeclared, Contract::saved).reason.find("scratch is saved but not declared"),
              std::string::npos);
}
TEST(Contract, SavedSeesHiddenMemory) {
    EXPECT_NE(breaks_only(Defect::saves_hidden, Contract::saved).reason.find("bytes that it does not declare"),
              std::string::npos);
}
TEST(Contract, SavedSeesAnInputHeldInSecret) {
    EXPECT_NE(breaks_only(Defect::holds_input, Contract::saved).reason.find("holds on to a"), std::string::npos);
}
TEST(Contract, SecondOrderSeesABackwardThatDropsTangents) { breaks_only(Defect::first_order_only, Contract::second_order); }
TEST(Contract, ErrorsSeesAMissingError) {
    EXPECT_NE(breaks_only(Defect::no_error, Contract::errors).reason.find("nothing is thrown"), std::string::npos);
}
TEST(Contract, ErrorsSeesANamelessError) {
    EXPECT_NE(breaks_only(Defect::nameless_error, Contract::errors).reason.find("op's name"), std::string::npos);
}
TEST(Contract, ErrorsSeesWorkBeforeTheError) {
    EXPECT_NE(breaks_only(Defect::late_error, Contract::errors).reason.find("after work"), std::string::npos);
}
TEST(Contract, LayoutSeesAViewTakenForSomethingElse) {
    EXPECT_NE(breaks_only(Defect::view_confused, Contract::layout).reason.find("cotangent is a view"), std::string::npos);
}
TEST(Contract, DeterministicSeesTheThreadCount) {
    EXPECT_NE(breaks_only(Defect::thread_dependent, Contract::deterministic).reason.find("threads"), std::string::npos);
}
TEST(Contract, MutationSeesASampleExcusedWithoutCause) {
    EXPECT_EQ(breaks_only(Defect::false_excuse, Contract::mutation).sample, "claimed flat");
}

TEST(Contract, IndependentSeesActivationsInAStaticBuffer) {
    const ContractResult f = breaks_only(Defect::static_buffer, Contract::independent);
    EXPECT_NE(f.reason.find("d(b) has other bits when a call with other inputs is recorded"), std::string::npos) << f.reason;
}

TEST(Contract, InBoundsNamesWhereAnOpWritesAndReads) {
    for (const auto& [defect, reason] :
         {std::pair(Defect::past_the_end, "the forward writes past the end of y: element 15 of [3, 5]"),
          {Defect::before_the_start, "the backward writes before the start of d(a): element -1 of [3, 5]"},
          {Defect::past_a_scratch, "the backward writes past the end of a tensor of its own: element 16 of [15]"},
          {Defect::reads_beside, "a gradient changes with what stands beside the tensors: the backward reads out of bounds"}})
        EXPECT_EQ(breaks_only(defect, Contract::in_bounds).reason, reason);
}

/// The contracts of all findings that are not right; of the gradient's size nothing is said beside them.
std::vector<std::string_view> told(Defect defect) {
    std::vector<std::string_view> out;
    const Report report = check_model(defect);
    for (const ContractResult& f : report.ops[0].findings)
        if (f.verdict != Verdict::right) out.push_back(name(f.contract));
    const std::string text = table(report, {});
    for (const char* advice : {"multiply", "claimed ="}) EXPECT_EQ(text.find(advice), std::string::npos) << text;
    return out;
}

TEST(Advice, IsOfMemoryStateAndNumbersOnlyWhereTheseAreBroken) {
    using Names = std::vector<std::string_view>;
    EXPECT_EQ(told(Defect::writes_cotangent), Names{"unchanged"});
    EXPECT_EQ(told(Defect::value_unwritten), Names{"needed"});
    EXPECT_EQ(told(Defect::unwritten), Names{"needed"});
    EXPECT_EQ(told(Defect::random), Names{"deterministic"});
    EXPECT_EQ(told(Defect::value_not_a_number), Names{"dual value"});
    EXPECT_EQ(told(Defect::static_buffer), Names{"independent"});
    EXPECT_EQ(told(Defect::gradient_not_a_number), Names{"adjoint"});
    EXPECT_EQ(check_model(Defect::value_not_a_number).ops[0].of(Contract::dual_value).front()->reason,
              "the forward gives nan at y[0, 2], though every input is finite");
    const std::string text = table(check_model(Defect::gradient_not_a_number), {});
    EXPECT_NE(text.find("d(b): claimed is not finite at 1 of 15 entries; guard the division"), std::string::npos) << text;
    EXPECT_NE(table(check_model(Defect::past_the_end), {}).find("nothing compared: no gradient was judged"), std::string::npos);
}

TEST(Report, NamesTheWorstEntryAndCountsTheOthers) {
    const Report report = check_model(Defect::one_entry);
    for (const Contract c : {Contract::adjoint, Contract::difference}) {
        const ContractResult& f = *report.ops[0].of(c).front();
        EXPECT_EQ(f.verdict, Verdict::wrong);
        ASSERT_TRUE(f.worst);
        EXPECT_EQ(f.worst->tensor, "d(b)");
        EXPECT_EQ(f.worst->index, (Shape{0, 4}));
        EXPECT_NEAR(f.worst->ratio(), 2, 1e-8);
        ASSERT_EQ(f.census.size(), 2u);
        EXPECT_EQ(f.census[0].off, 0);
        EXPECT_EQ(f.census[1].off, 1);
        EXPECT_EQ(f.census[1].compared, 15);
    }
    EXPECT_NE(table(report, {}).find("d(b)[0, 4]"), std::string::npos);
}

TEST(Verdict, CannotTellWhenTheOraclesDisagree) {
    const Report report = check_model(Defect::forgets_tangent);
    const ContractResult& f = *report.ops[0].of(Contract::adjoint).front();
    EXPECT_EQ(f.verdict, Verdict::cannot_tell);
    EXPECT_NE(f.reason.find("the oracles disagree"), std::string::npos) << f.reason;
}

TEST(Verdict, CannotTellWhenNothingWasLookedAt) {
    const Report none = check_model(Defect::no_samples), zero = check_model(Defect::zero_samples);
    EXPECT_EQ(none.verdict(), Verdict::cannot_tell) << table(none, {});
    EXPECT_EQ(none.ops[0].mark(Contract::adjoint), '?');
    EXPECT_EQ(none.ops[0].mark(Contract::mutation), '?');
    EXPECT_EQ(zero.verdict(), Verdict::cannot_tell) << table(zero, {});
    EXPECT_EQ(zero.ops[0].mark(Contract::mutation), '?');
}

TEST(Mutation, CoversEveryKindOfSlip) {
    const std::vector<SampleCase> samples = model().samples();
    const Subject s = draw_subject(model(), samples[0], 5);
    std::string names;
    for (const Mutant& m : mutants(s)) names += m.name + "\n";
    for (const char* kind :
         {"sign of d(a)", "factor 2 of d(b)", "factor 1/2", "transpose of d(a)", "dropped path to b", "one use dropped of d(a)",
          "= for += of d(b)", "d(a) and d(b) swapped", "one wrong entry", "saved a negated", "saved b rolled"})
        EXPECT_NE(names.find(kind), std::string::npos) << kind << " is not in\n" << names;
}

TEST(Mutation, LeavesTheSubjectAsItWas) {
    const std::vector<SampleCase> samples = model().samples();
    const Subject s = draw_subject(model(), samples[0], 5);
    Tensors kept;
    for (const auto& x : s.x) kept.push_back(x.clone());
    const Tensors honest = differentiate(s, s.x, s.u).gradients(s.x);
    for (const Mutant& m : mutants(s)) plant(s, honest, m);
    EXPECT_TRUE(same_bits(kept, s.x));
    EXPECT_TRUE(same_bits(honest, differentiate(s, s.x, s.u).gradients(s.x)));
}

}  // namespace
}  // namespace gradproof::check
