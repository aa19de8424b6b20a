// Proofs in Markdown: the fences of CommonMark, and what looks like a proof and is not read.
#include <gtest/gtest.h>

#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/proof/language/markdown.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// The lines of a proof, each behind `prefix`: the claim in the last one is wrong.
std::string proof(const std::string& prefix) {
    std::string out;
    for (const char* line : {"input X [2, 3]", "forward", "  Y = exp(X)", "claim", "  dX = dY"}) out += prefix + line + "\n";
    return out;
}

/// "5:3 wrong" for the place and verdict of every line, "" where nothing is read.
std::string places_and_verdicts(const std::string& text) {
    std::string out;
    for (const ProofReport& p : check_file("notes.md", text).proofs)
        for (const LineReport& l : p.lines)
            out += fmt::format("{}{}:{} {}", out.empty() ? "" : ", ", l.line, l.span.column, check::name(l.verdict));
    return out;
}
std::string error_in_markdown(const std::string& text) { return refusal_of("notes.md", text); }

TEST(Markdown, FencesAreThoseOfCommonMark) {
    for (const char* info : {"proof", "Proof", " PROOF ", "proof #id", "proof {#id .x a=1}", "proof{#id}", "{.proof}",
                             "{ .Proof }", "{.proof #id attr=1}", "{#id .proof}"})
        for (const char* fence : {"```", "````", "~~~", "~~~~~~"})
            EXPECT_EQ(places_and_verdicts(std::string(fence) + info + "\n" + proof("") + fence + "\n"), "6:3 wrong")
                << fence << info;
    for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
             {"```proof", "`````  "}, {"   ~~~proof", "  ~~~"}, {"text\n```proof", "```"}, {"~~~ proof `x`", "~~~~"}})
        EXPECT_TRUE(places_and_verdicts(open + "\n" + proof("") + close + "\nmore\n").ends_with(":3 wrong")) << open;
    // Other code keeps what stands in it, and a shorter or another fence does not close it.
    for (const char* other :
         {"````md\n```proof\nx\n```\n````\n", "~~~text\n```proof\nx\n```\n~~~\n", "`````\n```proof\n```\n`````\n"})
        EXPECT_TRUE(places_and_verdicts(other + std::string("```proof\n") + proof("") + "```\n").ends_with(":3 wrong")) << other;
    EXPECT_EQ(places_and_verdicts("Write ```proof``` or\n```proof``` for it.\n\n~~~~proof\n" + proof("") + "# ~~~\n~~~~\n"),
              "9:3 wrong");
}

TEST(Markdown, BlocksStandInQuotationsAndListItems) {
    EXPECT_EQ(places_and_verdicts("> ```proof\n" + proof("> ") + "> ```\n"), "6:5 wrong");
    EXPECT_EQ(places_and_verdicts(">```proof\n" + proof(">") + ">```\n"), "6:4 wrong");
    EXPECT_EQ(places_and_verdicts("> > ```proof\n" + proof("> > ") + "> > ```\n"), "6:7 wrong");
    EXPECT_EQ(places_and_verdicts("- ```proof\n" + proof("  ") + "  ```\n"), "6:5 wrong");
    EXPECT_EQ(places_and_verdicts("10. text\n\n    ```proof\n" + proof("    ") + "    ```\n"), "8:7 wrong");
    EXPECT_EQ(places_and_verdicts("1. a\n   - b\n\n     ~~~proof\n" + proof("     ") + "     ~~~\n"), "9:8 wrong");
    EXPECT_EQ(places_and_verdicts("> 1) text\n>\n>    ```proof\n" + proof(">    ") + ">    ```\n"), "8:8 wrong");
    EXPECT_EQ(places_and_verdicts("-\t```proof\n" + proof("\t") + "\t```\n"), "6:4 wrong");
    EXPECT_EQ(places_and_verdicts("- a\nlazily on\n  ```proof\n" + proof("  ") + "  ```\n"), "8:5 wrong");
    EXPECT_EQ(places_and_verdicts("> ```cpp\n> ```\n\n```proof\n" + proof("") + "```\n"), "9:3 wrong");
    EXPECT_EQ(places_and_verdicts("> ```cpp\n\n```proof\n" + proof("") + "```\n"), "8:3 wrong")
        << "a fence ends with its quotation";
    EXPECT_EQ(places_and_verdicts("> ```proof\n> input X [2]\n> forward\n>   Y = X +\n>     X\n>\n> claim dX = 2 dY\n> ```\n"),
              "7:9 right");
    const std::string said = error_in_markdown("> ```proof\n> input X [2]\n> forward\n>   Y = Q\n> ```\n");
    EXPECT_EQ(said, "notes.md:4:9: unknown name Q\n    >   Y = Q\n            ^");
}

TEST(Markdown, WhatLooksLikeAProofAndIsNotReadIsAnError) {
    const std::string p = proof(""), deep = proof("    ");
    for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
             {"```proofs\n" + p + "```\n",
              "notes.md:1:1: it looks like a proof and is not read: the fence says proofs, expected"},
             {"```prof\n" + p + "```\n", "the fence says prof, expected ```proof"},
             {"```proof,ignore\n" + p + "```\n", "the fence says proof,ignore"},
             {"```{proof}\n" + p + "```\n", "the fence says {proof}"},
             {"```{.python .proof}\n" + p + "```\n", "the fence says {.python .proof}"},
             {"```gradproof\n" + p + "```\n", "the fence says gradproof"},
             {"```proof\n" + p, "notes.md:1:1: this fenced block is never closed"},
             {"~~~proof\n" + p + "```\n", "never closed"},
             {"````proof\n" + p + "```\n", "never closed"},
             {"> ```proof\n" + p + "```\n", "never closed"},
             {"- ```proof\n" + p + "  ```\n", "never closed"},
             {"a\n\n```cpp\nint x;\n\n```proof\n" + p + "```\nb\n```\nmore\n\n```proof\n" + p, "is never closed"},
             {"```cpp\nint x;\n~~~proof\n" + p + "~~~\n",
              "notes.md:3:1: it looks like a proof and is not read: the fence opened in "
              "line 1 is never closed"},
             {"text\n\n    ```proof\n" + deep + "    ```\n", "notes.md:3:1: it looks like a proof and is not read: its fence is"},
             {"text\n    ```proof\n" + deep + "    ```\n", "its fence is indented by four columns or more"},
             {"**Proof.**\n\n    input X [2]\n    expect\n", "notes.md:3:5: it looks like a proof and is not read: fence it as"},
             {"So:\n\n" + deep, "fence it as ```proof"},
             {"```\n" + p + "```\n", "its fence has no name; write ```proof, or ```text"},
             {"```\ninput x [2]\nloss L = sum(x)\nclaim\n  dx = 1\n```\n", "its fence has no name; write ```proof, or ```text"},
             {"```python\n# gradproof: dims n; input x [n]\ndx = 1\n```\n", "its fence says python; write ```python proof"},
             {"```latex\n% gradproof: dims n\n\\[ x \\]\n```\n", "its fence says latex; write ```latex proof"},
         }) {
        const std::string good = "```proof\n" + p + "```\n\n";
        EXPECT_NE(error_in_markdown(text).find(said), std::string::npos) << text << "says: " << error_in_markdown(text);
        EXPECT_NE(error_in_markdown(good + text), "") << text;
    }
    for (const char* other :
         {"```text\ninput X\nforward\nclaim\n```\n", "A proof:\n\n    $ gradproof check a.proof\n", "```\nx\n```\n",
          "``proof\n``\n", "```python\nproof = 1\n```\n", "Proof\n    input X, in a paragraph\n"})
        EXPECT_TRUE(places_and_verdicts(std::string(other) + "\n```proof\n" + p + "```\n").ends_with(":3 wrong")) << other;
    EXPECT_EQ(check_file("NOTES.MD", "text\n~~~proof\n" + p + "~~~\n").count(Verdict::wrong), 1);
    EXPECT_EQ(check_file("a.Markdown", "text\n~~~proof\n" + p + "~~~\n").count(Verdict::wrong), 1);
}

/// A derivation may go on in another block, in another notation.
TEST(Markdown, LinesAndWhatIsPassedOverOfEveryBlockAreKept) {
    const std::string text =
        "```latex proof\n% dims: n m\nThe weights are clipped. Let $x \\in \\mathbb{R}^n$, $A \\in \\mathbb{R}^{m \\times n}$, "
        "$y = A x$ and $L = \\frac12 \\|y\\|^2$.\n\\[\\frac{\\partial L}{\\partial x} = 2 A^\\top y\\]\n```\n\n"
        "```numpy proof\nprint(f(x, out=y))\ndA = np.outer(y, x)\n```\n\n"
        "```latex proof\n\\[\\frac{\\partial L}{\\partial A} = y x^\\top\\]\n```\n";
    EXPECT_EQ(places_and_verdicts(text), "4:3 wrong, 9:1 right, 13:3 right");
    EXPECT_EQ(passed_because("notes.md", text), (std::vector<std::string>{"the word \"clipped\"", "it may change an array"}));
}

TEST(Markdown, SentencesOutsideOfItsBlocksAreNotReadAndThatIsSaid) {
    const std::string
        latex = "Let $x \\in \\mathbb{R}^n$. \\[ L = \\sum_i x_i^2, \\quad \\frac{\\partial L}{\\partial x} = 2x. \\]\n",
        fenced = "```latex proof\n" + latex + "```\n";
    const auto domain = [](const FileReport& report) { return report.proofs[0].domain; };
    EXPECT_EQ(domain(check_file("a.md", "The loss is averaged.\n\n" + fenced + "\n" + fenced)),
              std::vector<std::string>{"what stands in the blocks alone"});
    EXPECT_EQ(domain(check_file("a.tex", latex)), std::vector<std::string>{});
}

TEST(Markdown, NestingIsBoundedAndCostsNoTime) {
    std::string quotes(100000, '>'), items, text;
    for (int i = 0; i < 20000; ++i) items += "- ";
    for (int i = 0; i < 300000; ++i) text += "\n";
    EXPECT_TRUE(code_blocks(quotes + "a\n" + items + "a" + text).empty());
    EXPECT_EQ(code_blocks(quotes + "a\n\n" + items + "a" + text + "```proof\n```").size(), 1U);
}

}  // namespace
}  // namespace gradproof::proof
