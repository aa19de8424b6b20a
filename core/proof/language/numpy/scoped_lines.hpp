// The statements of a program, each with the function or class whose names it uses, and with what it binds.
//
//   const ScopedLines lines(source, {{text, true}});
//   lines.scopes()[lines.all()[0].scope].name;                 // "" of the module
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/numpy/bindings.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

/// A stretch of a program, and whether it is part of the derivation that is read, or of another one.
struct ProgramPart {
    Span text;
    bool is_read = true;
    bool of_another = false;  ///< it is part of another derivation
};

class ScopedLines {
  public:
    static constexpr std::size_t kModule = 0;
    struct Scope {
        enum class Of { module, type, function } of = Of::module;
        std::string name{};
        std::size_t parent = kModule;
        std::size_t head = 0;                     ///< its def or class, of all lines
        std::set<std::string> given{};            ///< its parameters
        std::set<std::string> global{}, outer{};  ///< names that it says are those of the module, or of what is around it
    };
    struct Line {
        Span span{};
        std::size_t scope = kModule, indent = 0, part = 0;
        std::size_t body_end = 0;                 ///< of a compound statement, the line behind its body; of others the next line
        std::size_t around = kNone;               ///< the compound statement in whose body it stands; kNone of none in its scope
        bool is_read = true, of_another = false;  ///< as its part is
        std::vector<Binding> bindings{};
    };
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    ScopedLines(const Source& source, const std::vector<ProgramPart>& parts);
    const std::vector<Line>& all() const { return all_; }
    const std::vector<Scope>& scopes() const { return scopes_; }
    std::string_view code(std::size_t line) const { return source_.slice(all_[line].span); }
    /// The scope in which the line binds a name.
    std::size_t scope_of(std::size_t line, const std::string& name) const;
    /// Whether a function binds the name, or one around it does, so that it is none of the module.
    bool is_own(std::size_t scope, const std::string& name) const;
    /// Whether the line stands in the scope, or in one within.
    bool is_within(std::size_t line, std::size_t scope) const;

  private:
    void add(const ProgramPart& part, std::size_t number);
    void open(std::size_t line);

    const Source& source_;
    std::vector<Line> all_;
    std::vector<Scope> scopes_{{}};
    std::vector<std::set<std::string>> bound_{{}};  ///< by scopes
};

/// Whether the line uses a name of its scope: not as that of a member, of an argument or of its lambda or comprehension, nor as
/// what it binds alone.
bool uses_name(std::string_view code, const std::string& name);

}  // namespace gradproof::proof::numpy
