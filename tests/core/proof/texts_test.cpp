// Derivations that stand in several texts: the cells of a notebook, and a LaTeX file with what it takes in.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gradproof/core/proof/judge/annotations.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/language/latex/inputs.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/core/proof/notebooks.hpp"

namespace gradproof::proof {
namespace {

using gradproof::testing::error_of;

const std::vector<NotebookCell> kLecture{
    {"markdown",
     "# Softmax\n\nThe forward, with µ and 𝛼 about:\n\n```proof\ndims n m\ninput X [n, m]\nforward\n  A = softmax(X)\n```\n"},
    {"code", "%matplotlib inline\nimport numpy as np\nprint(np.pi)"},
    {"raw", "```proof\nclaim\n  dX = A\n```"},
    {"markdown", "```proof\nclaim\n  dX = A ⊙ dA\n  dX = A ⊙ (dA - rowsum(A ⊙ dA))\n```"}};

TEST(Notebooks, CellsAreOneDerivationAndLinesCountWithinTheirs) {
    for (const bool by_lines : {false, true}) {
        const FileReport report = check_file("lecture.ipynb", notebook(kLecture, by_lines));
        ASSERT_EQ(report.proofs.size(), 1u);
        const std::vector<LineReport>& lines = report.proofs[0].lines;
        ASSERT_EQ(lines.size(), 2u);
        EXPECT_EQ(lines[0].verdict, Verdict::wrong);
        EXPECT_EQ(lines[1].verdict, Verdict::right);
        EXPECT_EQ(lines[0].span.in, "cell 4");
        EXPECT_EQ(lines[0].line, 3);
        EXPECT_EQ(lines[0].span.column, 3);
        EXPECT_EQ(lines[0].span.offset, 17u);
        EXPECT_NE(to_text(report).find("first wrong line: 3 of cell 4"), std::string::npos) << to_text(report);
        EXPECT_NE(to_json(report).find("\"in\":\"cell 4\""), std::string::npos);
        const std::vector<Checked> checked{{report, {}}};
        EXPECT_EQ(to_github(checked).find("::error file=lecture.ipynb,line=1,col=1,title=gradproof%3A wrong::cell 4, line 3: "),
                  0u)
            << to_github(checked);
    }
}

TEST(Notebooks, CodeIsReadWhereACommentAsksForIt) {
    const std::string given = "%time\n# gradproof: dims n d; input x [n, d], w [d]\ny = x @ w\n";
    const FileReport report =
        check_file("a.ipynb", notebook({{"code", given},
                                        {"code", "!ls\nloss = undefined(3)"},
                                        {"code", "# gradproof: begin\ndw = x.T @ dy\ndx = dy\n# gradproof: end\n"}}));
    ASSERT_EQ(report.proofs.size(), 1u);
    ASSERT_EQ(report.proofs[0].lines.size(), 2u);
    EXPECT_EQ(report.proofs[0].lines[0].verdict, Verdict::right) << to_text(report);
    EXPECT_EQ(report.proofs[0].lines[1].verdict, Verdict::wrong);
    EXPECT_EQ(report.proofs[0].lines[1].span.in, "cell 3");
}

TEST(Notebooks, AFenceThatIsNeverClosedEndsWithItsCell) {
    const FileReport report = check_file(
        "a.ipynb", notebook({{"markdown", "```text\nnothing"}, {"markdown", "```proof\ninput x = 2\nclaim\n  x = 2\n```"}}));
    EXPECT_EQ(report.proofs.at(0).lines.size(), 1u);
    EXPECT_EQ(error_of([] {
                  check_file("a.ipynb", notebook({{"code", "1"}, {"markdown", "\n```proof\ninput x = 2"}}));
              }),
              "a.ipynb:cell 2:2:1: this fenced block is never closed\n    ```proof\n    ^");
}

TEST(Notebooks, WhatIsNoneIsSaid) {
    const auto said = [](const std::string& text) {
        const std::string all = error_of([&] { check_file("a.ipynb", text); });
        return all.substr(0, all.find('\n'));
    };
    EXPECT_EQ(said(""), "a.ipynb:1:1: not a Jupyter notebook: it is not JSON");
    EXPECT_EQ(said("[1, 2"), "a.ipynb:1:1: not a Jupyter notebook: it is not JSON");
    EXPECT_EQ(said("{\"cells\": \"\xff\"}"), "a.ipynb:1:1: not a Jupyter notebook: it is not JSON");
    EXPECT_EQ(said(std::string(300'000, '[')), "a.ipynb:1:1: not a Jupyter notebook: it is not JSON");
    EXPECT_EQ(said(std::string(300'000, '[') + std::string(300'000, ']')),
              "a.ipynb:1:1: not a Jupyter notebook: nbformat is missing, expected 4");
    EXPECT_EQ(said("{\"nbformat\": 3, \"worksheets\": []}"), "a.ipynb:1:1: not a Jupyter notebook: nbformat is 3, expected 4");
    EXPECT_EQ(said("{\"nbformat\": 4}"), "a.ipynb:1:1: not a Jupyter notebook: it has no cells");
    EXPECT_EQ(said("{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\"}]}"),
              "a.ipynb:1:1: not a Jupyter notebook: cell 1 has no source");
    EXPECT_EQ(said("{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": [1]}]}"),
              "a.ipynb:1:1: not a Jupyter notebook: the source of cell 1 holds number, expected text");
    EXPECT_EQ(said(notebook({{"markdown", "words"}})),
              "a.ipynb:cell 1:1:1: no proofs: expected a block fenced as ```proof, or code with a comment # gradproof:");
    EXPECT_EQ(said(notebook({{"markdown", std::string("a\0b", 3)}})), "a.ipynb:cell 1:1:2: a zero byte, expected text");
}

/// A paper in parts, by their names.
using Files = std::map<std::string, std::string>;
Text composed(const Files& files) {
    return latex::with_inputs("paper.tex", files.at("paper.tex"), [&](const std::string& name) -> std::optional<std::string> {
        const auto at = files.find(name);
        return at == files.end() ? std::nullopt : std::optional(at->second);
    });
}
std::string refused_paper(const Files& files) {
    const std::string all = error_of([&] { read_proofs("paper.tex", composed(files)); });
    return all.substr(0, all.find('\n'));
}
const char* const kPaper =
    "\\input{macros}\n% gradproof: dims n d; input X [n, d], W [d]\n\\begin{document}\n\\[ Y = X W \\] \\input parts/appendix "
    "\\[ "
    "\\pd{W} = X^\\top \\pd{Y} \\]\n% \\input{nowhere}\n\\begin{verbatim}\n\\input{nowhere}\n\\end{verbatim}\n"
    "\\input{figure.pgf}\n\\end{document}\n";
const char* const kMacros = "\\newcommand{\\pd}[1]{\\frac{\\partial L}{\\partial #1}}";
const char* const kAppendix =
    "words\n\\begin{align}\n  \\pd{X} &= \\pd{Y} \\\\\n  \\pd{X} &= \\pd{Y} W^\\top\n\\end{align}\n\\endinput\n\\[ A = B \\]\n";

TEST(Markdown, GradientsOutsideOfMarkedBlocksAreNamed) {
    const std::string latex =
        "```latex proof\nLet $W \\in \\mathbb{R}^{m \\times n}$ and $x \\in \\mathbb{R}^n$.\n\\[ y = W x \\]\n"
        "\\[ \\frac{\\partial L}{\\partial W} = \\frac{\\partial L}{\\partial y} x^\\top \\]\n```\nPrice: $5.\n";
    const std::string of_x = "\\frac{\\partial L}{\\partial x} = W \\frac{\\partial L}{\\partial y}";
    const std::vector<std::string> formula{"a formula with a derivative outside of the marked blocks"};
    EXPECT_EQ(passed_because("a.md", latex + "$$ " + of_x + " $$\n"), formula);
    const std::string notation = "```proof\ndims n\ninput x [n]\nforward\n  y = 2 x\nclaim\n  dx = 2 dy\n```\n";
    EXPECT_EQ(passed_because("a.md", notation + "$$ " + of_x + " $$\n"), formula);
    EXPECT_EQ(passed_because("a.md", notation + "$$ y = 2 x $$\n"), std::vector<std::string>{});
    EXPECT_EQ(passed_because("a.md", latex + "$$ y = W x $$\n```text\n$$ " + of_x + " $$\n```\n"), std::vector<std::string>{});
    const std::string code =
        "```python proof\n# gradproof: dims n d m\n# gradproof: input X [n, d], W [d, m], b [m]\n"
        "Y = X @ W + b\ndW = X.T @ dY\n```\n```python\n";
    EXPECT_EQ(passed_because("a.md", code + "db = dY.sum(axis=1)\nprint(db)\n```\n"),
              std::vector<std::string>{"it computes db in a cell that is not marked"});
    for (const char* fence : {"```{python}", "```{code-cell} ipython3", "~~~", "```ipython"}) {
        const std::string marked = code.substr(0, code.rfind("```"));
        EXPECT_EQ(passed_because("a.md", marked + fence + "\nX *= 2\n" + std::string(fence).substr(0, 3) +
                                             "\n```python proof\ndb = dY.sum(0)\n```\n"),
                  std::vector<std::string>{"it assigns X between marked lines"})
            << fence;
    }
    const std::string functions =
        "```python proof\n# gradproof: dims n; input x [n]\ndef forward(x):\n    out = x * x\n    return out\n"
        "def backward(dout, x):\n    dx = 2 * x * dout\n    return dx\n```\n```python\n";
    EXPECT_EQ(passed_because("a.md", functions + "def forward(x):\n    return x ** 3\n```\n"),
              std::vector<std::string>{"it defines forward again"});
    EXPECT_EQ(passed_because("a.md", functions + "def show(x):\n    print(x)\n```\n"), std::vector<std::string>{});
    EXPECT_EQ(passed_because("a.md", code + "W_new = W - 0.1 * dW\n```\n"), std::vector<std::string>{});
}

TEST(Inputs, AreReadWhereTheyStandAndLinesCountWithinThem) {
    const FileReport report =
        check_file("paper.tex", composed({{"paper.tex", kPaper}, {"macros.tex", kMacros}, {"parts/appendix.tex", kAppendix}}));
    ASSERT_EQ(report.proofs.size(), 1u);
    const std::vector<LineReport>& lines = report.proofs[0].lines;
    ASSERT_EQ(lines.size(), 3u) << to_text(report);
    EXPECT_EQ(lines[0].span.in, "parts/appendix.tex");
    EXPECT_EQ(lines[0].line, 3);
    EXPECT_EQ(lines[0].verdict, Verdict::wrong);
    EXPECT_EQ(lines[1].verdict, Verdict::right);
    EXPECT_EQ(lines[2].span.in, "");
    EXPECT_EQ(lines[2].line, 4);
    EXPECT_EQ(kPaper + lines[2].span.offset, std::strstr(kPaper, "\\pd{W}"));
    EXPECT_EQ(lines[2].span.column, 40);
    EXPECT_EQ(lines[2].verdict, Verdict::right);
    EXPECT_NE(to_text(report).find("first wrong line: 3 of parts/appendix.tex"), std::string::npos);
    const std::vector<Checked> checked{{report, {}}};
    EXPECT_EQ(to_github(checked).find("::error file=parts/appendix.tex,line=3,col=3,"), 0u) << to_github(checked);
}

TEST(Inputs, OfAPackageBesideTheMacrosAreReadThatTheTextUses) {
    const auto judged = [](const std::string& package, const std::string& use = "\\usepackage[full]{amsmath, mine}") {
        const std::string paper = use +
                                  "\n\\begin{document}\nLet $x \\in \\mathbb{R}^n$.\n\\[ L = \\size{x}^2 \\]\n\\[ \\nabla_x L = "
                                  "2 x \\]\n\\end{document}\n";
        const FileReport report = check_file("paper.tex", composed({{"paper.tex", paper}, {"mine.sty", package}}));
        const LineReport& last = report.proofs.at(0).lines.back();
        return fmt::format("{} {}", last.line, verdict_of(last));
    };
    EXPECT_EQ(judged("\\newcommand{\\size}[1]{\\|#1\\|}\n"), "5 right");
    EXPECT_EQ(judged("\\ProvidesPackage{mine}\n\\newcommand{\\size}[1]{\\bars{#1}_1}\n\\newcommand{\\bars}[1]{\\|#1\\|}\n"),
              "5 wrong");
    EXPECT_EQ(judged("\\def\\broken{ $ }\n\\newcommand{\\size}[1]{\\|#1\\|}\n\\def\\sizes{{"), "5 right");
    EXPECT_EQ(judged("% caf\xe9\n\\newcommand{\\size}[1]{\\|#1\\|}\n"), "5 not read");  // no UTF-8: it is as if it were not there
    EXPECT_EQ(judged("\\newcommand{\\size}[1]{\\|#1\\|}\n", "\\newcommand{\\size}[1]{\\|#1\\|_1}"), "5 wrong");
}

TEST(Inputs, AnErrorNamesTheFileItStandsIn) {
    const Files files{{"paper.tex", kPaper}, {"macros.tex", kMacros}, {"parts/appendix.tex", "\n  \\begin{align} Y = \n"}};
    EXPECT_EQ(refused_paper(files), "paper.tex:parts/appendix.tex:2:3: \\begin{align} is never ended: expected \\end{align}");
}

const char* const kWithoutParts =
    "\\input{macros}\n% gradproof: dims n d; input X [n, d], w [d], t [n]\n\\begin{document}\n\\include{../notation}\n"
    "\\[ y = X w \\]\n\\[ L = \\|y - t\\|^2 \\]\n\\[ \\nabla_w L = 2 X^\\top (y - t) \\]\n"
    "\\[ \\nabla_w L = X^\\top (y - t) \\]\n"
    "% gradproof: off\n\\input{tables}\n% gradproof: on\n\\end{document}\n\\input{behind}\n";

TEST(Inputs, OneThatIsNotThereLosesItsLineAlone) {
    const std::vector<LineReport> lines = check_file("paper.tex", composed({{"paper.tex", kWithoutParts}})).proofs.at(0).lines;
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0].line, 1);
    EXPECT_TRUE(lines[0].unread);
    EXPECT_EQ(lines[0].text, "\\input{macros}");
    EXPECT_EQ(lines[0].reason, "macros.tex is not there, as seen from the folder of paper.tex: what stands in it is not read");
    EXPECT_EQ(lines[1].line, 4);
    EXPECT_EQ(lines[1].reason, "../notation.tex lies outside of the folder of paper.tex: what stands in it is not read");
    EXPECT_EQ(lines[2].verdict, Verdict::right);
    EXPECT_EQ(lines[3].verdict, Verdict::wrong);
}

/// What a file that is missing says of the loss is not known; macros, which stand in the preamble, say nothing of it.
TEST(Inputs, AMissingOneMaySayWhatTheLossIs) {
    const auto verdict = [](const std::string& before, const std::string& behind) {
        const std::string text = before + "% gradproof: dims n d; input X [n, d], w [d]\n\\begin{document}\n\\[ y = X w \\]\n" +
                                 behind + "\\[ \\nabla_w L = X^\\top \\nabla_y L \\]\n\\end{document}\n";
        const FileReport report = check_file("paper.tex", composed({{"paper.tex", text}}));
        for (const LineReport& l : report.proofs.at(0).lines)
            if (!l.unread) return l.verdict;
        return Verdict::wrong;
    };
    EXPECT_EQ(verdict("", "\\input{loss}\n"), Verdict::cannot_tell);
    EXPECT_EQ(verdict("\\input{macros}\n", ""), Verdict::right);
}

TEST(Inputs, ThatAreNotReadAreSaid) {
    const auto paper = [](const char* text) { return Files{{"paper.tex", text}}; };
    EXPECT_EQ(refused_paper(paper("\n \\input{a}")),
              "paper.tex:2:2: a.tex is not there, as seen from the folder of paper.tex: what stands in it is not read");
    EXPECT_EQ(refused_paper(paper("\\include{/etc/a}")),
              "paper.tex:1:1: /etc/a.tex lies outside of the folder of paper.tex: what stands in it is not read");
    EXPECT_EQ(refused_paper({{"paper.tex", "\\input{a}"}, {"a.tex", "\\input{./x/../a}"}}), "a.tex:1:1: a.tex takes in itself");
    Files chain{{"paper.tex", "\\input{a0}"}};
    for (int i = 0; i < 12; ++i) chain[fmt::format("a{}.tex", i)] = fmt::format("\\input{{a{}}}", i + 1);
    EXPECT_EQ(refused_paper(chain), "a7.tex:1:1: a8.tex is nested deeper than 8 (kDeepestInputs)");
    Files bomb{{"paper.tex", "\\input{a0}"}};
    for (int i = 0; i < 7; ++i) {
        for (int k = 0; k < 40; ++k) bomb[fmt::format("a{}.tex", i)] += fmt::format("\\input{{a{}}} ", i + 1);
    }
    bomb["a7.tex"] = std::string(1000, 'x');
    EXPECT_NE(refused_paper(bomb).find("makes the whole longer than 4194304 bytes (kLongestFile)"), std::string::npos);
    EXPECT_EQ(composed(paper("\\input{} \\input{\\job} \\input")).whole, "\\input{} \\input{\\job} \\input");
}

TEST(Notebooks, CellsAboveMayDefineWhatADerivationCalls) {
    const std::string lines = "# gradproof: dims n; input x [n]\nL = np.sum(softplus(x))\ndx = sigmoid(x)\n";
    const auto verdict = [&](const std::string& above) {
        return to_text(check_file("a.ipynb", notebook({{"code", above}, {"code", lines}})));
    };
    EXPECT_NE(verdict("import numpy as np").find("all right: 1"), std::string::npos);
    EXPECT_NE(verdict("def softplus(x):\n    return np.log(1 + np.exp(x))").find("all right: 1"), std::string::npos);
    EXPECT_NE(verdict("def softplus(x):\n    return x").find("1 wrong of 1"), std::string::npos);
    EXPECT_NE(verdict("\nnp.sum = np.mean").find("line 2 of cell 1 gives np.sum another meaning"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
