// Assignments of NumPy and its like as the statements of a proof.
#include "gradproof/core/proof/language/numpy/read.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/function_pairs.hpp"
#include "gradproof/core/proof/language/numpy/python_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

namespace {

constexpr std::array<std::string_view, 13> kNotes{"dims",  "function", "input",  "const",      "title",  "loss",    "skip",
                                                  "begin", "end",      "ignore", "convention", "layout", "einstein"};

}  // namespace

void Reader::read(Span text) {
    text_ = text;
    to_.begins_at(text.begin);
    to_.keep_functions();
    find_filled();
    find_logged();
    imports_ = imports_of(source_);
    file_.of_scipy = imports_.of_scipy;
    file_.of_jax = imports_.of_jax;
    file_.of_tensorflow = imports_.of_tensorflow;
    file_.of_arrays = imports_.of_arrays;
    const bool program = source_.file().ends_with(".py");
    own_ = OwnFunctions(source_, program ? Span{0, source_.text().size()} : text);
    rebound_ = Rebound(source_, {0, source_.text().size()});
    if (!imports_.all_of.empty()) find_imported();
    find_bound_elsewhere();
    program_ = Program(source_, program ? Span{0, source_.text().size()} : text);
    file_.own = &own_;
    const auto names = [&](std::string_view module) { return source_.text().find(module) != std::string_view::npos; };
    const bool numpy = names("np.") || names("import numpy");
    file_.numpy_alone = numpy && !names("torch") && !names("F.") && !names("tf.");
    file_.numpy_and_torch = numpy && names("torch");
    file_.said = [&](const std::string& how) {
        if (told_heads_.insert(how).second) to_.holds_for(how);
    };
    file_.lists = &appended_;
    file_.proof = &to_.proof();
    file_.drawn = [&](const std::vector<ExprPtr>& sizes, Span where, std::string_view distribution) {
        return drawn_within(sizes, where, distribution);
    };
    file_.called = [&](const std::string& name) { used_.insert(name); };
    file_.used = [&](const std::string& name, std::size_t at) { expect_bound(name, at); };
    file_.kept_read = [&](const std::string& key) { kept_read_.insert({key, here_, class_}); };
    file_.setting = [&](const std::string& name, const ExprPtr& number) { return setting(name, number); };
    find_draws();
    if (to_.proof().given.empty() && !opens_proof(source_, text))
        fail(text, "nothing says what is given: write the comment  # gradproof: dims n d; input X [n, d]");
    for (std::size_t at = source_.text().find('\r', text.begin); at < text.end; at = source_.text().find('\r', at + 1))
        if (source_.text().substr(at + 1, 1) != "\n") {
            tell({at, at + 1}, "Python ends a line at a carriage return");
            break;
        }
    if (const std::optional<SameName> same = same_for_python(source_, text))
        tell(same->here, fmt::format("Python takes {} for {}", source_.slice(same->here), same->before));
    for (std::size_t i = text.begin; i < text.end;) i = line(i) + 1;
    for (const auto& [name, first] : begun_)
        to_.attempt([&, s = first] { return lost(s); },
                    [&, s = first] {
                        fail(s, fmt::format("no loop goes on from it: of {} only the first row is assigned", source_.slice(s)));
                    });
    find_loss();
    find_incoming();
    say_defaults();
    tell_shared_gradients();
    tell_lost_gradients();
    tell_inner_returned();
    tell_other_value_returned();
    tell_kept_otherwise();
    tell_shared_by_objects();
    tell_outside_names();
    tell_half_precision();
    tell_delivered();
    tell_tied_by_calls();
    claim_rows_left_out();
    see_unscaled_gradients();
    judge_claims();
    see_pairs_of_functions();
    tell_uncalled();
    tell_unused_values();
    tell_early_returns();
    const auto is_told = [&](Span s) {
        return std::ranges::any_of(passed_over_, [&](const Passed& p) { return p.span.begin == s.begin; });
    };
    std::erase_if(updates_, is_told);
    to_.updates(updates_);
    to_.pass_over(passed_over_);
}

/// leaky_relu_backward of a file in which relu is the forward, and dz = self.p; dz -= y.
void Reader::see_pairs_of_functions() {
    std::vector<Span> claims;
    for (const Claim& c : claims_) claims.push_back(c.span);
    const FunctionPairs pairs(source_, text_, to_.proof(), std::move(claims),
                              [&](const std::string& name) { return !gradient_named(name).empty(); });
    for (const Passed& other : pairs.of_other_forwards())
        to_.doubt(
            [&](const JudgedLine& l) {
                return other.span.begin <= l.statement.span.begin && l.statement.span.begin < other.span.end;
            },
            other.why);
    for (const Passed& change : pairs.changes_of_given(updates_)) tell(change.span, change.why);
}

/// The statement that begins there, and where it ends.
std::size_t Reader::line(std::size_t begin) {
    std::size_t end = end_of_statement(source_, begin, text_.end);
    const Span s = trimmed(source_, {begin, end});
    see_rebinding(s);
    if (word_at(s) == "def" || word_at(s) == "class") tell_beside(s);
    if (const OwnFunction* const f = own_.at(s.begin)) return pass_over(*f);
    if (program_.is_computed_again(s.begin)) return end_of_body(source_, s, end, text_.end, true);
    if (const Span note = note_in(source_, s); note.end > note.begin) {
        notes(note);
    } else if (s.begin < s.end) {
        if (is_behind_training(s)) return end;
        const bool refused = is_one_of(kRefused, word_at(s));
        const std::size_t body = refused ? end_of_body(source_, s, end, text_.end) : end;
        const bool has_body = refused && source_.slice(s).ends_with(":");
        if (has_body && is_left_out(s)) return body;
        if (has_body && (is_of_training(s) || is_for_input(s, {end, body}))) return end;
        const std::vector<Span> inside =
            has_body && word_at(s) == "for" ? statements_in(source_, {end, body}) : std::vector<Span>{};
        if (!inside.empty() && std::ranges::all_of(inside, [&](Span one) { return only_zeroes(one); })) return body;
        const bool returns = has_body && returned_in_loop(s, {end, body}).end > 0;
        if (has_body && !returns && only_shows({end, body})) {
            if (word_at(s) == "for") see_rebound_targets(s);
            tell_head(s);
            tell_passed_in({end, body});
            see_early_returns(s, {end, body});
            return body;
        }
        if (has_body && !returns && word_at(s) == "for" && updates_all(s, {end, body})) {
            to_.attempt([&] { return lost_update(s); },
                        [&] {
                            expect_descent_of_all(s, {end, body});
                            updates_.push_back(s);
                        });
            tell_changed_before_return(s, {end, body});
            return body;
        }
        if (has_body && !returns && word_at(s) == "for" && repeats(s, {end, body})) {
            leave(s);
            repeated_ = {s.begin, body};
            return end;
        }
        if (refused && (!to_.refuses() || word_at(s) == "for")) end = body;
        const Span all{s.begin, std::max(s.end, end)}, code = word_at(s) == "for" ? s : code_of(source_, s);
        leave(code);
        if (training_ && indent_of(source_, s.begin) <= *training_) training_.reset();
        to_.attempt([&] { return lost(all); },
                    [&] {
                        expect_reached(all);
                        if (word_at(s) != "return") expect_unchanged(all);
                        expect_meanings_kept(all);
                        if (returns)
                            fail(returned_in_loop(s, {end, body}), "the loop ends there: what it does in later steps is not run");
                        if (word_at(s) != "for" || !loop(s, {std::min(s.end + 1, all.end), all.end})) statement(code);
                    });
    }
    return end;
}

/// for i, p in enumerate(p): print(p), behind which p is something else.
void Reader::see_rebound_targets(Span header) {
    const std::size_t in = std::min(source_.text().find(" in ", header.begin), header.end);
    for (const std::string& name : identifiers_in(source_.slice({header.begin + 3, in})))
        if (to_.names().defined(name))
            changed_[name] = fmt::format("the loop of line {} gives it other values", source_.line(header.begin));
}

void Reader::judge_claims() {
    for (const Claim& c : claims_) {
        const std::string shown = one_line(c.span);
        if (!c.why.empty())
            to_.skip(at(c.span), false, shown, c.why);
        else
            to_.attempt(
                [&] {
                    return LostLine{at(c.span), JudgedLine::Type::claim, shown};
                },
                [&] {
                    expect_in_order(c);
                    to_.judge(at(c.span), {c.left, c.right, {}, nullptr, c.holds, {}}, false, {shown});
                });
    }
}

std::string Reader::one_line(Span s) const {
    std::string out;
    for (const char c : source_.slice(s))
        if (const bool blank = kBlanks.find(c) != std::string_view::npos || c == '\\'; !blank || !out.ends_with(' '))
            out += blank ? ' ' : c;
    return out;
}

std::string_view Reader::word_at(Span s) const {
    const std::string_view text = source_.slice(s);
    return text.substr(0, identifier_length(text));
}

ExprPtr Reader::expression(Span s) {
    Parser parser(source_, s, to_.names(), &file_);
    const ExprPtr e = parser.whole();
    condition_ = parser.is_condition(e);
    if (!are_dicts_whole(*e)) fail(s, "of a dict what stands under a name is read: c[\"x\"]");
    if (changed_.empty()) return e;
    for (const std::string& name : names_in(*e))  // z of out = self.forward(x), which returns it
        if (const auto found = changed_.find(name); found != changed_.end()) fail(s, found->second);
    return e;
}

void Reader::notes(Span all) {
    for (std::size_t i = all.begin; i <= all.end;) {
        const std::size_t end = std::min(source_.text().find(';', i), all.end);
        if (const Span s = trimmed(source_, {i, end}); s.begin < s.end) note(s);
        i = end + 1;
    }
}
void Reader::note(Span s) {
    const std::string_view text = source_.slice(s), word = text.substr(0, identifier_length(text));
    const Span rest = trimmed(source_, {s.begin + word.size(), s.end});
    if (word == "dims") return to_.dims(parse_dims(source_, rest, to_.names()));
    if (word == "input" || word == "const") {
        for (Declaration& d : parse_declarations(source_, rest, to_.names())) to_.declare(std::move(d), word == "input");
    } else if (word == "title") {
        to_.title(parse_quoted(source_, rest));
    } else if (word == "skip") {
        why_ = parse_quoted(source_, rest);
    } else if (word == "ignore") {
        ignored_ = true;
    } else if (Statements::is_convention(word)) {
        to_.convention(word, source_.slice(rest), s);
    } else if (word == "function") {
        to_.functions(rest);
    } else if (word == "loss") {
        loss_ = std::string(source_.slice(rest));
    } else if (word != "begin" && word != "end") {
        fail(s, fmt::format("expected dims, function, input, const, title, loss, skip, ignore, convention, layout or einstein{}",
                            did_you_mean(std::string(word), kNotes)));
    }
}

void Reader::statement(Span s) {
    const std::string_view text = source_.slice(s), word = word_at(s);
    const bool assigns = text.find('=') != std::string_view::npos;
    if (word == "class") {
        forward_parameters_.clear();
        class_ = s.begin;
        tell_never_kept(s);
    }
    if (word == "def") enter(s);
    if (const Span body = word == "def" ? body_beside(s) : Span{}; body.end > 0) return returned(body);
    if (word == "return") return returned(s);
    if (only_zeroes(s)) return;
    see_initial_value(s);
    if (passes_draw(s)) return;
    tell_attribute_set(s);
    tell_kept_anew(s);
    if (is_passed(s)) return tell_passed(s);
    if (only_initialises(s)) return;
    if (std::exchange(ignored_, false)) return;
    if (word == "for") fail(s, "for is not read but over range: for t in range(T)");
    if (is_one_of(kRefused, word))
        fail(s, fmt::format("{} is not read: nothing is executed, only assignments of expressions are read", word));
    if (program_.has_differing_forwards(s.begin))
        tell(s, "the function and its forward are written differently: whether both return the same is not seen");
    if (program_.is_paired_again(s.begin)) tell(s, "the function was given a forward and a backward above, which this replaces");
    if (updates_dict(s)) return;
    if (saves(s) || adds_at_places(s) || text.find(".defvjp(") != std::string_view::npos) return;
    const auto [at, size] = assignment_in(source_, s);
    if (size > 0 && is_update(s, trimmed(source_, {s.begin, at})))
        return to_.attempt([&] { return lost_update(s); },
                           [&] {
                               expect_descent(s);
                               updates_.push_back(s);
                           });
    if (size == 1 && is_state_update(trimmed(source_, {s.begin, at}), {at + size, s.end})) return updates_.push_back(s);
    if (calls_program(s)) return tell_passed(s);
    expect_no_own_call(s);
    if (size == 0) fail(s, assigns ? "expected a name, = and an expression" : "only assignments are read: expected a name and =");
    const Span left = trimmed(source_, {s.begin, at}), right{at + size, s.end};
    if (size == 1 && sets_attribute_of_class(s, left)) return;
    see_late_binding(s, left);
    if (size == 1 && text.ends_with("= None") && assignment_in(source_, right).second == 1) {  // dX = dW = None
        assign(s, left, '=', {s.end - 4, s.end});
        return statement(trimmed(source_, right));
    }
    const bool entries = std::ranges::any_of(split_at_commas(source_, left), [&](Span part) {  // and not [a, b], c = ...
        const std::size_t open = source_.slice(part).find('[');
        return open != std::string_view::npos && open > 0;
    });
    if (entries || source_.slice(left).find(',') == std::string_view::npos) return assign(s, left, source_.text()[at], right);
    several(s, left, right);
}

/// A return in the body of a loop, but for that of a search that computes nothing: for x in all: if x < 0: return False.
Span Reader::returned_in_loop(Span header, Span body) const {
    if (word_at(header) != "for" && word_at(header) != "while") return {};
    const bool shows = only_shows(body);
    std::size_t first = 0;  // how far its lines are indented
    for (std::size_t i = body.begin; i < body.end;) {
        const std::size_t end = end_of_statement(source_, i, body.end);
        const Span s = code_of(source_, trimmed(source_, {i, end}));
        i = (word_at(s) == "def" ? end_of_body(source_, s, end, body.end, true) : end) + 1;
        if (s.begin >= s.end) continue;
        const std::size_t indent = indent_of(source_, s.begin);
        first = first == 0 ? indent : first;
        const bool searches = shows && indent > first && source_.slice(s).find_first_of("+-*/@(") == std::string_view::npos;
        if (word_at(s) == "return" && !searches) return s;
    }
    return {};
}

/// for epoch in range(1000): a loop that does the same each time, but for what its parameters are. Its body is read once.
bool Reader::repeats(Span header, Span body) const {
    const Span target = trimmed(source_, {header.begin + 3, std::min(source_.text().find(" in ", header.begin), header.end)});
    const std::string index(source_.slice(target));
    if (identifier_length(index) != index.size() || body.begin >= body.end) return false;
    Loop over;
    over.index = index;
    try {
        return repeats(LoopBody(source_, over, body, to_.names(), lists_));
    } catch (const ProofError&) {  // told where it is read
        return false;
    }
}
bool Reader::repeats(const LoopBody& lines) const {
    const std::string& index = lines.over().index;
    const auto is_given = [&](const std::string& name) {
        return std::ranges::any_of(to_.proof().given, [&](const Given& g) { return g.name == name && g.differentiable; });
    };
    const auto holds_given = [&](const std::string& name) {  // model = {"W1": W1}
        return std::ranges::any_of(lines.lines(), [&](const LoopBody::Line& line) {
            return source_.slice(line.left) == name && source_.slice(trimmed(source_, line.right)).starts_with("{");
        });
    };
    const auto goes_on = [&](const std::string& name) { return is_given(name) || holds_given(name); };
    std::set<std::string, std::less<>> assigned;
    for (const LoopBody::Line& line : lines.lines()) {
        const std::vector<std::string> used = identifiers_in(source_.slice(line.all));
        const bool branches = word_at(line.all) == "if";
        if (std::ranges::find(used, index) != used.end() && !is_passed(line.all) && !branches) return false;
        const std::string left(source_.slice(line.left)), whole = left.substr(0, left.find('['));
        const bool made_here = assigned.contains(left) || assigned.contains(whole);  // ds[range(n), y] -= 1 behind ds = p
        const bool changes = line.op != 0 && line.op != '=' && !made_here && !goes_on(left);
        if (line.op == '=') assigned.insert(left);
        if (changes || (line.op == 0 && is_one_of(kRefused, word_at(line.all)) && !branches)) return false;
    }
    return std::ranges::all_of(lines.carried(), goes_on) &&
           std::ranges::any_of(lines.lines(), [&](const LoopBody::Line& line) { return line.op != 0 && !line.appends; });
}

/// What changes nothing: comments and texts, words that are passed over, and an expression that is shown.
bool Reader::is_passed(Span s) const {
    const std::string_view text = source_.slice(s);
    if (text.empty()) return true;
    if (is_one_of(kPassed, word_at(s))) return word_at(s) == "def" || text.find("_(") == std::string_view::npos;  // p.sub_(y)
    if (std::string_view("#@\"'%!").find(text[0]) != std::string_view::npos) return true;
    if (text.substr(word_at(s).size()).starts_with(".append(")) return logged_.contains(word_at(s));
    constexpr std::array<std::string_view, 8> kShown{
        "plt.", "display(", "np.allclose(", "np.testing.", "np.random.seed(", "torch.allclose(", "torch.manual_seed(", "super("};
    if (std::ranges::any_of(kShown, [&](std::string_view start) { return text.starts_with(start); })) return true;
    constexpr std::array<std::string_view, 4> kWords{"break", "continue", "raise", "yield"};
    if (is_one_of(kRefused, word_at(s)) || text.ends_with(":")) return false;
    if (is_one_of(kWords, word_at(s)) || word_at(s).empty() || text.find_first_of("=(") != std::string_view::npos) return false;
    return text.find(' ') == std::string_view::npos || text.find(", ") != std::string_view::npos;
}

/// What a function of the file computes is not known: its name may be one that has a meaning here.
void Reader::expect_no_own_call(Span s) const {
    if (const Span call = own_call(source_, s, imports_.unknown); call.end > call.begin)
        fail(call, fmt::format("{} is a function of this file, or of one that it imports: nothing is executed, write its formula",
                               source_.slice(call)));
}

void read(const std::shared_ptr<const Source>& source, Span text, Statements& to) { Reader(source, to).read(text); }

}  // namespace gradproof::proof::numpy
