// The folder a command writes into: refused before the work where it cannot be written, and left as it was if writing fails.
//
//   OutFolder folder("experiment", "results");             // nothing is made yet
//   folder.write({{"index.html", page}, {"data/a.csv", csv}});
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gradproof::cli {

/// Made on demand, with the folders above it; those it made are removed again where nothing was put into them.
class OutFolder {
  public:
    /// Errors: ValueError or IoError, named after the command, where `path` cannot become a folder that takes `files`.
    OutFolder(std::string command, std::filesystem::path path, const std::vector<std::string>& files = {});
    ~OutFolder();
    OutFolder(const OutFolder&) = delete;
    OutFolder& operator=(const OutFolder&) = delete;

    void make() { make(path_); }
    /// Each file whole or not at all; on an error those that were not there before are removed again.   Errors: IoError.
    void write(const std::vector<std::pair<std::filesystem::path, std::string>>& files);
    const std::filesystem::path& path() const { return path_; }

  private:
    void make(const std::filesystem::path& folder);
    void remove_empty() noexcept;

    std::string command_;
    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;
};

}  // namespace gradproof::cli
