// The verdict on somebody else's attention: each of their arrays beside the truth, and what explains one that is wrong.
//
//   return judge_attention("theirs.npz", read_npz("theirs.npz"), call, truth, DType::f32);
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/io/array.hpp"
#include "tools/cli/attention_slips.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

/// The names results have in files, in the order they are written and judged.
inline constexpr std::array<std::string_view, 10> kAttentionResults = {
    "y", "dq", "dk", "dv", "dpast_key", "dpast_value", "dmask", "weights", "present_key", "present_value"};

/// Prints it and returns the exit status.
/// `theirs` came from `source` and has names of kAttentionResults, each of which the truth, worked
/// out in double, has too; `dtype` is that of the work they are likely to have done.
Exit judge_attention(const std::string& source, const std::vector<NamedArray>& theirs, const AttentionCall& call,
                     const AttentionArrays& truth, DType dtype);

}  // namespace gradproof::cli
