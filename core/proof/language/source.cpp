// Text of proofs: UTF-8, logical lines, Markdown fences, positions.
#include "gradproof/core/proof/language/source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/fences.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/markdown.hpp"
#include "gradproof/core/proof/language/notebook.hpp"
#include "gradproof/core/utf8.hpp"

namespace gradproof::proof {
namespace {

/// A statement that ends in one of these goes on in the next line.
constexpr std::array<std::string_view, 19> kContinues{"+", "-", "−", "*", "/", "@", "=", ",", "⊙", "·",
                                                      "⋅", "×", "∘", "√", "≈", "^", "~", "Σ", "∂"};

/// The line without its comment; a # inside a quoted text begins none.
std::string_view without_comment(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == '#' && !quoted) return line.substr(0, i);
    }
    return line;
}

Language language_of_file(std::string_view file) {
    if (is_latex(file)) return Language::latex;
    return lower(file).ends_with(".py") ? Language::numpy : Language::notation;
}

}  // namespace

bool is_markdown(std::string_view file) {
    const std::string name = lower(file);
    return name.ends_with(".md") || name.ends_with(".markdown");
}
bool is_notebook(std::string_view file) { return lower(file).ends_with(".ipynb"); }

std::optional<Language> language_of_fence(std::string_view info) {
    switch (named_by(info)) {
        case Named::proof: return Language::notation;
        case Named::latex: return Language::latex;
        case Named::numpy: return Language::numpy;
        case Named::other:
        case Named::nearly: break;
    }
    return std::nullopt;
}

bool is_latex(std::string_view file) {
    const std::string name = lower(file);
    return name.ends_with(".tex") || name.ends_with(".latex");
}

namespace {

/// A line that no bracket above it holds.
bool begins_section(std::string_view line) {
    constexpr std::array<std::string_view, 7> kWords{"dims", "input", "const", "forward", "loss", "claim", "expect"};
    const auto [word, behind] = first_word(line);
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end() && !behind.starts_with('=');
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t at) { return utf8::read(text.substr(at)).bytes; }

Source::Source(std::string file, Text text)
    : file_(std::move(file)), text_(std::move(text.whole)), origins_(std::move(text.origins)) {
    const auto refuse = [&](const std::string& why) {
        text_.resize(0);
        throw ProofError(*this, 0, why);
    };
    const auto hold_to = [&](std::size_t most, const char* name) {
        if (text_.size() > most) refuse(fmt::format("the file has {} bytes, at most {} are read ({})", text_.size(), most, name));
    };
    if (is_notebook(file_)) {
        hold_to(kLongestNotebook, "kLongestNotebook");
        try {
            text = notebook_text(text_);
        } catch (const std::invalid_argument& e) {
            refuse(e.what());
        }
        text_ = std::move(text.whole);
        origins_ = std::move(text.origins);
    }
    hold_to(kLongestFile, "kLongestFile");
    if (text_.starts_with("\xEF\xBB\xBF")) {
        mark_ = 3;
        text_.replace(0, mark_, "   ");
    }
    constexpr std::size_t kApart = 4096;
    Point at{mark_, mark_ > 0 ? std::size_t{1} : 0, 0};
    if (mark_ > 0) points_.push_back(at);
    while (at.byte < text_.size()) {
        const std::size_t n = character_length(text_, at.byte);
        if (n == 0)
            throw ProofError(*this, at.byte, fmt::format("not UTF-8: byte 0x{:02x}", static_cast<unsigned char>(text_[at.byte])));
        if (text_[at.byte] == '\0') throw ProofError(*this, at.byte, "a zero byte, expected text");
        if (text_[at.byte] == '\n') lines_.push_back(at.byte + 1);
        at = {at.byte + n, at.utf16 + (n == 4 ? 2 : 1), at.characters + 1};
        if (at.byte >= points_.back().byte + kApart) points_.push_back(at);
    }
    if (is_markdown(file_)) find_fences(text_, 0);
    if (is_notebook(file_)) find_cells();
    for (const std::size_t mark : quote_marks_) text_[mark] = ' ';
}

void Source::find_cells() {
    for (std::size_t i = 0; i < origins_.size(); ++i) {
        const std::size_t begin = origins_[i].begin, end = i + 1 < origins_.size() ? origins_[i + 1].begin : text_.size();
        const std::string_view cell = std::string_view(text_).substr(begin, end - begin);
        if (!origins_[i].code)
            find_fences(cell, begin);
        else if (cell.find("# gradproof:") != std::string_view::npos)
            fenced_.push_back({{begin, end}, Language::numpy});
        else
            unmarked_.push_back({begin, end});
    }
}

void Source::find_fences(std::string_view text, std::size_t begin) {
    const auto unread = [&](std::size_t at, const std::string& why) {
        throw ProofError(*this, at, "it looks like a proof and is not read: " + why);
    };
    std::optional<CodeBlock> gradients;  // of LaTeX, in a fence that is not marked
    for (CodeBlock code : code_blocks(text)) {
        for (std::size_t* at : {&code.opened, &code.begin, &code.end}) *at += begin;
        for (std::size_t& mark : code.quote_marks) mark += begin;
        if (const auto language = code.fenced ? language_of_fence(code.info) : std::nullopt) {
            if (!code.closed) throw ProofError(*this, code.opened, "this fenced block is never closed");
            fenced_.push_back({{code.begin, code.end}, *language});
            quote_marks_.insert(quote_marks_.end(), code.quote_marks.begin(), code.quote_marks.end());
            continue;
        }
        if (code.fenced && named_by(code.info) == Named::nearly)
            unread(code.opened, fmt::format("the fence says {}, expected ```proof", printable(code.info, 40)));
        if (code.fenced && is_annotated_program(code.info, slice({code.begin, code.end})))
            unread(code.opened, fmt::format("it has a comment that declares, and its fence says {0}; write ```{0} proof",
                                            printable(code.info, 40)));
        if (is_python(code.info) || code.info.empty()) unmarked_.push_back({code.begin, code.end});
        if (!gradients && code.fenced && claims_gradients(code.info, slice({code.begin, code.end}))) gradients = code;
        if (code.closed && code.fenced && !code.info.empty()) continue;
        const Looks looks = looks_of(slice({code.begin, code.end}));
        if (!(code.fenced && code.closed) && looks.fence != std::string_view::npos)
            unread(code.begin + looks.fence, code.fenced
                                                 ? fmt::format("the fence opened in line {} is never closed", line(code.opened))
                                                 : "its fence is indented by four columns or more");
        const bool announced = !code.fenced && looks.first && lower(code.before).find("proof") != std::string::npos;
        if (code.info.empty() && (announced || (looks.forward && looks.claim)))
            unread(code.opened, code.fenced ? "its fence has no name; write ```proof, or ```text" : "fence it as ```proof");
    }
    const bool marked = std::ranges::any_of(fenced_, [](const Fenced& f) { return f.language == Language::latex; });
    if (gradients && marked)
        unread(gradients->opened, fmt::format("its fence says {}, and another one latex proof", printable(gradients->info, 40)));
}

std::size_t Source::line_of(std::size_t offset) const {
    return static_cast<std::size_t>(std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin());
}

Source::Point Source::point(std::size_t offset) const {
    const auto behind =
        std::upper_bound(points_.begin(), points_.end(), offset, [](std::size_t at, const Point& p) { return at < p.byte; });
    Point out = *std::prev(behind);
    if (out.byte < mark_) return out;
    while (out.byte < offset) {
        const std::size_t n = std::max<std::size_t>(1, character_length(text_, out.byte));
        out = {out.byte + n, out.utf16 + (n == 4 ? 2 : 1), out.characters + 1};
    }
    return out;
}

Text::Origin Source::stretch(std::size_t offset) const {
    const auto behind = std::upper_bound(origins_.begin(), origins_.end(), offset,
                                         [](std::size_t at, const Text::Origin& o) { return at < o.begin; });
    return behind == origins_.begin() ? Text::Origin{} : *std::prev(behind);
}

std::string Source::one_line(Span s) const {
    std::string out;
    for (const char c : trimmed(slice(s))) {
        const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!blank || out.back() != ' ') out += blank ? ' ' : c;
    }
    return out;
}
int Source::line(std::size_t offset) const {
    const Text::Origin from = stretch(offset);
    return from.line + static_cast<int>(line_of(offset) - line_of(from.begin));
}

Text::Origin Source::at(std::size_t offset) const {
    Text::Origin out = stretch(offset);
    const std::size_t line_begins = lines_[line_of(offset) - 1];
    const Point from = point(out.begin), here = point(offset);
    const bool first = line_begins <= out.begin;
    out.column = (first ? out.column : 1) + static_cast<int>(here.characters - (first ? from : point(line_begins)).characters);
    out.line = line(offset);
    out.offset += offset - out.begin;
    out.utf16 += here.utf16 - from.utf16;
    return out;
}

Source::Place Source::place(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const std::size_t begin = lines_[line_of(offset) - 1];
    const Text::Origin from = at(offset);
    Place out{from.line, from.column, std::string(line_at(text_, begin)),
              1 + static_cast<int>(point(offset).characters - point(begin).characters), from.of};
    for (auto mark = std::lower_bound(quote_marks_.begin(), quote_marks_.end(), begin);
         mark != quote_marks_.end() && *mark < begin + out.text.size(); ++mark)
        out.text[*mark - begin] = '>';
    return out;
}

TextSpan Source::span(Span s) const {
    s.end = std::min(s.end, text_.size());
    s.begin = std::min(s.begin, s.end);
    if (const std::string_view inside = trimmed(slice(s)); !inside.empty())
        s = {static_cast<std::size_t>(inside.data() - text_.data()),
             static_cast<std::size_t>(inside.data() - text_.data()) + inside.size()};
    const Text::Origin from = at(s.begin);
    const std::size_t utf16 = point(s.end).utf16 - point(s.begin).utf16;
    return {from.line, from.column, from.offset, s.end - s.begin, from.utf16, utf16, from.of};
}

std::string Source::program(const std::set<std::size_t>& lines) const {
    std::vector<Span> code;
    for (std::size_t i = 0; i < origins_.size(); ++i)
        if (origins_[i].code) code.push_back({origins_[i].begin, i + 1 < origins_.size() ? origins_[i + 1].begin : text_.size()});
    for (const Fenced& f : fenced_) {
        const auto first = lines.lower_bound(f.lines.begin);
        if (is_markdown(file_) && first != lines.end() && *first < f.lines.end) code.push_back(f.lines);
    }
    if (code.empty()) return text_;
    std::string out = text_;
    for (char& c : out) c = c == '\n' ? '\n' : ' ';
    for (const Span& s : code) out.replace(s.begin, s.end - s.begin, slice(s));
    return out;
}

Source Source::without(const std::vector<Span>& hidden) const {
    Source out = *this;
    for (const Span s : hidden)
        for (std::size_t i = s.begin; i < s.end; ++i)
            if (out.text_[i] != '\n') out.text_[i] = ' ';
    return out;
}

/// Whether the next line that is not empty begins with =.
bool Source::chain_goes_on(std::size_t line_end, std::size_t end) const {
    for (std::size_t i = line_end + 1; i < end; i = std::min(text_.find('\n', i), end) + 1) {
        const std::string_view body = trimmed(without_comment(line_at(text_, i)));
        if (!body.empty()) return body.starts_with("=") && !body.starts_with("==");
    }
    return false;
}

/// From the beginning of s on.
std::size_t Source::end_of_statement(Statement& s, std::size_t end) const {
    const std::size_t begin = s.span.begin;
    std::vector<std::size_t> open;
    bool quoted = false;
    std::size_t length = 0;
    for (std::size_t i = begin; i < end;) {
        const std::string_view line = without_comment(line_at(text_, i));
        if (!open.empty() && !quoted && begins_section(trimmed(line))) break;
        if ((length += trimmed(line).size()) > kLongestStatement)
            throw ProofError(
                *this, begin,
                fmt::format("the statement has {} bytes or more, at most {} (kLongestStatement)", length, kLongestStatement));
        for (std::size_t c = i; c < i + line.size(); ++c) {
            const char at = text_[c];
            if (at == '"') quoted = !quoted;
            if (quoted) continue;
            if (at == '(' || at == '[' || at == '{') open.push_back(c);
            if (open.size() > static_cast<std::size_t>(kDeepestBrackets))
                throw ProofError(*this, c,
                                 fmt::format("brackets are nested deeper than {} (kDeepestBrackets)", kDeepestBrackets));
            if ((at == ')' || at == ']' || at == '}') && !open.empty()) open.pop_back();
        }
        if (quoted) throw ProofError(*this, i, "a quoted text is never closed");
        const std::string_view body = trimmed(line);
        const bool goes_on =
            std::any_of(kContinues.begin(), kContinues.end(), [&](std::string_view op) { return body.ends_with(op); });
        const std::size_t next = std::min(text_.find('\n', i), end);
        if (open.empty() && !(goes_on && !body.empty()) && !chain_goes_on(next, end)) return i + line.size();
        if (next >= end) break;
        i = next + 1;
    }
    if (open.empty()) return end;
    s.unclosed = open.back();
    return std::min(text_.find('\n', open.front()), end);
}

ProofBlock Source::block(std::size_t begin, std::size_t end) const {
    constexpr std::size_t kMostUnclosed = 100;  // the rest of the block is looked through for each
    std::size_t unclosed = 0;
    ProofBlock out;
    out.span = {begin, end};
    for (std::size_t i = begin; i < end;) {
        const std::string_view body = trimmed(without_comment(line_at(text_, i)));
        std::size_t next = std::min(text_.find('\n', i), end);
        if (!body.empty()) {
            const auto first = static_cast<std::size_t>(body.data() - text_.data());
            Statement s{{first, first}, line(first)};
            const std::size_t last = s.span.end = std::min(end_of_statement(s, end), end);
            if (s.unclosed != Statement::kClosed && ++unclosed > kMostUnclosed)
                throw ProofError(*this, s.unclosed, "this bracket is never closed");
            out.statements.push_back(s);
            if (out.statements.size() > kMostStatements) break;
            next = std::min(text_.find('\n', last), end);
        }
        i = next + 1;
    }
    return out;
}

void Source::add_blocks(std::size_t begin, std::size_t end, std::vector<ProofBlock>& out) const {
    const ProofBlock all = block(begin, end);
    out.push_back({.span = all.span});
    bool titled = false;
    for (const Statement& s : all.statements) {
        const bool is_title = trimmed(slice(s.span).substr(0, slice(s.span).find('"'))) == "title";
        if (is_title && titled) out.push_back({.span = {s.span.begin, end}});
        titled = titled || is_title;
        out.back().statements.push_back(s);
    }
}

std::vector<ProofBlock> Source::blocks() const {
    std::vector<ProofBlock> out;
    const auto add = [&](Span lines, Language language) {
        if (language == Language::notation)
            add_blocks(lines.begin, lines.end, out);
        else
            out.push_back({{}, language, lines});
    };
    if (!is_markdown(file_) && !is_notebook(file_)) add({0, text_.size()}, language_of_file(file_));
    for (const Fenced& f : fenced_) add(f.lines, f.language);
    std::size_t statements = 0;
    for (const ProofBlock& b : out) {
        statements += b.statements.size();
        if (statements > kMostStatements)
            throw ProofError(
                *this, b.statements.back().span.begin,
                fmt::format("{} statements or more, at most {} in a file (kMostStatements)", statements, kMostStatements));
    }
    return out;
}

namespace {

/// "file:3:7: text", the line and a caret; of a long line only the part around the caret.
std::string shown_at(const Source& source, const Source::Place& place, const std::string& message) {
    std::string shown, caret;
    int column = 0;
    constexpr int kBefore = 60, kWidth = 120;
    const int from = std::max(1, place.shown - kBefore);
    for (std::size_t i = 0; i < place.text.size();) {
        const std::size_t n = std::max<std::size_t>(1, character_length(place.text, i));
        ++column;
        const unsigned char first = static_cast<unsigned char>(place.text[i]);
        const std::string_view character = std::string_view(place.text).substr(i, n);
        if (column >= from && column < from + kWidth)
            shown += first == '\t' || printable(character) == character ? character : "?";
        if (column >= from && column < place.shown) caret += first == '\t' ? '\t' : ' ';
        i += n;
    }
    return fmt::format("{}:{}: {}\n    {}\n    {}^", printable(source.file(), 400),
                       place_text(place.in, place.line, place.column), message, shown, caret);
}

}  // namespace

std::string place_text(const std::string& in, int line, int column) {
    return fmt::format("{}{}{}:{}", in, in.empty() ? "" : ":", line, column);
}

ProofError::ProofError(const Source& source, std::size_t offset, const std::string& message)
    : std::invalid_argument(shown_at(source, source.place(offset), printable(message, 1000))),
      message_(printable(message, 1000)),
      at_(source.span({offset, offset})),
      offset_(offset) {}

}  // namespace gradproof::proof
