// The result of an experiment as files and as text.
//
//   for (const File& f : files_of(experiment, context, result)) ...      // index.html, *.csv, *.svg
#pragma once

#include <filesystem>

#include "tools/experiments/experiment.hpp"

namespace gradproof::experiments {

struct File {
    std::filesystem::path name{};  ///< relative to the folder of the run
    std::string text{};
};

/// The tables as CSV, the figures as SVG, findings.csv, and index.html with all of it.
std::vector<File> files_of(const Experiment& experiment, const Context& context, const Result& result);
/// The files of several experiments, each in a folder of its own, with an index.html and a findings.csv for all of them.
std::vector<File> files_of_all(const Context& context, std::span<const std::pair<const Experiment*, Result>> results);

/// A table with a line of column names; the columns are as wide as their entries.
std::string table_text(const std::vector<std::string>& columns, std::vector<std::vector<std::string>> rows);
std::string csv(const std::vector<std::string>& columns, const std::vector<std::vector<Value>>& rows);

/// The findings, then the tables; long tables are cut.
std::string terminal_text(const Experiment& experiment, const Result& result);

}  // namespace gradproof::experiments
