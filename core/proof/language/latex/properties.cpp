// What sentences say of matrices and labels.
#include "gradproof/core/proof/language/latex/properties.hpp"
#include "gradproof/core/proof/language/latex/conditions_of_claims.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/property_formulas.hpp"
#include "gradproof/core/proof/language/latex/property_words.hpp"
#include "gradproof/core/proof/language/latex/sayings.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"
#include "gradproof/core/proof/language/structured.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

Tokens up_to_space(const Tokens& t) {
    return {t.begin(), std::ranges::find_if(t, [](const Token& one) { return one.is_command("\\in") || one.is_symbol("∈"); })};
}

/// Names that a formula puts into one space, or that stand there alone.
struct Group {
    std::vector<Tokens> names;
    bool square = true;  ///< it may be a matrix with as many rows as columns
    bool vector = true;  ///< it may have one axis
    bool may_be(Fill fill) const {
        if (is_label_fill(fill) || fill == Fill::positive || fill == Fill::literal) return true;
        return fill == Fill::unit ? vector : square || fill == Fill::frame;
    }
};
std::vector<Group> groups_of(const Source& source, const Tokens& formula) {
    std::vector<Group> out(1);
    for (const Tokens& one : parts_of_list(formula)) {
        Tokens name = up_to_space(one);
        if (const Tokens same = own_transpose(source, name); !same.empty()) name = same;
        const bool placed = name.size() < one.size();
        name.erase(std::ranges::find_if(name, is_equals), name.end());  // C of C = B + \sigma^2 I
        const NameParts p = name.empty() ? NameParts{} : parts_of(source, name, 0);
        if (p.base.empty() || p.end != name.size()) return {};
        out.back().names.push_back(std::move(name));
        if (!placed) continue;
        const auto power = std::ranges::find_if(one, [](const Token& t) { return t.is_symbol("^"); });
        if (power != one.end()) {
            const Tokens script = inside_group(source, one, static_cast<std::size_t>(power - one.begin()) + 1);
            const std::vector<Tokens> sizes = pieces_of(script, "\\times");
            out.back().vector = sizes.size() == 1;
            out.back().square = sizes.size() == 2 && joined(sizes[0], 0, sizes[0].size()) == joined(sizes[1], 0, sizes[1].size());
        }
        out.emplace_back();
    }
    if (out.back().names.empty()) out.pop_back();
    return out;
}

class Properties {
  public:
    Properties(const Source& source, Span text)
        : source_(source), text_(text), all_(mentions_in(source, text)), conditions_(conditions_of_claims(source, text)) {
        for (const Mention& m : all_) {
            groups_.push_back(m.displayed ? std::vector<Group>{} : groups_or_none(m.formula));
            attempt([&] { see(m); });
        }
    }

    std::vector<Property> read() {
        for (std::size_t i = 0; i < all_.size(); ++i) attempt([&] { read(i); });
        doubt_what_is_taken_back();
        return std::move(out_);
    }

  private:
    /// What is not read states nothing here: it is told where equations are read.
    template <typename F>
    static void attempt(const F& f) {
        try {
            f();
        } catch (const ProofError&) {
        }
    }
    void read(std::size_t i) {
        const Mention& m = all_[i];
        sum_to_one(m);
        if (m.displayed) return;
        if (is_of_the_start(m)) return;
        if (auto said = said_behind(m); said && !is_of_the_next(i) && is_said_of_names(i, *said))
            add(names_up_to(i, *said), m, said->fill, m.led, said->what,
                said->qualified || says_respectively(m) || is_in_doubt(m.led, said->rest));
        if (const auto said = said_before(m); said && stands_behind_comma(m)) {  // $D$ a symmetric matrix, $A$
            WordList between = words_of(m.before);
            between.resize(between.size() - std::min(between.size(), said->words));
            const bool apposed = between.empty() || (between.size() == 1 && (between[0] == "a" || between[0] == "an"));
            if (i > 0 && !all_[i - 1].displayed && apposed)
                add(names_up_to(i - 1, *said), all_[i - 1], said->fill, all_[i - 1].led, said->what);
        } else if (said) {
            const WordList led(m.led.begin(), m.led.end() - static_cast<std::ptrdiff_t>(said->words));
            add(names_from(i, *said), m, said->fill, led, said->what, is_in_doubt(led, said->rest));
        }
        by_formulas(i);
    }
    /// $A \in \mathbb{R}^{n \times n}$, symmetric $B$: what stands between the two is said of B.
    bool is_of_the_next(std::size_t i) const {
        if (i + 1 >= all_.size() || all_[i + 1].displayed || all_[i + 1].before != all_[i].behind) return false;
        const std::optional<SaidOf> next = said_before(all_[i + 1]);
        const std::size_t words = words_of(all_[i].behind).size();
        return next && (next->words == words || (next->words + 1 == words && all_[i].behind.starts_with(" and "))) &&
               !stands_behind_comma(all_[i + 1]);
    }
    /// "$A$ and $B$ are a symmetric and a general matrix, respectively"
    bool says_respectively(const Mention& m) const {
        return source_.slice(m.sentence).find("respectively") != std::string_view::npos;
    }
    bool stands_behind_comma(const Mention& m) const {
        const std::string_view text = source_.text().substr(0, m.span.begin);
        const std::size_t last = text.find_last_not_of(" \n\t~$(");
        return last != text.npos && text[last] == ',';
    }
    /// "This assumption is dropped below.", "Now $A$ is an arbitrary matrix.": of what was said before both may be meant.
    void doubt_what_is_taken_back() {
        if (out_.empty()) return;
        for (const Sentence& s : sentences_in(source_, text_)) {
            const bool all = has_any(s.words, {" this assumption ", " these assumptions ", " the assumption ", " this is not so ",
                                               " this is no longer ", " no longer assume "}) &&
                             has_any(s.words, {" dropped ", " drop ", " relaxed ", " relax ", " lifted ", " removed ", " not ",
                                               " no longer ", " violated ", " fails "});
            const bool general =
                has_any(s.words, {" # is arbitrary ", " # is an arbitrary ", " # is a general ", " # is general ", " # is any ",
                                  " # be arbitrary ", " # be an arbitrary ", " # be general "});
            if (!all && !general) continue;
            for (Property& p : out_) {
                const auto is_it = [&](const Mention& m) { return key_of(m.formula) == p.key && m.span.begin > p.first; };
                p.doubted = p.doubted || all || std::ranges::any_of(s.formulas, is_it);
            }
        }
    }
    /// Not of "the Hessian of $A$"; of its rows nothing is drawn.
    bool is_said_of_names(std::size_t i, SaidOf& said) const {
        const SubjectOf subject = subject_of(all_, i);
        if (subject.kind == SubjectOf::Kind::other) return false;
        const bool columns = said.fill == Fill::orthogonal && subject.part == "columns";
        if (subject.kind == SubjectOf::Kind::parts && !columns) {
            said.fill = Fill::literal;
            said.what = fmt::format("{} as {} of", said.what, subject.part);
        }
        return subject.kind != SubjectOf::Kind::entries || said.fill == Fill::positive;
    }
    std::vector<Group> groups_or_none(const Tokens& formula) const {
        std::vector<Group> out;
        attempt([&] { out = groups_of(source_, formula); });
        return out;
    }
    std::string key_of(const Tokens& name) const {
        const NameParts p = name.empty() ? NameParts{} : parts_of(source_, name, 0);
        return p.base.empty() || p.end != name.size() ? "" : p.key(p.has_above, p.has_below, p.primed);
    }
    /// Where names are first spoken of, and where derivatives stand.
    void see(const Mention& m) {
        for (std::size_t i = 0; i < m.formula.size(); ++i)
            if (const NameParts p = parts_of(source_, m.formula, i); !p.base.empty()) first_.emplace(p.base, m.span.begin);
        if (m.displayed && std::ranges::any_of(m.formula, is_derivative_sign)) derivatives_.push_back(m.span.begin);
    }

    /// Those of the formula of which it is said behind it, and those before it in the same list.
    std::vector<Tokens> names_up_to(std::size_t i, const SaidOf& said) const {
        std::vector<Tokens> out;
        bool has_and = said.each;
        for (std::size_t at = i + 1; at-- > 0;) {
            const std::vector<Group>& groups = groups_[at];
            for (auto g = groups.rbegin(); g != groups.rend(); ++g) {
                const bool last = at == i && g == groups.rbegin();
                if (!last && (said.one || !has_and || !g->may_be(said.fill))) return out;
                out.insert(out.end(), g->names.begin(), g->names.end());
            }
            const std::string& between = all_[at].before;
            has_and = has_and || between == " and ";
            if (groups.empty() || said.one || at == 0 || all_[at - 1].displayed || (between != " and " && between != " "))
                return out;
        }
        return out;
    }
    /// Those of the formula before which it is said, and of "symmetric matrices" those behind it in the same list.
    std::vector<Tokens> names_from(std::size_t i, const SaidOf& said) const {
        std::vector<Tokens> out;
        for (std::size_t at = i; at < all_.size(); ++at) {
            for (const Group& g : groups_[at]) {
                const bool first = at == i && &g == &groups_[at].front();
                if (!first && (!said.each || !g.may_be(said.fill))) return out;
                out.insert(out.end(), g.names.begin(), g.names.end());
            }
            const std::string& between = all_[at].behind;
            if (!said.each || groups_[at].empty() || (between != " and " && between != " ")) return out;
        }
        return out;
    }

    /// Whether x_i > 0 is said of all of x, as in "assume $x_i > 0$" and "$x \in \mathbb{R}^n$ with $x > 0$", and no sentence
    /// speaks of another sign. Else it is a case.
    bool is_positive_throughout(std::size_t i, const ComparedWithZero& said) const {
        constexpr std::string_view kBetween[] = {"that", "all", "each", "every", "of", "the"};
        constexpr std::string_view kAssumes[] = {"assume", "assuming", "suppose", "supposing", "let", "require", "requiring"};
        constexpr std::string_view kJoins[] = {"with", "where", "and"};
        const std::string base = parts_of(source_, said.name, 0).base;
        WordList words = words_of(all_[i].before);
        while (!words.empty() && is_one(kBetween, words.back())) words.pop_back();
        const bool joined_on = words.empty() || (words.size() == 1 && is_one(kJoins, words[0]));
        const bool assumed = !words.empty() && is_one(kAssumes, words.back());
        if (is_said_of_some(all_[i].behind)) return false;
        const bool introduced = said.of_pairs || (i > 0 && introduces(all_[i - 1], base));
        if (!assumed && !(joined_on && introduced)) return false;
        return std::ranges::none_of(all_, [&](const Mention& m) {
            return std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& one) {
                const auto other = compared_with_zero(source_, one);
                const bool of_it = other && parts_of(source_, other->name, 0).base == base;
                return of_it && (!other->above || saying_of(m.led) == Saying::conditional);
            });
        });
    }
    /// Whether the formula puts such a name into a space.
    bool introduces(const Mention& m, const std::string& base) const {
        return !m.displayed && std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& one) {
            const Tokens name = up_to_space(one);
            return !name.empty() && name.size() < one.size() && parts_of(source_, name, 0).base == base;
        });
    }
    /// "where $\\|x\\| = 1$", and not "we want $\\|x\\| = 1$", "subject to $\\|x\\| = 1$": that is sought.
    static bool is_given(const Mention& m) {
        constexpr std::string_view kBetween[] = {"that", "the", "we", "also", "both", "now", "again", "all"};
        constexpr std::string_view kLeads[] = {"where", "with",      "assume",     "assuming", "suppose", "let",     "since",
                                               "as",    "because",   "satisfies",  "satisfy",  "such",    "given",   "recall",
                                               "used",  "use",       "satisfying", "and",      "have",    "has",     "length",
                                               "norm",  "supposing", "when",       "if",       "for",     "whenever"};
        WordList words = m.led;
        while (!words.empty() && is_one(kBetween, words.back())) words.pop_back();
        const bool leads = words.empty() || is_one(kLeads, words.back()) || words.back() == kFormula;
        constexpr std::string_view kSought[] = {"subject", "constraint", "constraints", "lagrangian",
                                                "enforce", "penalty",    "want"};
        return leads && std::ranges::none_of(words, [&](const std::string& w) { return is_one(kSought, w); });
    }
    void by_formulas(std::size_t i) {
        const Mention& m = all_[i];
        for (const Tokens& one : parts_of_list(m.formula)) {
            const std::optional<ByFormula> said = said_by_formula(source_, one);
            if (said && (!is_structured(said->fill) || is_given(m)))
                add(said->names, m, said->fill, m.led, {}, is_in_doubt(m.led, words_of(m.behind)));
            const std::optional<ComparedWithZero> sign = compared_with_zero(source_, one);
            if (sign && sign->above && is_positive_throughout(i, *sign))
                add({sign->name}, m, Fill::positive, m.led, {}, is_in_doubt(m.led, words_of(m.behind)));
        }
    }

    /// \sum_k y_k = 1.
    void sum_to_one(const Mention& m) {
        for (const Tokens& one : parts_of_list(m.formula)) {
            const Tokens t = one.back().is_symbol(".") ? part_of(one, 0, one.size() - 1) : one;
            if (t.size() < 6 || !t[0].is_command("\\sum") || !t[1].is_symbol("_")) continue;
            if (!is_equals(t[t.size() - 2]) || t.back().text != "1") continue;
            std::size_t at = end_of_group(source_, t, 2);
            if (at < t.size() && t[at].is_symbol("^")) at = end_of_group(source_, t, at + 1);
            const NameParts p = parts_of(source_, t, at);
            if (!p.has_below || p.has_above || p.end + 2 != t.size()) continue;
            const std::size_t before = out_.size();
            add({part_of(t, p.begin, p.base_end)}, m, Fill::distribution, m.led, {}, is_in_doubt(m.led, words_of(m.behind)));
            if (out_.size() > before) out_.back().by_base = true;
        }
    }

    void add(const std::vector<Tokens>& names, const Mention& m, Fill fill, const WordList& led, const std::string& words = {},
             bool doubted = false) {
        for (const Tokens& name : names) {
            Property p{.key = key_of(name), .text = joined(name, 0, name.size()), .fill = fill, .words = words};
            p.doubted = doubted || source_.text().substr(m.sentence.end).starts_with('?');
            if (p.key.empty()) continue;
            p.first = first_.at(parts_of(source_, name, 0).base);
            const bool introduces = p.first == m.span.begin && up_to_space(m.formula).size() < m.formula.size();
            const bool conditional =
                std::ranges::any_of(conditions_, [&](Span s) { return m.span.begin <= s.begin && s.end <= m.span.end; });
            const Saying saying = conditional ? Saying::conditional : saying_of(led, introduces);
            if (saying == Saying::denied) continue;
            if (saying == Saying::conditional && fill == Fill::positive) continue;  // a case, which conditions_said.hpp reads
            p.where = text_;
            if (saying == Saying::supposed) p.where.begin = m.sentence.begin;
            if (saying == Saying::conditional) p.where = under_condition(m, led);
            const bool behind_claim =
                std::ranges::any_of(derivatives_, [&](std::size_t at) { return at >= p.first && at < p.where.begin; });
            p.of_all = saying != Saying::conditional && !behind_claim;
            out_.push_back(std::move(p));
        }
    }
    /// Of "\[ ... \] for symmetric $A$" the displayed formula; of others what follows in the sentence.
    Span under_condition(const Mention& m, const WordList& led) const {
        constexpr std::string_view kAll[] = {"for", "if",  "when", "whenever", "provided", "that",
                                             "a",   "the", "in",   "case",     "only"};
        const auto last = std::find_if_not(led.rbegin(), led.rend(), [&](const std::string& w) { return is_one(kAll, w); });
        const auto at = static_cast<std::size_t>(&m - all_.data());
        const bool behind_display = last != led.rend() && *last == kFormula && at > 0 && all_[at - 1].displayed;
        return behind_display ? Span{all_[at - 1].span.begin, m.span.begin} : Span{m.span.begin, m.sentence.end};
    }

    const Source& source_;
    Span text_;
    std::vector<Mention> all_;
    std::vector<Span> conditions_;            ///< of claims
    std::vector<std::vector<Group>> groups_;  ///< of each
    std::map<std::string, std::size_t> first_;
    std::vector<std::size_t> derivatives_;
    std::vector<Property> out_;
};

}  // namespace

std::vector<Property> properties_said(const Source& source, Span text) { return Properties(source, text).read(); }

std::string said_of(const Property& p) {
    constexpr std::pair<Fill, std::string_view> kSays[] = {{Fill::definite, "symmetric positive definite"},
                                                           {Fill::onehot, "one-hot"},
                                                           {Fill::symmetric, "symmetric"},
                                                           {Fill::positive, "positive"}};
    if (p.fill == Fill::literal) {
        for (const std::string_view verb : {"have ", "has ", "with "})
            if (p.words.starts_with(verb)) return fmt::format("{} with {}", p.text, p.words.substr(verb.size()));
        return fmt::format("{} {}", p.words, p.text);
    }
    if (is_structured(p.fill)) return fmt::format("{} {}", word_of_structure(p.fill), p.text);
    for (const auto& [fill, says] : kSays)
        if (fill == p.fill) return fmt::format("{} {}", says, p.text);
    return fmt::format("{} that sum to 1", p.text);
}

}  // namespace gradproof::proof::latex
