// The defs and lambdas of a text, as they stand there.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/aliases.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/own_functions.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kDef = "def ", kLambda = "lambda ";

bool is_name(std::string_view text) { return !text.empty() && identifier_length(text) == text.size(); }

std::vector<OwnFunction::Parameter> parameters_in(const Source& source, Span brackets) {
    std::vector<OwnFunction::Parameter> out;
    for (const Span s : split_at_commas(source, brackets)) {
        const std::size_t equals = std::min(source.slice(s).find('='), s.end - s.begin);
        const Span value = trimmed(source, {std::min(s.begin + equals + 1, s.end), s.end});
        out.push_back({std::string(first_word(source.slice(s))), value});
    }
    return out;
}

/// Reads the lines of one function.
class Definition {
  public:
    explicit Definition(const Source& source) : source_(source) {}

    /// def f(x, eps=1e-5): ...
    OwnFunction def(Span s, std::size_t end, std::size_t last) {
        out_.head = s;
        out_.end = end_of_body(source_, s, end, last, true);
        const Span name = trimmed(source_, {s.begin + kDef.size(), s.end});
        out_.name = first_word(source_.slice(name));
        const std::size_t open = name.begin + out_.name.size(), close = closer_of(source_, open, s.end);
        const std::size_t colon = source_.text().find(':', close);
        if (out_.name.empty() || colon >= s.end) return {};
        take_parameters({open + 1, close});
        lines({colon + 1, out_.end});
        return finished();
    }
    /// f = lambda x: ...
    OwnFunction lambda(Span s, Span left, Span right) {
        out_.head = s;
        out_.end = s.end;
        out_.name = source_.slice(left);
        const std::size_t colon = source_.text().find(':', right.begin);
        if (colon >= s.end) return {};
        take_parameters({right.begin + kLambda.size(), colon});
        out_.steps.push_back({{}, '=', {colon + 1, s.end}});
        return finished();
    }

  private:
    void refuse(Span at, const std::string& why) {
        if (!out_.why.empty()) return;
        out_.why = why;
        out_.unread = at;
    }
    OwnFunction finished() {
        const bool returns = !out_.steps.empty() && out_.steps.back().names.empty();
        if (!returns) refuse(out_.head, fmt::format("{} returns nothing", out_.name));
        return std::move(out_);
    }
    void take_parameters(Span all) {
        out_.parameters = parameters_in(source_, all);
        if (std::ranges::any_of(out_.parameters, [](const OwnFunction::Parameter& p) { return p.name.empty(); }))
            refuse(all, "* and / among the arguments are not read");
        for (const OwnFunction::Parameter& p : out_.parameters)
            if (p.value.begin >= p.value.end) given_.insert(p.name);
    }
    void lines(Span body) {
        for (std::size_t i = body.begin; i < body.end;) {
            const std::size_t end = end_of_statement(source_, i, body.end);
            const Span s = trimmed(source_, {i, end});
            if (s.begin < s.end && note_in(source_, s).end > 0) refuse(s, "comments for gradproof are not read in it");
            if (const Span code = code_of(source_, s); code.begin < code.end) line(code);
            i = end + 1;
        }
    }
    void line(Span s) {
        constexpr std::array<std::string_view, 3> kPassedIn{"pass", "assert", "print"};
        const std::string_view text = source_.slice(s), word = first_word(text);
        if (text[0] == '"' || text[0] == '\'' || text[0] == '#') return;
        if (std::ranges::find(kPassedIn, word) != kPassedIn.end()) {
            if (writes_in_place(text) || has_any(text, {":=", ".append(", ".pop(", ".put(", ".resize("}))
                refuse(s, "what it changes is not read");
            return;
        }
        if (!out_.steps.empty() && out_.steps.back().names.empty()) return refuse(s, "a line stands behind its return");
        if (word == "return") return returned({s.begin + word.size(), s.end});
        const auto [at, size] = assignment_in(source_, s);
        OwnFunction::Step step{{}, size > 0 ? source_.text()[at] : '=', {at + size, s.end}};
        const std::string_view left = source_.slice({s.begin, at});
        if (const std::size_t colon = left.find(':'); size == 1 && colon != std::string_view::npos) {
            step.names.emplace_back(source_.slice(trimmed(source_, {s.begin, s.begin + colon})));  // e: Tensor = ...
        } else {
            for (const Span name : split_at_commas(source_, {s.begin, at})) step.names.emplace_back(source_.slice(name));
        }
        for (const std::string& name : step.names)  // z[0] = 0
            out_.changes_given = out_.changes_given || (!is_name(name) && given_.contains(std::string(first_word(name))));
        if (size == 0 || step.names.empty() || !std::ranges::all_of(step.names, is_name))
            return refuse(s, "of a function that is called, assignments to names are read and one return at its end");
        if (size == 2 && given_.contains(step.names[0])) out_.changes_given = true;  // told where it is called
        expect_unchanged(step.right);
        note_given(step);
        note_array(step);
        out_.steps.push_back(std::move(step));
    }
    void expect_unchanged(Span right) {
        for (const std::string& used : identifiers_in(source_.slice(right)))
            if (changed_.contains(used))
                refuse(right, fmt::format("{} is changed above under another name: copy it there", used));
    }
    /// Which names are one array, t = a[:], and which of them another one has changed, t *= 2.
    void note_array(const OwnFunction::Step& step) {
        if (step.op != '=')
            for (const std::string& other : aliases_.others_of(step.names[0])) changed_.insert(other);
        if (step.op != '=') return;
        const std::vector<std::string> shared = arrays_shared_by(source_.slice(trimmed(source_, step.right)));
        for (const std::string& name : step.names) {
            changed_.erase(name);
            aliases_.assigned(name, *number(0));
            for (const std::string& other : shared)
                if (step.names.size() == 1 && other != name) aliases_.may_be_same(name, other);
        }
    }
    /// Whether a name is still an array that the function is given, by itself or as a part of it.
    void note_given(const OwnFunction::Step& step) {
        const Span right = trimmed(source_, step.right);
        const std::string_view text = source_.slice(right), of = first_word(text);
        const bool whole = of.size() == text.size() || text.substr(of.size(), 1) == "." || text.substr(of.size(), 1) == "[";
        const bool calculates = text.find_first_of("+-*/@%<>=&|") != std::string_view::npos;
        const bool copies = text.find("copy(") != std::string_view::npos || text.find("clone(") != std::string_view::npos;
        const bool same = whole && !calculates && !copies && given_.contains(std::string(of));
        for (const std::string& name : step.names)
            if (step.op == '=' && same)
                given_.insert(name);
            else if (step.op == '=')
                given_.erase(name);
    }
    void returned(Span right) {
        if (split_at_commas(source_, right).empty()) return refuse(right, fmt::format("{} returns nothing", out_.name));
        expect_unchanged(right);
        out_.steps.push_back({{}, '=', right});
    }

    const Source& source_;
    OwnFunction out_;
    std::set<std::string> given_;  ///< names that arrays from outside have
    Aliases aliases_;
    std::set<std::string> changed_;  ///< names of arrays that were changed under others
};

}  // namespace

std::vector<OwnFunction> defined_in(const Source& source, Span text) {
    std::vector<OwnFunction> out;
    for (std::size_t i = text.begin; i < text.end;) {
        std::size_t end = end_of_statement(source, i, text.end);
        const Span s = trimmed(source, {i, end});
        const std::string_view code = source.slice(s);
        OwnFunction f;
        if (s.begin < s.end && code[0] != '#' && indent_of(source, s.begin) == 0) {
            const auto [at, size] = assignment_in(source, s);
            const Span left = trimmed(source, {s.begin, at}), right = trimmed(source, {at + size, s.end});
            if (code.starts_with(kDef))
                f = Definition(source).def(s, end, text.end);
            else if (size == 1 && is_name(source.slice(left)) && source.slice(right).starts_with(kLambda))
                f = Definition(source).lambda(s, left, right);
        }
        if (!f.name.empty()) {
            end = std::max(end, f.end);
            out.push_back(std::move(f));
        }
        i = end + 1;
    }
    return out;
}

std::vector<OwnFunction::Parameter> parameters_of(const Source& source, Span def) {
    const std::size_t open = source.text().find('(', def.begin);
    if (open >= def.end) return {};
    const std::size_t close = closer_of(source, open, def.end);
    return close < def.end ? parameters_in(source, {open + 1, close}) : std::vector<OwnFunction::Parameter>{};
}

}  // namespace gradproof::proof::numpy
