// Black boxes held to a page, to a function and to themselves: a fault of the forward is called one, and so is one of the
// backward.
#include "gradproof/core/check/black_box.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/reference.hpp"
#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/support.hpp"

namespace gradproof::check {
namespace {

const OpEntry& op(const std::string& name) { return registry().find(name); }

Tensor<double> times(const Tensor<double>& x, double by) {
    Tensor<double> y = x.defined() ? x.clone() : x;
    for (Index k = 0; y.defined() && k < y.size(); ++k) y[k] *= by;
    return y;
}

/// The op, with its value and its gradients multiplied.
BlackBox scaled(const std::string& name, double value, double gradient) {
    BlackBox box = black_box(op(name));
    box.forward = [=, of = box.forward](const KernelCall& call, const Tensors& x) { return times(of(call, x), value); };
    box.run = [=, of = box.run](const KernelCall& call, BoxPrecision p) {
        Outcome out = of(call, p);
        out.y = times(out.y, value);
        for (auto& g : out.gradients) g = times(g, gradient);
        return out;
    };
    return box;
}

char mark(const KernelReport& r, Contract c) { return r.mark(c); }

TEST(BlackBox, AgreesWithItsPage) {
    for (const std::string name : {"softmax", "tanh", "matmul", "layer_norm", "concat", "attention"}) {
        const KernelReport r = check_kernel(black_box(op(name)), black_box_calls(op(name), 3), against_page(op(name)));
        EXPECT_NE(r.verdict(), Verdict::wrong) << name << ": " << r.findings.front().reason;
        EXPECT_GT(r.samples, 0);
    }
}

TEST(BlackBox, TheForwardAndTheBackwardAreBlamedApart) {
    const std::vector<KernelCall> calls = black_box_calls(op("tanh"), 3);
    const Against page = against_page(op("tanh"));
    const KernelReport forward = check_kernel(scaled("tanh", 1 + 1e-9, 1), calls, page),
                       backward = check_kernel(scaled("tanh", 1, 1 + 1e-9), calls, page);
    EXPECT_EQ(mark(forward, Contract::kernel_value), 'X');
    EXPECT_NE(mark(forward, Contract::kernel_gradient), 'X');
    EXPECT_EQ(mark(backward, Contract::kernel_value), '+');
    EXPECT_EQ(mark(backward, Contract::kernel_gradient), 'X');
    const KernelReport doubled = check_kernel(scaled("tanh", 2, 2), calls, page);
    ASSERT_FALSE(doubled.findings.front().diagnoses.empty());
    EXPECT_EQ(doubled.findings.front().diagnoses.front().text, "claimed = 2 * true");
}

TEST(BlackBox, AgainstItselfTheEvidenceIsSaidToBeWeaker) {
    const std::vector<KernelCall> calls = black_box_calls(op("tanh"), 3);
    const KernelReport right = check_kernel(black_box(op("tanh")), calls, against_itself(black_box(op("tanh"))));
    EXPECT_EQ(right.verdict(), Verdict::right) << right.findings.front().reason;
    EXPECT_NE(right.against.find("the weaker evidence"), std::string::npos) << right.against;
    const BlackBox wrong = scaled("tanh", 1, 1.001), both = scaled("tanh", 1.5, 1.5);
    EXPECT_EQ(check_kernel(wrong, calls, against_itself(wrong)).verdict(), Verdict::wrong);
    EXPECT_EQ(check_kernel(both, calls, against_itself(both)).verdict(), Verdict::right);  // what only a page or a proof can see
}

TEST(BlackBox, AgainstAnotherBoxValueAndGradientAreItsOwn) {
    const std::vector<KernelCall> calls = black_box_calls(op("tanh"), 3);
    BlackBox forward_only = black_box(op("tanh"));
    forward_only.name = "tanh without a backward";
    forward_only.directions = {"forward"};
    forward_only.run = [](const KernelCall&, BoxPrecision) -> Outcome { throw std::logic_error("it has no backward"); };
    for (const BlackBox& reference : {black_box(op("tanh")), forward_only}) {
        const Against against = against_box(reference);
        const auto judged = [&](double value, double gradient) {
            return check_kernel(scaled("tanh", value, gradient), calls, against);
        };
        EXPECT_EQ(judged(1, 1).verdict(), Verdict::right) << judged(1, 1).findings.front().reason;
        EXPECT_EQ(mark(judged(1 + 1e-9, 1 + 1e-9), Contract::kernel_value), 'X');
        EXPECT_EQ(mark(judged(1, 1 + 1e-6), Contract::kernel_gradient), 'X');
        EXPECT_EQ(judged(1, 1).against, reference.name);
    }
}

TEST(BlackBox, ClaimsAtAKinkAreNoFaultWhereThereIsNoPage) {
    KernelCall call{.name = "kink", .attrs = op("relu").default_attrs(), .x = {Tensor<double>::from({3}, {-1, 0, 2})}, .u = {}};
    call.u = Tensor<double>::from({3}, {1, 1, 1});
    const auto claims = [&](double at_zero) {
        BlackBox box = black_box(op("relu"));
        box.run = [=, of = box.run](const KernelCall& c, BoxPrecision p) {
            Outcome out = of(c, p);
            out.gradients[0][1] = at_zero;
            return out;
        };
        return check_kernel(box, {call}, against_itself(box));
    };
    EXPECT_EQ(claims(0.25).verdict(), Verdict::cannot_tell);
    EXPECT_NE(claims(1).findings.back().reason.find("kink at d(x)[1]: the derivative is 0 from the left, 1 from the right"),
              std::string::npos)
        << claims(1).findings.back().reason;
    EXPECT_EQ(claims(1.5).verdict(), Verdict::wrong);
    call.is_added = true;  // by the checker: it counts against nobody, nor for anybody
    EXPECT_NE(claims(0.25).verdict(), Verdict::wrong);
    EXPECT_EQ(claims(1.5).verdict(), Verdict::wrong);
}

/// Attention of three queries to one key: what goes back to q is 0, but for rounding of the size of k.
KernelCall one_key(double size) {
    KernelCall call{.name = "one key", .attrs = op("attention").default_attrs(), .x = {}, .u = {}};
    Random random(5);
    for (const Shape& shape : {Shape{1, 1, 3, 4}, Shape{1, 1, 1, 4}, Shape{1, 1, 1, 5}})
        call.x.push_back(random.normal<double>(shape));
    call.x[1] = times(call.x[1], size);
    call.u = random.normal<double>({1, 1, 3, 5});
    return call;
}

TEST(BlackBox, ARoundingWhereTheGradientIsZeroIsNoFault) {
    const Against page = against_page(op("attention"));
    Against alone = page;  // that asks nothing but the page what rounding may leave
    alone.rounding = {};
    for (const double size : {1.0, 1e3, 1e6}) {
        const KernelCall call = one_key(size);
        EXPECT_EQ(check_kernel(black_box(op("attention"), "fused"), {call}, page).verdict(), Verdict::right) << size;
        const auto off_by = [&](double error, const Against& against) {
            BlackBox box = black_box(op("attention"));
            box.run = [=, of = box.run](const KernelCall& c, BoxPrecision p) {
                Outcome out = of(c, p);
                if (p == BoxPrecision::f64) out.gradients[0][2] += error;
                return out;
            };
            return check_kernel(box, {call}, against).verdict();
        };
        EXPECT_EQ(off_by(1e-15 * size, page), Verdict::right) << size;
        EXPECT_EQ(off_by(1e-12 * size * size, page), Verdict::wrong) << size;  // scores are off by size, too
        if (size > 1) {
            EXPECT_EQ(off_by(1e-15 * size, alone), Verdict::wrong) << size;
        }
    }
}

TEST(BlackBox, AFunctionOverBoundsIsAReference) {
    const auto against = against_function("the square", [](const KernelCall&, const std::vector<Tensor<BoundedDual>>& x) {
        Tensor<BoundedDual> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = x[0][i] * x[0][i];
        return y;
    });
    KernelCall call{.name = "rows", .attrs = {}, .x = {Tensor<double>::from({2}, {3, -0.1})}, .u = Tensor<double>({2}, 2.0)};
    const auto box = [](double value, double gradient) {
        BlackBox out = black_box(op("tanh"));
        out.takes = [](const KernelCall&, BoxPrecision) { return true; };
        out.forward = [=](const KernelCall&, const Tensors& x) {
            Tensor<double> y = x[0].clone();
            for (double& v : y) v *= value * v;
            return y;
        };
        out.run = [=, of = out.forward](const KernelCall& c, BoxPrecision) {
            Tensor<double> g = c.x[0].clone();
            for (Index k = 0; k < g.size(); ++k) g[k] *= 2 * gradient * c.u[k];
            return Outcome{of(c, c.x), {g}};
        };
        return out;
    };
    EXPECT_EQ(check_kernel(box(1, 1), {call}, against).verdict(), Verdict::right);
    EXPECT_EQ(mark(check_kernel(box(1 + 1e-9, 1), {call}, against), Contract::kernel_value), 'X');
    EXPECT_EQ(mark(check_kernel(box(1, 1 + 1e-9), {call}, against), Contract::kernel_gradient), 'X');
}

TEST(BlackBox, ADerivationIsAReference) {
    const auto against = [](const std::string& name, const std::string& text) {
        return check_kernel(black_box(op(name)), black_box_calls(op(name), 3),
                            proof::reference_of(proof::read_proofs("a.proof", text).front(), op(name)));
    };
    const std::string head = "dims n m\ninput X [n, m]\nforward\n  Y = ";
    EXPECT_NE(against("silu", head + "X ⊙ sigmoid(X)\n").verdict(), Verdict::wrong);
    const KernelReport wrong = against("silu", head + "X ⊙ sigmoid(2 X)\n");
    EXPECT_EQ(mark(wrong, Contract::kernel_value), 'X');
    const KernelReport none = against("silu", "dims n\ninput X [n, n, n, n]\nforward\n  Y = 2 X\n");
    EXPECT_EQ(none.verdict(), Verdict::cannot_tell);
    EXPECT_EQ(none.samples, 0);
    EXPECT_NE(testing::error_of([&] { against("silu", head + "silu(X)\n"); }).find("it calls silu itself"), std::string::npos);
}

TEST(BlackBox, ACallThatLacksAnInputOfTheDerivationIsNotComparable) {
    int compared = 0;
    for (const std::string& name : proof::library_names()) {
        const auto& all = registry().all();
        if (std::ranges::none_of(all, [&](const auto& entry) { return entry->info.name == name; })) continue;
        if (name == "sigmoid") continue;  // its derivation ends in a product with other functions
        SCOPED_TRACE(name);
        try {
            const KernelReport r =
                check_kernel(black_box(op(name)), black_box_calls(op(name), 3),
                             proof::reference_of(proof::read_proofs(name, proof::library_text(name)).front(), op(name)));
            EXPECT_NE(r.verdict(), Verdict::wrong);
            compared += r.samples > 0;
        } catch (const std::invalid_argument&) {  // its derivation has other inputs, or calls the op itself
        }
    }
    EXPECT_GE(compared, 5);
    const std::string with_gain = "dims k n m\ninput x [k, n, m], g [m]\nforward\n  y = x / sqrt(rowmean(x ⊙ x) + 1e-5) ⊙ g\n";
    const KernelReport r = check_kernel(black_box(op("rms_norm")), black_box_calls(op("rms_norm"), 3),
                                        proof::reference_of(proof::read_proofs("a.proof", with_gain).front(), op("rms_norm")));
    EXPECT_NE(r.verdict(), Verdict::wrong);
    EXPECT_GT(r.samples, 0);
}

}  // namespace
}  // namespace gradproof::check
