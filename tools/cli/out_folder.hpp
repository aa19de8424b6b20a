// The folder that a command writes into. It is checked before the work, and it stays unchanged unless every file can be written.
//
//   OutFolder folder("experiment", "results");             // nothing is created yet
//   folder.write({{"index.html", page}, {"data/a.csv", csv}});
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gradproof::cli {

/// Created on demand, with its parents. Folders that it created and that stay empty are removed again.
class OutFolder {
  public:
    /// Errors: ValueError or IoError that name the command if `path` cannot become a folder that holds `files`.
    OutFolder(std::string command, std::filesystem::path path, const std::vector<std::string>& files = {});
    ~OutFolder();
    OutFolder(const OutFolder&) = delete;
    OutFolder& operator=(const OutFolder&) = delete;

    void make() { make(path_); }
    /// Writes all files to a temporary folder before it replaces the first one.
    /// Errors: ValueError if a folder has the name of a file, IoError.
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
