// Writing reports as tables.
#include "gradproof/core/proof/judge/report_tables.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/judge/report_rows.hpp"
#include "gradproof/core/proof/language/source.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

/// One row: where, verdict, what is claimed, what is said of it.
struct Row {
    std::string line, mark, claim;
    std::vector<std::string> notes;
};
struct Table {
    std::string heading;
    std::vector<std::string> facts;
    std::vector<Row> rows;
};

std::vector<Table> tables_of(const FileReport& report) {
    std::vector<Table> out;
    for (const ProofReport& p : report.proofs) {
        Table t{name_of(p), {}, {}};
        for (const std::string& fact : facts_of(p)) t.facts.push_back(printable(fact, 1000));
        for (const LineReport& l : p.lines) {
            const ReportRow r = row_of(l);
            Row row{line_text(l), r.mark, printable(l.text, 1000), {printable(r.note, 1000)}};
            for (const std::string& m : r.more) row.notes.push_back(printable(m, 1000));
            t.rows.push_back(std::move(row));
        }
        out.push_back(std::move(t));
    }
    return out;
}

/// Every report in turn, by what a document makes of a table and of a text.
template <class OfTable, class OfText>
std::string document(const std::vector<Checked>& files, OfTable of_table, OfText of_text) {
    std::string out;
    for (const Checked& c : files) {
        const auto add = [&](const std::string& part) { out += (out.empty() ? "" : "\n") + part; };
        if (c.error) {
            const TextSpan at = c.error->at();
            add(of_text(fmt::format("{}: {}: {}", printable(c.report.file, 400), place_text(at.in, at.line, at.column),
                                    printable(c.error->message(), 1000))));
            continue;
        }
        for (const Table& t : tables_of(c.report)) add(of_table(t));
        add(of_text(printable(c.report.file, 400) + ": " + totals(c.report)));
    }
    return out;
}

/// Of characters with a meaning in Markdown, and in its tables.
std::string markdown_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]<>#|~$&!").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}
/// As code: within more backticks than stand in it together. A bar ends the cell of a table there too.
std::string markdown_code(std::string_view text) {
    std::size_t longest = 0, run = 0;
    std::string inside;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
        inside += c == '|' ? "\\|" : std::string(1, c);
    }
    const std::string marks(longest + 1, '`');
    const std::string_view space = longest > 0 ? " " : "";
    return fmt::format("{0}{1}{2}{1}{0}", marks, space, inside);
}

/// How LaTeX writes a sign of the notation; of letters latex::spelled knows.
constexpr auto kSigns = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"∂", "\\partial"}, {"∇", "\\nabla"}, {"⊙", "\\odot"}, {"√", "\\surd"},  {"Σ", "\\Sigma"},  {"∑", "\\Sigma"},
     {"Π", "\\Pi"},      {"∏", "\\Pi"},    {"≤", "\\le"},   {"≥", "\\ge"},    {"≠", "\\ne"},     {"·", "\\cdot"},
     {"×", "\\times"},   {"∘", "\\circ"},  {"‖", "\\|"},    {"∞", "\\infty"}, {"⊗", "\\otimes"}, {"ᵀ", "{}^{T}"},
     {"⁻", "{}^{-}"},    {"¹", "{}^{1}"},  {"²", "{}^{2}"}, {"³", "{}^{3}"},  {"…", "\\dots"},   {"→", "\\to"},
     {"₀", "{}_{0}"},    {"₁", "{}_{1}"},  {"₂", "{}_{2}"}, {"₃", "{}_{3}"},  {"₄", "{}_{4}"},   {"δ", "\\delta"},
     {"∈", "\\in"},      {"−", "-"}});
constexpr auto kEscaped = std::to_array<std::pair<char, std::string_view>>({{'\\', "\\textbackslash{}"},
                                                                            {'{', "\\{"},
                                                                            {'}', "\\}"},
                                                                            {'$', "\\$"},
                                                                            {'&', "\\&"},
                                                                            {'#', "\\#"},
                                                                            {'%', "\\%"},
                                                                            {'_', "\\_"},
                                                                            {'^', "\\textasciicircum{}"},
                                                                            {'~', "\\textasciitilde{}"},
                                                                            {'<', "\\textless{}"},
                                                                            {'>', "\\textgreater{}"},
                                                                            {'|', "\\textbar{}"},
                                                                            {'"', "{\\ttfamily\\char34}"},
                                                                            {'`', "\\textasciigrave{}"},
                                                                            {'-', "{-}"}});
std::string latex_text(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t n = std::max<std::size_t>(1, character_length(text, i));
        const std::string_view c = text.substr(i, n);
        i += n;
        if (n == 1) {
            const auto special = std::ranges::find(kEscaped, c[0], &std::pair<char, std::string_view>::first);
            out += special == kEscaped.end() ? c : special->second;
            continue;
        }
        const auto sign = std::ranges::find(kSigns, c, &std::pair<std::string_view, std::string_view>::first);
        const std::string spelled = sign != kSigns.end() ? std::string(sign->second) : latex::spelled(c);
        out += spelled.starts_with('\\') || sign != kSigns.end() ? "\\ensuremath{" + spelled + "}" : std::string(c);
    }
    return out;
}

}  // namespace

std::string to_markdown_tables(const std::vector<Checked>& files) {
    const auto of_table = [](const Table& t) {
        std::string out = "### " + markdown_text(t.heading) + "\n\n";
        for (const std::string& fact : t.facts) out += markdown_text(fact) + (&fact == &t.facts.back() ? "\n\n" : "  \n");
        out += "| line | verdict | claim | |\n|---|---|---|---|\n";
        for (const Row& r : t.rows) {
            std::string notes;
            for (const std::string& n : r.notes) notes += (notes.empty() ? "" : "<br>") + markdown_text(n);
            const std::string mark = r.mark == "right" || r.mark == "skip" ? r.mark : "**" + r.mark + "**";
            out += fmt::format("| {} | {} | {} | {} |\n", markdown_text(r.line), mark, markdown_code(r.claim), notes);
        }
        return out;
    };
    return document(files, of_table, [](const std::string& text) { return markdown_text(text) + "\n"; });
}

std::string to_latex_tables(const std::vector<Checked>& files) {
    const auto of_table = [](const Table& t) {
        std::string out = "\\par\\medskip\\noindent " + latex_text(t.heading);
        for (const std::string& fact : t.facts) out += "\\par\\noindent " + latex_text(fact);
        out +=
            "\\par\\smallskip\n{\\small\\raggedright\n\\begin{tabular}"
            "{rlp{0.38\\linewidth}p{0.32\\linewidth}}\n\\hline\nline & verdict & claim & \\\\\n\\hline\n";
        for (const Row& r : t.rows) {
            std::string notes;
            for (const std::string& n : r.notes) notes += (notes.empty() ? "" : "\\newline ") + latex_text(n);
            const std::string mark = r.mark == "right" || r.mark == "skip" ? r.mark : "\\textbf{" + r.mark + "}";
            out += fmt::format("{} & {} & \\raggedright\\texttt{{{}}} & \\raggedright {}\\tabularnewline\n", latex_text(r.line),
                               mark, latex_text(r.claim), notes);
        }
        return out + "\\hline\n\\end{tabular}}\n";
    };
    return document(files, of_table, [](const std::string& text) { return "\\par\\noindent " + latex_text(text) + "\\par\n"; });
}

}  // namespace gradproof::proof
