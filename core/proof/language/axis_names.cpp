// Axes by the names of their sizes.
#include "gradproof/core/proof/language/axis_names.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/linear_size.hpp"

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
            if (a->indices.empty() && (is_call(*a->value, "axis_size") || is_size(*a->value))) return size(*a->value);
        if (!is_call(e, "axis_size")) return text_of(e);
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
        if (a.is_recurrence()) {  // the row before is as what stands before the first
            const Expr* const start = start_of(a);
            const Found row = start && a.indices.size() == 1 ? of(*start) : std::nullopt;
            if (!row) return std::nullopt;
            if (row->empty()) {  // S_0 = 0, of any shape: the other terms show it
                growing_ = a.name;
            } else {
                values_[a.name] = *row;
                values_[a.name]->insert(values_[a.name]->begin(), "?");
            }
        }
        Found out = with_letters(a.indices, *a.value);
        growing_.clear();
        if (out) out->insert(out->begin(), a.indices.size(), "?");
        return out;
    }
    /// s of h[t] = ... where(t > 0, f(h[t-1]), s); nullptr where it is not said so.
    static const Expr* start_of(const Assignment& a) {
        const Expr* out = nullptr;
        for_each(*a.value, [&](const Expr& e) {
            const bool begins = is_call(e, "where") && e.children.size() == 3 && mentions(*e.children[1], a.name) &&
                                !mentions(*e.children[2], a.name);
            if (begins) out = e.children[2].get();
        });
        return out;
    }
    static bool is_call(const Expr& e, std::string_view function) { return e.kind == Kind::call && e.name == function; }
    bool is_size(const Expr& e) const {
        return e.kind == Kind::name && std::ranges::any_of(proof_.dims, [&](const Dim& d) { return d.name == e.name; });
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
            if (e.kind == Kind::sum && !next && !growing_.empty() && mentions(c, growing_)) continue;
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
        Found out = of(*e.children[0]);
        if (!out || out->size() < entries) return std::nullopt;
        AxisNames left;
        for (std::size_t i = 0; i < entries; ++i) {
            const Expr& at = *e.children[i + 1];
            if (at.kind != Kind::slice) continue;
            left.push_back(at.children.empty() ? (*out)[i] : of_part(at));
            if (left.back().empty()) return std::nullopt;
        }
        left.insert(left.end(), out->begin() + static_cast<std::ptrdiff_t>(entries), out->end());
        return left;
    }
    /// Of H:2*H.
    std::string of_part(const Expr& part) {
        if (part.children.size() != 2) return "";
        const std::optional<Linear> from = linear(*part.children[0]), to = linear(*part.children[1]);
        return from && to ? written(plus(*to, *from, -1)) : "";
    }
    std::optional<Linear> linear(const Expr& e) {
        if (e.kind == Kind::sum) {
            std::optional<Linear> out = Linear{};
            for (std::size_t i = 0; i < e.children.size() && out; ++i) {
                const std::optional<Linear> next = linear(*e.children[i]);
                out = next ? std::optional(plus(*out, *next, e.joints[i] == '-' ? -1 : 1)) : std::nullopt;
            }
            return out;
        }
        if (e.kind != Kind::product) return e.kind == Kind::number ? Linear{{"", e.number}} : linear_in(size(e));
        std::optional<Linear> out;
        double number = 1;
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const std::optional<double> factor = signed_number(*e.children[i]);
            const bool divides = e.joints[i] == '/';
            if (!factor && (out || divides)) return std::nullopt;
            if (!factor && !(out = linear(*e.children[i]))) return std::nullopt;
            if (factor) number *= divides ? 1 / *factor : *factor;
        }
        return plus({}, out.value_or(Linear{{"", 1}}), number);
    }
    Found of_permuted(const Expr& e) {
        const Option* const perm = find_option(e, "perm");
        const Found whole = of(*e.children[0]);
        if (perm == nullptr || !whole || perm->value->children.size() != whole->size()) return std::nullopt;
        AxisNames out;
        for (const ExprPtr& axis : perm->value->children) {
            const std::optional<std::size_t> at = which_axis(*axis, whole->size());
            if (!at) return std::nullopt;
            out.push_back((*whole)[*at]);
        }
        return out;
    }
    /// -1 is the size of a vector, where the others are 1.
    Found of_reshaped(const Expr& e) {
        const Option* const shape = find_option(e, "shape");
        if (shape == nullptr || shape->value->kind != Kind::array) return std::nullopt;
        AxisNames out;
        bool all_one = true;
        std::size_t rest = shape->value->children.size();
        for (const ExprPtr& c : shape->value->children) {
            if (signed_number(*c) == -1) rest = out.size();
            out.push_back(size(*c));
            all_one = all_one && (rest + 1 == out.size() || out.back() == "1");
        }
        if (rest == out.size()) return std::ranges::count(out, "") > 0 ? std::nullopt : Found(out);
        const Found of_whole = all_one ? of(*e.children[0]) : std::nullopt;
        if (!of_whole || of_whole->size() != 1) return std::nullopt;
        out[rest] = of_whole->front();
        return out;
    }
    Found of_concatenated(const Expr& e) {
        const Option* const axis = find_option(e, "axis");
        Found out = of(*e.children.at(0));
        const std::optional<std::size_t> at =
            out ? axis ? which_axis(*axis->value, out->size()) : std::optional<std::size_t>(0) : std::nullopt;
        if (!at || *at >= out->size()) return std::nullopt;
        Linear total;
        for (const ExprPtr& c : e.children) {
            const Found next = of(*c);
            const std::optional<Linear> size = next && next->size() == out->size() ? linear_in((*next)[*at]) : std::nullopt;
            if (!size) return std::nullopt;
            total = plus(total, *size, 1);
        }
        (*out)[*at] = written(total);
        return (*out)[*at].empty() ? std::nullopt : out;
    }
    /// A sum along some axes and the like, or over all of them: then one number, whatever it is of.
    Found of_reduction(const Expr& e) {
        const Option* const axis = find_option(e, "axis");
        const bool keeps = find_option(e, "keep") != nullptr;
        if (axis == nullptr) return keeps ? Found() : AxisNames{};
        Found out = of(*e.children[0]);
        if (!out) return std::nullopt;
        std::set<std::size_t, std::greater<>> all;  // of axis=(0, 2) the last first, so that the others keep their places
        const bool several = axis->value->kind == Kind::array;
        for (const ExprPtr& one : several ? axis->value->children : std::vector<ExprPtr>{axis->value}) {
            const std::optional<std::size_t> at = which_axis(*one, out->size());
            if (!at) return std::nullopt;
            all.insert(*at);
        }
        for (const std::size_t at : all) {
            const auto here = out->begin() + static_cast<std::ptrdiff_t>(at);
            if (keeps)
                *here = "1";
            else
                out->erase(here);
        }
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
        if (e.name == "concat") return of_concatenated(e);
        if (e.name == "reshape" && one) return of_reshaped(e);
        if (e.name == "transpose" && one) return of_permuted(e);
        if (e.children.size() == 2 && e.name == "outer") return of_outer(of(*e.children[0]), of(*e.children[1]));
        if (e.children.size() == 2 && e.name == "onehot") {
            Found out = of(*e.children[0]);
            if (out) out->push_back(size(*e.children[1]));
            return out;
        }
        constexpr std::string_view kAlike[] = {"where", "softmax", "log_softmax", "cumsum", "cumprod"};
        const bool alike = is_elementwise(e.name) || std::ranges::count(kAlike, e.name) > 0;
        if (!alike || e.children.empty()) return std::nullopt;
        Found out = AxisNames{};
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const Found one_of = of(*e.children[i]);
            const bool condition = e.name == "where" && i == 0;  // of an index nobody knows the axes
            if (!condition || one_of) out = together(out, one_of);
        }
        return out;
    }
    static Found of_diagonal(Found of) {
        if (of && of->size() == 2) return AxisNames{of->front()};
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
    std::string growing_;                         ///< the recurrence whose axes its other terms show
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
bool has_no_axes(const Expr& e, const Proof& proof) {
    const std::optional<AxisNames> axes = axis_names(e, proof);
    return axes && axes->empty();
}
std::string size_name(const Expr& e, const Proof& proof) { return AxisReader(proof, nullptr).size(e); }

}  // namespace gradproof::proof
