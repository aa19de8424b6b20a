// A proof as its statements come in, from whichever reader: each name is defined once and before its use.
//
//   Statements statements(source);
//   statements.dims(parse_dims(*source, span, statements.names()));
//   statements.assign(statement, "S", equality, false);
//   const Proof p = statements.take();
#pragma once

#include <functional>
#include <iterator>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// What stays of a line that cannot be read.
struct LostLine {
    Statement statement;
    JudgedLine::Type type{};
    std::string text;
    std::vector<std::string> defines{}, uses{};  ///< names
    bool is_loss = false;
};

/// Errors: ProofError at the place of what does not make sense, for all of these.
class Statements {
  public:
    Statements(std::shared_ptr<const Source> source, Unreadable unreadable);
    /// Calls f, which reads a line; what it throws refuses the file, or only the line lost() is. f defines a name last of all.
    template <class Lost, class F>
    void attempt(Lost lost, F f) {
        try {
            f();
        } catch (const ProofError& e) {
            if (refuses()) throw;
            lose(lost(), e);
        }
    }
    bool refuses() const { return proof_.unreadable == Unreadable::refuses_file; }
    void lose(const LostLine& line, const ProofError& e);
    const Names& names() const { return names_; }
    /// What it has so far.
    const Proof& proof() const { return proof_; }
    void begins_at(std::size_t offset);
    /// What reports say the lines are judged for: \sigma(z) = \tanh(z).
    void stands_in_sentences() { proof_.in_sentences = true; }
    void holds_for(std::string text) {
        if (std::ranges::find(proof_.holds_for, text) == proof_.holds_for.end()) proof_.holds_for.push_back(std::move(text));
    }
    /// How an input is drawn that is said to be symmetric, where nothing else is said of it. Whether it is drawn so.
    bool draw(const std::string& name, Fill fill);
    /// What is not drawn so: a line that is wrong without it cannot be told.
    void assume(Assumption a) { proof_.assumed.push_back(std::move(a)); }
    /// A shape that the text states of a value that a formula defines.
    void state_shape(const std::string& value, std::vector<ExprPtr> sizes) { proof_.stated.emplace(value, std::move(sizes)); }
    /// Sentences that may change what the lines mean, and are not read.
    /// Besides what was passed over of the texts before.
    void pass_over(std::vector<Passed> all) {
        proof_.passed_over.insert(proof_.passed_over.end(), std::make_move_iterator(all.begin()),
                                  std::make_move_iterator(all.end()));
    }
    /// Lines that change parameters, which nothing judges; besides those of the texts before.
    void updates(const std::vector<Span>& all) { proof_.updates.insert(proof_.updates.end(), all.begin(), all.end()); }
    /// A part of the program.
    void add_program(Span part) { proof_.program.push_back(part); }
    void title(std::string text) { proof_.title = std::move(text); }
    /// What `convention columns`, `layout denominator` and `einstein` say of the whole text. Errors: for other words.
    void convention(std::string_view word, std::string_view of, Span at);
    void gradients_lie(Vectors as) { proof_.conventions.gradients = as; }
    /// No gradient runs through a value of the forward, or perhaps none if not `stopped`. Whether there is one of that name.
    bool say_fixed(const std::string& value, std::optional<Span> where, bool stopped);
    /// Whether the text says einstein.
    bool sums_are_implied() const { return implied_sums_; }
    static bool is_convention(std::string_view word) { return word == "convention" || word == "layout" || word == "einstein"; }
    void dims(std::vector<Declaration> all);
    void declare(Declaration d, bool input);
    /// Of one number, smooth, and not known otherwise.
    void function(const std::string& name, Span span);
    void functions(Span names);
    /// Whether the name may be defined; a differentiable value by it would have a gradient. `hides_functions`: where functions
    /// are told from values by how they are called.
    void expect_free(const std::string& name, Span span, bool differentiable, bool hides_functions = false) const;
    /// Whether it is a function or a word of the notation.
    static bool has_meaning(std::string_view name);
    /// name = ... among the claims: what it stands for is written out where it is used.
    /// Further links of a chain are claims about it; `texts` are shown of them.
    void define_helper(const std::string& name, Span span, const Equality& e, Statement s,
                       const std::vector<std::string>& texts = {});
    /// A line uses what is so defined.
    void uses(const std::string& helper) { used_.insert(helper); }
    void assign(Statement s, const std::string& name, const Equality& e, bool is_loss);
    ExprPtr size_of_axis(const ExprPtr& array, int axis) const;
    /// A value of the forward gets another name, which is returned, so that its own is free.
    std::string supersede(const std::string& name);
    /// That name: (x of line 3).
    static std::string superseded(const Assignment& a);
    /// A part of what a value is assigned becomes a value, whose name is returned; "" of one that has no gradient. `whole`: what
    /// is assigned, if it is written otherwise so that the part is one.
    std::string value_within(const std::string& name, const ExprPtr& part, const ExprPtr& whole = nullptr);
    /// What the text calls the gradient of a value that it has no name for.
    void name_gradient(const std::string& value, const std::string& gradient);
    /// Nothing is declared, so that a text without a loss may have one that is not read.
    void may_leave_out_loss() { may_leave_out_loss_ = true; }
    /// Sequences that later lines define, h of h[t] = ...: their entries may stand in lines before.
    void announce(const std::set<std::string, std::less<>>& sequences) { announced_ = sequences; }
    void add_announced(Names& names) const {
        for (const std::string& name : announced_)
            if (!names.defined(name)) names.values.insert(name);
    }
    /// A line of the forward with 0 for each entry x[i - 1] that lies beyond the ends of x; `itself` is left as it is.
    ExprPtr padded_with_zeros(const ExprPtr& e, const std::vector<std::string>& indices, const std::string& itself) const;
    bool is_announced(std::string_view name) const { return announced_.contains(name) && !names_.defined(name); }
    /// A claim or an expectation; `texts` are shown of it and of each further link, without them the notation.
    void judge(Statement s, const Equality& e, bool expected, const std::vector<std::string>& texts = {});
    /// One that is shown, and why it is not judged.
    void skip(Statement s, bool expected, std::string text, std::string why);
    /// Forgets the lines of a text that do not begin in that part of it.
    void keep_lines(Span text, Span within);
    bool anything_claimed() const;
    /// x.mean() is a function also where a value is called mean.
    void keep_functions() { names_.hides_functions = false; }
    /// Where no loss is stated.
    void take_last_for_loss();
    void take_for_loss(const std::string& value);
    /// Of these lines it cannot be told whether they are right.
    void doubt(const std::function<bool(const JudgedLine&)>& which, const std::string& why) {
        for (JudgedLine& l : proof_.lines)
            if (l.is_judged() && which(l)) l.leave_open(why);
    }
    /// Forgets a value that no line uses.
    void leave_out(const std::string& value) {
        std::erase_if(proof_.forward, [&](const Assignment& a) { return a.name == value; });
    }
    /// The gradient that comes in is that of this value: lines that are lost and say nothing of it change nothing.
    void comes_in_at(const std::string& value) { comes_in_at_ = value; }
    /// The lines from this one on are written in that language.
    void written_in(Language language, std::size_t from);
    Proof take();

  private:
    [[noreturn]] void fail(Span at, const std::string& text) const { throw ProofError(*source_, at.begin, text); }
    [[noreturn]] void slip(Span at, const std::string& text) const { throw Slip(*source_, at.begin, text); }
    bool is_made_larger(const Expr& more, const Expr& less);
    Fill fill_of(const std::string& name, std::size_t parameters, Span at) const;
    void check_names(const Expr& e, const std::vector<std::string>& indices, std::string_view where, bool claims = false) const;
    void check_names(const Expr& e, std::vector<std::string>& known, std::string_view where, bool claims, bool indexed) const;
    [[noreturn]] void fail_printed(const Expr& e) const;
    static bool is_constant_word(std::string_view name);
    ExprPtr stopped(const ExprPtr& e, Statement s);
    void rename_value(const std::string& from, const std::string& to);
    ExprPtr with_values(const ExprPtr& e, Statement s);
    ExprPtr without_loss(const ExprPtr& e) const;
    ExprPtr with_sums(const ExprPtr& e, const Expr& left) const;
    ExprPtr with_powers(const ExprPtr& e) const;
    ExprPtr with_second_order(const Expr& e);
    std::vector<std::string> free_indices(const Expr& e) const;
    std::size_t behind_what_it_uses(const Expr& e);
    // statements_ranges.cpp
    bool states_end(const Equality& e);
    ExprPtr within_ends(const ExprPtr& e) const;
    Equality from_first_index(const Equality& e) const;
    ExprPtr where_steps_are_within(const Expr& left) const;
    void judge_where_entries_are(JudgedLine& line, const std::vector<ExprPtr>& right) const;
    void expect_whole(const std::string& name, const Equality& e) const;
    void expect_read(const std::string& name, Span at) const;
    std::string told_of_lost(const ProofError& e) const;
    void leave_open();
    std::vector<std::string> left_indices(const Expr& left, const Expr& at, std::size_t first, bool repeats) const;
    void expect_entries(const Expr& e, const std::string& name) const;
    // statements_last.cpp
    void let_used_gradient_come_last();
    void leave_open_without_loss();
    bool write_out_behind(std::size_t first);
    // statements_blocks.cpp
    std::vector<std::string> announced_in(const Assignment& a) const;
    void join_block(Assignment& a, const std::vector<std::string>& ahead);
    void expect_block_closed();
    void link(JudgedLine& line, const ExprPtr& right, const std::vector<std::string>& indices, const std::string& text);
    void print(const std::string& value, const ExprPtr& numbers);
    void carry_on(const Expr& e);

    std::shared_ptr<const Source> source_;
    Proof proof_;
    Names names_;
    /// Of an expectation that prints a value in full, by the name that printed(S) stands for.
    struct Print {
        ExprPtr numbers;
        bool carried_on = false;
    };
    std::map<std::string, Print, std::less<>> prints_;
    struct Helper {
        std::string name;
        Span span;
        Statement statement;  ///< that defines it
    };
    std::vector<Helper> helpers_;
    mutable std::set<std::string, std::less<>> used_;  ///< of these
    bool contains_index_ = false;
    bool implied_sums_ = false;  ///< the text says einstein
    bool may_leave_out_loss_ = false;
    std::set<std::string, std::less<>> ends_;       ///< gradients and names whose entries beyond the last are said to be 0
    std::set<std::string, std::less<>> announced_;  ///< sequences
    std::string block_;                             ///< the first of the sequences that use each other and are being defined
    std::set<std::string, std::less<>> awaited_;    ///< those that they use, and that are not defined yet
    std::map<std::string, int, std::less<>> lost_;  ///< names that lines define which are not read, and these lines
    std::vector<LostLine> behind_;                  ///< forward lines that are lost behind the last one that is read
    std::string comes_in_at_;                       ///< "" where that is not said
    int lost_loss_ = 0;                             ///< the line of the loss, where it is not read
    int changed_loss_ = 0;                          ///< a line that is not read and says anew what the loss is
};

}  // namespace gradproof::proof
