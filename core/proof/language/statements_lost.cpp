// Lines that cannot be read, and what is not known without them.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof {

void Statements::expect_read(const std::string& name, Span at) const {
    if (const auto lost = lost_.find(name); lost != lost_.end())
        fail(at, fmt::format("line {}, which says what {} is, is not read", lost->second, name));
}

/// What to say of a line that cannot be read: it may be that a name stands there which another lost line defines.
std::string Statements::told_of_lost(const ProofError& e) const {
    const std::string_view rest = source_->text().substr(std::min(e.offset(), source_->text().size()));
    for (const auto& [name, line] : lost_)
        if (rest.starts_with(name) && (identifier_length(rest) <= name.size() || rest[name.size()] == '_'))
            return fmt::format("line {}, which says what {} is, is not read", line, printable(name, 60));
    return e.message();
}

void Statements::lose(const LostLine& lost, const ProofError& e) {
    JudgedLine line;
    line.statement = lost.statement;
    line.type = lost.type;
    line.text = printable(lost.text, 1000);
    line.lose(e, told_of_lost(e));
    proof_.lines.push_back(std::move(line));
    const auto is_the_loss = [&](const std::string& name) { return !names_.loss.empty() && name == names_.loss; };
    if (changed_loss_ == 0 && std::ranges::any_of(lost.defines, is_the_loss)) changed_loss_ = lost.statement.line;
    for (const std::string& name : lost.defines) {
        lost_.emplace(name, lost.statement.line);
        if (name == "I") names_.has_identity = false;
    }
    if (lost.is_loss) lost_loss_ = lost.statement.line;
    if (lost.type == JudgedLine::Type::forward) behind_.push_back(lost);
}

/// Where the loss may run through lines that are not read, gradients are not known.
void Statements::leave_open() {
    int line = names_.loss.empty() ? lost_loss_ : changed_loss_;
    std::set<std::string, std::less<>> on_the_way;
    for (const Assignment& a : proof_.forward) on_the_way.insert(a.name);
    for (const Given& g : proof_.given)
        if (g.differentiable) on_the_way.insert(g.name);
    const auto is_on_the_way = [&](const std::string& name) {  // of A_ij, A is
        return on_the_way.contains(name) || on_the_way.contains(name.substr(0, name.rfind('_')));
    };
    const auto may_change_it = [&](const LostLine& l) {
        return comes_in_at_.empty() || std::ranges::find(l.defines, comes_in_at_) != l.defines.end();
    };
    for (const LostLine& l : behind_)
        if (names_.loss.empty() && may_change_it(l) && std::any_of(l.uses.begin(), l.uses.end(), is_on_the_way)) {
            on_the_way.insert(l.defines.begin(), l.defines.end());
            if (line == 0) line = l.statement.line;
        }
    proof_.loss_runs_through = line;
    for (JudgedLine& l : proof_.lines)
        if (line > 0 && l.is_judged() && (contains(*l.left, Kind::gradient) || contains(*l.right, Kind::gradient))) {
            l.state = JudgedLine::State::open;
            l.why = fmt::format("the loss may run through line {}, which is not read: say which value it is, or leave that out",
                                line);
        }
    if (std::all_of(proof_.lines.begin(), proof_.lines.end(), [](const JudgedLine& l) { return l.is_judged() || l.at.end == 0; }))
        return;
    std::stable_sort(proof_.lines.begin(), proof_.lines.end(),
                     [](const JudgedLine& a, const JudgedLine& b) { return a.statement.span.begin < b.statement.span.begin; });
}

}  // namespace gradproof::proof
