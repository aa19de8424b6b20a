// Functions and signs in sentences.
#include "gradproof/core/proof/language/latex/said.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool has(const std::string& all, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(any, [&](std::string_view one) { return all.find(one) != std::string::npos; });
}

/// Words in small letters with one blank around each, " the softmax is taken column wise "; a full stop as " . ".
std::string plain_words(std::string_view text) {
    std::string out = " ";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], letter = small_letter(c);
        const bool number = c >= '0' && c <= '9';
        const bool ends = (c == '.' || c == ';') && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n');
        const bool paragraph = c == '\n' && i + 1 < text.size() && text[i + 1] == '\n';
        if (letter != '\0' || number)
            out += letter != '\0' ? letter : c;
        else if (ends || paragraph)
            out += out.ends_with(' ') ? ". " : " . ";
        else if (!out.ends_with(' '))
            out += ' ';
    }
    return out.ends_with(' ') ? out : out + ' ';
}

/// What is said of the name before it: "denotes the softmax". The words as function names, "" of none.
std::string function_said(const std::string& words) {
    constexpr std::string_view kSays[] = {" is ", " denotes ", " stands for ", " represents ", " be ", " means "};
    const auto says = std::ranges::find_if(kSays, [&](std::string_view one) { return words.starts_with(one); });
    if (says == std::end(kSays)) return "";
    std::string rest = words.substr(says->size() - 1);
    rest = rest.substr(0, rest.find(" ."));
    for (const std::string_view article : {" the ", " a ", " an ", " our ", " here ", " the "})
        if (rest.starts_with(article)) rest = rest.substr(article.size() - 1);
    struct Called {
        std::string_view words, function;
    };
    constexpr Called kAll[] = {{" softmax ", "softmax"},
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
                               {" elementwise tanh ", "tanh"}};
    for (const Called& one : kAll)
        if ((rest + " ").starts_with(one.words)) return std::string(one.function);
    return "";
}

/// A formula in a sentence, with the words before and behind it up to the next one.
struct Mention {
    Tokens formula;
    std::string before, behind;
};
std::vector<Mention> mentions_in(const Source& source, Span text) {
    Document document(source, text, true);
    std::vector<Mention> out;
    std::size_t behind = text.begin;
    bool open = false;
    while (const std::optional<Part> part = document.next()) {
        const std::string words = plain_words(source.slice({behind, std::max(behind, part->span.begin)}));
        if (open) out.back().behind = words;
        open = part->in_line;
        behind = part->span.end;
        if (part->note.kind == note) document.switched_by(part->note);
        if (!part->in_line) continue;
        try {
            out.push_back({tidied(source, document.expanded(part->tokens)), words, ""});
        } catch (const ProofError&) {  // told where equations are read
            open = false;
        }
    }
    if (open) out.back().behind = plain_words(source.slice({behind, std::max(behind, text.end)}));
    return out;
}

/// How a matrix is drawn of which these words are said behind its name, or before it.
std::optional<Fill> fill_said(const Mention& m) {
    const std::string behind = m.behind.substr(0, m.behind.find(" ."));
    std::string said;
    for (const std::string_view verb : {" is ", " be ", " are ", " which is ", " is a ", " be a ", " "})
        for (const std::string_view kind : {"symmetric ", "positive definite ", "positive semidefinite ", "spd "})
            if ((behind + " ").starts_with(std::string(verb) + std::string(kind))) said = behind + " ";
    for (const std::string_view what : {" ", " matrix ", " matrices ", " real matrix "})
        for (const std::string_view kind : {" symmetric", " positive definite", " spd"})
            if (said.empty() && m.before.ends_with(std::string(kind) + std::string(what))) said = m.before;
    if (said.empty() ||
        has(said, {" not ", " skew ", " non ", " anti ", " need ", " if ", " when ", " only ", " iff ", " unless ", " nor "}))
        return std::nullopt;
    return has(said, {" definite ", " semidefinite ", " spd "}) ? Fill::definite : Fill::symmetric;
}

/// The words of one sentence, each of which is among these.
bool all_are(std::string_view said, std::initializer_list<std::string_view> known) {
    for (std::size_t begin = 1, end; begin < said.size(); begin = end + 1) {
        end = said.find(' ', begin);
        if (std::ranges::find(known, said.substr(begin, end - begin)) == known.end()) return false;
    }
    return true;
}

/// Whether " one hot ", or what else it is, is said of the name between these words: "the one-hot label $y$", "$y$ is its one-hot
/// encoding"; not "if $y$ is one-hot".
bool is_said_to_be(std::string_view what, const Mention& m) {
    const auto is_sure = [](std::string_view before) {
        return !std::ranges::any_of(std::to_array<std::string_view>({" if ", " when ", " for ", " not "}),
                                    [&](std::string_view word) { return before.ends_with(word); });
    };
    const std::string behind = m.behind.substr(0, m.behind.find(" .")) + " ";
    if (const std::size_t at = behind.find(what); at != std::string::npos)
        return is_sure(m.before) &&
               all_are(behind.substr(0, at + 1),
                       {"is",    "are", "be",    "denotes", "denote", "being", "a",     "an",    "the",   "its",
                        "their", "as",  "given", "some",    "target", "true",  "which", "where", "label", "labels"});
    const std::size_t at = m.before.rfind(what);
    return at != std::string::npos && is_sure(m.before.substr(0, at + 1)) &&
           all_are(m.before.substr(at + what.size() - 1), {"encoded", "encoding", "encodings", "label", "labels", "vector",
                                                           "vectors", "target", "targets", "class", "row", "ground", "truth"});
}

/// What stands behind the last full stop.
std::string last_sentence(const std::string& words) {
    const std::size_t stop = words.rfind(" . ");
    return stop == std::string::npos ? words : words.substr(stop + 2);
}

/// The accent of \bar x, where the rest is \partial L / \partial x of the same x; "" of others.
std::string accent_of_adjoint(const Source& source, const Tokens& name, const Tokens& rest) {
    const NameParts p = name.empty() ? NameParts{} : parts_of(source, name, 0);
    const std::string accent(name.empty() || name[0].kind != command ? std::string_view() : accent_of(name[0].text));
    if (p.base.empty() || accent.empty() || p.end != name.size()) return "";
    std::string last;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (const NameParts other = parts_of(source, rest, i); !other.base.empty()) last = other.base;
    return std::ranges::any_of(rest, is_derivative_sign) && p.base == last + "_" + accent ? accent : "";
}

class Said {
  public:
    explicit Said(const Source& source) : source_(source) {}

    std::vector<FunctionMeaning> read(Span text) {
        for (const Mention& m : mentions_in(source_, text)) name_is_a_function(m.formula, m.behind);
        Document document(source_, text, true);
        std::size_t behind = text.begin;
        std::string words;
        while (const std::optional<Part> part = document.next()) {
            words += plain_words(source_.slice({behind, std::max(behind, part->span.begin)}));
            behind = part->span.end;
            if (part->note.kind == note) document.switched_by(part->note);
            if (part->in_line) words += plain_words(source_.slice(part->span));
        }
        sentences(words + plain_words(source_.slice({behind, std::max(behind, text.end)})));
        return std::move(out_);
    }

  private:
    void name_is_a_function(const Tokens& name, const std::string& words) {
        const std::string function = function_said(words), of = function.empty() ? "" : function_named(source_, name);
        const bool same = of == function || (of == "σ" && function == "sigmoid");
        if (of.empty() || same) return;
        FunctionMeaning m{.function = of, .same_as = function};
        m.text = joined(name, 0, name.size()) + " = " + function_spelled(function);
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
        if (has(s, {" softmax "})) of_softmax(s);
        if (has(s, {" log ", " logarithm ", " logarithms ", " log denotes "})) of_log(s);
        if (has(s, {" convolves ", " convolution ", " convolved ", " convolve "}))
            out_.push_back({.function = "*",
                            .refused = "the text speaks of a convolution, which is not read: write it as a sum, \\sum_k w_k "
                                       "x_{i-k}; for a product entry by entry \\odot"});
        if (has(s, {" normalise ", " normalised ", " normalises ", " normalize ", " normalized ", " normalizes "}) &&
            has(s, {" each column ", " every column ", " columns ", " column wise ", " each row ", " every row ", " rows ",
                    " row wise "}))
            out_.push_back({.function = "norm",
                            .refused = "the text speaks of the norms of rows or columns: write an index, as \\|X_{i:}\\|",
                            .of_matrices = true});
        if (has(s, {" cross product ", " vector product "}))
            out_.push_back({.function = "\\times",
                            .refused = "the text speaks of a cross product, which is not read: write its entries; for a product "
                                       "entry by entry \\odot"});
    }
    void of_softmax(const std::string& s) {
        if (has(s, {" row ", " rows ", " rowwise "})) return;
        if (has(s, {" each column ", " every column ", " column wise ", " columnwise ", " per column ", " column by column "}))
            out_.push_back({.function = "softmax", .text = "the softmax of each column", .by_columns = true});
        else if (has(s, {" softmax over columns ", " softmax over the columns ", " softmax along the columns ",
                         " over the columns ", " along the columns "}))
            out_.push_back({.function = "softmax",
                            .refused = "softmax over the columns may be that of each row or of each column: say which"});
    }
    void of_log(const std::string& s) {
        const bool two = has(s, {" base 2 ", " base two ", " binary logarithm "}), ten = has(s, {" base 10 ", " base ten "});
        if (!two && !ten) return;
        const std::string base = two ? "2" : "10";
        out_.push_back({.function = "log",
                        .refused = fmt::format("the text says that log is to base {0}: write \\ln, as \\ln x / \\ln {0}", base)});
    }

    const Source& source_;
    std::vector<FunctionMeaning> out_;
};

}  // namespace

std::vector<FunctionMeaning> said_of_functions(const Source& source, Span text) { return Said(source).read(text); }

namespace {
/// How those that are mentioned are drawn, by key, where the words around them say so.
std::map<std::string, Fill> fills_said(const Source& source, Span text, std::optional<Fill> (*said)(const Mention&)) {
    std::map<std::string, Fill> out;
    for (const Mention& m : mentions_in(source, text)) {
        const std::optional<Fill> fill = said(m);
        if (!fill) continue;
        const auto in = std::ranges::find_if(m.formula, [](const Token& t) { return t.is_command("\\in") || t.is_symbol("∈"); });
        for (const Tokens& name : pieces_of(Tokens(m.formula.begin(), in), ",")) {
            const NameParts p = name.empty() ? NameParts{} : parts_of(source, name, 0);
            if (!p.base.empty() && p.end == name.size()) out[p.key(p.has_above, p.has_below, p.primed)] = *fill;
        }
    }
    return out;
}
}  // namespace

std::map<std::string, Fill> said_of_matrices(const Source& source, Span text) { return fills_said(source, text, fill_said); }
std::map<std::string, Fill> said_of_labels(const Source& source, Span text) {
    return fills_said(source, text, [](const Mention& m) -> std::optional<Fill> {
        if (is_said_to_be(" one hot ", m)) return Fill::onehot;
        if (is_said_to_be(" probability distribution ", m) || is_said_to_be(" probability vector ", m)) return Fill::distribution;
        return std::nullopt;
    });
}

std::string said_of_adjoints(const Source& source, Span text) {
    Mention before;
    for (const Mention& m : mentions_in(source, text)) {
        if (before.behind == " denotes " || before.behind == " stands for " || before.behind == " means ")
            if (std::string accent = accent_of_adjoint(source, before.formula, m.formula); !accent.empty()) return accent;
        before = m;
        const auto equals = std::ranges::find_if(m.formula, is_equals);
        const std::string accent = equals == m.formula.end() ? ""
                                                             : accent_of_adjoint(source, Tokens(m.formula.begin(), equals),
                                                                                 Tokens(equals + 1, m.formula.end()));
        if (accent.empty()) continue;
        const std::string around = last_sentence(m.before) + m.behind.substr(0, m.behind.find(" . ")) + " ";
        if (has(around, {" adjoint ", " adjoints ", " write ", " written ", " denote ", " denotes ", " notation ", " bar ",
                         " bars ", " every ", " any ", " each ", " all "}))
            return accent;
    }
    return "";
}

}  // namespace gradproof::proof::latex
