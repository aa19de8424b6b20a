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
    std::string defines{};         ///< a name without its scripts; "" for nothing new
    std::set<std::string> uses{};  ///< such names, of what it defines
};

std::vector<Unit> units_of(const std::vector<Equation>& equations, const Reading& reading) {
    std::vector<Unit> out;
    for (std::size_t i = 0; i < equations.size(); ++i) {
        const Equation& e = equations[i];
        if (!e.chained || out.empty()) {
            out.push_back({i, i});
            const NameParts left = name_at(reading, *e.left, 0);
            const bool arguments = left.end < e.left->size() && (*e.left)[left.end].is_symbol("(");
            const bool whole = left.end == e.left->size() || arguments;
            if (whole && !names_a_value(reading, left) && !is_gradient(reading, left)) out.back().defines = left.base;
        }
        Unit& unit = out.back();
        unit.end = i + 1;
        for (std::size_t k = 0; k < e.right.size() && !unit.defines.empty(); ++k) {
            const NameParts used = name_at(reading, e.right, k);
            if (!used.base.empty() && !names_a_value(reading, used)) unit.uses.insert(used.base);
        }
    }
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
        out_.insert(out_.end(), begin, open_.end());
        open_.erase(begin, open_.end());
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
