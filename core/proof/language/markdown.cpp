// Markdown's containers, and the code in them.
#include "gradproof/core/proof/language/markdown.hpp"

#include <algorithm>
#include <cctype>

namespace gradproof::proof {
namespace {

constexpr int kCodeIndent = 4, kTab = 4;
constexpr std::size_t kMostContainers = 32;  // what is nested deeper is text

/// What is left of a line; columns count tabs as blanks up to the next multiple of four.
struct Line {
    std::size_t at = 0, end = 0;
    int column = 0, spare = 0;  ///< spare: columns of a tab that was used in part
};
struct Container {
    bool quote = false;
    int width = 0;  ///< by which the text of a list item is indented
};
struct Fence {
    char mark = '\0';
    std::size_t length = 0;
};

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<CodeBlock> scan() {
        for (std::size_t at = 0; at < text_.size(); at = line_.end + 1) {
            std::size_t end = std::min(text_.find('\n', at), text_.size());
            begin_ = at;
            line_ = {at, end};
            read();
        }
        close(text_.size(), false);
        return std::move(out_);
    }

  private:
    void read() {
        std::vector<std::size_t> marks;
        const std::size_t matched = match(marks);
        if (matched < open_.size() && !(paragraph_ && goes_on())) {
            close(begin_, false);
            open_.resize(matched);
            paragraph_ = false;
        }
        if (in_code_) {
            CodeBlock& code = out_.back();
            const Fence f = fence();
            if (code.fenced && f.mark == fence_.mark && f.length >= fence_.length && blank(after(f))) return close(begin_, true);
            if (!code.fenced && !blank(line_) && indent() < kCodeIndent)
                close(begin_, true);
            else
                return void(code.quote_marks.insert(code.quote_marks.end(), marks.begin(), marks.end()));
        }
        while (open_.size() < kMostContainers && open_container(marks)) paragraph_ = false;
        leaf(marks);
    }

    /// How many of the open containers go on in this line.
    std::size_t match(std::vector<std::size_t>& marks) {
        std::size_t n = 0;
        for (; n < open_.size(); ++n) {
            if (open_[n].quote && !quote_mark(marks)) break;
            if (open_[n].quote || blank(line_)) continue;
            if (indent() < open_[n].width) break;
            skip(open_[n].width);
        }
        return n;
    }

    /// Whether the line is text, which a paragraph takes in wherever it stands.
    bool goes_on() const {
        return !blank(line_) && fence().length == 0 &&
               (indent() >= kCodeIndent || (first() != '>' && first() != '#' && !rule() && item_width() == 0));
    }

    bool open_container(std::vector<std::size_t>& marks) {
        if (quote_mark(marks)) {
            open_.push_back({true, 0});
            return true;
        }
        const int width = item_width();
        if (width == 0) return false;
        skip(width);
        open_.push_back({false, width});
        return true;
    }

    void leaf(const std::vector<std::size_t>& marks) {
        const Fence f = fence();
        // Deep in a paragraph, what looks like a fence is text; it is told as code, so that someone can say so.
        const bool code = !blank(line_) && indent() >= kCodeIndent && (!paragraph_ || run(first_at()).length > 0);
        if (f.length > 0 || code) {
            in_code_ = true;
            fence_ = f;
            if (code)
                out_.push_back({false, false, {}, before_, first_at(), begin_, begin_, marks});
            else
                out_.push_back({true, false, rest(after(f)), before_, first_at(), std::min(line_.end + 1, text_.size()), 0, {}});
        }
        paragraph_ = !in_code_ && !blank(line_) && first() != '#';
        if (!in_code_ && !blank(line_)) before_ = rest(first_at());
    }

    void close(std::size_t end, bool closed) {
        if (!in_code_) return;
        out_.back().end = std::max(end, out_.back().begin);
        out_.back().closed = closed || !out_.back().fenced;
        in_code_ = paragraph_ = false;
    }

    bool quote_mark(std::vector<std::size_t>& marks) {
        if (blank(line_) || indent() >= kCodeIndent || first() != '>') return false;
        marks.push_back(first_at());
        skip(indent() + 1);
        if (indent() > 0) skip(1);
        return true;
    }

    /// Of the marker that opens a list item, with the blanks around it; 0 where there is none.
    int item_width() const {
        if (blank(line_) || indent() >= kCodeIndent || rule()) return 0;
        std::size_t at = first_at(), digits = 0;
        while (digits < 10 && at + digits < line_.end && std::isdigit(static_cast<unsigned char>(text_[at + digits])) != 0)
            ++digits;
        const bool number = digits > 0;
        if (digits > 9 || (number && paragraph_ && text_.substr(at, digits) != "1")) return 0;
        at += digits;
        if (at >= line_.end || std::string_view(number ? ".)" : "-+*").find(text_[at]) == std::string_view::npos) return 0;
        Line behind = line_;
        const int marker = indent() + static_cast<int>(digits) + 1;
        skip(behind, marker);
        const bool empty = blank(behind);
        const int blanks = indent(behind);
        if ((empty && paragraph_) || (!empty && blanks == 0)) return 0;
        return marker + (empty || blanks > kCodeIndent ? 1 : blanks);
    }

    /// Whether the line is a rule: three or more of -, * or _ and nothing else.
    bool rule() const {
        const std::string_view line = rest(first_at());
        const auto marks = std::count(line.begin(), line.end(), line.empty() ? '-' : line[0]);
        return marks >= 3 && line.find_first_of("-*_") == 0 &&
               marks + std::count(line.begin(), line.end(), ' ') + std::count(line.begin(), line.end(), '\t') ==
                   static_cast<std::ptrdiff_t>(line.size());
    }

    /// The line's fence, of length 0 where it has none.
    Fence fence() const {
        if (blank(line_) || indent() >= kCodeIndent) return {};
        const Fence f = run(first_at());
        return f.mark == '`' && rest(after(f)).find('`') != std::string_view::npos ? Fence{} : f;
    }
    Fence run(std::size_t at) const {
        Fence f{text_[at], 0};
        if (f.mark != '`' && f.mark != '~') return {};
        while (at + f.length < line_.end && text_[at + f.length] == f.mark) ++f.length;
        return f.length < 3 ? Fence{} : f;
    }
    std::size_t after(const Fence& f) const { return first_at() + f.length; }

    bool is_blank(std::size_t at) const { return text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\r'; }
    bool blank(std::size_t at) const {
        while (at < line_.end && is_blank(at)) ++at;
        return at >= line_.end;
    }
    bool blank(const Line& line) const { return blank(line.at); }
    std::size_t first_at() const {
        std::size_t at = line_.at;
        while (at < line_.end && is_blank(at)) ++at;
        return at;
    }
    char first() const { return blank(line_) ? '\n' : text_[first_at()]; }
    std::string_view rest(std::size_t at) const {
        std::size_t end = line_.end;
        while (at < end && is_blank(at)) ++at;
        while (end > at && is_blank(end - 1)) --end;
        return text_.substr(at, end - at);
    }

    /// In columns.
    int indent(const Line& line) const {
        int n = line.spare, column = line.column + line.spare;
        for (std::size_t at = line.at; at < line.end && (text_[at] == ' ' || text_[at] == '\t'); ++at) {
            const int wide = text_[at] == '\t' ? kTab - column % kTab : 1;
            n += wide;
            column += wide;
        }
        return n;
    }
    int indent() const { return indent(line_); }
    void skip(Line& line, int columns) const {
        while (columns-- > 0 && (line.spare > 0 || line.at < line.end)) {
            if (line.spare == 0) line.spare = text_[line.at++] == '\t' ? kTab - line.column % kTab : 1;
            --line.spare;
            ++line.column;
        }
    }
    void skip(int columns) { skip(line_, columns); }

    std::string_view text_;
    std::vector<CodeBlock> out_;
    std::vector<Container> open_;
    Line line_;
    std::size_t begin_ = 0;  ///< of the line
    bool in_code_ = false, paragraph_ = false;
    Fence fence_;
    std::string_view before_;
};

}  // namespace

std::vector<CodeBlock> code_blocks(std::string_view text) { return Scanner(text).scan(); }

}  // namespace gradproof::proof
