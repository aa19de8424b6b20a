// Derivations as text that can be checked, and as JSON.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/proof/derive/composites.hpp"
#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/evaluate/orientation.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/language/structured.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"

namespace gradproof::proof {
namespace {

using check::Json;

/// As it is written where that is one line without a comment.
std::string line_text(const ExprPtr& e) {
    const std::string text = text_of(*e);
    return text.find_first_of("\n#") == std::string::npos ? text : text_of(*unwritten(e));
}

std::string dim_text(const Dim& d) {
    if (!d.value) return " " + d.name;
    const bool simple = d.value->kind == Kind::number || d.value->kind == Kind::name;
    const std::string value = line_text(d.value);
    return fmt::format(" {}={}", d.name, simple ? value : "(" + value + ")");
}

/// Errors: ProofError at a line that is not read and that the loss may depend on.
void expect_forward_is_read(const Proof& proof) {
    const auto found = std::ranges::find_if(proof.lines, [&](const JudgedLine& l) {
        const bool lost = l.state == JudgedLine::State::unread || l.state == JudgedLine::State::wrong;
        const bool only_one = proof.forward.empty() && l.type == JudgedLine::Type::forward;
        return lost && (only_one || l.statement.line == proof.loss_runs_through);
    });
    if (found != proof.lines.end())
        throw ProofError(*proof.source, found->at.begin,
                         found->why + "; the loss may run through this line: no gradient can be derived without it");
}

/// How far indices run, where only the line itself says it.
std::string extents_text(const Assignment& a) {
    std::string out;
    for (const Option& o : a.extents) out += fmt::format("{}{} < {}", out.empty() ? " for " : ", ", o.name, line_text(o.value));
    return out;
}

std::string steps_text(const DerivedLine& line) {
    std::string out;
    for (const DerivedPath& p : line.paths) {
        out += fmt::format("  #   in {}\n", p.through);
        for (const RuleStep& s : p.steps)
            out +=
                fmt::format("  #     {} on {}: {} gets {}\n", s.rule->name, text_of(*s.of), text_of(*s.to), text_of(*s.gradient));
    }
    return out;
}

}  // namespace

std::string statements_of(const Proof& proof) {
    std::string out;
    if (!proof.title.empty()) out += fmt::format("title  \"{}\"\n", printable(proof.title, 400));
    for (const std::string& s : convention_statements(proof.conventions)) out += s + "\n";
    if (!proof.dims.empty()) {
        out += "dims  ";
        for (const Dim& d : proof.dims) out += dim_text(d);
        out += "\n";
    }
    for (const std::string& f : proof.functions) out += fmt::format("function {}\n", f);
    for (const Given& g : proof.given)
        if (g.name.find('(') == std::string::npos)  // no printed(S)
            out += fmt::format("{} {}\n", g.differentiable ? "input" : "const", given_text(g, g.name, line_text));
    out += "forward\n";
    for (const Assignment& a : proof.forward)
        if (!a.inner)
            out += fmt::format("{}{} = {}{}\n", a.is_loss ? "loss " : "  ", a.left(), line_text(a.value), extents_text(a));
    return out;
}

namespace {
/// What the forward may be meant as, too: A A of A^2.
std::vector<OtherForward> other_meanings(const Proof& proof) {
    try {
        return reread_forward(proof, {}).others;
    } catch (const ProofError&) {  // what does not fit together is said where it is derived
        return {};
    }
}
bool is_of_powers(const OtherForward& other) { return other.how == name(Way::matrix_powers); }
}  // namespace

Proof in_notation(const Proof& proof) {
    expect_forward_is_read(proof);
    if (proof.forward.empty()) throw ProofError(*proof.source, 0, "no forward: there is nothing to derive");
    Proof out = proof;
    out.lines.clear();
    settle_vectors(out, {});
    if (out.conventions.assumed) out.conventions.vectors = Vectors::unsaid;  // no line needs it
    if (std::ranges::any_of(other_meanings(proof), is_of_powers)) out.conventions.elementwise = true;
    const std::string plain = written(out, Notation::notation);
    const auto read = [](const std::string& text) { return read_proofs("derived.proof", text).front(); };
    try {
        const Proof typed = read(statements_of(out));
        if (written(typed, Notation::notation) == plain && other_meanings(typed).empty()) return out;
    } catch (const ProofError&) {  // it is in another language
    }
    return read(plain);
}

Proof ending_in_a_value(const Proof& proof) {
    const Proof p = written_out(in_notation(proof));
    const Assignment& last = p.forward.back();
    if (!last.is_recurrence() || last.is_loss) return p;
    const Names names = names_of(p);
    std::string copy = "out";
    while (names.defined(copy)) copy += "_";
    return read_proofs("derived.proof", statements_of(p) + fmt::format("  {} = {}\n", copy, last.name)).front();
}

std::string file_stem(const Proof& proof) {
    const std::string& file = proof.source->file();
    const std::size_t from = file.find_last_of("/\\") + 1, to = std::min(file.find('.', from), file.size());
    std::string out;
    for (const char c : file.substr(from, to - from)) {
        const auto u = static_cast<unsigned char>(c);
        out += std::isalnum(u) != 0 && u < 128 ? static_cast<char>(std::tolower(u)) : '_';
    }
    return out.empty() || std::isalpha(static_cast<unsigned char>(out[0])) == 0 ? "op_" + out : out;
}

Derivation about(const Proof& proof) {
    Derivation out;
    out.file = proof.source->file();
    out.title = proof.title;
    out.line = proof.start.line;
    out.spelling = spelling_of(proof);
    for (const Given& g : proof.given)
        if (g.hidden() && g.differentiable)
            out.made_up.push_back(fmt::format("{} is {}{}, and is computed from {}, for which the text has no name", g.behind,
                                              g.form == Fill::unit ? "a " : "", word_of_structure(g.form), g.name));
    return out;
}

std::string to_text(const Derivation& d, const DeriveStyle& style) {
    std::string out;
    for (const std::string& said : d.made_up) out += "# " + said + "\n";
    if (!d.heading.empty()) out += d.heading + "claim\n";
    if (!d.remark.empty()) out += fmt::format("{}# {}\n", d.heading.empty() ? "" : "  ", d.remark);
    for (const DerivedLine& l : d.lines) {
        if (style.steps) out += fmt::format("  # {}\n{}", l.sentence, steps_text(l));
        out += "  " + l.text + "\n";
    }
    for (const Underived& m : d.missing) out += fmt::format("  # {}{}: {}\n", d.tangents ? "d" : "∂L/∂", m.name, m.reason);
    return out;
}

std::string to_json(const Derivation& d) {
    Json lines = Json::array(), missing = Json::array();
    for (const DerivedLine& l : d.lines) {
        Json paths = Json::array();
        for (const DerivedPath& p : l.paths) {
            Json steps = Json::array();
            for (const RuleStep& s : p.steps)
                steps.push_back({{"rule", s.rule->name},
                                 {"sentence", s.rule->sentence},
                                 {"of", text_of(*s.of)},
                                 {"to", text_of(*s.to)},
                                 {"gradient", text_of(*s.gradient)}});
            paths.push_back({{"through", p.through}, {"steps", steps}});
        }
        lines.push_back({{"name", l.name},
                         {"left", text_of(*l.left)},
                         {"right", text_of(*l.right)},
                         {"rule", l.rule},
                         {"sentence", l.sentence},
                         {"paths", paths}});
        if (l.proved) lines.back()["proof"] = {{"opaque", l.proved->opaque}, {"error_log2", l.proved->error_log2}};
    }
    for (const Underived& m : d.missing) missing.push_back({{"name", m.name}, {"reason", m.reason}});
    return check::json_line(
        {{"schema", 1}, {"file", d.file}, {"line", d.line}, {"title", d.title}, {"lines", lines}, {"missing", missing}});
}

}  // namespace gradproof::proof
