// Results as CSV, SVG, HTML and text.
#include "tools/experiments/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/text_table.hpp"
#include "tools/figures/page.hpp"

namespace gradproof::experiments {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string csv_field(const Value& v) {
    if (const auto* d = std::get_if<double>(&v))
        return std::isnan(*d) ? "nan" : fmt::format("{}", *d);  // all digits; NaN without its sign
    std::string s = text(v);
    if (s.find_first_of(",\"\r\n") == std::string::npos) return s;
    std::string out = "\"";
    for (const char c : s) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

Rows texts(const std::vector<std::vector<Value>>& rows) {
    Rows out;
    for (const auto& row : rows) {
        out.emplace_back();
        for (const Value& v : row) out.back().push_back(text(v));
    }
    return out;
}

const std::vector<std::string> kFindingColumns = {"verdict", "measured", "expected", "quantity", "claim"};
std::vector<std::string> finding_row(const Finding& f) {
    return {std::string(text(f.outcome())), f.measured_text(), f.expected(), f.quantity, f.claim};
}
std::vector<Value> finding_values(const Experiment& e, const Finding& f) {
    return {std::string(e.name), f.claim, f.quantity, f.measured.value,
            f.measured.error,    f.low,   f.high,     std::string(text(f.outcome()))};
}
const std::vector<std::string> kFindingCsv = {"experiment", "claim", "quantity", "measured", "error", "low", "high", "verdict"};

std::string command(const std::string& name, const Context& c) {
    return fmt::format("gradproof experiment {} --seed {}{} --out DIR", name, c.seed,
                       c.effort == Effort::quick ? " --quick" : "");
}
std::string heading(const Experiment& e) { return fmt::format("{}. {}", e.number, e.title); }

}  // namespace

std::string csv(const std::vector<std::string>& columns, const std::vector<std::vector<Value>>& rows) {
    std::string out;
    const auto line = [&](const std::vector<Value>& fields) {
        for (std::size_t i = 0; i < fields.size(); ++i) out += (i == 0 ? "" : ",") + csv_field(fields[i]);
        out += "\n";
    };
    line({columns.begin(), columns.end()});
    for (const auto& row : rows) line(row);
    return out;
}

std::string table_text(const std::vector<std::string>& columns, Rows rows) {
    rows.insert(rows.begin(), columns);
    return text_table(rows);
}

std::vector<File> files_of(const Experiment& e, const Context& context, const Result& r) {
    std::vector<File> out;
    figures::Page page(heading(e));
    page.paragraph(e.setting);
    page.paragraph(command(std::string(e.name), context));
    Rows rows;
    std::vector<std::vector<Value>> values;
    for (const Finding& f : r.findings) {
        rows.push_back(finding_row(f));
        values.push_back(finding_values(e, f));
    }
    page.table(kFindingColumns, rows, "What the documents expect, and what was measured");
    out.push_back({"findings.csv", csv(kFindingCsv, values)});
    for (const NamedFigure& f : r.figures) {
        page.figure(f.figure);
        out.push_back({f.name + ".svg", figures::svg_document(f.figure)});
    }
    for (const Table& t : r.tables) {
        page.table(t.columns, texts(t.rows), t.title, t.detail ? figures::Page::Shown::on_demand : figures::Page::Shown::at_once);
        out.push_back({t.name + ".csv", csv(t.columns, t.rows)});
    }
    out.push_back({"index.html", page.html()});
    return out;
}

std::vector<File> files_of_all(const Context& context, std::span<const std::pair<const Experiment*, Result>> results) {
    std::vector<File> out;
    figures::Page page("Experiments");
    page.paragraph(command("all", context));
    std::vector<std::vector<Value>> values;
    for (const auto& [e, r] : results) {
        for (File& f : files_of(*e, context, r)) out.push_back({std::filesystem::path(e->name) / f.name, std::move(f.text)});
        page.heading(heading(*e));
        page.links({{std::string(e->name) + "/index.html", "figures and tables"}});
        Rows rows;
        for (const Finding& f : r.findings) {
            rows.push_back(finding_row(f));
            values.push_back(finding_values(*e, f));
        }
        page.table(kFindingColumns, rows, e->setting);
    }
    out.push_back({"findings.csv", csv(kFindingCsv, values)});
    out.push_back({"index.html", page.html()});
    return out;
}

std::string terminal_text(const Experiment& e, const Result& r) {
    constexpr std::size_t kRows = 24;
    std::string out = heading(e) + "\n";
    for (const Finding& f : r.findings)
        out += fmt::format("  {:<13} {}\n                {} is {}, expected {}\n", text(f.outcome()), f.claim, f.quantity,
                           f.measured_text(), f.expected());
    for (const Table& t : r.tables) {
        if (t.detail) continue;
        Rows rows = texts(t.rows);
        const std::size_t all = rows.size();
        if (all > kRows) rows.resize(kRows);
        out += fmt::format("\n  {}\n{}", t.title, table_text(t.columns, rows));
        if (all > kRows) out += fmt::format("  … {} more in {}.csv\n", all - kRows, t.name);
    }
    return out;
}

}  // namespace gradproof::experiments
