// The judge of the lines of one proof: in the usual draws, by algebra, in further draws; then how wrong lines are explained and how
// lines are read otherwise.
//
//   ProofReport report = ProofJudge(proof, options).run();
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/judge/added_draws.hpp"
#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/judge/further_draws.hpp"
#include "gradproof/core/proof/judge/mutate.hpp"
#include "gradproof/core/proof/judge/one_reading.hpp"
#include "gradproof/core/proof/prove/prove.hpp"

namespace gradproof::proof {

class ProofJudge {
  public:
    /// Whether a wrong line is told for another reason, and needs no explanation.
    using IsTold = std::function<bool(std::size_t)>;
    ProofJudge(const Proof& proof, const CheckOptions& options, IsTold is_told = {});
    ProofReport run();

  private:
    /// Whether inputs or sizes are not drawn.
    bool has_given_values() const;
    /// Why the bugs that were not seen make a line doubtful that is not proved; "" if they do not.
    std::string why_bugs_hide(const Claim& c, const Score& score);
    Claim claim(const JudgedLine& line);
    /// Of lines that are chained: what loops make of gradients whose rows they compute of each other.
    void chain_rows();
    bool chain_rows(std::vector<Claim>& claims, std::size_t draw);
    Prover& prover();
    LineReport report_of(const JudgedLine& line) const;
    /// An error of a line refuses the file or is told of that line, an error of the forward is another's.
    LineReport judged_or_lost(const JudgedLine& line);
    LineReport judge(const JudgedLine& line);
    /// Why a line is wrong, as far as there is time. `c` is how it is written, `read` how it fits.
    void explain(const Claim& read, const Claim& c, LineReport& r);
    // proof_judge_readings.cpp
    /// Of a chain: whether the step from what stands before is wrong, or what stands before is.
    std::string told_of_link(const Claim& c);
    /// A line that is wrong, and right as others write, is called right, and how it has to be read is said; so it is of one that
    /// is right from left to right only.
    void read_otherwise(const Claim& c, LineReport& r);
    /// Whether a repair has the shape and the rows and columns that its place asks for, not only the numbers.
    bool fits_as_written(const Claim& c, const ExprPtr& repair) const;
    /// Whether a gradient by a matrix is a transpose by the numerator layout that a text states: \partial L / \partial W.
    bool is_turned_by_layout(const Claim& c) const;
    /// Whether rows stand where columns are expected, in mathematics as it is typeset. In the notation and in programs a vector has
    /// one axis.
    bool lies_wrong(const Claim& c, LineReport& r);
    /// Of a left side that is a vector of one axis, transposed: why the other side does not lie so; "" if it does.
    std::string why_turned(const Claim& c) const;
    std::size_t place_of(const Claim& c) const { return static_cast<std::size_t>(&c.line() - proof_.lines.data()); }

    /// Of a wrong line whose shape does not fit, and does if it is read as others write: the line read so, whose reasons are then
    /// told.
    std::optional<JudgedLine> with_fitting_shape(const Claim& c, LineReport& r);
    bool has_fitting_shape(const Claim& c, const ExprPtr& right) const;
    // proof_judge.cpp
    /// What algebra says of a right side.
    ByResidues by_residues(const Claim& c, const ExprPtr& right);
    /// 1e16 (e - 2.718281828459045): residues take the number for e.
    bool is_of_rounded_numbers(const JudgedLine& line) const;
    /// `line`: whether a branch of it does, or of a value that it names.
    bool chooses_sides(const JudgedLine* line = nullptr) const;
    /// Whether another right side, which holds in the draws of the claim, holds in further ones.
    bool stands(const Claim& c, const ExprPtr& right, const ByResidues& by);
    /// What algebra and further draws add to a line that is right so far. Whether a draw was added for this line alone.
    bool prove(const Claim& c, LineReport& r);
    /// Whether a right side that is 0 is so with a part of it changed as well: one that is not only a multiple of what is 0.
    bool hides_a_bug(const Claim& c);
    /// Whether it is a derivative by a whole input whose shape the text does not state.
    bool is_by_taken_shape(const JudgedLine& line) const;
    /// `hidden`: why rounding may be what makes the line agree.
    void judge_draw(const Claim& c, std::size_t i, LineReport& r, std::string& hidden);
    static void fall(LineReport& r, check::Verdict v, const std::string& reason);

    const Proof& proof_;
    const CheckOptions& options_;
    const IsTold is_told_;
    Plan plan_;
    Branches branches_{proof_, plan_}, curves_{proof_, plan_, Branches::What::curves};
    OneReading readings_;
    FurtherDraws further_{proof_, plan_, options_.draw, branches_};
    double work_of_lines_ = 0, work_of_repairs_ = 0;  ///< in further draws
    std::vector<std::unique_ptr<Instance>> draws_;
    const AddedDraws added_{proof_, plan_, draws_, options_.draws};
    const std::string window_;  ///< why nothing is told of its lines; "" if no window is too wide
    std::optional<Prover> prover_;
    std::chrono::steady_clock::duration to_explain_ = options_.to_explain;  ///< what is left
    std::vector<std::map<std::string, Tensor<double>>> chained_;
    std::string unsettled_;  ///< why it is not known what the lines compute; "" if it is
};

}  // namespace gradproof::proof
