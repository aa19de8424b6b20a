// Why a file is refused by what reads it strictly, where a check only loses the line.
#pragma once

#include <string>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {

inline std::string refusal_of(const std::string& file, const std::string& text) {
    return gradproof::testing::error_of([&] {
        for (const Proof& p : read_proofs(file, text)) check_proof(p, {});
    });
}

}  // namespace gradproof::proof
