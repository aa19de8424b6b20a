// How the equations of a text use names of which it does not say what they are.
//
//   Uses uses(source, is_said, derived_in(source, all), lines);
//   uses.see(equation, false); ... uses.take();
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gradproof/core/proof/language/latex/derived.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/sequences_seen.hpp"
#include "gradproof/core/proof/language/latex/unsaid.hpp"

namespace gradproof::proof::latex {

class Uses {
  public:
    Uses(const Source& source, const std::function<bool(const NameParts&)>& is_said, Derived derived, const LinesSaid& lines)
        : source_(source), is_said_(is_said), derived_(std::move(derived)), lines_(lines) {}

    void see_gates(const std::vector<Equation>& all);
    void see_left(const Tokens& left);
    void see(const Equation& e, bool claims);
    void see_delta(const std::vector<Equation>& all);
    std::vector<Unsaid> take();

  private:
    static bool is_capital(std::string_view base) { return !base.empty() && base[0] >= 'A' && base[0] <= 'Z'; }
    static bool is_letter_of_size(const Token& t) { return t.kind == Token::Kind::letter && is_one(kSizes, t.text); }
    bool is_bar_of_another(const Unsaid& u) const;
    bool is_always_called(const std::string& base) const;
    bool is_entry(const Unsaid& u) const;
    static std::string matrix_of_lines(const Unsaid& u);
    bool is_line_of_another(const Unsaid& u) const;
    void name_matrix_of_rows(Unsaid& u) const;
    void bind(const Tokens& tokens);
    static bool stands_below(const Tokens& tokens, const Token& letter);
    void bind_left(const Tokens& left, const Tokens& right);
    void add_index(std::string_view letter);
    NameParts parts(const Tokens& tokens, std::size_t at) const;

    void go_through(const Tokens& tokens, bool divides);
    std::size_t function_of_letters(const Tokens& tokens, std::size_t at) const;
    void ends_of_ranges(const Tokens& range);
    std::size_t sum(const Tokens& tokens, std::size_t at);
    void sizes(const Tokens& tokens);
    std::size_t fraction(const Tokens& tokens, std::size_t at, bool divides);
    bool are_entries(const Tokens& below) const;
    static std::size_t entries_in(const Tokens& below);
    bool is_name_above(const Tokens& above) const;

    bool is_transposed(const Tokens& tokens, const NameParts& p) const;
    bool is_bias(const Tokens& tokens, const NameParts& p) const;
    bool is_power_of_matrix(const Tokens& tokens, const NameParts& p) const;
    void name(const Tokens& tokens, const NameParts& p, bool divides);
    void see_derived(const Tokens& expression);
    void see_argument(const Tokens& left);
    void see_operator(const Tokens& left);
    void add_number(const Tokens& left, const NameParts& of);
    void begin_of_sequence(const Tokens& tokens, const NameParts& p);
    bool is_called_on_name(const Tokens& tokens, const NameParts& p) const;
    bool may_be_gradient(const NameParts& p) const;
    bool is_entry_at_label(const NameParts& p) const;
    void label(const NameParts& p);
    void function(const Tokens& tokens, const NameParts& p);
    bool is_letter_of_another(const NameParts& p) const;
    /// Of a matrix L: derivatives are taken by it, and none of it.
    bool is_derived_by(const std::string& base) const { return derived_.by.contains(base) && !derived_.of.contains(base); }
    Unsaid* add(const Tokens& tokens, const NameParts& p, const std::string& key, bool size);

    static constexpr std::string_view kSizes[] = {"n", "m", "N", "M", "d", "D"};
    const Source& source_;
    const std::function<bool(const NameParts&)>& is_said_;
    std::set<std::string> parameters_;  ///< bases of what stands below functions
    Derived derived_;
    bool delta_is_number_ = false;
    const LinesSaid& lines_;
    bool claims_ = false;
    std::set<std::string, std::less<>> gates_;   ///< letters that are parts of names
    std::set<std::string> bound_;                ///< in this equation
    std::set<std::string> indices_;              ///< in any
    std::set<std::string> numbered_, as_value_;  ///< keys
    std::set<std::string> bounds_;               ///< keys of ends of sums
    std::set<std::string> not_taken_;            ///< bases
    std::set<std::string> defined_by_index_;     ///< those of S_t = ...
    std::set<std::string> transposed_;           ///< keys
    std::set<std::string> by_entry_, biases_;    ///< keys of factors of \odot, and of what is added to W x
    std::set<std::string> powers_;               ///< keys of W of W^2 x
    SequencesSeen sequences_;
    std::map<std::string, int> calls_, others_;   ///< how often bases stand before a bracket, and elsewhere
    std::set<std::string> called_on_names_;       ///< s of s(a), which is no product
    std::map<std::string, std::size_t> claimed_;  ///< keys of what claims differentiate by, and with how many indices
    std::map<std::string, Tokens> capitals_;      ///< that stand alone
    std::vector<Unsaid> all_;
};

}  // namespace gradproof::proof::latex
