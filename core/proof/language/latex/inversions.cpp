// Definitions turned round.
#include "gradproof/core/proof/language/latex/inversions.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/asides.hpp"
#include "gradproof/core/proof/language/latex/dependence.hpp"
#include "gradproof/core/proof/language/latex/derived.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_square(const Tokens& script) { return script.size() == 1 && script[0].text == "2"; }

/// What a definition is of, and how it is turned: of \log \sigma^2 the name \sigma.
struct Inner {
    enum class How { exponential, half_exponential, inverse, one_over, root_of_one_over } how{};
    Tokens name;
};

/// The name that is all of these tokens, but for brackets around it and a square.
std::optional<std::pair<Tokens, bool>> name_or_square(const Source& source, Tokens t) {
    if (t.size() > 2 && t.front().is_symbol("(") && end_of_brackets(t, 0) == t.size()) t = part_of(t, 1, t.size() - 1);
    const NameParts p = t.empty() ? NameParts{} : parts_of(source, t, 0);
    if (p.base.empty() || p.end != t.size() || p.primed || p.base == "1" || p.base == "0") return std::nullopt;
    if (!p.has_above) return std::pair{t, false};
    if (!is_square(p.above)) return std::nullopt;
    Tokens name = part_of(t, 0, p.base_end);
    for (std::size_t i = p.base_end; i + 1 < t.size(); i = end_of_group(source, t, i + 1))
        if (t[i].is_symbol("_")) {
            const Tokens below = part_of(t, i, end_of_group(source, t, i + 1));
            name.insert(name.end(), below.begin(), below.end());
        }
    return std::pair{name, true};
}

std::optional<Inner> inner_of(const Source& source, const Tokens& right) {
    using How = Inner::How;
    if (right.size() < 2) return std::nullopt;
    if (right[0].is_command("\\log") || right[0].is_command("\\ln")) {
        const auto of = name_or_square(source, part_of(right, 1, right.size()));
        return of ? std::optional(Inner{of->second ? How::half_exponential : How::exponential, of->first}) : std::nullopt;
    }
    const auto one_over = [&](const Tokens& below) -> std::optional<Inner> {
        const auto of = name_or_square(source, below);
        return of ? std::optional(Inner{of->second ? How::root_of_one_over : How::one_over, of->first}) : std::nullopt;
    };
    if (right[0].is(digits, "1") && right[1].is_symbol("/")) return one_over(part_of(right, 2, right.size()));
    if (right[0].is_command("\\frac") || right[0].is_command("\\tfrac")) {
        const std::size_t middle = end_of_group(source, right, 1);
        const Tokens above = inside_group(source, right, 1);
        const bool whole = middle < right.size() && end_of_group(source, right, middle) == right.size();
        return whole && above.size() == 1 && above[0].is(digits, "1") ? one_over(inside_group(source, right, middle))
                                                                      : std::nullopt;
    }
    const NameParts p = parts_of(source, right, 0);
    const bool inverse = p.end == right.size() && p.above.size() == 2 && p.above[0].is_symbol("-") && p.above[1].text == "1";
    if (!inverse) return std::nullopt;
    Tokens name = part_of(right, 0, p.base_end);
    if (p.has_below) {
        name.push_back({symbol, "_", right[0].span, false});
        name.push_back({opening, "{", right[0].span, false});
        name.insert(name.end(), p.below.begin(), p.below.end());
        name.push_back({closing, "}", right[0].span, false});
    }
    return Inner{How::inverse, name};
}

}  // namespace

Inversions::Inversions(const Source& source, Span text) : source_(source) {
    std::vector<Equation> all;
    std::vector<Tokens> formulas;
    each_formula(source, text, [&](const Part& part, const Tokens& tokens) {
        const Tokens plain = tidied(source, tokens);
        formulas.push_back(plain);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            const NameParts p = parts_of(source, plain, i);
            if (!p.base.empty() && !is_square(p.above)) plain_.insert(p.base);
        }
        if (part.in_line) return;
        for (Equation& e : equations_of(source, {{}, tokens, part.span})) all.push_back(std::move(e));
    });
    for (Equation& e : equations_within_sentences(source, text)) all.push_back(std::move(e));
    Derived derived = derived_in(source, all);
    by_ = std::move(derived.by);
    for (const Equation& e : all) see(e);
    find_unnamed_loss(derived.of, formulas);
    parametric_ = said_of_parameters(source, text, all);
    for (const Policies::Formula& f : Policies(source).formulas()) {
        Equation e;
        e.left = std::make_shared<const Tokens>(Tokens{f.name});
        e.right = f.right;
        e.span = f.name.span;
        parametric_.push_back(std::move(e));
    }
    for (const Equation& e : all) {
        const std::optional<Equation> other = turned(e);
        const NameParts of = other ? parts_of(source, *other->left, 0) : NameParts{};
        if (of.base == "Sigma") precisions_.insert(parts_of(source, *e.left, 0).base);
    }
}

void Inversions::see(const Equation& e) {
    if (e.note.kind == note || !e.left || e.left->empty() || e.chained) return;
    try {
        const NameParts p = parts_of(source_, *e.left, 0);
        if (!p.base.empty() && p.end == e.left->size()) ++lefts_[p.base + (is_square(p.above) ? "^2" : "")];
    } catch (const ProofError&) {  // told where it is read
    }
}

void Inversions::find_unnamed_loss(const std::set<std::string>& of, const std::vector<Tokens>& formulas) {
    if (std::ranges::any_of(of, [](const std::string& base) { return is_usual_loss(base) || base == "L" || base == "ℒ"; }))
        return;
    std::set<std::string> left = of;
    std::erase_if(left, [&](const std::string& base) { return lefts_.contains(base) || by_.contains(base) || base.size() == 0; });
    for (const Tokens& t : formulas)
        for (std::size_t i = 0; i < t.size() && !left.empty(); ++i) {
            const NameParts p = parts_of(source_, t, i);
            if (!left.contains(p.base)) continue;
            const bool alone = i == 0 && p.end == t.size(), called = p.end < t.size() && t[p.end].is_symbol("(");
            const bool differentiated = i > 0 && is_derivative_sign(t[i - 1]);
            const bool behind_nabla = i > 1 && (t[i - 2].is_symbol("_") || t[i - 1].kind == closing);
            const bool assigned = called && end_of_brackets(t, p.end) < t.size() && is_equals(t[end_of_brackets(t, p.end)]);
            if (!(alone || (called && i == 0) || differentiated || behind_nabla) || assigned || p.has_below) left.erase(p.base);
        }
    if (left.size() == 1) unnamed_loss_ = *left.begin();
}

/// \sigma = e^{s/2} of s = \log \sigma^2, where a derivative is taken by s and nothing else says what \sigma is.
std::optional<Equation> Inversions::turned(const Equation& e) const {
    if (e.note.kind == note || !e.left || e.left->empty() || e.chained || !e.range.empty()) return std::nullopt;
    try {
        const NameParts left = parts_of(source_, *e.left, 0);
        if (left.base.empty() || left.end != e.left->size() || left.has_above || !by_.contains(left.base)) return std::nullopt;
        const std::optional<Inner> inner = inner_of(source_, e.right);
        if (!inner) return std::nullopt;
        const NameParts of = parts_of(source_, inner->name, 0);
        const auto said = [&](const std::string& key) { return lefts_.contains(key) ? lefts_.at(key) : 0; };
        if (said(of.base) > 0 || said(of.base + "^2") > 0 || said(left.base) != 1) return std::nullopt;
        if (of.has_below && flat(source_, of.below) != flat(source_, left.below)) return std::nullopt;
        Equation out = e;
        const Span at = e.right[0].span;
        Tokens right;
        const auto add = [&](Token::Kind kind, std::string_view text) { right.push_back({kind, text, at, false}); };
        using How = Inner::How;
        if (inner->how == How::exponential || inner->how == How::half_exponential) add(command, "\\exp"), add(symbol, "(");
        if (inner->how == How::one_over) add(digits, "1"), add(symbol, "/");
        right.insert(right.end(), e.left->begin(), e.left->end());
        if (inner->how == How::half_exponential) add(symbol, "/"), add(digits, "2");
        if (inner->how == How::exponential || inner->how == How::half_exponential) add(symbol, ")");
        if (inner->how == How::inverse || inner->how == How::root_of_one_over) {
            add(symbol, "^"), add(opening, "{"), add(symbol, "-"), add(digits, "1");
            if (inner->how == How::root_of_one_over) add(symbol, "/"), add(digits, "2");
            add(closing, "}");
        }
        out.left = std::make_shared<const Tokens>(inner->name);
        out.right = std::move(right);
        return out;
    } catch (const ProofError&) {  // told where it is read
        return std::nullopt;
    }
}

/// \sigma_j = \sqrt{\sigma_j^2} behind \sigma_j^2 = ..., where \sigma_j stands and nothing says what it is.
std::optional<Equation> Inversions::root(const Equation& e) const {
    if (e.note.kind == note || !e.left || e.left->empty() || e.chained) return std::nullopt;
    try {
        const auto of = name_or_square(source_, *e.left);
        if (!of || !of->second) return std::nullopt;
        const NameParts p = parts_of(source_, of->first, 0);
        if (!plain_.contains(p.base) || lefts_.contains(p.base)) return std::nullopt;
        Equation out = e;
        const Span at = e.left->front().span;
        Tokens right{{command, "\\sqrt", at, false}, {opening, "{", at, false}};
        right.insert(right.end(), e.left->begin(), e.left->end());
        right.push_back({closing, "}", at, false});
        out.left = std::make_shared<const Tokens>(of->first);
        out.right = std::move(right);
        return out;
    } catch (const ProofError&) {
        return std::nullopt;
    }
}

/// \mu = \exp(...) of \log \mu = ..., and p = \frac{1}{1 + \exp(-(...))} of \log \frac{p}{1 - p} = ...
std::optional<Equation> Inversions::unlinked(const Equation& e) const {
    if (e.note.kind == note || !e.left || e.left->size() < 2 || e.chained) return std::nullopt;
    const Tokens& left = *e.left;
    try {
        if (!left[0].is_command("\\log") && !left[0].is_command("\\ln")) return std::nullopt;
        const bool odds = is_fraction(left[1]);
        Tokens name = part_of(left, 1, left.size());
        if (odds) {
            const std::size_t middle = end_of_group(source_, left, 2);
            name = inside_group(source_, left, 2);
            Tokens other{{digits, "1", left[0].span, false}, {symbol, "-", left[0].span, false}};
            other.insert(other.end(), name.begin(), name.end());
            const bool whole = middle < left.size() && end_of_group(source_, left, middle) == left.size();
            if (!whole || !same_texts(inside_group(source_, left, middle), other)) return std::nullopt;
        }
        const NameParts p = name.empty() ? NameParts{} : parts_of(source_, name, 0);
        if (p.base.empty() || p.end != name.size() || p.has_above || lefts_.contains(p.base)) return std::nullopt;
        Equation out = e;
        const Span at = left[0].span;
        Tokens right;
        const auto add = [&](Token::Kind kind, std::string_view text) { right.push_back({kind, text, at, false}); };
        if (odds) {
            add(digits, "1"), add(symbol, "/"), add(symbol, "("), add(digits, "1"), add(symbol, "+");
            add(command, "\\exp"), add(symbol, "("), add(symbol, "-"), add(symbol, "(");
        } else {
            add(command, "\\exp"), add(symbol, "(");
        }
        right.insert(right.end(), e.right.begin(), e.right.end());
        for (int i = 0; i < (odds ? 3 : 1); ++i) add(symbol, ")");
        out.left = std::make_shared<const Tokens>(std::move(name));
        out.right = std::move(right);
        return out;
    } catch (const ProofError&) {
        return std::nullopt;
    }
}

void Inversions::turn(std::vector<Equation>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::optional<Equation> other = turned(all[i]))
            all[i] = std::move(*other);
        else if (std::optional<Equation> plain = unlinked(all[i]))
            all[i] = std::move(*plain);
        else if (std::optional<Equation> more = root(all[i])) {
            std::size_t behind = i + 1;
            while (behind < all.size() && all[behind].chained) ++behind;
            all.insert(all.begin() + static_cast<std::ptrdiff_t>(behind), std::move(*more));
        }
    }
}

}  // namespace gradproof::proof::latex
