// Files that a LaTeX file takes in.
#include "gradproof/core/proof/language/latex/inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
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

/// \foo and \bar of a text, some of them more than once.
std::vector<std::string> commands_in(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1))
        if (const std::size_t size = identifier_length(text.substr(at + 1)); size > 0)
            out.emplace_back(text.substr(at, size + 1));
    return out;
}

/// What a package defines, by the macro; as far as it is read.
std::multimap<std::string, Span, std::less<>> definitions_in(const Source& source) {
    std::multimap<std::string, Span, std::less<>> out;
    try {
        Lexer lexer(source, {0, source.text().size()});
        for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
            if (!Macros::defines(t)) continue;
            Macros().define(lexer, t);
            const std::vector<std::string> names = commands_in(source.slice({t.span.end, lexer.at()}));
            if (!names.empty()) out.emplace(names[0], Span{t.span.begin, lexer.at()});
        }
    } catch (const ProofError&) {  // what stands above is known
    }
    return out;
}

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

    /// What a package defines of the macros that the text uses, or that these use; nothing of one that is no text.
    void take_macros(const std::string& name, const std::string& package, std::string_view text) {
        try {
            const Source source(name, package);
            std::multimap<std::string, Span, std::less<>> left = definitions_in(source);
            std::vector<std::string> used = commands_in(text);
            std::vector<Span> taken;
            while (!used.empty()) {
                const auto [first, last] = left.equal_range(used.back());
                used.pop_back();
                for (auto one = first; one != last; ++one) {
                    taken.push_back(one->second);
                    for (std::string& other : commands_in(source.slice(one->second))) used.push_back(std::move(other));
                }
                left.erase(first, last);
            }
            std::ranges::sort(taken, {}, &Span::begin);
            for (const Span s : taken) {
                out_.whole += '\n';
                stretch(source, name, s);
            }
            out_.whole += '\n';
        } catch (const ProofError&) {
        }
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
