// Functions that go together by their names, f and f_backward, where another function is read as the forward.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// A def of the text.
struct Reader::Function {
    std::string name;
    Span head, body;
    std::size_t in_class = 0;  ///< where the class begins that it stands in, 0 of none
    bool has(Span s) const { return body.begin <= s.begin && s.begin < body.end; }
};

std::vector<Reader::Function> Reader::functions_of_text() const {
    std::vector<Function> out;
    std::size_t in_class = 0;
    for (const Span s : statements_in(source_, text_)) {
        const std::string_view word = word_at(s);
        if (indent_of(source_, s.begin) == 0) in_class = word == "class" ? s.begin : 0;
        if (word == "def") out.push_back({std::string(word_at({s.begin + 4, s.end})), s, body_of(s), in_class});
    }
    return out;
}

/// Whether values that judged lines go back to are computed in it, or by calls of it.
std::vector<bool> Reader::are_in_forward(const std::vector<Function>& all) const {
    std::vector<bool> out(all.size(), false);
    const std::set<std::string> used = names_behind_lines(to_.proof(), true);
    std::vector<std::string_view> texts;
    for (const Assignment& a : to_.proof().forward) {
        if (!used.contains(a.name) && !a.is_loss) continue;
        texts.push_back(source_.slice(a.statement.span));
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].has(a.statement.span)) out[i] = true;
    }
    for (std::size_t at = 0; at < texts.size(); ++at)
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!out[i] && texts[at].find(all[i].name + "(") != std::string_view::npos) {
                out[i] = true;
                texts.push_back(source_.slice(all[i].body));
            }
    return out;
}

/// Of leaky_relu_backward in a file in which relu is the forward nothing can be told.
void Reader::doubt_other_forwards() {
    const std::vector<Function> all = functions_of_text();
    const std::vector<bool> used = are_in_forward(all);
    const auto first = std::ranges::find(used, true);
    if (first == used.end()) return;
    const auto computes = [&](const Function& f) {
        return std::ranges::any_of(claims_, [&](const Claim& c) { return f.has(c.span); });
    };
    for (const Function& g : all) {
        const std::string stem = stem_of_pair(g.name);
        if (stem.empty() || !computes(g)) continue;
        std::string other;
        bool read = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].name == g.name || all[i].in_class != g.in_class || stem_of_pair(all[i].name) != stem || computes(all[i]))
                continue;
            read = read || used[i];
            other = all[i].name;
        }
        if (other.empty() || read) continue;
        const std::string& forward = all[static_cast<std::size_t>(first - used.begin())].name;
        to_.doubt([&](const JudgedLine& l) { return g.has(l.statement.span); },
                  fmt::format("by its name {} goes with {}, and the forward that is read is {}: a file for each", g.name, other,
                              forward));
    }
}

}  // namespace gradproof::proof::numpy
