// Sequences that use each other: a[t] = ... h[t-1] ..., h[t] = ... a[t] ...
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/statements.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {

/// The sequences that its value has entries of and that later lines define.
std::vector<std::string> Statements::announced_in(const Assignment& a) const {
    std::vector<std::string> out;
    for_each(*a.value, [&](const Expr& part) {
        if (part.kind != Kind::name || part.name == a.name || !is_announced(part.name)) return;
        if (!a.indices.empty() && std::ranges::find(out, part.name) == out.end()) out.push_back(part.name);
    });
    return out;
}

/// A block begins with the first that uses one of a later line, and ends with the last that is waited for.
void Statements::join_block(Assignment& a, const std::vector<std::string>& ahead) {
    if (ahead.empty() && block_.empty()) return;
    if (a.indices.empty())
        fail(a.statement.span, fmt::format("{} stands between the steps of {}, which go on below: put it before or behind them",
                                           a.name, proof_.find(block_)->left()));
    const std::vector<std::string>& indices = block_.empty() ? a.indices : proof_.find(block_)->indices;
    if (a.indices[0] != indices[0])
        fail(a.statement.span,
             fmt::format("{} is one of several sequences that use each other: these go by one and the same index, as h[t] and "
                         "s[t,i]",
                         a.left()));
    if (block_.empty()) block_ = a.name;
    a.block = block_;
    awaited_.insert(ahead.begin(), ahead.end());
    awaited_.erase(a.name);
    if (awaited_.empty()) block_.clear();
}

/// Without the lines that its steps wait for, a block has no values: its lines are lost.
void Statements::expect_block_closed() {
    if (block_.empty()) return;
    const std::string block = std::exchange(block_, ""), missing = *awaited_.begin();
    awaited_.clear();
    const Assignment first = *proof_.find(block);
    const ProofError error(*source_, first.value->span.begin,
                           fmt::format("{} stands in {}, and no line that is read says what it is", missing, first.left()));
    if (refuses()) throw error;
    for (const Assignment& a : proof_.forward) {
        if (a.block != block) continue;
        names_.values.erase(a.name);
        lose({a.statement, JudgedLine::Type::forward, std::string(source_->slice(a.statement.span)), {a.name}, {}, a.is_loss},
             error);
    }
    std::erase_if(proof_.forward, [&](const Assignment& a) { return a.block == block; });
}

}  // namespace gradproof::proof
