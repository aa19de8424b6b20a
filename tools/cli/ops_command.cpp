// `gradproof ops [NAME]`: the op table, or one op with its formulas, attributes, saved tensors and samples.
#include <fmt/core.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/registry.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/plugins.hpp"

namespace gradproof::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A bar inside a cell would end it.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
}

void print_table(bool markdown) {
    if (markdown) fmt::print("| op | inputs | forward | backward | page |\n|---|---|---|---|---|\n");
    for (const auto& e : registry().all()) {
        if (markdown)
            fmt::print("| `{}` | {} | `{}` | `{}` | `{}` |\n", e->info.name, e->info.inputs, cell(e->info.forward),
                       cell(e->info.backward), e->file);
        else
            fmt::print("{:<20} {:<28} {}\n{:<49} {}\n", e->info.name, e->info.inputs, e->info.forward, "", e->info.backward);
    }
}

Json to_json(const OpEntry& e) {
    Json samples = Json::array();
    for (const SampleCase& s : e.samples()) {
        Json shapes = Json::array();
        for (const Arg& a : s.args)
            shapes.push_back(a.present ? Json(std::vector<Index>(a.shape.begin(), a.shape.end())) : nullptr);
        samples.push_back({{"name", s.name}, {"shapes", shapes}, {"attrs", s.attrs.text()}});
    }
    return {{"op", e.info.name},           {"inputs", e.info.inputs}, {"forward", e.info.forward},
            {"backward", e.info.backward}, {"saves", e.info.saves},   {"attrs", e.default_attrs().text()},
            {"source", e.info.source},     {"page", e.file},          {"samples", samples}};
}

void print_json(const std::string& name) {
    Json ops = Json::array();
    if (!name.empty()) ops.push_back(to_json(registry().find(name)));
    for (const auto& e : registry().all())
        if (name.empty()) ops.push_back(to_json(*e));
    fmt::print("{}", check::json_line({{"schema", 1}, {"ops", ops}}));
}

void print_one(const OpEntry& e) {
    fmt::print("{}({})\n  forward   {}\n  backward  {}\n  saves     {}\n  attrs     {}\n  source    {}\n  page      {}\n",
               e.info.name, e.info.inputs, e.info.forward, e.info.backward, e.info.saves.empty() ? "nothing" : e.info.saves,
               e.default_attrs().text(), e.info.source, e.file);
    fmt::print("  samples\n");
    for (const SampleCase& s : e.samples()) {
        std::string shapes;
        for (const Arg& a : s.args) shapes += (shapes.empty() ? "" : " ") + (a.present ? a.shape.str() : "-");
        fmt::print("    {:<32} {:<28} {}\n", s.name, shapes, s.attrs.text());
    }
}

void set_up_ops(const Command& command) {
    describe(
        command,
        {.description =
             "Every registered op with its formulas; with NAME also what it saves, its attributes, its source and its samples.",
         .exit_status = R"page(0 done
2 no such op)page",
         .examples = R"page(gradproof ops
gradproof ops softmax
gradproof ops --markdown
gradproof ops softmax --json)page",
         .json = "schema ops[{op inputs forward backward saves attrs source page samples[{name shapes attrs}]}]"});
    auto name = std::make_shared<std::string>();
    auto markdown = std::make_shared<bool>(false);
    auto json = std::make_shared<bool>(false);
    command.option("name", *name, "An op").takes("NAME");
    command.flag("--markdown", *markdown, "The table as Markdown");
    command.flag("--json", *json, "One JSON object instead of the table");
    auto plugins = std::make_shared<PluginOptions>();
    add_plugin_options(command, *plugins);
    command.runs([=] {
        if (*markdown && !name->empty()) value_error("ops: --markdown is of the table, {} is one op", printable(*name));
        if (*markdown && *json) value_error("ops: give either --markdown or --json");
        return with_plugins(*plugins, [&] {
            if (*json)
                print_json(*name);
            else if (name->empty())
                print_table(*markdown);
            else
                print_one(registry().find(*name));
            return kOk;
        });
    });
}
const NewCommand kOps("ops", "The op table; with NAME, one op", set_up_ops);

}  // namespace

}  // namespace gradproof::cli
