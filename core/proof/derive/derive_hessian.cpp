// Second order: the lines of the gradient are values like others, and how they move is forward mode.
#include <algorithm>
#include <set>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/derive/known.hpp"
#include "gradproof/core/proof/derive/tangents.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// Of tangents from the first to the last, only those that the last one is made of.
void keep_what_reaches(const std::string& last, std::vector<DerivedLine>& lines) {
    std::set<std::string> wanted{last};
    std::vector<DerivedLine> kept;
    for (std::size_t i = lines.size(); i-- > 0;) {
        if (!wanted.contains("d" + lines[i].name)) continue;
        for_each(*lines[i].right, [&](const Expr& e) {
            if (e.kind == Kind::name) wanted.insert(e.name);
        });
        kept.insert(kept.begin(), lines[i]);
    }
    lines = std::move(kept);
}

/// Errors: ValueError for gradients that go back in time: as values they would take entries that come later.
void expect_forwards(const std::vector<DerivedLine>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t k = i; k < lines.size(); ++k) {
            if (lines[k].left->kind != Kind::index) continue;
            const std::vector<int> steps = own_steps(*lines[i].right, *lines[k].left->children[0]);
            if (std::ranges::any_of(steps, [](int by) { return by > 0; }))
                value_error("no Hessian through steps yet: {} takes entries that come later", lines[i].text);
        }
}

/// `first` or longer, so that no value is called that and then one of the names.
std::string prefix_for(const Names& names, std::string first, const std::vector<DerivedLine>& lines) {
    while (std::ranges::any_of(lines, [&](const DerivedLine& l) { return names.defined(first + l.name); })) first += "_";
    return first;
}

}  // namespace

Derivation derive_hessian(const Proof& proof, const std::string& of, const DeriveOptions& options, const Control& control) {
    Proof p = in_notation(proof);
    if (!p.forward.back().is_loss)
        value_error("a Hessian needs a loss, and {} is not stated as one: loss {} = ...", p.forward.back().name,
                    p.forward.back().name);
    DeriveOptions first = options;
    first.wrt = {of};
    const Derivation gradients = derive(p, first, control);
    const auto found = std::ranges::find(gradients.lines, of, &DerivedLine::name);
    if (found == gradients.lines.end())
        value_error("no Hessian without ∂L/∂{}: {}", of, gradients.missing.empty() ? "" : gradients.missing[0].reason);
    const auto input = std::ranges::find(p.given, of, &Given::name);
    if (input == p.given.end()) value_error("a Hessian is taken by an input, and {} is computed", of);

    expect_forwards(gradients.lines);
    const std::string prefix = prefix_for(names_of(p), "G_", gradients.lines);
    const auto named = [&](const ExprPtr& e) {
        return with_gradients(e, [&](const std::string& n, const std::vector<ExprPtr>& at) {
            return at.empty() ? name(prefix + n) : entry(name(prefix + n), at);
        });
    };
    for (Given& g : p.given) g.differentiable = g.name == of;
    p.forward.pop_back();  // nothing follows from the loss
    std::string text = statements_of(p);
    std::vector<DerivedLine> lines = gradients.lines;
    for (DerivedLine& l : lines) {
        l.left = named(l.left);
        l.right = named(l.right);
        l.name = prefix + l.name;
        l.text = text_of(*l.left) + " = " + text_of(*l.right);
        text += "  " + l.text + "\n";
    }
    Derivation out = derive_tangents(read_proofs("derived.proof", text).front(), options, control);
    keep_what_reaches("d" + prefix + of, out.lines);
    out.lines.insert(out.lines.begin(), lines.begin(), lines.end());
    const Derivation own = about(proof);
    out.file = own.file;
    out.title = own.title;
    out.line = own.line;
    out.heading.clear();
    out.remark = fmt::format("{0}Y is ∂L/∂Y; the Hessian by {1} times d{1} is d{0}{1}", prefix, of);
    return out;
}

SecondOrder second_order(const Proof& proof, const std::string& of, const DeriveOptions& options, const Control& control) {
    const Derivation d = derive_hessian(proof, of, options, control);
    if (!d.missing.empty()) value_error("no Hessian without d{}: {}", d.missing[0].name, d.missing[0].reason);
    Proof p = in_notation(proof);
    // Behind the last line of the gradient come tangents: dY is moved_Y here, as no value is called dY.
    const std::string last = d.lines.back().name, prefix = prefix_for(names_of(p), "moved_", d.lines);
    std::vector<std::string> moved{of};
    for (const DerivedLine& l : d.lines) moved.push_back(l.name);
    SecondOrder out{.proof = p,
                    .of = of,
                    .direction = prefix + of,
                    .loss = p.forward.back().name,
                    .gradient = last,
                    .product = prefix + last};
    Given direction = *std::ranges::find(p.given, of, &Given::name);
    direction.name = out.direction;
    direction.fill = Fill::normal;
    direction.value = nullptr;
    direction.parameters.clear();
    p.given.push_back(direction);
    p.forward.back().is_loss = false;
    std::string text = statements_of(p);
    for (const DerivedLine& l : d.lines) {
        ExprPtr left = l.left, right = l.right;
        for (const std::string& n : moved)
            for (ExprPtr* side : {&left, &right}) *side = with_name_as(*side, "d" + n, name(prefix + n));
        text += "  " + text_of(*left) + " = " + text_of(*right) + "\n";
    }
    out.proof = read_proofs("derived.proof", text).front();
    return out;
}

}  // namespace gradproof::proof
