// What sentences say of names that formulas define too: whether the formula is the definition, or a claim.
#include <algorithm>
#include <utility>

#include "gradproof/core/proof/language/latex/asides.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"

namespace gradproof::proof::latex {

/// Whether it calls a gradient by a name, \delta = \partial L / \partial z, above all that equations say of it: these are claims.
bool Prose::names_gradient_first(const Equation& e) const {
    const std::string key = parts_of(source_, *e.left, 0).full_key();
    return std::ranges::any_of(e.right, is_derivative_sign) && !noted_.contains(key) &&
           std::ranges::none_of(defined_, [&](const Defined& d) {
               return parts_of(source_, *d.left, 0).full_key() == key && d.left->front().span.begin < e.span.begin;
           });
}

/// z = W x + b of a z that the text has stated, where derivatives are taken by b and nothing else says what b is.
bool Prose::goes_on_from_input(const Equation& e) const {
    const NameParts p = parts_of(source_, *e.left, 0);
    const bool stated = !p.has_below && p.end == e.left->size() && stated_bases_.contains(p.base);
    const bool defined =
        std::ranges::any_of(defined_, [&](const Defined& d) { return parts_of(source_, *d.left, 0).base == p.base; });
    if (!stated || defined) return false;
    for (std::size_t i = 0; i < e.right.size(); ++i)
        if (const std::string base = parts_of(source_, e.right, i).base; !base.empty() && !bases_.contains(base))
            if (inversions_.is_differentiated_by(base)) return true;
    return false;
}

/// Whether it says what a name is above all formulas that do, and with other words: these are claims.
bool Prose::defines_first(const Equation& e) const {
    const std::string key = parts_of(source_, *e.left, 0).full_key();
    const bool parts =
        std::ranges::any_of(e.right, [](const Token& t) { return t.is_symbol(",") || is_dots(t); });  // z = (z_1, z_2)
    if (noted_.contains(key) || parts || std::ranges::any_of(e.right, is_derivative_sign)) return false;
    bool any = false;
    for (const Defined& d : defined_) {
        if (parts_of(source_, *d.left, 0).full_key() != key) continue;
        if (d.left->front().span.begin < e.span.begin || same_texts(d.right, e.right)) return false;
        any = true;
    }
    return any;
}

/// "where $H = \nabla^2 L$" behind \[ H = 3 I \]: that \nabla^2 L is this H.
void Prose::claim_what_names_gradients(const std::vector<Equation>& asides) {
    for (const Equation& e : asides) {
        if (!e.restates || !names_derivative(source_, e)) continue;
        const std::string key = parts_of(source_, *e.left, 0).full_key();
        const bool above = std::ranges::any_of(defined_, [&](const Defined& d) {
            return parts_of(source_, *d.left, 0).full_key() == key && d.left->front().span.begin < e.span.begin &&
                   std::ranges::none_of(d.right, is_derivative_sign);
        });
        if (!above) continue;
        Equation claim = e;
        claim.left = std::make_shared<const Tokens>(e.right);
        claim.right = *e.left;
        claims_.push_back(std::move(claim));
    }
}

}  // namespace gradproof::proof::latex
