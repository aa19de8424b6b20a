// Where the progress of a student is kept, and how it is read and written.
//
//   KeptProgress kept("");                            // "" is the usual place
//   kept.progress().tried("values", true);
//   kept.keep();
#pragma once

#include <filesystem>
#include <string>

#include "gradproof/core/proof/exercises/progress.hpp"

namespace gradproof::cli {

class KeptProgress {
  public:
    /// A file, or "" for $XDG_STATE_HOME/gradproof/exercises, without that variable ~/.local/state/gradproof/exercises. A file that
    /// cannot be read is told on stderr, in one line, and stays as it is.
    explicit KeptProgress(const std::string& file);
    proof::Progress& progress() { return progress_; }
    /// Writes it aside and renames it. What goes wrong is told on stderr, in one line: an answer was judged all the same.
    void keep();
    /// "" where there is no place for it.
    const std::filesystem::path& file() const { return file_; }

  private:
    void say(const std::string& what);

    std::filesystem::path file_;
    proof::Progress progress_;
    bool broken_ = false;
};

}  // namespace gradproof::cli
