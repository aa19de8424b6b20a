// Statements parsed to expressions, and the names in them resolved.
#include "gradproof/core/proof/language/grammar.hpp"

#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/proof/language/builder.hpp"
#include "gradproof/core/proof/language/builder_derivatives.hpp"
#include "gradproof/core/proof/language/builder_ranges.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/registry.hpp"

namespace gradproof::proof {
namespace {

bool names_a_printed_value(const Expr& e) {
    return e.kind == Kind::call && e.name == "printed" && e.children.size() == 1 && e.children[0]->kind == Kind::name &&
           e.options.empty();
}

/// ∂L/∂X is a gradient where L is the loss and carries no index; an index of X is then one of the gradient. printed(S) is the
/// name of those numbers, where S is printed.
ExprPtr resolve(const ExprPtr& e, const Names& names) {
    bool changed = false;
    Expr copy = *e;
    for (ExprPtr& c : copy.children) {
        const ExprPtr r = resolve(c, names);
        changed = changed || r != c;
        c = r;
    }
    for (Option& o : copy.options) {
        const ExprPtr r = resolve(o.value, names);
        changed = changed || r != o.value;
        o.value = r;
    }
    if (e->kind == Kind::jacobian && e->split == 0 && e->options.empty() && names.is_loss(e->name)) {
        Expr g = node(Kind::gradient, {}, e->other);
        g.span = e->span;
        if (copy.children.empty()) {
            g.source = e->source;
            return make(std::move(g));
        }
        Expr at = node(Kind::index);
        at.span = e->span;
        at.source = e->source;
        at.children = {make(std::move(g))};
        at.children.insert(at.children.end(), copy.children.begin(), copy.children.end());
        return make(std::move(at));
    }
    if (e->kind == Kind::name)
        if (const auto helper = names.helpers.find(e->name); helper != names.helpers.end()) {
            Expr here = *helper->second;
            here.span = e->span;
            return make(std::move(here));
        }
    if (names_a_printed_value(*e)) {
        if (const auto numbers = names.printed.find(e->children[0]->name); numbers != names.printed.end()) {
            copy.kind = Kind::name;
            copy.name = numbers->second;
            copy.children.clear();
            return make(std::move(copy));
        }
    }
    return changed ? make(std::move(copy)) : e;
}

template <class Rule>
std::unique_ptr<Node> tree(const Source& source, Span text, const Names& names) {
    const std::string_view slice = source.slice(text);
    peg::memory_input<peg::tracking_mode::eager, peg::eol::lf> in(slice.data(), slice.data() + slice.size(), "");
    Context context{names};
    try {
        return peg::parse_tree::parse<Rule, keep, peg::nothing, control>(in, context);
    } catch (const peg::parse_error& e) {
        std::size_t at = std::min(text.begin + e.positions().front().byte, text.end);
        throw ProofError(source, at, std::string(e.message()));
    }
}

}  // namespace

bool Names::is_function(std::string_view name) const {
    return (!hides_functions || !defined(name)) &&
           (functions.contains(name) || is_builtin(name) || is_short_form(name) || registry().has(name));
}
std::string Names::function_called(const std::string& name) const { return functions.contains(name) ? any_function(name) : name; }
bool Names::is_loss(std::string_view name) const {
    if (several_losses) return false;
    if (!loss.empty() && name == loss) return true;
    return (name == "L" || name == "Loss" || name == "loss" || name == "ℒ") && !values.contains(name);
}
std::vector<std::string> Names::all() const {
    std::vector<std::string> out(values.begin(), values.end());
    out.insert(out.end(), dims.begin(), dims.end());
    out.insert(out.end(), functions.begin(), functions.end());
    for (const auto& [name, meaning] : helpers) out.push_back(name);
    return out;
}
std::optional<std::pair<std::string, std::string>> Names::subscripted(std::string_view name) const {
    const std::size_t bar = name.rfind('_');
    if (bar == 0 || bar == std::string_view::npos || bar + 1 == name.size() || defined(name)) return std::nullopt;
    const std::string_view head = name.substr(0, bar), letters = name.substr(bar + 1);
    const bool all_letters = std::all_of(letters.begin(), letters.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (!has_entries(head) || !all_letters) return std::nullopt;
    return std::pair{std::string(head), std::string(letters)};
}

Equality parse_equality(const Source& source, Span statement, const Names& names) {
    const auto root = tree<equality>(source, statement, names);
    const Builder b(source, statement.begin, names);
    Equality out{resolve(b.build(*root->children.at(0)), names), resolve(b.build(*root->children.at(1)), names), {}, nullptr};
    for (std::size_t i = 2; i < root->children.size(); ++i) {
        const Node& n = *root->children[i];
        if (n.is_type<erratum>())
            out.erratum = b.build(*n.children.at(0));
        else if (n.is_type<ranges>())
            b.add_ranges(n, out);
        else
            out.further.push_back(resolve(b.build(n), names));
    }
    return out;
}

ExprPtr parse_expression(const Source& source, Span text, const Names& names) {
    const auto root = tree<whole_expression>(source, text, names);
    return resolve(Builder(source, text.begin, names).build(*root->children.at(0)), names);
}

std::vector<Declaration> parse_declarations(const Source& source, Span text, const Names& names) {
    const auto root = tree<declarations>(source, text, names);
    const Builder b(source, text.begin, names);
    std::vector<Declaration> out;
    for (const auto& n : root->children) {
        Declaration d;
        d.name = Builder::name_in(*n->children[0]);
        d.span = b.span(*n->children[0]);
        for (std::size_t i = 1; i < n->children.size(); ++i) {
            const Node& part = *n->children[i];
            if (part.is_type<shape_list>()) {
                d.has_shape = true;
                for (const auto& c : part.children) d.shape.push_back(b.build(*c));
            } else if (part.is_type<value_of_name>()) {
                d.value = resolve(b.build(*part.children[0]), names);
            } else {
                d.distribution = part.children[0]->string();
                if (part.children.size() > 1)
                    for (const auto& c : part.children[1]->children) d.parameters.push_back(b.build(*c));
            }
        }
        out.push_back(std::move(d));
    }
    for (std::size_t i = out.size(); i-- > 1;) out[i - 1].take_shape_of(out[i]);
    return out;
}

void Declaration::take_shape_of(const Declaration& next) {
    if (has_shape || value || !distribution.empty() || !next.has_shape || next.value) return;
    has_shape = true;
    shape = next.shape;
    distribution = next.distribution;
    parameters = next.parameters;
}

std::vector<Declaration> parse_dims(const Source& source, Span text, const Names& names) {
    const auto root = tree<dims>(source, text, names);
    const Builder b(source, text.begin, names);
    std::vector<Declaration> out;
    for (const auto& n : root->children) {
        Declaration d;
        d.name = Builder::name_in(*n->children[0]);
        d.span = b.span(*n->children[0]);
        if (n->children.size() > 1) d.value = b.build(*n->children[1]);
        out.push_back(std::move(d));
    }
    return out;
}

std::string parse_quoted(const Source& source, Span text) {
    const Names none;
    return tree<quoted>(source, text, none)->children.at(0)->string();
}

}  // namespace gradproof::proof
