// Numbers that sentences name without a set.
#include "gradproof/core/proof/language/latex/numbers_said.hpp"

#include <algorithm>
#include <optional>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sayings.hpp"

namespace gradproof::proof::latex {
namespace {

/// The last word of what calls a name a number, and of several.
constexpr std::string_view kOne[] = {"constant", "coefficient", "hyperparameter", "strength", "temperature", "rate",    "margin",
                                     "scalar",   "threshold",   "decay",          "penalty",  "bandwidth",   "exponent"};
constexpr std::string_view kSeveral[] = {"constants", "coefficients", "hyperparameters", "strengths", "temperatures",
                                         "rates",     "margins",      "scalars",         "thresholds"};
/// Words that call a number so only behind one of kOfNumbers: "the weight $w$" may be a vector.
constexpr std::string_view kOneOf[] = {"parameter", "weight", "factor", "number", "size"};
constexpr std::string_view kOfNumbers[] = {"positive",       "small",          "nonnegative", "negative",  "real",
                                           "regularization", "regularisation", "penalty",     "smoothing", "temperature",
                                           "scalar",         "tuning",         "tradeoff",    "off",       "discount",
                                           "damping",        "hyper",          "ridge",       "step",      "decay"};
constexpr std::string_view kPositive[] = {"positive", "small",     "nonnegative",    "temperature",    "rate",
                                          "rates",    "strength",  "regularization", "regularisation", "decay",
                                          "penalty",  "bandwidth", "strengths",      "step",           "temperatures"};

/// What a group of words that stands for a number says of it.
struct Number {
    bool positive = false, several = false;
};
/// Of "the weight decay coefficient".
std::optional<Number> number_in(const WordList& words) {
    if (words.empty()) return std::nullopt;
    const std::string& last = words.back();
    const bool adjective =
        std::any_of(words.begin(), words.end() - 1, [](const std::string& w) { return is_one(kOfNumbers, w); });
    const bool small = words.size() > 1 && (last == "small" || last == "positive");  // "a small $\epsilon$"
    if (!is_one(kOne, last) && !is_one(kSeveral, last) && !(is_one(kOneOf, last) && adjective) && !small) return std::nullopt;
    return Number{std::ranges::any_of(words, [](const std::string& w) { return is_one(kPositive, w); }), is_one(kSeveral, last)};
}

/// "a positive constant" before a name.
std::optional<Number> number_before(const Mention& m) {
    constexpr std::size_t kMostWords = 4;
    constexpr std::string_view kLead[] = {"with", "and", "where", "for", "the",   "of",  "by",
                                          "is",   "are", "let",   "use", "using", "have"};
    const WordList all = words_of(m.before);
    auto begin = all.end();
    while (begin != all.begin() && all.end() - begin < static_cast<std::ptrdiff_t>(kMostWords) && !is_one(kLead, *(begin - 1)) &&
           *(begin - 1) != ".")
        --begin;
    // "an anchor $a$, a positive $p$" are examples
    if (!all.empty() && all.back() == "positive" && !m.formula.empty() && m.formula[0].kind == Token::Kind::letter)
        return std::nullopt;
    return number_in({begin, all.end()});
}

/// "is a positive constant" behind a name.
std::optional<Number> number_behind(const Mention& m) {
    constexpr std::string_view kVerbs[] = {"is", "are", "be", "denotes", "denote", "being"};
    constexpr std::string_view kArticles[] = {"a", "an", "the", "our", "some", "two", "both"};
    constexpr std::string_view kEnds[] = {".",  "that", "which", "for", "of", "in",   "and", "with", "controlling", "to",
                                          "on", "so",   "we",    "as",  "by", "from", "at",  "is",   "then",        "chosen"};
    const WordList all = words_of(m.behind);
    if (all.size() > 1 && all[0] == "controls" && all[1] == "the") return number_in({all[2], "scalar"});
    auto at = all.begin();
    if (at == all.end() || !is_one(kVerbs, *at)) return std::nullopt;
    const bool several = *at++ == "are";
    const bool article = at != all.end() && is_one(kArticles, *at);
    if (article) ++at;
    const auto end = std::find_if(at, all.end(), [&](const std::string& w) { return is_one(kEnds, w); });
    constexpr std::ptrdiff_t kMostWords = 5;
    if (end - at > kMostWords) return std::nullopt;
    const std::optional<Number> out = number_in({at, end});
    return out && (article || (several && out->several)) ? out : std::nullopt;  // "$X$ is constant" says nothing of the kind
}

class NumbersSaid {
  public:
    NumbersSaid(const Source& source, Span text) : source_(source), all_(mentions_in(source, text)) {}

    std::vector<Stated> read() {
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (all_[i].displayed || saying_of(all_[i].led) == Saying::denied) continue;
            if (const auto n = number_before(all_[i])) {
                state(all_[i], n->positive);
                for (std::size_t k = i; n->several && joined_to_next(k); ++k) state(all_[k + 1], n->positive);
            }
            if (const auto n = number_behind(all_[i])) {
                state(all_[i], n->positive);
                for (std::size_t k = i; n->several && k > 0 && joined_to_next(k - 1); --k) state(all_[k - 1], n->positive);
            }
        }
        return std::move(out_);
    }

  private:
    bool joined_to_next(std::size_t i) const {
        return i + 1 < all_.size() && !all_[i].displayed && !all_[i + 1].displayed &&
               (all_[i].behind == " and " || all_[i].behind == " ");
    }
    void state(const Mention& m, bool positive) {
        std::vector<Tokens> names;
        try {
            for (Tokens& one : parts_of_list(m.formula)) {
                if (!may_be_number(source_, one)) return;
                names.push_back(std::move(one));
            }
        } catch (const ProofError&) {  // told where equations are read
            return;
        }
        for (Tokens& name : names) out_.push_back({.name = std::move(name), .sizes = {}, .positive = positive, .compared = true});
    }

    const Source& source_;
    std::vector<Mention> all_;
    std::vector<Stated> out_;
};

}  // namespace

std::vector<Stated> numbers_said(const Source& source, Span text) { return NumbersSaid(source, text).read(); }

}  // namespace gradproof::proof::latex
