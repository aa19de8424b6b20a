// Typed answers.
#include "gradproof/core/proof/exercises/typed.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// What else an answer may mean: (a)(b) as an elementwise product, and sum_i x as Σ_i x.
std::string with_dots_between_brackets(const std::string& text, bool latex) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        const std::size_t next = text.find_first_not_of(' ', i + 1);
        if (text[i] == ')' && next != std::string::npos && text[next] == '(') out += latex ? " \\odot " : " ⊙ ";
    }
    return out;
}
void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
}
bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

/// δ_ij, δ_{ij} and delta_ij as δ[i,j].
std::string with_entries_of_delta(std::string text) {
    replace_all(text, "delta_", "δ_");
    constexpr std::string_view kDelta = "δ_";
    for (std::size_t at = 0; (at = text.find(kDelta, at)) != std::string::npos; ++at) {
        std::size_t i = at + kDelta.size();
        const bool braces = i < text.size() && text[i] == '{';
        if (braces) ++i;
        if (i + 1 >= text.size() || !is_small_letter(text[i]) || !is_small_letter(text[i + 1])) continue;
        const std::size_t end = i + 2 + (braces ? 1 : 0);
        if (braces && (end > text.size() || text[end - 1] != '}')) continue;
        const std::string indices = std::string("δ[") + text[i] + "," + text[i + 1] + "]";
        text.replace(at, end - at, indices);
    }
    return text;
}
/// <a, b> as sum(a ⊙ b), between what opens and what closes.
std::string with_inner_products(std::string text, std::string_view open, std::string_view close) {
    for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos; ++at) {
        const std::size_t from = at + open.size(), end = text.find(close, from), comma = text.find(',', from);
        if (end == std::string::npos || comma == std::string::npos || comma > end) break;
        const std::string inner =
            "sum((" + text.substr(from, comma - from) + ") ⊙ (" + text.substr(comma + 1, end - comma - 1) + "))";
        text.replace(at, end + close.size() - at, inner);
    }
    return text;
}
/// "sqrt d" as sqrt(d).
std::string with_brackets_of_functions(std::string text) {
    for (const std::string_view function : {"sqrt ", "exp ", "log ", "tanh ", "√ "})
        for (std::size_t at = 0; (at = text.find(function, at)) != std::string::npos; ++at) {
            const std::size_t from = at + function.size();
            std::size_t end = from;
            while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
            if (end > from) text = text.substr(0, from - 1) + "(" + text.substr(from, end - from) + ")" + text.substr(end);
        }
    return text;
}
/// The same in the signs of the notation.
std::string with_its_signs(std::string text) {
    for (const auto& [from, to] :
         {std::pair{"⊤", "^T"}, {".T", "^T"}, {"∙", "·"}, {"•", "·"}, {"1{i=j}", "1[i = j]"}, {"1{j=i}", "1[i = j]"}})
        replace_all(text, from, to);
    while (!text.empty() && std::string_view(".;,").find(text.back()) != std::string_view::npos) text.pop_back();
    return with_brackets_of_functions(with_inner_products(with_inner_products(with_entries_of_delta(text), "⟨", "⟩"), "<", ">"));
}

/// A.^2 ./ B as A^2 / B.
std::string without_dots(std::string text) {
    for (const std::string_view sign : {".^", "./", ".'"}) replace_all(text, sign, sign.substr(1));
    return text;
}
std::string with_sum_signs(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool sum = std::string_view(text).substr(i).starts_with("sum_") && i + 5 < text.size() && text[i + 5] == ' ' &&
                         text[i + 6] != '(';
        out += sum ? "Σ_" : std::string(1, text[i]);
        if (sum) i += 3;
    }
    return out;
}

/// The letters at which entries are taken, in the order they stand in, without those that sums bind.
class FreeLetters {
  public:
    explicit FreeLetters(const Names& names) : names_(names) {}
    IndexLetters of(const ExprPtr& e) {
        collect(*e, {}, false);
        return letters_;
    }

  private:
    void collect(const Expr& e, IndexLetters bound, bool at) {
        if (e.kind == Kind::name && at && !names_.defined(e.name) && std::ranges::count(bound, e.name) == 0 &&
            std::ranges::count(letters_, e.name) == 0)
            letters_.push_back(e.name);
        bound.insert(bound.end(), e.bound.begin(), e.bound.end());
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const bool entry = e.kind == Kind::delta || e.kind == Kind::jacobian || (e.kind == Kind::index && i > 0);
            collect(*e.children[i], bound, at || entry);
        }
    }
    const Names& names_;
    IndexLetters letters_;
};

}  // namespace

std::optional<std::size_t> equals_sign(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], before = i > 0 ? text[i - 1] : ' ', next = i + 1 < text.size() ? text[i + 1] : ' ';
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth == 0 && c == '=' && next != '=' && std::string_view("=<>!").find(before) == std::string_view::npos) return i;
    }
    return std::nullopt;
}

std::string hint_of_language(std::string_view answer) {
    constexpr std::array<std::array<std::string_view, 2>, 8> kSigns{{{"%*%", "A %*% B is written A B or A @ B here"},
                                                                     {"%o%", "a %o% b is written outer(a, b) here"},
                                                                     {"Transpose[", "Transpose[A] is written A^T here"},
                                                                     {"Sum[", "Sum[x, i] is written Σ_i x here"},
                                                                     {"t(", "t(A) is written A^T here"},
                                                                     {"<-", "an assignment is written with = here"},
                                                                     {":=", "an assignment is written with = here"},
                                                                     {"&", "entries are taken as A[i,j]"}}};
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (const auto& [sign, hint] : kSigns) {
        const std::size_t at = answer.find(sign);
        const bool within_a_word = is_letter(sign[0]) && at != std::string_view::npos && at > 0 && is_letter(answer[at - 1]);
        if (at != std::string_view::npos && !within_a_word) return std::string(hint);  // sqrt( is no t(
    }
    return "";
}

IndexLetters letters_of_einsum(const Expr& e) {
    IndexLetters out;
    for_each(e, [&](const Expr& part) {
        if (out.empty() && part.kind == Kind::helper) out = part.bound;
    });
    return out;
}
ExprPtr with_entries(const ExprPtr& e, const IndexLetters& letters) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::helper || part.bound.size() != letters.size()) return nullptr;
        ExprPtr body = part.children[0];
        for (std::size_t i = 0; i < letters.size(); ++i) body = renamed(body, part.bound[i], letters[i]);
        return body;
    });
}

bool states_what_is_asked(const Expr& left, const Expr& asked) {
    const bool whole = left.kind != Kind::index;
    const Expr& base = whole ? left : *left.children[0];
    const Expr& wanted = without_indices(asked);
    if (base.kind != wanted.kind || base.name != wanted.name || base.other != wanted.other) return false;
    if (base.kind != Kind::jacobian && base.kind != Kind::gradient && whole) return text_of(left) == text_of(asked);
    std::vector<std::string> letters;
    for (std::size_t i = whole ? 0 : 1; i < left.children.size(); ++i) {
        const Expr& c = *left.children[i];
        if (c.kind == Kind::slice) continue;
        if (c.kind != Kind::name) return false;
        letters.push_back(c.name);
    }
    // Two axes have one letter only where they have in what is asked: ∂A[i,j]/∂S[i,k].
    const bool pattern = asked.kind == Kind::jacobian && asked.children.size() == letters.size();
    for (std::size_t i = 0; i < letters.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const bool alike = pattern && text_of(*asked.children[i]) == text_of(*asked.children[j]);
            if ((letters[i] == letters[j]) != alike) return false;
        }
    return true;
}

ExprPtr with_own_indices(const ExprPtr& e, const Names& names) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::reduce || std::ranges::none_of(part.bound, [&](const auto& b) { return names.defined(b); }))
            return nullptr;
        Expr out = part;
        out.source.clear();
        for (std::string& b : out.bound) {
            std::string fresh = b;
            while (names.defined(fresh)) fresh += '_';
            out.children[0] = renamed(out.children[0], b, fresh);
            b = fresh;
        }
        out.children[0] = with_own_indices(out.children[0], names);
        return make(std::move(out));
    });
}

bool is_latex_text(std::string_view text) { return text.find('\\') != std::string_view::npos; }

std::vector<std::string> ways_to_read(const std::string& text) {
    std::vector<std::string> out{text};
    for (const std::string& more :
         {with_its_signs(text), without_dots(text), with_sum_signs(text), with_dots_between_brackets(text, is_latex_text(text))})
        if (more != text) out.push_back(more);
    return out;
}

IndexLetters free_letters(const ExprPtr& e, const Names& names) { return FreeLetters(names).of(e); }

}  // namespace gradproof::proof
