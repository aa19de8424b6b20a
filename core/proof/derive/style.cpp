// Expressions in the style of a proof.
#include "gradproof/core/proof/derive/style.hpp"

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

Style::Style(const Proof& proof, const Known& known) : known_(known) {
    for (const Assignment& a : proof.forward) {
        const std::string text = text_of(*a.value);
        roots_ = roots_ || text.find("√") != std::string::npos;
        sigma_ = sigma_ || text.find("σ(") != std::string::npos;
    }
}

/// u^T A v of A^T u v, which is the same number: of two columns the left one is transposed.
ExprPtr Style::with_rows(const Expr& e) const try {
    if (known_.proof().conventions.vectors != Vectors::columns) return make(Expr(e));
    std::vector<ExprPtr> out, row;  // the row that ends in a number
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const ExprPtr& c = e.children[i];
        const std::size_t rank = known_.axes(c).size();
        if (e.joints[i] == '@' && rank == 1 && !row.empty() && known_.axes(row.back()).size() == 1) {
            if (c->kind == Kind::transpose || row.back()->kind == Kind::transpose) return make(Expr(e));  // one lies already
            for (std::size_t k = row.size(); k-- > 0;)
                out.push_back(row[k]->kind == Kind::transpose ? row[k]->children[0] : transpose(row[k]));
            out.push_back(c);
            row.clear();
        } else if (e.joints[i] == '@' && rank > 0) {
            row.push_back(c);
        } else if (!row.empty()) {
            return make(Expr(e));
        } else {
            out.push_back(c);
        }
    }
    out.insert(out.end(), row.begin(), row.end());
    return with_children(e, std::move(out));
} catch (const NoRule&) {  // it has no value by itself, and stays
    return make(Expr(e));
}

ExprPtr Style::of(const ExprPtr& given) const {
    const ExprPtr e = given->kind == Kind::product ? with_rows(*given) : given;
    Expr copy = *e;
    for (ExprPtr& c : copy.children) c = of(c);
    for (Option& o : copy.options) o.value = of(o.value);
    if (copy.kind != Kind::call) return make(std::move(copy));
    if (copy.name == "sigmoid" && sigma_) copy.name = "σ";
    if (copy.name == "sqrt" && copy.children.size() == 1 && roots_) {
        const bool whole = copy.children[0]->kind == Kind::name || copy.children[0]->kind == Kind::number;
        const std::string inside = text_of(*copy.children[0]);
        copy.source = whole ? "√" + inside : "√(" + inside + ")";
    }
    return make(std::move(copy));
}

}  // namespace gradproof::proof
