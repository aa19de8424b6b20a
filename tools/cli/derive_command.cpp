// `gradproof derive`: the backward of a derivation, line by line, from its forward.
#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/derive/cpp.hpp"
#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/derive/python.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/proof_input.hpp"

namespace gradproof::cli {
namespace {

struct DeriveCommandOptions {
    ProofInput input;
    std::string wrt, hessian, as = "notation";
    bool json = false, jvp = false;
    proof::DeriveStyle report;
    proof::DeriveOptions derive;
};

std::vector<std::string> names_in_list(const std::string& text) {
    std::vector<std::string> out;
    std::string word;
    for (const char c : text + ",") {
        if (c != ',' && c != ' ')
            word += c;
        else if (!word.empty())
            out.push_back(std::exchange(word, ""));
    }
    return out;
}

bool is_program(const DeriveCommandOptions& o) { return o.as == "numpy" || o.as == "torch" || o.as == "jax" || o.as == "cpp"; }

/// Errors: ValueError for options that do not go together.
void expect_sensible(const DeriveCommandOptions& o) {
    const std::array<std::string, 7> known{"notation", "latex", "markdown", "numpy", "torch", "jax", "cpp"};
    if (std::ranges::find(known, o.as) == known.end())
        value_error("--as: got {}, expected one of {}{}", printable(o.as, 40), fmt::join(known, ", "), did_you_mean(o.as, known));
    if (o.as != "notation" && o.json) value_error("--json is a form of its own: it goes with no --as {}", o.as);
    if (is_program(o) && (o.jvp || o.report.steps))
        value_error("--as {} writes a whole program: it goes with no --jvp or --steps", o.as);
    if (o.as == "cpp" && !(o.hessian.empty() && o.wrt.empty()))
        value_error("--as cpp writes the page of an op, which has all gradients: {} goes with --as numpy, torch and jax",
                    o.wrt.empty() ? "--hessian" : "--wrt");
    if ((o.jvp || !o.hessian.empty()) && !o.wrt.empty())
        value_error("--wrt names gradients: it does not go with --jvp or --hessian");
    if (o.jvp && !o.hessian.empty()) value_error("--hessian goes forward over reverse: it does not go with --jvp");
}

std::string program(const DeriveCommandOptions& o, const proof::Proof& p, const proof::DeriveOptions& options) {
    if (o.as == "cpp") return to_cpp(p, options);
    const proof::PythonTarget target = o.as == "torch" ? proof::PythonTarget::torch
                                       : o.as == "jax" ? proof::PythonTarget::jax
                                                       : proof::PythonTarget::numpy;
    if (!o.hessian.empty()) return named_by("--hessian", [&] { return to_python_hessian(p, o.hessian, target, options); });
    return o.wrt.empty() ? to_python(p, target, options) : named_by("--wrt", [&] { return to_python(p, target, options); });
}

proof::Derivation derivation(const DeriveCommandOptions& o, const proof::Proof& p, const proof::DeriveOptions& options) {
    if (o.jvp) return derive_tangents(p, options);
    if (!o.hessian.empty()) return named_by("--hessian", [&] { return derive_hessian(p, o.hessian, options); });
    return named_by("--wrt", [&] { return derive(p, options); });
}

std::string written_as(const DeriveCommandOptions& o, const proof::Derivation& d) {
    if (o.json) return to_json(d);
    if (o.as == "latex") return to_latex(d, o.report);
    if (o.as == "markdown") return to_markdown(d, o.report);
    return to_text(d, o.report);
}

/// Of a text whose forward may be read in two ways: what is derived is that of one of them.
void say_readings(const proof::Proof& p) {
    try {
        const proof::Reread reread = reread_forward(p, {});
        if (!reread.doubt.empty()) fmt::print(stderr, "note: {}\n", reread.doubt);
        for (const proof::OtherForward& other : reread.others)
            fmt::print(stderr, "note: line {} may be read in another way, with {}: {}\n", other.line, other.how, other.clearly);
    } catch (const proof::ProofError&) {  // what does not fit together is said where it is derived
    }
}

int run(const DeriveCommandOptions& o) {
    expect_sensible(o);
    ReadProofs in = read_input(o.input, proof::Unreadable::loses_line);
    // Examples with numbers alone stand among the derivations of a text.
    if (std::ranges::any_of(in.proofs, &proof::Proof::has_forward))
        std::erase_if(in.proofs, [](const proof::Proof& p) { return !p.has_forward(); });
    if (is_program(o) && in.proofs.size() > 1)
        value_error("--as {} writes one derivation, the file has {}", o.as, in.proofs.size());
    proof::DeriveOptions options = o.derive;
    options.wrt = names_in_list(o.wrt);
    options.draw.bind = in.bindings;
    bool complete = true;
    std::string out;
    if (is_program(o)) {
        fmt::print("{}", program(o, in.proofs.at(0), options));
        say_readings(in.proofs.at(0));
        return kOk;
    }
    for (const proof::Proof& p : in.proofs) {
        const proof::Derivation d = derivation(o, p, options);
        complete = complete && d.missing.empty();
        out += (out.empty() || o.json ? "" : "\n") + written_as(o, d);
    }
    fmt::print("{}", out);
    std::ranges::for_each(in.proofs, say_readings);
    return complete ? kOk : kWrong;
}

void set_up_derive(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Derives the gradients of a forward: from the last value to the first, one line each, as a person would write them. What is
claimed in the file is not looked at. Each line is judged like a claim before it is shown, and what comes out is a
derivation again: its sizes, inputs and forward, and the lines as claims, ready for `gradproof check`. --steps says of each
line which rules it follows from, and the gradient on the way after each. --jvp goes forward instead: how each value moves when what
it is computed from moves, dX being the tangent of X. --hessian X goes forward over reverse: the gradients as values G_Y, and how
they move with X alone, so that dG_X is the Hessian of the loss by X times dX. --as latex and --as markdown come out checkable too, the rules of each
line beside it; --as numpy, torch (an autograd.Function) and jax (a custom_vjp) write a program with forward and gradients
that compares them with finite differences when it is run, with --wrt of those gradients alone, with --hessian functions of
the loss, its gradient and the Hessian times a direction; --as cpp the page of an op, forward, backward and samples, to be
built as a plugin.)page",
         .exit_status = R"page(0 every gradient is derived
1 some have no rule yet, or cannot be told to be right: a comment says which and why
2 bad usage, or a file that cannot be read)page",
         .examples = R"page(gradproof derive attention.proof
gradproof derive --proof layer_norm --steps
gradproof derive --proof attention --wrt Q,K --json
gradproof derive paper.tex --as latex
gradproof derive --proof gelu --as torch > gelu.py
gradproof derive --proof cross_entropy --hessian Z --as numpy > hessian.py
gradproof derive --proof layer_norm --as cpp > norm.cpp)page",
         .json =
             R"page(An object a derivation, schema 1:
  schema file line title lines[{name left right rule sentence paths[{through steps[{rule sentence of to gradient}]}]
    proof{opaque error_log2}?}] missing[{name reason}])page"});
    auto options = std::make_shared<DeriveCommandOptions>();
    add_proof_options(command, options->input);
    command.option("--wrt", options->wrt, "Only the gradients of these values and what they are made of, as in Q,K");
    command
        .option("--as", options->as,
                "notation, latex, markdown, numpy, torch, jax (programs that check themselves) or cpp (the page of an op)")
        .show_default();
    command.flag("--jvp", options->jvp, "Forward mode: the tangents of the values");
    command.option("--hessian", options->hessian, "Second order: the Hessian of the loss by this input, times a direction");
    command.flag("--steps", options->report.steps, "The rules of each line, and the gradients on the way");
    command.flag("--prove", options->derive.prove, "Prove the lines by residues too, which takes longer");
    command.option("--seed", options->derive.draw.seed, "Seed of the random sizes, inputs and incoming gradient").show_default();
    command.flag("--json", options->json, "One JSON object a derivation");
    command.runs_with_kernels([=] { return with_places([&] { return run(*options); }); });
}
const NewCommand kDerive("derive", "The gradients of a forward, derived line by line and judged", set_up_derive);

}  // namespace

}  // namespace gradproof::cli
