// One entry: which line computes an entry, the products in it, and the two oracles beside it.
#include "gradproof/core/proof/explain/cell.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// The offset of the entry in an array of that shape.
Index entry_of(const std::vector<Index>& index, const Shape& shape, const std::string& of, const Instance& draw) {
    if (index.size() != static_cast<std::size_t>(shape.rank()))
        value_error("{} is {}: it takes {} ind{}, got {}", of, named_shape(shape, draw.sizes()), shape.rank(),
                    shape.rank() == 1 ? "ex" : "ices", index.size());
    Index out = 0;
    for (std::size_t a = 0; a < index.size(); ++a) {
        const Index n = shape[static_cast<int>(a)];
        if (index[a] >= n)
            value_error("index {} is out of range at axis {}: {} is {}", index[a], a, of, named_shape(shape, draw.sizes()));
        out = out * n + index[a];
    }
    return out;
}

/// The index into what is claimed: it may be one number, and have axes of size 1 more or less; nullopt for another shape.
std::optional<Shape> index_in(const Shape& claimed, const std::vector<Index>& index, const Shape& shape) {
    Shape out;
    std::size_t next = 0;
    const auto skip_ones = [&] {
        while (next < index.size() && shape[static_cast<int>(next)] == 1) ++next;
    };
    if (claimed.empty()) return out;
    if (claimed == shape) return Shape(index);
    for (const Index n : claimed) {
        if (n != 1) skip_ones();
        if (n != 1 && (next == index.size() || shape[static_cast<int>(next)] != n)) return std::nullopt;
        out.push_back(n == 1 ? 0 : index[next++]);
    }
    skip_ones();
    if (next < index.size()) return std::nullopt;
    return out;
}

/// What the letters on the left of a line are at this entry; nullopt where the line does not cover it.
std::optional<Letters> letters_of(const Expr& left, std::size_t first, const std::vector<Index>& index) {
    Letters at;
    if (left.children.size() - first != index.size()) return std::nullopt;
    for (std::size_t i = 0; i < index.size(); ++i) {
        const Expr& c = *left.children[first + i];
        if (c.kind == Kind::number && c.number == static_cast<double>(index[i])) continue;
        if (c.kind != Kind::name || at.emplace(c.name, index[i]).first->second != index[i]) return std::nullopt;
    }
    return at;
}

/// (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h with one entry of a value moved.
double difference(const Instance& draw, const std::string& name, Index entry,
                  const std::function<double(const Scope<double>&)>& f) {
    const Tensor<double>& x = draw.scope().values.find(name)->second.value();
    const double h = 7e-4 * std::max(1.0, std::abs(x[entry]));
    const auto along = [&](double step) {
        Tensor<double> at = x.clone();
        at[entry] += step;
        return f(draw.moved(name, at));
    };
    return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
}

class Taking {
  public:
    Taking(const Proof& proof, const Plan& plan, Instance& draw, CellReport& report)
        : proof_(proof), plan_(plan), draw_(draw), report_(report), expander_(draw.scope()) {}

    void value() {
        const Cell& cell = report_.cell;
        const Tensor<double>& x = value_of(cell.name);
        const Index entry = entry_of(cell.index, x.shape(), cell.name, draw_);
        const Assignment* a = proof_.find(cell.name);
        if (!a) {
            report_.formula = cell.name + " is given, not computed";
            report_.sum = x[entry];
            return;
        }
        stand_at(a->statement);
        report_.formula = a->left() + " = " + text_of(*a->value);
        if (a->indices.empty()) {
            report_.products = expander_.matrix(opened_softmax(a->value), Shape(cell.index));
        } else {
            Letters at;
            std::map<std::string, Index> sizes;
            for (std::size_t i = 0; i < a->indices.size(); ++i) {
                at[a->indices[i]] = cell.index[i];
                sizes[a->indices[i]] = x.shape()[static_cast<int>(i)];
            }
            report_.products = expander_.indexed(a->value, at, sizes);
        }
    }

    void gradient() {
        const Cell& cell = report_.cell;
        if (proof_.forward.empty()) value_error("{}: the derivation computes nothing: nothing has a gradient", cell.text());
        const TrueGradient& g = draw_.gradient(cell.name);
        const Index entry = entry_of(cell.index, g.value.shape(), "∂L/∂" + cell.name, draw_);
        report_.truth = g.value[entry];
        if (!g.confirmed) report_.doubt = g.doubt;
        report_.difference = difference(draw_, cell.name, entry, [&](const Scope<double>& s) { return draw_.loss_value(s); });
        for (const JudgedLine& line : proof_.lines) {
            if (!line.is_judged() || line.type != JudgedLine::Type::claim) continue;
            const Expr& left = *line.left;
            const bool whole = left.kind == Kind::gradient && left.name == cell.name;
            const bool letters =
                left.kind == Kind::index && left.children[0]->kind == Kind::gradient && left.children[0]->name == cell.name;
            const auto at = letters ? letters_of(left, 1, cell.index) : std::nullopt;
            if (!whole && !at) continue;
            state(line);
            if (at) {
                report_.products =
                    expander_.indexed(line.right, *at, Evaluator<double>(draw_.scope()).index_sizes(*line.left, {}));
                return;
            }
            const Shape claimed = expander_.value(line.right).shape();
            const auto at_claimed = index_in(claimed, cell.index, g.value.shape());
            if (!at_claimed)
                value_error("line {} claims {}, ∂L/∂{} is {}", report_.line, named_shape(claimed, draw_.sizes()), cell.name,
                            named_shape(g.value.shape(), draw_.sizes()));
            report_.products = expander_.matrix(line.right, *at_claimed);
            return;
        }
        chain_rule(entry);
    }

    void jacobian() {
        const Cell& cell = report_.cell;
        const Tensor<double>& y = value_of(cell.name);
        const Tensor<double>& x = value_of(cell.by);
        const Index row = entry_of(cell.index, y.shape(), cell.name, draw_),
                    column = entry_of(cell.at_by, x.shape(), cell.by, draw_);
        report_.truth = primal(draw_.derivatives().jacobian(cell.name, cell.by)[row * x.size() + column]);
        report_.difference = difference(draw_, cell.by, column,
                                        [&](const Scope<double>& s) { return s.values.find(cell.name)->second.value()[row]; });
        std::vector<Index> index = cell.index;
        index.insert(index.end(), cell.at_by.begin(), cell.at_by.end());
        for (const JudgedLine& line : proof_.lines) {
            if (!line.is_judged() || line.type != JudgedLine::Type::jacobian || line.left->name != cell.name ||
                line.left->other != cell.by)
                continue;
            const auto at = letters_of(*line.left, 0, index);
            if (!at) continue;
            state(line);
            report_.products = expander_.indexed(line.right, *at, Evaluator<double>(draw_.scope()).index_sizes(*line.left, {}));
            return;
        }
        report_.formula = "no claim states it";
        report_.sum = *report_.truth;
    }

    /// The factors that are sums, of these and of what they are made of.
    void open_factors() {
        constexpr std::size_t kMostOpened = 4;
        std::vector<Product> from = report_.products;
        std::set<std::string> seen;
        for (std::size_t i = 0; i < from.size() && report_.opened.size() < kMostOpened; ++i)
            for (const Factor& f : std::vector<Factor>(from[i].factors)) {
                const bool is_sum = f.of && f.index && (f.of->kind == Kind::sum || is_reduction(*f.of));
                if (!is_sum || report_.opened.size() == kMostOpened || !seen.insert(f.text()).second) continue;
                OpenedFactor o{f.text(), expander_.matrix(f.of, Shape(*f.index)), f.value};
                if (o.products.size() < 2) continue;
                from.insert(from.end(), o.products.begin(), o.products.end());
                report_.opened.push_back(std::move(o));
            }
    }

  private:
    /// softmax(X) as exp(X) / rowsum(exp(X)), where that can be computed; else as it is.
    ExprPtr opened_softmax(const ExprPtr& e) {
        if (e->kind != Kind::call || e->name != "softmax" || e->children.size() != 1 || !e->options.empty()) return e;
        const ExprPtr exponentials = call("exp", {e->children[0]});
        const ExprPtr out = kept_.emplace_back(product(exponentials, '/', call("rowsum", {exponentials})));
        const Tensor<double>& y = expander_.value(out);
        const bool finite = std::all_of(y.data(), y.data() + y.size(), [](double v) { return std::isfinite(v); });
        return finite ? out : e;
    }

    const Tensor<double>& value_of(const std::string& name) const { return draw_.scope().values.find(name)->second.value(); }

    void stand_at(const Statement& s) {
        report_.line = s.line;
        report_.span = proof_.source->span(s.span);
    }
    void state(const JudgedLine& line) {
        stand_at(line.statement);
        report_.formula = line.text;
    }

    /// Where no line claims it: through every value computed from this one, its gradient times the derivative of that step.
    void chain_rule(Index entry) {
        const std::string& name = report_.cell.name;
        const auto consumers = plan_.consumers(name);
        if (consumers.empty()) {
            report_.formula = name == draw_.last() && draw_.has_cotangent() ? "the cotangent, drawn"
                              : name == draw_.last()                        ? "the loss itself"
                                                                            : "nothing is computed from it";
            report_.sum = *report_.truth;
            return;
        }
        for (const std::size_t c : consumers) {
            const std::string& next = proof_.forward[c].name;
            report_.formula += (report_.formula.empty() ? "no claim states it; the chain rule: Σ " : " + Σ ") +
                               fmt::format("∂L/∂{} ∂{}/∂{}", next, next, name);
            const Tensor<double> step = values_of(draw_.derivatives().step_jacobian(name, c));
            const Tensor<double>& g = draw_.gradient(next).value;
            const Shape& shape = g.shape();
            const Index width = value_of(name).size();
            for (Index i = 0; i < g.size(); ++i) {
                const double d = step[i * width + entry];
                if (d == 0) continue;
                const Shape index = check::unravel(i, shape);
                const std::vector<Index> at(index.begin(), index.end());
                Product p;
                p.factors.push_back({"∂L/∂" + next, shape.empty() ? std::nullopt : std::optional(at), g[i], false});
                p.factors.push_back({fmt::format("∂{}{}/∂{}", next, index_text(at), name + index_text(report_.cell.index)),
                                     std::nullopt, d, false});
                if (report_.products.size() == kMostProducts) value_error("more than {} products in one entry", kMostProducts);
                report_.products.push_back(std::move(p));
            }
        }
    }

    const Proof& proof_;
    const Plan& plan_;
    Instance& draw_;
    CellReport& report_;
    Expander expander_;
    std::vector<ExprPtr> kept_;  ///< the expander knows nodes by their addresses
};

}  // namespace

std::string Cell::text() const {
    switch (type) {
        case Type::value: return name + index_text(index);
        case Type::gradient: return "∂L/∂" + name + index_text(index);
        case Type::jacobian: return "∂" + name + index_text(index) + "/∂" + by + index_text(at_by);
    }
    return "";
}

CellReport take_apart(const Cell& cell, const Proof& proof, const Plan& plan, Instance& draw) {
    CellReport report;
    report.cell = cell;
    Taking taking(proof, plan, draw, report);
    try {
        switch (cell.type) {
            case Cell::Type::value: taking.value(); break;
            case Cell::Type::gradient: taking.gradient(); break;
            case Cell::Type::jacobian: taking.jacobian(); break;
        }
        taking.open_factors();
    } catch (const EvaluationError& e) {
        throw ProofError(*proof.source, e.span().begin, e.what());
    }
    try {
        if (cell.type != Cell::Type::jacobian) report.used = used_in(cell, proof, plan, draw);
    } catch (const std::invalid_argument&) {  // too much to compute: the entry stands without it
    }
    if (!report.products.empty()) {
        report.sum = 0;
        for (const Product& p : report.products) report.sum += p.value();
    }
    return report;
}

}  // namespace gradproof::proof
