// Counts the memory blocks that the process takes from the system, through the tensor pool and through operator new.
//
//   const Allocations taken;
//   for (auto _ : state) step();
//   state.counters["allocations"] = taken.per(state);
#pragma once

#include <benchmark/benchmark.h>

namespace gradproof::bench {

class Allocations {
  public:
    Allocations() : before_(now()) {}
    double per(const benchmark::State& state) const {
        const benchmark::IterationCount n = state.iterations();
        return static_cast<double>(now() - before_) / static_cast<double>(n > 0 ? n : 1);
    }

  private:
    static long long now();
    long long before_;
};

}  // namespace gradproof::bench
