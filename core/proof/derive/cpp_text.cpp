// Expressions of arrays and of their entries in C++.
#include "gradproof/core/proof/derive/cpp_text.hpp"

#include <algorithm>

#include "gradproof/core/proof/derive/term.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

[[noreturn]] void no_words(const Expr& e) { value_error("cpp: nothing is written for {}", text_of(e)); }

/// X - rowmean(X), and of columns: the axis, as Axes are given.
std::string centred_axis(const Expr& e) {
    if (e.children.size() != 2 || e.joints != "+-") return "";
    const Expr& mean = *e.children[1];
    const bool rows = mean.name == "rowmean", columns = mean.name == "colmean";
    if (mean.kind != Kind::call || (!rows && !columns) ||
        text_of(*unwritten(mean.children[0])) != text_of(*unwritten(e.children[0])))
        return "";
    return rows ? "Axes{-1}" : "Axes{-2}";
}

}  // namespace

CppText::Piece CppText::number_of(double value) const {
    if (std::isinf(value)) return {value < 0 ? "-HUGE_VAL" : "HUGE_VAL", value < 0 ? kSign : kWhole, true};
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return {text, value < 0 ? kSign : kWhole, true};
}

CppText::Piece CppText::name_of(const Expr& e) {
    const std::string& n = e.name;
    if (std::ranges::count(indices_, n) > 0) return {"double(" + names_.of(n) + ")", kWhole, true};
    if (known_.proof().find(n) == nullptr &&
        std::ranges::none_of(known_.proof().given, [&](const Given& g) { return g.name == n; })) {
        if (n == "pi" || n == "π") return {"std::acos(-1.0)", kWhole, true};
        if (n == "e") return {"std::exp(1.0)", kWhole, true};
        if (n == "inf" || n == "∞") return number_of(HUGE_VAL);
        used_.insert(n);
        return {"double(" + names_.of(n) + ")", kWhole, true};
    }
    used_.insert(n);
    return {names_.of(n) + (by_entries_ ? ".item()" : ""), kWhole, false};
}

CppText::Piece CppText::any(const ExprPtr& e) {
    switch (e->kind) {
        case Kind::number: return number_of(e->number);
        case Kind::name: return name_of(*e);
        case Kind::gradient: used_.insert("∂" + e->name); return {names_.gradient(e->name), kWhole, false};
        case Kind::sum: return sum(*e);
        case Kind::product: return product(*e);
        case Kind::negate: {
            const Piece x = any(e->children[0]);
            return {"-" + (x.binds < kSign ? "(" + x.text + ")" : x.text), kSign, x.is_number};
        }
        case Kind::transpose:
            if (by_entries_ || known_.axes(e->children[0]).size() < 2) return any(e->children[0]);
            return helper("turned", tensor(e->children[0]));
        case Kind::power: return power(*e);
        case Kind::index: return by_entries_ ? at(*e) : part(*e);
        case Kind::call: return by_entries_ ? call_of_entries(*e) : call(*e);
        case Kind::delta:
            return {fmt::format("({} == {} ? 1.0 : 0.0)", whole(e->children[0]), whole(e->children[1])), kWhole, true};
        case Kind::reduce: return reduce(*e);
        case Kind::array: return array(*e);
        default: no_words(*e);
    }
}

CppText::Piece CppText::matrix(const ExprPtr& e) {
    const bool before = std::exchange(by_entries_, false);
    Piece out = any(e);
    by_entries_ = before;
    return out;
}

std::string CppText::tensor(const ExprPtr& e) {
    const Piece x = matrix(e);
    return x.is_number ? "number<Element>(" + x.text + ")" : x.text;
}

std::string CppText::entry(const ExprPtr& e, const std::vector<std::string>& indices) {
    const bool before = std::exchange(by_entries_, true);
    const std::vector<std::string> outside = std::exchange(indices_, indices);
    std::string out = any(e).text;
    by_entries_ = before;
    indices_ = outside;
    return out;
}

std::string CppText::row(const ExprPtr& e, const std::vector<std::string>& indices) {
    const std::vector<std::string> outside = std::exchange(indices_, indices);
    std::string out = tensor(e);
    indices_ = outside;
    return out;
}

std::string CppText::of_element(const ExprPtr& e) { return "Element(" + any(e).text + ")"; }

CppText::Piece CppText::helper(const std::string& name, const std::string& arguments) {
    helpers_.insert(name.substr(0, name.find('<')));
    return {fmt::format("{}({})", name, arguments), kWhole, false};
}

CppText::Piece CppText::sum(const Expr& e) {
    if (const std::string axis = centred_axis(e); !axis.empty() && !by_entries_)
        return helper("centred", tensor(e.children[0]) + ", " + axis);
    Piece out{"", kSum, true};
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const Piece x = any(e.children[i]);
        const bool minus = e.joints[i] == '-';
        out.text += i > 0 ? (minus ? " - " : " + ") : minus ? "-" : "";
        out.text += x.binds == kSum && (i > 0 || minus) ? "(" + x.text + ")" : x.text;
        out.is_number = out.is_number && x.is_number;
    }
    return out;
}

/// One factor of a product of matrices, turned without a copy.
std::string CppText::factor(const ExprPtr& e, bool may_be_turned) {
    const bool turned = may_be_turned && e->kind == Kind::transpose && known_.axes(e->children[0]).size() >= 2;
    return turned ? "mT(" + tensor(e->children[0]) + ")" : tensor(e);
}

CppText::Piece CppText::product(const Expr& e) {
    Piece out;
    ExprPtr left;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const ExprPtr& c = e.children[i];
        if (i == 0) {
            left = c;
            continue;
        }
        const bool by_matrix = !by_entries_ && e.joints[i] == '@' && !known_.is_number(left) && !known_.is_number(c);
        if (by_matrix) {
            const std::string first = i == 1 ? factor(left, true) : out.text;
            out = {fmt::format("matmul({}, {})", first, factor(c, true)), kWhole, false};
        } else {
            if (i == 1) out = any(left);
            const Piece x = any(c);
            out.text = (out.binds < kProduct ? "(" + out.text + ")" : out.text) + (e.joints[i] == '/' ? " / " : " * ") +
                       (x.binds < kSign ? "(" + x.text + ")" : x.text);
            out = {out.text, kProduct, out.is_number && x.is_number};
        }
        Expr so_far = e;
        so_far.children.resize(i + 1);
        so_far.joints.resize(i + 1);
        left = make(std::move(so_far));
    }
    return out;
}

CppText::Piece CppText::power(const Expr& e) {
    const Piece x = any(e.children[0]), p = any(e.children[1]);
    if (x.is_number && p.is_number) return {fmt::format("std::pow({}, {})", x.text, p.text), kWhole, true};
    if (e.children[1]->kind == Kind::number && e.children[1]->number == 2) return helper("square", x.text);
    if (p.is_number) return helper("power", x.text + ", " + p.text);
    const std::string logarithm = x.is_number ? "std::log(" + x.text + ")" : "log(" + x.text + ")";
    return {fmt::format("exp({} * {})", p.binds < kProduct ? "(" + p.text + ")" : p.text, logarithm), kWhole, false};
}

std::string CppText::whole(const ExprPtr& e) {
    const auto index_or_size = [&](const Expr& x) {
        return x.kind == Kind::name && (std::ranges::count(indices_, x.name) > 0 || known_.is_plain(x));
    };
    if (e->kind == Kind::number && is_whole(e->number)) return fmt::format("{}", e->number);
    if (index_or_size(*e) && e->name != "e" && e->name != "pi") {
        if (std::ranges::count(indices_, e->name) == 0) used_.insert(e->name);
        return names_.of(e->name);
    }
    const bool counts = e->kind == Kind::sum || (e->kind == Kind::product && e->joints.find('/', 1) == std::string::npos);
    if (counts) {
        std::string out;
        for (std::size_t i = 0; i < e->children.size(); ++i) {
            const ExprPtr& c = e->children[i];
            const bool minus = e->kind == Kind::sum && e->joints[i] == '-';
            out += i > 0 ? (e->kind == Kind::product ? " * " : minus ? " - " : " + ") : minus ? "-" : "";
            const bool brackets = c->kind == Kind::sum || c->kind == Kind::negate;
            out += brackets ? "(" + whole(c) + ")" : whole(c);
        }
        return out;
    }
    if (e->kind == Kind::negate) return "-(" + whole(e->children[0]) + ")";
    const bool places = e->kind == Kind::index && e->children[0]->kind == Kind::name && of_places.contains(e->children[0]->name);
    if (places) {
        const std::string text = at(*e).text;  // double(w.at({i}))
        return text.substr(7, text.size() - 8);
    }
    helpers_.insert("whole");
    const bool before = std::exchange(by_entries_, true);
    const Piece x = any(e);
    by_entries_ = before;
    return x.is_number ? "whole(" + x.text + ")" : "whole(double(primal(" + x.text + ")))";
}

std::string CppText::shape(const std::vector<ExprPtr>& sizes) {
    std::string out;
    for (const ExprPtr& s : sizes) out += (out.empty() ? "" : ", ") + whole(unwritten(s));
    return "Shape{" + out + "}";
}

std::string CppText::shape(const Axes& axes) {
    std::vector<ExprPtr> sizes;
    for (const AxisSize& a : axes) sizes.push_back(a == kSizeOne ? number(1) : known_.size(a));
    return shape(sizes);
}

/// X[i,j] of arrays at places.
CppText::Piece CppText::at(const Expr& e) {
    std::string places;
    for (std::size_t i = 1; i < e.children.size(); ++i) places += (i > 1 ? ", " : "") + whole(e.children[i]);
    const ExprPtr& base = e.children[0];
    const bool is_attribute = base->kind == Kind::name && of_places.contains(base->name);
    const Piece of = matrix(base);
    const std::string text = fmt::format("{}.at({{{}}})", of.binds < kWhole ? "(" + of.text + ")" : of.text, places);
    return is_attribute ? Piece{"double(" + text + ")", kWhole, true} : Piece{text, kWhole, false};
}

/// X[a:b, :], X[i].
CppText::Piece CppText::part(const Expr& e) {
    std::string out = tensor(e.children[0]);
    if (matrix(e.children[0]).binds < kWhole) out = "(" + out + ")";
    int axis = 0;
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const ExprPtr& c = e.children[i];
        if (c->kind != Kind::slice) {
            out = fmt::format("entry({}, {}, {})", out, axis, whole(c));
            continue;
        }
        if (!c->children.empty()) {
            const std::string from = whole(c->children[0]), to = whole(c->children[1]);
            out = fmt::format("part({}, {{.axis = {}, .start = {}, .count = {}}})", out, axis, from,
                              from == "0" ? to : fmt::format("{} - ({})", to, from));
        }
        ++axis;
    }
    return {out, kWhole, false};
}

CppText::Piece CppText::reduce(const Expr& e) {
    const bool rows = !by_entries_ && known_.is_by_rows(*e.children[0]);
    if (e.name != "sum" && (e.name != "prod" || rows)) no_words(e);
    const std::map<std::string, ExprPtr> sizes = sizes_of_indices(known_, e);
    const std::vector<std::string> outside = indices_;
    std::string loops;
    for (const std::string& b : e.bound) {
        const auto size = sizes.find(b);
        if (size == sizes.end()) value_error("cpp: the size of index {} is not known", b);
        const std::string i = names_.of(b);
        loops += fmt::format("for (Index {0} = 0; {0} < {1}; ++{0}) ", i, whole(unwritten(size->second)));
        indices_.push_back(b);
    }
    if (rows) {
        const std::string body = tensor(e.children[0]);
        indices_ = outside;
        return {fmt::format("[&] {{ Tensor<Element> total({}, Element(0)); {}total = total + {}; return total; }}()",
                            shape(known_.axes(make(Expr(e)))), loops, body),
                kWhole, false};
    }
    const bool before = std::exchange(by_entries_, true);
    const std::string body = any(e.children[0]).text;
    by_entries_ = before;
    indices_ = outside;
    const std::string sign = e.name == "sum" ? "+" : "*", start = e.name == "sum" ? "0" : "1";
    const std::string out =
        fmt::format("[&] {{ Element total({}); {}total {}= Element({}); return total; }}()", start, loops, sign, body);
    return {by_entries_ ? out : "number<Element>(" + out + ")", kWhole, false};
}

CppText::Piece CppText::array(const Expr& e) {
    std::vector<ExprPtr> rows = e.children;
    std::string shape = fmt::format("{}", rows.size()), entries;
    while (!rows.empty() && rows[0]->kind == Kind::array) {
        shape += fmt::format(", {}", rows[0]->children.size());
        std::vector<ExprPtr> next;
        for (const ExprPtr& r : rows) next.insert(next.end(), r->children.begin(), r->children.end());
        rows = std::move(next);
    }
    for (const ExprPtr& x : rows) entries += (entries.empty() ? "" : ", ") + of_element(x);
    return {fmt::format("Tensor<Element>::from({{{}}}, {{{}}})", shape, entries), kWhole, false};
}

}  // namespace gradproof::proof
