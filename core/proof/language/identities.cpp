// Sizes of identities.
#include "gradproof/core/proof/language/identities.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// Identities as terms of sums.
class Identities {
  public:
    Identities(const Proof& proof, const Names& names, const std::function<void(const Expr&)>& lost)
        : proof_(proof), names_(names), lost_(lost) {}

    ExprPtr with(const ExprPtr& e, const std::string& size) const {
        if (!any_part(*e, is_unsized_identity)) return e;
        if (is_term(*e)) {
            if (size.empty()) lost_(*e);
            return sized(e, size);
        }
        std::string inside = size;
        if (e->kind == Kind::sum) {
            for (const ExprPtr& c : e->children)
                if (const std::string other = is_term(*c) ? "" : square(axis_names(*c, proof_, &names_)); !other.empty()) {
                    inside = other;
                    break;
                }
            if (inside.empty() && proof_.dims.size() == 1) inside = proof_.dims[0].name;
        } else if (e->kind != Kind::negate && e->kind != Kind::transpose) {
            inside.clear();
        }
        std::vector<ExprPtr> children;
        for (std::size_t i = 0; i < e->children.size(); ++i)
            children.push_back(with(e->children[i], e->kind == Kind::product ? met(*e, i) : inside));
        return with_children(*e, std::move(children));
    }
    /// Of (P - I) V and V (P - I) the size that V shows.
    std::string met(const Expr& e, std::size_t i) const {
        const auto axes_at = [&](std::size_t k) {
            const bool known = !any_part(*e.children[k], is_unsized_identity);
            return known ? axis_names(*e.children[k], proof_, &names_).value_or(AxisNames{}) : AxisNames{};
        };
        const Expr& c = *e.children[i];
        if (c.kind != Kind::sum && !(c.kind == Kind::transpose && c.children[0]->kind == Kind::sum)) return "";
        const bool behind = i + 1 < e.children.size() && e.joints[i + 1] == '@', before = i > 0 && e.joints[i] == '@';
        AxisNames axes = behind ? axes_at(i + 1) : AxisNames{};
        if (!axes.empty() && axes.front() != "?") return axes.front();
        axes = before ? axes_at(i - 1) : AxisNames{};
        return axes.empty() || axes.back() == "?" ? "" : axes.back();
    }
    /// n of n x n, also where that is a Jacobian.
    static std::string square(const std::optional<AxisNames>& axes) {
        return axes && axes->size() == 2 && (*axes)[0] == (*axes)[1] && (*axes)[0] != "?" ? (*axes)[0] : "";
    }

  private:
    /// I, -I, λ I, I^T and I / r.
    bool is_term(const Expr& e) const {
        if (is_unsized_identity(e)) return true;
        if (e.kind == Kind::negate || e.kind == Kind::transpose) return is_term(*e.children[0]);
        if (e.kind != Kind::product) return false;
        int identities = 0;
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const bool here = (i == 0 || e.joints[i] != '/') && is_term(*e.children[i]);
            identities += here;
            const std::optional<AxisNames> axes = here ? AxisNames{} : axis_names(*e.children[i], proof_, &names_);
            if (!axes || !axes->empty()) return false;
        }
        return identities == 1;
    }
    static ExprPtr sized(const ExprPtr& e, const std::string& size) {
        if (!any_part(*e, is_unsized_identity)) return e;
        if (is_unsized_identity(*e)) {
            Expr eye = *call("eye", {name(size)});
            eye.span = e->span;
            eye.spelling = e->spelling;
            return make(std::move(eye));
        }
        std::vector<ExprPtr> children;
        for (const ExprPtr& c : e->children) children.push_back(sized(c, size));
        return with_children(*e, std::move(children));
    }

    const Proof& proof_;
    const Names& names_;
    const std::function<void(const Expr&)>& lost_;
};

}  // namespace

ExprPtr with_identities(const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names,
                        const std::function<void(const Expr&)>& lost) {
    if (!any_part(*e, is_unsized_identity)) return e;
    const std::string size = left ? Identities::square(axis_names(*left, proof, &names)) : "";
    return Identities(proof, names, lost).with(e, size);
}

}  // namespace gradproof::proof
