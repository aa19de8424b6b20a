// f'(x) of a value that is written f(x).
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {

/// Whether each entry of what e gives follows from the entries at that place alone, of x and of others.
bool Parser::goes_by_entry(const Expr& e, const std::string& x, int depth) const {
    constexpr int kMostValues = 20;
    const auto all = [&] {
        return std::ranges::all_of(e.children, [&](const ExprPtr& c) { return goes_by_entry(*c, x, depth); });
    };
    switch (e.kind) {
        case Kind::number: return true;
        case Kind::name: {
            if (e.name == x || reading_.names.dims.contains(e.name)) return true;
            const Assignment* const value = reading_.proof.find(e.name);
            if (value == nullptr) return names_of_axes(e.name).has_value();
            return depth < kMostValues && value->indices.empty() && goes_by_entry(*value->value, x, depth + 1);
        }
        case Kind::sum:
        case Kind::negate:
        case Kind::power: return all();
        case Kind::product: {
            std::size_t arrays = 0;
            for (std::size_t i = 0; i < e.children.size(); ++i) {
                const std::optional<AxisNames> one = names_of_axes(*e.children[i]);
                if (!one) return false;
                arrays += !one->empty();
                if (i > 0 && e.joints[i] == '@' && !one->empty() && arrays > 1) return false;
            }
            return all();
        }
        case Kind::call:
            return e.options.empty() && (acts_on_entries(e.name) || e.name == "where" || e.name == "square") && all();
        default: return false;
    }
}

/// f' and f'(x), where f(x) = ... says what f is: its derivative, of arrays entry by entry.
ExprPtr Parser::slope_of_value(const NameParts& p) {
    const std::string id = reading_.id_of(p.key(p.has_above, p.has_below, false));
    const auto written = reading_.arguments.find(id);
    const std::string name = printable(p.base, 40);
    at_ = p.end;
    if (written->second.names.size() != 1)
        fail(tokens_[p.begin],
             fmt::format("{0} has several arguments: say by which {0}' is taken, as \\frac{{\\partial {0}}}{{\\partial x}}",
                         name));
    if (peek().is_symbol("'") || p.has_above)
        fail(tokens_[p.begin],
             fmt::format("only the first derivative is read so: write \\frac{{\\partial^2 {}}}{{\\partial x^2}}", name));
    NameParts plain = p;
    plain.primed = false;
    skip_arguments(plain);
    const std::string x = written->second.names[0];
    const std::optional<AxisNames> by = names_of_axes(x);
    const std::optional<AxisNames> of = names_of_axes(id);
    Differentiated what, with;
    with.name = x;
    if ((by && by->empty()) || (of && of->empty())) {
        what.name = id;
        return derivative(std::move(what), with, p.begin);
    }
    const ExprPtr value = proof::name(id);
    if (!goes_by_entry(*value, x, 0))
        fail(tokens_[p.begin], fmt::format("{0}' is read of a function of one number, and of one that goes entry by entry: write "
                                           "\\frac{{\\partial {0}}}{{\\partial x}}",
                                           name));
    what.expression = finish(p.begin, call("sum", {value}));
    return derivative(std::move(what), with, p.begin);
}

}  // namespace gradproof::proof::latex
