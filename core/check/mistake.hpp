// Every mistake that a diagnosis can name, with its key in JSON and what it is in a sentence: one table for ops, proofs and
// attention.
//
//   key(Mistake::missing_row_term);                    // "missing_row_term"
//   Diagnosis{.mistake = Mistake::factor, .text = "claimed = 2 * true", .repair = "multiply d(x) by 1/2"};
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gradproof::check {

enum class Mistake {
    none,
    sign,
    factor,
    constant,
    transpose,
    permuted_axes,
    wrong_product,
    shifted,
    missing_sum,
    lost_axis,
    mean_for_sum,
    extra_sum,
    missing_path,
    double_path,
    missing_chain_factor,
    wrong_slope,
    wrong_exponent,
    diagonal_only,
    missing_row_term,
    wrong_row_term,
    missing_term,
    extra_term,
    wrong_name,
    wrong_point,
    cotangent_ignored,
    ignored_attribute,
    mask_leak,
    mask_after_softmax,
    not_finite,
    entries,
    values,
    two_slips,
    rounding,
    erratum,
};

struct MistakeInfo {
    Mistake mistake{};
    std::string_view key;       ///< in JSON and in counts
    std::string_view sentence;  ///< what is wrong, in general; a diagnosis says it of its own line
};
/// All of them, in the order of the enum.
std::span<const MistakeInfo> mistakes();
std::string_view key(Mistake m);

/// Why something is wrong.
struct Diagnosis {
    Mistake mistake = Mistake::none;
    std::string text{};  ///< "claimed = 2 * true"; "" where nothing simple explains it
    std::string
        repair{};  ///< "multiply d(x) by 1/2"; of a proof the right side that would be right; "" where it is not determined
    std::string tensor{};  ///< of an op: whose gradient it is, "d(x)"
    std::string factor{};  ///< of a proof: the constant in its words, "sqrt(d_k)"
    int fitted = 0;        ///< numbers in it that were fitted to the claim: 0 none, 1 one, 2 more, or it leaves entries out
};

}  // namespace gradproof::check
