// Sizes, inputs, constants and functions.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/statements.hpp"
#include "gradproof/core/proof/language/structured.hpp"

namespace gradproof::proof {
namespace {

/// Whether all that is drawn in the first way is also of the second.
bool implies(Fill first, Fill second) {
    if (second == Fill::symmetric) return first == Fill::definite || first == Fill::diagonal;
    if (second == Fill::distribution) return first == Fill::onehot;
    const bool triangular = second == Fill::lower || second == Fill::upper;
    return triangular && first == Fill::diagonal;
}

}  // namespace

void Statements::dims(std::vector<Declaration> all) {
    for (Declaration& d : all) {
        expect_free(d.name, d.span, false);
        if (d.value) check_names(*d.value, {}, "a size");
        names_.dims.insert(d.name);
        proof_.dims.push_back({d.name, d.value, d.span});
    }
}

void Statements::declare(Declaration d, bool input) {
    expect_free(d.name, d.span, input);
    Given g{d.name, d.span, input, std::move(d.shape), Fill::normal, std::move(d.parameters), d.value};
    g.taken = d.taken;
    g.by_default = d.by_default;
    for (const ExprPtr& e : g.shape) check_names(*e, {}, "a size");
    if (g.shape.size() > kMaxRank) fail(d.span, fmt::format("{} axes, at most {}", g.shape.size(), kMaxRank));
    for (const ExprPtr& e : g.parameters) check_names(*e, {}, "a parameter");
    if (d.value) {
        if (!d.distribution.empty()) fail(d.span, fmt::format("{} is given and drawn: keep either = or ~", d.name));
        check_names(*d.value, {}, "a given value");
        g.fill = Fill::literal;
    } else if (!d.distribution.empty()) {
        g.fill = fill_of(d.distribution, g.parameters.size(), d.span);
        if ((g.fill == Fill::symmetric || g.fill == Fill::definite) &&
            (g.shape.size() != 2 || text_of(*g.shape[0]) != text_of(*g.shape[1])))
            fail(d.span, fmt::format("{} is no square matrix: ~ {} is for such, as [n, n]", d.name, d.distribution));
    }
    if (!d.value && !d.has_shape)
        fail({d.span.end, d.span.end},
             fmt::format("expected the shape of {}, or = and its value: input {} [n, d], or [] of a number", d.name, d.name));
    names_.values.insert(d.name);
    proof_.given.push_back(std::move(g));
}

/// Names with blanks or commas between them.
void Statements::functions(Span names) {
    const auto separates = [](char c) { return c == ' ' || c == ',' || c == '\t'; };
    std::size_t at = names.begin;
    do {
        const std::string_view rest = source_->slice({at, names.end});
        const std::size_t n = name_length(rest);
        if (n == 0) fail({at, names.end}, "expected names of functions: function f g");
        function(plain_name(rest.substr(0, n)), {at, at + n});
        at += n;
        while (at < names.end && separates(source_->text()[at])) ++at;
    } while (at < names.end);
}

void Statements::function(const std::string& name, Span span) {
    expect_free(name, span, false, true);
    if (!proof_.forward.empty() || anything_claimed()) fail(span, "functions are declared before the forward");
    names_.functions.insert(name);
    proof_.functions.push_back(name);
}

/// Makes the first of two sizes that are drawn larger than the second. Whether it is so.
bool Statements::is_made_larger(const Expr& more, const Expr& less) {
    constexpr double kBy = 2;
    const auto drawn = [&](const Expr& e) {
        const auto dim = std::ranges::find(proof_.dims, e.name, &Dim::name);
        return e.kind == Kind::name && dim != proof_.dims.end() && !dim->value ? dim : proof_.dims.end();
    };
    const auto large = drawn(more), small = drawn(less);
    if (large == proof_.dims.end() || small == proof_.dims.end() || large == small) return false;
    large->value = sum(name(less.name), '+', number(kBy));
    const Dim first = *small;
    proof_.dims.erase(small);
    proof_.dims.insert(proof_.dims.begin(), first);  // before those that follow from it
    return true;
}

bool Statements::draw(const std::string& name, Fill fill) {
    const auto given = std::ranges::find(proof_.given, name, &Given::name);
    if (given == proof_.given.end() || fill == Fill::literal) return false;
    if (given->fill == fill || implies(given->fill, fill)) return true;
    if (fill == Fill::frame && given->fill == Fill::orthogonal) return true;
    const std::size_t axes = given->shape.size();
    const bool is_label = fill == Fill::onehot || fill == Fill::distribution;
    const bool may_be = given->fill == Fill::normal || implies(fill, given->fill) || (is_label && given->fill == Fill::binary);
    if (!may_be) return false;
    const bool square = axes == 2 && text_of(*given->shape[0]) == text_of(*given->shape[1]);
    if (fill == Fill::frame && square) fill = Fill::orthogonal;
    if (fill == Fill::frame && (axes != 2 || !is_made_larger(*given->shape[0], *given->shape[1]))) return false;
    const bool fits = fill == Fill::positive ? true
                      : is_label             ? axes > 0
                      : is_structured(fill)  ? may_be_structured(*given, fill)
                                             : square;
    if (fits) given->fill = fill;
    return fits;
}

Fill Statements::fill_of(const std::string& name, std::size_t parameters, Span at) const {
    std::vector<std::string> all;
    for (const FillWord& k : kFillWords) {
        all.emplace_back(k.word);
        if (k.word != name) continue;
        if (k.parameters != parameters) fail(at, fmt::format("~ {} takes {} parameters, got {}", name, k.parameters, parameters));
        return k.fill;
    }
    fail(at, fmt::format("no way to draw named {}; known are normal, uniform(a,b), positive, onehot, distribution, index(n), "
                         "symmetric, definite, binary, signs{}",
                         name, did_you_mean(name, all)));
}

}  // namespace gradproof::proof
