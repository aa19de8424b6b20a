// Commands and environments of text that are known to typeset what stands in them, and nothing else.
//
//   const KnownCommands known(source);
//   known.command("emph"); known.environment("lemma");        // and those that the file defines
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

class KnownCommands {
  public:
    explicit KnownCommands(const Source& source);
    /// By its name without the backslash.
    bool command(std::string_view name) const;
    bool environment(std::string_view name) const;

  private:
    std::set<std::string, std::less<>> commands_, environments_;  ///< that the file defines
};

}  // namespace gradproof::proof::latex
