// Kernels: how they are attached, which of them a call takes, what they keep, and the errors of a wrong one.
#include "gradproof/core/kernel.hpp"

#include <gtest/gtest.h>

#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::error_of;

/// Attached as long as it lives.
template <class K, class... Types>
struct Attached {
    Attached() { registry().attach(make_kernel<K, Types...>(__FILE__)); }
    ~Attached() { registry().detach(K::info.op, K::info.name); }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
};

template <class T>
Tensor<T> filled(const Tensor<T>& like, T value) {
    return Tensor<T>(like.shape(), value);
}

/// Answers 7, so that it is seen at work; float only, rows only.
struct Sevens {
    static constexpr KernelInfo info{.op = "softmax", .name = "sevens"};
    using Attrs = SoftmaxAttrs;
    static bool fits(const Attrs& a, const InputShapes& x) { return x[0].rank() == 1 && a.temperature == 1; }
    static Tensor<float> forward(const Attrs&, Inputs<float> x, SavedTensors<float> saved) {
        return saved["y"] = filled(x[0], 7.0f);
    }
};
/// Answers 8 in both directions and keeps a tensor of its own.
struct Eights {
    static constexpr KernelInfo info{.op = "softmax", .name = "eights", .saves = "eight nothing"};
    template <class T>
    static Tensor<T> forward(const AnyAttrs&, Inputs<T> x, SavedTensors<T>& saved) {
        return saved["eight"] = filled(x[0], T(8));
    }
    template <class T>
    static void backward(const AnyAttrs& a, const SavedTensors<T>& saved, const Tensor<T>&, Cotangents<T> dx) {
        EXPECT_FALSE(saved["nothing"].defined());
        EXPECT_EQ(a.get<Index>("axis"), -1);
        dx.add(0, saved["eight"].clone());
    }
};
/// A backward for whatever forward the page does: the saved y.
struct BackwardOnly {
    static constexpr KernelInfo info{.op = "softmax", .name = "gives_y"};
    template <class T>
    static void backward(const AnyAttrs&, const SavedTensors<T>& saved, const Tensor<T>&, Cotangents<T> dx) {
        dx.add(0, saved["y"].clone());
    }
};

float first(const Tensor<float>& x) { return x[0]; }
const Tensor<float> kRow = Tensor<float>::from({2}, {0, 0});

TEST(Kernel, TheFirstThatFitsIsTakenAndTheLastAttachedIsAskedFirst) {
    EXPECT_EQ(first(softmax(kRow)), 0.5f);
    {
        const Attached<Eights, float> eights;
        EXPECT_EQ(first(softmax(kRow)), 8);
        const Attached<Sevens, float> sevens;
        EXPECT_EQ(first(softmax(kRow)), 7);
        EXPECT_EQ(first(softmax(kRow, {.temperature = 2})), 8);  // the predicate of the other says no
        EXPECT_EQ(first(softmax(kRow.reshape({1, 2}))), 8);
        EXPECT_EQ(softmax(cast<double>(kRow))[0], 0.5);  // neither is for double
        EXPECT_EQ(softmax(cast<Dual<double>>(kRow))[0].value, 0.5);
        const auto& kernels = registry().find("softmax").kernels;
        ASSERT_GE(kernels.size(), 2u);
        EXPECT_EQ(kernels[0].info.name, "sevens");
        EXPECT_EQ(kernels[1].info.name, "eights");
    }
    EXPECT_EQ(first(softmax(kRow)), 0.5f);
}

TEST(Kernel, AScopeChooses) {
    const Attached<Eights, float> eights;
    const Attached<Sevens, float> sevens;
    {
        const KernelScope page("page");
        EXPECT_EQ(first(softmax(kRow)), 0.5f);
        EXPECT_FALSE(in_plain_scope());
        const KernelScope inner("eights");
        EXPECT_EQ(first(softmax(kRow)), 8);
        const KernelScope outermost("auto");
        EXPECT_EQ(first(softmax(kRow)), 7);
        const KernelScope plain("plain");
        EXPECT_EQ(first(softmax(kRow)), 0.5f);
        EXPECT_TRUE(in_plain_scope());
    }
    const KernelScope by_name("sevens");
    EXPECT_EQ(first(softmax(kRow)), 7);
    EXPECT_EQ(first(softmax(kRow, {.temperature = 2})), 0.5f);  // where it does not fit: the page, not another kernel
    EXPECT_EQ(error_of([] { KernelScope unknown("seven"); }), "no kernel named seven; did you mean sevens");
}

TEST(Kernel, BothDirectionsKeepTensorsOfTheirOwn) {
    const Attached<Eights, float, double> eights;
    Tape<double> tape;
    const Var<double> x = tape.leaf(Tensor<double>::from({3}, {1, 2, 3}));
    const Var<double> y = softmax(x);
    EXPECT_EQ(tape.kernel(y.node())->name, "eights");
    struct Names : SavedVisitor<double> {
        std::string text;
        void tensor(std::string_view name, const Tensor<double>& value) override {
            text += std::string(name) + (value.defined() ? "! " : "? ");
        }
        void other(std::string_view, std::size_t) override {}
    } names;
    tape.each_saved(y.node(), names);
    EXPECT_EQ(names.text, "eight! nothing? ");
    EXPECT_EQ(tape.line(y.node()).saved_bytes, 3 * sizeof(double));
    {
        const KernelScope page("page");  // the choice of the forward stands
        tape.backward(y, Tensor<double>({3}, 1.0));
    }
    EXPECT_EQ(tape.grad(x)[2], 8);
}

TEST(Kernel, OneDirectionGoesWithThePagesOther) {
    const Attached<BackwardOnly, float> backward;
    const KernelScope scope("gives_y");
    Tape<float> tape;
    const Var<float> x = tape.leaf(kRow), y = softmax(x);
    EXPECT_EQ(first(y.value()), 0.5f);
    tape.backward(y, Tensor<float>({2}, 1.0f));
    EXPECT_EQ(first(tape.grad(x)), 0.5f);

    const Attached<Sevens, float> forward;
    const KernelScope either("auto");
    Tape<float> both;
    const Var<float> z = softmax(both.leaf(kRow));
    EXPECT_EQ(first(z.value()), 7);
    EXPECT_EQ(both.kernel(z.node())->name, "gives_y");  // which reads what the other forward has saved
}

TEST(Kernel, CallsThatThePageRefusesAreNotOffered) {
    const Attached<Eights, float> eights;
    const auto two = [] {
        Tensor<float> x = kRow;
        const Tensor<float>* inputs[] = {&x, &x};
        const SoftmaxAttrs attrs;
        call(registry().find("softmax").table<float>(), &attrs, Inputs<float>(inputs, 2));
    };
    EXPECT_EQ(error_of(two), "softmax: takes 1 input (x), got 2");
    EXPECT_NE(error_of([] { softmax(Tensor<float>()); }).find("softmax: input 0 of 1 (x) is undefined"), std::string::npos);
}

struct Throws {
    static constexpr KernelInfo info{.op = "softmax", .name = "undecided"};
    static bool fits(const AnyAttrs& a, const InputShapes&) { return a.get<Index>("temperature") > 0; }
    static Tensor<float> forward(const AnyAttrs&, Inputs<float> x, SavedTensors<float>) { return x[0]; }
};
struct ForNoOp {
    static constexpr KernelInfo info{.op = "sofmax", .name = "fast"};
    static Tensor<float> forward(const AnyAttrs&, Inputs<float> x, SavedTensors<float>) { return x[0]; }
};
struct ForOtherAttrs {
    static constexpr KernelInfo info{.op = "softmax", .name = "fast"};
    using Attrs = NoFields;
    static Tensor<float> forward(const Attrs&, Inputs<float> x, SavedTensors<float>) { return x[0]; }
};
struct KeepsForNobody {
    static constexpr KernelInfo info{.op = "softmax", .name = "fast", .saves = "z"};
    static Tensor<float> forward(const AnyAttrs&, Inputs<float> x, SavedTensors<float>) { return x[0]; }
};
struct NamedPage {
    static constexpr KernelInfo info{.op = "softmax", .name = "page"};
    static Tensor<float> forward(const AnyAttrs&, Inputs<float> x, SavedTensors<float>) { return x[0]; }
};
struct SavesTheUnknown {
    static constexpr KernelInfo info{.op = "softmax", .name = "saves_z"};
    static Tensor<float> forward(const AnyAttrs&, Inputs<float> x, SavedTensors<float> saved) { return saved["z"] = x[0]; }
};
template <class K>
std::string error_of_attaching() {
    return error_of([] { registry().attach(make_kernel<K, float>("here.cpp")); });
}

TEST(Kernel, AWrongOneIsAnErrorThatSaysSo) {
    EXPECT_EQ(error_of_attaching<ForNoOp>(), "kernel fast of sofmax (here.cpp): no op named sofmax; did you mean softmax");
    EXPECT_EQ(error_of_attaching<ForOtherAttrs>(),
              "kernel fast of softmax (here.cpp): it takes other attributes than the op has");
    EXPECT_EQ(error_of_attaching<KeepsForNobody>(),
              "kernel fast of softmax (here.cpp): it saves tensors of its own, which takes both a forward and a backward");
    EXPECT_EQ(error_of_attaching<NamedPage>(), "kernel page of softmax (here.cpp): a kernel cannot have this name");
    {
        const Attached<Eights, float> once;
        EXPECT_EQ(error_of_attaching<Eights>(), "kernel eights of softmax is attached twice: by kernel_test.cpp and by here.cpp");
    }
    {
        const Attached<Throws, float> throws;
        EXPECT_EQ(
            error_of([] { softmax(kRow); }),
            "softmax: kernel undecided cannot say whether it fits: its predicate threw \"softmax: attribute temperature is a "
            "number, which is asked for as something else\"");
    }
    const Attached<SavesTheUnknown, float> unknown;
    EXPECT_EQ(error_of([] { softmax(kRow); }), "softmax: the page saves no tensor named z");
}

TEST(Kernel, OneThatWaitsForAnOpInVainIsRefused) {
    const Registry::Pages pages = registry().collect([] { registry().add_kernel(make_kernel<ForNoOp, float>("here.cpp")); });
    ASSERT_EQ(pages.refused.size(), 1u);
    EXPECT_EQ(pages.refused[0], "kernel fast of sofmax (here.cpp): no op named sofmax; did you mean softmax");
    EXPECT_NO_THROW(registry().all());
    registry().add_kernel(make_kernel<ForNoOp, float>("here.cpp"));  // as a program's static initialisers do
    EXPECT_EQ(error_of([] { registry().all(); }), pages.refused[0]);
    EXPECT_EQ(error_of([] { registry().find("tanh"); }), pages.refused[0]);
    registry().collect([] {});  // takes what waits away
    EXPECT_NO_THROW(registry().all());
}

}  // namespace
}  // namespace gradproof
