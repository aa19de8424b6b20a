// What was read of a text, and what stands in its formulas besides.
//
//   const Accounted accounted(source, sentences_in(source, text), proof);
//   accounted.left_out(sentence);          // "no line has L \gets 2L" of "then let $L \gets 2L$"
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/known_words.hpp"
#include "gradproof/core/proof/language/latex/lines_said.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

inline constexpr std::size_t kMostShown = 60;  ///< of a formula in a message

class Accounted {
  public:
    /// `lines`: the matrices whose rows or columns the text names; `epoch`: what was read; the rest of the formulas is read for
    /// itself.
    Accounted(const Source& source, const std::vector<Sentence>& all, const Proof& proof, const LinesSaid& lines, Span epoch);
    /// What of it says something that no line of the derivation does, in words; "" if nothing does.
    std::string left_out(const Sentence& s) const;
    /// Its words that do more than lead on, likewise; nothing of headings.
    std::string words_left_out(const Sentence& s) const;

  private:
    static std::string as_run(const Tokens& t);
    static bool meets(const std::vector<Span>& all, Span at);
    void add_helpers(const Expr& e);
    std::string said_by_heading(const Sentence& s) const;
    bool names_a_norm(const Sentence& heading) const;
    std::string formula_left_out(const Sentence& s) const;
    bool is_drawn(const Mention& m) const;
    bool leaves_out(const Mention& m) const;
    bool leaves_out(const Tokens& equation, const std::vector<Span>& equivalences) const;
    std::string left_beside(const Mention& m) const;
    std::string names_another_value(const Sentence& s) const;
    bool is_of_another_value(const Mention& m, const JudgedLine& claim) const;
    std::string text_of(Span at) const;
    bool is_derived_by_others(const std::set<std::string>& names) const;
    std::string names_another_input(const Sentence& s, const std::set<std::string>& by) const;
    std::string leads_to_another(const Sentence& s) const;
    const JudgedLine* only_claim(const Sentence& s) const;
    std::string speaks_of_one(const Sentence& s) const;
    bool has_index_of(const Sentence& s, const JudgedLine& claim) const;
    std::string names_things_otherwise(const Sentence& s) const;
    bool tells_value(const Sentence& s) const;
    bool speaks_of_distribution(const Tokens& t) const;
    bool restricts(const Sentence& s) const;
    bool defines_somewhere(const Sentence& s) const;
    static bool adds_up(const Expr& value);
    bool sets_free_value(const Tokens& equation) const;
    bool sums_a_product(const Tokens& equation) const;
    // accounted_leads.cpp
    bool is_nowhere_else(const std::string& word, const Sentence& s) const;
    bool is_in_no_line(const Mention& m) const;
    struct Phrase;
    std::string added_with(const Sentence& s, const Phrase& p, std::size_t k, const Mention* named) const;
    std::string added_by_word(const Sentence& s, const Phrase& p, std::size_t k, const Mention* named) const;
    std::string added_by_words(const Sentence& s) const;
    void see_topics(const std::vector<Sentence>& all);
    // accounted_relations.cpp
    bool places_elsewhere(const Tokens& t) const;
    bool lies_elsewhere(const Tokens& t, std::size_t in, const std::string& stated) const;
    bool claims_beyond_ends(const Mention& m) const;
    bool bounds_computed(const Mention& m) const;
    std::string bound_left_out(const Mention& m) const;
    // accounted_ranges.cpp
    bool is_size(const Tokens& t) const;
    bool is_of_another_axis(const std::string& index, const std::string& last) const;
    std::vector<Tokens> listed_from(const Tokens& t, std::size_t at) const;
    bool is_part_of_range(const std::vector<Tokens>& parts, const std::string& index) const;
    bool leaves_out_of_range(const Mention& m) const;
    static std::vector<Tokens> compared_in(const Tokens& t);
    bool restricts_index(const Tokens& t) const;
    bool relates_indices(const Tokens& t) const;
    struct Indexed {
        std::set<std::string_view> names, indices;
    };
    Indexed indexed_in(const Tokens& t) const;
    static bool says_what_entries_are(const Tokens& t, const Indexed& there, const Indexed& of_definition);
    bool selects_terms(const Sentence& s, std::size_t k) const;
    std::optional<bool> restricts_from_number(const Tokens& t) const;
    static bool goes_on_behind_equals(const Tokens& part);
    bool is_decoration(const Tokens& part) const;
    bool is_left_or_last(const Tokens& formula, const Tokens& part) const;
    bool states_anew(const Mention& m) const;
    bool ties_values(const Sentence& s) const;
    bool names_lines(const Sentence& s, std::size_t k) const;
    std::string words_without_lines(const Sentence& s) const;
    bool calls_definition_gradient(const Sentence& s) const;
    bool ties_to_value(const Sentence& s) const;
    bool speaks_of_function(const Sentence& s) const;
    bool computes_values(const Sentence& s) const;
    bool uses_value(const Tokens& t) const;
    bool calls_output(const Sentence& s) const;
    std::string called_computed(const Sentence& s) const;
    bool arranges_values(const Sentence& s) const;
    bool lays_gradients(const Sentence& s) const;
    bool takes_rows() const;
    bool goes_on(const Sentence& s) const;
    bool names_derivatives(const Sentence& s) const;
    bool calls_gradient(const Mention& m, const std::string& words) const;
    bool renames(const Mention& a, const Mention& b) const;
    bool is_name_of_value(const Tokens& t) const;
    bool is_of_a_line(Span at) const;
    bool is_judged(Span at, std::size_t from) const;
    bool claims(const Sentence& s) const;
    bool defines(const Mention& m) const;
    bool is_value(std::string_view name) const;
    bool is_given(const Tokens& t) const;
    bool is_range(const Tokens& t, std::size_t equals) const;
    bool is_mention(const Tokens& formula) const;
    bool is_name_or_space(const Tokens& t) const;
    bool is_drawn_so(const Tokens& t) const;
    // accounted_unmarked.cpp
    bool shows_any(std::initializer_list<std::string_view> signs) const;
    std::string product_unmarked(const Sentence& s) const;
    bool shows_function() const;
    std::string relation_unmarked(const std::string& words) const;
    bool names_input(const Mention& m) const;
    static std::string said_of_another(const Mention& m);
    static bool is_mapped_to(const Mention& m, const Sentence& s);
    std::string value_unmarked(const Sentence& s) const;
    std::string sum_unmarked(const std::string& words) const;
    std::string number_unmarked(const Sentence& s) const;
    std::string mean_unmarked(const std::string& words) const;
    std::string sign_unmarked(const Sentence& s) const;
    std::string unmarked(const Sentence& s) const;

    const Source& source_;
    const Proof& proof_;
    std::vector<Span> spans_;            ///< of what is given or defined
    std::vector<Span> judged_;           ///< of claims
    std::vector<Span> skipped_;          ///< of those that are not judged
    std::vector<Span> conditions_;       ///< under which claims hold
    std::vector<std::string> formulas_;  ///< those of lines, as runs of tokens
    std::set<std::string, std::less<>> functions_;
    std::string words_;                          ///< of all sentences
    std::string definitions_;                    ///< the formulas that define something
    std::map<std::size_t, std::string> topics_;  ///< of headings above claims alone, by where they begin
    const LinesSaid& lines_;
};

}  // namespace gradproof::proof::latex
