// A forward that may be read in two ways.
#include "gradproof/core/proof/judge/other_forwards.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/orientation.hpp"
#include "gradproof/core/proof/judge/readings.hpp"

namespace gradproof::proof {
namespace {

/// Whether a text says of its functions that they go entry by entry.
bool says_by_entry(std::string_view text) {
    constexpr std::string_view kWords[] = {"lementwise",    "lement-wise",   "ntrywise",       "ntry-wise",    "omponentwise",
                                           "omponent-wise", "ntry by entry", "oordinate-wise", "oordinatewise"};
    return std::ranges::any_of(kWords, [&](std::string_view word) { return text.find(word) != text.npos; });
}
/// Rows of what is a square matrix; none of others.
std::optional<Index> side_of_square(const Expr& e, const Scope<double>& scope) {
    const std::optional<Shape> shape = shape_in(scope, e);
    return shape && shape->rank() == 2 && (*shape)[0] == (*shape)[1] ? std::optional((*shape)[0]) : std::nullopt;
}
/// Which matrices functions of matrices are taken of, by what stands around: \sqrt of definite ones, \exp(A) of the letters of
/// such matrices, and the exponential in \mathrm{tr}(\exp(W)) and \exp(W) x of all.
enum class Taken { root, by_letter, as_matrix };

/// A, t A and A / t of a given square matrix A of which functions of matrices are taken.
bool is_scaled_matrix(const Expr& e, const Proof& proof, const Scope<double>& scope, Taken taken) {
    constexpr std::string_view kFunctionsOf[] = {"A", "B", "G", "H", "J", "M", "X", "Ω", "Sigma"};
    if (e.kind == Kind::name) {
        const auto given = std::ranges::find(proof.given, e.name, &Given::name);
        if (given == proof.given.end()) return false;
        const bool definite = given->fill == Fill::definite || e.name.starts_with("Sigma");
        if (taken == Taken::root) return definite;
        return taken == Taken::as_matrix || std::ranges::find(kFunctionsOf, e.name) != std::end(kFunctionsOf);
    }
    if (e.kind == Kind::negate) return is_scaled_matrix(*e.children[0], proof, scope, taken);
    if (e.kind != Kind::product) return false;
    std::size_t matrices = 0;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        if (rank_in(scope, *e.children[i]).value_or(2) == 0) continue;
        if (e.joints[i] == '/' || !is_scaled_matrix(*e.children[i], proof, scope, taken)) return false;
        ++matrices;
    }
    return matrices == 1 || (matrices > 1 && taken == Taken::as_matrix);  // \exp(W \odot W)
}
/// Of \exp(t A), \cos(A), \log A and \sqrt{\Sigma} of a square matrix that is given.
std::string other_function(const Expr& e, const Proof& proof, const Scope<double>& scope, bool as_matrix) {
    constexpr std::string_view kFunctions[] = {"exp", "log", "sin", "cos", "sinh", "cosh", "sqrt"};
    if (e.kind != Kind::call || e.children.size() != 1 || std::ranges::find(kFunctions, e.name) == std::end(kFunctions))
        return "";
    if (side_of_square(*e.children[0], scope).value_or(1) == 1) return "";
    const Taken taken = e.name == "sqrt" ? Taken::root : as_matrix ? Taken::as_matrix : Taken::by_letter;
    if (says_by_entry(proof.source->text()) || !is_scaled_matrix(*e.children[0], proof, scope, taken)) return "";
    return fmt::format("{} is read entry by entry here, and may be a function of the matrix: say that it is taken elementwise",
                       text_of(e));
}
/// Of the factors of \exp(W) x, and of the argument of a trace or determinant.
std::string other_function_within(const Expr& e, const Proof& proof, const Scope<double>& scope) {
    constexpr std::string_view kOfMatrices[] = {"trace", "det", "logdet", "inverse"};
    const bool of_matrix = e.kind == Kind::call && std::ranges::find(kOfMatrices, e.name) != std::end(kOfMatrices);
    if (!of_matrix && e.kind != Kind::product) return "";
    const auto multiplies = [&](std::size_t i, std::size_t next) {
        return next < e.children.size() && e.joints[std::max(i, next)] == '@' &&
               rank_in(scope, *e.children[next]).value_or(0) > 0;
    };
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        if (!of_matrix && !multiplies(i, i - 1) && !multiplies(i, i + 1)) continue;  // there is none before the first
        if (std::string meaning = other_function(*e.children[i], proof, scope, true); !meaning.empty()) return meaning;
    }
    return "";
}

/// Of X = e^Y that is written Y = \log X, of square matrices.
std::string other_logarithm(const Assignment& a, const Proof& proof, const Scope<double>& scope) {
    const std::string_view text = proof.source->slice(a.statement.span);
    const bool inverted = a.value->kind == Kind::call && a.value->name == "exp" && text.find("\\log") != text.npos;
    if (!inverted || !side_of_square(*a.value, scope) || says_by_entry(proof.source->text())) return "";
    return "the logarithm is read entry by entry here, and may be that of a matrix: say that it is taken elementwise";
}

/// Of e^{A} and W^n of a square matrix, which is drawn so: what else it may mean. "" of others.
std::string other_meaning(const Expr& e, const Proof& proof, const Scope<double>& scope) {
    const Source& source = *proof.source;
    const bool exponential = e.kind == Kind::call && e.name == "exp" && source.slice(e.span).starts_with("e");
    const bool power = e.kind == Kind::power && !is_number(*e.children[1]);
    if (!exponential && !power) {
        std::string meaning = other_function(e, proof, scope, false);
        return meaning.empty() ? other_function_within(e, proof, scope) : meaning;
    }
    if (side_of_square(*e.children[0], scope).value_or(1) == 1) return "";
    return fmt::format("{} is read entry by entry here, and may be {}", text_of(e),
                       exponential ? "the matrix exponential: for entries write \\exp and that it is taken elementwise"
                                   : "a product of matrices: write it out");
}

/// \exp(A) and e^A.
bool same_exp(const Expr& a, const Expr& b) {
    const bool both = a.kind == Kind::call && b.kind == Kind::call && a.name == "exp" && b.name == "exp";
    return both && text_of(*a.children[0]) == text_of(*b.children[0]);
}

/// Whether what a line claims does not hang on how this value is computed.
bool stands_behind(const Proof& proof, const JudgedLine& line, const std::string& value) {
    const Expr& left = *line.left;
    const std::size_t order = proof.order_of(value);
    const bool goes_through = any_part(*line.right, [&](const Expr& e) {  // \partial L / \partial Y in a line by X = e^Y
        return e.kind == Kind::gradient && proof.order_of(e.name) < order;
    });
    if (goes_through) return false;
    if (left.kind != Kind::jacobian || proof.order_of(left.name) == 0) return proof.order_of(left.name) >= order;
    return proof.order_of(left.other) >= order || proof.order_of(left.name) < order;
}

/// The same of what a line of the forward computes.
std::string other_meaning_of(const Assignment& a, const Proof& proof, const Scope<double>& scope) {
    if (!a.value->spelling) return "";
    std::string meaning;
    for_each(*a.value, [&](const Expr& e) {
        if (meaning.empty()) meaning = other_meaning(e, proof, scope);
    });
    if (meaning.empty()) meaning = other_logarithm(a, proof, scope);
    return meaning.empty() ? "" : fmt::format("line {}: {}", a.statement.line, meaning);
}

/// Nothing is told of lines that hang on such a value, or that have one.
void judge_matrix_functions(const Proof& proof, const Scope<double>& scope, ProofReport& report) {
    for (std::size_t i = 0; i < report.lines.size() && i < proof.lines.size(); ++i) {
        const JudgedLine& line = proof.lines[i];
        if (!line.is_judged() || !line.right->spelling || report.lines[i].verdict == Verdict::cannot_tell) continue;
        std::string meaning;
        const auto is_known = [&](const Expr& e) {  // e^A of y = \exp(A) x
            return std::ranges::any_of(proof.forward, [&](const Assignment& a) {
                return any_part(*a.value, [&](const Expr& part) { return text_of(part) == text_of(e) || same_exp(part, e); });
            });
        };
        for_each(*line.right, [&](const Expr& e) {
            if (meaning.empty() && !is_known(e)) meaning = other_meaning(e, proof, scope);
        });
        if (!meaning.empty()) tell_nothing(report.lines[i], std::move(meaning));
    }
    for (const Assignment& a : proof.forward) {
        const std::string meaning = other_meaning_of(a, proof, scope);
        if (meaning.empty()) continue;
        for (std::size_t i = 0; i < report.lines.size() && i < proof.lines.size(); ++i) {
            const JudgedLine& line = proof.lines[i];
            LineReport& r = report.lines[i];
            const bool behind = line.is_judged() && stands_behind(proof, line, a.name);
            if (!line.is_judged() || behind || r.verdict == Verdict::cannot_tell) continue;
            tell_nothing(r, meaning);
        }
    }
}

}  // namespace

void tell_nothing(LineReport& r, std::string reason) {
    r.reason = std::move(reason);
    r.verdict = Verdict::cannot_tell;
    r.diagnosis.reset();
    r.proved.reset();
    r.worst.reset();
    r.read_as.clear();
    r.derived.clear();
}

std::string told_of_reading(check::Verdict here, check::Verdict there, const OtherForward& other) {
    return fmt::format("it is {} with line {} as it is read here, and {} with {}: {}", check::name(here), other.line,
                       check::name(there), other.how, other.clearly);
}

void judge_other_forwards(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    const auto is_claim = [](const JudgedLine& l) { return l.is_judged() && l.type != JudgedLine::Type::expect; };
    const auto claimed = std::find_if(proof.lines.begin(), proof.lines.end(), is_claim);
    const bool latex = is_typeset(proof);
    if ((!latex && !is_in_notation(proof)) || claimed == proof.lines.end() || options.chain) return;
    const Plan plan(proof, options.draw.bind);
    std::vector<std::unique_ptr<Instance>> draws;
    draws.push_back(std::make_unique<Instance>(proof, plan, options.draw, 0));
    if (latex && !proof.conventions.elementwise) judge_matrix_functions(proof, draws.front()->scope(), report);
    CheckOptions quick = options;
    quick.mutation = quick.diagnose = false;
    for (const OtherForward& other : other_forwards(Claim(*claimed, proof, draws))) {
        ProofReport read_so;
        try {
            read_so = check_proof(other.proof, quick);
        } catch (const ProofError&) {  // it does not fit together so
            continue;
        }
        if (read_so.lines.size() != report.lines.size()) continue;  // a line of its forward is lost
        for (std::size_t i = 0; i < report.lines.size(); ++i) {
            LineReport& r = report.lines[i];
            const bool right = r.verdict == Verdict::right, right_so = read_so.lines[i].verdict == Verdict::right;
            if (r.unread || r.skipped || read_so.lines[i].unread || right == right_so) continue;
            if (other.may_mean && !other.may_mean(proof.lines[i], right)) continue;
            if (r.verdict == Verdict::cannot_tell || read_so.lines[i].verdict == Verdict::cannot_tell) continue;
            tell_nothing(r, told_of_reading(r.verdict, read_so.lines[i].verdict, other));
        }
    }
}

Reread reread_forward(const Proof& proof, const Bindings& bindings) {
    Reread out;
    if ((!is_typeset(proof) && !is_in_notation(proof)) || proof.forward.empty()) return out;
    Proof forward = proof;
    forward.lines.clear();
    const Plan plan(forward, bindings);
    std::vector<std::unique_ptr<Instance>> draws;
    draws.push_back(std::make_unique<Instance>(forward, plan, InstanceOptions{.bind = bindings}, 0));
    for (const Assignment& a : forward.forward)
        if (out.doubt.empty() && !proof.conventions.elementwise) out.doubt = other_meaning_of(a, forward, draws.front()->scope());
    JudgedLine line;
    line.left = line.right = name(forward.forward.back().name);
    out.others = other_forwards(Claim(line, forward, draws));
    return out;
}

void judge_other_losses(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    if (proof.forward.empty() || options.chain || options.draw.cotangent.defined() || options.draw.last_row_alone) return;
    const Assignment& last = proof.forward.back();
    const auto is_wrong = [](const LineReport& r) { return r.verdict == Verdict::wrong; };
    if (last.is_loss || !last.is_recurrence() || !last.value->spelling || std::ranges::none_of(report.lines, is_wrong)) return;
    Expr its_name = node(Kind::name, {}, last.name);
    its_name.spelling = last.value->spelling;
    CheckOptions of_last_row = options;
    of_last_row.mutation = of_last_row.diagnose = false;
    of_last_row.draw.last_row_alone = true;
    const ProofReport other = check_proof(proof, of_last_row);
    for (std::size_t i = 0; i < report.lines.size() && i < other.lines.size(); ++i) {
        LineReport& r = report.lines[i];
        if (r.verdict != Verdict::wrong || r.unread || r.skipped || other.lines[i].verdict != Verdict::right) continue;
        const std::string read_as = r.read_as;
        tell_nothing(r, fmt::format("right if the loss depends on the last row of {0} alone, and wrong if on every row: say "
                                    "what it is, as L = ... of {0}",
                                    text_of(its_name)));
        r.read_as = read_as;
    }
}

}  // namespace gradproof::proof
