// Entries of expressions in index form as sums of products.
#include <algorithm>

#include "gradproof/core/proof/evaluate/expand.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// e with the letters replaced by their numbers.
ExprPtr substituted(const ExprPtr& e, const Letters& at) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const auto found = part.kind == Kind::name ? at.find(part.name) : at.end();
        return found == at.end() ? nullptr : number(static_cast<double>(found->second));
    });
}

bool sums_letters(const Expr& e) {
    switch (e.kind) {
        case Kind::reduce: return e.name == "sum" || e.name == "mean";
        case Kind::negate: return sums_letters(*e.children[0]);
        case Kind::product:
            for (std::size_t i = 0; i < e.children.size(); ++i)
                if ((i == 0 || e.joints[i] != '/') && sums_letters(*e.children[i])) return true;
            return false;
        default: return false;
    }
}

}  // namespace

std::vector<Product> Expander::indexed(const ExprPtr& e, const Letters& at, const std::map<std::string, Index>& sizes) {
    made_.push_back(e);
    sizes_ = Evaluator<double>(scope_).index_sizes(*e, sizes);
    std::vector<Product> out;
    Letters letters = at;
    letter_terms(e, letters, {}, out);
    return out;
}

Factor Expander::letter_factor(const ExprPtr& e, const Letters& at, bool divides) {
    const ExprPtr here = substituted(e, at);
    Factor f{bracketed(*here), std::nullopt, Evaluator<double>(scope_).indexed(*here, {}, {}).value()[0], divides};
    const bool entry = here->kind == Kind::index && std::all_of(here->children.begin() + 1, here->children.end(),
                                                                [](const ExprPtr& c) { return c->kind == Kind::number; });
    if (entry) {
        f.name = bracketed(*here->children[0]);
        f.index.emplace();
        for (std::size_t i = 1; i < here->children.size(); ++i) f.index->push_back(static_cast<Index>(here->children[i]->number));
    }
    return f;
}

void Expander::letter_terms(const ExprPtr& e, Letters& at, Product with, std::vector<Product>& out) {
    switch (e->kind) {
        case Kind::sum:
            if (!with.factors.empty()) break;
            for (std::size_t i = 0; i < e->children.size(); ++i) {
                Product signed_ = with;
                signed_.minus = signed_.minus != (e->joints[i] == '-');
                letter_terms(e->children[i], at, std::move(signed_), out);
            }
            return;
        case Kind::negate:
            with.minus = !with.minus;
            letter_terms(e->children[0], at, std::move(with), out);
            return;
        case Kind::product: {
            // The first factor that is a sum over letters is opened, the others stand in each of its terms.
            std::size_t open = e->children.size();
            for (std::size_t i = 0; i < e->children.size() && open == e->children.size(); ++i)
                if ((i == 0 || e->joints[i] != '/') && sums_letters(*e->children[i])) open = i;
            std::vector<Factor> after;
            for (std::size_t i = 0; i < e->children.size(); ++i)
                if (i != open)
                    (i < open ? with.factors : after).push_back(letter_factor(e->children[i], at, i > 0 && e->joints[i] == '/'));
            const std::size_t first = out.size();
            if (open < e->children.size())
                letter_terms(e->children[open], at, std::move(with), out);
            else
                push(*e, std::move(with), out);
            for (std::size_t i = first; i < out.size(); ++i)
                out[i].factors.insert(out[i].factors.end(), after.begin(), after.end());
            return;
        }
        case Kind::reduce: {
            if (e->name == "max") break;
            std::map<std::string, Index> sizes = sizes_;  // a sum beside it may bind the same letters
            for_each(*e, [&](const Expr& part) {
                for (const std::string& b : part.bound) sizes.erase(b);
            });
            sizes = Evaluator<double>(scope_).index_sizes(*e, sizes);
            Index count = 1;
            for (const std::string& b : e->bound) count *= sizes.at(b);
            for (Index n = 0; n < count; ++n) {
                Index rest = n;
                for (std::size_t i = e->bound.size(); i-- > 0; rest /= sizes.at(e->bound[i]))
                    at[e->bound[i]] = rest % sizes.at(e->bound[i]);
                const std::size_t first = out.size();
                letter_terms(e->children[0], at, with, out);
                for (std::size_t i = first; e->name == "mean" && i < out.size(); ++i)
                    out[i].factors.push_back({std::to_string(count), std::nullopt, static_cast<double>(count), true});
            }
            for (const std::string& b : e->bound) at.erase(b);
            return;
        }
        default: break;
    }
    with.factors.push_back(letter_factor(e, at, false));
    push(*e, std::move(with), out);
}

}  // namespace gradproof::proof
