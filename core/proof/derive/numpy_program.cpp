// The program around the expressions: forward, backward, and differences to hold them to.
#include <algorithm>

#include "gradproof/core/proof/derive/numpy.hpp"

namespace gradproof::proof {
namespace {

struct Definition {
    std::string_view name, text;
};
constexpr auto kDefinitions = std::to_array<Definition>({
    {"sigmoid", "def sigmoid(x):\n    return 1 / (1 + np.exp(-x))\n"},
    {"relu", "def relu(x):\n    return np.maximum(x, 0)\n"},
    {"silu", "def silu(x):\n    return x / (1 + np.exp(-x))\n"},
    {"erf", "def erf(x):\n    return np.vectorize(math.erf)(x)\n"},
    {"gelu", "def gelu(x):\n    return x * (1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2\n"},
    {"step", "def step(x):\n    return np.where(x > 0, 1.0, 0.0)\n"},
    {"softplus", "def softplus(x):\n    return np.logaddexp(0, x)\n"},
    {"softmax",
     "def softmax(x, axis=-1):\n    e = np.exp(x - np.max(x, axis=axis, keepdims=True))\n"
     "    return e / np.sum(e, axis=axis, keepdims=True)\n"},
    {"log_softmax",
     "def log_softmax(x, axis=-1):\n    z = x - np.max(x, axis=axis, keepdims=True)\n"
     "    return z - np.log(np.sum(np.exp(z), axis=axis, keepdims=True))\n"},
    {"logsumexp",
     "def logsumexp(x, axis=None, keepdims=False):\n    m = np.max(x, axis=axis, keepdims=True)\n"
     "    y = m + np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True))\n"
     "    return y if keepdims else np.squeeze(y, axis=axis)\n"},
    {"norm", "def norm(x, axis=None, keepdims=False):\n    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))\n"},
});

class Program {
  public:
    Program(const Proof& proof, const Derivation& d) : proof_(proof), derivation_(d), known_(proof), numpy_(known_) {}

    std::string text() {
        const std::string body = sizes() + given() + forward() + backward() + check();
        std::string head =
            fmt::format("\"\"\"{}: the forward and its gradients.\n\nRun it to compare them with finite differences.\n\"\"\"\n",
                        proof_.title.empty() ? std::string("A derivation") : printable(proof_.title));
        head += numpy_.used().contains("erf") || numpy_.used().contains("gelu") ? "import math\n\nimport numpy as np\n"
                                                                                : "import numpy as np\n";
        for (const Definition& f : kDefinitions)
            if (numpy_.used().contains(std::string(f.name))) head += "\n\n" + std::string(f.text);
        return head + body;
    }

  private:
    static std::string id(const std::string& name) { return NumpyText::identifier(name); }
    template <class Names>
    static std::string joined(const Names& names) {
        std::string out;
        for (const std::string& n : names) out += (out.empty() ? "" : ", ") + id(n);
        return out;
    }
    std::string expression(const ExprPtr& e) { return numpy_.text(unwritten(e)); }
    std::string shape(const std::vector<ExprPtr>& sizes) {
        std::vector<ExprPtr> plain;
        for (const ExprPtr& s : sizes) plain.push_back(unwritten(s));
        return numpy_.tuple(plain);
    }
    static std::vector<std::string> names_of(const auto& all) {
        std::vector<std::string> out;
        for (const auto& one : all) out.push_back(one.name);
        return out;
    }

    std::string sizes() {
        std::string out = "\n\n# Sizes: any will do.\n";
        int next = 3;
        for (const Dim& d : proof_.dims)
            out += fmt::format("{} = {}\n", id(d.name), d.value ? expression(d.value) : std::to_string(next++));
        return proof_.dims.empty() ? "" : out;
    }
    std::string drawn(const Given& g) {
        switch (g.fill) {
            case Fill::literal: return fmt::format("np.array({}, dtype=float)", expression(g.value));
            case Fill::uniform:
                return fmt::format("rng.uniform({}, {}, {})", expression(g.parameters[0]), expression(g.parameters[1]),
                                   shape(g.shape));
            case Fill::positive: return fmt::format("rng.uniform(0.5, 2.0, {})", shape(g.shape));
            case Fill::onehot:
                return fmt::format("np.eye({})[rng.integers({}, size={})]", expression(g.shape.back()),
                                   expression(g.shape.back()), shape({g.shape.begin(), g.shape.end() - 1}));
            case Fill::index: return fmt::format("rng.integers({}, size={})", expression(g.parameters[0]), shape(g.shape));
            case Fill::normal: break;
        }
        return fmt::format("rng.normal(size={})", shape(g.shape));
    }
    std::string given() {
        std::string out = fmt::format("\n\ndef draw(seed):\n    rng = np.random.default_rng(seed)\n");
        for (const Given& g : proof_.given) out += fmt::format("    {} = {}\n", id(g.name), drawn(g));
        return out + fmt::format("    return dict({})\n", keywords(names_of(proof_.given)));
    }
    static std::string keywords(const std::vector<std::string>& names) {
        std::string out;
        for (const std::string& n : names) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", id(n), id(n));
        return out;
    }

    /// One statement, or loops over the indices of index form.
    std::string statement(const std::string& left, const std::vector<std::string>& indices, const Axes& of, const ExprPtr& right,
                          const std::string& indent) {
        const ExprPtr e = unwritten(right);
        if (indices.empty()) return fmt::format("{}{} = {}\n", indent, left, numpy_.text(e));
        std::map<std::string, std::string> sizes;
        std::string shape_of, loops, at, deeper = indent;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            sizes[indices[i]] = expression(known_.size(of[i]));
            shape_of += (i > 0 ? ", " : "") + sizes[indices[i]];
            loops += fmt::format("{}for {} in range({}):\n", deeper, id(indices[i]), sizes[indices[i]]);
            at += (i > 0 ? ", " : "") + id(indices[i]);
            deeper += "    ";
        }
        NumpyText entries(known_);
        const std::string value = entries.text(e, sizes);
        numpy_.also(entries.used());
        if (indices.size() == 1) shape_of += ",";
        return fmt::format("{}{} = np.zeros(({}))\n{}{}{}[{}] = {}\n", indent, left, shape_of, loops, deeper, left, at, value);
    }

    std::string forward() {
        std::string out = fmt::format("\n\ndef forward({}, moved={{}}):\n", joined(names_of(proof_.given)));
        for (const Assignment& a : proof_.forward) {
            out += statement(id(a.name), a.indices, known_.axes_of(a.name), a.value, "    ");
            out += fmt::format("    {0} = moved.get(\"{0}\", {0})\n", id(a.name));
        }
        return out + fmt::format("    return dict({})\n", keywords(names_of(proof_.forward)));
    }

    std::string backward() {
        const Assignment& last = proof_.forward.back();
        std::vector<std::string> arguments = names_of(proof_.given);
        for (const std::string& n : names_of(proof_.forward)) arguments.push_back(n);
        std::string out =
            fmt::format("\n\ndef backward({}{}):\n", joined(arguments), last.is_loss ? "" : ", " + id("d" + last.name));
        std::vector<std::string> found;
        for (const DerivedLine& l : derivation_.lines) {
            std::vector<std::string> at;
            if (l.left->kind == Kind::index)
                for (std::size_t i = 1; i < l.left->children.size(); ++i) at.push_back(l.left->children[i]->name);
            out += statement(id("d" + l.name), at, known_.axes_of(l.name), l.right, "    ");
            found.push_back("d" + l.name);
        }
        return out + fmt::format("    return dict({})\n", keywords(found));
    }

    std::string check() const {
        const Assignment& last = proof_.forward.back();
        const std::string end = id(last.name);
        return fmt::format(
            R"page(

def check(seed=0, h=1e-5):
    given = draw(seed)
    values = forward(**given)
    {0}
    gradients = backward(**given, **values{1})

    def loss(name, x):
        here = {{**given, name: x}} if name in given else given
        moved = {{}} if name in given else {{name: x}}
        return np.sum(weights * forward(**here, moved=moved)["{2}"])

    worst = 0.0
    for name, gradient in gradients.items():
        x = np.array({{**given, **values}}[name[1:]], dtype=float)
        true = np.zeros_like(x)
        for at in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[at] = h
            true[at] = (loss(name[1:], x + step) - loss(name[1:], x - step)) / (2 * h)
        assert np.shape(gradient) == x.shape, (name, np.shape(gradient), x.shape)
        error = np.max(np.abs(gradient - true)) / max(1e-3, np.max(np.abs(true)))
        print(f"{{name:12}} {{error:.1e}}")
        worst = max(worst, error)
    assert worst < 1e-6, worst


if __name__ == "__main__":
    for seed in range(3):
        check(seed)
)page",
            last.is_loss ? "weights = 1.0"
                         : fmt::format("weights = np.random.default_rng(seed + 100).normal(size=np.shape(values[\"{}\"]))", end),
            last.is_loss ? "" : fmt::format(", {}=weights", id("d" + last.name)), end);
    }

    const Proof& proof_;
    const Derivation& derivation_;
    Known known_;
    NumpyText numpy_;
};

}  // namespace

std::string to_numpy(const Proof& proof, const Derivation& d) { return Program(proof, d).text(); }

}  // namespace gradproof::proof
