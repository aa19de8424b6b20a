// Slips that are planted.
#include "gradproof/core/proof/judge/planted.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/diagnose.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// Where slips are planted: what they need to know of the line.
struct Ground {
    const Claim& claim;
    const Instance& draw;
    const Proof& proof;
    std::map<std::string, Index> index_sizes;

    const Shape* shape_of(const std::string& n) const {
        const auto found = draw.scope().values.find(n);
        return found == draw.scope().values.end() ? nullptr : &found->second.shape();
    }
    std::vector<std::string> values() const {
        std::vector<std::string> out;
        for (const Given& g : proof.given)
            if (!g.hidden()) out.push_back(g.name);
        for (const Assignment& a : proof.forward) out.push_back(a.name);
        return out;
    }
};
using Out = std::vector<ExprPtr>;

bool is_gradient(const Expr& e) {
    return e.kind == Kind::gradient || ((e.kind == Kind::transpose || e.kind == Kind::index) && is_gradient(*e.children[0]));
}

/// dY ⊙ (1 - Y^2) -> 1 - Y^2
void forget_upstream(const Ground&, const Place& p, Out& out) {
    const Expr& n = *p.node;
    for (std::size_t i = 0; n.kind == Kind::product && i < n.children.size(); ++i)
        if (is_gradient(*n.children[i]) && (i > 0 ? n.joints[i] : n.joints[1]) != '/') out.push_back(p.with(without(n, i)));
}

/// rowsum(X) -> sum(X, axis=1), and keep=true that is left out
void lose_axis(const Ground& g, const Place& p, Out& out) {
    const Expr& n = *p.node;
    if (n.kind != Kind::call || n.children.size() != 1) return;
    if (n.name.starts_with("row") || n.name.starts_with("col")) {
        int rank = 2;
        try {
            rank = Evaluator<double>(g.draw.scope()).matrix(*n.children[0]).shape().rank();
        } catch (const std::invalid_argument&) {
        }
        const int axis = rank - (n.name.starts_with("row") ? 1 : 2);
        out.push_back(p.with(over_axis(n.name.substr(3), n.children[0], axis)));
        out.push_back(p.with(call(n.name.substr(3), n.children)));
    }
    for (std::size_t o = 0; o < n.options.size(); ++o)
        if (n.options[o].name == "keep") {
            std::vector<Option> rest = n.options;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(o));
            out.push_back(p.with(call(n.name, n.children[0], rest)));
        }
}

/// The name without its last figure: H_ of H_1. "" where it ends in none.
std::string stem(const std::string& name) {
    return name.size() > 1 && name.back() >= '0' && name.back() <= '9' ? name.substr(0, name.size() - 1) : "";
}

/// Another value of the same shape, of another step or not.
void rename_leaf(const Ground& g, const Place& p, bool steps, Out& out) {
    const Expr& n = *p.node;
    if (n.kind != Kind::name && n.kind != Kind::gradient) return;
    const Shape* shape = g.shape_of(n.name);
    if (!shape) return;
    const Expr& left = *g.claim.line().left;
    const std::string of = left.kind == Kind::gradient ? left.name : left.kind == Kind::index ? left.children[0]->name : "";
    std::size_t made = 0;
    for (const std::string& other : g.values()) {
        const Shape* theirs = g.shape_of(other);
        if (other == n.name || !theirs || !(*theirs == *shape) || made == 2) continue;
        if (steps != (!stem(other).empty() && stem(other) == stem(n.name))) continue;
        if (n.kind == Kind::gradient && (other == of || g.proof.is_constant(other))) continue;
        Expr leaf = n;
        leaf.name = other;
        leaf.source.clear();
        out.push_back(p.with(make(std::move(leaf))));
        ++made;
    }
}

/// H_1 -> H_0, and in index form another index, or one step beside
void shift_index(const Ground& g, const Place& p, Out& out) {
    rename_leaf(g, p, true, out);
    const Expr& n = *p.node;
    if (n.kind != Kind::index && n.kind != Kind::delta) return;
    for (std::size_t i = n.kind == Kind::index ? 1 : 0; i < n.children.size(); ++i) {
        const Expr& c = *n.children[i];
        const auto put = [&](const ExprPtr& index) { out.push_back(p.with(with_child(n, i, index))); };
        if (c.kind == Kind::sum) put(c.children[0]);
        if (c.kind == Kind::sum && n.kind == Kind::index) put(with_joint(c, 1, c.joints[1] == '-' ? '+' : '-'));
        if (c.kind == Kind::number) put(number(c.number == 0 ? 1 : 0));
        const auto known = c.kind == Kind::name ? g.index_sizes.find(c.name) : g.index_sizes.end();
        if (known == g.index_sizes.end()) continue;
        for (const auto& [other, size] : g.index_sizes)
            if (other != c.name && size == known->second) {
                put(name(other));
                break;
            }
    }
}

void take_another_value(const Ground& g, const Place& p, Out& out) { rename_leaf(g, p, false, out); }

/// 2 or 1/2 of a term, and a factor of a term left out
void miss_coefficient(const Ground& g, const Place& p, Out& out) {
    const Expr& n = *p.node;
    if (p.is_term && n.kind != Kind::number) {
        out.push_back(p.with(product(number(2), '@', p.node)));
        out.push_back(p.with(product(p.node, '/', number(2))));
    }
    if (n.kind != Kind::product || !(p.is_term || p.below_term)) return;
    for (std::size_t i = 0; i < n.children.size(); ++i)
        if (g.draw.is_scalar(*n.children[i]) && (i > 0 || n.joints[1] != '/')) out.push_back(p.with(without(n, i)));
}

/// X^2 -> X, X^3; sqrt(X) -> X; 1 / s -> 1 / s^2
void miss_exponent(const Ground& g, const Place& p, Out& out) {
    const Expr& n = *p.node;
    if (n.kind == Kind::power && n.children[1]->kind == Kind::number) {
        const double k = n.children[1]->number;
        out.push_back(p.with(with_child(n, 1, number(k + 1))));
        if (k >= 2) out.push_back(p.with(k == 2 ? n.children[0] : with_child(n, 1, number(k - 1))));
    }
    if (n.kind == Kind::call && n.name == "sqrt" && !g.draw.is_scalar(n)) out.push_back(p.with(n.children[0]));
    for (std::size_t i = 1; n.kind == Kind::product && i < n.children.size(); ++i)
        if (const ExprPtr& f = n.children[i]; n.joints[i] == '/' && f->kind != Kind::number && f->kind != Kind::power)
            out.push_back(p.with(with_child(n, i, squared(f))));
}

bool is_identity(const Ground& g, const Expr& e) {
    if (e.kind == Kind::number) return e.number != 0;
    return e.kind == Kind::delta || (e.kind == Kind::call && (e.name == "eye" || e.name == "ones")) || g.draw.is_scalar(e) ||
           is_constant(e, g.proof);
}

void drop_term(const Ground& g, const Place& p, bool identity, Out& out) {
    const Expr& n = *p.node;
    if (n.kind != Kind::sum) return;
    for (std::size_t i = 0; i < n.children.size(); ++i) {
        const bool row_term = n.joints[i] == '-' && has_reduction(*n.children[i]);  // a class of its own, of the classic ones
        if (is_identity(g, *n.children[i]) == identity && !row_term) out.push_back(p.with(without(n, i)));
    }
}
/// 1 - Y^2 -> -Y^2
void drop_identity(const Ground& g, const Place& p, Out& out) { drop_term(g, p, true, out); }
/// One path of several, at any depth
void drop_path(const Ground& g, const Place& p, Out& out) {
    const Expr& left = *g.claim.line().left;
    if (left.kind == Kind::jacobian || is_gradient(left)) drop_term(g, p, false, out);  // values have no paths
}

/// step(x) -> step(-x)
void turn_comparison(const Ground&, const Place& p, Out& out) {
    const Expr& n = *p.node;
    if (n.kind == Kind::call && n.name == "step" && n.children.size() == 1)
        out.push_back(p.with(call("step", {negate(n.children[0])})));
}

struct Class {
    std::string_view name;
    std::vector<Mistake> kinds;  ///< that name it
    void (*plant)(const Ground&, const Place&, Out&);
};
const std::vector<Class>& classes() {
    using enum Mistake;
    static const std::vector<Class> all{
        {"upstream gradient forgotten", {cotangent_ignored, missing_chain_factor}, forget_upstream},
        {"axis that is kept lost", {lost_axis, missing_sum, wrong_row_term}, lose_axis},
        {"wrong index or step", {wrong_name, shifted, transpose, permuted_axes}, shift_index},
        {"wrong value of that shape", {wrong_name}, take_another_value},
        {"coefficient in a sum", {factor, wrong_row_term, double_path}, miss_coefficient},
        {"exponent", {wrong_exponent, factor, missing_chain_factor}, miss_exponent},
        {"identity term dropped", {missing_term, missing_path}, drop_identity},
        {"path in a sum dropped", {missing_path, missing_row_term}, drop_path},
        {"comparison turned round", {comparison}, turn_comparison},
    };
    return all;
}

/// The slips of one proof, and a second opinion on what is said of them: in draws of another seed.
class Trial {
  public:
    Trial(const Proof& proof, const CheckOptions& options, const SlipOptions& slips)
        : proof_(proof), options_(options), slips_(slips), plan_(proof), elsewhere_(options.draw) {
        elsewhere_.seed += 1;
        for (int i = 0; i < std::min(options.draws, 3); ++i) {
            draws_.push_back(std::make_unique<Instance>(proof, plan_, options.draw, i));
            others_.push_back(std::make_unique<Instance>(proof, plan_, elsewhere_, i));
        }
        table_.rows.resize(classes().size() + 1);
        seen_.resize(classes().size() + 1);
    }

    SlipTable run() {
        for (const JudgedLine& line : proof_.lines)
            if (line.is_judged() && line.type != JudgedLine::Type::expect) plant_in(line);
        return std::move(table_);
    }

  private:
    struct Planted {
        std::size_t kind;
        ExprPtr line;
    };
    std::vector<Planted> planted(const Ground& ground, const ExprPtr& right) const {
        std::vector<Planted> out;
        for (const Place& p : places(right))
            for (std::size_t k = 0; k < classes().size(); ++k) {
                Out made;
                classes()[k].plant(ground, p, made);
                for (const ExprPtr& e : made) out.push_back({k, e});
            }
        return out;
    }

    void plant_in(const JudgedLine& line) {
        const Claim claim(line, proof_, draws_);
        if (!claim.holds(line.right)) return;
        prover_.emplace(proof_, plan_, options_.draw, draws_);  // what it may spend is that of a line
        Ground ground{claim, *draws_[0], proof_, {}};
        try {
            Evaluator<double> evaluator(draws_[0]->scope());
            ground.index_sizes = evaluator.index_sizes(*line.right, evaluator.index_sizes(*line.left, {}));
        } catch (const EvaluationError&) {  // not in index form
        }
        const std::vector<Planted> singles = planted(ground, line.right);
        std::set<std::string> known{text_of(*line.right)};
        for (const Planted& s : singles)
            if (known.insert(text_of(*s.line)).second && seen_[s.kind]++ % slips_.every == 0) ask(claim, s.line, {s.kind});
        for (const Planted& s : singles)
            for (const Planted& t : planted(ground, s.line))
                if (seen_.back()++ % slips_.every_pair == 0 && known.insert(text_of(*t.line)).second)
                    ask(claim, t.line, {s.kind, t.kind});
    }

    /// A change that leaves the formula the same is no slip.
    void ask(const Claim& claim, const ExprPtr& wrong, const std::vector<std::size_t>& kinds) {
        const ByResidues by = prover_->prove(claim, wrong);
        const bool holds = claim.holds(wrong), differs = by.outcome == ByResidues::Outcome::differs && by.proved.opaque.empty();
        if (by.outcome == ByResidues::Outcome::proved || (holds && !differs)) {
            if (kinds.size() == 1) --seen_[kinds[0]];
            return;
        }
        SlipCounts& row = kinds.size() > 1 ? table_.rows.back() : table_.rows[kinds[0]];
        ++row.planted;
        if (holds) {
            table_.missed.push_back(fmt::format("{}: not caught: {}", proof_.source->file(), text_of(*wrong)));
            return;
        }
        ++row.caught;
        JudgedLine line = claim.line();
        line.right = wrong;
        const Diagnosis d = diagnose(Claim(line, proof_, draws_), plan_, {options_.draw, &*prover_}).why;
        const bool kind_is_right = std::ranges::any_of(
            kinds, [&](std::size_t k) { return std::ranges::find(classes()[k].kinds, d.mistake) != classes()[k].kinds.end(); });
        const bool repaired = !d.repair.empty(), right = repaired && is_right(claim.line(), d.repair);
        const bool named = repaired ? right : kind_is_right && kinds.size() == 1;
        const bool misleads = repaired ? !right : !kind_is_right && d.mistake != Mistake::none;
        row.named += named;
        row.misleading += misleads;
        if (named && !misleads) return;
        std::string what;
        for (const std::size_t k : kinds) what += (what.empty() ? "" : " and ") + std::string(classes()[k].name);
        (misleads ? table_.misled : table_.missed)
            .push_back(fmt::format("{}:{}: {}, said {} ({}; {}): {} = {}", proof_.source->file(), line.statement.line, what,
                                   check::key(d.mistake), d.text, d.repair, text_of(*line.left), text_of(*wrong)));
    }

    /// Read as it is printed, in other draws.
    bool is_right(const JudgedLine& of, const std::string& repair) {
        try {
            JudgedLine line = of;
            line.right = parse_expression(Source("repair", repair), {0, repair.size()}, names_of(proof_));
            return Claim(line, proof_, others_).holds(line.right);
        } catch (const std::invalid_argument&) {
            return false;
        }
    }

    const Proof& proof_;
    const CheckOptions& options_;
    const SlipOptions slips_;
    Plan plan_;
    InstanceOptions elsewhere_;
    std::vector<std::unique_ptr<Instance>> draws_, others_;
    std::optional<Prover> prover_;
    SlipTable table_;
    std::vector<int> seen_;
};

}  // namespace

void SlipTable::add(const SlipTable& other) {
    rows.resize(std::max(rows.size(), other.rows.size()));
    for (std::size_t i = 0; i < other.rows.size(); ++i) {
        rows[i].planted += other.rows[i].planted;
        rows[i].caught += other.rows[i].caught;
        rows[i].named += other.rows[i].named;
        rows[i].misleading += other.rows[i].misleading;
    }
    missed.insert(missed.end(), other.missed.begin(), other.missed.end());
    misled.insert(misled.end(), other.misled.begin(), other.misled.end());
}

std::string SlipTable::text() const {
    std::string out = fmt::format("{:<28} {:>8} {:>8} {:>8} {:>12}\n", "slip", "planted", "caught", "named", "misleading");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const SlipCounts& r = rows[i];
        out += fmt::format("{:<28} {:>8} {:>8} {:>8} {:>12}   {}\n",
                           i < classes().size() ? classes()[i].name : "two of these at once", r.planted, r.caught, r.named,
                           r.misleading, r.planted == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * r.named / r.planted));
    }
    return out;
}

SlipTable plant_slips(const Proof& proof, const CheckOptions& options, const SlipOptions& slips) {
    return Trial(proof, options, slips).run();
}

}  // namespace gradproof::proof
