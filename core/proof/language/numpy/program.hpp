// The functions of a program by what they are given and return, where their lines are read as they stand and not where they are
// called.
//
//   const Program program(source, text);
//   program.call_in(source, right);               // of "forward(x, w)" the function, and x and w
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

struct ProgramFunction {
    std::vector<std::string> parameters;  ///< without self
    std::vector<Span> returned;           ///< by its last return
};

class Program {
  public:
    Program() = default;
    Program(const Source& source, Span text);
    /// A call, with what each parameter is given: an empty span where that is its default.
    struct Call {
        const ProgramFunction* function = nullptr;
        std::map<std::string, Span> given;
    };
    /// Nothing where the text is no such call.
    std::optional<Call> call_in(const Source& source, Span s) const;
    bool has_class(std::string_view name) const;

  private:
    std::map<std::string, std::vector<ProgramFunction>, std::less<>> functions_;
    std::vector<std::string> classes_;
};

}  // namespace gradproof::proof::numpy
