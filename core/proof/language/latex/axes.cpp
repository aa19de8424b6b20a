// Axes of expressions, as far as their form shows them.
#include "gradproof/core/proof/language/latex/axes.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr int kDeepestValues = 40;  // values of values

}  // namespace

bool acts_on_entries(std::string_view function) { return is_elementwise(function) && function != "max" && function != "min"; }

namespace {

class AxesReader {
  public:
    AxesReader(const Proof& proof, const Names& names) : proof_(proof), names_(names) {}

    std::optional<Axes> of(const Expr& e) {
        switch (e.kind) {
            case Kind::number: return Axes{};
            case Kind::name: return of_name(e.name);
            case Kind::gradient: return of_name(e.name);
            case Kind::negate:
            case Kind::power: return of(*e.children[0]);
            case Kind::transpose: {
                std::optional<Axes> axes = of(*e.children[0]);
                if (axes) std::reverse(axes->begin(), axes->end());
                return axes;
            }
            case Kind::sum: return of_sum(e);
            case Kind::product: return of_product(e);
            case Kind::jacobian: return of_jacobian(e);
            case Kind::index: return of_entry(e);
            case Kind::reduce: return of(*e.children[0]);
            case Kind::helper:
                if (!e.bound.empty()) return std::nullopt;
                return of(*e.children[0]);
            case Kind::call: return of_call(e);
            default: return std::nullopt;
        }
    }
    std::optional<Axes> of_name(std::string_view name) {
        if (names_.dims.contains(name)) return Axes{};
        const auto given = std::ranges::find(proof_.given, name, &Given::name);
        if (given != proof_.given.end()) {
            if (given->value) return given->value->kind == Kind::number ? std::optional(Axes{}) : std::nullopt;
            Axes out;
            for (const ExprPtr& size : given->shape) out.push_back(text_of(*size));
            return out;
        }
        if (const auto helper = names_.helpers.find(name); helper != names_.helpers.end()) {
            const Expr& h = *helper->second;
            return h.bound.empty() ? of(h) : std::optional(Axes(h.bound.size(), "?"));
        }
        const Assignment* const value = proof_.find(name);
        if (value == nullptr || depth_ >= kDeepestValues) return std::nullopt;
        if (!value->indices.empty()) {
            if (value->is_recurrence()) return std::nullopt;
            return Axes(value->indices.size(), "?");
        }
        ++depth_;
        std::optional<Axes> out = of(*value->value);
        --depth_;
        return out;
    }

  private:
    std::optional<Axes> of_sum(const Expr& e) {
        Axes out;
        for (const ExprPtr& c : e.children) {
            if (any_part(*c, [](const Expr& part) { return part.kind == Kind::call && part.name == kIdentity; })) continue;
            const std::optional<Axes> one = of(*c);
            if (!one) return std::nullopt;
            if (one->size() > out.size()) out = *one;
        }
        return out;
    }
    std::optional<Axes> of_product(const Expr& e) {
        std::optional<Axes> out = of(*e.children[0]);
        for (std::size_t i = 1; out && i < e.children.size(); ++i) {
            const std::optional<Axes> next = of(*e.children[i]);
            if (!next) return std::nullopt;
            if (e.joints[i] != '@' || out->empty() || next->empty()) {
                if (next->size() > out->size()) out = next;
                continue;
            }
            const bool column = out->size() == 1 && next->size() == 1;
            if (column && e.children[i]->kind == Kind::transpose) {  // u v^T
                out->push_back((*next)[0]);
            } else if (out->size() <= 2 && next->size() <= 2) {
                out->pop_back();
                out->insert(out->end(), next->begin() + 1, next->end());
            } else {
                return std::nullopt;
            }
        }
        return out;
    }
    std::optional<Axes> of_jacobian(const Expr& e) {
        if (e.name.empty() || !e.options.empty()) return std::nullopt;
        std::optional<Axes> of = of_name(e.name), by = of_name(e.other);
        if (!of || !by || of->size() < e.split || by->size() < e.children.size() - e.split) return std::nullopt;
        of->erase(of->begin(), of->begin() + static_cast<std::ptrdiff_t>(e.split));
        by->erase(by->begin(), by->begin() + static_cast<std::ptrdiff_t>(e.children.size() - e.split));
        of->insert(of->end(), by->begin(), by->end());
        return of;
    }
    std::optional<Axes> of_entry(const Expr& e) {
        std::optional<Axes> out = of(*e.children[0]);
        if (!out || out->size() + 1 < e.children.size()) return std::nullopt;
        for (const ExprPtr& at : e.children)
            if (at->kind == Kind::slice) return std::nullopt;
        out->erase(out->begin(), out->begin() + static_cast<std::ptrdiff_t>(e.children.size()) - 1);
        return out;
    }
    /// Of entries that go together; nothing where one of them is not known.
    std::optional<Axes> largest_of(const std::vector<ExprPtr>& all) {
        Axes out;
        for (const ExprPtr& e : all) {
            const std::optional<Axes> axes = of(*e);
            if (!axes) return std::nullopt;
            if (axes->size() > out.size()) out = *axes;
        }
        return out;
    }
    std::optional<Axes> of_call(const Expr& e) {
        constexpr std::string_view kNumbers[] = {"norm", "trace", "det", "logdet"};
        const bool one = e.children.size() == 1 && e.options.empty();
        if (one && std::ranges::find(kNumbers, e.name) != std::end(kNumbers)) return Axes{};
        if (one && e.name == "sum") return Axes{};
        if (one && (acts_on_entries(e.name) || e.name == "softmax")) return of(*e.children[0]);
        if (one && e.name == "inverse") return of(*e.children[0]);
        if (!one && e.options.empty() && (e.name == "max" || e.name == "min")) return largest_of(e.children);
        if (e.name == "eye" || e.name == "ones" || e.name == "zeros") {
            Axes out;
            for (const ExprPtr& size : e.children) out.push_back(text_of(*size));
            if (e.name == "eye" && out.size() == 1) out.push_back(out[0]);
            return out;
        }
        if (e.name == "outer" && e.children.size() == 2) {
            const std::optional<Axes> a = of(*e.children[0]), b = of(*e.children[1]);
            return a && b && a->size() == 1 && b->size() == 1 ? std::optional(Axes{(*a)[0], (*b)[0]}) : std::nullopt;
        }
        std::optional<Axes> out = one ? of(*e.children[0]) : std::nullopt;
        if (e.name != "diag" || !out || out->size() != 1) return std::nullopt;
        out->push_back((*out)[0]);
        return out;
    }

    const Proof& proof_;
    const Names& names_;
    int depth_ = 0;
};

bool is_identity(const Expr& e) { return e.kind == Kind::call && e.name == kIdentity; }

/// Identities as terms of sums.
class Identities {
  public:
    Identities(const Proof& proof, const Names& names, const std::function<void(const Expr&)>& lost)
        : proof_(proof), names_(names), lost_(lost) {}

    ExprPtr with(const ExprPtr& e, const std::string& size) const {
        if (!any_part(*e, is_identity)) return e;
        if (is_term(*e)) {
            if (size.empty()) lost_(*e);
            return sized(e, size);
        }
        std::string inside = size;
        if (e->kind == Kind::sum) {
            for (const ExprPtr& c : e->children)
                if (const std::string other = is_term(*c) ? "" : square(AxesReader(proof_, names_).of(*c)); !other.empty()) {
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
        return rebuilt(*e, std::move(children));
    }
    /// Of (P - I) V and V (P - I) the size that V shows.
    std::string met(const Expr& e, std::size_t i) const {
        const auto axes_at = [&](std::size_t k) {
            const bool known = !any_part(*e.children[k], is_identity);
            return known ? AxesReader(proof_, names_).of(*e.children[k]).value_or(Axes{}) : Axes{};
        };
        const Expr& c = *e.children[i];
        if (c.kind != Kind::sum && !(c.kind == Kind::transpose && c.children[0]->kind == Kind::sum)) return "";
        const bool behind = i + 1 < e.children.size() && e.joints[i + 1] == '@', before = i > 0 && e.joints[i] == '@';
        Axes axes = behind ? axes_at(i + 1) : Axes{};
        if (!axes.empty() && axes.front() != "?") return axes.front();
        axes = before ? axes_at(i - 1) : Axes{};
        return axes.empty() || axes.back() == "?" ? "" : axes.back();
    }
    /// n of n x n, also where that is a Jacobian.
    static std::string square(const std::optional<Axes>& axes) {
        return axes && axes->size() == 2 && (*axes)[0] == (*axes)[1] && (*axes)[0] != "?" ? (*axes)[0] : "";
    }

  private:
    /// I, -I, λ I, I^T and I / r.
    bool is_term(const Expr& e) const {
        if (is_identity(e)) return true;
        if (e.kind == Kind::negate || e.kind == Kind::transpose) return is_term(*e.children[0]);
        if (e.kind != Kind::product) return false;
        int identities = 0;
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const bool here = (i == 0 || e.joints[i] != '/') && is_term(*e.children[i]);
            identities += here;
            const std::optional<Axes> axes = here ? Axes{} : AxesReader(proof_, names_).of(*e.children[i]);
            if (!axes || !axes->empty()) return false;
        }
        return identities == 1;
    }
    static ExprPtr sized(const ExprPtr& e, const std::string& size) {
        if (!any_part(*e, is_identity)) return e;
        if (is_identity(*e)) return rebuilt(*call("eye", {name(size)}), {name(size)}, e.get());
        std::vector<ExprPtr> children;
        for (const ExprPtr& c : e->children) children.push_back(sized(c, size));
        return rebuilt(*e, std::move(children));
    }
    /// At the place of the first, or of `at`.
    static ExprPtr rebuilt(const Expr& e, std::vector<ExprPtr> children, const Expr* at = nullptr) {
        Expr out = e;
        out.children = std::move(children);
        out.span = at ? at->span : e.span;
        out.spelling = at ? at->spelling : e.spelling;
        out.source.clear();
        return make(std::move(out));
    }

    const Proof& proof_;
    const Names& names_;
    const std::function<void(const Expr&)>& lost_;
};

}  // namespace

std::optional<Axes> axes_of(const Expr& e, const Proof& proof, const Names& names) { return AxesReader(proof, names).of(e); }
std::optional<Axes> axes_of_name(std::string_view name, const Proof& proof, const Names& names) {
    return AxesReader(proof, names).of_name(name);
}

ExprPtr with_identities(const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names,
                        const std::function<void(const Expr&)>& lost) {
    if (!any_part(*e, is_identity)) return e;
    const std::string size = left ? Identities::square(axes_of(*left, proof, names)) : "";
    return Identities(proof, names, lost).with(e, size);
}

}  // namespace gradproof::proof::latex
