// Kernels written in Python, as black boxes: the comparison of their values and gradients with what is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/subject.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/proof/judge/reference.hpp"
#include "tools/python/src/attributes.hpp"
#include "tools/python/src/drawn_calls.hpp"
#include "tools/python/src/explain.hpp"
#include "tools/python/src/python_box.hpp"

namespace gradproof::python {
namespace {

using check::Against;
using check::BlackBox;
using check::KernelCall;

/// A derivation as what is known, with the op that stands for the kernel in it.
struct ProofReference {
    std::string inputs;
    OpEntry op;
    Against against;

    explicit ProofReference(const proof::Proof& p) : inputs(fmt::format("{}", fmt::join(inputs_of(p), " "))) {
        op.info.name = "kernel";
        op.info.inputs = inputs;
        op.default_attrs = named_attributes;
        against = proof::reference_of(p, op);
    }
};

constexpr double kFloat = std::numeric_limits<float>::epsilon(), kDouble = std::numeric_limits<double>::epsilon();

/// Changes what is known of double and of float: change(known, the rounding of the type).
template <class Change>
void at_both_types(check::Known& known, const Change& change) {
    change(known, kDouble);
    if (!known.as_float) return;
    check::Known narrow = *known.as_float;
    change(narrow, kFloat);
    known.as_float = std::make_shared<const check::Known>(std::move(narrow));
}

/// Without what is known of the gradients that nobody asks for.
Against only(Against against, std::vector<bool> wrt) {
    against.of = [of = against.of, wrt = std::move(wrt)](const KernelCall& call) {
        check::Known known = of(call);
        at_both_types(known, [&](check::Known& k, double) {
            for (std::size_t i = 0; i < k.gradients.size(); ++i)
                if (i < wrt.size() && !wrt[i]) k.gradients[i] = {};
        });
        return known;
    };
    return against;
}

void widen(Tensor<double>& error, const Tensor<double>& a, const Tensor<double>& b, double by) {
    if (!a.defined() || !b.defined()) return;
    error = error.defined() ? error.clone() : Tensor<double>(a.shape(), 0.0);
    for (Index k = 0; k < a.size(); ++k) error[k] += by * std::abs(a[k] - b[k]);
}

void widen(check::Known& known, const check::Known& here, const check::Known& moved, double by) {
    widen(known.y_error, here.y, moved.y, by);
    known.gradient_errors.resize(known.gradients.size());
    for (std::size_t i = 0; i < known.gradients.size(); ++i)
        widen(known.gradient_errors[i], here.gradients[i], moved.gradients[i], by);
}

/// A gradient that is 0 throughout is so because terms cancel, and in another order of sums they leave some rounding.
void allow_cancellation(check::Known& known, double most) {
    known.gradient_errors.resize(known.gradients.size());
    for (std::size_t i = 0; i < known.gradients.size(); ++i) {
        const Tensor<double>& g = known.gradients[i];
        if (!g.defined() || std::any_of(g.begin(), g.end(), [](double v) { return v != 0; })) continue;
        known.gradient_errors[i] = Tensor<double>(g.shape(), most);
    }
}

/// The call with each entry of its inputs moved by a rounding of float.
KernelCall moved(KernelCall call, Random& random) {
    for (Tensor<double>& x : call.x) {
        if (!x.defined()) continue;
        x = x.clone();
        for (double& v : x) v *= 1 + (random.uniform() < 0.5 ? -kFloat : kFloat);
    }
    return call;
}

/// With what a rounding of the inputs changes, on calls that were added: far from 0, another order of sums makes as much.
Against with_rounded_inputs(Against against) {
    against.of = [of = against.of](const KernelCall& call) {
        constexpr double kUnits = 1e4;
        check::Known known = of(call);
        double u = 0;
        for (const double v : call.u) u = std::max(u, std::abs(v));
        at_both_types(known, [&](check::Known& k, double rounding) { allow_cancellation(k, kUnits * rounding * u); });
        if (!call.is_added) return known;
        const check::Known here = known;
        Random random(1);
        for (int draw = 0; draw < 3; ++draw) {
            const check::Known there = of(moved(call, random));
            at_both_types(known, [&](check::Known& k, double rounding) { widen(k, here, there, rounding / kFloat); });
        }
        return known;
    };
    return against;
}

/// What a kernel is compared with: "page" of the op called `name`, "proof" in `text`, "reference" or "itself".
struct Reference {
    std::string kind, name, text;
    std::shared_ptr<PythonBox> box;
};

Against against_of(const Reference& r, const BlackBox& box, const Stop& stop) {
    if (r.kind == "page") {
        // Only in value and gradient: what the page does at kinks and where it is not finite is its own choice.
        Against page = check::against_page(registry().find(r.name));
        page.name = "the page of " + r.name;
        page.is_page = false;
        return with_rounded_inputs(std::move(page));
    }
    if (r.kind == "reference") return with_rounded_inputs(check::against_box(black_box_of(r.box, stop)));
    if (r.kind == "itself") return check::against_itself(box);
    const auto proof = std::make_shared<ProofReference>(one_proof(r.name, r.text));
    Against out = proof->against;
    out.of = [proof](const KernelCall& call) { return proof->against.of(call); };
    return out;
}

/// A type of half precision: its rounding, its smallest and its largest number.
struct Half {
    double eps, least, largest;
};

/// What is known of a result in half precision: of its largest entry some units of rounding, and the bounds of rounding errors,
/// which are those of double, made as much larger as this type rounds more.
Tensor<double> error_of_half(const Tensor<double>& y, const Tensor<double>& error, double largest, const Half& half, bool bounds) {
    constexpr double kUnits = 4, kAllowed = 16;  // the checker allows this many times what is returned
    const double eps = std::numeric_limits<double>::epsilon();
    Tensor<double> out(y.shape(), (kUnits * half.eps * largest + kAllowed * half.least) / kAllowed);
    for (Index k = 0; error.defined() && k < y.size(); ++k)
        out[k] += bounds ? half.eps / (kAllowed * eps) * error[k] : error[k];
    return out;
}

/// For a kernel in half precision, which is called as if in double. `bounds`: the errors of what is known are of rounding.
Against at_half(Against against, const Half& half, bool bounds) {
    against.of = [of = against.of, half, bounds](const KernelCall& call) {
        check::Known known = of(call);
        double largest = 0;
        known.gradient_errors.resize(known.gradients.size());
        for (const Tensor<double>& g : known.gradients)
            if (g.defined()) largest = std::max(largest, check::finite_largest(g));
        const double most = std::max(largest, known.y.defined() ? check::finite_largest(known.y) : 0);
        if (most > half.largest) throw check::NotComparable("the true results are larger than the type holds");
        if (known.y.defined()) known.y_error = error_of_half(known.y, known.y_error, check::finite_largest(known.y), half, bounds);
        for (std::size_t i = 0; i < known.gradients.size(); ++i) {
            const Tensor<double>& g = known.gradients[i];
            if (!g.defined()) continue;
            const double scale = std::max(check::finite_largest(g), 0.01 * largest);
            known.gradient_errors[i] = error_of_half(g, known.gradient_errors[i], scale, half, bounds);
        }
        return known;
    };
    against.rounding = {};
    return against;
}

/// How a kernel is asked.
struct Question {
    std::vector<bool> wrt;
    bool special = false;
    std::optional<Half> half{};
};

std::string check_kernel(const std::shared_ptr<PythonBox>& python, const std::vector<KernelCall>& calls,
                         const Reference& reference, const Question& question, const Stop& stop) {
    const ThreadScope alone(1);  // so that the kernel is called by one thread at a time
    const ControlScope scope(stop.control(), "check_kernel");
    const BlackBox box = black_box_of(python, stop);
    Against against = only(against_of(reference, box, stop), question.wrt);
    if (question.half) against = at_half(against, *question.half, reference.kind == "page" || reference.kind == "proof");
    check::Report report;
    report.ops.emplace_back();
    check::KernelReport& kernel = report.ops[0].kernels.emplace_back(check::check_kernel(box, calls, against));
    const OpEntry* const op = reference.kind == "page" ? &registry().find(reference.name) : nullptr;
    explain(box, calls, against, op, kernel);
    if (op != nullptr && question.special && !question.half) {
        const Against page = only(check::against_page(*op), question.wrt);
        for (const KernelCall& call : calls)
            if (!call.is_added) kernel.findings.push_back(check::check_special_values(box, call, page));
    }
    return check::json(report);
}

/// The calls that a page says it refuses: name, attributes, inputs.
nb::list page_refusals(const std::string& name, const nb::dict& attributes, std::uint64_t seed) {
    nb::list out;
    const OpEntry& op = registry().find(name);
    const std::string usual = op.default_attrs().text();
    for (ErrorCase& error : op.error_samples()) {
        if (error.attrs.text() == usual) set_attributes(error.attrs, attributes);
        const Tensors x = check::draw(error.args, check::sample_random(seed, name, error.name));
        out.append(nb::make_tuple(error.name, to_dict(error.attrs), to_list(x)));
    }
    return out;
}

/// How the gradients of an op change when its inputs move along dx and its cotangent along du: exact.
nb::list second(const std::string& name, const KernelCall& call, const std::vector<std::optional<AnyArray>>& dx,
                const AnyArray& du) {
    using D = Dual<double>;
    Tape<D> tape;
    std::vector<Var<D>> x;
    for (std::size_t i = 0; i < call.x.size(); ++i)
        x.push_back(call.x[i].defined() ? tape.leaf(dual(call.x[i], to_tensor(dx.at(i).value()))) : Var<D>());
    std::vector<const Var<D>*> inputs;
    for (const Var<D>& v : x) inputs.push_back(&v);
    const Var<D> y = gradproof::call(registry().find(name).table<D>(), call.attrs.get(), std::span<const Var<D>* const>(inputs));
    tape.backward(y, dual(call.u, to_tensor(du)));
    nb::list out;
    for (const Var<D>& v : x) {
        if (v.on_tape())
            out.append(to_numpy(tangent_of(tape.grad(v))));
        else
            out.append(nb::none());
    }
    return out;
}

}  // namespace

void bind_kernels(nb::module_& m) {
    nb::class_<KernelCall>(m, "Call")
        .def_ro("name", &KernelCall::name)
        .def_ro("added", &KernelCall::is_added)
        .def_ro("excused", &KernelCall::is_excused)
        .def_prop_ro("attrs", [](const KernelCall& c) { return to_dict(c.attrs); })
        .def_prop_ro("x", [](const KernelCall& c) { return to_list(c.x); })
        .def_prop_ro("u", [](const KernelCall& c) { return to_numpy(c.u.clone()); });
    m.def("page_calls", [](const std::string& name, const nb::dict& attributes, const std::vector<std::string>& without,
                           std::size_t inputs, std::uint64_t seed) {
        const OpEntry& op = registry().find(name);
        std::vector<SampleCase> samples = samples_with(op, attributes);
        std::erase_if(samples, [&](const SampleCase& s) {
            return std::ranges::any_of(without, [&](const auto& part) { return s.name.find(part) != std::string::npos; });
        });
        const nb::gil_scoped_release free;
        return page_calls(op, samples, inputs, seed);
    });
    m.def("page_refusals", page_refusals);
    m.def("second", second, nb::arg(), nb::arg(), nb::arg(), nb::arg());
    m.def("op_defaults", [](const std::string& name, const nb::dict& attributes) {
        AnyAttrs attrs = registry().find(name).default_attrs();
        set_attributes(attrs, attributes);
        return to_dict(attrs);
    });
    m.def("trimmed", [](KernelCall call, std::size_t inputs) {
        call.x.resize(inputs);
        return call;
    });
    m.def("with_values", [](KernelCall call, const std::vector<std::optional<AnyArray>>& x, const AnyArray& u) {
        for (std::size_t i = 0; i < call.x.size(); ++i) call.x[i] = x.at(i) ? to_tensor(*x[i]) : Tensor<double>();
        call.u = to_tensor(u);
        return call;
    });
    m.def("op_inputs", [](const std::string& name) { return std::string(registry().find(name).info.inputs); });
    m.def("proof_calls", [](const std::string& name, const std::string& text, std::uint64_t seed) {
        const nb::gil_scoped_release free;
        const proof::Proof p = one_proof(name, text);
        std::vector<bool> wrt;
        for (const std::string& input : inputs_of(p)) wrt.push_back(!p.is_constant(input));
        return std::tuple(inputs_of(p), wrt, proof_calls(p, seed));
    });
    m.def("made_call", made_call);
    m.def(
        "check_kernel",
        [](const nb::object& box, const std::vector<KernelCall>& calls,
           const std::tuple<std::string, std::string, std::string>& to, const nb::object& reference, const std::vector<bool>& wrt,
           bool special, const std::optional<std::tuple<double, double, double>>& half, const Stop& stop) {
            const auto python = std::make_shared<PythonBox>(box);
            const auto& [kind, name, text] = to;
            const Reference r{kind, name, text, reference.is_none() ? nullptr : std::make_shared<PythonBox>(reference)};
            const nb::gil_scoped_release free;
            Question question{wrt, special};
            if (half) question.half = std::make_from_tuple<Half>(*half);
            return check_kernel(python, calls, r, question, stop);
        },
        nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace gradproof::python
