// The names of a LaTeX file: which letters, accents, super- and subscripts make one name, and which identifier it has.
//
//   const NameParts parts = parts_of(source, tokens, at);         // of W^Q_{ij}: base W, superscript Q, subscript ij
//   reading.id_of(parts.key(true, false, false));                //  "W_Q" where W^Q is defined
#pragma once

#include <map>
#include <memory>
#include <set>

#include "gradproof/core/proof/language/grammar.hpp"
#include "gradproof/core/proof/language/latex/lines_said.hpp"
#include "gradproof/core/proof/language/latex/tokens.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

struct NameParts {
    const Source* source = nullptr;
    std::string base;  ///< X, α, y_hat, softmax; "" where no name begins
    std::size_t begin = 0, base_end = 0, end = 0;
    Tokens above, below;  ///< super- and subscript
    bool has_above = false, has_below = false, primed = false;
    /// X^Q_h' with what is asked for; "" where a script is no part of a name.
    std::string key(bool with_above, bool with_below, bool with_prime) const;
    std::string full_key() const { return key(has_above, has_below, primed); }
};
NameParts parts_of(const Source& source, const Tokens& tokens, std::size_t at);
/// Whether a name with that base stands in them.
bool has_name(const Source& source, const Tokens& tokens, std::string_view base);
/// Of h_{t-1}.
bool is_at_step(const NameParts& p);
/// The letters and digits of a script in one, "" where there is anything else.
std::string flat(const Source& source, const Tokens& tokens);
/// T, \top, \mathsf T ...
bool is_transpose(const Source& source, const Tokens& script);
/// Whether it is an input that is drawn with a property: positive, symmetric, one-hot.
bool has_property(const Proof& proof, std::string_view input);

/// Behind the bracket that closes the one at `at`; the end where none does.
std::size_t end_of_brackets(const Tokens& tokens, std::size_t at);

/// The text of tokens[begin] to tokens[end - 1].
std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end);

/// A function as the text says what it is, in place of what goes by its name.
struct FunctionMeaning {
    std::string function;      ///< "σ", "softmax", "norm"; of a name that is no function otherwise, its base
    Tokens below{};            ///< \theta of h_\theta(x) = ..., which stands wherever it is called
    Tokens parameter{};        ///< z of \sigma(z) = ...
    Tokens index{};            ///< i of \mathrm{softmax}(z)_i = ...
    Tokens body{};             ///< the formula; none of the other two
    std::string same_as{};     ///< the function that it is
    std::string refused{};     ///< why it is not read
    std::string text{};        ///< what is said of it in the report: \sigma(z) = \tanh(z)
    Span span{};               ///< of the equation
    bool of_matrices = false;  ///< it is said of matrices only
    bool by_columns = false;   ///< of a matrix, of each column
    bool any = false;          ///< nothing is said of it but that it is a function
};

/// What is known while a file is read.
struct Reading {
    const Source& source;
    const Names& names;
    const Proof& proof;  ///< so far
    std::shared_ptr<LatexSpelling> spelling;
    std::map<std::string, std::string, std::less<>> ids{};  ///< of keys whose identifiers are not themselves
    std::set<std::string, std::less<>> spelled_twice{};     ///< x_1 where the text has an x^{(1)}, too
    /// Of a value that is written f(x, y), by identifier.
    struct Arguments {
        std::string text;                ///< "(x,y)"
        std::vector<std::string> names;  ///< identifiers
    };
    std::map<std::string, Arguments, std::less<>> arguments{};

    std::set<std::string, std::less<>> defined_bases{};        ///< of all left sides so far, read or not
    std::set<std::string, std::less<>> coming{};               ///< bases of what later lines define
    std::set<std::string, std::less<>> passed{};               ///< those of them whose lines have been gone through
    std::map<std::string, std::string, std::less<>> unread{};  ///< why not, of bases that sentences define and are not read
    std::set<std::string, std::less<>> of_two{};               ///< names that are a size and a value
    std::set<std::string, std::less<>> announced{};  ///< identifiers of the sequences among these: their entries may stand before
    std::set<std::string, std::less<>> functions{};  ///< keys of values that this and later lines write with arguments, f(x)
    std::set<std::string, std::less<>> gates{};      ///< z of z = \sigma(a_z), a_z = W_z x: a part of names, and no index
    Tokens of_claim{};                               ///< the left side of what is claimed, while its right side is read
    std::set<std::string> indices{};                 ///< those on the left, while a right side is read
    std::map<std::string, FunctionMeaning, std::less<>> meanings{};  ///< of functions, by name
    LinesSaid lines{};                                               ///< matrices whose rows or columns the text names: u_w of U
    std::string
        unnamed_loss{};     ///< the base of what derivatives are of where nothing says what it is: R of \partial R / \partial x
    std::string adjoint{};  ///< the accent of gradients, bar of \bar x = \partial L / \partial x; "" where there is none
    bool bars_by_entry = false;  ///< it speaks of absolute values, or of something that goes entry by entry
    bool by_entry = false;       ///< it says of products that they go entry by entry
    bool d_is_gradient = false;  ///< it writes dx of a gradient, and not only d times x where a size is called d
    std::string parameter{};     ///< the key of what a function is taken of, while the formula is read that says what it is
    std::string sequence{};      ///< the identifier of what a recurrence defines, while its right side is read

    bool is_defined(const std::string& key) const {
        const std::string id = id_of(key);
        return names.defined(id) || (!sequence.empty() && id == sequence);
    }
    /// The same of what may stand in a line of the forward.
    bool may_stand(const std::string& key) const {
        return is_defined(key) || announced.contains(id_of(key)) || (!parameter.empty() && key == parameter);
    }
    std::string id_of(const std::string& key) const;
    /// Whether it is the identifier of another name: x_plus of x_+ beside an x^+, x_1 of x_1 beside an x^{(1)}.
    bool is_of_another(const std::string& key) const;
    /// The identifier of a new name, spelled as tokens[begin] to tokens[end - 1].
    std::string define(const std::string& key, const Tokens& tokens, std::size_t begin, std::size_t end);
    /// The same of what is defined by its entries, spelled without its indices.
    std::string define_rows(const std::string& key, const Tokens& tokens, const NameParts& p);
};

/// Whether the text has an index above, \delta^l_j and g^{(n)}, that is read as one below.
bool stands_above(const Source& source, const Token& index);

}  // namespace gradproof::proof::latex
