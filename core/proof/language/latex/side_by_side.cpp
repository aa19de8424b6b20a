// What stands beside what.
#include "gradproof/core/proof/language/latex/side_by_side.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/beside_matrix.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::string_view kNumberAndMatrix = "a number and a square matrix: write it with I, or with \\mathbf{1}";

class SideBySide {
  public:
    SideBySide(const Proof& proof, const Names* names) : proof_(proof), names_(names) {}

    /// Why the node has no one meaning; "" where it has.
    std::string why(const Expr& e) const {
        if (e.kind == Kind::sum && adds_up_otherwise(e))
            return "two vectors side by side, and a vector beside them: write \\odot, or ^\\top for a number";
        if ((e.kind == Kind::sum || is_elementwise_product(e)) && has_column_and_row(e))
            return "a column and a row: write what goes along which axis with \\mathbf{1}";
        if (column_beside_matrix(e, proof_, names_) != nullptr)
            return "a vector beside a matrix with as many rows: write \\mathrm{diag}, or \\mathbf{1} for its other axis";
        if (has_matrix_and_two_columns(e)) return "a matrix and two vectors side by side: write ^\\top for a number";
        if (e.kind == Kind::product || (e.kind == Kind::call && (e.name == "inv" || e.name == "det" || e.name == "logdet")))
            for (const ExprPtr& part : e.children)
                if (part->kind == Kind::sum && adds_number_to_matrix(*part)) return std::string(kNumberAndMatrix);
        return "";
    }
    /// h \odot V of h [n] and V [m, n].
    bool goes_with_columns(const Expr& e) const {
        return is_elementwise_product(e) && e.joints.find('*', 1) != std::string::npos &&
               std::ranges::any_of(e.children, [&](const ExprPtr& v) { return v->kind != Kind::transpose && axes(*v) == 1; }) &&
               std::ranges::any_of(e.children, [&](const ExprPtr& m) { return axes(*m) == 2; });
    }
    /// Two vectors that are read as their inner product.
    std::vector<std::pair<ExprPtr, ExprPtr>> pairs(const Expr& e) const {
        std::vector<std::pair<ExprPtr, ExprPtr>> out;
        if (e.kind != Kind::product) return out;
        for (std::size_t i = 1; i < e.children.size(); ++i)
            if (e.joints[i] == '@' && is_column(*e.children[i - 1]) && is_column(*e.children[i]) &&
                (i < 2 || e.joints[i - 1] != '@' || axes(*e.children[i - 2]) == 0))
                out.emplace_back(e.children[i - 1], e.children[i]);
        return out;
    }

    bool adds_number_to_matrix(const Expr& e) const {
        const auto is_square = [&](const ExprPtr& m) {
            const std::optional<AxisNames> all = axes_of(*m);
            return all && all->size() == 2 && all->front() == all->back() && all->front() != "?" && all->front() != "1";
        };
        const auto is_number = [&](const ExprPtr& n) {  // p^\top p may be a matrix, of a row p
            return axes(*n) == 0 && !any_part(*n, [&](const Expr& part) { return axes(part) == 1; });
        };
        return std::ranges::any_of(e.children, is_square) && std::ranges::any_of(e.children, is_number);
    }

  private:
    std::optional<AxisNames> axes_of(const Expr& e) const { return axis_names(e, proof_, names_); }
    int axes(const Expr& e) const {
        const std::optional<AxisNames> all = axes_of(e);
        return all ? static_cast<int>(all->size()) : -1;
    }
    bool is_row(const Expr& e) const { return e.kind == Kind::transpose && axes(*e.children[0]) == 1; }
    bool is_column(const Expr& e) const {
        if (e.kind == Kind::negate) return is_column(*e.children[0]);
        return e.kind != Kind::transpose && axes(e) == 1;
    }
    /// X^\top r\,dw, which is no product of matrices, and as a number is (X^\top r)^\top dw.
    bool has_matrix_and_two_columns(const Expr& e) const {
        if (e.kind != Kind::product) return false;
        for (std::size_t i = 2; i < e.children.size(); ++i)
            if (e.joints[i - 1] == '@' && e.joints[i] == '@' && axes(*e.children[i - 2]) == 2 && is_column(*e.children[i - 1]) &&
                is_column(*e.children[i]))
                return true;
        return false;
    }
    bool has_column_and_row(const Expr& e) const {
        const auto is_plain = [&](const ExprPtr& v) { return is_column(*v) && (v->kind == Kind::name || v->kind == Kind::call); };
        return std::ranges::any_of(e.children, [&](const ExprPtr& v) { return is_row(*v); }) &&
               std::ranges::any_of(e.children, is_plain);
    }
    bool adds_up_otherwise(const Expr& e) const {
        const auto has_pair = [&](const ExprPtr& part) {
            return !pairs(part->kind == Kind::negate ? *part->children[0] : *part).empty();
        };
        return std::ranges::any_of(e.children, has_pair) &&
               std::ranges::any_of(e.children, [&](const ExprPtr& v) { return is_column(*v); });
    }
    const Proof& proof_;
    const Names* names_;
};

}  // namespace

void expect_one_meaning(const Expr& e, const Expr* left, const Statements& to) {
    const SideBySide beside(to.proof(), &to.names());
    if (left != nullptr && left->kind == Kind::jacobian && e.kind == Kind::sum && beside.adds_number_to_matrix(e))
        throw ProofError(*to.proof().source, e.span.begin, std::string(kNumberAndMatrix));
    for_each(e, [&](const Expr& part) {
        if (const std::string why = beside.why(part); !why.empty()) throw ProofError(*to.proof().source, part.span.begin, why);
    });
}

std::vector<std::string> said_of_side_by_side(const Expr& e, const Proof& proof) {
    constexpr std::size_t kMostShown = 40;
    const SideBySide beside(proof, nullptr);
    std::vector<std::string> out;
    for (const auto& [u, v] : beside.pairs(e)) {
        const std::string_view written = u->span.begin < v->span.end ? proof.source->slice({u->span.begin, v->span.end}) : "";
        if (!written.empty() && written.size() < kMostShown && written.find("\\cdot") == std::string_view::npos)
            out.push_back(fmt::format("{} as an inner product", written));
    }
    if (beside.goes_with_columns(e)) out.emplace_back("vectors whose entries go with the columns of a matrix");
    return out;
}

}  // namespace gradproof::proof::latex
