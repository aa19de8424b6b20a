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

TEST(NumPyBound, AForwardThatIsDefinedAgainBelow) {
    const std::string text =
        "# gradproof: dims n; input x [n]\ndef forward(x):\n    out = x * x\n    return out\n"
        "def backward(dout, x):\n    dx = 2 * x * dout\n    return dx\n";
    EXPECT_EQ(passed_because("a.py", text), std::vector<std::string>{});
    EXPECT_EQ(passed_because("a.py", text + "def forward(x):\n    out = x * x * x\n    return out\n"),
              std::vector<std::string>{"forward is defined twice"});
}

TEST(NumPyBound, ASizeIsNoGradient) {
    EXPECT_EQ(verdicts("# gradproof: dims n d; input x [n, d]; input Wq [d, d]; input Wk [d, d]\nimport numpy as np\nq = x @ Wq\n"
                       "k = x @ Wk\nd_k = k.shape[-1]\ns = q @ k.T / np.sqrt(d_k)\nL = np.sum(s ** 2)\nds = 2 * s\n"
                       "dq = ds @ k / np.sqrt(d_k)\n",
                       {}, "a.py"),
              "right, right");
}

TEST(NumPyBound, ANumberThatIsSetIsNotTheLoss) {
    const std::string text =
        "# gradproof: dims n; input x [n]\nlam = 0.1\ndef loss(x):\n    return lam * np.sum(x ** 2)\n"
        "def grad(x):\n    dx = 0.2 * x\n    return dx\n";
    EXPECT_EQ(verdicts(text, {}, "a.py"), "right");
    EXPECT_EQ(verdicts(text + "lam = 1.0\n", {}, "a.py").find("wrong"), std::string::npos);
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
                         "def backward(x, n):\n    dx = 2 * x / n\n    return dx\n");
    };
    EXPECT_TRUE(mean("x, n"));
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
