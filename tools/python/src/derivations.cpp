// Derivations: checked, derived, explained, compared with arrays. Texts go in, texts and JSON come out.
#include <algorithm>

#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/proof/derive/cpp.hpp"
#include "gradproof/core/proof/derive/python.hpp"
#include "gradproof/core/proof/exercises/feedback.hpp"
#include "gradproof/core/proof/language/latex/inputs.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "tools/python/src/drawn_calls.hpp"
#include "tools/python/src/texts.hpp"

namespace gradproof::python {

proof::Text whole(const std::string& name, const std::string& text, const ReadBeside& beside) {
    if (!beside || !proof::is_latex(name)) return text;
    return proof::latex::with_inputs(name, text, [&](const std::string& other) {
        const nb::gil_scoped_acquire gil;
        return beside(other);
    });
}

namespace {

/// What a text is checked with.
struct Check {
    std::uint64_t seed = 0;
    bool chain = false;
    proof::RunProgram run{};  ///< of a program; Python's
};

/// {"verdict", "text", "json"}. A text that cannot be read gives the verdict "not read".
Strings check(const std::string& name, const std::string& text, const ReadBeside& beside, const Named& bound, const Check& how,
              const Stop& stop) {
    const std::vector<NamedArray> arrays = to_named(bound);
    const nb::gil_scoped_release free;
    proof::CheckOptions options;
    options.draw.seed = how.seed;
    options.chain = how.chain;
    if (how.run)
        options.run = [&](const std::string& asked) {
            const nb::gil_scoped_acquire gil;
            return how.run(asked);
        };
    try {
        const proof::Text all = whole(name, text, beside);
        if (!arrays.empty())
            options.draw.bind = proof::bind_arrays(arrays, proof::read_proofs(name, all, proof::Unreadable::loses_line));
        return strings_of(proof::check_file(name, all, options, stop.control()));
    } catch (const proof::ProofError& e) {
        return {{"verdict", "not read"}, {"text", std::string(e.what()) + "\n"}, {"json", proof::error_json(name, e)}};
    }
}

Strings derive(const std::string& name, const std::string& text, const std::vector<std::string>& wrt, std::uint64_t seed,
               bool steps, const Stop& stop) {
    proof::DeriveOptions options;
    options.wrt = wrt;
    options.draw.seed = seed;
    const proof::Derivation d = proof::derive(one_proof(name, text, proof::Unreadable::loses_line), options, stop.control());
    const proof::DeriveStyle style{.steps = steps};
    return {{"notation", to_text(d, style)},
            {"latex", to_latex(d, style)},
            {"markdown", to_markdown(d, style)},
            {"json", to_json(d)},
            {"verdict", d.missing.empty() ? "right" : "cannot tell"}};
}

std::string program(const std::string& name, const std::string& text, const std::vector<std::string>& wrt,
                    const std::string& target, const Stop& stop) {
    const proof::Proof p = one_proof(name, text, proof::Unreadable::loses_line);
    if (target == "cpp") {
        for (const proof::Given& g : p.given)
            if (g.differentiable && !wrt.empty() && std::ranges::find(wrt, g.name) == wrt.end())
                value_error("cpp: the page of an op has all gradients, and wrt leaves out that of {}", g.name);
        return to_cpp(p);
    }
    proof::DeriveOptions options;
    options.wrt = wrt;
    const auto as = target == "torch" ? proof::PythonTarget::torch
                    : target == "jax" ? proof::PythonTarget::jax
                                      : proof::PythonTarget::numpy;
    return to_python(p, as, options, stop.control());
}

Strings explain(const std::string& name, const std::string& text, const std::string& cell, std::uint64_t seed, const Stop& stop) {
    const proof::InstanceOptions draw{.seed = seed};
    if (!cell.empty()) {
        const proof::Explanation e = proof::explain_cell(proof::read_proofs(name, text), cell, draw, stop.control());
        return {{"text", to_text(e)}, {"json", to_json(e)}};
    }
    const proof::Proof p = one_proof(name, text);
    const proof::Explanation e = proof::explain(p, draw, stop.control());
    return {{"text", to_text(e)}, {"json", to_json(e)}, {"words", proof::explain_in_words(p, draw, stop.control())}};
}

Strings compare(const std::string& name, const std::string& text, const Named& inputs, const Named& theirs,
                std::optional<double> tolerance, const Stop& stop) {
    const std::vector<NamedArray> bound = to_named(inputs), results = to_named(theirs);
    const nb::gil_scoped_release free;
    const proof::Proof p = one_proof(name, text);
    return strings_of(proof::compare(p, proof::bind_arrays(bound, {p}), results, {.tolerance = tolerance}, stop.control()));
}

Strings judge(const std::string& which, const std::string& answer, const Stop& stop) {
    const proof::Response r = proof::respond(proof::find_exercise(which), answer, {}, stop.control());
    Strings out = strings_of(r.report);
    if (r.question) out["question"] = r.question->text;
    out["repair"] = r.repair;
    return out;
}

/// Formulas about the derivations of a text, in LaTeX; "" for one that is none, or whose text cannot be read.
std::vector<std::string> latex_of(const std::string& name, const std::string& text, const std::vector<std::string>& formulas) {
    std::vector<std::string> out(formulas.size());
    try {
        const std::vector<proof::Proof> proofs = proof::read_proofs(name, text, proof::Unreadable::loses_line);
        for (std::size_t i = 0; i < formulas.size(); ++i)
            for (const proof::Proof& p : proofs) try {
                    if (out[i].empty()) out[i] = proof::in_latex(formulas[i], names_of(p));
                } catch (const proof::ProofError&) {  // of another derivation of the text
                }
    } catch (const proof::ProofError&) {
    }
    return out;
}

}  // namespace

void bind_derivations(nb::module_& m) {
    using Free = nb::call_guard<nb::gil_scoped_release>;
    m.def(
        "check",
        [](const std::string& name, const std::string& text, const std::optional<ReadBeside>& beside, const Named& bound,
           std::uint64_t seed, bool chain, const std::optional<proof::RunProgram>& run, const Stop& stop) {
            return check(name, text, beside.value_or(ReadBeside()), bound, {seed, chain, run.value_or(proof::RunProgram())},
                         stop);
        },
        nb::arg("name"), nb::arg("text"), nb::arg("beside").none(), nb::arg("bound"), nb::arg("seed"), nb::arg("chain"),
        nb::arg("run").none(), nb::arg("stop"));
    m.def("derive", derive, Free());
    m.def("program", program, Free());
    m.def("explain", explain, Free());
    m.def("compare", compare, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def("judge", judge, Free());
    m.def("latex_of", latex_of, Free());
    m.def("with_functions", proof::numpy::with_functions, Free());
    m.def("library_names", proof::library_names);
    m.def("library_text", proof::library_text);
    m.def("exercises", [] {
        std::vector<std::tuple<int, std::string, std::string, std::string, std::string>> out;
        for (const proof::Exercise& e : proof::all_exercises()) out.emplace_back(e.number, e.name, e.title, e.forward, e.asked);
        return out;
    });
}

}  // namespace gradproof::python
