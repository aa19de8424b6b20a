// Axes by the names of their sizes.
#include "gradproof/core/proof/language/axis_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/identities.hpp"

namespace gradproof::proof {
namespace {

using Found = std::optional<AxisNames>;

/// Which of so many axes is meant; a negative number counts from the end.
std::optional<std::size_t> which_axis(const Expr& axis, std::size_t count) {
    const std::optional<double> said = signed_number(axis);
    const double at = !said ? -1 : *said < 0 ? *said + static_cast<double>(count) : *said;
    return at >= 0 && at < static_cast<double>(count) ? std::optional(static_cast<std::size_t>(at)) : std::nullopt;
}

bool is_any(const std::string& size) { return size == "1" || size == "?"; }

/// As broadcasting makes them.
Found together(const Found& a, const Found& b) {
    if (!a || !b) return std::nullopt;
    if (a->size() < b->size()) return together(b, a);
    AxisNames out = *a;
    for (std::size_t i = 1; i <= b->size(); ++i) {
        std::string& size = out[out.size() - i];
        const std::string& other = (*b)[b->size() - i];
        if (size == "1" || (size == "?" && other != "1")) size = other;
        if (!is_any(other) && other != size) return std::nullopt;
    }
    return out;
}

/// Of a matrix product; u v^T of two columns is a matrix.
Found multiplied(const Found& a, const Found& b, bool b_is_turned) {
    if (!a || !b || a->empty() || b->empty() || a->size() > 2 || b->size() > 2) return std::nullopt;
    if (a->size() == 1 && b->size() == 1 && b_is_turned) return AxisNames{a->front(), b->front()};
    AxisNames out(a->begin(), a->end() - 1);
    if (b->size() == 2) out.push_back(b->back());
    return out;
}

class AxisReader {
  public:
    AxisReader(const Proof& proof, const Names* names) : proof_(proof), names_(names) {}

    Found of(const Expr& e) {
        switch (e.kind) {
            case Kind::number:
            case Kind::delta: return AxisNames{};
            case Kind::name:
            case Kind::gradient: return of_name(e.name);
            case Kind::helper: return e.bound.empty() && !e.children.empty() ? of(*e.children[0]) : Found();
            case Kind::negate: return of(*e.children[0]);
            case Kind::transpose: return of_transpose(e);
            case Kind::sum:
            case Kind::power:
            case Kind::product: return of_terms(e);
            case Kind::jacobian: return of_jacobian(e);
            case Kind::index: return of_entries(e);
            case Kind::reduce: return with_letters(e.bound, *e.children[0]);
            case Kind::call: return of_call(e);
            default: return std::nullopt;
        }
    }
    Found of_name(std::string_view name) {
        const auto is_dim = [&](const Dim& d) { return d.name == name; };
        if (letters_.contains(name) || (names_ && names_->dims.contains(name)) || std::ranges::any_of(proof_.dims, is_dim))
            return AxisNames{};
        const auto given = std::ranges::find(proof_.given, name, &Given::name);
        if (given != proof_.given.end()) return of_given(*given);
        if (const Expr* const h = helper(name)) return h->bound.empty() ? of(*h) : Found(AxisNames(h->bound.size(), "?"));
        const Assignment* const value = proof_.find(name);
        return value ? of_value(*value) : std::nullopt;
    }
    /// n of x.shape[0], where x has n rows; another size as it is written.
    std::string size(const Expr& e) {
        if (const Assignment* const a = e.kind == Kind::name ? proof_.find(e.name) : nullptr)  // n = x.shape[0]
            if (a->indices.empty() && a->value->kind == Kind::call && a->value->name == "axis_size") return size(*a->value);
        if (e.kind != Kind::call || e.name != "axis_size") return text_of(e);
        const Found axes = of(*e.children[0]);
        const std::optional<std::size_t> axis = axes ? which_axis(*e.options.at(0).value, axes->size()) : std::nullopt;
        return axis ? (*axes)[*axis] : "";
    }

  private:
    const Expr* helper(std::string_view name) const {
        if (!names_) return nullptr;
        const auto found = names_->helpers.find(name);
        return found == names_->helpers.end() ? nullptr : found->second.get();
    }
    static Found of_given(const Given& given) {
        if (given.value) return given.value->kind == Kind::number ? Found(AxisNames{}) : std::nullopt;
        AxisNames out;
        for (const ExprPtr& size : given.shape) out.push_back(text_of(*size));
        return out;
    }
    /// Each value once, the earlier before the later: a long chain of them then takes no deep recursion.
    Found of_value(const Assignment& value) {
        const auto letters = std::exchange(letters_, {});
        for (const Assignment& a : proof_.forward) {
            if (values_.contains(value.name)) break;
            if (values_.emplace(a.name, std::nullopt).second) values_[a.name] = whole(a);
        }
        letters_ = letters;
        return values_[value.name];
    }
    Found whole(const Assignment& a) {
        if (a.is_recurrence()) return std::nullopt;
        Found out = with_letters(a.indices, *a.value);
        if (out) out->insert(out->begin(), a.indices.size(), "?");
        return out;
    }
    Found with_letters(const std::vector<std::string>& letters, const Expr& e) {
        const auto before = letters_;
        letters_.insert(letters.begin(), letters.end());
        Found out = of(e);
        letters_ = before;
        return out;
    }
    Found of_transpose(const Expr& e) {
        Found out = of(*e.children[0]);
        if (!out || out->size() > 2) return std::nullopt;
        std::ranges::reverse(*out);
        return out;
    }
    /// Of what is added or multiplied, entry by entry or not; an I beside other terms has their size.
    Found of_terms(const Expr& e) {
        Found out = AxisNames{};
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const Expr& c = *e.children[i];
            if (e.kind == Kind::sum && any_part(c, is_unsized_identity)) continue;
            const Found next = of(c);
            const bool by_matrix =
                e.kind == Kind::product && i > 0 && e.joints[i] == '@' && out && next && !out->empty() && !next->empty();
            out = by_matrix ? multiplied(out, next, c.kind == Kind::transpose) : together(out, next);
        }
        return out;
    }
    Found of_jacobian(const Expr& e) {
        if (e.name.empty() || !e.options.empty()) return std::nullopt;
        Found of = of_name(e.name), by = of_name(e.other);
        if (!of || !by || of->size() < e.split || by->size() < e.children.size() - e.split) return std::nullopt;
        of->erase(of->begin(), of->begin() + static_cast<std::ptrdiff_t>(e.split));
        by->erase(by->begin(), by->begin() + static_cast<std::ptrdiff_t>(e.children.size() - e.split));
        of->insert(of->end(), by->begin(), by->end());
        return of;
    }
    /// Of x[i, j], and of h[t], whose rows are computed one by one.
    Found of_entries(const Expr& e) {
        const std::size_t entries = e.children.size() - 1;
        if (std::ranges::any_of(e.children, [](const ExprPtr& c) { return c->kind == Kind::slice; })) return std::nullopt;
        Found out = of(*e.children[0]);
        if (!out || out->size() < entries) return std::nullopt;
        out->erase(out->begin(), out->begin() + static_cast<std::ptrdiff_t>(entries));
        return out;
    }
    /// A sum along one axis and the like, or over all of them: then one number, whatever it is of.
    Found of_reduction(const Expr& e) {
        const Option* const axis = find_option(e, "axis");
        const bool keeps = find_option(e, "keep") != nullptr;
        if (axis == nullptr) return keeps ? Found() : AxisNames{};
        Found out = of(*e.children[0]);
        if (!out) return std::nullopt;
        const std::optional<std::size_t> at = which_axis(*axis->value, out->size());
        if (!at) return std::nullopt;
        const auto here = out->begin() + static_cast<std::ptrdiff_t>(*at);
        if (keeps)
            *here = "1";
        else
            out->erase(here);
        return out;
    }
    static bool is_by_rows(std::string_view name) { return name == "rowsum" || name == "rowmean" || name == "rowmax"; }
    Found of_call(const Expr& e) {
        const bool one = e.children.size() == 1, of_rows = e.name.starts_with("row") || e.name.starts_with("col");
        constexpr std::string_view kNumbers[] = {"axis_size", "det", "logdet", "trace", "mse", "cross_entropy"};
        if (std::ranges::count(kNumbers, e.name) > 0) return AxisNames{};
        if (one && !of_rows && (is_reduction(e) || e.name == "min")) return of_reduction(e);
        if (one && is_by_rows(e.name)) {
            Found out = of(*e.children[0]);
            if (!out || out->size() != 2) return std::nullopt;
            out->back() = "1";
            return out;
        }
        if (one && e.name == "inverse") return of(*e.children[0]);
        if (one && e.name == "range") return AxisNames{size(*e.children[0])};
        if (one && e.name == "diag") return of_diagonal(of(*e.children[0]));
        if (e.name == "eye" || e.name == "ones" || e.name == "zeros") return of_sizes(e);
        if (e.name == "expand_dims") return of_expanded(e);
        if (e.children.size() == 2 && e.name == "outer") return of_outer(of(*e.children[0]), of(*e.children[1]));
        if (e.children.size() == 2 && e.name == "onehot") {
            Found out = of(*e.children[0]);
            if (out) out->push_back(size(*e.children[1]));
            return out;
        }
        const bool alike = is_elementwise(e.name) || e.name == "where" || e.name == "softmax" || e.name == "log_softmax";
        if (!alike || e.children.empty()) return std::nullopt;
        Found out = AxisNames{};
        for (const ExprPtr& c : e.children) out = together(out, of(*c));
        return out;
    }
    static Found of_diagonal(Found of) {
        if (!of || of->size() != 1) return std::nullopt;
        of->push_back(of->front());
        return of;
    }
    static Found of_outer(const Found& a, const Found& b) {
        return a && b && a->size() == 1 && b->size() == 1 ? Found(AxisNames{a->front(), b->front()}) : std::nullopt;
    }
    AxisNames of_sizes(const Expr& e) {
        AxisNames out;
        for (const ExprPtr& c : e.children) out.push_back(size(*c));
        if (e.name == "eye" && out.size() == 1) out.push_back(out[0]);
        return out;
    }
    Found of_expanded(const Expr& e) {
        Found out = of(*e.children.at(0));
        const std::optional<std::size_t> at = out ? which_axis(*e.options.at(0).value, out->size() + 1) : std::nullopt;
        if (!at) return std::nullopt;
        out->insert(out->begin() + static_cast<std::ptrdiff_t>(*at), "1");
        return out;
    }

    const Proof& proof_;
    const Names* const names_;
    std::map<std::string, Found, std::less<>> values_;
    std::set<std::string, std::less<>> letters_;  ///< that sums around it, or entries, run over
};

}  // namespace

bool acts_on_entries(std::string_view function) { return is_elementwise(function) && function != "max" && function != "min"; }

std::optional<AxisNames> axis_names(const Expr& e, const Proof& proof, const Names* names) {
    return AxisReader(proof, names).of(e);
}
std::optional<AxisNames> axis_names(std::string_view name, const Proof& proof, const Names* names) {
    return AxisReader(proof, names).of_name(name);
}
std::string size_name(const Expr& e, const Proof& proof) { return AxisReader(proof, nullptr).size(e); }

}  // namespace gradproof::proof
