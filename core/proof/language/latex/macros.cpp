// Macros of LaTeX.
#include "gradproof/core/proof/language/latex/macros.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// One group of the file without its braces, or one token. Errors: ProofError for a { that is never closed.
Tokens read_group(Lexer& lexer, const Token& first) {
    if (first.kind != opening) return first.kind == none ? Tokens{} : Tokens{first};
    Tokens out;
    for (std::size_t depth = 1;;) {
        const Token t = lexer.next();
        if (t.kind == none || out.size() > kMostTokens) fail(lexer.source(), first, "this { is never closed");
        if (t.kind == opening) ++depth;
        if (t.kind == closing && --depth == 0) return out;
        out.push_back(t);
    }
}
Tokens read_group(Lexer& lexer) { return read_group(lexer, lexer.next()); }

/// The tokens up to a ] that stands in no braces.
Tokens read_brackets(Lexer& lexer) {
    Tokens out;
    for (int depth = 0; out.size() <= kMostTokens;) {
        const Token t = lexer.next();
        if (t.kind == none || (t.is_symbol("]") && depth == 0)) break;
        depth += t.kind == opening ? 1 : t.kind == closing ? -1 : 0;
        out.push_back(t);
    }
    return out;
}

/// Whether LaTeX itself gives a command a value or function as its meaning, which \providecommand leaves as it is.
bool is_of_latex(std::string_view name) {
    constexpr std::string_view kAll[] = {"\\arccos", "\\arcsin",  "\\arctan", "\\arg",  "\\cos",   "\\cosh",  "\\cot",
                                         "\\coth",   "\\csc",     "\\det",    "\\exp",  "\\frac",  "\\gcd",   "\\inf",
                                         "\\lim",    "\\ln",      "\\log",    "\\max",  "\\min",   "\\nabla", "\\odot",
                                         "\\otimes", "\\partial", "\\prod",   "\\sec",  "\\sin",   "\\sinh",  "\\sqrt",
                                         "\\sum",    "\\sup",     "\\tan",    "\\tanh", "\\times", "\\top"};
    return std::find(std::begin(kAll), std::end(kAll), name) != std::end(kAll);
}

/// The command that is defined: \x or {\x}; "" for anything else.
std::string read_name(Lexer& lexer) {
    Token t = lexer.next();
    if (t.is_symbol("*")) t = lexer.next();
    const Tokens name = read_group(lexer, t);
    return name.size() == 1 && name[0].kind == command ? std::string(name[0].text) : "";
}

}  // namespace

bool Macros::defines(const Token& t) {
    constexpr std::string_view kAll[] = {"\\newcommand", "\\renewcommand",        "\\providecommand",         "\\def",   "\\gdef",
                                         "\\let",        "\\DeclareMathOperator", "\\DeclarePairedDelimiter", "\\global"};
    return t.kind == command && std::find(std::begin(kAll), std::end(kAll), t.text) != std::end(kAll);
}

void Macros::set(const std::string& name, Meaning meaning) {
    const auto now = macros_.find(name);
    if (global_)
        for (auto& group : groups_) group.erase(name);
    else if (!groups_.empty())
        groups_.back().emplace(name, now == macros_.end() ? Meaning() : Meaning(now->second));
    if (meaning)
        macros_.insert_or_assign(name, *std::move(meaning));
    else if (now != macros_.end())
        macros_.erase(now);
}

std::optional<Macros::Edges> Macros::edges_of(std::string_view name) const {
    const auto found = macros_.find(name);
    if (found == macros_.end() || found->second.body.empty()) return std::nullopt;
    return Edges{found->second.body.front(), found->second.body.back(), found->second.parameters};
}

std::vector<Macros::Argument> Macros::arguments_of(std::string_view name) const {
    const auto macro = macros_.find(name);
    if (macro == macros_.end() || macro->second.starred) return {};
    std::vector<Argument> out(macro->second.parameters);
    if (!out.empty()) out[0].optional = macro->second.has_default;
    const Tokens& body = macro->second.body;
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
        if (!body[i].is_symbol("#") || body[i + 1].kind != digits) continue;
        const auto which = static_cast<std::size_t>(body[i + 1].text[0] - '1');
        if (which < out.size()) out[which].is_printed = true;
    }
    return out;
}

void Macros::close_group() {
    if (groups_.empty()) return;
    const auto before = std::move(groups_.back());
    groups_.pop_back();
    for (const auto& [name, meaning] : before) {
        if (meaning)
            macros_.insert_or_assign(name, *meaning);
        else
            macros_.erase(name);
    }
}

void Macros::define(Lexer& lexer, const Token& t) {
    if (t.text == "\\global") {
        const Token what = lexer.next();
        if (!defines(what) || what.text == "\\global") return;
        global_ = true;
        define(lexer, what);
        global_ = false;
        return;
    }
    const bool global = std::exchange(global_, global_ || t.text == "\\gdef");
    define_as(lexer, t);
    global_ = global;
}

void Macros::define_as(Lexer& lexer, const Token& t) {
    if (t.text == "\\def" || t.text == "\\gdef") return define_plain(lexer);
    if (t.text == "\\let") return define_same(lexer);
    if (t.text == "\\DeclareMathOperator") return define_operator(lexer);
    if (t.text == "\\DeclarePairedDelimiter") return define_pair(lexer);
    define_new(lexer, t.text == "\\providecommand");
}

void Macros::define_new(Lexer& lexer, bool unless_defined) {
    const std::string name = read_name(lexer);
    Macro m;
    Token t = lexer.next();
    if (t.is_symbol("[")) {
        const Tokens count = read_brackets(lexer);
        if (count.size() == 1 && count[0].kind == digits && count[0].text.size() == 1)
            m.parameters = static_cast<std::size_t>(count[0].text[0] - '0');
        t = lexer.next();
    }
    if (t.is_symbol("[")) {
        m.has_default = true;
        m.fallback = read_brackets(lexer);
        t = lexer.next();
    }
    m.body = read_group(lexer, t);
    if (!name.empty() && !(unless_defined && (macros_.contains(name) || is_of_latex(name)))) set(name, std::move(m));
}

void Macros::define_plain(Lexer& lexer) {
    const Token name = lexer.next();
    Macro m;
    bool plain = name.kind == command;
    Token t = lexer.next();
    for (; t.kind != opening && t.kind != none; t = lexer.next()) {
        plain = plain && t.is_symbol("#");
        if (plain && (t = lexer.next()).kind == digits) ++m.parameters;
    }
    m.body = read_group(lexer, t);
    // Parameters with text between them are not understood.
    set(std::string(name.text), plain ? Meaning(std::move(m)) : Meaning());
}

void Macros::define_same(Lexer& lexer) {
    const Token name = lexer.next();
    Token as = lexer.next();
    if (as.is_symbol("=")) as = lexer.next();
    if (name.kind != command || as.kind == none) return;
    const auto same = macros_.find(as.text);
    set(std::string(name.text), same != macros_.end() ? Macro(same->second) : Macro{0, false, false, {}, {as}});
}

void Macros::define_operator(Lexer& lexer) {
    const std::string name = read_name(lexer);
    const Tokens text = read_group(lexer);
    Macro m;
    m.body = {{command, "\\operatorname", {}, false}, {opening, "{", {}, false}};
    m.body.insert(m.body.end(), text.begin(), text.end());
    m.body.push_back({closing, "}", {}, false});
    if (!name.empty()) set(name, std::move(m));
}

void Macros::define_pair(Lexer& lexer) {
    const std::string name = read_name(lexer);
    Macro m;
    m.parameters = 1;
    m.starred = true;
    m.body = read_group(lexer);
    m.body.push_back({symbol, "#", {}, false});
    m.body.push_back({digits, "1", {}, false});
    const Tokens right = read_group(lexer);
    m.body.insert(m.body.end(), right.begin(), right.end());
    if (!name.empty()) set(name, std::move(m));
}

/// The tokens still to be looked at, the next one last, each with the number of macros it came through.
struct Macros::Waiting {
    std::vector<std::pair<Token, int>> stack;
    std::size_t end_of_last = 0;
    bool next_is(std::string_view one) const { return !stack.empty() && stack.back().first.is_symbol(one); }
    std::optional<Token> pop() {
        if (stack.empty()) return std::nullopt;
        Token t = stack.back().first;
        stack.pop_back();
        end_of_last = std::max(end_of_last, t.span.end);
        return t;
    }
    std::optional<Tokens> group() {
        const std::optional<Token> first = pop();
        if (!first || first->kind == closing) return std::nullopt;
        if (first->kind != opening) return Tokens{*first};
        Tokens out;
        for (std::size_t depth = 1;;) {
            const std::optional<Token> t = pop();
            if (!t) return std::nullopt;
            if (t->kind == opening) ++depth;
            if (t->kind == closing && --depth == 0) return out;
            out.push_back(*t);
        }
    }
    Tokens brackets() {
        Tokens out;
        pop();
        for (std::optional<Token> t = pop(); t && !t->is_symbol("]"); t = pop()) out.push_back(*t);
        return out;
    }
};

std::vector<Tokens> Macros::arguments(const Source& source, const Macro& macro, const Token& use, Waiting& waiting) {
    std::vector<Tokens> out;
    if (macro.starred) {
        if (waiting.next_is("*")) waiting.pop();
        if (waiting.next_is("[")) waiting.brackets();
    }
    if (macro.has_default) out.push_back(waiting.next_is("[") ? waiting.brackets() : macro.fallback);
    while (out.size() < macro.parameters) {
        std::optional<Tokens> one = waiting.group();
        if (!one)
            fail(source, use,
                 fmt::format("{} takes {} argument{}, got {}", use.text, macro.parameters, macro.parameters == 1 ? "" : "s",
                             out.size()));
        out.push_back(std::move(*one));
    }
    return out;
}

Tokens Macros::expand(const Source& source, const Tokens& tokens) const {
    Tokens out;
    Waiting waiting;
    std::size_t made = 0;
    for (auto t = tokens.rbegin(); t != tokens.rend(); ++t) waiting.stack.emplace_back(*t, 0);
    while (!waiting.stack.empty()) {
        const int depth = waiting.stack.back().second;
        const Token use = *waiting.pop();
        const auto macro = use.kind == command ? macros_.find(use.text) : macros_.end();
        if (macro == macros_.end()) {
            out.push_back(use);
            continue;
        }
        if (depth >= kDeepestMacros)
            fail(source, use,
                 fmt::format("{} is defined by itself, or through more than {} macros (kDeepestMacros)", printable(use.text, 40),
                             kDeepestMacros));
        waiting.end_of_last = use.span.end;
        const std::vector<Tokens> given = arguments(source, macro->second, use, waiting);
        const Span span{use.span.begin, waiting.end_of_last};
        std::vector<std::pair<Token, int>> made_now;
        const Tokens& body = macro->second.body;
        for (std::size_t i = 0; i < body.size(); ++i) {
            const bool parameter = body[i].is_symbol("#") && i + 1 < body.size() && body[i + 1].kind == digits;
            if (!parameter) {
                made_now.push_back({{body[i].kind, body[i].text, span, body[i].blank}, depth + 1});
                continue;
            }
            const std::string_view text = body[++i].text;
            const auto which = static_cast<std::size_t>(text[0] - '1');
            if (which >= given.size()) continue;
            for (const Token& a : given[which]) made_now.emplace_back(a, depth + 1);
            if (text.size() > 1)  // #12 is the first argument, then a 2
                made_now.push_back({{Token::Kind::digits, text.substr(1), span, false}, depth + 1});
        }
        if ((made += made_now.size() + 1) > kMostTokens)
            fail(source, use, fmt::format("its macros make more than {} tokens (kMostTokens)", kMostTokens));
        waiting.stack.insert(waiting.stack.end(), made_now.rbegin(), made_now.rend());
    }
    return out;
}

}  // namespace gradproof::proof::latex
