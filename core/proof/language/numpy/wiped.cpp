// Gradients that a call sets to zero.
#include "gradproof/core/proof/language/numpy/wiped.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

using Members = std::set<std::string>;

/// 0, None, {}, np.zeros_like(self.W): nothing that was computed.
bool is_initial(std::string_view value) {
    constexpr std::array<std::string_view, 8> kBegins{"np.zeros", "numpy.zeros", "jnp.zeros", "torch.zeros",
                                                      "zeros",    "xp.zeros",    "dict()",    "list()"};
    const std::size_t begin = value.find_first_not_of(kBlanks);
    if (begin == value.npos) return false;
    value.remove_prefix(begin);
    if (std::ranges::any_of(kBegins, [&](std::string_view one) { return value.starts_with(one); })) return true;
    std::string left(value);
    for (std::size_t at = left.find("None"); at != left.npos; at = left.find("None")) left.erase(at, 4);
    return left.find_first_not_of("0.,()[]{} ") == left.npos;
}

/// What a statement assigns last: of a = b = 0 the 0, of a *= 0 too.
std::string_view assigned(std::string_view code) {
    std::size_t last = code.npos;
    int depth = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        depth += deeper_by(code[i]);
        if (depth == 0 && code[i] == '=') last = i;
    }
    return last == code.npos ? std::string_view() : code.substr(last + 1);
}

/// backward of layer.backward(dY) and of backward(dY).
Members called_in(std::string_view code) {
    Members out;
    if (first_word(code) == "def" || first_word(code) == "class") return out;
    for (std::size_t at = code.find('('); at != code.npos; at = code.find('(', at + 1))
        if (const std::string_view name = word_before(code, at); !name.empty()) out.emplace(name);
    return out;
}

bool uses_member(std::string_view code, const std::string& member) {
    const std::string all = "." + member;
    for (std::size_t at = code.find(all); at != code.npos; at = code.find(all, at + 1)) {
        const std::size_t end = at + all.size();
        if (end >= code.size() || !goes_on_in_identifier(code[end])) return true;
    }
    return false;
}

class Wiped {
  public:
    Wiped(const ScopedLines& program, const Statements& to) : lines_(program), to_(to), scopes_(lines_.scopes().size()) {
        for (std::size_t i = 0; i < lines_.all().size(); ++i) see_members(i);
        for (Does& one : scopes_)
            for (const std::string& member : one.computes) one.wipes.erase(member);
        for (std::size_t i = 0; i < lines_.all().size(); ++i) scopes_[lines_.all()[i].scope].uses.merge(in_line(i).uses);
        for (bool more = wipes_any(); more;) {
            more = false;
            for (std::size_t i = 0; i < lines_.all().size(); ++i) more = see_calls(i) || more;
        }
    }
    std::vector<Passed> all() {
        if (!wipes_any()) return {};
        for (std::size_t scope = 0; scope < scopes_.size(); ++scope) see_scope(scope);
        return out_;
    }

  private:
    /// What a function does with gradients, by itself or by what it calls; uses: by itself, as a step() that updates with them.
    struct Does {
        Members computes, wipes, uses;
    };
    using Scope = ScopedLines::Scope;

    /// dW of self.dW and self.dW[0], grads of layer.grads["W"]; "" of what is no gradient by its name.
    std::string gradient_member(std::string_view target) const {
        const std::size_t dot = target.find('.');
        const std::string_view name = dot == target.npos ? "" : first_word(target.substr(dot + 1));
        const auto is_value = [&](std::string_view value) { return to_.names().defined(value); };
        return std::string(holds_gradients(name) || !value_named_in(name, is_value).empty() ? name : "");
    }
    /// What the line computes, sets to zero and uses by itself.
    Does in_line(std::size_t i) const {
        const std::string_view code = lines_.code(i);
        Does out;
        for (const Binding& b : lines_.all()[i].bindings)
            if (const std::string member = gradient_member(b.target); !member.empty() && b.by == Binding::By::assignment)
                (is_initial(assigned(code)) ? out.wipes : out.computes).insert(member);
        const std::string_view right = out.computes.empty() && out.wipes.empty() ? code : assigned(code);
        for (const std::string& member : members_)
            if (uses_member(right, member) && !out.wipes.contains(member)) out.uses.insert(member);
        return out;
    }
    void see_members(std::size_t i) {
        Does here = in_line(i);
        members_.merge(Members(here.computes));
        members_.merge(Members(here.wipes));
        Does& of = scopes_[lines_.all()[i].scope];
        of.computes.merge(here.computes);
        of.wipes.merge(here.wipes);
    }
    /// What the functions do that the line calls.
    Does by_calls(std::size_t i) const {
        Does out;
        for (const std::string& name : called_in(lines_.code(i)))
            for (std::size_t s = 1; s < scopes_.size(); ++s) {
                const Scope& scope = lines_.scopes()[s];
                if (scope.of != Scope::Of::function || scope.name != name || s == lines_.all()[i].scope) continue;
                out.computes.insert(scopes_[s].computes.begin(), scopes_[s].computes.end());
                if (scopes_[s].uses.empty()) out.wipes.insert(scopes_[s].wipes.begin(), scopes_[s].wipes.end());
            }
        return out;
    }
    bool wipes_any() const {
        return std::ranges::any_of(scopes_, [](const Does& one) { return !one.wipes.empty(); });
    }
    bool see_calls(std::size_t i) {
        const Does called = by_calls(i);
        Does& of = scopes_[lines_.all()[i].scope];
        const std::size_t before = of.computes.size() + of.wipes.size();
        of.computes.insert(called.computes.begin(), called.computes.end());
        for (const std::string& member : called.wipes)
            if (!of.computes.contains(member)) of.wipes.insert(member);
        return of.computes.size() + of.wipes.size() > before;
    }

    /// The lines of a function, or of the module, in their order.
    void see_scope(std::size_t scope) {
        constexpr std::array<std::string_view, 4> kUpdate{"step", "update", "apply_gradients", "apply"};
        std::map<std::string, bool> used;  // gradients that are computed, and whether something has used them
        for (std::size_t i = 0; i < lines_.all().size(); ++i) {
            if (lines_.all()[i].scope != scope) continue;
            const Does here = in_line(i), called = by_calls(i);
            const Members names = called_in(lines_.code(i));
            const bool updates = std::ranges::any_of(kUpdate, [&](std::string_view name) { return is_one_of(names, name); });
            for (auto& [member, is_used] : used)
                if (updates || here.uses.contains(member)) is_used = true;
            Members lost;
            for (const std::string& member : called.wipes)
                if (const auto found = used.find(member);
                    found != used.end() && !found->second && !called.computes.contains(member))
                    lost.insert(member);
            if (!lost.empty())
                out_.push_back({lines_.all()[i].span,
                                fmt::format("it sets {} to zero, computed above and not used since", fmt::join(lost, ", "))});
            for (const Members& all : {here.computes, called.computes})
                for (const std::string& member : all) used[member] = false;
        }
    }

    const ScopedLines& lines_;
    const Statements& to_;
    std::vector<Does> scopes_;
    Members members_;
    std::vector<Passed> out_;
};

}  // namespace

std::vector<Passed> wiped_in(const ScopedLines& program, const Statements& to) { return Wiped(program, to).all(); }

}  // namespace gradproof::proof::numpy
