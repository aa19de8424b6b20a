// Calls of functions that the text defines.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

/// The meaning that the text gives to a function; nullptr of others.
const FunctionMeaning* Parser::meaning_of(std::string_view function) const {
    const auto found = reading_.meanings.find(function);
    return found == reading_.meanings.end() ? nullptr : &found->second;
}

/// Whether a formula of one number goes for arrays entry by entry.
bool Parser::is_of_numbers(const Expr& e, const std::string& parameter) const {
    const auto all = [&] {
        return std::ranges::all_of(e.children, [&](const ExprPtr& c) { return is_of_numbers(*c, parameter); });
    };
    switch (e.kind) {
        case Kind::number: return true;
        case Kind::name: {
            if (e.name == parameter || reading_.names.dims.contains(e.name) || e.name == "e" || e.name == "π") return true;
            const std::optional<AxisNames> axes = names_of_axes(e.name);
            return axes && axes->empty();
        }
        case Kind::sum:
        case Kind::product:
        case Kind::negate:
        case Kind::power: return all();
        case Kind::call: {
            const bool of_several = e.children.size() > 1 && (e.name == "max" || e.name == "min");
            return e.options.empty() && (acts_on_entries(e.name) || e.name == "where" || of_several) && all();
        }
        default: return false;
    }
}

/// Products of entries in the place of those of matrices.
ExprPtr Parser::by_entries(const ExprPtr& e) {
    return rewritten(e, [](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::product || part.joints.find('@', 1) == std::string::npos) return nullptr;
        Expr out = part;
        std::replace(out.joints.begin() + 1, out.joints.end(), '@', '*');
        for (ExprPtr& c : out.children) c = by_entries(c);
        out.source.clear();
        return make(std::move(out));
    });
}

/// The formula of a function, of its parameter.
ExprPtr Parser::body_of(const FunctionMeaning& m) const {
    Reading inside = reading_;
    const NameParts p = parts_of(reading_.source, m.parameter, 0);
    inside.parameter = p.key(false, p.has_below, false);
    inside.meanings.erase(m.function);
    const std::string parameter = inside.id_of(inside.parameter);
    Parser parser(inside, m.body);
    parser.parts_ = parts_;
    parser.depth_ = depth_;
    const Level level(*this, peek());
    const ExprPtr body = parser.whole();
    if (any_part(*body,
                 [](const Expr& part) { return part.kind == Kind::call && (part.name == kOnes || part.name == kIdentity); }))
        throw ProofError(reading_.source, body->span.begin, "a size is missing there: write \\mathbf{1}_n, I_n");
    return is_of_numbers(*body, parameter) ? by_entries(body) : body;
}

/// f(x), f'(x) and f^2(x), where the text says what f is.
ExprPtr Parser::defined_call(const FunctionMeaning& m, std::size_t begin, std::size_t scripts) {
    if (!m.refused.empty()) fail(tokens_[begin], m.refused);
    if (!m.same_as.empty()) return call_of_known(m.same_as, begin, scripts);
    if (m.by_columns) return call_by_columns(m, begin, scripts);
    if (!m.index.empty()) return entry_of_call(m, begin, scripts);
    at_ = scripts;
    if (!m.below.empty() && peek().is_symbol("_")) script();
    std::optional<Tokens> above;
    if (peek().is_symbol("^")) above = script();
    const bool primed = take_symbol("'");
    std::vector<Option> options;
    std::vector<ExprPtr> of;
    if (peek().is_symbol("(") || peek().is_symbol("["))
        of = arguments(options);
    else
        of = {bare_argument(shown(begin, scripts))};
    if (of.size() != 1 || !options.empty())
        fail(tokens_[begin], fmt::format("{} is a function of one argument, as the text defines it", shown(begin, scripts)));
    const ExprPtr out = value_of(m, of[0], primed, begin);
    return above ? raised(out, *above, begin) : out;
}

/// The formula with what it is taken of in the place of its parameter.
ExprPtr Parser::value_of(const FunctionMeaning& m, const ExprPtr& of, bool primed, std::size_t begin) {
    ExprPtr body;
    try {
        body = body_of(m);
    } catch (const ProofError& e) {
        fail(tokens_[begin], fmt::format("the text says that {}, which is not read: {}", printable(m.text, 80), e.message()));
    }
    const NameParts p = parts_of(reading_.source, m.parameter, 0);
    const std::string parameter = reading_.id_of(p.key(false, p.has_below, false));
    if (primed) {
        body = is_of_numbers(*body, parameter) ? slope(*body, parameter, [](const Expr&) { return true; }) : nullptr;
        if (!body) fail(tokens_[begin], fmt::format("of {} no derivative is known entry by entry", printable(m.text, 80)));
    }
    for_each(*body, [&](const Expr& part) {
        for (const std::string& index : part.bound)
            if (mentions(*of, index))
                fail(tokens_[begin], fmt::format("the index {} stands in {} and in what it is taken of: give one of them another "
                                                 "letter",
                                                 index, printable(m.text, 80)));
    });
    return finish(begin, with_name_as(body, parameter, of));
}

/// Of softmax(z)_i = ... the entry softmax(W x)_k.
ExprPtr Parser::entry_of_call(const FunctionMeaning& m, std::size_t begin, std::size_t scripts) {
    const std::size_t end = scripts < end_ && tokens_[scripts].is_symbol("(") ? end_of_brackets(tokens_, scripts) : end_;
    if (end + 1 >= end_ || !tokens_[end].is_symbol("_"))
        fail(tokens_[begin],
             fmt::format("the text says by its entries what it is, {}: write an entry here too, or give it a line "
                         "of its own",
                         printable(m.text, 80)));
    const Tokens of = part_of(tokens_, scripts + 1, end - 1);
    at_ = end;
    const Tokens index = script();
    if (index.size() != 1) fail(tokens_[end], fmt::format("expected one index behind {}", shown(begin, end)));
    const ExprPtr out = inner(with_arguments(reading_, m, of, index[0]));
    return finish(begin, out);
}

/// softmax(S) of each column of S.
ExprPtr Parser::call_by_columns(const FunctionMeaning& m, std::size_t begin, std::size_t scripts) {
    const ExprPtr out = call_of_known(m.function, begin, scripts);
    if (out->kind != Kind::call || out->children.size() != 1 || !out->options.empty() || !names_of_axes(*out->children[0]))
        fail(tokens_[begin],
             fmt::format("the text speaks of {}: what has columns here is not known; give it a name", printable(m.text, 80)));
    const std::size_t count = names_of_axes(*out->children[0])->size();
    if (count == 1) return out;
    if (count != 2) fail(tokens_[begin], fmt::format("{} is read of matrices", printable(m.text, 80)));
    Expr with_axis = *out;
    with_axis.options = {{"axis", proof::number(0), out->span}};
    return finish(begin, std::move(with_axis));
}

std::string_view free_index(const Reading& reading, const std::function<bool(std::string_view)>& may_be) {
    static constexpr std::string_view kLetters = "klmnpqrstuvabc";
    for (std::size_t i = 0; i < kLetters.size(); ++i) {
        const std::string_view letter = kLetters.substr(i, 1);
        if (!reading.names.defined(letter) && !reading.coming.contains(letter) && may_be(letter)) return letter;
    }
    return "";
}

namespace {

bool is_letter(const Token& t, std::string_view text) { return t.kind == letter && t.text == text; }
bool has_letter(const Tokens& all, std::string_view text) {
    return std::ranges::any_of(all, [&](const Token& t) { return is_letter(t, text); });
}

/// The formula with other letters for the indices that it sums over, where these stand in what it is taken of.
Tokens with_own_indices(const Reading& reading, const FunctionMeaning& m, const Tokens& of, const Token& index) {
    Tokens body = m.body;
    for (std::size_t i = 0; i + 2 < m.body.size(); ++i) {
        if (!m.body[i].is_command("\\sum") || !m.body[i + 1].is_symbol("_")) continue;
        for (const Token& bound : inside_group(reading.source, m.body, i + 2)) {
            if (bound.kind != letter || !(has_letter(of, bound.text) || bound.text == index.text)) continue;
            const std::string_view other = free_index(reading, [&](std::string_view one) {
                return one != index.text && !has_letter(body, one) && !has_letter(of, one);
            });
            if (other.empty()) fail(reading.source, index, "no letter is left for the index that the function sums over");
            for (Token& t : body)
                if (is_letter(t, bound.text)) t.text = other;
        }
    }
    return body;
}

}  // namespace

Tokens with_arguments(const Reading& reading, const FunctionMeaning& m, const Tokens& of, const Token& index) {
    const auto same = [](const Token& a, const Token& b) { return a.text == b.text; };
    const Tokens body = with_own_indices(reading, m, of, index);
    Tokens out;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const Token& t = body[i];
        const bool fits = body.size() - i >= m.parameter.size();
        if (fits && std::equal(m.parameter.begin(), m.parameter.end(), body.begin() + static_cast<std::ptrdiff_t>(i), same)) {
            const bool brackets = of.size() > 1;
            if (brackets) out.push_back({symbol, "(", index.span, false});
            out.insert(out.end(), of.begin(), of.end());
            if (brackets) out.push_back({symbol, ")", index.span, false});
            i += m.parameter.size() - 1;
        } else {
            out.push_back(is_letter(t, m.index[0].text) ? index : t);
        }
    }
    return out;
}

}  // namespace gradproof::proof::latex
