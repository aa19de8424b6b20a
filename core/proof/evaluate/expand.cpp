// Entries of expressions in matrix form as sums of products.
#include "gradproof/core/proof/evaluate/expand.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/proof/language/functions.hpp"

namespace gradproof::proof {
namespace {

/// The index into an operand that is broadcast to the shape `index` points into.
Shape fit(const Shape& of, const Shape& index) {
    Shape out;
    for (int a = 0; a < of.rank(); ++a) {
        const int at = a - of.rank() + index.rank();
        out.push_back(of[a] == 1 || at < 0 ? 0 : index[at]);
    }
    return out;
}

std::vector<Index> list(const Shape& index) { return {index.begin(), index.end()}; }

/// Which axis a call sums over.
struct Reduction {
    bool all = false, keep = false, mean = false;
    int axis = 0;  ///< negative: from the end
};

std::optional<Reduction> reduction_of(const Expr& e) {
    if (e.kind != Kind::call || e.children.size() != 1) return std::nullopt;
    Reduction r;
    if (e.name == "rowsum" || e.name == "rowmean" || e.name == "colsum" || e.name == "colmean") {
        r.axis = e.name.starts_with("row") ? -1 : -2;
        r.keep = true;
        r.mean = e.name.ends_with("mean");
        return r;
    }
    if (e.name != "sum" && e.name != "mean") return std::nullopt;
    r.mean = e.name == "mean";
    r.all = true;
    for (const Option& o : e.options) {
        const bool minus = o.value->kind == Kind::negate;
        const Expr& v = minus ? *o.value->children[0] : *o.value;
        if (o.name == "axis" && v.kind == Kind::number) {
            r.all = false;
            r.axis = static_cast<int>(minus ? -v.number : v.number);
        } else if (o.name == "keep" && v.kind == Kind::word) {
            r.keep = v.name == "true";
        } else {
            return std::nullopt;
        }
    }
    if (r.all && r.keep) return std::nullopt;
    return r;
}

}  // namespace

std::string bracketed(const Expr& e) {
    const bool whole = e.kind == Kind::number || e.kind == Kind::name || e.kind == Kind::call || e.kind == Kind::gradient ||
                       e.kind == Kind::index || e.kind == Kind::array || e.kind == Kind::delta || e.kind == Kind::jacobian;
    return whole ? text_of(e) : "(" + text_of(e) + ")";
}

std::string index_text(const std::vector<Index>& index) {
    std::string out;
    for (const Index i : index) out += (out.empty() ? "[" : ",") + std::to_string(i);
    return out.empty() ? "" : out + "]";
}

std::string Factor::text() const {
    if (!shown.empty()) return shown;
    return name + (index ? index_text(*index) : "");
}

double Product::value() const {
    double v = minus ? -1 : 1;
    for (const Factor& f : factors) v = f.divides ? v / f.value : v * f.value;
    return v;
}

const Tensor<double>& Expander::value(const ExprPtr& e) {
    const auto found = values_.find(e.get());
    if (found != values_.end()) return found->second;
    return values_.emplace(e.get(), evaluator_.matrix(*e).value()).first->second;
}

ExprPtr Expander::left_part(const Expr& e) {
    ExprPtr& left = left_parts_[&e];
    if (left) return left;
    if (e.children.size() == 2) return left = e.children[0];
    Expr part = e;
    part.source.clear();
    part.children.pop_back();
    part.joints.pop_back();
    return left = make(std::move(part));
}

void Expander::push(const Expr& e, Product p, std::vector<Product>& out) const {
    if (out.size() == kMostProducts)
        throw EvaluationError(e.span, false, fmt::format("more than {} products in one entry", kMostProducts));
    out.push_back(std::move(p));
}

std::vector<Product> Expander::matrix(const ExprPtr& e, const Shape& index) {
    made_.push_back(e);
    std::vector<Product> out;
    terms(e, index, {}, out);
    return out;
}

/// Whether an entry of e is a sum over an axis of its operands.
bool Expander::contracts(const ExprPtr& e) {
    switch (e->kind) {
        case Kind::negate:
        case Kind::transpose: return contracts(e->children[0]);
        case Kind::call: return reduction_of(*e).has_value();
        case Kind::reduce: return e->name != "max";
        case Kind::product: {
            const ExprPtr left = left_part(*e), &right = e->children.back();
            const char joint = e->joints.back();
            if (joint == '@' && value(left).rank() > 0 && value(right).rank() > 0) return true;
            return contracts(left) || (joint != '/' && contracts(right));
        }
        default: return false;
    }
}

Factor Expander::opaque(const ExprPtr& e, const Shape& index, bool divides) {
    const Tensor<double>& x = value(e);
    const Shape at = fit(x.shape(), index);
    Factor out{bracketed(*e), x.rank() > 0 ? std::optional(list(at)) : std::nullopt, x[check::ravel(at, x.shape())], divides};
    const bool entrywise = e->kind == Kind::call && e->children.size() == 1 && e->options.empty() && is_elementwise(e->name);
    if (entrywise && e->children[0]->kind == Kind::name)
        out.shown = fmt::format("{}({}{})", e->name, e->children[0]->name, index_text(list(at)));
    out.of = e;
    return out;
}

/// The factors of an entry that is one product; of a sum, the sum as a factor.
void Expander::append(const ExprPtr& e, const Shape& index, bool divides, Product& to) {
    const Shape at = fit(value(e).shape(), index);
    const bool open =
        !divides && !contracts(e) && (e->kind == Kind::product || e->kind == Kind::negate || e->kind == Kind::transpose);
    if (!open) {
        to.factors.push_back(opaque(e, at, divides));
        return;
    }
    std::vector<Product> one;
    ++nested_;
    terms(e, at, std::move(to), one);
    --nested_;
    to = std::move(one.front());
}

void Expander::terms(const ExprPtr& e, const Shape& index, Product with, std::vector<Product>& out) {
    switch (e->kind) {
        case Kind::sum:
            if (nested_ > 0 || !with.factors.empty()) break;  // inside a product a sum stays one factor
            for (std::size_t i = 0; i < e->children.size(); ++i) {
                Product signed_ = with;
                signed_.minus = signed_.minus != (e->joints[i] == '-');
                terms(e->children[i], fit(value(e->children[i]).shape(), index), std::move(signed_), out);
            }
            return;
        case Kind::negate:
            with.minus = !with.minus;
            terms(e->children[0], index, std::move(with), out);
            return;
        case Kind::transpose: {
            Shape at = index;
            if (at.rank() > 1) std::swap(at[at.rank() - 1], at[at.rank() - 2]);
            terms(e->children[0], at, std::move(with), out);
            return;
        }
        case Kind::product: product_terms(e, index, with, out); return;
        case Kind::call:
            if (reduction_of(*e)) {
                reduction(e, index, with, out);
                return;
            }
            break;
        case Kind::reduce:
            if (e->name != "max") {
                for (Product& p : indexed(e, {}, {})) {
                    p.factors.insert(p.factors.begin(), with.factors.begin(), with.factors.end());
                    p.minus = p.minus != with.minus;
                    push(*e, std::move(p), out);
                }
                return;
            }
            break;
        default: break;
    }
    with.factors.push_back(opaque(e, index));
    push(*e, std::move(with), out);
}

void Expander::product_terms(const ExprPtr& e, const Shape& index, const Product& with, std::vector<Product>& out) {
    const ExprPtr left = left_part(*e), right = e->children.back();
    const Shape ls = value(left).shape(), rs = value(right).shape();
    const char joint = e->joints.back();
    if (joint == '@' && !ls.empty() && !rs.empty()) {
        contraction(left, right, index, with, out);
        return;
    }
    const bool opens_left = contracts(left) || (left->kind == Kind::sum && rs.empty() && nested_ == 0 && with.factors.empty());
    if (joint == '/' || opens_left || !contracts(right)) {
        const std::size_t first = out.size();
        if (opens_left) {
            terms(left, fit(ls, index), with, out);
        } else {
            Product one = with;
            append(left, index, false, one);
            push(*e, std::move(one), out);
        }
        for (std::size_t i = first; i < out.size(); ++i) append(right, index, joint == '/', out[i]);
        return;
    }
    Product one = with;
    append(left, index, false, one);
    terms(right, fit(rs, index), std::move(one), out);
}

/// Σ_t left[..., i, t] right[..., t, j]
void Expander::contraction(const ExprPtr& left, const ExprPtr& right, const Shape& index, const Product& with,
                           std::vector<Product>& out) {
    const Shape ls = value(left).shape(), rs = value(right).shape();
    const bool row = ls.rank() == 1, column = rs.rank() == 1;
    Shape batch;
    for (int a = 0; a < index.rank() - (row ? 0 : 1) - (column ? 0 : 1); ++a) batch.push_back(index[a]);
    for (Index t = 0; t < ls.last(); ++t) {
        Shape li = batch, ri = batch;
        if (!row) li.push_back(index.last(column ? 0 : 1));
        li.push_back(t);
        ri.push_back(t);
        if (!column) ri.push_back(index.last());
        Product p = with;
        append(left, li, false, p);
        append(right, ri, false, p);
        push(*left, std::move(p), out);
    }
}

/// rowsum(x)[i, 0] = Σ_t x[i, t], and the like.
void Expander::reduction(const ExprPtr& e, const Shape& index, const Product& with, std::vector<Product>& out) {
    const Reduction r = *reduction_of(*e);
    const ExprPtr& x = e->children[0];
    const Shape shape = value(x).shape();
    const int axis = r.axis < 0 ? r.axis + shape.rank() : r.axis;
    const Index count = r.all ? shape.size() : shape[axis];
    for (Index t = 0; t < count; ++t) {
        Shape at;
        if (r.all) {
            at = check::unravel(t, shape);
        } else {
            for (int a = 0, from = 0; a < shape.rank(); ++a) {
                at.push_back(a == axis ? t : index[from]);
                if (a != axis || r.keep) ++from;
            }
        }
        Product p = with;
        append(x, at, false, p);
        if (r.mean) p.factors.push_back({std::to_string(count), std::nullopt, static_cast<double>(count), true});
        push(*e, std::move(p), out);
    }
}

}  // namespace gradproof::proof
