// Functions of a program as they stand in its text: which are helpers, and which are the program itself.
#include "gradproof/core/proof/language/numpy/own_functions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/bound_again.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/imports.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Whether a name says that it is the gradient of one of these.
bool is_gradient_of_any(std::string_view name, const std::set<std::string>& values) {
    return !value_named_in(name, [&](std::string_view text) { return values.contains(std::string(text)); }).empty();
}

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
            const bool defines = first_word(code) == "def" && trimmed(source, {s.begin + 3, s.end}).begin == call.begin;
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
