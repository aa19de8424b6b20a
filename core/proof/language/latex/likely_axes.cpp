// Axes by letters and words.
#include "gradproof/core/proof/language/latex/likely_axes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {

std::array<double, 4> costs_of_axes(const Unsaid& u) {
    constexpr double kFar = 9, kOtherThanSaid = 3;
    const std::string_view base = u.base;
    const bool greek = static_cast<unsigned char>(base[0]) >= 0x80 || base == "Sigma";
    constexpr std::string_view kGreatGreek[] = {"Γ", "Δ", "Θ", "Λ", "Ξ", "Π", "Φ", "Ψ", "Ω", "Sigma", "Σ"};
    const bool great = (!base.empty() && base[0] >= 'A' && base[0] <= 'Z') || is_one(kGreatGreek, base);
    std::array<double, 4> bare{1, 0, 4, kFar};  // a small letter is a vector, or else a number
    constexpr std::string_view kNumbers[] = {"T", "N"};
    if (great)
        bare = {3, 3, 0, 6};
    else if (u.is_bold)
        bare = {4, 0, 3, kFar};
    else if (greek)
        bare = {0, 1, 4, kFar};
    if (is_one(kNumbers, base) && !u.is_bold) bare = {0.6, 2, 0.5, kFar};
    if ((base == "θ" || base == "μ") && !u.is_bold) bare = {0.4, 0.3, 4, kFar};
    if (u.is_rows) bare = {kFar, 2, 0, kFar};
    if (!u.is_rows && !u.is_bare && u.entries > 0) {  // of x_i what is left: a number, or else a vector
        bare = {kFar, kFar, kFar, kFar};
        double vector = u.is_bold ? 0 : great ? 1.5 : 0.6, matrix = great ? 0.8 : 4, one = u.is_bold && u.entries == 1;
        if (u.is_sequence && u.entries == 1) vector = great ? 1.5 : 0, matrix = great ? 0 : 4, one = 1;
        const std::array<double, 3> left{one, vector, matrix};
        for (std::size_t rank = u.entries; rank < bare.size() && rank - u.entries < left.size(); ++rank)
            bare[rank] = left[rank - u.entries];
    }
    const bool is_array = u.is_transposed || u.is_by_entry || u.is_bias || u.is_power;
    if (is_array && u.entries <= 1) bare[u.is_bare ? 0 : u.entries] = kFar;
    constexpr double kClaimed = 0.5;
    for (std::size_t rank = u.claimed_entries; u.claimed_entries > 0 && rank < bare.size(); ++rank)
        bare[rank] = std::max(0.0, bare[rank] - kClaimed);
    for (std::size_t rank = 0; u.said && rank < bare.size(); ++rank)
        bare[rank] = rank == *u.said + (u.is_bare ? 0 : u.entries) ? 0 : bare[rank] + kOtherThanSaid;
    return bare;
}

std::map<std::string, std::size_t> axes_said(const Source& source, Span text) {
    constexpr std::string_view kCallsNumber[] = {"scalar", "number", "scalars", "numbers"},
                               kCallsVector[] = {"vector", "vectors"}, kCallsMatrix[] = {"matrix", "matrices"};
    const auto axes = [&](const std::string& word) -> std::optional<std::size_t> {
        if (is_one(kCallsNumber, word)) return 0;
        return is_one(kCallsVector, word)   ? std::optional<std::size_t>(1)
               : is_one(kCallsMatrix, word) ? std::optional<std::size_t>(2)
                                            : std::nullopt;
    };
    std::map<std::string, std::size_t> out;
    const auto add = [&](const Tokens& formula, std::size_t axes_of_each) {
        for (const Tokens& name : parts_of_list(formula))
            if (const NameParts p = name.empty() ? NameParts{} : parts_of(source, name, 0);
                !p.base.empty() && p.end == name.size())
                out.emplace(p.key(p.has_above, p.has_below, p.primed), axes_of_each);
    };
    std::vector<const Mention*> listed;  // "$A$, $B$ and $C$ are matrices"
    const std::vector<Mention> all = mentions_in(source, text);
    for (const Mention& m : all) {
        if (m.displayed) continue;
        std::optional<std::size_t> said;
        const WordList before = words_of(m.before), behind = words_of(m.behind);
        if (!before.empty()) said = axes(before.back());
        constexpr std::size_t kNear = 5;
        const WordList led = words_of(last_sentence(m.before));  // "the vector of logits is #"
        const bool is = !led.empty() && (led.back() == "is" || led.back() == "be");
        for (std::size_t i = 0; is && i < std::min(led.size(), kNear) && !said; ++i) said = axes(led[i]);
        if (!said && behind.size() > 2 && (behind[0] == "is" || behind[0] == "be") && (behind[1] == "a" || behind[1] == "the"))
            for (std::size_t i = 2; i < std::min(behind.size(), kNear) && !said; ++i) said = axes(behind[i]);
        constexpr std::string_view kAre[] = {"is", "be", "are"};
        if (!said && behind.size() > 1 && is_one(kAre, behind[0])) said = axes(behind[1]);
        listed.push_back(&m);
        if (!said && (behind.empty() || (behind.size() == 1 && behind[0] == "and"))) continue;
        for (const Mention* one : std::exchange(listed, {}))
            if (said) add(one->formula, *said);
    }
    return out;
}

std::set<std::string> covariances_in(const Source& source, Span text) {
    std::set<std::string> out;
    each_formula(source, text, [&](const Part&, const Tokens& all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const NameParts normal = parts_of(source, all, i);
            if (normal.base != "N_cal" || normal.end >= all.size() || !all[normal.end].is_symbol("(")) continue;
            const std::size_t end = end_of_brackets(all, normal.end);
            const std::vector<Tokens> arguments = pieces_of(part_of(all, normal.end + 1, end - 1), ",");
            const NameParts last =
                arguments.size() < 2 || arguments.back().empty() ? NameParts{} : parts_of(source, arguments.back(), 0);
            if (!last.base.empty() && last.end == arguments.back().size())
                out.insert(last.key(last.has_above, last.has_below, false));
        }
    });
    return out;
}

}  // namespace gradproof::proof::latex
