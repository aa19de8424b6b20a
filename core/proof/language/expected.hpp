// What each rule of the notation expects where it must match.
#pragma once

#include <type_traits>

#include "gradproof/core/proof/language/rules.hpp"

namespace gradproof::proof {
namespace {

constexpr const char* kOperand = "expected a name, a number, a function or an opening bracket";
template <class>
constexpr const char* message = "expected something else";
template <>
constexpr const char* message<ws> = "expected a blank";
template <>
constexpr const char* message<operand> = kOperand;
template <>
constexpr const char* message<factor> = kOperand;
template <>
constexpr const char* message<term> = kOperand;
template <>
constexpr const char* message<nested<product_expression>> = kOperand;
template <>
constexpr const char* message<dim_factor> = "expected a size";
template <>
constexpr const char* message<dim_value> = "expected a size";
template <>
constexpr const char* message<option_value> = "expected a value of the option";
template <>
constexpr const char* message<exponent> = "expected an exponent: T, a number, a dim or brackets";
template <>
constexpr const char* message<close_round> = "expected ) or an operator";
template <>
constexpr const char* message<close_square> = "expected ] or a comma";
template <>
constexpr const char* message<close_curly> = "expected } or a comma";
template <>
constexpr const char* message<bar> = "expected | or an operator";
template <>
constexpr const char* message<double_bar> = "expected ‖ or an operator";
template <>
constexpr const char* message<compared> = kOperand;
template <>
constexpr const char* message<indicated> = "expected a comparison: 1[i = j]";
template <>
constexpr const char* message<comma> = "expected a comma and a second index";
template <>
constexpr const char* message<list<index_entry, comma>> = "expected an index";
template <>
constexpr const char* message<list<bound_name, comma>> = "expected an index";
template <>
constexpr const char* message<sigma_index> = "expected the index that is summed over: Σ_k";
template <>
constexpr const char* message<delta_indices> = "expected two indices: δ[i,j]";
template <>
constexpr const char* message<identifier> = "expected a name";
template <>
constexpr const char* message<partial_of> = "expected a name after ∂";
template <>
constexpr const char* message<partial_bottom> = "expected a name after ∂";
template <>
constexpr const char* message<second_of> = "expected a name after ∂²";
template <>
constexpr const char* message<second_by> = "expected the second value it is taken by: ∂²f/∂x∂x^T, ∂²f/∂x²";
template <>
constexpr const char* message<nabla_by> = "expected a name after ∇";
template <>
constexpr const char* message<list<range_item, comma>> = "expected an index and what it runs over: for t < T, for i ≠ j";
template <>
constexpr const char* message<partial_slash> = "expected / and what the derivative is taken by: ∂L/∂X";
template <>
constexpr const char* message<partial_sign> = "expected ∂";
template <>
constexpr const char* message<equals> = "expected = or an operator";
template <>
constexpr const char* message<correction> = "expected the number that would be right: S = 2 erratum 1";
template <>
constexpr const char* message<end> = "expected an operator or the end of the statement";
template <>
constexpr const char* message<quote> = "expected a text in quotes: \"...\"";
template <>
constexpr const char* message<list<declaration, comma>> = "expected a name";
template <>
constexpr const char* message<list<dim, sor<comma, scan<blanks_length>>>> = "expected the name of a size";

/// How the notation writes what other languages write with these characters; "" for others. `before` is the one before them.
[[maybe_unused]] inline std::string_view spelled_otherwise(char before, std::string_view rest) {
    if (before == '=' && rest.starts_with("=")) return "; an equation has one =";
    if (rest.starts_with("*")) return "; a power is written with ^";
    if (rest.starts_with(".")) return "; write ⊙ for a product entry by entry, sum(a ⊙ b) for a dot product";
    return "";
}

template <class Rule>
struct control : peg::normal<Rule> {
    [[noreturn]] static void raise(const auto& in, auto&&...) {
        const char before = in.current() == in.begin() ? ' ' : in.current()[-1];
        throw peg::parse_error(message<Rule> + std::string(spelled_otherwise(before, {in.current(), in.size()})), in);
    }
};

template <class Rule>
struct keep : std::is_base_of<kept, Rule> {};

}  // namespace
}  // namespace gradproof::proof
