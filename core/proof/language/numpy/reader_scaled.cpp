// Gradients of products that numbers scale: ds / np.sqrt(d) of s = q @ k.T / np.sqrt(d) is that of q @ k.T.
#include "gradproof/core/proof/language/numpy/scaled.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof::numpy {
namespace {

/// sqrt(h) of np.sqrt(Q.shape[1]), where Q has h columns: sizes by one name.
ExprPtr by_size_names(const ExprPtr& e, const Proof& proof) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const std::string size = part.kind == Kind::call && part.name == "axis_size" ? size_name(part, proof) : "";
        return size.empty() ? nullptr : name(size);
    });
}

}  // namespace

/// Of 1 / np.sqrt(Q.shape[1]) and of a name for that, the same.
Scaled Reader::scaled(const ExprPtr& e) const {
    const Proof& proof = to_.proof();
    Scaled out{{}, e, e};
    if (e->kind != Kind::product) return out;
    const auto is_factor = [&](std::size_t i) {  // a size, or a value that is a number
        return has_no_axes(*e->children[i], proof) && !contains(*e->children[i], Kind::gradient);
    };
    std::size_t first = 0, last = e->children.size();
    while (last - first > 1 && e->joints[last - 1] != '@' && is_factor(last - 1)) --last;
    while (last - first > 1 && e->joints[first + 1] == '*' && is_factor(first)) ++first;
    if (last - first == e->children.size()) return out;
    Expr what = node(Kind::product, {e->children.begin() + static_cast<std::ptrdiff_t>(first),
                                     e->children.begin() + static_cast<std::ptrdiff_t>(last)});
    what.joints = "@" + e->joints.substr(first + 1, last - first - 1);
    out.what = last - first == 1 ? e->children[first] : make(std::move(what));
    Expr whole = *e;
    whole.children = {e->children.begin(), e->children.begin() + static_cast<std::ptrdiff_t>(first)};
    whole.children.push_back(out.what);
    whole.children.insert(whole.children.end(), e->children.begin() + static_cast<std::ptrdiff_t>(last), e->children.end());
    whole.joints = e->joints.substr(0, first + 1) + e->joints.substr(last);
    out.whole = make(std::move(whole));
    for (std::size_t i = 0; i < e->children.size(); ++i) {
        if (i >= first && i < last) continue;
        const ExprPtr by = by_size_names(written_out(e->children[i]), proof);
        const bool inverse =  // of * (1 / n) the n
            by->kind == Kind::product && by->children.size() == 2 && by->joints[1] == '/' && is_number(*by->children[0], 1);
        out.by.insert((e->joints[i] == '/' || inverse ? "/" : "*") +
                      written(inverse ? *by->children[1] : *by, Notation::notation));
    }
    return out;
}

std::string earlier_value(const Assignment& a) {
    const std::string start = a.name.starts_with("(") ? a.name.substr(0, a.name.find(" of line ")) : "(" + a.name;
    for (const std::string& name : names_in(*a.value))
        if (name.starts_with(start + " of line ")) return name;
    return "";
}

/// The product of such a value that the numbers scale, also behind s = s + mask; "" where they scale none.
std::string Reader::product_scaled(const std::string& of, const std::multiset<std::string>& by) {
    for (const Assignment* a = by.empty() ? nullptr : to_.proof().find(of); a != nullptr;) {
        const Scaled value = scaled(a->value);
        if (value.by == by && value.what->kind == Kind::product) return to_.value_within(a->name, value.what, value.whole);
        const std::string earlier = earlier_value(*a);
        if (value.by == by && value.what->kind == Kind::name && value.what->name == earlier) return earlier;
        a = earlier.empty() ? nullptr : to_.proof().find(earlier);
    }
    return "";
}

/// Whether lines below take the gradient for that of an unscaled product: dq = ds @ k, and no other use is made of it.
bool Reader::is_used_unscaled(const Claim& c) const {
    if (const auto end = last_returns_.find(c.function); end != last_returns_.end())
        if (is_one_of(identifiers_in(source_.slice(end->second)), source_.slice(c.left->span))) return false;
    const auto is_it = [&](const Expr& e) { return is_gradient_of(e, c.left->name); };
    const auto uses = [&](const Claim& other) { return &other != &c && any_part(*other.right, is_it); };
    const auto uses_otherwise = [&](const Claim& other) {
        return uses(other) && (!is_input(other.left->name) || !scaled(other.right).by.empty());
    };
    return std::ranges::any_of(claims_, uses) && std::ranges::none_of(claims_, uses_otherwise);
}

/// ds = a * (...) / np.sqrt(d) before dq = ds @ k, in one line what ds /= np.sqrt(d) does in another.
void Reader::see_unscaled_gradients() {
    for (Claim& c : claims_) {
        if (c.left->kind != Kind::gradient || is_input(c.left->name) || !is_used_unscaled(c)) continue;
        const std::string of = c.left->name, product = product_scaled(of, scaled(c.right).by);
        if (product.empty()) continue;
        const std::string_view shown = source_.slice(c.left->span);
        to_.name_gradient(product, std::string(shown));
        to_.holds_for(fmt::format("{} as the gradient by {}, before that is scaled", shown, product));
        const ExprPtr anew = c.left = gradient_of(product);
        for (Claim& other : claims_)
            other.right = rewritten(other.right, [&](const Expr& e) { return is_gradient_of(e, of) ? anew : nullptr; });
    }
}

}  // namespace gradproof::proof::numpy
