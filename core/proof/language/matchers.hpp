// What the rules of the notation are put together of: matchers by hand, and which words they take where names are known.
#pragma once

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof {
namespace {

namespace peg = tao::pegtl;

/// What the rules look at and count while they match.
struct Context {
    const Names& names;
    int depth = 0;
    bool in_bars = false;  ///< the next | closes |x|
};

/// As many bytes as Length finds where these names are known; where it finds none, no match.
template <class Length>
struct scan_by_names {
    using rule_t = scan_by_names;
    using subs_t = peg::empty_list;
    template <peg::apply_mode, peg::rewind_mode, template <typename...> class, template <typename...> class, class Input,
              class... States>
    static bool match(Input& in, States&&... states) {
        const std::size_t n = Length::length({in.current(), in.size()}, std::get<0>(std::tie(states...)).names);
        in.bump(n);
        return n > 0;
    }
};
template <class Accept>
struct WordLength {
    static std::size_t length(std::string_view text, const Names& names) {
        const std::size_t n = identifier_length(text);
        return n > 0 && Accept::accept(text.substr(0, n), text.substr(n), names) ? n : 0;
    }
};
/// An identifier that Accept(text of the identifier, text after it, names) takes.
template <class Accept>
struct word : scan_by_names<WordLength<Accept>> {};

/// R, one level deeper.
template <class R>
struct nested {
    using rule_t = nested;
    using subs_t = peg::type_list<R>;
    template <peg::apply_mode A, peg::rewind_mode M, template <typename...> class Action, template <typename...> class Control,
              class Input, class... States>
    static bool match(Input& in, States&&... states) {
        auto& context = std::get<0>(std::tie(states...));
        struct Guard {
            int& depth;
            ~Guard() { --depth; }
        } guard{++context.depth};
        if (context.depth > kDeepestNesting)
            throw peg::parse_error(fmt::format("nested deeper than {} (kDeepestNesting)", kDeepestNesting), in);
        return Control<R>::template match<A, M, Action, Control>(in, states...);
    }
};

/// R, between bars or not: |x| holds no bars but inside brackets.
template <bool Bars, class R>
struct in_bars {
    using rule_t = in_bars;
    using subs_t = peg::type_list<R>;
    template <peg::apply_mode A, peg::rewind_mode M, template <typename...> class Action, template <typename...> class Control,
              class Input, class... States>
    static bool match(Input& in, States&&... states) {
        auto& context = std::get<0>(std::tie(states...));
        if (Bars && context.in_bars) return false;
        struct Guard {
            bool& flag;
            const bool before;
            ~Guard() { flag = before; }
        } guard{context.in_bars, context.in_bars};
        context.in_bars = Bars;
        return Control<R>::template match<A, M, Action, Control>(in, states...);
    }
};

bool opens(std::string_view after) {
    const std::size_t i = after.find_first_not_of(" \t\r\n");
    return i != std::string_view::npos && after[i] == '(';
}
struct Any {
    static bool accept(std::string_view, std::string_view, const Names&) { return true; }
};
struct Erratum {
    static bool accept(std::string_view word, std::string_view, const Names& names) {
        return word == "erratum" && !names.defined(word);
    }
};
/// The `for` of what stands behind an equation: where it holds.
struct For {
    static bool accept(std::string_view word, std::string_view, const Names& names) {
        return word == "for" && !names.defined(word);
    }
};
struct All {
    static bool accept(std::string_view word, std::string_view, const Names& names) {
        return (word == "all" || word == "every" || word == "each") && !names.defined(word);
    }
};
struct Variable {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return !Erratum::accept(word, after, names) && !For::accept(word, after, names);
    }
};
struct Function {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return opens(after) && names.is_function(word);
    }
};
/// The log of log p_k: of a name or a number, where nothing else follows that it could be of.
struct BareFunction {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        const std::size_t blank = blanks_length(after);
        const bool operand = blank > 0 && blank < after.size() &&
                             (identifier_length(after.substr(blank)) > 0 || number_length(after.substr(blank)) > 0);
        return operand && word.size() > 1 && is_elementwise(word) && names.is_function(word);
    }
};
/// The σ of σ'(z): a derivative, where a value's prime is its transpose.
struct Primed {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return after.starts_with("'") && opens(after.substr(1)) && names.is_function(word);
    }
};
struct Grad {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return word == "grad" && opens(after) && !names.defined(word);
    }
};
struct Delta {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return (word == "delta" || word == "δ") && after.starts_with("[") && !names.defined(word);
    }
};
/// sum_k( and the like: the index after the underscore.
struct Reducer {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        const std::size_t bar = word.find('_');
        if (bar == std::string_view::npos || names.defined(word)) return false;
        const std::string_view head = word.substr(0, bar);
        if (head != "sum" && head != "max" && head != "mean" && head != "prod") return false;
        return bar + 1 < word.size() ? opens(after) && !names.is_function(word) : after.starts_with("{");
    }
};
/// The A_ of A_{i,j}, an entry of the value A.
struct BeforeIndices {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        if (word.size() < 2 || word.back() != '_' || !after.starts_with("{")) return false;
        const std::string_view head = word.substr(0, word.size() - 1);
        if (head == "δ") return !names.defined(head);
        return names.has_entries(head);
    }
};
struct Vec {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return word == "vec" && opens(after) && !names.defined(word);
    }
};
struct Einsum {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return word == "einsum" && opens(after) && !names.defined(word);
    }
};
/// The dX of a value X, where nothing is called dX.
struct DName {
    static bool accept(std::string_view word, std::string_view, const Names& names) {
        return word.size() > 1 && word[0] == 'd' && names.values.contains(word.substr(1)) && !names.defined(word);
    }
};
struct LossName {
    static bool accept(std::string_view word, std::string_view, const Names& names) { return names.is_loss(word); }
};
struct DLoss {
    static bool accept(std::string_view word, std::string_view, const Names& names) {
        return word.size() > 1 && word[0] == 'd' && names.is_loss(word.substr(1)) && !names.defined(word);
    }
};
struct OptionName {
    static bool accept(std::string_view, std::string_view after, const Names&) {
        const std::size_t i = after.find_first_not_of(" \t\r\n");
        return i != std::string_view::npos && after[i] == '=' && !after.substr(i).starts_with("==");
    }
};
struct BareWord {
    static bool accept(std::string_view word, std::string_view after, const Names& names) {
        return !names.defined(word) && !names.is_function(word) && !opens(after);
    }
};

/// A known name with braces or primes in it: W_{hx}, x'.
struct Known {
    static bool accept(const std::string& name, const Names& names) { return names.defined(name); }
};
struct KnownGradient {
    static bool accept(const std::string& name, const Names& names) { return DName::accept(name, "", names); }
};
struct AnyLong {
    static bool accept(const std::string&, const Names&) { return true; }
};
template <class Accept>
struct LongNameLength {
    static std::size_t length(std::string_view text, const Names& names) {
        const std::size_t plain = identifier_length(text);
        for (std::size_t n = name_length(text); n > plain; n -= text[n - 1] == '\'' ? 1 : text[n - 1] == '}' ? n - plain : 3)
            if (Accept::accept(plain_name(text.substr(0, n)), names)) return n;
        return 0;
    }
};
/// The longest name with braces or primes that Accept takes.
template <class Accept>
struct long_word : scan_by_names<LongNameLength<Accept>> {};

// Rules of characters are matched by hand: put together of rules, they take g++ seconds more.

template <std::size_t N>
struct Chars {
    char text[N];
    constexpr Chars(const char (&of)[N]) { std::copy_n(of, N, text); }
    constexpr std::string_view view() const { return {text, N - 1}; }
};
/// The first of these texts that is next.
template <Chars... Texts>
struct literal {
    using rule_t = literal;
    using subs_t = peg::empty_list;
    template <class Input>
    static bool match(Input& in) {
        const std::string_view left(in.current(), in.size());
        const auto take = [&](std::string_view one) { return left.starts_with(one) && (in.bump(one.size()), true); };
        return (take(Texts.view()) || ...);
    }
};
/// As many bytes as Length finds; where it finds none, the rule matches only if it may be Empty.
template <std::size_t (*Length)(std::string_view), bool Empty = false>
struct scan {
    using rule_t = scan;
    using subs_t = peg::empty_list;
    template <class Input>
    static bool match(Input& in) {
        const std::size_t n = Length({in.current(), in.size()});
        in.bump(n);
        return Empty || n > 0;
    }
};

std::size_t until_quote(std::string_view text) { return std::min(text.find_first_of("\"\n"), text.size()); }

}  // namespace
}  // namespace gradproof::proof
