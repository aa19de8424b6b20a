// What has no value because a line of the forward has none.
#include "gradproof/core/proof/judge/lost.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"

namespace gradproof::proof {
namespace {

bool needs(const Expr& e, const std::set<std::string>& names) {
    return any_part(e, [&](const Expr& part) {
        const bool named = part.kind == Kind::name || part.kind == Kind::gradient || part.kind == Kind::jacobian;
        return named && (names.contains(part.name) || names.contains(part.other));
    });
}

}  // namespace

std::optional<std::size_t> forward_at(const Proof& proof, std::size_t offset) {
    for (std::size_t i = 0; i < proof.forward.size(); ++i)
        if (const Span s = proof.forward[i].statement.span; s.begin <= offset && offset < s.end) return i;
    return std::nullopt;
}

void lose_forward(Proof& proof, std::size_t assignment, const ProofError& e) {
    const Assignment lost = proof.forward[assignment];
    const std::string last = proof.forward.back().name;
    std::set<std::string> without_value;  // of its block, all
    for (const Assignment* a : proof.together_with(proof.forward[assignment])) without_value.insert(a->name);
    for (std::size_t i = 0; i < proof.forward.size();) {
        const Assignment& a = proof.forward[i];
        if (without_value.contains(a.name) || needs(*a.value, without_value)) {
            without_value.insert(a.name);
            proof.forward.erase(proof.forward.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            ++i;
        }
    }
    const std::string why = fmt::format("{}, in line {}, has no value", lost.name, lost.statement.line);
    for (JudgedLine& l : proof.lines) {
        if (!l.is_judged()) continue;
        const bool of_loss = contains(*l.left, Kind::gradient) || contains(*l.right, Kind::gradient);
        if (!needs(*l.left, without_value) && !needs(*l.right, without_value) && !(of_loss && without_value.contains(last)))
            continue;
        l.state = JudgedLine::State::open;
        l.why = why;
    }
    JudgedLine line;
    line.type = JudgedLine::Type::forward;
    line.statement = lost.statement;
    line.text = printable(in_one_line(proof.source->slice(lost.statement.span)), 1000);
    line.lose(e, e.message());
    // A text may mean 0 there without saying so in the formula.
    if (lost.value->spelling && e.message().find("out of range") != std::string::npos) {
        line.state = JudgedLine::State::open;
        line.why += ", as \\begin{cases} ... \\end{cases}; or say in the text that it is zero padded";
    }
    const auto behind = std::find_if(proof.lines.begin(), proof.lines.end(),
                                     [&](const JudgedLine& l) { return l.statement.span.begin > lost.statement.span.begin; });
    proof.lines.insert(behind, std::move(line));
}

}  // namespace gradproof::proof
