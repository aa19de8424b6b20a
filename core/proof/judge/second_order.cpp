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

/// A derivative that stands in what another one is taken of.
bool is_first_order(const Expr& e) { return e.kind == Kind::gradient || e.kind == Kind::jacobian; }
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

/// The name of the value that a derivative inside another one is: its gradients are put into the proof where they are not there.
/// Errors: as gradient_of_by.
std::string first_order_as_value(const Expr& e, const Proof& proof, Proof& out) {
    const bool of_loss = e.kind == Kind::gradient;
    if (proof.forward.empty() || (of_loss && !proof.forward.back().is_loss))
        value_error("no second derivative: ∂L/∂{} depends on the incoming gradient: state a loss", e.name);
    if (!e.children.empty() || !e.options.empty())
        value_error("no second derivative: {} stands in what a derivative is taken of: name the whole gradient", text_of(e));
    const std::string f = of_loss ? proof.forward.back().name : e.name, x = of_loss ? e.name : e.other;
    if (proof.find(f) == nullptr) value_error("no third derivative: {} holds a gradient already", f);
    if (out.find(gradient_name(f, x)) == nullptr) insert_behind(out, f, gradient_of_by(proof, f, x));
    return gradient_name(f, x);
}

/// The tree with each derivative inside it, and inside what it names, as the value that it is.
ExprPtr with_first_order_as_values(const ExprPtr& e, const Proof& proof, Proof& out) {
    std::function<ExprPtr(const Expr&)> as_value = [&](const Expr& part) -> ExprPtr {
        if (part.kind == Kind::helper && any_part(part, is_first_order))
            return with_children(part, {rewritten(part.children[0], as_value)});
        return is_first_order(part) ? name(first_order_as_value(part, proof, out)) : nullptr;
    };
    return rewritten(e, as_value);
}

/// Of each expression that a derivative is taken of and that holds gradients, ∂(g^T g)/∂x where g = ∂L/∂x: these become values in
/// front of it. A line whose gradient cannot be derived is open.
Proof with_inner_gradients_as_values(const Proof& proof) {
    const auto holds_gradients = [](const Assignment& a) { return a.inner && any_part(*a.value, is_first_order); };
    if (std::ranges::none_of(proof.forward, holds_gradients)) return proof;
    Proof plain = proof;
    std::erase_if(plain.forward, holds_gradients);
    Proof out = plain;
    for (const Assignment& a : proof.forward) {
        if (!holds_gradients(a)) continue;
        try {
            Assignment with = a;
            with.value = with_first_order_as_values(a.value, plain, out);
            out.forward.insert(out.forward.back().is_loss ? out.forward.end() - 1 : out.forward.end(), std::move(with));
        } catch (const std::invalid_argument& error) {
            for (JudgedLine& line : out.lines) {
                const auto is_of = [&](const Expr& e) { return e.kind == Kind::jacobian && e.name == a.name; };
                if (!line.is_judged() || (!any_part(*line.left, is_of) && !any_part(*line.right, is_of))) continue;
                line.state = JudgedLine::State::open;
                line.why = error.what();
            }
        }
    }
    return out;
}

}  // namespace

Proof with_gradients_as_values(const Proof& read) {
    const Proof proof = with_inner_gradients_as_values(read);
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
