// Contributions put together to one line, in matrices or by entries, whichever says it shorter.
#include "gradproof/core/proof/derive/drafts.hpp"

#include <algorithm>

#include "gradproof/core/proof/derive/entry_form.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

std::string line_of(const Assignment& a) { return a.left() + " = " + text_of(*a.value); }

/// What comes through one line of the forward.
struct Through {
    const Assignment* line;
    std::vector<Contribution> contributions;
};

class LineMaker {
  public:
    LineMaker(const Known& known, std::string target, const std::map<std::string, Term>& inlined)
        : known_(known), target_(std::move(target)), matrices_(known), entries_(known, true), form_(matrices_, entries_) {
        matrices_.inlined = inlined;
        if (const Assignment* own = known.find(target_); own && own->is_recurrence())
            through_.push_back({own, Backward(matrices_, entries_, target_).through(*own)});
        for (const std::size_t c : known.plan().consumers(target_)) {
            const Assignment& a = known.forward()[c];
            const std::string& last = known.forward().back().name;
            if (a.name != last && !known.plan().reaches(a.name, last)) continue;
            through_.push_back({&a, Backward(matrices_, entries_, target_).through(a)});
        }
    }

    Draft make() const {
        Draft out;
        if (any(&Contribution::by_rows)) {
            in_rows(out);
            add_paths(out);
            return out;
        }
        std::vector<Term> terms;
        if (const auto all = matrix_terms()) terms = *all;
        const bool by_matrices = !terms.empty() || !any_entries();
        if (by_matrices) in_matrices(terms, out);
        if (any_entries()) {
            Draft other;
            try {
                in_entries(other);
                if (!by_matrices || other.parts() < out.parts()) out = other;
            } catch (const NoRule&) {
                if (!by_matrices) throw;
            }
        }
        if (!out.term)
            if (const auto of_arrays = matrix_terms(true); of_arrays && !of_arrays->empty())
                out.term = matrices_.shortest(matrices_.add(*of_arrays));
        add_paths(out);
        return out;
    }

  private:
    bool any(const auto& of_contribution) const {
        return std::ranges::any_of(through_,
                                   [&](const Through& t) { return std::ranges::any_of(t.contributions, of_contribution); });
    }
    bool any_entries() const { return any(&Contribution::by_entries); }
    void add_paths(Draft& out) const {
        for (const Through& t : through_)
            for (const Contribution& c : t.contributions) out.paths.push_back({t.line->name, line_of(*t.line), c.steps, ""});
    }
    std::vector<Contribution> all() const {
        std::vector<Contribution> out;
        for (const Through& t : through_) out.insert(out.end(), t.contributions.begin(), t.contributions.end());
        return out;
    }

    /// ∂L/∂h[t], each row an array; ∂L/∂W, a sum of arrays over rows.
    void in_rows(Draft& out) const {
        const std::vector<std::string> letters = form_.letters_of_rows(target_, all()),
                                       entries = form_.letters_for(target_, all());
        const Axes& whole = known_.axes_of(target_);
        LineIndices indices(known_, letters, whole), of_entries(known_, entries, whole);
        std::vector<Term> terms;
        for (const Through& t : through_) {
            std::vector<SummedEntries> sums;
            std::vector<Term> arrays;
            for (const Contribution& c : t.contributions) {
                std::optional<Term> array;
                if (c.by_rows())
                    std::ranges::copy(form_.unrolled(form_.aligned(c, *t.line, whole, letters, indices)),
                                      std::back_inserter(sums));
                else if (array = c.by_entries
                                     ? form_.as_matrices(
                                           EntryForm::with_arrays(form_.aligned(c, *t.line, whole, entries, of_entries)), entries)
                                     : c.term;
                         array)
                    arrays.push_back(*array);
                else
                    no_rule("no rule yet for {} by rows and by entries at once", target_);
            }
            if (!arrays.empty()) terms.push_back(form_.row_of(matrices_.add(arrays), letters, whole.size()));
            for (const Term& s : form_.together(sums)) terms.push_back(s);
        }
        const Axes of(whole.begin() + static_cast<std::ptrdiff_t>(letters.size()), whole.end());
        terms = in_one_range(matrices_.collected(terms));
        Axes reached;
        for (const Term& t : terms) reached = broadcast(reached, matrices_.axes(t));
        const auto is_same_everywhere = [&](const PowerOf& p) {
            return matrices_.axes(p.base).empty() && !mentions_any(*p.base, letters);
        };
        if (terms.size() == 1 && (letters.empty() || std::ranges::all_of(terms[0].powers, is_same_everywhere)))
            out.term = terms[0];
        if (!terms.empty() && reached != of) terms[0] = matrices_.filled(terms[0], of);
        out.left = entry_at(gradient_of(target_), letters);
        out.right = matrices_.sum(terms);
    }

    /// What is there under one condition in one where: where(c, a + b, 0).
    std::vector<Term> in_one_range(const std::vector<Term>& terms) const {
        std::vector<std::pair<std::string, std::vector<Term>>> groups;
        for (const Term& t : terms) {
            std::string condition;
            for (const PowerOf& p : t.powers)
                if (p.base->kind == Kind::call && p.base->name == "where") condition += text_of(*p.base);
            const auto like =
                std::ranges::find_if(groups, [&](const auto& g) { return !condition.empty() && g.first == condition; });
            if (like == groups.end())
                groups.push_back({condition, {t}});
            else
                like->second.push_back(t);
        }
        std::vector<Term> out;
        for (const auto& [condition, all] : groups) out.push_back(matrices_.add(all));
        return out;
    }

    /// One for each line of the forward; nullopt where some can be said by entries alone. Of formulas of entries those of arrays
    /// are made only if asked for: a line that was written by entries stays so.
    std::optional<std::vector<Term>> matrix_terms(bool of_formulas = false) const {
        const std::vector<std::string> letters = form_.letters_for(target_, all());
        LineIndices indices(known_, letters, known_.axes_of(target_));
        std::vector<Term> out;
        for (const Through& t : through_) {
            std::vector<Term> terms;
            for (const Contribution& c : t.contributions) {
                std::optional<Term> term = c.term;
                if (c.by_entries) {
                    const SummedEntries entries = form_.aligned(c, *t.line, known_.axes_of(target_), letters, indices);
                    term = form_.as_matrices(of_formulas ? EntryForm::with_arrays(entries) : entries, letters);
                }
                if (!term) return std::nullopt;
                terms.push_back(*term);
            }
            if (!terms.empty()) out.push_back(matrices_.shortest(matrices_.add(terms)));
        }
        return out;
    }

    /// What comes through several lines, as one term where something cancels between them.
    std::vector<Term> at_once(const std::vector<Term>& given) const {
        std::vector<Term> terms = matrices_.collected(given);
        if (terms.size() < 2) return terms;
        const Term sum = matrices_.add(terms), shorter = matrices_.shortest(sum);
        const bool is_shorter = parts_of(*matrices_.expression(shorter)) < parts_of(*matrices_.expression(sum));
        return is_shorter ? std::vector<Term>{shorter} : terms;
    }

    void in_matrices(const std::vector<Term>& given, Draft& out) const {
        std::vector<Term> terms = at_once(given);
        const Axes& of = known_.axes_of(target_);
        out.left = gradient_of(target_);
        Axes reached;
        for (const Term& t : terms) reached = broadcast(reached, matrices_.axes(t));
        if (!terms.empty()) out.term = matrices_.add(terms);
        if (!terms.empty() && reached != of) terms[0] = matrices_.filled(terms[0], of);
        out.right = matrices_.sum(terms);
    }

    void in_entries(Draft& out) const {
        const std::vector<std::string> letters = form_.letters_for(target_, all());
        LineIndices indices(known_, letters, known_.axes_of(target_));
        std::vector<Term> terms;
        for (const Through& t : through_) {
            std::vector<SummedEntries> sums;
            std::vector<Term> arrays;
            for (const Contribution& c : t.contributions)
                if (c.by_entries)
                    std::ranges::copy(form_.unrolled(form_.aligned(c, *t.line, known_.axes_of(target_), letters, indices)),
                                      std::back_inserter(sums));
                else
                    arrays.push_back(c.term);
            if (!arrays.empty()) terms.push_back(form_.entries_of(matrices_.add(arrays), letters));
            for (const Term& s : form_.together(sums)) terms.push_back(s);
        }
        out.left = entry_at(gradient_of(target_), letters);
        out.right = entries_.sum(terms);
    }

    const Known& known_;
    std::string target_;
    Algebra matrices_, entries_;
    EntryForm form_;
    std::vector<Through> through_;
};

}  // namespace

Draft Drafter::draft(const std::string& target, const std::map<std::string, Term>& inlined) const {
    return LineMaker(known_, target, inlined).make();
}

/// A gradient that is a number everywhere is put in wherever it stands; other short ones are tried.
void Drafter::remember(const std::string& target, const Draft& draft) {
    constexpr std::size_t kShort = 12;
    if (!draft.term) return;
    const auto is_constant = [&](const PowerOf& p) {
        return known_.is_plain(*p.base) || (p.base->kind == Kind::name && known_.is_number(p.base));
    };
    if (std::ranges::all_of(draft.term->powers, is_constant))
        constants_[target] = *draft.term;
    else if (parts_of(*draft.right) <= kShort)
        short_[target] = *draft.term;
}

/// With the gradients of all that it is used in put in; nullopt where one of them is not known so.
std::optional<Draft> Drafter::without_gradients(const std::string& target, const std::vector<std::size_t>& uses) const {
    std::map<std::string, Term> inlined = constants_;
    for (const std::size_t c : uses) {
        const Assignment& a = known_.forward()[c];
        if (a.is_loss) continue;
        const auto found = closed_.find(a.name);
        if (found == closed_.end()) return std::nullopt;
        inlined.insert(*found);
    }
    try {
        Draft out = draft(target, inlined);
        const auto is_gradient = [](const Expr& e) { return e.kind == Kind::gradient; };
        return any_part(*out.right, is_gradient) ? std::nullopt : std::optional(std::move(out));
    } catch (const NoRule&) {
        return std::nullopt;
    }
}

/// No longer than a gradient that it comes from, and less is divided: something cancels.
bool Drafter::is_simpler(const Draft& closed, const std::vector<std::size_t>& uses) const {
    const auto quotients = [&](const Expr& e) {
        std::size_t n = 0;
        for_each(e, [&](const Expr& part) {
            for (std::size_t i = 1; part.kind == Kind::product && i < part.children.size(); ++i)
                n += part.joints[i] == '/' && !known_.is_plain(*part.children[i]) ? 1 : 0;
        });
        return n;
    };
    return std::ranges::any_of(uses, [&](std::size_t c) {
        const auto found = closed_.find(known_.forward()[c].name);
        if (found == closed_.end()) return false;
        const ExprPtr from = Algebra(known_).expression(found->second);
        return parts_of(*closed.right) <= parts_of(*from) && quotients(*closed.right) < quotients(*from);
    });
}

std::vector<Draft> Drafter::drafts(const std::string& target) {
    std::vector<Draft> out{draft(target, constants_)};
    const Draft plain = out[0];
    constexpr std::size_t kMostUses = 4;
    const std::vector<std::size_t> uses = known_.plan().consumers(target);
    for (const std::size_t c : uses) {
        if (uses.size() > kMostUses) break;
        const auto found = short_.find(known_.forward()[c].name);
        if (found == short_.end()) continue;
        std::map<std::string, Term> inlined = constants_;
        inlined.insert(*found);
        try {
            if (Draft other = draft(target, inlined); other.parts() < out[0].parts()) out.insert(out.begin(), std::move(other));
        } catch (const NoRule&) {
            continue;
        }
    }
    if (!constants_.empty()) out.push_back(draft(target, {}));
    remember(target, plain);
    const std::optional<Draft> closed = without_gradients(target, uses);
    if (!closed) return out;
    if (closed->parts() < out[0].parts() || is_simpler(*closed, uses)) out.insert(out.begin(), *closed);
    constexpr std::size_t kMostPartsClosed = 40;
    if (closed->term && parts_of(*closed->right) <= kMostPartsClosed) closed_[target] = *closed->term;
    return out;
}

}  // namespace gradproof::proof
