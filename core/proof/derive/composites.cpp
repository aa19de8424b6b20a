// What an op stands for, by how many arguments it has.
#include "gradproof/core/proof/derive/composites.hpp"

#include <algorithm>
#include <array>

#include "gradproof/core/proof/derive/known.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

struct Composite {
    std::string_view op;
    std::size_t arguments;
    std::string_view formula;  ///< of the arguments a, b, c; ε, 1e-5 by default, is its option eps
};
constexpr auto kComposites = std::to_array<Composite>({
    {"layer_norm", 1, "(a - rowmean(a)) / sqrt(rowvar(a) + ε)"},
    {"layer_norm", 2, "(a - rowmean(a)) / sqrt(rowvar(a) + ε) ⊙ b"},
    {"layer_norm", 3, "(a - rowmean(a)) / sqrt(rowvar(a) + ε) ⊙ b + c"},
    {"rms_norm", 1, "a / sqrt(rowmean(a^2) + ε)"},
    {"rms_norm", 2, "a / sqrt(rowmean(a^2) + ε) ⊙ b"},
    {"linear", 2, "a b"},
    {"linear", 3, "a b + c"},
    {"mse", 2, "mean((a - b)^2)"},
    {"matmul", 2, "a b"},
    {"add", 2, "a + b"},
    {"sub", 2, "a - b"},
    {"mul", 2, "a ⊙ b"},
    {"div", 2, "a / b"},
    {"neg", 1, "-a"},
    {"transpose", 1, "a^T"},
    {"cross_entropy", 2, "-mean(rowsum(b ⊙ log_softmax(a)))"},
});

ExprPtr formula_of(const Composite& c) {
    return unwritten(
        read_proofs("op.proof", fmt::format("dims n\ninput a [n, n], b [n, n], c [n, n], ε []\nforward\n  y = {}\n", c.formula))
            .front()
            .forward[0]
            .value);
}

/// With the place of the call, for messages.
ExprPtr placed(const ExprPtr& e, Span span) {
    Expr copy = *e;
    copy.span = span;
    for (ExprPtr& c : copy.children) c = placed(c, span);
    return make(std::move(copy));
}

ExprPtr written_out(const ExprPtr& e) {
    return rewritten(e, [](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::call) return nullptr;
        const auto found = std::ranges::find_if(
            kComposites, [&](const Composite& c) { return c.op == part.name && c.arguments == part.children.size(); });
        Expr small;
        small.kind = Kind::number;
        small.number = 1e-5;
        small.name = "1e-5";
        ExprPtr eps = make(std::move(small));
        const bool known = std::ranges::all_of(part.options, [&](const Option& o) {
            if (o.name == "eps") eps = o.value;
            return o.name == "eps";
        });
        if (found == kComposites.end() || !known) return nullptr;
        std::vector<ExprPtr> arguments;
        for (const ExprPtr& c : part.children) arguments.push_back(written_out(c));
        return rewritten(placed(formula_of(*found), part.span), [&](const Expr& n) -> ExprPtr {
            if (n.kind != Kind::name) return nullptr;
            return n.name == "ε" ? eps : arguments.at(static_cast<std::size_t>(n.name[0] - 'a'));
        });
    });
}

}  // namespace

Proof written_out(const Proof& proof) {
    Proof out = proof;
    for (Assignment& a : out.forward) a.value = written_out(a.value);
    return out;
}

}  // namespace gradproof::proof
