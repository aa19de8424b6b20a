// Writing arrays and entries in NumPy.
#include "gradproof/core/proof/derive/numpy_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

struct Word {
    std::string_view name, numpy;
};
/// Of as many arguments as they have in the notation, and without options.
constexpr auto kSame = std::to_array<Word>({{"exp", "np.exp"},
                                            {"log", "np.log"},
                                            {"sqrt", "np.sqrt"},
                                            {"tanh", "np.tanh"},
                                            {"sin", "np.sin"},
                                            {"cos", "np.cos"},
                                            {"abs", "np.abs"},
                                            {"sign", "np.sign"},
                                            {"floor", "np.floor"},
                                            {"erf", "erf"},
                                            {"sigmoid", "sigmoid"},
                                            {"σ", "sigmoid"},
                                            {"relu", "relu"},
                                            {"silu", "silu"},
                                            {"softplus", "softplus"},
                                            {"gelu", "gelu"},
                                            {"sg", "stop_gradient"},
                                            {"where", "np.where"},
                                            {"mod", "np.mod"},
                                            {"min", "np.minimum"},
                                            {"outer", "np.outer"},
                                            {"kron", "np.kron"},
                                            {"trace", "np.trace"},
                                            {"diag", "np.diag"},
                                            {"inverse", "np.linalg.inv"},
                                            {"det", "np.linalg.det"},
                                            {"logdet", "logdet"},
                                            {"onehot", "one_hot"},
                                            {"range", "np.arange"}});
constexpr auto kReductions = std::to_array<Word>({{"sum", "np.sum"},
                                                  {"mean", "np.mean"},
                                                  {"max", "np.max"},
                                                  {"var", "np.var"},
                                                  {"norm", "np.linalg.norm"},
                                                  {"logsumexp", "logsumexp"}});

template <std::size_t N>
std::string word_of(const std::array<Word, N>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &Word::name);
    return found == all.end() ? "" : std::string(found->numpy);
}

[[noreturn]] void no_words(const Expr& e) { throw NoWords(text_of(e)); }

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

}  // namespace

std::string NumpyText::text(const ExprPtr& e) {
    const std::vector<std::string> before = std::exchange(letters_, {});
    const std::string out = any(e);
    letters_ = before;
    return out;
}

std::string NumpyText::entries(const ExprPtr& e, const std::vector<std::string>& indices) {
    const std::vector<std::string> before = std::exchange(letters_, indices);
    sizes_ = sizes_of_indices(known_, *e);
    for (const std::string& i : indices)
        if (!mentions(*e, i)) no_words(*e);
    const std::optional<std::string> sums = einsum(*e);
    const std::string out = sums ? *sums : any(e);
    letters_ = before;
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
            if (at.kind != Kind::name || !is_index(at.name) || at.name.size() != 1 ||
                !std::islower(static_cast<unsigned char>(at.name[0])))
                return std::nullopt;
            spec += at.name;
            used.insert(at.name);
        }
        arrays += ", " + text(factor->children[0]);
    }
    for (const std::string& l : letters_) result += l;
    if (used.size() != letters_.size() + bound.size()) return std::nullopt;
    return fmt::format("np.einsum(\"{}->{}\"{}){}", spec, result, arrays, after);
}

std::string NumpyText::gradient(const std::string& of) {
    const std::string value = names_.of(of);
    const std::string& short_form = names_.gradient(of);
    return short_form == "d" + value ? short_form : value + ".grad";
}

bool NumpyText::is_letter(const std::string& n) const { return std::ranges::count(letters_, n) > 0; }

NumpyText::Level NumpyText::level(const ExprPtr& e) const {
    switch (e->kind) {
        case Kind::sum: return kSum;
        case Kind::product: return kProduct;
        case Kind::negate: return kUnary;
        case Kind::power: return kPower;
        case Kind::number: return e->number < 0 ? kUnary : kPrimary;
        default: return kPrimary;
    }
}

std::string NumpyText::at_least(const ExprPtr& e, Level least) { return level(e) < least ? "(" + any(e) + ")" : any(e); }

std::string NumpyText::any(const ExprPtr& e) {
    switch (e->kind) {
        case Kind::number: return std::isinf(e->number) ? "np.inf" : e->name.empty() ? fmt::format("{}", e->number) : e->name;
        case Kind::name: return name(*e);
        case Kind::word: return e->name == "true" ? "True" : e->name == "false" ? "False" : (no_words(*e), "");
        case Kind::helper: {
            if (is_einsum(*e)) {
                const std::map<std::string, ExprPtr> before = sizes_;
                const std::string out = entries(e->children[0], e->bound);
                sizes_ = before;
                return "(" + out + ")";
            }
            return names_.of(e->name);
        }
        case Kind::gradient: return gradient(e->name);
        case Kind::array: return "np.array(" + list(e->children, "[", "]") + ")";
        case Kind::sum: return sum(*e);
        case Kind::product: return product(*e);
        case Kind::negate: return "-" + at_least(e->children[0], kUnary);
        case Kind::power: {
            const bool varies = std::ranges::any_of(letters_, [&](const std::string& l) { return mentions(*e->children[1], l); });
            if (varies || !known_.is_number(e->children[1])) no_words(*e);  // of arrays it is not read
            return at_least(e->children[0], kPrimary) + "**" + at_least(e->children[1], kUnary);
        }
        case Kind::transpose:
            if (!letters_.empty()) no_words(*e);
            return known_.axes(e->children[0]).size() > 2 ? "np.swapaxes(" + any(e->children[0]) + ", -1, -2)"
                                                          : at_least(e->children[0], kPrimary) + ".T";
        case Kind::index: return index(*e);
        case Kind::reduce: return reduction(*e);
        case Kind::call: return call(e);
        case Kind::delta: {
            const ExprPtr &a = e->children[0], &b = e->children[1];
            if (a->kind != Kind::name || b->kind != Kind::name || !is_letter(a->name) || !is_letter(b->name)) no_words(*e);
            return aligned("np.eye(" + text(sizes_.at(a->name)) + ")", {a->name, b->name});
        }
        default: no_words(*e);
    }
}

std::string NumpyText::name(const Expr& e) {
    if (is_letter(e.name)) {
        const auto size = sizes_.find(e.name);
        if (size == sizes_.end()) no_words(e);
        return aligned("np.arange(" + text(size->second) + ")", {e.name});
    }
    if (e.name == "pi" || e.name == "π") return "np.pi";
    if (!known_.is_value(e.name)) {
        if (e.name == "e") return "np.e";
        if (e.name == "inf" || e.name == "∞") return "np.inf";
    }
    const auto inner = std::ranges::find(proof_.forward, e.name, &Assignment::name);
    if (inner != proof_.forward.end() && inner->inner) {
        if (!inner->stopped) no_words(e);
        return "stop_gradient(" + text(inner->value) + ")";
    }
    return names_.of(e.name);
}

std::string NumpyText::sum(const Expr& e) {
    std::string out;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const bool minus = e.joints[i] == '-';
        out += i > 0 ? (minus ? " - " : " + ") : minus ? "-" : "";
        out += at_least(e.children[i], kProduct);
    }
    return out;
}

std::string NumpyText::product(const Expr& e) {
    std::string out = at_least(e.children[0], kUnary);
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const auto is_number = [&](const ExprPtr& x) { return !letters_.empty() || known_.is_number(x); };
        const bool matrices = e.joints[i] == '@' && !is_number(e.children[i]) && !is_number(first_factors(e, i));
        out += e.joints[i] == '/' ? " / " : matrices ? " @ " : " * ";
        out += at_least(e.children[i], kPower);
    }
    return out;
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
    return is_new ? array + "[" + joined(axes) + "]" : array;
}

std::string NumpyText::index(const Expr& e) {
    std::vector<std::string> places, letters;
    bool chosen = false;
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Expr& at = *e.children[i];
        if (at.kind == Kind::name && is_letter(at.name)) {
            if (std::ranges::count(letters, at.name) > 0) no_words(e);
            letters.push_back(at.name);
            places.emplace_back(":");
            continue;
        }
        if (std::ranges::any_of(letters_, [&](const std::string& l) { return mentions(at, l); })) no_words(e);
        chosen = chosen || at.kind != Kind::slice || !at.children.empty();
        if (at.kind == Kind::slice)
            places.push_back(at.children.empty() ? ":" : text(at.children[0]) + ":" + text(at.children[1]));
        else
            places.push_back(text(e.children[i]));
    }
    const ExprPtr& of = e.children[0];
    const Level inside = level(of);
    const std::string base = inside < kPrimary ? "(" + text(of) + ")" : text(of);
    return aligned(chosen ? base + "[" + joined(places) + "]" : base, letters);
}

/// Over indices, which are the last axes of what is reduced.
std::string NumpyText::reduction(const Expr& e) {
    const std::string function = word_of(kReductions, e.name);
    const std::vector<std::string> before = letters_;
    if (function.empty() || e.name == "var") no_words(e);
    for (const std::string& b : e.bound) {
        if (is_letter(b) || !mentions(*e.children[0], b)) no_words(e);
        letters_.push_back(b);
    }
    for (const auto& [letter, size] : sizes_of_indices(known_, e)) sizes_.emplace(letter, size);
    std::string out = any(e.children[0]);
    letters_ = before;
    if (before.empty()) return function + "(" + out + ")";
    for (std::size_t i = 0; i < e.bound.size(); ++i) out = function + "(" + out + ", axis=-1)";
    return out;
}

std::string NumpyText::list(const std::vector<ExprPtr>& items, std::string_view open, std::string_view close) {
    std::vector<std::string> parts;
    for (const ExprPtr& c : items) parts.push_back(c->kind == Kind::array ? list(c->children, open, close) : any(c));
    const bool lone = open == "(" && parts.size() == 1;
    return std::string(open) + joined(parts) + (lone ? "," : "") + std::string(close);
}

std::string NumpyText::call(const ExprPtr& e) {
    const bool by_entries = !letters_.empty();
    if (by_entries && !is_elementwise(e->name) && e->name != "where") {
        const bool plain = std::ranges::none_of(letters_, [&](const std::string& l) { return mentions(*e, l); });
        if (!plain || !known_.is_number(e)) no_words(*e);
        return text(e);
    }
    const std::vector<ExprPtr>& x = e->children;
    if (e->name == "step" && x.size() == 1) return "(" + any(x[0]) + " > 0)";
    if (e->name == "max" && x.size() == 2) return "np.maximum(" + any(x[0]) + ", " + any(x[1]) + ")";
    if (const std::string same = word_of(kSame, e->name); !same.empty() && e->options.empty()) {
        std::vector<std::string> arguments;
        for (const ExprPtr& a : x) arguments.push_back(any(a));
        return same + "(" + joined(arguments) + ")";
    }
    return by_entries ? (no_words(*e), "") : of_arrays(e);
}

}  // namespace gradproof::proof
