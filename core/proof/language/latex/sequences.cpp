// Where sequences begin and end.
#include "gradproof/core/proof/language/latex/sequences.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof::latex {

void say_where_it_holds(const Equation& e, const std::string& key, const IndexRanges& ranges, Equality& to,
                        const Reading& reading, const Statements& statements) {
    const std::string index = to.left->children[1]->name;
    to.extents = ranges.extents;
    if (const std::string first = key + "_1"; ranges.holds && reading.is_defined(first)) {
        Expr begin = node(Kind::name, {}, reading.id_of(first));
        begin.spelling = reading.spelling;
        to.right = call("where", {ranges.holds, to.right, make(std::move(begin))});
    } else {
        to.holds = ranges.holds;
    }
    std::string before;  // the sequence whose entry before is used
    for_each(*to.right, [&](const Expr& part) {
        const std::string name = part.kind == Kind::index ? part.children[0]->name : "";
        const bool known = name == to.left->children[0]->name || statements.is_announced(name);
        const std::optional<IndexStep> step = known ? step_of(*part.children[1]) : std::nullopt;
        if (step && step->by < 0 && step->index == index) before = reading.spelling->names[name];
    });
    const bool begins = any_part(*to.right, [&](const Expr& part) { return part.kind == Kind::call && part.name == "where"; });
    if (reading.spelling->first == 1 && !begins && !before.empty())
        fail(reading.source, e.left->front(),
             fmt::format("nothing says what stands before the first entry of {0}: write {0}_0 = ... above it, or  % gradproof: "
                         "input {0}_0 [n]",
                         before));
}

bool is_of_the_end(const Equation& e) {
    const auto has = [](const Tokens& all, std::string_view text) {
        return std::ranges::any_of(all, [&](const Token& t) { return t.text == text; });
    };
    constexpr std::size_t kMost = 4;  // \mathbf{0}
    return e.right.size() <= kMost && has(e.right, "0") && has(*e.left, "+");
}

}  // namespace gradproof::proof::latex
