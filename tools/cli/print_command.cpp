// `gradproof print`: a derivation in another notation.
#include <fmt/core.h>

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
    if (o.as != "notation" && o.as != "latex")
        value_error("print: --as: got {}, expected one of notation, latex", printable(o.as, 40));
    const proof::Notation n = o.as == "latex" ? proof::Notation::latex : proof::Notation::notation;
    std::string out;
    for (const proof::Proof& p : read_input(o.input).proofs) out += (out.empty() ? "" : "\n") + written(p, n);
    fmt::print("{}", out);
    return kOk;
}

void set_up_print(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Prints a derivation in another notation that `gradproof check` reads: LaTeX, with what LaTeX cannot say in comments, or
the notation. What is printed is read as what was printed; lines that are skipped are left out.)page",
         .exit_status = R"page(0 done
2 bad usage, or a file that cannot be read)page",
         .examples = R"page(gradproof print --proof attention --as latex
gradproof print paper.tex --as notation)page"});
    auto options = std::make_shared<PrintOptions>();
    add_proof_options(command, options->input);
    command.option("--as", options->as, "notation or latex").show_default();
    command.runs([=] { return with_places([&] { return run(*options); }); });
}
const NewCommand kPrint("print", "A derivation in another notation: LaTeX, or that of .proof files", set_up_print);

}  // namespace

}  // namespace gradproof::cli
