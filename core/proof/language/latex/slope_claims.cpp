// Formulas of f'(x), entry by entry.
#include "gradproof/core/proof/language/latex/slope_claims.hpp"

#include <algorithm>
#include <optional>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"

namespace gradproof::proof::latex {
namespace {

/// The axes of the x of f'(x); none where the tokens are something else, or x is a number.
AxisNames axes_of_argument(const Tokens& left, const Reading& reading) {
    const NameParts f = name_at(reading, left, 0);
    if (!f.primed || f.end >= left.size() || !left[f.end].is_symbol("(") || end_of_brackets(left, f.end) != left.size())
        return {};
    const Tokens inside = part_of(left, f.end + 1, left.size() - 1);
    const NameParts x = inside.empty() ? NameParts{} : name_at(reading, inside, 0);
    if (x.base.empty() || x.end != inside.size()) return {};
    const std::string id = reading.id_of(x.key(x.has_above, x.has_below, x.primed));
    return axis_names(id, reading.proof, &reading.names).value_or(AxisNames{});
}

ExprPtr by_entry(const ExprPtr& e, const AxisNames& of, const Reading& reading) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::product || part.joints.find('@', 1) == std::string::npos) return nullptr;
        Expr out = part;
        for (ExprPtr& c : out.children) {
            const auto axes = axis_names(*c, reading.proof, &reading.names);
            if (!axes || (!axes->empty() && *axes != of)) return nullptr;
            c = by_entry(c, of, reading);
        }
        std::replace(out.joints.begin() + 1, out.joints.end(), '@', '*');
        out.source.clear();
        return make(std::move(out));
    });
}

}  // namespace

ExprPtr by_entry_of_slope(const ExprPtr& e, const Tokens& left, const Reading& reading) {
    const AxisNames of = axes_of_argument(left, reading);
    return of.empty() ? e : by_entry(e, of, reading);
}

}  // namespace gradproof::proof::latex
