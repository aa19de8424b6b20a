// `gradproof print`: a derivation in another notation.
#include <fmt/core.h>

#include "gradproof/core/proof/derive/numpy_proof.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/proof_input.hpp"

namespace gradproof::cli {
namespace {

struct PrintOptions {
    ProofInput input;
    std::string as = "notation";
};

int run(const PrintOptions& o) {
    const std::vector<proof::Proof> proofs = read_input(o.input).proofs;
    if (o.as == "numpy" && proofs.size() > 1)
        value_error("print: --as numpy writes one derivation, the file has {}", proofs.size());
    std::string out;
    for (const proof::Proof& p : proofs) {
        out += out.empty() ? "" : "\n";
        out += o.as == "numpy"      ? to_numpy(p)
               : o.as == "markdown" ? in_markdown(p)
                                    : written(p, o.as == "latex" ? proof::Notation::latex : proof::Notation::notation);
    }
    fmt::print("{}", out);
    return kOk;
}

void set_up_print(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Prints a derivation in another notation that `gradproof check` reads: LaTeX or NumPy, with what they cannot say in
comments, Markdown with a fenced block, or the notation. What is printed is read as what was printed; lines that are skipped are
left out. NumPy has assignments of values and of gradients: entries become arrays by broadcasting, names those of Python, and
Jacobians and printed numbers are comments; a forward that goes step by step has no words there.)page",
         .exit_status = R"page(0 done
2 bad usage, or a file that cannot be read)page",
         .examples = R"page(gradproof print --proof attention --as latex
gradproof print --proof layer_norm --as numpy
gradproof print paper.tex --as notation)page"});
    auto options = std::make_shared<PrintOptions>();
    add_proof_options(command, options->input);
    command.option("--as", options->as, "notation, latex, markdown or numpy")
        .one_of({"notation", "latex", "markdown", "numpy"})
        .show_default();
    command.runs([=] { return with_places([&] { return run(*options); }); });
}
const NewCommand kPrint("print", "A derivation in another notation: LaTeX, NumPy, Markdown, or that of .proof files",
                        set_up_print);

}  // namespace

}  // namespace gradproof::cli
