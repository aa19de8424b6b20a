// Arrays of whole numbers.
#include "gradproof/core/proof/language/numpy/integers.hpp"

#include <algorithm>
#include <string_view>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/aliases.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr int kDeep = 20;

/// Of x > 0 and x == y, and of a name of such.
bool is_condition(const Expr& e, const Proof& proof) {
    const Assignment* const a = e.kind == Kind::name ? proof.find(e.name) : nullptr;
    const Expr& of = a != nullptr ? *a->value : e;
    const auto is_truth = [](const ExprPtr& c) { return is_number(*c, 0) || is_number(*c, 1); };
    const bool chosen = of.kind == Kind::call && of.name == "where" && is_truth(of.children[1]) && is_truth(of.children[2]);
    return chosen || is_of_equality(of) || of.kind == Kind::delta || (of.kind == Kind::call && of.name == "step");
}
/// Functions that give numbers of the type they are given.
bool keeps_type(std::string_view function) {
    constexpr std::string_view kAll[] = {"abs",    "sign",   "max",     "min",    "cumsum", "cumprod", "sum",   "rowsum",
                                         "colsum", "prod",   "reshape", "concat", "stack",  "repeat",  "flip",  "roll",
                                         "diag",   "sort",   "tril",    "triu",   "take",   "gather",  "outer", "transpose",
                                         "trace",  "rowmax", "colmax",  "pad",    "tile",   "expand"};
    return std::ranges::find(kAll, function) != std::end(kAll);
}
/// Of n // 2: the floor of a quotient of whole numbers.
bool is_whole_quotient(const Expr& e) { return e.name == "floor" && e.children[0]->kind == Kind::product; }

}  // namespace

namespace {

/// Labels, whose type no declaration says.
bool are_labels(const Given& g) { return g.fill == Fill::binary || g.fill == Fill::signs || g.fill == Fill::onehot; }

bool is_whole_number(const Expr& e, const Proof& proof, bool labels_too, int depth) {
    for (const std::string_view typed : {"float", "astype", "dtype", ".to("})
        if (e.source.find(typed) != std::string_view::npos) return false;
    const auto is = [&](const ExprPtr& c) { return depth < kDeep && is_whole_number(*c, proof, labels_too, depth + 1); };
    const auto all = [&](const std::vector<ExprPtr>& children) {
        return std::ranges::any_of(children, is) &&
               std::ranges::all_of(children, [&](const ExprPtr& c) { return is(c) || is_condition(*c, proof); });
    };
    switch (e.kind) {
        case Kind::number: return e.name.find_first_of(".eE") == std::string::npos && !e.name.empty();
        case Kind::name: {
            const auto given = std::ranges::find(proof.given, e.name, &Given::name);
            if (given != proof.given.end()) return given->fill == Fill::index || (labels_too && are_labels(*given));
            const Assignment* const a = proof.find(e.name);
            return a != nullptr ? is(a->value) : std::ranges::find(proof.dims, e.name, &Dim::name) != proof.dims.end();
        }
        case Kind::call: {
            if (e.name == "range" || e.name == "argmax" || e.name == "axis_size") return true;
            if (e.name == "onehot")
                return e.source.starts_with("F.one_hot") || e.source.find("functional.one_hot") != e.source.npos;
            if (e.name == "where") return is(e.children[1]) && is(e.children[2]);
            if (is_whole_quotient(e)) return all(e.children[0]->children);
            return !e.children.empty() && keeps_type(e.name) &&
                   std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is(c) || is_condition(*c, proof); });
        }
        case Kind::product: return e.joints.find('/') == std::string::npos && all(e.children);
        case Kind::index:
        case Kind::transpose: return is(e.children[0]);
        case Kind::sum:
        case Kind::power: return all(e.children);
        case Kind::negate:
        case Kind::array: return !e.children.empty() && std::ranges::all_of(e.children, is);
        default: return false;
    }
}

}  // namespace

bool holds_integers(const Expr& e, const Proof& proof) { return is_whole_number(e, proof, false, 0); }

bool may_hold_integers(const Expr& e, const Proof& proof) { return e.truth || is_whole_number(e, proof, true, 0); }

bool has_whole_type(const Expr& e, const Proof& proof) {
    const auto of_name = [&](const std::string& name) {  // of t[::-1] the t
        return e.kind != Kind::name && has_whole_type(*proof::name(name), proof);
    };
    return is_condition(e, proof) || is_whole_number(e, proof, true, 0) || std::ranges::any_of(names_of_array(e), of_name);
}

}  // namespace gradproof::proof::numpy
