// Losses of texts that state none.
#include "gradproof/core/proof/language/upstream.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/linear_size.hpp"

namespace gradproof::proof {
namespace {

using Values = std::set<std::string>;

void add_gradients_in(const ExprPtr& e, Values& to) {
    if (e)
        for_each(*e, [&](const Expr& part) {
            if (part.kind == Kind::gradient) to.insert(part.name);
        });
}
Values gradients_in(const JudgedLine& line) {
    Values out;
    for (const ExprPtr& side : {line.left, line.right}) add_gradients_in(side, out);
    return out;
}

/// The value and all that it is computed from, but by way of none of these.
Values leading_to(const std::string& value, const Proof& whole, const Values& through = {}) {
    Values reached{value};
    for (std::size_t round = 0; round < 2; ++round)  // the values of a block use each other
        for (auto a = whole.forward.rbegin(); a != whole.forward.rend(); ++a)
            if (reached.contains(a->name) && !through.contains(a->name)) reached.merge(names_in(*a->value));
    return reached;
}

class Upstream {
  public:
    explicit Upstream(const Proof& whole) : whole_(whole) {
        Values used;
        for (const JudgedLine& line : whole.lines) add_gradients_in(line.right, used);
        for (auto a = whole.forward.rbegin(); a != whole.forward.rend(); ++a)
            if (used.contains(a->name) && ends_of(a->name).empty()) {
                const Values one{a->name};
                for (const std::string& name : leading_to(a->name, whole)) ends_[name].insert(a->name);
            }
    }
    /// What the gradients of a line come from: those of the values that lines use and that are behind all others.
    const Values& ends_of(const std::string& name) const {
        static const Values none;
        const auto found = ends_.find(name);
        return found == ends_.end() ? none : found->second;
    }
    /// For each line the values whose gradients it needs.
    std::vector<Values> groups() const {
        std::vector<Values> out;
        for (const JudgedLine& line : whole_.lines) {
            Values used, ends;
            add_gradients_in(line.right, used);
            for (const std::string& name : used)
                if (ends_of(name).size() == 1) ends.insert(*ends_of(name).begin());
            out.push_back(ends);
        }
        join(out);
        for (std::size_t i = 0; i < out.size(); ++i)
            if (out[i].empty()) out[i] = i > 0 ? out[i - 1] : first_of(out);
        return out;
    }
    /// A gradient of the line that does not lead to any of these; "" where all do.
    std::string apart(const JudgedLine& line, const Values& ends) const {
        for (const std::string& name : gradients_in(line))
            if (std::ranges::none_of(ends_of(name), [&](const std::string& end) { return ends.contains(end); })) return name;
        return "";
    }

    /// A value behind all others that a line uses which is not read, where this gradient leads to it and none of the ends; "".
    std::string open_end(const JudgedLine& claim, const Values& ends) const {
        for (const Assignment& a : whole_.forward) {
            if (ends.contains(a.name) || a.name.size() != 1 || !is_last(a.name) || !stands_in_a_lost_line(a.name)) continue;
            const Values leads = leading_to(a.name, whole_);
            Values claimed;
            add_gradients_in(claim.left, claimed);
            if (std::ranges::any_of(claimed, [&](const std::string& name) { return leads.contains(name); })) return a.name;
        }
        return "";
    }

  private:
    bool is_last(const std::string& value) const {
        return std::ranges::none_of(whole_.forward, [&](const Assignment& a) { return mentions(*a.value, value); });
    }
    /// V of O = P V; of \softmax no letter.
    bool stands_in_a_lost_line(const std::string& letter) const {
        return std::ranges::any_of(whole_.lines, [&](const JudgedLine& line) {
            if (line.type != JudgedLine::Type::forward) return false;
            bool command = false;
            for (const char c : line.text.substr(std::min(line.text.find('='), line.text.size()))) {
                command = c == '\\' || (command && std::isalpha(static_cast<unsigned char>(c)) != 0);
                if (!command && c == letter[0]) return true;
            }
            return false;
        });
    }
    /// Values that one line uses together belong together everywhere.
    static void join(std::vector<Values>& groups) {
        for (bool changed = true; changed;) {
            changed = false;
            for (Values& a : groups)
                for (const Values& b : groups) {
                    const std::size_t before = a.size();
                    if (std::ranges::any_of(b, [&](const std::string& name) { return a.contains(name); }))
                        a.insert(b.begin(), b.end());
                    changed = changed || a.size() > before;
                }
        }
    }
    static Values first_of(const std::vector<Values>& groups) {
        const auto first = std::ranges::find_if(groups, [](const Values& g) { return !g.empty(); });
        return first == groups.end() ? Values{} : *first;
    }

    const Proof& whole_;
    std::map<std::string, Values> ends_;
};

/// Whether two stand in one display or sentence, before a place.
bool stand_together(const Assignment& a, const Assignment& b, std::size_t before, const Source& source) {
    const std::size_t first = std::min(a.statement.span.begin, b.statement.span.begin),
                      last = std::max(a.statement.span.begin, b.statement.span.begin);
    const std::string_view between = source.slice({first, last});
    const auto has = [&](std::string_view mark) { return between.find(mark) != between.npos; };
    return last < before && !has("\\]") && !has("\\end") && !has("$$") && !has("\n\n") && !has(". ");
}

/// Values that the loss of a text depends on, most likely: those whose gradients its lines use, and what is computed last of these
/// or stands beside them.
class Beside {
  public:
    explicit Beside(const Proof& whole) : whole_(whole) {
        for (const JudgedLine& line : whole.lines) add_gradients_in(line.right, used_);
    }
    /// The one of them that x leads to by way of none of these; "" where there is none.
    std::string value(const std::string& x, const Values& ends, const Values& through, const JudgedLine& line) const {
        for (const Assignment& a : whole_.forward) {
            const bool counts = used_.contains(a.name) || (is_last(a) && !names_a_part(a) && belongs_to(ends, a, line));
            if (a.name[0] == '(' || ends.contains(a.name) || a.name == x || !counts || leads_to(ends, a.name)) continue;
            if (leading_to(a.name, whole_, through).contains(x)) return a.name;
        }
        return "";
    }

  private:
    bool is_last(const Assignment& value) const {
        return std::ranges::none_of(whole_.forward,
                                    [&](const Assignment& a) { return a.name != value.name && mentions(*a.value, value.name); });
    }
    /// z = W x beside y = \phi(W x): a name for what stands there.
    bool names_a_part(const Assignment& value) const {
        const std::string text = text_of(*value.value);
        return std::ranges::any_of(whole_.forward, [&](const Assignment& a) {
            return a.name != value.name && any_part(*a.value, [&](const Expr& part) { return text_of(part) == text; });
        });
    }
    bool leads_to(const Values& ends, const std::string& name) const {
        return std::ranges::any_of(ends, [&](const std::string& end) { return leading_to(end, whole_).contains(name); });
    }
    bool belongs_to(const Values& ends, const Assignment& last, const JudgedLine& line) const {
        const Values all = leading_to(last.name, whole_);
        return std::ranges::any_of(ends, [&](const std::string& end) {
            const Assignment* const a = whole_.find(end);
            return all.contains(end) || (a != nullptr && stand_together(*a, last, line.statement.span.begin, *whole_.source));
        });
    }
    const Proof& whole_;
    Values used_;
};

/// How far an index of a sequence runs, as the inputs show that have it; nullptr where none has.
ExprPtr size_of_index(const Assignment& a, const std::string& index, const Proof& proof) {
    ExprPtr out;
    for_each(*a.value, [&](const Expr& e) {
        if (e.kind != Kind::index || out) return;
        const auto given = std::ranges::find(proof.given, e.children[0]->name, &Given::name);
        for (std::size_t k = 1; given != proof.given.end() && k < e.children.size() && k <= given->shape.size(); ++k)
            if (e.children[k]->kind == Kind::name && e.children[k]->name == index) out = given->shape[k - 1];
    });
    return out;
}

/// The shape of a value, by the sizes that the text has.
std::optional<std::vector<ExprPtr>> shape_of(const std::string& value, const Proof& proof) {
    const std::optional<AxisNames> axes = axis_names(value, proof);
    if (!axes) return std::nullopt;
    std::vector<ExprPtr> out;
    const Assignment* const a = proof.find(value);
    for (std::size_t i = 0; i < axes->size(); ++i) {
        const std::string& axis = (*axes)[i];
        if (const ExprPtr size = a && i < a->indices.size() ? size_of_index(*a, a->indices[i], proof) : nullptr) {
            out.push_back(size);
            continue;
        }
        const std::optional<Linear> size = linear_in(axis);
        const bool number = size && size->size() == 1 && size->begin()->first.empty();
        if (!number && std::ranges::find(proof.dims, axis, &Dim::name) == proof.dims.end()) return std::nullopt;
        out.push_back(number ? proof::number(size->begin()->second) : name(axis));
    }
    return out;
}

}  // namespace

void doubt_beside(const Values& ends, const Proof& whole, std::vector<JudgedLine>& lines) {
    if (whole.source->text().find("gradproof: forward") != std::string_view::npos)
        return;  // its last value is what the loss is of
    const Beside beside(whole);
    for (JudgedLine& line : lines) {
        if (!line.is_judged() || !line.left->spelling || line.type == JudgedLine::Type::expect) continue;
        Values claimed, through = ends;
        add_gradients_in(line.left, claimed);
        add_gradients_in(line.right, through);
        for (const std::string& x : claimed)
            if (const std::string other = ends.contains(x) ? "" : beside.value(x, ends, through, line); !other.empty()) {
                line.doubt = fmt::format(
                    "no loss is stated, and {} follows from {} by another path than through {}: say what the loss "
                    "is a function of",
                    other, x, fmt::join(through, " or "));
            }
    }
}

bool is_of_added_loss(const Given& g) { return g.name.starts_with("upstream("); }

bool add_loss_of(const Values& values, Proof& to) {
    Expr loss = node(Kind::sum);
    std::vector<Given> upstream;
    for (const std::string& v : values) {
        std::optional<std::vector<ExprPtr>> shape = shape_of(v, to);
        if (!shape) return false;
        Given g;
        g.name = fmt::format("upstream({})", v);
        g.span = to.find(v)->statement.span;
        g.differentiable = false;
        g.shape = *std::move(shape);
        loss.children.push_back(call("sum", {product(name(g.name), '*', name(v))}));
        loss.joints += '+';
        upstream.push_back(std::move(g));
    }
    Assignment a;
    a.name = "(loss)";
    a.value = loss.children.size() == 1 ? loss.children[0] : make(std::move(loss));
    a.statement = to.forward.back().statement;
    a.is_loss = true;
    std::move(upstream.begin(), upstream.end(), std::back_inserter(to.given));
    to.forward.push_back(std::move(a));
    return true;
}

namespace {

bool all_lead_to_the_last(const Proof& p) {
    Values spoken_of, reached{p.forward.back().name};
    for (const JudgedLine& line : p.lines) spoken_of.merge(gradients_in(line));
    for (auto a = p.forward.rbegin(); a != p.forward.rend(); ++a)
        if (reached.contains(a->name)) reached.merge(names_in(*a->value));
    return std::ranges::all_of(spoken_of, [&](const std::string& name) { return reached.contains(name); });
}

}  // namespace

std::vector<Proof> by_upstream(Proof whole) {
    std::vector<Proof> out;
    const auto as_it_is = [&] {
        out.clear();
        out.push_back(std::move(whole));
        return std::move(out);
    };
    const bool stated = whole.forward.empty() || std::ranges::any_of(whole.forward, &Assignment::is_loss);
    if (stated || whole.loss_runs_through != 0) return as_it_is();
    if (all_lead_to_the_last(whole)) {
        doubt_beside({whole.forward.back().name}, whole, whole.lines);
        return as_it_is();
    }
    const Upstream upstream(whole);
    const std::vector<Values> groups = upstream.groups();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (std::find(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(i), groups[i]) <
            groups.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        Proof one = whole;
        one.lines.clear();
        for (std::size_t k = i; k < groups.size(); ++k)
            if (groups[k] == groups[i]) one.lines.push_back(whole.lines[k]);
        for (JudgedLine& line : one.lines)
            if (const std::string apart = upstream.apart(line, groups[i]); line.is_judged() && !apart.empty()) {
                line.state = JudgedLine::State::open;
                line.why = fmt::format("no loss is stated, and no path leads from {} to {}: state a loss that uses both", apart,
                                       fmt::join(groups[i], " or "));
            } else if (const std::string end = upstream.open_end(line, groups[i]); line.is_judged() && !end.empty()) {
                line.state = JudgedLine::State::open;
                line.why = fmt::format("no loss is stated, and a line that is not read uses {}, which it may run through", end);
            }
        doubt_beside(groups[i], whole, one.lines);
        if (groups[i].empty() || !add_loss_of(groups[i], one)) return as_it_is();
        one.holds_for.push_back(fmt::format("a loss of {}, as none is stated", fmt::join(groups[i], " and ")));
        if (!out.empty()) one.start = whole.source->span({one.lines[0].statement.span.begin, one.lines[0].statement.span.begin});
        out.push_back(std::move(one));
    }
    return out.empty() ? as_it_is() : out;
}

}  // namespace gradproof::proof
