// One text writes in one way: right lines that need opposite conventions cannot be relied on together.
//
//   OneReading readings;                     // for each right line: readings.add(i, claim, {Way::columns});
//   readings.judge(report, conventions);     // line 7 needs vectors as rows, lines 2 and 3 as columns: 7 cannot be told
#pragma once

#include "gradproof/core/proof/evaluate/orientation.hpp"
#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/judge/readings.hpp"

namespace gradproof::proof {

class OneReading {
  public:
    /// A line of the report that is right: as it is read here if `ways` is empty, else only if read in these ways.
    void add(std::size_t line, const Claim& claim, const std::vector<Way>& ways);
    /// The same of a line whose vectors lie so.
    void add_fit(std::size_t line, const Claim& claim, const Fit& fit);
    /// Of lines that need a convention and lines that need its opposite, the fewer become `cannot tell`, or both if they are as
    /// many. Where columns are assumed, lines that need rows are the fewer. A lone line that needs what authors seldom mean, and
    /// that nothing else in the text shows, becomes `cannot tell` too.
    void judge(ProofReport& report, const Conventions& conventions) const;

  private:
    /// What a text answers in one way.
    enum class Question { columns, denominator, products_first, whole_divisor, matrix_powers, gradients_as_values };
    struct Needed {
        std::vector<std::size_t> yes, no;  ///< lines, ascending
    };
    struct Words {
        const char *yes, *no;  ///< the answers
        const char* clearly;   ///< how a text says which one it means
    };
    static Words words(Question question);
    void needs(std::size_t line, Question question, bool yes);
    /// What a line needs that is right in this way, or that is not.
    void needs(std::size_t line, Way way, bool right);

    struct Seldom {
        std::size_t line = 0;
        Question question{};
        bool yes = false;  ///< which answer it needs
    };
    void judge_seldom(ProofReport& report) const;

    std::map<Question, Needed> needed_;
    std::vector<Seldom> seldom_;  ///< lines in LaTeX that need an answer which authors seldom mean
};

}  // namespace gradproof::proof
