// Kernels written in Python, as black boxes: the comparison of their values and gradients with what is known.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/proof/judge/reference.hpp"
#include "tools/python/src/attributes.hpp"
#include "tools/python/src/drawn_calls.hpp"
#include "tools/python/src/explain.hpp"
#include "tools/python/src/known.hpp"
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

/// What a kernel is compared with: "page" of the op called `name`, "proof" in `text`, "reference" or "itself".
struct Reference {
    std::string kind, name, text;
    std::shared_ptr<PythonBox> box;
};

/// `wide` is the kernel in double, where it computes in that.
Against against_of(const Reference& r, const std::optional<BlackBox>& wide, const BlackBox& box, double largest,
                   const Stop& stop) {
    if (r.kind == "page") {
        // Only in value and gradient: what the page does at kinks and where it is not finite is its own choice.
        Against page = check::against_page(registry().find(r.name));
        page.name = "the page of " + r.name;
        page.is_page = false;
        return with_rounded_inputs(std::move(page));
    }
    if (r.kind == "reference")
        return with_rounded_inputs(within_range(check::against_box(black_box_of(r.box, stop)), largest, false));
    if (r.kind == "itself") return within_range(check::against_itself(wide.value_or(box)), largest, true);
    const auto proof = std::make_shared<ProofReference>(one_proof(r.name, r.text));
    Against out = proof->against;
    out.of = [proof](const KernelCall& call) { return proof->against.of(call); };
    return within_range(std::move(out), largest, false);
}

/// How a kernel is asked.
struct Question {
    std::vector<bool> wrt;
    bool special = false;
    std::optional<Half> half{};
    std::shared_ptr<PythonBox> surrogate{};  ///< whose gradients those of the kernel are declared to be
    std::shared_ptr<PythonBox> wide{};       ///< the same kernel in double, where it computes in that
};

/// The largest number of the narrowest type that is asked.
double largest_of(const BlackBox& box, const Question& question) {
    if (question.half) return question.half->largest;
    const bool is_float = std::ranges::find(box.types, "float") != box.types.end();
    return is_float ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max();
}

std::string check_kernel(const std::shared_ptr<PythonBox>& python, const std::vector<KernelCall>& calls,
                         const Reference& reference, const Question& question, const Stop& stop) {
    const ThreadScope alone(1);  // so that the kernel is called by one thread at a time
    const ControlScope scope(stop.control(), "check_kernel");
    const BlackBox box = black_box_of(python, stop);
    std::optional<BlackBox> wide;
    if (question.wide) wide = black_box_of(question.wide, stop);
    Against against = only(against_of(reference, wide, box, largest_of(box, question), stop), question.wrt);
    if (question.surrogate) against = with_gradients_of(against, check::against_box(black_box_of(question.surrogate, stop)));
    if (question.half) {
        std::function<Tensors(const KernelCall&)> in_double;
        if (wide) in_double = [&](const KernelCall& call) { return wide->run(call, check::BoxPrecision::f64).gradients; };
        against = at_half(against, *question.half, reference.kind == "page" || reference.kind == "proof", in_double);
    }
    if ((reference.kind == "itself" || reference.kind == "reference") && (wide || !question.half)) {
        const BlackBox own = wide.value_or(box);
        if (std::ranges::find(own.types, "double") != own.types.end())
            against = with_noise(
                against,
                {.forward = own.forward,
                 .gradients = [own](const KernelCall& call) { return own.run(call, check::BoxPrecision::f64).gradients; }},
                question.half);
    }
    check::Report report;
    report.ops.emplace_back();
    check::KernelReport& kernel = report.ops[0].kernels.emplace_back(check::check_kernel(box, calls, against));
    const OpEntry* const op = reference.kind == "page" && !question.surrogate ? &registry().find(reference.name) : nullptr;
    explain(box, calls, against, op, kernel);
    if (op != nullptr && question.special && !question.half) {
        const Against page = only(check::against_page(*op), question.wrt);
        for (const KernelCall& call : calls)
            if (!call.is_added) kernel.findings.push_back(check::check_special_values(box, call, page));
    }
    return check::json(report);
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
    m.def("resized_calls", [](const std::string& name, const nb::dict& attributes, const std::string& sample,
                              const std::vector<Index>& sizes, std::uint64_t seed) {
        const OpEntry& op = registry().find(name);
        const std::vector<SampleCase> samples = samples_with(op, attributes);
        const auto at = std::ranges::find(samples, sample, &SampleCase::name);
        const nb::gil_scoped_release free;
        return at == samples.end() ? std::vector<KernelCall>{} : resized_calls(op, *at, sizes, seed);
    });
    m.def("resized_proof_calls",
          [](const std::string& name, const std::string& text, const std::vector<Index>& sizes, std::uint64_t seed) {
              const nb::gil_scoped_release free;
              return resized_proof_calls(one_proof(name, text), sizes, seed);
          });
    bind_page_calls(m);
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
           bool special, const std::optional<std::tuple<double, double, double>>& half, const nb::object& surrogate,
           const nb::object& wide, const Stop& stop) {
            const auto python = std::make_shared<PythonBox>(box);
            const auto& [kind, name, text] = to;
            const Reference r{kind, name, text, reference.is_none() ? nullptr : std::make_shared<PythonBox>(reference)};
            const nb::gil_scoped_release free;
            Question question{wrt, special};
            if (half) question.half = std::make_from_tuple<Half>(*half);
            if (!surrogate.is_none()) question.surrogate = std::make_shared<PythonBox>(surrogate);
            if (!wide.is_none()) question.wide = std::make_shared<PythonBox>(wide);
            return check_kernel(python, calls, r, question, stop);
        },
        nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
        nb::arg().none(), nb::arg());
}

}  // namespace gradproof::python
