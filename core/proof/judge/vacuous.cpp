// Vacuous lines.
#include "gradproof/core/proof/judge/vacuous.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// What is claimed: a gradient, a Jacobian or a value, whole or by its entries. nullptr for an expression.
const Expr* subject_of(const Expr& left) {
    const Expr& e = without_indices(left);
    return e.kind == Kind::gradient || e.kind == Kind::jacobian || e.kind == Kind::name ? &e : nullptr;
}

bool same_subject(const Expr& a, const Expr& b) { return a.kind == b.kind && a.name == b.name && a.other == b.other; }

std::string text_of_indices(const Expr& e) {
    std::string out;
    for (std::size_t i = e.kind == Kind::index ? 1 : 0; i < e.children.size(); ++i) out += text_of(*e.children[i]) + ",";
    return out;
}

/// Whether e uses the subject at the place where it is claimed. dH[t] = ... dH[t + 1] ... does not: it is a recurrence.
bool uses(const Expr& e, const Expr& subject, const Expr& left) {
    if (e.kind == Kind::index && e.children[0]->kind == Kind::helper && !e.children[0]->bound.empty()) {
        const Expr& helper = *e.children[0];
        const ExprPtr there = rewritten(helper.children[0], [&](const Expr& part) -> ExprPtr {
            const auto at = std::find(helper.bound.begin(), helper.bound.end(), part.name);
            if (part.kind != Kind::name || at == helper.bound.end()) return nullptr;
            const auto i = static_cast<std::size_t>(at - helper.bound.begin()) + 1;
            return i < e.children.size() ? e.children[i] : nullptr;
        });
        return uses(*there, subject, left);
    }
    const bool indexed = e.kind == Kind::index && same_subject(*e.children[0], subject);
    if (indexed || (e.kind == Kind::jacobian && same_subject(e, subject))) {
        const bool elsewhere = left.children.size() > 0 && text_of_indices(e) != text_of_indices(left);
        return !elsewhere;
    }
    if (same_subject(e, subject)) return true;
    return std::any_of(e.children.begin(), e.children.end(), [&](const ExprPtr& c) { return uses(*c, subject, left); });
}

/// The part of an array as it is written that numbers stand for as indices: 2 for [[1, 2], 3][0,1]. nullptr where another writing
/// stands there.
const Expr* part_at(const Expr& array, const Expr& indexed) {
    const Expr* part = &array;
    for (std::size_t i = 1; i < indexed.children.size(); ++i) {
        const Expr& at = *indexed.children[i];
        if (part->kind != Kind::array || at.kind != Kind::number || !(at.number >= 0)) return nullptr;
        if (at.number >= static_cast<double>(part->children.size())) return nullptr;
        part = part->children[static_cast<std::size_t>(at.number)].get();
    }
    return part;
}

/// Whether e derives the loss, or an expression of it, by what the subject is the gradient of: ∂(L + 0)/∂x for ∂L/∂x.
bool derives_loss(const Expr& e, const Expr& subject, const Proof& proof) {
    const auto loss = std::ranges::find_if(proof.forward, &Assignment::is_loss);
    if (subject.kind != Kind::gradient || loss == proof.forward.end()) return false;
    const std::string written = text_of(*loss->value);  // inside of another expression the loss stands as what it is
    return any_part(e, [&](const Expr& part) {
        if (part.kind != Kind::jacobian || part.other != subject.name) return false;
        const Assignment* const a = proof.find(part.name);
        return a && any_part(*a->value, [&](const Expr& inside) { return text_of(inside) == written; });
    });
}

/// X of X^T, -X, X + 0 and X[0:6]: what only says otherwise what X says.
const Expr& said_otherwise(const Expr& e) {
    const bool turned = e.kind == Kind::transpose || e.kind == Kind::negate || e.kind == Kind::index;
    if (turned) return said_otherwise(*e.children[0]);
    const bool with_zero = e.kind == Kind::sum && e.children.size() == 2 && is_number(*e.children[1], 0);
    return with_zero ? said_otherwise(*e.children[0]) : e;
}

/// Whether the right side tells something that the derivation computes.
bool tells_computed(const Expr& e, const Proof& proof) {
    return any_part(e, [&](const Expr& part) {
        const bool derivative = part.kind == Kind::gradient || part.kind == Kind::jacobian;
        return derivative || (part.kind == Kind::name && proof.find(part.name) != nullptr);
    });
}

/// Whether a claim is of a number, or of a value that is given, whole or one entry of it; an expectation only where it repeats
/// what is written in the declaration: a text may print what was given elsewhere.
bool is_given(const JudgedLine& line, const Proof& proof) {
    const bool claim = line.type != JudgedLine::Type::expect;
    const Expr* subject = subject_of(*line.left);
    if (subject == nullptr && claim && !tells_computed(*line.right, proof)) subject = subject_of(said_otherwise(*line.left));
    if (subject == nullptr) return line.left->kind == Kind::number;
    if (subject->kind != Kind::name || proof.find(subject->name) != nullptr) return false;
    const auto given =
        std::find_if(proof.given.begin(), proof.given.end(), [&](const Given& g) { return g.name == subject->name; });
    if (given == proof.given.end()) return false;
    if (claim || !given->value) return claim;
    const bool whole = subject == line.left.get();
    const bool entry =
        line.left->kind == Kind::index && !subject->name.starts_with("printed(");  // which tells what is carried on
    const Expr* written = whole ? given->value.get() : entry ? part_at(*given->value, *line.left) : nullptr;
    return written != nullptr && text_of(*written) == text_of(*line.right);
}

}  // namespace

std::string why_vacuous(const JudgedLine& line, const Proof& proof) {
    if (const Expr* subject = subject_of(*line.left))
        if (uses(*line.right, *subject, *line.left) || derives_loss(*line.right, *subject, proof))
            return fmt::format("the line uses what it claims: {} stands on both sides", text_of(*subject));
    if (is_given(line, proof))
        return fmt::format("{} is given, not computed: the line claims nothing of the derivation", text_of(*line.left));
    return "";
}

std::string why_it_holds_of_any(const Claim& claim) {
    const auto gradients_in = [](const Expr& e) {
        std::set<std::string> out;
        for_each(e, [&](const Expr& part) {
            if (part.kind == Kind::gradient) out.insert(part.name);
        });
        return out;
    };
    const JudgedLine& line = claim.line();
    const std::set<std::string> gradients = gradients_in(*line.left);
    // The gradient of the last value is drawn: an identity of it is what the line is about.
    const auto claimed = std::find_if(gradients.begin(), gradients.end(),
                                      [&](const std::string& name) { return name != claim.proof().forward.back().name; });
    if (claimed == gradients.end())
        return text_of(*line.left) == text_of(*line.right) ? "both sides are the same: the line claims nothing" : "";
    const auto holds_in = [&](std::size_t draw) {
        std::map<std::string, Tensor<double>> others;
        Random random(0);
        return claim.holds_with(draw, [&](const Expr& e) -> Tensor<double> {
            const auto [at, fresh] = others.try_emplace(e.name);
            if (fresh) at->second = random.normal<double>(claim.draw(draw).scope().values.find(e.name)->second.shape());
            return at->second;
        });
    };
    bool holds = true;  // a small draw may have no entry where the line holds
    for (std::size_t i = 0; i < claim.draws() && holds; ++i) holds = holds_in(i);
    return holds ? fmt::format("the line holds whatever ∂L/∂{} is: it claims nothing of it", *claimed) : "";
}

std::string why_zero_by_no_path(const JudgedLine& line, const Proof& proof, Instance& draw, check::Verdict so_far) {
    if (proof.forward.empty() || proof.forward.back().is_loss) return "";
    std::string why;
    const auto look = [&](const Expr& part) {
        if (!why.empty() || part.kind != Kind::gradient) return;
        if (const TrueGradient& g = draw.gradient(part.name); !g.reached)
            why = fmt::format("no loss is stated, so it is of {}, the last value, and {}: state a loss that uses both",
                              proof.forward.back().name, g.doubt);
    };
    for_each(*line.right, look);
    // Where a value is held constant by sg, its author means that no gradient goes through it.
    const bool stops = std::any_of(proof.forward.begin(), proof.forward.end(), [](const Assignment& a) { return a.stopped; });
    if (so_far == check::Verdict::wrong && !stops) for_each(*line.left, look);
    return why;
}

namespace {

/// Whether the line or the forward has such a part.
bool anywhere(const JudgedLine& line, const Proof& proof, const std::function<bool(const Expr&)>& such) {
    return any_part(*line.right, such) || any_part(*line.left, such) ||
           std::any_of(proof.forward.begin(), proof.forward.end(), [&](const Assignment& a) { return any_part(*a.value, such); });
}

}  // namespace

bool has_large_number(const JudgedLine& line, const Proof& proof, double least) {
    const auto large = [=](const Expr& part) {
        const bool power = part.kind == Kind::power && is_number(*part.children[0]) && is_number(*part.children[1]);
        const double v = power ? std::pow(part.children[0]->number, part.children[1]->number) : part.number;
        return (power || part.kind == Kind::number) && std::abs(v) >= least && std::isfinite(v);
    };
    return anywhere(line, proof, large);
}

bool may_be_flat(const Expr& e) {
    constexpr auto kPolynomial =
        std::to_array<std::string_view>({"sum", "mean", "rowsum", "colsum", "rowmean", "colmean", "trace", "transpose", "diag",
                                         "outer", "eye", "ones", "zeros", "dot"});
    if (e.kind == Kind::power) return !signed_number(*e.children[1]);
    return e.kind == Kind::call && std::ranges::find(kPolynomial, e.name) == kPolynomial.end();
}

bool may_vanish(const JudgedLine& line, const Proof& proof) {
    constexpr double kVanishes = 500;
    return has_large_number(line, proof, kVanishes) && anywhere(line, proof, may_be_flat);
}

bool has_root_of_product(const JudgedLine& line, const Proof& proof) {
    return anywhere(line, proof, [](const Expr& e) {
        return e.kind == Kind::call && e.name == "sqrt" && e.children.size() == 1 && e.children[0]->kind == Kind::product;
    });
}

bool says_zero(const JudgedLine& line) {
    const bool of_gradient = contains(*line.left, Kind::gradient) || contains(*line.left, Kind::jacobian);
    return is_typeset(line.language) && !line.holds && of_gradient && is_number(*line.right, 0);
}

bool chooses_by_order(const JudgedLine& line, const Proof& proof) {
    return anywhere(line, proof,
                    [](const Expr& part) { return part.kind == Kind::call && part.name.find("argmax") != std::string::npos; });
}

bool has_long_number(const JudgedLine& line, const Proof& proof) {
    constexpr std::ptrdiff_t kLong = 10;
    return anywhere(line, proof, [](const Expr& part) {
        if (part.kind != Kind::number) return false;
        const std::string digits = part.name.substr(0, part.name.find_first_of("eE"));
        return std::count_if(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) >= kLong;
    });
}

}  // namespace gradproof::proof
