// The folder a command writes into: refused before the work where it cannot be written, and left as it was if writing fails.
//
//   const OutFolder folder("experiment", "results");       // nothing is made yet
//   folder.write({{"index.html", page}, {"data/a.csv", csv}});
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gradproof::cli {

class OutFolder {
  public:
    /// Errors: ValueError or IoError, named after the command, where `path` could not become a folder that takes files.
    OutFolder(std::string command, std::filesystem::path path);
    /// Each file whole or not at all; on an error files and folders that were not there before are removed again.   Errors: IoError.
    void write(const std::vector<std::pair<std::filesystem::path, std::string>>& files) const;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::string command_;
    std::filesystem::path path_;
};

}  // namespace gradproof::cli
