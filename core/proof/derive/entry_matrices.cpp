// Sums of products of entries that are matrix products, outer products or elementwise ones.
#include <algorithm>

#include "gradproof/core/proof/derive/entry_form.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// Arrays at the same indices, multiplied entry by entry.
struct Group {
    std::vector<std::string> at;
    Term term;
};

std::vector<std::string> reversed(std::vector<std::string> at) {
    std::ranges::reverse(at);
    return at;
}

/// The indices of x[i,j]; none where it is not an array at plain indices, each once.
std::vector<std::string> letters_of(const Expr& e, const std::set<std::string>& letters) {
    std::vector<std::string> out;
    if (e.kind != Kind::index) return out;
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const Expr& at = *e.children[i];
        if (at.kind != Kind::name || !letters.contains(at.name) || std::ranges::count(out, at.name) > 0) return {};
        out.push_back(at.name);
    }
    return out;
}

class Chain {
  public:
    Chain(const Algebra& a, std::vector<Group> groups) : a_(a), groups_(std::move(groups)) {}

    /// From one index to another, or to none, through each that is summed; nullopt where that is no path.
    std::optional<Term> path(const std::string& from, const std::string& to, std::size_t sums) {
        std::optional<Term> out;
        std::string at = from;
        bool ended = !to.empty();  // a vector ends what leads to no index
        while (!groups_.empty()) {
            const auto next = std::ranges::find_if(groups_, [&](const Group& g) { return std::ranges::count(g.at, at) > 0; });
            if (next == groups_.end() || (next->at.size() == 1 && (groups_.size() > 1 || !to.empty()))) return std::nullopt;
            Term one = next->term;
            if (next->at.size() == 2 && next->at[1] == at) one = a_.transposed(one, a_.axes(one));
            ended = ended || next->at.size() == 1;
            if (next->at.size() == 2) {
                at = next->at[0] == at ? next->at[1] : next->at[0];
                if (at != to && sums-- == 0) return std::nullopt;
            }
            out = out ? a_.product(*out, one) : one;
            groups_.erase(next);
        }
        return sums == 0 && ended && (to.empty() || at == to) ? out : std::nullopt;
    }

  private:
    const Algebra& a_;
    std::vector<Group> groups_;
};

}  // namespace

namespace {

/// The array whose entry at those indices e is; nullptr where it has entries at others.
ExprPtr array_at(const ExprPtr& e, std::optional<std::vector<std::string>>& at) {
    if (e->kind == Kind::number || e->kind == Kind::name) return e;
    if (e->kind == Kind::index) {
        std::vector<std::string> here;
        for (std::size_t i = 1; i < e->children.size(); ++i) {
            if (e->children[i]->kind != Kind::name) return nullptr;
            here.push_back(e->children[i]->name);
        }
        if (!at) at = here;
        return *at == here ? e->children[0] : nullptr;
    }
    if (!is_by_elements(*e)) return nullptr;
    std::vector<ExprPtr> children;
    for (const ExprPtr& c : e->children) {
        children.push_back(array_at(c, at));
        if (!children.back()) return nullptr;
    }
    return with_children(*e, std::move(children));
}

}  // namespace

SummedEntries EntryForm::with_arrays(SummedEntries e) {
    for (PowerOf& p : e.body.powers) {
        std::optional<std::vector<std::string>> at;
        if (p.base->kind == Kind::index) continue;
        if (const ExprPtr array = array_at(p.base, at); array && at) p.base = entry_at(array, *at);
    }
    return e;
}

std::optional<Term> EntryForm::as_matrices(const SummedEntries& e, const std::vector<std::string>& letters) const {
    const Algebra& a = matrices_;
    std::set<std::string> all(letters.begin(), letters.end());
    all.insert(e.sums.begin(), e.sums.end());
    Term numbers{e.body.up, e.body.down, {}};
    std::vector<Group> groups;
    for (const PowerOf& p : e.body.powers) {
        if (!mentions_any(*p.base, {all.begin(), all.end()})) {
            numbers.powers.push_back(p);
            continue;
        }
        const std::vector<std::string> at = letters_of(*p.base, all);
        if (at.empty() || at.size() > 2 || mentions_any(*p.base->children[0], {all.begin(), all.end()})) return std::nullopt;
        Term one = a.power(a.term(p.base->children[0]), p.exponent);
        const auto like = std::ranges::find_if(groups, [&](const Group& g) { return g.at == at || g.at == reversed(at); });
        if (like == groups.end())
            groups.push_back({at, one});
        else
            like->term = a.times(like->term, like->at == at ? one : a.transposed(one, a.axes(one)));
    }
    if (groups.empty() || letters.size() > 2) return std::nullopt;
    std::optional<Term> out;
    if (e.sums.empty() && groups.size() == 1 && groups[0].at == letters)
        out = groups[0].term;
    else if (e.sums.empty() && groups.size() == 1 && groups[0].at == reversed(letters))
        out = a.transposed(groups[0].term, a.axes(groups[0].term));
    else if (e.sums.empty() && groups.size() == 2 && letters.size() == 2 && groups[0].at.size() == 1 &&
             groups[1].at.size() == 1) {
        const bool in_order = groups[0].at[0] == letters[0];
        out = outer_of(a, groups[in_order ? 0 : 1].term, groups[in_order ? 1 : 0].term);
    } else if (letters.empty() && groups.size() == 1 && groups[0].at.size() == e.sums.size())
        out = a.summed(groups[0].term, a.axes(groups[0].term));
    else if (letters.size() == 1 && groups.size() == 1 && groups[0].at.size() == 2 && e.sums.size() == 1)
        out = Term{
            1, 1, {{axis_option(call("sum", {a.expression(groups[0].term)}), groups[0].at[0] == letters[0] ? 1 : 0, false), 1}}};
    else if (!e.sums.empty() && !letters.empty())
        out = Chain(a, groups).path(letters[0], letters.size() == 2 ? letters[1] : "", e.sums.size());
    if (!out) return std::nullopt;
    return a.times(numbers, *out);
}

}  // namespace gradproof::proof
