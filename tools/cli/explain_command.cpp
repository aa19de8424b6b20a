// `gradproof explain`: the steps of a derivation with their numbers, or one entry taken apart.
#include <optional>

#include <fmt/core.h>

#include "gradproof/core/proof/explain/explain.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/page_file.hpp"
#include "tools/cli/proof_input.hpp"

namespace gradproof::cli {
namespace {

struct ExplainOptions {
    ProofInput input;
    std::optional<std::string> cell, html;
    bool json = false, words = false;
    proof::InstanceOptions draw;
};

/// The page opened at its board with the derivation.
int write_board(const ExplainOptions& o, const ReadProofs& in) {
    if (o.words || o.json || o.cell || !o.input.bind.empty())
        value_error("explain: --html stands alone, without --words, --json, --cell and --bind");
    for (const proof::Proof& p : in.proofs) explain(p, o.draw);  // what the board could not show is told here
    write_page(*o.html, {"board", derivation_text(in.name, in.text)});
    fmt::print("{}: the page, opened at its board with {}\n", printable(*o.html, 400), printable(in.name, 400));
    return kOk;
}

int run(const ExplainOptions& o) {
    const ReadProofs in = read_input(o.input);
    if (o.html) return write_board(o, in);
    proof::InstanceOptions draw = o.draw;
    draw.bind = in.bindings;
    std::string out;
    if (o.words && (o.json || o.cell)) value_error("explain: --words stands alone, without --json and --cell");
    if (o.words) {
        for (const proof::Proof& p : in.proofs) out += (out.empty() ? "" : "\n") + explain_in_words(p, draw);
        fmt::print("{}", out);
        return kOk;
    }
    const auto add = [&](const proof::Explanation& e) {
        out += (out.empty() || o.json ? "" : "\n") + (o.json ? to_json(e) : to_text(e));
    };
    if (o.cell)
        add(named_by("--cell", [&] { return explain_cell(in.proofs, *o.cell, draw); }));
    else
        for (const proof::Proof& p : in.proofs) add(explain(p, draw));
    fmt::print("{}", out);
    return kOk;
}

void set_up_explain(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Prints one draw: the inputs, each forward step, and the true gradient of each value from the last to the first, with the
op it goes through, the line that derive writes for it with the rules, and whether the claim of the file agrees. --cell takes
one entry apart: the products that were summed into it and the share of each, as bars to both sides of 0 where they cancel;
factors that are sums are opened in turn. Beside the sum stand the true value by dual numbers and by finite differences, and
which entries are computed from it. --words tells the whole backward in sentences, with the numbers of the draw.)page",
         .exit_status = R"page(0 done
2 bad usage, a file that cannot be read, or a cell that does not exist)page",
         .examples = R"page(gradproof explain attention.proof
gradproof explain --proof attention --words
gradproof explain --proof attention --cell "dK[2,1]"
gradproof explain attention.proof --html attention.html
gradproof explain notes.md --cell "∂A[0,1]/∂S[0,2]" --json)page",
         .json =
             R"page(An object a derivation, schema 1:
  schema file line title sizes{DIM} loss given[{name shape value}] forward[{name line span formula shape value}]
  backward[{name formula shape value through derived? rule? claim{line span formula agrees}?}]
With --cell:
  schema file line title sizes{DIM} loss cell{cell line formula products[{factors[{name index value divides}] minus product share}]
    sum span? true? difference? opened[{factor products sum}]? used_in?}
A span{line column offset length utf16_offset utf16_length} is where the line stands, as in `gradproof check`.)page"});
    auto options = std::make_shared<ExplainOptions>();
    add_proof_options(command, options->input);
    command.option("--cell", options->cell,
                   "One entry, as in dK[2,1], S[0,1] or ∂A[0,1]/∂S[0,2]: the products that were summed into it");
    command.flag("--words", options->words, "The whole backward in sentences, with its numbers");
    command.option("--html", options->html, "Write the page, opened at its board with this derivation").takes("FILE");
    command.option("--seed", options->draw.seed, "Seed of the random sizes, inputs and incoming gradient").show_default();
    command.flag("--json", options->json, "One JSON object a derivation");
    command.runs_with_kernels([=] { return with_places([&] { return run(*options); }); });
}
const NewCommand kExplain("explain", "Every forward and backward step of a derivation with its numbers, or one entry taken apart",
                          set_up_explain);

}  // namespace

}  // namespace gradproof::cli
