// Sizes of I and 1.
#include "gradproof/core/proof/language/sizes.hpp"

#include <algorithm>
#include <utility>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/ones.hpp"

namespace gradproof::proof {
namespace {

bool is_call_of_ones(const Expr& e) { return e.kind == Kind::call && e.name == "ones" && e.children.size() == 1; }

bool is_identity(const Expr& e) { return e.kind == Kind::call && e.name == "eye"; }

/// u v^T of two vectors is a matrix where one of them is 1, and beside an identity.
class OuterProducts {
  public:
    OuterProducts(const Proof& proof, const Names& names) : proof_(proof), names_(names) {}

    ExprPtr in(const ExprPtr& e, bool beside_identity = false) const {
        const auto has_identity = [](const ExprPtr& c) { return any_part(*c, is_identity); };
        const bool all = (e->kind == Kind::sum && std::ranges::any_of(e->children, has_identity)) ||
                         (beside_identity && e->kind != Kind::call);
        Expr out = *e;
        bool changed = is_identity(*e) || is_call_of_ones(*e);
        for (ExprPtr& c : out.children) {
            const ExprPtr before = std::exchange(c, in(c, all));
            changed = changed || c != before;
        }
        if (changed) out.source.clear();  // it prints as what it is
        const ExprPtr product = out.kind == Kind::product ? of(out, beside_identity) : nullptr;
        return product ? product : changed ? make(std::move(out)) : e;
    }

  private:
    /// nullptr where nothing changes.
    ExprPtr of(const Expr& product, bool all) const {
        Expr out = product;
        out.source.clear();
        out.children.resize(1);
        out.joints.resize(1);
        bool any = false;
        for (std::size_t i = 1; i < product.children.size(); ++i) {
            const ExprPtr so_far = out.children.size() == 1 ? out.children[0] : make(out), next = product.children[i];
            const bool outer =
                product.joints[i] == '@' && is_column(*so_far) && is_row(*next) && (all || has_ones(*so_far, *next));
            any = any || outer;
            if (outer) {
                out.children = {call("outer", {so_far, next->children[0]})};
                out.joints.resize(1);
            } else {
                out.children.push_back(next);
                out.joints += product.joints[i];
            }
        }
        if (!any) return nullptr;
        return out.children.size() == 1 ? out.children[0] : make(std::move(out));
    }
    static bool has_ones(const Expr& a, const Expr& b) { return any_part(a, is_call_of_ones) || is_call_of_ones(*b.children[0]); }
    bool is_column(const Expr& e) const {
        const auto axes = axis_names(e, proof_, &names_);
        return e.kind != Kind::transpose && axes && axes->size() == 1;
    }
    bool is_row(const Expr& e) const {
        const auto axes = e.kind == Kind::transpose ? axis_names(*e.children[0], proof_, &names_) : std::nullopt;
        return axes && axes->size() == 1;
    }

    const Proof& proof_;
    const Names& names_;
};

/// The matrix of vec(X), and of what is taken by or of vec(X), side by side: Y and X of ∂vec(Y)/∂vec(X). Empty names of others.
struct Columns {
    std::string of, by;
};
Columns columns_in(const Expr& e) {
    if (e.kind != Kind::call || e.name != "reshape" || e.children.size() != 1) return {};
    const Expr& turned = *e.children[0];
    const bool has_one = turned.kind == Kind::transpose || (turned.kind == Kind::call && turned.name == "transpose");
    const Expr* const inside = has_one ? turned.children[0].get() : nullptr;
    if (inside && inside->kind == Kind::jacobian) return {inside->name, inside->other};
    return {inside && (inside->kind == Kind::name || inside->kind == Kind::gradient) ? inside->name : "", ""};
}

/// The I of I ⊗ A and A ⊗ I, which ∂vec(Y)/∂vec(X) on the left or vec(X) behind it show.
class Blocks {
  public:
    Blocks(const Expr* left, const Proof& proof, const Names& names)
        : left_(left ? columns_in(*left) : Columns{}), proof_(proof), names_(names) {}

    ExprPtr in(const ExprPtr& e, const Columns& behind = {}) const {
        if (e->kind == Kind::call && e->name == "kron" && e->children.size() == 2) return sized(e, behind);
        Expr out = *e;
        bool changed = false;
        for (std::size_t i = 0; i < out.children.size(); ++i) {
            const bool meets = e->kind == Kind::product && i + 1 < e->children.size() && e->joints[i + 1] == '@';
            const ExprPtr c = in(e->children[i], meets ? columns_in(*e->children[i + 1]) : Columns{});
            changed = changed || c != out.children[i];
            out.children[i] = c;
        }
        return changed ? make(std::move(out)) : e;
    }

  private:
    ExprPtr sized(const ExprPtr& e, const Columns& behind) const {
        const std::size_t at = is_unsized_identity(*e->children[0]) ? 0 : 1;
        const auto other = axis_names(*e->children[1 - at], proof_, &names_);
        if (!is_unsized_identity(*e->children[at]) || !other || other->size() != 2) return e;
        std::string size = beside(left_.of, other->front());
        if (size.empty()) size = beside(left_.by, other->back());
        if (size.empty()) size = beside(behind.of, other->back());
        if (size.empty()) return e;
        Expr out = *e;
        Expr eye = *call("eye", {name(size)});
        eye.span = e->children[at]->span;
        out.children[at] = make(std::move(eye));
        return make(std::move(out));
    }
    /// Of a matrix with n rows and k columns, k beside n.
    std::string beside(const std::string& matrix, const std::string& known) const {
        const auto axes = matrix.empty() ? std::nullopt : axis_names(matrix, proof_, &names_);
        if (!axes || axes->size() != 2 || known == "?") return "";
        const std::string& other = axes->front() == known ? axes->back() : axes->front();
        return (axes->front() == known || axes->back() == known) && names_.dims.contains(other) ? other : "";
    }

    Columns left_;
    const Proof& proof_;
    const Names& names_;
};

}  // namespace

ExprPtr sized(const Source& source, const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names) {
    const auto is_unsized = [](const Expr& c) { return is_unsized_identity(c) || is_unsized_ones(c); };
    if (!any_part(*e, is_unsized)) return e;
    const ExprPtr ones = with_ones(Blocks(left, proof, names).in(e), left, proof, names, [&](const Expr& at) {
        throw ProofError(source, at.span.begin, "nothing here shows how many ones these are: write ones(n)");
    });
    const ExprPtr identities = with_identities(ones, left, proof, names, [&](const Expr& at) {
        throw ProofError(source, at.span.begin, "nothing here shows the size of this identity: write I_n, or eye(n)");
    });
    Expr out = *OuterProducts(proof, names).in(identities);
    out.source = e->source;
    out.span = e->span;
    return make(std::move(out));
}

}  // namespace gradproof::proof
