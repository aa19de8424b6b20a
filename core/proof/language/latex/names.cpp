// Names and functions of LaTeX.
#include "gradproof/core/proof/language/latex/names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/source.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof::latex {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr auto kLetters = std::to_array<Pair>(
    {{"\\alpha", "α"},  {"\\beta", "β"},    {"\\gamma", "γ"}, {"\\delta", "δ"},     {"\\epsilon", "ε"}, {"\\varepsilon", "ε"},
     {"\\zeta", "ζ"},   {"\\eta", "η"},     {"\\theta", "θ"}, {"\\vartheta", "θ"},  {"\\iota", "ι"},    {"\\kappa", "κ"},
     {"\\lambda", "λ"}, {"\\mu", "μ"},      {"\\nu", "ν"},    {"\\xi", "ξ"},        {"\\pi", "π"},      {"\\rho", "ρ"},
     {"\\varrho", "ρ"}, {"\\sigma", "σ"},   {"\\tau", "τ"},   {"\\upsilon", "υ"},   {"\\phi", "φ"},     {"\\varphi", "φ"},
     {"\\chi", "χ"},    {"\\psi", "ψ"},     {"\\omega", "ω"}, {"\\Gamma", "Γ"},     {"\\Delta", "Δ"},   {"\\Theta", "Θ"},
     {"\\Lambda", "Λ"}, {"\\Xi", "Ξ"},      {"\\Pi", "Π"},    {"\\Sigma", "Sigma"}, {"\\Phi", "Φ"},     {"\\Psi", "Ψ"},
     {"\\Omega", "Ω"},  {"\\Upsilon", "Υ"}, {"\\ell", "ℓ"},   {"\\varsigma", "ς"},  {"\\imath", "i"},   {"\\jmath", "j"}});

/// By their names in lower case without - and _; of two, the first is what is printed.
constexpr auto kFunctions = std::to_array<Pair>({{"ln", "log"},        {"tr", "trace"},        {"sgn", "sign"},
                                                 {"lse", "logsumexp"}, {"logit", ""},          {"sigm", "sigmoid"},
                                                 {"relu", "relu"},     {"softmax", "softmax"}, {"logsoftmax", "log_softmax"},
                                                 {"swish", "silu"},    {"heaviside", "step"},  {"concatenate", "concat"},
                                                 {"sg", "sg"},         {"stopgrad", "sg"},     {"stopgradient", "sg"},
                                                 {"detach", "sg"},     {"onehot", "onehot"},   {"clip", "clip"},
                                                 {"vec", "vec"},       {"inv", "inverse"}});
constexpr auto kCommands = std::to_array<std::string_view>({"exp", "log", "tanh", "sin", "cos", "max", "min"});
constexpr auto kAccents = std::to_array<Pair>({{"\\hat", "hat"},
                                               {"\\widehat", "hat"},
                                               {"\\tilde", "tilde"},
                                               {"\\bar", "bar"},
                                               {"\\widetilde", "tilde"},
                                               {"\\overline", "bar"},
                                               {"\\dot", "dot"},
                                               {"\\ddot", "ddot"},
                                               {"\\check", "check"},
                                               {"\\breve", "breve"},
                                               {"\\mathring", "ring"},
                                               {"\\underline", "under"}});
constexpr auto kFonts = std::to_array<std::string_view>(
    {"\\mathbf",   "\\mathrm",  "\\mathit", "\\mathsf",  "\\mathtt",       "\\mathnormal", "\\mathbb",
     "\\mathfrak", "\\mathbbm", "\\mathds", "\\mathcal", "\\mathscr",      "\\boldsymbol", "\\bm",
     "\\pmb",      "\\vec",     "\\symbf",  "\\symbfit", "\\operatorname", "\\ensuremath", "\\mathop"});
constexpr auto kText = std::to_array<std::string_view>(
    {"\\text", "\\textrm", "\\textnormal", "\\mbox", "\\textit", "\\textbf", "\\textsf", "\\texttt", "\\hbox", "\\textup"});

template <std::size_t N>
std::string_view second(const std::array<Pair, N>& pairs, std::string_view first) {
    for (const auto& [a, b] : pairs)
        if (a == first) return b;
    return {};
}

std::string bare(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c != '-' && c != '_' && c != '\\' && c != ' ') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

/// \alpha of α, X of X, \mathrm{model} of model.
std::string spelled_part(std::string_view part) {
    for (const auto& [command, letter] : kLetters)
        if (letter == part && part.size() > 1) return std::string(command);
    if (part == "ℒ") return "\\mathcal{L}";
    return character_length(part, 0) == part.size() ? std::string(part) : "\\mathrm{" + std::string(part) + "}";
}

}  // namespace

std::string_view letter_of(std::string_view command) { return second(kLetters, command); }
std::string_view accent_of(std::string_view command) { return second(kAccents, command); }
bool is_usual_loss(std::string_view name) {
    constexpr std::string_view kAll[] = {"L", "ℒ", "ℓ", "J", "E", "C", "Loss"};
    return is_one(kAll, name);
}
std::string_view capital_of(std::string_view base) {
    constexpr std::string_view kAll = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool small = base.size() == 1 && base[0] >= 'a' && base[0] <= 'z';
    return small ? kAll.substr(static_cast<std::size_t>(base[0] - 'a'), 1) : std::string_view();
}
bool is_font(std::string_view command) { return is_one(kFonts, command); }
bool is_text(std::string_view command) { return is_one(kText, command); }

std::string function_of(std::string_view name) {
    if (name == "LN" || name == "scale" || name == "Scale") return "";  // a layer, and a factor that is not said
    const std::string plain = bare(name);
    if (const std::string_view known = second(kFunctions, plain); !known.empty()) return std::string(known);
    for (const std::string& f : builtin_names())
        if (f == name || bare(f) == plain) return f;
    return "";
}

std::string function_spelled(std::string_view function) {
    if (is_one(kCommands, function)) return "\\" + std::string(function);
    if (function == "σ") return "\\sigma";
    std::string out;
    for (const char c : function) out += c == '_' ? "\\_" : std::string(1, c);
    return "\\operatorname{" + out + "}";
}

std::string spelled(std::string_view name) {
    if (name == "inf") return "\\infty";
    if (name == "pi") return "\\pi";
    if (name.starts_with("sg(")) return "\\operatorname{sg}" + std::string(name.substr(2));
    const std::size_t bar = std::min(name.find('_', 1), name.size());
    if (bar + 1 >= name.size()) return spelled_part(name);
    const std::string base = spelled_part(name.substr(0, bar));
    const std::string_view rest = name.substr(bar + 1);
    for (const auto& [command, accent] : kAccents)
        if (rest == accent) return std::string(command) + "{" + base + "}";
    const std::string below = rest.size() <= 2 ? std::string(rest) : spelled_part(rest);
    return base + (below.size() == 1 ? "_" + below : "_{" + below + "}");
}

}  // namespace gradproof::proof::latex
