// What sentences say of matrices and labels.
#include "gradproof/core/proof/language/latex/properties.hpp"

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
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The words that say what something is, in the order they are looked for.
struct Phrase {
    WordList words;
    Fill fill;
};
const std::vector<Phrase>& phrases() {
    static const std::vector<Phrase> kAll = {{{"symmetric", "and", "positive", "definite"}, Fill::definite},
                                             {{"symmetric", "positive", "definite"}, Fill::definite},
                                             {{"symmetric", "positive", "semidefinite"}, Fill::definite},
                                             {{"symmetric", "positive", "semi", "definite"}, Fill::definite},
                                             {{"positive", "definite"}, Fill::definite},
                                             {{"positive", "semidefinite"}, Fill::definite},
                                             {{"positive", "semi", "definite"}, Fill::definite},
                                             {{"spd"}, Fill::definite},
                                             {{"covariance", "matrix"}, Fill::definite},
                                             {{"covariance", "matrices"}, Fill::definite},
                                             {{"covariance"}, Fill::definite},
                                             {{"gram", "matrix"}, Fill::symmetric},
                                             {{"symmetric"}, Fill::symmetric},
                                             {{"one", "hot"}, Fill::onehot},
                                             {{"probability", "distribution"}, Fill::distribution},
                                             {{"probability", "vector"}, Fill::distribution}};
    return kAll;
}
bool is_label_fill(Fill f) { return f == Fill::onehot || f == Fill::distribution; }

/// Up to the first full stop, and behind the last.
WordList up_to_stop(WordList all) {
    all.erase(std::ranges::find(all, "."), all.end());
    return all;
}
WordList behind_stop(WordList all) {
    all.erase(all.begin(), std::find(all.rbegin(), all.rend(), ".").base());
    return all;
}
bool has_word_of(const WordList& all, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(all, [&](const std::string& one) { return is_one(any, one); });
}

/// What words say of a name behind or before them.
struct SaidOfName {
    Fill fill = Fill::symmetric;
    bool one = true;        ///< of one name: "is", "a symmetric matrix"
    bool each = false;      ///< of every name of a list: "are", "symmetric matrices"
    std::size_t words = 0;  ///< before the name that say so
};

/// "is symmetric", "are both positive definite", "denotes its one-hot encoding" behind a name.
std::optional<SaidOfName> said_behind(const Mention& m) {
    const WordList all = up_to_stop(words_of(m.behind));
    constexpr std::string_view kVerbs[] = {"is", "are", "be", "to", "denotes", "denote", "being", "which", "where"};
    constexpr std::string_view kBetween[] = {"a",     "an",     "the",       "assumed", "taken",      "its",   "their",
                                             "as",    "sample", "empirical", "given",   "some",       "both",  "all",
                                             "also",  "real",   "square",    "and",     "invertible", "fixed", "constant",
                                             "known", "target", "true",      "label",   "labels"};
    std::size_t at = 0;
    while (at < all.size() &&
           (is_one(kVerbs, all[at]) || (at > 0 && is_one(kBetween, all[at])) || all[at] == "a" || all[at] == "the"))
        ++at;
    const WordList said(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
    for (const Phrase& p : phrases()) {
        if (said.size() < p.words.size() || !std::equal(p.words.begin(), p.words.end(), said.begin())) continue;
        if (has_word_of(said, {"if", "when", "only", "iff", "unless", "nor"})) return std::nullopt;
        const WordList verb(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at));
        if (verb.empty() && behind_stop(words_of(m.before)).size() > 0 && behind_stop(words_of(m.before)).back() == "is")
            return std::nullopt;  // is $A$ symmetric
        const bool one = has_word_of(verb, {"is", "a", "an", "the"}) || (is_label_fill(p.fill) && !has_word_of(verb, {"are"}));
        return SaidOfName{p.fill, one, !one && has_word_of(verb, {"are", "be"}), 0};
    }
    return std::nullopt;
}

/// "a symmetric matrix", "the one-hot label" before a name.
std::optional<SaidOfName> said_before(const Mention& m) {
    const WordList all = behind_stop(words_of(m.before));
    constexpr std::string_view kOfMatrices[] = {"matrix", "matrices", "real", "square"};
    constexpr std::string_view kOfLabels[] = {"encoded", "encoding", "encodings", "label", "labels", "vector", "vectors",
                                              "target",  "targets",  "class",     "row",   "ground", "truth"};
    constexpr std::string_view kOther[] = {"not", "non", "skew", "anti", "cross", "un", "necessarily", "nor"};
    for (const Phrase& p : phrases())
        for (std::size_t behind = 0; behind <= 4 && behind + p.words.size() <= all.size(); ++behind) {
            const auto end = all.end() - static_cast<std::ptrdiff_t>(behind);
            const auto begin = end - static_cast<std::ptrdiff_t>(p.words.size());
            if (!std::equal(p.words.begin(), p.words.end(), begin)) continue;
            const bool known = std::all_of(end, all.end(), [&](const std::string& w) {
                return is_label_fill(p.fill) ? is_one(kOfLabels, w) : is_one(kOfMatrices, w);
            });
            if (!known || (begin != all.begin() && is_one(kOther, *(begin - 1)))) continue;
            const bool many = std::any_of(begin, all.end(), [](const std::string& w) { return w == "matrices"; });
            return SaidOfName{p.fill, !many, many, behind + p.words.size()};
        }
    return std::nullopt;
}

Tokens up_to_space(const Tokens& t) {
    return {t.begin(), std::ranges::find_if(t, [](const Token& one) { return one.is_command("\\in") || one.is_symbol("∈"); })};
}

/// Names that a formula puts into one space, or that stand there alone.
struct Group {
    std::vector<Tokens> names;
    bool square = true;  ///< it may be a matrix with as many rows as columns
};
std::vector<Group> groups_of(const Source& source, const Tokens& formula) {
    std::vector<Group> out(1);
    for (const Tokens& one : parts_of_list(formula)) {
        Tokens name = up_to_space(one);
        if (const Tokens same = own_transpose(source, name); !same.empty()) name = same;
        const bool placed = name.size() < one.size();
        const NameParts p = name.empty() ? NameParts{} : parts_of(source, name, 0);
        if (p.base.empty() || p.end != name.size()) return {};
        out.back().names.push_back(std::move(name));
        if (!placed) continue;
        const auto power = std::ranges::find_if(one, [](const Token& t) { return t.is_symbol("^"); });
        if (power != one.end()) {
            const Tokens script = inside_group(source, one, static_cast<std::size_t>(power - one.begin()) + 1);
            const std::vector<Tokens> sizes = pieces_of(script, "\\times");
            out.back().square = sizes.size() == 2 && joined(sizes[0], 0, sizes[0].size()) == joined(sizes[1], 0, sizes[1].size());
        }
        out.emplace_back();
    }
    if (out.back().names.empty()) out.pop_back();
    return out;
}

class Properties {
  public:
    Properties(const Source& source, Span text) : source_(source), text_(text), all_(mentions_in(source, text)) {
        for (const Mention& m : all_) {
            groups_.push_back(m.displayed ? std::vector<Group>{} : groups_or_none(m.formula));
            attempt([&] { see(m); });
        }
    }

    std::vector<Property> read() {
        for (std::size_t i = 0; i < all_.size(); ++i) attempt([&] { read(i); });
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
        if (const auto said = said_behind(m)) add(names_up_to(i, *said), m, said->fill, m.led);
        if (const auto said = said_before(m))
            add(names_from(i, *said), m, said->fill, {m.led.begin(), m.led.end() - static_cast<std::ptrdiff_t>(said->words)});
        if (const Fill fill = said_by_sign(m.formula); fill != Fill::normal) add({name_by_sign(m.formula)}, m, fill, m.led);
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
    std::vector<Tokens> names_up_to(std::size_t i, const SaidOfName& said) const {
        std::vector<Tokens> out;
        bool has_and = said.each;
        for (std::size_t at = i + 1; at-- > 0;) {
            const std::vector<Group>& groups = groups_[at];
            for (auto g = groups.rbegin(); g != groups.rend(); ++g) {
                const bool last = at == i && g == groups.rbegin();
                if (!last && (said.one || !has_and || (!g->square && !is_label_fill(said.fill)))) return out;
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
    std::vector<Tokens> names_from(std::size_t i, const SaidOfName& said) const {
        std::vector<Tokens> out;
        for (std::size_t at = i; at < all_.size(); ++at) {
            for (const Group& g : groups_[at]) {
                const bool first = at == i && &g == &groups_[at].front();
                if (!first && (!said.each || (!g.square && !is_label_fill(said.fill)))) return out;
                out.insert(out.end(), g.names.begin(), g.names.end());
            }
            const std::string& between = all_[at].behind;
            if (!said.each || groups_[at].empty() || (between != " and " && between != " ")) return out;
        }
        return out;
    }

    /// Of A = A^\top, \Sigma \succ 0; normal of others.
    Fill said_by_sign(const Tokens& t) const {
        if (!own_transpose(source_, up_to_space(t)).empty()) return Fill::symmetric;
        return name_by_sign(t).empty() ? Fill::normal : Fill::definite;
    }
    Tokens name_by_sign(const Tokens& t) const {
        if (const Tokens same = own_transpose(source_, up_to_space(t)); !same.empty()) return same;
        const bool above = t.size() > 2 && t.back().text == "0" &&
                           (t[t.size() - 2].is_command("\\succ") || t[t.size() - 2].is_command("\\succeq"));
        return above ? part_of(t, 0, t.size() - 2) : Tokens{};
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
            add({part_of(t, p.begin, p.base_end)}, m, Fill::distribution, m.led);
            if (out_.size() > before) out_.back().by_base = true;
        }
    }

    void add(const std::vector<Tokens>& names, const Mention& m, Fill fill, const WordList& led) {
        for (const Tokens& name : names) {
            Property p{.key = key_of(name), .text = joined(name, 0, name.size()), .fill = fill};
            if (p.key.empty()) continue;
            p.first = first_.at(parts_of(source_, name, 0).base);
            const bool introduces = p.first == m.span.begin && up_to_space(m.formula).size() < m.formula.size();
            const Saying saying = saying_of(led, introduces);
            if (saying == Saying::denied) continue;
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
    std::vector<std::vector<Group>> groups_;  ///< of each
    std::map<std::string, std::size_t> first_;
    std::vector<std::size_t> derivatives_;
    std::vector<Property> out_;
};

}  // namespace

std::vector<Property> properties_said(const Source& source, Span text) { return Properties(source, text).read(); }

std::string said_of(const Property& p) {
    constexpr std::pair<Fill, std::string_view> kSays[] = {
        {Fill::definite, "symmetric positive definite"}, {Fill::onehot, "one-hot"}, {Fill::symmetric, "symmetric"}};
    for (const auto& [fill, says] : kSays)
        if (fill == p.fill) return fmt::format("{} {}", says, p.text);
    return fmt::format("{} that sum to 1", p.text);
}

Tokens own_transpose(const Source& source, const Tokens& left, const Tokens& right) {
    const NameParts a = left.empty() ? NameParts{} : parts_of(source, left, 0);
    const NameParts b = right.empty() ? NameParts{} : parts_of(source, right, 0);
    if (a.base.empty() || a.end != left.size() || b.base != a.base || b.end != right.size()) return {};
    if (flat(source, a.below) != flat(source, b.below) || a.has_above == b.has_above) return {};
    return is_transpose(source, a.has_above ? a.above : b.above) ? (a.has_above ? right : left) : Tokens{};
}
Tokens own_transpose(const Source& source, const Tokens& formula) {
    const auto equals = std::ranges::find_if(formula, is_equals);
    return equals == formula.end() ? Tokens{} : own_transpose(source, {formula.begin(), equals}, {equals + 1, formula.end()});
}

}  // namespace gradproof::proof::latex
