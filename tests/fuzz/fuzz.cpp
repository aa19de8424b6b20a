// The fuzz program: its first argument names a target, the others are libFuzzer's. Without any it lists the targets.
#include "tests/fuzz/fuzz.hpp"

#include <map>

namespace gradproof::fuzz {
namespace {

std::map<std::string, Target>& targets() {
    static std::map<std::string, Target> all;
    return all;
}
Target chosen = nullptr;

}  // namespace

bool add_target(const char* name, Target run) { return targets().emplace(name, run).second; }

}  // namespace gradproof::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    using namespace gradproof::fuzz;
    const auto at = targets().find(*count > 1 ? (*arguments)[1] : "");
    if (at == targets().end()) {
        for (const auto& [name, run] : targets()) std::printf("%s\n", name.c_str());
        std::exit(*count > 1 ? 2 : 0);
    }
    chosen = at->second;
    (*arguments)[1] = (*arguments)[0];
    ++*arguments;
    --*count;
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    gradproof::fuzz::chosen(gradproof::fuzz::Input({data, size}));
    return 0;
}
