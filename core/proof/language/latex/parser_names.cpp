// Names of LaTeX.
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/scripts.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

NameParts Parser::take_name(const char* what) {
    NameParts p = parts_of(reading_.source, tokens_, at_);
    if (p.base.empty() || done())
        fail(peek(), fmt::format("expected {}, got {}", what, done() ? "the end" : printable(peek().text, 40)));
    expect_one_spelling(p);
    at_ = p.end;
    return p;
}

/// x^{(i)} of a text with an x_i, which may be another value.
void Parser::expect_one_spelling(const NameParts& p) const {
    if (is_index_above(p, tokens_) && reading_.spelled_twice.contains(p.full_key()))
        fail(tokens_[p.begin],
             fmt::format("{} stands here, and {} too: whether the two are one name is not said, so write one of "
                         "them otherwise",
                         shown(p.begin, p.end), printable(p.full_key(), 60)));
}

/// The name at the start of `p` with as many of its scripts as a defined name has; nullptr where none is.
ExprPtr Parser::defined_name(const NameParts& p) {
    for (const bool above : {true, false})
        for (const bool below : {true, false})
            for (const bool prime : {true, false}) {
                if ((above && !p.has_above) || (below && !p.has_below) || (prime && !p.primed)) continue;
                const std::string key = p.key(above, below, prime);
                if (!key.empty() && reading_.of_two.contains(reading_.id_of(key)))
                    fail(tokens_[p.begin],
                         fmt::format("{} is a size in this text, and a value too: give one of the two another letter",
                                     shown(p.begin, p.end)));
                if (!key.empty() && reading_.may_stand(key)) return name_of(p, reading_.id_of(key), above, below, prime);
            }
    return nullptr;
}

namespace {

/// Whether a script has the index as a part: n of "pred,n", of "(n)" and "(i,n)", and of "kn"; not of \mathrm{min}.
bool script_has_index(const Source& source, const Tokens& script, const std::string& index) {
    constexpr std::size_t kMostLetters = 3;  // of x_{ijk}; x_{total} is a word
    std::size_t run = 0;
    bool has = false, found = false;
    for (std::size_t i = 0; i <= script.size(); ++i) {
        const bool is_letter = i < script.size() && script[i].kind == letter;
        if (is_letter) {
            ++run;
            has = has || script[i].text == index;
            continue;
        }
        found = found || (has && run <= kMostLetters);
        run = 0;
        has = false;
        if (i < script.size() && script[i].kind == command && is_font(script[i].text))
            i = std::max(end_of_group(source, script, i + 1), i + 1) - 1;
    }
    return found;
}

}  // namespace

/// \sum_n (y_{\mathrm{pred},n} - t)^2 of a y_{\mathrm{pred},n} that is read as one value.
void Parser::expect_no_index_within(const NameParts& p, bool with_above, bool with_below) const {
    for (const std::string& index : *bound_)
        if ((with_above && script_has_index(reading_.source, p.above, index)) ||
            (with_below && script_has_index(reading_.source, p.below, index)))
            fail(tokens_[p.begin],
                 fmt::format("{0} of the sum stands in {1}, which is read as one value: declare {2} with its axes, as "
                             "$X \\in \\mathbb{{R}}^{{n \\times d}}$, and write its entries as X_{{{0}j}}",
                             index, printable(shown(p.begin, p.end), 60), printable(shown(p.begin, p.base_end), 40)));
}

/// The name, then what its scripts mean that are no part of it.
ExprPtr Parser::name_of(const NameParts& p, const std::string& id, bool with_above, bool with_below, bool with_prime) {
    expect_no_index_within(p, with_above, with_below);
    at_ = p.end;
    skip_arguments(p);
    Expr e = node(Kind::name, {}, id);
    if (const auto helper = reading_.names.helpers.find(id); helper != reading_.names.helpers.end()) e = *helper->second;
    ExprPtr out = finish(p.begin, std::move(e));
    const bool raise = p.has_above && !with_above, enter = p.has_below && !with_below;
    const Assignment* const by_entries = p.has_below || is_differentiated_ ? nullptr : reading_.proof.find(id);
    const bool small = p.base.size() == 1 && p.base[0] >= 'a' && p.base[0] <= 'z';
    const bool guessed = std::ranges::any_of(reading_.proof.given, &Given::taken);  // shapes, which h alone may not have
    if (small && by_entries != nullptr && (by_entries->indices.size() == 2 || (guessed && by_entries->is_recurrence())))
        fail(tokens_[p.begin],
             fmt::format("{0} is written by its entries, {0}_{{{1}}}, and {0} alone is hardly all of them: give one "
                         "of the two another letter",
                         p.base, fmt::join(by_entries->indices, "")));
    // Of a row, x_t^\top and x^\top_t, the row is transposed; of an entry, X_{ij}^\top, the matrix.
    const bool has_scripts = p.base_end < p.end;
    const bool of_rows =
        (has_scripts && tokens_[p.base_end].is_symbol("_")) || (!has_capital(*out) && is_transpose(reading_.source, p.above));
    const bool row = raise && enter && of_rows &&
                     std::ranges::count_if(entries(p.below), [](const ExprPtr& i) { return i->kind != Kind::slice; }) == 1;
    const bool transposed = raise && !row && is_transpose(reading_.source, p.above);
    if (p.primed && !with_prime) {
        expect_no_slope(p, *out);
        out = finish(p.begin, transpose(out));
    }
    // A^{-1}_{ij} is (A^{-1})_{ij}.
    const bool above_first = raise && enter && !row && has_scripts && tokens_[p.base_end].is_symbol("^") && has_capital(*out);
    if (transposed || above_first) out = raised(out, p.above, p.begin);
    const auto given = std::ranges::find(reading_.proof.given, id, &Given::name);
    if (enter && given != reading_.proof.given.end() && given->shape.empty() && !given->value)
        fail(tokens_[p.begin], fmt::format("{} is a number here, and {} is no entry of it: say what that is",
                                           shown(p.begin, p.base_end), shown(p.begin, p.end)));
    if (enter) out = with_start(p.key(with_above, false, with_prime), entry_of(out, p.below, p.begin));
    return raise && !transposed && !above_first ? raised(out, p.above, p.begin) : out;
}

/// u' of a number u that the text computes, which has no transpose.
void Parser::expect_no_slope(const NameParts& p, const Expr& value) const {
    const Assignment* const a = notation_ || value.kind != Kind::name ? nullptr : reading_.proof.find(value.name);
    if (a != nullptr && a->indices.empty() && is_without_axes(value))
        fail(tokens_[p.begin], fmt::format("{0}' may be the derivative of {0}, which is a number and has no transpose: write "
                                           "\\frac{{d{0}}}{{dx}}, or {0}(x) = ... above",
                                           shown(p.begin, p.base_end)));
}

/// h_{t-1} and h_{t-1,k}; where h_0 is known, that for t = 1.
ExprPtr Parser::with_start(const std::string& key, const ExprPtr& entry) {
    if (is_differentiated_ || entry->kind != Kind::index || reading_.spelling->first != 1) return entry;
    const std::optional<IndexStep> step = step_of(*entry->children[1]);
    const std::string start = key + "_0";
    if (!step || reading_.names.dims.contains(step->index) || step->by != -1 || !reading_.is_defined(start)) return entry;
    Expr before = node(Kind::name, {}, reading_.id_of(start));
    before.spelling = reading_.spelling;
    if (entry->children.size() > 2) {
        before = node(Kind::index, {make(std::move(before))});
        before.children.insert(before.children.end(), entry->children.begin() + 2, entry->children.end());
    }
    before.span = entry->span;
    Expr out = *call("where", {comparison(name(step->index), ">", proof::number(0)), entry, make(std::move(before))});
    out.span = entry->span;
    return make(std::move(out));
}

/// dX, \mathrm{d}X and \mathbf{dX} of a value X; nullptr where none stands here.
ExprPtr Parser::differential() {
    const std::size_t begin = at_;
    NameParts d = parts_of(reading_.source, tokens_, at_);
    // A size may be called d as well: dX without a blank is the gradient even so, dx where the text gives one that name.
    if (!d.base.starts_with("d") || (d.base.size() > 1 && reading_.is_defined(d.key(d.has_above, d.has_below, d.primed))))
        return nullptr;
    if (reading_.names.values.contains(d.base)) return nullptr;
    NameParts p = d;
    if (d.base.size() > 1) {
        p.base = d.base.substr(1);
    } else {
        const bool upright = peek().kind == command;
        if (d.end != d.base_end || d.end >= tokens_.size() || (tokens_[d.end].blank && !upright && reading_.is_defined("d")))
            return nullptr;
        p = parts_of(reading_.source, tokens_, d.end);
        if (p.base.empty()) return nullptr;
        if (is_loss(p) && p.end < tokens_.size() && tokens_[p.end].is_symbol("/")) {
            at_ = p.end + 1;
            const ExprPtr by = differential();
            if (by) return by;
            at_ = begin;
            return nullptr;
        }
        const bool capital = p.base[0] >= 'A' && p.base[0] <= 'Z';
        if (!upright && reading_.is_defined("d") && (is_below_ || !(reading_.d_is_gradient || capital))) return nullptr;
    }
    const ExprPtr out = gradient_named(p, begin);
    if (out) told(GradientStyle::d);
    return out;
}

/// \bar x, where the text says that a bar marks gradients; nullptr where none stands here.
ExprPtr Parser::adjoint() {
    const std::optional<NameParts> p = without_adjoint(reading_, parts_of(reading_.source, tokens_, at_));
    return p ? gradient_named(*p, at_) : nullptr;
}

/// The gradient by the value that is named so, or an entry of it; nullptr where it is none.
ExprPtr Parser::gradient_named(const NameParts& p, std::size_t begin) {
    ExprPtr x = defined_name(p);
    if (!x && (x = row_by(p))) at_ = p.end;
    const Expr* const named = named_within(x.get());
    if (named == nullptr || !reading_.names.values.contains(named->name)) {
        at_ = begin;
        return nullptr;
    }
    const std::size_t after = at_;
    const ExprPtr out = rewritten(x, [&](const Expr& e) -> ExprPtr {
        if (&e != named) return nullptr;
        Expr g = node(Kind::gradient, {}, e.name);
        g.span = e.span;
        g.spelling = e.spelling;
        return make(std::move(g));
    });
    at_ = after;
    return finish(begin, out);
}

/// ln of x ln x, which is printed as letters.
void Parser::expect_no_command(const std::string& run) const {
    constexpr std::string_view kCommands[] = {"ln",   "log",    "exp",    "sin",    "cos", "tan", "sinh", "cosh",
                                              "tanh", "arctan", "arcsin", "arccos", "max", "min", "det"};
    if (!notation_ && is_one(kCommands, run) && !reading_.names.defined(run))
        fail(tokens_[at_], fmt::format("{0} stands here without a backslash: write \\{0}", run));
}

/// Where letters that stand together, as in softmax(x), are one name; nothing where they are factors.
std::optional<std::size_t> Parser::run_of_letters() const {
    std::size_t to = at_;
    std::string run;
    constexpr std::size_t kLongest = 40;
    while (to < end_ && run.size() < kLongest && tokens_[to].kind == letter && tokens_[to].text.size() == 1 &&
           (to == at_ || !tokens_[to].blank))
        run += tokens_[to++].text;
    if (run.size() < 2) return std::nullopt;
    const bool called = to < end_ && tokens_[to].is_symbol("(");
    if (!called) expect_no_command(run);
    const bool known = reading_.names.defined(run) || (called && reading_.names.is_function(function_of(run)));
    return known ? std::optional(to) : std::nullopt;
}

/// The function that a word names, "" where it names none.
std::string Parser::function_at(const NameParts& p) const {
    if (const std::string id = reading_.id_of(p.base); reading_.names.functions.contains(id)) return id;
    const bool called_or_primed = p.primed || (p.base_end < tokens_.size() && tokens_[p.base_end].is_symbol("("));
    if (p.has_below && !p.has_above && p.end < tokens_.size() && tokens_[p.end].is_symbol("("))
        if (const FunctionMeaning* const m = meaning_of(function_key(p)); m && !m->below.empty())  // h_\theta(x)
            return m->function;
    if (called_or_primed && meaning_of(p.base)) return p.base;
    if (p.base == "σ") {
        const bool called =
            p.base_end < tokens_.size() && (tokens_[p.base_end].is_symbol("(") || tokens_[p.base_end].is_symbol("["));
        return (called || p.primed) && reading_.names.is_function("σ") ? "σ" : "";
    }
    if (p.base.size() < 2) return "";
    const std::string f = function_of(p.base);
    return reading_.names.is_function(f) ? f : "";
}

/// \sigma(x) of a text in which \sigma is a value, as a standard deviation is: that product, or the sigmoid of x.
void Parser::expect_no_sigmoid(const NameParts& p) const {
    const bool called = p.end == p.base_end && p.end < end_ && tokens_[p.end].is_symbol("(");
    if (called && !notation_ && p.base == "σ" && reading_.names.defined(reading_.id_of(p.base)))
        fail(tokens_[p.begin],
             fmt::format("{0} is a value here, and stands before a bracket as a function does: give one of the two "
                         "another name, or write {0} \\cdot (...)",
                         tokens_[p.begin].text));
}

/// e^{s_j}, also where e is an array, of which a power would have a number above, and \mathrm{e}^{s} beside a value e.
bool Parser::is_exponential(const NameParts& p) const {
    if (p.base != "e" || !p.has_above || p.has_below || p.primed || p.above.empty() || is_transpose(reading_.source, p.above))
        return false;
    const auto defined = reading_.spelling->names.find("e");
    const bool italic = defined != reading_.spelling->names.end() && !defined->second.starts_with("\\");
    if (tokens_[p.begin].kind == command && italic && reading_.may_stand("e")) return true;
    const bool of_names = std::ranges::any_of(
        p.above, [](const Token& t) { return t.kind == letter || (t.kind == command && !letter_of(t.text).empty()); });
    if (!of_names || p.above[0].is_symbol("(") || reading_.may_stand(p.key(true, false, false))) return false;
    const std::optional<AxisNames> axes = names_of_axes(reading_.id_of("e"));
    return reading_.may_stand("e") && (!axes || !axes->empty());
}

ExprPtr Parser::name_or_call() {
    const std::size_t begin = at_;
    const Token& t = peek();
    if (done()) fail(t, "expected a name, a number, a function or an opening bracket");
    const bool plain_command = t.kind == command && letter_of(t.text).empty() && accent_of(t.text).empty() && !is_font(t.text);
    if (t.is_command("\\arg") && begin + 1 < end_ && tokens_[begin + 1].is_command("\\max"))
        return call_of("argmax", begin, begin + 2);
    if (t.is_command("\\grad"))
        if (const ExprPtr d = gradient_on_surface()) return d;
    if (plain_command) {
        const std::string f = function_of(t.text.substr(1));
        if (f.empty() || !reading_.names.is_function(f))
            fail(t, fmt::format(
                        "{} is not known here: define it with \\newcommand, or leave the equation out by  % gradproof: ignore",
                        printable(t.text, 40)));
        return call_of(f, begin, begin + 1);
    }
    if (const auto to = run_of_letters()) {
        std::string run;
        for (std::size_t i = at_; i < *to; ++i) run += tokens_[i].text;
        if (!reading_.names.defined(run)) return call_of(function_of(run), begin, *to);
        at_ = *to;
        return finish(begin, node(Kind::name, {}, run));
    }
    if (const ExprPtr d = differential()) return d;
    if (const ExprPtr d = adjoint()) return d;
    if (const ExprPtr d = gradient_on_surface()) return d;
    const NameParts p = parts_of(reading_.source, tokens_, at_);
    expect_one_spelling(p);
    if (p.base.empty() && t.kind == words)
        fail(t, fmt::format("words that change a formula are not read: {}; write what they say as a formula",
                            printable(t.text, 40)));
    if (p.base.empty())
        fail(t, fmt::format("expected a name, a number, a function or an opening bracket, got {}", printable(t.text, 40)));
    if (p.primed && is_slope(reading_, p)) return slope_of_value(p);
    if (is_exponential(p)) return unknown_name(p);
    if (p.base == "δ" && means_kronecker(p))
        if (const ExprPtr of = delta_of(p)) return of;
    expect_no_sigmoid(p);
    if (const ExprPtr known = defined_name(p)) return known;
    if (const std::string f = function_at(p); !f.empty()) return call_of(f, begin, p.base_end);
    return unknown_name(p);
}

/// \mathrm{KL}(q \| p) and D_{\mathrm{KL}}(q \| p) of two vectors: \sum q \log(q / p). nullptr of others.
ExprPtr Parser::divergence(const NameParts& p) {
    const bool named = p.base == "KL" || (p.base == "D" && flat(reading_.source, p.below) == "KL");
    if (!named || p.has_above || !peek().is_symbol("(")) return nullptr;
    const std::size_t end = end_of_brackets(tokens_, at_);
    if (end <= at_ + 2 || end > end_) return nullptr;
    Tokens inside = part_of(tokens_, at_ + 1, end - 1);
    std::erase_if(inside, [](const Token& t) { return t.is_command("\\,") || t.is_command("\\;") || t.is_command("\\!"); });
    const auto bars = std::ranges::find_if(inside, [](const Token& t) { return is_norm_bar(t); });
    if (bars == inside.end()) return nullptr;
    const auto vector = [&](const Tokens& of) -> ExprPtr {
        const NameParts one = of.empty() ? NameParts{} : name_at(reading_, of, 0);
        if (one.base.empty() || one.end != of.size() || !names_a_value(reading_, one)) return nullptr;
        ExprPtr e = Parser(reading_, of).whole();
        const std::optional<AxisNames> axes = names_of_axes(*e);
        return axes && axes->size() == 1 ? e : nullptr;
    };
    const ExprPtr q = vector({inside.begin(), bars}), r = vector({bars + 1, inside.end()});
    if (!q || !r) return nullptr;
    at_ = end;
    const ExprPtr difference = sum(call("log", {q}), '-', call("log", {r}));
    return finish(p.begin, call("sum", {proof::product(q, '*', difference)}));
}

std::string Parser::shown(std::size_t begin, std::size_t end) const {
    std::size_t last = tokens_[begin].span.end;
    for (std::size_t i = begin; i < end; ++i) last = std::max(last, tokens_[i].span.end);
    return std::string(reading_.source.slice({tokens_[begin].span.begin, last}));
}

}  // namespace gradproof::proof::latex
