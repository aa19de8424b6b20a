// What the numbers are to be read against: peak arithmetic and memory bandwidth of one core, measured in this process.
#pragma once

#include <string>

namespace gradproof::bench {

/// Fused multiply-adds in registers, billions of floating-point operations a second; a multiply-add counts as two.
double peak_gflops_float();
double peak_gflops_double();
/// Bytes read and written by a copy of 256 MiB, billions a second.
double copy_gigabytes_per_second();

}  // namespace gradproof::bench
