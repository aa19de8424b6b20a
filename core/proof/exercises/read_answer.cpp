// Answers read in the notation, NumPy or LaTeX: what one of them makes sense of is written in the notation and read again as a claim.
#include "gradproof/core/proof/exercises/read_answer.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/exercises/numbers.hpp"
#include "gradproof/core/proof/judge/claim.hpp"
#include "gradproof/core/proof/judge/readings.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

using Letters = std::vector<std::string>;

/// Where the text states a left side: the first = outside of brackets that compares nothing.
std::optional<std::size_t> equals_sign(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], before = i > 0 ? text[i - 1] : ' ', next = i + 1 < text.size() ? text[i + 1] : ' ';
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth == 0 && c == '=' && next != '=' && std::string_view("=<>!").find(before) == std::string_view::npos) return i;
    }
    return std::nullopt;
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string_view::npos ? "" : std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

/// What else an answer may mean: (a)(b) as an elementwise product, and sum_i x as Σ_i x.
std::string with_dots_between_brackets(const std::string& text, bool latex) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        const std::size_t next = text.find_first_not_of(' ', i + 1);
        if (text[i] == ')' && next != std::string::npos && text[next] == '(') out += latex ? " \\odot " : " ⊙ ";
    }
    return out;
}
/// A.^2 ./ B as A^2 / B.
std::string without_dots(std::string text) {
    for (const std::string_view sign : {".^", "./", ".'"})
        for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos;) text.erase(at, 1);
    return text;
}
std::string with_sum_signs(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool sum = std::string_view(text).substr(i).starts_with("sum_") && i + 5 < text.size() && text[i + 5] == ' ' &&
                         text[i + 6] != '(';
        out += sum ? "Σ_" : std::string(1, text[i]);
        if (sum) i += 3;
    }
    return out;
}

/// Of what another language writes, what is read here; "" where nothing of the kind stands in the answer.
std::string hint_of_language(std::string_view answer) {
    constexpr std::array<std::array<std::string_view, 2>, 8> kSigns{{{"%*%", "A %*% B is written A B or A @ B here"},
                                                                     {"%o%", "a %o% b is written outer(a, b) here"},
                                                                     {"Transpose[", "Transpose[A] is written A^T here"},
                                                                     {"Sum[", "Sum[x, i] is written Σ_i x here"},
                                                                     {"t(", "t(A) is written A^T here"},
                                                                     {"<-", "an assignment is written with = here"},
                                                                     {":=", "an assignment is written with = here"},
                                                                     {"&", "entries are taken as A[i,j]"}}};
    for (const auto& [sign, hint] : kSigns)
        if (answer.find(sign) != std::string_view::npos) return std::string(hint);
    return "";
}

/// The letters at which entries are taken, in the order they stand in, without those that sums bind.
class FreeLetters {
  public:
    explicit FreeLetters(const Names& names) : names_(names) {}
    Letters of(const ExprPtr& e) {
        collect(*e, {}, false);
        return letters_;
    }

  private:
    void collect(const Expr& e, Letters bound, bool at) {
        if (e.kind == Kind::name && at && !names_.defined(e.name) && std::ranges::count(bound, e.name) == 0 &&
            std::ranges::count(letters_, e.name) == 0)
            letters_.push_back(e.name);
        bound.insert(bound.end(), e.bound.begin(), e.bound.end());
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const bool entry = e.kind == Kind::delta || e.kind == Kind::jacobian || (e.kind == Kind::index && i > 0);
            collect(*e.children[i], bound, at || entry);
        }
    }
    const Names& names_;
    Letters letters_;
};

/// Of an einsum, which is an array by its entries, the letters of these; of an expression, of the first in it.
Letters letters_of_einsum(const Expr& e) {
    Letters out;
    for_each(e, [&](const Expr& part) {
        if (out.empty() && part.kind == Kind::helper) out = part.bound;
    });
    return out;
}
/// Every einsum by what it is at these letters.
ExprPtr with_entries(const ExprPtr& e, const Letters& letters) {
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::helper || part.bound.size() != letters.size()) return nullptr;
        ExprPtr body = part.children[0];
        for (std::size_t i = 0; i < letters.size(); ++i) body = renamed(body, part.bound[i], letters[i]);
        return body;
    });
}

/// The left side is what was asked for, as a whole: a name, or each axis with a letter of its own.
bool answers(const Expr& left, const Expr& asked) {
    const bool whole = left.kind != Kind::index;
    const Expr& base = whole ? left : *left.children[0];
    const Expr& wanted = asked.kind == Kind::index ? *asked.children[0] : asked;
    if (base.kind != wanted.kind || base.name != wanted.name || base.other != wanted.other) return false;
    if (base.kind != Kind::jacobian && base.kind != Kind::gradient && whole) return text_of(left) == text_of(asked);
    std::vector<std::string> letters;
    for (std::size_t i = whole ? 0 : 1; i < left.children.size(); ++i) {
        const Expr& c = *left.children[i];
        if (c.kind == Kind::slice) continue;
        if (c.kind != Kind::name || std::ranges::count(letters, c.name) > 0) return false;
        letters.push_back(c.name);
    }
    return true;
}

enum class Reader { notation, numpy, latex };

class AnswerReader {
  public:
    AnswerReader(const Exercise& exercise, const std::string& answer)
        : exercise_(exercise), answer_(answer), solved_(solved(exercise)), names_(names_of(solved_)) {}

    ReadAnswer read() {
        std::optional<ReadAnswer> best;
        std::optional<NoAnswer> no_answer;
        for (const std::string& text : variants()) {
            for (const Reader reader : order()) {
                try {
                    const ReadAnswer found = read_by(reader, text);
                    for (const ReadAnswer& as : {found, squeezed(found), read_otherwise(found)})
                        if (fits(as.proof)) return as;
                    if (!best) best = found;
                    break;
                } catch (const NoAnswer& e) {
                    if (!no_answer) no_answer = e;
                    break;
                } catch (const ProofError&) {  // another reader may know what it means
                }
            }
        }
        if (no_answer) throw *no_answer;
        if (best) return *best;
        try {
            return read_by(order().front(), trimmed(answer_));  // its error is the one to tell
        } catch (const ProofError& e) {
            const std::string hint = hint_of_language(answer_);
            if (hint.empty()) throw;
            throw ProofError(Source("answer", answer_), std::min(e.offset(), answer_.size()), fmt::format("{}; {}", e.message(), hint));
        }
    }

  private:
    const Expr& asked() const { return *solved_.lines.front().left; }

    /// As it is typed first.
    std::vector<std::string> variants() const {
        std::string plain = trimmed(answer_);
        std::ranges::replace(plain, '\n', ' ');
        std::vector<std::string> out{plain};
        if (answer_.size() > kLongestAnswer) return out;
        for (const std::string& more : {without_dots(plain), with_sum_signs(plain), with_dots_between_brackets(plain, is_latex_text())})
            if (more != plain) out.push_back(more);
        return out;
    }
    bool is_latex_text() const { return answer_.find('\\') != std::string::npos; }
    std::vector<Reader> order() const {
        if (answer_.size() > kLongestAnswer) return {Reader::notation};
        if (is_latex_text()) return {Reader::latex, Reader::notation};
        for (const char* sign : {"np.", "torch.", "jnp.", ".T", "**", ".sum", ".mean", ".dot", "keepdim"})
            if (answer_.find(sign) != std::string::npos) return {Reader::numpy, Reader::notation};
        return {Reader::notation, Reader::numpy, Reader::latex};
    }

    /// An answer that has an axis of size 1 more than what is asked, without it; else as it is.
    ReadAnswer squeezed(ReadAnswer found) const {
        const std::optional<Sides> sides = sides_of(found.proof);
        if (!sides || sides->claimed.rank() != sides->truth.rank() + 1) return found;
        const std::size_t equals = *equals_sign(found.claim);
        for (int axis = 0; axis < sides->claimed.rank(); ++axis) {
            if (sides->claimed.dim(axis) != 1) continue;
            const std::string left = trimmed(found.claim.substr(0, equals)), right = trimmed(found.claim.substr(equals + 1));
            ReadAnswer other = of_line(fmt::format("{} = sum({}, axis={})", left, right, axis), left.size() + 3);
            if (fits(other.proof)) return other;
        }
        return found;
    }
    /// The right side as others write, where only so it has the shape of the left: u v^T of vectors as columns.
    ReadAnswer read_otherwise(const ReadAnswer& found) const {
        std::optional<ReadAnswer> other;
        with_claim(found.proof, [&](const Claim& claim, const ExprPtr&) {
            for (const Reading& r : other_readings(claim)) {
                ReadAnswer as = found;
                JudgedLine& line = as.proof.lines.front();
                line.right = r.right;
                line.text = as.claim = fmt::format("{} = {}", text_of(*line.left), text_of(*r.right));
                if (!other && fits(as.proof)) other = std::move(as);
            }
            return true;
        });
        return other ? *other : found;
    }

    ReadAnswer read_by(Reader reader, const std::string& text) const {
        const std::optional<std::size_t> equals = equals_sign(text);
        if (reader == Reader::notation) return equals ? of_line(text, 0) : of_sides("", text, expression(reader, text));
        const std::string left = equals ? left_of(reader, trimmed(std::string_view(text).substr(0, *equals))) : "";
        const ExprPtr right = expression(reader, equals ? text.substr(*equals + 1) : text);
        return of_sides(left, written(*right, Notation::notation), right);
    }

    ExprPtr expression(Reader reader, const std::string& text) const {
        const Source source("answer", text);
        const Span all{0, text.size()};
        if (reader == Reader::notation) return parse_expression(source, all, names_);
        if (reader == Reader::numpy) return numpy::Parser(source, all, names_).whole();
        latex::Reading reading{source, names_, solved_, std::make_shared<LatexSpelling>()};
        latex::Lexer lexer(source, all);
        latex::Tokens tokens;
        for (latex::Token t = lexer.next(); t.kind != latex::Token::Kind::none; t = lexer.next())
            if (!t.is_symbol("$") && !t.is_command("\\left") && !t.is_command("\\right")) tokens.push_back(t);
        return latex::Parser(reading, tokens).whole();
    }
    /// Of another language, in the notation.
    std::string left_of(Reader reader, const std::string& text) const {
        if (reader == Reader::numpy) {
            const bool member = text.ends_with(".grad") && names_.values.contains(text.substr(0, text.size() - 5));
            const std::string of = member ? text.substr(0, text.size() - 5) : numpy::value_of_gradient(text, names_);
            return of.empty() ? text : "∂L/∂" + of;
        }
        return written(*expression(reader, text), Notation::notation);
    }

    /// Of a right side alone what it is taken for follows from its letters.
    ReadAnswer of_sides(const std::string& left, const std::string& text, const ExprPtr& right) const {
        if (!left.empty()) return of_line(left + " = " + text, left.size() + 3);
        const Letters letters = FreeLetters(names_).of(right);
        const Expr& base = asked().kind == Kind::index ? *asked().children[0] : asked();
        if (const Letters bound = letters_of_einsum(*right); !bound.empty()) {
            const std::string entries = fmt::format("{}[{}]", text_of(base), fmt::join(bound, ","));
            return of_line(entries + " = " + written(*with_entries(right, bound), Notation::notation), entries.size() + 3);
        }
        if (letters.empty()) {
            const std::string whole = base.kind == Kind::jacobian ? fmt::format("∂{}/∂{}", base.name, base.other) : exercise_.asked;
            return of_line(whole + " = " + text, whole.size() + 3);
        }
        const std::vector<std::size_t> ranks = axes();
        const std::size_t rank = ranks[0] + ranks[1];
        if (letters.size() != rank) refuse_letters(letters, rank);
        Letters order = letters;
        std::ranges::sort(order);
        std::vector<Letters> all{letters};
        do {
            if (order != letters) all.push_back(order);
        } while (std::ranges::next_permutation(order).found);
        std::optional<ReadAnswer> first;
        for (const Letters& o : all) {
            const auto at = [&](std::size_t from, std::size_t count) {
                const Letters some(o.begin() + static_cast<std::ptrdiff_t>(from),
                                   o.begin() + static_cast<std::ptrdiff_t>(from + count));
                return count == 0 ? "" : fmt::format("[{}]", fmt::join(some, ","));
            };
            const std::string entries = base.kind == Kind::jacobian
                                            ? fmt::format("∂{}{}/∂{}{}", base.name, at(0, ranks[0]), base.other, at(ranks[0], ranks[1]))
                                            : text_of(base) + at(0, rank);
            ReadAnswer found = of_line(entries + " = " + text, entries.size() + 3);
            if (holds(found.proof)) return found;
            if (!first || (!fits(first->proof) && fits(found.proof))) first = std::move(found);
        }
        return *first;
    }
    /// How many axes what is asked has: of a Jacobian those of both values.
    std::vector<std::size_t> axes() const {
        const Plan plan(solved_, {});
        const Instance draw(solved_, plan, {}, 0);
        const Expr& base = asked().kind == Kind::index ? *asked().children[0] : asked();
        const auto rank = [&](const std::string& name) {
            const auto found = draw.scope().values.find(name);
            return found == draw.scope().values.end() ? std::size_t{0} : static_cast<std::size_t>(found->second.value().rank());
        };
        return {rank(base.name), base.kind == Kind::jacobian ? rank(base.other) : 0};
    }
    [[noreturn]] void refuse_letters(const Letters& letters, std::size_t rank) const {
        throw NoAnswer(NoAnswerKind::index,
                       letters.size() > rank
                           ? fmt::format("which index is summed over? {} has {} of its own, and the answer is taken at {}: write "
                                         "Σ and that index before what is summed",
                                         exercise_.asked, rank == 1 ? "one index" : fmt::format("{} indices", rank),
                                         fmt::join(letters, ", "))
                           : fmt::format("which indices does {} have? It has {}, and the answer is taken at {} alone",
                                         exercise_.asked, rank == 1 ? "one" : std::to_string(rank), fmt::join(letters, ", ")));
    }

    /// `right`: where the right side begins in it, 0 where the line is the answer itself.
    ReadAnswer of_line(const std::string& line, std::size_t right) const {
        const std::string before = exercise_.forward + "claim\n";
        try {
            ReadAnswer out{read_proofs("answer", before + line + "\n").front(), line};
            expect_answer(out.proof);
            return out;
        } catch (const ProofError& e) {
            const std::string said = right == 0 ? line : line.substr(right);
            const std::size_t at = e.offset() - std::min(e.offset(), before.size() + right);
            const std::size_t found = answer_.find(said);
            const bool typed = found != std::string::npos;
            throw ProofError(Source("answer", answer_), std::min(typed ? found + at : 0, answer_.size()), e.message());
        }
    }

    /// Errors: NoAnswer unless it is one line that answers what is asked by what is given.
    void expect_answer(const Proof& proof) const {
        const auto refuse = [](NoAnswerKind kind, const std::string& text) { throw NoAnswer(kind, text); };
        if (proof.lines.size() != 1)
            refuse(NoAnswerKind::other_question, fmt::format("the answer is one line: {} = ...", exercise_.asked));
        const JudgedLine& claim = proof.lines.front();
        if (!claim.left || !answers(*claim.left, asked()))
            refuse(NoAnswerKind::other_question,
                   fmt::format("it asks for {0}: write the right side of {0} = ..., or the whole line with a letter for each axis",
                               exercise_.asked));
        for_each(*claim.right, [&](const Expr& e) {
            const bool derivative = e.kind == Kind::gradient || e.kind == Kind::jacobian;
            if (std::ranges::count(exercise_.without, e.name) > 0 && (e.kind == Kind::name || e.kind == Kind::call))
                refuse(NoAnswerKind::not_given, fmt::format("{} is not to be used: say it by {}", e.name,
                                                            fmt::join(exercise_.names, ", ")));
            if (!derivative || (e.kind == Kind::gradient && std::ranges::count(exercise_.given, e.name) > 0)) return;
            std::string may;
            for (const std::string& g : exercise_.given) may += (may.empty() ? "" : ", ") + ("∂L/∂" + g);
            refuse(NoAnswerKind::not_given,
                   fmt::format("{} is not given; {}", text_of(e),
                               may.empty() ? "the answer uses no gradient" : "of gradients, the answer may use " + may));
        });
    }

    /// Whether the right side can be computed and has the shape of the left.
    bool fits(const Proof& proof) const {
        const std::optional<Sides> sides = sides_of(proof);
        return sides && sides->gap.defined();
    }
    std::optional<Sides> sides_of(const Proof& proof) const {
        std::optional<Sides> out;
        with_claim(proof, [&](const Claim& claim, const ExprPtr& right) {
            out = claim.sides(0, right);
            return true;
        });
        return out;
    }
    bool holds(const Proof& proof) const {
        return with_claim(proof, [](const Claim& claim, const ExprPtr& right) { return claim.holds(right); });
    }
    template <class F>
    bool with_claim(const Proof& proof, F f) const {
        if (!proof.lines.front().is_judged()) return false;
        const Plan plan(proof, {});
        std::vector<std::unique_ptr<Instance>> draws;
        draws.push_back(std::make_unique<Instance>(proof, plan, InstanceOptions{}, 0));
        const Claim claim(proof.lines.front(), proof, draws);
        try {
            return f(claim, proof.lines.front().right);
        } catch (const EvaluationError&) {
            return false;
        }
    }

    const Exercise& exercise_;
    const std::string& answer_;
    const Proof solved_;
    const Names names_;
};

}  // namespace

Proof solved(const Exercise& exercise) {
    return read_proofs("exercise", fmt::format("{}{}\n{} = {}\n", exercise.forward, exercise.numeric ? "expect" : "claim",
                                               exercise.asked, exercise.solution))
        .front();
}

namespace {

ReadAnswer read_numbers(const Exercise& exercise, const std::string& answer) {
    const Proof proof = solved(exercise);
    const Expr& right = *proof.lines.front().right;
    std::size_t count = 0, decimals = 0;
    for_each(right, [&](const Expr& e) {
        if (e.kind != Kind::number) return;
        ++count;
        decimals = std::max(decimals, decimals_of(e.name));
    });
    const std::optional<std::size_t> equals = equals_sign(answer);
    try {
        const std::string line = fmt::format("{} = {}", exercise.asked,
                                             typed_numbers(std::string_view(answer).substr(equals ? *equals + 1 : 0), count, decimals));
        return {read_proofs("answer", exercise.forward + "expect\n" + line + "\n").front(), line};
    } catch (const ValueError& e) {
        throw NoAnswer(NoAnswerKind::numbers, e.what());
    }
}

}  // namespace

ReadAnswer read_answer(const Exercise& exercise, const std::string& answer) {
    if (trimmed(answer).empty())
        throw NoAnswer(NoAnswerKind::empty,
                       fmt::format("the answer is empty: write the right side of {} = ...", exercise.asked));
    if (exercise.numeric) return read_numbers(exercise, answer);
    return AnswerReader(exercise, answer).read();
}

}  // namespace gradproof::proof
