// One text writes in one way: right lines that need opposite conventions cannot be relied on together.
//
//   OneReading readings;                     // for each right line: readings.add(i, claim, {Way::columns});
//   readings.judge(report, c);                // line 7 needs vectors as rows, lines 2 and 3 as columns: 7 cannot be told
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
    void add(std::size_t line, const Fit& fit);
    /// Of lines that need a convention and lines that need its opposite, the fewer become `cannot tell`, or both if they are as
    /// many. Where columns are assumed, lines that need rows are the fewer.
    void judge(ProofReport& report, const Conventions& conventions) const;

  private:
    void needs(std::size_t line, std::size_t question, bool second);
    struct Question {
        const char* names[2];  ///< the two answers
        const char* clearly;   ///< how a text says which one it means
    };
    static const std::array<Question, 6> kQuestions;
    /// The question that a way answers, and whether its answer is the second.
    static std::pair<std::size_t, bool> answered_by(Way way);
    void judge(std::size_t question, ProofReport& report, const Conventions& conventions) const;

    std::array<std::array<std::vector<std::size_t>, 2>, 6> lines_;  ///< by question and answer, ascending
};

}  // namespace gradproof::proof
