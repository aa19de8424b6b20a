// Sizes of vectors of ones.
#include "gradproof/core/proof/language/ones.hpp"

#include <algorithm>
#include <charconv>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"

namespace gradproof::proof {
namespace {

bool has_ones(const Expr& e) { return any_part(e, is_unsized_ones); }
/// 1 and 1^T.
bool is_factor_of_ones(const Expr& e) {
    return is_unsized_ones(e) || (e.kind == Kind::transpose && is_unsized_ones(*e.children[0]));
}

class Ones {
  public:
    /// `columns`: of a text whose vectors are matrices [1, n] and [n, 1].
    Ones(const Proof& proof, const Names& names, const std::function<void(const Expr&)>& lost, bool columns)
        : proof_(proof), names_(names), lost_(lost), columns_(columns) {}

    /// `of`: the axes that the whole has, where they are known.
    ExprPtr with(const ExprPtr& e, const std::optional<AxisNames>& of) const {
        if (!has_ones(*e)) return e;
        if (is_factor_of_ones(*e)) return sized(e, of && of->size() == 1 ? of->front() : "");
        std::vector<ExprPtr> children;
        if (e->kind == Kind::product) {
            for (std::size_t i = 0; i < e->children.size(); ++i) {
                const ExprPtr& c = e->children[i];
                children.push_back(is_factor_of_ones(*c)    ? sized(c, beside(*e, i, of))
                                   : are_numbers_but(*e, i) ? with(c, of)
                                                            : with(c, square_beside(*e, i)));
            }
        } else {
            std::optional<AxisNames> inside = e->kind == Kind::sum || e->kind == Kind::negate ? of : std::nullopt;
            for (const ExprPtr& c : e->children)
                if (const auto axes = e->kind == Kind::sum && !has_ones(*c) ? axis_names(*c, proof_, &names_) : std::nullopt;
                    axes && !axes->empty())
                    inside = axes;
            for (const ExprPtr& c : e->children) children.push_back(with(c, inside));
        }
        return with_children(*e, std::move(children));
    }

  private:
    bool is_number(const Expr& e) const {
        const auto axes = has_ones(e) ? std::nullopt : axis_names(e, proof_, &names_);
        return axes && axes->empty();
    }
    bool are_numbers_but(const Expr& product, std::size_t i) const {
        for (std::size_t k = 0; k < product.children.size(); ++k)
            if (k != i && !is_number(*product.children[k])) return false;
        return true;
    }
    /// Whether only numbers stand before it.
    bool begins(const Expr& product, std::size_t i) const {
        return std::all_of(product.children.begin(), product.children.begin() + static_cast<std::ptrdiff_t>(i),
                           [&](const ExprPtr& c) { return is_number(*c); });
    }
    /// Of (I - 1 1^T / n) V and V (I - 1 1^T / n) the axes of what stands in brackets, as V shows them.
    std::optional<AxisNames> square_beside(const Expr& e, std::size_t i) const {
        const Expr& c = *e.children[i];
        if (c.kind != Kind::sum || !any_part(c, is_unsized_identity)) return std::nullopt;
        for (const std::size_t k : {i + 1, i - 1}) {
            if (k >= e.children.size() || e.joints[std::max(i, k)] != '@' || has_ones(*e.children[k])) continue;
            const AxisNames axes = axis_names(*e.children[k], proof_, &names_).value_or(AxisNames{});
            if (!axes.empty()) return AxisNames(2, k > i ? axes.front() : axes.back());
        }
        return std::nullopt;
    }
    /// What size a factor of ones has: that of the axis it meets, or of the whole.
    std::string beside(const Expr& e, std::size_t i, const std::optional<AxisNames>& of) const {
        const bool row = e.children[i]->kind == Kind::transpose;
        const auto axes_at = [&](std::size_t k) -> AxisNames {
            if (has_ones(*e.children[k])) return {};
            return axis_names(*e.children[k], proof_, &names_).value_or(AxisNames{});
        };
        const bool last = i + 1 == e.children.size();
        if (!row && i > 0 && e.joints[i] == '@')
            if (const AxisNames axes = axes_at(i - 1); !axes.empty()) return axes.back();
        if (!last && e.joints[i + 1] == '@' && row)
            if (const AxisNames axes = axes_at(i + 1); !axes.empty()) return axes.front();
        for (const std::size_t k : {i - 1, i + 1}) {
            const std::size_t joint = std::max(i, k);
            if (k >= e.children.size() || e.joints[joint] == '@') continue;
            if (const AxisNames axes = axes_at(k); axes.size() == 1) return axes[0];
        }
        if (!of) return "";
        if (of->size() == 2 && (begins(e, i) || (last && row))) return row ? of->back() : of->front();
        return of->size() == 1 && (!row || are_numbers_but(e, i)) ? of->front() : "";
    }
    ExprPtr sized(const ExprPtr& e, const std::string& size) const {
        if (size.empty() || size == "?") lost_(*e);
        if (e->kind == Kind::transpose) return with_children(*e, {sized(e->children[0], size)});
        int value = 0;
        const auto read = std::from_chars(size.data(), size.data() + size.size(), value);
        const bool number = read.ec == std::errc() && read.ptr == size.data() + size.size();
        const ExprPtr of = number ? proof::number(value) : name(size);
        if (!number && !names_.dims.contains(size)) lost_(*e);
        Expr out = *e;
        out.name = "ones";
        out.children = {of};
        if (columns_) out.children.push_back(proof::number(1));
        return make(std::move(out));
    }

    const Proof& proof_;
    const Names& names_;
    const std::function<void(const Expr&)>& lost_;
    const bool columns_;
};

/// The product of a column [n, 1], as row sums that keep their axis are, and a row v^T entry by entry, which spreads both.
ExprPtr with_spread_columns(const ExprPtr& e, const Proof& proof, const Names& names) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::product) return nullptr;
        Expr out = part;
        for (ExprPtr& c : out.children) c = with_spread_columns(c, proof, names);
        Expr before = node(Kind::product);
        bool changed = false;
        for (std::size_t i = 0; i < out.children.size(); ++i) {
            const Expr& factor = *out.children[i];
            if (i > 0 && out.joints[i] == '@' && factor.kind == Kind::transpose) {
                const auto axes = axis_names(*make(before), proof, &names), row = axis_names(factor, proof, &names);
                const bool spreads = axes && row && axes->size() == 2 && axes->back() == "1" && row->size() == 1;
                if (spreads) out.joints[i] = '*';
                changed = changed || spreads;
            }
            before.children.push_back(out.children[i]);
            before.joints.push_back(i == 0 ? '@' : out.joints[i]);
        }
        if (!changed) return nullptr;
        out.source.clear();
        return make(std::move(out));
    });
}

}  // namespace

ExprPtr with_ones(const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names,
                  const std::function<void(const Expr&)>& lost) {
    const std::optional<AxisNames> axes = left && has_ones(*e) ? axis_names(*left, proof, &names) : std::nullopt;
    const bool columns = axes && axes->size() == 2 && (axes->front() == "1" || axes->back() == "1");
    const ExprPtr sized = has_ones(*e) ? Ones(proof, names, lost, columns).with(e, axes) : e;
    return with_spread_columns(sized, proof, names);
}

}  // namespace gradproof::proof
