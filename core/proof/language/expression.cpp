// Building and walking expression trees.
#include "gradproof/core/proof/language/expression.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gradproof::proof {

Expr node(Kind kind, std::vector<ExprPtr> children, std::string name) {
    Expr e;
    e.kind = kind;
    e.children = std::move(children);
    e.name = std::move(name);
    return e;
}

ExprPtr make(Expr e) {
    e.depth = 1;
    const auto add = [&](const Expr& part) {
        e.depth = std::max(e.depth, part.depth + 1);
        if (!e.spelling) e.spelling = part.spelling;
    };
    for (const ExprPtr& c : e.children) add(*c);
    for (const Option& o : e.options) add(*o.value);
    return std::make_shared<const Expr>(std::move(e));
}

ExprPtr number(double value) {
    Expr e = node(Kind::number, {}, fmt::format("{}", value));
    e.number = value;
    return make(std::move(e));
}
ExprPtr name(std::string text) { return make(node(Kind::name, {}, std::move(text))); }
ExprPtr negate(ExprPtr x) { return x->kind == Kind::negate ? x->children[0] : make(node(Kind::negate, {std::move(x)})); }
ExprPtr transpose(ExprPtr x) { return x->kind == Kind::transpose ? x->children[0] : make(node(Kind::transpose, {std::move(x)})); }
ExprPtr call(std::string function, std::vector<ExprPtr> arguments) {
    return make(node(Kind::call, std::move(arguments), std::move(function)));
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
std::set<std::string> names_in(const Expr& e) {
    std::set<std::string> out;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::name) out.insert(part.name);
    });
    return out;
}
std::set<std::string> free_names_in(const Expr& e) {
    std::set<std::string> out;
    if (e.kind == Kind::name) out.insert(e.name);
    for (const ExprPtr& c : e.children) out.merge(free_names_in(*c));
    for (const Option& o : e.options) out.merge(free_names_in(*o.value));
    for (const std::string& b : e.bound) out.erase(b);
    return out;
}

bool mentions(const Expr& e, const std::string& name) {
    return any_part(e, [&](const Expr& part) { return part.kind == Kind::name && part.name == name; });
}

}  // namespace gradproof::proof
