// Gradients of the last value.
#include "gradproof/core/proof/language/latex/last_value.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"

namespace gradproof::proof::latex {
std::string only_input_of(const std::string& f, const Reading& reading) {
    const auto written = reading.arguments.find(f);
    std::vector<std::string> out;
    for (const Given& g : reading.proof.given) {
        const bool said = written == reading.arguments.end() || std::ranges::count(written->second.names, g.name) > 0;
        if (g.differentiable && said) out.push_back(g.name);
    }
    return out.size() == 1 ? out[0] : "";
}

namespace {
/// J of J(w) = ..., which is a number.
bool is_number_of_its_arguments(const std::string& f, const Reading& reading) {
    const auto axes = axis_names(f, reading.proof, &reading.names);
    return reading.arguments.contains(f) && axes && axes->empty();
}
}  // namespace

ExprPtr of_last_value(const Tokens& tokens, const ExprPtr& left, const Reading& reading) {
    const std::vector<Assignment>& forward = reading.proof.forward;
    const bool nabla = tokens[0].is_command("\\nabla") || tokens[0].is_symbol("∇");
    const bool bare = left->kind == Kind::gradient && nabla && !tokens[1].is_symbol("_");
    if (!bare || forward.empty()) return left;
    // Values may be named after the loss: log p_i, where p is ...
    const auto loss = std::ranges::find_if(forward, [](const Assignment& a) { return a.is_loss; });
    const Assignment& last = loss == forward.end() ? forward.back() : *loss;
    if (left->name != last.name && !is_number_of_its_arguments(left->name, reading)) return left;
    const std::string x = only_input_of(left->name, reading);
    if (x.empty())
        fail(reading.source, tokens[0],
             fmt::format("{} has several inputs: say by which the gradient is taken, as \\nabla_X",
                         joined(tokens, 1, tokens.size())));
    Expr out = left->name == last.name && last.is_loss ? node(Kind::gradient, {}, x) : node(Kind::jacobian, {}, left->name);
    if (out.kind == Kind::jacobian) out.other = x;
    out.span = left->span;
    out.spelling = left->spelling;
    return make(std::move(out));
}

}  // namespace gradproof::proof::latex
