// Assignments of NumPy and its like as the statements of a proof.
#include "gradproof/core/proof/language/numpy/read.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/aliases.hpp"
#include "gradproof/core/proof/language/numpy/body.hpp"
#include "gradproof/core/proof/language/numpy/imports.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/loops.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::array<std::string_view, 13> kNotes{"dims",  "function", "input",  "const",      "title",  "loss",    "skip",
                                                  "begin", "end",      "ignore", "convention", "layout", "einstein"};
// Of these a line is passed over; of the others something would be lost.
constexpr std::array<std::string_view, 8> kPassed{"import", "from", "def", "class", "return", "pass", "assert", "print"};
constexpr std::array<std::string_view, 9> kRefused{"if", "elif", "else", "for", "while", "with", "try", "except", "lambda"};

template <class All>
bool is_one_of(const All& all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}
/// The reader of one text.
class Reader {
  public:
    Reader(const std::shared_ptr<const Source>& source, Statements& to) : source_(*source), to_(to) {}

    void read(Span text) {
        to_.begins_at(text.begin);
        find_filled(text);
        imports_ = imports_of(source_);
        if (to_.proof().given.empty() && !opens_proof(source_, text))
            fail(text, "nothing says what is given: write the comment  # gradproof: dims n d; input X [n, d]");
        for (std::size_t i = text.begin; i < text.end;) {
            std::size_t end = end_of_statement(source_, i, text.end);
            const Span s = trimmed(source_, {i, end});
            if (const Span note = note_in(source_, s); note.end > note.begin) {
                notes(note);
            } else if (s.begin < s.end) {
                const bool refused = is_one_of(kRefused, word_at(s));
                const std::size_t body = refused ? end_of_body(source_, s, end, text.end) : end;
                if (refused && (!to_.refuses() || word_at(s) == "for")) end = body;
                const Span all{s.begin, std::max(s.end, end)}, code = word_at(s) == "for" ? s : code_of(source_, s);
                to_.attempt([&] { return lost(all); },
                            [&] {
                                if (word_at(s) != "for" || !loop(s, {std::min(s.end + 1, all.end), all.end})) statement(code);
                            });
            }
            i = end + 1;
        }
        for (const auto& [name, at] : begun_) {
            const Span s = at;
            to_.attempt(
                [&] { return lost(s); },
                [&] { fail(s, fmt::format("no loop goes on from it: of {} only the first row is assigned", source_.slice(s))); });
        }
        for (const Claim& c : claims_) {
            const Statement at{c.span, source_.line(c.span.begin)};
            const std::string shown = one_line(c.span);
            if (!c.why.empty())
                to_.skip(at, false, shown, c.why);
            else
                to_.attempt(
                    [&] {
                        return LostLine{at, JudgedLine::Type::claim, shown};
                    },
                    [&] {
                        to_.judge(at, {c.left, c.right, {}, nullptr, c.holds, {}}, false, {shown});
                    });
        }
    }

  private:
    struct Claim {
        ExprPtr left, right, holds{};
        Span span;
        std::string why;  ///< it is skipped
    };

    [[noreturn]] void fail(Span at, const std::string& text) const { throw ProofError(source_, at.begin, text); }

    std::string one_line(Span s) const {
        std::string out;
        for (const char c : source_.slice(s))
            if (const bool blank = kBlanks.find(c) != std::string_view::npos || c == '\\'; !blank || !out.ends_with(' '))
                out += blank ? ' ' : c;
        return out;
    }

    std::string_view word_at(Span s) const {
        const std::string_view text = source_.slice(s);
        return text.substr(0, identifier_length(text));
    }

    /// What is lost where these lines cannot be read: what they may assign or change is not known from there on.
    LostLine lost(Span all) {
        const Span first{all.begin, std::min(source_.text().find('\n', all.begin), all.end)};
        LostLine out{{all, source_.line(all.begin)}, JudgedLine::Type::claim, one_line(first)};
        each_line(source_, all, [&](Span line) {
            const std::string_view word = word_at(trimmed(source_, line));
            const auto [at, size] = assignment_in(source_, line);
            std::string_view target = source_.slice({line.begin, size == 0 ? line.end : at});
            if (size == 0 && is_one_of(kPassed, word)) target = {};
            if (size == 0 && is_one_of(kRefused, word)) target = target.substr(0, word == "for" ? target.find(" in ") : 0);
            const bool in_place = size == 2 || target.find('[') != std::string_view::npos;
            for (std::string& name : identifiers_in(size == 0 ? target : target.substr(0, target.find('[')))) {
                if (in_place) std::ranges::copy(aliases_.others_of(name), std::back_inserter(out.defines));
                out.defines.push_back(std::move(name));
            }
            for (std::string& name : identifiers_in(source_.slice(line))) out.uses.push_back(std::move(name));
        });
        const auto is_gradient = [&](const std::string& name) { return !value_of_gradient(name, to_.names()).empty(); };
        if (claims_.empty() && std::none_of(out.defines.begin(), out.defines.end(), is_gradient))
            out.type = JudgedLine::Type::forward;
        for (const std::string& name : out.defines) {
            if (Statements::has_meaning(name)) imports_.unknown.insert(name);  // relu = F.leaky_relu
            out.is_loss = out.is_loss || name == loss_ || to_.names().is_loss(name);
            lose_claims_of(value_of_gradient(name, to_.names()), out.statement.line);
        }
        return out;
    }
    /// The gradient is changed by a line that is not read.
    void lose_claims_of(const std::string& value, int line) {
        for (std::size_t i = claims_.size(); i-- > 0;) {
            const Claim c = claims_[i];
            const Expr& of = c.left->kind == Kind::index ? *c.left->children[0] : *c.left;
            if (value.empty() || of.name != value) continue;
            claims_.erase(claims_.begin() + static_cast<std::ptrdiff_t>(i));
            to_.attempt(
                [&] {
                    return LostLine{{c.span, source_.line(c.span.begin)}, JudgedLine::Type::claim, one_line(c.span)};
                },
                [&] { fail(c.span, fmt::format("the gradient of {} is changed in line {}, which is not read", value, line)); });
        }
    }

    void notes(Span all) {
        for (std::size_t i = all.begin; i <= all.end;) {
            const std::size_t end = std::min(source_.text().find(';', i), all.end);
            if (const Span s = trimmed(source_, {i, end}); s.begin < s.end) note(s);
            i = end + 1;
        }
    }
    void note(Span s) {
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
            fail(s,
                 fmt::format("expected dims, function, input, const, title, loss, skip, ignore, convention, layout or einstein{}",
                             did_you_mean(std::string(word), kNotes)));
        }
    }

    void statement(Span s) {
        const std::string_view text = source_.slice(s), word = text.substr(0, identifier_length(text));
        const bool assigns = text.find('=') != std::string_view::npos;
        if (word == "def") {
            const Span name = trimmed(source_, {s.begin + word.size(), s.end});
            imports_.unknown.emplace(source_.slice({name.begin, name.begin + identifier_length(source_.slice(name))}));
        }
        if (text.empty() || text[0] == '#' || text[0] == '@' || text[0] == '"' || text[0] == '\'' || is_one_of(kPassed, word))
            return;
        if (std::exchange(ignored_, false)) return;
        if (word == "for") fail(s, "for is not read but over range: for t in range(T)");
        if (is_one_of(kRefused, word))
            fail(s, fmt::format("{} is not read: nothing is executed, only assignments of expressions are read", word));
        expect_no_own_call(s);
        const auto [at, size] = assignment_in(source_, s);
        if (size == 0)
            fail(s, assigns ? "expected a name, = and an expression" : "only assignments are read: expected a name and =");
        const Span left = trimmed(source_, {s.begin, at}), right{at + size, s.end};
        const std::string_view names = source_.slice(left);
        if (names.find(',') == std::string_view::npos) return assign(s, left, source_.text()[at], right);
        several(s, left, right);
    }

    ExprPtr expression(Span s) const { return Parser(source_, s, to_.names(), &imports_.of_scipy).whole(); }

    /// What a function of the file computes is not known: its name may be one that has a meaning here.
    void expect_no_own_call(Span s) const {
        if (const Span call = own_call(source_, s, imports_.unknown); call.end > call.begin)
            fail(call,
                 fmt::format("{} is a function of this file, or of one that it imports: nothing is executed, write its formula",
                             source_.slice(call)));
    }

    /// The arrays that are made empty and then assigned row by row.
    void find_filled(Span text) {
        each_line(source_, text, [&](Span line) {
            const Span s = trimmed(source_, line);
            const auto [at, size] = assignment_in(source_, s);
            const std::string_view left = source_.slice({s.begin, at});
            const std::size_t n = identifier_length(left);
            if (size == 1 && n > 0 && left.substr(n).starts_with("[")) filled_.insert(std::string(left.substr(0, n)));
        });
    }

    /// for t in range(T): each row of its body. Whether it is such a loop.
    bool loop(Span header, Span body) {
        const std::optional<Loop> over = loop_of(source_, header, to_.names());
        if (!over) return false;
        if (to_.names().defined(over->index))
            fail(over->target, fmt::format("{} is not free to be an index: it names something else", over->index));
        Locals local;
        LoopBody lines(source_, *over, body, to_.names());
        to_.announce(lines.sequences());  // lines of the body before h[t] = ... may use h[t-1]
        for (const Span s : lines.statements()) {
            const auto [at, size] = assignment_in(source_, s);
            if (size == 0) fail(s, "in a loop only assignments are read: h[t] = ..., dW += ...");
            step(lines, s, trimmed(source_, {s.begin, at}), source_.text()[at], {at + size, s.end}, local);
        }
        return true;
    }

    /// Names that stand for their right side within the body of a loop.
    struct Local {
        ExprPtr value;
        std::size_t parts = 0;
    };
    using Locals = std::map<std::string, Local>;
    void step(LoopBody& body, Span s, Span left, char op, Span right, Locals& local) {
        const Loop& over = body.over();
        const ExprPtr read = expression(right);
        std::size_t parts = parts_of(*read);
        for_each(*read, [&](const Expr& e) {
            if (const auto found = e.kind == Kind::name ? local.find(e.name) : local.end(); found != local.end())
                parts += found->second.parts;
        });
        if (parts > kMostParts) fail(s, fmt::format("the statement has more than {} parts (kMostParts)", kMostParts));
        const ExprPtr value = rewritten(read, [&](const Expr& e) -> ExprPtr {
            const auto found = e.kind == Kind::name ? local.find(e.name) : local.end();
            return found == local.end() ? nullptr : found->second.value;
        });
        body.expect_assigned(*value, s);
        const std::optional<Element> row = element_of(source_, left, to_.names());
        const std::string name(source_.slice(row ? row->name : left));
        body.assigns(name);
        const std::string of = value_of_gradient(name, to_.names());
        if (!row && of.empty() && op == '=') {
            if (to_.names().defined(name)) fail(left, fmt::format("{} is assigned again: give it another name", name));
            if (mentions(*read, name) && !local.contains(name))
                fail(s, fmt::format("{0} goes on from step to step: give it rows, {0}[{1}] = ...", name, over.index));
            local[name] = {value, parts};
            return;
        }
        if (!of.empty() && !row) return add_over_steps(over, s, left, op, of, value);
        const bool own = row && row->index->kind == Kind::name && row->index->name == over.index;
        if (!own || op != '=')
            fail(left, fmt::format("in a loop over {0} rows are assigned, h[{0}] = ..., and gradients added to, dW += ...",
                                   over.index));
        Expr target = *entry(of.empty() ? proof::name(name) : gradient_of(of), {row->index});
        target.span = left;
        const ExprPtr all = make(std::move(target));
        if (!of.empty()) return claims_.push_back({all, value, over.holds(), s, std::exchange(why_, "")});
        define_rows(body, s, all, name, value);
    }

    /// dW += ... at each step is the sum over the steps.
    void add_over_steps(const Loop& over, Span s, Span left, char op, const std::string& of, const ExprPtr& value) {
        if (op == '=')
            fail(s, fmt::format("in a loop this keeps the last step alone: to add them up write {} += ...", source_.slice(left)));
        Expr total = *summed_over(over.index, over.holds() ? call("where", {over.holds(), value, number(0)}) : value);
        if (over.stop->kind == Kind::name) total.options.push_back({over.index, over.stop, over.stop->span});
        const ExprPtr sum_of = make(std::move(total));
        const auto before = last_claim(of);
        const bool from_zero = before != claims_.rend() && is_zero(*before->right);
        if (op == '+' && from_zero) claims_.erase(std::next(before).base());
        claim(s, left, op == '+' && from_zero ? '=' : op, of, sum_of);
    }
    std::vector<Claim>::reverse_iterator last_claim(const std::string& of) {
        return std::find_if(claims_.rbegin(), claims_.rend(), [&](const Claim& k) { return k.left->name == of; });
    }
    static bool is_zero(const Expr& e) {
        if (e.kind == Kind::product) return is_zero(*e.children[0]);  // zeros_like
        return (e.kind == Kind::number && e.number == 0) || (e.kind == Kind::call && e.name == "zeros");
    }

    void define_rows(const LoopBody& body, Span s, const ExprPtr& left, const std::string& name, ExprPtr value) {
        const Loop& over = body.over();
        if (to_.names().defined(name)) fail(left->span, fmt::format("{} is assigned again: give it another name", name));
        const auto first = starts_.find(name);
        begun_.erase(name);
        const bool from_second = over.first->kind != Kind::number || over.first->number != 0;
        if (from_second && first == starts_.end() && !zeroed_.contains(name))
            fail(s, fmt::format("nothing says what stands in {0} before: write {0}[0] = ... above the loop", name));
        const ExprPtr goes_on = comparison(proof::name(over.index), ">=", over.first);
        if (from_second && first != starts_.end()) {
            value = call("where", {goes_on, value, first->second});
        } else {
            for (const std::string& row : body.sequences()) {
                const auto start = starts_.find(row);
                value = with_start(value, row, start != starts_.end() ? start->second : number(0));
            }
            if (from_second) value = product(value, '*', goes_on);  // zeros before
        }
        to_.expect_free(name, left->span, true, true);
        Equality e{left, value, {}, nullptr, nullptr, {}};
        e.extents.push_back({over.index, over.stop, over.stop->span});
        to_.assign({s, source_.line(s.begin)}, name, e, false);
    }

    /// a, b = x, y
    void several(Span s, Span left, Span right) {
        const ExprPtr values = expression(right);
        std::vector<Span> names;
        for (std::size_t i = left.begin; i < left.end;) {
            const std::size_t end = std::min(source_.text().find(',', i), left.end);
            names.push_back(trimmed(source_, {i, end}));
            i = end + 1;
        }
        if (values->kind != Kind::array || values->children.size() != names.size())
            fail(s, fmt::format("{} names on the left, as many expressions are expected on the right", names.size()));
        for (std::size_t i = 0; i < names.size(); ++i) take(s, names[i], '=', values->children[i]);
    }
    void assign(Span s, Span left, char op, Span right) {
        // A type behind the name says nothing here: x: Tensor = ...
        if (const std::size_t colon = source_.slice(left).find(':'); colon != std::string_view::npos)
            left = trimmed(source_, {left.begin, left.begin + colon});
        take(s, left, op, expression(right));
    }

    void take(Span s, Span left, char op, const ExprPtr& value) {
        const std::string_view target = source_.slice(left);
        const bool is_grad = target.ends_with(".grad") && to_.names().values.contains(target.substr(0, target.size() - 5));
        const std::string name(target);
        if (!is_grad && filled_.contains(name) && op == '=' && is_zero(*value)) {
            if (source_.slice(s).find("empty") == std::string_view::npos) zeroed_.insert(name);
            return;
        }
        if (const std::optional<Element> row = element_of(source_, left, to_.names()); row && op == '=')
            return begin_rows(left, *row, value);
        const std::string of = is_grad ? name.substr(0, name.size() - 5) : value_of_gradient(name, to_.names());
        if (!is_grad && (target.empty() || identifier_length(target) != target.size()))
            fail(left, "the left of an assignment is a name, or X.grad");
        if (!of.empty()) return claim(s, left, op, of, value);
        if (op != '=') fail(s, fmt::format("{} is changed in place: give the result a name of its own", name));
        if (to_.names().defined(name)) fail(left, fmt::format("{} is assigned again: give it another name", name));
        to_.expect_free(name, left, true, true);
        aliases_.add(name, *value);
        Expr n = node(Kind::name, {}, name);
        n.span = left;
        const Equality e{make(std::move(n)), value, {}, nullptr};
        const bool backward = !claims_.empty() || contains(*value, Kind::gradient) || any_part(*value, [&](const Expr& part) {
            return part.kind == Kind::helper && to_.names().helpers.contains(part.name);
        });
        if (backward) return to_.define_helper(name, left, e, {s, source_.line(s.begin)});
        const bool is_loss = (name == loss_ || to_.names().is_loss(name)) && to_.names().loss.empty();
        to_.assign({s, source_.line(s.begin)}, name, e, is_loss);
    }

    /// h[0] = ... or h[-1] = ..., before a loop goes on from there.
    void begin_rows(Span left, const Element& row, const ExprPtr& value) {
        const std::optional<double> at = signed_number(*row.index);
        const std::string name(source_.slice(row.name));
        if (!at || (*at != 0 && *at != -1) || !value_of_gradient(name, to_.names()).empty())
            fail(left,
                 "of the entries of an array only those are read that a loop goes through, and the one it begins with: h[0] = "
                 "...");
        if (to_.names().defined(name)) fail(left, fmt::format("{} is changed in place: give the result a name of its own", name));
        starts_[name] = value;
        begun_[name] = left;
    }

    /// What is added to a gradient makes one claim of its sum, in the place of the last part.
    void claim(Span s, Span left, char op, const std::string& of, const ExprPtr& value) {
        Expr g = node(Kind::gradient, {}, of);
        g.span = left;
        Claim c{make(std::move(g)), value, nullptr, s, std::exchange(why_, "")};
        const auto before = last_claim(of);
        const auto is_itself = [&](const Expr& e) { return e.kind == Kind::gradient && e.name == of; };
        if (op == '=') {
            const bool goes_on = before != claims_.rend() && any_part(*value, is_itself);  // dX = dX + ...
            if (!goes_on) return claims_.push_back(std::move(c));
            c.right = rewritten(value, [&](const Expr& e) { return is_itself(e) ? before->right : nullptr; });
        } else {
            if (before == claims_.rend() || (op != '+' && op != '-'))
                fail(s, fmt::format("{}= changes what is not assigned before: expected {} = ... first", op, source_.slice(left)));
            c.right = sum(before->right, op, value);
        }
        for (auto later = claims_.rbegin(); later != before; ++later)
            if (any_part(*later->right, is_itself))
                fail(s, fmt::format("line {} uses {} before this is added to it", source_.line(later->span.begin),
                                    source_.slice(left)));
        claims_.erase(std::next(before).base());
        claims_.push_back(std::move(c));
    }

    const Source& source_;
    Statements& to_;
    std::vector<Claim> claims_;
    std::set<std::string, std::less<>> zeroed_;           ///< of these, those that are zeros before
    std::set<std::string, std::less<>> filled_;           ///< arrays that are assigned row by row
    std::map<std::string, ExprPtr, std::less<>> starts_;  ///< what stands in them before the first row
    Aliases aliases_;
    std::map<std::string, Span> begun_;  ///< those of which no loop has assigned the rest
    Imports imports_;                    ///< with the functions that the file defines
    std::string why_, loss_;
    bool ignored_ = false;
};

}  // namespace

void read(const std::shared_ptr<const Source>& source, Span text, Statements& to) { Reader(source, to).read(text); }

}  // namespace gradproof::proof::numpy
