// `gradproof check`: holds derivations to the truth, and ops to their contracts.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <unistd.h>

#include "gradproof/core/check/black_box.hpp"
#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/judge/annotations.hpp"
#include "gradproof/core/proof/judge/reference.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/proof/judge/report_tables.hpp"
#include "gradproof/core/proof/language/understood.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/page_file.hpp"
#include "tools/cli/plugins.hpp"
#include "tools/cli/proof_input.hpp"
#include "tools/cli/run_program.hpp"

namespace gradproof::cli {
namespace {

struct CheckOptions {
    bool all = false, all_proofs = false, json = false, verbose = false, chain = false, only_wrong = false;
    bool explain_reading = false, strict = false, run = false;
    std::vector<std::string> files, proofs, ops, bind, functions;
    std::string kernel = "auto", format = "text", html, python;
    check::Options options;
    PluginOptions plugins;
};

/// Somebody reads along.
bool on_terminal() { return isatty(STDOUT_FILENO) != 0; }
bool wants_colour() {
    const char* no_colour = std::getenv("NO_COLOR");
    return on_terminal() && (no_colour == nullptr || *no_colour == '\0');
}

/// A proof by the name that reports show it under, and its text.
struct Derivation {
    std::string name;
    std::function<proof::Text()> read;
};
std::vector<Derivation> proofs_of(const CheckOptions& o) {
    std::vector<Derivation> out;
    for (const std::string& file : o.files)
        out.push_back({file, [=, names = o.functions] { return read_derivation(file, names); }});
    for (const std::string& name : o.all_proofs ? proof::library_names() : o.proofs)
        out.push_back({name + ".proof", [text = proof::library_text(name)] { return text; }});
    return out;
}

/// One that cannot be read outranks a wrong one, which outranks one that cannot be told.
int rank(int status) { return status == kOk ? 0 : status == kCannotTell ? 1 : status == kWrong ? 2 : 3; }

/// Every file is checked; a file that cannot be read outranks a wrong one, which outranks one that cannot be told.
int check_proofs(const CheckOptions& o) {
    const std::vector<Derivation> derivations = proofs_of(o);
    if (!o.html.empty() && (derivations.size() != 1 || !o.bind.empty() || o.chain))
        value_error("check: --html takes one derivation, without --bind and --chain");
    int status = kOk;
    std::vector<proof::Checked> checked;
    proof::FileReport all;
    constexpr auto kLosesLine = proof::Unreadable::loses_line;
    const bool in_one = o.format != "text" && o.format != "json";
    for (const auto& [file, read] : derivations) {
        int now = kUsage;
        try {
            proof::CheckOptions options;
            options.draw.seed = o.options.seed;
            options.chain = o.chain;
            const proof::Text text = read();
            if (o.run) options.run = run_in_python(file, o.python, o.plugins.time_limit);
            if (!o.bind.empty()) options.draw.bind = read_bindings(o.bind, proof::read_proofs(file, text, kLosesLine));
            if (o.explain_reading) fmt::print("{}", proof::understood(proof::read_proofs(file, text, kLosesLine)));
            const proof::FileReport report = proof::check_file(file, text, options);
            const auto any = [&](const auto& f) { return std::ranges::any_of(report.proofs, f); };
            if (o.run && !any(&proof::ProofReport::of_program))
                value_error("{}: --run goes with programs, and it holds none", printable(file));
            if (in_one)
                checked.push_back({report, {}});
            else
                fmt::print("{}", o.json ? proof::to_json(report)
                                        : proof::to_text(report, {.colour = wants_colour(), .only_wrong = o.only_wrong}));
            all.proofs.insert(all.proofs.end(), report.proofs.begin(), report.proofs.end());
            if (!o.html.empty()) write_page(o.html, {"desk", derivation_text(file, text)});  // what cannot be read there is told
            now = status_of(report.verdict());
            const bool open = o.strict && any([](const auto& p) { return !p.passed_over.empty(); });
            const bool not_compared = any([](const auto& p) { return !p.not_compared().empty(); });
            if ((open || not_compared) && now == kOk) now = kCannotTell;
        } catch (const proof::ProofError& e) {
            if (in_one)
                checked.push_back({{file, {}}, e});
            else if (o.json)
                fmt::print("{}", proof::error_json(file, e));
            else
                fmt::print(stderr, "gradproof: {}\n", e.what());
        } catch (const IoError& e) {
            fmt::print(stderr, "gradproof: {}\n", printable(e.what(), 1000));
        }
        if (rank(now) > rank(status)) status = now;
    }
    if (on_terminal() && !in_one && !o.json) {
        fmt::print("{}", proof::legend(all));
        if (std::ranges::any_of(all.proofs, &proof::ProofReport::is_read_alone))
            fmt::print("--run runs programs, too, and compares what their lines compute\n");
    }
    if (o.format == "github") fmt::print("{}", proof::to_github(checked));
    if (o.format == "sarif") fmt::print("{}", proof::to_sarif(checked));
    if (o.format == "junit") fmt::print("{}", proof::to_junit(checked));
    if (o.format == "markdown") fmt::print("{}", proof::to_markdown_tables(checked));
    if (o.format == "latex") fmt::print("{}", proof::to_latex_tables(checked));
    return status;
}

/// The ops chosen: all of them, those named, or else those of the plugins.
std::vector<const OpEntry*> chosen(const CheckOptions& o, const std::vector<const OpEntry*>& from_plugins) {
    if (!o.all && o.ops.empty()) return from_plugins;
    std::vector<const OpEntry*> ops;
    if (o.all)
        for (const auto& e : registry().all()) ops.push_back(e.get());
    for (const std::string& name : o.ops) ops.push_back(&registry().find(name));
    return ops;
}

/// What plugins have to do with, plugin by plugin: their ops, and those that they attach kernels to.
std::vector<const OpEntry*> ops_of(const std::vector<Plugin>& plugins) {
    std::vector<const OpEntry*> out;
    for (const Plugin& plugin : plugins) {
        std::vector<const OpEntry*> ops = plugin.ops;
        for (const KernelInfo& kernel : plugin.kernels) ops.push_back(&registry().find(kernel.op));
        std::sort(ops.begin(), ops.end(), [](const OpEntry* a, const OpEntry* b) { return a->info.name < b->info.name; });
        for (const OpEntry* op : ops)
            if (std::count(out.begin(), out.end(), op) == 0) out.push_back(op);
    }
    return out;
}

/// The derivation of an op: that of --proof, or NAME.proof beside the library that the op comes from. Nothing where there is
/// none.
std::optional<Derivation> derivation_of(const OpEntry& op, const CheckOptions& o, const std::vector<Plugin>& plugins) {
    namespace fs = std::filesystem;
    if (!o.proofs.empty()) {
        const std::string& name = o.proofs.front();
        if (fs::path(name).has_extension()) return Derivation{name, [=] { return read_derivation(name); }};
        return Derivation{name + ".proof", [=] { return proof::library_text(name); }};
    }
    for (const Plugin& plugin : plugins) {
        if (std::count(plugin.ops.begin(), plugin.ops.end(), &op) == 0) continue;
        const std::string file = fs::path(plugin.path).replace_filename(std::string(op.info.name) + ".proof").string();
        if (fs::exists(file)) return Derivation{file, [=] { return read_derivation(file); }};
    }
    return std::nullopt;
}

check::Against against(const Derivation& derivation, const OpEntry& op) {
    const std::vector<proof::Proof> proofs = proof::read_proofs(derivation.name, derivation.read());
    if (proofs.size() != 1) value_error("{}: it holds {} derivations, expected one", printable(derivation.name), proofs.size());
    return proof::reference_of(proofs.front(), op);
}

/// What is claimed in a derivation that an op is compared with, where not all of it is right.
std::optional<proof::FileReport> not_right_in(const Derivation& derivation, const CheckOptions& o) {
    proof::CheckOptions options;
    options.draw.seed = o.options.seed;
    const proof::FileReport report = proof::check_file(derivation.name, derivation.read(), options);
    const bool claims = std::ranges::any_of(report.proofs, [](const proof::ProofReport& p) { return !p.lines.empty(); });
    return claims && report.verdict() != check::Verdict::right ? std::optional(report) : std::nullopt;
}

/// The ops of plugins one after the other, then the program's own ones; `not_right` takes the derivations that they are compared
/// with, where something in these is wrong.
check::Report check_ops(const CheckOptions& o, std::vector<proof::FileReport>& not_right) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Plugin> plugins = load_plugins(o.plugins);
    const std::vector<const OpEntry*> from_plugins = ops_of(plugins);
    std::vector<const OpEntry*> own;
    check::Report report;
    for (const OpEntry* op : chosen(o, from_plugins)) {
        check::Options options = o.options;
        if (const std::optional<Derivation> derivation = derivation_of(*op, o, plugins)) {
            options.against = std::make_shared<check::Against>(against(*derivation, *op));
            if (std::optional<proof::FileReport> claims = not_right_in(*derivation, o)) not_right.push_back(std::move(*claims));
        }
        const auto judge = [&, op] { return check::check_op(*op, options); };
        if (std::count(from_plugins.begin(), from_plugins.end(), op) > 0)
            report.ops.push_back(judge_plugin_op(*op, judge));
        else if (options.against)
            report.ops.push_back(judge());
        else
            own.push_back(op);
    }
    check::Report rest = check::check_ops(own, o.options);
    report.seed = rest.seed;
    for (check::OpReport& op : rest.ops) report.ops.push_back(std::move(op));
    if (o.all) std::sort(report.ops.begin(), report.ops.end(), [](const auto& a, const auto& b) { return a.op < b.op; });
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
}

int run_check(CheckOptions o) {
    if (o.json && o.format != "text" && o.format != "json") value_error("check: give either --json or --format {}", o.format);
    o.json = o.json || o.format == "json";
    if (!o.python.empty() && !o.run) value_error("check: --python goes with --run");
    if (o.python.empty()) o.python = "python3";
    if (o.run) expect_time(o.plugins.time_limit);
    const bool op_beside_proof = !o.ops.empty() && !o.proofs.empty() && o.files.empty() && !o.all_proofs;
    if (op_beside_proof && (o.ops.size() > 1 || o.proofs.size() > 1 || o.all))
        value_error("check: --op and --proof go together for one op and its derivation");
    if (!op_beside_proof && (!o.files.empty() || !o.proofs.empty() || o.all_proofs)) {
        if (o.all || !o.ops.empty())
            value_error("check: give derivations (FILE, --proof NAME, --all-proofs), or ops (--op NAME, --all-ops)");
        if (o.verbose) value_error("check: --verbose goes with ops, not with derivations");
        if (o.explain_reading && (o.json || o.format != "text"))
            value_error("check: --explain-reading goes with the table, not with --json or --format");
        return with_plugins(o.plugins, [&] {
            const KernelScope scope(o.kernel);
            return check_proofs(o);
        });
    }
    if (!o.all && o.ops.empty() && o.plugins.paths.empty())
        value_error("check: give FILE, --proof NAME, --all-proofs, --op NAME, --all-ops or --plugin LIB");
    for (const auto& [given, name] : {std::pair<bool, std::string>(!o.bind.empty(), "--bind"),
                                      {!o.functions.empty(), "--function"},
                                      {o.chain, "--chain"},
                                      {!o.html.empty(), "--html"},
                                      {o.run, "--run"},
                                      {o.only_wrong, "--only-wrong"},
                                      {o.explain_reading, "--explain-reading"},
                                      {o.strict, "--strict"},
                                      {o.format != "text" && o.format != "json", "--format " + o.format},
                                      {o.kernel != "auto", "--kernel"}})
        if (given) value_error("check: {} goes with derivations, not with ops", name);
    if (o.all && !o.ops.empty()) value_error("check: give either --all-ops or --op NAME");
    std::vector<proof::FileReport> not_right;
    const check::Report report = check_ops(o, not_right);
    fmt::print("{}", o.json ? check::json(report) : check::table(report, {.colour = wants_colour(), .verbose = o.verbose}));
    int status = status_of(report.verdict());
    for (const proof::FileReport& derivation : not_right) {
        fmt::print("{}", o.json ? proof::to_json(derivation) : proof::to_text(derivation, {.colour = wants_colour()}));
        if (rank(status_of(derivation.verdict())) > rank(status)) status = status_of(derivation.verdict());
    }
    return status;
}

void set_up_check(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Each claim of a derivation gets a verdict: right, wrong or cannot tell. Claims are evaluated on random inputs in
several draws whose sizes all differ, and compared with exact derivatives (dual numbers) and with finite differences.
For a wrong line the report names the mistake and gives the correct right-hand side, if one simple mistake explains every
entry, and otherwise the right line, derived from the forward. A line that cannot be read is reported as not read, and the others
are judged.
"entries compared" counts the numbers that were compared with the true ones. The mutation score says how sharp the check is: slips
are planted in the right lines, a sign, a transposed factor, a constant, and those that were seen are counted. A right line ends
in "proved, error < 2^-116", the chance that another formula would have passed for this one, or, if it is not proved, in a number
such as 1e-16: the largest difference from the truth, relative to the largest true entry.
Ops are checked against the contracts listed below, and kernels against the page (the definition) of their op.
With --proof, or a NAME.proof beside its library, an op is also compared with a derivation: its forward, then its gradients.
What the derivation claims is judged too, and its report follows where not all of that is right.
A plugin's op for double only, GRADPROOF_OP(Op, double), has no page: it is compared with a derivation, or with differences
of its own forward; that is weaker evidence, and the report says so.
--bind uses your arrays instead of random ones; --chain judges each line by the gradients claimed above it.
A program is read, and not run. With --run it is run, too, in Python, in twelve draws: its functions are called with the inputs
drawn, and what each line computes is compared with what it was read as. Where one differs, right lines get "cannot tell". It is
no sandbox: what is run can do what any program can.)page",
         .exit_status = R"page(0 all right, if what the summary says is passed over changes nothing
1 something is wrong, or a line is not read
2 bad usage, or a file that cannot be read
3 nothing wrong, but something cannot be told, or with --run was not compared with the run)page",
         .examples = R"page(gradproof check attention.proof notes.md paper.tex
gradproof check attention.proof --html attention.html
gradproof check --proof attention --json
gradproof check kernel.py --function backward
gradproof check kernel.py --run
gradproof check a.proof --bind Q=q.npy --bind rest.npz
gradproof check notes.md --format github
gradproof check --op softmax --verbose
gradproof check --op softmax --proof softmax_rows
gradproof check --op swish --plugin libswish.so --proof swish.proof)page",
         .contracts = check::contracts_text(),
         .json = R"page(Derivations, an object each, schema 1:
  schema file title draws domain passed_over[{line text why}] updates[{line text}] branches entries_compared mutation{caught planted unseen[{line bug}]}
  right wrong cannot_tell not_read skipped first_wrong_line
  lines[{line span{line column offset length utf16_offset utf16_length in?} kind text verdict error entries read_as?
    proof{opaque error_log2}? reason? at{as span}? worst{index claimed true}? diagnosis{kind factor? repair? text}? derived?}]
  run{python values gradients not_compared[{line text why in?}] differs?}?
  or schema file error{line column text span} where a file cannot be read
  A span is where the line stands: offsets in bytes and in units of UTF-16, from 0, in the file that "in" names where a LaTeX
  file takes in another, or in that cell of a notebook.
Ops, one object, schema 2:
  schema verdict seconds seed ops[{op page verdict samples entries gradient_norm adjoint_error difference_error ms
    mutants{planted caught survivors} contracts[{number name mark samples[{sample verdict excused added? reason? error bound
      entries worst{tensor index claimed true error ratio}? census[{tensor compared off skipped lowest_ratio highest_ratio}]
      diagnoses[{tensor kind text repair?}]?}]}]
    kernels[{kernel file types directions verdict samples against? contracts[{name mark samples[{as above}]}]}]?}])page"});
    auto options = std::make_shared<CheckOptions>();
    command
        .option(
            "file", options->files,
            "Derivations: .proof files, LaTeX (.tex, with what it takes in by \\input from its folder), NumPy (.py), notebooks "
            "(.ipynb), or Markdown with blocks fenced as ```proof, ```latex proof or ```python proof")
        .takes("FILE");
    command
        .option("--proof", options->proofs,
                "A proof of the library (gradproof proofs lists them); may be repeated. With --op also a file")
        .one_value()
        .takes("NAME");
    command.flag("--all-proofs", options->all_proofs, "Every proof of the library");
    command
        .option("--bind", options->bind,
                "X=x.npy, or an .npz or .safetensors file of arrays by name, in the place of what a derivation draws; may be "
                "repeated")
        .one_value()
        .takes("X=FILE");
    command
        .option("--function", options->functions,
                "Of a program (.py), look at this function alone, and at what stands outside of all; may be repeated")
        .one_value()
        .takes("NAME");
    command.flag("--chain", options->chain,
                 "Derivations: take a gradient on the right of a claim as it was claimed above, not as it truly is");
    command.flag("--only-wrong", options->only_wrong, "Derivations: print only lines that are wrong or cannot be decided");
    command.flag("--explain-reading", options->explain_reading,
                 "Derivations: print first how each line was understood, in the notation");
    command.flag(
        "--run", options->run,
        "Of a program (.py, or in a notebook or Markdown), run it too, and compare what its lines compute with what was read");
    command.option("--python", options->python, "With --run: the interpreter; python3 if it is not given").takes("PROGRAM");
    command.flag("--strict", options->strict,
                 "Derivations: exit with 3 where a text says more than is read, so that its lines are right under a condition");
    command.flag("--all-ops", options->all, "Every registered op");
    command.option("--op", options->ops, "One op; may be repeated").one_value().takes("NAME");
    command.option("--seed", options->options.seed, "Seed of the random inputs, incoming gradients and directions")
        .show_default();
    command.option("--html", options->html, "Derivations: write the page too, opened at its proof desk with this one")
        .takes("FILE");
    command.flag("--json", options->json, "One JSON object instead of the table");
    command
        .option("--format", options->format,
                "Derivations, for continuous integration: github (annotations), sarif (2.1.0) or junit (XML); as tables of a "
                "document: markdown or latex; or text, json")
        .one_of({"text", "json", "github", "sarif", "junit", "markdown", "latex"});
    command.flag("--verbose", options->verbose,
                 "Ops: every contract on every sample, not only what is broken or cannot be decided");
    add_plugin_options(command, options->plugins);
    command.kernel_option(options->kernel);
    command.runs([=] { return run_check(*options); });
}
const NewCommand kCheck("check", "Check derivations, ops and kernels: exit 0 right, 1 wrong, 2 usage, 3 cannot tell",
                        set_up_check);

}  // namespace

}  // namespace gradproof::cli
