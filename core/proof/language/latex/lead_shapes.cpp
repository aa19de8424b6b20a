// Sentences as sequences of phrases that say nothing which formulas do not.
#include "gradproof/core/proof/language/latex/lead_shapes.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/cited.hpp"
#include "gradproof/core/proof/language/latex/known_words.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {
namespace {

/// Names for words that stand for each other in phrases.
struct WordClass {
    std::string_view name, words;
};
constexpr WordClass kClasses[] = {
    {"THE", "the|a|an|our|its|their|this|these|both|all|some|any|each|every"},
    {"THEN",
     "then|hence|thus|therefore|so|consequently|accordingly|now|next|finally|lastly|similarly|likewise|analogously|moreover|"
     "here|equivalently"},
    {"IS", "is|are|be|equals|becomes|reads|denotes|denote|as|for"},
    {"GET",
     "get|gets|obtain|obtains|have|has|find|finds|see|sees|set|define|write|put|minimise|minimize|want|need|seek|compute|"
     "consider|check|checks|calculate|derive|deduce|conclude|follows|follow"},
    {"GIVE", "gives|give|yields|yield|reads|becomes"},
    {"DO", "differentiating|expanding|substituting|inserting|simplifying|rearranging|combining|taking|plugging"},
    {"WE_DO", "differentiate|expand|substitute|insert|simplify|rearrange|combine"},
    {"WRITTEN", "given|defined|written|computed|obtained|found|derived|expressed"},
    {"RULE", "chain|product|quotient|sum"},
    {"PART", "problem|exercise|question|task|part|step|case"},
    {"PROOF", "solution|answer|proof|claim|lemma|theorem|proposition|corollary|remark|note|definition|derivation|result"},
    {"CITED", "lemma|theorem|proposition|corollary|equation|equations|eq|definition|step|line|section|appendix|figure|table"},
    {"DERIVATIVE", "gradient|gradients|derivative|derivatives|jacobian|jacobians|hessian|hessians|slope"},
    {"LOSS", "loss|cost|objective|energy|criterion"},
    {"LAYER", "layer|network|model|neuron|cell|unit"},
    {"COMPUTES", "computes|gives|outputs|returns|maps|takes"},
    {"KIND",
     "vector|vectors|matrix|matrices|scalar|scalars|number|numbers|parameter|parameters|constant|constants|size|sizes|"
     "dimension|dimensions|index|indices|variable|variables|function|functions|output|input|value|values"},
    {"ENTRY", "entry|row|component|element|coordinate|example"},
    {"FORM", "matrix|vector|index|component|scalar|compact|full"},
    {"ROMAN", "i|ii|iii|iv|v|vi"},
    {"PROPERTY",
     "symmetric|positive|definite|semidefinite|semi|negative|nonnegative|orthogonal|orthonormal|unit|diagonal|lower|upper|"
     "triangular|unitary|stochastic|binary|probability|strictly"},
};

/// A phrase is a row of places with a blank between them. Words with | between them stand for each other, ? behind a place says
/// that it may be left out, and ~ that the phrase may only begin a sentence. Of the words in capitals that are no class FORMULA
/// is one, NAME one in the line, DRAWN an input with a property, THING what a value may be called, CALLED a thing that the text
/// has told, MODEL a function that formulas have, NUMBER a number, LETTER one letter.
constexpr std::string_view kPhrases[] = {
    // from one formula to the next
    "FORMULA",
    "and|or? THEN",
    "such that",
    "i e",
    "in addition|turn|particular|short",
    "in other words",
    "to this end",
    "that|it is",
    "again|clearly|obviously|evidently|directly|immediately|explicitly|simply",
    "as above|before|follows|required|desired",
    "above|below|otherwise|and|or",
    "where|with|while|when|whence|which|whose",
    "since|because|as|from|if|for|of|in|at|on|by",
    "for THE",
    "first|second|third ~",
    "LETTER|ROMAN|NUMBER ~",
    "PART LETTER|NUMBER|ROMAN",
    "PROOF NUMBER? ~",
    "forward|backward pass? ~",
    // what is done
    "let|put|set|write|writing|define|consider|given|denote first?",
    "IS",
    "we|one|this|that|it|which|they? GET|GIVE that?",
    "we now|next|then|first? GET|WE_DO|turn to?",
    "we GET this|these",
    "we use this|these below|here|again?",
    "we are given",
    "we work backwards|backward",
    "exercise? show|prove|verify that",
    "it follows that",
    "this|it|that is|shows|proves|completes|GIVE the? claim|lemma|proof|result|identity|formula",
    "is|are|can be? WRITTEN by|as?",
    "recall|note|observe|notice|remember that?",
    "by|using|from|with|apply|applying|use the? RULE rule",
    "the? RULE? rule? GIVE the? DERIVATIVE?",
    "we use the RULE rule as? follows?",
    "writing|written this|it|them? in FORM form|notation GIVE?",
    "by|from|using|in|see|of|with CITED CITATION|NUMBER|LETTER?",
    "CITATION",
    "by definition",
    "DO this|these|it|both|everything? in|into?",
    "both sides",
    "after|before|upon DO|simplification|differentiation|substitution",
    "collecting terms",
    "taking the? DERIVATIVE",
    // gradients and losses
    "and? THE? partial|full|corresponding|desired|required|first|second? DERIVATIVE",
    "and? THE incoming|upstream gradient",
    "THE? MODEL? LOSS function?",
    "THE? MODEL",
    "with respect to NAME",
    "wrt NAME",
    "with respect to THE? CALLED CALLED?",
    "wrt THE? CALLED CALLED?",
    "and|or the|its? CALLED",
    "the|its CALLED DERIVATIVE",
    "for|by|of|in the|its CALLED",
    "for|by|of|at|in the NAME th THING|ENTRY",
    // where it holds
    "in|consider|for? the case|region|regime of?",
    "over all|the? classes|samples|examples|batch|tokens|time|entries",
    "the|our? probabilities sum|sums to one|NUMBER",
    // layers
    "the|a|an|our|this single|second|next|last|first|hidden|output|linear? LAYER is|has|COMPUTES",
    "and? COMPUTES",
    // what something is called
    "THE? THING THING? NAME",
    "NAME IS? THE? THING THING?",
    "the|our|its THING THING? is|are|be|equals",
    "the? THING of the LAYER is|are|be",
    "NAME IS the number|size|length of the? THING",
    "NAME IS the NAME th ENTRY of",
    "NAME IS? THE? THING|real? KIND",
    "THE? THING? KIND NAME",
    "DRAWN IS? THE? PROPERTY PROPERTY? PROPERTY? KIND|THING?",
    "THE? PROPERTY PROPERTY? PROPERTY? KIND|THING? DRAWN",
    "DRAWN IS? THE? one hot KIND|THING?",
    "THE? one hot KIND|THING? DRAWN",
    "NAME IS? the? identity|kronecker|hadamard|indicator|elementwise|logistic|MODEL "
    "matrix|delta|product|function|multiplication|"
    "sigmoid?",
    "the identity|kronecker|hadamard|indicator|elementwise|outer|inner|dot matrix|delta|product|function",
    // forms
    "in|using FORM form|notation",
    "in components|coordinates|full",
    "in terms of",
    "entry|component by entry|component",
    "elementwise|entrywise|componentwise|pointwise",
};

struct Place {
    std::vector<std::string_view> words;
    bool optional = false;
};
struct Phrase {
    std::vector<Place> places;
    bool begins = false;
};

std::vector<Phrase> all_phrases() {
    std::vector<Phrase> out;
    for (const std::string_view written : kPhrases) {
        Phrase phrase;
        for (std::string_view place : parts_between(written, ' ')) {
            if (place == "~") {
                phrase.begins = true;
                continue;
            }
            const bool optional = place.ends_with('?');
            if (optional) place.remove_suffix(1);
            Place all{{}, optional};
            for (const std::string_view word : parts_between(place, '|')) {
                const auto same = std::ranges::find(kClasses, word, &WordClass::name);
                const std::vector<std::string_view> words = parts_between(same == std::end(kClasses) ? word : same->words, '|');
                all.words.insert(all.words.end(), words.begin(), words.end());
            }
            phrase.places.push_back(std::move(all));
        }
        out.push_back(std::move(phrase));
    }
    return out;
}

/// Without words that say nothing of values that formulas do not ("row-wise"), and losses that formulas spell as one word each.
WordList words_that_say(const std::string& words, const std::set<std::string, std::less<>>& functions) {
    constexpr std::string_view kSilent[] = {" row wise ", " mini ", " applied elementwise ", " applied entrywise "};
    std::string text = with_losses_joined(words, functions);
    for (const std::string_view phrase : kSilent)
        for (std::size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at))
            text.replace(at, phrase.size(), " ");
    return words_of(text);
}

/// Takes the words of a sentence for phrases, in every way.
class PhraseReader {
  public:
    PhraseReader(const WordList& words, const LeadContext& context)
        : words_(words), context_(context), reached_(words.size() + 1) {
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words[i] == kFormula) formulas_.push_back(i);
    }

    /// How many words from the first on phrases account for.
    std::size_t read() {
        static const std::vector<Phrase> kAll = all_phrases();
        reached_[0] = true;
        std::size_t last = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (!reached_[i]) continue;
            last = i;
            for (const Phrase& p : kAll)
                if (!p.begins || i == 0) reach(p, 0, i);
        }
        return reached_.back() ? words_.size() : last;
    }

  private:
    void reach(const Phrase& p, std::size_t place, std::size_t at) {
        if (place == p.places.size()) {
            reached_[at] = true;
            return;
        }
        if (p.places[place].optional) reach(p, place + 1, at);
        if (at < words_.size() && std::ranges::any_of(p.places[place].words, [&](std::string_view w) { return stands(w, at); }))
            reach(p, place + 1, at + 1);
    }
    bool is_one(std::string_view pattern, std::size_t at) const {
        const auto ordinal = static_cast<std::size_t>(std::ranges::lower_bound(formulas_, at) - formulas_.begin());
        const Standing how = ordinal < context_.formulas.size() ? context_.formulas[ordinal] : Standing::displayed;
        return pattern == "FORMULA" || how == Standing::drawn || (pattern == "NAME" && how == Standing::in_line);
    }
    bool is_called(const std::string& thing) const {
        const auto [found, is_new] = called_.try_emplace(thing);
        if (is_new) found->second = context_.is_called(thing);
        return found->second;
    }
    bool stands(std::string_view pattern, std::size_t at) const {
        const std::string& word = words_[at];
        if (pattern == "FORMULA" || pattern == "NAME" || pattern == "DRAWN") return word == kFormula && is_one(pattern, at);
        if (pattern == "CITATION") return word == kCitation;
        if (pattern == "NUMBER") return is_number_word(word);
        if (pattern == "LETTER") return word.size() == 1 && word != kFormula;
        if (pattern == "MODEL") return word.find(kJoinsWords) != word.npos || context_.functions.contains(word);
        if (pattern == "THING") return is_thing(word);
        if (pattern == "CALLED") return is_thing(word) && (formulas_.empty() || is_called(word));
        return pattern == word;
    }

    const WordList& words_;
    const LeadContext& context_;
    std::vector<std::size_t> formulas_;           ///< which words are
    mutable std::map<std::string, bool> called_;  ///< asked once of each thing
    std::vector<bool> reached_;
};

}  // namespace

std::string beyond_leading(const std::string& words, const LeadContext& context) {
    constexpr std::size_t kMostQuoted = 6;
    const WordList all = words_that_say(words, context.functions);
    const std::size_t read = PhraseReader(all, context).read();
    std::span<const std::string> beyond = std::span(all).subspan(read);
    while (beyond.size() > 1 && beyond[0] == kFormula) beyond = beyond.subspan(1);
    std::size_t named = 0;
    while (named < std::min(kMostQuoted, beyond.size()) && beyond[named] != kFormula) ++named;
    std::string out = fmt::format("{}", fmt::join(beyond.first(std::max<std::size_t>(named, beyond.empty() ? 0 : 1)), " "));
    std::ranges::replace(out, kJoinsWords, ' ');
    return out;
}

}  // namespace gradproof::proof::latex
