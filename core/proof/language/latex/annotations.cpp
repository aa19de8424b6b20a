// Annotations in LaTeX comments.
#include "gradproof/core/proof/language/latex/annotations.hpp"

#include <array>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::array<std::string_view, 17> kKnown{"indices", "function", "dims",       "input",  "const",   "loss",
                                                  "title",   "forward",  "claim",      "expect", "ignore",  "skip",
                                                  "off",     "on",       "convention", "layout", "einstein"};

/// The statements of one comment.
class Annotation {
  public:
    Annotation(Reading& reading, Statements& to, Mode& mode) : reading_(reading), to_(to), mode_(mode) {}

    void read(const Token& note) {
        Lexer lexer(reading_.source, note.span, true);
        Tokens statement;
        int depth = 0;
        for (Token t = lexer.next();; t = lexer.next()) {
            depth += t.is_symbol("[") || t.is_symbol("(") || t.kind == opening   ? 1
                     : t.is_symbol("]") || t.is_symbol(")") || t.kind == closing ? -1
                                                                                 : 0;
            if (t.kind != none && !(t.is_symbol(";") && depth <= 0)) {
                statement.push_back(t);
                continue;
            }
            if (!statement.empty()) one(std::exchange(statement, {}));
            if (t.kind == none) return;
        }
    }

  private:
    void one(const Tokens& all) {
        const Token& first = all[0];
        const std::string_view is = first.text;
        const Tokens rest(all.begin() + 1, all.end());
        if (is == "dims") return dims(rest);
        if (is == "input" || is == "const") return declarations(rest, is == "input");
        if (is == "function") return functions(rest);
        if (is == "title" || is == "skip") return quoted(first, all.back());
        if (is == "loss" && !rest.empty()) return loss(rest);
        if (is == "indices") return indices(first, rest);
        if (Statements::is_convention(is))
            return to_.convention(is, rest.empty() ? "" : reading_.source.slice({rest[0].span.begin, rest.back().span.end}),
                                  first.span);
        if (is == "forward" || is == "claim" || is == "expect")
            mode_.section = is == "forward" ? Section::forward : is == "claim" ? Section::claim : Section::expect;
        else if (is == "off" || is == "on")
            mode_.passing = is == "off";
        else if (is == "ignore")
            mode_.skip_next = true;
        else
            fail(
                reading_.source, first,
                fmt::format(
                    "expected dims, function, input, const, loss, title, forward, claim, expect, ignore, skip, off, on, indices, "
                    "convention, layout or einstein{}",
                    did_you_mean(std::string(is.substr(0, 40)), kKnown)));
        if (!rest.empty()) fail(reading_.source, rest[0], fmt::format("expected ; or the end of the line behind {}", is));
    }

    void quoted(const Token& word, const Token& last) {
        const std::string text = parse_quoted(
            reading_.source,
            {word.span.end + reading_.source.slice({word.span.end, last.span.end}).find_first_not_of(' '), last.span.end});
        if (word.text == "title") return to_.title(text);
        mode_.skip_next = true;
        mode_.why = text;
    }

    void indices(const Token& first, const Tokens& rest) {
        const bool from = rest.size() == 2 && rest[0].text == "from" && (rest[1].text == "0" || rest[1].text == "1");
        if (!from) fail(reading_.source, first, "expected  indices from 0  or  indices from 1");
        reading_.spelling->first = rest[1].text == "0" ? 0 : 1;
    }

    void loss(const Tokens& rest) {
        Parser p(reading_, rest, true);
        const NameParts name = p.take_name("the name of the loss");
        mode_.losses.insert(name.key(name.has_above, name.has_below, name.primed));
        if (!p.done()) p.fail(p.peek(), "expected the end of the line behind the name of the loss");
    }

    Declaration named(Parser& p) {
        const NameParts name = p.take_name("a name");
        const std::string key = name.key(name.has_above, name.has_below, name.primed);
        if (key.empty()) p.fail(p.tokens()[name.begin], "a name has letters and digits above and below it: W^Q, h_{t-1}");
        Declaration d;
        d.span = {p.tokens()[name.begin].span.begin, p.tokens()[name.end - 1].span.end};
        d.name = reading_.define(key, p.tokens(), name.begin, name.end);
        return d;
    }

    void functions(const Tokens& rest) {
        Parser p(reading_, rest, true);
        if (p.done()) p.fail(p.peek(), "expected names of functions: function f \\phi");
        while (!p.done()) {
            const Declaration d = named(p);
            to_.function(d.name, d.span);
            p.take_symbol(",");
        }
    }

    void dims(const Tokens& rest) {
        Parser p(reading_, rest, true);
        if (p.done()) p.fail(p.peek(), "expected the name of a size: dims n m d_k");
        while (!p.done()) {
            Declaration d = named(p);
            if (p.take_symbol("=")) d.value = p.operand();
            p.take_symbol(",");
            to_.dims({d});
        }
    }

    void declarations(const Tokens& rest, bool input) {
        Parser p(reading_, rest, true);
        std::vector<Declaration> waiting;  // for the shape of the next one
        do {
            Declaration d = named(p);
            if (p.peek().is_symbol("[")) shape(p, d);
            if (p.take_symbol("=")) d.value = p.expression();
            if (p.take_symbol("~") || p.peek().is_command("\\sim")) distribution(p, d);
            waiting.push_back(std::move(d));
            if (!waiting.back().has_shape && !waiting.back().value && p.peek().is_symbol(",")) continue;
            for (std::size_t i = waiting.size(); i-- > 1;) waiting[i - 1].take_shape_of(waiting[i]);
            for (Declaration& w : waiting) to_.declare(std::move(w), input);
            waiting.clear();
        } while (p.take_symbol(","));
        if (!p.done()) p.fail(p.peek(), "expected a comma and a further name, or ; or the end of the line");
    }

    static void shape(Parser& p, Declaration& d) {
        p.take();
        d.has_shape = true;
        while (!p.peek().is_symbol("]")) {
            d.shape.push_back(p.expression());
            if (!p.take_symbol(",")) break;
        }
        if (!p.take_symbol("]")) p.fail(p.peek(), "expected ] or a comma");
    }
    static void distribution(Parser& p, Declaration& d) {
        if (p.peek().is_command("\\sim")) p.take();
        d.distribution = p.take_name(
                              "a distribution: normal, uniform(a, b), positive, onehot, distribution, index(n), symmetric, "
                              "definite, binary, signs")
                             .base;
        if (!p.take_symbol("(")) return;
        while (!p.peek().is_symbol(")")) {
            d.parameters.push_back(p.expression());
            if (!p.take_symbol(",")) break;
        }
        if (!p.take_symbol(")")) p.fail(p.peek(), "expected ) or a comma");
    }

    Reading& reading_;
    Statements& to_;
    Mode& mode_;
};

}  // namespace

void annotate(const Token& note, Reading& reading, Statements& to, Mode& mode) { Annotation(reading, to, mode).read(note); }

}  // namespace gradproof::proof::latex
