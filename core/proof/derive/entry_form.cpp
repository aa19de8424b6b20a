// Index form: the indices of a line, sums over the others.
#include "gradproof/core/proof/derive/entry_form.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/proof/derive/known.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

using Renaming = std::map<std::string, ExprPtr>;

using Choice = std::function<std::string(const std::string&, const std::set<std::string>&)>;

/// t of t + 1 - 1, and of (t + 1) - 1.
ExprPtr counted(const ExprPtr& given) {
    const bool nested = given->kind == Kind::sum && given->joints[0] != '-' && given->children[0]->kind == Kind::sum;
    ExprPtr e = nested ? given->children[0] : given;
    for (std::size_t i = 1; nested && i < given->children.size(); ++i) e = sum(e, given->joints[i], given->children[i]);
    const bool fits =
        e->kind == Kind::sum && e->children[0]->kind == Kind::name && e->joints[0] != '-' &&
        std::all_of(e->children.begin() + 1, e->children.end(), [](const ExprPtr& c) { return c->kind == Kind::number; });
    if (!fits) return e;
    double by = 0;
    for (std::size_t i = 1; i < e->children.size(); ++i)
        by += e->joints[i] == '-' ? -e->children[i]->number : e->children[i]->number;
    return by == 0 ? e->children[0] : sum(e->children[0], by < 0 ? '-' : '+', number(std::abs(by)));
}

/// e with indices exchanged; one that a sum within it binds is another, and gets another name where it would be caught.
ExprPtr exchanged(const ExprPtr& e, const Renaming& to, const std::set<std::string>& caught, const Choice& choose) {
    if (e->kind == Kind::name) {
        const auto found = to.find(e->name);
        return found == to.end() ? e : found->second;
    }
    Expr copy = *e;
    Renaming inner = to;
    std::set<std::string> avoid = caught;
    for (std::string& b : copy.bound) {
        const std::string other = choose(b, avoid);
        avoid.insert(other);
        inner[b] = name(other);
        b = other;
    }
    for (ExprPtr& c : copy.children) c = exchanged(c, inner, avoid, choose);
    if (copy.kind == Kind::index || copy.kind == Kind::delta)
        for (ExprPtr& c : copy.children) c = counted(c);
    return make(std::move(copy));
}

/// Of t - 1 the letter and -1.
struct Shifted {
    std::string letter;
    double by = 0;
};
std::optional<Shifted> shifted(const Expr& at, const std::vector<std::string>& letters) {
    const bool fits = at.kind == Kind::sum && at.children.size() == 2 && at.joints[0] != '-' &&
                      at.children[0]->kind == Kind::name && at.children[1]->kind == Kind::number && at.children[1]->number > 0;
    if (!fits || std::ranges::count(letters, at.children[0]->name) == 0) return std::nullopt;
    return Shifted{at.children[0]->name, at.joints[1] == '-' ? -at.children[1]->number : at.children[1]->number};
}

/// Whether a condition is a number, or an index, which is not below 0, with something added to it.
std::optional<bool> known_condition(const Expr& e, const std::function<bool(const std::string&)>& is_index) {
    if (e.kind == Kind::number) return e.number != 0;
    if (e.kind != Kind::call || e.name != "step") return std::nullopt;
    const ExprPtr counts = counted(e.children[0]);
    const Expr& x = *counts;
    if (x.kind == Kind::number) return x.number > 0;
    const std::optional<Shifted> at =
        x.kind == Kind::sum && x.children[0]->kind == Kind::name ? shifted(x, {x.children[0]->name}) : std::nullopt;
    if (at && at->by > 0 && is_index(at->letter)) return true;
    return std::nullopt;
}

/// where(0, a, b) is b.
ExprPtr decided(const ExprPtr& e, const std::function<bool(const std::string&)>& is_index) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::call || part.name != "where" || part.children.size() != 3) return nullptr;
        const std::optional<bool> known = known_condition(*part.children[0], is_index);
        return known ? decided(part.children[*known ? 1 : 2], is_index) : nullptr;
    });
}

/// The first of usual names for indices that f takes.
std::string first_name(const std::function<bool(const std::string&)>& f) {
    for (const char c : std::string("ijklpqrstuabcfghmnovwxyz"))
        if (const std::string n(1, c); f(n)) return n;
    for (int i = 1;; ++i)
        if (const std::string n = fmt::format("i{}", i); f(n)) return n;
}

}  // namespace

bool mentions_any(const Expr& e, const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& n) { return mentions(e, n); });
}

LineIndices::LineIndices(const Known& known, const std::vector<std::string>& letters, const Axes& of) : known_(known) {
    for (std::size_t i = 0; i < letters.size(); ++i) sizes_.emplace(letters[i], of[i]);
}

std::string LineIndices::choose(const std::string& letter, const std::map<std::string, AxisSize>& sizes,
                                const std::set<std::string>& avoid) {
    const auto size = sizes.find(letter);
    const auto fits = [&](const std::string& n) {
        if (avoid.contains(n)) return false;
        const auto known = sizes_.find(n);
        return known == sizes_.end() || (size != sizes.end() && known->second == size->second);
    };
    const std::string chosen =
        fits(letter) ? letter : first_name([&](const std::string& n) { return fits(n) && !known_.is_taken(n); });
    if (size != sizes.end()) sizes_.emplace(chosen, size->second);
    return chosen;
}

std::map<std::string, AxisSize> EntryForm::letter_sizes(const Assignment& a) const {
    std::map<std::string, AxisSize> out;
    const Axes& of = entries_.known().axes_of(a.name);
    for (std::size_t i = 0; i < a.indices.size(); ++i) out[a.indices[i]] = of[i];
    for_each(*a.value, [&](const Expr& e) {
        if (e.kind != Kind::index) return;
        for (std::size_t i = 1; i < e.children.size(); ++i)
            if (e.children[i]->kind == Kind::name && !entries_.known().is_taken(e.children[i]->name))
                out.emplace(e.children[i]->name, entries_.known().axes(e.children[0])[i - 1]);
    });
    return out;
}

std::vector<std::string> EntryForm::letters_for(const std::string& target, const std::vector<Contribution>& all) const {
    return chosen_letters(target, all, entries_.known().axes_of(target).size());
}

std::vector<std::string> EntryForm::letters_of_rows(const std::string& target, const std::vector<Contribution>& all) const {
    std::size_t count = 0;
    for (const Contribution& c : all)
        if (c.by_rows()) count = std::max(count, c.at.size());
    if (const Assignment* a = entries_.known().find(target); a && a->is_recurrence()) count = std::max(count, a->indices.size());
    return chosen_letters(target, all, count);
}

std::vector<std::string> EntryForm::chosen_letters(const std::string& target, const std::vector<Contribution>& all,
                                                   std::size_t rank) const {
    std::vector<std::string> out(rank);
    if (const Assignment* a = entries_.known().find(target); a)
        std::copy_n(a->indices.begin(), std::min(rank, a->indices.size()), out.begin());
    std::set<std::string> used(out.begin(), out.end());
    for (const Contribution& c : all) {
        if (!c.by_entries && !c.by_rows()) continue;
        for (std::size_t i = 0; i < rank && c.at.size() == rank; ++i) {
            const bool is_letter = c.at[i]->kind == Kind::name && std::ranges::count(c.letters, c.at[i]->name) > 0;
            if (out[i].empty() && is_letter && used.insert(c.at[i]->name).second) out[i] = c.at[i]->name;
        }
    }
    for (const Contribution& c : all) used.insert(c.letters.begin(), c.letters.end());
    for (std::string& o : out)
        if (o.empty())
            used.insert(o = first_name([&](const std::string& n) { return !used.contains(n) && !entries_.known().is_taken(n); }));
    return out;
}

SummedEntries EntryForm::aligned(const Contribution& c, const Assignment& through, const Axes& of,
                                 const std::vector<std::string>& letters, LineIndices& indices) const {
    const auto sizes = letter_sizes(through);
    const Choice choose = [&](const std::string& letter, const std::set<std::string>& avoid) {
        return indices.choose(letter, sizes, avoid);
    };
    const Algebra& a = algebra(c.by_rows());
    SummedEntries out;
    out.by_rows = c.by_rows();
    Renaming to;
    std::set<std::string> used(letters.begin(), letters.end());
    std::vector<std::size_t> computed;
    for (std::size_t i = 0; i < c.at.size(); ++i) {
        const Expr& at = *c.at[i];
        const bool free = at.kind == Kind::name && std::ranges::count(c.letters, at.name) > 0 && !to.contains(at.name);
        if (free)
            to[at.name] = name(letters[i]);
        else
            computed.push_back(i);
    }
    // Of X[t-1] the index is solved for: what reaches X[t] comes from t + 1, where there is one.
    std::vector<PowerOf> in_range;
    std::erase_if(computed, [&](std::size_t i) {
        const std::optional<Shifted> at = shifted(*c.at[i], c.letters);
        if (!at || to.contains(at->letter) || !sizes.contains(at->letter)) return false;
        const ExprPtr here = name(letters[i]), by = number(std::abs(at->by));
        to[at->letter] = sum(here, at->by > 0 ? '-' : '+', by);
        const ExprPtr before_end = sum(sum(entries_.known().size(sizes.at(at->letter)), '-', by), '-', here);
        const ExprPtr after_start = at->by == 1 ? here : sum(here, '-', number(at->by - 1));
        in_range.push_back({where(call("step", {at->by > 0 ? after_start : before_end}), number(1), number(0)), 1});
        return true;
    });
    for (const std::string& l : c.letters) {
        if (to.contains(l)) continue;
        const std::string chosen = choose(l, used);
        used.insert(chosen);
        to[l] = name(chosen);
        out.sums.push_back(chosen);
        if (const auto size = sizes.find(l); size != sizes.end()) out.sizes[chosen] = size->second;
    }
    out.body = {c.term.up, c.term.down, {}};
    for (const PowerOf& p : c.term.powers) {
        const ExprPtr base = exchanged(p.base, to, used, choose);
        const Term one = a.term(decided(base, [&](const std::string& n) { return used.contains(n); }));
        out.body = a.times(out.body, a.power(one, p.exponent));
    }
    if (out.by_rows && c.at.size() < letters.size())
        out.body = row_of(out.body, {letters.begin() + static_cast<std::ptrdiff_t>(c.at.size()), letters.end()},
                          of.size() - c.at.size());
    for (const PowerOf& p : in_range) out.body = a.times(out.body, {1, 1, {p}});
    for (const std::size_t i : computed) {
        const ExprPtr here = name(letters[i]), at = exchanged(c.at[i], to, used, choose);
        const bool first_of_two = at->kind == Kind::number && of[i] == AxisSize{2, 2, 2} && at->number == 0;
        const bool second_of_two = at->kind == Kind::number && of[i] == AxisSize{2, 2, 2} && at->number == 1;
        const ExprPtr only_there = first_of_two    ? where(here, number(0), number(1))
                                   : second_of_two ? where(here, number(1), number(0))
                                                   : delta(here, at);
        out.body.powers.insert(out.body.powers.begin(), {only_there, 1});
    }
    return out;
}

/// A sum over an axis of two or three in which cases are told apart by the index, one summand after the other.
std::vector<SummedEntries> EntryForm::unrolled(const SummedEntries& e) const {
    const auto tells_apart = [&](const std::string& letter) {
        return std::ranges::any_of(e.body.powers, [&](const PowerOf& p) {
            return p.base->kind == Kind::call && p.base->name == "where" && mentions(*p.base->children[0], letter);
        });
    };
    const Algebra& a = algebra(e.by_rows);
    for (std::size_t i = 0; i < e.sums.size(); ++i) {
        const auto size = e.sizes.find(e.sums[i]);
        if (size == e.sizes.end() || size->second[0] > 3 || !tells_apart(e.sums[i])) continue;
        if (entries_.known().size(size->second)->kind != Kind::number) continue;
        std::vector<SummedEntries> out;
        for (Index at = 0; at < size->second[0]; ++at) {
            SummedEntries one = e;
            one.sums.erase(one.sums.begin() + static_cast<std::ptrdiff_t>(i));
            one.body = {e.body.up, e.body.down, {}};
            for (const PowerOf& p : e.body.powers) {
                const ExprPtr there = decided(with_name_as(p.base, e.sums[i], number(static_cast<double>(at))),
                                              [](const std::string&) { return false; });
                one.body = a.times(one.body, a.power(a.term(there), p.exponent));
            }
            if (one.body.is_zero()) continue;
            for (SummedEntries& further : unrolled(one)) out.push_back(std::move(further));
        }
        return out;
    }
    return {e};
}

/// Of a sum over steps, what is there at the first one alone.
SummedEntries EntryForm::at_first_step(const Term& body, const SummedEntries& like) const {
    SummedEntries out = like;
    out.body = body;
    for (const PowerOf& p : body.powers) {
        const Expr& e = *p.base;
        const bool is_choice = e.kind == Kind::call && e.name == "where" && e.children.size() == 3 && p.exponent == 1 &&
                               e.children[0]->kind == Kind::call && e.children[0]->name == "step" &&
                               e.children[0]->children[0]->kind == Kind::name;
        if (!is_choice || e.children[1]->kind != Kind::number || e.children[1]->number != 0) continue;
        const std::string letter = e.children[0]->children[0]->name;
        if (std::erase(out.sums, letter) == 0) continue;
        out.body = {body.up, body.down, {}};
        for (const PowerOf& q : body.powers) {
            const ExprPtr there = decided(with_name_as(q.base, letter, number(0)), [](const std::string&) { return false; });
            out.body = matrices_.times(out.body, matrices_.power(matrices_.term(there), q.exponent));
        }
        return at_first_step(out.body, out);
    }
    return out;
}

Term EntryForm::summed(const Term& given, const SummedEntries& over) const {
    const SummedEntries like = over.by_rows ? at_first_step(given, over) : over;
    const Term& body = over.by_rows ? like.body : given;
    const Algebra& a = algebra(like.by_rows);
    if (like.sums.empty()) return body;
    Term outside{body.up, body.down, {}}, inside;
    for (const PowerOf& p : body.powers) (mentions_any(*p.base, like.sums) ? inside : outside).powers.push_back(p);
    // Σ_j a[j] / d says it without brackets.
    const bool only_below = std::ranges::none_of(outside.powers, [](const PowerOf& p) { return p.exponent > 0; });
    if (only_below && std::abs(outside.up) == 1) {
        inside = a.times(inside, {1, outside.down, outside.powers});
        outside = Algebra::number(outside.up);
    }
    Expr e = node(Kind::reduce, {}, "sum");
    const ExprPtr summand = a.expression(inside);
    for (const std::string& s : like.sums) {
        if (mentions(*summand, s)) {
            e.bound.push_back(s);
            continue;
        }
        const auto size = like.sizes.find(s);
        if (size == like.sizes.end()) no_rule("the size of index {} is not known", s);
        outside = a.times(outside, a.term(entries_.known().size(size->second)));
    }
    if (e.bound.empty()) return a.times(outside, inside);
    e.children = {summand};
    return a.times({1, 1, {{make(std::move(e)), 1}}}, outside);
}

std::vector<Term> EntryForm::together(const std::vector<SummedEntries>& all) const {
    std::vector<Term> out;
    std::vector<bool> done(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (done[i]) continue;
        std::vector<Term> same;
        for (std::size_t j = i; j < all.size(); ++j)
            if (all[j].sums == all[i].sums && all[j].by_rows == all[i].by_rows && !done[j]) {
                same.push_back(all[j].body);
                done[j] = true;
            }
        const Algebra& a = algebra(all[i].by_rows);
        out.push_back(summed(a.shortest(a.add(same)), all[i]));
    }
    return out;
}

bool is_by_elements(const Expr& e) {
    return e.kind == Kind::sum || e.kind == Kind::negate || e.kind == Kind::power ||
           (e.kind == Kind::product && std::ranges::count(e.joints.substr(1), '@') == 0) ||
           (e.kind == Kind::call && e.options.empty() && is_elementwise(e.name) && e.children.size() == 1);
}

ExprPtr EntryForm::row_of(const ExprPtr& base, const std::vector<std::string>& letters, std::size_t rank) const {
    const Axes of = matrices_.axes(base);
    if (of.size() > rank) throw NoRule("a part of the line has more axes than the value");
    const std::size_t missing = rank - of.size();
    if (missing >= letters.size()) return base;
    if (is_by_elements(*base)) {
        std::vector<ExprPtr> children;
        for (const ExprPtr& c : base->children) children.push_back(row_of(c, letters, rank));
        return with_children(*base, std::move(children));
    }
    std::vector<ExprPtr> at;
    for (std::size_t i = missing; i < letters.size(); ++i)
        at.push_back(of[i - missing] == kSizeOne ? number(0) : name(letters[i]));
    const bool one_of_two = at.size() == 1 && of.size() == 2;
    if (one_of_two && is_chain(*base) && matrices_.axes(base->children[0]).size() == 2)
        return with_child(*base, 0, entry(base->children[0], at));
    if (one_of_two && base->kind == Kind::call && base->name == "outer")
        return product(entry(base->children[0], at), '@', base->children[1]);
    return entry(base, at);
}

Term EntryForm::row_of(const Term& t, const std::vector<std::string>& letters, std::size_t rank) const {
    Term out{t.up, t.down, {}};
    for (const PowerOf& p : t.powers) {
        if (p.base->kind == Kind::call && p.base->name == "ones") continue;
        out = matrices_.times(out, {1, 1, {{row_of(p.base, letters, rank), p.exponent}}});
    }
    return out;
}

ExprPtr EntryForm::entry_of(const ExprPtr& base, const std::vector<std::string>& letters) const {
    const Axes of = matrices_.axes(base);
    if (of.empty()) return base;
    if (of.size() > letters.size()) throw NoRule("a part of the line has more axes than the line has indices");
    if (is_by_elements(*base)) {
        std::vector<ExprPtr> children;
        for (const ExprPtr& c : base->children) children.push_back(entry_of(c, letters));
        return with_children(*base, std::move(children));
    }
    ExprPtr whole = base;
    std::vector<ExprPtr> at;
    for (std::size_t i = 0; i < of.size(); ++i)
        at.push_back(of[i] == kSizeOne ? number(0) : name(letters[letters.size() - of.size() + i]));
    if (base->kind == Kind::transpose && at.size() == 2) {
        whole = base->children[0];
        std::swap(at[0], at[1]);
    }
    if (base->kind == Kind::call && base->name == "reshape") {
        Axes without_ones = of;
        std::erase(without_ones, kSizeOne);
        if (matrices_.axes(base->children[0]) == without_ones) {
            whole = base->children[0];
            std::erase_if(at, [](const ExprPtr& i) { return i->kind == Kind::number; });
        }
    }
    return at.empty() ? whole : entry(whole, at);
}

Term EntryForm::entries_of(const Term& t, const std::vector<std::string>& letters) const {
    Term out{t.up, t.down, {}};
    for (const PowerOf& p : t.powers) {
        if (p.base->kind == Kind::call && p.base->name == "ones") continue;
        out = entries_.times(out, {1, 1, {{entry_of(p.base, letters), p.exponent}}});
    }
    return out;
}

}  // namespace gradproof::proof
