// `gradproof exercise`: derivations to do, hints, and the checker as the judge.
#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/proof/exercises/feedback.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

using proof::Exercise;
using Json = nlohmann::ordered_json;

struct ExerciseOptions {
    std::string which, answer;
    int hint = 1;
    bool json = false;
    std::uint64_t seed = proof::InstanceOptions{}.seed;
};

Json json(const Exercise& e) {
    return {{"number", e.number},       {"name", e.name},   {"title", e.title},       {"difficulty", e.difficulty},
            {"statement", e.statement}, {"asked", e.asked}, {"hints", e.hints.size()}};
}

int list(const ExerciseOptions& o) {
    Json all = Json::array();
    for (const Exercise& e : proof::all_exercises()) {
        if (o.json)
            all.push_back(json(e));
        else
            fmt::print("{:>3}  {:<4}  {:<20} {}\n", e.number, std::string(static_cast<std::size_t>(e.difficulty), '*'), e.name,
                       e.title);
    }
    if (o.json)
        fmt::print("{}", check::json_line({{"schema", 1}, {"exercises", all}}));
    else
        fmt::print("`gradproof exercise show N` states one\n");
    return kOk;
}

int show(const ExerciseOptions& o) {
    const Exercise e = proof::find_exercise(o.which);
    std::vector<std::string> gradients;
    for (const std::string& g : e.given) gradients.push_back("∂L/∂" + g);
    if (o.json) {
        Json out = json(e);
        out["schema"] = 1;
        out["forward"] = e.forward;
        out["names"] = e.names;
        out["gradients"] = gradients;
        fmt::print("{}", check::json_line(out));
        return kOk;
    }
    fmt::print("Exercise {} ({}): {}\n\n", e.number, std::string(static_cast<std::size_t>(e.difficulty), '*'), e.statement);
    for (std::size_t i = 0; i < e.forward.size();) {
        const std::size_t end = std::min(e.forward.find('\n', i), e.forward.size());
        fmt::print("    {}\n", e.forward.substr(i, end - i));
        i = end + 1;
    }
    fmt::print(
        "\nAsked:        {}\nYou may use:  {}{}{}\nAnswer with:  gradproof exercise check {} \"...\"      ({} hints: gradproof "
        "exercise hint {})\n",
        e.asked, fmt::join(e.names, ", "), gradients.empty() ? "" : ", ", fmt::join(gradients, ", "), e.number, e.hints.size(),
        e.number);
    return kOk;
}

int hint(const ExerciseOptions& o) {
    const Exercise e = proof::find_exercise(o.which);
    const int last = static_cast<int>(e.hints.size());
    if (o.hint < 1 || o.hint > last) value_error("exercise: hint {} of exercise {}: it has {}", o.hint, e.number, last);
    for (int i = 1; i <= o.hint; ++i) fmt::print("{} of {}: {}\n", i, last, e.hints[static_cast<std::size_t>(i - 1)]);
    return kOk;
}

int check(const ExerciseOptions& o) {
    const Exercise e = proof::find_exercise(o.which);
    proof::CheckOptions options;
    options.draw.seed = o.seed;
    try {
        const proof::Response r = respond(e, o.answer, options);
        const proof::FileReport& report = r.report;
        fmt::print("read as {}\n", r.answer.claim);
        if (r.question) fmt::print("{}: {}\nrepair: {}\n{}", r.question->kind, r.question->text, r.repair, counterexample(r, o.seed).text);
        if (o.json) {
            fmt::print("{}", to_json(report));
        } else {
            std::string text = to_text(report, {});
            text.resize(text.rfind('\n', text.size() - 2) + 1);  // one line needs no summary
            fmt::print("{}", text);
        }
        return status_of(report.verdict());
    } catch (const proof::ProofError& error) {
        const std::string text = error.what();
        const std::size_t caret = text.find('\n');
        fmt::print(stderr, "gradproof: exercise: {}{}\n", error.message(), caret == std::string::npos ? "" : text.substr(caret));
        return kUsage;
    }
}

void set_up_exercise(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Shows a forward computation and asks for one gradient. An answer is the right side, or the whole line, in matrix or index
form; the checker judges it in several draws. hint N gives the first hint, hint N K the first K; the last is the solution.)page",
         .exit_status = R"page(0 done, or the answer is right
1 the answer is wrong
2 bad usage, or no answer to this exercise
3 it cannot be told)page",
         .examples = R"page(gradproof exercise list
gradproof exercise show 6
gradproof exercise check 6 "A^T dO"
gradproof exercise hint 6 2)page",
         .json = R"page(list: schema exercises[{number name title difficulty statement asked hints}]
show: schema number name title difficulty statement asked hints forward names gradients
check: as `gradproof check` of one derivation)page"});
    command.needs_a_command();
    auto options = std::make_shared<ExerciseOptions>();
    const auto add = [&](const char* name, const char* text, int (*run)(const ExerciseOptions&)) {
        const Command sub = command.command(name, text);
        sub.runs([=] { return run(*options); });
        return sub;
    };
    const auto which = [&](const Command& sub) {
        sub.option("exercise", options->which, "Its number or name").takes("EXERCISE").required();
    };
    const auto as_json = [&](const Command& sub) { sub.flag("--json", options->json, "One JSON object"); };
    as_json(add("list", "Titles and difficulty", list));
    const Command one = add("show", "The statement, the forward, what is asked and what one may use", show);
    which(one);
    as_json(one);
    const Command judge =
        add("check", "Whether an answer is right: exit 0 right, 1 wrong, 2 not an answer, 3 cannot tell", check);
    which(judge);
    judge.option("answer", options->answer, "Such as \"A^T dO\", \"∂L/∂V = A^T ∂L/∂O\" or \"dV[j,c] = Σ_i A[i,j] dO[i,c]\"")
        .required();
    judge.option("--seed", options->seed, "Seed of the random sizes, inputs and incoming gradients").show_default();
    as_json(judge);
    const Command help = add("hint", "The first hint; with K, the first K: the last is the solution", hint);
    which(help);
    help.option("k", options->hint, "How many").show_default();
}
const NewCommand kExercise("exercise", "Derivation exercises, from a scale to causal multi-head attention, judged by the checker",
                           set_up_exercise);

}  // namespace

}  // namespace gradproof::cli
