// The checker under node: `node check.js NAME` judges a proof of the library, `node check.js < a.proof` another; prints JSON.
#include <cstdio>
#include <iostream>
#include <iterator>

#include "gradproof/core/proof/checker.hpp"

using namespace gradproof::proof;

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "proof";
    try {
        const std::string text = argc > 1 ? library_text(name) : std::string(std::istreambuf_iterator<char>(std::cin), {});
        const FileReport report = check_file(name, text);
        std::fputs(to_json(report).c_str(), stdout);
        return report.verdict() == Verdict::right ? 0 : report.verdict() == Verdict::wrong ? 1 : 3;
    } catch (const ProofError& e) {
        std::fputs(error_json(name, e).c_str(), stdout);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "check: %s\n", e.what());
    }
    return 2;
}
