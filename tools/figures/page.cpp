// HTML pages.
#include "tools/figures/page.hpp"

#include <fmt/format.h>

namespace gradproof::figures {

void Page::heading(std::string_view text) { body_ += fmt::format("<h2>{}</h2>\n", escape(text)); }
void Page::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", escape(text)); }

void Page::table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows,
                 std::string_view caption, Shown shown) {
    if (shown == Shown::on_demand)
        body_ += fmt::format("<details><summary>{}, {} rows</summary>\n", escape(caption), rows.size());
    body_ += fmt::format("<table><caption>{}</caption>\n<tr>", escape(caption));
    for (const std::string& c : columns) body_ += fmt::format("<th>{}</th>", escape(c));
    body_ += "</tr>\n";
    for (const auto& row : rows) {
        body_ += "<tr>";
        for (const std::string& cell : row) body_ += fmt::format("<td>{}</td>", escape(cell));
        body_ += "</tr>\n";
    }
    body_ += shown == Shown::on_demand ? "</table></details>\n" : "</table>\n";
}

void Page::figure(const Figure& figure) { body_ += "<figure>\n" + svg_element(figure) + "</figure>\n"; }

void Page::links(const std::vector<std::pair<std::string, std::string>>& links) {
    body_ += "<p>";
    for (std::size_t i = 0; i < links.size(); ++i)
        body_ += fmt::format("{}<a href=\"{}\">{}</a>", i == 0 ? "" : " · ", escape(links[i].first), escape(links[i].second));
    body_ += "</p>\n";
}

std::string Page::html() const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>\n"
        "body{{font-family:Helvetica,Arial,'DejaVu Sans',sans-serif;color:#222;background:#fff;max-width:1100px;margin:2em "
        "auto;padding:0 1em;line-height:1.4}}\n"
        "table{{border-collapse:collapse;margin:1em "
        "0;font-size:14px}}caption{{text-align:left;white-space:nowrap;font-weight:bold;padding:4px 0}}\n"
        "th,td{{border:1px solid #bbb;padding:3px 9px;text-align:left}}th{{background:#f2f2f2}}figure{{margin:1em "
        "0}}svg{{max-width:100%;height:auto}}\n"
        "</style></head><body>\n<h1>{0}</h1>\n{1}</body></html>\n",
        escape(title_), body_);
}

}  // namespace gradproof::figures
