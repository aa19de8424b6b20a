// Axes by their sizes.
#include "gradproof/core/proof/language/numpy/axes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"

namespace gradproof::proof::numpy {
namespace {

/// What is known of a program, with the axes of its values, each worked out once.
struct Known {
    const Proof& proof;
    std::map<std::string, std::optional<Axes>, std::less<>> of_values{}, of_entries{};
    std::set<std::string, std::less<>> letters{};  ///< that sums around it run over
};
std::optional<Axes> axes_in(const Expr& e, Known& known);

std::optional<Axes> axes_of_value(const std::string& name, Known& known) {
    if (known.letters.contains(name)) return Axes{};
    if (const Assignment* const a = known.proof.find(name)) {
        if (const auto found = known.of_values.find(name); found != known.of_values.end()) return found->second;
        std::optional<Axes> axes = a->indices.empty() ? axes_in(*a->value, known) : std::nullopt;
        return known.of_values[name] = std::move(axes);
    }
    if (std::ranges::find(known.proof.dims, name, &Dim::name) != known.proof.dims.end()) return Axes{};
    const auto given = std::ranges::find(known.proof.given, name, &Given::name);
    if (given == known.proof.given.end()) return std::nullopt;
    if (given->value) return axes_in(*given->value, known);
    Axes out;
    for (const ExprPtr& size : given->shape) out.push_back(text_of(*size));
    return out;
}

/// Which of so many axes is meant; a negative number counts from the end.
std::optional<std::size_t> which_axis(const Expr& axis, std::size_t count) {
    const std::optional<double> said = signed_number(axis);
    const double at = !said ? -1 : *said < 0 ? *said + static_cast<double>(count) : *said;
    return at >= 0 && at < static_cast<double>(count) ? std::optional(static_cast<std::size_t>(at)) : std::nullopt;
}

/// n of x.shape[0], where x has n rows; another size as it is written.
std::string size_in(const Expr& e, Known& known) {
    if (e.kind != Kind::call || e.name != "axis_size") return text_of(e);
    const std::optional<Axes> of = axes_in(*e.children[0], known);
    const std::optional<std::size_t> axis = of ? which_axis(*e.options.at(0).value, of->size()) : std::nullopt;
    return axis ? (*of)[*axis] : "";
}

/// As broadcasting makes them.
std::optional<Axes> together(const std::optional<Axes>& a, const std::optional<Axes>& b) {
    if (!a || !b) return std::nullopt;
    if (a->size() < b->size()) return together(b, a);
    Axes out = *a;
    for (std::size_t i = 1; i <= b->size(); ++i) {
        std::string& size = out[out.size() - i];
        const std::string& other = (*b)[b->size() - i];
        if (size == "1") size = other;
        if (other != "1" && other != size) return std::nullopt;
    }
    return out;
}

std::optional<Axes> matrix_product(const std::optional<Axes>& a, const std::optional<Axes>& b) {
    if (!a || !b || a->empty() || b->empty() || a->size() > 2 || b->size() > 2) return std::nullopt;
    Axes out(a->begin(), a->end() - 1);
    if (b->size() == 2) out.push_back(b->back());
    return out;
}

/// A sum along one axis and the like, or over all of them: then one number, whatever it is of.
std::optional<Axes> axes_of_reduction(const Expr& e, Known& known) {
    const Option* const axis = find_option(e, "axis");
    const bool keeps = find_option(e, "keep") != nullptr;
    if (axis == nullptr) return keeps ? std::optional<Axes>() : Axes{};
    std::optional<Axes> of = axes_in(*e.children[0], known);
    if (!of) return std::nullopt;
    const std::optional<std::size_t> at = which_axis(*axis->value, of->size());
    if (!at) return std::nullopt;
    const auto here = of->begin() + static_cast<std::ptrdiff_t>(*at);
    if (keeps)
        *here = "1";
    else
        of->erase(here);
    return of;
}

bool is_one_number(const Expr& call) {
    const auto is = [&](const auto&... names) { return ((call.name == names) || ...); };
    return is("trace", "det", "logdet", "mse", "cross_entropy");
}

std::optional<Axes> axes_of_call(const Expr& e, Known& known) {
    const bool of_rows = e.name.starts_with("row") || e.name.starts_with("col");
    if (is_reduction(e) && !of_rows && e.children.size() == 1) return axes_of_reduction(e, known);
    if (e.name == "axis_size" || is_one_number(e)) return Axes{};
    if (e.name == "expand_dims") {
        std::optional<Axes> out = axes_in(*e.children.at(0), known);
        const std::optional<std::size_t> at = out ? which_axis(*e.options.at(0).value, out->size() + 1) : std::nullopt;
        if (!at) return std::nullopt;
        out->insert(out->begin() + static_cast<std::ptrdiff_t>(*at), "1");
        return out;
    }
    if (e.name == "range" && e.children.size() == 1) return Axes{size_in(*e.children[0], known)};
    if (e.name == "eye" && e.children.size() == 2) return Axes{size_in(*e.children[0], known), size_in(*e.children[1], known)};
    if (e.name == "onehot" && e.children.size() == 2) {
        std::optional<Axes> out = axes_in(*e.children[0], known);
        if (out) out->push_back(size_in(*e.children[1], known));
        return out;
    }
    const bool alike = is_elementwise(e.name) || e.name == "where" || e.name == "softmax" || e.name == "log_softmax";
    if (!alike || e.children.empty()) return std::nullopt;
    std::optional<Axes> out = Axes{};
    for (const ExprPtr& c : e.children) out = together(out, axes_in(*c, known));
    return out;
}

/// Of x[i, j], or of h[t], whose rows are computed one by one.
std::optional<Axes> axes_of_entries(const Expr& e, Known& known) {
    const std::size_t entries = e.children.size() - 1;
    if (std::ranges::any_of(e.children, [](const ExprPtr& c) { return c->kind == Kind::slice; })) return std::nullopt;
    const Assignment* const a = known.proof.find(e.children[0]->name);
    if (a && a->indices.size() == entries && !a->is_recurrence()) {
        const auto [place, is_new] = known.of_entries.emplace(a->name, std::nullopt);  // of sequences that use each other nothing
        if (!is_new) return place->second;
        const auto letters = std::exchange(known.letters, {a->indices.begin(), a->indices.end()});
        place->second = axes_in(*a->value, known);
        known.letters = letters;
        return place->second;
    }
    std::optional<Axes> of = axes_in(*e.children[0], known);
    if (!of || of->size() < entries) return std::nullopt;
    return Axes(of->begin() + static_cast<std::ptrdiff_t>(entries), of->end());
}

std::optional<Axes> axes_of_sum(const Expr& e, Known& known) {
    const std::set<std::string, std::less<>> letters = known.letters;
    known.letters.insert(e.bound.begin(), e.bound.end());
    const std::optional<Axes> out = axes_in(*e.children[0], known);
    known.letters = letters;
    return out;
}

std::optional<Axes> axes_in(const Expr& e, Known& known) {
    switch (e.kind) {
        case Kind::number: return Axes{};
        case Kind::name:
        case Kind::gradient: return axes_of_value(e.name, known);
        case Kind::helper: return e.bound.empty() && !e.children.empty() ? axes_in(*e.children[0], known) : std::optional<Axes>();
        case Kind::delta: return Axes{};
        case Kind::index: return axes_of_entries(e, known);
        case Kind::reduce: return axes_of_sum(e, known);
        case Kind::negate: return axes_in(*e.children[0], known);
        case Kind::call: return axes_of_call(e, known);
        case Kind::transpose: {
            std::optional<Axes> of = axes_in(*e.children[0], known);
            if (!of || of->size() > 2) return std::nullopt;
            std::ranges::reverse(*of);
            return of;
        }
        case Kind::sum:
        case Kind::product:
        case Kind::power: {
            std::optional<Axes> out = axes_in(*e.children[0], known);
            for (std::size_t i = 1; i < e.children.size(); ++i) {
                const std::optional<Axes> next = axes_in(*e.children[i], known);
                const bool by_matrix =
                    e.kind == Kind::product && e.joints[i] == '@' && out && next && !out->empty() && !next->empty();
                out = by_matrix ? matrix_product(out, next) : together(out, next);
            }
            return out;
        }
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<Axes> axes_of(const Expr& e, const Proof& proof) {
    Known known{proof};
    return axes_in(e, known);
}
std::string size_name(const Expr& e, const Proof& proof) {
    Known known{proof};
    return size_in(e, known);
}

bool are_places(const Expr& e, const Proof& proof) {
    if (e.kind == Kind::call && e.name == "argmax") return true;
    if (e.kind != Kind::name) return false;
    if (const Assignment* const a = proof.find(e.name)) return a->indices.empty() && are_places(*a->value, proof);
    const auto given = std::ranges::find(proof.given, e.name, &Given::name);
    return given != proof.given.end() && given->fill == Fill::index && !given->shape.empty();
}

bool each_row(const Expr& rows, const Expr& places, const Axes& axes, const Proof& proof) {
    if (rows.kind == Kind::name) {
        const Assignment* const a = proof.find(rows.name);
        return a != nullptr && a->indices.empty() && each_row(*a->value, places, axes, proof);
    }
    if (axes.empty() || rows.kind != Kind::call || rows.name != "range" || rows.children.size() != 1) return false;
    const std::optional<Axes> of_places = axes_of(places, proof);
    if (of_places && *of_places != Axes{axes[0]}) return false;
    return size_name(*rows.children[0], proof) == axes[0];
}

}  // namespace gradproof::proof::numpy
