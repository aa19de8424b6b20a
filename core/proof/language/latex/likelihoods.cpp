// Logarithms that are names.
#include "gradproof/core/proof/language/latex/likelihoods.hpp"

#include <algorithm>
#include <optional>

#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_log(const Token& t) { return t.is_command("\\log") || t.is_command("\\ln"); }

struct LogAt {
    Tokens function, arguments;  ///< p_\theta, and what its brackets hold
    std::size_t behind_function = 0, end = 0;
};
/// Of \log p(x) at `at`; nothing where none stands there.
std::optional<LogAt> log_at(const Source& source, const Tokens& t, std::size_t at) {
    if (at + 1 >= t.size() || !is_log(t[at])) return std::nullopt;
    try {
        const NameParts p = parts_of(source, t, at + 1);
        if (p.base.size() != 1 || (p.has_above && is_transpose(source, p.above))) return std::nullopt;
        LogAt out{part_of(t, at + 1, p.end), {}, p.end, p.end};
        if (p.end < t.size() && t[p.end].is_symbol("(")) {
            out.end = end_of_brackets(t, p.end);
            out.arguments = part_of(t, p.end + 1, out.end - 1);
        }
        return out;
    } catch (const ProofError&) {
        return std::nullopt;
    }
}
bool begins_row(const Token& before) {
    return before.kind == none || before.kind == begins || before.is_symbol("$") || before.is_symbol("&") ||
           before.is_command("\\[") || before.is_command("\\\\");
}
bool same_but_for_layout(const Tokens& a, const Tokens& b) {
    const auto plain = [](Tokens t) {
        std::erase_if(t, [](const Token& one) { return one.is_command("\\,") || one.kind == opening || one.kind == closing; });
        return t;
    };
    return same_texts(plain(a), plain(b));
}

}  // namespace

Likelihoods::Likelihoods(const Source& source) {
    const std::string_view text = source.text();
    if (text.find("\\log") == text.npos && text.find("\\ln") == text.npos) return;
    Tokens all;
    Lexer lexer(source, {0, text.size()});
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) all.push_back(t);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_log(all[i]) || (i > 0 && !begins_row(all[i - 1]))) continue;
        const std::optional<LogAt> log = log_at(source, all, i);
        if (!log || log->arguments.empty()) continue;
        std::size_t next = log->end;
        while (next < all.size() && (all[next].is_symbol("&") || all[next].is_command("\\;"))) ++next;
        const bool known =
            std::ranges::any_of(all_, [&](const Likelihood& l) { return same_but_for_layout(l.function, log->function); });
        if (next >= all.size() || !is_equals(all[next]) || known) continue;
        all_.push_back(
            {log->function, log->arguments, source.slice({all[i].span.begin, all[log->behind_function - 1].span.end})});
    }
}

Tokens Likelihoods::joined(const Source& source, const Tokens& tokens,
                           const std::function<Tokens(const Tokens&)>& expanded) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(tokens[i]);
        const std::optional<LogAt> log = log_at(source, tokens, i);
        if (!log) continue;
        const auto found = std::ranges::find_if(all_, [&](const Likelihood& l) {
            return same_but_for_layout(expanded(l.function), log->function) &&
                   (log->arguments.empty() || same_but_for_layout(expanded(l.arguments), log->arguments));
        });
        if (found == all_.end()) continue;
        Token& one = out.back();
        one.kind = word;
        one.text = found->text;
        one.span.end = std::max(one.span.end, tokens[log->end - 1].span.end);
        i = log->end - 1;
    }
    return out;
}

}  // namespace gradproof::proof::latex
