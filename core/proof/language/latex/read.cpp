// Derivations as they stand in LaTeX: which equations are forward, and which are claims.
#include "gradproof/core/proof/language/latex/read.hpp"
#include "gradproof/core/proof/language/latex/reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/missing.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/passed_over.hpp"
#include "gradproof/core/proof/language/latex/said_nowhere.hpp"
#include "gradproof/core/proof/language/latex/scripts.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

void Reader::read() {
    to_.stands_in_sentences();
    if (epoch_.begin > 0) to_.begins_at(epoch_.begin);  // a file begins with itself, whatever it takes in first
    if (!has_annotations(source_, with_text_before(source_, text_))) to_.may_leave_out_loss();
    Prose prose(source_, text_, epoch_);
    reading_.unnamed_loss = prose.inversions().unnamed_loss();
    reading_.gates = prose.gates();
    reading_.spelled_twice = names_spelled_twice(source_, with_text_before(source_, text_));
    const ConventionsSaid conventions = conventions_said(source_, with_text_before(source_, text_));
    settle_conventions(conventions);
    const bool stated = prose.declare(reading_, to_);
    if (first_)
        declare_to_find_shapes(taken_, reading_, to_);
    else
        declare(taken_, prose, reading_, to_);
    if (!stated && to_.proof().given.empty() && !has_annotations(source_, text_)) {
        if (unread_) throw *unread_;
        fail_without_annotations(source_, text_, prose.definitions());
    }
    Document document(source_, text_);
    while (const std::optional<Part> part = document.next()) {
        gather_asides(prose, part->span.begin);
        if (part->note.kind == note) {
            take_gathered();
            annotate(part->note, reading_, to_, mode_);
        } else {
            prose.declare(reading_, to_);
            settle_meanings(prose);
            formula(document, *part, prose);
        }
        document.pass_over(mode_.passing);
    }
    gather_asides(prose, text_.end);
    take_gathered();
    for (const Input& input : document.left_out()) lose_file(input);
    claims_.add_of_sentences(prose, text_);
    claims_.add_changes(text_);
    for (const SaidFixed& one : conventions.fixed) hold_fixed(one);
    for (const auto& [id, call] : Policies(source_).spelled()) reading_.spelling->names[id] = call;
    claims_.keep(epoch_);
    claims_.judge();
    to_.keep_lines(text_, epoch_);
    for (std::string& one : said_nowhere(reading_, to_.proof())) to_.holds_for(std::move(one));
    doubt_partials(reading_, to_);
    to_.pass_over(passed_over(source_, text_, epoch_, to_.proof(), reading_.lines));
}

void Reader::settle_conventions(const ConventionsSaid& said) {
    if (said.layout != Layout::unsaid) {
        const char* const layout = said.layout == Layout::denominator ? "denominator" : "numerator";
        to_.convention("layout", layout, {text_.begin, text_.begin});
        to_.holds_for(fmt::format("{} layout", layout));
    }
    if (said.gradients == Vectors::unsaid) return;
    to_.gradients_lie(said.gradients);
    to_.holds_for("gradients as rows");
}

/// "we do not backpropagate through $y$", "with $y$ fixed".
void Reader::hold_fixed(const SaidFixed& one) {
    const NameParts p = name_at(reading_, one.name, 0);
    if (p.base.empty() || p.end != one.name.size()) return;
    const std::string id = reading_.id_of(p.key(p.has_above, p.has_below, p.primed));
    if (to_.say_fixed(id, one.where, one.stopped) && one.stopped) to_.holds_for(fmt::format("no gradient through {}", id));
}

/// Before the first formula, behind the comments above it.
void Reader::settle_meanings(const Prose& prose) {
    if (std::exchange(settled_, true)) return;
    Meanings::Known known{prose.defined_bases(), prose.stated_bases()};
    meanings_.settle(reading_, known);
    for (const Taken& t : taken_)
        if (t.is_value() && !t.id.empty()) known.stated.insert(t.name.base);  // of which they say nothing
    for (const std::string& said : meanings_.texts(reading_, known)) to_.holds_for(said);
    std::erase_if(reading_.meanings, [&](const auto& one) {
        if (one.second.any) to_.function(one.first, one.second.span);
        return one.second.any;
    });
    declare_functions(taken_, reading_, to_);
}

/// A file that is not taken in: behind the preamble it may say what the loss is.
void Reader::lose_file(const Input& input) {
    const bool macros = source_.slice({input.span.end, text_.end}).find("\\begin{document}") != std::string_view::npos;
    to_.attempt(
        [&] {
            const auto type = macros ? JudgedLine::Type::claim : JudgedLine::Type::forward;
            LostLine out{statement(input.span), type, std::string(source_.slice(input.span))};
            out.is_loss = !macros;
            return out;
        },
        [&] { fail_for_file(source_, input); });
}

namespace {

/// Where no value is read, the reason of the first, which says more than that nothing says what the inputs are; nothing where a
/// name is not known.
std::optional<ProofError> error_of_unread_value(const Proof& first) {
    if (!first.forward.empty() || std::ranges::any_of(first.lines, &JudgedLine::is_judged)) return std::nullopt;
    const auto line = std::ranges::find_if(first.lines, [](const JudgedLine& l) {
        return l.type == JudgedLine::Type::forward && l.state == JudgedLine::State::unread;
    });
    if (line == first.lines.end() || line->why.find("is not known") != std::string::npos) return std::nullopt;
    return ProofError(*first.source, line->at.begin, line->why);
}

/// The names of which a text without comments says nothing, with shapes that fit; none where none do, or nothing is claimed.
Unstated taken_for(const std::shared_ptr<const Source>& source, Span text, Span epoch, const Statements& to) {
    const bool begins = to.proof().given.empty() && to.proof().forward.empty() && to.proof().dims.empty();
    if (!begins || has_annotations(*source, with_text_before(*source, text))) return {};
    Unstated out{.all = names_to_take(*source, text, Prose(*source, text, epoch))};
    constexpr int kMostReadings = 4;
    for (int readings = 0; !out.all.empty() && readings < kMostReadings; ++readings) {
        Statements first(source, Unreadable::loses_line);
        for (const std::string_view unsized : {kIdentity, kOnes}) first.function(std::string(unsized), text);
        try {
            Reader(source, text, epoch, first, out, true).read();
        } catch (const ProofError&) {  // told where it is read
            return {};
        }
        out.unread = error_of_unread_value(first.proof());
        if (!claims_something(first.proof())) return {.unread = out.unread};
        if (const std::optional<bool> changed = fit(out.all, first.proof())) {
            if (!*changed) break;
        } else if (const std::optional<std::size_t> misfit = misfit_in(out.all, first.proof())) {
            out.unfit.insert(*misfit);
        } else {
            return {};
        }
    }
    return out;
}

}  // namespace

void read(const std::shared_ptr<const Source>& source, Span text, Span epoch, Statements& to) {
    Unstated taken = taken_for(source, text, epoch, to);
    Reader(source, text, epoch, to, taken).read();
}
void read(const std::shared_ptr<const Source>& source, Span text, Statements& to) { read(source, text, text, to); }

bool opens_proof(const Source& source, Span text) {
    Lexer lexer(source, text);
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
        if (t.kind != note) continue;
        Lexer words_of_note(source, t.span, true);
        const Token first = words_of_note.next();
        if (first.text == "dims" || first.text == "input" || first.text == "title" || Statements::is_convention(first.text))
            return true;
    }
    return false;
}

}  // namespace gradproof::proof::latex
