// Functions of a program as they stand in its text: which are helpers, and which are the program itself.
#include "gradproof/core/proof/language/numpy/own_functions.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/aliases.hpp"
#include "gradproof/core/proof/language/numpy/bound_again.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/imports.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kDef = "def ", kLambda = "lambda ";

bool is_name(std::string_view text) { return !text.empty() && identifier_length(text) == text.size(); }
std::string_view first_word(std::string_view text) { return text.substr(0, identifier_length(text)); }

std::vector<OwnFunction::Parameter> parameters_in(const Source& source, Span brackets) {
    std::vector<OwnFunction::Parameter> out;
    for (const Span s : split_at_commas(source, brackets)) {
        const std::size_t equals = std::min(source.slice(s).find('='), s.end - s.begin);
        const Span value = trimmed(source, {std::min(s.begin + equals + 1, s.end), s.end});
        out.push_back({std::string(first_word(source.slice(s))), value});
    }
    return out;
}

/// Whether a name says that it is the gradient of one of these.
bool is_gradient_of_any(std::string_view name, const std::set<std::string>& values) {
    return !value_named_in(name, [&](std::string_view text) { return values.contains(std::string(text)); }).empty();
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
        if (std::ranges::find(kPassedIn, word) != kPassedIn.end() || text[0] == '"' || text[0] == '\'' || text[0] == '#') return;
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

bool is_its_own(const OwnFunction& f, const std::string& name) {
    const bool given = std::ranges::find(f.parameters, name, &OwnFunction::Parameter::name) != f.parameters.end();
    return given ||
           std::ranges::any_of(f.steps, [&](const OwnFunction::Step& s) { return std::ranges::count(s.names, name) > 0; });
}

/// The text without one function: its names, those that it assigns, and the calls of that function.
struct Outside {
    std::set<std::string> names, assigned;
    bool calls = false, calls_by_its_own_names = false;
    bool calls_with_entries = false;  ///< step(x[t], h)
};
Outside outside_of(const OwnFunction& f, const Source& source, const std::vector<Span>& texts) {
    Outside out;
    std::string own_names;
    for (const OwnFunction::Parameter& p : f.parameters) own_names += (own_names.empty() ? "" : ",") + p.name;
    const std::size_t main = source.text().find("\nif __name__ ");
    each_line(source, texts, [&](Span line) {
        if (line.begin >= f.head.begin && line.begin < f.end) return;
        const Span s = code_of(source, trimmed(source, line));
        const std::string_view code = source.slice(s);
        if (s.begin >= s.end || code[0] == '#') return;
        const bool only_shows =
            code.starts_with("print(") || line.begin > main;  // what is computed there is no value of the program
        for (std::string& name : identifiers_in(code)) out.names.insert(std::move(name));
        const auto [at, size] = assignment_in(source, s);
        for (const Span target : split_at_commas(source, {s.begin, size > 0 ? at : s.begin}))
            out.assigned.emplace(source.slice(target));
        for (Span rest = s; rest.begin < rest.end;) {
            const Span call = own_call(source, rest, {f.name});
            if (call.begin >= call.end) break;
            rest.begin = call.end;
            std::string given(source.slice({call.end + 1, closer_of(source, call.end, source.text().size())}));
            std::erase(given, ' ');
            const bool defines = code.starts_with(kDef) && trimmed(source, {s.begin + kDef.size(), s.end}).begin == call.begin;
            out.calls = out.calls || (!defines && !only_shows);
            out.calls_with_entries = out.calls_with_entries || (!defines && given.find('[') != std::string::npos);
            out.calls_by_its_own_names = out.calls_by_its_own_names || (!defines && given == own_names);
        }
    });
    return out;
}

/// The names that its lines assign, also those that cannot be read.
std::set<std::string> assigned_in(const OwnFunction& f, const Source& source) {
    std::set<std::string> out;
    each_line(source, {f.head.end, std::max(f.head.end, f.end)}, [&](Span line) {
        const Span s = code_of(source, trimmed(source, line));
        const auto [at, size] = assignment_in(source, s);
        for (const Span target : split_at_commas(source, {s.begin, size > 0 ? at : s.begin}))
            out.emplace(first_word(source.slice(target)));
    });
    return out;
}

/// Whether its lines are those of the program, which are read where they stand: what it is given is what the comments declare,
/// and other lines speak of the values in it.
bool is_the_program(const OwnFunction& f, const Source& source, const Outside& outside, const std::set<std::string>& declared) {
    // One step of a loop is read where it is called, if it is given what no comment declares.
    const bool is_step =
        outside.calls_with_entries && f.why.empty() && std::ranges::any_of(f.parameters, [&](const OwnFunction::Parameter& p) {
            return p.value.end == p.value.begin && !declared.contains(p.name);
        });
    if (is_step) return false;
    if (f.name.find("forward") != std::string::npos) return true;
    const std::set<std::string> locals = assigned_in(f, source);
    std::set<std::string> values = declared;
    values.insert(outside.assigned.begin(), outside.assigned.end());
    const bool of_gradients =
        f.name.find("backward") != std::string::npos ||
        std::ranges::any_of(locals, [&](const std::string& name) { return is_gradient_of_any(name, values); });
    const bool known = std::ranges::all_of(f.parameters, [&](const OwnFunction::Parameter& p) {
        const bool given = p.value.end > p.value.begin || declared.contains(p.name) || names_upstream(p.name);
        return given || is_gradient_of_any(p.name, values);
    });
    const bool returns_several = !f.steps.empty() && split_at_commas(source, f.steps.back().right).size() > 1;
    if (of_gradients && (!f.why.empty() || returns_several)) return true;
    if (!known || locals.empty()) return false;
    if (of_gradients) return outside.calls_by_its_own_names;
    return std::ranges::any_of(outside.names, [&](const std::string& name) {
        const bool theirs = outside.assigned.contains(name) || declared.contains(name);
        return (locals.contains(name) && !theirs) || is_gradient_of_any(name, locals);
    });
}

/// What the comments of a text declare.
std::set<std::string> declared_in(const Source& source, Span text) {
    std::set<std::string> out;
    each_line(source, text, [&](Span line) {
        for (std::string& name : identifiers_in(source.slice(note_in(source, line)))) out.insert(std::move(name));
    });
    return out;
}

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

}  // namespace

std::vector<OwnFunction::Parameter> parameters_of(const Source& source, Span def) {
    const std::size_t open = source.text().find('(', def.begin);
    if (open >= def.end) return {};
    const std::size_t close = closer_of(source, open, def.end);
    return close < def.end ? parameters_in(source, {open + 1, close}) : std::vector<OwnFunction::Parameter>{};
}

namespace {

/// A name in a default of the function, k of def f(x, k=k), that a line behind it assigns; "" where there is none.
std::string changed_default(const OwnFunction& f, const Source& source, const std::vector<Span>& texts) {
    std::set<std::string> defaults;
    for (const OwnFunction::Parameter& p : f.parameters)
        for (std::string& name : identifiers_in(source.slice(p.value))) defaults.insert(std::move(name));
    std::string out;
    each_line(source, texts, [&](Span line) {
        if (line.begin < f.end) return;
        const Span s = code_of(source, trimmed(source, line));
        const auto [at, size] = assignment_in(source, s);
        if (size == 0 || !out.empty()) return;
        for (const std::string& name : identifiers_in(source.slice({s.begin, at})))
            if (defaults.contains(name)) out = name;
    });
    return out;
}

/// The line that gives the name of the function to something else, or may do so behind it; 0 where none does.
int line_that_binds(const OwnFunction& f, const Source& source, const std::vector<Span>& texts) {
    int out = 0;
    each_line(source, texts, [&](Span line) {
        if (out > 0 || (line.begin >= f.head.begin && line.begin < f.end)) return;
        const std::string_view code = source.slice(code_of(source, trimmed(source, line)));
        if (code.starts_with("#")) return;
        if (binds(code, f.name) || (line.begin >= f.end && binds_unseen(code))) out = source.line(line.begin);
    });
    return out;
}

/// Whether a branch defines it anew: if fast: def f(x): ...
bool is_defined_in_a_branch(const Source& source, const std::vector<Span>& texts, const std::string& name) {
    const std::string begins = fmt::format("def {}(", name);
    std::string_view block;  // what the last line begins with that is indented less
    bool out = false;
    each_line(source, texts, [&](Span line) {
        const Span s = trimmed(source, line);
        const std::string_view code = source.slice(s);
        if (code.empty() || code[0] == '#') return;
        const std::size_t indent = indent_of(source, s.begin);
        const bool in_block = indent > 0 && (block.starts_with("if ") || block.starts_with("el") || block.starts_with("try") ||
                                             block.starts_with("except"));
        out = out || (in_block && code.starts_with(begins));
        if (indent == 0) block = code;
    });
    return out;
}

}  // namespace

OwnFunctions::OwnFunctions(const Source& source, Span text) {
    std::vector<OwnFunction> all;
    std::vector<Span> texts;
    for (const Span cell : source.unmarked_cells())
        if (cell.end <= text.begin) texts.push_back(cell);
    texts.push_back(text);
    for (const Span one : texts) try {
            for (OwnFunction& f : defined_in(source, one)) all.push_back(std::move(f));
        } catch (const ProofError&) {  // told where the text is read
        }
    const std::set<std::string> declared = declared_in(source, text);
    for (const OwnFunction& f : all) {
        const Outside outside = outside_of(f, source, texts);
        const bool once = std::ranges::count_if(all, [&](const OwnFunction& other) { return other.name == f.name; }) == 1 &&
                          !is_defined_in_a_branch(source, texts, f.name);
        if (!outside.calls || is_the_program(f, source, outside, declared)) continue;
        all_.push_back(f);
        const std::string_view before = source.text().substr(0, f.head.begin);
        const std::size_t line = before.rfind('\n', before.size() < 2 ? 0 : before.size() - 2) + 1;
        const std::string_view above = before.substr(std::min(line, before.size()));
        const bool same = above.find("jit") != above.npos || above.find("custom_vjp") != above.npos;
        if (!once) all_.back().why = fmt::format("{} is defined twice", f.name);
        if (once && outside.assigned.contains(f.name)) all_.back().why = fmt::format("{} is assigned, too", f.name);
        if (const int other = all_.back().why.empty() ? line_that_binds(f, source, texts) : 0; other > 0)
            all_.back().why = fmt::format("line {} may give the name {} to something else", other, f.name);
        if (const std::string changed = changed_default(f, source, texts); !changed.empty())
            all_.back().why =
                fmt::format("its default {0} is what {0} is where the function stands, and a line below assigns it", changed);
        if (above.starts_with("@") && !same) all_.back().why = "what stands above it with @ may change what it computes";
    }
}

const OwnFunction* OwnFunctions::find(std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &OwnFunction::name);
    return found == all_.end() ? nullptr : &*found;
}
const OwnFunction* OwnFunctions::at(std::size_t begin) const {
    const auto found = std::ranges::find_if(all_, [&](const OwnFunction& f) { return f.head.begin == begin; });
    return found == all_.end() ? nullptr : &*found;
}

std::vector<Span> OwnFunctions::heads() const {
    std::vector<Span> out;
    for (const OwnFunction& f : all_) out.push_back(f.head);
    return out;
}

std::set<std::string> OwnFunctions::used_in(const Source& source, Span line) const {
    std::set<std::string> out;
    std::vector<const OwnFunction*> called;
    const auto add = [&](Span s) {
        for (const std::string& name : identifiers_in(source.slice(s)))
            if (const OwnFunction* f = find(name); f && std::ranges::find(called, f) == called.end()) called.push_back(f);
    };
    add(line);
    for (std::size_t i = 0; i < called.size(); ++i) {
        const Span all{called[i]->head.begin, called[i]->end};
        for (std::string& name : identifiers_in(source.slice(all)))
            if (!is_its_own(*called[i], name)) out.insert(std::move(name));
        add(all);
    }
    return out;
}

}  // namespace gradproof::proof::numpy
