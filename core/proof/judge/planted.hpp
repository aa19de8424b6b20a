// Slips that learners make, planted in right claims singly and in pairs, and how the diagnosis explains them.
//
//   SlipTable table = plant_slips(proof, {}, {.every = 6});
//   table.text();                       // a line for each class: planted, caught, named, misleading
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

struct SlipCounts {
    int planted = 0;
    int caught = 0;      ///< the line is no longer right
    int named = 0;       ///< the repair is right; or, without a repair, the diagnosis names the slip
    int misleading = 0;  ///< the repair is not right; or, without a repair, the diagnosis names another mistake
};

struct SlipTable {
    std::vector<SlipCounts> rows;     ///< by class, pairs last
    std::vector<std::string> missed;  ///< "proof:line class: said kind (text; repair): line"
    std::vector<std::string> misled;
    void add(const SlipTable& other);
    std::string text() const;
};

struct SlipOptions {
    int every = 1;         ///< plants one of so many slips of each class
    int every_pair = 300;  ///< and one of so many pairs: a line has hundreds
};
SlipTable plant_slips(const Proof& proof, const CheckOptions& options, const SlipOptions& slips = {});

}  // namespace gradproof::proof
