// Any bytes are a derivation that is checked, or a ProofError; nothing else, and in bounded time.
#include "gradproof/core/proof/judge/report.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace gradproof::fuzz {
namespace {

void check(const std::string& name, const std::string& text) {
    using namespace proof;
    CheckOptions options;
    options.draws = 2;
    options.chain = text.find("chain") != std::string::npos;
    try {
        const FileReport report = check_file(name, text, options);
        static_cast<void>(to_text(report, {}));
        static_cast<void>(to_json(report));
    } catch (const ProofError& e) {
        static_cast<void>(error_json(name, e));
        expect_told(e.message());
    }
}

}  // namespace

GRADPROOF_FUZZ(notation)(Input in) {
    if (!in.empty()) check("fuzz.proof", in.rest());
}
GRADPROOF_FUZZ(markdown)(Input in) {
    if (!in.empty()) check("fuzz.md", in.rest());
}
GRADPROOF_FUZZ(numpy)(Input in) {
    if (!in.empty()) check("fuzz.py", in.rest());
}
GRADPROOF_FUZZ(latex)(Input in) {
    if (!in.empty()) check("fuzz.tex", in.rest());
}

}  // namespace gradproof::fuzz
