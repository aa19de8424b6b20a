// Second derivatives as derivatives of gradients.
#include "gradproof/core/proof/judge/second_order.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// ∂f/∂x, by which the gradient is known among the values.
std::string gradient_name(const std::string& f, const std::string& x) { return fmt::format("∂{}/∂{}", f, x); }

/// What stands for an expression that has no name.
constexpr const char* kUnnamed = "the_expression";

bool is_second_order(const Expr& e) { return e.kind == Kind::jacobian && !e.options.empty(); }

/// Only what f is computed from, as a loss.
Proof ending_in(const Proof& proof, const std::string& f) {
    Proof out = proof;
    out.lines.clear();
    while (!out.forward.empty() && out.forward.back().name != f) out.forward.pop_back();
    for (Assignment& a : out.forward) a.is_loss = a.name == f;
    out.forward.back().inner = false;
    std::erase_if(out.forward, [](const Assignment& a) { return a.inner; });
    if (f.starts_with("(")) out.forward.back().name = kUnnamed;
    return out;
}

/// The gradients of f that the one by x is made of, in the order they are computed in.
/// Errors: ValueError where one cannot be derived; ProofError.
std::vector<Assignment> gradient_of_by(const Proof& proof, const std::string& f, const std::string& x) {
    const Proof p = ending_in(proof, f);
    DeriveOptions options;
    options.wrt = {x};
    const Derivation d = derive(p, options);
    if (!d.missing.empty()) value_error("no second derivative: ∂{}/∂{}: {}", f, d.missing[0].name, d.missing[0].reason);
    std::vector<Assignment> out;
    for (const DerivedLine& line : d.lines) {
        Assignment a;
        a.name = gradient_name(f, line.name);
        if (line.left->kind == Kind::index)
            for (std::size_t i = 1; i < line.left->children.size(); ++i) a.indices.push_back(line.left->children[i]->name);
        a.value = rewritten(with_name_as(line.right, kUnnamed, name(f)),
                            [&](const Expr& e) { return e.kind == Kind::gradient ? name(gradient_name(f, e.name)) : nullptr; });
        a.statement = p.forward.back().statement;
        a.inner = true;
        if (a.is_recurrence()) value_error("no second derivative: ∂{}/∂{} goes back from step to step", f, line.name);
        out.push_back(std::move(a));
    }
    if (std::ranges::none_of(out, [&](const Assignment& a) { return a.name == gradient_name(f, x); }))
        value_error("no second derivative: no path leads from {} to {}", x, f);
    return out;
}

/// Puts them behind f; where f is the last value, before it, with what f is in its place.
void insert_behind(Proof& proof, const std::string& f, std::vector<Assignment> gradients) {
    const auto at = std::ranges::find(proof.forward, f, &Assignment::name);
    const bool last = at + 1 == proof.forward.end();
    std::erase_if(gradients, [&](const Assignment& a) { return proof.find(a.name) != nullptr; });
    if (last)
        for (Assignment& a : gradients) a.value = with_name_as(a.value, f, at->value);
    proof.forward.insert(last ? at : at + 1, gradients.begin(), gradients.end());
}

}  // namespace

Proof with_gradients_as_values(const Proof& proof) {
    const auto any = [](const JudgedLine& l) {
        return l.is_judged() && (any_part(*l.left, is_second_order) || any_part(*l.right, is_second_order));
    };
    if (std::ranges::none_of(proof.lines, any)) return proof;
    Proof out = proof;
    std::map<std::string, std::string> refused;  // why, by the name of the gradient
    for (JudgedLine& line : out.lines) {
        if (!any(line)) continue;
        std::string why;
        std::function<ExprPtr(const Expr&)> as_jacobian = [&](const Expr& e) -> ExprPtr {
            if (e.kind == Kind::helper && any_part(e, is_second_order))
                return with_children(e, {rewritten(e.children[0], as_jacobian)});
            if (!is_second_order(e)) return nullptr;
            const std::string& x = e.options[0].value->name;
            Expr of = e;
            of.name = gradient_name(e.name, x);
            of.options.clear();
            of.source.clear();
            if (out.find(of.name) == nullptr && !refused.contains(of.name)) try {
                    insert_behind(out, e.name, gradient_of_by(proof, e.name, x));
                } catch (const std::invalid_argument& error) {
                    refused[of.name] = error.what();
                }
            if (const auto found = refused.find(of.name); found != refused.end()) why = found->second;
            return make(std::move(of));
        };
        const ExprPtr left = rewritten(line.left, as_jacobian), right = rewritten(line.right, as_jacobian);
        if (!why.empty()) {
            line.state = JudgedLine::State::open;
            line.why = why;
            continue;
        }
        line.left = left;
        line.right = right;
    }
    return out;
}

}  // namespace gradproof::proof
