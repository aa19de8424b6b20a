// Formulas of a text with the words around them.
#include "gradproof/core/proof/language/latex/mentions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/cited.hpp"
#include "gradproof/core/proof/language/latex/commands_known.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {

std::size_t behind_brackets(std::string_view text, std::size_t at, std::size_t end) {
    if (at >= end || (text[at] != '{' && text[at] != '[')) return at;
    int depth = 0;
    for (std::size_t i = at; i < end; ++i) {
        depth += text[i] == '{' || text[i] == '[' ? 1 : text[i] == '}' || text[i] == ']' ? -1 : 0;
        if (depth == 0) return i + 1;
    }
    return at;
}
namespace {

constexpr std::string_view kStop = ".";

/// A word of the text, a formula or a full stop.
struct WordAt {
    std::string text;
    std::size_t at;
};

bool is_heading(std::string_view command) {
    constexpr std::string_view kAll[] = {"part",          "chapter",   "section",     "subsection",
                                         "subsubsection", "paragraph", "subparagraph"};
    return is_one(kAll, command);
}
/// \item, \begin{lemma}: what stands behind is another sentence.
bool begins_a_sentence(std::string_view command) {
    constexpr std::string_view kAll[] = {"item", "begin", "end", "par"};
    return is_heading(command) || is_one(kAll, command);
}
/// \label{eq:mean}, \begin{itemize}: what stands in its braces is no word of the text.
bool has_no_words(std::string_view command) {
    constexpr std::string_view kAll[] = {"label",
                                         "ref",
                                         "eqref",
                                         "autoref",
                                         "cref",
                                         "Cref",
                                         "begin",
                                         "end",
                                         "usepackage",
                                         "documentclass",
                                         "newcommand",
                                         "renewcommand",
                                         "providecommand",
                                         "DeclareMathOperator",
                                         "DeclarePairedDelimiter",
                                         "NewDocumentCommand",
                                         "newtheorem",
                                         "input",
                                         "hspace",
                                         "vspace",
                                         "includegraphics",
                                         "include",
                                         "bibliography",
                                         "bibliographystyle",
                                         "pagestyle",
                                         "url"};
    return is_one(kAll, command);
}
/// Whether the braces of \section{, \section*{ begin right before it.
bool begins_heading(std::string_view text, std::size_t at) {
    if (at == 0 || text[at - 1] != '{') return false;
    std::size_t end = at - 1;
    if (end > 0 && text[end - 1] == '*') --end;
    const std::size_t slash = text.rfind('\\', end);
    return slash != std::string_view::npos && is_heading(text.substr(slash + 1, end - slash - 1));
}
/// Of \let\old\new and \def\x#1{...}, behind all of it.
std::size_t behind_definition(std::string_view text, std::size_t at, std::size_t end, bool lets) {
    for (int names = lets ? 2 : 1; names > 0 && at < end; --names) {
        while (at < end && (text[at] == ' ' || text[at] == '=')) ++at;
        if (at >= end || text[at] != '\\') return at;
        for (++at; at < end && (small_letter(text[at]) != '\0' || text[at] == '@');) ++at;
    }
    while (!lets && at < end && text[at] != '{' && text[at] != '\n') ++at;
    return lets ? at : behind_brackets(text, at, end);
}
/// Of \newcommand{\grad}[2]{...}, behind all of them.
std::size_t behind_arguments(std::string_view text, std::size_t at, std::size_t end) {
    for (std::size_t next = behind_brackets(text, at, end); next > at; next = behind_brackets(text, at, end)) at = next;
    return at;
}

/// The words of text[begin] to text[end - 1], without the names of commands, but for those that are not `known`: what they do to
/// what stands in them is not said. So it is with what is written outside of formulas, ∂L/∂x = x. `heading_ends`: where the
/// heading does that the text before began.
void add_words(std::string_view text, Span s, std::vector<WordAt>& out, std::size_t& heading_ends,
               const KnownCommands* known = nullptr) {
    const auto is_letter = [&](std::size_t i) { return i < s.end && small_letter(text[i]) != '\0'; };
    const auto is_end = [&](std::size_t i) { return i >= s.end || text[i] == ' ' || text[i] == '\n'; };
    for (std::size_t i = s.begin; i < s.end;) {
        const char c = text[i];
        std::size_t end = i + 1;
        if (i > 0 && i == heading_ends) out.push_back({std::string(kStop), i});
        const bool begins = i == s.begin || !is_letter(i - 1);
        if (const std::size_t size = begins ? citation_length(text.substr(i, s.end - i)) : 0; size > 0) {
            out.push_back({std::string(kCitation), i});
            end = i + size;
        } else if (c == '%' && (i == 0 || text[i - 1] != '\\')) {
            while (end < s.end && text[end] != '\n') ++end;
        } else if (c == '\\') {
            while (is_letter(end)) ++end;
            const std::string_view command = text.substr(i + 1, end - i - 1);
            if (begins_a_sentence(command)) out.push_back({std::string(kStop), i});
            if (known != nullptr && !known->command(command)) out.push_back({"\\" + std::string(command), i});
            if (end < s.end && text[end] == '*') ++end;
            const std::size_t braces_end = is_heading(command) ? behind_brackets(text, end, text.size()) : end;
            if (braces_end > end && text[braces_end - 1] == '}') heading_ends = braces_end;
            if (command == "begin" || command == "end") {
                const std::size_t braces = end;
                end = behind_brackets(text, end, s.end);
                const std::string_view name = text.substr(std::min(braces + 1, end), end > braces + 1 ? end - braces - 2 : 0);
                if (known != nullptr && command == "begin" && !known->environment(name))
                    out.push_back({"\\begin{" + std::string(name) + "}", i});
            } else if (command == "let" || command == "def" || command == "gdef") {
                end = behind_definition(text, end, s.end, command == "let");
            } else if (has_no_words(command)) {
                end = behind_arguments(text, end, s.end);
            }
        } else if (is_letter(i) || (c >= '0' && c <= '9')) {
            while (is_letter(end) || (end < s.end && text[end] >= '0' && text[end] <= '9')) ++end;
            std::string word(text.substr(i, end - i));
            for (char& one : word) one = small_letter(one) ? small_letter(one) : one;
            out.push_back({std::move(word), i});
        } else if (known != nullptr && c == '=' && text.substr(i, 2) != "==") {
            out.push_back({"=", i});
        } else if (i < heading_ends) {  // one sentence, with its full stops
        } else if (((c == '.' || c == ';' || c == '?' || c == '!') && is_end(i + 1)) ||
                   (c == '\n' && end < s.end && text[end] == '\n')) {
            out.push_back({std::string(kStop), i});
        }
        i = end;
    }
}

/// Whether a capital behind a displayed formula begins another sentence.
bool ends_before_a_capital(std::string_view text, const Part& part, std::size_t end) {
    if (part.in_line) return false;
    const std::size_t next = text.find_first_not_of(" \n\r\t~", part.span.end);
    return next < end && text[next] >= 'A' && text[next] <= 'Z';
}

/// All words of a text, and the formulas among them.
class Reel {
  public:
    Reel(const Source& source, Span text) : source_(source), text_(text), known_(source) {
        Document document(source, text, true);
        std::size_t behind = text.begin, heading_ends = 0;
        while (const std::optional<Part> part = document.next()) {
            add_words(source.text(), {behind, std::max(behind, part->span.begin)}, all_, heading_ends, &known_);
            behind = part->span.end;
            if (part->note.kind == Token::Kind::note) {
                document.switched_by(part->note);
                continue;
            }
            add(document, *part);
        }
        add_words(source.text(), {behind, std::max(behind, text.end)}, all_, heading_ends, &known_);
        find_sentences();
        for (std::size_t i = 0; i < mentions_.size(); ++i) surround(mentions_[i], places_[i]);
    }
    std::vector<Mention> take() { return std::move(mentions_); }
    std::vector<Sentence> take_sentences() {
        std::vector<Sentence> out;
        for (std::size_t i = 0, mention = 0; i < all_.size(); ++i) {
            if (all_[i].text == kStop) continue;
            if (out.empty() || begins_[i] == i)
                out.push_back({" ", {}, {all_[i].at, text_.end}, begins_heading(source_.text(), all_[i].at)});
            Sentence& s = out.back();
            s.words += all_[i].text + " ";
            if (ends_[i] < all_.size()) s.span.end = all_[ends_[i]].at;
            while (mention < places_.size() && places_[mention] < i) ++mention;
            if (mention < places_.size() && places_[mention] == i) s.formulas.push_back(mentions_[mention]);
        }
        return out;
    }

  private:
    /// Of more formulas than a file may have statements, sentences say nothing.
    void add(const Document& document, const Part& part) {
        if (mentions_.size() >= kMostStatements) return;
        all_.push_back({std::string(kFormula), part.span.begin});
        bool ends = ends_before_a_capital(source_.text(), part, text_.end);
        try {
            Mention m;
            m.formula = tidied(source_, document.expanded(part.tokens));
            m.span = part.span;
            m.displayed = !part.in_line;
            ends = ends || (!m.formula.empty() && m.formula.back().is_symbol("."));
            mentions_.push_back(std::move(m));
            places_.push_back(all_.size() - 1);
        } catch (const ProofError&) {  // told where equations are read
        }
        if (ends) all_.push_back({std::string(kStop), part.span.end});
    }
    /// Where the sentences begin and end in which the words stand; once for all, as a text may be one sentence.
    void find_sentences() {
        const auto is_stop = [&](std::size_t i) { return all_[i].text == kStop; };
        begins_.resize(all_.size());
        ends_.resize(all_.size());
        for (std::size_t i = 0; i < all_.size(); ++i) begins_[i] = i == 0 ? 0 : is_stop(i - 1) ? i : begins_[i - 1];
        for (std::size_t i = all_.size(); i-- > 0;) ends_[i] = is_stop(i) ? i : i + 1 < all_.size() ? ends_[i + 1] : i + 1;
    }
    void surround(Mention& m, std::size_t place) const {
        constexpr std::size_t kMostWords = 100;  // of a sentence before a formula
        const std::size_t begin = begins_[place], end = ends_[place];
        for (std::size_t i = std::max(begin, place - std::min(place, kMostWords)); i < place; ++i) m.led.push_back(all_[i].text);
        m.sentence = {all_[begin].at, end < all_.size() ? all_[end].at : text_.end};
        m.before = m.behind = " ";
        std::size_t last = place;
        while (last > 0 && all_[last - 1].text != kFormula) --last;
        for (; last < place; ++last) m.before += all_[last].text + " ";
        for (std::size_t i = place + 1; i < all_.size() && all_[i].text != kFormula; ++i) m.behind += all_[i].text + " ";
    }

    const Source& source_;
    Span text_;
    const KnownCommands known_;
    std::vector<WordAt> all_;
    std::vector<Mention> mentions_;
    std::vector<std::size_t> places_;         ///< of each in all_
    std::vector<std::size_t> begins_, ends_;  ///< of the sentence of each word
};

}  // namespace

std::vector<Mention> mentions_in(const Source& source, Span text) { return Reel(source, text).take(); }

std::vector<Sentence> sentences_in(const Source& source, Span text) { return Reel(source, text).take_sentences(); }

std::string plain_words(std::string_view text) {
    std::vector<WordAt> all;
    std::size_t heading_ends = 0;
    add_words(text, {0, text.size()}, all, heading_ends);
    std::string out = " ";
    for (const WordAt& w : all) out += w.text + " ";
    return out;
}

std::string without_formulas(std::string_view text) {
    std::string out;
    bool within = false;
    for (const char c : text) {
        if (c == '$' && !std::exchange(within, !within)) out += " formula ";
        if (c != '$' && !within) out += c;
    }
    return out;
}

bool has_any(const std::string& plain, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(any, [&](std::string_view one) { return plain.find(one) != std::string::npos; });
}

std::size_t times_in(const std::string& plain, const std::string& words) {
    std::size_t out = 0;
    for (std::size_t at = plain.find(words); at != plain.npos; at = plain.find(words, at + 1)) ++out;
    return out;
}

std::string last_sentence(const std::string& plain) {
    const std::size_t stop = plain.rfind(" . ");
    return stop == std::string::npos ? plain : plain.substr(stop + 2);
}

WordList words_of(const std::string& plain) {
    WordList out;
    for (std::size_t begin = 1, end; begin < plain.size(); begin = end + 1) {
        end = std::min(plain.find(' ', begin), plain.size());
        if (end > begin) out.push_back(plain.substr(begin, end - begin));
    }
    return out;
}

}  // namespace gradproof::proof::latex
