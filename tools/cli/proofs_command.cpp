// `gradproof proofs [NAME]`: the library of proofs, or the text of one.
#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/proof/judge/bugs.hpp"
#include "gradproof/core/proof/judge/planted.hpp"
#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

struct ProofsOptions {
    std::string name;
    bool json = false, diagnosis = false;
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
        fmt::print("{}", check::json_line({{"schema", 1}, {"proofs", proofs}}));
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

/// The confusion matrix of the diagnosis and the table of slips, over the library or one proof of it.
int print_diagnosis(const std::string& only) {
    std::vector<std::string> names = only.empty() ? proof::library_names() : std::vector<std::string>{only};
    std::vector<proof::Confusion> found(names.size());
    std::vector<proof::SlipTable> slips(names.size());
    constexpr int kEvery = 12;  // of a proof by itself all slips
    parallel_for(static_cast<Index>(names.size()), 1, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const std::string& name = names[static_cast<std::size_t>(i)];
            for (const proof::Proof& p : proof::read_proofs(name + ".proof", proof::library_text(name))) {
                found[static_cast<std::size_t>(i)].add(proof::confusion(p, {}));
                slips[static_cast<std::size_t>(i)].add(proof::plant_slips(p, {}, {.every = only.empty() ? kEvery : 1}));
            }
        }
    });
    proof::Confusion all;
    for (const proof::Confusion& c : found) all.add(c);
    proof::SlipTable of_slips;
    for (const proof::SlipTable& t : slips) of_slips.add(t);
    for (const auto* missed : {&all.missed, &of_slips.missed, &of_slips.misled})
        for (const std::string& m : only.empty() ? std::vector<std::string>{} : *missed) fmt::print("{}\n", m);
    fmt::print("{}\n{}", all.table(), of_slips.text());
    return kOk;
}

void set_up_proofs(const Command& command) {
    describe(
        command,
        {.description =
             R"page(The derivations that come with the program; all of them are checked. Commands that read a derivation take one by its name.)page",
         .exit_status = R"page(0 done
2 no such proof)page",
         .examples = R"page(gradproof proofs
gradproof proofs attention)page",
         .json = "schema proofs[{name title claims}]"});
    auto options = std::make_shared<ProofsOptions>();
    command.option("name", options->name, "A proof").takes("NAME");
    command.flag("--json", options->json, "The list as one JSON object");
    command.flag("--diagnosis", options->diagnosis,
                 "Plant the classic mistakes in every claim and count how often the diagnosis names them");
    command.runs([=] {
        if (options->diagnosis) return print_diagnosis(options->name);
        if (options->name.empty()) return list(options->json);
        if (options->json)
            value_error("proofs: --json gives the list; {} is one derivation, printed as it is", printable(options->name));
        fmt::print("{}", proof::library_text(options->name));
        return static_cast<int>(kOk);
    });
}
const NewCommand kProofs("proofs", "The library of checked derivations; with NAME, the text of one", set_up_proofs);

}  // namespace

}  // namespace gradproof::cli
