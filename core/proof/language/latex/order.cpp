// The order of equations: by what each defines and uses, as strongly connected components (Tarjan 1972).
#include "gradproof/core/proof/language/latex/order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "gradproof/core/proof/language/latex/left_side.hpp"

namespace gradproof::proof::latex {
namespace {

/// An equation with the links of its chain.
struct Unit {
    std::size_t begin, end;
    std::string defines{};         ///< the key of a name; "" for nothing new
    std::set<std::string> uses{};  ///< keys of names that units define
    std::set<std::string> now{};   ///< those of them that stand without a step, h_t and not h_{t-1} alone
};

/// Of h_t = ... h, of W_h = ... W_h; "" of what is known, and of what is no name.
std::string defined_by(const Equation& e, const Reading& reading) {
    const NameParts left = name_at(reading, *e.left, 0);
    const bool whole = left.end == e.left->size() || (*e.left)[left.end].is_symbol("(");
    const bool known = names_a_value(reading, left) && !has_name_of_its_own(reading, left, e.right);
    if (left.base.empty() || !whole || known || is_gradient(reading, left)) return "";
    return left.key(left.has_above, left.has_below && indices_of(reading, left, e.right).empty(), left.primed);
}

/// The names that stand there, each with as many of its scripts as one of `defined` or a known value has.
void add_uses(const Tokens& tokens, const Reading& reading, const std::set<std::string>& defined, Unit& unit) {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        const NameParts p = name_at(reading, tokens, at);
        if (p.base.empty()) continue;
        bool found = false;
        const bool group = tokens[at].kind == Token::Kind::opening;
        if (group && !defined.contains(p.base) && !reading.is_defined(p.base)) continue;  // what stands in it, one by one
        at = p.base_end - 1;
        for (const bool above : {true, false})
            for (const bool below : {true, false}) {
                if (found || (above && !p.has_above) || (below && !p.has_below)) continue;
                const std::string key = p.key(above, below, p.primed);
                found = !key.empty() && (defined.contains(key) || reading.is_defined(key));
                if (defined.contains(key)) unit.uses.insert(key);
                if (defined.contains(key) && !is_at_step(p)) unit.now.insert(key);
                if (found && above == p.has_above && below == p.has_below) at = p.end - 1;  // its scripts are no names
            }
    }
}

std::vector<Unit> units_of(const std::vector<Equation>& equations, const Reading& reading) {
    std::vector<Unit> out;
    std::set<std::string> defined;
    for (std::size_t i = 0; i < equations.size(); ++i) {
        if (!equations[i].chained || out.empty()) out.push_back({i, i, defined_by(equations[i], reading)});
        out.back().end = i + 1;
        if (!out.back().defines.empty()) defined.insert(out.back().defines);
    }
    for (Unit& unit : out)
        for (std::size_t i = unit.begin; i < unit.end && !unit.defines.empty(); ++i)
            add_uses(equations[i].right, reading, defined, unit);
    return out;
}

class Order {
  public:
    explicit Order(const std::vector<Unit>& units) : units_(units), states_(units.size()) {
        for (std::size_t i = 0; i < units.size(); ++i)
            if (!units[i].defines.empty()) first_.emplace(units[i].defines, i);
    }
    std::vector<std::size_t> run() {
        for (std::size_t i = 0; i < units_.size(); ++i)
            if (states_[i].number == 0) visit(i);
        return std::move(out_);
    }

  private:
    struct State {
        std::size_t number = 0, lowest = 0;
        bool open = false;
    };

    /// Puts behind the others what hangs together with unit i, after all that it uses.
    void visit(std::size_t i) {
        State& own = states_[i];
        own = {++count_, count_, true};
        open_.push_back(i);
        for (const std::string& name : units_[i].uses) {
            const auto found = first_.find(name);
            if (found == first_.end() || found->second == i) continue;
            const std::size_t used = found->second;
            if (states_[used].number == 0) visit(used);
            if (states_[used].open) own.lowest = std::min(own.lowest, states_[used].lowest);
        }
        if (own.lowest != own.number) return;
        const auto begin = std::find(open_.begin(), open_.end(), i);
        std::sort(begin, open_.end());
        for (auto one = begin; one != open_.end(); ++one) states_[*one].open = false;
        put_together({begin, open_.end()});
        open_.erase(begin, open_.end());
    }
    /// Sequences that use each other: each behind those that it uses at the same step, else as they stand.
    void put_together(std::vector<std::size_t> all) {
        const auto may_come = [&](std::size_t unit) {
            return std::ranges::none_of(
                all, [&](std::size_t other) { return other != unit && units_[unit].now.contains(units_[other].defines); });
        };
        while (!all.empty()) {
            auto next = std::ranges::find_if(all, may_come);
            if (next == all.end()) next = all.begin();
            out_.push_back(*next);
            all.erase(next);
        }
    }

    const std::vector<Unit>& units_;
    std::map<std::string, std::size_t> first_;  ///< that defines a name
    std::vector<State> states_;
    std::vector<std::size_t> open_, out_;
    std::size_t count_ = 0;
};

}  // namespace

void put_in_order(std::vector<Equation>& equations, const Reading& reading) {
    constexpr std::size_t kMost = 1000;  // the depth of a search
    if (equations.size() > kMost) return;
    if (!std::ranges::all_of(equations, [](const Equation& e) { return e.left && e.note.kind != Token::Kind::note; })) return;
    const std::vector<Unit> units = units_of(equations, reading);
    std::vector<Equation> out;
    for (const std::size_t i : Order(units).run())
        for (std::size_t k = units[i].begin; k < units[i].end; ++k) out.push_back(std::move(equations[k]));
    equations = std::move(out);
}

}  // namespace gradproof::proof::latex
