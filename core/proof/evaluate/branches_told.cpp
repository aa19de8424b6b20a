// What a branch tells: whether both sides are met, and what is said of it.
#include "gradproof/core/proof/evaluate/branches.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof {
namespace {

/// A sum of names and numbers.
bool is_linear(const Expr& e) {
    const bool sums = e.kind == Kind::sum || e.kind == Kind::negate;
    return e.kind == Kind::name || e.kind == Kind::number ||
           (sums && std::ranges::all_of(e.children, [](const ExprPtr& c) { return is_linear(*c); }));
}

}  // namespace

bool Branch::is_equality() const { return by == By::sign && at->kind == Kind::sum; }
bool Branch::met() const {
    if (is_equality() && equal > 0 && above + below > equal) return true;
    if (is_equality() && of_wholes) return false;
    if (by == By::factor) return above > 0;
    if (by == By::whole) return above > 0 && below > 0 && (third > 0 || by_domain || has_two_parts_by_size());
    return above > 0 && (below > 0 || by == By::condition);
}

bool Branch::sure() const {
    if (by_rounding > 0) return false;
    if (by == By::root) return below == 0;
    if (by == By::whole && of == Of::sizes) return above > 0 && below > 0;  // larger ones were tried
    return met() || (by_domain && by != By::whole) || (of == Of::constants && by != By::condition) || is_never_met();
}
bool Branch::has_two_parts_by_size() const {
    if (at->name != "mod" || at->children[1]->kind == Kind::number) return false;
    return of == Of::sizes || at->children[1]->name == "axis_size";
}
bool Branch::is_never_met() const {
    constexpr int kTell = 15;  // more than those of the usual sizes
    // An entry stands where the sides meet; a sum up to i = n of entries 0 to n - 1 has none there.
    return of == Of::sizes && by == By::sign && !met() && above + below > 0 && looked_at >= kTell && always_so &&
           nearest == (above == 0 ? 0 : 1) && is_linear(*compared);
}
void Branch::look(const std::vector<double>& values) {
    const auto [least, largest] = std::ranges::minmax_element(values);
    if (by != By::sign || met() || values.empty()) return;
    const double here = above == 0 ? *largest : *least;
    always_so = always_so && (looked_at++ == 0 || here == nearest);
    nearest = here;
}
std::string Branch::text() const {
    if (sure()) return "";
    const char* const advice = of == Of::sizes ? ": state larger sizes" : ": widen the inputs, or state values on both sides";
    if (by == By::condition)
        return fmt::format("it holds nowhere in the draws, the condition behind it is never met{}",
                           of == Of::constants ? ""
                           : of == Of::sizes   ? advice
                                               : ": state inputs that meet it");
    if (by_rounding > 0)
        return fmt::format("rounding decides on which side of {} {} lies: state numbers that are further apart", text_of(*at),
                           text_of(*compared));
    if (by == By::slope)
        return fmt::format(
            "{} is saturated in every draw, its slope is the same everywhere, and another line could agree as well: "
            "shift or scale the inputs, or state smaller constants",
            text_of(*at));
    if (by == By::root)
        return fmt::format("{} has no derivative where {} is 0, which it is in a draw: keep it away from 0, as with + 1e-6",
                           text_of(*at), text_of(*compared));
    if (by == By::factor)
        return fmt::format(
            "{} is 0 in every draw, and what it multiplies is never seen: widen the inputs, or state values for "
            "which it is not",
            text_of(*compared));
    std::string side = above == 0 ? "above 0" : "below 0";
    if (by == By::mask) side = above == 0 ? "other than 0" : "equal to 0";
    if (is_equality()) side = equal > 0 ? "other than 0" : "equal to 0";
    if (by == By::whole) side = fmt::format("outside of {} to {}", first, first + 1);
    if (by == By::whole && above > 0)
        side = second == first + 1   ? fmt::format("outside of {} to {}", first, second + 1)
               : first == second + 1 ? fmt::format("outside of {} to {}", second, first + 1)
                                     : fmt::format("{} and of {} to {}", side, second, second + 1);
    return fmt::format("{} was never met with {} {}{}", name(), text_of(*compared), side, advice);
}
std::string Branch::name() const {
    if (!is_equality()) return text_of(*at);
    const auto [a, b] = parts_compared(compared);
    return text_of(*a) + " == " + text_of(*b);
}
std::string Branch::counts() const {
    if (!has_sides() || by == By::condition || by == By::slope || of == Of::constants || (of == Of::sizes && by != By::sign))
        return "";
    const bool of_several = at->kind == Kind::call && at->children.size() == 1 && (at->name == "max" || at->name == "min");
    const std::string call = of_several ? text_of(*compared) : name();
    if (is_equality()) return fmt::format("{}: {} equal, {} not", call, equal, above + below - equal);
    if (by == By::whole) return fmt::format("{}: {} from {} to {}, {} outside", call, below, first, first + 1, above);
    const bool mask = by == By::mask;
    return fmt::format("{}: {} {}, {} {}{}", call, above, mask ? "nonzero" : "above 0", below, mask ? "zero" : "below 0",
                       by_domain && !met() ? ", as declared" : "");
}

}  // namespace gradproof::proof
