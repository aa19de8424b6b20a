// The parallel loop: every index once, the same ranges for every thread count, exceptions come back.
#include "gradproof/core/platform/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "gradproof/core/shape.hpp"

namespace gradproof {
namespace {

struct ThreadsScope {
    int before = threads();
    ~ThreadsScope() { set_threads(before); }
};

TEST(Parallel, DoesEveryIndexOnceForEveryThreadCount) {
    const ThreadsScope scope;
    for (const int n : {1, 2, 4, 8}) {
        set_threads(n);
        std::vector<std::atomic<int>> done(1000);
        parallel_for(1000, 7, [&](Index begin, Index end) {
            EXPECT_EQ(begin % 7, 0);
            for (Index i = begin; i < end; ++i) ++done[static_cast<std::size_t>(i)];
        });
        for (const auto& d : done) EXPECT_EQ(d.load(), 1);
    }
}

TEST(Parallel, RethrowsAndRefusesNonsense) {
    const ThreadsScope scope;
    set_threads(4);
    EXPECT_THROW(parallel_for(100, 1,
                              [](Index begin, Index) {
                                  if (begin == 57) value_error("57");
                              }),
                 ValueError);
    EXPECT_THROW(set_threads(0), ValueError);
    parallel_for(0, 1, [](Index, Index) { FAIL(); });
}

TEST(Parallel, MayBeNested) {
    const ThreadsScope scope;
    set_threads(4);
    std::atomic<int> done{0};
    parallel_for(8, 1, [&](Index, Index) { parallel_for(8, 1, [&](Index, Index) { ++done; }); });
    EXPECT_EQ(done.load(), 64);
}

}  // namespace
}  // namespace gradproof
