// What sentences define and state.
#include "gradproof/core/proof/language/latex/prose.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/asides.hpp"
#include "gradproof/core/proof/language/latex/conditions_of_claims.hpp"
#include "gradproof/core/proof/language/latex/families.hpp"
#include "gradproof/core/proof/language/latex/gates.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/numbers_said.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/properties.hpp"
#include "gradproof/core/proof/language/latex/property_formulas.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Of p_i and p one key, of W_h another.
std::string key_of_whole(const NameParts& p) {
    const bool entries =
        p.has_below && std::ranges::all_of(p.below, [](const Token& t) {
            return t.is_symbol(",") || (t.kind == letter && t.text.size() == 1 && t.text[0] >= 'i' && t.text[0] <= 'n');
        });
    return p.key(p.has_above, p.has_below && !entries, p.primed);
}

/// The bases of names that stand there.
void add_bases(const Source& source, const Tokens& tokens, std::set<std::string>& out) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (const NameParts p = parts_of(source, tokens, i); !p.base.empty()) out.insert(p.base);
}

/// Of x_i also X, whose row it may be.
void add_used(const Source& source, const Tokens& tokens, std::set<std::string>& out) {
    add_bases(source, tokens, out);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const NameParts p = parts_of(source, tokens, i);
        if (const std::string matrix(capital_of(p.base)); p.has_below && !matrix.empty()) out.insert(matrix);
    }
}

/// The letters in scripts below.
void add_indices(const Source& source, const Tokens& tokens, std::set<std::string>& out) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens[i].is_symbol("_")) add_bases(source, inside_group(source, tokens, i + 1), out);
}

/// What each small letter is an index of: names, and \sum.
void add_indexed(const Source& source, const Tokens& tokens, std::map<std::string, std::set<std::string>, std::less<>>& out) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const NameParts p = parts_of(source, tokens, i);
        const bool sums = p.base.empty() && tokens[i].kind == command && tokens[i + 1].is_symbol("_");
        for (const Token& t : sums ? inside_group(source, tokens, i + 2) : p.below)
            if (is_small_letter(t)) out[std::string(t.text)].insert(sums ? std::string(tokens[i].text) : p.base);
    }
}

/// Keys of what the statements of a comment declare.
void add_noted(const Source& source, const Token& note, std::set<std::string>& out) {
    Lexer lexer(source, note.span, true);
    Tokens all;
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) all.push_back(t);
    for (const Tokens& statement : pieces_of(all, ";")) {
        constexpr std::string_view kDeclare[] = {"dims", "input", "const", "function", "loss"};
        if (statement.empty() || std::ranges::find(kDeclare, statement[0].text) == std::end(kDeclare)) continue;
        int depth = 0;
        for (std::size_t i = 1; i < statement.size(); ++i) {
            depth += bracket(statement[i]);
            const NameParts p = depth == 0 ? parts_of(source, statement, i) : NameParts{};
            if (p.base.empty()) continue;
            out.insert(p.full_key());
            i = p.end - 1;
        }
    }
}

/// What a text states, also of labels.
std::vector<Stated> stated_for(const Source& source, Span text, const std::vector<Property>& properties) {
    std::vector<Stated> out = stated_in(source, text);
    std::set<std::string> named;
    for (const Stated& s : out) named.insert(parts_of(source, s.name, 0).base);
    for (Stated& s : numbers_said(source, text))
        if (!named.contains(parts_of(source, s.name, 0).base)) out.push_back(std::move(s));
    for (const Mention& m : mentions_in(source, text)) {
        const bool onehot = m.behind.starts_with(" with one hot rows ") || m.behind.find(" one hot ") < m.behind.find(" . ");
        if (m.displayed || !onehot) continue;
        for (Stated& s : out)
            if (s.fill == "binary" && s.sizes.size() == 2 && s.name.front().span.begin >= m.span.begin &&
                s.name.front().span.begin < m.span.end)
                s.fill = "onehot", s.sums_to_one = true;
    }
    for (const Property& said : properties) {
        if (!said.of_all || said.doubted || !said.is_label()) continue;
        for (Stated& s : out) {
            const NameParts p = parts_of(source, s.name, 0);
            if (said.key != (said.by_base ? p.base : p.full_key())) continue;
            s.sums_to_one = true;
            if (said.fill == Fill::onehot || (said.by_base && s.fill == "binary")) s.fill = "onehot";
        }
    }
    return out;
}

}  // namespace

Prose::Prose(const Source& source, Span text, Span epoch)
    : source_(source),
      epoch_(epoch),
      inversions_(source, text),
      claims_(claims_within_sentences(source, text)),
      properties_(properties_said(source, text)),
      stated_(stated_for(source, text, properties_)) {
    for (const Equation& e : inversions_.parametric())  // "hyperparameters $\psi$" are numbers, but for \psi_k
        std::erase_if(stated_, [&](const Stated& s) {
            const NameParts p = parts_of(source, s.name, 0);
            for (std::size_t i = 0; s.sizes.empty() && i < e.right.size(); ++i)
                if (const NameParts one = parts_of(source, e.right, i); one.base == p.base && one.has_below) return true;
            return false;
        });
    const std::vector<Mention> mentions = mentions_in(source, text);
    leave_out_conditions(mentions, conditions_of_claims(source, text));
    leave_out_entries_of_stated(mentions);
    Families families(source, text);
    read_formulas(text, families);
    see_claims();
    inherit(text.begin);
    stated_bases_ = bases_ = noted_;
    for (const Stated& s : stated_) {
        const NameParts p = parts_of(source, s.name, 0);
        bases_.insert(p.base);
        if (!p.has_below) stated_bases_.insert(p.base);
    }
    leave_out_lines_of_matrices(lines_said(source, with_text_before(source, text)));
    families.join(stated_);
    // p_k > 0 of which nothing says how far k goes, and c_{ij} \in \mathbb{R}.
    std::erase_if(stated_, [&](const Stated& s) {
        return s.sizes.empty() && ((s.compared && !may_be_number(source, s.name)) || is_entry_of_array(s));
    });
    std::vector<Equation> asides = defined_within_sentences(source, text), spoken = equations_within_sentences(source, text);
    inversions_.turn(asides);
    inversions_.turn(spoken);
    std::erase_if(asides, [&](const Equation& e) { return e.demanded && is_sought(e); });
    for (Equation& e : suppositions_within_sentences(source, text))
        if (goes_on_from_input(e)) asides.push_back(std::move(e));
    std::erase_if(spoken, [&](const Equation& e) { return e.demanded && e.left && !e.left->empty() && is_sought(e); });
    asides.insert(asides.begin(), inversions_.parametric().begin(), inversions_.parametric().end());
    for (Equation& e : asides)
        if (&e - asides.data() < std::ssize(inversions_.parametric())) e.span = {text.begin, text.begin};
    define(std::move(asides));
    for (const auto& all : {spoken, equations_of_cases(source, text)})
        for (const Equation& e : all)
            if (e.left && !e.left->empty() && !is_number(e.right)) spoken_of_.push_back(e.left);  // "for $\gamma = 0$"
    for (const Defined& d : defined_) bases_.insert(parts_of(source, *d.left, 0).base);
    bases_.erase("");
}

/// What the text of a file before this one states of names that have no meaning of their own here.
void Prose::inherit(std::size_t before) {
    if (before == 0 || !is_latex(source_.file())) return;
    for (const Stated& s : stated_) own_.insert(parts_of(source_, s.name, 0).base);
    for (const Defined& d : defined_) own_.insert(parts_of(source_, *d.left, 0).base);
    std::set<std::string> known = own_;
    std::vector<Stated> all = stated_for(source_, {0, before}, properties_said(source_, {0, before}));
    for (auto s = all.rbegin(); s != all.rend(); ++s)  // the last goes
        if (known.insert(parts_of(source_, s->name, 0).base).second) stated_.push_back(std::move(*s));
}

void Prose::read_formulas(Span text, Families& families) {
    std::vector<Equation> rows;  // of formulas without words between
    std::size_t rows_end = text.begin;
    Document document(source_, text);
    while (const std::optional<Part> part = document.next()) {
        try {
            if (part->note.kind == note) {
                add_noted(source_, part->note, noted_);
                continue;
            }
            const Tokens all = document.expanded(part->tokens);
            add_used(source_, all, used_);
            add_indices(source_, all, indices_);
            add_indexed(source_, all, indexed_);
            std::vector<Equation> equations = equations_of(source_, {{}, all, part->span});
            inversions_.turn(equations);
            const Span between{rows_end, std::max(rows_end, part->span.begin)};
            if (source_.slice(between).find_first_not_of(" \t\r\n") != std::string_view::npos) see_cases(std::exchange(rows, {}));
            rows.insert(rows.end(), equations.begin(), equations.end());
            rows_end = part->span.end;
            for (const Equation& e : equations) {
                if (e.note.kind != note) families.see(e.left ? *e.left : Tokens{}, e.right);
                if (e.left && !e.left->empty() && !e.chained && !is_identity(*e.left)) defined_.push_back({e.left, e.right});
                if (e.chained && !defined_.empty() && defined_.back().left == e.left) defined_.back().further.push_back(e.right);
            }
        } catch (const ProofError&) {  // told where equations and comments are read
        }
    }
    see_cases(rows);
}

/// What sentences claim uses names too.
void Prose::see_claims() {
    for (const Equation& e : claims_) {
        add_used(source_, *e.left, used_);
        add_used(source_, e.right, used_);
        add_indices(source_, *e.left, indices_);
        add_indices(source_, e.right, indices_);
    }
}

/// z_i - z_j = ..., and S S^{-1} = I of an S that the text has said the shape of.
bool Prose::is_identity(const Tokens& left) const {
    const NameParts p = parts_of(source_, left, 0);
    if (p.base.empty() || p.end >= left.size() || left[p.end].is_symbol("(") || left[p.end].is_symbol(",")) return false;
    if (left[p.end].is_symbol("-") || left[p.end].is_symbol("+")) return true;
    return std::ranges::any_of(stated_, [&](const Stated& s) { return parts_of(source_, s.name, 0).base == p.base; });
}

/// \delta^{(2)} = \partial C / \partial z^{(2)} and so on, as often as equations say what a \delta^{(k)} is, of
/// \delta^{(l)} = \partial C / \partial z^{(l)}.
void Prose::add_layers(std::vector<Equation>& asides) const {
    const auto layer_of = [](const NameParts& p, Token::Kind kind) {
        const Tokens& script = p.has_above ? p.above : p.below;
        const auto found = std::ranges::find_if(script, [&](const Token& t) { return t.kind == kind; });
        const bool alone =
            std::ranges::count_if(script, [](const Token& t) { return t.kind == letter || t.kind == digits; }) == 1;
        return found == script.end() || !alone ? Token{} : *found;
    };
    std::vector<Equation> out;
    for (const Equation& e : asides) {
        const NameParts p = parts_of(source_, *e.left, 0);
        const Token generic = layer_of(p, letter);
        if (generic.text.empty() || std::ranges::none_of(e.right, is_derivative_sign)) continue;
        const auto at_layer = [&](Tokens all, const Token& layer) {
            for (Token& t : all)
                if (t.is(letter, generic.text)) t = {digits, layer.text, t.span, t.blank};
            return all;
        };
        std::set<std::string_view> made;
        for (const Defined& d : defined_) {
            const NameParts other = parts_of(source_, *d.left, 0);
            const Token layer = layer_of(other, digits);
            if (other.base != p.base || layer.text.empty() || !made.insert(layer.text).second) continue;
            Equation one = e;
            one.left = std::make_shared<const Tokens>(at_layer(*e.left, layer));
            one.right = at_layer(e.right, layer);
            if (parts_of(source_, *one.left, 0).full_key() == other.full_key()) out.push_back(std::move(one));
        }
    }
    asides.insert(asides.end(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
    std::stable_sort(asides.begin(), asides.end(),
                     [](const Equation& a, const Equation& b) { return a.span.begin < b.span.begin; });
}

/// Notes where rows say anew what a name is, between gradients of it: f = ..., \nabla f = ... in each. What no gradient follows
/// may go on with the one before.
void Prose::see_cases(const std::vector<Equation>& rows) {
    struct Seen {
        bool derived = false;             ///< a gradient of it has followed
        std::optional<std::size_t> anew;  ///< where the last row begins that says what it is, behind such a gradient
    };
    std::map<std::string, Seen> seen;
    for (const Equation& e : rows) {
        if (!e.left || e.left->empty() || e.chained || e.note.kind == note) continue;
        const bool derives = std::ranges::any_of(*e.left, is_derivative_sign);
        for (std::size_t i = 0; derives && i < e.left->size(); ++i) {
            const auto of = seen.find(key_of_whole(parts_of(source_, *e.left, i)));
            if (of == seen.end()) continue;
            of->second.derived = true;
            const std::optional<std::size_t> at = std::exchange(of->second.anew, std::nullopt);
            if (!at) continue;
            changes_.push_back(*at);
            if (*at < epoch_.end) latest_[of->first] = *at;
        }
        const NameParts p = derives ? NameParts{} : parts_of(source_, *e.left, 0);
        if (p.base.empty()) continue;
        Seen& name = seen[key_of_whole(p)];
        if (std::exchange(name.derived, false)) name.anew = e.span.begin;
    }
}

/// Notes where a sentence gives a new value to what a formula or a sentence above defines.
void Prose::see_changes(const std::vector<Equation>& asides) {
    const auto of_gradients = [](const Tokens& t) { return std::ranges::any_of(t, is_derivative_sign); };
    std::vector<Defined> before = defined_;
    for (const Equation& e : asides) {
        const std::string key = key_of_whole(parts_of(source_, *e.left, 0));
        const bool anew = std::ranges::any_of(before, [&](const Defined& d) {
            const bool above = d.left->front().span.begin < e.span.begin && key_of_whole(parts_of(source_, *d.left, 0)) == key;
            return above && !same_texts(d.right, e.right) && !of_gradients(d.right) &&
                   std::ranges::none_of(d.further, [&](const Tokens& t) { return same_texts(t, e.right); });
        });
        before.push_back({e.left, e.right});
        if (anew && e.alternative) noted_.insert(key);  // it is none of the two
        if (!anew || e.restates || e.alternative || of_gradients(e.right)) continue;
        changes_.push_back(e.span.begin);
        if (e.span.begin < epoch_.end) latest_[key] = e.span.begin;
    }
}

/// Takes in the definitions of names that displayed formulas or other such definitions use, and that nothing else defines.
void Prose::define(std::vector<Equation> asides) {
    add_layers(asides);
    const auto key = [&](const Equation& e) { return parts_of(source_, *e.left, 0).full_key(); };
    std::map<std::string, const Equation*> first;
    see_changes(asides);
    claim_what_names_gradients(asides);
    std::set<std::string> taken = noted_;
    for (const Defined& d : defined_) taken.insert(parts_of(source_, *d.left, 0).full_key());
    for (const Equation& e : asides)
        if (!is_replaced(e)) first.emplace(key(e), &e);
    for (bool goes_on = true; std::exchange(goes_on, false);)
        for (Equation& e : asides) {
            if (e.in_line || !first.contains(key(e)) || first.at(key(e)) != &e) continue;
            const bool replaces = latest_.contains(key_of_whole(parts_of(source_, *e.left, 0)));
            if (taken.contains(key(e)) && !replaces && !names_gradient_first(e) && !defines_first(e)) continue;
            const std::string base = parts_of(source_, *e.left, 0).base;
            if (!used_.contains(base) || (is_number(e.right) && stated_bases_.contains(base))) continue;
            goes_on = e.in_line = true;
            add_used(source_, e.right, used_);
            add_indices(source_, e.right, indices_);
            defined_.push_back({e.left, e.right});
        }
    for (Equation& e : asides)
        if (e.in_line) asides_.push_back(std::move(e));
}

bool Prose::is_replaced(const Equation& e) const {
    if (!e.left || e.left->empty() || e.in_line || latest_.empty()) return false;
    const auto latest = latest_.find(key_of_whole(parts_of(source_, *e.left, 0)));
    return latest != latest_.end() && e.span.begin < latest->second;
}

std::map<std::string, int> Prose::defined_bases() const {
    std::map<std::string, int> out;
    for (const Defined& d : defined_)
        if (const NameParts p = parts_of(source_, *d.left, 0); p.end >= d.left->size() || !(*d.left)[p.end].is_symbol("("))
            ++out[p.base];
    out.erase("");
    return out;
}

std::vector<Equation> Prose::definitions_before(std::size_t offset) {
    const auto end = std::ranges::find_if(asides_, [&](const Equation& e) { return e.span.begin >= offset; });
    std::vector<Equation> out(std::make_move_iterator(asides_.begin()), std::make_move_iterator(end));
    asides_.erase(asides_.begin(), end);
    return out;
}

/// Whether something is differentiated by what the words call an optimum, F(\alpha) by \alpha: then it is no value.
bool Prose::is_sought(const Equation& e) const {
    const std::string base = parts_of(source_, *e.left, 0).base;
    return inversions_.is_differentiated_by(base) || std::ranges::any_of(defined_, [&](const Defined& d) {
               const NameParts p = parts_of(source_, *d.left, 0);
               if (p.end >= d.left->size() || !(*d.left)[p.end].is_symbol("(")) return false;
               for (std::size_t i = p.end + 1; i < d.left->size(); ++i)
                   if (parts_of(source_, *d.left, i).base == base) return true;
               return false;
           });
}

std::set<std::string, std::less<>> Prose::gates() const {
    std::vector<std::pair<Tokens, Tokens>> all;
    for (const Defined& d : defined_) all.emplace_back(*d.left, d.right);
    return gates_in(source_, all);
}

std::vector<std::string> Prose::sizes_stated(const std::string& base) const {
    std::vector<std::string> out;
    const auto said = std::ranges::find_if(stated_, [&](const Stated& s) {
        const NameParts p = parts_of(source_, s.name, 0);
        return p.base == base && !p.has_below;
    });
    if (said != stated_.end() && used_.contains(base))
        for (const Tokens& size : said->sizes) out.push_back(joined(size, 0, size.size()));
    return out;
}

}  // namespace gradproof::proof::latex
