// Updates of parameters that do not go down the gradient of the loss: by that of another parameter, or upwards.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Whether a program may want what it takes the gradient of to become larger.
bool may_ascend(std::string_view text) {
    std::string small(text);
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view kWords[] = {"reward", "likelihood", "elbo", "ascent", "ascend", "maxim",
                                           "advers", "utility",    "llik", "logp",   "log_p",  "policy"};
    return std::ranges::any_of(kWords, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

/// Of [W1, W2] and (W1, W2) the parts; nothing of others.
std::vector<Span> elements_of(const Source& source, Span s) {
    const std::string_view text = source.slice(s);
    if (text.size() < 2 || !((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
        return {};
    return split_at_commas(source, {s.begin + 1, s.end - 1});
}

}  // namespace

/// W1 -= lr * dW2, where there is a dW1, and W += lr * dW.
void Reader::expect_descent(Span s) const {
    const auto [at, size] = assignment_in(source_, s);
    const Span left = trimmed(source_, {s.begin, at});
    const std::optional<Place> place = place_of(source_, left);
    const std::string name(source_.slice(place ? place->member : left));
    Span right = trimmed(source_, {at + size, s.end});
    char op = size == 2 ? source_.text()[at] : '=';
    if (const auto [added, sign] = added_to_itself(source_, name, right); size == 1 && added.end > added.begin) {
        right = added;
        op = sign;
    }
    if (op != '+' && op != '-') return;
    std::set<std::string> of;
    for (const std::string& word : identifiers_in(source_.slice(right)))
        if (const std::string value = gradient_named(word); !value.empty()) of.insert(value);
    const auto claimed = [&](const Claim& c) { return without_indices(*c.left).name == name; };
    if (of.empty() || std::ranges::none_of(claims_, claimed)) return;
    if (!of.contains(name)) fail(s, fmt::format("{} is changed by the gradient by {}, and not by its own", name, *of.begin()));
    const bool negative = source_.slice(right).find('-') != std::string_view::npos;
    if (op == '+' && !negative && of.size() == 1 && !may_ascend(source_.text()))
        fail(s, fmt::format("this goes up the gradient: expected {0} -= ... to make the loss smaller", name));
}

/// for p, dp in zip([W1, W2], [dW1, dW2]): in this order, and p -= ... of dp.
void Reader::expect_descent_of_all(Span header, Span body) const {
    constexpr std::string_view kZip = " in zip(";
    const std::size_t in = source_.text().find(kZip, header.begin);
    if (in >= header.end) return;
    const std::size_t open = in + kZip.size() - 1, close = closer_of(source_, open, header.end);
    const std::vector<Span> lists = split_at_commas(source_, {open + 1, close});
    const std::vector<std::string> over = identifiers_in(source_.slice({header.begin + 3, in}));
    if (lists.size() < 2 || over.size() < 2) return;
    const std::vector<Span> parameters = elements_of(source_, lists[0]), gradients = elements_of(source_, lists[1]);
    for (std::size_t i = 0; i < std::min(parameters.size(), gradients.size()); ++i) {
        const std::string of = gradient_of_place(gradients[i]), name(source_.slice(parameters[i]));
        if (!of.empty() && to_.names().values.contains(name) && of != name)
            fail(gradients[i], fmt::format("{} is changed by the gradient by {}, and not by its own", name, of));
    }
    for (const Span s : statements_in(source_, body)) {
        const auto [at, size] = assignment_in(source_, s);
        const std::string_view right = source_.slice({at + size, s.end});
        const bool up = size == 2 && source_.text()[at] == '+' && word_at(s) == over[0] && right.find('-') == right.npos;
        if (up && is_one_of(identifiers_in(right), over[1]) && !may_ascend(source_.text()))
            fail(s, fmt::format("this goes up the gradient: expected {} -= ... to make the loss smaller", over[0]));
    }
}

}  // namespace gradproof::proof::numpy
