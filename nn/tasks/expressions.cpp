// The expressions and their answers.
#include "gradproof/nn/tasks/expressions.hpp"

#include <algorithm>
#include "gradproof/core/did_you_mean.hpp"

namespace gradproof {
namespace {

constexpr Index kFirstFunction = 10, kOpen = 13, kClose = 14, kComma = 15;

}  // namespace

Examples all_expressions() {
    Examples out{Tensor<Index>({3000, kExpressionLength}), Tensor<Index>({3000})};
    Index* ids = out.ids.data();
    Index* answers = out.answers.data();
    for (Index function = 0; function < 3; ++function)
        for (Index a = 0; a < 10; ++a)
            for (Index b = 0; b < 10; ++b)
                for (Index c = 0; c < 10; ++c) {
                    for (const Index id : {kFirstFunction + function, kOpen, a, kComma, b, kComma, c, kClose}) *ids++ = id;
                    *answers++ = function == 0 ? std::max({a, b, c}) : function == 1 ? std::min({a, b, c}) : a;
                }
    return out;
}

std::vector<std::string> token_texts(std::span<const Index> ids) {
    std::vector<std::string> out;
    for (const Index id : ids) out.emplace_back(kTokens[static_cast<std::size_t>(id)]);
    return out;
}

std::string expression_text(std::span<const Index> ids) {
    std::string out;
    for (const std::string& token : token_texts(ids)) out += token;
    return out;
}

Index find_expression(std::string_view text) {
    std::string compact;
    for (const char c : text)
        if (c != ' ') compact += c;
    const std::size_t open = compact.find('(');
    const std::string name = compact.substr(0, open);
    const auto functions = std::span(kTokens).subspan(kFirstFunction, 3);
    const auto at = std::find(functions.begin(), functions.end(), name);
    if (at == functions.end()) {
        value_error("expression: no function {}: expected Max, Min or First{}", name, did_you_mean(name, functions));
    }
    const std::string rest = open == std::string::npos ? "" : compact.substr(open);
    const auto digit = [&](std::size_t i) { return rest[i] >= '0' && rest[i] <= '9'; };
    if (rest.size() != 7 || rest[0] != '(' || rest[2] != ',' || rest[4] != ',' || rest[6] != ')' || !digit(1) || !digit(3) ||
        !digit(5))
        value_error("expression: expected three digits as in {}(1,6,2), got {}", name, text);
    return 1000 * static_cast<Index>(at - functions.begin()) + 100 * (rest[1] - '0') + 10 * (rest[3] - '0') + (rest[5] - '0');
}

}  // namespace gradproof
