// What the numbers are to be read against: peak arithmetic and memory bandwidth of one core, measured in this process.
#pragma once

#include <string>

namespace gradproof::bench {

/// Fused multiply-adds in registers, of vectors as wide as the instruction set in use has them; a multiply-add counts as two
/// operations. Sampled between the runs of what is measured, a tenth of a millisecond at a time: clocks go up and down.
template <class T>
class Peak {
  public:
    void sample();
    /// Operations a second of processor time, over all samples.
    double rate() const { return operations_ / seconds_; }

  private:
    double operations_ = 0, seconds_ = 0;
};

/// The same on several threads at once, by the clock on the wall; comparable with itself only.
double peak_of_threads(int count);

/// Bytes read and written by a copy of 256 MiB, billions a second.
double copy_gigabytes_per_second();

}  // namespace gradproof::bench
