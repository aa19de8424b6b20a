// The slips of learners, planted in right claims one at a time and in pairs, and what the diagnosis makes of them.
//
//   SlipTable table = plant_slips(proof, {}, {.every = 6});
//   table.text();                       // a line for each class: planted, caught, named, misleading
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

struct SlipCounts {
    int planted = 0;
    int caught = 0;      ///< the line is not right
    int named = 0;       ///< the repair is right, or without one the slip is what the diagnosis says
    int misleading = 0;  ///< a repair is offered that is not right, or another mistake is named without one
};

struct SlipTable {
    std::vector<SlipCounts> rows;     ///< by class, pairs last
    std::vector<std::string> missed;  ///< "proof:line class: said kind (text; repair): line"
    std::vector<std::string> misled;
    void add(const SlipTable& other);
    std::string text() const;
};

struct SlipOptions {
    int every = 1;         ///< of each class every so many
    int every_pair = 300;  ///< of pairs: there are hundreds of a line
};
SlipTable plant_slips(const Proof& proof, const CheckOptions& options, const SlipOptions& slips = {});

}  // namespace gradproof::proof
