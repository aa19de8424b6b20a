// Values that stand within other lines: what sg holds, and what a derivative is taken of.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/statements.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {

/// Each sg(x) becomes a value of that name in front of the line.
ExprPtr Statements::stopped(const ExprPtr& e, Statement s) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::call || part.name != "sg") return nullptr;
        if (part.children.size() != 1) fail(part.span, fmt::format("sg: takes 1 argument, got {}", part.children.size()));
        const bool entry = part.children[0]->kind == Kind::index;
        const ExprPtr of = stopped(entry ? part.children[0]->children[0] : part.children[0], s);
        if (any_part(*of, [&](const Expr& p) {
                return p.kind == Kind::name && !names_.defined(p.name) && !p.name.starts_with("sg(") && !is_constant_word(p.name);
            }))
            fail(part.span, "sg takes a whole value or an entry of one: sg(A), sg(A[i,j])");
        Expr held;
        held.kind = Kind::name;
        held.name = fmt::format("sg({})", text_of(*of));
        held.span = part.span;
        held.spelling = part.spelling;
        if (proof_.find(held.name) == nullptr) proof_.forward.push_back({held.name, {}, of, s, false, true, true});
        if (!entry) {
            held.source = part.source;
            return make(std::move(held));
        }
        std::vector<ExprPtr> all = part.children[0]->children;
        all[0] = make(std::move(held));
        return with_children(*part.children[0], std::move(all));
    });
}

bool Statements::say_fixed(const std::string& value, std::optional<Span> where, bool stopped) {
    const auto at = std::ranges::find(proof_.forward, value, &Assignment::name);
    if (at == proof_.forward.end()) return false;
    if (stopped && !where) at->said_fixed.clear();
    if (where && (!at->stopped || !at->said_fixed.empty())) at->said_fixed.push_back(*where);
    at->stopped = at->stopped || stopped;
    return true;
}

void Statements::rename_value(const std::string& from, const std::string& to) {
    for (Assignment& a : proof_.forward) {
        if (a.name == from) a.name = to;
        a.value = renamed(a.value, from, to);
    }
    names_.values.erase(from);
    names_.values.insert(to);
}

std::string Statements::superseded(const Assignment& a) { return fmt::format("({} of line {})", a.name, a.statement.line); }

std::string Statements::supersede(const std::string& name) {
    const auto at = std::ranges::find(proof_.forward, name, &Assignment::name);
    const std::string old = superseded(*at);
    if (names_.values.contains(old))
        throw ProofError(*source_, at->statement.span.begin,
                         fmt::format("{} is assigned twice in line {}: give each a line of its own", name, at->statement.line));
    at->inner = true;
    at->is_loss = false;
    if (names_.loss == name) names_.loss.clear();
    rename_value(name, old);
    std::vector<std::string> held;  // sg(x) of the x that was
    for (const Assignment& a : proof_.forward)
        if (a.stopped && a.name.starts_with("sg(") && mentions(*a.value, old)) held.push_back(a.name);
    for (const std::string& h : held) rename_value(h, fmt::format("{} of line {}", h, source_->line(at->statement.span.begin)));
    return old;
}

std::string Statements::value_within(const std::string& name, const ExprPtr& part, const ExprPtr& whole) {
    if (part->kind == Kind::name) return names_.values.contains(part->name) && !proof_.is_constant(part->name) ? part->name : "";
    const auto at = std::ranges::find(proof_.forward, name, &Assignment::name);
    std::string within = fmt::format("({})", text_of(*part));
    while (names_.values.contains(within)) within = "(" + within + ")";
    Expr in_its_place = node(Kind::name, {}, within);
    in_its_place.span = part->span;
    in_its_place.source = part->source;
    const ExprPtr by_name = make(std::move(in_its_place));
    at->value = rewritten(whole ? whole : at->value, [&](const Expr& e) { return &e == part.get() ? by_name : nullptr; });
    proof_.forward.insert(at, {within, {}, part, at->statement, false, false, true});
    names_.values.insert(within);
    return within;
}

void Statements::name_gradient(const std::string& value, const std::string& gradient) {
    const auto at = std::ranges::find(proof_.forward, value, &Assignment::name);
    if (at != proof_.forward.end() && at->inner) at->gradient = gradient;
}

/// a^T of a number a, where T is a size, is its power.
ExprPtr Statements::with_powers(const ExprPtr& e) const {
    if (!names_.dims.contains("T") || !e) return e;
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::transpose || part.children[0]->kind != Kind::name) return nullptr;
        const auto given = std::ranges::find(proof_.given, part.children[0]->name, &Given::name);
        const bool number =
            given != proof_.given.end() && given->shape.empty() && (!given->value || given->value->kind == Kind::number);
        if (!number || !source_->slice(part.span).ends_with("^T")) return nullptr;
        Expr out = node(Kind::power, {part.children[0], name("T")});
        out.span = part.span;
        return make(std::move(out));
    });
}

/// The indices in it that no sum binds, as they come.
std::vector<std::string> Statements::free_indices(const Expr& e) const {
    std::vector<std::string> out;
    std::set<std::string> free = free_names_in(e);
    for_each(e, [&](const Expr& part) {
        for (std::size_t i = 1; part.kind == Kind::index && i < part.children.size(); ++i)
            for (const std::string& name : names_in(*part.children[i]))
                if (!names_.defined(name) && free.erase(name) > 0) out.push_back(name);
    });
    return out;
}

/// Where in the forward a value may stand that nothing else follows from. The last one gets another behind it, which is the same.
std::size_t Statements::behind_what_it_uses(const Expr& e) {
    std::size_t at = 0;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::name) at = std::max(at, proof_.order_of(part.name));
    });
    if (at < proof_.forward.size() || at == 0) return at;
    const Assignment& last = proof_.forward.back();
    if (last.is_loss)
        fail(e.span, fmt::format("{} is the last value: give its function a line of its own in the forward", last.name));
    Assignment same{fmt::format("({})", last.name), {}, name(last.name), last.statement, false, false, true};
    names_.values.insert(same.name);
    proof_.forward.push_back(std::move(same));
    return at;
}

/// With what the loss is in its place: behind the loss stands no further value.
ExprPtr Statements::without_loss(const ExprPtr& e) const {
    if (proof_.forward.empty() || !proof_.forward.back().is_loss || !mentions(*e, proof_.forward.back().name)) return e;
    return with_name_as(e, proof_.forward.back().name, proof_.forward.back().value);
}

/// Each expression that a derivative is taken of becomes a value.
ExprPtr Statements::with_values(const ExprPtr& e, Statement s) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::jacobian || (!part.name.empty() && part.options.empty())) return nullptr;
        if (!part.name.empty()) return with_second_order(part);
        const ExprPtr of = without_loss(part.children.back());
        const std::vector<std::string> indices = free_indices(*of);
        check_names(*of, indices, "what a derivative is taken of", true);
        Expr out = part;
        out.name = fmt::format("({})", written(*of, Notation::notation));
        out.children.pop_back();
        for (std::size_t i = 0; i < indices.size(); ++i)
            out.children.insert(out.children.begin() + static_cast<std::ptrdiff_t>(i), name(indices[i]));
        out.split = indices.size();
        if (proof_.find(out.name) == nullptr) {
            const auto at = static_cast<std::ptrdiff_t>(behind_what_it_uses(*of));
            proof_.forward.insert(proof_.forward.begin() + at, {out.name, indices, of, s, false, false, true});
            names_.values.insert(out.name);
        }
        return part.options.empty() ? make(std::move(out)) : with_second_order(out);
    });
}

/// ∂²f/∂x∂y says which value f is where it is the loss, and ∇²f by what.
ExprPtr Statements::with_second_order(const Expr& e) {
    Expr out = e;
    if (names_.is_loss(out.name) && !names_.values.contains(out.name)) {
        if (names_.loss.empty()) fail(e.span, "a second derivative is of one number: state the loss, as  loss L = ...");
        out.name = names_.loss;
    }
    if (!out.other.empty()) return make(std::move(out));
    std::vector<std::string> inputs;
    for (const Given& g : proof_.given)
        if (g.differentiable) inputs.push_back(g.name);
    if (inputs.size() != 1)
        fail(e.span,
             fmt::format("there are several inputs: say by which, as ∇²_{}{}", inputs.empty() ? "x" : inputs[0], out.name));
    out.other = inputs[0];
    out.options[0].value = name(inputs[0]);
    return make(std::move(out));
}

}  // namespace gradproof::proof
