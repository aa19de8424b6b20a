// Quotients behind functions without brackets.
#include "gradproof/core/proof/language/latex/quotients.hpp"

#include <algorithm>
#include <string_view>

namespace gradproof::proof::latex {

bool may_be_of_quotient(const Source& source, const Expr& product, std::size_t i) {
    if (product.kind != Kind::product || i + 1 >= product.children.size() || product.joints[i + 1] != '/') return false;
    const Expr& f = *product.children[i];
    if (f.kind != Kind::call || f.children.size() != 1 || !f.options.empty()) return false;
    const Span next = product.children[i + 1]->span;
    if (f.span.end > next.begin || source.slice({f.span.end, next.begin}).find('/') == std::string_view::npos)
        return false;  // \frac
    const std::string_view text = source.slice(f.span);
    const std::size_t end = std::min(text.find_first_of(" ({[_^\\", 1), text.size());
    const std::size_t argument = std::min(text.find_first_not_of(' ', end), text.size());
    if (!text.starts_with('\\') || argument == text.size() || text.substr(argument).starts_with("\\left")) return false;
    return std::string_view("({[").find(text[argument]) == std::string_view::npos;
}

}  // namespace gradproof::proof::latex
