// `gradproof replay [DOCUMENT|EXAMPLE|FILE]`: where printed numbers and the engine agree, and where they do not.
#include <fmt/core.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/documents/replay.hpp"
#include "gradproof/core/proof/language/source.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

using proof::Document;
using proof::WorkedExample;

struct ReplayOptions {
    std::string which;
    bool all = false, json = false, corrected = false;
};

bool is_a_file(const std::string& which) { return which.ends_with(".proof") || proof::is_markdown(which); }

/// Every document, one of them, or the one example asked for ("queries" or "students/queries").
std::vector<Document> chosen_documents(const std::string& which) {
    std::vector<Document> out;
    std::vector<std::string> known;
    for (const std::string& name : proof::document_names()) {
        Document d = proof::read_document(name, proof::document_text(name));
        known.push_back(name);
        if (!which.empty() && which != name)
            std::erase_if(d.examples, [&](const WorkedExample& e) {
                known.push_back(e.id);
                return e.id != which && name + "/" + e.id != which;
            });
        if (!d.examples.empty()) out.push_back(std::move(d));
    }
    if (!out.empty()) return out;
    value_error("replay: no document or example named {}{}", printable(which, 60), did_you_mean(which, known));
}

/// Errors: ValueError, one line with the place, for a file that is no proof.
std::vector<Document> chosen(const std::string& which) {
    if (!is_a_file(which)) return chosen_documents(which);
    return {proof::read_document(which, read_text_file(which))};
}

int run(const ReplayOptions& options) {
    std::vector<proof::Replay> replays;
    try {
        for (const Document& d : chosen(options.which)) replays.push_back(proof::replay(d));
    } catch (const proof::ProofError& e) {
        value_error("replay: {}:{}:{}: {}", printable(options.which), e.line(), e.column(), e.message());
    }
    Index compared = 0;
    bool as_stated = true, told = true;
    const proof::ReplayStyle style{.all = options.all, .corrected = options.corrected};
    for (const proof::Replay& r : replays) {
        fmt::print("{}", options.json ? proof::to_json(r, style) : proof::to_text(r, style));
        for (const proof::ReplayedExample& e : r.examples) {
            compared += e.entries();
            told = told && e.drawn_lines.empty();
            for (const std::string& text : e.objections()) {
                as_stated = false;
                fmt::print(stderr, "gradproof: replay: {}/{}: {}\n", r.name, e.id, text);
            }
        }
    }
    if (!options.json) fmt::print("{}", proof::summary(replays));
    if (!as_stated) return kWrong;
    return told && (compared > 0 || !is_a_file(options.which)) ? kOk : kCannotTell;
}

void set_up_replay(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Computes the worked examples of the teaching documents that come with gradproof (four of the five have numbers), or those
of your own file, and reports which printed numbers are badly rounded or wrong. Each number is compared once for each way
to derive it: from the inputs, and from the numbers printed before it (printed(S) in the notation). A known misprint has
an erratum in the file: S[1,1] = 2 erratum 1. A misprint without one, or an erratum that is not true, is reported.
--corrected prints the tables that have one as they should be, to the digits printed.)page",
         .exit_status = R"page(0 every disagreement has its erratum
1 some numbers are not as stated
2 no such document or example, or a file that cannot be read
3 nothing is printed, or it depends on values that are drawn)page",
         .examples = R"page(gradproof replay
gradproof replay students --all
gradproof replay students/queries
gradproof replay students --corrected
gradproof replay notes.md)page",
         .json = R"page(An object a document, schema 1; claimed is the number as printed:
  schema document title examples[{id title line entries agree rounding wrong computed_only cannot_tell
    disagreements[{line step index claimed true kind erratum?}] not_as_pinned[text]
    corrected[{line step numbers[{index printed right}]}]?}])page"});
    auto options = std::make_shared<ReplayOptions>();
    command.option("which", options->which, "A document, an example, DOCUMENT/EXAMPLE, or a .proof or .md file").takes("WHICH");
    command.flag("--all", options->all, "Every disagreement, not only the first six of an example");
    command.flag("--corrected", options->corrected,
                 "The tables as they should be printed, beside what is changed what is printed");
    command.flag("--json", options->json, "One JSON object a document");
    command.runs([=] { return run(*options); });
}
const NewCommand kReplay("replay", "Checks the numbers printed in worked examples against the engine", set_up_replay);

}  // namespace

}  // namespace gradproof::cli
