// What a Python program brings along: functions that a target has no word for.
#include <algorithm>

#include "gradproof/core/proof/derive/python_text.hpp"

namespace gradproof::proof {
namespace {

struct Helper {
    std::string_view name, text;  ///< in NumPy; MODULE and WHOLE are what the target calls them
};
constexpr auto kHelpers = std::to_array<Helper>({
    {"grid", R"page(def grid(*sizes):
    """An array for each index, along an axis of its own."""
    shape = lambda a: [-1 if a == b else 1 for b in range(len(sizes))]
    return [MODULE.arange(n).reshape(shape(a)) for a, n in enumerate(sizes)]
)page"},
    {"spread", R"page(def spread(x, shape):
    """Over the whole shape; axes that were summed fall away."""
    x = MODULE.asarray(x)
    return MODULE.broadcast_to(x, shape + (1,) * (x.ndim - len(shape))).reshape(shape)
)page"},
    {"inside", R"page(def inside(i, n):
    return MODULE.clip(MODULE.asarray(i), 0, n - 1)WHOLE
)page"},
    {"where", R"page(def where(condition, a, b):
    return MODULE.where(MODULE.asarray(condition) != 0, a, b)
)page"},
    {"larger", R"page(def larger(a, b):
    return MODULE.where(MODULE.asarray(a - b) > 0, a, b)
)page"},
    {"smaller", R"page(def smaller(a, b):
    return MODULE.where(MODULE.asarray(a - b) > 0, b, a)
)page"},
    {"step", R"page(def step(x):
    return MODULE.where(MODULE.asarray(x) > 0, 1.0, 0.0)
)page"},
    {"norm", R"page(def norm(x, **over):
    return MODULE.sqrt(MODULE.sum(x * x, **over))
)page"},
    {"sigmoid", R"page(def sigmoid(x):
    return 1 / (1 + np.exp(-x))
)page"},
    {"relu", R"page(def relu(x):
    return np.maximum(x, 0)
)page"},
    {"silu", R"page(def silu(x):
    return x / (1 + np.exp(-x))
)page"},
    {"erf", R"page(def erf(x):
    return np.vectorize(math.erf)(x)
)page"},
    {"softmax", R"page(def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)
)page"},
    {"log_softmax", R"page(def log_softmax(x, axis=-1):
    z = x - np.max(x, axis=axis, keepdims=True)
    return z - np.log(np.sum(np.exp(z), axis=axis, keepdims=True))
)page"},
    {"logsumexp", R"page(def logsumexp(x, axis=None, keepdims=False):
    m = np.max(x, axis=axis, keepdims=True)
    y = m + np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True))
    return y if keepdims else np.squeeze(y, axis=axis)
)page"},
});

/// Those that differ more than by a word.
std::string of_target(const std::string& name, PythonTarget target) {
    if (name == "gelu" && target == PythonTarget::numpy)
        return "def gelu(x):\n    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2\n";
    if (name == "gelu") return "def gelu(x):\n    return jax.nn.gelu(x, approximate=False)\n";
    if (name == "softplus" && target == PythonTarget::numpy) return "def softplus(x):\n    return np.logaddexp(0, x)\n";
    if (name == "softplus") return "def softplus(x):\n    return torch.logaddexp(x, torch.zeros_like(x))\n";
    return "";
}

}  // namespace

std::string python_helpers(const std::set<std::string>& names, PythonTarget target) {
    const std::string module = target == PythonTarget::numpy ? "np" : target == PythonTarget::torch ? "torch" : "jnp";
    std::string out;
    for (const std::string& name : names) {
        std::string text = of_target(name, target);
        if (const auto found = std::ranges::find(kHelpers, name, &Helper::name); text.empty() && found != kHelpers.end())
            text = found->text;
        for (const auto& [from, to] : {std::pair<std::string, std::string>{"MODULE", module},
                                       {"WHOLE", target == PythonTarget::torch ? ".long()" : ".astype(int)"}})
            for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
                text.replace(at, from.size(), to);
        out += "\n\n" + text;
    }
    return out;
}

}  // namespace gradproof::proof
