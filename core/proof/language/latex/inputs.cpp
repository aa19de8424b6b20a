// Files that a LaTeX file takes in.
#include "gradproof/core/proof/language/latex/inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/macros.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

class Composer {
  public:
    Composer(std::string file, const ReadBeside& read) : file_(std::move(file)), read_(read) {}

    /// `of` is empty for the first file.
    void add(const std::string& of, const std::string& text) {
        const Source source(of.empty() ? file_ : of, text);
        open_.push_back(of);
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        std::size_t from = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
        std::size_t end = text.size();
        for (const Input& input : inputs_in(source, end)) {
            const std::optional<std::string> beside = input.is_within() ? read_(input.name) : std::nullopt;
            if (!beside) continue;
            stretch(source, of, {from, input.span.begin});
            if (is_latex(input.name))
                take_in(source, input, *beside);
            else
                take_macros(input.name, *beside, text);
            from = input.span.end;
        }
        stretch(source, of, {from, end});
        open_.pop_back();
    }
    Text take() { return std::move(out_); }

  private:
    /// Until \endinput, which `end` is set to.
    static std::vector<Input> inputs_in(const Source& source, std::size_t& end) {
        std::vector<Input> out;
        Lexer lexer(source, {0, source.text().size()});
        for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
            if (t.is_command("\\endinput")) {
                end = t.span.begin;
                break;
            }
            if (skips_verbatim(lexer, t)) continue;
            if (t.is_command("\\usepackage") || t.is_command("\\RequirePackage"))
                for (Input& package : packages_at(source, t)) out.push_back(std::move(package));
            if (std::optional<Input> input = input_at(source, t)) {
                while (lexer.at() < input->span.end && lexer.next().kind != none) continue;
                out.push_back(std::move(*input));
            }
        }
        return out;
    }

    /// Of \usepackage{a,b} the files a.sty and b.sty, which may stand beside as many do not.
    static std::vector<Input> packages_at(const Source& source, const Token& command) {
        const std::string_view text = source.text();
        const std::size_t open = text.find('{', command.span.end), close = text.find('}', std::min(open, text.size()));
        std::vector<Input> out;
        if (close == std::string_view::npos || text.find('\n', command.span.end) < open) return out;
        for (std::size_t begin = open + 1; begin <= close;) {
            const std::size_t end = std::min(text.find(',', begin), close);
            const std::string name(trimmed(source.slice({begin, end})));
            if (!name.empty() && name.find_first_of("\\#") == std::string::npos)
                out.push_back({{close + 1, close + 1}, name + ".sty"});
            begin = end + 1;
        }
        return out;
    }

    /// What a package defines of the macros that the text uses, or that these use.
    void take_macros(const std::string& name, const std::string& package, const std::string& text) {
        struct Definition {
            std::string name;
            Span span;
        };
        const Source source(name, package);
        std::vector<Definition> left;
        try {
            Lexer lexer(source, {0, package.size()});
            for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
                if (!Macros::defines(t)) continue;
                Macros().define(lexer, t);
                const Span all{t.span.begin, lexer.at()};
                const std::size_t at = package.find('\\', t.span.end);
                if (at < all.end && identifier_length(package.substr(at + 1, 1)) > 0)
                    left.push_back({package.substr(at, 1 + identifier_length(package.substr(at + 1, 80))), all});
            }
        } catch (const ProofError&) {  // what stands above is known
        }
        const auto uses = [](std::string_view all, const std::string& macro) {
            for (std::size_t at = all.find(macro); at != all.npos; at = all.find(macro, at + 1))
                if (at + macro.size() == all.size() || identifier_length(all.substr(at + macro.size(), 1)) == 0) return true;
            return false;
        };
        std::vector<Span> taken;
        for (std::size_t before = left.size() + 1; left.size() < before;) {
            before = left.size();
            std::erase_if(left, [&](const Definition& one) {
                const bool used =
                    uses(text, one.name) || std::ranges::any_of(taken, [&](Span s) { return uses(source.slice(s), one.name); });
                if (used) taken.push_back(one.span);
                return used;
            });
        }
        std::ranges::sort(taken, {}, &Span::begin);
        for (const Span s : taken) {
            out_.whole += '\n';
            stretch(source, name, s);
        }
        out_.whole += '\n';
    }

    void take_in(const Source& source, const Input& input, const std::string& text) {
        const auto refuse = [&](const std::string& why) {
            throw ProofError(source, input.span.begin, fmt::format("{} {}", printable(input.name, 200), why));
        };
        if (std::ranges::find(open_, input.name) != open_.end()) refuse("takes in itself");
        if (open_.size() > kDeepestInputs) refuse(fmt::format("is nested deeper than {} (kDeepestInputs)", kDeepestInputs));
        if (out_.whole.size() + text.size() > kLongestFile)
            refuse(fmt::format("makes the whole longer than {} bytes (kLongestFile)", kLongestFile));
        add(input.name, text);
        if (!out_.whole.ends_with('\n')) out_.whole += '\n';
    }

    void stretch(const Source& source, const std::string& of, Span s) {
        if (s.begin >= s.end) return;
        const TextSpan at = source.span({s.begin, s.begin});
        out_.add(source.slice(s),
                 {.of = of, .line = at.line, .column = at.column, .offset = at.offset, .utf16 = at.utf16_offset});
    }

    std::string file_;
    const ReadBeside& read_;
    Text out_;
    std::vector<std::string> open_;
};

}  // namespace

bool Input::is_within() const {
    const std::filesystem::path path(name);
    return !path.is_absolute() && *path.begin() != "..";
}

std::optional<Input> input_at(const Source& source, const Token& command) {
    if (!command.is_command("\\input") && !command.is_command("\\include")) return std::nullopt;
    const std::string_view text = source.text();
    std::size_t begin = std::min(text.find_first_not_of(" \t", command.span.end), text.size());
    const bool braced = begin < text.size() && text[begin] == '{';
    begin += braced;
    const std::size_t end = std::min(text.find_first_of(braced ? "}\n" : " \t\r\n%\\{}", begin), text.size());
    const std::string name(trimmed(source.slice({begin, end})));
    if (name.empty() || name.find_first_of("\\#") != std::string::npos) return std::nullopt;  // made by a macro
    const bool extended = std::filesystem::path(name).has_extension() && command.is_command("\\input");
    Input out{{command.span.begin, std::min(end + braced, text.size())},
              std::filesystem::path(name + (extended ? "" : ".tex")).lexically_normal()};
    return is_latex(out.name) ? std::optional(std::move(out)) : std::nullopt;
}

Text with_inputs(const std::string& file, const std::string& text, const ReadBeside& read) {
    Composer composer(file, read);
    composer.add("", text);
    return composer.take();
}

}  // namespace gradproof::proof::latex
