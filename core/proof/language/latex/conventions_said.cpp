// Layouts and stopped gradients in sentences.
#include "gradproof/core/proof/language/latex/conventions_said.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/sayings.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

/// A sentence that speaks of what others do, or of what might be.
bool is_of_others(const std::string& s) {
    return has_any(s,
                   {" not ", " unlike ", " if ", " would ", " instead ", " rather ", " some ", " others ", " other ", " whereas ",
                    " sometimes ", " often ", " may ", " might ", " could ", " whether ", " avoid ", " never ", " authors "});
}

/// All words of a text, of formulas none.
std::string words_between_formulas(const Source& source, Span text) {
    Document document(source, text, true);
    std::size_t behind = text.begin;
    std::string out;
    while (const std::optional<Part> part = document.next()) {
        out += plain_words(source.slice({behind, std::max(behind, part->span.begin)}));
        behind = part->span.end;
        if (part->note.kind == Token::Kind::note) document.switched_by(part->note);
    }
    return out + plain_words(source.slice({behind, std::max(behind, text.end)}));
}

void read_sentence(const std::string& s, ConventionsSaid& out, bool& in_two_ways) {
    if (is_of_others(s)) return;
    const bool adopts =
        has_any(s, {" use ", " uses ", " using ", " follow ", " follows ", " following ", " adopt ", " convention ",
                    " throughout ", " employ ", " stick ", " all ", " choose ", " work ", " always ", " write "});
    const bool by_denominator = s.find(" denominator layout ") != std::string::npos;
    const bool by_numerator = s.find(" numerator layout ") != std::string::npos;
    if (adopts && by_denominator != by_numerator) {
        const Layout layout = by_denominator ? Layout::denominator : Layout::numerator;
        in_two_ways = in_two_ways || (out.layout != Layout::unsaid && out.layout != layout);
        out.layout = layout;
    }
    // Derivatives as rows may go with gradients as columns, which is what nothing said means too.
    const bool of_gradients = has_any(s, {" gradients are ", " gradient is a ", " gradients as ", " gradient as a "});
    const bool rows = has_any(s, {" row vector ", " row vectors ", " as rows ", " are rows "}) && !has_any(s, {" rows of "});
    if (of_gradients && rows && s.find(" column") == std::string::npos) out.gradients = Vectors::rows;
}

/// The letters below the names that `\\partial` stands before: i and j of \frac{\partial y_i}{\partial x_j}.
std::vector<std::string_view> letters_below_partials(const Source& source, const Tokens& t) {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i + 1 < t.size(); ++i) {
        if (!t[i].is_command("\\partial")) continue;
        const NameParts p = parts_of(source, t, i + 1);
        out.push_back(p.below.size() == 1 && p.below[0].kind == Token::Kind::letter ? p.below[0].text : "");
    }
    return out;
}

/// What (\partial y / \partial x)_{ij} = \partial y_i / \partial x_j says of all Jacobians.
Layout layout_of_entries(const Source& source, const Tokens& formula) {
    const Tokens all = tidied(source, formula);
    const auto equals = std::ranges::find_if(all, is_equals);
    const Tokens left(all.begin(), equals);
    std::size_t end = 0;
    for (int depth = 0; end < left.size() && (end == 0 || depth > 0); ++end) depth += bracket(left[end]);
    if (equals == all.end() || end < 2 || end + 1 >= left.size() || !left[end].is_symbol("_")) return Layout::unsaid;
    if (letters_below_partials(source, part_of(left, 1, end - 1)).size() != 2) return Layout::unsaid;
    const Tokens below = inside_group(source, left, end + 1);
    const std::vector<std::string_view> letters = letters_below_partials(source, {equals + 1, all.end()});
    if (below.size() != 2 || letters.size() != 2 || below[0].text == below[1].text) return Layout::unsaid;
    if (letters[0] == below[0].text && letters[1] == below[1].text) return Layout::numerator;
    return letters[0] == below[1].text && letters[1] == below[0].text ? Layout::denominator : Layout::unsaid;
}

bool ends_with_any(const std::string& all, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(any, [&](std::string_view one) { return all.ends_with(one); });
}
bool starts_with_any(const std::string& all, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(any, [&](std::string_view one) { return all.starts_with(one); });
}

/// Without "the target" at the end of the words before a name.
std::string without_noun(std::string words) {
    for (const std::string_view noun : {"target ", "targets ", "value ", "quantity ", "term ", "weight ", "weights ", "the "})
        if (words.ends_with(" " + std::string(noun))) words = words.substr(0, words.rfind(noun));
    return words;
}

/// Whether words behind a name say that it is: "is held fixed", "(treated as a constant)", "carries no gradient".
bool is_said_to_be_constant(std::string behind) {
    for (const std::string_view verb : {" which ", " that ", " and ", " is ", " are ", " being ", " comes from a "})
        if (behind.starts_with(verb)) behind = " " + behind.substr(verb.size());
    if (behind == " constant ") return true;  // in brackets, and not "constant in time"
    return starts_with_any(behind, {" constant . ",
                                    " stop gradient ",
                                    " detached ",
                                    " frozen ",
                                    " treated as a constant ",
                                    " treated as constant ",
                                    " treated as constants ",
                                    " treated as fixed ",
                                    " held constant ",
                                    " held fixed ",
                                    " kept constant ",
                                    " kept fixed ",
                                    " regarded as a constant ",
                                    " regarded as constant ",
                                    " regarded as fixed ",
                                    " considered constant ",
                                    " considered fixed ",
                                    " considered a constant ",
                                    " carries no gradient ",
                                    " receives no gradient ",
                                    " does not receive gradients ",
                                    " gets no gradient ",
                                    " not differentiated through ",
                                    " not differentiated . ",
                                    " not backpropagated through "});
}

/// Whether the words around a name say that no gradient runs through it.
bool is_stopped(const Mention& m) {
    if (is_in_doubt(m.led, {}) ||
        has_any(m.behind.substr(0, m.behind.find(" . ")) + " ", {" mistake ", " wrong ", " only ", " error "}))
        return false;
    std::string led = " ";
    for (const std::string& w : m.led) led += w + " ";
    if (has_any(led, {" if ",       " when ",      " would ",      " cannot ",    " could ",   " might ",     " may ",
                      " unless ",   " whether ",   " unlike ",     " mistake ",   " wrong ",   " incorrect ", " error ",
                      " naive ",    " naively ",   " avoid ",      " beware ",    " rather ",  " moment ",    " during ",
                      " tempting ", " pitfall ",   " want ",       " step ",      " instead ", " some ",      " often ",
                      " test ",     " inference ", " evaluation ", " prediction "}))
        return false;
    const std::string before = without_noun(last_sentence(m.before));
    const std::string& behind = m.behind;
    const bool denied = has_any(led, {" not ", " no ", " never ", " without ", " don ", " nor "});
    const bool runs = ends_with_any(
        before, {" backpropagate through ", " backpropagating through ", " back propagate through ", " differentiate through ",
                 " differentiating through ", " flows through ", " flow through ", " gradients through ", " gradient through ",
                 " passes through ", " propagated through ", " backpropagated through "});
    const bool stops = has_any(before, {" stop ", " stops ", " stopping ", " block ", " blocks ", " blocking ", " cut "});
    if (runs && starts_with_any(behind, {" is dropped ", " is ignored ", " is blocked ", " is stopped ", " is cut "}))
        return !denied;
    if (runs) return denied != stops;
    if (ends_with_any(before, {" gradient is propagated to ", " ignore the dependence of ", " ignoring the dependence of "}))
        return denied == before.ends_with(" propagated to ");
    if (denied) return starts_with_any(behind, {" receives no grad", " carries no grad", " gets no grad"});
    const bool held =
        starts_with_any(behind, {" as a constant ", " as constant ", " as constants ", " constant ", " fixed ", " as fixed "});
    if (held && ends_with_any(before, {" treat ", " treating ", " treats ", " regard ", " regarding ", " hold ", " holding ",
                                       " consider ", " considering ", " keep ", " keeping "}))
        return true;
    if (ends_with_any(before, {" detach ", " detaching "})) return true;
    return is_said_to_be_constant(behind);
}

/// The rest of the sentence that it stands in.
Span behind_in_sentence(const Mention& m) { return {m.span.begin, m.sentence.end}; }

/// "With $W$ fixed" and "for a fixed $W$" of a sentence, "let $W = ...$ be fixed" and "fix $W$" of all that is behind: of a value
/// that another one is computed from.
std::optional<Span> where_called_fixed(Span text, const Mention& m) {
    const std::string before = without_noun(last_sentence(m.before));
    if (m.behind.find(" fixed to ") != std::string::npos) return std::nullopt;
    if (starts_with_any(m.behind, {" be fixed ", " is fixed ", " are fixed ", " stays fixed ", " remains fixed "}) ||
        ends_with_any(before, {" fix ", " freeze "}))
        return Span{m.span.begin, text.end};
    if (starts_with_any(m.behind, {" fixed ", " being fixed "}) ||
        ends_with_any(before, {" fixed ", " fixing ", " freezing ", " frozen "}))
        return behind_in_sentence(m);
    return std::nullopt;
}

/// Of "holding $W$ fixed, \[...\]" the rest of its sentence; none where it leads to no formula.
std::optional<Span> where_stopped(const std::vector<Mention>& mentions, const Mention& m) {
    const std::string before = without_noun(last_sentence(m.before));
    if (!ends_with_any(before, {" treating ", " regarding ", " holding ", " considering ", " keeping ", " detaching ", " with ",
                                " differentiating through ", " backpropagating through "}))
        return std::nullopt;
    const Span rest = behind_in_sentence(m);
    const bool leads = std::ranges::any_of(mentions, [&](const Mention& other) {
        return other.displayed && rest.begin < other.span.begin && other.span.begin < rest.end;
    });
    return leads ? std::optional(rest) : std::nullopt;
}

/// The names of a mention, t of t = x^2, and of those before it in a list.
std::vector<Tokens> names_of(const std::vector<Mention>& mentions, std::size_t of) {
    std::vector<Tokens> out;
    for (std::size_t at = of + 1; at-- > 0;) {
        for (Tokens& name : parts_of_list(mentions[at].formula)) {
            name.erase(std::ranges::find_if(name, is_equals), name.end());
            out.push_back(std::move(name));
        }
        if (mentions[at].before != " and " && mentions[at].before != " ") break;
    }
    return out;
}

}  // namespace

ConventionsSaid conventions_said(const Source& source, Span text) {
    ConventionsSaid out;
    bool in_two_ways = false;
    const std::string all = words_between_formulas(source, text);
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find(" . ", begin), all.size());
        read_sentence(all.substr(begin, end - begin) + " ", out, in_two_ways);
        begin = end + 2;
    }
    each_formula(source, text, [&](const Part&, const Tokens& formula) {
        const Layout layout = layout_of_entries(source, formula);
        if (layout == Layout::unsaid) return;
        in_two_ways = in_two_ways || (out.layout != Layout::unsaid && out.layout != layout);
        out.layout = layout;
    });
    if (in_two_ways) out.layout = Layout::unsaid;
    const std::vector<Mention> mentions = mentions_in(source, text);
    for (std::size_t i = 0; i < mentions.size(); ++i) {
        if (mentions[i].displayed) continue;
        const bool stopped = is_stopped(mentions[i]);
        const std::optional<Span> where = stopped ? where_stopped(mentions, mentions[i]) : where_called_fixed(text, mentions[i]);
        if (!stopped && !where) continue;
        for (Tokens& name : names_of(mentions, i)) out.fixed.push_back({std::move(name), where, stopped});
    }
    return out;
}

}  // namespace gradproof::proof::latex
