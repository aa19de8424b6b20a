// The folder a command writes into: refused before the work where it cannot be written,
// and left as it was unless every file could be written.
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
    /// All of them are written aside before the first takes the place of an earlier one.
    /// Errors: ValueError where a folder has the name of one, IoError.
    void write(const std::vector<std::pair<std::filesystem::path, std::string>>& files);
    const std::filesystem::path& path() const { return path_; }

  private:
    void make(const std::filesystem::path& folder);
    void expect_no_folder(const std::filesystem::path& name) const;
    void remove_empty() noexcept;

    std::string command_;
    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;
};

}  // namespace gradproof::cli
