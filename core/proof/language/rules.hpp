// The rules of the notation in PEGTL, and which stand in the parse tree.
#pragma once

#include <string_view>

#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/parse_tree.hpp>

#include "gradproof/core/proof/language/matchers.hpp"

namespace gradproof::proof {
namespace {

using peg::at, peg::eof, peg::if_must, peg::list, peg::must, peg::not_at, peg::opt, peg::seq, peg::sor, peg::star, peg::success;

struct ws : scan<blanks_length, true> {};

/// Rules that stand in the parse tree.
struct kept {};

struct expression;
struct product_expression;
struct unary;

struct identifier : kept, word<Any> {};
struct long_name : kept, long_word<Known> {};
struct long_d_name : kept, long_word<KnownGradient> {};
struct new_long_name : kept, long_word<AnyLong> {};
struct variable : kept, word<Variable> {};
struct slice_mark : kept, literal<":"> {};
struct ellipsis_mark : kept, literal<"...", "…"> {};
struct infinity : kept, literal<"∞"> {};
struct number_text : kept, scan<number_length> {};

/// What two values, or an index and its bound, are compared by.
struct comparator : kept, literal<"<=", ">=", "==", "!=", "≤", "≥", "≠", "<", ">"> {};
struct equal_sign : kept, literal<"="> {};

struct open_round : literal<"("> {};
struct open_square : literal<"["> {};
struct open_curly : literal<"{"> {};
struct close_round : literal<")"> {};
struct close_square : literal<"]"> {};
struct close_curly : literal<"}"> {};
struct comma : seq<ws, literal<",">, ws> {};
struct operand : nested<expression> {};
/// a > b, where it is asked for: in brackets and as an argument.
struct compared : kept, seq<operand, opt<ws, comparator, ws, must<operand>>> {};
struct stop : kept, if_must<literal<":">, ws, operand> {};  // of the entries start:stop
struct index_entry : sor<seq<ellipsis_mark, at<ws, literal<",", "]">>>, slice_mark, seq<operand, opt<ws, stop>>> {};
struct element : sor<ellipsis_mark, operand> {};

struct round : in_bars<false, if_must<open_round, ws, compared, ws, close_round>> {};
/// 1[i = j]
struct indicator_open : literal<"1[", "𝟙[", "𝟏["> {};
struct indicated : kept, seq<operand, ws, sor<comparator, equal_sign>, ws, must<operand>> {};
struct indicator : kept, if_must<indicator_open, ws, indicated, ws, close_square> {};
struct bar : literal<"|"> {};
struct double_bar : literal<"‖"> {};
struct size_bars : kept, in_bars<true, if_must<bar, ws, operand, ws, bar>> {};
struct norm_bars : kept, in_bars<true, if_must<double_bar, ws, operand, ws, double_bar>> {};
struct array : kept, if_must<open_square, ws, opt<list<element, comma>>, ws, close_square> {};
struct index_list : kept, if_must<open_square, ws, list<index_entry, comma>, ws, close_square> {};

struct subscripts : kept, scan<subscripts_length> {};
/// j, j < i, and i = 1 of Σ_{i=1}^{n}
struct bound_condition : kept, seq<sor<comparator, equal_sign>, ws, must<operand>> {};
struct bound_name : seq<identifier, opt<ws, bound_condition>> {};
struct bound_list : if_must<open_curly, ws, list<bound_name, comma>, ws, close_curly> {};
struct last_value : kept, if_must<literal<"^">, sor<if_must<open_curly, ws, operand, ws, close_curly>, number_text, variable>> {};
struct sigma_index : seq<sor<seq<literal<"_">, sor<bound_list, identifier>>, subscripts>, opt<last_value>> {};
struct product_sign : kept, literal<"∏"> {};
struct sigma : kept, if_must<sor<literal<"Σ", "∑">, product_sign>, sigma_index, ws, nested<product_expression>> {};
struct reducer_word : kept, word<Reducer> {};
struct reducer : kept,
                 seq<reducer_word, opt<bound_list, opt<last_value>>, ws, if_must<open_round, ws, operand, ws, close_round>> {};
struct delta_indices : if_must<open_square, ws, operand, comma, operand, ws, close_square> {};
struct delta_entry : kept, seq<word<Delta>, must<delta_indices>> {};

struct partial_sign : literal<"∂"> {};
struct braced_list : if_must<open_curly, ws, list<operand, comma>, ws, close_curly> {};
struct indexed_head : kept, word<BeforeIndices> {};
struct indexed_name : sor<seq<long_name, opt<index_list>>, seq<indexed_head, braced_list>, seq<identifier, opt<index_list>>> {};
struct partial_top : kept, indexed_name {};
struct partial_whole : kept, if_must<open_round, ws, operand, ws, close_round> {};  ///< ∂(x^T A x)/∂x
/// The columns of a matrix, one below the other, of ∂vec(Y)/∂vec(X).
struct partial_vec : kept, seq<word<Vec>, ws, if_must<open_round, ws, sor<long_name, identifier>, ws, close_round>> {};
struct partial_of : sor<partial_whole, partial_vec, partial_top> {};
struct partial_bottom : kept, indexed_name {};
struct partial_slash : literal<"/"> {};
struct partial_by : sor<partial_vec, partial_bottom> {};
struct partial : kept, if_must<partial_sign, ws, partial_of, ws, partial_slash, ws, partial_sign, ws, partial_by> {};
/// ∂²f/∂w∂wᵀ, ∂²f/∂w², ∂²L/∂x[i]∂x[j]
struct second_sign : literal<"∂²", "∂^2"> {};
struct second_of : sor<partial_whole, partial_top> {};
struct by_twice : kept, literal<"²", "^2"> {};
struct second_bottom : seq<partial_bottom, opt<literal<"ᵀ", "^T", "^⊤">>> {};
struct second_by : sor<by_twice, seq<ws, partial_sign, ws, second_bottom>> {};
struct second_partial : kept,
                        if_must<second_sign, ws, second_of, ws, partial_slash, ws, partial_sign, ws, partial_bottom, second_by> {
};
struct nabla_name : sor<long_name, identifier> {};
struct nabla_by : sor<seq<open_curly, ws, nabla_name, ws, close_curly>, nabla_name> {};
struct loss_name : word<LossName> {};
/// ∇²f, ∇²_x f
struct second_nabla : kept, if_must<literal<"∇²", "∇^2">, opt<literal<"_">, nabla_by>, ws, identifier> {};
struct nabla : kept, if_must<literal<"∇">, opt<literal<"_">>, nabla_by, opt<ws, loss_name>> {};
struct grad_call : kept, seq<word<Grad>, ws, if_must<open_round, ws, nabla_name, ws, close_round>> {};
struct d_name : kept, word<DName> {};
struct d_quotient : kept, seq<word<DLoss>, ws, literal<"/">, ws, sor<long_d_name, d_name>> {};
/// dy/dx of two values: a derivative, no quotient of gradients.
struct d_part : kept, seq<d_name, opt<index_list>> {};
struct d_by_d : kept, seq<d_part, ws, literal<"/">, ws, d_part> {};

struct option_name : kept, word<OptionName> {};
struct option_word : kept, word<BareWord> {};
struct option_value : sor<option_word, operand> {};
struct option : kept, seq<option_name, ws, literal<"=">, ws, must<option_value>> {};
struct argument : sor<option, compared> {};
struct function_name : kept, word<Function> {};
struct arguments : in_bars<false, if_must<open_round, ws, opt<list<argument, comma>>, ws, close_round>> {};
struct call_expression : kept, seq<function_name, ws, arguments> {};
struct bare_name : kept, word<BareFunction> {};
struct postfix;
struct bare_call : kept, seq<bare_name, ws, nested<postfix>, not_at<ws, sor<word<Any>, literal<"(", "[">>>> {};
struct primed_name : kept, word<Primed> {};
struct primed_call : kept, seq<primed_name, literal<"'">, ws, arguments> {};

struct letters_quote : literal<"\""> {};
struct einsum_letters : kept, scan<until_quote, true> {};
struct einsum_call
    : kept,
      seq<word<Einsum>, ws, open_round, ws, letters_quote, einsum_letters, letters_quote, star<comma, operand>, ws, close_round> {
};

struct braced_entry : kept, seq<indexed_head, braced_list> {};

struct primary : sor<round, array, indicator, number_text, infinity, size_bars, norm_bars, sigma, reducer, delta_entry,
                     second_partial, partial, second_nabla, nabla, grad_call, d_quotient, long_d_name, long_name, d_by_d, d_name,
                     braced_entry, primed_call, einsum_call, call_expression, bare_call, variable> {};

struct not_in_word {
    using rule_t = not_in_word;
    using subs_t = peg::empty_list;
    template <class Input>
    static bool match(Input& in) {
        const std::string_view text(in.current(), in.size());
        return identifier_length(text) == 0 && (text.empty() || text[0] < '0' || text[0] > '9');
    }
};
struct transpose_mark : kept,
                        sor<seq<literal<"^">, ws, sor<seq<literal<"T">, not_in_word>, literal<"⊤", "{T}">>>, literal<"ᵀ", "'">> {
};
struct minus : literal<"-", "−"> {};
struct power_minus : kept, minus {};
struct exponent : kept, seq<opt<power_minus>, sor<round, number_text, variable>> {};
struct square_mark : kept, literal<"²"> {};
struct cube_mark : kept, literal<"³"> {};
struct power_mark : kept, sor<square_mark, cube_mark, if_must<literal<"^">, ws, exponent>> {};
struct inverse_mark : kept, literal<"^{-1}", "^{−1}", "⁻¹"> {};
struct inverse_transpose_mark : kept, literal<"^{-T}", "^{-⊤}", "^{−T}", "⁻ᵀ"> {};
struct postfix
    : kept,
      seq<primary, star<sor<index_list, seq<ws, sor<inverse_mark, inverse_transpose_mark, transpose_mark, power_mark>>>>> {};

struct minus_sign : kept, minus {};
struct root_sign : kept, literal<"√"> {};
struct plus_sign : literal<"+"> {};
struct unary : kept, seq<star<sor<minus_sign, root_sign, plus_sign>, ws>, postfix> {};

struct by_matrix : kept, literal<"@", "·", "⋅"> {};
struct by_element : kept, literal<".*", "*", "⊙", "×", "∘"> {};
struct by_division : kept, literal<"/"> {};
struct by_blocks : kept, literal<"⊗"> {};  // Kronecker's product
struct beside : kept, success {};
struct factor : unary {};
struct product_expression : kept,
                            seq<unary, star<ws, sor<seq<sor<by_matrix, by_element, by_division, by_blocks>, ws, must<factor>>,
                                                    seq<not_at<sor<minus, literal<"+">>>, beside, unary>>>> {};
struct add_sign : kept, literal<"+"> {};
struct subtract_sign : kept, minus {};
struct term : product_expression {};
struct expression : kept, seq<product_expression, star<ws, sor<add_sign, subtract_sign>, ws, must<term>>> {};

struct end : eof {};
struct equals : literal<"=", "≈"> {};
struct whole_expression : seq<ws, must<operand>, ws, must<end>> {};
/// for all i; for t = 1, ..., T; for 0 < t < T; for i ≠ j
struct range_part : kept, seq<operand, star<ws, sor<comparator, equal_sign>, ws, must<operand>>> {};
struct range_item : sor<ellipsis_mark, range_part> {};
struct for_all : seq<sor<literal<"∀">, seq<word<For>, opt<ws, word<All>>>>, ws> {};
struct ranges : kept, if_must<for_all, list<range_item, comma>> {};
struct correction : operand {};
struct erratum : kept, if_must<word<Erratum>, ws, correction> {};
struct further : seq<equals, ws, must<operand>> {};
struct equality : seq<ws, must<operand>, ws, must<equals>, ws, must<operand>, star<ws, further>, ws, opt<erratum>, ws,
                      opt<ranges>, ws, must<end>> {};

struct shape_list : kept, if_must<open_square, ws, opt<list<operand, comma>>, ws, close_square> {};
struct value_of_name : kept, if_must<literal<"=">, ws, operand> {};
struct parameters : kept, if_must<open_round, ws, opt<list<operand, comma>>, ws, close_round> {};
struct distribution : kept, if_must<literal<"~">, ws, identifier, ws, opt<parameters>> {};
struct declaration : kept,
                     seq<sor<new_long_name, identifier>, ws, opt<shape_list>, ws, opt<value_of_name>, ws, opt<distribution>> {};
struct declarations : seq<ws, must<list<declaration, comma>>, ws, must<end>> {};
struct dim_operator : kept, literal<"*", "/", "+"> {};
struct dim_factor : unary {};
struct dim_value : kept, seq<dim_factor, star<ws, dim_operator, ws, must<dim_factor>>> {};
struct dim : kept, seq<sor<new_long_name, identifier>, opt<ws, literal<"=">, ws, must<dim_value>>> {};
struct dims : seq<ws, must<list<dim, sor<comma, scan<blanks_length>>>>, ws, must<end>> {};
struct quoted_text : kept, scan<until_quote, true> {};
struct quote : literal<"\""> {};
struct quoted : seq<ws, must<quote>, quoted_text, must<quote>, ws, must<end>> {};

}  // namespace
}  // namespace gradproof::proof
