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

namespace {

/// Of a word: 0 of scalar, 1 of vectors, 2 of matrix.
std::optional<std::size_t> axes_called(const std::string& word) {
    constexpr std::string_view kNumber[] = {"scalar", "number", "scalars", "numbers"}, kVector[] = {"vector", "vectors"},
                               kMatrix[] = {"matrix", "matrices"};
    if (is_one(kNumber, word)) return 0;
    if (is_one(kVector, word)) return 1;
    return is_one(kMatrix, word) ? std::optional<std::size_t>(2) : std::nullopt;
}
/// The first of those that some words call, from one on up to another.
std::optional<std::size_t> axes_called(const WordList& words, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(words.size(), to); ++i)
        if (const auto axes = axes_called(words[i])) return axes;
    return std::nullopt;
}
/// "the vector #", "the vector of logits is #", "# is the weight matrix", "# are vectors"
std::optional<std::size_t> axes_around(const Mention& m) {
    constexpr std::size_t kNear = 5;
    constexpr std::string_view kIs[] = {"is", "be"}, kArticles[] = {"a", "the"};
    const WordList before = words_of(m.before), behind = words_of(m.behind), led = words_of(last_sentence(m.before));
    std::optional<std::size_t> out = before.empty() ? std::nullopt : axes_called(before.back());
    if (!out && !led.empty() && is_one(kIs, led.back())) out = axes_called(led, 0, kNear);
    if (out || behind.size() < 2 || !(is_one(kIs, behind[0]) || behind[0] == "are")) return out;
    return axes_called(behind, 1, behind[0] != "are" && is_one(kArticles, behind[1]) ? kNear : 2);
}

}  // namespace

std::map<std::string, std::size_t> axes_said(const Source& source, Span text) {
    std::map<std::string, std::size_t> out;
    std::vector<const Mention*> listed;  // "$A$, $B$ and $C$ are matrices"
    const std::vector<Mention> all = mentions_in(source, text);
    for (const Mention& m : all) {
        if (m.displayed) continue;
        const std::optional<std::size_t> said = axes_around(m);
        const WordList behind = words_of(m.behind);
        listed.push_back(&m);
        if (!said && (behind.empty() || (behind.size() == 1 && behind[0] == "and"))) continue;
        for (const Mention* one : std::exchange(listed, {}))
            for (const Tokens& name : said ? parts_of_list(one->formula) : std::vector<Tokens>())
                if (const NameParts p = name.empty() ? NameParts{} : parts_of(source, name, 0);
                    !p.base.empty() && p.end == name.size())
                    out.emplace(p.key(p.has_above, p.has_below, p.primed), *said);
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
