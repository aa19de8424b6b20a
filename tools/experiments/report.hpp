// An experiment's result as files and as lines.
//
//   for (const File& f : files_of(experiment, context, result)) ...      // index.html, *.csv, *.svg
#pragma once

#include <filesystem>

#include "tools/experiments/experiment.hpp"

namespace gradproof::experiments {

struct File {
    std::filesystem::path name{};  ///< below the folder of the run
    std::string text{};
};

/// The tables as CSV, the figures as SVG, findings.csv, and index.html with all of it.
std::vector<File> files_of(const Experiment& experiment, const Context& context, const Result& result);
/// index.html of a folder that holds the folders of several experiments, and findings.csv of all of them.
std::vector<File> files_of_all(const Context& context, std::span<const std::pair<const Experiment*, Result>> results);

/// Columns side by side as wide as they need, below a line of names.
std::string table_text(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);
std::string csv(const std::vector<std::string>& columns, const std::vector<std::vector<Value>>& rows);

/// What is printed: the findings, then the tables, of which long ones are cut.
std::string terminal_text(const Experiment& experiment, const Result& result);

}  // namespace gradproof::experiments
