// Diagnosis of wrong claims.
#include "tools/proof/diagnose.hpp"

namespace gradproof::proof {

Diagnosis diagnose(const Claim&, const Plan&) { return {}; }

}  // namespace gradproof::proof
