// Which vector goes with the rows of the matrix beside it.
#include "gradproof/core/proof/language/beside_matrix.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "gradproof/core/proof/language/axis_names.hpp"

namespace gradproof::proof {
namespace {

bool takes_entries_together(const Expr& e) {
    constexpr std::array<std::string_view, 5> kOfEntries{"max", "min", "maximum", "minimum", "where"};
    return e.kind == Kind::sum || is_elementwise_product(e) ||
           (e.kind == Kind::call && std::ranges::count(kOfEntries, e.name) > 0);
}

bool is_turned(const Expr& e) { return e.kind == Kind::transpose || (e.kind == Kind::negate && is_turned(*e.children[0])); }

/// A size that nothing names may be that of the rows where the matrix is square.
bool goes_with_rows(const std::string& size, const AxisNames& matrix) {
    return size == "?" ? matrix.front() == matrix.back() : size != "1" && size == matrix.front();
}

}  // namespace

bool is_elementwise_product(const Expr& e) { return e.kind == Kind::product && e.joints.find('@', 1) == std::string::npos; }

const Expr* column_beside_matrix(const Expr& e, const Proof& proof, const Names* names) {
    if (!takes_entries_together(e)) return nullptr;
    std::vector<std::optional<AxisNames>> axes;
    for (const ExprPtr& part : e.children) axes.push_back(axis_names(*part, proof, names));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (!axes[i] || axes[i]->size() != 1 || is_turned(*e.children[i])) continue;
        const auto meets = [&](const std::optional<AxisNames>& all) {
            return all && all->size() == 2 && goes_with_rows(axes[i]->front(), *all);
        };
        if (std::ranges::any_of(axes, meets)) return e.children[i].get();
    }
    return nullptr;
}

}  // namespace gradproof::proof
