// `gradproof experiment NAME|all|list`: the documents' claims measured, as tables, files and figures.
#include <chrono>
#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/out_folder.hpp"
#include "tools/experiments/report.hpp"

namespace gradproof::cli {
namespace {

using experiments::Experiment;
using experiments::Finding;
using experiments::Result;
using Json = nlohmann::ordered_json;

struct Options {
    std::string name, out;
    experiments::Context context;
    bool quick = false, json = false;
};

int list(const Options& options) {
    std::vector<std::vector<std::string>> rows;
    for (const Experiment& e : experiments::all_experiments()) {
        if (options.json)
            fmt::print(
                "{}",
                check::json_line(
                    {{"schema", 1}, {"number", e.number}, {"experiment", e.name}, {"title", e.title}, {"setting", e.setting}}));
        rows.push_back({std::to_string(e.number), std::string(e.name), std::string(e.title)});
    }
    if (!options.json) fmt::print("{}", experiments::table_text({"", "name", ""}, rows));
    return kOk;
}

Json json(const experiments::Value& v) {
    if (const auto* d = std::get_if<double>(&v)) return *d;  // NaN and infinities become null
    if (const auto* i = std::get_if<Index>(&v)) return *i;
    return std::get<std::string>(v);
}
Json bound(double x) { return std::isinf(x) ? Json() : Json(x); }

Json json(const Experiment& e, const Options& o, const Result& r, double seconds) {
    Json findings = Json::array(), tables = Json::array();
    for (const Finding& f : r.findings)
        findings.push_back({{"claim", f.claim},
                            {"quantity", f.quantity},
                            {"measured", f.measured.value},
                            {"error", bound(f.measured.error)},
                            {"low", bound(f.low)},
                            {"high", bound(f.high)},
                            {"held", f.held()},
                            {"verdict", experiments::text(f.outcome())}});
    for (const experiments::Table& t : r.tables) {
        Json rows = Json::array();
        for (const auto& row : t.rows) {
            rows.push_back(Json::array());
            for (const experiments::Value& v : row) rows.back().push_back(json(v));
        }
        tables.push_back({{"name", t.name}, {"title", t.title}, {"columns", t.columns}, {"rows", rows}});
    }
    return {{"schema", 1},          {"number", e.number},     {"experiment", e.name}, {"title", e.title},
            {"setting", e.setting}, {"seed", o.context.seed}, {"quick", o.quick},     {"seconds", seconds},
            {"out", o.out},         {"findings", findings},   {"tables", tables}};
}

Result run_one(const Experiment& e, const Options& o) {
    const auto start = std::chrono::steady_clock::now();
    Result r = e.run(o.context);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (o.json)
        fmt::print("{}", check::json_line(json(e, o, r, seconds)));
    else
        fmt::print("{}  {:.1f} s\n\n", experiments::terminal_text(e, r), seconds);
    std::fflush(stdout);
    return r;
}

int run(const Options& o) {
    if (o.name == "list") return list(o);
    const bool all = o.name == "all";
    const Experiment* one = all ? nullptr : &experiments::find_experiment(o.name);
    if (o.out.empty()) value_error("experiment: --out is missing: the folder to write into");
    OutFolder folder("experiment", o.out);
    // Nothing is written before everything is measured: a run that is stopped leaves nothing.
    std::vector<std::pair<const Experiment*, Result>> results;
    for (const Experiment& e : experiments::all_experiments())
        if (all || &e == one) results.emplace_back(&e, run_one(e, o));
    std::vector<std::pair<std::filesystem::path, std::string>> files;
    for (experiments::File& f :
         all ? experiments::files_of_all(o.context, results) : experiments::files_of(*one, o.context, results[0].second))
        files.emplace_back(std::move(f.name), std::move(f.text));
    folder.write(files);
    std::map<experiments::Outcome, std::size_t> count;
    for (const auto& [e, r] : results)
        for (const Finding& f : r.findings) ++count[f.outcome()];
    using experiments::Outcome;
    if (!o.json)
        fmt::print("{} of {} claims held, {} cannot be told; {} files, see {}\n", count[Outcome::held],
                   count[Outcome::held] + count[Outcome::refuted] + count[Outcome::open], count[Outcome::open], files.size(),
                   (folder.path() / "index.html").string());
    return kOk;
}

void set_up_experiment(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Runs one experiment, or all of them, and reports for each claim of the teaching documents whether it held when measured;
"cannot tell" means that the number is nearer to its bound than the spread between seeds.
Tables go to the terminal and to CSV files, figures to SVG, and everything to index.html, in the folder given by --out.
The same seed gives the same numbers, except for time and memory. A claim that did not hold is a result.)page",
         .exit_status = R"page(0 measured, whether or not the claims held
2 no such experiment, or a folder that cannot be written)page",
         .examples = R"page(gradproof experiment list
gradproof experiment variance --out results/variance
gradproof experiment all --quick --out results)page",
         .json = R"page(An object an experiment, schema 1:
  schema number experiment title setting seed quick seconds out findings[{claim quantity measured error low high held verdict}]
  tables[{name title columns rows}]
  low and high are null where open, error where chance was not measured; list gives schema number experiment title setting)page"});
    auto options = std::make_shared<Options>();
    command.option("name", options->name, "The name of an experiment, all, or list").takes("NAME").required();
    command.option("--out", options->out, "Folder for the tables and figures (required, except for list)").takes("FOLDER");
    command.option("--seed", options->context.seed, "Seed of everything random").show_default();
    command.flag("--quick", options->quick, "Fewer repeats and shorter runs");
    command.flag("--json", options->json, "One JSON object an experiment");
    command.runs_with_kernels([=] {
        if (options->quick) options->context.effort = experiments::Effort::quick;
        return run(*options);
    });
}
const NewCommand kExperiment("experiment", "What teaching documents claim about attention, measured", set_up_experiment);

}  // namespace

}  // namespace gradproof::cli
