// The checker under node: `node check.js NAME` judges a proof of the library, `node check.js < a.proof` another; prints JSON.
#include <cstdio>
#include <iostream>
#include <iterator>

#include "gradproof/core/proof/checker.hpp"

using namespace gradproof::proof;

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "proof";
    const std::string text = argc > 1 ? library_text(name) : std::string(std::istreambuf_iterator<char>(std::cin), {});
    try {
        const FileReport report = check_proof(text);
        std::fputs(to_json(report).c_str(), stdout);
        return report.verdict() == Verdict::right ? 0 : 1;
    } catch (const ProofError& e) {
        std::fputs(error_json(name, e).c_str(), stdout);
        return 2;
    }
}
