// Views.
#include "gradproof/core/proof/language/numpy/aliases.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

bool is_view(const Expr& e) {
    constexpr std::array<std::string_view, 7> kViews{"slice", "reshape", "expand_dims", "squeeze", "transpose", "sg", "diag"};
    if (e.kind == Kind::transpose || e.kind == Kind::index) return true;
    return e.kind == Kind::call && !e.children.empty() && std::ranges::find(kViews, e.name) != kViews.end();
}

bool copies(std::string_view text) {
    constexpr std::array<std::string_view, 5> kCopies{"copy(", "clone(", "array(", "astype(", "tensor("};
    return std::ranges::any_of(kCopies, [&](std::string_view word) {
        const std::size_t at = text.find(word);
        if (word == "astype(" && text.find("copy=False") != std::string_view::npos) return false;
        return at != std::string_view::npos && !(word == "array(" && at > 1 && text.substr(at - 2).starts_with("as"));  // asarray
    });
}

/// The x of x[::-1] and np.flip(x), which is a product with the places where its entries go; nullptr of others.
const Expr* turned_round(const Expr& e) {
    const auto places = [](const ExprPtr& x) { return x->kind == Kind::call && x->name == "onehot"; };
    const bool turned =
        (e.source.ends_with("]") && e.source.find("::-1") != e.source.npos) || e.source.find("flip") != e.source.npos;
    const Expr* of = turned ? &e : nullptr;
    while (of != nullptr && of->kind == Kind::product && std::ranges::any_of(of->children, places))
        of = of->children[places(of->children[0]) ? 1 : 0].get();
    return of == &e ? nullptr : of;
}

}  // namespace

std::string gradient_key(const std::string& value) { return "d " + value; }

std::vector<std::string> names_of_array(const Expr& value) {
    std::vector<std::string> out;
    const Expr* of = &value;
    for (;;) {
        if (copies(of->source)) return {};
        if (of->kind == Kind::call && of->name == "where" && of->source.find(" else ") != of->source.npos) {  // a if n > 2 else b
            for (std::size_t i = 1; i < of->children.size(); ++i)
                for (std::string& name : names_of_array(*of->children[i])) out.push_back(std::move(name));
            return out;
        }
        if (of->kind == Kind::helper && !of->children.empty()) out.push_back(of->name);
        const Expr* const turned = turned_round(*of);
        if (turned == nullptr && !is_view(*of) && (of->kind != Kind::helper || of->children.empty())) break;
        of = turned != nullptr ? turned : of->children[0].get();
    }
    if (of->kind == Kind::name) out.push_back(of->name);
    if (of->kind == Kind::gradient) out.push_back(gradient_key(of->name));
    return out;
}

bool gives_parts(std::string_view function) {
    constexpr auto kAll = std::to_array<std::string_view>({"split", "array_split", "tensor_split", "hsplit", "vsplit", "dsplit",
                                                           "chunk", "unbind", "narrow", "select", "diag", "imag", "movedim"});
    return is_one_of(kAll, function);
}

bool gives_view(std::string_view function) {
    constexpr auto kAll = std::to_array<std::string_view>(
        {"reshape",  "asarray",    "transpose",  "expand_dims",  "squeeze",   "ravel",   "swapaxes",
         "view",     "atleast_1d", "atleast_2d", "asanyarray",   "flip",      "flipud",  "fliplr",
         "moveaxis", "diagonal",   "real",       "broadcast_to", "unsqueeze", "permute", "detach"});
    return is_one_of(kAll, function);
}

namespace {

/// Where the bracket at `open` closes, or its first argument ends.
std::size_t end_of_given(std::string_view text, std::size_t open, bool first) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += deeper_by(text[i]);
        if (depth == 0 || (first && depth == 1 && text[i] == ',')) return i;
    }
    return text.size();
}

/// Those of one expression without a condition.
std::vector<std::string> shared_by(std::string_view right, int within = 0) {
    constexpr auto kModules = std::to_array<std::string_view>({"np", "torch", "jnp"});
    constexpr auto kBeside = std::to_array<std::string_view>({"T", "mT", "data", "self"});
    constexpr int kDeepestViews = 20;
    std::vector<std::string> out;
    bool of_module = false;
    for (std::size_t i = 0; i < right.size();) {
        const std::size_t size = identifier_length(right.substr(i));
        if (size == 0) {
            const char c = right[i];
            if (std::string_view("+-*/@&|%<>~").find(c) != std::string_view::npos) return {};
            i = (c == '[' && i > 0 ? end_of_given(right, i, false) : i) + 1;
            continue;
        }
        const std::string_view word = right.substr(i, size);
        i += size;
        const bool called = right.substr(i).starts_with("(");
        const std::string_view given = called ? right.substr(i, end_of_given(right, i, false) + 1 - i) : "";
        const bool keeps = word == "astype" && given.find("copy=False") != given.npos;
        const bool views = gives_view(word) || gives_parts(word) || keeps;
        if (called && !views) return {};  // a function makes a new one
        if (called && of_module && within < kDeepestViews)
            for (std::string& one : shared_by(given.substr(1, end_of_given(given, 0, true) - 1), within + 1))
                out.push_back(std::move(one));
        if (called) i += given.size();
        of_module = is_one_of(kModules, word);
        if (!views && !of_module && !is_one_of(kBeside, word)) out.emplace_back(word);
    }
    return out;
}

}  // namespace

std::vector<std::string> arrays_shared_by(std::string_view right) {
    constexpr std::string_view kIf = " if ", kElse = " else ";
    std::vector<std::string> out;
    for (;;) {
        const std::size_t when = right.find(kIf), otherwise = when == right.npos ? right.npos : right.find(kElse, when);
        for (std::string& one : shared_by(right.substr(0, otherwise == right.npos ? right.npos : when)))
            out.push_back(std::move(one));
        if (otherwise == right.npos) return out;
        right.remove_prefix(otherwise + kElse.size());  // the condition is no array that is kept
    }
}

void Aliases::assigned(const std::string& name, const Expr& value) {
    const std::vector<std::string> of = names_of_array(value);
    if (const auto old = same_.find(name); old != same_.end()) {
        const std::string before = fmt::format("{}#{}", name, ++before_);
        const std::set<std::string> others = old->second;
        same_.erase(old);
        for (const std::string& other : others) {
            same_[other].erase(name);
            same_[other].insert(before);
            same_[before].insert(other);
        }
    }
    for (const std::string& other : of)
        if (other != name) {
            same_[name].insert(other);
            same_[other].insert(name);
        }
}

void Aliases::may_be_same(const std::string& name, const std::string& other) {
    same_[name].insert(other);
    same_[other].insert(name);
}

std::vector<std::string> Aliases::others_of(const std::string& name) const {
    std::set<std::string> seen{name};
    std::vector<std::string> all{name};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto found = same_.find(all[i]);
        if (found == same_.end()) continue;
        for (const std::string& other : found->second)
            if (seen.insert(other).second) all.push_back(other);
    }
    all.erase(all.begin());
    std::erase_if(all, [](const std::string& n) { return n.find('#') != std::string::npos; });
    return all;
}

}  // namespace gradproof::proof::numpy
