// Sentences that are passed over: a right line is right if they change nothing, and the report says which they are.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kGiven =
    "The loss is $L = \\frac12 \\|A x - b\\|^2$ with $A \\in \\mathbb{R}^{m\\times n}$, $x \\in \\mathbb{R}^n$, "
    "$b\\in\\mathbb{R}^m$.\n";
const std::string kClaim = "\\[ \\frac{\\partial L}{\\partial x} = A^\\top (A x - b). \\]\n";

/// The lines that are passed over.
std::vector<int> passed(const std::string& text) {
    std::vector<int> out;
    for (const ProofReport& p : check_file("a.tex", text).proofs)
        for (const PassedOver& s : p.passed_over) out.push_back(s.line);
    return out;
}
std::vector<int> passed_between(const std::string& sentence) { return passed(kGiven + sentence + "\nThen\n" + kClaim); }

TEST(LatexPassed, WordsThatAreNotKnownAreTold) {
    EXPECT_EQ(passed(kGiven + "Then\n" + kClaim), std::vector<int>{});
    for (const char* sentence :
         {"In addition we use weight decay.", "With momentum, the loss is also to be seen per step.", "We drop the half.",
          "The residual is doubled.", "Bananas are yellow.", "All of this is scaled.", "The softmax has temperature 2.",
          "We use a model with a ReLU.", "For logistic loss, it is the same.", "The target is the input itself.",
          "Both layers use the same weights.", "The prediction passes through a sigmoid first.",
          "The softmax is over the queries.", "All rows of $A$ are equal.", "For the sigmoid network we find this.",
          "The loss also has a term in $x$."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
}

TEST(LatexPassed, WhatADerivationSaysAnywayIsKnown) {
    for (const char* sentence : {"We differentiate by the chain rule.", "Now we compute the gradient with respect to $x$.",
                                 "By Section 2, the Jacobian follows.", "\\section{Derivation. Matrix form.}",
                                 "We write $\\frac{\\partial L}{\\partial x}$ for the gradient.",
                                 "We turn to the derivatives with respect to the inputs and the weights.",
                                 "By the chain rule, we get this.", "\\label{eq:momentum}"})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{}) << sentence;
}

TEST(LatexPassed, WordsThatTieOneValueToAnotherAreTold) {
    for (const char* sentence : {"In this problem the target and the input are the same.",
                                 "The weight matrix depends on the input.",
                                 "The weights are a function of the input.",
                                 "The weights are predicted from the input.",
                                 "The target is the input.",
                                 "We use the keys as queries.",
                                 "The layer has a bias.",
                                 "Consider the loss with class weights.",
                                 "We compute $A$ from $x$ and $b$.",
                                 "A network maps $x$ to $b$.",
                                 "The vector $x$ gives $b$ through a network.",
                                 "We apply $A$ to $x$ and get $b$.",
                                 "The entries of $A$ follow from $x$.",
                                 "Below we write $x$ for $A x$.",
                                 "By $A$ we denote $A^\\top$.",
                                 "We set $b$ to $A x$.",
                                 "Substituting $A x$ for $b$, we get this.",
                                 "Consider the weights $A(x)$.",
                                 "In the first equation read $L$ for $L^2$.",
                                 "\\section{The target is the input}",
                                 "\\section{Mean squared error, $L / n$}",
                                 "\\section{Corrections}",
                                 "The loss is over the observed entries.",
                                 "Consider the softmax with temperature two.",
                                 "We write derivatives by vectors as rows.",
                                 "The derivatives by a vector form a row.",
                                 "The loss is taken over the first two users."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
    EXPECT_EQ(passed(kGiven + "Then\n" + displayed("\\nabla_x L = A^\\top (A x - b) + \\text{const}")), std::vector<int>{2});
    for (const char* lead : {"We obtain the row vector", "The gradient in row form is"})
        EXPECT_EQ(passed(kGiven + lead + "\n" + kClaim), std::vector<int>{2}) << lead;
}

TEST(LatexPassed, AnInputThatIsCalledAnOutputIsTold) {
    const std::string rest =
        " The loss is $L = \\frac12 \\|y - t\\|^2 + \\sum_i x_i$.\n\\[ \\frac{\\partial L}{\\partial x_i} = 1. \\]\n";
    for (const char* sentence :
         {"Let $x \\in \\mathbb{R}^n$ be the input of a network with the output $y \\in \\mathbb{R}^n$ and the target $t \\in "
          "\\mathbb{R}^n$.",
          "For the input $x \\in \\mathbb{R}^n$ with target $t \\in \\mathbb{R}^n$, $y \\in \\mathbb{R}^n$ is the prediction.",
          "With inputs $x \\in \\mathbb{R}^n$, activations $y \\in \\mathbb{R}^n$ and targets $t \\in \\mathbb{R}^n$, we have "
          "this."})
        EXPECT_EQ(passed_because("a.tex", sentence + rest).at(0), "it calls something an output that no line computes");
    EXPECT_EQ(passed("The label $y \\in \\mathbb{R}^n$ and the input $x \\in \\mathbb{R}^n$ are given, $t \\in \\mathbb{R}^n$ is "
                     "the target." +
                     rest),
              std::vector<int>{});
}

TEST(LatexPassed, AValueThatIsMadeOfOthersIsTold) {
    const std::string given = "Let $x \\in \\mathbb{R}^n$ and $A \\in \\mathbb{R}^{n \\times n}$. ";
    const std::string rest =
        " The loss is $L = \\sum_{ij} A_{ij} + \\sum_i x_i$.\n\\[ \\frac{\\partial L}{\\partial x_i} = 1. \\]\n";
    for (const char* sentence : {"We collect the entries of $x$ in the rows of $A$.", "We insert $x$ in the first row of $A$.",
                                 "Putting the entries of $x$ together we have the matrix $A$."})
        EXPECT_EQ(passed_because("a.tex", given + sentence + rest), std::vector<std::string>{"it says what a value is made of"});
    EXPECT_EQ(passed(given + "We use this below." + rest), std::vector<int>{});
}

TEST(LatexPassed, FormulasThatNoLineStemsFromAreTold) {
    for (const char* sentence :
         {"Then let $L \\gets 2L$.", "We write $\\|v\\|$ for $v^\\top v$.", "We write $x$ for $2z$.", "So $b = 0$.",
          "The loss is $2L$.", "Let $x \\mapsto x^2$.", "Here $\\top$ is the identity.", "Let $A^\\top = A + I$.",
          "The loss then becomes $L + \\|x\\|^2$.", "Since $A \\propto B$ we get the result.", "We write $x$ for $b$.",
          "The gradient is \\[ A^\\top A x \\]", "Let $b \\in \\mathbb{C}^m$."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
}

TEST(LatexPassed, RelationsOfGradientsThatAreNotJudgedAreTold) {
    for (const char* sentence :
         {"Here $\\nabla_x L \\ne A^\\top (A x - b)$.", "Also $\\|\\nabla_x L\\| \\le \\|x\\|$.", "Note $\\nabla_x L < x$."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
}

TEST(LatexPassed, SignsBetweenFormulasAreTold) {
    for (const char* sentence :
         {"Here $A$ = $b$.", "Consider $L$ + $x$.", "We take $A$\\textsuperscript{2}.", "Then $A$ $x$ follows.",
          "We write $A$($x$) for this.", "Consider $x$^2.", "Consider the input -$x$.", "Consider $L$ \\texttimes{} $x$."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
    for (const char* sentence : {"Here $A$, $b$ and $x$ are given.", "This is the input $x$ ($n$ entries).", "This is $A$'s row.",
                                 "Consider $n$-dimensional inputs.", "We differentiate ($A$ is given)."})
        for (const std::string& why : passed_because("a.tex", kGiven + sentence + "\nThen\n" + kClaim))
            EXPECT_EQ(why.find("stand"), std::string::npos) << sentence << ": " << why;
}

TEST(LatexPassed, ValuesThatWordsGiveAreTold) {
    for (const char* sentence :
         {"The gradient with respect to $b$ is $A x - b$.", "Then $\\nabla_b L$ is $A x - b$.",
          "The Jacobian $\\partial L/\\partial b$ equals $A$.", "Gradient in $b$: $A x - b$.",
          "\\begin{tabular}{ll} $\\nabla_b L$ & $A x - b$ \\\\ \\end{tabular}", "where $b$ is equal to $x$."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
}

TEST(LatexPassed, WhatStandsInADisplayBesidesIsTold) {
    const auto display = [](const std::string& inside) { return passed(kGiven + "Then\n" + displayed(inside)); };
    const std::string claim = "\\nabla_x L = A^\\top (A x - b)";
    EXPECT_EQ(display(claim), std::vector<int>{});
    EXPECT_EQ(display(claim + " \\quad \\text{by the chain rule}"), std::vector<int>{});
    EXPECT_EQ(display("\\nabla_x L = A^\\top \\underbrace{(A x - b)}_{\\text{residual}}"), std::vector<int>{});
    for (const char* words :
         {" \\quad \\text{for the first sample}", " \\text{ and similarly for } b", " \\tag{$\\nabla_b L = A x$}"})
        EXPECT_EQ(display(claim + words), std::vector<int>{2}) << words;
    for (const char* factor : {" \\quad 2", " \\qquad A", " \\quad \\tfrac12", " \\quad ^2", ", \\quad \\frac{1}{\\sigma^2}",
                               " \\quad \\mathbin{-} 2"})
        EXPECT_EQ(display(claim + factor), std::vector<int>{2}) << factor;
    EXPECT_EQ(display(claim + " \\quad (1)"), std::vector<int>{});
    for (const char* row : {"\\frac12", "\\otimes 2", "(1 - 2)", "^2", "\\boxed{2}", "\\log 2"})
        EXPECT_EQ(passed(kGiven + "Then\n\\begin{align}\\nabla_x L &= A^\\top (A x - b) \\\\ &\\qquad " + row + " \\end{align}"),
                  std::vector<int>{2})
            << row;
    EXPECT_EQ(display("\\nabla_x L = A^\\top \\underbrace{(A x - b)}_{\\partial L / \\partial b}"), std::vector<int>{2});
    EXPECT_EQ(display("\\nabla_x L = A^\\top \\underbrace{(A x - b)}_{\\text{gradient in } b}"), std::vector<int>{2});
}

TEST(LatexPassed, WhatIsTypesetUnderAConditionAndListingsAreTold) {
    EXPECT_EQ(passed_between("\\iflong \\[ \\nabla_b L = A x - b \\] \\fi"), std::vector<int>{2});
    EXPECT_EQ(passed_between("\\iffalse \\[ \\nabla_b L = A x - b \\] \\fi"), std::vector<int>{});
    EXPECT_EQ(passed_between("\\begin{lstlisting} db = A @ x - b \\end{lstlisting}").front(), 2);
    EXPECT_EQ(passed_between("\\newcommand{\\claim}{so $\\nabla_b L = A x - b$} \\claim"), std::vector<int>{2});
}

TEST(LatexPassed, AHeadingOfAnotherNormOrBaseIsTold) {
    const auto told = [](const std::string& heading) {
        const std::string text = "\nLet $x \\in \\mathbb{R}^n$.\n\\[ L = \\|x\\| \\]\n\\[ \\nabla_x L = x / \\|x\\| \\]\n";
        return !passed_because("a.tex", heading + text).empty();
    };
    for (const char* heading : {"\\section{The $\\ell_1$-norm}", "\\section{The 1-norm}", "\\paragraph{Norm: the max-norm.}",
                                "\\section{Nuclear norms}", "\\section{Logarithms to base 2}", "\\section{Natural gradient}",
                                "\\section{Wrong derivations}", "\\section{Mean loss}"})
        EXPECT_TRUE(told(heading)) << heading;
    for (const char* heading : {"\\section{The norm}", "\\section{The Euclidean norm}", "\\section{The $\\ell_2$-norm}",
                                "\\section{The gradient of a norm}"})
        EXPECT_FALSE(told(heading)) << heading;
}

TEST(LatexPassed, AHeadingOfAnotherModelIsTold) {
    EXPECT_EQ(passed_between("\\section{Logistic regression}"), std::vector<int>{2});
    EXPECT_EQ(passed_between("\\subsection*{Weight decay}"), std::vector<int>{2});
    EXPECT_EQ(passed_between("\\section{Averaged loss}"), std::vector<int>{2});
    EXPECT_EQ(passed_between("\\paragraph{Negative gradients}"), std::vector<int>{2});
    EXPECT_EQ(passed_between("\\section{Least squares}"), std::vector<int>{});
}

TEST(LatexPassed, ASentenceThatLeadsToAnotherClaimIsTold) {
    const std::string loss =
        "Let $A\\in\\mathbb{R}^{m\\times n}$, $x\\in\\mathbb{R}^n$, $b\\in\\mathbb{R}^m$.\nThe loss is\n"
        "\\[ L = \\frac12 \\|A x - b\\|^2. \\]\n";
    const auto led = [&](const std::string& lead) {
        return passed(loss + lead + " \\[ \\nabla_x L = A^\\top (A x - b). \\]\n").size();
    };
    for (const char* lead : {"The gradient is", "The gradient with respect to $x$ is", "Then", "For the loss,"})
        EXPECT_EQ(led(lead), 0u) << lead;
    for (const char* lead : {"The gradient per sample is", "The Hessian is", "The gradient with respect to $A$ is",
                             "The gradient of the log likelihood is", "The gradient at the solution is", "On a minibatch,"})
        EXPECT_EQ(led(lead), 1u) << lead;
}

TEST(LatexPassed, ADefinitionMayBeDescribed) {
    const std::string claim = "\\[ \\nabla_x L = W^\\top (z - y). \\]\n";
    for (const char* text :
         {"A single layer takes the input $x \\in \\mathbb{R}^n$ and gives $z = W x$ with weights $W \\in \\mathbb{R}^{m \\times "
          "n}$. "
          "The loss for a "
          "target $y \\in \\mathbb{R}^m$ is $L = \\frac12 \\|z - y\\|^2$. The gradient with respect to the input is\n",
          "Let $x \\in \\mathbb{R}^n$, $y \\in \\mathbb{R}^m$ and $W \\in \\mathbb{R}^{m \\times n}$ be given, $z = W x$. We "
          "minimise the loss "
          "$L = \\frac12 \\|z - y\\|^2$. Differentiating, we obtain for the input\n"})
        EXPECT_EQ(passed(text + claim), std::vector<int>{}) << text;
    EXPECT_EQ(
        passed("Let $x \\in \\mathbb{R}^n$, $y \\in \\mathbb{R}^n$, $L = \\frac12 \\|x - y\\|^2$, where $y$ depends on $x$.\n"
               "\\[ \\nabla_x L = x - y \\]\n"),
        std::vector<int>{1});
}

TEST(LatexPassed, WhatIsSaidBehindADefinitionIsTold) {
    const std::string given = "Let $x, w \\in \\mathbb{R}^n$ and \\[ L = \\sum_i w_i x_i^2 \\]\n";
    const std::string claim = "\n\\[ \\frac{\\partial L}{\\partial x_i} = 2 w_i x_i \\]\n";
    for (const char* words :
         {"where $w$ are the weights.", "where $x$ is the input vector.", "with a parameter $w$.", "for $1 \\le i \\le n$."})
        EXPECT_EQ(passed(given + words + claim), std::vector<int>{}) << words;
    for (const char* words :
         {"where $w$ is a function of $x$.", "where the weights are functions of the input.", "where $w$ is the input $x$.",
          "where $x_1$ is $x_2$.", "where all weights are equal.", "for $i = 2, \\dots, n$.", "where $i > 1$."})
        EXPECT_NE(passed(given + words + claim), std::vector<int>{}) << words;
}

TEST(LatexPassed, HowDerivativesAreWrittenIsTold) {
    for (const char* sentence :
         {"We write $\\nabla_x L$ for $\\partial L / \\partial x^\\top$.",
          "Note that $\\nabla_x L \\in \\mathbb{R}^{1 \\times n}$.", "Here $\\nabla$ is the derivative with respect to $b$."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
}

TEST(LatexPassed, ColumnsBesideASoftmaxAreTold) {
    const std::string given =
        "Let $Z \\in \\mathbb{R}^{n \\times m}$ be the logits, one sample per column, $P = \\mathrm{softmax}(Z)$.\n";
    EXPECT_EQ(passed(given + "\\[ \\frac{\\partial P_{ij}}{\\partial Z_{ik}} = P_{ij} (\\delta_{jk} - P_{ik}) \\]\n"),
              std::vector<int>{1});
}

TEST(LatexPassed, WhatGoesOnBehindAClaimIsTold) {
    const auto behind = [](const std::string& display, const std::string& words) {
        return passed(kGiven + "Then\n" + displayed("\\nabla_x L = A^\\top (A x - b)" + display) + words);
    };
    EXPECT_EQ(behind("", "as claimed."), std::vector<int>{2});  // the words are not known
    EXPECT_EQ(behind("", "for the input $x$."), std::vector<int>{});
    EXPECT_EQ(behind(" \\in \\mathbb{R}^n", ""), std::vector<int>{});
    for (const char* display : {" \\in \\mathbb{R}^m", " \\succ 0", " \\quad \\text{(elementwise)}"})
        EXPECT_EQ(behind(display, ""), std::vector<int>{2}) << display;
    for (const char* words :
         {"which simplifies to $A x - b$.", "i.e. $A x - b$.", "which equals $\\nabla_b L$.", "and $-1$ if not."})
        EXPECT_NE(behind("", words), std::vector<int>{}) << words;
}

TEST(LatexPassed, WhatFollowsFromAGradientOfZeroIsTold) {
    EXPECT_EQ(passed("Let $x\\in\\mathbb{R}^n$, $m\\in\\mathbb{R}^n$.\n\\[ L = \\|x - m\\|^2 \\]\nThen\n"
                     "\\[ \\nabla_m L = 2 (m - x) = 0 \\implies m = 2x \\]\n"),
              std::vector<int>{3});
}

TEST(LatexPassed, ADefinitionThatNothingUsesIsNotChecked) {
    const std::string error = "The error is \\[ \\delta = A^\\top (A x - 2 b). \\] Then\n";
    EXPECT_EQ(passed(kGiven + error + kClaim), std::vector<int>{2});
    EXPECT_EQ(passed(kGiven + "Let \\[ r = A x - b. \\] Then\n" + "\\[ \\frac{\\partial L}{\\partial x} = A^\\top r. \\]\n"),
              std::vector<int>{});
}

TEST(LatexPassed, AnUpdateThatNothingUsesIsNotChecked) {
    const std::string squares = "Let $A\\in\\mathbb{R}^{m\\times n}$, $x\\in\\mathbb{R}^n$, $b\\in\\mathbb{R}^m$ and\n";
    EXPECT_EQ(passed(squares + "\\[ L = \\frac12 \\|A x - b\\|^2 \\]\n\\[ \\nabla_x L = A^\\top (A x - b) \\]\n"
                               "\\[ \\Delta x = \\eta A^\\top (A x - b) \\]\n"),
              std::vector<int>{1});
    EXPECT_EQ(
        passed(
            "Let $x, w \\in \\mathbb{R}^d$, $t \\in \\mathbb{R}$, $y = \\sigma(w^\\top x)$ and $E = \\frac12 (t - y)^2$. Then\n"
            "\\[ \\frac{\\partial E}{\\partial w_j} = -(t - y) y (1 - y) x_j \\]\n"
            "The rule then reads \\[ \\Delta w_j = \\eta (t - y) x_j. \\]\n"),
        std::vector<int>{3});
}

TEST(LatexPassed, GradientsThatWordsAloneCallSoAreNotRead) {
    EXPECT_EQ(
        of_tex(
            "Let $x, y\\in\\mathbb{R}^n$, $w\\in\\mathbb{R}$ and\n\\[ L = \\sum_i (w x_i - y_i)^2. \\]\n"
            "We obtain the gradients\n\\[ g = \\sum_i (w x_i - y_i), \\quad h = 2 \\]\n\\[ \\frac{\\partial L}{\\partial w} = 2 "
            "\\sum_i (w x_i - y_i) x_i \\]\n"),
        "4 not read, 4 not read, 5 right");
}

TEST(LatexPassed, SaysWhatItIsThatMayChangeThem) {
    const auto why = [](const std::string& sentence) {
        const FileReport report = check_file("a.tex", kGiven + sentence + "\nThen\n" + kClaim);
        return report.proofs[0].passed_over.empty() ? "" : report.proofs[0].passed_over[0].why;
    };
    EXPECT_EQ(why("In addition we use weight decay."), "the words \"we use weight decay\"");
    EXPECT_EQ(why("Then let $L \\gets 2L$."), "no line has all of $L \\gets 2L$");
    EXPECT_EQ(why("For logistic loss, it is the same."), "the words \"logistic loss it is the same\"");
    EXPECT_EQ(why("\\section{Ridge regression}"), "the word \"ridge\" in a heading");
    EXPECT_EQ(why("The gradient in $b$ is $A x - b$."), "it says what something is, without an equation");
    EXPECT_EQ(why("Here \\[ r = A x - b \\quad \\tfrac12 \\] \\[ \\nabla_x L = A^\\top r \\]"),
              "\\tfrac12 stands beside the formula");
    EXPECT_EQ(why("We differentiate by the chain rule."), "");
}

TEST(LatexPassed, ReportsNameThem) {
    const FileReport one = check_file("a.tex", kGiven + "Bananas are yellow.\n" + kClaim);
    EXPECT_NE(to_text(one).find("all right: 1; right if what is passed over in line 2 changes nothing\n"), std::string::npos);
    EXPECT_NE(
        to_json(one).find(R"("passed_over":[{"line":2,"text":"Bananas are yellow","why":"the words \"bananas are yellow\""}])"),
        std::string::npos);
    std::string many;
    for (int i = 0; i < 6; ++i) many += "Bananas are yellow.\n";
    EXPECT_NE(to_text(check_file("a.tex", kGiven + many + kClaim)).find("passed over in 6 lines"), std::string::npos);
    // no line is right: there is nothing to qualify
    EXPECT_EQ(to_text(check_file("a.tex", kGiven + "Bananas are yellow.\n\\[ \\nabla_x L = x \\]\n")).find("passed"),
              std::string::npos);
}

/// Behind a definition, which of its terms or entries are meant.
TEST(LatexPassed, RelationsBehindADefinitionMayChooseAmongItsTerms) {
    const auto told = [](const std::string& behind, const std::string& sum = "\\sum_i r_i^2") {
        return passed_because("a.tex", "Let $r, m \\in \\mathbb{R}^n$, $\\delta > 0$ and \\[ L = \\frac12 " + sum + ", \\] " +
                                           behind + ". Then \\[ \\frac{\\partial L}{\\partial r_i} = r_i. \\]")
            .size();
    };
    for (const char* behind : {"where $m_i < 1$", "where $m_i \\ne 0$", "for $|r_i| \\le \\delta$", "with $r_i > m_i$",
                               "where $1 < i \\le n$", "where $1 \\le i \\le m$", "where $2 \\le i \\le n$", "for $1 \\le i < n$",
                               "with $0 < j - i$", "where $|i - j| \\le 1$", "where $\\tau \\le i$"})
        EXPECT_EQ(told(behind), 1U) << behind;
    for (const char* behind : {"where $1 \\le i \\le n$", "where $0 < i \\le n$", "where $i = 1, \\dots, n$",
                               "where $0 \\le i < n$", "where $r_i > 0$"})
        EXPECT_EQ(told(behind), 0U) << behind;
}

TEST(LatexPassed, WhatWordsCallComputedIsNoInput) {
    const auto told = [](const std::string& said) {
        return passed_because("a.tex",
                              "Let $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}$, $s \\in \\mathbb{R}$ and \\[ L = \\frac12 (s - "
                              "y)^2 + \\frac{\\lambda}{2} \\|w\\|^2, \\] " +
                                  said + " Then \\[ \\nabla_w L = \\lambda w. \\]")
            .size();
    };
    for (const char* said : {"where $s$ is the prediction.", "where $s$ is the score of the model.",
                             "where $s$ denotes the margin.", "Here $s$ is a hidden activation."})
        EXPECT_EQ(told(said), 1U) << said;
    EXPECT_EQ(told("where $s$ is a number."), 0U);
    const std::string by_itself =
        "Let $z, y \\in \\mathbb{R}^n$ and \\[ L = \\frac12 \\|z - y\\|^2, \\] where $z$ are the logits. "
        "Then \\[ \\nabla_z L = z - y. \\]";
    EXPECT_EQ(passed_because("a.tex", by_itself).size(), 0U);
}

TEST(LatexPassed, WhatALeadSaysIsDifferentiatedIsHeldAgainstTheClaim) {
    const auto told = [](const std::string& lead) {
        return passed_because(
                   "a.tex",
                   "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}^n$, $e = X w - y$ and\n"
                   "\\[ L = \\frac12 \\|e\\|^2. \\]\n" +
                       lead + "\n\\[ \\nabla_w L = X^\\top e. \\]\n")
            .size();
    };
    for (const char* lead :
         {"The gradient of $\\|e\\|^2$ is", "The gradient of $e$ with respect to $w$ is", "The Jacobian of $e$ is",
          "Differentiating $L$ with respect to $y$ gives", "The gradient $\\nabla_X L$ is", "The gradient of $L^2$ is"})
        EXPECT_EQ(told(lead), 1U) << lead;
    for (const char* lead : {"The gradient of $L$ is", "The gradient of $L(w)$ with respect to $w$ is",
                             "The gradient of $\\frac12 \\|e\\|^2$ is", "Differentiating $L$ with respect to $w$ gives",
                             "The gradient $\\nabla_w L$ is", "The gradient of the loss is", "Then"})
        EXPECT_EQ(told(lead), 0U) << lead;
}

}  // namespace
}  // namespace gradproof::proof
