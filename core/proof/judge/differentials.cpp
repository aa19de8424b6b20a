// Differentials as derivatives along a line.
#include "gradproof/core/proof/judge/differentials.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/judge/other_forwards.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

// Names that no author can write.
constexpr const char* kAlong = "(how far)";
constexpr const char* kStart = " (start)";
std::string start_of(const std::string& x) { return x + kStart; }

/// Of the gradient on the left, or of one whose entry stands there; nullptr of others.
const Expr* gradient_on(const Expr& left) {
    const Expr& e = without_indices(left);
    return e.kind == Kind::gradient ? &e : nullptr;
}

/// How many lines of the forward are needed for it; of an input none.
std::size_t order_of(const Proof& proof, const std::string& name) {
    for (std::size_t i = 0; i < proof.forward.size(); ++i)
        if (proof.forward[i].name == name) return i + 1;
    return 0;
}

ExprPtr moved(const ExprPtr& e) {
    return rewritten(e, [](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::gradient) return nullptr;
        Expr out = part;
        out.kind = Kind::jacobian;
        out.other = kAlong;
        return make(std::move(out));
    });
}

/// Whether the line is about the differential of the last value, which is one number, as df = tr(A dX): by itself it has no other
/// gradient than 1.
bool is_of_last_number(const JudgedLine& line, const Proof& proof, const CheckOptions& options) {
    if (proof.forward.empty() || gradient_on(*line.left)->name != proof.forward.back().name) return false;
    if (proof.forward.back().is_loss) return true;
    const Plan plan(proof);
    return Instance(proof, plan, options.draw, 0).scope().values.at(proof.forward.back().name).value().size() == 1;
}

/// The inputs that such lines move: those whose differential stands in one; for a value between, all that it follows from, where
/// none of them does. The others are fixed, as A is in df = tr(A dX).
std::set<std::string> moved_inputs(const Proof& proof) {
    std::set<std::string> inputs, named, out;
    for (const Given& g : proof.given)
        if (g.differentiable) inputs.insert(g.name);
    for (const JudgedLine& line : proof.lines)
        if (is_differential(line, proof))
            for_each(*line.right, [&](const Expr& part) {
                if (part.kind == Kind::gradient) named.insert(part.name);
            });
    std::ranges::set_intersection(inputs, named, std::inserter(out, out.end()));
    const Plan plan(proof);
    const std::set<std::string> by_name = out;
    for (const std::string& value : named) {
        const auto reaches = [&](const std::string& x) { return plan.reaches(x, value); };
        if (inputs.contains(value) || std::ranges::any_of(by_name, reaches)) continue;
        std::ranges::copy_if(inputs, std::inserter(out, out.end()), reaches);
    }
    return out;
}

/// The proof with the other inputs as constants, and these.
std::pair<Proof, std::vector<std::string>> with_fixed(const Proof& proof) {
    std::pair<Proof, std::vector<std::string>> out{proof, {}};
    const std::set<std::string> moves = moved_inputs(proof);
    for (Given& g : out.first.given) {
        if (!g.differentiable || moves.contains(g.name)) continue;
        g.differentiable = false;
        out.second.push_back(g.name);
    }
    return out;
}

/// Whether the value on the left follows from what is not fixed: else its differential is 0.
bool moves(const JudgedLine& line, const Proof& with_constants) {
    const Plan plan(with_constants);
    return std::ranges::any_of(with_constants.given, [&](const Given& g) {
        return g.differentiable && plan.reaches(g.name, gradient_on(*line.left)->name);
    });
}

/// dX, and not ∂L/∂X.
bool is_by_name(const JudgedLine& line, const Proof& proof) {
    if (!line.is_judged() || line.type != JudgedLine::Type::claim) return false;
    const Expr* left = gradient_on(*line.left);
    if (left == nullptr) return false;
    const std::string_view text = proof.source->slice(left->span);
    for (const std::string_view fraction :
         {"∂", "∇", "\\frac", "\\dfrac", "\\partial", "\\nabla", "\\pdv", "\\dv", "grad", "dL/", "dLoss/"})
        if (text.starts_with(fraction)) return false;
    return true;
}

}  // namespace

std::optional<std::vector<ExprPtr>> declared_shape(const Given& g) {
    if (!g.value) return g.shape;
    std::vector<ExprPtr> out;
    for (const Expr* e = g.value.get(); e->kind == Kind::array; e = e->children[0].get()) {
        if (e->children.empty()) return std::nullopt;
        out.push_back(number(static_cast<double>(e->children.size())));
    }
    const bool numbers = !any_part(*g.value, [](const Expr& e) { return e.kind == Kind::call || e.kind == Kind::name; });
    return numbers ? std::optional(out) : std::nullopt;
}

bool names_what_moves(std::string_view text) { return text.find(kAlong) != text.npos || text.find(kStart) != text.npos; }

bool is_differential(const JudgedLine& line, const Proof& proof) {
    if (!is_by_name(line, proof)) return false;
    const std::size_t order = order_of(proof, gradient_on(*line.left)->name);
    bool any = false, earlier = true;
    for_each(*line.right, [&](const Expr& part) {
        if (part.kind != Kind::gradient) return;
        any = true;
        earlier = earlier && order_of(proof, part.name) < order;
    });
    return any && earlier;
}

std::optional<Proof> moving(const Proof& proof, const std::vector<JudgedLine>& lines, const ShapeOf& shape_of) {
    Proof out = proof;
    out.lines.clear();
    out.given.clear();
    std::vector<Assignment> starts;
    for (const Given& g : proof.given) {
        out.given.push_back(g);
        if (!g.differentiable) continue;
        const std::optional<std::vector<ExprPtr>> shape = shape_of(g);
        if (!shape) return std::nullopt;
        out.given.back().name = start_of(g.name);
        Given by;
        by.name = "d" + g.name;
        by.span = g.span;
        by.differentiable = false;
        by.shape = *shape;
        if (g.fill == Fill::symmetric || g.fill == Fill::definite) by.fill = Fill::symmetric;
        out.given.push_back(by);
        const ExprPtr at = sum(name(start_of(g.name)), '+', product(name(kAlong), '*', name(by.name)));
        starts.push_back({g.name, {}, at, {g.span, proof.source->line(g.span.begin)}});
    }
    Given along;
    along.name = kAlong;
    along.fill = Fill::uniform;
    along.parameters = {number(0.001), number(0.002)};
    out.given.push_back(along);
    out.forward.insert(out.forward.begin(), starts.begin(), starts.end());
    for (const JudgedLine& line : lines) {
        JudgedLine as_derivative = line;
        as_derivative.left = moved(line.left);
        as_derivative.right = moved(line.right);
        as_derivative.link = 0;
        out.lines.push_back(std::move(as_derivative));
    }
    return out;
}

Bindings moving(const Bindings& bound) {
    Bindings out = bound;
    for (const auto& [name, value] : bound) out.insert_or_assign(start_of(name), value);
    return out;
}

namespace {

/// Whether a line that is right as a gradient is written as others are that are read as differentials: dx = A^T dy and
/// dy = y behind dy = A dx.
bool is_written_as_differential(const Proof& proof, const ProofReport& report, std::size_t line) {
    const LineReport& r = report.lines[line];
    const auto is_read_so = [](const LineReport& other) { return other.read_as.starts_with("read as differentials"); };
    if (!is_typeset(proof.lines[line].language) || r.verdict != Verdict::right || r.unread || r.skipped || is_read_so(r))
        return false;
    return is_by_name(proof.lines[line], proof) && std::ranges::any_of(report.lines, is_read_so);
}

/// Whether a program writes gradients so: what it calls dx in one line is no differential in another.
bool is_among_gradients(const Proof& proof, const ProofReport& report, std::size_t line) {
    if (!is_program(proof.lines[line].language)) return false;
    for (std::size_t i = 0; i < proof.lines.size(); ++i) {
        const LineReport& r = report.lines[i];
        if (r.is_right() && r.read_as.empty() && is_by_name(proof.lines[i], proof)) return true;
    }
    return false;
}

}  // namespace

void judge_differentials(const Proof& proof, const CheckOptions& options, ProofReport& report, const JudgeOnce& judged,
                         const std::function<bool(std::size_t)>& is_told) {
    for (std::size_t i = 0; i < proof.lines.size(); ++i) {
        LineReport& r = report.lines[i];
        if (r.unread || r.verdict == Verdict::right || !is_differential(proof.lines[i], proof)) continue;
        if (is_among_gradients(proof, report, i)) continue;
        const bool of_number = is_of_last_number(proof.lines[i], proof, options);
        auto [of, fixed] = of_number ? with_fixed(proof) : std::pair(proof, std::vector<std::string>{});
        const std::optional<Proof> along = moving(of, {proof.lines[i]});
        if (!along) continue;
        CheckOptions of_line = options;
        const bool unexplained = of_number || !r.diagnosis || r.diagnosis->mistake == Mistake::none;
        of_line.mutation = false;
        of_line.diagnose = options.diagnose && unexplained && !is_told(i);
        of_line.draw.bind = moving(options.draw.bind);
        LineReport other = judged(*along, of_line).lines[0];
        if (!of_number && other.verdict != Verdict::right) {  // of a number that is not the last value, the others are fixed too
            const auto [with_constants, constants] = with_fixed(proof);
            const std::optional<Proof> again =
                moves(proof.lines[i], with_constants) ? moving(with_constants, {proof.lines[i]}) : std::nullopt;
            if (LineReport one = again ? judged(*again, of_line).lines[0] : other; one.verdict == Verdict::right) {
                other = std::move(one);
                fixed = constants;
            }
        }
        if (other.unread || (other.verdict != Verdict::right && !unexplained)) continue;
        if (other.diagnosis && names_what_moves(other.diagnosis->repair)) other.diagnosis.reset();
        report.entries += other.entries - r.entries;
        if (other.verdict == Verdict::right || of_number) other.read_as = "read as differentials";
        if (!fixed.empty() && !other.read_as.empty()) other.read_as += fmt::format(", with {} fixed", fmt::join(fixed, ", "));
        other.kind = r.kind;
        r = std::move(other);
    }
    for (std::size_t i = 0; i < proof.lines.size(); ++i)
        if (is_written_as_differential(proof, report, i))
            tell_nothing(report.lines[i],
                         "right as a gradient, and another line here is read as differentials: write \\partial for one");
}

}  // namespace gradproof::proof
