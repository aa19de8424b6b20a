// `gradproof proofs [NAME]`: the library of proofs, or the text of one.
#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.hpp"
#include "tools/proof/library.hpp"
#include "tools/proof/proof.hpp"

namespace gradproof::cli {
namespace {

struct Options {
    std::string name;
    bool json = false;
};

struct Row {
    std::string name, title;
    std::size_t claims = 0;
};

std::vector<Row> rows() {
    std::vector<Row> out;
    for (const std::string& name : proof::library_names()) {
        Row row{name, "", 0};
        for (const proof::Proof& p : proof::read_proofs(name + ".proof", proof::library_text(name))) {
            if (row.title.empty()) row.title = p.title;
            row.claims += p.lines.size();
        }
        out.push_back(std::move(row));
    }
    return out;
}

int list(bool as_json) {
    const std::vector<Row> all = rows();
    if (as_json) {
        auto proofs = nlohmann::ordered_json::array();
        for (const Row& r : all) proofs.push_back({{"name", r.name}, {"title", r.title}, {"claims", r.claims}});
        fmt::print("{}\n", nlohmann::ordered_json{{"schema", 1}, {"proofs", proofs}}.dump());
        return kOk;
    }
    std::size_t width = 0, claims = 0;
    for (const Row& r : all) {
        width = std::max(width, r.name.size());
        claims += r.claims;
    }
    for (const Row& r : all) fmt::print("{:<{}}  {:>2} claims  {}\n", r.name, width, r.claims, r.title);
    fmt::print("{} proofs, {} claims\n", all.size(), claims);
    return kOk;
}

}  // namespace

void add_proofs_command(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand("proofs", "The library of checked derivations; with NAME, the text of one");
    auto options = std::make_shared<Options>();
    command->add_option("name", options->name, "A proof");
    command->add_flag("--json", options->json, "The list as one JSON object");
    command->callback([=, &action] {
        action = [=] {
            if (options->name.empty()) return list(options->json);
            fmt::print("{}", proof::library_text(options->name));
            return static_cast<int>(kOk);
        };
    });
}

}  // namespace gradproof::cli
