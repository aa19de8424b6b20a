// The expressions, their answers, the split and the order of an epoch.
#include "gradproof/nn/tasks/expressions.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr Index kFirstFunction = 10, kOpen = 13, kClose = 14, kComma = 15;
// Streams of the run's seed, apart from those of the parameters.
constexpr std::uint64_t kSplitStream = 0x5eed0001, kOrderStream = 0x5eed0002;

}  // namespace

Expressions all_expressions() {
    Expressions out;
    for (Index function = 0; function < 3; ++function)
        for (Index a = 0; a < 10; ++a)
            for (Index b = 0; b < 10; ++b)
                for (Index c = 0; c < 10; ++c) {
                    out.tokens.insert(out.tokens.end(), {kFirstFunction + function, kOpen, a, kComma, b, kComma, c, kClose});
                    out.answers.push_back(function == 0 ? std::max({a, b, c}) : function == 1 ? std::min({a, b, c}) : a);
                }
    return out;
}

std::string expression_text(const Expressions& data, Index row) {
    std::string out;
    for (const Index id : data.row(row)) out += kTokens[static_cast<std::size_t>(id)];
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
        const std::string near = nearest(name, functions);
        value_error("expression: no function {}: expected Max, Min or First{}", name,
                    near.empty() ? "" : "; did you mean " + near);
    }
    const std::string rest = open == std::string::npos ? "" : compact.substr(open);
    const auto digit = [&](std::size_t i) { return rest[i] >= '0' && rest[i] <= '9'; };
    if (rest.size() != 7 || rest[0] != '(' || rest[2] != ',' || rest[4] != ',' || rest[6] != ')' || !digit(1) || !digit(3) ||
        !digit(5))
        value_error("expression: expected three digits as in {}(1,6,2), got {}", name, text);
    return 1000 * static_cast<Index>(at - functions.begin()) + 100 * (rest[1] - '0') + 10 * (rest[3] - '0') + (rest[5] - '0');
}

Split split_of(Index count, double validation_share, std::uint64_t seed) {
    const auto held = static_cast<Index>(std::llround(validation_share * static_cast<double>(count)));
    if (!(validation_share > 0 && validation_share < 1) || held < 1 || held >= count)
        value_error("split: both parts need a row: count is {}, validation share is {}", count, validation_share);
    const std::vector<Index> order = Random(seed).stream(kSplitStream).permutation(count);
    return {{order.begin() + held, order.end()}, {order.begin(), order.begin() + held}};
}

void epoch_order(const std::vector<Index>& rows, std::uint64_t seed, Index epoch, std::vector<Index>& out) {
    out.assign(rows.begin(), rows.end());
    Random(seed).stream(kOrderStream).stream(static_cast<std::uint64_t>(epoch)).shuffle(out);
}

}  // namespace gradproof
