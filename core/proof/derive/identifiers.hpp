// Names of a proof as a programming language takes them: W₁ is W1, H' is H_, and no two are alike.
//
//   Identifiers names({"for", "np"});
//   names.of("W₁");            // W1, at every call
//   names.gradient("Q");       // dQ
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof::proof {

/// The keywords of Python, and more words that no name may be there.
std::vector<std::string_view> reserved_in_python(const std::vector<std::string_view>& more);

class Identifiers {
  public:
    /// Words that no name may be.
    explicit Identifiers(const std::vector<std::string_view>& reserved) : taken_(reserved.begin(), reserved.end()) {}
    const std::string& of(const std::string& name) { return found(name, name); }
    const std::string& gradient(const std::string& name) { return found("∂" + name, "d" + name); }

    /// Of what is no value: a name that no other has.
    const std::string& unlike_others(const std::string& name) { return found("file " + name, name); }

  private:
    const std::string& found(const std::string& key, const std::string& name);
    std::set<std::string> taken_;
    std::map<std::string, std::string> names_;
};

}  // namespace gradproof::proof
