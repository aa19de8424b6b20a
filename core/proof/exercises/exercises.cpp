// The exercises of the program.
#include "gradproof/core/proof/exercises/exercises.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
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

/// The comments `#! KEY text` and the text without them.
struct Sheet {
    std::vector<std::pair<std::string, std::string>> notes;
    std::string proof;
};
Sheet sheet_of(const std::string& text) {
    Sheet out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find('\n', i), text.size());
        const std::string line = text.substr(i, end - i);
        if (line.starts_with("#! ")) {
            const std::size_t blank = line.find(' ', 3);
            out.notes.emplace_back(line.substr(3, blank - 3), line.substr(blank + 1));
        } else {
            out.proof += line + "\n";
        }
        i = end + 1;
    }
    return out;
}

Exercise read(std::string_view file, const std::string& text) {
    Exercise e;
    std::from_chars(file.data(), file.data() + file.size(), e.number);
    e.name = std::string(file.substr(file.find('_') + 1));
    const Sheet sheet = sheet_of(text);
    const Proof proof = read_proofs(e.name + ".proof", sheet.proof).front();
    e.title = proof.title;
    e.forward = sheet.proof.substr(0, sheet.proof.find("\nclaim\n") + 1);
    e.asked = text_of(*proof.lines.front().left);
    e.solution = text_of(*proof.lines.front().right);
    e.given = {proof.forward.back().name};
    for (const Given& g : proof.given) e.names.push_back(g.name);
    for (const Assignment& a : proof.forward)
        if (!a.is_loss) e.names.push_back(a.name);
    for (const Dim& d : proof.dims) e.names.push_back(d.name);
    for (const auto& [key, value] : sheet.notes) {
        if (key == "difficulty")
            e.difficulty = value[0] - '0';
        else if (key == "statement")
            e.statement = value;
        else if (key == "given")
            e.given = value == "-" ? std::vector<std::string>{} : words(value);
        else if (key == "hint")
            e.hints.push_back(value);
    }
    if (proof.lines.front().type == JudgedLine::Type::jacobian) e.given.clear();
    e.hints.push_back(e.asked + " = " + e.solution);
    return e;
}

/// Whether the text states a left side: a = outside brackets.
bool has_left_side(const std::string& text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth == 0 && (c == '=' || std::string_view(text).substr(i).starts_with("≈"))) return true;
    }
    return false;
}

/// The left side is what was asked for, as a whole: a name, or each axis with a letter of its own.
bool answers(const Expr& left, const Expr& asked) {
    const Expr& base = left.kind == Kind::index ? *left.children[0] : left;
    if (base.kind != asked.kind || base.name != asked.name || base.other != asked.other) return false;
    if (base.kind == Kind::jacobian && left.children.size() != asked.children.size()) return false;
    std::vector<std::string> letters;
    for (std::size_t i = left.kind == Kind::index ? 1 : 0; i < left.children.size(); ++i) {
        const Expr& c = *left.children[i];
        if (c.kind == Kind::slice) continue;
        if (c.kind != Kind::name || std::find(letters.begin(), letters.end(), c.name) != letters.end()) return false;
        letters.push_back(c.name);
    }
    return true;
}

/// Errors: ValueError unless it is one line that answers what is asked by what is given.
void expect_answer(const Exercise& exercise, const Proof& proof) {
    const Proof asked =
        read_proofs("exercise", exercise.forward + "claim\n" + exercise.asked + " = " + exercise.solution + "\n").front();
    if (proof.lines.size() != 1) value_error("exercise: the answer is one line: {} = ...", exercise.asked);
    const JudgedLine& claim = proof.lines.front();
    if (!claim.left || !answers(*claim.left, *asked.lines.front().left))
        value_error("exercise: it asks for {}: write the right side of {} = ..., or the whole line with a letter for each axis",
                    exercise.asked, exercise.asked);
    for_each(*claim.right, [&](const Expr& e) {
        const bool derivative = e.kind == Kind::gradient || e.kind == Kind::jacobian;
        if (!derivative ||
            (e.kind == Kind::gradient && std::find(exercise.given.begin(), exercise.given.end(), e.name) != exercise.given.end()))
            return;
        std::string may;
        for (const std::string& g : exercise.given) may += (may.empty() ? "" : ", ") + ("∂L/∂" + g);
        value_error("exercise: {} is not given; {}", text_of(e),
                    may.empty() ? "the answer uses no gradient" : "of gradients, the answer may use " + may);
    });
}

}  // namespace

std::vector<Exercise> all_exercises() {
    std::vector<Exercise> out;
    for (const EmbeddedFile& f : exercises::embedded_files()) out.push_back(read(f.name, f.text()));
    return out;
}

Exercise find_exercise(const std::string& which) {
    const auto all = all_exercises();
    std::vector<std::string> names;
    for (const Exercise& e : all) {
        if (which == e.name || which == std::to_string(e.number)) return e;
        names.push_back(e.name);
    }
    value_error("exercise: no exercise {}; there are 1 to {}{}", printable(which, 40), all.size(), did_you_mean(which, names));
}

FileReport judge_exercise(const Exercise& exercise, const std::string& answer, const CheckOptions& options,
                          const Control& control) {
    const ControlScope scope(control, "judge_exercise");
    std::string line = answer;
    std::replace(line.begin(), line.end(), '\n', ' ');
    if (line.find_first_not_of(" \t\r") == std::string::npos)
        value_error("exercise: the answer is empty: write the right side of {} = ...", exercise.asked);
    const std::string before = exercise.forward + "claim\n" + (has_left_side(line) ? "" : exercise.asked + " = ");
    FileReport out{fmt::format("exercise {}", exercise.number), {}};
    try {
        const Proof proof = read_proofs("answer", before + line + "\n").front();
        expect_answer(exercise, proof);
        out.proofs.push_back(check_proof(proof, options));
    } catch (const ProofError& e) {
        throw ProofError(Source("answer", answer), e.offset() - std::min(e.offset(), before.size()), e.message());
    }
    ProofReport& report = out.proofs.front();
    report.file = out.file;
    report.start = Source("answer", answer).span({0, answer.size()});
    report.lines.front().span = Source("answer", answer).span({0, answer.size()});
    if (auto& diagnosis = report.lines.front().diagnosis) diagnosis->repair.clear();  // that would be the solution
    return out;
}

}  // namespace gradproof::proof
