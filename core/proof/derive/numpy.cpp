// Expressions in NumPy.
#include "gradproof/core/proof/derive/numpy.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

struct OpName {
    std::string_view name, numpy;
};
/// Functions of one argument; those without a dot are written out above the program.
constexpr auto kFunctions = std::to_array<OpName>({
    {"exp", "np.exp"},
    {"log", "np.log"},
    {"tanh", "np.tanh"},
    {"sin", "np.sin"},
    {"cos", "np.cos"},
    {"abs", "np.abs"},
    {"sqrt", "np.sqrt"},
    {"floor", "np.floor"},
    {"sign", "np.sign"},
    {"diag", "np.diag"},
    {"trace", "np.trace"},
    {"sigmoid", "sigmoid"},
    {"σ", "sigmoid"},
    {"relu", "relu"},
    {"silu", "silu"},
    {"gelu", "gelu"},
    {"inverse", "np.linalg.inv"},
    {"det", "np.linalg.det"},
    {"erf", "erf"},
    {"step", "step"},
    {"softplus", "softplus"},
});
constexpr auto kPython = std::to_array<std::string_view>(
    {"and",   "as",     "assert", "break", "class",  "continue", "def", "del",    "elif",     "else",  "except", "finally",
     "for",   "from",   "global", "if",    "import", "in",       "is",  "lambda", "nonlocal", "not",   "or",     "pass",
     "raise", "return", "try",    "while", "with",   "yield",    "np",  "math",   "sum",      "range", "int",    "float"});

}  // namespace

std::string NumpyText::identifier(const std::string& name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool subscript = name.compare(i, 2, "\xE2\x82") == 0 && i + 2 < name.size();  // ₀ is the bytes E2 82 80
        const int digit = subscript ? static_cast<unsigned char>(name[i + 2]) - 0x80 : -1;
        if (digit >= 0 && digit <= 9) {
            out += static_cast<char>('0' + digit);
            i += 2;
        } else {
            out += name[i] == '\'' ? '_' : name[i];
        }
    }
    return std::ranges::find(kPython, out) == kPython.end() ? out : out + "_";
}

std::map<std::string, std::string> NumpyText::index_sizes(const Expr& e) const {
    std::map<std::string, std::string> out;
    for_each(e, [&](const Expr& part) {
        if (part.kind != Kind::index) return;
        const Axes& of = known_.axes(part.children[0]);
        for (std::size_t i = 1; i < part.children.size() && i <= of.size(); ++i)
            if (part.children[i]->kind == Kind::name)
                out.emplace(part.children[i]->name, NumpyText(known_).text(unwritten(known_.size(of[i - 1]))));
    });
    return out;
}

std::string NumpyText::text(const ExprPtr& e, const std::map<std::string, std::string>& indices) {
    if (!indices.empty()) indices_ = indices;
    switch (e->kind) {
        case Kind::number: return e->name == "inf" || e->name == "∞" ? "np.inf" : fmt::format("{}", e->number);
        case Kind::name:
            if (indices_.contains(e->name) || known_.is_value(e->name)) return identifier(e->name);
            if (e->name == "pi" || e->name == "π") return "np.pi";
            return e->name == "e" || e->name == "inf" ? "np." + e->name : identifier(e->name);
        case Kind::gradient: return identifier("d" + e->name);
        case Kind::sum: {
            std::string out;
            for (std::size_t i = 0; i < e->children.size(); ++i) {
                const bool minus = e->joints[i] == '-';
                out += i > 0 ? (minus ? " - " : " + ") : minus ? "-" : "";
                out += e->children[i]->kind == Kind::sum ? bracketed(e->children[i]) : text(e->children[i]);
            }
            return out;
        }
        case Kind::product: return product(*e);
        case Kind::negate: return "-" + bracketed(e->children[0]);
        case Kind::transpose:
            if (by_entries() || known_.axes(e->children[0]).size() < 2) return text(e->children[0]);
            return bracketed(e->children[0]) + (known_.axes(e->children[0]).size() == 2 ? ".T" : ".swapaxes(-1, -2)");
        case Kind::power: return bracketed(e->children[0]) + "**" + bracketed(e->children[1]);
        case Kind::index: return entry(*e);
        case Kind::call: return call(*e);
        case Kind::delta: return fmt::format("float({} == {})", text(e->children[0]), text(e->children[1]));
        case Kind::array: {
            std::string out;
            for (const ExprPtr& c : e->children) out += (out.empty() ? "" : ", ") + text(c);
            return "np.array([" + out + "])";
        }
        case Kind::reduce: {
            const auto sizes = index_sizes(*e);
            const auto outside = indices_;
            std::string loops;
            ++sums_;
            for (const std::string& b : e->bound) {
                if (!sizes.contains(b)) value_error("numpy: the size of index {} is not known", b);
                indices_.emplace(b, sizes.at(b));
                loops += fmt::format(" for {} in range({})", identifier(b), sizes.at(b));
            }
            const std::string out = fmt::format("sum({}{})", text(e->children[0]), loops);
            --sums_;
            indices_ = outside;
            if (e->name == "sum") return out;
            break;
        }
        default: break;
    }
    value_error("numpy: nothing is written for {}", text_of(*e));
}

std::string NumpyText::bracketed(const ExprPtr& e) {
    const bool whole = e->kind == Kind::name || e->kind == Kind::gradient || e->kind == Kind::number || e->kind == Kind::call ||
                       e->kind == Kind::index || e->kind == Kind::delta || e->kind == Kind::reduce || e->kind == Kind::array;
    return whole ? text(e) : "(" + text(e) + ")";
}

std::string NumpyText::product(const Expr& e) {
    std::string out;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const ExprPtr& c = e.children[i];
        if (i > 0) {
            Expr left = e;
            left.children.resize(i);
            left.joints.resize(i);
            const bool numbers =
                by_entries() || known_.is_number(c) || known_.is_number(i == 1 ? e.children[0] : make(std::move(left)));
            out += e.joints[i] == '/' ? " / " : e.joints[i] == '@' && !numbers ? " @ " : " * ";
        }
        out += c->kind == Kind::transpose || (i == 0 && (c->kind == Kind::power || c->kind == Kind::negate)) ? text(c)
                                                                                                             : bracketed(c);
    }
    return out;
}

std::string NumpyText::entry(const Expr& e) {
    std::string at;
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const ExprPtr& c = e.children[i];
        if (i > 1) at += ", ";
        if (c->kind != Kind::slice)
            at += c->kind == Kind::name || c->kind == Kind::number ? text(c) : "int(" + text(c) + ")";
        else
            at += c->children.empty() ? ":" : text(c->children[0]) + ":" + text(c->children[1]);
    }
    // The base is an array also where its entries are taken one by one.
    NumpyText whole(known_);
    const std::string base = whole.bracketed(e.children[0]);
    used_.insert(whole.used_.begin(), whole.used_.end());
    return base + "[" + at + "]";
}

std::string NumpyText::option(const Expr& e, std::string_view name, const std::string& otherwise) {
    const Option* found = find_option(e, name);
    if (!found) return otherwise;
    if (found->value->kind == Kind::word) return found->value->name == "true" ? "True" : "False";
    return text(found->value);
}

std::string NumpyText::tuple(const std::vector<ExprPtr>& sizes) {
    std::string out;
    for (const ExprPtr& s : sizes) out += (out.empty() ? "" : ", ") + text(s);
    return "(" + out + (sizes.size() == 1 ? ",)" : ")");
}

std::string NumpyText::reduction(const Expr& e, std::string_view function, bool rows, bool columns) {
    const std::string x = text(e.children[0]);
    const std::string axis = rows ? "-1" : columns ? "-2" : option(e, "axis", "None");
    const std::string keep = rows || columns ? "True" : option(e, "keep", "False");
    std::string options = axis == "None" ? "" : ", axis=" + axis;
    if (keep == "True") options += ", keepdims=True";
    if (function == "norm" || function == "logsumexp") {
        used_.insert(std::string(function));
        return fmt::format("{}({}{})", function, x, options);
    }
    return fmt::format("np.{}({}{})", function, x, options);
}

std::string NumpyText::call(const Expr& e) {
    const std::vector<ExprPtr>& x = e.children;
    for (const std::string_view f : {"sum", "mean", "var", "max", "norm", "logsumexp"}) {
        if (e.name == f && x.size() == 1) return reduction(e, f, false, false);
        if (e.name.size() > 3 && e.name.substr(3) == f)
            return reduction(e, f, e.name.starts_with("row"), e.name.starts_with("col"));
    }
    const auto known = std::ranges::find(kFunctions, e.name, &OpName::name);
    if (known != kFunctions.end() && x.size() == 1 && e.options.empty()) {
        if (!known->numpy.starts_with("np.")) used_.insert(std::string(known->numpy));
        return fmt::format("{}({})", known->numpy, text(x[0]));
    }
    const auto both = [&] { return fmt::format("({}, {})", text(x[0]), text(x[1])); };
    if (e.name == "softmax" || e.name == "log_softmax") {
        used_.insert(e.name);
        return fmt::format("{}({}, axis={})", e.name, text(x[0]), option(e, "axis", "-1"));
    }
    if (e.name == "logdet") return fmt::format("np.linalg.slogdet({})[1]", text(x[0]));
    if (e.name == "cumsum") return fmt::format("np.cumsum({}, axis={})", text(x[0]), option(e, "axis", "-1"));
    if (e.name == "outer") return "np.outer" + both();
    if (e.name == "max") return "np.maximum" + both();
    if (e.name == "min") return "np.minimum" + both();
    if (e.name == "mod") return "np.mod" + both();
    if (e.name == "eye") return fmt::format("np.eye({}, {})", text(x[0]), text(x.back()));
    if (e.name == "causal") return fmt::format("np.triu(np.full(({}, {}), -np.inf), 1)", text(x[0]), text(x.back()));
    if (e.name == "ones" || e.name == "zeros") return fmt::format("np.{}({})", e.name, tuple(x));
    if (e.name == "range") return fmt::format("np.arange({})", text(x[0]));
    if (e.name == "where" && x.size() == 3) {
        if (by_entries()) return fmt::format("({} if {} != 0 else {})", text(x[1]), bracketed(x[0]), text(x[2]));
        return fmt::format("np.where({} != 0, {}, {})", bracketed(x[0]), text(x[1]), text(x[2]));
    }
    if (e.name == "concat") {
        std::string parts;
        for (const ExprPtr& c : x) parts += (parts.empty() ? "" : ", ") + text(c);
        return fmt::format("np.concatenate([{}], axis={})", parts, option(e, "axis", "0"));
    }
    const auto list = std::ranges::find_if(e.options, [](const Option& o) { return o.name == "shape" || o.name == "perm"; });
    if ((e.name == "reshape" || e.name == "transpose") && list != e.options.end() && list->value->kind == Kind::array)
        return fmt::format("np.{}({}, {})", e.name, text(x[0]), tuple(list->value->children));
    value_error("numpy: nothing is written for {}", text_of(e));
}

}  // namespace gradproof::proof
