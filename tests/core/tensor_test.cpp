// Shapes, tensors and the pool.
#include "gradproof/core/tensor.hpp"

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <thread>

#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::error_of;

TEST(Shape, BroadcastFollowsNumpy) {
    EXPECT_EQ(broadcast("add", Shape({2, 1, 4}), Shape({3, 1})), Shape({2, 3, 4}));
    EXPECT_EQ(broadcast("add", Shape({0}), Shape({1})), Shape({0}));
    EXPECT_EQ(broadcast("add", Shape({}), Shape({5})), Shape({5}));
    EXPECT_EQ(error_of([] {
                  broadcast("add", Shape({2, 3}), Shape({4}));
              }),
              "add: shapes do not broadcast: a is [2, 3], b is [4] (3 != 4)");
}

TEST(Shape, AxesAreCheckedAndCountedFromTheEnd) {
    EXPECT_EQ(normal_axis("sum", -1, 3), 2);
    EXPECT_EQ(normal_axes("sum", Axes{-1, 0}, 3), Axes({0, 2}));
    EXPECT_EQ(normal_axes("sum", Axes{}, 2), Axes({0, 1}));
    EXPECT_EQ(error_of([] { normal_axis("sum", 3, 3); }), "sum: axis is 3, expected -3 <= axis < 3 for rank 3");
    EXPECT_EQ(error_of([] { normal_axes("sum", Axes{1, -1}, 2); }), "sum: axis 1 is named twice: axes are [1, -1]");
}

TEST(Shape, RefusesMoreThanEightAxes) {
    EXPECT_THROW(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), ShapeError);
    EXPECT_EQ(Tensor<float>(Shape({1, 2, 1, 2, 1, 2, 1, 2})).size(), 16);
}

TEST(Tensor, RefusesNegativeAndOverflowingSizes) {
    EXPECT_THROW(Tensor<float>({-1, 3}), ShapeError);
    EXPECT_THROW(Tensor<float>({Index{1} << 40, Index{1} << 40}), ShapeError);
    EXPECT_THROW(Tensor<float>({0, Index{1} << 60}), ShapeError);
}

TEST(Tensor, EmptyIsNotUndefined) {
    const Tensor<double> undefined;
    const Tensor<double> empty({0, 3});
    EXPECT_FALSE(undefined.defined());
    EXPECT_TRUE(empty.defined());
    EXPECT_EQ(empty.size(), 0);
    EXPECT_EQ(to_string(empty), "[]");
    EXPECT_EQ(to_string(undefined), "undefined");
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
    Tensor<double> a = zeros<double>({2, 3});
    EXPECT_TRUE(a.unique());
    Tensor<double> b = a;
    EXPECT_FALSE(a.unique());
    b[1] = 5;
    EXPECT_EQ(a.at({0, 1}), 5);
    Tensor<double> c = a.clone();
    c[1] = 7;
    EXPECT_EQ(a[1], 5);
}

TEST(Tensor, ReshapeSharesTheBufferAndOutlivesItsParent) {
    Tensor<double> view;
    {
        const auto x = Tensor<double>::from({2, 3}, {1, 2, 3, 4, 5, 6});
        view = x.reshape({3, -1});
        EXPECT_TRUE(view.shares_buffer_with(x));
        EXPECT_FALSE(view.unique());
    }
    EXPECT_EQ(view.at({2, 1}), 6);
    EXPECT_THROW(view.reshape({4}), ShapeError);
    EXPECT_THROW(view.reshape({-1, 4}), ShapeError);
}

TEST(Tensor, FromStridedReadsTransposedReversedAndRepeatedMemory) {
    const double m[] = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(to_string(Tensor<double>::from_strided(m, {3, 2}, {1, 3})), "[[1, 4],\n [2, 5],\n [3, 6]]");
    EXPECT_EQ(to_string(Tensor<double>::from_strided(m + 5, {3}, {-2})), "[6, 4, 2]");
    EXPECT_EQ(to_string(Tensor<double>::from_strided(m, {2, 2}, {0, 1})), "[[1, 2],\n [1, 2]]");
}

TEST(Tensor, DataIsAligned) {
    for (const Index n : {1, 7, 64, 1000, 100000}) {
        const Tensor<float> t({n});
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data()) % 64, 0u);
    }
}

TEST(Tensor, IndexErrorsNameTheShape) {
    const auto x = zeros<double>({2, 3});
    EXPECT_EQ(error_of([&] { (void)x.at({2, 0}); }), "tensor: index [2, 0] is out of range, shape is [2, 3]");
    EXPECT_EQ(error_of([&] { (void)x.at({0}); }), "tensor: index [0] has 1 axes, shape is [2, 3]");
    EXPECT_EQ(error_of([&] { (void)x.item(); }), "tensor: item() needs exactly one element: shape is [2, 3]");
}

TEST(Pool, ReusesFreedBlocksOfAnySize) {
    if (!pool::keeps_blocks()) GTEST_SKIP() << "sanitizer build";
    const auto step = [] {
        for (const Index n : {1, 10, 500, 3000, 70000, 1000000}) Tensor<float> t({n});
    };
    step();
    const auto before = pool::system_allocations();
    for (int i = 0; i < 10; ++i) step();
    EXPECT_EQ(pool::system_allocations(), before);
}

TEST(Pool, BlocksMayBeFreedByAnotherThread) {
    for (int i = 0; i < 20; ++i) {
        Tensor<double> t = ones<double>({1000});
        std::thread other([moved = std::move(t)]() mutable { moved = Tensor<double>(); });
        other.join();
    }
}

TEST(Pool, PoisonFillsNewTensorsWithNan) {
    const pool::PoisonScope poison;
    const Tensor<float> t({5});
    for (const float x : t) EXPECT_TRUE(std::isnan(x));
    EXPECT_FALSE(std::isnan(zeros<float>({2})[0]));
}

TEST(Shape, BroadcastIsCommutativeAndItsStridesStayInside) {
    EXPECT_TRUE(rc::check("broadcast", [] {
        const auto rank = *rc::gen::inRange(0, 5);
        Shape a, b;
        for (int i = 0; i < rank; ++i) {
            const Index n = *rc::gen::inRange<Index>(1, 4);
            a.push_back(*rc::gen::arbitrary<bool>() ? n : 1);
            b.push_back(*rc::gen::arbitrary<bool>() ? n : 1);
        }
        const Shape c = broadcast("add", a, b);
        RC_ASSERT(c == broadcast("add", b, a));
        RC_ASSERT(broadcasts_to(a, c) && broadcasts_to(b, c));
        const Shape strides = broadcast_strides(a, c);
        Index last = 0;
        for (int i = 0; i < c.rank(); ++i) last += (c[i] - 1) * strides[i];
        RC_ASSERT(last == a.size() - 1);
    }));
}

TEST(GuardScope, SeesWhatIsWrittenBesideATensor) {
    pool::GuardScope guards;
    Tensor<double> past({3}, 0.0), before({2, 2}, 0.0), fine({5}, 0.0);
    const Tensor<double> view = past.reshape({1, 3});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(past.data()) % 64, 0u);
    EXPECT_TRUE(guards.breaches().empty());
    past.data()[3] += 1e-3;
    before.data()[-2] = 0;
    fine[4] = 1;
    std::vector<pool::Breach> found = guards.breaches();
    ASSERT_EQ(found.size(), 2u);
    if (found[0].data != past.data()) std::swap(found[0], found[1]);
    EXPECT_EQ(found[0].bytes, 24u);
    EXPECT_EQ(found[0].at / 8, 3);
    EXPECT_EQ(found[1].data, before.data());
    EXPECT_TRUE(found[1].at < -8 && found[1].at >= -16) << found[1].at;
}

TEST(GuardScope, SeesTensorsOfOtherThreadsAndThoseThatAreFreed) {
    pool::GuardScope guards;
    const auto write_past = [] { Tensor<float>({1}).data()[1] = 0; };
    parallel_for(4, 1, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) write_past();
    });
    EXPECT_EQ(guards.breaches().size(), 4u);
    std::thread(write_past).join();  // works for nobody
    EXPECT_EQ(guards.breaches().size(), 4u);
    {
        pool::GuardScope inner(0xBF);
        write_past();
        EXPECT_EQ(inner.breaches().size(), 1u);
    }
    EXPECT_EQ(guards.breaches().size(), 4u);
}

TEST(GuardScope, TensorsMayOutliveIt) {
    Tensor<double> x;
    {
        const pool::GuardScope guards;
        x = Tensor<double>({7}, 2.0);
    }
    EXPECT_EQ(x.clone()[6], 2.0);
    x = {};
    EXPECT_TRUE(pool::GuardScope().breaches().empty());
}

}  // namespace
}  // namespace gradproof
