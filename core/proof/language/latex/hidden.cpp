// What a LaTeX file does not print.
#include "gradproof/core/proof/language/latex/hidden.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/macros.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Commands whose argument is a note to the author, or struck out.
bool hides_argument(const Token& t) {
    constexpr std::string_view kAll[] = {"\\todo", "\\sout", "\\st", "\\xout", "\\hcancel", "\\missingfigure", "\\phantom"};
    return t.kind == command && is_one(kAll, t.text);
}

class Hidden {
  public:
    explicit Hidden(const Source& source) : source_(source) { go_on_at(0); }

    std::vector<Span> find() {
        try {
            std::size_t behind = 0;
            for (Token t = lexer_->next(); t.kind != none; t = lexer_->next()) {
                see_gap({behind, t.span.begin}, t);
                see(t);
                behind = lexer_->at();
            }
        } catch (const ProofError&) {  // told where the file is read
        }
        return std::move(out_);
    }

  private:
    void see(const Token& t) {
        if (Macros::defines(t)) return macros_.define(*lexer_, t);
        if (t.is_command("\\excludecomment")) {
            if (const std::optional<Span> name = group()) comments_.emplace(source_.slice(*name));
        } else if (t.kind == begins && comments_.contains(t.text)) {
            const std::size_t begin = lexer_->at();
            const std::string end = "\\end{" + std::string(t.text) + "}";
            if (lexer_->skip_past(end)) out_.push_back({begin, lexer_->at() - end.size()});
        } else if (hides_argument(t)) {
            brackets();
            hide(group());
        } else if (t.kind == command) {
            const std::vector<Macros::Argument> arguments = macros_.arguments_of(t.text);
            if (std::ranges::all_of(arguments, &Macros::Argument::is_printed)) return;
            for (const Macros::Argument argument : arguments) {
                const std::optional<Span> given = argument.optional ? brackets() : group();
                if (!argument.is_printed) hide(given);
            }
        }
    }
    /// The lexer has passed over what stands between \iffalse and \fi.
    void see_gap(Span gap, const Token& behind) {
        const std::string_view text = source_.slice(gap);
        const bool condition = text.find("\\if") != std::string_view::npos || text.find("\\else") != std::string_view::npos;
        if (condition && behind.kind != note) out_.push_back(gap);
    }
    void go_on_at(std::size_t at) { lexer_.emplace(source_, Span{at, source_.text().size()}); }
    void hide(const std::optional<Span>& inside) {
        if (inside) out_.push_back(*inside);
    }
    std::optional<Span> group() {
        Lexer ahead = *lexer_;
        if (ahead.next().kind != opening) return std::nullopt;
        const std::size_t begin = ahead.at();
        std::size_t depth = 1;
        for (Token t = ahead.next(); t.kind != none; t = ahead.next()) {
            depth += t.kind == opening ? 1 : 0;
            if (t.kind != closing || --depth > 0) continue;
            go_on_at(ahead.at());
            return Span{begin, t.span.begin};
        }
        return std::nullopt;
    }
    std::optional<Span> brackets() {
        Lexer ahead = *lexer_;
        if (!ahead.next().is_symbol("[")) return std::nullopt;
        const std::size_t begin = ahead.at();
        for (Token t = ahead.next(); t.kind != none; t = ahead.next())
            if (t.is_symbol("]")) {
                go_on_at(ahead.at());
                return Span{begin, t.span.begin};
            }
        return std::nullopt;
    }

    const Source& source_;
    std::optional<Lexer> lexer_;
    Macros macros_;
    std::set<std::string, std::less<>> comments_{"comment"};
    std::vector<Span> out_;
};

}  // namespace

std::vector<Span> hidden_in(const Source& source) { return Hidden(source).find(); }

std::vector<Span> undecided_in(const Source& source) {
    std::vector<Span> out;
    const std::string_view all = source.text();
    constexpr std::string_view kNew = "\\newif";
    constexpr std::string_view kDecided[] = {"\\if", "\\iff", "\\iffalse", "\\iftrue"};
    for (std::size_t at = all.find("\\if"); at != all.npos; at = all.find("\\if", at + 1)) {
        std::size_t end = at + 1;
        while (end < all.size() && small_letter(all[end]) != '\0') ++end;
        const bool made = at >= kNew.size() && all.substr(at - kNew.size(), kNew.size()) == kNew;
        if (!made && !is_one(kDecided, all.substr(at, end - at))) out.push_back({at, end});
    }
    return out;
}

}  // namespace gradproof::proof::latex
