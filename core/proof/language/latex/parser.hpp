// Formulas of LaTeX turned into expressions, the same ones that the notation has.
//
//   const ExprPtr e = Parser(reading, tokens).whole();            // of \frac{\partial L}{\partial S} K / \sqrt{d_k}
#pragma once

#include <functional>
#include <optional>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// Where an equation holds.
struct IndexRanges {
    ExprPtr holds;                  ///< nullptr: everywhere
    std::vector<Option> extents{};  ///< sizes of indices that run over all of an axis
    std::string before_last{};      ///< an index that leaves out the last entry
    void add(const ExprPtr& condition);
};

/// <, >, <=, >=, =, ≠, "in" or "not in"; "" for what is no relation.
std::string_view relation(const Token& t);
/// The place of the first one; the end where there is none.
std::size_t relation_in(const Tokens& tokens);

class Parser {
  public:
    /// `notation`: words and [1, 2] mean what they mean in the notation, as in annotations.
    explicit Parser(const Reading& reading, const Tokens& tokens, bool notation = false)
        : Parser(reading, tokens, 0, tokens.size()) {
        notation_ = notation;
    }
    /// All of the tokens. Errors: ProofError at what is not understood.
    ExprPtr whole();

    /// Piece by piece, for what surrounds expressions.
    bool done() const { return at_ >= end_; }
    const Token& peek() const;
    Token take();
    bool take_symbol(std::string_view s);
    ExprPtr expression();
    /// A name, a number or what stands in brackets.
    ExprPtr operand();
    NameParts take_name(const char* what);
    void expect_one_spelling(const NameParts& p) const;
    /// Products of entries in the place of those of matrices.
    static ExprPtr by_entries(const ExprPtr& e);
    /// Of all tokens: what indices are said to run over, t = 1, \dots, T or i \ne j.
    IndexRanges ranges();
    const Tokens& tokens() const { return tokens_; }
    [[noreturn]] void fail(const Token& at, const std::string& text) const { latex::fail(reading_.source, at, text); }

  private:
    Parser(const Reading& reading, const Tokens& tokens, std::size_t begin, std::size_t end)
        : reading_(reading), tokens_(tokens), at_(begin), end_(end) {
        last_ = {Token::Kind::none, "", {}, false};
        if (!tokens.empty()) last_.span = {tokens.back().span.end, tokens.back().span.end};
    }
    /// One level deeper, as long as it lives. Errors: ProofError where that is too deep.
    struct Level {
        Level(const Parser& parser, const Token& at);
        ~Level() { --depth; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;
        int& depth;
    };
    /// A whole expression from other tokens, one level down.
    ExprPtr inner(const Tokens& tokens);
    ExprPtr finish(std::size_t begin, Expr e);
    ExprPtr finish(std::size_t begin, const ExprPtr& e) { return finish(begin, Expr(*e)); }

    // parser.cpp
    ExprPtr product();
    ExprPtr unary();
    ExprPtr postfix(ExprPtr base, std::size_t begin);
    ExprPtr primary();
    ExprPtr plain_number();
    bool begins_a_fraction_of_digits() const;
    void expect_printed_brackets(std::size_t begin, const Tokens& inside, const Expr& e) const;
    void expect_one_number(std::size_t begin) const;
    ExprPtr bracketed();
    ExprPtr rest_of_column(const ExprPtr& first, std::size_t begin);
    ExprPtr between_bars();
    ExprPtr whole_part();
    ExprPtr norm_of(const ExprPtr& e, const std::string& which, const Token& at, std::size_t begin);
    ExprPtr array_of_notation();
    bool is_power_of_number(const ExprPtr& base, const Tokens& script) const;
    ExprPtr diagonal_of(const Expr& e) const;
    ExprPtr raised(const ExprPtr& base, const Tokens& script, std::size_t begin);
    bool starts_operand() const;
    char operator_here() const;
    void expect_close(const Token& opener, std::string_view closer);
    /// The script behind ^ or _.
    Tokens script();
    Tokens group(const char* what);

    // parser_names.cpp
    ExprPtr name_or_call();
    ExprPtr defined_name(const NameParts& p);
    ExprPtr divergence(const NameParts& p);
    void expect_no_slope_of_brackets(std::size_t begin, const Expr& base) const;
    void expect_no_slope(const NameParts& p, const Expr& value) const;
    void expect_no_command(const std::string& run) const;
    void expect_no_index_within(const NameParts& p, bool with_above, bool with_below) const;
    void expect_no_power_of_function(const Expr& before) const;
    void expect_no_function(const Expr& before) const;
    void expect_no_index_in_brackets(std::size_t begin) const;
    ExprPtr name_of(const NameParts& p, const std::string& id, bool with_above, bool with_below, bool with_prime);
    ExprPtr with_start(const std::string& key, const ExprPtr& entry);
    ExprPtr differential();
    ExprPtr adjoint();
    ExprPtr gradient_named(const NameParts& p, std::size_t begin);
    std::optional<std::size_t> run_of_letters() const;
    std::string shown(std::size_t begin, std::size_t end) const;
    std::string function_at(const NameParts& p) const;
    void expect_no_sigmoid(const NameParts& p) const;
    bool is_exponential(const NameParts& p) const;

    // parser_unknown.cpp
    bool may_be_index(const std::string& letter) const;
    ExprPtr unknown_name(const NameParts& p);
    void fail_for_argument(std::size_t bracket) const;
    [[noreturn]] void fail_for_unknown(const NameParts& p, const std::string& name) const;
    static std::string matrix_of(const NameParts& p);
    ExprPtr whole_of_entries(const NameParts& p);
    ExprPtr row_of(const std::string& matrix, const NameParts& p);
    ExprPtr row_by(const NameParts& p);
    ExprPtr column_of(const ExprPtr& matrix, const Tokens& index, std::size_t begin);

    // parser_calls.cpp
    ExprPtr call_of(const std::string& function, std::size_t begin, std::size_t scripts);
    ExprPtr call_of_known(const std::string& function, std::size_t begin, std::size_t scripts);
    ExprPtr as_vector(const ExprPtr& e) const;
    ExprPtr without_own_index(const ExprPtr& e);
    ExprPtr softmax_over(const std::string& function, std::size_t begin);
    std::vector<ExprPtr> arguments(std::vector<Option>& options);
    ExprPtr bare_argument(const std::string& function);

    // parser_meanings.cpp
    const FunctionMeaning* meaning_of(std::string_view function) const;
    bool is_of_numbers(const Expr& e, const std::string& parameter) const;
    ExprPtr body_of(const FunctionMeaning& m) const;
    ExprPtr defined_call(const FunctionMeaning& m, std::size_t begin, std::size_t scripts);
    ExprPtr value_of(const FunctionMeaning& m, const ExprPtr& of, bool primed, std::size_t begin);
    ExprPtr entry_of_call(const FunctionMeaning& m, std::size_t begin, std::size_t scripts);
    ExprPtr call_by_columns(const FunctionMeaning& m, std::size_t begin, std::size_t scripts);

    // parser_signs.cpp
    /// Of an expression or of a name.
    auto names_of_axes(const auto& of) const { return axis_names(of, reading_.proof, &reading_.names); }
    /// Whether it is known to be a number.
    bool is_without_axes(const Expr& e) const {
        const auto axes = names_of_axes(e);
        return axes && axes->empty();
    }
    bool is_row(const Expr& e) const;
    bool has_unstated_shape(const Expr& e) const;
    char meaning_of_sign(const Token& sign, char op, const Expr& left, const Expr& right) const;
    void expect_divided_by_entries(const Token& sign, const Expr& under) const;
    void expect_positive_entries(const Token& sign, const Expr& of) const;
    void expect_end_of_logarithm(const std::string& function, std::size_t begin, std::size_t scripts) const;

    // parser_indicators.cpp
    std::size_t end_of_bracket(std::size_t at) const;
    bool condition_stands(std::size_t at) const;
    ExprPtr iverson();
    ExprPtr indicator(const NameParts& p);
    ExprPtr plain_indicator();
    ExprPtr identity(const NameParts& p);
    ExprPtr delta_of(const NameParts& p);
    bool means_kronecker(const NameParts& p) const;

    // parser_entries.cpp
    std::vector<ExprPtr> entries(const Tokens& script);
    std::vector<ExprPtr> entries_as_sizes(const Tokens& script);
    ExprPtr entry(const Tokens& piece);
    bool is_drawn_place(const Expr& e) const;
    void enter_one_row(const Expr& of, std::vector<ExprPtr>& at) const;
    ExprPtr entry_of(const ExprPtr& of, const Tokens& script, std::size_t begin);
    Tokens digits_apart(const Expr& of, const Tokens& script) const;
    /// Of an input or constant; nullopt of others.
    std::optional<std::size_t> axes_of(const Expr& e) const;
    /// Whether it may be a vector or a number, as its letters say: X w - y.
    bool is_vector(const Expr& e) const;
    static std::string meaning_of_function(const std::string& base, const std::string& name);
    bool is_square(const Expr& e) const;
    Expr of_determinant(const Expr& log) const;
    ExprPtr moved_to_zero(const ExprPtr& e) const;

    // parser_derivatives.cpp
    struct Differentiated {
        std::string name;
        ExprPtr expression;  ///< where it has no name
        bool is_loss = false;
        std::vector<ExprPtr> entries;
        ExprPtr square_of;  ///< of a derivative by \sigma^2 the \sigma, which it is taken by
    };
    ExprPtr root_of_number(const ExprPtr& e) const;
    ExprPtr partial();
    ExprPtr nabla();
    // parser_surfaces.cpp
    ExprPtr gradient_on_surface();

    ExprPtr gradient_of_function(const Differentiated& of, std::size_t begin);
    ExprPtr fraction();
    Differentiated differentiated(const NameParts& p, const Token& at, bool may_be_loss);
    Differentiated differentiated_in(const Tokens& tokens, bool may_be_loss);
    Differentiated whole_differentiated();
    void skip_inputs(const Differentiated& of);
    void skip_arguments(const NameParts& p);
    void skip_what_it_follows_from(const NameParts& p);
    void expect_no_transposed_sign() const;
    ExprPtr derivative_by_script(std::size_t begin);
    bool is_power_of_value(NameParts p, const Differentiated& by) const;
    bool begins_expression_of(const Differentiated& by);
    bool power_follows();
    ExprPtr derivative(Differentiated of, Differentiated by, std::size_t begin);

    // parser_followers.cpp
    Differentiated follower();
    NameParts without_transpose(NameParts p) const;
    std::optional<Differentiated> follower_of(const Differentiated& by);
    bool uses_what_follows(const Expr& e, const std::string& x) const;
    void expect_no_factor_of(const Differentiated& by);
    void expect_no_term_of(std::size_t begin, const Differentiated& by);
    void expect_no_point(const Differentiated& by);

    // parser_slopes.cpp
    ExprPtr slope_of_value(const NameParts& p);
    bool goes_by_entry(const Expr& e, const std::string& x, int depth) const;

    // parser_second.cpp
    ExprPtr second_fraction(const Tokens& top, const Tokens& bottom, std::size_t begin);
    ExprPtr second_partial(std::size_t begin);
    std::optional<ExprPtr> second_nabla(std::size_t begin);
    ExprPtr second_derivative(Differentiated of, Differentiated by, Differentiated then_by, std::size_t begin);
    std::pair<Differentiated, Differentiated> twice_by(const Tokens& bottom);
    Differentiated named_follower();
    bool is_loss(const NameParts& p) const;
    void skip_loss();
    void told(GradientStyle style) const;
    void told_loss(const NameParts& p) const;

    // parser_blocks.cpp
    struct Bound {
        std::vector<std::string> names;
        std::vector<Option> sizes;        ///< that are stated of them
        ExprPtr holds;                    ///< where it is summed, nullptr for everywhere
        std::vector<Option> ends;         ///< sizes of those that run up to a number, if no axis has them
        std::vector<std::string> both{};  ///< of k \ne l, where neither is known otherwise
        void add(const ExprPtr& condition);
    };
    ExprPtr reduction(const std::string& function, std::size_t begin);
    ExprPtr sum_of_all_entries(std::size_t begin);
    ExprPtr unit_of(const Expr& factor) const;
    void expect_clear_end(const Bound& bound, const Expr& body, std::size_t from) const;
    void expect_none_above(const Bound& bound, std::size_t from) const;
    ExprPtr with_index_of_its_own(std::string& index, std::vector<Option>& sizes, const ExprPtr& body) const;
    bool goes_down(const Tokens& below, const Tokens& above) const;
    Bound bound_of(const Tokens& below, const Tokens& above, const Token& at, Tokens& when);
    void begin_bound(Bound& bound, const std::string& index, const Tokens& start);
    void expect_another(const std::string& index, const Tokens& end) const;
    void end_bound(Bound& bound, const std::string& index, const Tokens& above);
    bool is_size(const Expr& e) const;
    void bind_other(Bound& bound, const Tokens& piece);
    void expect_both(const Bound& bound, const Expr& body, const Token& at) const;
    bool is_known_index(std::string_view index) const;
    // parser_conditions.cpp
    ExprPtr with_labels(const ExprPtr& e) const;
    static bool has_relation(const Tokens& tokens);
    ExprPtr compared(const ExprPtr& a, std::string_view sign, const ExprPtr& b) const;
    ExprPtr within_set(const ExprPtr& value, const Token& in, const Tokens& set, bool of_indices);
    ExprPtr relations(const Tokens& piece, bool of_indices);
    ExprPtr condition(const Tokens& tokens, bool of_indices);
    // parser_environments.cpp
    ExprPtr environment();
    ExprPtr cases(const std::vector<std::vector<Tokens>>& rows, const Token& at);
    ExprPtr matrix(const std::vector<std::vector<Tokens>>& rows);

    // parser_ranges.cpp
    ExprPtr bound_value(const Tokens& tokens);
    bool has_value(const Tokens& tokens) const;
    std::vector<std::string> range_letters(const Tokens& tokens) const;
    void range(IndexRanges& out, const std::vector<std::string>& letters, const Tokens& first, const Tokens& last);
    void bounds(IndexRanges& out, const Tokens& piece);
    IndexRanges ranges_joined(const std::vector<Tokens>& pieces, bool conditional);

    const Reading& reading_;
    const Tokens& tokens_;
    std::size_t at_, end_;
    bool notation_ = false;
    bool is_below_ = false;           ///< in the denominator of a fraction
    bool is_differentiated_ = false;  ///< h_{t-1} is that entry, also where h_0 stands before the first
    bool in_entry_ = false;           ///< within an index: there are no numbers but those of entries
    int bars_ = 0;                    ///< | that are open
    std::shared_ptr<std::vector<std::string>> bound_ = std::make_shared<std::vector<std::string>>();  ///< by sums around it
    std::shared_ptr<std::size_t> parts_ = std::make_shared<std::size_t>(0);
    std::shared_ptr<int> depth_ = std::make_shared<int>(0);
    Token last_;
};

/// x of \bar x, where the text says that it is the gradient by x, and nothing is called so.
std::optional<NameParts> without_adjoint(const Reading& reading, NameParts p);
/// Z^\top 1 and 1 b^\top, where it is no factor.
inline constexpr const char* kPlainOne = "a plain 1 beside another factor: write \\mathbf{1} for a vector of ones";
/// A name of a matrix: A, Λ.
bool has_capital(const Expr& e);
/// The name x of x, x^\top, x_i and the like; nullptr where it is no name.
const Expr* named_within(const Expr* e);
/// Of a function that is defined by its entries, softmax(z)_i, the formula of one of them.
Tokens with_arguments(const Reading& reading, const FunctionMeaning& m, const Tokens& of, const Token& index);
/// A letter for an index that names nothing else and that `may_be` takes; "" where there is none.
std::string_view free_index(const Reading& reading, const std::function<bool(std::string_view)>& may_be);
/// Of a condition the parts between "or", \lor, ...
std::vector<Tokens> alternatives_of(const Tokens& condition);
/// ... and of one of these those between commas, "and" and \land. No part is empty.
std::vector<Tokens> demands_of(const Tokens& condition);
/// 1 where one of these conditions holds.
ExprPtr one_of(const std::vector<ExprPtr>& alternatives);
/// The tokens between separators that stand in no brackets.
std::vector<Tokens> pieces_of(const Tokens& tokens, std::string_view separator);

}  // namespace gradproof::proof::latex
