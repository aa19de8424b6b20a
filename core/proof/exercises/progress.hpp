// What of a set of exercises is done: text that a student can read, too.
//
//   Progress p = Progress::read(text);
//   p.tried("values", true);
//   p.text();                        // "# gradproof exercises ...\nvalues right 1\n"
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gradproof/core/proof/exercises/exercises.hpp"

namespace gradproof::proof {

class Progress {
  public:
    struct Of {
        bool right = false;
        int tries = 0;
    };
    /// An empty text is no progress yet. Errors: ValueError, with the line, for what is not the text of one.
    static Progress read(const std::string& text);
    std::string text() const;
    /// One more answer to an exercise of that name. What was right once stays so.
    void tried(const std::string& name, bool right);
    Of of(const std::string& name) const;
    /// How many of them are done.
    int done(const std::vector<Exercise>& all) const;
    /// The first that is open; nullptr where all are done.
    const Exercise* next(const std::vector<Exercise>& all) const;

  private:
    std::map<std::string, Of> exercises_;
};

}  // namespace gradproof::proof
