// What is handed over, beside the true gradients.
#include "gradproof/core/proof/judge/run_handed.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/bind.hpp"
#include "gradproof/core/proof/judge/run_case.hpp"
#include "gradproof/core/proof/language/upstream.hpp"

namespace gradproof::proof {

std::string value_of_gradient(const JudgedLine& line) {
    if (!line.is_judged() || line.type != JudgedLine::Type::claim) return "";
    const Expr& left = line.left->kind == Kind::index ? *line.left->children[0] : *line.left;
    return left.kind == Kind::gradient ? left.name : "";
}

bool is_name_of_gradient(const std::string& name, const std::string& value, const Proof& proof) {
    const std::optional<Meaning> meaning = meaning_of(name, proof);
    return meaning && meaning->gradient && meaning->value == value;
}

RunHanded::RunHanded(const Proof& proof, Instance& draw, const RunResult& result)
    : proof_(proof), draw_(draw), result_(result), narrow_(is_narrow(result, *proof.source)) {}

std::string RunHanded::differs() const {
    const auto is_claimed = [&](const std::string& value) {
        return std::ranges::any_of(proof_.lines, [&](const JudgedLine& line) { return value_of_gradient(line) == value; });
    };
    for (const auto& [name, given] : result_.gradients)
        if (is_claimed(name))
            if (std::string d = difference(given, name, "what is given as the gradient of " + name); !d.empty()) return d;
    for (const RunResult::Handed& h : result_.handed) {
        const std::string value = h.name.empty() ? "" : value_handed(h.name);
        if (value.empty()) continue;
        const std::string what = fmt::format("what {} as {}", h.by, h.name);
        if (!h.value) return what + " is None";
        if (std::string d = difference(*h.value, value, what); !d.empty()) return d;
    }
    return "";
}

RunOutcome RunHanded::outcome(const RunValue& given, const Tensor<double>& truth) const {
    return run_outcome(given.value, truth, narrow_ || given.narrow, draw_.unit());
}

std::string RunHanded::difference(const RunValue& given, const std::string& value, const std::string& what) const {
    const Tensor<double> truth = true_gradient(draw_, value);
    if (given.value.shape() != truth.shape()) return what + ": its shape is another";
    const RunOutcome o = outcome(given, truth);
    return o.kind == RunOutcome::Kind::differs ? fmt::format("{}: {}", what, o.text) : "";
}

bool RunHanded::is_gradient_of(const RunValue& given, const std::string& value) const {
    const Tensor<double> truth = true_gradient(draw_, value);
    return given.value.size() == truth.size() && outcome(given, truth).kind == RunOutcome::Kind::agrees;
}

/// The value whose gradient the last line that ran gives to this name, or else whose gradient is called so; "" of others.
std::string RunHanded::value_handed(const std::string& name) const {
    std::string by_line, by_name;
    for (const JudgedLine& line : proof_.lines) {
        const std::string value = value_of_gradient(line);
        const auto ran = result_.values.find(line.statement.span.begin);
        if (value.empty() || ran == result_.values.end()) continue;
        const bool alone = std::ranges::count_if(proof_.lines, [&](const JudgedLine& other) {
                               return other.statement.span.begin == line.statement.span.begin;
                           }) == 1;  // of dW, db = X.T @ dz, dz.sum(axis=0) it is the first name
        if (alone && ran->second.name == name) by_line = value;
        if (is_name_of_gradient(name, value, proof_)) by_name = value;
    }
    return by_line.empty() ? by_name : by_line;
}

std::vector<PassedOver> RunHanded::no_gradients() const {
    const Source& source = *proof_.source;
    const auto told = [&](Span s, const std::string& why) {
        const TextSpan at = source.span(s);
        return PassedOver{at.line, source.one_line(s), why, at.in};
    };
    std::set<std::string> inputs, values;
    for (const Given& g : proof_.given)
        if (g.differentiable) inputs.insert(g.name);
    for (const Assignment& a : proof_.forward)
        if (!a.inner) values.insert(a.name);
    values.insert(inputs.begin(), inputs.end());
    std::set<std::string> handed;
    std::vector<PassedOver> out;
    for (const auto& [name, given] : result_.gradients) handed.insert(name);
    for (const RunResult::Handed& h : result_.handed) {
        bool any = !h.value;
        for (const std::string& value : h.value ? values : std::set<std::string>{})
            if (is_gradient_of(*h.value, value)) any = true, handed.insert(value);
        if (any || !h.at) continue;
        const Span line{*h.at, std::min(source.text().find('\n', *h.at), source.text().size())};
        out.push_back(
            told(line, fmt::format("what {}{} is the gradient of no value", h.by, h.name.empty() ? "" : " as " + h.name)));
    }
    if (std::ranges::none_of(inputs, [&](const std::string& x) { return handed.contains(x); })) return out;
    for (const JudgedLine& line : proof_.lines)
        if (const std::string x = value_of_gradient(line); inputs.contains(x) && !handed.contains(x))
            out.push_back(told(line.statement.span, "nothing that is returned or kept is the gradient of " + x));
    return out;
}

}  // namespace gradproof::proof
