// What sentences say that names stand for.
#include "gradproof/core/proof/language/latex/denoted.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/known_words.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

/// i, j of (i, j) and of _{ij}.
std::string letters_of(const Tokens& t) {
    std::string out;
    for (const Token& one : t)
        if (one.kind == Token::Kind::letter || one.kind == Token::Kind::digits) out += one.text;
    return out;
}

/// What a sentence says that a formula of it stands for: its words from `begin` on, in which the first formula is number
/// `formula`.
struct Meaning {
    std::size_t left, begin, end, formula;
};

/// All of "$X$ denotes ...", "denote ... by $X$", "write $X$ for ..." in one sentence.
class Denoted {
  public:
    Denoted(const Sentence& s, const MeaningsRead& read) : sentence_(s), read_(read), words_(words_of(s.words)) {}

    std::string why() const {
        for (const Meaning& m : meanings()) {
            const Mention& left = sentence_.formulas[m.left];
            if (!left.displayed && !read_.is_of_a_line(left.span) && !is_plain(left, m))
                return fmt::format("it says what {} denotes", printable(read_.source.one_line(left.span), kMostShown));
        }
        return "";
    }

  private:
    static constexpr std::size_t kMostShown = 40;
    bool is(std::size_t i, std::string_view word) const { return i < words_.size() && words_[i] == word; }
    bool is_any(std::size_t i, std::initializer_list<std::string_view> all) const {
        return i < words_.size() && std::ranges::find(all, words_[i]) != all.end();
    }
    /// How many formulas stand before a word.
    std::size_t formulas_before(std::size_t i) const {
        return static_cast<std::size_t>(std::count(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(i), kFormula));
    }

    std::vector<Meaning> meanings() const {
        std::vector<Meaning> out;
        const auto add = [&](std::size_t left, std::size_t begin, std::size_t end) {  // `left`: of words
            const std::size_t formula = formulas_before(left);
            if (formula < sentence_.formulas.size()) out.push_back({formula, begin, end, formulas_before(begin)});
        };
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool denotes = is_any(i, {"denote", "denotes", "denoted", "denoting"});
            const bool stands = is_any(i, {"stand", "stands", "short"}) && is(i + 1, "for");
            if ((denotes || stands) && i > 0 && is(i - 1, kFormula) && !is(i, "denoted"))
                add(i - 1, i + (stands ? 2 : 1), words_.size());
            else if (is_any(i, {"write", "writes", "writing", "use", "uses", "using", "put", "putting"}) && is(i + 1, kFormula) &&
                     is(i + 2, "for"))
                add(i + 1, i + 3, words_.size());
            else if (denotes && is(i + 1, "by") && is(i + 2, kFormula))
                add(i + 2, i + 3, words_.size());
            else if (const std::size_t by = denotes ? place_of_by(i) : 0; by > 0)
                add(by + 1, i + 1, by);
        }
        return out;
    }
    /// Of "denote the weights by $W$" where the "by" stands; 0 of others.
    std::size_t place_of_by(std::size_t denote) const {
        for (std::size_t i = denote + 1; i < words_.size(); ++i)
            if (is(i, "by")) return is(i + 1, kFormula) ? i : 0;
        return 0;
    }

    /// Whether these words are what something is called, and not another value.
    bool is_plain(const Mention& left, const Meaning& m) const {
        std::size_t formula = m.formula;
        bool line = false, content = false;
        for (std::size_t at = m.begin; at < m.end && !ends(at); ++at) {
            const std::string& word = words_[at];
            if (word != kFormula) {
                const bool one_hot = word == "hot" || (word == "one" && is(at + 1, "hot"));
                if (!one_hot && !names_a_thing(word, read_.functions)) return false;
                line = line || is_any(at, {"entry", "element", "component", "coordinate", "row", "column"});
                content = content || !is_any(at, {"the", "a", "an", "its", "this", "all", "of", "and", "by", "for", "in", "to"});
                continue;
            }
            if (formula >= sentence_.formulas.size()) return true;
            const Mention& of = sentence_.formulas[formula++];
            if (read_.is_of_a_line(of.span)) return true;
            const bool next_left = is_any(at + 1, {"denote", "denotes", "the", "a", "an", "for"}) && content;
            if (next_left) return true;  // "$W$ denotes the weights and $b$ the bias"
            if (is_any(at + 1, {"th", "entry", "norm", "dimensional", "by"})) {
                if (!is_place(left, of)) return false;
            } else if (!is_any(at - 1, {"of", "to", "for", "in", "at", "by", "between", "and", "size", "over"}) ||
                       !is_name(of.formula)) {
                return false;
            }
        }
        if (!content || (line && !is_any_th(m) && !has_no_place(left))) return false;
        return is_called_so(left, m);
    }
    bool ends(std::size_t at) const {
        return is_any(at, {"we", "then", "where", "which", "so", "if", "when", "while", "as", "write", "let"});
    }
    bool is_any_th(const Meaning& m) const {
        return std::find(words_.begin() + static_cast<std::ptrdiff_t>(m.begin), words_.end(), "th") != words_.end();
    }
    /// \mathbf{1}, I and ^\top, which are read as everywhere, under no other name.
    bool is_called_so(const Mention& left, const Meaning& m) const {
        const auto says = [&](std::initializer_list<std::string_view> any) {
            for (std::size_t at = m.begin; at < m.end; ++at)
                if (is_any(at, any)) return true;
            return false;
        };
        const Tokens& t = left.formula;
        const auto has = [&](auto&& is_so) { return std::ranges::any_of(t, is_so); };
        if (has([](const Token& one) { return one.is(Token::Kind::digits, "1"); }) && t.size() < 5)
            return says({"ones", "one", "indicator"});
        if (t.size() == 1 && t[0].is(Token::Kind::letter, "I")) return says({"identity", "input", "information"});
        if (has([](const Token& one) { return one.is_command("\\top"); })) return says({"transpose", "transposed"});
        return !says({"identity"});
    }
    /// The (i, j) of "the $(i, j)$-th entry" of what is called X_{ij}.
    bool is_place(const Mention& left, const Mention& of) const {
        const NameParts p = left.formula.empty() ? NameParts{} : parts_of(read_.source, left.formula, 0);
        const std::string said = letters_of(of.formula);
        return !p.has_below || said.size() < 2 || said == letters_of(p.below);
    }
    bool has_no_place(const Mention& left) const {
        const NameParts p = left.formula.empty() ? NameParts{} : parts_of(read_.source, left.formula, 0);
        return !p.base.empty() && !p.has_below;
    }
    /// x and x_i, and not x^2 or 2 L.
    static bool is_name(const Tokens& t) {
        return std::ranges::none_of(t, [](const Token& one) {
            return one.kind == Token::Kind::digits || one.is_symbol("^") || one.is_symbol("-") || is_derivative_sign(one);
        });
    }

    const Sentence& sentence_;
    const MeaningsRead& read_;
    WordList words_;
};

}  // namespace

std::string denotes_other(const Sentence& s, const MeaningsRead& read) { return Denoted(s, read).why(); }

bool is_name_of_function(const Source& source, const Tokens& t) {
    if (t.empty()) return false;
    const NameParts p = parts_of(source, t, 0);
    if (p.end != t.size() && !(p.base.empty() && t.size() == 1)) return false;
    constexpr std::string_view kLetters[] = {"σ", "φ", "ϕ", "ψ", "ρ"};
    const std::string name = p.base.empty() ? std::string(t[0].text.substr(std::min<std::size_t>(t[0].text.size(), 1))) : p.base;
    return is_one(kLetters, letter_of(t[0].text)) || is_one(kLetters, p.base) || (name.size() > 1 && !function_of(name).empty());
}

bool choose_loss(const std::string& words) {
    return has_any(words, {" as the loss ", " as our loss ", " as a loss ", " as the objective ", " as our objective ",
                           " as the cost ", " as the training loss ", " as the training objective "});
}

}  // namespace gradproof::proof::latex
