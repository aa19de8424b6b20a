// Functions and modules of NumPy and its like that a program gives another meaning: np.exp = f, import math as np, len = f.
//
//   const Rebound rebound(source, text);
//   rebound.why(statement, is_value, own);   // "line 3 gives np.exp another meaning: what it computes is not known"
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

/// np, torch, F: a name of a module whose functions are read.
bool is_module(std::string_view word);
/// len, sum, exp: a function of Python or of mathematics.
bool is_word_of_python(std::string_view name);

class Rebound {
  public:
    Rebound() = default;
    Rebound(const Source& source, Span text);
    /// Why what a statement calls is not known; "" where nothing in it has another meaning.
    /// `is_value`: of a name that is no module because it stands for a value.
    /// `within`: the names in the functions of the program that the statement calls.
    std::string why(const Source& source, Span s, const std::function<bool(std::string_view)>& is_value,
                    const std::set<std::string>& within) const;
    /// Of a statement that gives a function another meaning: np.exp; "" of others.
    std::string given_in(Span s) const;

  private:
    enum class Of { module, function, word, method };
    struct Change {
        Of of = Of::module;
        std::string owner, name;  ///< of np.exp = f: np and exp; of a module its name is the owner, of len = f there is no owner
        std::size_t begin = 0;
        int line = 0;
        Span holds{};           ///< the lines in which the name is so: those of a function, or all
        bool restores = false;  ///< import numpy as np
    };
    void take(const Source& source, Span s);
    void imports(const Source& source, Span s);
    void assigns(const Source& source, Span s);
    void assigned(const Source& source, Span target, Span right);
    void bound(std::string_view name, std::string_view module);
    void add(Of of, std::string_view owner, std::string_view name, bool restores = false);
    bool is_so_in(const Source& source, const Change& c, Span s) const;

    std::vector<Change> all_;
    std::vector<Span> functions_;  ///< the lines of each def
    Change here_;                  ///< where the statement stands that is looked at
};

}  // namespace gradproof::proof::numpy
