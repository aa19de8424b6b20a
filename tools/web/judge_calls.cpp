// The calls of the judge: verdicts, derived lines, other notations, exercises.
#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/proof/derive/cpp.hpp"
#include "gradproof/core/proof/derive/numpy_proof.hpp"
#include "gradproof/core/proof/derive/python.hpp"
#include "gradproof/core/proof/exercises/feedback.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "tools/web/calls.hpp"

namespace gradproof::web {
namespace {

std::string file_in(const Json& question) {
    const std::string file = text_in(question, "file");
    return file.empty() ? "page.proof" : file;
}

std::vector<proof::Proof> proofs_in(const Json& question) {
    return proof::read_proofs(file_in(question), text_in(question, "text"));
}

std::string written_as(const proof::Proof& p, const std::string& as) {
    if (as == "notation") return written(p, proof::Notation::notation);
    if (as == "latex") return written(p, proof::Notation::latex);
    if (as == "markdown") return in_markdown(p);
    if (as == "numpy") return to_numpy(p);
    if (as == "torch") return to_python(p, proof::PythonTarget::torch);
    if (as == "jax") return to_python(p, proof::PythonTarget::jax);
    if (as == "cpp") return to_cpp(p);
    value_error("as: got {}, expected notation, latex, markdown, numpy, torch, jax or cpp", printable(as, 40));
}

/// Those of the text `set`, kept until another is asked of; those of the library where there is none.
const std::vector<proof::Exercise>& exercises_in(const Json& question) {
    static const std::vector<proof::Exercise> own = proof::all_exercises();
    static std::string set;
    static std::vector<proof::Exercise> of_set;
    const std::string text = text_in(question, "set");
    if (text.empty()) return own;
    if (text != set) {
        of_set = proof::read_exercises("set.proof", text);
        set = text;
    }
    return of_set;
}

/// What a report of an answer says beyond that of a claim.
Json response(const proof::Response& r, const Json& question) {
    Json out = Json::parse(to_json(r.report));
    const proof::JudgedLine& line = r.answer.proof.lines.front();
    out["read_as"] = r.answer.claim;
    if (line.is_judged())
        out["latex"] = written(*line.left, proof::Notation::latex) + " = " + written(*line.right, proof::Notation::latex);
    if (!r.question) return out;
    out["question"] = {{"kind", r.question->kind}, {"text", r.question->text}};
    if (question.value("why", false)) out["why"] = counterexample(r, proof::InstanceOptions{}.seed).text;
    if (question.value("repair", false)) out["repair"] = r.repair;
    return out;
}

}  // namespace

Json check(const Json& question) {
    const std::string file = file_in(question);
    proof::CheckOptions options;
    options.chain = question.value("chain", false);
    try {
        return Json::parse(to_json(proof::check_file(file, text_in(question, "text"), options)));
    } catch (const proof::ProofError& e) {
        return Json::parse(proof::error_json(file, e));
    }
}

Json derive(const Json& question) {
    std::string text;
    for (const proof::Proof& p : proofs_in(question)) text += (text.empty() ? "" : "\n") + to_text(proof::derive(p));
    return {{"text", text}};
}

Json print(const Json& question) {
    const std::string as = text_in(question, "as");
    std::string text;
    for (const proof::Proof& p : proofs_in(question)) text += (text.empty() ? "" : "\n") + written_as(p, as);
    return {{"text", text}};
}

Json latex(const Json& question) {
    const std::vector<proof::Proof> proofs = proofs_in(question);
    Json out = Json::array();
    for (const Json& formula : question.value("formulas", Json::array())) {
        out.push_back(nullptr);
        for (const proof::Proof& p : proofs) try {
                out.back() = proof::in_latex(formula.get<std::string>(), names_of(p));
                break;
            } catch (const proof::ProofError&) {  // of another derivation of the text, or words
            }
    }
    return out;
}

Json library(const Json&) {
    Json out = Json::array();
    for (const std::string& name : proof::library_names()) {
        const std::vector<proof::Proof> proofs = proof::read_proofs(name + ".proof", proof::library_text(name));
        out.push_back({{"name", name}, {"title", proofs.front().title}});
    }
    return out;
}

Json library_text(const Json& question) { return {{"text", proof::library_text(text_in(question, "name"))}}; }

Json exercises(const Json& question) {
    Json out = Json::array();
    for (const proof::Exercise& e : exercises_in(question)) {
        Json gradients = Json::array();
        for (const std::string& g : e.given) gradients.push_back("∂L/∂" + g);
        out.push_back({{"number", e.number},
                       {"name", e.name},
                       {"title", e.title},
                       {"difficulty", e.difficulty},
                       {"numeric", e.numeric},
                       {"statement", e.statement},
                       {"forward", e.forward},
                       {"asked", e.asked},
                       {"names", e.names},
                       {"gradients", gradients}});
    }
    return out;
}

Json hints(const Json& question) {
    const proof::Exercise e = proof::find_exercise(text_in(question, "exercise"), exercises_in(question));
    if (!question.value("own", false)) return hints_of(e);
    return std::vector<std::string>(e.hints.begin(), e.hints.end() - 1);
}

Json judge(const Json& question) {
    const proof::Exercise exercise = proof::find_exercise(text_in(question, "exercise"), exercises_in(question));
    return response(proof::respond(exercise, text_in(question, "answer")), question);
}

}  // namespace gradproof::web
