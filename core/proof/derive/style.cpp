// Expressions in the style of a proof.
#include "gradproof/core/proof/derive/style.hpp"

namespace gradproof::proof {

Style::Style(const Proof& proof) {
    for (const Assignment& a : proof.forward) {
        const std::string text = text_of(*a.value);
        roots_ = roots_ || text.find("√") != std::string::npos;
        sigma_ = sigma_ || text.find("σ(") != std::string::npos;
    }
}

ExprPtr Style::of(const ExprPtr& e) const {
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
