// The notation: the statements of a block, one after the other.
#include "gradproof/core/proof/language/notation.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/beside_matrix.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/pieces.hpp"
#include "gradproof/core/proof/language/sizes.hpp"

namespace gradproof::proof {
namespace {

constexpr std::array<std::string_view, 14> kKeywords{"title", "dims",   "function", "input", "const",      "forward", "loss",
                                                     "claim", "expect", "skip",     "where", "convention", "layout",  "einstein"};

/// The reader of the notation.
class Reader {
  public:
    Reader(const Source& source, Statements& to) : source_(source), to_(to) {}

    void read(const ProofBlock& block) {
        to_.begins_at(block.span.begin);
        sequences_ = sequences_in(block);
        add_subscripted(block);
        to_.announce(sequences_);
        for (const Statement& s : block.statements) statement(s);
        expect_loss();
        if (skip_) fail(skip_span_, "skip stands before a line; there is none after it");
    }

  private:
    enum class Section { none, forward, claim, expect };

    /// The names of h[t] = ... and s[t,i] = ...
    std::set<std::string, std::less<>> sequences_in(const ProofBlock& block) const {
        std::set<std::string, std::less<>> out;
        for (const Statement& s : block.statements) {
            const std::string_view text = slice(s.span);
            const std::size_t n = name_length(text);
            if (n == 0 || text.substr(n, 1) != "[") continue;
            std::size_t index = n;
            do {
                index += 1 + blanks_length(text.substr(index + 1));
                index += identifier_length(text.substr(index));
            } while (text.substr(index, 1) == ",");
            if (text.substr(index, 1) != "]") continue;
            if (text.substr(index + 1 + blanks_length(text.substr(index + 1)), 1) == "=")
                out.insert(plain_name(text.substr(0, n)));
        }
        return out;
    }

    /// The h of h_t = ... among them, and of the lines like it, where h_{t-1} stands in one of them.
    void add_subscripted(const ProofBlock& block) {
        std::map<char, std::set<std::string, std::less<>>> by_index;
        for (const Statement& s : block.statements) {
            const std::string_view text = slice(s.span), name = text.substr(0, identifier_length(text));
            if (name == "claim") break;
            const std::size_t bar = name.rfind('_'), behind = name.size() + blanks_length(text.substr(name.size()));
            const bool indexed = bar != std::string_view::npos && bar > 0 && bar + 2 == name.size();
            if (indexed && name.back() >= 'a' && name.back() <= 'z' && text.substr(behind).starts_with("="))
                by_index[name.back()].emplace(name.substr(0, bar));
        }
        for (const Statement& s : block.statements)
            for (const char index : indices_before(slice(s.span), by_index))
                sequences_.insert(by_index[index].begin(), by_index[index].end());
    }
    /// The t of each h_{t-1} in the text, where h is one of these.
    static std::set<char> indices_before(std::string_view text, const std::map<char, std::set<std::string, std::less<>>>& names) {
        std::set<char> out;
        constexpr std::string_view kOpens = "_{";
        for (std::size_t at = text.find(kOpens); at != std::string_view::npos; at = text.find(kOpens, at + 1)) {
            std::string_view rest = text.substr(at + kOpens.size());
            rest.remove_prefix(blanks_length(rest));
            const auto found = rest.empty() ? names.end() : names.find(rest[0]);
            if (found == names.end() || out.contains(rest[0])) continue;
            const std::string_view behind = rest.substr(1 + blanks_length(rest.substr(1)));
            const auto stands = [&](const std::string& name) { return text.substr(0, at).ends_with(name); };
            if ((behind.starts_with("-") || behind.starts_with("−")) && std::ranges::any_of(found->second, stands))
                out.insert(rest[0]);
        }
        return out;
    }
    /// Of h_t = ... h_{t-1}: what stands before the first entry has to be said.
    void expect_start(const Expr& right, Span at) const {
        if (any_part(right, [](const Expr& e) { return e.kind == Kind::call && e.name == "where"; })) return;
        for_each(right, [&](const Expr& e) {
            const bool entry = e.kind == Kind::index && e.children[0]->kind == Kind::name;
            const std::string of = entry ? e.children[0]->name : "";
            const std::optional<IndexStep> step = sequences_.contains(of) ? step_of(*e.children[1]) : std::nullopt;
            if (step && step->by < 0)
                fail(at, fmt::format("nothing says what stands before the first entry of {0}: write {0}_0 = ... above it, or  "
                                     "input {0}_0 [n]",
                                     of));
        });
    }

    [[noreturn]] void fail(Span at, const std::string& text) const { throw ProofError(source_, at.begin, text); }
    std::string_view slice(Span s) const { return source_.slice(s); }

    void statement(Statement s) {
        const std::string_view text = slice(s.span);
        const std::size_t n = identifier_length(text);
        const std::string word(text.substr(0, n));
        const std::size_t after = n + blanks_length(text.substr(n));
        const std::string_view rest = text.substr(after);
        const Span rest_span{s.span.begin + after, s.span.end};
        const bool assigns = rest.starts_with("=") || rest.starts_with("≈") || text.substr(n).starts_with("[");
        const bool section = word == "forward" || word == "claim" || word == "expect" || word == "loss";
        if (!assigns && !section && std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end()) expect_closed(s);
        if (!assigns && word == "title") {
            to_.title(parse_quoted(source_, rest_span));
        } else if (!assigns && word == "dims") {
            to_.dims(parse_dims(source_, rest_span, to_.names()));
        } else if (!assigns && (word == "input" || word == "const")) {
            for (Declaration& d : parse_declarations(source_, rest_span, to_.names())) to_.declare(std::move(d), word == "input");
        } else if (!assigns && section_ == Section::none && word == "function") {
            to_.functions(rest_span);
        } else if (!assigns && section_ == Section::none && Statements::is_convention(word)) {
            to_.convention(word, trimmed(rest), s.span);
        } else if (!assigns && word == "loss") {
            loss(s, rest_span);
        } else if (!assigns && word == "skip") {
            why_ = parse_quoted(source_, rest_span);
            skip_ = true;
            skip_span_ = s.span;
        } else if (!assigns && (word == "forward" || word == "claim" || word == "expect")) {
            section_ = word == "forward" ? Section::forward : word == "claim" ? Section::claim : Section::expect;
            if (section_ != Section::forward) expect_loss();
            if (section_ == Section::forward && to_.anything_claimed())
                fail(s.span, "forward after claims: forward statements come first");
            if (after < text.size()) equality({rest_span, source_.line(rest_span.begin), s.unclosed});
        } else {
            equality(s);
        }
    }

    void expect_closed(const Statement& s) const {
        if (s.unclosed != Statement::kClosed) fail({s.unclosed, s.unclosed}, "this bracket is never closed");
    }

    /// What is lost where `text` of a statement cannot be read.
    LostLine lost(Statement s, Span text, bool is_loss) const {
        using enum JudgedLine::Type;
        LostLine out{s, section_ == Section::expect ? expect : claim, in_one_line(slice(s.span)), {}, {}, is_loss};
        const bool in_forward = section_ == Section::forward || is_loss;
        if (in_forward) out.type = forward;
        const std::string_view all = slice(text);
        if (name_length(all) > 0 && (in_forward || (section_ == Section::claim && defines_helper({text, s.line}))))
            out.defines = {plain_name(all.substr(0, name_length(all)))};
        if (in_forward) out.uses = identifiers_in(all);
        return out;
    }

    /// With the sizes that I and 1 have there; those of the left side, where it has a value.
    Equality parsed(Span text, const Names& names, bool left_is_known = true) const {
        Equality e = parse_equality(source_, text, names);
        const Expr* const left = left_is_known ? e.left.get() : nullptr;
        e.left = sized(source_, e.left, nullptr, to_.proof(), names);
        e.right = sized(source_, e.right, left, to_.proof(), names);
        for (ExprPtr& further : e.further) further = sized(source_, further, left, to_.proof(), names);
        if (to_.proof().conventions.vectors == Vectors::columns) {
            expect_columns_alone(*e.right, names);
            for (const ExprPtr& further : e.further) expect_columns_alone(*further, names);
        }
        return e;
    }
    /// s ⊙ A of a column s scales the rows of A, and here its columns.
    void expect_columns_alone(const Expr& right, const Names& names) const {
        for_each(right, [&](const Expr& e) {
            if (const Expr* const column = column_beside_matrix(e, to_.proof(), &names))
                fail(column->span,
                     fmt::format("{0} is a column: its entries belong to the rows of the matrix beside it, and would "
                                 "go with its columns; write diag({0}) for a factor, {0} 1^T for a term",
                                 slice(column->span)));
        });
    }

    /// One equation, or several.
    void equality(Statement s) {
        if (section_ == Section::none) return sorted(s);
        const std::vector<Span> parts =
            s.unclosed == Statement::kClosed ? equations_in(source_, s.span, to_.names()) : std::vector<Span>{s.span};
        for (const Span part : parts) {
            const Statement one{part, source_.line(part.begin), s.unclosed};
            to_.attempt([&] { return lost(one, one.span, false); },
                        [&] {
                            expect_closed(one);
                            sorted(one);
                        });
        }
    }
    void sorted(Statement s) {
        const std::string_view text = slice(s.span);
        for (const std::string_view sign : {"+", "*", "/", "@", "×", "⊙", "·", ".*", ")", "]"})
            if (text.starts_with(sign))
                fail(s.span,
                     fmt::format("a line begins with {}: to go on from the line before, end that one with an operator", sign));
        switch (section_) {
            case Section::none: {
                const std::string word(text.substr(0, identifier_length(text)));
                std::string meant = word.empty() ? "" : did_you_mean(word, kKeywords);
                if (meant.empty() && text.find('=') != text.npos)
                    meant = ": what is computed stands below a line forward, what is claimed below a line claim";
                fail(s.span, "expected title, dims, input, const, forward, claim or expect" + meant);
            }
            case Section::forward: assignment(s, s.span, false); return;
            case Section::claim:
                if (!skip_ && defines_helper(s)) return helper(s);
                judged(s);
                return;
            case Section::expect: judged(s); return;
        }
    }

    /// D = ... among the claims, where nothing is called D yet.
    bool defines_helper(Statement s) const {
        const std::string_view text = slice(s.span);
        const std::size_t length = name_length(text);
        const std::string name = plain_name(text.substr(0, length));
        const Names& names = to_.names();
        if (length > identifier_length(text) && names.defined(text.substr(0, identifier_length(text)))) return false;
        if (name.empty() || names.defined(name) || names.is_loss(name) || names.subscripted(name)) return false;
        if ((name[0] == 'd' && names.values.contains(name.substr(1))) || Statements::has_meaning(name)) return false;
        std::size_t at = length + blanks_length(text.substr(length));
        if (text.substr(at).starts_with("[")) {
            at = text.find(']', at);
            if (at == std::string_view::npos) return false;
            at += 1 + blanks_length(text.substr(at + 1));
        }
        return text.substr(at).starts_with("=") && !text.substr(at).starts_with("==");
    }
    void helper(Statement s) {
        const std::string_view text = slice(s.span);
        const std::size_t length = name_length(text);
        const std::string name = plain_name(text.substr(0, length));
        const Span span{s.span.begin, s.span.begin + length};
        to_.expect_free(name, span, false);
        Names names = to_.names();
        const bool by_entries = text.substr(length).starts_with("[");  // u[t] = ... u[t+1] ...
        if (by_entries || length > identifier_length(text) || name == "δ") names.values.insert(name);
        Equality e = parsed(s.span, names);
        const std::optional<std::string> array = entries_defined(name, e);
        if (array) to_.expect_free(*array, span, false);
        to_.define_helper(array.value_or(name), span, e, s);
    }

    /// Of y_ij = ... whose right side has i and j: y, and the left side is its entries; nothing of other names.
    std::optional<std::string> entries_defined(const std::string& name, Equality& e) const {
        const std::size_t bar = name.rfind('_');
        if (bar == 0 || bar == std::string::npos || bar + 1 == name.size() || e.left->kind != Kind::name) return std::nullopt;
        const std::string array = name.substr(0, bar);
        std::vector<ExprPtr> indices;
        for (const char letter : name.substr(bar + 1)) {
            const std::string index(1, letter);
            if (letter < 'a' || letter > 'z' || to_.names().defined(index) || !is_free_in(*e.right, index)) return std::nullopt;
            indices.push_back(proof::name(index));
        }
        Expr left = *entry(proof::name(array), indices);
        left.span = e.left->span;
        left.source = e.left->source;
        e.left = make(std::move(left));
        return array;
    }
    static bool is_free_in(const Expr& e, const std::string& index) {
        if (e.kind == Kind::helper || std::ranges::count(e.bound, index) > 0) return false;
        if (e.kind == Kind::name) return e.name == index;
        return std::ranges::any_of(e.children, [&](const ExprPtr& c) { return is_free_in(*c, index); });
    }

    void assignment(Statement s, Span text, bool is_loss) {
        // The name on the left is not defined yet, and must not be taken for a factor or a call.
        const std::string_view slice_of = slice(text);
        const std::size_t n = name_length(slice_of);
        const std::string name = plain_name(slice_of.substr(0, n));
        if (slice_of.starts_with("Σ") || slice_of.starts_with("∑"))
            fail(text, "Σ begins a sum here: choose another name, as Sigma");
        if (n == 0) fail(text, "expected a name on the left of =");
        const std::size_t after = n + blanks_length(slice_of.substr(n));
        if (after >= slice_of.size() || (slice_of[after] != '=' && slice_of[after] != '['))
            fail({text.begin + after, text.end}, fmt::format("expected = after {}", name));
        to_.expect_free(name, {text.begin, text.begin + n}, true);
        Names names = to_.names();
        to_.add_announced(names);
        // C_t is defined here: no entry of C, and I no identity.
        if (names.subscripted(name) || n > identifier_length(slice_of) || name == "δ" || name == "I") names.values.insert(name);
        Equality e = parsed(text, names, false);
        if (const auto array = entries_defined(name, e)) {
            to_.expect_free(*array, {text.begin, text.begin + n}, true);
            expect_start(*e.right, text);
            return to_.assign(s, *array, e, is_loss);
        }
        to_.assign(s, name, e, is_loss);
    }

    /// A last value called L that is one number is the loss, where none is stated.
    void expect_loss() {
        const std::vector<Assignment>& forward = to_.proof().forward;
        if (forward.empty() || forward.back().name != "L" || !forward.back().indices.empty() || to_.anything_claimed()) return;
        const std::optional<AxisNames> axes = axis_names(*forward.back().value, to_.proof());
        if (axes && axes->empty()) to_.take_last_for_loss();
    }

    void loss(Statement s, Span rest) {
        if (to_.anything_claimed()) fail(s.span, "loss after claims: it belongs to the forward statements");
        to_.attempt([&] { return lost(s, rest, true); },
                    [&] {
                        expect_closed(s);
                        assignment(s, rest, true);
                    });
    }

    void judged(Statement s) {
        const bool expected = section_ == Section::expect;
        if (std::exchange(skip_, false))
            to_.skip(s, expected, std::string(slice(s.span)), std::exchange(why_, ""));
        else
            to_.judge(s, parsed(s.span, to_.names()), expected);
    }

    const Source& source_;
    Statements& to_;
    Section section_ = Section::none;
    std::set<std::string, std::less<>> sequences_;  ///< names whose entries lines define that may use each other
    bool skip_ = false;
    Span skip_span_;
    std::string why_;
};

}  // namespace

std::function<void(const ProofBlock&)> notation_reader(const Source& source, Statements& to) {
    return [reader = std::make_shared<Reader>(source, to)](const ProofBlock& block) { reader->read(block); };
}

}  // namespace gradproof::proof
