// Functions and signs in sentences.
#include "gradproof/core/proof/language/latex/said.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/normal_said.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/sayings.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// How words say that something goes entry by entry.
constexpr std::string_view kByEntry[] = {" elementwise ",    " element wise ",   " entrywise ",
                                         " entry wise ",     " pointwise ",      " componentwise ",
                                         " component wise ", " coordinatewise ", " coordinate wise "};

/// Functions as sentences call them.
struct Called {
    std::string_view words, function;
};
constexpr Called kCalled[] = {
    {" softmax ", "softmax"},
    {" relu ", "relu"},
    {" rectified linear unit ", "relu"},
    {" rectifier ", "relu"},
    {" tanh ", "tanh"},
    {" hyperbolic tangent ", "tanh"},
    {" sigmoid ", "sigmoid"},
    {" logistic sigmoid ", "sigmoid"},
    {" logistic function ", "sigmoid"},
    {" gelu ", "gelu"},
    {" silu ", "silu"},
    {" swish ", "silu"},
    {" softplus ", "softplus"},
    {" sine ", "sin"},
    {" cosine ", "cos"},
    {" elementwise relu ", "relu"},
    {" stop gradient ", "sg"},
    {" stopgradient ", "sg"},
    {" stop gradients ", "sg"},
    {" elementwise tanh ", "tanh"},
};

/// What is said of the name before it: "denotes the softmax". The words as function names, "" of none.
std::string function_said(const std::string& words) {
    constexpr std::string_view kSays[] = {" is ", " denotes ", " stands for ", " represents ", " be ", " means "};
    const auto says = std::ranges::find_if(kSays, [&](std::string_view one) { return words.starts_with(one); });
    const bool in_apposition = words.starts_with(" the ");  // "$s$ the logistic function"
    if (says == std::end(kSays) && !in_apposition) return "";
    std::string rest = in_apposition ? words : words.substr(says->size() - 1);
    rest = rest.substr(0, rest.find(" ."));
    for (const std::string_view article : {" the ", " a ", " an ", " our ", " here ", " the "})
        if (rest.starts_with(article)) rest = rest.substr(article.size() - 1);
    for (const Called& one : kCalled)
        if ((rest + " ").starts_with(one.words)) return std::string(one.function);
    return "";
}

/// Of \log the word log.
std::string with_names_of_commands(std::string_view formula) {
    std::string out(formula);
    std::ranges::replace(out, '\\', ' ');
    return out;
}

/// Norms as sentences call them; `which` is the mark of \|x\|_1, "" of one that is not read.
struct NormCalled {
    std::string_view words, which;
    bool of_matrices = false;
    bool is_named = true;  ///< it is a certain one
};
constexpr NormCalled kNorms[] = {
    {" frobenius norm ", "2"},
    {" euclidean norm ", "2"},
    {" 1 norm ", "1"},
    {" l1 norm ", "1"},
    {" l 1 norm ", "1"},
    {" one norm ", "1"},
    {" manhattan norm ", "1"},
    {" taxicab norm ", "1"},
    {" infinity norm ", "\\infty"},
    {" max norm ", "\\infty"},
    {" maximum norm ", "\\infty"},
    {" sup norm ", "\\infty"},
    {" supremum norm ", "\\infty"},
    {" linf norm ", "\\infty"},
    {" 2 norm ", "", true},
    {" l2 norm ", "", true},
    {" spectral norm ", "", true},
    {" operator norm ", "", true},
    {" nuclear norm ", "", true},
    {" trace norm ", "", true},
    {" dual norm ", ""},
    {" arbitrary norm ", "", false, false},
    {" any norm ", "", false, false},
    {" a norm ", "", false, false},
    {" an arbitrary norm ", "", false, false},
    {" some norm ", "", false, false},
};
/// "1" of \ell_1, L^1 and 1 before the word norm; "" of others.
std::string mark_of_norm(const Source& source, const Tokens& t) {
    if (t.size() == 1 && (t[0].kind == digits || t[0].is_command("\\infty"))) return std::string(t[0].text);
    const bool letter = !t.empty() && (t[0].is_command("\\ell") || t[0].text == "L" || t[0].text == "l");
    if (!letter || t.size() < 3 || !(t[1].is_symbol("_") || t[1].is_symbol("^"))) return "";
    const Tokens mark = inside_group(source, t, 2);
    return mark.size() == 1 ? std::string(mark[0].text) : "";
}
/// \|x\| and \|\cdot\| without a mark.
bool is_bare_norm(const Tokens& t) {
    return t.size() > 2 && is_norm_bar(t.front()) && is_norm_bar(t.back()) && std::ranges::count_if(t, is_norm_bar) == 2;
}

class Said {
  public:
    explicit Said(const Source& source) : source_(source) {}

    std::vector<FunctionMeaning> read(Span text) {
        const bool of_sigmoid = speaks_of_sigmoid(source_, text);
        text_ = text;
        const std::vector<Mention> all = mentions_in(source_, text);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Mention& m = all[i];
            if (m.displayed) continue;
            if (is_asserted(m)) name_is_a_function(m.formula, m.behind);
            if (!of_sigmoid) sigma_in_words(m);
            if (std::optional<FunctionMeaning> normal = said_of_normal(source_, {all.data() + i, all.size() - i}, is_asserted(m)))
                out_.push_back(std::move(*normal));
            log_is_another(m.formula);
            if (is_asserted(m)) columns_sum_to_one(m.formula);
            if (is_bare_norm(m.formula)) norm_in_words(m, i + 1 < all.size() ? &all[i + 1] : nullptr);
        }
        Document document(source_, text, true);
        std::size_t behind = text.begin;
        std::string words;
        while (const std::optional<Part> part = document.next()) {
            words += plain_words(source_.slice({behind, std::max(behind, part->span.begin)}));
            behind = part->span.end;
            if (part->note.kind == note) document.switched_by(part->note);
            if (part->in_line) words += plain_words(with_names_of_commands(source_.slice(part->span)));
        }
        sentences(words + plain_words(source_.slice({behind, std::max(behind, text.end)})));
        return std::move(out_);
    }

  private:
    static bool is_asserted(const Mention& m) {
        const Saying saying = saying_of(m.led);
        const std::string behind = m.behind.substr(0, m.behind.find(" . ")) + " ";
        if (has_any(behind, {" or ", " may ", " might ", " could ", " would "})) return false;
        return (saying == Saying::asserted || saying == Saying::supposed) && !is_in_doubt(m.led, words_of(m.behind));
    }
    void name_is_a_function(const Tokens& name, const std::string& words) {
        const std::string function = function_said(words);
        const bool by_dot = name.size() > 3 && name[name.size() - 2].is_command("\\cdot") && name.back().is_symbol(")");
        const Tokens named = function == "sg" && by_dot ? part_of(name, 0, first_bracket(name)) : name;
        const std::string of = function.empty() ? "" : function_named(source_, named);
        const bool same = of == function || (of == "σ" && function == "sigmoid");
        if (of.empty() || same) return;
        FunctionMeaning m{.function = of, .same_as = function};
        m.text = joined(named, 0, named.size()) + " = " + function_spelled(function);
        out_.push_back(std::move(m));
    }
    /// "with ReLU activation $\sigma$", "$\sigma(\cdot)$ is any nonlinearity": it is the logistic function where no sentence says
    /// that it is another.
    void sigma_in_words(const Mention& m) {
        Tokens name = m.formula;
        const bool is_equation = std::ranges::any_of(m.formula, is_equals);
        const bool by_dot = name.size() > 2 && name[1].is_symbol("(") && name[2].is_command("\\cdot");
        if (by_dot || (name.size() > 1 && (name[1].is_symbol(":") || name[1].is_command("\\colon")))) name.resize(1);
        const bool is_told = name.size() == m.formula.size() && !function_said(m.behind).empty() && is_asserted(m);
        if (function_named(source_, name) != "σ" || is_told) return;
        const std::string words = last_sentence(m.before) + m.behind.substr(0, m.behind.find(" . ")) + " ";
        std::set<std::string_view> functions;
        for (const Called& one : kCalled)
            if (one.function != "softmax" && words.find(one.words) != std::string::npos) functions.insert(one.function);
        constexpr const char* kNotUnderstood =
            "what the text says of \\sigma in words is not understood: write its formula, \\sigma(z) = ...";
        FunctionMeaning out{.function = "σ"};
        const bool other = has_any(words, {" leaky ", " hard ", " parametric ", " error function ", " elu ", " selu "});
        // "is not the ReLU", "is a smooth approximation of the ReLU"
        const bool qualified =
            !is_asserted(m) || has_any(words, {" or ",           " not ",        " unlike ",   " instead ", " approximation ",
                                               " approximates ", " derivative ", " negative ", " twice ",   " half ",
                                               " square ",       " squared ",    " like ",     " inverse ", " replace ",
                                               " replaces ",     " replaced ",   " scaled ",   " shifted ", " variant ",
                                               " version ",      " similar ",    " versus ",   " than ",    " antiderivative ",
                                               " integral ",     " avoid "});
        const bool named_otherwise =  // "where $\sigma$ is the identity"
            functions.empty() && has_any(m.behind.substr(0, std::min<std::size_t>(m.behind.size(), 12)),
                                         {" is the ", " is a ", " is an ", " denotes ", " stands for ", " be the "});
        if (other || functions.size() > 1 || (by_dot && is_equation) || (functions.size() == 1 && qualified))
            out.refused = kNotUnderstood;
        else if (functions.size() == 1)
            out.same_as = *functions.begin();
        else if (has_any(words, {" activation ", " activations ", " nonlinearity ", " nonlinearities ", " non linearity ",
                                 " nonlinear "}))
            out.any = true;
        else if (named_otherwise)
            out.refused = kNotUnderstood;
        else
            return;
        if (!out.same_as.empty()) out.text = "\\sigma = " + function_spelled(out.same_as);
        out_.push_back(std::move(out));
    }
    /// "$\\|\\cdot\\|$ denotes the Frobenius norm", "$\\|x\\|$ is the $\\ell_1$ norm".
    void norm_in_words(const Mention& m, const Mention* next) {
        constexpr std::string_view kBetween[] = {"is",  "denotes", "denote", "be",   "means",     "stands",
                                                 "for", "as",      "the",    "here", "represents"};
        if (const Saying saying = saying_of(m.led); saying != Saying::asserted && saying != Saying::supposed) return;
        WordList words = words_of(m.behind);
        const auto first = std::ranges::find_if(words, [&](const std::string& w) { return !is_one(kBetween, w); });
        if (first == words.begin()) return;
        words.erase(words.begin(), first);
        if (words.empty() && next != nullptr && next->behind.starts_with(" norm ")) {
            const std::string mark = mark_of_norm(source_, next->formula);
            return norm_is(mark == "1" || mark == "\\infty" ? mark : "", mark == "2");
        }
        std::string said = " ";
        for (const std::string& w : words) said += w + " ";
        for (const NormCalled& one : kNorms)
            if (said.starts_with(one.words)) return one.which == "2" ? void() : norm_is(std::string(one.which), one.of_matrices);
    }
    /// \sum_i A_{ij} = 1 of an A that is a softmax.
    void columns_sum_to_one(const Tokens& t) {
        if (t.size() < 6 || !t[0].is_command("\\sum") || !t[1].is_symbol("_") || t.back().text != "1" ||
            !is_equals(t[t.size() - 2]))
            return;
        std::size_t at = end_of_group(source_, t, 2);
        if (at < t.size() && t[at].is_symbol("^")) at = end_of_group(source_, t, at + 1);
        const Tokens index = inside_group(source_, t, 2);
        const NameParts p = at < t.size() ? parts_of(source_, t, at) : NameParts{};
        const bool first = !index.empty() && p.below.size() == 2 && p.end + 2 == t.size() && p.below[0].text == index[0].text;
        if (first && p.base.size() == 1 && is_a_softmax({small_letter(p.base[0]), ' '}))
            out_.push_back({.function = "softmax", .text = "the softmax of each column", .by_columns = true});
    }
    /// \log = \log_{10}
    void log_is_another(const Tokens& t) {
        const bool says = t.size() > 2 && t[0].is_command("\\log") && is_equals(t[1]) && t[2].is_command("\\log");
        if (!says || t.size() == 3) return;
        constexpr const char* kWhy = "the text says that \\log is another logarithm: write \\ln, as \\ln x / \\ln 10";
        out_.push_back({.function = "log", .refused = kWhy});
    }
    void norm_is(const std::string& which, bool of_matrices) {
        FunctionMeaning m{.function = "norm", .of_matrices = of_matrices};
        if (which.empty())
            m.refused = of_matrices
                            ? "this norm of a matrix is not read: write it out, or \\|A\\|_F"
                            : "what the text says of this norm is not read: write \\|x\\|_1, \\|x\\|_2 or \\|x\\|_\\infty";
        else
            m.same_as = which;
        if (!which.empty()) m.text = "\\|x\\| = \\|x\\|_" + which;
        out_.push_back(std::move(m));
    }
    void sentences(const std::string& all) {
        for (std::size_t begin = 0; begin < all.size();) {
            const std::size_t end = std::min(all.find(" . ", begin), all.size());
            sentence(all.substr(begin, end - begin) + " ");
            begin = end + 2;
        }
    }
    void sentence(const std::string& s) {
        const bool sum_to_one = has_any(s, {" sum to one ", " sums to one ", " sum to 1 ", " sums to 1 "});
        if (has_any(s, {" softmax "})) of_softmax(s);
        if (sum_to_one && !has_any(s, {" softmax "}) && !has_any(s, {" not ", " if "}))
            if (const std::size_t of = s.find(" columns of ");
                of != std::string::npos && is_a_softmax(s.substr(std::min(s.find_first_not_of(' ', of + 11), s.size()), 2)))
                of_softmax(s + "each column ");
        if (has_any(s, {" log ", " logarithm ", " logarithms ", " log denotes "})) of_log(s);
        if (has_any(s, {" convolves ", " convolution ", " convolved ", " convolve "}))
            out_.push_back({.function = "*",
                            .refused = "the text speaks of a convolution, which is not read: write it as a sum, \\sum_k w_k "
                                       "x_{i-k}; for a product entry by entry \\odot"});
        if (has_any(s, {" normalise ", " normalised ", " normalises ", " normalize ", " normalized ", " normalizes "}) &&
            has_any(s, {" each column ", " every column ", " columns ", " column wise ", " each row ", " every row ", " rows ",
                        " row wise "}))
            out_.push_back({.function = "norm",
                            .refused = "the text speaks of the norms of rows or columns: write an index, as \\|X_{i:}\\|",
                            .of_matrices = true});
        if (has_any(s, {" cross product ", " vector product "}))
            out_.push_back({.function = "\\times",
                            .refused = "the text speaks of a cross product, which is not read: write its entries; for a product "
                                       "entry by entry \\odot"});
    }
    /// Of "p ", a letter among words, whether a formula has P = softmax(...).
    bool is_a_softmax(const std::string& letter) const {
        if (letter.size() != 2 || letter[1] != ' ') return false;
        const std::string_view text = source_.slice(text_);
        for (std::size_t at = text.find("softmax"); at != std::string_view::npos; at = text.find("softmax", at + 1)) {
            const std::size_t equals = text.substr(0, at).find_last_not_of(" &{\\abcdefghijklmnopqrstuvwxyz\n");
            if (equals == std::string_view::npos || text[equals] != '=') continue;
            const std::size_t name = text.substr(0, equals).find_last_not_of(" &\n");
            if (name != std::string_view::npos && small_letter(text[name]) == letter[0]) return true;
        }
        return false;
    }
    void of_softmax(const std::string& s) {
        const bool by_columns = has_any(s, {" acts on columns ", " acts on the columns ", " applied to columns ",
                                            " applied to the columns ", " operates on columns ", " operates on the columns "});
        if (!by_columns && has_any(s, {" row ", " rows ", " rowwise "})) return;
        if (by_columns || has_any(s, {" each column ", " every column ", " column wise ", " columnwise ", " per column ",
                                      " column by column ", " first axis ", " first dimension ", " axis 0 ", " dimension 0 "}))
            out_.push_back({.function = "softmax", .text = "the softmax of each column", .by_columns = true});
        else if (has_any(s, {" softmax over columns ", " softmax over the columns ", " softmax along the columns ",
                             " over the columns ", " along the columns ", " over columns ", " along columns ", " across columns ",
                             " across the columns "}))
            out_.push_back({.function = "softmax",
                            .refused = "softmax over the columns may be that of each row or of each column: say which"});
    }
    void of_log(const std::string& s) {
        const bool two = has_any(s, {" base 2 ", " base two ", " binary logarithm "}),
                   ten = has_any(s, {" base 10 ", " base ten "});
        if (!two && !ten) return;
        const std::string base = two ? "2" : "10";
        out_.push_back({.function = "log",
                        .refused = fmt::format("the text says that log is to base {0}: write \\ln, as \\ln x / \\ln {0}", base)});
    }

    const Source& source_;
    Span text_{};
    std::vector<FunctionMeaning> out_;
};

}  // namespace

bool names_another_norm(const std::string& plain) {
    return std::ranges::any_of(kNorms, [&](const NormCalled& one) {
        const bool usual = one.which == "2" || one.words.find('2') != std::string_view::npos;
        const std::string several = std::string(one.words.substr(0, one.words.size() - 1)) + "s ";  // " max norms "
        return one.is_named && !usual && has_any(plain, {one.words, several});
    });
}

bool speaks_of_entries(const std::string& plain) {
    return std::ranges::any_of(kByEntry, [&](std::string_view how) { return plain.find(how) != std::string::npos; }) ||
           has_any(plain, {" entry by entry ", " activation ", " nonlinearity ", " absolute "});
}

bool names_product_by_entry(const std::string& plain) {
    if (has_any(plain, {" hadamard ", " schur product ", " products are elementwise ", " product is elementwise "})) return true;
    constexpr std::string_view kWhat[] = {"product ",  "products ",  "multiplication ", "multiplications ",
                                          "division ", "divisions ", "quotient "};
    for (const std::string_view how : kByEntry)
        for (std::size_t at = plain.find(how); at != std::string::npos; at = plain.find(how, at + 1))
            if (std::ranges::any_of(
                    kWhat, [&](std::string_view what) { return plain.compare(at + how.size(), what.size(), what) == 0; }))
                return true;
    return false;
}

std::vector<FunctionMeaning> said_of_functions(const Source& source, Span text) { return Said(source).read(text); }

bool speaks_of_sigmoid(const Source& source, Span text) {
    return has_any(plain_words(source.slice(text)), {" sigmoid ", " sigmoids ", " sigmoidal ", " logistic "});
}

}  // namespace gradproof::proof::latex
