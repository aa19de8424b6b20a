// Dicts as a program writes them down: {"x": x, **c}, dict(c, x=x), c.copy() and c | d.
//
//   const std::optional<DictParts> parts = DictReader(source, saved).dict(s);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/numpy/saved.hpp"

namespace gradproof::proof::numpy {

/// "x": x, or a dict all of whose entries are taken, which has no key.
struct DictPart {
    Span key{}, value{};
};
using DictParts = std::vector<DictPart>;

class DictReader {
  public:
    /// Both stay with the caller.
    DictReader(const Source& source, const Saved& saved) : source_(source), saved_(saved) {}
    /// Nothing of a text that is no dict. Errors: ProofError for keys that are no names, and for others than dicts behind **.
    std::optional<DictParts> dict(Span s) const;
    /// What dict(...) and c.update(...) are given: c, x=x, **d. Errors: as above.
    DictParts arguments(Span inside) const;
    /// Errors: ProofError for what is no dict, too.
    void append(DictParts& to, Span s) const;

  private:
    DictParts entries(Span inside) const;

    const Source& source_;
    const Saved& saved_;
};

/// "x": x of {"x": x, **c, k: v}, the entries whose keys are names; none of what is no dict.
DictParts entries_written(const Source& source, Span s);

/// Whether a line does something to the dict that is called so, or gives it to something that may: f(c), c.pop("x"), c[k] *= 2.
bool may_change_dict(const Source& source, Span line, std::string_view name);
/// Whether names are put into what is called so, c["x"] and c.update(...), and not rows, c[t].
bool holds_names(const Source& source, const std::string& owner);
/// Whether nothing is computed of dicts.
bool are_dicts_whole(const Expr& e);

}  // namespace gradproof::proof::numpy
