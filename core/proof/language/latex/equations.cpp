// Rows of a formula, and the equations in them.
#include "gradproof/core/proof/language/latex/equations.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/ahead.hpp"
#include "gradproof/core/proof/language/latex/arrays.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/remarks.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// What an author may have meant as an equation.
bool is_near_equality(const Token& t) {
    constexpr std::string_view kAll[] = {"\\approx", "\\propto", "\\leftarrow", "\\gets", "\\simeq", "\\cong"};
    return is_one(kAll, t.text);
}
/// What compares, if only roughly, and states no equality.
bool is_inequality(const Token& t) {
    constexpr std::string_view kRough[] = {"\\lesssim", "\\gtrsim", "\\ll", "\\gg"};
    return is_comparison(t) || is_one(kRough, t.text);
}
/// Behind an equation: that it holds at a point or in a limit.
bool says_more(const Token& t) {
    constexpr std::string_view kAll[] = {"\\to", "\\rightarrow", "\\mapsto", "\\mid"};
    return is_one(kAll, t.text);
}
bool is_operator(const Token& t) {
    constexpr std::string_view kAll[] = {"+",      "-",     "*",    "/", "\\cdot", "\\times", "\\odot",
                                         "\\circ", "\\ast", "\\pm", "−", "·",      "⊙"};
    return (t.kind == command || t.kind == symbol) && is_one(kAll, t.text);
}

/// What is read of a formula, from its first token on.
class Rows {
  public:
    explicit Rows(const Source& source) : source_(source) {}

    std::vector<Equation> read(const Part& part) {
        const std::string_view text = source_.slice(part.span);
        const Tokens plain = tidied(source_, with_formulas_of_boxes(source_, part.tokens));
        const Tokens all = with_equations_of_arrays(source_, text, plain);
        const Ahead ahead(all);
        std::size_t i = 0;
        if (text.starts_with("\\begin{alignat") || text.starts_with("\\begin{IEEE") || text.starts_with("\\begin{xalignat"))
            i = end_of_group(source_, all, 0);
        for (; i < all.size(); ++i) i = token(all, ahead, i);
        if (depth_ > 0 && opened_.kind != begins) fail(source_, opened_, fmt::format("this {} is never closed", opened_.text));
        end_row();
        if (pending_.kind != none) fail_pending();
        if (const Token* const within = hidden_equals(opening_); within && out_.empty()) fail_for_brackets(*within);
        return std::move(out_);
    }

  private:
    /// Takes in the token at i; returns the last one that it took.
    std::size_t token(const Tokens& all, const Ahead& ahead, std::size_t i) {
        const Token& t = all[i];
        if (qualified_ && depth_ == 0 && (is_separator(t) || t.kind == words) && ahead.equation_begins(i + 1)) end_range();
        if (t.kind == note) {
            if (depth_ == 0) {
                Equation e;
                e.note = t;
                out_.push_back(e);
            }
            return i;
        }
        if ((t.kind == begins || t.kind == ends) && is_see_through(t.text)) {
            if (t.text == "alignedat" && t.kind == begins) return end_of_group(source_, all, i + 1) - 1;
            return t.kind == begins && i + 1 < all.size() && all[i + 1].is_symbol("[") ? past(all, i + 1, "]") : i;
        }
        if (depth_ == 0 && (t.is_command("\\\\") || t.is_command("\\newline") || t.is_command("\\cr"))) {
            end_row();
            if (i + 1 < all.size() && all[i + 1].is_symbol("*")) ++i;
            return i + 1 < all.size() && all[i + 1].is_symbol("[") && !all[i + 1].blank ? past(all, i + 1, "]") : i;
        }
        if (t.is_command("\\\\") && nested_ == 0) return i;
        if (depth_ == 0 && t.is_symbol("&")) {
            if (++columns_ % 2 == 0 && has_equals_ && !is_equals(segment_.back())) end_segment(t);
            qualified_ = qualified_ || (segments_ > 0 && ahead.range_begins(i + 1));
            return i;
        }
        if (t.is_symbol("&") && nested_ == 0) return i;
        if (qualified_) return range_.push_back(t), i;
        if (depth_ == 0 && t.kind == words && !is_name(all, i)) return remark(t, i > 0 && all[i - 1].is_symbol("&")), i;
        if (depth_ == 0 && t.is_command("\\forall")) return end_segment(t), qualified_ = true, i;
        if (depth_ == 0 && is_separator(t)) {
            end_segment(t);
            if (is_equivalence(t) && !is_of_gradient(all, i + 1)) demand_zero();
            if (!range_.empty() && ahead.equation_begins(i + 1)) end_range();
            qualified_ = !range_.empty() || ahead.range_begins(i + 1) || says_where(all, ahead.behind(i + 1));
            return i;
        }
        if (depth_ == 0) opened_ = t;
        depth_ = std::max(0, depth_ + bracket(t));
        nested_ += t.kind == begins ? 1 : t.kind == ends ? -1 : 0;
        segment_.push_back(t);
        has_equals_ = has_equals_ || is_equals(t);
        return i;
    }
    /// i = j or t = T, also in brackets, behind an equation about an entry i or t.
    bool says_where(const Tokens& all, std::size_t i) const {
        if (i < all.size() && (all[i].is_symbol("(") || all[i].is_symbol("["))) {
            if (i + 1 < all.size() && all[i + 1].kind == words && remark_of(all[i + 1].text) == Remark::where) return true;
            const bool one = i + 4 < all.size() && (all[i + 4].is_symbol(")") || all[i + 4].is_symbol("]"));
            return one && says_where(part_of(all, i + 1, i + 4), 0);
        }
        if (i + 2 >= all.size() || !is_equals(all[i + 1]) || out_.empty() || !out_.back().left) return false;
        const bool ends = i + 3 == all.size() || is_separator(all[i + 3]) || all[i + 3].kind == words ||
                          all[i + 3].is_symbol(".") || all[i + 3].is_command("\\\\");
        const auto is_index = [&](const Token& t) {
            const auto is_same = [&](const Token& of) { return of.kind == letter && of.text == t.text; };
            return t.kind == letter && std::ranges::any_of(*out_.back().left, is_same);
        };
        const bool one = all[i + 2].kind == letter || all[i + 2].kind == digits ||
                         (all[i + 2].kind == command && !letter_of(all[i + 2].text).empty());
        return ends && is_index(all[i]) && one && all[i].text[0] >= 'a' && all[i].text[0] <= 'z';
    }
    static std::size_t past(const Tokens& all, std::size_t i, std::string_view stop) {
        while (i < all.size() && !all[i].is_symbol(stop)) ++i;
        return i;
    }

    static bool is_by_cases(const Equation& e) {
        return std::ranges::any_of(e.right, [](const Token& t) { return t.kind == begins && t.text.ends_with("cases"); });
    }
    /// -1 < x_i < 1 of "for -1 < x_i < 1".
    bool opens_condition(Tokens::const_iterator at) const {
        const bool led = at != range_.begin() && (at - 1)->kind == words && remark_of((at - 1)->text) == Remark::where;
        return led && at->is_symbol("-") && has_inequality({at, range_.end()});
    }
    /// What stands there is of the equations of the row before it.
    void end_range() {
        const auto what =
            std::find_if_not(range_.begin(), range_.end(), [](const Token& t) { return is_separator(t) || t.kind == words; });
        if (what != range_.end() && is_operator(*what) && !opens_condition(what))
            fail(source_, *what, "it goes on behind the words or the condition that stand after it: put these at the end");
        if (row_begin_ == out_.size() && said_.kind == words && std::ranges::any_of(range_, is_equals))
            fail_for_words(source_, said_);
        const bool in_brackets = what != range_.end() && bracket(*what) > 0;  // of the last one
        for (std::size_t k = row_begin_; k < out_.size(); ++k)
            if (out_[k].note.kind != note && !(in_brackets && k + 1 < out_.size() && is_by_cases(out_[k])))
                out_[k].range = range_;
        row_begin_ = out_.size();
        range_.clear();
        qualified_ = false;
    }

    /// Whether \text{...} is a name: it is one word that stands where an operand does.
    bool is_name(const Tokens& all, std::size_t i) const {
        constexpr std::string_view kRemarks[] = {"and",  "or",   "where", "with",  "for",       "if", "so",    "hence",
                                                 "thus", "then", "when",  "since", "otherwise", "by", "using", "as"};
        const std::string_view text = all[i].text;
        const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; };
        if (text.empty() || !std::all_of(text.begin(), text.end(), is_letter) || is_one(kRemarks, text)) return false;
        const bool goes_on = i + 1 < all.size() && (all[i + 1].is_symbol("(") || all[i + 1].is_symbol("_") ||
                                                    all[i + 1].is_symbol("^") || is_equals(all[i + 1]));
        return goes_on || (!segment_.empty() && (is_operator(segment_.back()) || is_equals(segment_.back())));
    }
    /// and, where ... stand between equations; behind any other words the line says for what it holds. Words that may change the
    /// formula are an error, but for those in a column of their own, which are a comment.
    void remark(const Token& t, bool begins_column) {
        const bool first = segment_.empty() && segments_ == 0, directly = !segment_.empty();
        if (directly && equals_in(segment_).empty() && std::ranges::any_of(segment_, is_derivative_sign)) said_ = t;
        const bool comment = begins_column && !directly && columns_ > 1;
        const Remark says = remark_of(t.text);
        if (first && !comment && changes_what_follows(t.text)) fail_for_words(source_, t);
        end_segment(t);
        qualified_ = !first && says != Remark::joins;
        if (qualified_ && !comment && (says == Remark::changes || (directly && says == Remark::other)))
            fail_for_words(source_, t);
        if (qualified_) range_.push_back(t);  // it may say where the line does not hold
    }

    void end_row() {
        end_segment({});
        if (said_.kind == words && row_begin_ == out_.size() && says_equal(said_.text))
            fail(source_, said_, "words between a gradient and a formula are no equation: write = in their place");
        if (!range_.empty()) end_range();
        row_begin_ = out_.size();
        // A list on the left, as Q, K = ..., is no equation.
        waiting_ = said_ = {};
        columns_ = 0;
        segments_ = 0;
        qualified_ = false;
        open_row_ =
            pending_.kind != none || (!out_.empty() && !out_.back().right.empty() && is_operator(out_.back().right.back()));
    }

    void end_segment(const Token& by) {
        Tokens s = std::exchange(segment_, {});
        has_equals_ = false;
        const bool first = segments_++ == 0;
        depth_ = nested_ = 0;
        const bool stop = !s.empty() && s.back().is_symbol(".");
        if (stop) s.pop_back();
        const bool ended = std::exchange(ended_, stop || is_separator(by) || by.kind == words || (s.empty() && ended_));
        if (s.empty()) return;
        s = unwrapped(std::move(s));
        if (!first && states_condition(s)) return void(range_.insert(range_.end(), s.begin(), s.end()));
        const auto other = std::find_if(s.begin(), s.end(), [level = 0](const Token& t) mutable {
            level += bracket(t);
            return level == 0 && is_other_relation(t);
        });
        if (other != s.end() && first && states_anew(s, other)) *other = {symbol, "=", other->span, other->blank};
        const bool cut = other != s.end() && !is_equals(*other);
        if (cut && first && changes(s, other))
            fail(source_, *other, "this gives a name a new value: write = and a name of its own");
        const bool of_gradient = std::any_of(s.begin(), other, is_derivative_sign);
        if (cut && says_more(*other) && (of_gradient || !equals_in({s.begin(), other}).empty()))
            fail(source_, *other,
                 fmt::format("what {} says of the formula is not understood: put it into the text around it", other->text));
        const auto disputes = [&] {
            return is_inequality(*other) || (is_near_equality(*other) && equals_in({s.begin(), other}).empty());
        };
        if (cut && first && of_gradient && disputes())
            fail(source_, *other, fmt::format("{} is no equation: only = is judged", other->text));
        if (cut) s.erase(other, s.end());
        const auto level_equals = equals_in(s);
        if (level_equals.empty()) {
            const auto colon = std::ranges::find_if(s, [](const Token& t) { return t.is_symbol(":"); });
            if (first && of_gradient && !cut && out_.empty() && colon != s.end() && colon + 1 != s.end())
                fail(source_, *colon, ": is no equation: only = is judged");
            return without_equals(s, by, first, cut || ended);
        }
        if (waiting_.kind != none && !is_equals(s.front()))
            fail(source_, waiting_, "several names on the left of one =: write an equation for each");
        if (!first && range_follows(s, by)) return;
        add(s, level_equals);
    }
    /// x_i > 0, also in brackets, behind an equation.
    static bool states_condition(const Tokens& s) {
        return equals_in(s).empty() && has_inequality(s.size() > 2 && bracket(s.front()) > 0 ? part_of(s, 1, s.size() - 1) : s);
    }
    static bool has_inequality(const Tokens& s) {
        int level = 0;
        return std::ranges::any_of(s, [&](const Token& t) {
            level += bracket(t);
            return level == 0 && is_inequality(t);
        });
    }
    /// i = 1 of "i = 1, ..., n" and of "i = 1, j = 2".
    static bool range_follows(const Tokens& s, const Token& by) {
        return by.is_symbol(",") && s.size() == 3 && s[2].kind == digits;
    }

    /// Whether the left side of the relation stands on its right side as well.
    static bool stands_again(const Tokens& s, Tokens::const_iterator other) {
        const auto same = [](const Token& a, const Token& b) { return a.kind == b.kind && a.text == b.text; };
        return std::search(other + 1, s.end(), s.begin(), other, same) != s.end();
    }
    static bool is_arrow_of_a_value(const Token& t) { return t.is_command("\\gets") || t.is_command("\\leftarrow"); }

    /// Whether μ \gets ... says what μ is, and does not change it: the right side has neither it nor a gradient.
    static bool states_anew(const Tokens& s, Tokens::const_iterator other) {
        if (!is_arrow_of_a_value(*other) || other == s.begin()) return false;
        return std::none_of(s.begin(), s.end(), is_derivative_sign) && !stands_again(s, other);
    }

    /// Whether L \gets L + ... or h \to 2 h changes what a name stands for. w \gets w - \nabla L is a step of training, and no
    /// part of a derivation.
    static bool changes(const Tokens& s, Tokens::const_iterator other) {
        if (other == s.begin() || std::any_of(s.begin(), s.end(), is_derivative_sign)) return false;
        const bool maps = other->is_command("\\to") || other->is_command("\\mapsto") || other->is_command("\\rightarrow");
        return is_arrow_of_a_value(*other) || (maps && stands_again(s, other));
    }

    /// Of {A = B} and (A = B), which a box or a colour leaves: A = B.
    static Tokens unwrapped(Tokens s) {
        if (s.size() <= 2 || bracket(s.front()) <= 0 || s.front().kind == begins) return s;
        int level = 0;
        std::size_t end = 0;
        while (end < s.size() && (level += bracket(s[end])) > 0) ++end;
        Tokens within = part_of(s, 1, s.size() - 1);
        return end + 1 == s.size() && !equals_in(within).empty() ? within : s;
    }
    /// An = in brackets that are no script, as in an array of equations.
    static const Token* hidden_equals(const Tokens& s) {
        std::vector<bool> scripts;
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (bracket(s[i]) > 0) {
                const bool script = i > 0 && (s[i - 1].is_symbol("_") || s[i - 1].is_symbol("^"));
                const bool cases = s[i].kind == begins && s[i].text.find("cases") != std::string_view::npos;
                scripts.push_back(script || cases || (!scripts.empty() && scripts.back()));
            } else if (bracket(s[i]) < 0 && !scripts.empty()) {
                scripts.pop_back();
            } else if (is_equals(s[i]) && !scripts.empty() && !scripts.back()) {
                return &s[i];
            }
        }
        return nullptr;
    }

    /// `apart`: what stands before it has ended, or it is cut off at a relation that is no equation.
    void without_equals(const Tokens& s, const Token& by, bool first, bool apart) {
        const bool operates = is_operator(s.front()) || pending_.kind != none || std::exchange(open_row_, false);
        // A row without an operator goes on as well: with a factor.
        const bool goes_on = operates || (first && !apart && !is_dots(s.front()));
        if (const Token* const within = first && !goes_on ? hidden_equals(s) : nullptr) fail_for_brackets(*within);
        if (goes_on && !out_.empty() && out_.back().left) {
            pending_ = {};
            row_begin_ = std::min(row_begin_, out_.size() - 1);  // a condition behind it is that of the equation
            Equation& last = out_.back();
            last.right.insert(last.right.end(), s.begin(), s.end());
            for (const Token& t : s) last.span.end = std::max(last.span.end, t.span.end);
        } else if (first && !apart && by.is_symbol(",") && !is_dots(s[0])) {
            waiting_ = s.front();
        } else if (first && !apart && out_.empty() && by.kind == none) {
            opening_ = s;
        }
    }

    /// \overset{!}{=}
    bool is_demanded(const Token& equals) const { return source_.slice(equals.span).find("{!}") != std::string_view::npos; }
    /// Whether a gradient stands before the next =.
    static bool is_of_gradient(const Tokens& all, std::size_t i) {
        for (; i < all.size() && !is_equals(all[i]); ++i)
            if (is_derivative_sign(all[i])) return true;
        return false;
    }
    /// \nabla J = 0 \iff ...: it says of which w the rest is said, and claims neither.
    void demand_zero() {
        Equation* const last = out_.empty() ? nullptr : &out_.back();
        if (last == nullptr || last->note.kind == note || !last->left || !is_zero(last->right)) return;
        if (std::none_of(last->left->begin(), last->left->end(), is_derivative_sign)) return;
        last->demanded = sought_ = true;
    }

    [[noreturn]] void fail_for_brackets(const Token& equals) const {
        fail(source_, equals, "an equation within brackets is not read: give it a row of its own");
    }
    [[noreturn]] void fail_pending() const { fail(source_, pending_, "nothing stands on the right of ="); }

    /// Where the = stand that no bracket holds.
    static std::vector<std::size_t> equals_in(const Tokens& s) {
        std::vector<std::size_t> out;
        int level = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            level += bracket(s[i]);
            if (level == 0 && is_equals(s[i])) out.push_back(i);
        }
        return out;
    }

    void add(const Tokens& s, const std::vector<std::size_t>& equals) {
        const auto part = [&](std::size_t from, std::size_t to) {
            Tokens out(s.begin() + static_cast<std::ptrdiff_t>(from), s.begin() + static_cast<std::ptrdiff_t>(to));
            if (!out.empty() && out.back().is_symbol(":")) out.pop_back();  // of :=
            return out;
        };
        if (pending_.kind != none) fail_pending();
        auto left = std::make_shared<const Tokens>(without_optimum(part(0, equals[0])));
        const bool opens = left->empty() && out_.empty() && !opening_.empty();  // its left side has a row of its own
        if (opens) left = std::make_shared<const Tokens>(std::exchange(opening_, {}));
        const bool chained = left->empty();
        if (chained) {
            if (out_.empty() || !out_.back().left) fail(source_, s[0], "a line begins with =, and no equation stands above it");
            left = out_.back().left;
        }
        if (!left->empty() && ends_in_an_operator(*left))  // += and L \mathrel{+}=
            fail(source_, left->back(), "this gives a name a new value: write = and a name of its own");
        if (left->size() > kMostPartsOfAClaim)
            fail(source_, s[0],
                 fmt::format("the left side has {} tokens, at most {} (kMostPartsOfAClaim)", left->size(), kMostPartsOfAClaim));
        bool goes_on = chained;
        for (std::size_t k = 0; k < equals.size(); ++k) {
            const std::size_t end = k + 1 < equals.size() ? equals[k + 1] : s.size();
            Equation e{left, part(equals[k] + 1, end), {}, goes_on};
            e.of_optimum = left->size() < part(0, equals[0]).size();
            if (e.right.empty() && end < s.size()) continue;
            if (!e.right.empty() && e.right.front().is_symbol(":")) {  // of =: f, another name for what stands before
                if (!goes_on && std::ranges::any_of(e.right, is_derivative_sign))
                    add_turned(std::move(e), s);
                else
                    add_named(part_of(e.right, 1, e.right.size()), k == 0 ? *left : part(equals[k - 1] + 1, equals[k]), s);
                continue;
            }
            if (e.right.empty()) pending_ = s[equals[k]];  // its right side stands in the next line
            const std::size_t begin = k == 0 || !goes_on ? 0 : equals[k];
            e.span = s[begin].span;
            e.demanded = is_demanded(s[equals[k]]) && is_zero(e.right);
            if (opens && k == 0) e.span.begin = left->front().span.begin;
            for (std::size_t i = begin; i < end; ++i) e.span.end = std::max(e.span.end, s[i].span.end);
            e.demanded = e.demanded || sought_;
            out_.push_back(std::move(e));
            goes_on = true;
        }
    }

    /// F(w) of \min_w F(w) = ..., which says what F is.
    Tokens without_optimum(Tokens left) const {
        const bool optimum =
            left.size() > 3 && (left[0].is_command("\\min") || left[0].is_command("\\max")) && left[1].is_symbol("_");
        const std::size_t end = optimum ? end_of_group(source_, left, 2) : left.size();
        if (end >= left.size()) return left;
        const NameParts p = parts_of(source_, left, end);
        const bool name = !p.base.empty() && (p.end == left.size() || left[p.end].is_symbol("("));
        return name ? part_of(left, end, left.size()) : left;
    }

    /// p of \sigma(z) =: p.
    void add_named(const Tokens& name, const Tokens& value, const Tokens& s) {
        const NameParts p = name.empty() ? NameParts{} : parts_of(source_, name, 0);
        if (p.base.empty() || p.end != name.size() || value.empty()) return;
        out_.push_back({std::make_shared<const Tokens>(name), value, {s.front().span.begin, s.back().span.end}});
    }

    /// X^\top r =: \nabla_w L is said of the gradient.
    void add_turned(Equation e, const Tokens& s) {
        auto left = std::make_shared<const Tokens>(e.right.begin() + 1, e.right.end());
        e.right = *std::exchange(e.left, std::move(left));
        e.span = {s.front().span.begin, s.back().span.end};
        out_.push_back(std::move(e));
    }

    /// +, and {+} of \mathrel{+}=, but not the + of v^+ and v^{+}.
    static bool ends_in_an_operator(const Tokens& left) {
        const std::size_t n = left.size();
        const bool braces = n > 2 && left[n - 1].kind == closing && left[n - 3].kind == opening;
        const std::size_t at = braces ? n - 2 : n - 1;
        const std::size_t before = braces ? n - 3 : n - 1;
        const bool script = before > 0 && (left[before - 1].is_symbol("^") || left[before - 1].is_symbol("_"));
        return is_operator(left[at]) && !script;
    }

    const Source& source_;
    std::vector<Equation> out_;
    Tokens segment_;
    bool has_equals_ = false;    ///< in the segment
    Token pending_;              ///< an = whose right side has not come yet
    Token waiting_;              ///< the first of several names before an =
    Token said_;                 ///< words behind a gradient that no = follows
    Token opened_;               ///< the first bracket that is open
    Tokens opening_;             ///< a first row without =
    Tokens range_;               ///< so far
    std::size_t row_begin_ = 0;  ///< of the equations
    int depth_ = 0, nested_ = 0, columns_ = 0, segments_ = 0;
    bool qualified_ = false, open_row_ = false;
    bool sought_ = false;  ///< what follows is said of a solution
    bool ended_ = false;   ///< what stood last ended in a comma, a full stop or words
};

}  // namespace

std::vector<Equation> equations_of(const Source& source, const Part& part) { return Rows(source).read(part); }

std::string shown(const Source& source, Span span) {
    std::string out;
    Lexer lexer(source, span);
    int nested = 0;  // in cases and matrices, which keep their rows
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
        nested += is_see_through(t.text) ? 0 : t.kind == begins ? 1 : t.kind == ends ? -1 : 0;
        const bool group = t.is_command("\\label") || t.is_command("\\tag");
        if (group && (t = lexer.next()).kind == opening)
            for (int depth = 1; depth > 0 && t.kind != none;) {
                t = lexer.next();
                depth += t.kind == opening ? 1 : t.kind == closing ? -1 : 0;
            }
        const bool layout = nested == 0 && (t.is_symbol("&") || t.is_command("\\\\"));
        const bool dropped = group || layout || t.is_command("\\nonumber") || t.is_command("\\notag") || t.kind == note;
        if ((dropped || t.blank) && !out.empty() && out.back() != ' ') out += ' ';
        if (!dropped) out += source.slice(t.span);
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace gradproof::proof::latex
