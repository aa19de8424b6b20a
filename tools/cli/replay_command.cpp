// `gradproof replay [DOCUMENT|EXAMPLE]`: where the documents' printed numbers and the engine agree, and where they do not.
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/errors.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/help.hpp"
#include "tools/replay/replay.hpp"

namespace gradproof::cli {
namespace {

using replay::Disagreement;
using replay::Document;
using replay::Example;

struct ReplayOptions {
    std::string which;
    bool all = false, json = false;
};

/// Every document, one of them, or the one example asked for ("softmax" or "students/softmax").
std::vector<Document> chosen(const std::string& which) {
    std::vector<Document> all;
    for (const std::string& name : replay::document_names())
        all.push_back(replay::replay_document(name, replay::document_text(name)));
    if (which.empty()) return all;
    std::vector<Document> out;
    std::vector<std::string> known;
    for (Document& d : all) {
        if (d.name == which) return {d};
        known.push_back(d.name);
        std::vector<Example> examples;
        for (const Example& e : d.examples) {
            if (e.id == which || d.name + "/" + e.id == which) examples.push_back(e);
            known.push_back(e.id);
        }
        if (!examples.empty()) out.push_back({d.name, d.title, examples});
    }
    if (!out.empty()) return out;
    const std::string near = nearest(which, known);
    value_error("replay: no document or example named {}{}", which, near.empty() ? "" : "; did you mean " + near);
}

/// The title cut to a column, at a character and not inside one.
std::string fit(const std::string& text, std::size_t width) {
    if (text.size() <= width) return text;
    std::size_t cut = width - 3;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    return text.substr(0, cut) + "...";
}

void add(Example& total, const Example& e) {
    total.agree += e.agree;
    total.rounding += e.rounding;
    total.wrong += e.wrong;
}
std::string counts(const Example& e) {
    return fmt::format("{:>5} agree {:>4} rounding {:>4} wrong", e.agree, e.rounding, e.wrong);
}

void print(const Document& d, bool all) {
    constexpr std::size_t kShown = 6;
    Example total;
    for (const Example& e : d.examples) add(total, e);
    fmt::print("{:<77}{}\n", fit(d.name + ": " + d.title, 76), counts(total));
    for (const Example& e : d.examples) {
        fmt::print("  {:<28} {:<46}{}\n", e.id, fit(e.title, 45), counts(e));
        if (!e.found.empty() && !e.note.empty()) fmt::print("      {}\n", e.note);
        const std::size_t shown = all ? e.found.size() : std::min(kShown, e.found.size());
        for (std::size_t i = 0; i < shown; ++i) fmt::print("      {}\n", e.found[i].text());
        if (shown < e.found.size()) fmt::print("      … {} more\n", e.found.size() - shown);
        for (const std::string& difference : e.differences) fmt::print("      NOT AS PINNED: {}\n", difference);
    }
}

nlohmann::ordered_json json(const Disagreement& x) {
    return {{"step", x.step},
            {"index", std::vector<Index>(x.index.begin(), x.index.end())},
            {"claimed", x.claimed},
            {"true", x.truth},
            {"kind", replay::name(x.kind)}};
}
nlohmann::ordered_json json(const Document& d) {
    auto examples = nlohmann::ordered_json::array();
    for (const Example& e : d.examples) {
        auto found = nlohmann::ordered_json::array();
        for (const Disagreement& x : e.found) found.push_back(json(x));
        examples.push_back({{"id", e.id},
                            {"title", e.title},
                            {"entries", e.entries()},
                            {"agree", e.agree},
                            {"rounding", e.rounding},
                            {"wrong", e.wrong},
                            {"computed_only", e.computed_only},
                            {"disagreements", found},
                            {"not_as_pinned", e.differences}});
    }
    return {{"schema", 1}, {"document", d.name}, {"title", d.title}, {"examples", examples}};
}

int run(const ReplayOptions& options) {
    Example total;
    std::vector<std::string> differences;
    for (const Document& d : chosen(options.which)) {
        if (options.json)
            fmt::print("{}\n", json(d).dump());
        else
            print(d, options.all);
        for (const Example& e : d.examples) {
            add(total, e);
            for (const std::string& text : e.differences) differences.push_back(d.name + "/" + e.id + ": " + text);
        }
    }
    if (!options.json)
        fmt::print(
            "{} comparisons with what is printed, a number once for each way it is derived: {} agree, {} off by rounding, {} "
            "wrong; {}\n",
            total.entries(), total.agree, total.rounding, total.wrong,
            differences.empty() ? "every disagreement is pinned" : fmt::format("{} not as pinned", differences.size()));
    for (const std::string& text : differences) fmt::print(stderr, "gradproof: replay: {}\n", text);
    return differences.empty() ? kOk : kWrong;
}

}  // namespace

void add_replay_command(const Command& program) {
    const Command command = program.command("replay", "The documents' printed numbers against the engine's");
    describe(command,
             {.description = "Computes the worked examples of the teaching documents again (four of the five have numbers), and "
                             "says which of them are rounded\nbadly or wrong. A number is compared once for each way it is "
                             "derived: from the inputs, and from the numbers printed before it.\n"
                             "Every disagreement is pinned: a new one, or one that went away, is reported.",
              .exit_status = "0 every disagreement is a known one\n1 some are not as pinned\n2 no such document or example",
              .examples = "gradproof replay\ngradproof replay students --all",
              .json = "An object a document, schema 1:\n"
                      "  schema document title examples[{id title entries agree rounding wrong computed_only not_as_pinned\n"
                      "    disagreements[{step index claimed true kind}]}]"});
    auto options = std::make_shared<ReplayOptions>();
    command.option("which", options->which, "A document, an example, or DOCUMENT/EXAMPLE");
    command.flag("--all", options->all, "Every disagreement, not only the first six of an example");
    command.flag("--json", options->json, "One JSON object a document");
    command.runs([=] { return run(*options); });
}

}  // namespace gradproof::cli
