// Bodies of loops.
#include "gradproof/core/proof/language/numpy/body.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"

namespace gradproof::proof::numpy {

LoopBody::LoopBody(const Source& source, Loop over, Span body, const Names& names) : source_(source), over_(std::move(over)) {
    for (std::size_t i = body.begin; i < body.end;) {
        const std::size_t end = end_of_statement(source, i, body.end);
        const Span s = code_of(source, trimmed(source, {i, end}));
        i = end + 1;
        if (s.begin < s.end && source.text()[s.begin] != '#') statements_.push_back(s);
    }
    for (const Span s : statements_) {
        const auto [at, size] = assignment_in(source, s);
        const std::string_view left = source.slice(trimmed(source, {s.begin, std::max(at, s.begin)}));
        const std::size_t n = identifier_length(left);
        const std::string name(left.substr(0, n));
        if (size == 1 && n > 0 && left.substr(n) == "[" + over_.index + "]") rows_[name] = value_of_gradient(name, names);
    }
}

std::set<std::string, std::less<>> LoopBody::sequences() const {
    std::set<std::string, std::less<>> out;
    for (const auto& [name, of] : rows_)
        if (of.empty()) out.insert(name);
    return out;
}

void LoopBody::expect_assigned(const Expr& value, Span statement) const {
    const auto fail = [&](const std::string& text) { throw ProofError(source_, statement.begin, text); };
    for_each(value, [&](const Expr& part) {
        if (part.kind != Kind::index || part.children.size() < 2) return;
        const Expr& of = *part.children[0];
        const std::string name = of.kind == Kind::gradient ? row_of_gradient(of.name) : of.name;
        const std::optional<IndexStep> step = step_of(*part.children[1]);
        if (!step || step->index != over_.index || !rows_.contains(name)) return;
        if (over_.backwards ? step->by < 0 : step->by > 0)
            fail(fmt::format("the loop goes {}: {} of a step that is yet to come is not assigned",
                             over_.backwards ? "backwards" : "forwards", name));
        if (step->by == 0 && !assigned_.contains(name))
            fail(fmt::format("{}[{}] is used before the line that assigns it", name, over_.index));
    });
}

/// The name under which it assigns the gradient of a value: dh of h.
std::string LoopBody::row_of_gradient(const std::string& value) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) { return row.second == value; });
    return found == rows_.end() ? "" : found->first;
}

}  // namespace gradproof::proof::numpy
