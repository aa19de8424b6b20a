// Matrices that stand for the entries of a Jacobian by rows: diag(a) - a a^T, where a is a row of A.
#include "gradproof/core/proof/exercises/row_jacobian.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// What is no matrix of that kind.
struct NoEntry {};

class Entries {
  public:
    explicit Entries(const RowJacobian& of) : of_(of) {}

    /// Of a matrix, at (j, k).
    ExprPtr entry(const ExprPtr& e) const {
        if (e->kind == Kind::sum || e->kind == Kind::negate) {
            std::vector<ExprPtr> parts;
            for (const ExprPtr& c : e->children) parts.push_back(entry(c));
            return with_children(*e, std::move(parts));
        }
        if (e->kind == Kind::product) return product_entry(*e);
        if (e->kind == Kind::call && e->name == "diag" && e->children.size() == 1)
            return product(vector(e->children[0], of_.j), '@', delta(name(of_.j), name(of_.k)));
        if (e->kind == Kind::call && e->name == "outer" && e->children.size() == 2)
            return product(vector(e->children[0], of_.j), '@', vector(e->children[1], of_.k));
        if (e->kind == Kind::call && e->name == "eye") return delta(name(of_.j), name(of_.k));
        throw NoEntry{};
    }

  private:
    bool is_vector(const ExprPtr& e) const {
        if (e->kind == Kind::name) return e->name == of_.row;
        if (e->kind == Kind::product || e->kind == Kind::sum || e->kind == Kind::negate || e->kind == Kind::power)
            return std::ranges::any_of(e->children, [&](const ExprPtr& c) { return is_vector(c); });
        return false;
    }
    /// Of a vector, at a letter.
    ExprPtr vector(const ExprPtr& e, const std::string& letter) const {
        if (!is_vector(e)) throw NoEntry{};
        return rewritten(e, [&](const Expr& part) -> ExprPtr {
            if (part.kind != Kind::name || part.name != of_.row) return nullptr;
            return proof::entry(name(of_.value), {name(of_.batch), name(letter)});
        });
    }
    /// a a^T, or a number and a matrix.
    ExprPtr product_entry(const Expr& e) const {
        for (std::size_t i = 0; i + 1 < e.children.size(); ++i) {
            const ExprPtr &left = e.children[i], &right = e.children[i + 1];
            if (e.joints[i + 1] != '@' || right->kind != Kind::transpose || !is_vector(left)) continue;
            const ExprPtr outer = product(vector(left, of_.j), '@', vector(right->children[0], of_.k));
            return e.children.size() == 2 ? outer : without(*with_child(e, i, outer), i + 1);
        }
        std::vector<ExprPtr> parts;
        bool matrix = false;
        for (const ExprPtr& c : e.children) {
            const bool number = c->kind == Kind::number;
            parts.push_back(number ? c : entry(c));
            matrix = matrix || !number;
        }
        if (!matrix) throw NoEntry{};
        return with_children(e, std::move(parts));
    }

    const RowJacobian& of_;
};

}  // namespace

std::optional<RowJacobian> row_jacobian(const Expr& asked) {
    if (asked.kind != Kind::jacobian || asked.children.size() != 4 || asked.split != 2) return std::nullopt;
    for (const ExprPtr& c : asked.children)
        if (c->kind != Kind::name) return std::nullopt;
    const auto& at = asked.children;
    if (at[0]->name != at[2]->name || at[1]->name == at[3]->name || asked.name.size() != 1) return std::nullopt;
    const char row = asked.name[0];
    if (row < 'A' || row > 'Z') return std::nullopt;
    return RowJacobian{asked.name, std::string(1, static_cast<char>(row - 'A' + 'a')), at[0]->name, at[1]->name, at[3]->name};
}

ExprPtr entries_of_row(const RowJacobian& of, const ExprPtr& matrix) {
    try {
        return Entries(of).entry(matrix);
    } catch (const NoEntry&) {
        return nullptr;
    }
}

}  // namespace gradproof::proof
