// How shapes go through lines whose sizes are not all known: what each function and product makes equal, and what an author would
// hardly write.
//
//   ShapeRules rules(proof, {"W", "x"}, false);
//   rules.give("W", 0, 2);  rules.give("x", 1, 1);
//   rules.add(assignment);                   // of y = W x: y has one axis; false where the line cannot be
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/language/size_classes.hpp"

namespace gradproof::proof {

/// The axes of a value, as classes of sizes.
struct ShapeSeen {
    std::vector<int> axes;
    bool is_row = false;   ///< a vector that lies
    bool is_known = true;  ///< of what no rule is for, nothing is
    int summed = -1;       ///< the size of what it is a sum over, -1 of others
    static ShapeSeen unknown() { return {{}, false, false, -1}; }
};

class ShapeRules {
  public:
    /// `wanted`: names whose axes are given later. `rows`: vectors lie, and stand where they are transposed.
    ShapeRules(const Proof& proof, const std::set<std::string>& wanted, bool rows);
    bool knows(const std::string& name) const { return values_.contains(name); }
    /// `stand_in`: which of the arrays it is whose sizes stand_in_size made.
    void give(const std::string& name, std::size_t stand_in, std::size_t rank);
    /// Of a recurrence, whose rows have so many axes.
    void give_sequence(const Assignment& a, std::size_t axes_of_rows);
    /// `several`: one for each entry of an axis.
    void give_label(const std::string& name, bool several) {
        labels_[name] = -1, values_[name] = {};
        if (several) values_[name].axes = {sizes_.fresh()};
    }
    /// Of a line that is left out.
    void give_unknown(const std::string& name) { values_.emplace(name, ShapeSeen::unknown()); }
    /// Not of a label of which no line has shown yet what it is a place of.
    bool is_placed(const std::string& name) const {
        const auto label = labels_.find(name);
        return label == labels_.end() || label->second >= 0;
    }
    /// Whether the line can be as it stands.
    bool add(const Assignment& a);
    bool is_number(const std::string& name) const;
    /// What the lines added since had that an author would hardly write.
    double take_cost();
    /// Goes through the lines that are claimed of gradients: how unlikely those make it that have another shape. They make no
    /// sizes equal, but may name them.
    double see_claims();
    /// Whether most of the claims have other shapes than what they are claimed of, so that these shapes are hardly meant.
    bool most_claims_misfit() const { return misfits_ > 1 && 2 * misfits_ > claims_; }
    /// Of a value: names, and "#k" of sizes without one.
    AxisNames sizes_of(const std::string& name) const;

  private:
    struct Misfit {};
    /// How unlikely it is that an author means that.
    static constexpr double kNumberForArray = 3;  ///< x^T, \|x\| and \sum x of a number
    static constexpr double kAnyByEntry = 0.3;    ///< an array given to a function of which nothing is known
    ShapeSeen of(const Expr& e);
    bool is_dim(const std::string& name) const;
    ShapeSeen of_name(const std::string& name);
    ShapeSeen of_sum(const Expr& e);
    ShapeSeen of_product(const Expr& e);
    ShapeSeen of_power(const Expr& e);
    ShapeSeen of_delta(const Expr& e);
    ShapeSeen of_entries(const Expr& e);
    ShapeSeen of_reduction(const Expr& e);
    ShapeSeen together(const ShapeSeen& a, const ShapeSeen& b, double unlike);
    ShapeSeen multiplied(const ShapeSeen& a, const ShapeSeen& b);
    ShapeSeen transposed(ShapeSeen x);
    ShapeSeen with_letters(const std::vector<std::string>& letters, const std::function<ShapeSeen()>& f);
    void tie(const Expr& divisor, const ShapeSeen& x);
    void join(int a, int b);
    void meet_stated(const std::string& name, const ShapeSeen& x);
    int size(const Expr& e);
    // shape_rules_calls.cpp
    ShapeSeen of_call(const Expr& e);
    ShapeSeen of_along(const Expr& e, const ShapeSeen& x);
    ShapeSeen of_array(const Expr& e);
    ShapeSeen square(const ShapeSeen& x);
    bool stands_in_bars(const Expr& e) const;
    void compare_indices(const Expr& difference);
    void give_full_rank(const Expr& e);
    // shape_rules_claims.cpp
    double claim(const JudgedLine& line);
    std::optional<ShapeSeen> shape_claimed(const Expr& left);
    void unlikely(double cost) { cost_ += cost; }

    const Proof* proof_;
    bool rows_;
    SizeClasses sizes_;
    int one_;  ///< the size 1, which meets every other
    std::map<std::string, ShapeSeen> values_;
    std::map<std::size_t, std::string> stand_ins_;  ///< whose sizes these are
    std::map<std::string, int> labels_;             ///< the axes that they are places of, -1 before one is seen
    std::map<std::string, int> letters_;            ///< what indices run over
    double cost_ = 0;
    std::size_t claims_ = 0, misfits_ = 0;
};

/// The size that an array has which is read before its shape is known, the `of`th of them.
double stand_in_size(std::size_t of, std::size_t axis);

}  // namespace gradproof::proof
