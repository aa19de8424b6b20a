// Building, walking and printing expression trees.
#include "gradproof/core/proof/language/expression.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gradproof::proof {
namespace {

Expr node(Kind kind, std::vector<ExprPtr> children = {}) {
    Expr e;
    e.kind = kind;
    e.children = std::move(children);
    return e;
}

enum Binding { kSum, kProduct, kUnary, kPostfix, kPrimary };

Binding binding(const Expr& e) {
    switch (e.kind) {
        case Kind::sum: return kSum;
        case Kind::product: return kProduct;
        case Kind::reduce: return kProduct;  // takes in the factors after it
        case Kind::negate: return kUnary;
        case Kind::transpose:
        case Kind::power: return kPostfix;
        case Kind::call: return e.source.starts_with("√") ? kUnary : kPrimary;
        default: return kPrimary;
    }
}

std::string at_least(const Expr& e, Binding least) {
    const std::string text = text_of(e);
    return binding(e) < least ? "(" + text + ")" : text;
}

std::string list_of(const std::vector<ExprPtr>& items, std::size_t begin, std::size_t end) {
    std::string out;
    for (std::size_t i = begin; i < end; ++i) out += (i > begin ? "," : "") + text_of(*items[i]);
    return out;
}

std::string sum_text(const Expr& e) {
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

std::string product_text(const Expr& e) {
    std::string out;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        if (i > 0) out += e.joints[i] == '@' ? " " : e.joints[i] == '/' ? " / " : " ⊙ ";
        // A factor that is itself a product, or a reduction with factors after it, needs brackets.
        const bool last = i + 1 == e.children.size();
        const Binding least = e.children[i]->kind == Kind::reduce && last && i > 0 && e.joints[i] != '/' ? kProduct : kUnary;
        const bool minus_inside = i > 0 && e.children[i]->kind == Kind::negate;
        out += minus_inside ? "(" + text_of(*e.children[i]) + ")" : at_least(*e.children[i], least);
    }
    return out;
}

}  // namespace

ExprPtr make(Expr e) {
    e.depth = 1;
    for (const ExprPtr& c : e.children) e.depth = std::max(e.depth, c->depth + 1);
    for (const Option& o : e.options) e.depth = std::max(e.depth, o.value->depth + 1);
    return std::make_shared<const Expr>(std::move(e));
}

ExprPtr number(double value) {
    Expr e = node(Kind::number);
    e.number = value;
    e.name = fmt::format("{}", value);
    return make(std::move(e));
}
ExprPtr name(std::string text) {
    Expr e = node(Kind::name);
    e.name = std::move(text);
    return make(std::move(e));
}
ExprPtr negate(ExprPtr x) { return x->kind == Kind::negate ? x->children[0] : make(node(Kind::negate, {std::move(x)})); }
ExprPtr transpose(ExprPtr x) { return x->kind == Kind::transpose ? x->children[0] : make(node(Kind::transpose, {std::move(x)})); }
ExprPtr call(std::string function, std::vector<ExprPtr> arguments) {
    Expr e = node(Kind::call, std::move(arguments));
    e.name = std::move(function);
    return make(std::move(e));
}

ExprPtr product(const ExprPtr& a, char op, const ExprPtr& b) {
    Expr e = node(Kind::product);
    if (a->kind == Kind::product) {
        e.children = a->children;
        e.joints = a->joints;
    } else {
        e.children = {a};
        e.joints = "@";
    }
    e.children.push_back(b);
    e.joints.push_back(op);
    return make(std::move(e));
}

ExprPtr sum(const ExprPtr& a, char op, const ExprPtr& b) {
    Expr e = node(Kind::sum);
    if (a->kind == Kind::sum) {
        e.children = a->children;
        e.joints = a->joints;
    } else {
        e.children = {a};
        e.joints = "+";
    }
    e.children.push_back(b);
    e.joints.push_back(op);
    return make(std::move(e));
}

ExprPtr with_children(const Expr& e, std::vector<ExprPtr> children) {
    Expr copy = e;
    copy.source.clear();
    copy.children = std::move(children);
    return make(std::move(copy));
}

std::string text_of(const Expr& e) {
    if (!e.source.empty()) return e.source;
    switch (e.kind) {
        case Kind::number:
        case Kind::name:
        case Kind::helper:
        case Kind::word: return e.name;
        case Kind::array: return "[" + list_of(e.children, 0, e.children.size()) + "]";
        case Kind::ellipsis: return "...";
        case Kind::slice: return e.children.empty() ? ":" : text_of(*e.children[0]) + ":" + text_of(*e.children[1]);
        case Kind::sum: return sum_text(e);
        case Kind::product: return product_text(e);
        case Kind::negate: return "-" + at_least(*e.children[0], kUnary);
        case Kind::transpose: return at_least(*e.children[0], kPostfix) + "^T";
        case Kind::power: return at_least(*e.children[0], kPostfix) + "^" + at_least(*e.children[1], kPrimary);
        case Kind::call: {
            std::string out = e.name + "(" + list_of(e.children, 0, e.children.size());
            for (const Option& o : e.options) out += (out.back() == '(' ? "" : ", ") + o.name + "=" + text_of(*o.value);
            return out + ")";
        }
        case Kind::index: return at_least(*e.children[0], kPrimary) + "[" + list_of(e.children, 1, e.children.size()) + "]";
        case Kind::reduce: {
            std::string indices;
            for (const std::string& b : e.bound) indices += (indices.empty() ? "" : ",") + b;
            const std::string body = at_least(*e.children[0], kProduct);
            if (e.name != "sum") return fmt::format("{}_{}({})", e.name, indices, text_of(*e.children[0]));
            return e.bound.size() > 1 ? fmt::format("Σ_{{{}}} {}", indices, body) : fmt::format("Σ_{} {}", indices, body);
        }
        case Kind::delta: return "δ[" + list_of(e.children, 0, e.children.size()) + "]";
        case Kind::gradient: return "∂L/∂" + e.name;
        case Kind::jacobian: {
            const auto at = [&](std::size_t begin, std::size_t end) {
                return begin == end ? "" : "[" + list_of(e.children, begin, end) + "]";
            };
            return "∂" + e.name + at(0, e.split) + "/∂" + e.other + at(e.split, e.children.size());
        }
    }
    return "";
}

void for_each(const Expr& e, const std::function<void(const Expr&)>& f) {
    f(e);
    for (const ExprPtr& c : e.children) for_each(*c, f);
    for (const Option& o : e.options) for_each(*o.value, f);
}

std::size_t parts_of(const Expr& e) {
    std::size_t n = 0;
    for_each(e, [&](const Expr&) { ++n; });
    return n;
}

bool any_part(const Expr& e, const std::function<bool(const Expr&)>& f) {
    const auto below = [&](const auto& part) { return any_part(*part, f); };
    return f(e) || std::ranges::any_of(e.children, below) || std::ranges::any_of(e.options, below, &Option::value);
}
bool contains(const Expr& e, Kind kind) {
    return any_part(e, [&](const Expr& part) { return part.kind == kind; });
}
bool mentions(const Expr& e, const std::string& name) {
    return any_part(e, [&](const Expr& part) { return part.kind == Kind::name && part.name == name; });
}

}  // namespace gradproof::proof
