// Text of proofs: UTF-8, logical lines, Markdown fences, positions.
#include "gradproof/core/proof/language/source.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/utf8.hpp"

namespace gradproof::proof {
namespace {

/// A statement that ends in one of these goes on in the next line.
constexpr std::array<std::string_view, 19> kContinues{"+", "-", "−", "*", "/", "@", "=", ",", "⊙", "·",
                                                      "⋅", "×", "∘", "√", "≈", "^", "~", "Σ", "∂"};

std::string_view line_at(std::string_view text, std::size_t begin) { return text.substr(begin, text.find('\n', begin) - begin); }

std::string_view trimmed(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r\n") + 1 - first);
}

/// The line without its comment; a # inside a quoted text begins none.
std::string_view without_comment(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == '#' && !quoted) return line.substr(0, i);
    }
    return line;
}

bool is_markdown(std::string_view file) { return file.ends_with(".md") || file.ends_with(".markdown"); }

}  // namespace

std::size_t character_length(std::string_view text, std::size_t at) { return utf8::read(text.substr(at)).bytes; }

Source::Source(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
    if (text_.size() > kLongestFile) {
        const std::string message = fmt::format("the file has {} bytes, at most {} are read", text_.size(), kLongestFile);
        text_.resize(0);
        throw ProofError(*this, 0, message);
    }
    if (text_.starts_with("\xEF\xBB\xBF")) {
        mark_ = 3;
        text_.replace(0, mark_, "   ");
    }
    std::size_t utf16 = mark_ > 0 ? 1 : 0;
    for (std::size_t i = mark_; i < text_.size();) {
        const std::size_t n = character_length(text_, i);
        if (n == 0) throw ProofError(*this, i, fmt::format("not UTF-8: byte 0x{:02x}", static_cast<unsigned char>(text_[i])));
        if (text_[i] == '\0') throw ProofError(*this, i, "a zero byte, expected text");
        i += n;
        utf16 += n == 4 ? 2 : 1;
        if (text_[i - 1] == '\n') lines_.push_back({i, utf16});
    }
}

std::size_t Source::line_of(std::size_t offset) const {
    return static_cast<std::size_t>(
        std::upper_bound(lines_.begin(), lines_.end(), offset, [](std::size_t at, const LineStart& l) { return at < l.byte; }) -
        lines_.begin());
}

std::size_t Source::utf16_of(std::size_t offset) const {
    const LineStart& line = lines_[line_of(offset) - 1];
    std::size_t out = line.utf16, i = line.byte;
    if (i < mark_ && offset >= mark_) i = mark_, out = 1;
    while (i < offset) {
        const std::size_t n = std::max<std::size_t>(1, character_length(text_, i));
        i += n;
        out += n == 4 ? 2 : 1;
    }
    return out;
}

Source::Place Source::place(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const std::size_t line = line_of(offset), begin = lines_[line - 1].byte;
    Place out{static_cast<int>(line), 1, std::string(line_at(text_, begin))};
    for (std::size_t i = std::max(begin, mark_); i < offset; i += std::max<std::size_t>(1, character_length(text_, i)))
        ++out.column;
    return out;
}

TextSpan Source::span(Span s) const {
    s.end = std::min(s.end, text_.size());
    s.begin = std::min(s.begin, s.end);
    if (const std::string_view inside = trimmed(slice(s)); !inside.empty())
        s = {static_cast<std::size_t>(inside.data() - text_.data()),
             static_cast<std::size_t>(inside.data() - text_.data()) + inside.size()};
    const Place at = place(s.begin);
    const std::size_t utf16 = utf16_of(s.begin);
    return {at.line, at.column, s.begin, s.end - s.begin, utf16, utf16_of(s.end) - utf16};
}

std::size_t Source::end_of_statement(std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> open;
    bool quoted = false;
    for (std::size_t i = begin; i < end;) {
        const std::string_view line = without_comment(line_at(text_, i));
        for (std::size_t c = i; c < i + line.size(); ++c) {
            const char at = text_[c];
            if (at == '"') quoted = !quoted;
            if (quoted) continue;
            if (at == '(' || at == '[' || at == '{') open.push_back(c);
            if (open.size() > static_cast<std::size_t>(kDeepestBrackets))
                throw ProofError(*this, c, fmt::format("brackets are nested deeper than {}", kDeepestBrackets));
            if ((at == ')' || at == ']' || at == '}') && !open.empty()) open.pop_back();
        }
        if (quoted) throw ProofError(*this, i, "a quoted text is never closed");
        const std::string_view body = trimmed(line);
        const bool goes_on =
            std::any_of(kContinues.begin(), kContinues.end(), [&](std::string_view op) { return body.ends_with(op); });
        const std::size_t next = std::min(text_.find('\n', i), end);
        if (open.empty() && !(goes_on && !body.empty())) return i + line.size();
        if (next >= end) break;
        i = next + 1;
    }
    if (!open.empty()) throw ProofError(*this, open.back(), "this bracket is never closed");
    return end;
}

Block Source::block(std::size_t begin, std::size_t end) const {
    Block out;
    out.line = place(begin).line;
    int line = out.line;
    for (std::size_t i = begin; i < end;) {
        const std::string_view body = trimmed(without_comment(line_at(text_, i)));
        std::size_t next = std::min(text_.find('\n', i), end);
        if (!body.empty()) {
            const auto first = static_cast<std::size_t>(body.data() - text_.data());
            const std::size_t last = std::min(end_of_statement(i, end), end);
            out.statements.push_back({{first, last}, line});
            next = std::min(text_.find('\n', last), end);
        }
        line += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(i),
                                            text_.begin() + static_cast<std::ptrdiff_t>(next), '\n')) +
                1;
        i = next + 1;
    }
    return out;
}

void Source::add_blocks(std::size_t begin, std::size_t end, std::vector<Block>& out) const {
    const Block all = block(begin, end);
    out.push_back({{}, all.line});
    bool titled = false;
    for (const Statement& s : all.statements) {
        const bool is_title = trimmed(slice(s.span).substr(0, slice(s.span).find('"'))) == "title";
        if (is_title && titled) out.push_back({{}, s.line});
        titled = titled || is_title;
        out.back().statements.push_back(s);
    }
}

std::vector<Block> Source::blocks() const {
    std::vector<Block> out;
    if (!is_markdown(file_)) {
        add_blocks(0, text_.size(), out);
        return out;
    }
    std::string fence;  // of the block we are in: "```" or longer, "" outside
    bool proof = false;
    std::size_t begin = 0, opened = 0;
    for (std::size_t i = 0; i < text_.size();) {
        const std::string_view line = line_at(text_, i), body = trimmed(line);
        const std::size_t ticks = std::min(body.find_first_not_of('`'), body.size());
        if (fence.empty() && ticks >= 3) {
            fence = std::string(ticks, '`');
            proof = trimmed(body.substr(ticks)) == "proof";
            begin = i + line.size() + 1;
            opened = i;
        } else if (!fence.empty() && ticks >= fence.size() && ticks == body.size()) {
            if (proof) add_blocks(std::min(begin, i), i, out);
            fence.clear();
        }
        i += line.size() + 1;
    }
    if (!fence.empty() && proof) throw ProofError(*this, opened, "this fenced block is never closed");
    return out;
}

namespace {

/// "file:3:7: text", the line and a caret; of a long line only the part around the caret.
std::string shown_at(const Source& source, const Source::Place& place, const std::string& message) {
    std::string shown, caret;
    int column = 0;
    constexpr int kBefore = 60, kWidth = 120;
    const int from = std::max(1, place.column - kBefore);
    for (std::size_t i = 0; i < place.text.size();) {
        const std::size_t n = std::max<std::size_t>(1, character_length(place.text, i));
        ++column;
        const unsigned char first = static_cast<unsigned char>(place.text[i]);
        const bool control = first < 0x20 || first == 0x7F || character_length(place.text, i) == 0;
        if (column >= from && column < from + kWidth)
            shown += control ? std::string(first == '\t' ? "\t" : "?") : place.text.substr(i, n);
        if (column >= from && column < place.column) caret += first == '\t' ? '\t' : ' ';
        i += n;
    }
    return fmt::format("{}:{}:{}: {}\n    {}\n    {}^", source.file(), place.line, place.column, message, shown, caret);
}

}  // namespace

ProofError::ProofError(const Source& source, std::size_t offset, const std::string& message)
    : std::invalid_argument(shown_at(source, source.place(offset), message)),
      message_(message),
      at_(source.span({offset, offset})) {}

}  // namespace gradproof::proof
