// Gradient descent with the gradient that the claims of a text give: each line is computed from the lines above it, so that a slip
// in one of them is in the steps as well. The losses are those of the forward, which has no slip.
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/judge/claim.hpp"
#include "tools/web/open_proof.hpp"

namespace gradproof::web {
namespace {

constexpr int kMostSteps = 2000;

/// The gradient by `name` that the lines of p claim with these values.
Tensor<double> claimed_gradient(const proof::Proof& p, proof::Scope<double> scope, const std::string& name) {
    std::map<std::string, Tensor<double>> claimed;
    scope.gradient = [&](const proof::Expr& e) {
        const auto found = claimed.find(e.name);
        if (found == claimed.end()) value_error("∂L/∂{} is used before it is claimed", printable(e.name, 40));
        return found->second;
    };
    proof::Evaluator<double> evaluator(scope);
    for (const proof::JudgedLine& line : p.lines)
        if (line.is_judged() && line.left->kind == proof::Kind::gradient)
            claimed[line.left->name] = evaluator.matrix(*line.right).value();
    if (!claimed.contains(name)) value_error("there is no line for ∂L/∂{}", printable(name, 40));
    return claimed.at(name);
}

double number_in(const Json& question, const char* key, double low, double high) {
    const auto found = question.find(key);
    const double x = found != question.end() && found->is_number() ? found->get<double>() : NAN;
    if (!(x >= low && x <= high)) value_error("{}: expected a number from {} to {}", key, low, high);
    return x;
}

}  // namespace

Json descent(const Json& question) {
    OpenProof& open = opened(question);
    const proof::Proof& p = open.proofs.front();
    const proof::Instance& draw = open.draws.front()->instance;
    const std::string name = text_in(question, "moves");
    const auto start = draw.scope().values.find(name);
    if (start == draw.scope().values.end() || p.order_of(name) != 0)
        value_error("{}: there is no such input", printable(name, 40));
    const double rate = number_in(question, "rate", 0, 10);
    const auto steps = static_cast<int>(number_in(question, "steps", 1, kMostSteps));

    Tensor<double> x = start->second.value().clone();
    Json losses = Json::array();
    for (int step = 0; step <= steps; ++step) {
        checkpoint();
        const proof::Scope<double> here = draw.moved(name, x);
        losses.push_back(check::json_number(draw.loss_value(here)));
        if (step == steps) break;
        const Tensor<double> g = claimed_gradient(p, here, name);
        if (!(g.shape() == x.shape())) value_error("∂L/∂{} has the shape {}, {} has {}", name, g.shape(), name, x.shape());
        Tensor<double> next = x.clone();
        for (Index i = 0; i < x.size(); ++i) next.data()[i] -= rate * g[i];
        x = next;
    }
    return {{"losses", losses}};
}

}  // namespace gradproof::web
