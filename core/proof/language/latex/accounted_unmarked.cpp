// Words that say what a formula would have to show, where none does: a product, a temperature, a function, a path.
#include <algorithm>

#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {

/// Whether one of the signs stands anywhere in the text.
bool Accounted::shows_any(std::initializer_list<std::string_view> signs) const {
    return std::ranges::any_of(signs, [&](std::string_view sign) { return source_.text().find(sign) != std::string_view::npos; });
}

/// "Consider $Y = A B$, elementwise", "the Kronecker product".
std::string Accounted::product_unmarked(const std::string& words) const {
    const bool entrywise = shows_any({"\\odot", "\\circ", "\\ast", "\\star", "*"});
    if (has_any(words, {" hadamard ", " schur product ", " elementwise product ", " elementwise products ", " entrywise product ",
                        " entrywise products ", " pointwise product ", " pointwise products ", " elementwise multiplication "}) &&
        !entrywise)
        return "a product that no formula marks";
    const bool of_function =
        !functions_.empty() ||
        shows_any({"\\sigma",        "\\phi",  "\\varphi", "\\psi", "\\rho", "\\tanh", "\\exp", "\\log", "\\max", "\\sqrt",
                   "\\operatorname", "\\frac", "^2",       "^{2}",  "^{-1}", "f(",     "g(",    "h(",    "|",     "/"});
    if (has_any(words, {" elementwise ", " entrywise ", " componentwise ", " pointwise ", " element wise ", " entry wise "}) &&
        !entrywise && !of_function)
        return "elementwise, of which no formula shows what";
    if (has_any(words, {" kronecker "}) && !shows_any({"\\otimes", "\\delta"})) return "a product that no formula marks";
    const bool transposes = shows_any({"\\otimes", "^\\top", "^T", "^{T}", "^{\\top}", "\\intercal", "\\mathsf"});
    return has_any(words, {" outer product "}) && !transposes ? "a product that no formula marks" : "";
}

/// "softmax with temperature $\tau$" above formulas without \tau.
std::string Accounted::number_unmarked(const Sentence& s) const {
    const auto is_used = [&](const Mention& m) {
        const std::string symbol = as_run({m.formula.begin(), m.formula.begin() + (m.formula.empty() ? 0 : 1)});
        return std::ranges::any_of(formulas_, [&](const std::string& f) { return f.find(symbol) != std::string::npos; });
    };
    std::size_t formula = 0;
    for (std::size_t at = s.words.find(' '); at != std::string::npos; at = s.words.find(' ', at + 1)) {
        const std::string_view rest = std::string_view(s.words).substr(at);
        if (rest.starts_with(" # ")) ++formula;
        if (!rest.starts_with(" temperature ")) continue;
        const bool named = rest.starts_with(" temperature # ") && formula < s.formulas.size();
        if (named ? !is_used(s.formulas[formula]) : !shows_any({"\\tau", "/T", "{T}", "\\beta"}))
            return "a temperature that no formula has";
    }
    return "";
}

std::string Accounted::unmarked(const Sentence& s) const {
    if (std::string product = product_unmarked(s.words); !product.empty()) return product;
    if (std::string number = number_unmarked(s); !number.empty()) return number;
    if (has_any(s.words, {" nonlinearity ", " with activation ", " and activation "}) && functions_.empty() &&
        !shows_any({"\\sigma", "\\phi", "\\varphi", "\\psi", "\\rho", "f(", "g(", "h(", "_+", "\\max"}))
        return "a function that no formula has";
    const bool claims = std::ranges::any_of(s.formulas, [&](const Mention& m) { return is_judged(m.span, 0); });
    if (claims && has_any(s.words, {" explicit partial ", " immediate partial ", " explicit derivative ",
                                    " immediate derivative ", " path through ", " contribution ", " first path ", " second path ",
                                    " direct path ", " first term is ", " first term gives ", " derivative of the first term "}))
        return "which part of a derivative it is";
    return "";
}

}  // namespace gradproof::proof::latex
