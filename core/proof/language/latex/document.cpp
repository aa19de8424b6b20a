// Formulas in a LaTeX file.
#include "gradproof/core/proof/language/latex/document.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/latex/deltas.hpp"
#include "gradproof/core/proof/language/latex/listed.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/ordinary_derivatives.hpp"
#include "gradproof/core/proof/language/latex/primes.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/scripts.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The environment align* is that of align.
std::string_view unstarred(std::string_view name) { return name.substr(0, name.size() - name.ends_with('*')); }
/// \begin{tcolorbox}[ams equation]
bool is_box_of_a_formula(const Token& t, const Source& source) {
    const std::string_view rest = source.text().substr(t.span.end);
    const std::string_view options = rest.substr(0, rest.find(']'));
    return t.text == "tcolorbox" && options.starts_with('[') &&
           (options.find("ams ") != options.npos || options.find("math") != options.npos);
}
bool is_verbatim(std::string_view name) {
    constexpr std::string_view kAll[] = {"verbatim",     "lstlisting", "minted", "Verbatim", "comment",
                                         "filecontents", "algorithm",  "python", "code"};
    return is_one(kAll, unstarred(name));
}

/// \Delta with the letter behind it, which may be in a font: of \Delta \mathbf{W} all.
constexpr std::string_view kChange = "\\Delta";
std::size_t end_of_change(const Source& source, const Tokens& t, std::size_t at) {
    if (!t[at].is_command(kChange) || at + 1 >= t.size()) return at;
    const Token& next = t[at + 1];
    if (next.kind == letter || (next.kind == command && !letter_of(next.text).empty())) return at + 2;
    return next.kind == command && is_font(next.text) ? end_of_group(source, t, at + 2) : at;
}
/// Whether each \Delta of the text stands before a letter, and none is a name of its own.
bool has_changes_only(const Source& source) {
    bool any = false;
    const std::string_view text = source.text();
    for (std::size_t at = text.find(kChange); at != std::string_view::npos; at = text.find(kChange, at)) {
        at = text.find_first_not_of(' ', at + kChange.size());
        const bool letter =
            at != std::string_view::npos && (std::isalpha(static_cast<unsigned char>(text[at])) != 0 || text[at] == '\\');
        const std::string_view rest = letter ? text.substr(at) : "";
        constexpr std::string_view kOthers[] = {"\\in", "\\odot", "\\cdot", "\\times", "\\top", "\\right", "\\quad", "\\\\"};
        if (!letter || std::ranges::any_of(kOthers, [&](std::string_view o) { return rest.starts_with(o); })) return false;
        any = true;
    }
    return any;
}

bool is_bold(const Token& t) { return t.is_command("\\mathbf") || t.is_command("\\boldsymbol") || t.is_command("\\bm"); }

/// The letter of \mathbf{x} and \mathbf x at `at`, and where that ends; nothing of others.
struct Bold {
    std::string_view letter;
    std::size_t end = 0;
};
Bold bold_at(const Tokens& t, std::size_t at) {
    if (at + 1 >= t.size() || !is_bold(t[at])) return {};
    if (t[at + 1].kind == letter) return {t[at + 1].text, at + 2};
    const bool one = at + 3 < t.size() && t[at + 1].kind == opening && t[at + 2].kind == letter && t[at + 3].kind == closing;
    return one ? Bold{t[at + 2].text, at + 4} : Bold{};
}

/// Letters of which a text declares two names, $\mathbf{x} \in ...$ and $x \in ...$, or a name and a size.
std::set<std::string_view> letters_in_two_fonts(const Source& source) {
    std::set<std::string_view> bold, plain, out;
    const std::string_view text = source.text();
    constexpr std::string_view kIn = "\\in";
    for (std::size_t at = text.find(kIn); at != text.npos; at = text.find(kIn, at + 1)) {
        const std::size_t behind = at + kIn.size(), dollar = text.rfind('$', at);
        const bool longer = behind < text.size() && std::isalpha(static_cast<unsigned char>(text[behind])) != 0;
        constexpr std::size_t kLongest = 60;
        if (longer || dollar == text.npos || at - dollar > kLongest) continue;
        Lexer lexer(source, {dollar + 1, at});
        Tokens names;
        for (Token t = lexer.next(); t.kind != none; t = lexer.next()) names.push_back(t);
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (const Bold b = bold_at(names, i); b.end > 0)
                bold.insert(b.letter), i = b.end - 1;
            else if (names[i].kind == letter)
                plain.insert(names[i].text);
        }
        Lexer space(source, {behind, std::min({text.size(), text.find('$', behind), behind + kLongest})});
        bool above = false;  // the sizes of \mathbb{R}^{N \times M}
        for (Token t = space.next(); t.kind != none && t.kind != note; t = space.next()) {
            above = above || t.is_symbol("^");
            if (above && t.kind == letter) plain.insert(t.text);
        }
    }
    std::ranges::set_intersection(bold, plain, std::inserter(out, out.end()));
    return out;
}

}  // namespace

bool is_formula(std::string_view name) {
    constexpr std::string_view kAll[] = {"equation", "align",    "alignat",  "gather",      "multline",
                                         "flalign",  "eqnarray", "xalignat", "displaymath", "IEEEeqnarray",
                                         "dmath",    "empheq",   "numcases", "subnumcases"};
    return is_one(kAll, unstarred(name));
}

Document::Document(const Source& source, Span span, bool in_line, bool macros)
    : source_(source),
      changes_(has_changes_only(source)),
      primes_(primes_transpose(source)),
      deltas_(deltas_mark_gradients(source)),
      two_fonts_(letters_in_two_fonts(source)),
      layers_(source),
      likelihoods_(source),
      sets_(source),
      entries_called_(source),
      small_entries_(source),
      policies_(source),
      lexer_(source, span),
      in_line_(in_line) {
    if (macros && is_latex(source.file())) define_what_stands_before(span.begin);
}

/// The macros of the text before: a part of a file has its preamble.
void Document::define_what_stands_before(std::size_t end) {
    try {
        Lexer before(source_, {0, end});
        for (Token t = before.next(); t.kind != none; t = before.next())
            if (Macros::defines(t))
                macros_.define(before, t);
            else
                skips_verbatim(before, t);
    } catch (const ProofError&) {  // told where that text is read
    }
}

bool skips_verbatim(Lexer& lexer, const Token& t) {
    if (t.kind == begins && is_verbatim(t.text)) {
        if (!lexer.skip_past(fmt::format("\\end{{{}}}", t.text)))
            fail(lexer.source(), t, fmt::format("\\begin{{{0}}} is never ended: expected \\end{{{0}}}", t.text));
        return true;
    }
    if (t.is_command("\\verb")) {
        const Token mark = lexer.next();
        if (mark.kind != none) lexer.skip_past(mark.text);
        return true;
    }
    return false;
}

/// What is defined within braces or an environment ends with them. Braces behind a command are its argument, and no group.
void Document::group(const Token& t, const Token& before) {
    const bool argument =
        before.kind == command || before.kind == begins || before.is_symbol("]") || (before.kind == closing && closed_argument_);
    if (t.kind == opening) {
        arguments_.push_back(argument);
        if (!argument) macros_.open_group();
    } else if (t.kind == closing && !arguments_.empty()) {
        closed_argument_ = arguments_.back();
        if (!closed_argument_) macros_.close_group();
        arguments_.pop_back();
    }
    if (t.kind == begins || t.is_command("\\begingroup") || t.is_command("\\bgroup")) macros_.open_group();
    if (t.kind == ends || t.is_command("\\endgroup") || t.is_command("\\egroup")) macros_.close_group();
}

std::optional<Part> Document::next() {
    for (Token t = lexer_.next(); t.kind != none; t = lexer_.next()) {
        const Token before = std::exchange(last_, t);
        if (t.kind == note) return Part{t, {}, t.span};
        if (Macros::defines(t)) {
            macros_.define(lexer_, t);
            last_ = {};
        } else if (t.kind == ends && t.text == "document") {
            break;
        } else if (skips_verbatim(lexer_, t)) {
            continue;
        } else if (t.is_command("\\(") || (t.is_symbol("$") && !source_.text().substr(lexer_.at()).starts_with('$'))) {
            Part part = within_a_sentence(t);
            if (in_line_ && !passing_) return part;
        } else if (t.is_symbol("$") || t.is_command("\\[") ||
                   (t.kind == begins && (is_formula(t.text) || is_box_of_a_formula(t, source_)))) {
            if (t.kind == symbol) lexer_.next();
            if (t.text == "tcolorbox") lexer_.skip_past("]");
            Part part = formula(t, t.kind == symbol ? "$$" : t.kind == command ? "\\]" : t.text);
            if (!passing_) return part;
        } else if (std::optional<Part> part = formula_of_macro(t)) {
            if (!passing_) return part;
        } else if (std::optional<Input> input = passing_ ? std::nullopt : input_at(source_, t)) {
            if (left_out_.size() < kMostStatements) left_out_.push_back(std::move(*input));
        } else {
            group(t, before);
        }
    }
    return std::nullopt;
}

void Document::switched_by(const Token& note) {
    const std::string_view says = note.text.substr(std::min(note.text.find_first_not_of(" \t"), note.text.size()));
    const std::string_view word = says.substr(0, says.find_first_of(" \t;"));
    if (word == "off" || word == "on") pass_over(word == "off");
}

Tokens Document::expanded(const Tokens& tokens) const {
    Tokens open;
    for (const Token& t : tokens) {
        if (t.kind == opening) open.push_back(t);
        if (open.size() > kDeepestBrackets)
            fail(source_, t, fmt::format("brackets are nested deeper than {} (kDeepestBrackets)", kDeepestBrackets));
        if (t.kind != closing) continue;
        if (open.empty()) fail(source_, t, "this } closes nothing");
        open.pop_back();
    }
    if (!open.empty()) fail(source_, open.back(), "this { is never closed");
    Tokens out = with_scripts_in_order(source_, macros_.expand(source_, tokens));
    out = with_partial_signs(source_, out);
    if (primes_) out = with_transposes(out);
    if (deltas_) out = with_marked_gradients(out);
    if (!layers_.empty()) out = layers_.counted_below(out);
    out = with_lists_as_arrays(source_, out);
    if (!policies_.empty()) out = policies_.named(out);
    if (!entries_called_.empty()) out = entries_called_.with_indices_below(out);
    if (!small_entries_.empty()) out = small_entries_.with_capitals(out);
    if (!sets_.empty()) out = sets_.written_out(out);
    if (!two_fonts_.empty()) out = with_fonts(out);
    if (!likelihoods_.empty())
        out = likelihoods_.joined(source_, out, [&](const Tokens& t) { return macros_.expand(source_, t); });
    return changes_ ? with_changes(out) : out;
}

/// The \mathbf{x} of \mathbf{dx}, as it stands elsewhere, where x is another name; "" of others.
std::string_view Document::bold_of_differential(const Tokens& t, std::size_t at) const {
    if (at + 4 >= t.size() || !is_bold(t[at]) || t[at + 1].kind != opening || t[at + 4].kind != closing) return {};
    if (!t[at + 2].is(letter, "d") || t[at + 3].kind != letter || !two_fonts_.contains(t[at + 3].text)) return {};
    const std::string bold = fmt::format("{}{{{}}}", t[at].text, t[at + 3].text);
    const std::size_t found = source_.text().find(bold);
    return found == std::string_view::npos ? std::string_view{} : source_.text().substr(found, bold.size());
}
/// With \mathbf{x} as one token, where x is another name.
Tokens Document::with_fonts(const Tokens& tokens) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Bold b = bold_at(tokens, i);
        out.push_back(tokens[i]);
        if (const std::string_view bold = bold_of_differential(tokens, i); !bold.empty()) {
            out.back() = {letter, tokens[i + 2].text, {tokens[i].span.begin, tokens[i + 2].span.end}, tokens[i].blank};
            out.push_back({word, bold, {tokens[i + 3].span.begin, tokens[i + 4].span.end}, false});
            i += 4;
            continue;
        }
        if (b.end == 0 || !two_fonts_.contains(b.letter)) continue;
        Token& all = out.back();
        all.span.end = tokens[b.end - 1].span.end;
        if (all.span.begin >= all.span.end || !source_.slice(all.span).starts_with(all.text)) continue;  // a macro holds it
        all.text = source_.slice(all.span);
        all.kind = word;
        i = b.end - 1;
    }
    return out;
}

/// With \Delta W as one token.
Tokens Document::with_changes(const Tokens& tokens) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::size_t end = end_of_change(source_, tokens, i);
        out.push_back(tokens[i]);
        if (end == i) continue;
        Token& all = out.back();
        all.span.end = tokens[end - 1].span.end;
        if (all.span.begin >= all.span.end) continue;  // a macro holds it
        all.text = source_.slice(all.span);
        all.kind = word;
        i = end - 1;
    }
    return out;
}

/// What stands in the braces that come next.
Tokens Document::argument() {
    Tokens out;
    int depth = 0;
    for (Token t = lexer_.next(); t.kind != none; t = lexer_.next()) {
        depth += t.kind == opening ? 1 : t.kind == closing ? -1 : 0;
        if (depth <= 0 || out.size() > kMostTokens) break;
        out.push_back(t);
    }
    if (!out.empty()) out.erase(out.begin());
    return out;
}

/// \beq ... \eeq of \newcommand{\beq}{\begin{equation}}, and \eq{...} of one that holds all of it.
std::optional<Part> Document::formula_of_macro(const Token& t) {
    const auto edges = t.kind == command ? macros_.edges_of(t.text) : std::nullopt;
    const auto opens = [](const Token& one) { return one.is_command("\\[") || (one.kind == begins && is_formula(one.text)); };
    if (!edges || !opens(edges->first)) return std::nullopt;
    const bool whole = edges->last.is_command("\\]") || (edges->last.kind == ends && edges->last.text == edges->first.text);
    Part out;
    for (std::size_t i = 0; i < edges->parameters; ++i) {
        Tokens given = argument();
        if (whole && i + 1 == edges->parameters) out.tokens = std::move(given);
    }
    out.span = {t.span.begin, lexer_.at()};
    if (whole) return out;
    Token opener = edges->first;
    opener.span = t.span;
    return formula(opener, opener.kind == command ? "\\]" : opener.text);
}

bool Document::closes_by_macro(const Token& t, std::string_view closer) const {
    const auto edges = t.kind == command ? macros_.edges_of(t.text) : std::nullopt;
    return edges && ((edges->last.kind == ends && edges->last.text == closer) || edges->last.is_command(closer));
}

/// $...$ ends at the end of its paragraph at the latest, as in TeX.
Part Document::within_a_sentence(const Token& opener) {
    Part out;
    out.in_line = true;
    std::size_t last = opener.span.end;
    for (;;) {
        const Token t = lexer_.next();
        const std::string_view blanks = source_.text().substr(last, t.span.begin - last);
        const bool ends = t.kind == none || (opener.kind == symbol ? t.is_symbol("$") : t.is_command("\\)"));
        if (ends || std::count(blanks.begin(), blanks.end(), '\n') > 1) break;
        last = t.span.end;
        if (in_line_ && out.tokens.size() < kMostTokens) out.tokens.push_back(t);
    }
    out.span = {opener.span.begin, lexer_.at()};
    return out;
}

Part Document::formula(const Token& opener, std::string_view closer) {
    Part out;
    std::string_view within;
    const auto shown = opener.kind == begins ? fmt::format("\\begin{{{}}}", opener.text) : opener.kind == symbol ? "$$" : "\\[";
    const auto expected = opener.kind == begins ? fmt::format("\\end{{{}}}", closer) : std::string(closer);
    for (;;) {
        const Token t = lexer_.next();
        if (opener.kind != begins && out.tokens.empty() && within.empty() && t.kind == begins && is_formula(t.text)) {
            within = t.text;  // $$ \begin{align*} ... \end{align*} $$
            continue;
        }
        if (!within.empty() && t.kind == ends && t.text == within) continue;
        const bool nested = t.kind == begins && (is_formula(t.text) || t.text == "document");
        if (t.kind == none || nested || (t.kind == ends && t.text == "document"))
            fail(source_, opener, fmt::format("{} is never ended: expected {}", printable(shown, 60), printable(expected, 60)));
        const bool dollars = t.is_symbol("$") && closer == "$$" && source_.text().substr(lexer_.at()).starts_with('$');
        const bool closes = closes_by_macro(t, closer) ||
                            (opener.kind == begins ? t.kind == ends && t.text == closer : dollars || t.is_command(closer));
        if (closes) {
            if (dollars) lexer_.next();
            out.span = {opener.span.begin, lexer_.at()};
            return out;
        }
        out.tokens.push_back(t);
        if (out.tokens.size() > kMostTokens)
            fail(source_, opener, fmt::format("{} holds more than {} tokens (kMostTokens)", printable(shown, 60), kMostTokens));
    }
}

void each_formula(const Source& source, Span text, const std::function<void(const Part&, const Tokens&)>& f) {
    Document document(source, text, true);
    while (const std::optional<Part> part = document.next()) {
        if (part->note.kind == note) {
            document.switched_by(part->note);
            continue;
        }
        try {
            f(*part, document.expanded(part->tokens));
        } catch (const ProofError&) {
        }
    }
}

}  // namespace gradproof::proof::latex
