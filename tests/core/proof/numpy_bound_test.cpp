// What gives a name of a program to something else, or leaves what a function returns to a line that changed it.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"
#include "tests/core/proof/notebooks.hpp"

namespace gradproof::proof {
namespace {

const std::string kOfALayer = "import numpy as np\n# gradproof: dims n m d; input X [n, m], W [m, d], b [d]\n";
const std::string kOfVectors = "import numpy as np\n# gradproof: dims n m; input x [n], S [n, n]; const t [n] ~ index(m)\n";

TEST(NumPyBound, WhatIsReturnedUsesTheUpdatedParameter) {
    const auto backward = [](const std::string& step, const std::string& returned) {
        return all_right(kOfALayer +
                         "def forward(X, W, b):\n    Y = np.tanh(X @ W + b)\n    return Y\ndef backward(dY, X, W, b, Y):\n"
                         "    dZ = dY * (1 - Y ** 2)\n    dW = X.T @ dZ\n    db = dZ.sum(axis=0)\n" +
                         step + "    return " + returned + "\n");
    };
    EXPECT_TRUE(backward("", "dZ @ W.T, dW, db"));
    EXPECT_TRUE(backward("    dX = dZ @ W.T\n    W -= 0.1 * dW\n", "dX, dW, db"));
    EXPECT_TRUE(backward("    b -= 0.1 * db\n", "dZ @ W.T, dW, db"));
    for (const char* step : {"    W -= 0.1 * dW\n", "    W *= 0.99\n",
                             "    for p, g in zip([W, b], [dW, db]):\n        p -= 0.1 * g\n", "    W = None\n"})
        EXPECT_FALSE(backward(step, "dZ @ W.T, dW, db")) << step;
    const auto layer = [](const std::string& step) {
        return all_right(kOfALayer +
                         "class Net:\n    def __init__(self, W, b):\n        self.W = W\n        self.b = b\n"
                         "    def forward(self, X):\n        self.X = X\n        self.Y = np.tanh(X @ self.W + self.b)\n"
                         "        return self.Y\n    def backward(self, dY):\n        dZ = dY * (1 - self.Y ** 2)\n"
                         "        self.dW = self.X.T @ dZ\n        self.db = dZ.sum(axis=0)\n" +
                         step + "        return dZ @ self.W.T\n    def step(self):\n        self.W -= 0.1 * self.dW\n");
    };
    EXPECT_TRUE(layer(""));
    EXPECT_FALSE(layer("        self.step()\n"));
}

TEST(NumPyBound, ConstantsInThePlaceOfGradients) {
    const auto grads = [](const std::string& returned) {
        return all_right(kOfALayer +
                         "def loss(X, W, b):\n    L = np.sum(np.tanh(X @ W + b))\n    return L\n"
                         "def grads(X, W, b):\n    A = np.tanh(X @ W + b)\n    dZ = 1 - A ** 2\n    dW = X.T @ dZ\n"
                         "    db = dZ.sum(axis=0)\n    dX = dZ @ W.T\n    return " +
                         returned + "\n");
    };
    EXPECT_TRUE(grads("{'X': dX, 'W': dW, 'b': db}"));
    EXPECT_TRUE(grads("dX, dW, db"));
    EXPECT_FALSE(grads("{'X': dX, 'W': dW, 'b': 0}"));
    EXPECT_FALSE(grads("dX, dW, 0"));
}

TEST(NumPyBound, TheForwardsOfACustomVjpReturnTheSame) {
    const auto pair = [](const std::string& f, const std::string& forward) {
        return all_right(
            "import jax\nimport jax.numpy as jnp\n# gradproof: dims n m d; input x [n, m], W [m, d]\n@jax.custom_vjp\n"
            "def f(x, W):\n    return " +
            f + "\ndef f_fwd(x, W):\n" + forward +
            "    return y, (x, W, y)\ndef f_bwd(res, g):\n    x, W, y = res\n    dz = g * (1 - y ** 2)\n"
            "    return dz @ W.T, x.T @ dz\nf.defvjp(f_fwd, f_bwd)\n");
    };
    EXPECT_TRUE(pair("jnp.tanh(x @ W)", "    y = jnp.tanh(x @ W)\n"));
    EXPECT_TRUE(pair("jnp.tanh(x @ W)", "    z = x @ W\n    y = jnp.tanh(z)\n"));
    const std::string again =  // the function computes for itself what its forward returns
        "import jax\nimport jax.numpy as jnp\n# gradproof: dims n; input x [n], w [n]\n@jax.custom_vjp\ndef f(x, w):\n"
        "    return jax.nn.softmax(x * w) * x\ndef f_fwd(x, w):\n    p = jax.nn.softmax(x * w)\n    return p * x, (x, w, p)\n"
        "def f_bwd(res, dy):\n    x, w, p = res\n    dp = dy * x\n    dz = p * (dp - jnp.sum(dp * p))\n";
    EXPECT_TRUE(all_right(again + "    return dy * p + dz * w, dz * x\nf.defvjp(f_fwd, f_bwd)\n"));
    EXPECT_FALSE(all_right(again + "    return dz * w, dz * x\nf.defvjp(f_fwd, f_bwd)\n"));
    EXPECT_FALSE(all_right(again + "    return dy * p + dz * w, dz * x\nf.defvjp(f_fwd, f_bwd)\nf.defvjp(f_fwd, other)\n"));
    EXPECT_FALSE(all_right(again + "    return dy * p + dz * w, dz * w\nf.defvjp(f_fwd, f_bwd)\n"));
    EXPECT_FALSE(pair("jnp.sin(x @ W)", "    y = jnp.tanh(x @ W)\n"));
    EXPECT_FALSE(pair("jnp.tanh(2 * (x @ W))", "    z = x @ W\n    y = jnp.tanh(z)\n"));
}

TEST(NumPyBound, GradientsThatComeInStandInTheOrderOfWhatIsReturned) {
    const auto function = [](const std::string& given) {
        return verdicts_by_line("a.py",
                                "import torch\n# gradproof: dims n m d; input x [n, m], W [m, d]\n"
                                "class Op(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, W):\n"
                                "        ctx.save_for_backward(x, W)\n        y = x @ W\n        z = torch.tanh(x)\n"
                                "        return y, z\n    @staticmethod\n    def backward(ctx, " +
                                    given +
                                    "):\n        x, W = ctx.saved_tensors\n        z = torch.tanh(x)\n"
                                    "        return dy @ W.T + dz * (1 - z ** 2), x.T @ dy\n");
    };
    EXPECT_EQ(function("dy, dz"), "14 right, 14 right");
    EXPECT_EQ(function("dz, dy"), "14 not read");
}

TEST(NumPyBound, ArraysOfWholeNumbersCutOffWhatIsPutIntoThem) {
    const auto filled = [](const std::string& made) {
        return all_right(kOfVectors + "M = x > 0\nL = np.sum(x ** 2)\ndx = " + made +
                         "\nfor i in range(n):\n    dx[i] = 2 * x[i]\n");
    };
    for (const char* made :
         {"np.zeros_like(x)", "np.zeros(x.shape, dtype=x.dtype)", "np.zeros_like(t, dtype=float)", "np.zeros(n)"})
        EXPECT_TRUE(filled(made)) << made;
    for (const char* made :
         {"np.zeros_like(t)", "np.zeros_like(t[::-1])", "np.zeros_like(np.sign(t))", "np.zeros_like(abs(t))",
          "np.zeros_like(np.cumsum(M))", "np.zeros(x.shape, dtype=t.dtype)", "np.zeros(M.shape, dtype=M.dtype)",
          "np.zeros_like(np.floor_divide(t, 2))", "np.zeros_like([1] * n)"})
        EXPECT_FALSE(filled(made)) << made;
    EXPECT_FALSE(all_right(kOfVectors + "L = np.sum(x ** 2)\ndx = (2 * x).astype(t.dtype)\n"));
    EXPECT_FALSE(all_right(kOfVectors + "L = np.sum(x * 2 ** np.arange(n))\ndx = 2.0 ** np.arange(n)\n"));
    EXPECT_TRUE(all_right(kOfVectors + "L = np.sum(x * 2.0 ** np.arange(n))\ndx = 2.0 ** np.arange(n)\n"));
    EXPECT_FALSE(
        all_right(kOfVectors + "w = np.array([1, 2, 3])\nw[w > 1] = 0.5\nL = np.sum(w) * np.sum(x)\ndx = 2.0 * np.ones(n)\n"));
}

TEST(NumPyBound, PythonsOwnSumAndMaxAreNotThoseOfNumPy) {
    EXPECT_FALSE(all_right(kOfVectors + "L = np.sum(sum(S, 1) * x)\ndx = S.sum(axis=1)\n"));
    EXPECT_FALSE(all_right(kOfVectors + "L = np.sum(max(x, 0))\ndx = 1.0 * (x > 0)\n"));
    EXPECT_TRUE(all_right(kOfVectors + "L = np.sum(np.sum(S, 1) * x)\ndx = S.sum(axis=1)\n"));
    EXPECT_TRUE(all_right(kOfVectors + "L = np.sum(np.maximum(x, 0))\ndx = 1.0 * (x > 0)\n"));
    EXPECT_FALSE(
        all_right("import numpy as np\n# gradproof: dims n; input X [n, n, n], x [n]\nY = np.trace(X)\nL = np.sum(Y * x)\n"
                  "dX = np.eye(n)[None] * x[:, None, None]\n"));
}

TEST(NumPyBound, FunctionsOfAnotherModule) {
    const std::string uses = "y = sigmoid(x)\nL = np.sum(y)\ndx = y * (1 - y)\n";
    for (const char* import :
         {"from activations import *  # noqa\n", "from .activations import *\n", "from activations import(\n    sigmoid,\n)\n",
          "import math; from activations import *\n", "from activations import*\n"})
        EXPECT_FALSE(all_right(kOfVectors + import + uses)) << import;
    EXPECT_TRUE(all_right(kOfVectors + "from scipy.special import (\n    expit as sigmoid)\n" +
                          "y = 1 / (1 + np.exp(-x))\nL = np.sum(y)\ndx = y * (1 - y)\n"));
}

TEST(NumPyBound, AHelperWhoseNameIsGivenToSomethingElse) {
    const auto between = [](const std::string& line) {
        return all_right(kOfVectors + "def f(a):\n    return a ** 2\n" + line + "L = np.sum(f(x))\ndx = 2 * x\n");
    };
    EXPECT_TRUE(between(""));
    EXPECT_TRUE(between("print(f(2), f)\n"));
    for (const char* line : {"from mine import *\n", "with open('a') as f:\n    pass\n",
                             "try:\n    pass\nexcept OSError as f:\n    pass\n", "import mine as f\n", "class f:\n    pass\n",
                             "for f in [abs]:\n    pass\n", "for i, f in enumerate([abs]):\n    pass\n", "g = f = abs\n",
                             "f: object = abs\n", "*f, g = 1, 2\n", "f.__code__ = abs\n", "exec('f = abs')\n", "%run mine.py\n"})
        EXPECT_FALSE(between(line)) << line;
}

TEST(NumPyBound, ABuiltInThatACellAboveOrAParameterGivesAnotherMeaning) {
    const auto below = [](const std::string& lines) {
        const std::string marked = "# gradproof: dims n; input z [n]\nh = relu(z)\nL = np.sum(h)\ndz = 1.0 * (z > 0)";
        return verdicts(notebook({{"code", lines}, {"code", marked}}), {}, "a.ipynb");
    };
    EXPECT_EQ(below("import numpy as np"), "right");
    EXPECT_EQ(below("print(relu(2))"), "right");
    for (const char* line : {"relu = nn.LeakyReLU()", "relu, tanh = np.sin, np.cos", "class relu: pass",
                             "if fast:\n    def relu(x): pass", "relu = partial(f, 2)"})
        EXPECT_EQ(below(line).find("right"), std::string::npos) << line;
    EXPECT_FALSE(all_right(kOfVectors + "def forward(x, relu):\n    h = relu(x)\n    L = np.sum(h)\n    return L\n"
                                        "def backward(x):\n    dx = 1.0 * (x > 0)\n    return dx\n"));
    EXPECT_FALSE(all_right(kOfVectors + "def forward(x, abs=np.square):\n    return abs(x)\ndef backward(dout, x):\n"
                                        "    dx = np.sign(x) * dout\n    return dx\n"));
}

TEST(NumPyBound, ABuiltInThatAnotherPartOfTheTextDefinesIsNotTheBuiltIn) {
    const std::string marked = "# gradproof: dims n; input z [n]\nh = relu(z)\nL = np.sum(h)\ndz = 1.0 * (z > 0)\n";
    const std::string other = "def relu(z):\n    return 0.5 * z\n";
    const std::string first = "# gradproof: dims n; input z [n]\n" + other + "L = np.sum(relu(z))\ndz = 0.5 * np.ones(z.shape)\n";
    EXPECT_EQ(verdicts(notebook({{"code", first}}), {}, "a.ipynb"), "right");
    EXPECT_EQ(verdicts(notebook({{"code", marked}, {"code", "print(relu(2))"}}), {}, "a.ipynb"), "right");
    const auto of_cells = [](std::vector<std::string> cells) {
        std::vector<NotebookCell> all;
        for (std::string& c : cells) all.push_back({"code", std::move(c)});
        return verdicts(notebook(all), {}, "a.ipynb");
    };
    EXPECT_NE(of_cells({first, marked}).find("not read"), std::string::npos);  // a marked cell above
    for (const std::string& below : {other, std::string("relu = lambda z: 0.5 * z")})
        EXPECT_EQ(of_cells({marked, below}).find("right"), std::string::npos) << below;
    for (const char* above : {"%run helpers.py", "exec(open('helpers.py').read())", "globals()['relu'] = abs"})
        EXPECT_EQ(of_cells({above, marked}).find("right"), std::string::npos) << above;
    for (const std::string& fence : std::vector<std::string>{
             "```{code-cell} ipython3\n" + other + "```\n", "```\n" + other + "```\n", "``` {.python}\n" + other + "```\n",
             "    def relu(z):\n        return 0.5 * z\n", "```ipython\nrelu = lambda z: 0.5 * z\n```\n"}) {
        EXPECT_EQ(verdicts(fence + "\n```python proof\n" + marked + "```\n", {}, "a.md").find("right"), std::string::npos)
            << fence;
        EXPECT_EQ(verdicts("```python proof\n" + marked + "```\n\n" + fence, {}, "a.md").find("right"), std::string::npos)
            << fence;
    }
    EXPECT_EQ(verdicts("Text.\n\n```python proof\n" + marked + "```\n", {}, "a.md"), "right");
}

TEST(NumPyBound, HelpersOfMarkdownStandInBlocksThatAreNotMarked) {
    const auto text = [](const std::string& helper) {
        return verdicts("```python\n" + helper + "```\n\n```python proof\n# gradproof: dims n; input x [n]\ny = square(x)\n" +
                            "L = np.sum(y)\ndx = 2 * x\n```\n",
                        {}, "a.md");
    };
    EXPECT_EQ(text("def square(z):\n    return z * z\n"), "right");
    EXPECT_EQ(text("def square(z):\n    return z ** 3\n"), "wrong");
}

TEST(NumPyBound, ATransposeOfATransposeIsNoName) {
    for (const char* twice : {"h.T.T", "np.transpose(h.T)", "h.T.copy().T", "h.t().t()", "np.array(h.T).T", "h.mT.T", "h.T.mT"}) {
        const std::string text =
            fmt::format("# gradproof: dims T d; input h [T, d]; const c [T, d]\nL = np.sum({} * c)\n", twice);
        EXPECT_EQ(verdicts(text + "dh = c\n", {}, "a.py"), "right") << twice;
        EXPECT_EQ(verdicts(text + "dh = T * c\n", {}, "a.py"), "wrong") << twice;
    }
}

TEST(NumPyBound, AHalfThatIsGivenIsNotRounded) {
    const auto line = [](const std::string& x) {
        return verdicts(
            "# gradproof: dims n; input c [], y [n]; const X = [0.5, 2.5]\nL = c * np.sum(" + x + ")\ndc = np.sum(" + x + ")\n",
            {}, "a.py");
    };
    EXPECT_EQ(line("np.round(X)") + ", " + line("np.rint(n / 2)"), "not read, not read, not read, not read");
    EXPECT_EQ(line("np.round(2.5)"), "right");
    EXPECT_EQ(line("np.round(y)"), "right");
}

TEST(NumPyBound, WhatPyTorchTakesForClassesAndWholeNumbers) {
    const std::string head =
        "# gradproof: dims n t; input z [n, t]; const y [n] ~ index(t)\nimport torch\nimport torch.nn.functional as F\n";
    const std::string loss =
        "L = -torch.sum(T * torch.log_softmax(z, dim=1))\ndz = torch.softmax(z, dim=1) * T.sum(1, keepdim=True) - T\n";
    EXPECT_EQ(verdicts(head + "T = F.one_hot(y, t)\n" + loss, {}, "a.py"), "right");
    EXPECT_EQ(verdicts(head + "T = F.one_hot(y, t)\nT[T == 0] = 0.05\n" + loss, {}, "a.py").substr(0, 8), "not read");
    EXPECT_EQ(verdicts(head + "T = F.one_hot(y, t).float()\nT[T == 0] = 0.05\n" + loss, {}, "a.py"), "right");
    for (const char* labels : {"(torch.arange(t) == y[:, None]) * 1", "1 * (torch.arange(t) == y[:, None])"})
        EXPECT_EQ(verdicts(head + "T = " + labels + "\nT[T == 0] = 0.05\n" + loss, {}, "a.py").substr(0, 8), "not read")
            << labels;
    const auto rows = [](const std::string& fill, const std::string& like) {
        return verdicts("# gradproof: dims n d; input x [n, d]; const y [n, d] ~ " + fill +
                            "\nimport numpy as np\nt = 2 * y - 1\n"
                            "L = np.sum(x * t)\ndx = np.zeros_like(" +
                            like + ")\nfor i in range(n):\n    dx[i] = t[i]\n",
                        {}, "a.py");
    };
    EXPECT_EQ(rows("normal", "y") + rows("normal", "t") + rows("binary", "t, dtype=float"), "rightrightright");
    for (const char* fill : {"binary", "onehot"})
        EXPECT_EQ(rows(fill, "y") + ", " + rows(fill, "t"), "not read, right, not read, right") << fill;
    const std::string of_three =
        "# gradproof: dims n t; input z [n, t, t]; const y [n, t] ~ index(t)\nimport torch\n"
        "import torch.nn.functional as F\nL = F.cross_entropy(z, y)\n"
        "dz = (torch.softmax(z, dim=-1) - F.one_hot(y, t)) / (n * t)\n";
    EXPECT_EQ(verdicts(of_three, {}, "a.py"), "not read, not read");
}

TEST(NumPyBound, TheEndOfAPartThatIsMinusNothing) {
    const auto line = [](const std::string& pad, const std::string& part) {
        return verdicts(
            "# gradproof: dims n; input x [n]\npad = " + pad +
                "\nxp = np.concatenate([np.zeros(pad), x, np.zeros(pad)])\nL = np.sum(xp ** 2)\ndxp = 2 * xp\ndx = dxp[" + part +
                "]\n",
            {}, "a.py");
    };
    EXPECT_EQ(line("2", "pad:-pad"), "right, right");
    EXPECT_EQ(line("0", "pad:-pad"), "right, not read");
    EXPECT_EQ(line("0", "-pad:"), "right, right");
    EXPECT_EQ(line("(1 - 1) // 2", "pad:-pad").substr(0, 15), "right, not read");
}

TEST(NumPyBound, ATransposeOfAxesIsAnotherInNumPy) {
    const auto head = [](const std::string& imports) {
        const ProofReport p = check_file("a.py", "# gradproof: dims n; input X [n, n], W [n, n]\n" + imports +
                                                     "Y = X @ W\nL = (Y ** 2).sum()\ndW = X.transpose(0, 1) @ (2 * Y)\n")
                                  .proofs.at(0);
        return verdict_of(p.lines.at(0)) +
               (std::ranges::count(p.domain, "arrays of PyTorch, whose transpose(a, b) exchanges two axes") > 0 ? ", told" : "");
    };
    EXPECT_EQ(head("import torch\n"), "right");
    EXPECT_EQ(head("import numpy as np\n"), "wrong");
    EXPECT_EQ(head("import numpy as np\nimport torch\n"), "right, told");
}

TEST(NumPyBound, AForwardThatIsDefinedAgainBelow) {
    const std::string text =
        "# gradproof: dims n; input x [n]\ndef forward(x):\n    out = x * x\n    return out\n"
        "def backward(dout, x):\n    dx = 2 * x * dout\n    return dx\n";
    EXPECT_EQ(passed_because("a.py", text), std::vector<std::string>{});
    EXPECT_EQ(passed_because("a.py", text + "def forward(x):\n    out = x * x * x\n    return out\n"),
              std::vector<std::string>{"forward is defined twice"});
}

TEST(NumPyBound, ProductsOfConditionsAndArraysThatAreOneInABranch) {
    const auto line = [](const std::string& c, const std::string& right) {
        return verdicts("# gradproof: dims n d; input X [n, d], W [d, d]\nM = X > 0\nL = np.sum(" + c + ")\ndW = " + right + "\n",
                        {}, "a.py");
    };
    EXPECT_EQ(line("(1.0 * M).T @ M * W", "(1.0 * M).T @ M"), "right");
    for (const char* c : {"(M + np.flip(M)) * X", "(M + np.roll(M, 1, axis=0)) * X"})
        EXPECT_EQ(line(c, "0 * W").substr(0, 8), "not read") << c;
    for (const char* c : {"M.T @ M * W", "(X > 0).T @ (X > 0) * W", "M.T @ M / n * W"})
        EXPECT_EQ(line(c, "(1.0 * M).T @ M").substr(0, 8), "not read") << c;
    const auto branch = [](const std::string& out) {
        return verdicts("# gradproof: dims n=4 d; input x [n, d]; input b [d]\nz = np.tanh(x)\nout = " + out +
                            "\nout += b\nL = np.sum(out ** 2)\ndout = 2 * out\ndx = dout * (1 - z ** 2)\n",
                        {}, "a.py");
    };
    EXPECT_EQ(branch("1.0 * z if n > 2 else 2 * z"), "right, right");
    EXPECT_EQ(branch("z if n > 2 else 2 * z").find("right, right"), std::string::npos);
    EXPECT_EQ(verdicts("# gradproof: dims n; input A [n, n, n]; input b [n, n]\nimport torch\ny = torch.linalg.solve(A, b)\n"
                       "dA = dy\n",
                       {}, "a.py")
                  .substr(0, 8),
              "not read");
}

TEST(NumPyBound, ListsAreNoArrays) {
    const std::string head =
        "# gradproof: dims n d; input X [n, d]; input w [d]\nimport numpy as np\na, b = [], []\nfor i in range(n):\n"
        "    a.append(X[i] @ w)\nfor i in range(n):\n    b.append(np.sum(w))\n";
    const auto loss = [&](const std::string& e, const std::string& dw) {
        return verdicts(head + "L = np.sum(" + e + ")\ndw = " + dw + "\n", {}, "a.py");
    };
    EXPECT_EQ(loss("np.array(a) + np.array(b)", "np.sum(X, axis=0) + n"), "right");
    EXPECT_EQ(loss("np.array(a) * 2", "2 * np.sum(X, axis=0)"), "right");
    for (const char* e : {"a + b", "a[1:] + b[:-1]", "a * 2", "n * a", "b[::-1] * n", "np.array(a + b)"})
        EXPECT_EQ(loss(e, "np.sum(X, axis=0)").substr(0, 8), "not read") << e;
    const auto written = [](const std::string& e) {
        return verdicts("# gradproof: dims n; input x [n]\nimport numpy as np\np = [x[0], x[1]]\nL = np.sum(np.square(" + e +
                            "))\ndx = x\n",
                        {}, "a.py")
            .substr(0, 8);
    };
    EXPECT_EQ(written("p + [x[1], x[0]]") + written("(x[0], x[1]) + (x[1], x[0])") + written("p * 2"),
              "not readnot readnot read");
    EXPECT_EQ(written("np.array(p) + [x[1], x[0]]"), "wrong");
}

TEST(NumPyBound, ASizeIsNoGradient) {
    EXPECT_EQ(verdicts("# gradproof: dims n d; input x [n, d]; input Wq [d, d]; input Wk [d, d]\nimport numpy as np\nq = x @ Wq\n"
                       "k = x @ Wk\nd_k = k.shape[-1]\ns = q @ k.T / np.sqrt(d_k)\nL = np.sum(s ** 2)\nds = 2 * s\n"
                       "dq = ds @ k / np.sqrt(d_k)\n",
                       {}, "a.py"),
              "right, right");
}

TEST(NumPyBound, NamesThatAreOneForPython) {
    const auto passed = [](const std::string& one, const std::string& other) {
        return passed_because("a.py", "# gradproof: dims n; input x [n]; input c [n]\n" + one + " = np.sin(x)\n" + other +
                                          " = np.cos(x)\nL = np.sum(" + one + " * c) + np.sum(" + other +
                                          ")\ndx = c * np.cos(x) - np.sin(x)\n");
    };
    EXPECT_EQ(passed("φ", "ϕ"), std::vector<std::string>{"Python takes ϕ for φ"});
    for (const auto& [one, other] : {std::pair{"l", "ℓ"}, {"a𝐰", "aw"}, {"a𝑊", "aW"}, {"xₖ", "xk"}, {"ϵ1", "ε1"}})
        EXPECT_EQ(passed(one, other), std::vector<std::string>{fmt::format("Python takes {} for {}", other, one)}) << one;
    for (const auto& [one, other] : {std::pair{"φ", "θ"}, {"ℓ", "ϵ"}, {"𝐰", "𝐖"}}) EXPECT_TRUE(passed(one, other).empty()) << one;
}

TEST(NumPyBound, TheOrderAndTheObjectOfWhatIsReturned) {
    const auto net = [](const std::string& returned, const std::string& driver) {
        return all_right(
            "import numpy as np\n# gradproof: dims n; input x [n], y [n]\nclass Net:\n    def forward(self, x, y):\n"
            "        self.x = x\n        self.y = y\n        loss = np.sum(x ** 2 * y)\n        return loss\n"
            "    def backward(self):\n        self.dx = 2 * self.x * self.y\n        self.dy = self.x ** 2\n"
            "        return " +
            returned + "\n" + driver);
    };
    EXPECT_TRUE(net("self.dx, self.dy", ""));
    EXPECT_FALSE(net("self.dy, self.dx", ""));
    EXPECT_FALSE(net("self.dx, self.dy", "m = Net()\nloss = m.forward(x, y)\nm.x = y\ndx, dy = m.backward()\n"));
    EXPECT_FALSE(net("self.dx, self.dy", "    def forward(self, x, y):\n        return np.sum(x ** 3 * y)\n"));
    const auto mean = [](const std::string& parameters) {
        return all_right(kOfVectors + "def forward(" + parameters + "):\n    loss = np.sum(x ** 2) / n\n    return loss\n" +
                         "def backward(x):\n    dx = 2 * x / n\n    return dx\n");
    };
    EXPECT_TRUE(mean("x"));
    EXPECT_FALSE(mean("x, n=3"));
}

TEST(NumPyBound, WhatStandsBehindAReturnOfTheBranchThatIsReadIsTheOther) {
    const auto dropout = [](const std::string& trained) {
        return verdicts(
            "import numpy as np\n# gradproof: dims d n; input x [n, d]\nclass D:\n    def forward(self, x):\n"
            "        if self.training:\n            self.mask = np.random.rand(*x.shape) < 0.5\n"
            "            return x * self.mask\n        return x * 0.5\n    def backward(self, dout):\n"
            "        if self.training:\n            return " +
                trained + "\n        return dout * 0.5\n",
            {}, "a.py");
    };
    EXPECT_EQ(dropout("dout * self.mask"), "right");
    EXPECT_EQ(dropout("dout"), "wrong");
}

TEST(NumPyBound, AnAttributeThatIsCalledLikeASizeIsThatSize) {
    const auto scaled = [](const std::string& kept) {
        return all_right(
            "import numpy as np\n# gradproof: dims d n; input x [n, d]\nclass A:\n    def __init__(self, args):\n"
            "        self.d = " +
            kept +
            "\n    def forward(self, x):\n        return x ** 2 / self.d\n    def backward(self, dout, x):\n"
            "        return 2 * x * dout / x.shape[1]\n");
    };
    EXPECT_TRUE(scaled("args.d"));
    EXPECT_FALSE(scaled("2 * args.d"));
    EXPECT_FALSE(scaled("64"));
}

}  // namespace
}  // namespace gradproof::proof
