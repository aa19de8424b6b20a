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

/// Rounding is no number: what is small beside `scale` is 0, and there is no -0.
double without_rounding(double x, double scale, double rounding = 1e-14) {
    return x == 0 || std::abs(x) <= rounding * scale ? 0 : x;
}

/// A number, a row, or matrices under each other, each cut to what fits a screen.
std::string numbers(const Tensor<double>& x, const std::string& indent) {
    const Shape& s = x.shape();
    if (x.size() == 0) return indent + "no entries\n";
    const Index columns = s.rank() > 0 ? s.last() : 1, rows = s.rank() > 1 ? s.last(1) : 1,
                matrices = x.size() / (rows * columns);
    std::size_t width = 0;
    const auto shown = [&](Index i) { return fmt::format("{:.4g}", without_rounding(x[i], 0)); };
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

/// What each product adds: its part of the sum, or where some take away from others, bars to both sides of 0.
class Shares {
  public:
    explicit Shares(const std::vector<Product>& products) {
        for (const Product& p : products) add(p.value());
    }
    void add(double value) {
        sum_ += value;
        scale_ += std::abs(value);
        largest_ = std::max(largest_, std::abs(value));
        plus_ = plus_ || value > 0;
        minus_ = minus_ || value < 0;
    }
    double scale() const { return scale_; }
    std::string of(double value) const {
        if (value == 0 || !std::isfinite(scale_)) return "";
        if (!(plus_ && minus_)) return fmt::format("{:.1f} %", 100 * value / sum_);
        constexpr int kHalf = 10;
        const auto n = static_cast<std::size_t>(std::max(1.0, std::round(kHalf * std::abs(value) / largest_)));
        const std::string bar(n, value < 0 ? '-' : '+'), rest(kHalf - n, ' ');
        return value < 0 ? rest + bar + "|" : std::string(kHalf, ' ') + "|" + bar;
    }

  private:
    double sum_ = 0, scale_ = 0, largest_ = 0;
    bool plus_ = false, minus_ = false;
};

using CellRow = std::array<std::string, 4>;

/// The products, the largest first where they are many, and what the others come to.
void add_rows(const std::vector<Product>& products, std::vector<CellRow>& rows) {
    std::vector<const Product*> order;
    for (const Product& p : products) order.push_back(&p);
    if (order.size() > kMostShown)
        std::stable_sort(order.begin(), order.end(),
                         [](const Product* a, const Product* b) { return std::abs(a->value()) > std::abs(b->value()); });
    const Shares shares(products);
    double rest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double value = order[i]->value();
        if (i >= kMostShown) {
            rest += value;
            continue;
        }
        const auto number = [](const Factor& f) {
            return f.value < 0 ? fmt::format("({:.4g})", f.value) : fmt::format("{:.4g}", without_rounding(f.value, 0));
        };
        rows.push_back({product_text(*order[i], [](const Factor& f) { return f.text(); }), "= " + product_text(*order[i], number),
                        fmt::format("{:.6g}", without_rounding(value, 0)), shares.of(value)});
    }
    if (order.size() > kMostShown)
        rows.push_back({fmt::format("{} more, smaller", order.size() - kMostShown), "", fmt::format("{:.6g}", rest), ""});
}

std::string rows_text(const std::vector<CellRow>& rows, const std::string& indent) {
    std::string out;
    std::array<std::size_t, 4> width{};
    for (const CellRow& r : rows)
        for (std::size_t i = 0; i < 4; ++i) width[i] = std::max(width[i], columns_of(r[i]));
    for (const CellRow& r : rows) {
        std::string line =
            indent + padded(r[0], width[0] + 2) + padded(r[1], width[1] + 2) + "= " + padded(r[2], width[2], Side::right);
        if (!r[3].empty()) line += "  " + (r[3].find('|') == std::string::npos ? padded(r[3], width[3], Side::right) : r[3]);
        out += line + "\n";
    }
    return out;
}

std::string cell_text(const CellReport& c) {
    std::string out = fmt::format("{}{}\n", c.cell.text(),
                                  c.line > 0 ? fmt::format("      line {}: {}", c.line, c.formula) : "      " + c.formula);
    std::vector<CellRow> rows;
    add_rows(c.products, rows);
    const double scale = Shares(c.products).scale();
    const std::string total = c.products.size() == 1 ? "its value"
                              : c.products.empty()   ? "value"
                                                     : fmt::format("sum of {} products", c.products.size());
    const double sum = without_rounding(c.sum, scale);
    rows.push_back({total, "", fmt::format("{:.6g}", sum), ""});
    constexpr double kOfDifferences = 1e-9;
    if (c.truth) rows.push_back({"true, by dual numbers", "", fmt::format("{:.6g}", without_rounding(*c.truth, scale)), ""});
    if (c.difference)
        rows.push_back({"by finite differences", "",
                        fmt::format("{:.6g}", without_rounding(*c.difference, std::max(scale, 1e-3), kOfDifferences)), ""});
    out += rows_text(rows, "  ");
    for (const OpenedFactor& o : c.opened) {
        std::vector<CellRow> inner;
        add_rows(o.products, inner);
        inner.push_back({fmt::format("sum of {} products", o.products.size()), "",
                         fmt::format("{:.6g}", without_rounding(o.sum, Shares(o.products).scale())), ""});
        out += fmt::format("  where {} is\n{}", o.name, rows_text(inner, "    "));
    }
    if (c.truth && std::abs(c.sum - *c.truth) > 1e-9 * std::max(std::abs(*c.truth), 1e-3)) {
        out += fmt::format("  the line gives {:.6g}, true is {:.6g}", sum, without_rounding(*c.truth, scale));
        if (without_rounding(*c.truth, scale) != 0) out += fmt::format(": {:.6g} times as much", c.sum / *c.truth);
        out += "\n";
    }
    if (!c.used.empty()) out += "  used in " + c.used + "\n";
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
    if (!s.derived.empty()) out["derived"] = s.derived, out["rule"] = s.rule;
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

Json products_json(const std::vector<Product>& all, double sum) {
    Json products = Json::array();
    for (const Product& p : all) {
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
                            {"share", sum != 0 ? json_number(p.value() / sum) : Json(nullptr)}});
    }
    return products;
}

Json cell_json(const CellReport& c) {
    Json out{{"cell", c.cell.text()},
             {"line", c.line > 0 ? Json(c.line) : Json(nullptr)},
             {"formula", c.formula},
             {"products", products_json(c.products, c.sum)},
             {"sum", json_number(c.sum)}};
    for (const OpenedFactor& o : c.opened)
        out["opened"].push_back(
            {{"factor", o.name}, {"products", products_json(o.products, o.sum)}, {"sum", json_number(o.sum)}});
    if (!c.used.empty()) out["used_in"] = c.used;
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
            if (!s.derived.empty()) out += fmt::format("       derived  {}    by {}\n", s.derived, s.rule);
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
