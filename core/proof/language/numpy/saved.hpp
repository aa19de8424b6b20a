// What a program keeps under names that are no values of their own: cache = (x, w), self.x = x, cache["x"] = x,
// ctx.save_for_backward(x).
//
//   saved.keep("self.x", name("x"), span);
//   saved.find("self.x");                       // x, and nullptr of what is not kept
//   saved.enter(2, 0);                          // the lines of another function
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

class Saved {
  public:
    /// What follows stands in the function of that number, 0 outside of all, and in the class that begins there.
    void enter(int function, std::size_t in_class) { here_ = {function, in_class}; }
    void keep(const std::string& key, const ExprPtr& value, Span at);
    /// What the function itself has kept there, else what all others have that keep something there: those of its class, if any
    /// does. nullptr where nothing is kept, and where they keep different values.
    ExprPtr find(std::string_view key) const;
    /// Where other functions keep different values there, the last line that does; an empty span where none do.
    Span kept_otherwise(std::string_view key) const;
    /// Whether the function that stands here keeps something there, or in a dict of that name.
    bool is_kept_here(std::string_view key) const;
    /// From here on the name stands for a dict of its own, which is empty.
    void make_dict(const std::string& name, Span at);
    bool is_dict(std::string_view name) const;
    /// The names under which something is kept in it.
    std::vector<std::string> members_of(std::string_view name) const;
    /// What the dict holds behind a line is not known.
    void lose_dict(std::string_view name, Span at);
    /// The first such line; an empty span where there is none.
    Span lost_in(std::string_view name) const;
    /// The value that was called `from` is called `to` from here on; where it was changed in place, what is that array is so too,
    /// and only what was computed of it stays.
    void rename(const std::string& from, const std::string& to, bool in_place);
    /// The words of the names under which a value is kept.
    std::vector<std::string> keys_of(const std::string& value) const;

  private:
    struct In {
        int function = 0;
        std::size_t in_class = 0;
    };
    /// What a function keeps under a name last.
    struct Kept {
        ExprPtr value;
        In in;
        Span at{};
    };
    std::string by_owner(std::string_view key) const;
    std::vector<const Kept*> candidates(std::string_view key) const;
    std::map<std::string, std::vector<Kept>, std::less<>> kept_;
    std::map<std::string, Span, std::less<>> lost_;  ///< by dicts
    int dicts_ = 0;
    In here_;
};

/// self.x, ctx.x, d["x"] and self.d["x"] of a text: the key that it is kept under, and where x stands.
struct Place {
    std::string key, owner;
    Span member{};
};
std::optional<Place> place_of(const Source& source, Span s);
/// How far such a place goes at the start of the text; 0 where there is none.
std::size_t place_length(std::string_view text);

/// Of grads["W"], whose key is a text.
bool has_text_key(std::string_view place);

/// What stands for a dict of a program: no value.
bool is_dict(const Expr& e);
/// A tuple or a list that a program writes down: no array, which numpy.array makes.
bool is_sequence(const Expr& e);
/// An array of what is kept as it is: a tuple of a program.
bool is_tuple(const Expr& e);
/// The same of a tuple in which something is computed, (x, z > 0): that is kept as it is now; nullptr of what is none.
ExprPtr as_tuple(const ExprPtr& e);
/// A name, a gradient, what stands for another expression, None, or a tuple.
bool is_kept_whole(const Expr& e);

}  // namespace gradproof::proof::numpy
