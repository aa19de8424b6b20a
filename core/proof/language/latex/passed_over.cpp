// What is read of a text, and what is not.
#include "gradproof/core/proof/language/latex/passed_over.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/guesses.hpp"
#include "gradproof/core/proof/language/latex/read_as_one.hpp"
#include "gradproof/core/proof/language/latex/sets.hpp"

namespace gradproof::proof::latex {
namespace {

/// Of \text{upstream}, and no formula.
bool labels_nothing(std::string_view label) {
    if (label.find('$') != label.npos) return false;
    const std::string words = plain_words(label);
    const bool derivative = has_any(words, {" gradient ", " derivative ", " jacobian "});
    if (has_any(words,
                {" elementwise ", " entrywise ", " componentwise ", " pointwise ", " hadamard ", " kronecker ", " outer "}))
        return false;
    const bool text = label.find("\\text") != label.npos || label.find("\\mathrm") != label.npos;
    return !derivative && (text ? is_plain_label(words) : words.size() < 2);
}
/// A label of \underbrace{...}_{...} and the like that may say what its formula is: \underbrace{p - y}_{\partial L / \partial z}.
bool labels_say(std::string_view text) {
    constexpr std::string_view kBehind[] = {"\\underbrace", "\\overbrace"},
                               kBefore[] = {"\\overset", "\\underset", "\\stackrel", "\\tag"};
    const auto label_at = [&](std::size_t at) { return text.substr(at, behind_brackets(text, at, text.size()) - at); };
    for (const std::string_view command : kBehind)
        for (std::size_t at = text.find(command); at != text.npos; at = text.find(command, at + 1)) {
            std::size_t end = behind_brackets(text, at + command.size(), text.size());
            while (end < text.size() && text[end] == ' ') ++end;
            const bool labelled = end + 1 < text.size() && (text[end] == '_' || text[end] == '^');
            if (labelled && !labels_nothing(label_at(end + 1))) return true;
        }
    for (const std::string_view command : kBefore)
        for (std::size_t at = text.find(command); at != text.npos; at = text.find(command, at + 1)) {
            const std::size_t behind = at + command.size();
            const std::string_view label = label_at(behind < text.size() && text[behind] == '*' ? behind + 1 : behind);
            constexpr std::size_t kLong = 6;  // {def}, {(1)}
            if (label.size() > kLong && !labels_nothing(label)) return true;
        }
    return false;
}
/// Words within a display that belong to no formula: \intertext{...} and \footnote{...}.
bool has_words_between(std::string_view text) {
    return text.find("\\intertext") != text.npos || text.find("\\shortintertext") != text.npos ||
           text.find("\\footnote") != text.npos;
}

/// A part of a text may begin or end within a formula, whose rows say anew what a name is.
Span with_whole_displays(const Source& source, Span text, Span epoch) {
    Span out = epoch;
    if (epoch.begin == text.begin && epoch.end == text.end) return out;
    Document document(source, text);
    while (const std::optional<Part> display = document.next()) {
        const auto meets = [&](std::size_t place) { return display->span.begin < place && place < display->span.end; };
        if (meets(epoch.begin)) out.begin = display->span.begin;
        if (meets(epoch.end)) out.end = display->span.end;
    }
    return out;
}

/// Where listings begin, and macros whose text has formulas: of these nothing is read.
std::vector<Passed> listings_in(const Source& source, Span text) {
    std::vector<Passed> out;
    const std::string_view all = source.text();
    for (const std::string_view name : {"algorithm", "lstlisting", "minted", "python", "code"}) {
        const std::string begins = fmt::format("\\begin{{{}", name);
        for (std::size_t at = all.find(begins, text.begin); at < text.end; at = all.find(begins, at + 1))
            out.push_back({{at, std::min(all.find('\n', at), text.end)}, "a listing"});
    }
    for (const std::string_view defines : {"\\RenewDocumentCommand",
                                           "\\DeclareRobustCommand",
                                           "\\DeclareDocumentCommand",
                                           "\\edef",
                                           "\\xdef",
                                           "\\csdef",
                                           "\\csname",
                                           "\\renewrobustcmd",
                                           "\\RenewCommandCopy",
                                           "\\patchcmd",
                                           "\\newunicodechar",
                                           "\\catcode",
                                           "\\@namedef",
                                           "\\DeclareMathSymbol",
                                           "\\mathcode",
                                           "\\mathchardef",
                                           "\\everymath",
                                           "\\everydisplay",
                                           "\\ExplSyntaxOn",
                                           "\\directlua",
                                           "\\letcs",
                                           "\\undef"})
        if (const std::size_t at = all.find(defines); at < text.end)
            out.push_back({{at, std::min(all.find('\n', at), text.end)}, "it defines what is not read"});
    for (const std::string_view white : {"\\color{white}", "\\textcolor{white}"})
        if (const std::size_t at = all.find(white, text.begin); at < text.end)
            out.push_back({{at, std::min(all.find('\n', at), text.end)}, "what is written in white"});
    for (const std::string_view defines : {"\\newcommand", "\\renewcommand", "\\def"})
        for (std::size_t at = all.find(defines); at < text.end; at = all.find(defines, at + 1)) {
            const Span line{at, std::min(all.find('\n', at), text.end)};
            const std::string_view body = source.slice({std::min(at + defines.size(), line.end), line.end});
            const auto has = [&](std::string_view part) { return body.find(part) != std::string_view::npos; };
            if (has("$"))
                out.push_back({line, "a macro whose text has formulas"});
            else if (has("\\let\\") || has("\\renewcommand") || has("\\def\\") || has("\\def#") || has("\\let#"))
                out.push_back({line, "a macro that defines others"});
        }
    return out;
}

/// Sums over sets of which nothing says what lies in them, as a minibatch B: where either claims or what they are of have no such
/// sum, they are taken over all.
class WholeSets {
  public:
    WholeSets(const Source& source, const std::vector<Sentence>& all) : sets_(source) {
        if (sets_.empty()) return;
        for (const Sentence& s : all)
            for (const Mention& m : s.formulas) {
                claimed_.merge(sets_.taken_whole({begin_of_claims(m), m.span.end}));
                stated_.merge(sets_.taken_whole({m.span.begin, begin_of_claims(m)}));
            }
    }
    /// What is to be told of a formula; "" of others.
    std::string why(const Mention& m) const {
        if (sets_.empty()) return "";
        const std::size_t claims = begin_of_claims(m);
        for (const auto& [part, others] :
             {std::pair(Span{m.span.begin, claims}, &claimed_), std::pair(Span{claims, m.span.end}, &stated_)})
            for (const auto& [key, printed] : sets_.taken_whole(part))
                if (!others->contains(key)) return fmt::format("a sum over {} is taken over all", printable(printed, 40));
        return "";
    }

  private:
    static std::size_t begin_of_claims(const Mention& m) {
        const auto first = std::ranges::find_if(m.formula, is_derivative_sign);
        return first == m.formula.end() ? m.span.end : first->span.begin;
    }
    Sets sets_;
    std::map<std::string, std::string> claimed_, stated_;
};

}  // namespace

std::vector<Passed> passed_over(const Source& source, Span text, Span epoch, const Proof& proof, const LinesSaid& lines) {
    text = with_whole_displays(source, text, epoch);
    constexpr std::string_view kBegins = "\\begin{document}";
    const std::size_t begins = source.slice(text).find(kBegins);
    if (begins != std::string_view::npos) text.begin += begins + kBegins.size();
    const std::vector<Sentence> all = sentences_in(source, text);
    const Accounted accounted(source, all, proof, lines, epoch);
    const ReadAsOne as_one(source, all, proof);
    const Guesses guesses(source, all, proof);
    const WholeSets whole_sets(source, all);
    std::vector<Passed> out = listings_in(source, text);
    for (const Given& g : proof.given)
        if (g.taken && (g.name == "i" || g.name == "j")) out.push_back({g.span, g.name + " may be the imaginary unit"});
    for (const Sentence& s : all) {
        std::string why = accounted.left_out(s);
        if (why.empty()) why = as_one.why(s);
        if (why.empty()) why = guesses.why(s);
        for (const Mention& m : s.formulas) {
            const std::string_view written = source.slice(m.span);
            if (why.empty()) why = whole_sets.why(m);
            if (why.empty() && labels_say(written)) why = "a label within a formula";
            if (why.empty() && m.displayed && has_words_between(written)) why = "words between formulas";
        }
        if (why.empty()) why = accounted.words_left_out(s);
        if (!why.empty()) out.push_back({s.span, std::move(why)});
    }
    std::ranges::stable_sort(out, {}, [](const Passed& p) { return p.span.begin; });
    return out;
}

}  // namespace gradproof::proof::latex
