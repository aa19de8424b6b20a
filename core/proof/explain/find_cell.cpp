// An entry by its name, and the proof that has it.
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/explain/cell.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// A name that this proof does not know, and another of the file may.
struct UnknownName : ValueError {
    using ValueError::ValueError;
};

void expect_known(const std::string& name, const Proof& proof, bool derivative, const std::string& text) {
    const Names names = names_of(proof);
    if (!names.values.contains(name)) {
        throw UnknownName(
            fmt::format("{}: no value is called {}{}", text, name,
                        did_you_mean(name, names.values, fmt::format("; there are {}", fmt::join(names.values, ", ")))));
    }
    if (derivative && proof.is_constant(name)) value_error("{}: {} is a constant: it takes no gradient", text, name);
}

/// The whole numbers at the children from `first` to `last`.
std::vector<Index> numbers_of(const Expr& e, std::size_t first, std::size_t last, const std::string& text) {
    std::vector<Index> out;
    for (std::size_t i = first; i < last; ++i) {
        const Expr& c = *e.children[i];
        if (c.kind != Kind::number || c.number != std::floor(c.number) || c.number > 1e15)
            value_error("{}: an index is {}, expected a whole number from 0", text, text_of(c));
        out.push_back(static_cast<Index>(c.number));
    }
    return out;
}

Cell read_cell(const std::string& text, const Proof& proof) {
    ExprPtr e;
    const std::string shown = printable(text, 60);
    try {
        const Source source("cell", text);
        e = parse_expression(source, {0, text.size()}, names_of(proof));
    } catch (const ProofError& error) {
        value_error("{}: {}; expected an entry as in dK[2,1] or S[0,1]", shown, error.message());
    }
    Cell cell;
    const Expr& base = without_indices(*e);
    if (e->kind == Kind::jacobian) {
        cell = {Cell::Type::jacobian, e->name, e->other, numbers_of(*e, 0, e->split, shown),
                numbers_of(*e, e->split, e->children.size(), shown)};
        expect_known(cell.by, proof, true, shown);
    } else if (base.kind == Kind::name || base.kind == Kind::gradient) {
        cell.type = base.kind == Kind::name ? Cell::Type::value : Cell::Type::gradient;
        cell.name = base.name;
        if (e->kind == Kind::index) cell.index = numbers_of(*e, 1, e->children.size(), shown);
    } else {
        value_error("{}: expected an entry of a value or a gradient, as in dK[2,1] or S[0,1]", shown);
    }
    expect_known(cell.name, proof, cell.type == Cell::Type::gradient, shown);
    return cell;
}

}  // namespace

FoundCell find_cell(const std::string& text, const std::vector<Proof>& proofs) {
    if (proofs.empty()) value_error("{}: there is no derivation", printable(text, 60));
    for (std::size_t i = 0; i + 1 < proofs.size(); ++i) {
        try {
            return {i, read_cell(text, proofs[i])};
        } catch (const UnknownName&) {  // a later proof may know it
        }
    }
    return {proofs.size() - 1, read_cell(text, proofs.back())};
}

}  // namespace gradproof::proof
