// The claims of a LaTeX text: they are gathered while its formulas are read, and judged when all of it is.
//
//   Claims claims(source, reading, statements);
//   claims.add(equation, expected);  claims.go_on(further_link);
//   claims.add_of_sentences(prose, text);
//   claims.judge();
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/changes_said.hpp"
#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

class Claims {
  public:
    Claims(const Source& source, Reading& reading, Statements& to) : source_(source), reading_(reading), to_(to) {}
    /// `expected`: printed numbers follow.
    void add(const Equation& e, bool expected) { all_.push_back({{e}, expected, false, ""}); }
    /// One that is shown, and why it is not judged.
    void skip(const Equation& e, std::string why) { all_.push_back({{e}, false, true, std::move(why)}); }
    /// A further link of the last one.
    void go_on(const Equation& e) { all_.back().chain.push_back(e); }
    /// Those that sentences conclude, where they stand; and inputs are drawn as sentences say they are.
    void add_of_sentences(const Prose& prose, Span text);
    /// No claim is judged that sentences make another one.
    void add_changes(Span text) { changes_ = changes_said(source_, text); }
    /// Forgets those that do not stand there.
    void keep(Span within);
    void judge();

  private:
    struct Claim {
        std::vector<Equation> chain;
        bool expected = false, skipped = false;
        std::string why;
        std::string only_for{};  ///< "symmetric A", where other lines are meant for every A
    };
    Statement statement(const Equation& e) const { return {e.span, source_.line(e.span.begin)}; }
    void put_between(const Equation& e);
    void settle_properties(const Prose& prose, Span text);
    bool is_said_of_it(const Equation& e, const Expr& left) const;
    void judge(Claim l);
    void expect_no_assumption_lifted(const Equation& e, const Expr& left, const Expr& right) const;
    bool says_when_one_holds(Span formula) const;
    void expect_condition(const Equation& e, const Expr& holds) const;
    void set_where(const Equation& e, const ExprPtr& holds, Equality& equality) const;
    void expect_unchanged(const Equation& e) const;
    void expect_no_explicit_part(const Equation& e, const Expr& left, const Tokens& written, const Expr& right) const;
    void lose(const Claim& l, const std::vector<std::string>& texts);
    std::vector<ExprPtr> said_besides(const std::string& value) const;
    ExprPtr by_entry_of(const Expr& right, const ExprPtr& left) const;
    void show_demanded(const Claim& l, const std::vector<std::string>& texts);

    const Source& source_;
    Reading& reading_;
    Statements& to_;
    std::vector<Claim> all_;
    std::vector<ChangeSaid> changes_;
};

/// With the sizes that identities and ones without one have there. Errors: ProofError where nothing shows them.
ExprPtr sized(const ExprPtr& e, const Expr* left, const Statements& to);

}  // namespace gradproof::proof::latex
