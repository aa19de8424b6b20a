// Ops put in terms of what they stand for, in each line of a forward.
#include "gradproof/core/proof/derive/composites.hpp"

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
            if (!by_entries(a)) a.value = in_terms(a.value);
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
