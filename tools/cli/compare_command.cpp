// `gradproof compare`: arrays computed elsewhere against the true values and gradients of a derivation.
#include <fmt/core.h>

#include "gradproof/core/io/read_arrays.hpp"
#include "gradproof/core/proof/judge/compare.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/plugins.hpp"
#include "tools/cli/proof_input.hpp"

namespace gradproof::cli {
namespace {

struct CompareOptions {
    ProofInput input;
    std::vector<std::string> expect;
    proof::ResultOptions results;
    bool json = false;
    PluginOptions plugins;
};

int run(const CompareOptions& o) {
    const ReadProofs in = read_input(o.input);
    if (in.proofs.size() != 1) value_error("compare: {} holds {} derivations, expected one", o.input.file, in.proofs.size());
    std::vector<NamedArray> theirs;
    for (const std::string& path : o.expect)
        for (NamedArray& a : read_arrays(path)) theirs.push_back(std::move(a));
    try {
        const proof::CompareReport report = compare(in.proofs.front(), in.bindings, theirs, o.results);
        fmt::print("{}", o.json ? to_json(report) : to_text(report));
        return status_of(report.verdict());
    } catch (const proof::NotBound& e) {
        value_error("{}: --bind {}=FILE.npy", e.what(), e.input);
    }
}

void set_up_compare(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Computes the true forward values and gradients of the derivation for your inputs, and holds the arrays that another
framework computed to them, array by array: how many entries agree, the worst one, and which simple mistake explains the rest.
Names may be written O, dQ, grad_Q, Q.grad or ∂L/∂Q. Without a stated loss, dO is the incoming gradient of the last value O.
Errors are relative to the largest entry, and to that of each line. An array whose entries are off alike is wrong, too, within
the tolerance: the median of claimed / true is further from 1 than rounding makes it, as rounding goes both ways.)page",
         .exit_status =
             R"page(0 all right
1 an array is wrong
2 bad usage or bad files
3 nothing wrong, but something cannot be told)page",
         .examples = R"page(gradproof compare --proof attention --bind in.npz --theirs theirs.npz
gradproof compare a.proof --bind Q=q.npy --bind K=k.npy --theirs O.npy --theirs dQ.npy --theirs dO.npy --tolerance 1e-5)page",
         .json = R"page(One object, schema 1:
  schema file title sizes{DIM} loss tolerance verdict notes
  arrays[{name meaning dtype verdict entries agree error tolerance shape claimed_shape? worst{index claimed true}? census?
    where? diagnosis? doubt? median_ratio?}])page"});
    auto options = std::make_shared<CompareOptions>();
    add_proof_options(command, options->input);
    command
        .option(
            "--expect,--theirs", options->expect,
            "The results to be judged, held to the true values: an .npz or .safetensors file, or .npy files, with names such as "
            "O, dQ, grad_Q; dO is the cotangent to use; may be repeated")
        .required()
        .one_value();
    command.option("--tolerance", options->results.tolerance,
                   "Largest error of an entry, relative to the largest true entry [from the element type of each array]");
    command.flag("--json", options->json, "One JSON object instead of the table");
    add_plugin_options(command, options->plugins);
    command.runs([=] { return with_plugins(options->plugins, [&] { return with_places([&] { return run(*options); }); }); });
}
const NewCommand kCompare(
    "compare",
    "Your arrays, from any framework, against the true values and gradients: exit 0 right, 1 wrong, 2 usage, 3 cannot tell",
    set_up_compare);

}  // namespace

}  // namespace gradproof::cli
