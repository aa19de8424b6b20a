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

/// Created on demand, with its parents. Folders that it created and that stay empty are removed again. Links in it are not
/// followed. While one lives no other process writes into the folder as one.
class OutFolder {
  public:
    /// Errors: ValueError or IoError that name the command if `path` cannot become a folder that holds `files`, or if another
    /// process writes into it.
    OutFolder(std::string command, std::filesystem::path path, const std::vector<std::string>& files = {});
    ~OutFolder();
    OutFolder(const OutFolder&) = delete;
    OutFolder& operator=(const OutFolder&) = delete;

    void make();
    /// Writes all files to a temporary folder before it replaces the first one.
    /// Errors: ValueError if something that is no file has the name of one, IoError.
    void write(const std::vector<std::pair<std::filesystem::path, std::string>>& files);
    const std::filesystem::path& path() const { return path_; }

  private:
    void make(const std::filesystem::path& folder);
    void expect_file_or_nothing(const std::filesystem::path& name) const;
    void lock();
    void unlock() noexcept;
    void remove_empty() noexcept;

    std::string command_;
    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;
    int lock_ = -1;  ///< the folder, locked
};

}  // namespace gradproof::cli
