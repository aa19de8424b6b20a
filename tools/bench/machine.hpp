// Peak arithmetic and memory bandwidth of one core, measured in this process, for comparison with the benchmarks.
#pragma once

#include <string>

namespace gradproof::bench {

/// The rate of fused multiply-adds in registers, with the vectors of the instruction set in use; each counts as two operations.
/// It is sampled between the measured runs, a tenth of a millisecond at a time, since clock rates vary.
template <class T>
class Peak {
  public:
    void sample();
    /// Operations a second of processor time, over all samples.
    double rate() const { return operations_ / seconds_; }

  private:
    double operations_ = 0, seconds_ = 0;
};

/// The same on several threads at once, by wall-clock time; only comparable with other results of this function.
double peak_of_threads(int count);

/// Bytes read and written by a copy of 256 MiB, in billions a second.
double copy_gigabytes_per_second();

}  // namespace gradproof::bench
