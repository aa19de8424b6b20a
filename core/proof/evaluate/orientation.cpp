// Rows and columns.
#include "gradproof/core/proof/evaluate/orientation.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/plan.hpp"

namespace gradproof::proof {

std::optional<Shape> shape_in(const Scope<double>& scope, const Expr& e) {
    for (const Index place : {Index{0}, Index{1}}) try {  // t - 1 or t + 1 may lie out of range at one of them
            Scope<double> here = scope;
            for (const std::string& n : free_names_in(e))
                if (!here.values.contains(n) && !here.sizes.contains(n) && !constant_named(n)) here.steps[n] = place;
            return Evaluator<double>(here).matrix(e).shape();
        } catch (const std::invalid_argument&) {
        }
    return std::nullopt;
}

std::optional<int> rank_in(const Scope<double>& scope, const Expr& e) {
    const std::optional<Shape> shape = shape_in(scope, e);
    return shape ? std::optional(shape->rank()) : std::nullopt;
}

bool multiplies_vectors(const Expr& e, const Scope<double>& scope, bool (*turned)(bool left, bool right)) {
    return any_part(e, [&](const Expr& part) {
        for (std::size_t i = 1; part.kind == Kind::product && i < part.children.size(); ++i) {
            const Expr &a = *part.children[i - 1], &b = *part.children[i];
            const bool fits = part.joints[i] == '@' && turned(a.kind == Kind::transpose, b.kind == Kind::transpose);
            if (fits && rank_in(scope, a) == 1 && rank_in(scope, b) == 1) return true;
        }
        return false;
    });
}

namespace {

constexpr auto kRatios = std::to_array<std::string_view>({"\\partial", "∂", "\\frac", "\\dfrac", "\\tfrac", "\\pdv", "\\dv"});

enum class Lies { unknown, column, row };
Lies turned(Lies l) { return l == Lies::unknown ? l : l == Lies::column ? Lies::row : Lies::column; }

/// How the vectors of one line lie, if values lie as `values` says, and gradients the other way if `gradients_turned`.
class Reader {
  public:
    /// `rows_are_free`: x_i W is right, whatever the other vectors do. `nabla_turns`: so does \nabla_{x_i} L, which may be written
    /// as the row i of a matrix of gradients.
    Reader(const Proof& proof, const Scope<double>& scope, Lies values, bool gradients_turned, bool rows_are_free = false,
           bool nabla_turns = false)
        : proof_(proof),
          scope_(scope),
          values_(values),
          gradients_turned_(gradients_turned),
          rows_are_free_(rows_are_free),
          nabla_turns_(nabla_turns) {}

    /// Of what is no vector, unknown.
    Lies of(const Expr& e) {
        if (rank_of(e) != 1) {
            if (e.kind == Kind::product)
                product(e);
            else
                for (const ExprPtr& c : e.children) of(*c);
            return Lies::unknown;
        }
        switch (e.kind) {
            case Kind::name: return value(e.name);
            case Kind::index:
                if (e.children[0]->kind == Kind::helper) return of(*e.children[0]->children[0]);
                return e.children[0]->kind == Kind::gradient ? gradient(*e.children[0], e.children[0]->name) : values_;
            case Kind::gradient: return gradient(e, e.name);
            case Kind::jacobian: return gradient(e, e.other);  // of a number, as the value that it is taken by
            case Kind::transpose: return turned(of(*e.children[0]));
            case Kind::product: return product(e);
            case Kind::sum: return together(e);
            case Kind::negate:
            case Kind::power:
            case Kind::helper: return of(*e.children[0]);
            case Kind::reduce: return e.name == "sum" || e.name == "mean" ? of(*e.children[0]) : Lies::unknown;
            case Kind::call: return e.children.size() == 1 ? of(*e.children[0]) : Lies::unknown;
            default: return Lies::unknown;
        }
    }
    void compare(const Expr& a, Lies la, const Expr& b, Lies lb) {
        if (la == Lies::unknown || lb == Lies::unknown || la == lb) return;
        misfit(fmt::format("{} is a {}, and {} a {}", text_of(a), word(la), text_of(b), word(lb)));
    }
    const std::string& why() const { return why_; }

  private:
    static const char* word(Lies l) { return l == Lies::row ? "row" : "column"; }
    void misfit(std::string why) {
        if (why_.empty()) why_ = std::move(why);
    }
    std::optional<int> rank_of(const Expr& e) {
        const auto found = ranks_.find(&e);
        if (found != ranks_.end()) return found->second;
        return ranks_[&e] = rank_in(scope_, e);
    }
    /// P_{i:}, which stands before a matrix also where vectors are columns.
    bool is_row_by_name(const Expr& e) const {
        if (rows_are_free_ && e.kind == Kind::index) return true;
        return e.kind == Kind::index && e.children.size() == 3 && e.children[1]->kind != Kind::slice &&
               e.children[2]->kind == Kind::slice && e.children[2]->children.empty();
    }
    /// A value computed as x^T A is a row by its name too.
    Lies value(const std::string& name) {
        const Assignment* a = proof_.find(name);
        if (!a || !a->indices.empty()) return values_;
        const auto [known, is_new] = named_.try_emplace(name, values_);
        if (!is_new) return known->second;
        const std::string before = why_;
        const Lies l = of(*a->value);
        why_ = before;  // how the forward is written is its own matter
        return l == Lies::unknown ? values_ : named_[name] = l;
    }
    Lies gradient(const Expr& e, const std::string& by) {
        if (e.kind == Kind::jacobian && rank_in(scope_, *name(by)) != 1) return Lies::unknown;  // of a vector, by a number
        const Vectors said = proof_.conventions.gradients;
        if (said != Vectors::unsaid) return said == Vectors::rows ? Lies::row : Lies::column;
        const Lies l = value(by);
        std::string_view text = proof_.source->slice(e.span);
        if (text.starts_with('{')) text.remove_prefix(1);  // {\nabla_w} L
        const bool is_nabla = text.starts_with("\\nabla") || text.starts_with("∇");
        const bool has_layout =
            proof_.conventions.layout == Layout::numerator ? is_by_ratio(*proof_.source, e.span) : !is_nabla || nabla_turns_;
        return gradients_turned_ && has_layout ? turned(l) : l;
    }
    Lies together(const Expr& e) {
        Lies all = Lies::unknown;
        const Expr* first = nullptr;
        for (const ExprPtr& c : e.children) {
            const Lies l = of(*c);
            if (first) compare(*first, all, *c, l);
            if (l != Lies::unknown && all == Lies::unknown) {
                all = l;
                first = c.get();
            }
        }
        return all;
    }
    Lies product(const Expr& e) {
        Lies left = of(*e.children[0]);
        std::optional<int> rank = rank_of(*e.children[0]);
        const Expr* vector = e.children[0].get();
        bool multiplied = false;  // by a matrix
        for (std::size_t i = 1; i < e.children.size(); ++i) {
            const Expr& f = *e.children[i];
            const Lies right = of(f);
            const std::optional<int> r = rank_of(f);
            if (!rank || !r) return Lies::unknown;
            if (*rank == 0 || *r == 0) {
                if (*rank == 0) vector = &f, left = right;
                rank = std::max(*rank, *r);
            } else if (e.joints[i] != '@') {
                if (*rank == 1 && *r == 1) compare(*vector, left, f, right);
                if (*rank == 1 && left == Lies::unknown) left = right, vector = &f;
                rank = std::max(*rank, *r);
            } else if (*rank == 2 && *r == 1) {
                if (right == Lies::row) misfit(fmt::format("{} is a row behind a matrix", text_of(f)));
                left = Lies::column, rank = 1, vector = &e, multiplied = true;
            } else if (*rank == 1 && *r == 2) {
                if (left == Lies::column && !is_row_by_name(*vector))
                    misfit(fmt::format("{} is a column before a matrix", text_of(*vector)));
                left = Lies::row, vector = &e, multiplied = true;
            } else if (*rank == 1 && *r == 1) {  // a number, as x \cdot y is too, or what is read as u v^T
                const bool is_turned = f.kind == Kind::transpose || e.children[i - 1]->kind == Kind::transpose;
                if (multiplied || is_turned || stand_beside(*e.children[i - 1], f)) compare(*vector, turned(left), f, right);
                return Lies::unknown;
            } else {
                left = Lies::unknown, rank = std::max(*rank, *r), vector = &e;
            }
        }
        return left;
    }

    /// x y, without a \cdot or a comma.
    bool stand_beside(const Expr& a, const Expr& b) const {
        if (!a.spelling || a.span.end > b.span.begin) return false;
        const std::string_view between = proof_.source->slice({a.span.end, b.span.begin});
        return between.find_first_not_of(" \t\n\r{},;!\\") == std::string_view::npos &&
               between.find(" ,") == std::string_view::npos;
    }

    const Proof& proof_;
    const Scope<double>& scope_;
    const Lies values_;
    const bool gradients_turned_, rows_are_free_, nabla_turns_;
    std::string why_;
    std::map<std::string, Lies> named_;
    std::map<const Expr*, std::optional<int>> ranks_;
};

bool is_typeset(const Proof& p) {
    const auto in_latex = [](const JudgedLine& l) { return is_typeset(l.language); };
    return std::ranges::any_of(p.forward, [](const Assignment& a) { return a.value->spelling != nullptr; }) ||
           std::ranges::any_of(p.lines, in_latex);
}
Lies lies(Vectors v) { return v == Vectors::rows ? Lies::row : Lies::column; }

}  // namespace

bool Orientation::forward_fits(Vectors v, bool rows_are_free) const {
    return std::ranges::all_of(proof_.forward, [&](const Assignment& a) {
        Reader reader(proof_, scope_, lies(v), false, rows_are_free);
        reader.of(*a.value);
        return reader.why().empty();
    });
}

Vectors Orientation::vectors() const {
    const Conventions& said = proof_.conventions;
    if (said.assumed) return Vectors::unsaid;  // the forward fits both ways
    if (said.vectors != Vectors::unsaid) return said.vectors;
    const bool columns = forward_fits(Vectors::columns), rows = forward_fits(Vectors::rows);
    return columns == rows ? Vectors::unsaid : columns ? Vectors::columns : Vectors::rows;
}

Fit Orientation::fit(const ExprPtr& left, const ExprPtr& right) const {
    Fit out{false, false, ""};
    const Vectors known = vectors();
    const bool by_numerator = proof_.conventions.layout == Layout::numerator && proof_.conventions.gradients == Vectors::unsaid;
    const bool of_row = any_part(*left, [](const Expr& e) { return e.kind == Kind::index; });
    if (known == Vectors::unsaid && !proof_.conventions.assumed && !forward_fits(Vectors::columns)) return {};
    for (const Vectors v : {Vectors::columns, Vectors::rows}) {
        if (known != Vectors::unsaid && known != v) continue;
        for (const bool turned : {false, true}) {
            const bool may_turn =  // dx of the notation lies as x does
                is_typeset(proof_) && proof_.conventions.layout != Layout::denominator &&
                proof_.conventions.gradients == Vectors::unsaid;
            if (turned && !may_turn) continue;
            Reader reader(proof_, scope_, lies(v), turned, of_row && known == Vectors::unsaid, of_row);
            const Lies l = reader.of(*left), r = reader.of(*right);
            reader.compare(*left, l, *right, r);
            if (reader.why().empty())
                (turned ? out.turned : out.as_values) = true;
            else if (out.why.empty() || (turned && by_numerator))
                out.why = reader.why();
        }
    }
    if (by_numerator && out.as_values && !out.turned)
        out.why += ", by the numerator layout that the text states: in denominator layout it is right";
    else if (out.as_values || out.turned)
        out.why.clear();
    if (of_row && out.why.empty()) out.as_values = out.turned = true;  // of one row each line may go its way
    return out;
}

namespace {

/// Whether a text with x_i W means columns elsewhere: numbers a^T z_i would be none with rows, or more of its lines fit.
bool means_columns(const Proof& proof, const Scope<double>& scope) {
    Scope<double> columns = scope, rows = scope;
    columns.conventions.vectors = Vectors::columns;
    rows.conventions.vectors = Vectors::rows;
    for (const Assignment& a : proof.forward)
        if (rank_in(columns, *a.value) == 0 && rank_in(rows, *a.value) != 0) return true;
    const auto fitting = [&](const Scope<double>& as) {
        return std::ranges::count_if(proof.lines, [&](const JudgedLine& l) {
            const std::optional<Shape> left = l.is_judged() ? shape_in(as, *l.left) : std::nullopt;
            return left && left == shape_in(as, *l.right);
        });
    };
    return fitting(columns) > fitting(rows);
}

/// A forward that fits together as it stands: columns, unless it fits with rows only.
void settle_freely(Proof& proof, const InstanceOptions& options) {
    const Plan plan(proof, options.bind);
    const Instance draw(proof, plan, options, 0);
    const Orientation o(proof, draw.scope());
    const bool columns = o.forward_fits(Vectors::columns), rows = o.forward_fits(Vectors::rows);
    if (!columns && !rows) return;
    Proof settled = proof;
    if (!columns && o.forward_fits(Vectors::columns, true) && means_columns(proof, draw.scope())) {
        proof.conventions.vectors = Vectors::columns;
        return;
    }
    settled.conventions.vectors = columns ? Vectors::columns : Vectors::rows;
    settled.conventions.assumed =
        columns && rows && std::ranges::none_of(proof.forward, [&](const Assignment& a) {
            return multiplies_vectors(*a.value, draw.scope(), [](bool left, bool right) { return left != right; });
        });
    const Plan settled_plan(settled, options.bind);
    const Instance values(settled, settled_plan, options, 0);
    proof = std::move(settled);
}

/// Where in the text the forward, read so, does not fit together; nothing where it does.
std::optional<std::size_t> misfit_of(const Proof& proof, const InstanceOptions& options) {
    try {
        const Plan plan(proof, options.bind);
        const Instance draw(proof, plan, options, 0);
        return std::nullopt;
    } catch (const ProofError& e) {  // what is wrong with it is told where it is judged
        return e.offset();
    }
}

}  // namespace

bool is_by_ratio(const Source& source, Span span) {
    const std::string_view text = source.slice(span);
    return std::ranges::any_of(kRatios, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}
bool may_be_a_vector(const Expr& left) {
    const bool has_one = left.kind == Kind::transpose || left.kind == Kind::negate || left.kind == Kind::helper;
    if (has_one || left.kind == Kind::index) return may_be_a_vector(*left.children[0]);
    if (left.kind == Kind::product || left.kind == Kind::sum)  // -n \nabla_w L, \nabla_x L - b
        return std::ranges::any_of(left.children, [](const ExprPtr& c) { return may_be_a_vector(*c); });
    return left.kind == Kind::gradient || left.kind == Kind::name || (left.kind == Kind::jacobian && left.children.empty());
}

void settle_vectors(Proof& proof, const InstanceOptions& options) {
    if (proof.conventions.vectors != Vectors::unsaid || !is_typeset(proof)) return;
    std::optional<std::size_t> furthest = misfit_of(proof, options);
    if (!furthest) try {
            return settle_freely(proof, options);
        } catch (const ProofError&) {  // as it stands, then
            return;
        }
    // u v^T of a forward may be what does not fit.
    for (const Vectors v : {Vectors::columns, Vectors::rows}) {
        Proof settled = proof;
        settled.conventions.vectors = v;
        const std::optional<std::size_t> misfit = misfit_of(settled, options);
        if (furthest && (!misfit || *misfit > *furthest)) {
            furthest = misfit;
            proof.conventions.vectors = v;
        }
    }
}

}  // namespace gradproof::proof
