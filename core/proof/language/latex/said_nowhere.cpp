// Readings that a text leaves open.
#include "gradproof/core/proof/language/latex/said_nowhere.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/paths.hpp"
#include "gradproof/core/proof/language/latex/side_by_side.hpp"

namespace gradproof::proof::latex {
namespace {

template <typename F>
void each_part(const Proof& proof, F f) {
    const auto go_through = [&](const ExprPtr& e) {
        if (e != nullptr) for_each(*e, f);
    };
    for (const Assignment& a : proof.forward) go_through(a.value);
    for (const JudgedLine& l : proof.lines)
        for (const ExprPtr& side : {l.left, l.right}) go_through(side);
}

/// w_i of W.
bool is_row_by_letter(const Expr& e, const Source& source) {
    if (e.kind != Kind::index || e.children.empty() || e.children[0]->kind != Kind::name || e.children[0]->name.size() != 1)
        return false;
    const std::string_view written = source.slice(e.span);
    const char matrix = e.children[0]->name[0];
    return matrix >= 'A' && matrix <= 'Z' && !written.empty() && written[0] == matrix - 'A' + 'a';
}

/// Whether a line claims a derivative by this value.
bool is_claimed_by(const std::string& value, const Proof& proof) {
    return std::ranges::any_of(proof.lines, [&](const JudgedLine& l) {
        return l.left != nullptr && any_part(*l.left, [&](const Expr& e) {
                   return (e.kind == Kind::gradient && e.name == value) || (e.kind == Kind::jacobian && e.other == value);
               });
    });
}

/// "The partial derivatives are" of f = x y, where y follows from x and both are what f is differentiated by.
std::vector<std::string> partial_of_both(const Proof& proof) {
    std::vector<std::string> out;
    for (const Assignment& f : proof.forward) {
        const std::set<std::string> names = names_in(*f.value);
        for (const std::string& y : names)
            for (const std::string& x : names)
                if (x != y && proof.find(y) != nullptr && is_claimed_by(x, proof) && is_claimed_by(y, proof) &&
                    follows_from(y, x, proof))
                    out.push_back(fmt::format("total derivatives: {} of {} follows from {}", y, f.name, x));
    }
    return out;
}

/// Whether two inputs are declared in one shape.
bool are_alike(const Given& a, const Given& b) {
    return std::ranges::equal(a.shape, b.shape, [](const ExprPtr& m, const ExprPtr& n) { return text_of(*m) == text_of(*n); });
}

/// Of \nabla_w L(v), where v could stand in the place of w: that it is read as the gradient at w. "" of others.
std::string point_left_out(const Expr& e, const Reading& reading, const Proof& proof) {
    if (e.kind != Kind::gradient && e.kind != Kind::jacobian) return "";
    const std::string& by = e.kind == Kind::gradient ? e.name : e.other;
    const std::string_view written = reading.source.slice(e.span);
    const std::size_t open = written.rfind('(');
    const auto variable = std::ranges::find(proof.given, by, &Given::name);
    if (!written.ends_with(")") || open == written.npos || variable == proof.given.end()) return "";
    const std::vector<std::string> arguments = identifiers_in(written.substr(open));
    if (arguments.empty() || std::ranges::count(arguments, by) > 0) return "";
    const auto could_be = [&](const std::string& name) {
        const auto other = std::ranges::find(proof.given, name, &Given::name);
        return other != proof.given.end() && are_alike(*other, *variable);
    };
    return std::ranges::any_of(arguments, could_be) ? fmt::format("{} as the one at {}", written, by) : "";
}

}  // namespace

std::vector<std::string> said_nowhere(const Reading& reading, const Proof& proof) {
    std::vector<std::string> out;
    const auto add = [&](std::string text) {
        if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
    };
    const std::string_view text = reading.source.text();
    const bool speaks_of_lines = text.find(" row") != text.npos || text.find(" column") != text.npos;
    each_part(proof, [&](const Expr& e) {
        for (std::string& said : said_of_side_by_side(e, proof)) add(std::move(said));
        if (std::string point = point_left_out(e, reading, proof); !point.empty()) add(std::move(point));
        if (is_row_by_letter(e, reading.source) && !reading.lines.are_of(e.children[0]->name) && e.children.size() == 2)
            add(fmt::format("rows {}_i of {}", reading.source.slice(e.span)[0], e.children[0]->name));
        if (speaks_of_lines || e.kind != Kind::call || e.name != "softmax" || e.children.empty()) return;
        const std::optional<AxisNames> axes = axis_names(*e.children[0], proof);
        if (axes && axes->size() == 2) add("the softmax of each row");
    });
    if (text.find("\\mathrm{const") != text.npos ||
        text.find("\\text{const") != text.npos)  // + \mathrm{const}, which is left out
        add("constants that no input is in");
    if (text.find("artial derivative") != text.npos)
        for (std::string& one : partial_of_both(proof)) add(std::move(one));
    return out;
}

void doubt_partials(const Reading& reading, Statements& to) {
    const Proof& proof = to.proof();
    const auto is_partial = [&](const JudgedLine& l, const std::string& value, const std::string& x) {
        if (l.left == nullptr || reading.source.slice(l.left->span).find("\\partial") == std::string_view::npos) return false;
        const Assignment* const of = proof.find(value);
        const bool by_loss = l.left->kind == Kind::gradient && l.left->name == x && of != nullptr && of->is_loss;
        return by_loss || (l.left->kind == Kind::jacobian && l.left->name == value && l.left->other == x);
    };
    for (const auto& [value, arguments] : reading.arguments)
        for (const std::string& y : arguments.names)
            for (const std::string& x : arguments.names) {
                if (x == y || proof.find(y) == nullptr || !is_claimed_by(x, proof) || !follows_from(y, x, proof)) continue;
                to.doubt([&, of = value](const JudgedLine& l) { return is_partial(l, of, x); },
                         fmt::format(
                             "{} of {}{} follows from {}: write it with d for the total derivative; the partial one is not read",
                             y, value, arguments.text, x));
            }
}

}  // namespace gradproof::proof::latex
