// Gathering what a diagnosis is made from, and putting it into the report of an op.
#include "gradproof/core/check/evidence.hpp"

#include <algorithm>
#include <map>

#include "gradproof/core/check/alternatives.hpp"
#include "gradproof/core/check/contract_result.hpp"

namespace gradproof::check {
namespace {

constexpr Index kMostJacobian = Index{1} << 18;  // entries, of all inputs together

/// The tensors that the op saves beside its inputs and its value.
class OwnSaved final : public TapeObserver<double>, SavedVisitor<double> {
  public:
    explicit OwnSaved(const Subject& s) : s_(s) {}
    std::vector<std::pair<std::string, Tensor<double>>> found;
    void recorded(Tape<double>& tape, int node) override { tape.each_saved(node, *this); }

  private:
    void tensor(std::string_view name, const Tensor<double>& value) override {
        if (!value.defined() || value.size() == 0 || same_bits(value, s_.y)) return;
        for (const auto& x : s_.x)
            if (x.defined() && same_bits(value, x)) return;
        found.emplace_back(name, value.clone());
    }
    void other(std::string_view, std::size_t) override {}
    const Subject& s_;
};

std::vector<NamedNumber> constants(const Subject& s) {
    std::vector<NamedNumber> out = numbers(s.sample->attrs);
    const auto add_sizes = [&](const std::string& of, const Tensor<double>& x) {
        for (int a = -1; a >= -x.rank(); --a)
            out.push_back({fmt::format("{}.shape[{}]", of, a), static_cast<double>(x.dim(x.rank() + a))});
        out.push_back({of + ".size", static_cast<double>(x.size())});
    };
    for (int i = 0; i < s.inputs(); ++i)
        if (s.has(i)) add_sizes(s.names[static_cast<std::size_t>(i)], s.x[static_cast<std::size_t>(i)]);
    add_sizes("y", s.y);
    for (int i = 0; i < s.inputs(); ++i)
        if (s.has(i) && s.x[static_cast<std::size_t>(i)].size() > 0) {
            const double n = static_cast<double>(s.x[static_cast<std::size_t>(i)].size()), m = static_cast<double>(s.y.size());
            out.push_back({fmt::format("(y.size/{}.size)", s.names[static_cast<std::size_t>(i)]), m / n});
        }
    return out;
}

/// The inputs whose gradients a finding holds to be wrong.
std::vector<int> wrong_inputs(const Subject& s, const ContractResult& f) {
    std::vector<int> out;
    for (int i = 0; i < s.inputs(); ++i)
        for (const Census& n : f.census)
            if (s.has(i) && n.tensor == s.gradient_name(i) && n.off > 0) out.push_back(i);
    return out;
}

/// Which entries the report calls off, as Evidence has it.
Tensors off_of(const Case& c) {
    Tensors out;
    for (const auto& t : c.dual.value) {
        out.push_back(t.defined() ? t.clone() : t);
        for (Index k = 0; t.defined() && k < t.size(); ++k)
            if (!std::isnan(t[k])) out.back()[k] = 0;
    }
    ContractResult unused;
    for (const Entry e : judge(c.subject, c.claimed, c.dual, unused)) out[static_cast<std::size_t>(e.input)][e.index] = 1;
    return out;
}

}  // namespace

Evidence evidence_of(const Case& c) {
    const Subject& s = c.subject;
    Evidence e;
    e.names = s.names;
    e.x = s.x;
    e.y = s.y;
    e.u = s.u;
    e.claimed = c.claimed;
    e.truth = c.dual.value;
    e.constants = constants(s);
    double scale = 0;
    for (const auto& t : c.dual.scale)
        if (t.defined()) scale = std::max(scale, finite_largest(t));
    e.noise = c.dual.bound * scale;
    if (s.entries() * s.y.size() > kMostJacobian) return e;
    const DualFunction f = dual_forward_of(s);
    for (int i = 0; i < s.inputs(); ++i) {
        const auto n = static_cast<std::size_t>(i);
        e.jacobian.push_back(s.has(i) ? jacobian(f, s.x, i) : Tensor<double>());
        if (!s.has(i)) continue;
        // A large call was asked about a part of its entries only.
        e.truth[n] = e.truth[n].clone();
        const Index size = s.x[n].size();
        for (Index k = 0; k < size; ++k)
            if (std::isnan(e.truth[n][k])) {
                double sum = 0;
                for (Index o = 0; o < s.u.size(); ++o) sum += s.u[o] * e.jacobian[n][o * size + k];
                e.truth[n][k] = sum;
            }
    }
    OwnSaved saved(s);
    differentiate<double>(s, s.x, s.u, {.observer = &saved});
    e.saved = std::move(saved.found);
    e.alternatives = alternatives(s);
    return e;
}

void diagnose(const std::vector<Case>& cases, OpReport& report) {
    struct Wrong {
        ContractResult* finding;
        const Case* call;
        Evidence evidence;
    };
    std::vector<Wrong> wrong;
    for (ContractResult& f : report.findings) {
        if (f.contract != Contract::adjoint || f.verdict != Verdict::wrong) continue;
        for (const Case& c : cases)
            if (c.sample() == f.sample) try {
                    wrong.push_back({&f, &c, evidence_of(c)});
                    wrong.back().evidence.off = off_of(c);
                } catch (const Stopped&) {
                    throw;
                } catch (const std::exception&) {
                    continue;  // what an op throws here it was not asked for: the finding stands without a reason
                }
    }
    struct Calls {
        int input = 0;
        std::vector<const Evidence*> evidence;
        std::vector<ContractResult*> findings;
    };
    std::map<std::string, Calls> of;  // each gradient
    for (const Wrong& w : wrong)
        for (const int i : wrong_inputs(w.call->subject, *w.finding)) {
            Calls& calls = of[w.call->subject.gradient_name(i)];
            calls.input = i;
            calls.evidence.push_back(&w.evidence);
            calls.findings.push_back(w.finding);
        }
    for (const auto& [name, calls] : of) {
        std::vector<std::optional<Diagnosis>> why = explain_calls(calls.evidence, calls.input);
        for (std::size_t i = 0; i < why.size(); ++i) {
            if (!why[i]) continue;
            why[i]->tensor = name;
            calls.findings[i]->diagnoses.push_back(*std::move(why[i]));
        }
    }
}

}  // namespace gradproof::check
