// Letters that nobody sums over.
#include "gradproof/core/proof/language/latex/unsummed.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The small letters of a script.
std::set<std::string_view> letters_in(const Tokens& script) {
    std::set<std::string_view> out;
    for (const Token& t : script)
        if (is_small_letter(t)) out.insert(t.text);
    return out;
}
/// Those below signs that run over them, as \sum_{i,j}, and below names on the left.
std::set<std::string_view> letters_bound(const Source& source, const Tokens& tokens, bool names) {
    std::set<std::string_view> out;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i)
        if (tokens[i].is_symbol("_") && (names || (tokens[i - 1].kind == command && letter_of(tokens[i - 1].text).empty())))
            out.merge(letters_in(inside_group(source, tokens, i + 1)));
    return out;
}

}  // namespace

void expect_summed(const Equation& e, const Source& source) {
    if (!e.range.empty()) return;
    std::set<std::string_view> bound = letters_bound(source, *e.left, true);
    bound.merge(letters_bound(source, e.right, false));
    std::map<std::string_view, int> times;
    std::set<std::string_view> of_two;
    for (std::size_t i = 0; i < e.right.size(); ++i) {
        if (e.right[i].is_symbol("+") || e.right[i].is_symbol("-")) {  // of another product
            times.clear();
            of_two.clear();
        }
        const NameParts p = parts_of(source, e.right, i);
        if (p.base.empty()) continue;
        const std::set<std::string_view> letters = letters_in(p.below);
        const bool indices = letters.size() == p.below.size() && p.below.size() > 1;
        for (const std::string_view one : letters) {
            ++times[one];
            if (indices) of_two.insert(one);
            if (times[one] > 1 && of_two.contains(one) && !bound.contains(one))
                throw ProofError(source, e.right[i].span.begin,
                                 fmt::format("{0} stands twice in a product and is not summed: write \\sum_{0}", one));
        }
        i = std::max(i + 1, p.end) - 1;
    }
}

}  // namespace gradproof::proof::latex
