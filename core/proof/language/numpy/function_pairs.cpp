// Pairs of functions, and changes of what is given.
#include "gradproof/core/proof/language/numpy/function_pairs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/aliases.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {

FunctionPairs::FunctionPairs(const Source& source, Span text, const Proof& proof, std::vector<Span> claims,
                             IsGradient is_gradient)
    : source_(source),
      all_(functions_in(source, text)),
      in_forward_(all_.size(), false),
      claims_(std::move(claims)),
      is_gradient_(std::move(is_gradient)) {
    find_forward(proof);
}

void FunctionPairs::find_forward(const Proof& proof) {
    const std::set<std::string> used = names_behind_lines(proof, true);
    std::vector<std::string_view> texts;
    for (const Assignment& a : proof.forward) {
        if (!used.contains(a.name) && !a.is_loss) continue;
        texts.push_back(source_.slice(a.statement.span));
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].has(a.statement.span)) in_forward_[i] = true;
    }
    for (std::size_t at = 0; at < texts.size(); ++at)
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (!in_forward_[i] && texts[at].find(all_[i].name + "(") != std::string_view::npos) {
                in_forward_[i] = true;
                texts.push_back(source_.slice(all_[i].body));
            }
}

bool FunctionPairs::computes(const TextFunction& f) const {
    return std::ranges::any_of(claims_, [&](Span c) { return f.has(c); });
}

std::vector<Passed> FunctionPairs::of_other_forwards() const {
    std::vector<Passed> out;
    const auto first = std::ranges::find(in_forward_, true);
    if (first == in_forward_.end()) return out;
    const std::string& forward = all_[static_cast<std::size_t>(first - in_forward_.begin())].name;
    for (const TextFunction& g : all_) {
        const std::string stem = stem_of(g.name);
        if (stem.empty() || !computes(g)) continue;
        std::string other;
        bool read = false;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const TextFunction& f = all_[i];
            if (f.name == g.name || f.in_class != g.in_class || stem_of(f.name) != stem || computes(f)) continue;
            read = read || in_forward_[i];
            other = f.name;
        }
        if (!other.empty() && !read)
            out.push_back({g.body, fmt::format("by its name {} goes with {}, and the forward that is read is {}: {}", g.name,
                                               other, forward, kSeveral)});
    }
    return out;
}

/// What is changed in place there, without what selects entries of it: a of a += 1, a[i] = 0, a.mul_(b) and f(b, out=a).
std::string FunctionPairs::changed_in_place(Span s) const {
    const std::string_view text = source_.slice(s);
    const auto [at, size] = assignment_in(source_, s);
    const std::string_view left = size > 0 ? source_.slice(trimmed(source_, {s.begin, at})) : "";
    const std::size_t open = left.find('[');
    if (size == 2 || open != left.npos) return std::string(left.substr(0, open));
    if (const std::size_t call = text.find("_("); size == 0 && call != text.npos && text.rfind('.', call) != text.npos)
        return std::string(text.substr(0, text.rfind('.', call)));
    const std::size_t out = text.find("out=");
    if (out == text.npos || out == 0 || !word_before(text, out).empty()) return "";
    return std::string(first_word(text.substr(out + 4)));
}

std::vector<Passed> FunctionPairs::changes_of_given(const std::vector<Span>& updates) const {
    std::vector<Passed> out;
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const TextFunction& f = all_[k];
        if (!in_forward_[k] && !computes(f)) continue;
        Origins origins;
        for (const std::string& name : f.given)
            if (name != "self" && name != "cls" && name != "ctx") origins[name] = name;
        for (const Span s : statements_in(source_, f.body)) {
            const bool updates_it = std::ranges::any_of(updates, [&](Span u) { return u.begin == s.begin; });
            if (const auto found = origins.find(changed_in_place(s)); found != origins.end() && !updates_it) {
                out.push_back({s, fmt::format("it changes {}, which the function is given or the object keeps", found->second)});
                origins.erase(found);
            }
            follow_aliases(s, origins);
        }
    }
    return out;
}

/// self.r of a value that is that array or a view of it, x of one that is what the function is given; "" of a new array.
std::string FunctionPairs::origin_of(std::string_view value, const Origins& origins) const {
    if (value.find(".shape") != value.npos || value.starts_with("{") || value.starts_with("[")) return "";
    for (const std::string& name : arrays_shared_by(value)) {
        if (const auto given = origins.find(name); given != origins.end()) return given->second;
        const std::string kept = "self." + name;
        if (name == "saved_tensors" || (value.find(kept) != value.npos && !is_gradient_(name))) return kept;
    }
    return "";
}

/// a = b, a = b.T and a, b = cache: what names stand for from there on.
void FunctionPairs::follow_aliases(Span s, Origins& origins) const {
    const auto [at, size] = assignment_in(source_, s);
    if (size != 1) return;
    const std::vector<Span> left = split_at_commas(source_, without_brackets(source_, trimmed(source_, {s.begin, at}))),
                            right = split_at_commas(source_, without_brackets(source_, trimmed(source_, {at + 1, s.end})));
    const bool unpacks = right.size() == 1 && left.size() > 1;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const std::string name(source_.slice(left[i]));
        if (identifier_length(name) != name.size()) continue;
        const bool has_value = unpacks || right.size() == left.size();
        std::string of = has_value ? origin_of(source_.slice(right[unpacks ? 0 : i]), origins) : "";
        if (of.empty())
            origins.erase(name);
        else
            origins[name] = unpacks ? name : std::move(of);
    }
}

}  // namespace gradproof::proof::numpy
