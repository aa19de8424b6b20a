// Writing arrays and entries in NumPy.
#include "gradproof/core/proof/derive/numpy_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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
template <std::size_t N>
std::string word_of(const std::array<Word, N>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &Word::name);
    return found == all.end() ? "" : std::string(found->numpy);
}

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

}  // namespace

std::string NumpyText::text(const ExprPtr& e) {
    const auto letters = std::exchange(letters_, {});
    const auto sizes = std::exchange(sizes_, {});
    std::string out = any(e);
    letters_ = letters;
    sizes_ = sizes;
    return out;
}

std::string NumpyText::gradient(const std::string& of) {
    const auto inner = std::ranges::find(proof_.forward, of, &Assignment::name);
    if (inner != proof_.forward.end() && inner->inner) {
        if (inner->gradient.empty()) no_numpy(*gradient_of(of));
        return inner->gradient;
    }
    const std::string value = names_.of(of);
    const std::string short_form = "d" + value;
    return names_.unlike_others(short_form) == short_form ? short_form : value + ".grad";
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
        case Kind::word: return e->name == "true" ? "True" : e->name == "false" ? "False" : (no_numpy(*e), "");
        case Kind::helper: return is_einsum(*e) ? "(" + entries(e->children[0], e->bound) + ")" : names_.of(e->name);
        case Kind::gradient: return gradient(e->name);
        case Kind::array: return "np.array(" + list(e->children, "[", "]") + ")";
        case Kind::sum: return sum(*e);
        case Kind::product: return product(*e);
        case Kind::negate: return "-" + at_least(e->children[0], kUnary);
        case Kind::power: {
            const bool varies = std::ranges::any_of(letters_, [&](const std::string& l) { return mentions(*e->children[1], l); });
            if (varies) no_numpy(*e);  // by entries it would have to be aligned
            return at_least(e->children[0], kPrimary) + "**" + at_least(e->children[1], kUnary);
        }
        case Kind::transpose:
            if (!letters_.empty()) no_numpy(*e);
            return known_.axes(e->children[0]).size() > 2 ? "np.swapaxes(" + any(e->children[0]) + ", -1, -2)"
                                                          : at_least(e->children[0], kPrimary) + ".T";
        case Kind::index: return index(*e);
        case Kind::reduce: return reduction(*e);
        case Kind::call: return call(e);
        case Kind::delta: {
            const ExprPtr &a = e->children[0], &b = e->children[1];
            if (a->kind != Kind::name || b->kind != Kind::name || !is_letter(a->name) || !is_letter(b->name)) no_numpy(*e);
            return aligned("np.eye(" + text(sizes_.at(a->name)) + ")", {a->name, b->name});
        }
        default: no_numpy(*e);
    }
}

std::string NumpyText::name(const Expr& e) {
    if (is_letter(e.name)) {
        const auto size = sizes_.find(e.name);
        if (size == sizes_.end()) no_numpy(e);
        return aligned("np.arange(" + text(size->second) + ")", {e.name});
    }
    if (e.name == "pi" || e.name == "π") return "np.pi";
    if (!known_.is_value(e.name)) {
        if (e.name == "e") return "np.e";
        if (e.name == "inf" || e.name == "∞") return "np.inf";
    }
    const auto inner = std::ranges::find(proof_.forward, e.name, &Assignment::name);
    if (inner != proof_.forward.end() && inner->inner) {
        if (!inner->stopped) no_numpy(e);
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
        if (!plain || !known_.is_number(e)) no_numpy(*e);
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
    return by_entries ? (no_numpy(*e), "") : of_arrays(e);
}

}  // namespace gradproof::proof
