// The engine under node: a question a line in, an answer a line out. `echo '{"call": "version"}' | node build/wasm/ask.js`
#include <iostream>

#include "tools/web/engine.hpp"

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << gradproof::web::answer(line) << std::flush;
    return 0;
}
