// Names of LaTeX.
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/did_you_mean.hpp"
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

/// The name, then what its scripts mean that are no part of it.
ExprPtr Parser::name_of(const NameParts& p, const std::string& id, bool with_above, bool with_below, bool with_prime) {
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
    if (p.primed && !with_prime) out = finish(p.begin, transpose(out));
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
    // A size may be called d as well: dX without a blank is the gradient even so.
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
    const std::optional<AxisNames> axes = axis_names(reading_.id_of("e"), reading_.proof, &reading_.names);
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
        const std::optional<AxisNames> axes = axis_names(*e, reading_.proof, &reading_.names);
        return axes && axes->size() == 1 ? e : nullptr;
    };
    const ExprPtr q = vector({inside.begin(), bars}), r = vector({bars + 1, inside.end()});
    if (!q || !r) return nullptr;
    at_ = end;
    const ExprPtr difference = sum(call("log", {q}), '-', call("log", {r}));
    return finish(p.begin, call("sum", {proof::product(q, '*', difference)}));
}

/// Whether a letter that stands alone as a term counts: it does not in s - y, where nothing runs over y.
bool Parser::may_be_index(const std::string& letter) const {
    if (in_entry_ || notation_ || reading_.of_claim.empty() || reading_.indices.contains(letter)) return true;
    if (std::ranges::find(*bound_, letter) != bound_->end()) return true;
    const auto counts = [&](const Tokens& all) {
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i].is(Token::Kind::letter, letter) &&
                (all[i - 1].is_symbol("_") || all[i - 1].kind == Token::Kind::opening || all[i - 1].is_symbol(",") ||
                 is_small_letter(all[i - 1]) || all[i - 1].is_symbol("=") || all[i - 1].is_symbol("[")))
                return true;
        return false;
    };
    return counts(reading_.of_claim) || counts(tokens_);
}

/// What is not defined and has a meaning of its own: e^x, δ_{ij}, I_n, an index.
ExprPtr Parser::unknown_name(const NameParts& p) {
    const std::size_t begin = at_;
    at_ = p.end;
    if (const ExprPtr one = p.base == "δ" ? delta_of(p) : nullptr) return one;
    if (p.base == "e" && p.has_above && !p.has_below) return finish(begin, call("exp", {inner(p.above)}));
    if (p.base == "I" && !p.primed && !reading_.coming.contains("I"))
        if (const ExprPtr e = identity(p)) return e;
    if (p.base == "1") {
        const ExprPtr ones = indicator(p);
        return p.has_above ? raised(ones, p.above, begin) : ones;
    }
    const bool bare = !p.has_above && !p.has_below && !p.primed;
    if (bare && p.base == "0") return finish(begin, *proof::number(0));
    const bool small = p.base.size() == 1 && p.base[0] >= 'a' && p.base[0] <= 'z';
    const bool index = bare && small && p.base != "e";
    if (index || (bare && (p.base == "e" || p.base == "π"))) {
        if (index && !may_be_index(p.base)) fail_for_unknown(p, shown(begin, p.end));
        Expr e = node(Kind::name, {}, p.base);
        const ExprPtr out = finish(begin, std::move(e));
        // As a number, an index counts from 1, as the author's does.
        const bool counts = index && !in_entry_ && reading_.spelling->first == 1 && !notation_;
        if (!counts) return out;
        Expr counted = *sum(out, '+', proof::number(1));
        counted.name = p.base;  // for the writer
        return finish(begin, std::move(counted));
    }
    if (notation_ && (p.base == "inf" || p.base == "pi")) {
        return finish(begin, node(Kind::name, {}, p.base));
    }
    if (const ExprPtr of = divergence(p)) return of;
    const std::string name = shown(begin, p.end);
    if (reading_.coming.contains(p.base) && !reading_.passed.contains(p.base))
        fail(tokens_[begin], fmt::format("{} is defined below, and follows from this line: one of the two has to come first",
                                         printable(name, 60)));
    if (const auto why = reading_.unread.find(p.base); why != reading_.unread.end())
        fail(tokens_[begin], fmt::format("what the text says {} is, is not read: {}", printable(name, 60), why->second));
    if (peek().is_symbol("(")) fail_for_argument(p.end);
    const bool may_be_function = p.base.size() > 1 || p.base == "f" || p.base == "g" || p.base == "h";
    if (may_be_function && p.base.find('_') == std::string::npos && peek().is_symbol("("))
        fail(tokens_[begin], fmt::format("unknown function {}{}", printable(name, 40), meaning_of_function(p.base, name)));
    const std::string matrix = matrix_of(p);
    if (const ExprPtr row = small && p.has_below && !p.primed ? row_of(matrix, p) : nullptr) return row;
    if (const ExprPtr whole = bare ? whole_of_entries(p) : nullptr) return whole;
    if (small && p.has_below && reading_.names.values.contains(matrix) && matrix != p.base)
        fail(tokens_[begin],
             fmt::format("{0} is not known here: if it is a row of {1}, write {1}_{{i:}}, a column {1}_{{:i}}, an entry "
                         "{1}_{{ij}}; if it is another value, say what it is, as  % gradproof: input {0} [d]",
                         printable(name, 60), matrix));
    fail_for_unknown(p, name);
}

/// Names what it may be, or how to say what it is.
void Parser::fail_for_unknown(const NameParts& p, const std::string& name) const {
    const std::string key = p.key(p.has_above, p.has_below, p.primed);
    const auto other = reading_.spelling->names.find(key);  // W^Q of W_Q
    const std::string meant =
        reading_.is_of_another(key) && other != reading_.spelling->names.end()
            ? fmt::format(", and {} is another name: if it is meant, write it so everywhere", printable(other->second, 60))
            : did_you_mean(key, reading_.names.values);
    const bool capital = p.base[0] >= 'A' && p.base[0] <= 'Z';
    const std::string input = fmt::format("% gradproof: input {}", printable(name, 60));
    const std::string in_words = fmt::format(
        "${0} > 0$  or  ${0} \\in \\mathbb{{R}}$  in the text, or  {1}  or, of a vector,  {1} [n]", printable(name, 60), input);
    const std::string what = capital ? input + " [n, d]" : in_words;
    fail(tokens_[p.begin],
         fmt::format("{} is not known here{}", printable(name, 60), meant.empty() ? ": say what it is, as  " + what : meant));
}

/// Of J(w) the w, if that is not known.
void Parser::fail_for_argument(std::size_t bracket) const {
    const NameParts p = bracket + 1 < tokens_.size() ? name_at(reading_, tokens_, bracket + 1) : NameParts{};
    if (p.base.empty() || p.end >= tokens_.size() || names_a_value(reading_, p) || reading_.names.dims.contains(p.base)) return;
    if (!tokens_[p.end].is_symbol(")") && !tokens_[p.end].is_symbol(",")) return;
    fail(tokens_[bracket + 1],
         fmt::format(
             "{0} is not known here: say in the text what it is, as ${0} \\in \\mathbb{{R}}^n$, or  % gradproof: input {0} [n]",
             printable(joined(tokens_, bracket + 1, p.end), 60)));
}

/// X of x_i.
std::string Parser::matrix_of(const NameParts& p) {
    return std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(p.base[0]))));
}

/// P, where the text has p_{ij} and no P.
ExprPtr Parser::whole_of_entries(const NameParts& p) {
    if (p.base.size() != 1 || p.base[0] < 'A' || p.base[0] > 'Z' || reading_.coming.contains(p.base)) return nullptr;
    const std::string entries(1, static_cast<char>(std::tolower(static_cast<unsigned char>(p.base[0]))));
    const Assignment* const value = reading_.proof.find(entries);
    if (value == nullptr || value->indices.size() != 2) return nullptr;
    return finish(p.begin, node(Kind::name, {}, entries));
}

/// x_i and x_{ij} of a matrix X whose rows are summed over: row i, an entry of it; nullptr of others.
ExprPtr Parser::row_of(const std::string& matrix, const NameParts& p) {
    const bool letters = !p.below.empty() && p.below.size() <= 2 && std::ranges::all_of(p.below, [&](const Token& t) {
        return t.kind == letter && !reading_.names.defined(t.text);
    });
    const bool indices = std::ranges::all_of(p.below, [&](const Token& t) { return is_known_index(t.text); });
    const bool known = letters && (indices || (p.below.size() == 1 && reading_.lines.are_of(matrix)));
    const bool plain = !p.has_above || is_transpose(reading_.source, p.above);
    if (!known || !plain || !reading_.names.values.contains(matrix)) return nullptr;
    const ExprPtr of = finish(p.begin, node(Kind::name, {}, matrix));
    const std::optional<AxisNames> axes = axis_names(matrix, reading_.proof, &reading_.names);
    if (axes_of(*of) != std::optional<std::size_t>(2) && !(axes && axes->size() == 2)) return nullptr;
    const bool column = p.below.size() == 1 && reading_.lines.columns.contains(matrix);
    const ExprPtr row = column ? column_of(of, p.below, p.begin) : entry_of(of, p.below, p.begin);
    return p.has_above ? finish(p.begin, transpose(row)) : row;
}

/// The column at an index.
ExprPtr Parser::column_of(const ExprPtr& matrix, const Tokens& index, std::size_t begin) {
    Tokens script = index;
    script.insert(script.begin(), {symbol, ",", index[0].span, false});
    script.insert(script.begin(), {symbol, ":", index[0].span, false});
    return entry_of(matrix, script, begin);
}

/// Of a derivative by x_i, where the text has the matrix X and no x: row i.
ExprPtr Parser::row_by(const NameParts& p) {
    const bool plain = !p.has_above || is_transpose(reading_.source, p.above);
    const std::string matrix = capital_of(p.base);
    const bool index = !matrix.empty() && plain && !p.primed && p.below.size() == 1 && p.below[0].kind == letter &&
                       p.below[0].text.size() == 1 && p.below[0].text[0] >= 'a' && p.below[0].text[0] <= 'z';
    if (!index || reading_.names.defined(p.below[0].text)) return nullptr;
    bound_->emplace_back(p.below[0].text);
    const ExprPtr row = row_of(matrix, p);
    bound_->pop_back();
    return row;
}

/// What to say of a function that is not known.
std::string Parser::meaning_of_function(const std::string& base, const std::string& name) {
    const std::string meant = base.size() > 2 ? did_you_mean(base, builtin_names()) : "";
    return meant.empty() ? fmt::format(": for any smooth function, write  % gradproof: function {}", printable(name, 40)) : meant;
}

std::string Parser::shown(std::size_t begin, std::size_t end) const {
    std::size_t last = tokens_[begin].span.end;
    for (std::size_t i = begin; i < end; ++i) last = std::max(last, tokens_[i].span.end);
    return std::string(reading_.source.slice({tokens_[begin].span.begin, last}));
}

}  // namespace gradproof::proof::latex
