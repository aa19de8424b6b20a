// Other readings of a right side.
#include "gradproof/core/proof/judge/readings.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/orientation.hpp"
#include "gradproof/core/proof/judge/held_fixed.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/quotients.hpp"

namespace gradproof::proof {
namespace {

std::optional<int> rank_of(const Claim& claim, const Expr& e) { return rank_in(claim.draw(0).scope(), e); }

/// The factors from `begin` up to `end`, joined as they are.
ExprPtr part_of(const Expr& e, std::size_t begin, std::size_t end) {
    if (end == begin + 1) return e.children[begin];
    Expr p = node(Kind::product);
    p.children.assign(e.children.begin() + static_cast<std::ptrdiff_t>(begin),
                      e.children.begin() + static_cast<std::ptrdiff_t>(end));
    p.joints = "@" + e.joints.substr(begin + 1, end - begin - 1);
    return make(std::move(p));
}

using ReadPart = ExprPtr (*)(const Claim&, const Expr&);

/// The tree with every part for which f gives another one exchanged, the innermost first.
ExprPtr with_parts(const Claim& claim, const ExprPtr& e, ReadPart f) {
    std::vector<ExprPtr> children;
    bool changed = false;
    for (const ExprPtr& c : e->children) {
        children.push_back(with_parts(claim, c, f));
        changed = changed || children.back() != c;
    }
    const ExprPtr out = changed ? with_children(*e, std::move(children)) : e;
    const ExprPtr other = f(claim, *out);
    return other ? other : out;
}

/// Whether a product of vectors is evaluated so as it stands.
bool reads(const Claim& claim, Vectors v) { return claim.proof().conventions.vectors == v; }

/// u v^T of two vectors, and u^T v^T where u is a gradient that lies as a row.
ExprPtr as_columns(const Claim& claim, const Expr& e) {
    if (e.kind != Kind::product) return nullptr;
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Expr& right = *e.children[i];
        if (e.joints[i] != '@' || right.kind != Kind::transpose || rank_of(claim, right) != 1) continue;
        const ExprPtr left = part_of(e, 0, i);
        if (rank_of(claim, *left) != 1 || (left->kind != Kind::transpose && reads(claim, Vectors::columns))) continue;
        ExprPtr out = call("outer", {left, right.children[0]});
        for (std::size_t k = i + 1; k < e.children.size(); ++k) out = product(out, e.joints[k], e.children[k]);
        return out;
    }
    return nullptr;
}

/// u^T v of two vectors, where they are rows.
ExprPtr as_rows(const Claim& claim, const Expr& e) {
    if (e.kind != Kind::product || reads(claim, Vectors::rows)) return nullptr;
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Expr &left = *e.children[i - 1], &right = *e.children[i];
        if (e.joints[i] != '@' || left.kind != Kind::transpose || right.kind == Kind::transpose) continue;
        if (rank_of(claim, left) != 1 || rank_of(claim, right) != 1) continue;
        ExprPtr out = call("outer", {left.children[0], e.children[i]});
        if (i > 1) out = product(part_of(e, 0, i - 1), e.joints[i - 1], out);
        for (std::size_t k = i + 1; k < e.children.size(); ++k) out = product(out, e.joints[k], e.children[k]);
        return out;
    }
    return nullptr;
}

/// Every ∂y/∂x of vectors, and of rows ∂h[t]/∂h[t-1], transposed, and with one on the left all of the right side.
ExprPtr in_other_layout(const Claim& claim, const ExprPtr& e) {
    const auto is_vector = [&](const std::string& n, std::size_t indices) {
        const auto& values = claim.draw(0).scope().values;
        const auto value = values.find(n);
        return value != values.end() && std::cmp_equal(value->second.shape().rank(), indices + 1);
    };
    const auto is_matrix = [&](const Expr& part) {  // of a gradient, ∂²f/∂x∂y^T says how it lies itself
        return !part.name.starts_with("∂") && part.kind == Kind::jacobian && is_vector(part.name, part.split) &&
               is_vector(part.other, part.children.size() - part.split);
    };
    const ExprPtr out =
        rewritten(e, [&](const Expr& part) { return is_matrix(part) ? transpose(std::make_shared<const Expr>(part)) : nullptr; });
    return is_matrix(*claim.line().left) ? transpose(out) : out;
}

/// A ⊙ (B C) of A ⊙ B C, where B C is a product of arrays.
ExprPtr grouped(const Claim& claim, const Expr& e) {
    if (e.kind != Kind::product || e.joints.find('*', 1) == std::string::npos) return nullptr;
    std::vector<ExprPtr> factors;
    std::string joints;
    bool matters = false;
    for (std::size_t begin = 0; begin < e.children.size();) {
        std::size_t end = begin + 1;
        while (end < e.children.size() && e.joints[end] == '@') ++end;
        const ExprPtr group = part_of(e, begin, end);
        for (std::size_t i = begin; i + 1 < end; ++i)
            matters = matters || (begin > 0 && e.joints[begin] == '*' && rank_of(claim, *e.children[i]) != 0 &&
                                  rank_of(claim, *e.children[i + 1]) != 0);
        factors.push_back(group);
        joints += begin == 0 ? '@' : e.joints[begin];
        begin = end;
    }
    if (!matters) return nullptr;
    Expr p = node(Kind::product, std::move(factors));
    p.joints = std::move(joints);
    return make(std::move(p));
}

/// The factors from `begin` on that belong to one divisor as authors typeset it: 2 \sigma^2, \|u\| \|v\|, x^\top x; the place
/// behind them. They are one number, and stand beside each other. 1/2 x is x/2, and 1/2n is not n/2; of 1/2n sum(x) in the
/// notation the sum is none of them.
std::size_t end_of_divisor(const Claim& claim, const Expr& e, std::size_t begin) {
    const auto is_beside = [&](std::size_t k) {
        const Span between{e.children[k - 1]->span.end, e.children[k]->span.begin};
        if (e.joints[k] != '@' || between.begin > between.end) return false;
        const std::string_view text = claim.proof().source->slice(between);
        const bool half =
            e.children[begin]->kind == Kind::number && k == begin + 1 && e.children[begin - 1]->kind == Kind::number;
        if (!e.spelling && !text.empty()) return false;  // in the notation only 2σ² and 2n, without a blank
        return text.find("cdot") == std::string_view::npos && text.find("·") == std::string_view::npos &&
               !(half && !text.empty());
    };
    std::size_t end = begin + 1;
    const auto is_sum = [&](const Expr& c) { return c.kind == Kind::reduce || (!e.spelling && c.kind == Kind::call); };
    for (std::size_t k = begin + 1; k < e.children.size() && is_beside(k) && !is_sum(*e.children[k]); ++k)
        if (rank_of(claim, *part_of(e, begin, k + 1)) == 0) end = k + 1;
    return end;
}

/// 1 / (2 n) of 1/2n; in LaTeX a / (b c) of a / b c.
ExprPtr with_whole_divisor(const Claim& claim, const Expr& e) {
    if (e.kind != Kind::product) return nullptr;
    for (std::size_t i = 1; i + 1 < e.children.size(); ++i) {
        if (e.joints[i] != '/' || e.joints[i + 1] != '@') continue;
        const bool short_form = e.children[i]->kind == Kind::number && e.children[i + 1]->kind == Kind::name;
        const std::size_t end = e.spelling || is_in_notation(claim.proof()) ? end_of_divisor(claim, e, i)
                                : short_form                                ? i + 2
                                                                            : i + 1;
        if (end < i + 2) continue;
        ExprPtr out = product(part_of(e, 0, i), '/', part_of(e, i, end));
        for (std::size_t k = end; k < e.children.size(); ++k) out = product(out, e.joints[k], e.children[k]);
        return out;
    }
    return nullptr;
}

/// \log (p / q) of \log p / q, where no bracket says what the function is of.
ExprPtr with_quotient_inside(const Claim& claim, const Expr& e) {
    for (std::size_t i = 0; e.kind == Kind::product && i + 1 < e.children.size(); ++i) {
        if (!latex::may_be_of_quotient(*claim.proof().source, e, i)) continue;
        const Expr& f = *e.children[i];
        const ExprPtr inside = with_children(f, {product(f.children[0], '/', e.children[i + 1])});
        ExprPtr out = i == 0 ? inside : product(part_of(e, 0, i), e.joints[i], inside);
        for (std::size_t k = i + 2; k < e.children.size(); ++k) out = product(out, e.joints[k], e.children[k]);
        return out;
    }
    return nullptr;
}

/// A A of A^2, where A is square; A^{-1} A^{-1} of A^{-2}, and in the notation, where it is 1/A, A^{-1} of A^-1.
ExprPtr as_matrix_power(const Claim& claim, const Expr& e) {
    constexpr double kHighest = 8;
    if (e.kind != Kind::power) return nullptr;
    const std::optional<double> exponent = signed_number(*e.children[1]);
    if (!exponent) return nullptr;
    const double times = std::abs(*exponent);
    if (*exponent == 1 || times > kHighest || times != std::floor(times)) return nullptr;
    const std::optional<Shape> shape = shape_in(claim.draw(0).scope(), *e.children[0]);
    if (!shape || shape->rank() != 2 || (*shape)[0] != (*shape)[1] || (*shape)[0] == 1) return nullptr;
    if (times == 0) return product(call("inverse", {e.children[0]}), '@', e.children[0]);
    const ExprPtr factor = *exponent < 0 ? call("inverse", {e.children[0]}) : e.children[0];
    if (times == 1) return factor;
    Expr p = node(Kind::product, std::vector<ExprPtr>(static_cast<std::size_t>(times), factor));
    p.joints = std::string(p.children.size(), '@');
    return make(std::move(p));
}

/// The product with its last factor first, which changes that of matrices; not of one that is written so.
ExprPtr from_the_last(const Claim&, const Expr& e) {
    if (e.kind != Kind::reduce || e.name != "prod" || e.children[0]->kind == Kind::transpose) return nullptr;
    return transpose(with_children(e, {transpose(e.children[0])}));
}

}  // namespace

const char* name(Way way) {
    switch (way) {
        case Way::products_first: return "matrix products before ⊙";
        case Way::columns: return "vectors as columns";
        case Way::rows: return "vectors as rows";
        case Way::denominator: return "Jacobians by the denominator";
        case Way::whole_divisor: return "1/2n as 1/(2n)";
        case Way::matrix_powers: return "powers of square matrices as products";
    }
    return "";
}

ExprPtr read_in(Way way, const Claim& claim, const ExprPtr& right) {
    const Conventions& said = claim.proof().conventions;
    const auto vectors = [&](Vectors v, ReadPart read) {
        if (said.vectors != Vectors::unsaid && said.vectors != v && !said.assumed) return right;
        const ExprPtr out = with_parts(claim, right, read);
        if (out == right) return out;
        const Vectors needed = Orientation(claim.proof(), claim.draw(0).scope()).vectors();
        return needed == Vectors::unsaid || needed == v ? out : right;
    };
    switch (way) {
        case Way::products_first: return with_parts(claim, right, grouped);
        case Way::columns: return vectors(Vectors::columns, as_columns);
        case Way::rows: return vectors(Vectors::rows, as_rows);
        case Way::denominator: return said.layout == Layout::unsaid ? in_other_layout(claim, right) : right;
        case Way::whole_divisor: return with_parts(claim, right, with_whole_divisor);
        case Way::matrix_powers: return said.elementwise ? right : with_parts(claim, right, as_matrix_power);
    }
    return right;
}

bool widens_before_a_product(const Claim& claim, const ExprPtr& right) {
    return any_part(*right, [&](const Expr& e) {
        for (std::size_t i = 1; e.kind == Kind::product && i + 1 < e.children.size(); ++i) {
            if (e.joints[i] != '*' || e.joints[i + 1] != '@') continue;
            const std::optional<int> a = rank_of(claim, *part_of(e, 0, i)), b = rank_of(claim, *e.children[i]);
            if (a && b && *a > 0 && *b > 0 && *a != *b && rank_of(claim, *e.children[i + 1]) != 0) return true;
        }
        return false;
    });
}

std::string Reading::name() const {
    std::string out;
    for (const Way w : ways) out += (out.empty() ? "" : ", ") + std::string(proof::name(w));
    return out;
}

namespace {

/// i \ne j for ∂p_{ij}/∂θ_i, which an author may mean of two that differ; nullptr of others.
ExprPtr where_indices_differ(const Expr& left) {
    if (left.kind != Kind::jacobian || left.split < 2 || left.split + 1 != left.children.size()) return nullptr;
    const Expr &a = *left.children[0], &b = *left.children[1], &by = *left.children[2];
    const bool names = a.kind == Kind::name && b.kind == Kind::name && by.kind == Kind::name && a.name != b.name;
    if (!names || (by.name != a.name && by.name != b.name)) return nullptr;
    return one_minus(delta(left.children[0], left.children[1]));
}

bool is_wrong(const JudgedLine&, bool right) { return !right; }

OtherForward of_different_indices(const Claim& claim) {
    OtherForward out{"indices that differ", "say for which it is meant, as i \\ne j", 0, claim.proof(), is_wrong};
    for (JudgedLine& l : out.proof.lines) {
        const ExprPtr differ = l.is_judged() && !l.holds ? where_indices_differ(*l.left) : nullptr;
        if (!differ) continue;
        l.holds = differ;
        if (out.line == 0) out.line = l.statement.line;
    }
    return out;
}

/// A of a_i, which is read as row i of a square A, as the head says; "" of others.
std::string matrix_of_row(const Claim& claim, const Expr& e) {
    if (e.kind != Kind::index || e.children.size() != 2 || e.children[0]->kind != Kind::name) return "";
    const std::string& matrix = e.children[0]->name;
    const std::string_view written = claim.proof().source->slice(e.span);
    if (written.empty()) return "";
    const auto& said = claim.proof().holds_for;
    if (claim.proof().find(matrix) != nullptr) return "";  // of softmax(S) the text says what its rows are
    if (std::ranges::find(said, fmt::format("rows {}_i of {}", written[0], matrix)) == said.end()) return "";
    const std::optional<Shape> shape = shape_in(claim.draw(0).scope(), *e.children[0]);
    return shape && shape->rank() == 2 && (*shape)[0] == (*shape)[1] ? matrix : "";
}
ExprPtr as_column_of_matrix(const Claim& claim, const Expr& e) {
    if (matrix_of_row(claim, e).empty()) return nullptr;
    return with_children(e, {e.children[0], make(node(Kind::slice)), e.children[1]});
}

/// a_i as column i of A; of no derivation that claims a derivative by a_i.
OtherForward of_columns(const Claim& claim) {
    OtherForward out{"a_i as the columns of A", "say whether they are its rows or its columns", 0, claim.proof()};
    const auto read = [&](ExprPtr& e, int line) {
        const ExprPtr other = with_parts(claim, e, as_column_of_matrix);
        if (other != e && out.line == 0) {
            out.line = line;
            for_each(*e, [&](const Expr& part) {
                if (const std::string matrix = matrix_of_row(claim, part); !matrix.empty())
                    out.how = fmt::format("{}_i as the columns of {}", claim.proof().source->slice(part.span)[0], matrix);
            });
        }
        e = other;
    };
    for (Assignment& a : out.proof.forward) read(a.value, a.statement.line);
    for (JudgedLine& l : out.proof.lines) {
        if (!l.is_judged()) continue;
        read(l.right, l.statement.line);
        const bool by_line =
            any_part(*l.left, [](const Expr& e) { return e.kind == Kind::jacobian && e.children.size() > e.split; });
        if (by_line && l.left->kind == Kind::jacobian) {
            const auto& given = claim.proof().given;
            const auto of = std::ranges::find(given, l.left->other, &Given::name);
            if (of != given.end() && of->shape.size() == 2 && l.left->children.size() == l.left->split + 1) out.line = -1;
        }
        if (out.line < 0) break;
    }
    return out;
}

}  // namespace

bool is_typeset(const Proof& proof) {
    return std::ranges::any_of(proof.forward, [](const Assignment& a) { return a.value->spelling != nullptr; });
}
bool is_in_notation(const Proof& proof) {
    return !is_typeset(proof) && !proof.has_program &&
           std::ranges::none_of(proof.lines, [](const JudgedLine& l) { return is_typeset(l.language); });
}

std::vector<OtherForward> other_forwards(const Claim& claim) {
    std::vector<OtherForward> out;
    constexpr const char* kBrackets = "put brackets there, or state the convention";
    const bool notation = is_in_notation(claim.proof());
    const auto add = [&](const char* how, ReadPart read, const char* clearly, bool if_wrong = false) {
        OtherForward other{how, clearly, 0, claim.proof()};
        if (if_wrong) other.may_mean = is_wrong;
        for (JudgedLine& l : other.proof.lines) {
            if (!if_wrong || !l.is_judged()) continue;
            const ExprPtr right = with_parts(claim, l.right, read);
            if (right != l.right && other.line == 0) other.line = l.statement.line;
            l.right = right;
        }
        for (Assignment& a : other.proof.forward) {
            if (!a.value->spelling && !notation) continue;
            const ExprPtr value = with_parts(claim, a.value, read);
            if (value == a.value) continue;
            a.value = value;
            if (other.line == 0) other.line = a.statement.line;
        }
        if (other.line > 0) out.push_back(std::move(other));
    };
    if (!notation && claim.proof().conventions.vectors == Vectors::unsaid) add("vectors as columns", as_columns, kBrackets);
    add("matrix products before ⊙", grouped, kBrackets);
    add("all that stands behind / as its divisor", with_whole_divisor,
        notation ? "put brackets there" : "write \\frac, or put brackets there");
    if (!claim.proof().conventions.elementwise)
        add(proof::name(Way::matrix_powers), as_matrix_power,
            notation ? "write A A or inv(A), or state convention elementwise" : "write A A, or A \\odot A");
    if (notation) return out;
    add("the last factor of a product first", from_the_last, "write the product from its last index to the first", true);
    add("the quotient as what the function is of", with_quotient_inside, "put brackets there, or write \\frac", true);
    if (OtherForward other = of_columns(claim); other.line > 0) out.push_back(std::move(other));
    if (OtherForward other = of_different_indices(claim); other.line > 0) out.push_back(std::move(other));
    for (OtherForward& other : with_others_fixed(claim.proof())) out.push_back(std::move(other));
    return out;
}

std::vector<Reading> other_readings(const Claim& claim) {
    if (is_program(claim.line().language)) return {};
    std::vector<Reading> out;
    for (unsigned some = 1; some < 1u << kWays.size(); ++some) {
        Reading r{{}, claim.line().right};
        bool all = true;
        for (std::size_t w = 0; w < kWays.size() && all; ++w) {
            if ((some >> w & 1u) == 0) continue;
            const ExprPtr next = read_in(kWays[w], claim, r.right);
            all = next != r.right;
            r.right = next;
            r.ways.push_back(kWays[w]);
        }
        if (all) out.push_back(std::move(r));
    }
    return out;
}

}  // namespace gradproof::proof
