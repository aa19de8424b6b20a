// Answers read in the notation, NumPy or LaTeX: what one of them makes sense of is written in the notation and read again as a claim.
#include "gradproof/core/proof/exercises/read_answer.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/exercises/asked_entries.hpp"
#include "gradproof/core/proof/exercises/drawn.hpp"
#include "gradproof/core/proof/exercises/row_jacobian.hpp"
#include "gradproof/core/proof/exercises/typed.hpp"
#include "gradproof/core/proof/judge/readings.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

enum class Reader { notation, numpy, latex };

/// Of an answer in LaTeX, \sum_{i=1}^n.
bool sums_from_one(const std::string& text) {
    std::string bare;
    for (const char c : text)
        if (c != ' ') bare += c;
    return bare.find("=1}^") != std::string::npos;
}

class AnswerReader {
  public:
    AnswerReader(const Exercise& exercise, const std::string& answer)
        : exercise_(exercise), answer_(answer), solved_(solved(exercise)), names_(names_of(solved_)) {
        if (const auto row = row_jacobian(asked())) names_.values.insert(row->row);  // a row of A in a matrix for the whole
    }

    ReadAnswer read() {
        std::optional<ReadAnswer> best;
        std::optional<NoAnswer> no_answer;
        for (const std::string& text : variants()) {
            for (const Reader reader : order()) {
                if (best && reader == Reader::latex && !is_latex_text(answer_)) break;
                try {
                    const ReadAnswer found = read_by(reader, text);
                    const Fit here = fit_of(found.proof);
                    if (here.same_shape()) return found;
                    if (const auto as = squeezed(found, here)) return *as;
                    if (const auto as = read_otherwise(found)) return *as;
                    if (!best) best = found;
                    if (reader != Reader::notation) break;  // sum(dY, 0) is NumPy
                } catch (const NoAnswer& e) {
                    if (!no_answer) no_answer = e;
                    break;
                } catch (const ProofError&) {  // another reader may know what it means
                }
            }
        }
        if (no_answer) throw *no_answer;
        if (best) return *best;
        try {  // the error of the first reader is the one to tell
            const std::string text(trimmed(answer_));
            const bool alone = order().front() == Reader::notation && !equals_sign(text);
            return alone ? of_line(exercise_.asked + " = " + text, exercise_.asked.size() + 3) : read_by(order().front(), text);
        } catch (const ProofError& e) {
            const std::string hint = hint_of_language(answer_);
            if (hint.empty()) throw;
            throw ProofError(Source("answer", answer_), std::min(e.offset(), answer_.size()),
                             fmt::format("{}; {}", e.message(), hint));
        }
    }

  private:
    const Expr& asked() const { return *solved_.lines.front().left; }

    std::vector<std::string> variants() const {
        std::string plain(trimmed(answer_));
        std::ranges::replace(plain, '\n', ' ');
        return answer_.size() > kLongestAnswer ? std::vector{plain} : ways_to_read(plain);
    }
    std::vector<Reader> order() const {
        if (answer_.size() > kLongestAnswer) return {Reader::notation};
        if (is_latex_text(answer_)) return {Reader::latex, Reader::notation};
        for (const char* sign : {"np.", "torch.", "jnp.", ".T", "**", ".sum", ".mean", ".dot", "keepdim"})
            if (answer_.find(sign) != std::string::npos) return {Reader::numpy, Reader::notation};
        if (answer_.find('%') != std::string::npos) return {Reader::notation, Reader::numpy};  // in LaTeX a comment
        return {Reader::notation, Reader::numpy, Reader::latex};
    }

    /// An answer that has an axis of size 1 more than what is asked, without it.
    std::optional<ReadAnswer> squeezed(const ReadAnswer& found, const Fit& fit) const {
        const std::optional<Sides>& sides = fit.sides;
        if (!sides || sides->claimed.rank() != sides->truth.rank() + 1) return std::nullopt;
        const std::string_view claim = found.claim;
        const std::size_t equals = *equals_sign(claim);
        const std::string_view left = trimmed(claim.substr(0, equals)), right = trimmed(claim.substr(equals + 1));
        for (int axis = 0; axis < sides->claimed.rank(); ++axis) {
            if (sides->claimed.dim(axis) != 1) continue;
            ReadAnswer other = of_line(fmt::format("{} = sum({}, axis={})", left, right, axis), left.size() + 3);
            if (fits(other.proof)) return other;
        }
        return std::nullopt;
    }
    /// The right side as others write, where only so it has the shape of the left: u v^T of vectors as columns.
    std::optional<ReadAnswer> read_otherwise(const ReadAnswer& found) const {
        if (!found.proof.lines.front().is_judged()) return std::nullopt;
        try {
            for (const Reading& r : other_readings(*Drawn(found.proof, kSeed).claim)) {
                ReadAnswer as = found;
                JudgedLine& line = as.proof.lines.front();
                line.right = r.right;
                line.text = as.claim = fmt::format("{} = {}", text_of(*line.left), text_of(*r.right));
                if (fits(as.proof)) return as;
            }
        } catch (const EvaluationError&) {  // it cannot be computed, however it is read
        }
        return std::nullopt;
    }

    ReadAnswer read_by(Reader reader, const std::string& text) const {
        const std::optional<std::size_t> equals = equals_sign(text);
        const bool notation = reader == Reader::notation;
        const ExprPtr typed = expression(reader, equals ? text.substr(*equals + 1) : text);
        const ExprPtr right = with_own_indices(typed, names_);
        if (notation && right == typed) return equals ? of_line(text, 0) : of_sides("", text, right);
        const std::string left = equals ? left_of(reader, std::string(trimmed(std::string_view(text).substr(0, *equals)))) : "";
        return of_sides(left, written(*right, Notation::notation), right);
    }

    ExprPtr expression(Reader reader, const std::string& text) const {
        const Source source("answer", text);
        const Span all{0, text.size()};
        if (reader == Reader::notation) return parse_expression(source, all, names_);
        if (reader == Reader::numpy) return numpy::Parser(source, all, names_).whole();
        latex::Reading reading{source, names_, solved_, std::make_shared<LatexSpelling>()};
        if (!sums_from_one(text)) reading.spelling->first = 0;  // as the exercise counts
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
        return reader == Reader::notation ? text : written(*expression(reader, text), Notation::notation);
    }

    /// Of a right side alone what it is taken for follows from its letters.
    ReadAnswer of_sides(const std::string& left, const std::string& text, const ExprPtr& right) const {
        if (!left.empty()) return of_line(left + " = " + text, left.size() + 3);
        const IndexLetters letters = free_letters(right, names_);
        const Expr& base = without_indices(asked());
        if (const std::optional<RowJacobian> row = row_jacobian(asked()); row && letters.empty())
            if (const ExprPtr entries = entries_of_row(*row, right))
                return of_line(fmt::format("{} = {}", exercise_.asked, written(*entries, Notation::notation)), 0);
        if (const IndexLetters bound = letters_of_einsum(*right); !bound.empty()) {
            const std::string entries = fmt::format("{}[{}]", text_of(base), fmt::join(bound, ","));
            return of_line(entries + " = " + written(*with_entries(right, bound), Notation::notation), entries.size() + 3);
        }
        if (letters.empty()) {
            const std::string whole =
                base.kind == Kind::jacobian ? fmt::format("∂{}/∂{}", base.name, base.other) : exercise_.asked;
            return of_line(whole + " = " + text, whole.size() + 3);
        }
        const AskedEntries asked_entries(solved_);
        const std::size_t count = asked_entries.letters();
        if (letters.size() != count) refuse_letters(letters, count, contains(*right, Kind::reduce));
        IndexLetters order = letters;
        std::ranges::sort(order);
        std::vector<IndexLetters> all{letters};
        do {
            if (order != letters) all.push_back(order);
        } while (std::ranges::next_permutation(order).found);
        std::optional<ReadAnswer> first;
        for (const IndexLetters& o : all) {
            const std::string entries = asked_entries.at(o);
            ReadAnswer found = of_line(entries + " = " + text, entries.size() + 3);
            if (holds(found.proof)) return found;
            if (!first || (!fits(first->proof) && fits(found.proof))) first = std::move(found);
        }
        return *first;
    }
    [[noreturn]] void refuse_letters(const IndexLetters& letters, std::size_t rank, bool sums) const {
        const bool more = letters.size() > rank;
        const std::string ask =
            more ? fmt::format("which index is {}summed over?", sums ? "also " : "") : "which index is missing?";
        throw NoAnswer(NoAnswerKind::index,
                       fmt::format("{} {} has {} {}, but your answer has {}: {}{}", ask, exercise_.asked, rank,
                                   rank == 1 ? "index" : "indices", letters.size(), fmt::join(letters, ", "),
                                   more ? ". Write Σ and that index before what is summed" : ""));
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
            const std::size_t place = std::min(typed ? found + at : 0, answer_.size());
            const bool closes = typed && answer_.substr(place, 1) == ")" && e.message().starts_with("expected an operator or");
            throw ProofError(Source("answer", answer_), place, closes ? "this bracket was never opened" : e.message());
        }
    }

    /// Errors: NoAnswer unless it is one line that answers what is asked by what is given.
    void expect_answer(const Proof& proof) const {
        const auto refuse = [](NoAnswerKind kind, const std::string& text) { throw NoAnswer(kind, text); };
        if (proof.lines.size() != 1)
            refuse(NoAnswerKind::other_question, fmt::format("the answer is one line: {} = ...", exercise_.asked));
        const JudgedLine& claim = proof.lines.front();
        if (!claim.left || !states_what_is_asked(*claim.left, asked()))
            refuse(
                NoAnswerKind::other_question,
                fmt::format("it asks for {0}: write the right side of {0} = ..., or the whole line with a letter for each axis",
                            exercise_.asked));
        for_each(*claim.right, [&](const Expr& e) {
            const bool derivative = e.kind == Kind::gradient || e.kind == Kind::jacobian;
            if (std::ranges::count(exercise_.without, e.name) > 0 && (e.kind == Kind::name || e.kind == Kind::call))
                refuse(NoAnswerKind::not_given,
                       fmt::format("{} may not be used here; use {}", e.name, fmt::join(exercise_.names, ", ")));
            if (!derivative || (e.kind == Kind::gradient && std::ranges::count(exercise_.given, e.name) > 0)) return;
            std::string may;
            for (const std::string& g : exercise_.given) may += (may.empty() ? "" : ", ") + ("∂L/∂" + g);
            refuse(NoAnswerKind::not_given,
                   fmt::format("{} is {}; {}", text_of(e), "∂L/∂" + e.name == exercise_.asked ? "what is asked" : "not given",
                               may.empty() ? "the answer needs no gradient" : "the answer may use " + may));
        });
    }

    static Fit fit_of(const Proof& proof) {
        const JudgedLine& line = proof.lines.front();
        return line.is_judged() ? fit(Drawn(proof, kSeed), line.right) : Fit{};
    }
    /// Whether the right side can be computed and has the shape of the left.
    static bool fits(const Proof& proof) { return fit_of(proof).same_shape(); }
    static bool holds(const Proof& proof) {
        const JudgedLine& line = proof.lines.front();
        return line.is_judged() && Drawn(proof, kSeed).claim->holds(line.right);
    }

    inline static const std::uint64_t kSeed = InstanceOptions{}.seed;  ///< of the draw that tells what an answer means
    const Exercise& exercise_;
    const std::string& answer_;
    const Proof solved_;
    Names names_;
};

}  // namespace

Proof solved(const Exercise& exercise) {
    return read_proofs("exercise", fmt::format("{}{}\n{} = {}\n", exercise.forward, exercise.numeric ? "expect" : "claim",
                                               exercise.asked, exercise.solution))
        .front();
}

ReadAnswer read_answer(const Exercise& exercise, const std::string& answer) {
    if (trimmed(answer).empty())
        throw NoAnswer(NoAnswerKind::empty, fmt::format("the answer is empty: write the right side of {} = ...", exercise.asked));
    if (exercise.numeric) return read_numbers(exercise, answer);
    return AnswerReader(exercise, answer).read();
}

}  // namespace gradproof::proof
