// Indicators, identities and Kronecker's delta of LaTeX.
#include <algorithm>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

namespace {

bool opens_condition(const Token& t) { return t.is_symbol("[") || t.is_symbol("(") || t.is_command("\\{"); }

}  // namespace

/// Behind the bracket that closes the one at `at`, of whatever kind.
std::size_t Parser::end_of_bracket(std::size_t at) const {
    int level = 0;
    for (; at < end_; ++at)
        if ((level += bracket(tokens_[at])) == 0) return at + 1;
    return end_;
}

/// Whether a bracket stands at `at` that holds a condition, as [i = j].
bool Parser::condition_stands(std::size_t at) const {
    if (at >= end_ || !opens_condition(tokens_[at])) return false;
    int level = 0;
    for (std::size_t i = at; i < end_; ++i) {
        level += bracket(tokens_[i]);
        if (level == 0) return false;
        if (level == 1 && has_relation({tokens_[i]})) return true;
    }
    return false;
}

/// [i = j], and (x > 0) beside an operator that takes entries; nullptr of other brackets.
ExprPtr Parser::iverson() {
    const std::size_t begin = at_, end = end_of_bracket(at_);
    if (!condition_stands(at_)) return nullptr;
    const auto is_operator = [](const Token& t) {
        return t.is_command("\\odot") || t.is_command("\\cdot") || t.is_command("\\circ") || t.is_symbol("⊙") || t.is_symbol("*");
    };
    const bool beside = (begin > 0 && is_operator(tokens_[begin - 1])) || (end < end_ && is_operator(tokens_[end]));
    if (!peek().is_symbol("[") && !beside) return nullptr;
    const Tokens within = part_of(tokens_, begin + 1, end - 1);
    at_ = end;
    return finish(begin, condition(within, false));
}

/// 1[x > 0] and 1_{x > 0}; where nothing else may stand, 1(x > 0) too. 1_n is a vector of ones, and 1 alone one whose size is not
/// known before the whole line is.
ExprPtr Parser::indicator(const NameParts& p) {
    Tokens when = p.below;
    const bool holds_relation = opens_condition(peek()) && has_relation(part_of(tokens_, at_, end_of_bracket(at_)));
    if (!p.has_below && holds_relation) {
        const std::size_t begin = at_;
        at_ = end_of_bracket(at_);
        when = part_of(tokens_, begin, at_);
    }
    if (when.size() > 2 && opens_condition(when.front())) when = part_of(when, 1, when.size() - 1);
    if (when.empty()) return finish(p.begin, call(std::string(kOnes), {}));
    return finish(p.begin, has_relation(when) ? condition(when, false) : call("ones", entries_as_sizes(when)));
}

/// 1_{i=j}, 1_n, 1[x > 0] and 1\{x > 0\} of a plain 1; nullptr of the number.
ExprPtr Parser::plain_indicator() {
    const std::size_t begin = at_;
    const bool below = begin + 1 < end_ && tokens_[begin + 1].is_symbol("_");
    if (!peek().is(digits, "1") || (!below && !condition_stands(begin + 1))) return nullptr;
    take();
    NameParts p;
    p.begin = begin;
    p.has_below = below;
    if (below) p.below = script();
    return indicator(p);
}

/// I_n, I_{ij}, an indicator written with an I, or I alone, whose size is not known before the whole line is; nullptr of I^{(1)}.
ExprPtr Parser::identity(const NameParts& p) {
    if ((p.has_below && has_relation(p.below)) || (!p.has_below && condition_stands(at_))) {
        const ExprPtr of = indicator(p);
        return p.has_above ? raised(of, p.above, p.begin) : of;
    }
    if (p.has_above && !is_transpose(reading_.source, p.above)) return nullptr;
    if (!p.has_below) return finish(p.begin, call(std::string(kIdentity), {}));
    const ExprPtr of_indices = delta_of(p);
    return of_indices ? of_indices : finish(p.begin, call("eye", entries_as_sizes(p.below)));
}

/// Kronecker's delta of two indices below it, or of numbers; nullptr of anything else.
ExprPtr Parser::delta_of(const NameParts& p) {
    if (!p.has_below || p.has_above || p.primed) return nullptr;
    std::vector<ExprPtr> of;
    const std::size_t here = at_;
    at_ = p.end;
    const auto is_index = [&](const ExprPtr& e) {
        return !any_part(*e, [&](const Expr& part) {
            return part.kind == Kind::slice ||
                   (part.kind == Kind::name && reading_.names.dims.contains(part.name) && p.base == "I");
        });
    };
    of = entries(p.below);
    if (of.size() != 2 || !std::ranges::all_of(of, is_index)) {
        at_ = here;
        return nullptr;
    }
    return finish(p.begin, proof::delta(of[0], of[1]));
}

/// Whether a delta with two indices is Kronecker's though the text has another delta: one with a single axis.
bool Parser::means_kronecker(const NameParts& p) const {
    if (!p.has_below || p.has_above || p.primed || reading_.may_stand(p.key(false, true, false))) return false;
    const std::string id = reading_.id_of("δ");
    if (!reading_.is_defined("δ") || stands_above(reading_.source, p.below.front())) return false;
    const std::optional<AxisNames> axes = names_of_axes(id);
    return axes && axes->size() == 1;
}

}  // namespace gradproof::proof::latex
