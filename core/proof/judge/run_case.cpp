// What a program is run with.
#include "gradproof/core/proof/judge/run_case.hpp"

#include "gradproof/core/proof/evaluate/bind.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof {
namespace {

/// "dh_next" of (dh_next), which stands for a gradient that comes in from outside.
std::optional<std::string> parameter_of(const std::string& name) {
    if (name.size() < 3 || name.front() != '(' || name.back() != ')' || name.find(' ') != name.npos) return std::nullopt;
    return name.substr(1, name.size() - 2);
}

/// Gradients that parameters are called as: dh of def backward(dh, cache). Of a recurrence, whose rows lead to each other, none
/// comes in.
RunCase::Arrays gradients_of(const Proof& proof, Instance& draw) {
    RunCase::Arrays out;
    const std::string_view text = proof.source->text();
    for (std::size_t at = text.find("def "); at != text.npos; at = text.find("def ", at + 1))
        for (const std::string& word : identifiers_in(text.substr(at, text.find(':', at) - at))) {
            const std::optional<Meaning> meaning = meaning_of(word, proof);
            if (!meaning || !meaning->gradient || out.contains(word)) continue;
            const Assignment* a = proof.find(meaning->value);
            if (a == nullptr || !(a->is_recurrence() && draw.has_cotangent())) out[word] = {true_gradient(draw, meaning->value)};
        }
    return out;
}

}  // namespace

bool is_declared(const Proof& proof, const Given& g) {
    const std::string_view text = proof.source->text();
    return trimmed(line_at(text, begin_of_line(text, g.span.begin))).starts_with('#');
}

Tensor<double> true_gradient(Instance& draw, const std::string& value) { return values_of(draw.derivatives().gradient(value)); }

RunCase run_case(const Proof& proof, Instance& draw) {
    RunCase out;
    out.sizes = draw.sizes();
    if (draw.has_cotangent()) out.cotangent = draw.cotangent();
    for (const Given& g : proof.given) {
        const RunArray array{draw.scope().values.at(g.name).value(), g.fill == Fill::index, g.differentiable};
        const bool declared = is_declared(proof, g);
        if (const std::optional<std::string> parameter = parameter_of(g.name))
            out.incoming[*parameter] = array;
        else
            (declared ? out.inputs : out.fallbacks)[g.name] = array;
        if (!declared) out.lines.insert(g.span.begin);
    }
    out.gradients = gradients_of(proof, draw);
    for (const Assignment& a : proof.forward) {
        out.lines.insert(a.statement.span.begin);
        if (!a.inner) out.fallbacks[a.name] = {draw.scope().values.at(a.name).value()};
    }
    for (const JudgedLine& l : proof.lines) {
        out.lines.insert(l.statement.span.begin);
        out.gradient_lines.insert(l.statement.span.begin);
    }
    return out;
}

}  // namespace gradproof::proof
