// Writing entries in NumPy: an axis for each index, by broadcasting, or einsum.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "gradproof/core/proof/derive/numpy_text.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

constexpr auto kReductions = std::to_array<std::pair<std::string_view, std::string_view>>({{"sum", "np.sum"},
                                                                                           {"mean", "np.mean"},
                                                                                           {"max", "np.max"},
                                                                                           {"var", "np.var"},
                                                                                           {"norm", "np.linalg.norm"},
                                                                                           {"logsumexp", "logsumexp"}});

/// An index as einsum names it: i, and k of k_, which is called so where k is something else.
std::optional<char> letter_of(const std::string& index) {
    const bool small = std::islower(static_cast<unsigned char>(index[0])) != 0;
    return small && index.find_first_not_of('_', 1) == std::string::npos ? std::optional(index[0]) : std::nullopt;
}

}  // namespace

std::string_view numpy_reduction(std::string_view name) {
    const auto found = std::ranges::find(kReductions, name, &std::pair<std::string_view, std::string_view>::first);
    return found == kReductions.end() ? "" : found->second;
}

void no_numpy(const Expr& e) { throw NoWords(text_of(e)); }

std::string NumpyText::entries(const ExprPtr& e, const std::vector<std::string>& indices) {
    const auto letters = std::exchange(letters_, indices);
    const auto sizes = std::exchange(sizes_, sizes_of_indices(known_, *e));
    for (const std::string& i : indices)
        if (!mentions(*e, i)) no_numpy(*e);
    const std::optional<std::string> sums = einsum(*e);
    std::string out = sums ? *sums : any(e);
    letters_ = letters;
    sizes_ = sizes;
    return out;
}

/// Σ_k A[i,k] B[k,j] / c as einsum("ik,kj->ij", A, B) / c; nothing for what is no sum of products of entries.
std::optional<std::string> NumpyText::einsum(const Expr& e) {
    const Expr* body = &e;
    std::set<std::string> bound;
    for (; body->kind == Kind::reduce && body->name == "sum"; body = body->children[0].get())
        bound.insert(body->bound.begin(), body->bound.end());
    if (body == &e || body->kind != Kind::product) return std::nullopt;
    const auto is_index = [&](const std::string& n) { return is_letter(n) || bound.contains(n); };
    std::string spec, arrays, after, result;
    std::set<std::string> used;
    for (std::size_t i = 0; i < body->children.size(); ++i) {
        const ExprPtr& factor = body->children[i];
        if (!any_part(*factor, [&](const Expr& part) { return part.kind == Kind::name && is_index(part.name); })) {
            after += (body->joints[i] == '/' ? " / " : " * ") + at_least(factor, kPower);
            continue;
        }
        if (factor->kind != Kind::index || (i > 0 && body->joints[i] == '/')) return std::nullopt;
        if (!arrays.empty()) spec += ",";
        for (std::size_t a = 1; a < factor->children.size(); ++a) {
            const Expr& at = *factor->children[a];
            if (at.kind != Kind::name || !is_index(at.name) || !letter_of(at.name)) return std::nullopt;
            spec += *letter_of(at.name);
            used.insert(at.name);
        }
        arrays += ", " + text(factor->children[0]);
    }
    for (const std::string& l : letters_) result += letter_of(l).value_or(' ');
    std::set<char> distinct;
    for (const std::string& l : used) distinct.insert(*letter_of(l));
    if (used.size() != letters_.size() + bound.size() || distinct.size() != used.size()) return std::nullopt;
    return fmt::format("np.einsum(\"{}->{}\"{}){}", spec, result, arrays, after);
}

/// The array with its axes where those of the letters are.
std::string NumpyText::aligned(std::string array, const std::vector<std::string>& letters) const {
    std::vector<std::size_t> at, order;
    for (const std::string& l : letters)
        at.push_back(static_cast<std::size_t>(std::ranges::find(letters_, l) - letters_.begin()));
    for (std::size_t i = 0; i < at.size(); ++i) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return at[i]; });
    if (!std::ranges::is_sorted(order)) {
        const bool two = order.size() == 2;
        array = two ? array + ".T" : fmt::format("np.transpose({}, ({}))", array, fmt::join(order, ", "));
    }
    std::vector<std::string> axes;
    bool is_new = false;
    for (std::size_t i = at.empty() ? letters_.size() : *std::ranges::min_element(at); i < letters_.size(); ++i) {
        const bool has = std::ranges::count(at, i) > 0;
        axes.emplace_back(has ? ":" : "None");
        is_new = is_new || !has;
    }
    return is_new ? array + "[" + fmt::format("{}", fmt::join(axes, ", ")) + "]" : array;
}

std::string NumpyText::index(const Expr& e) {
    std::vector<std::string> places, letters;
    bool chosen = false;
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Expr& at = *e.children[i];
        if (at.kind == Kind::name && is_letter(at.name)) {
            if (std::ranges::count(letters, at.name) > 0) no_numpy(e);
            letters.push_back(at.name);
            places.emplace_back(":");
            continue;
        }
        if (std::ranges::any_of(letters_, [&](const std::string& l) { return mentions(at, l); })) no_numpy(e);
        chosen = chosen || at.kind != Kind::slice || !at.children.empty();
        if (at.kind == Kind::slice)
            places.push_back(at.children.empty() ? ":" : text(at.children[0]) + ":" + text(at.children[1]));
        else
            places.push_back(text(e.children[i]));
    }
    const ExprPtr& of = e.children[0];
    const Level inside = level(of);
    const std::string base = inside < kPrimary ? "(" + text(of) + ")" : text(of);
    return aligned(chosen ? base + "[" + fmt::format("{}", fmt::join(places, ", ")) + "]" : base, letters);
}

/// Over indices, which are the last axes of what is reduced.
std::string NumpyText::reduction(const Expr& e) {
    const std::string function = std::string(numpy_reduction(e.name));
    const auto before = letters_;
    const auto sizes = sizes_;
    if (function.empty() || e.name == "var") no_numpy(e);
    for (const std::string& b : e.bound) {
        if (is_letter(b) || !mentions(*e.children[0], b)) no_numpy(e);
        letters_.push_back(b);
    }
    for (const auto& [letter, size] : sizes_of_indices(known_, e)) sizes_.insert_or_assign(letter, size);
    std::string out = any(e.children[0]);
    letters_ = before;
    sizes_ = sizes;
    if (before.empty()) return function + "(" + out + ")";
    for (std::size_t i = 0; i < e.bound.size(); ++i) out = function + "(" + out + ", axis=-1)";
    return out;
}

}  // namespace gradproof::proof
