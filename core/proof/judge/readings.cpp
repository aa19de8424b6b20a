// Other readings of a right side.
#include "gradproof/core/proof/judge/readings.hpp"

#include <array>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// How many axes e has in the first draw, with its indices at one place; nullopt where it has no value apart from its line.
std::optional<int> rank_of(const Claim& claim, const Expr& e) {
    const Scope<double>& all = claim.draw(0).scope();
    for (const Index place : {Index{0}, Index{1}}) try {  // t - 1 or t + 1 may lie out of range at one of them
            Scope<double> scope = all;
            for (const std::string& n : names_in(e))
                if (!all.values.contains(n) && !all.sizes.contains(n) && !constant_named(n)) scope.steps[n] = place;
            return Evaluator<double>(scope).matrix(e).shape().rank();
        } catch (const std::invalid_argument&) {
        }
    return std::nullopt;
}

/// The factors from `begin` up to `end`, joined as they are.
ExprPtr part_of(const Expr& e, std::size_t begin, std::size_t end) {
    if (end == begin + 1) return e.children[begin];
    Expr p = node(Kind::product);
    p.children.assign(e.children.begin() + static_cast<std::ptrdiff_t>(begin),
                      e.children.begin() + static_cast<std::ptrdiff_t>(end));
    p.joints = "@" + e.joints.substr(begin + 1, end - begin - 1);
    return make(std::move(p));
}

/// The tree with every product for which f gives another one exchanged, the innermost first.
ExprPtr with_products(const ExprPtr& e, const std::function<ExprPtr(const Expr&)>& f) {
    std::vector<ExprPtr> children;
    bool changed = false;
    for (const ExprPtr& c : e->children) {
        children.push_back(with_products(c, f));
        changed = changed || children.back() != c;
    }
    const ExprPtr out = changed ? with_children(*e, std::move(children)) : e;
    if (out->kind != Kind::product) return out;
    const ExprPtr other = f(*out);
    return other ? other : out;
}

/// u v^T of two vectors.
ExprPtr as_columns(const Claim& claim, const Expr& e) {
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Expr& right = *e.children[i];
        if (e.joints[i] != '@' || right.kind != Kind::transpose || rank_of(claim, right) != 1) continue;
        const ExprPtr left = part_of(e, 0, i);
        if (rank_of(claim, *left) != 1) continue;
        ExprPtr out = call("outer", {left, right.children[0]});
        for (std::size_t k = i + 1; k < e.children.size(); ++k) out = product(out, e.joints[k], e.children[k]);
        return out;
    }
    return nullptr;
}

/// u^T v of two vectors, where they are rows.
ExprPtr as_rows(const Claim& claim, const Expr& e) {
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

/// Every ∂y/∂x of vectors transposed, and with one on the left all of the right side.
ExprPtr in_other_layout(const Claim& claim, const ExprPtr& e) {
    const auto is_vector = [&](const std::string& n) {
        const auto& values = claim.draw(0).scope().values;
        const auto value = values.find(n);
        return value != values.end() && value->second.shape().rank() == 1;
    };
    const auto is_matrix = [&](const Expr& part) {  // of a gradient, ∂²f/∂x∂y^T says how it lies itself
        return !part.name.starts_with("∂") && part.kind == Kind::jacobian && part.children.empty() && is_vector(part.name) &&
               is_vector(part.other);
    };
    const ExprPtr out =
        rewritten(e, [&](const Expr& part) { return is_matrix(part) ? transpose(std::make_shared<const Expr>(part)) : nullptr; });
    return is_matrix(*claim.line().left) ? transpose(out) : out;
}

/// A ⊙ (B C) of A ⊙ B C, where B C is a product of arrays.
ExprPtr grouped(const Claim& claim, const Expr& e) {
    if (e.joints.find('*', 1) == std::string::npos) return nullptr;
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

/// 1 / (2 n) of 1/2n.
ExprPtr with_whole_divisor(const Expr& e) {
    for (std::size_t i = 1; i + 1 < e.children.size(); ++i) {
        if (e.joints[i] != '/' || e.joints[i + 1] != '@' || e.children[i]->kind != Kind::number) continue;
        if (e.children[i + 1]->kind != Kind::name) continue;
        ExprPtr out = product(part_of(e, 0, i), '/', product(e.children[i], '@', e.children[i + 1]));
        for (std::size_t k = i + 2; k < e.children.size(); ++k) out = product(out, e.joints[k], e.children[k]);
        return out;
    }
    return nullptr;
}

}  // namespace

ExprPtr products_first(const Claim& claim, const ExprPtr& e) {
    const ExprPtr out = with_products(e, [&](const Expr& p) { return grouped(claim, p); });
    return out == e ? nullptr : out;
}

std::vector<OtherForward> other_forwards(const Claim& claim) {
    std::vector<OtherForward> out;
    const auto add = [&](const char* how, ExprPtr (*read)(const Claim&, const Expr&)) {
        OtherForward other{how, 0, claim.proof()};
        for (Assignment& a : other.proof.forward) {
            if (!a.value->spelling) continue;
            const ExprPtr value = with_products(a.value, [&](const Expr& e) { return read(claim, e); });
            if (value == a.value) continue;
            a.value = value;
            if (other.line == 0) other.line = a.statement.line;
        }
        if (other.line > 0) out.push_back(std::move(other));
    };
    if (claim.proof().conventions.vectors == Vectors::unsaid) add("vectors as columns", as_columns);
    add("matrix products before ⊙", grouped);
    return out;
}

std::vector<Reading> other_readings(const Claim& claim) {
    const ExprPtr& right = claim.line().right;
    struct Way {
        const char* name;
        std::function<ExprPtr(const ExprPtr&)> read;
    };
    const Conventions& said = claim.proof().conventions;
    const auto if_unsaid = [](bool unsaid, std::function<ExprPtr(const ExprPtr&)> read) {
        return unsaid ? std::move(read) : std::function<ExprPtr(const ExprPtr&)>([](const ExprPtr& e) { return e; });
    };
    const bool vectors = said.vectors == Vectors::unsaid;
    const std::array<Way, 5> ways{{
        {"matrix products before ⊙",
         [&](const ExprPtr& e) {
             const ExprPtr out = products_first(claim, e);
             return out ? out : e;
         }},
        {"vectors as columns",
         if_unsaid(vectors,
                   [&](const ExprPtr& e) { return with_products(e, [&](const Expr& p) { return as_columns(claim, p); }); })},
        {"vectors as rows",
         if_unsaid(vectors,
                   [&](const ExprPtr& e) { return with_products(e, [&](const Expr& p) { return as_rows(claim, p); }); })},
        {"Jacobians by the denominator",
         if_unsaid(said.layout == Layout::unsaid, [&](const ExprPtr& e) { return in_other_layout(claim, e); })},
        {"1/2n as 1/(2n)", [](const ExprPtr& e) { return with_products(e, with_whole_divisor); }},
    }};
    std::vector<Reading> out;
    for (unsigned some = 1; some < 1u << ways.size(); ++some) {
        Reading r{"", right};
        bool all = true;
        for (std::size_t w = 0; w < ways.size(); ++w) {
            if ((some >> w & 1u) == 0) continue;
            const ExprPtr next = ways[w].read(r.right);
            all = all && next != r.right;
            r.right = next;
            r.name += (r.name.empty() ? "" : ", ") + std::string(ways[w].name);
        }
        if (all) out.push_back(std::move(r));
    }
    return out;
}

}  // namespace gradproof::proof
