// Gathering what a diagnosis is made from, and putting it into the report of an op.
#include "gradproof/core/check/evidence.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/platform/from_chars.hpp"

namespace gradproof::check {
namespace {

constexpr Index kMostJacobian = Index{1} << 18;  // entries, of all inputs together

/// "axis=0", "temperature=2": the attributes by the text that every op prints of them. Lists are left out.
std::vector<std::pair<std::string, std::string>> scalar_attributes(const AnyAttrs& attrs) {
    std::vector<std::pair<std::string, std::string>> out;
    const std::string text = attrs.text();
    for (const std::string& name : attrs.names()) {
        const std::size_t at = text.starts_with(name + "=") ? 0 : text.find(", " + name + "=");
        if (at == std::string::npos) continue;
        const std::size_t begin = text.find('=', at) + 1;
        if (begin < text.size() && text[begin] != '[') out.emplace_back(name, text.substr(begin, text.find(", ", begin) - begin));
    }
    return out;
}

std::vector<NamedNumber> attributes(const AnyAttrs& attrs) {
    std::vector<NamedNumber> out;
    for (const auto& [name, text] : scalar_attributes(attrs)) {
        double value = 0;
        const char* end = text.data() + text.size();
        if (from_chars(text.data(), end, value).ptr == end && value != 0) out.push_back({name, value});
    }
    return out;
}

std::vector<NamedNumber> constants(const Subject& s) {
    std::vector<NamedNumber> out = attributes(s.sample->attrs);
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

/// Jᵀ u of an op with other attributes, at other inputs; empty where it does not run or its value has another shape.
Tensors gradient(const Subject& s, const AnyAttrs& attrs, const Tensors& x) try {
    const DualFunction f = [&](const DualTensors& at) { return evaluate(*s.op, attrs, at); };
    Tensors out;
    for (int i = 0; i < s.inputs(); ++i) {
        const auto n = static_cast<std::size_t>(i);
        out.push_back(s.has(i) ? zeros_like(s.x[n]) : Tensor<double>());
        for (Index k = 0; s.has(i) && k < s.x[n].size(); ++k) {
            const Tensor<double> column = dual_column(f, x, {i, k});
            if (!(column.shape() == s.u.shape())) return {};
            out[n][k] = weigh(s.u, column);
        }
    }
    return out;
} catch (const Stopped&) {
    throw;
} catch (const std::exception&) {
    return {};
}

bool same_ranks(const std::vector<Arg>& a, const std::vector<Arg>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Arg& x, const Arg& y) { return x.present == y.present && x.shape.rank() == y.shape.rank(); });
}

class Alternatives {
  public:
    explicit Alternatives(const Subject& s) : s_(s) {}

    std::vector<Alternative> all() {
        other_attributes();
        other_points();
        return std::move(out_);
    }

  private:
    void add(Mistake mistake, std::string text, std::string repair, Tensors gradients) {
        if (!gradients.empty()) out_.push_back({mistake, std::move(text), std::move(repair), std::move(gradients)});
    }

    /// With the attributes of the page's other samples, where they differ in numbers and words and fit arrays of these ranks:
    /// others
    /// an op may never have been meant for.
    void other_attributes() {
        const auto own = scalar_attributes(s_.sample->attrs);
        std::set<std::string> known{s_.sample->attrs.text()};
        for (const SampleCase& other : s_.op->samples()) {
            if (!same_ranks(other.args, s_.sample->args) || !known.insert(other.attrs.text()).second) continue;
            const auto theirs = scalar_attributes(other.attrs);
            if (theirs.size() != own.size() || own.size() != other.attrs.names().size()) continue;
            std::string is, should;
            for (std::size_t i = 0; i < own.size(); ++i)
                if (own[i] != theirs[i]) {
                    is += fmt::format("{}{}={}", is.empty() ? "" : ", ", theirs[i].first, theirs[i].second);
                    should += fmt::format("{}{}={}", should.empty() ? "" : ", ", own[i].first, own[i].second);
                }
            add(Mistake::ignored_attribute, fmt::format("it is the gradient for {}, not for {}", is, should),
                "use the attribute in the backward", gradient(s_, other.attrs, s_.x));
        }
    }

    void at(const std::string& text, const std::string& repair, const Tensors& x) {
        add(Mistake::wrong_point, "it is the derivative " + text, repair, gradient(s_, s_.sample->attrs, x));
    }

    void other_points() {
        for (int i = 0; i < s_.inputs(); ++i) {
            if (!s_.has(i)) continue;
            const auto n = static_cast<std::size_t>(i);
            const std::string& name = s_.names[n];
            Tensors x = s_.x;
            if (s_.y.shape() == x[n].shape()) {
                x[n] = s_.y;
                at(fmt::format("at {} = y", name), fmt::format("use the saved {}, not y", name), x);
            }
            x[n] = s_.x[n].clone();
            for (double& v : x[n]) v = -v;
            at(fmt::format("at -{}", name), fmt::format("use {} with its sign", name), x);
            if (x[n].size() > 1) {
                x[n] = s_.x[n].clone();
                std::rotate(x[n].begin(),
                            x[n].begin() + std::max<Index>(1, x[n].rank() > 0 ? x[n].shape().last() % x[n].size() : 1),
                            x[n].end());
                at(fmt::format("at {} shifted by a row", name), fmt::format("use {} at its own index", name), x);
            }
            for (int k = i + 1; k < s_.inputs(); ++k) {
                const auto m = static_cast<std::size_t>(k);
                if (!s_.has(k) || !(s_.x[m].shape() == s_.x[n].shape())) continue;
                x = s_.x;
                std::swap(x[n], x[m]);
                at(fmt::format("with {} and {} exchanged", name, s_.names[m]),
                   fmt::format("exchange the saved {} and {}", name, s_.names[m]), x);
            }
        }
    }

    const Subject& s_;
    std::vector<Alternative> out_;
};

/// The inputs whose gradients a finding holds to be wrong.
std::vector<int> wrong_inputs(const Subject& s, const ContractResult& f) {
    std::vector<int> out;
    for (int i = 0; i < s.inputs(); ++i)
        for (const Census& n : f.census)
            if (s.has(i) && n.tensor == s.gradient_name(i) && n.off > 0) out.push_back(i);
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
    e.alternatives = Alternatives(s).all();
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
