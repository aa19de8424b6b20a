// Exercises as they are read, with their hints.
#include "gradproof/core/proof/exercises/exercises.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/exercises/drawn.hpp"
#include "gradproof/core/proof/exercises/read_answer.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/library/embedded.hpp"

namespace gradproof::proof {
namespace {

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find(' ', i), text.size());
        if (end > i) out.push_back(text.substr(i, end - i));
        i = end + 1;
    }
    return out;
}

/// The comments `#! KEY text` of one exercise and the text without them.
struct Sheet {
    int line = 1;  ///< of the first of them
    std::vector<std::pair<std::string, std::string>> notes{};
    std::string proof{};
};

/// A sheet ends where notes, or a title, follow what is asked.
std::vector<Sheet> sheets_of(const std::string& text) {
    std::vector<Sheet> out(1);
    bool asked = false;
    int number = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find('\n', i), text.size());
        std::string line = text.substr(i, end - i);
        if (line.ends_with('\r')) line.pop_back();
        i = end + 1;
        ++number;
        const bool note = line.starts_with("#! ");
        if (asked && (note || line.starts_with("title"))) {
            out.push_back({number});
            asked = false;
        }
        asked = asked || line.starts_with("claim") || line.starts_with("expect");
        if (note) {
            const std::size_t blank = std::min(line.find(' ', 3), line.size());
            out.back().notes.emplace_back(line.substr(3, blank - 3), line.substr(std::min(blank + 1, line.size())));
            line.clear();  // places count from the beginning of the sheet
        }
        out.back().proof += line + "\n";
    }
    return out;
}

constexpr std::array<std::string_view, 6> kKeys{"name", "difficulty", "statement", "given", "without", "hint"};

/// The title in small letters, with _ between its words.
std::string name_from(const std::string& title) {
    std::string out;
    for (const char c : lower(title)) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out += c;
        else if (!out.empty() && out.back() != '_')
            out += '_';
    }
    while (out.ends_with('_')) out.pop_back();
    return out;
}

/// What its forward and its line say.
Exercise from_proof(const Proof& proof, const std::string& text) {
    Exercise e;
    e.title = proof.title;
    const JudgedLine& line = proof.lines.front();
    e.numeric = line.type == JudgedLine::Type::expect;
    const std::string section = e.numeric ? "\nexpect\n" : "\nclaim\n";
    e.forward = text.substr(0, text.find(section) + 1);
    e.forward.erase(0, std::min(e.forward.find_first_not_of('\n'), e.forward.size()));
    e.asked = text_of(*line.left);
    e.solution = text_of(*line.right);
    for (const Given& g : proof.given) e.names.push_back(g.name);
    for (const Assignment& a : proof.forward)
        if (!a.is_loss && !a.inner) e.names.push_back(a.name);
    for (const Dim& d : proof.dims) e.names.push_back(d.name);
    if (line.type == JudgedLine::Type::claim && line.left->kind == Kind::gradient && !proof.forward.empty() &&
        !proof.forward.back().is_loss)
        e.given = {proof.forward.back().name};
    return e;
}

void note(Exercise& e, const std::string& key, const std::string& value, const std::string& where) {
    if (key == "name" && value.find(' ') == std::string::npos && !value.empty())
        e.name = value;
    else if (key == "name")
        value_error("{}: name is {}, expected one word", where, printable(value, 40));
    else if (key == "difficulty" && value.size() == 1 && value[0] >= '1' && value[0] <= '4')
        e.difficulty = value[0] - '0';
    else if (key == "difficulty")
        value_error("{}: difficulty is {}, expected 1 to 4", where, printable(value, 40));
    else if (key == "statement")
        e.statement = value;
    else if (key == "given")
        e.given = value == "-" ? std::vector<std::string>{} : words(value);
    else if (key == "without")
        e.without = words(value);
    else if (key == "hint")
        e.hints.push_back(value);
    else
        value_error("{}: unknown key {}{}; there are {}", where, printable(key, 40), did_you_mean(key, kKeys),
                    fmt::join(kKeys, ", "));
}

Exercise read(const std::string& file, const Sheet& sheet) {
    const std::string where = fmt::format("exercise: {}:{}", printable(file), sheet.line);
    const std::vector<Proof> proofs = read_proofs(file, sheet.proof);
    if (proofs.size() != 1 || proofs.front().lines.size() != 1)
        value_error("{}: an exercise has one claim, or one expectation, got {}", where,
                    proofs.empty() ? 0 : proofs.front().lines.size());
    const Proof& proof = proofs.front();
    Exercise e = from_proof(proof, sheet.proof);
    if (e.forward.empty()) value_error("{}: `claim` or `expect` stands alone in its line before what is asked", where);
    for (const auto& [key, value] : sheet.notes) note(e, key, value, where);
    if (e.title.empty() || e.statement.empty())
        value_error("{}: it has no {}", where,
                    e.title.empty() ? "title" : "statement: write `#! statement ...` before its title");
    if (e.name.empty()) e.name = name_from(e.title);
    for (const std::string& g : e.given)
        if (!names_of(proof).values.contains(g))
            value_error("{}: given: no value is called {}{}", where, printable(g, 40), did_you_mean(g, e.names));
    std::erase_if(e.names, [&](const std::string& n) { return std::ranges::count(e.without, n) > 0; });
    e.hints.push_back(e.asked + " = " + e.solution);
    return e;
}

/// Errors: ValueError where the claim is not right.
void expect_right(const Exercise& e, const std::string& file, const Sheet& sheet) {
    const ProofReport report = check_proof(read_proofs(file, sheet.proof).front(), {});
    if (report.verdict() == Verdict::right) return;
    const LineReport& line = report.lines.front();
    const std::string why = !line.reason.empty() ? line.reason : line.diagnosis ? line.diagnosis->text : "";
    value_error("exercise: {}:{}: {} = {} is {}{}", printable(file), sheet.line + line.line - 1, e.asked,
                printable(e.solution, 200), line.verdict == Verdict::wrong ? "wrong" : "not told to be right",
                why.empty() ? "" : ": " + why);
}

/// "; ∂L/∂Y, which is given, is [n, d_out], and ∂L/∂b must be [d_out]", where one gradient is given and the shapes differ.
std::string shapes_told(const Proof& proof, const Exercise& e) {
    if (e.given.size() != 1) return "";
    const Drawn drawn(proof, InstanceOptions{}.seed);
    const auto shape = [&](const std::string& of) { return drawn.shape(drawn.draw().scope().values.at(of).shape()); };
    const std::string in = shape(e.given.front()), out = shape(proof.lines.front().left->name);
    return in == out ? "" : fmt::format("; ∂L/∂{}, which is given, is {}, and {} must be {}", e.given.front(), in, e.asked, out);
}

}  // namespace

std::vector<Exercise> all_exercises() {
    std::vector<Exercise> out;
    for (const EmbeddedFile& f : exercises::embedded_files()) {
        const std::string_view name = f.name;
        Exercise e = read(std::string(name) + ".proof", sheets_of(f.text()).front());
        std::from_chars(name.data(), name.data() + name.size(), e.number);
        e.name = std::string(name.substr(name.find('_') + 1));
        out.push_back(std::move(e));
    }
    return out;
}

std::vector<Exercise> read_exercises(const std::string& file, const std::string& text) {
    std::vector<Exercise> out;
    std::set<std::string> names;
    for (const Sheet& sheet : sheets_of(text)) {
        if (sheet.proof.find_first_not_of(" \n\t\r") == std::string::npos && sheet.notes.empty()) continue;
        try {
            Exercise e = read(file, sheet);
            e.number = static_cast<int>(out.size()) + 1;
            if (!names.insert(e.name).second)
                value_error("exercise: {}:{}: another exercise is called {} too", printable(file), sheet.line, e.name);
            expect_right(e, file, sheet);
            out.push_back(std::move(e));
        } catch (const ProofError& error) {
            value_error("exercise: {}:{}: {}", printable(file), sheet.line + error.line() - 1, error.message());
        }
    }
    if (out.empty()) value_error("exercise: {}: there are no exercises in it", printable(file));
    return out;
}

Exercise find_exercise(const std::string& which, const std::vector<Exercise>& all) {
    std::vector<std::string> names;
    for (const Exercise& e : all) {
        if (which == e.name || which == std::to_string(e.number)) return e;
        names.push_back(e.name);
    }
    value_error("exercise: no exercise {}; there are 1 to {}{}", printable(which, 40), all.size(), did_you_mean(which, names));
}

std::vector<std::string> hints_of(const Exercise& exercise) {
    std::vector<std::string> out = exercise.hints;
    const Proof proof = solved(exercise);
    const Expr& asked = *proof.lines.front().left;
    if (exercise.numeric || asked.kind != Kind::gradient) return out;
    std::vector<std::string> steps;
    const std::string target = asked.name;
    for (const DerivedLine& line : derive(proof, {.wrt = {target}}).lines) {
        const bool last = line.name == target;
        const bool is_given = std::ranges::count(exercise.given, line.name) > 0;
        if (is_given) continue;
        const bool only = last && steps.empty();
        steps.push_back(line.sentence + (only ? shapes_told(proof, exercise) : last ? "" : ": " + line.text));
    }
    for (std::string& s : steps) s = "by the rules: " + s;
    out.insert(out.end() - 1, steps.begin(), steps.end());
    return out;
}

}  // namespace gradproof::proof
