// Printing expression trees in the notation.
#include "gradproof/core/proof/language/write.hpp"

#include <fmt/format.h>

#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/expression_writer.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof {
namespace {

/// Whether what was written compares, outside of brackets.
bool compares(std::string_view source) {
    int depth = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth > 0) continue;
        for (const std::string_view sign : {"<", ">", "==", "!=", "≤", "≥", "≠"})
            if (source.substr(i).starts_with(sign)) return true;
    }
    return false;
}

class Writer : public ExpressionWriter {
  public:
    explicit Writer(bool typed) : typed_(typed) {}

    std::string text(const Expr& e) const override {
        if (typed_ && !e.source.empty()) return e.source;
        if (typed_ && e.spelling) return latex::text_of(e);
        switch (e.kind) {
            case Kind::helper: return is_einsum(e) ? einsum_text(e, [&](const Expr& a) { return text(a); }) : e.name;
            case Kind::number:
            case Kind::name:
            case Kind::word: return e.name;
            case Kind::array: return "[" + list_of(e.children, 0, e.children.size()) + "]";
            case Kind::ellipsis: return "...";
            case Kind::slice: return e.children.empty() ? ":" : text(*e.children[0]) + ":" + text(*e.children[1]);
            case Kind::sum: return sum(e);
            case Kind::product: return product(e);
            case Kind::negate: return "-" + at_least(*e.children[0], kUnary);
            case Kind::transpose: return at_least(*e.children[0], kPostfix) + "^T";
            case Kind::power: {
                const Binding base = e.children[0]->kind == Kind::power ? kPrimary : kPostfix;  // (x^2)^3 is no x^2^3
                return at_least(*e.children[0], base) + "^" + at_least(*e.children[1], kPrimary);
            }
            case Kind::call: {
                if (const std::string_view unsized = unsized_text(e); !unsized.empty()) return std::string(unsized);
                std::string out = std::string(shown_function(e.name)) + "(" + list_of(e.children, 0, e.children.size());
                for (const Option& o : e.options) out += (out.back() == '(' ? "" : ", ") + o.name + "=" + text(*o.value);
                return out + ")";
            }
            case Kind::index: return at_least(*e.children[0], kPrimary) + "[" + list_of(e.children, 1, e.children.size()) + "]";
            case Kind::reduce: {
                std::string indices;
                for (const std::string& b : e.bound) indices += (indices.empty() ? "" : ",") + b;
                const std::string body = at_least(*e.children[0], kProduct);
                // From 1 it is no number; where it stands as one, the axis tells how far it runs.
                const bool has_end = e.options.size() == 1 && (typed_ || !counts(*e.children[0], indices));
                if (e.name == "sum" && e.bound.size() == 1 && has_end)
                    return fmt::format("Σ_{{{}=1}}^{{{}}} {}", indices, text(*e.options[0].value), body);
                if (e.name != "sum") return fmt::format("{}_{}({})", e.name, indices, text(*e.children[0]));
                return e.bound.size() > 1 ? fmt::format("Σ_{{{}}} {}", indices, body) : fmt::format("Σ_{} {}", indices, body);
            }
            case Kind::delta: return "δ[" + list_of(e.children, 0, e.children.size()) + "]";
            case Kind::gradient: return "∂L/∂" + e.name;
            case Kind::jacobian: {
                if (!e.options.empty()) return second_order(e);
                const auto at = [&](std::size_t begin, std::size_t end) {
                    return begin == end ? "" : "[" + list_of(e.children, begin, end) + "]";
                };
                return "∂" + e.name + at(0, e.split) + "/∂" + e.other + at(e.split, e.children.size());
            }
        }
        return "";
    }

  private:
    Binding binding(const Expr& e) const override {
        if (typed_ && compares(e.source)) return kComparison;
        switch (e.kind) {
            case Kind::sum: return kSum;
            case Kind::product: return kProduct;
            case Kind::reduce: return kProduct;  // takes in the factors after it
            case Kind::negate: return kUnary;
            case Kind::transpose:
            case Kind::power: return kPostfix;
            case Kind::call: return typed_ && e.source.starts_with("√") ? kUnary : kPrimary;
            default: return kPrimary;
        }
    }

    std::string list_of(const std::vector<ExprPtr>& items, std::size_t begin, std::size_t end) const {
        std::string out;
        for (std::size_t i = begin; i < end; ++i) out += (i > begin ? "," : "") + text(*items[i]);
        return out;
    }

    std::string second_order(const Expr& e) const {
        const auto by = [&](const std::string& name, std::size_t begin, std::size_t end) {
            return "∂" + name + (begin == end ? "" : "[" + list_of(e.children, begin, end) + "]");
        };
        return "∂²" + e.name + "/" + by(e.options[0].value->name, 0, e.split) + by(e.other, e.split, e.children.size());
    }

    std::string product(const Expr& e) const {
        std::string out;
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            if (i > 0) out += e.joints[i] == '@' ? " " : e.joints[i] == '/' ? " / " : " ⊙ ";
            out += factor(e, i);
        }
        return out;
    }

    bool typed_;  ///< what has a source is written as it was typed
};

}  // namespace

std::string ExpressionWriter::at_least(const Expr& e, Binding least) const {
    const std::string inside = text(e);
    return binding(e) < least ? in_brackets(inside) : inside;
}

std::string ExpressionWriter::sum(const Expr& e) const {
    std::string out;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const bool minus = e.joints[i] == '-';
        if (i > 0)
            out += minus ? " - " : " + ";
        else if (minus)
            out += "-";
        out += at_least(*e.children[i], minus || i > 0 ? kProduct : kSum);
    }
    return out;
}

std::string ExpressionWriter::factor(const Expr& e, std::size_t i) const {
    // A factor that is itself a product, or a reduction with factors after it, needs brackets.
    const Expr& f = *e.children[i];
    const bool last = i + 1 == e.children.size();
    const Binding least = f.kind == Kind::reduce && last && i > 0 && e.joints[i] != '/' ? kProduct : kUnary;
    const bool minus_inside = i > 0 && f.kind == Kind::negate;
    return minus_inside ? in_brackets(text(f)) : at_least(f, least);
}

bool is_einsum(const Expr& e) { return e.kind == Kind::helper && e.name.find_first_of("\"'") != std::string::npos; }

std::string einsum_text(const Expr& e, const std::function<std::string(const Expr&)>& text) {
    // Σ_j Σ_k A[i,j] ⊙ B[j,k]: the letters of each factor, then those that are left.
    const Expr* body = e.children[0].get();
    while (body->kind == Kind::reduce) body = body->children[0].get();
    const auto letters = [](const std::vector<std::string>& indices) {
        std::string out;
        for (const std::string& i : indices) out += i[0];
        return out;
    };
    std::string spec, arrays;
    const auto add = [&](const Expr& factor) {
        std::vector<std::string> at;
        for (std::size_t i = 1; factor.kind == Kind::index && i < factor.children.size(); ++i)
            at.push_back(factor.children[i]->name);
        spec += (arrays.empty() ? "" : ",") + letters(at);
        arrays += ", " + text(at.empty() ? factor : *factor.children[0]);
    };
    if (body->kind == Kind::product)
        for (const ExprPtr& c : body->children) add(*c);
    else
        add(*body);
    return "einsum(\"" + spec + "->" + letters(e.bound) + "\"" + arrays + ")";
}

namespace {

/// One comparison, as language/short_forms.hpp makes it of its words.
std::string condition_text(const Expr& e, Notation n, const std::function<std::string(const Expr&)>& text) {
    const bool latex = n == Notation::latex, denies = is_one_minus(e);
    const Expr& of = denies ? *e.children[1] : e;
    if (of.kind == Kind::delta) {
        const char* const sign = !denies ? " = " : latex ? " \\ne " : " ≠ ";
        return text(*of.children[0]) + sign + text(*of.children[1]);
    }
    if (of.kind != Kind::call || of.name != "step") return text(e) + (latex ? " \\ne 0" : " ≠ 0");
    const Expr& above = *of.children[0];
    const std::size_t last = above.children.size() - 1;
    if (above.kind != Kind::sum || above.joints[last] != '-')
        return text(above) + (denies ? latex ? " \\le 0" : " <= 0" : " > 0");
    const std::string sign = !denies ? " < " : latex ? " \\ge " : " >= ";
    Expr rest = above;
    rest.source.clear();
    rest.children.pop_back();
    rest.joints.pop_back();
    return text(*above.children[last]) + sign + text(rest.children.size() == 1 && rest.joints == "+" ? *rest.children[0] : rest);
}

}  // namespace

std::string written_ranges(const ExprPtr& holds, Notation n, const std::function<std::string(const Expr&)>& text) {
    if (!holds) return "";
    const bool several = holds->kind == Kind::product && holds->joints.find('/') == std::string::npos;
    std::string out;
    for (const ExprPtr& c : several ? holds->children : std::vector<ExprPtr>{holds})
        out += (out.empty() ? "" : ", ") + condition_text(*c, n, text);
    return (n == Notation::latex ? " \\quad \\text{for } " : " for ") + out;
}
std::string written_ranges(const ExprPtr& holds) {
    return written_ranges(holds, Notation::notation, [](const Expr& e) { return written(e, Notation::notation); });
}

std::string text_of(const Expr& e) { return Writer(true).text(e); }
/// Numbers of entries from 0 in both, as in the name of a cell, dK[2,1].
std::string written(const Expr& e, Notation n) {
    LatexSpelling from_zero;
    from_zero.first = 0;
    return n == Notation::latex ? latex::text_of(e, from_zero) : Writer(false).text(e);
}

}  // namespace gradproof::proof
