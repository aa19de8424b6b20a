// Explanations as text and JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/proof/explain/explain.hpp"
#include "gradproof/core/proof/span_json.hpp"
#include "gradproof/core/text_table.hpp"

namespace gradproof::proof {
namespace {

using check::Json;
using check::json_number;

constexpr Index kMostRows = 8, kMostColumns = 8, kMostMatrices = 3;
constexpr std::size_t kMostShown = 40;  // products of one entry, as text

/// A number, a row, or matrices under each other, each cut to what fits a screen.
std::string numbers(const Tensor<double>& x, const std::string& indent) {
    const Shape& s = x.shape();
    if (x.size() == 0) return indent + "no entries\n";
    const Index columns = s.rank() > 0 ? s.last() : 1, rows = s.rank() > 1 ? s.last(1) : 1,
                matrices = x.size() / (rows * columns);
    std::size_t width = 0;
    const auto shown = [&](Index i) { return fmt::format("{:.4g}", x[i]); };
    const Index most_rows = std::min(rows, kMostRows), most_columns = std::min(columns, kMostColumns);
    for (Index m = 0; m < std::min(matrices, kMostMatrices); ++m)
        for (Index i = 0; i < most_rows; ++i)
            for (Index j = 0; j < most_columns; ++j) width = std::max(width, shown((m * rows + i) * columns + j).size());
    std::string out;
    for (Index m = 0; m < std::min(matrices, kMostMatrices); ++m) {
        if (m > 0) out += "\n";
        for (Index i = 0; i < most_rows; ++i) {
            out += indent;
            for (Index j = 0; j < most_columns; ++j)
                out += (j > 0 ? "  " : "") + padded(shown((m * rows + i) * columns + j), width, Side::right);
            out += columns > most_columns ? fmt::format("  … {} more\n", columns - most_columns) : "\n";
        }
        if (rows > most_rows) out += indent + fmt::format("… {} more rows\n", rows - most_rows);
    }
    if (matrices > kMostMatrices) out += indent + fmt::format("… {} more of these\n", matrices - kMostMatrices);
    return out;
}

std::string heading(const Explanation& e) {
    std::string sizes;
    for (const auto& [name, n] : e.sizes) sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", name, n);
    std::string out = printable(e.file, 400) + (e.line > 1 ? fmt::format(":{}", e.line) : "");
    if (!e.title.empty()) out += ": " + printable(e.title);
    if (!sizes.empty()) out += "      " + sizes;
    return out + "\n";
}

std::string line_text(int line) { return line > 0 ? fmt::format("{:>4}", line) : "    "; }

std::string product_text(const Product& p, const std::function<std::string(const Factor&)>& show) {
    std::string out = p.minus ? "-" : "";
    for (std::size_t i = 0; i < p.factors.size(); ++i)
        out += (i > 0 ? p.factors[i].divides ? " / " : " × " : p.factors[i].divides ? "1 / " : "") + show(p.factors[i]);
    return out;
}

std::string share_text(double value, double sum) {
    const double share = 100 * value / sum;
    return std::isfinite(share) ? fmt::format("{:.1f} %", share) : "-";
}

std::string cell_text(const CellReport& c) {
    std::string out = fmt::format("{}{}\n", c.cell.text(),
                                  c.line > 0 ? fmt::format("      line {}: {}", c.line, c.formula) : "      " + c.formula);
    std::vector<const Product*> order;
    for (const Product& p : c.products) order.push_back(&p);
    if (order.size() > kMostShown)
        std::stable_sort(order.begin(), order.end(),
                         [](const Product* a, const Product* b) { return std::abs(a->value()) > std::abs(b->value()); });
    std::vector<std::array<std::string, 4>> rows;
    double rest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double value = order[i]->value();
        if (i >= kMostShown) {
            rest += value;
            continue;
        }
        const auto number = [](const Factor& f) {
            return f.value < 0 ? fmt::format("({:.4g})", f.value) : fmt::format("{:.4g}", f.value);
        };
        rows.push_back({product_text(*order[i], [](const Factor& f) { return f.text(); }), "= " + product_text(*order[i], number),
                        fmt::format("{:.6g}", value), share_text(value, c.sum)});
    }
    if (order.size() > kMostShown)
        rows.push_back({fmt::format("{} more, smaller", order.size() - kMostShown), "", fmt::format("{:.6g}", rest),
                        share_text(rest, c.sum)});
    const std::string total = c.products.size() == 1 ? "its value"
                              : c.products.empty()   ? "value"
                                                     : fmt::format("sum of {} products", c.products.size());
    rows.push_back({total, "", fmt::format("{:.6g}", c.sum), ""});
    if (c.truth) rows.push_back({"true, by dual numbers", "", fmt::format("{:.6g}", *c.truth), ""});
    if (c.difference) rows.push_back({"by finite differences", "", fmt::format("{:.6g}", *c.difference), ""});
    std::array<std::size_t, 4> width{};
    for (const auto& r : rows)
        for (std::size_t i = 0; i < 4; ++i) width[i] = std::max(width[i], columns_of(r[i]));
    for (const auto& r : rows) {
        std::string line =
            "  " + padded(r[0], width[0] + 2) + padded(r[1], width[1] + 2) + "= " + padded(r[2], width[2], Side::right);
        if (!r[3].empty()) line += "  " + padded(r[3], width[3], Side::right);
        out += line + "\n";
    }
    if (c.truth && std::abs(c.sum - *c.truth) > 1e-9 * std::max(std::abs(*c.truth), 1e-3)) {
        out += fmt::format("  the line gives {:.6g}, true is {:.6g}", c.sum, *c.truth);
        if (*c.truth != 0) out += fmt::format(": {:.6g} times as much", c.sum / *c.truth);
        out += "\n";
    }
    if (!c.doubt.empty()) out += "  cannot tell: " + c.doubt + "\n";
    return out;
}

Json nested(const Tensor<double>& x, int axis, Index offset) {
    if (axis == x.rank()) return json_number(x[offset]);
    Json out = Json::array();
    Index below = 1;
    for (int a = axis + 1; a < x.rank(); ++a) below *= x.dim(a);
    for (Index i = 0; i < x.dim(axis); ++i) out.push_back(nested(x, axis + 1, offset + i * below));
    return out;
}

Json step_json(const Step& s) {
    Json out{{"name", s.name}};
    if (s.line > 0) out["line"] = s.line, out["span"] = span_json(s.span);
    if (!s.formula.empty()) out["formula"] = s.formula;
    if (!s.through.empty()) out["through"] = s.through;
    if (s.claim) {
        out["claim"] = {{"line", s.claim->line},
                        {"span", span_json(s.claim->span)},
                        {"formula", s.claim->formula},
                        {"agrees", s.claim->agrees}};
        if (!s.claim->note.empty()) out["claim"]["note"] = s.claim->note;
    }
    if (!s.doubt.empty()) out["doubt"] = s.doubt;
    out["shape"] = std::vector<Index>(s.value.shape().begin(), s.value.shape().end());
    out["value"] = nested(s.value, 0, 0);
    return out;
}

Json cell_json(const CellReport& c) {
    Json products = Json::array();
    for (const Product& p : c.products) {
        Json factors = Json::array();
        for (const Factor& f : p.factors) {
            Json one{{"name", f.name}};
            if (f.index) one["index"] = *f.index;
            one["value"] = json_number(f.value);
            if (f.divides) one["divides"] = true;
            factors.push_back(one);
        }
        products.push_back({{"factors", factors},
                            {"minus", p.minus},
                            {"product", json_number(p.value())},
                            {"share", c.sum != 0 ? json_number(p.value() / c.sum) : Json(nullptr)}});
    }
    Json out{{"cell", c.cell.text()},
             {"line", c.line > 0 ? Json(c.line) : Json(nullptr)},
             {"formula", c.formula},
             {"products", products},
             {"sum", json_number(c.sum)}};
    if (c.line > 0) out["span"] = span_json(c.span);
    if (c.truth) out["true"] = json_number(*c.truth);
    if (c.difference) out["difference"] = json_number(*c.difference);
    if (!c.doubt.empty()) out["doubt"] = c.doubt;
    return out;
}

}  // namespace

std::string to_text(const Explanation& e) {
    std::string out = heading(e);
    if (e.cell) return out + cell_text(*e.cell);
    if (!e.loss.empty()) out += "     loss  " + e.loss + "\n";
    const std::string indent(9, ' ');
    const auto section = [&](const char* title, const std::vector<Step>& steps) {
        if (!steps.empty()) out += std::string(title) + "\n";
        for (const Step& s : steps) {
            out += line_text(s.line) + " " + s.name + (s.formula.empty() ? "" : " = " + s.formula) + "    " + s.shape + "\n";
            for (const std::string& t : s.through) out += "       through  " + t + "\n";
            if (s.claim)
                out +=
                    fmt::format("       line {}  {}    {}{}\n", s.claim->line, s.claim->formula,
                                s.claim->agrees ? "agrees" : "does not agree", s.claim->note.empty() ? "" : ": " + s.claim->note);
            if (!s.doubt.empty()) out += "       cannot tell: " + s.doubt + "\n";
            out += numbers(s.value, indent);
        }
    };
    section("given", e.given);
    section("forward", e.forward);
    section("backward", e.backward);
    return out;
}

std::string to_json(const Explanation& e) {
    Json sizes = Json::object();
    for (const auto& [name, n] : e.sizes) sizes[name] = n;
    Json out{{"schema", 1}, {"file", e.file}, {"line", e.line}, {"title", e.title}, {"sizes", sizes}, {"loss", e.loss}};
    if (e.cell) {
        out["cell"] = cell_json(*e.cell);
        return check::json_line(out);
    }
    const auto list = [](const std::vector<Step>& steps) {
        Json all = Json::array();
        for (const Step& s : steps) all.push_back(step_json(s));
        return all;
    };
    out["given"] = list(e.given);
    out["forward"] = list(e.forward);
    out["backward"] = list(e.backward);
    return check::json_line(out);
}

}  // namespace gradproof::proof
