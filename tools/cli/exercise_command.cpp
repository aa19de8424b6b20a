// `gradproof exercise`: derivations and numbers to do, hints, and the checker as the judge.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/exercises/feedback.hpp"
#include "tools/cli/exercise_progress.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

using proof::Exercise;

constexpr std::size_t kLongestShown = 400;  // bytes of an answer
using Json = nlohmann::ordered_json;

struct ExerciseOptions {
    std::string which, answer, file, progress;
    int hint = 1;
    bool json = false, why = false, repair = false;
    std::uint64_t seed = proof::InstanceOptions{}.seed;
};

std::vector<Exercise> exercises_of(const ExerciseOptions& o) {
    return o.file.empty() ? proof::all_exercises() : proof::read_exercises(o.file, read_text_file(o.file));
}
Exercise chosen(const ExerciseOptions& o) { return proof::find_exercise(o.which, exercises_of(o)); }
/// What a further command about the same exercise is called with.
std::string again(const ExerciseOptions& o, const char* command, const Exercise& e) {
    return fmt::format("gradproof exercise {} {}{}", command, e.number, o.file.empty() ? "" : fmt::format(" --file {}", o.file));
}
/// The exercises of the program and those of a file are told apart.
std::string key_of(const ExerciseOptions& o, const Exercise& e) {
    if (o.file.empty()) return e.name;
    std::string file = std::filesystem::path(o.file).stem().native();
    std::ranges::replace_if(
        file, [](unsigned char c) { return std::isspace(c) != 0; }, '_');  // a key is one word
    return fmt::format("{}/{}", file, e.name);
}
/// The exercises as their progress knows them.
std::vector<Exercise> keyed(const ExerciseOptions& o, std::vector<Exercise> all) {
    for (Exercise& e : all) e.name = key_of(o, e);
    return all;
}

std::string stars(const Exercise& e) { return std::string(static_cast<std::size_t>(e.difficulty), '*'); }

Json json(const Exercise& e) {
    return {{"number", e.number},       {"name", e.name},   {"title", e.title},           {"difficulty", e.difficulty},
            {"statement", e.statement}, {"asked", e.asked}, {"hints", hints_of(e).size()}};
}

int list(const ExerciseOptions& o) {
    KeptProgress kept(o.progress);
    const std::vector<Exercise> all = exercises_of(o);
    Json out = Json::array();
    bool any = false;
    for (const Exercise& e : all) any = any || kept.progress().of(key_of(o, e)).tries > 0;
    for (const Exercise& e : all) {
        const proof::Progress::Of of = kept.progress().of(key_of(o, e));
        if (o.json) {
            out.push_back(json(e));
            if (any) out.back()["progress"] = {{"right", of.right}, {"tries", of.tries}};
            continue;
        }
        const std::string done = of.right ? "done" : of.tries > 0 ? fmt::format("tried {}", of.tries) : "";
        fmt::print("{}{:>3}  {:<4}  {:<20} {}\n", any ? fmt::format("{:<9}", done) : "", e.number, stars(e), e.name, e.title);
    }
    if (o.json)
        fmt::print("{}", check::json_line({{"schema", 1}, {"exercises", out}}));
    else
        fmt::print("{}`gradproof exercise show N` states one\n",
                   any ? fmt::format("{} of {} done, kept in {}; ", kept.progress().done(keyed(o, all)), all.size(),
                                     printable(kept.file().native(), 400))
                       : "");
    return kOk;
}

void state(const ExerciseOptions& o, const Exercise& e) {
    std::vector<std::string> gradients;
    for (const std::string& g : e.given) gradients.push_back("∂L/∂" + g);
    if (o.json) {
        Json out = json(e);
        out["schema"] = 1;
        out["forward"] = e.forward;
        out["names"] = e.names;
        out["gradients"] = gradients;
        fmt::print("{}", check::json_line(out));
        return;
    }
    fmt::print("Exercise {} ({}): {}\n\n{}", e.number, stars(e), e.statement, indented(e.forward));
    const std::string may =
        fmt::format("{}{}{}", fmt::join(e.names, ", "), gradients.empty() ? "" : ", ", fmt::join(gradients, ", "));
    fmt::print("\nAsked:        {}{}\n{}Answer with:  {} \"...\"      ({} hints: {})\n", e.asked,
               e.numeric ? ", in numbers, by hand" : "", e.numeric ? "" : fmt::format("You may use:  {}\n", may),
               again(o, "check", e), hints_of(e).size(), again(o, "hint", e));
}

int show(const ExerciseOptions& o) {
    state(o, chosen(o));
    return kOk;
}

int next(const ExerciseOptions& o) {
    KeptProgress kept(o.progress);
    const std::vector<Exercise> all = exercises_of(o), known = keyed(o, all);
    const Exercise* open = kept.progress().next(known);
    if (open)
        state(o, all[static_cast<std::size_t>(open - known.data())]);
    else if (o.json)
        fmt::print("{}", check::json_line({{"schema", 1}, {"done", all.size()}}));
    else
        fmt::print("all {} are done\n", all.size());
    return kOk;
}

int hint(const ExerciseOptions& o) {
    const Exercise e = chosen(o);
    const std::vector<std::string> hints = hints_of(e);
    const int last = static_cast<int>(hints.size());
    if (o.hint < 1 || o.hint > last) value_error("exercise: hint {} of exercise {}: it has {}", o.hint, e.number, last);
    for (int i = 1; i <= o.hint; ++i) fmt::print("{} of {}: {}\n", i, last, hints[static_cast<std::size_t>(i - 1)]);
    return kOk;
}

void say_right(const proof::Response& r) {
    const proof::ProofReport& report = r.report.proofs.front();
    const proof::LineReport& line = r.line();
    std::string how = r.exercise.numeric
                          ? "to the digits given"
                          : fmt::format("in {} draws, {} entries compared with the true ones", report.draws, report.entries);
    if (line.proved) how += "; proved";
    if (!line.read_as.empty()) how += "; " + line.read_as;
    fmt::print("  right    {}\n", how);
}

void say_wrong(const ExerciseOptions& o, const proof::Response& r) {
    fmt::print("  not yet  {}\n", r.question->text);
    if (o.why) {
        const proof::Counterexample c = counterexample(r, o.seed);
        if (!r.exercise.numeric) fmt::print("  in numbers, of a draw that --seed {} repeats:\n", c.seed);
        fmt::print("{}", indented(c.text));
    }
    if (o.repair) fmt::print("  repair   {}\n", r.repair.empty() ? "no small change makes it right: take the hints" : r.repair);
    if (!o.why || !o.repair)
        fmt::print("  further  {}{}{}\n", o.why ? "" : "--why: in numbers", !o.why && !o.repair ? "; " : "",
                   o.repair ? "" : "--repair: what would make it right");
}

int check(const ExerciseOptions& o) {
    const Exercise e = chosen(o);
    proof::CheckOptions options;
    options.draw.seed = o.seed;
    try {
        const proof::Response r = respond(e, o.answer, options);
        KeptProgress kept(o.progress);
        kept.progress().tried(key_of(o, e), r.verdict() == proof::Verdict::right);
        kept.keep();
        if (o.json) {
            Json out = Json::parse(to_json(r.report));
            out["read_as"] = r.answer.claim;
            if (r.question) out["question"] = {{"kind", r.question->kind}, {"text", r.question->text}};
            if (r.question && o.why) out["why"] = counterexample(r, o.seed).text;
            if (r.question && o.repair) out["repair"] = r.repair;
            fmt::print("{}", check::json_line(out));
            return status_of(r.verdict());
        }
        fmt::print("exercise {}: {}\n  read as  {}\n", e.number, e.title, printable(r.answer.claim, 2000));
        if (r.question)
            say_wrong(o, r);
        else if (r.verdict() == proof::Verdict::right)
            say_right(r);
        else
            fmt::print("  cannot tell  {}\n", r.line().reason);
        return status_of(r.verdict());
    } catch (const proof::ProofError& error) {
        const std::string text = error.what();
        const std::size_t caret = o.answer.size() > kLongestShown ? std::string::npos : text.find('\n');
        fmt::print(stderr, "gradproof: exercise: {}{}\n", printable(error.message(), kLongestShown),
                   caret == std::string::npos ? "" : text.substr(caret));
        return kUsage;
    }
}

void set_up_exercise(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Shows a forward computation and asks for a gradient, a value or a few numbers. Answer with the right side or the whole line,
in any of these spellings: A^T dO, A.T @ dO, A^\top \frac{\partial L}{\partial O}, Σ_i A[i,j] dO[i,c]. A B and A @ B are matrix
products; A ⊙ B, A * B and A \odot B go entry by entry. You see how your answer was read, and it is tried on random numbers of
several sizes. A wrong answer gets a question about what is wrong; --why shows one entry in numbers, --repair what would make
it right. Numbers are compared to the digits asked for.

hint N gives the first hint of exercise N, hint N K the first K: those of the author, then the steps of the derivation by rules;
the last is the solution. Which exercises are done is kept in $XDG_STATE_HOME/gradproof/exercises (~/.local/state without it),
or in --progress FILE; next shows the first that is not done.

--file FILE takes exercises of your own. Each is a derivation with one claim, or one expectation of numbers, below comments:
  #! statement What comes back to V?
  #! hint V[j,c] reaches every query.
and, where they are wanted, #! name, #! difficulty 1 to 4, #! given Q K (gradients that may be used; - for none), and
#! without A softmax (what may not). A file with a wrong claim is refused, with the claim.)page",
         .exit_status = R"page(0 done, or the answer is right
1 the answer is wrong
2 bad usage, or no answer to this exercise
3 it cannot be told)page",
         .examples = R"page(gradproof exercise next
gradproof exercise show 6
gradproof exercise check 6 "A^T dO"
gradproof exercise check 5 "-dY" --why
gradproof exercise hint 6 2
gradproof exercise list --file set.proof)page",
         .json = R"page(list: schema exercises[{number name title difficulty statement asked hints progress{right tries}?}]
show, next: schema number name title difficulty statement asked hints forward names gradients; of next schema done at the end
check: as `gradproof check` of one derivation, and read_as question{kind text}? why? repair?)page"});
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
    const auto of_file = [&](const Command& sub) {
        sub.option("--file", options->file, "Exercises of your own, in place of those of the program").takes("FILE");
    };
    const auto with_progress = [&](const Command& sub) {
        sub.option("--progress", options->progress, "Where what is done is kept").takes("FILE");
    };
    const Command all = add("list", "Titles and difficulty, and what is done", list);
    of_file(all), with_progress(all), as_json(all);
    const Command one = add("show", "The statement, the forward, what is asked and what one may use", show);
    which(one), of_file(one), as_json(one);
    const Command first_open = add("next", "The first exercise that is not done", next);
    of_file(first_open), with_progress(first_open), as_json(first_open);
    const Command judge =
        add("check", "Whether an answer is right: exit 0 right, 1 wrong, 2 not an answer, 3 cannot tell", check);
    which(judge);
    judge.option("answer", options->answer, "Such as \"A^T dO\", \"A.T @ dO\" or \"dV[j,c] = Σ_i A[i,j] dO[i,c]\"").required();
    judge.takes_words_with_a_minus();
    judge.flag("--why", options->why, "Of a wrong answer one entry in numbers: its products, the true value, finite differences");
    judge.flag("--repair", options->repair, "Of a wrong answer what would make it right");
    judge.option("--seed", options->seed, "Seed of the random sizes, inputs and incoming gradients").show_default();
    of_file(judge), with_progress(judge), as_json(judge);
    const Command help = add("hint", "The first hint; with K, the first K: the last is the solution", hint);
    which(help);
    help.option("k", options->hint, "How many").show_default();
    of_file(help);
}
const NewCommand kExercise("exercise", "Exercises, from a scale to causal multi-head attention, judged by the checker",
                           set_up_exercise);

}  // namespace

}  // namespace gradproof::cli
