// Probabilities with parameters.
#include "gradproof/core/proof/language/latex/policies.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::string_view kPolicies[] = {"Policy_1", "Policy_2", "Policy_3", "Policy_4", "Policy_5", "Policy_6"},
                           kScores[] = {"score_1", "score_2", "score_3", "score_4", "score_5", "score_6"};

struct CallAt {
    Tokens name, parameter;
    std::size_t end = 0;
};
/// \pi_\theta(y \mid x) at a place, of a \pi with something below and a condition in its brackets.
std::optional<CallAt> call_at(const Source& source, const Tokens& t, std::size_t i) {
    const NameParts p = parts_of(source, t, i);
    if (p.base != "π" || !p.has_below || p.has_above || p.primed || p.end >= t.size() || !t[p.end].is_symbol("("))
        return std::nullopt;
    CallAt out{part_of(t, i, p.end), {}, end_of_brackets(t, p.end)};
    if (out.end > t.size()) return std::nullopt;
    const Tokens inside = part_of(t, p.end + 1, out.end - 1);
    if (std::ranges::none_of(inside, [](const Token& one) { return one.is_command("\\mid") || one.is_symbol("|"); }))
        return std::nullopt;
    const NameParts below = parts_of(source, p.below, 0);
    constexpr std::string_view kParameters[] = {"θ", "φ", "ψ", "ω"};
    if (is_one(kParameters, below.base) && below.end == p.below.size()) out.parameter = p.below;
    return out;
}

std::string text_of_call(const Tokens& t) {
    std::string out;
    for (const Token& one : t)
        if (!one.is_command("\\,") && one.kind != opening && one.kind != closing)
            out += one.is_symbol("|") ? "\\mid" : std::string(one.text);
    return out;
}

Tokens plain_tokens(const Source& source) {
    Tokens out;
    Lexer lexer(source, {0, source.text().size()});
    for (Token t = lexer.next(); t.kind != none && out.size() < kMostTokens; t = lexer.next()) {
        constexpr std::string_view kLayout[] = {"\\,",    "\\;",    "\\!",    "\\left", "\\right",
                                                "\\bigl", "\\bigr", "\\Bigl", "\\Bigr", "&"};
        if (!is_one(kLayout, t.text)) out.push_back(t);
    }
    return out;
}

}  // namespace

Policies::Policies(const Source& source) : source_(source) {
    const std::string_view text = source.text();
    if (text.find("\\pi_") == text.npos || (text.find("\\mid") == text.npos && text.find('|') == text.npos)) return;
    if (text.find("\\nabla_\\theta^2") != text.npos || text.find("\\nabla^2") != text.npos) return;
    for (const std::string_view said : {"\\propto", "softmax policy", "Gaussian policy", "\\mathcal N", "\\mathcal{N}"})
        if (text.find(said) != text.npos) return;
    try {
        const Tokens all = plain_tokens(source);
        if (is_given(all)) return;
        find_functions(all);
        find(all);
    } catch (const ProofError&) {  // told where formulas are read
        calls_.clear();
    }
    if (std::ranges::none_of(calls_, [](const Call& c) { return !c.parameter.empty(); })) calls_.clear();
    if (calls_.size() > std::size(kPolicies)) calls_.clear();
}

/// Whether a formula says what a policy is.
bool Policies::is_given(const Tokens& all) const {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const auto call = call_at(source_, all, i); call && call->end < all.size() && is_equals(all[call->end])) return true;
    return false;
}

/// \hat r_\theta(x, y) = \beta \log \frac{\pi_\theta(y \mid x)}{...}, up to the end of its formula.
void Policies::find_functions(const Tokens& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const NameParts p = parts_of(source_, all, i);
        if (p.base.empty() || p.base == "π" || !p.has_below || p.end >= all.size() || !all[p.end].is_symbol("(")) continue;
        const std::size_t end = end_of_brackets(all, p.end);
        if (end >= all.size() || !is_equals(all[end])) continue;
        std::size_t last = end + 1;
        int depth = 0;
        for (; last < all.size(); ++last) {
            depth += bracket(all[last]);
            if (depth < 0 || all[last].is_symbol("$") || all[last].is_command("\\]") || all[last].kind == ends ||
                all[last].is_command("\\\\") || (depth == 0 && (is_equals(all[last]) || all[last].is_symbol(","))))
                break;
        }
        Function f{part_of(all, i, p.end), pieces_of(part_of(all, p.end + 1, end - 1), ","), part_of(all, end + 1, last)};
        bool any = false;
        for (std::size_t k = 0; k < f.body.size(); ++k) any = any || call_at(source_, f.body, k).has_value();
        const bool names = std::ranges::all_of(
            f.parameters, [&](const Tokens& t) { return !t.empty() && parts_of(source_, t, 0).end == t.size(); });
        if (any && names && functions_.size() < std::size(kPolicies)) functions_.push_back(std::move(f));
    }
}

/// With the bodies of these functions in the place of their calls; where one is defined it stays.
Tokens Policies::written_out(const Tokens& tokens) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(tokens[i]);
        const NameParts p = parts_of(source_, tokens, i);
        if (p.base.empty() || p.end >= tokens.size() || !tokens[p.end].is_symbol("(")) continue;
        const std::size_t end = end_of_brackets(tokens, p.end);
        const Tokens name = part_of(tokens, i, p.end);
        for (const Function& f : functions_) {
            const std::vector<Tokens> of = pieces_of(part_of(tokens, p.end + 1, end - 1), ",");
            const bool defines = end < tokens.size() && is_equals(tokens[end]);
            if (text_of_call(name) != text_of_call(f.name) || of.size() != f.parameters.size() || defines) continue;
            out.back() = {symbol, "(", tokens[i].span, tokens[i].blank};
            for (std::size_t k = 0; k < f.body.size(); ++k) {
                const auto parameter = std::ranges::find_if(f.parameters, [&](const Tokens& t) {
                    return t.size() <= f.body.size() - k && same_texts(t, part_of(f.body, k, k + t.size()));
                });
                const bool below = k > 0 && f.body[k - 1].is_symbol("_");
                if (parameter == f.parameters.end() || below) {
                    out.push_back(f.body[k]);
                    continue;
                }
                const Tokens& argument = of[static_cast<std::size_t>(parameter - f.parameters.begin())];
                out.insert(out.end(), argument.begin(), argument.end());
                k += parameter->size() - 1;
            }
            out.push_back({symbol, ")", tokens[i].span, false});
            i = end - 1;
            break;
        }
    }
    return out;
}

void Policies::find(const Tokens& all) {
    const Tokens text = written_out(all);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (const auto call = call_at(source_, text, i)) {
            const Tokens whole = part_of(text, i, call->end);
            const std::string key = text_of_call(whole);
            if (std::ranges::find(calls_, key, &Call::text) == calls_.end())
                calls_.push_back({key, joined(whole, 0, whole.size()), call->parameter, text[i].span});
        }
}

Tokens Policies::named(const Tokens& tokens) const {
    const Tokens text = written_out(tokens);
    Tokens out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out.push_back(text[i]);
        const auto call = call_at(source_, text, i);
        if (!call) continue;
        const auto found = std::ranges::find(calls_, text_of_call(part_of(text, i, call->end)), &Call::text);
        if (found == calls_.end()) continue;
        Token& name = out.back();
        name.kind = word;
        name.text = kPolicies[found - calls_.begin()];
        name.span.end = std::max(name.span.end, text[call->end - 1].span.end);
        i = call->end - 1;
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> Policies::spelled() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (std::size_t k = 0; k < calls_.size(); ++k) out.emplace_back(kPolicies[k], calls_[k].spelled);
    return out;
}

std::optional<std::size_t> axes_in_policies(std::string_view key) {
    return is_one(kPolicies, key) ? std::optional<std::size_t>(0)
           : is_one(kScores, key) ? std::optional<std::size_t>(1)
                                  : std::nullopt;
}

std::vector<Policies::Formula> Policies::formulas() const {
    std::vector<Formula> out;
    for (std::size_t k = 0; k < calls_.size(); ++k) {
        const Call& c = calls_[k];
        if (c.parameter.empty()) continue;
        Formula f{{word, kPolicies[k], c.span, false}, {}};
        const auto add = [&](Token::Kind kind, std::string_view what) { f.right.push_back({kind, what, c.span, false}); };
        add(command, "\\exp");
        add(symbol, "(");
        f.right.insert(f.right.end(), c.parameter.begin(), c.parameter.end());
        add(symbol, "^");
        add(command, "\\top");
        add(word, kScores[k]);
        add(symbol, ")");
        out.push_back(std::move(f));
    }
    return out;
}

}  // namespace gradproof::proof::latex
