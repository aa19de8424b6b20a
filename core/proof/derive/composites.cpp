// Ops put in terms of what they stand for, in each line of a forward.
#include "gradproof/core/proof/derive/composites.hpp"

#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/derive/composite_formulas.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// With the place of the call, for messages.
ExprPtr placed(const ExprPtr& e, Span span) {
    Expr copy = *e;
    copy.span = span;
    for (ExprPtr& c : copy.children) c = placed(c, span);
    for (Option& o : copy.options) o.value = placed(o.value, span);
    return make(std::move(copy));
}

class Composites {
  public:
    explicit Composites(const Proof& proof) : proof_(proof), out_(proof) {}

    Proof run() {
        for (Assignment& a : out_.forward)
            if (!by_entries(a)) a.value = with_outer_products(in_terms(a.value));
        return std::move(out_);
    }

  private:
    const Known& known() {
        if (!known_) known_.emplace(proof_);
        return *known_;
    }

    /// What the formula says, read with the names that stand in it.
    static ExprPtr read(const Formula& f, const std::string& left, const std::string& given, Span span) {
        std::string names;
        for (const auto& [n, value] : f.names) names += fmt::format("{}{} []", names.empty() ? "" : ", ", n);
        const std::string text = fmt::format("input {}{}\nforward\n  {} = {}\n", names, given, left, f.text);
        const ExprPtr e = unwritten(read_proofs("op.proof", text).front().forward[0].value);
        return rewritten(placed(e, span), [&](const Expr& n) -> ExprPtr {
            const auto found = n.kind == Kind::name ? f.names.find(n.name) : f.names.end();
            return found == f.names.end() ? nullptr : found->second;
        });
    }

    ExprPtr in_terms(const ExprPtr& e) {
        return rewritten(e, [&](const Expr& part) -> ExprPtr {
            if (part.kind != Kind::call) return nullptr;
            std::optional<Formula> f;
            try {
                f = formula_of(part, [&]() -> const Known& { return known(); });
            } catch (const NoRule&) {  // then it stays, and has none
            }
            if (!f) return nullptr;
            for (auto& [n, value] : f->names) value = in_terms(value);
            return read(*f, "y", "", part.span);
        });
    }

    /// u v^T of vectors as columns, and u^T v of rows, as outer(u, v).
    ExprPtr with_outer_products(const ExprPtr& e) {
        if (proof_.conventions.vectors == Vectors::unsaid) return e;
        return rewritten(e, [&](const Expr& part) -> ExprPtr {
            if (part.kind != Kind::product) return nullptr;
            ExprPtr out = with_outer_products(part.children[0]);
            bool any = false;
            for (std::size_t i = 1; i < part.children.size(); ++i) {
                const ExprPtr factor = with_outer_products(part.children[i]);
                const bool outer = is_outer(part, i);
                any = any || outer;
                out = outer ? call("outer", {untransposed(out), untransposed(factor)}) : product(out, part.joints[i], factor);
            }
            return any ? placed(out, part.span) : nullptr;
        });
    }
    static ExprPtr untransposed(const ExprPtr& vector) { return vector->kind == Kind::transpose ? vector->children[0] : vector; }
    bool is_outer(const Expr& product, std::size_t i) {
        const bool left = product.children[i - 1]->kind == Kind::transpose, right = product.children[i]->kind == Kind::transpose;
        if (product.joints[i] != '@' || left == right) return false;
        if (proof_.conventions.vectors != (right ? Vectors::columns : Vectors::rows)) return false;
        try {
            return known().axes(first_factors(product, i)).size() == 1 && known().axes(product.children[i]).size() == 1;
        } catch (const NoRule&) {
            return false;
        }
    }

    bool by_entries(Assignment& a) {
        if (!a.indices.empty() || a.is_loss || a.value->kind != Kind::call || a.value->name != "conv1d") return false;
        const Names names = names_of(out_);
        std::optional<EntryFormula> f;
        try {
            f = entry_formula_of(*a.value, known(), [&](const std::string& n) { return names.defined(n); });
        } catch (const NoRule&) {
        }
        if (!f) return false;
        // An entry can be taken of a name alone.
        for (const auto& [n, value] : f->formula.names)
            if (n != "length" && value->kind != Kind::name) return false;
        a.value = read(f->formula, fmt::format("y[{}]", fmt::join(f->indices, ",")), ", " + f->steps.name + " []", a.value->span);
        a.indices = f->indices;
        out_.given.push_back(f->steps);
        return true;
    }

    const Proof& proof_;
    Proof out_;
    std::optional<Known> known_;
};

}  // namespace

Proof written_out(const Proof& proof) { return Composites(proof).run(); }

}  // namespace gradproof::proof
