// A derivation as what is known of an op.
#include "gradproof/core/proof/judge/reference.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof {
namespace {

/// For each given value that is no literal, which input of the op it is.
std::vector<std::pair<std::string, std::size_t>> inputs_of(const Proof& proof, const OpEntry& op) {
    std::vector<std::string> ours;
    for (const Given& g : proof.given)
        if (g.fill != Fill::literal) ours.push_back(g.name);
    const std::vector<std::string> theirs = check::input_names(op.info, 0);
    std::vector<std::pair<std::string, std::size_t>> out;
    for (const std::string& name : ours) {
        const auto at = std::find_if(theirs.begin(), theirs.end(), [&](const auto& t) { return lower(t) == lower(name); });
        if (at != theirs.end()) out.emplace_back(name, static_cast<std::size_t>(at - theirs.begin()));
    }
    if (out.size() == ours.size()) return out;
    if (ours.size() > theirs.size())
        value_error("{}: the inputs are {}, those of {} are {}", proof.source->file(), fmt::join(ours, " "), op.info.name,
                    op.info.inputs);
    out.clear();
    for (std::size_t i = 0; i < ours.size(); ++i) out.emplace_back(ours[i], i);
    return out;
}

void expect_not_circular(const Proof& proof, const OpEntry& op) {
    for (const Assignment& a : proof.forward)
        for_each(*a.value, [&](const Expr& part) {
            if (part.kind == Kind::call && part.name == op.info.name)
                value_error("{}: it calls {} itself, and so says nothing of it", proof.source->file(), op.info.name);
        });
}

}  // namespace

check::Against reference_of(const Proof& proof, const OpEntry& op) {
    if (proof.forward.empty()) value_error("{}: the derivation computes nothing", proof.source->file());
    expect_not_circular(proof, op);
    const auto inputs = inputs_of(proof, op);
    const auto known = [=, of = std::make_shared<Proof>(proof),
                        usual = op.default_attrs().text()](const check::KernelCall& call) {
        if (const std::string attrs = call.attrs.text(); attrs != usual)
            throw check::NotComparable(fmt::format("the derivation speaks of {}, and here it is {}", usual, attrs));
        InstanceOptions options;
        options.cotangent = call.u;
        for (const auto& [name, i] : inputs) {
            if (i >= call.x.size() || !call.x[i].defined())
                throw check::NotComparable(fmt::format("the derivation has an input {}, and the call has none", name));
            options.bind[name] = call.x[i];
        }
        for (std::size_t i = 0; i < call.x.size(); ++i)
            if (call.x[i].defined() && std::ranges::none_of(inputs, [&](const auto& in) { return in.second == i; }))
                throw check::NotComparable(fmt::format("the call has an input {}, and the derivation has none", i));
        try {
            const Plan plan(*of, options.bind);
            Instance draw(*of, plan, options, 0);
            Derivatives<Tracked>& d = draw.derivatives();
            const Tensor<Tracked>& y = d.scope().values.find(draw.last())->second.value();
            check::Known out{.y = values_of(y), .y_error = errors_of(y), .gradients = {}, .gradient_errors = {}};
            out.gradients.resize(call.x.size());
            out.gradient_errors.resize(call.x.size());
            for (const auto& [name, i] : inputs) {
                if (of->is_constant(name)) continue;
                const Tensor<Tracked>& g = d.gradient(name);
                out.gradients[i] = values_of(g);
                out.gradient_errors[i] = errors_of(g);
                if (draw.has_cotangent()) continue;  // of a stated loss, which is one number
                for (Tensor<double>* t : {&out.gradients[i], &out.gradient_errors[i]})
                    for (double& v : *t) v *= t == &out.gradients[i] ? call.u[0] : std::abs(call.u[0]);
            }
            return out;
        } catch (const ProofError& e) {
            throw check::NotComparable(e.message());
        }
    };
    return {.name = proof.source->file(), .weak = false, .of = known};
}

}  // namespace gradproof::proof
