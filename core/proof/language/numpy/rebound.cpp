// Functions and modules that a program gives another meaning.
#include "gradproof/core/proof/language/numpy/rebound.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/imports.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/own_functions.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr auto kModules = std::to_array<std::string_view>(
    {"np", "numpy", "jnp", "jax", "torch", "nn", "functional", "F", "math", "scipy", "special", "linalg", "lax", "tf"});
/// Of Python itself, beside the functions that mathematics has too.
constexpr auto kOfPython = std::to_array<std::string_view>({"len", "float", "int", "range", "zip", "enumerate", "reversed", "pow",
                                                            "round", "list", "tuple", "sum", "min", "max", "abs"});

template <class All>
bool holds(const All& all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

/// Whether a module, as it is written behind import, has the functions that are read under that name.
bool fits(std::string_view name, std::string_view module) {
    if (module == name) return true;
    if (name == "np" || name == "numpy" || name == "jnp")
        return module == "np" || module == "numpy" || module == "jnp" || module == "cupy" || module == "jax.numpy" ||
               module == "autograd.numpy" || module == "tensorflow.experimental.numpy";
    if (name == "F" || name == "functional") return module == "torch.nn.functional" || module == "nn.functional";
    if (name == "tf") return module == "tensorflow" || module.starts_with("tensorflow.compat.");
    constexpr std::array<std::string_view, 7> kRoots{"numpy", "np", "torch", "jax", "jnp", "scipy", "tensorflow"};
    constexpr std::array<std::string_view, 4> kParts{"nn", "special", "linalg", "lax"};
    const std::string_view root = module.substr(0, module.find('.')), last = module.substr(module.rfind('.') + 1);
    return holds(kParts, name) && last == name && (holds(kRoots, root) || root == "tf" || root == "flax" || root == "cupy");
}

/// How far a name with dots goes: np.linalg.norm.
std::size_t dotted_length(std::string_view text) {
    std::size_t size = identifier_length(text);
    while (size > 0 && size + 1 < text.size() && text[size] == '.') {
        const std::size_t next = identifier_length(text.substr(size + 1));
        if (next == 0) break;
        size += 1 + next;
    }
    return size;
}

/// np.exp has the part exp; np itself is no part.
bool has_part(std::string_view dotted, std::string_view part) {
    for (std::size_t dot = dotted.find('.'); dot != std::string_view::npos; dot = dotted.find('.', dot + 1)) {
        const std::string_view rest = dotted.substr(dot + 1);
        if (rest.substr(0, rest.find('.')) == part) return true;
    }
    return false;
}

}  // namespace

bool is_word_of_python(std::string_view name) { return holds(kOfPython, name) || Statements::has_meaning(name); }
bool is_module(std::string_view word) { return holds(kModules, word); }

Rebound::Rebound(const Source& source, Span text) {
    const std::vector<Span> statements = statements_or_lines(source, text);
    for (std::size_t i = 0; i < statements.size(); ++i) {
        const Span def = statements[i];
        if (!source.slice(def).starts_with("def ")) continue;
        std::size_t last = i;
        while (last + 1 < statements.size() && indent_of(source, statements[last + 1].begin) > indent_of(source, def.begin))
            ++last;
        functions_.push_back({def.begin, statements[last].end});
    }
    for (const Span s : statements) {
        here_ = {};
        here_.begin = s.begin;
        here_.line = source.line(s.begin);
        here_.holds = text;
        for (const Span f : functions_)
            if (f.begin <= s.begin && s.begin < f.end) here_.holds = f;
        take(source, s);
    }
}

void Rebound::add(Of of, std::string_view owner, std::string_view name, bool restores) {
    Change c = here_;
    c.of = of;
    c.owner = owner;
    c.name = name;
    c.restores = restores;
    if (of == Of::function || of == Of::method) c.holds = {0, std::string::npos};  // wherever it is done
    all_.push_back(std::move(c));
}

/// A name for a module, or for what is none.
void Rebound::bound(std::string_view name, std::string_view module) {
    if (is_module(name))
        add(Of::module, name, "", fits(name, module));
    else if (is_word_of_python(name))
        add(Of::word, "", name);
}

void Rebound::take(const Source& source, Span s) {
    const std::string_view text = source.slice(s), word = text.substr(0, identifier_length(text));
    if (word == "import" || word == "from") return imports(source, s);
    if (word == "def" || word == "class") {
        const Span name = trimmed(source, {s.begin + word.size(), s.end});
        const std::string_view called = source.slice(name).substr(0, identifier_length(source.slice(name)));
        if (is_module(called)) add(Of::module, called, "");
        constexpr std::array<std::string_view, 4> kOfLoops{"range", "zip", "enumerate", "reversed"};
        if (holds(kOfLoops, called)) add(Of::word, "", called);
        if (word == "def")
            for (const OwnFunction::Parameter& p : parameters_of(source, s))
                if (is_module(p.name)) add(Of::module, p.name, "");
    }
    for (const std::string_view before : {" as ", "for "})
        if (word == "with" || word == "for" || word == "except")
            if (const std::size_t at = text.find(before); at != std::string_view::npos) {
                const std::string_view name = text.substr(at + before.size());
                bound(name.substr(0, identifier_length(name)), "");
            }
    if (const std::size_t walrus = text.find(":="); walrus != std::string_view::npos)
        for (const std::string& name : identifiers_in(text.substr(0, walrus)))
            if (source.slice({s.begin, s.begin + walrus}).ends_with(name) || text.substr(0, walrus).ends_with(name + " "))
                bound(name, "");
    constexpr std::string_view kSet = "setattr(";
    if (text.starts_with(kSet)) {
        const std::vector<Span> given = split_at_commas(source, {s.begin + kSet.size(), s.end});
        const std::string_view owner = given.empty() ? std::string_view() : source.slice(given[0]);
        const std::vector<std::string> name =
            given.size() > 1 ? identifiers_in(source.slice(given[1])) : std::vector<std::string>();
        const std::string_view module = owner.substr(0, identifier_length(owner));
        const bool said = name.size() == 1 && (source.slice(given[1])[0] == '"' || source.slice(given[1])[0] == '\'');
        if (is_module(module)) add(said ? Of::function : Of::module, module, said ? name[0] : "");
        return;
    }
    Span rest = s;  // of "if gpu: np = cupy" what stands behind the colon
    const bool has_header = word == "if" || word == "else" || word == "elif" || word == "try" || word == "with" || word == "for";
    if (const std::size_t colon = text.find(": "); has_header && colon != std::string_view::npos) rest.begin += colon + 2;
    assigns(source, trimmed(source, rest));
}

/// import math as np; from mine import np, f as exp.
void Rebound::imports(const Source& source, Span s) {
    const std::string_view text = source.slice(s);
    std::string module;
    std::size_t names = std::string_view("import ").size();
    if (text.starts_with("from ")) {
        const std::size_t import = text.find(" import ");
        if (import == std::string_view::npos) return;
        module = std::string(source.slice(trimmed(source, {s.begin + 5, s.begin + import}))) + ".";
        names = import + std::string_view(" import ").size();
    }
    Span all = trimmed(source, {s.begin + std::min(names, text.size()), s.end});
    if (source.slice(all).starts_with("(") && source.slice(all).ends_with(")")) all = {all.begin + 1, all.end - 1};
    for (const Span part : split_at_commas(source, all)) {
        const std::string_view one = source.slice(part), name = one.substr(0, dotted_length(one));
        const std::size_t as = one.find(" as ");
        if (as != std::string_view::npos) {
            const std::string_view alias = source.slice(trimmed(source, {part.begin + as + 4, part.end}));
            if (is_module(alias) || module.empty()) bound(alias, module + std::string(name));
        } else if (module.empty()) {  // import torch.nn: the name is torch; import nn is a module of one's own
            const std::string_view first = name.substr(0, name.find('.'));
            if (is_module(first)) bound(first, is_known_package(first) ? first : std::string_view());
        } else if (is_module(name)) {
            bound(name, module + std::string(name));
        }
        // What else is taken from a module by name: imports_of.
        const std::string_view last = as == std::string_view::npos ? name : one.substr(as + 4);
        if (!module.empty() && holds(kOfPython, last) && !Statements::has_meaning(last)) add(Of::word, "", last);
    }
}

/// np.exp = np.log = f; np.exp, len = f, g.
void Rebound::assigns(const Source& source, Span s) {
    for (auto [at, size] = assignment_in(source, s); size == 1; std::tie(at, size) = assignment_in(source, s)) {
        Span left = trimmed(source, {s.begin, at});
        if (source.slice(left).starts_with("(") && source.slice(left).ends_with(")")) left = {left.begin + 1, left.end - 1};
        const Span right = trimmed(source, {at + 1, s.end});
        const std::vector<Span> targets = split_at_commas(source, left);
        for (const Span target : targets) assigned(source, target, targets.size() == 1 ? right : Span{right.end, right.end});
        s = right;
    }
}

void Rebound::assigned(const Source& source, Span target, Span right) {
    const std::string_view text = source.slice(target), name = text.substr(0, dotted_length(text));
    std::string_view rest = text.substr(name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    const std::string_view value = source.slice(right);
    if (value == "True" || value == "False") return;  // a setting
    constexpr std::string_view kDict = ".__dict__";
    if (name.ends_with(kDict) && is_module(name.substr(0, name.find('.')))) {  // np.__dict__["exp"] = f
        add(Of::module, name.substr(0, name.find('.')), "");
        return add(Of::function, name.substr(0, name.find('.')), kDict.substr(1));
    }
    if (!rest.empty() && rest[0] != ':') return;  // len[0] = ...; a type behind the name says nothing
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
        if (is_module(name)) return add(Of::module, name, "", fits(name, value));
        if (holds(kOfPython, name)) add(Of::word, "", name);
        return;
    }
    const std::string_view owner = name.substr(0, dot), last = name.substr(name.rfind('.') + 1);
    if (!is_module(owner)) return;
    const std::string_view of = name.substr(0, name.rfind('.')), object = of.substr(of.rfind('.') + 1);
    const bool is_class = object != of && (object == "ndarray" || std::isupper(static_cast<unsigned char>(object[0])) != 0);
    add(is_class ? Of::method : Of::function, owner, last);
}

std::string Rebound::given_in(Span s) const {
    const auto here = std::ranges::find_if(all_, [&](const Change& c) {
        return (c.of == Of::function || c.of == Of::method) && s.begin <= c.begin && c.begin < s.end;
    });
    return here == all_.end() ? "" : here->owner + "." + here->name;
}

/// A line below it; within a function any, for it is called later.
bool Rebound::is_so_in(const Source& source, const Change& c, Span s) const {
    const Span between{std::min(c.begin, s.begin), std::max(c.begin, s.begin)};
    const bool same_line = source.slice(between).find('\n') == std::string_view::npos;
    if (same_line || s.begin < c.holds.begin || s.begin >= c.holds.end) return false;
    return c.begin < s.begin || std::ranges::any_of(functions_, [&](Span f) { return f.begin <= s.begin && s.begin < f.end; });
}

std::string Rebound::why(const Source& source, Span s, const std::function<bool(std::string_view)>& is_value,
                         const std::set<std::string>& within) const {
    if (all_.empty()) return "";
    const std::string_view text = source.slice(s);
    const auto is_within = [&](const std::string& word) { return within.contains(word); };
    const auto uses = [&](const Change& c) {
        const bool is_method = c.of == Of::method, of_all = is_method && c.name.starts_with("__");
        bool out = of_all || is_within(c.of == Of::module ? c.owner : c.name);
        each_name(text, dotted_length, [&](std::size_t at, std::string_view dotted) {
            const std::string_view first = dotted.substr(0, dotted.find('.'));
            const bool dots = first.size() < dotted.size(), called = text.substr(at + dotted.size()).starts_with("(");
            const bool of_module = dots && is_module(first) && !is_value(first);
            out = out || (c.of == Of::module && of_module && first == c.owner) ||
                  (c.of == Of::function && of_module && has_part(dotted, c.name)) ||
                  (c.of == Of::word && !dots && called && first == c.name);
        });
        return out || (is_method && text.find("." + c.name) != std::string_view::npos);
    };
    std::set<std::string> seen;
    for (auto c = all_.rbegin(); c != all_.rend(); ++c) {
        const std::string key = c->owner + "." + c->name;
        if (seen.contains(key) || !is_so_in(source, *c, s) || !uses(*c)) continue;
        seen.insert(key);  // the last one counts
        if (c->restores) continue;
        const bool module = c->of == Of::module;
        const std::string name = module || c->owner.empty() ? c->owner + c->name : key;
        const std::string in = source.place(c->begin).in;
        const std::string where = in == source.place(s.begin).in ? "" : " of " + in;
        return fmt::format("line {}{} gives {} another meaning: what {} not known", c->line, where, name,
                           module ? "its functions compute is" : "it computes is");
    }
    return "";
}

}  // namespace gradproof::proof::numpy
