// The reader of one LaTeX text: what its formulas and sentences say goes to statements.
//
//   Reader(source, text, epoch, to, taken).read();
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/annotations.hpp"
#include "gradproof/core/proof/language/latex/claims.hpp"
#include "gradproof/core/proof/language/latex/conditions_of_claims.hpp"
#include "gradproof/core/proof/language/latex/conventions_said.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/elsewhere.hpp"
#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/gradients_said.hpp"
#include "gradproof/core/proof/language/latex/lead.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"
#include "gradproof/core/proof/language/latex/taken.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

/// The reader of one text.
class Reader {
  public:
    /// `taken`: names of which the text says nothing. `first`: to find their shapes.
    Reader(const std::shared_ptr<const Source>& source, Span text, Span epoch, Statements& to, Unstated& taken,
           bool first = false)
        : taken_(taken.all),
          unfit_(taken.unfit),
          unread_(taken.unread),
          first_(first),
          epoch_(epoch),
          source_(*source),
          text_(text),
          conditions_(*source),
          to_(to),
          reading_{*source, to.names(), to.proof(), std::make_shared<LatexSpelling>()},
          meanings_(*source, with_text_before(*source, text), text.begin),
          elsewhere_(*source, text) {
        reading_.lines = lines_said(*source, with_text_before(*source, text));
        reading_.adjoint = said_of_adjoints(*source, with_text_before(*source, text));
        reading_.d_is_gradient = names_differentials(*source, with_text_before(*source, text));
        const std::string words = plain_words(source_.slice(with_text_before(*source, text)));
        reading_.by_entry = names_product_by_entry(words);
        reading_.bars_by_entry = speaks_of_entries(words);
        const std::string_view all = source_.slice(text);
        const auto has = [&](const char* written) { return all.find(written) != std::string_view::npos; };
        if ((has("=0}^") || has("= 0}^")) && (has("_0") || has("_{0") || !has("_1"))) reading_.spelling->first = 0;
    }

    void read();

  private:
    Statement statement(const Equation& e) const { return statement(e.span); }
    Statement statement(Span s) const { return {s, source_.line(s.begin)}; }

    void settle_conventions(const ConventionsSaid& said);
    void hold_fixed(const SaidFixed& one);

    void settle_meanings(const Prose& prose);
    void formula(const Document& document, const Part& part, const Prose& prose);
    static void turn_zeros(std::vector<Equation>& all);
    bool led(Equation& e, const Lead& lead, bool sets_to_zero, bool goes_on) const;
    void add_conditions(const std::vector<Equation*>& claims, Span between);
    LostLine lost_row(const Tokens& row, Span shown_at) const;
    void lose_file(const Input& input);
    void gather(std::vector<Equation> all);
    void gather_asides(Prose& prose, std::size_t before);
    bool is_new_name(const Equation& e) const;
    bool begins(const Equation& e) const;
    void begins_first(std::vector<Equation>& all) const;
    void announce(const std::vector<Equation>& all);
    void take_gathered();

    void equation(const Equation& given, bool chain);
    bool defines_anew(Equation e) const;
    void expect_no_size(const Equation& e) const;
    void expect_same_letters(const Equation& e) const;
    bool is_step_of_training(const Equation& e) const;
    void lose_gradient_in_words(const Equation& e);
    void aside(const Equation& e);
    LostLine lost(const Equation& e, bool defines) const;
    bool is_new(const Equation& e) const;
    bool is_of_function(const Equation& e) const;
    void assign(const Equation& e);

    ExprPtr as_number(const ExprPtr& right) const;
    ExprPtr right_of(const Equation& e);
    std::vector<Taken>& taken_;
    const std::set<std::size_t>& unfit_;
    const std::optional<ProofError>& unread_;
    const bool first_;
    const Span epoch_;  ///< whose lines are judged
    const Source& source_;
    Span text_;
    std::size_t behind_ = 0;  ///< the last formula
    ConditionsOfClaims conditions_;
    Statements& to_;
    Reading reading_;
    Meanings meanings_;
    const Elsewhere elsewhere_;
    bool begins_lost_ = false;  ///< the first link of a chain is not read
    bool settled_ = false;
    Mode mode_;
    std::vector<Equation> gathered_;  ///< of formulas that are read together
    Claims claims_{source_, reading_, to_};
    std::size_t count_ = 0;
    /// What the last equation is, and with it the chain that follows it.
    enum class Now { claim, forward, helper, lost } now_ = Now::lost;
    bool skipping_ = false;
};

}  // namespace gradproof::proof::latex
