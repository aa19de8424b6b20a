// A program of NumPy and its like read line by line.
//
//   Reader(source, statements).read(text);
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gradproof/core/proof/language/numpy/aliases.hpp"
#include "gradproof/core/proof/language/numpy/body.hpp"
#include "gradproof/core/proof/language/numpy/dicts.hpp"
#include "gradproof/core/proof/language/numpy/draws.hpp"
#include "gradproof/core/proof/language/numpy/imports.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/numpy/program.hpp"
#include "gradproof/core/proof/language/numpy/rebound.hpp"
#include "gradproof/core/proof/language/numpy/scaled.hpp"
#include "gradproof/core/proof/language/numpy/text_functions.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::numpy {

class Reader {
  public:
    Reader(const std::shared_ptr<const Source>& source, Statements& to) : source_(*source), to_(to) {}
    void read(Span text);

  private:
    struct Claim {
        ExprPtr left, right, holds{};
        Span span;
        std::string why;             ///< it is skipped
        std::optional<Loop> rows{};  ///< of one of rows, the loop that assigns them
        std::size_t axis = 0;        ///< along which they stand
        int function = 0;            ///< in which it stands
        std::size_t loop = 0;        ///< where the loop begins that it stands in, 0 of others
    };
    using Claims = std::vector<Claim>;
    /// Names that stand for their right side within the body of a loop.
    struct Local {
        ExprPtr value;
        std::size_t parts = 0;
    };
    using Locals = std::map<std::string, Local>;
    using ByName = std::map<std::string, ExprPtr, std::less<>>;
    /// A name that a loop carries from step to step.
    struct Carried {
        ExprPtr start;            ///< what it is before the first step
        std::string rows;         ///< of a value, the sequence of what it is at the end of each step
        Span assigned{}, name{};  ///< the line that gives it to the next step, and its left side
        ExprPtr value{};          ///< that this line computes
    };
    /// A row that the next line of the loop changes: x[t] = np.zeros(n), x[t][k] = 1.
    struct Held {
        LoopBody::Line line;
        ExprPtr value;
    };
    /// A loop while it is read.
    struct Pass {
        LoopBody body;
        Locals local{};
        std::map<std::string, Carried, std::less<>> carried{};
        std::vector<std::pair<LoopBody::Line, ExprPtr>> totals{};  ///< loss += ..., and what is added over all steps
        struct Laid {
            std::size_t axis = 0, axes = 0;
            Span line{}, name{};
        };
        std::map<std::string, Laid, std::less<>> laid{};       ///< arrays whose rows stand along another axis, h[:, t] = ...
        Local right{};                                         ///< of the line, of a, b = f(x) all of it
        std::set<std::string> made{};                          ///< those that lines of the body have given a value of the step
        std::map<std::string, std::vector<ExprPtr>> tuples{};  ///< by lists of tuples, the arrays in what a step appends
        std::set<std::string> added{};                         ///< names that lines of the body have added to
        std::set<std::string> hidden{};  ///< values of other functions whose names stand for something of the step
        std::optional<Held> held{};
        std::vector<std::pair<std::string, std::string>> aliases{};  ///< q of q = p, with the p
        bool is_changed_next = false;                                ///< what this line assigns, by the next one
        const Loop& over() const { return body.over(); }
    };

    [[noreturn]] void fail(Span at, const std::string& text) const { throw ProofError(source_, at.begin, text); }
    std::string one_line(Span s) const;
    std::string_view word_at(Span s) const;
    Statement at(Span s) const { return {s, source_.line(s.begin)}; }
    ExprPtr expression(Span s);
    std::string gradient_named(const std::string& name) const { return value_of_gradient(name, to_.names(), &file_); }

    // read.cpp
    std::size_t line(std::size_t begin);
    void see_rebound_targets(Span header);
    void judge_claims();
    void claim_rows_left_out();
    void expect_in_order(const Claim& c) const;
    void add_claim(Claim c);
    void expect_shape_of_zeros(const std::string& of);
    void expect_no_integers(Span left, Span right);
    void notes(Span all);
    void note(Span s);
    void statement(Span s);
    bool is_passed(Span s) const;
    Span returned_in_loop(Span header, Span body) const;
    bool only_shows(Span body) const;
    bool repeats(Span header, Span body) const;
    bool repeats(const LoopBody& lines) const;
    void expect_no_own_call(Span s) const;
    // reader_found.cpp
    void find_filled();
    void find_logged();
    void find_imported();
    void tell_half_precision();
    // reader_delivered.cpp
    void tell_delivered();
    void tell_spellings_apart(const std::vector<TextFunction>& functions);
    void tell_returned_among_gradients(const TextFunction& f);
    void tell_computed_in_tuples(const TextFunction& f);
    void find_bound_elsewhere();
    bool gives_value(Span s, const std::string& name) const;
    void find_statements();
    void expect_bound(const std::string& name, std::size_t at);
    void find_defined_in_other_parts();
    // reader_draws.cpp
    std::set<std::string> started_parameters() const;
    void find_draws();
    void declare(const Draw& draw);
    bool passes_draw(Span s);
    bool is_made_anew(Span s, std::string_view name) const;
    ExprPtr drawn_within(const std::vector<ExprPtr>& sizes, Span where, std::string_view distribution);
    // reader_lost.cpp
    LostLine lost(Span all);
    bool may_be_array(const std::string& name) const;
    std::set<std::string> changed_by_loop(Span all) const;
    void lose_members(std::string_view target, Span lines);
    void lose_claims_of(const std::string& value, int line);
    bool changes(Span lines, const std::string& name) const;
    void expect_unchanged(Span s) const;
    void expect_reached(Span s);
    void expect_meanings_kept(Span s) const;
    // reader_functions.cpp
    bool function_goes_on(Span def) const;
    void enter(Span def);
    Span body_beside(Span def) const;
    bool returns_something(Span def) const;
    void take_defaults(Span def);
    void tell_other_flag(const OwnFunction::Parameter& p);
    void declare_default(const std::string& name, const ExprPtr& value, Span at);
    ExprPtr setting(const std::string& name, const ExprPtr& number);
    bool is_given_otherwise(const std::string& name) const;
    void say_defaults();
    void say_sizes();
    void expect_same_default(const std::string& name, const ExprPtr& value, Span at);
    bool only_initialises(Span s);
    struct KeptInClass;
    void see_kept(Span s, bool initial, KeptInClass& kept);
    void tell_never_kept(Span head);
    bool is_size_of_any(std::string_view size, const std::set<std::string>& given) const;
    /// What belongs to the class or function that begins so.
    Span body_of(Span head) const;
    void tell_property(Span def);
    void tell_initialised_otherwise(Span s);
    void tell_kept_computed(Span s);
    void tell_given_another(Span call);
    void see_initial_value(Span s);
    std::size_t pass_over(const OwnFunction& f);
    std::set<std::string> used_in(Span line) const;
    void leave(Span s);
    bool saves(Span s);
    bool adds_at_places(Span s);
    void store(Span s, const Place& place, char op, const ExprPtr& value);
    bool unpacks_sizes(Span s, const std::vector<Span>& names, Span right);
    // reader_dicts.cpp
    void fill_dict(Span s, const std::string& owner, const DictParts& parts, bool anew);
    void put_into_dict(Span s, const std::string& owner, const DictPart& part, const ExprPtr& value);
    bool assigns_dict(Span s, Span left, Span right);
    bool updates_dict(Span s);
    bool keeps_returned_dict(Span part, const std::string& name);
    void lose_dicts(Span lines);
    void lose_dicts_given(Span s, const Program::Call& call);
    // reader_returned.cpp
    void returned(Span s);
    void returns(const std::string& name);
    std::string kept_loss(Span rest) const;
    bool names_its_gradients(Span rest) const;
    bool see_another_forward(Span s, Span rest);
    std::vector<ExprPtr> parts_returned(Span rest);
    bool keep_returned(Span rest);
    void take_returned(Span def);
    std::string name_beside_gradient(Span def) const;
    Span given_beside_gradient(std::size_t from) const;
    // reader_passed.cpp
    /// What is not read and may change what the lines mean.
    void tell(Span s, std::string why) {
        const auto same = [&](const Passed& p) { return p.span.begin == s.begin; };
        if (std::ranges::none_of(passed_over_, same)) passed_over_.push_back({s, std::move(why)});
    }
    void tell_function();
    void tell_beside(Span head);
    void tell_attribute_set(Span s);
    void tell_defined_again(Span def);
    void tell_lost_gradients();
    void tell_inner_returned();
    void tell_other_value_returned();
    void tell_kept_otherwise();
    bool is_computed_of_gradients(const std::string& name) const;
    bool is_bound_anywhere(const std::string& name) const;
    void tell_shared_by_objects();  // reader_initial.cpp
    bool is_of_class_body(Span s) const;
    void see_zero_gradients(Span place, Span value);
    bool only_zeroes(Span s) const;
    bool is_of_zero_dict(Span s) const;
    bool is_zero_in_object(Span s, Span member, const std::string& of) const;  // reader_claims.cpp
    bool sets_attribute_of_class(Span s, Span left);
    void tell_outside_names();      // reader_initial.cpp
    void see_pairs_of_functions();  // read.cpp
    void tell_tied_by_calls();      // reader_initial.cpp
    void tell_passed(Span s);
    void tell_passed_in(Span body);
    void tell_head(Span header);
    void tell_heads_in(Span body);
    bool only_reads(std::string_view name, Span given, bool of_object) const;
    void see_rebinding(Span s);
    void see_late_binding(Span s, Span left);
    void tell_shared_gradients();
    void tell_changed_before_return(Span header, Span body);
    void tell_return(Span part);
    void tell_uncalled();
    void tell_unused_values();
    bool computes_of_values(Span s, const std::string& but) const;
    bool may_change(Span call) const;
    bool asserts_of_values(std::string_view text) const;
    // reader_branches.cpp
    bool is_of_training(Span header);
    bool is_behind_training(Span s);
    bool is_for_input(Span header, Span body);
    bool is_left_out(Span header);
    struct EarlyReturn {
        int function = 0;
        Span statement;
    };
    void see_early_returns(Span header, Span body);
    bool returns_as_the_last(const EarlyReturn& early) const;
    void tell_early_returns();
    // reader_outputs.cpp
    /// What a function returns first, whose gradient its backward is given.
    struct Output {
        std::string value;                           ///< "" of what is not read
        std::string why;                             ///< that is
        bool expression = false;                     ///< it has no name in the text
        std::string function{};                      ///< its name
        std::size_t begin = 0;                       ///< where its def begins
        std::size_t in_class = 0;                    ///< where the class begins that it stands in, 0 of none
        std::set<std::string, std::less<>> names{};  ///< values that it returns by their names
        std::vector<std::string> order{};            ///< all that it returns, as it is written
    };
    void say_outputs_without_gradient(Span def, const Output& pair);
    bool is_of_several(Span part);
    bool returns_expression(Span s, Span rest);
    bool returns_steps(const std::string& name);
    void see_steps_that_come_out(Span loop);
    void keep_output(Span s, Span first, bool wanted);
    std::string name_of_output(const ExprPtr& first, Span at_first) const;
    Span first_returned(Span rest) const;
    bool is_awaited() const;
    bool has_backward() const;
    std::vector<Span> paired_in(Span part) const;
    const Output* output_of_pair() const;
    std::string incoming_by_place(Span def) const;
    void see_residual(Span def);
    void see_order_of_incoming(Span def);
    void see_incoming(Span def);
    void expect_incoming_known(Span rest) const;
    /// One of the parts of a return.
    struct Returned {
        Span value;
        std::string of;
    };
    std::vector<Returned> parts_of_return(Span rest, const std::vector<std::string>& inputs) const;
    void returned_gradients(Span s, Span rest, const std::vector<std::string>& inputs);
    std::string named_by_key(Span part) const;
    bool is_input(std::string_view name) const;
    ExprPtr value_returned(Span part, const std::string& of);
    void claim_returned(Span s, Span part, const std::string& of, const ExprPtr& value);
    Span behind_key(Span part) const;
    std::string input_left() const;
    std::vector<std::string> inputs_left() const;
    bool is_computed(Span part);
    std::vector<std::string> inputs_in_order() const;
    bool may_be_gradient_by(const std::string& input, Span part);
    bool is_name_alone(Span part) const;
    bool are_sorted(const std::vector<Returned*>& gradients, const std::vector<std::string>& inputs) const;
    std::vector<std::string> inputs_of_fewer(const std::vector<Returned*>& gradients, const std::vector<std::string>& inputs);
    void take_in_order(std::vector<Returned>& parts);
    std::string input_by_name() const;
    // reader_returned_doubts.cpp
    void expect_one_output(Span rest) const;
    std::string gradient_renamed(const std::string& name) const;
    std::vector<std::string> parameters_of_pair() const;
    void tell_doubtful(Span rest);
    void tell_left_gradient(Span rest);
    void tell_changed_behind(Span rest);
    std::vector<Span> items_returned(Span rest) const;
    std::string gradient_within(Span item) const;
    std::set<std::string> gradients_in(Span item) const;
    bool updates_in_function(std::size_t end) const;
    bool is_loss(const std::string& name) const;
    bool is_size(const std::string& name) const;
    bool is_of_step(const std::string& name, std::size_t end) const;
    void tell_kept_anew(Span s);
    void tell_pairs(Span rest);
    bool is_kept(const Claim& c) const;
    bool is_used_behind(const Claim& c, std::size_t end) const;
    std::vector<std::string> order_of_parameters() const;
    void tell_order(Span s, const std::vector<std::string>& of, const std::vector<std::string>& all);
    void tell_order_of_kept(Span s, const Expr& gradients);
    void tell_nothing_returned(Span s);
    void tell_other_cache(Span rest);
    void expect_no_parameter_called(Span rest) const;
    void tell_constant_gradient(const std::vector<Returned>& parts);
    void expect_each_once(Span rest, const std::vector<Returned>& parts);
    void expect_loss_as_it_is(Span part) const;
    // reader_loops.cpp
    bool loop(Span header, Span body);
    void step(Pass& pass, const LoopBody::Line& line);
    ExprPtr with_ends_met(const Pass& pass, const ExprPtr& e) const;
    ExprPtr within_branch(const Pass& pass, const LoopBody::Line& line, const ExprPtr& read);
    Local value_in_step(const Pass& pass, const LoopBody::Line& line);
    void assign_in_step(Pass& pass, const LoopBody::Line& line, const Local& local);
    bool is_local_of(const Pass& pass, const std::string& name) const;
    bool claims_row(Pass& pass, const LoopBody::Line& line, const std::string& of, const ExprPtr& value);
    void add_over_steps(const Pass& pass, const LoopBody::Line& line, const std::string& of, const ExprPtr& value);
    void assign_local(Pass& pass, const LoopBody::Line& line, const std::string& name, Local local);
    void assign_row(Pass& pass, const LoopBody::Line& line, const Element& row, const std::string& of, const ExprPtr& value);
    void define_rows(const LoopBody& body, const Loop& over, Span s, const ExprPtr& left, const std::string& name, ExprPtr value);
    std::vector<ExprPtr> sizes_filled(const std::string& array) const;
    ExprPtr row_of_filled(const std::string& name, const ExprPtr& value) const;
    ExprPtr rows_of_filled(const std::string& name, const Loop& over) const;
    void begin_rows(Span left, const Element& row, const ExprPtr& value);
    bool keeps_start(const std::string& name) const;
    // reader_steps_kept.cpp
    void expect_gradients_unscaled(const std::vector<LoopBody::Line>& lines) const;
    void expect_no_alias(Pass& pass, const LoopBody::Line& line, const std::string& name, const Expr& value) const;
    void expect_unchanged_behind(const Pass& pass, const LoopBody::Line& kept) const;
    void expect_order_of_list(const Pass& pass, const LoopBody::Line& line) const;
    void tell_list_of_earlier_calls(const LoopBody::Line& line);
    void keep_tuple(Pass& pass, const LoopBody::Line& line, const std::string& list, const ExprPtr& tuple);
    void see_tuples_kept(const Pass& pass);
    // reader_places.cpp
    ExprPtr changed_at_place(const LoopBody::Line& line, const ExprPtr& before, const std::vector<ExprPtr>& at,
                             const ExprPtr& value);
    bool changes_place(Pass& pass, const LoopBody::Line& line);
    bool changes_claimed_row(const Pass& pass, const LoopBody::Line& line, const std::string& name,
                             const std::vector<ExprPtr>& at, const ExprPtr& value);
    bool changes_each_row(const Pass& pass, const LoopBody::Line& line, const std::string& name, const std::vector<ExprPtr>& at,
                          const ExprPtr& value);
    // reader_carried.cpp
    void carry_in(Pass& pass);
    void carry_rows(Pass& pass, const std::string& name);
    ExprPtr row_claimed(const std::string& of);
    ExprPtr start_of(const LoopBody& body, const std::string& name, bool of_rows);
    void carry_on(Pass& pass);
    void carry_gradient(Pass& pass, const std::string& name, std::map<std::string, ExprPtr, std::less<>>& at_step);
    void carry_out(Pass& pass);
    ExprPtr loosened(const ExprPtr& e, const std::string& index = {}) const;
    /// Under which a loop keeps what a name stands for: those of one gradient are one.
    std::string local_key(const std::string& name) const {
        const std::string of = gradient_named(name);
        return of.empty() ? name : gradient_key(of);
    }
    bool is_read_after(std::size_t at, const std::string& name) const;
    // reader_assign.cpp
    std::string value_with_grad(std::string_view target) const;
    bool is_grad_of_value(std::string_view target) const { return !value_with_grad(target).empty(); }
    std::string gradient_of_place(Span left) const;
    void tell_dropped(Span s, Span left);
    void several(Span s, Span left, Span right);
    bool keeps_for_later(Span s, Span left) const;
    void say_items(Span left, Span right, const Expr& value);
    void take_apart(Span s, Span left, const ExprPtr& value, std::vector<Span>& names, std::vector<ExprPtr>& values) const;
    void assign(Span s, Span left, char op, Span right);
    bool takes_container(Span s, Span left, char op, const ExprPtr& value);
    void take(Span s, Span left, char op, const ExprPtr& value);
    bool is_filled_above(const std::string& name, const std::string& of) const;
    bool is_returned_below(Span s, const std::string& name) const;
    void define(Span s, Span left, const ExprPtr& value);
    // reader_loss.cpp
    void find_loss();
    void find_incoming();
    bool is_given_gradient_of(const std::string& name);
    bool states_loss(const std::string& name, const Expr& value) const;
    bool is_metric(std::string_view name) const;
    void leave_out_metrics(const std::string& loss);
    bool returns_loss(Span s, Span rest);
    void let_gradients_come_in(Span def);
    // reader_calls.cpp
    bool gives_the_same(const Program::Call& call) const;
    bool states_loss_below(Span def) const;
    bool returns_loss_first(Span rest) const;
    void keep_result(Span rest);
    bool changes_state_above(Span s) const;
    void assign_result(Span s, Span left, const ExprPtr& value);
    ExprPtr result_of(const ProgramFunction& f, std::size_t i) const;
    bool unpacks_result(const ProgramFunction& f, const std::vector<Span>& names,
                        std::vector<std::pair<Span, ExprPtr>>& to) const;
    bool calls_program(Span s);
    // reader_updates.cpp
    std::size_t end_of_function(std::size_t from) const;
    bool is_update(Span s, Span left) const;
    bool is_state_update(Span left, Span right) const;
    std::vector<std::string> list_above(const std::string& name, std::size_t before) const;
    std::vector<std::string> over_gradients(Span header) const;
    bool only_updates(Span header, Span body) const;
    bool only_drives(Span body) const;
    bool updates_all(Span header, Span body) const;
    // reader_descent.cpp
    void tell_computed_before_loop(Span s, const std::string& changed);
    void expect_descent(Span s);
    bool passes_step(Span part);
    void unpack_gradients(Span s, const std::vector<Span>& names, const std::vector<Span>& returned);
    std::string value_behind(const std::string& word) const;
    char sign_of_state(Span s, const std::string& state, const std::vector<std::string>& gradients) const;
    void expect_state_goes_down(Span s, const std::string& name, char op, Span by,
                                const std::vector<std::string>& gradients) const;
    void expect_step(Span s, const std::string& name, char op, Span by);
    std::vector<std::pair<ExprPtr, ExprPtr>> pairs_over(Span over);
    void expect_descent_of_all(Span header, Span body);
    LostLine lost_update(Span s) const { return {at(s), JudgedLine::Type::claim, one_line(s)}; }  ///< no claim uses it
    // reader_changes.cpp
    ExprPtr written_out(ExprPtr e) const;
    bool computes_again(const Assignment& before, const ExprPtr& value) const;
    bool is_local(Span s, const std::string& name) const;
    ExprPtr changed(Span s, const ExprPtr& before, char op, const ExprPtr& value) const;
    ExprPtr changed_entries(Span left, const ExprPtr& before, char op, const ExprPtr& value);
    bool changes_entries(Span s, Span left, char op, const ExprPtr& value);
    bool is_made_here(Span s, const std::string& name) const;
    ExprPtr own_value(Span s, const std::string& name) const;
    ExprPtr zeros_to_fill(Span s, const std::string& name) const;
    static ExprPtr in_terms_of(const ExprPtr& before, const std::string& name, const ExprPtr& value);
    void bind_own(const std::string& name, const ExprPtr& value);
    static bool is_shifted_by_maximum(const std::string& name, const Expr& value);
    bool rebinds_own(const std::string& name, const ExprPtr& value);
    void change_own(Span s, const std::string& name, const ExprPtr& before, const ExprPtr& after);
    void define_anew(Span s, Span left, const ExprPtr& value, bool in_place);
    // reader_claims.cpp
    void claim(Span s, Span left, char op, const std::string& of, const ExprPtr& value);
    static bool is_row_of(const Claim& c, const std::string& of);
    bool change_rows(Span s, const std::string& of, const ExprPtr& after);
    void change_claim(Span s, Span left, const std::string& of, const ExprPtr& after, bool in_place);
    std::string value_before(const std::string& of, const ExprPtr& after);
    void tell_never_computed(Span s, std::string_view used, const std::string& by);
    bool is_never_computed(const std::string& word, const std::string& of);
    void begin_at_zero(const std::string& of);
    bool is_assigned_below(Span s, const std::string& of) const;
    Claims::reverse_iterator last_claim(const std::string& of);
    void change_others(const std::string& array, Span s);
    // reader_scaled.cpp
    Scaled scaled(const ExprPtr& e) const;
    std::string product_scaled(const std::string& of, const std::multiset<std::string>& by);
    bool is_used_unscaled(const Claim& c) const;
    void see_unscaled_gradients();

    const Source& source_;
    Statements& to_;
    Span text_{};
    Claims claims_;
    std::map<std::string, Claim, std::less<>> zeros_;    ///< gradients that begin as zeros and are then assigned entry by entry
    std::set<std::string, std::less<>> noted_;           ///< names that comments speak of
    std::set<std::string, std::less<>> filled_;          ///< arrays that are assigned row by row
    std::set<std::string, std::less<>> carried_;         ///< names that are zeros before a loop and assigned in it
    std::map<std::string, ExprPtr, std::less<>> first_;  ///< these zeros
    std::set<std::pair<std::string, int>> carried_out_;  ///< those that a loop has carried, and the function that it stands in
    std::set<std::string, std::less<>> zeroed_;          ///< of these, those that are zeros before
    ByName filled_with_;                                 ///< zeros that arrays of values are before a loop fills them
    std::map<std::string, std::vector<std::string>, std::less<>> axes_;  ///< sizes of arrays that are filled with zeros
    std::set<std::string, std::less<>> appended_;                        ///< lists that something is appended to
    std::set<std::string, std::less<>> logged_;                          ///< of these, those that nothing is computed of
    std::set<std::string, std::less<>> dicts_;                           ///< names of what begins as {}
    std::set<std::string, std::less<>> lists_;                           ///< of these, those that begin with an element
    /// k of sequences whose rows a step t assigns at t + k: 0 of one with more rows than the loop has steps.
    std::map<std::string, int, std::less<>> offsets_;
    std::map<std::string, ExprPtr, std::less<>> starts_;  ///< what stands in them before the first row
    std::set<std::string, std::less<>> before_zero_;      ///< of these, those of which it stands at -1
    std::map<std::string, Span> begun_;                   ///< those of which no loop has assigned the rest
    Aliases aliases_;
    Imports imports_;  ///< with the functions that the file defines
    Rebound rebound_;
    OwnFunctions own_;
    Program program_;
    FileNames file_;
    struct KeptRead {
        std::string key;
        int function = 0;
        std::size_t in_class = 0;
        bool operator<(const KeptRead& o) const {
            return std::tie(key, function, in_class) < std::tie(o.key, o.function, o.in_class);
        }
    };
    std::set<KeptRead> kept_read_;  ///< what functions read of what others keep
    std::map<std::string, std::string, std::less<>>
        changed_;  ///< arrays of which the lines above no longer say what they are, and why
    std::map<std::string, std::string, std::less<>> changed_kept_;  ///< of these, what one function keeps for others
    std::map<std::string, int, std::less<>> function_;              ///< of a value, the function that assigns it
    std::set<std::string> returned_;                                ///< values that forwards return
    std::set<std::string, std::less<>> results_;                    ///< of the last of them, all that it returns
    struct InnerReturned {
        Span at;
        std::string name, of;  ///< dz, z; of is "" where it is a step's
    };
    std::vector<InnerReturned> inner_returned_;
    bool gradient_comes_in_ = false;  ///< of a loss
    std::string with_gradients_;      ///< f of return f, dw
    std::vector<Passed> passed_over_;
    std::vector<Span> updates_;
    std::map<std::string, std::string, std::less<>> unpacked_;  ///< gw: w
    std::set<std::string, std::less<>> used_;                   ///< functions of the program that a line calls which is read
    std::vector<EarlyReturn> early_returns_;                    ///< in branches that are passed over
    std::map<std::size_t, int> returns_of_function_{};          ///< how many, by where it begins
    std::map<int, Span> last_returns_;                          ///< by the functions that they end
    std::map<int, Output> outputs_;                             ///< by the functions that return them
    std::vector<std::string> bound_;                 ///< gradients that this function is given of what another one returns
    std::size_t class_ = 0;                          ///< where the class begins that it stands in, 0 of none
    int functions_ = 0, here_ = 0;                   ///< how many there are, and which one this is: 0 for none
    std::set<std::string, std::less<>> parameters_;  ///< what it is given
    std::set<std::string, std::less<>> forward_parameters_;  ///< what the forward of its class is given
    std::string function_name_;                              ///< of it
    std::vector<std::string> inputs_;               ///< by which it returns gradients, where its place in a program says so
    std::size_t function_begin_ = 0, indent_ = 0;   ///< of its def
    std::set<std::string> bound_names_;             ///< of it, those that were found to have a value
    std::vector<Span> statements_;                  ///< statements of the whole text, where they were asked for
    std::size_t body_indent_ = 0;                   ///< of its first line, 0 before that
    int returned_at_ = 0;                           ///< the line in which it returns whatever comes, 0 before that
    bool backward_ = false, forward_ = false;       ///< whether it is called so, or is given gradients
    bool initialises_ = false;                      ///< whether it is __init__
    bool has_context_ = false;                      ///< whether it is given a ctx, and gives gradients no name
    std::map<std::size_t, Draw> draws_;             ///< statements that draw or fill an array, by where they begin
    std::set<std::string, std::less<>> drawn_;      ///< by lines above
    std::set<std::string, std::less<>> sizes_;      ///< names of numbers that are declared as sizes of what is drawn
    Span repeated_{};                               ///< of a loop that does the same each time
    std::optional<std::size_t> training_;           ///< how far a branch is indented whose lines are read
    std::optional<std::size_t> training_body_;      ///< and its lines
    std::optional<std::size_t> training_returned_;  ///< of one that returned, until the function ends
    std::set<std::string> told_heads_;              ///< readings that the head of the report names
    bool is_again_ = false;                         ///< a value is defined that was one before
    std::string why_, loss_;
    std::size_t loop_ = 0;                            ///< where the loop begins that is read, 0 of none
    std::map<std::string, bool> used_as_attributes_;  ///< of names of class bodies
    std::map<std::string, int> zero_dicts_;           ///< of zeros for all parameters, and the function that makes them
    std::set<std::string> begin_at_zero_in_object_;   ///< values whose gradients __init__ makes 0
    std::set<std::string, std::less<>> nones_;        ///< values whose gradients are None
    std::map<std::string, std::string, std::less<>> not_default_;  ///< of these, those that __init__ gives other values, and why
    std::map<std::string, double> settings_;                       ///< numbers that get("scale", 1.0) gave
    std::set<std::string, std::less<>> by_default_;                ///< constants that are what a parameter is by default
    std::map<std::string, Span> flags_;                            ///< the defaults of parameters as training=True
    bool ignored_ = false;
    std::string expression_returned_;                  ///< by the first function that returns one without a name
    std::set<std::string, std::less<>> returns_of_{};  ///< what that is given
    std::string other_forward_;                        ///< why what follows is not judged: the file has begun another forward
    bool condition_ = false;                           ///< whether the last expression is one
};

/// Under which the tuple is kept that a function returns beside its result.
inline constexpr const char* kReturned = "(returned)";
/// Whether a value or a function is called as losses are: cost, data_loss.
bool is_of_loss(std::string_view name);
/// Zeros of any shape.
bool is_zero(const Expr& e);
// Of these a line is passed over; of the others something would be lost.
inline constexpr std::array<std::string_view, 8> kPassed{"import", "from", "def", "class", "return", "pass", "assert", "print"};
inline constexpr std::array<std::string_view, 9> kRefused{"if",   "elif", "else",   "for",   "while",
                                                          "with", "try",  "except", "lambda"};

}  // namespace gradproof::proof::numpy
