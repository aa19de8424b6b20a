// A self-contained HTML page of paragraphs, tables and figures, without scripts and external files.
//
//   Page page("Copy task");
//   page.paragraph("What was measured.");
//   page.table({"length", "accuracy"}, {{"8", "1"}}, "Accuracy by length");
//   page.figure(draw(chart));
//   write_file_atomically("index.html", page.html());
#pragma once

#include "tools/figures/svg.hpp"

namespace gradproof::figures {

class Page {
  public:
    explicit Page(std::string title) : title_(std::move(title)) {}
    void heading(std::string_view text);
    void paragraph(std::string_view text);
    enum class Shown { at_once, on_demand };
    /// on_demand: collapsed under its caption.
    void table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows,
               std::string_view caption, Shown shown = Shown::at_once);
    void figure(const Figure& figure);
    /// A line of links to other pages, as (address, text).
    void links(const std::vector<std::pair<std::string, std::string>>& links);
    std::string html() const;

  private:
    std::string title_, body_;
};

}  // namespace gradproof::figures
