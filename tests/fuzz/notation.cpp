// libFuzzer target: any bytes are a proof that is checked, or a ProofError; nothing else, and in bounded time.
//
//   tests/fuzz/run 600        # builds with clang, replays the corpus, fuzzes for 600 s
#include <cstddef>
#include <cstdint>
#include <string>

#include "gradproof/core/proof/judge/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gradproof::proof;
    if (size == 0) return 0;
    CheckOptions options;
    options.draws = 2;
    const std::string text(reinterpret_cast<const char*>(data), size);
    options.chain = text.find("chain") != std::string::npos;
    try {
        const FileReport report = check_file(text.find("```") != std::string::npos ? "fuzz.md" : "fuzz.proof", text, options);
        (void)to_text(report, {});
        (void)to_json(report);
    } catch (const ProofError& e) {
        (void)error_json("fuzz.proof", e);
    }
    return 0;
}
