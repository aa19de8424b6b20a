// What an object of a class begins with: self.w = w in __init__.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/numpy/bound_again.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/outside_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/numpy/text_functions.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kSelf = "self.";

/// What may stand around a value that stays what it is.
constexpr auto kKeep =
    std::to_array<std::string_view>({"cp", "Parameter", "Tensor", "tensor", "array", "asarray", "as_tensor", "ascontiguousarray",
                                     "astype", "from_numpy", "clone", "contiguous", "copy", "deepcopy", "detach", "to"});
constexpr auto kTypes = std::to_array<std::string_view>(
    {"dtype", "device", "float32", "float64", "double", "requires_grad", "requires_grad_", "True", "False"});

/// w, w.copy(), np.asarray(w, dtype=np.float64), nn.Parameter(torch.tensor(w)), other.w, given["w"], w if w is not None else ...
bool is_as_given(std::string_view value, std::string_view name) {
    if (const std::size_t otherwise = value.find(" if "); otherwise != value.npos) value = value.substr(0, otherwise);
    if (value.find_first_of("+-*/@<>~&|") != value.npos) return false;
    if (value == name || value.ends_with(fmt::format(".{}", name)) || value.ends_with(fmt::format("[\"{}\"]", name)) ||
        value.ends_with(fmt::format("['{}']", name)))
        return true;
    if (value.find('[') != value.npos) return false;
    const std::vector<std::string> words = identifiers_in(value);
    return is_one_of(words, name) && std::ranges::all_of(words, [&](const std::string& word) {
               return word == name || is_module(word) || is_one_of(kKeep, word) || is_one_of(kTypes, word);
           });
}

/// Whether a word stands there otherwise than in w.shape, len(w) and None of w is None.
bool is_used_in(std::string_view value, std::string_view name) {
    for (std::size_t i = 0; i < value.size();) {
        const std::size_t size = identifier_length(value.substr(i));
        const std::string_view before = value.substr(0, i), behind = value.substr(i + size);
        const bool is_size = behind.starts_with(".shape") || behind.starts_with(".size") || before.ends_with("len(") ||
                             behind.starts_with(" is None") || behind.starts_with(" is not None");
        if (value.substr(i, size) == name && !is_size) return true;
        i += std::max<std::size_t>(size, 1);
    }
    return false;
}

}  // namespace

/// self.scale = 1 / scale in __init__(self, scale=4.0): scale is not 4.0 elsewhere.
void Reader::see_initial_value(Span s) {
    if (!initialises_ || !source_.slice(s).starts_with(kSelf)) return;
    const auto [at, size] = assignment_in(source_, s);
    const Span name = trimmed(source_, {s.begin + kSelf.size(), at}), value = trimmed(source_, {at + size, s.end});
    const std::string member(word_at(name));
    if (size > 0 && by_default_.contains(member) && source_.slice(value) != member)
        not_default_.emplace(member, fmt::format("line {} gives it another value than its default: write the number there",
                                                 source_.line(s.begin)));
}

/// self.y = y[:, None], self.w, self.v = v, w and self.w[0] = 0 of inputs y, w and v; self.backward = ... of a method.
void Reader::tell_initialised_otherwise(Span s) {
    const auto [at, size] = assignment_in(source_, s);
    const std::string member(word_at({s.begin + kSelf.size(), s.end}));
    const std::size_t end = s.begin + kSelf.size() + member.size();
    const bool other_part = size != 1 || (end < at && source_.slice({end, at}).find('[') < source_.slice({end, at}).find(','));
    const bool calls = size == 0 && source_.slice({end, s.end}).find("requires_grad_") == std::string_view::npos;
    if (is_input(member) && other_part && (size > 0 || calls))
        return tell(s, fmt::format("it changes {}, which is an input", member));
    const std::vector<Span> registered =
        member.starts_with("register_") ? split_at_commas(source_, given_to(source_, {end, s.end}, "(")) : std::vector<Span>{};
    if (registered.size() > 1) {
        std::string_view name = source_.slice(registered[0]);
        name = name.substr(1, std::max<std::size_t>(name.size(), 2) - 2);
        if (is_input(name) && !is_as_given(source_.slice(registered[1]), name))
            return tell(s, "what is kept there is another value than the input of that name");
    }
    if (size == 1 && (own_.find(member) != nullptr || program_.has_function(member)))
        return tell(s, fmt::format("{} is a function of the text", member));
    if (size != 1) return;
    const std::vector<Span> left = split_at_commas(source_, {s.begin, at}), right = split_at_commas(source_, {at + size, s.end});
    if (left.size() != right.size()) return;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const std::string_view name = source_.slice(left[i]).substr(std::min(kSelf.size(), left[i].end - left[i].begin)),
                               value = source_.slice(right[i]);
        const bool plain = value.find_first_of("+-*/@") == value.npos;
        const bool same_size = value == name || (plain && value.ends_with(fmt::format(".{}", name))) ||
                               value.find("shape") != value.npos || value.find("len(") != value.npos;
        if (to_.names().dims.contains(name) && !same_size)
            return tell(s, fmt::format("{} is a size, and is given another value", name));
        const auto is_used = [&](const std::string& word) { return is_input(word) && is_used_in(value, word); };
        if (is_input(name) && !is_as_given(value, name) && std::ranges::any_of(identifiers_in(value), is_used))
            return tell(s, "what is kept there is another value than the input of that name");
    }
}

/// self.params = {"W": 0.1 * W, "V": W.T} and self.set(W, W.T) of an input W in __init__: what is kept is computed of it.
void Reader::tell_kept_computed(Span s) {
    const auto [at, size] = assignment_in(source_, s);
    const Span given = size > 0 ? trimmed(source_, {at + size, s.end}) : s;
    const std::string_view text = source_.slice(given);
    const std::size_t open = text.find(text.starts_with("{") ? '{' : '(');
    if (open == text.npos || (size > 0 && !text.starts_with("{") && !text.starts_with("dict("))) return;
    const std::size_t first = given.begin + open;
    for (const Span item : split_at_commas(source_, {first + 1, closer_of(source_, first, given.end)})) {
        const std::string_view pair = source_.slice(item);
        const auto [equals, length] = assignment_in(source_, item);
        const std::size_t colon = pair.find("\":") != pair.npos ? pair.find("\":") + 1 : pair.find("':") + 1;
        const bool has_key = length > 0 || colon > 0;
        const std::size_t behind = length > 0 ? equals + length : item.begin + (colon > 0 ? colon + 1 : 0);
        const std::string_view value = source_.slice(trimmed(source_, {behind, item.end}));
        std::string key(length > 0 ? word_at(item) : colon > 1 ? pair.substr(1, colon - 2) : "");
        if (value.find("zeros_like") != value.npos) continue;
        for (const std::string& used : identifiers_in(value)) {
            if (!is_input(used) || !is_used_in(value, used)) continue;
            if (!is_as_given(value, has_key && is_input(key) ? key : used))
                return tell(s, fmt::format("what is kept there is computed of the input {}", used));
        }
    }
}

/// Linear(W / np.sqrt(n), b) of an input W: the gradients in it are by what it is given.
void Reader::tell_given_another(Span call) {
    const Span all{call.begin + source_.slice(call).find('(') + 1, call.end - 1};
    for (const Span one : split_at_commas(source_, all)) {
        const std::string_view value = source_.slice(one);
        for (const std::string& name : identifiers_in(value)) {
            const bool computes = value.find_first_of("+-*/@%") != value.npos || value.find(name + ".T") != value.npos;
            if (is_input(name) && computes && is_used_in(value, name))
                return tell(call, fmt::format("what it is given is computed of {}, and the gradients in it are by that", name));
        }
    }
}

/// self.dW = np.zeros_like(W) and self.grads = {"W": np.zeros_like(W)} of __init__, to which a backward adds.
void Reader::see_zero_gradients(Span place, Span value) {
    if (makes_zeros(source_.slice(value)))
        if (const std::string of = gradient_of_place(place); !of.empty()) begin_at_zero_in_object_.insert(of);
    const std::string dict(source_.slice(place));
    for (const DictPart& entry : entries_written(source_, value)) {
        const std::string of = gradient_kept({"", dict, {}}, std::string(source_.slice(entry.key)), to_.names(), &file_);
        if (!of.empty() && makes_zeros(source_.slice(entry.value))) begin_at_zero_in_object_.insert(of);
    }
}

/// self.dW = np.zeros_like(self.W), self.dW.fill(0) and self.grads[k] = 0 of a zero_grad(self): of gradients alone.
bool Reader::only_zeroes(Span s) const {
    const std::string_view text = source_.slice(s);
    if (function_name_.find("zero") == std::string::npos || !text.starts_with(kSelf)) return false;
    const auto [at, size] = assignment_in(source_, s);
    const std::size_t end = size > 0 ? at : s.begin + text.rfind(".fill(0)");
    const bool zero = size == 1 ? makes_zeros(source_.slice(trimmed(source_, {at + size, s.end}))) : text.ends_with(".fill(0)");
    if (!zero) return false;
    const Span place = trimmed(source_, {s.begin, end});
    const std::string_view owner = source_.slice(place).substr(0, source_.slice(place).find('['));
    return !gradient_of_place(place).empty() || holds_gradients(owner);
}

/// self.w = np.zeros(d) in __init__: what a declaration says goes, and without one it is not known. Numbers and parameters are
/// read.
bool Reader::only_initialises(Span s) {
    if (!initialises_ || !source_.slice(s).starts_with(kSelf)) return false;
    const auto [at, size] = assignment_in(source_, s);
    const Span name = trimmed(source_, {s.begin + kSelf.size(), at}), value = trimmed(source_, {at + size, s.end});
    const std::string_view given = source_.slice(value);
    tell_initialised_otherwise(s);
    tell_kept_computed(s);
    see_zero_gradients({s.begin, trimmed(source_, {s.begin, at}).end}, value);
    if (size == 0 || noted_.contains(word_at(name)) || to_.names().defined(word_at(name))) return true;
    if (is_number_text(given) && !gradient_named(std::string(word_at(name))).empty()) return true;  // self.dW = 0
    return !is_number_text(given) && !(to_.names().defined(given) && identifier_length(given) == given.size());
}

Span Reader::body_of(Span head) const { return body_behind(source_, head, text_.end); }

/// What methods of a class are given and use, and what is kept under self.
struct Reader::KeptInClass {
    std::set<std::string> given, used;                      ///< by other methods than __init__
    std::set<std::string> by_init, by_others;               ///< w of self.w = w
    std::map<std::string, std::string> sizes;               ///< n of self.n = X.shape[0] in __init__, and X.shape[0]
    std::map<std::string, std::string, std::less<>> first;  ///< by what is given in __init__, its first name
};

void Reader::see_kept(Span s, bool initial, KeptInClass& kept) {
    const auto [at, size] = assignment_in(source_, s);
    const std::vector<Span> left = size == 0 ? std::vector<Span>{} : split_at_commas(source_, {s.begin, at}),
                            right = split_at_commas(source_, {at + size, s.end});
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!source_.slice(left[i]).starts_with(kSelf)) continue;
        const std::string name(source_.slice(left[i]).substr(kSelf.size()));
        const std::string_view value = left.size() == right.size() ? source_.slice(right[i]) : "";
        if (value.empty() || (initial ? is_as_given(value, name) : is_used_in(value, name)))
            (initial ? kept.by_init : kept.by_others).insert(name);
        if (!initial) continue;
        if (value.find(".shape") != value.npos || value.starts_with("len(") || to_.names().dims.contains(value))
            kept.sizes.emplace(name, value);
        const auto [before, fresh] = kept.first.emplace(value, name);
        if (!fresh && is_input(value) && before->second != name)
            tell(s, fmt::format("self.{} and self.{} are one value, until one of them is set anew", before->second, name));
    }
    const std::string_view value = source_.slice({at + size, s.end});
    for (std::size_t i = value.find(kSelf); !initial && i != value.npos; i = value.find(kSelf, i + 1))
        kept.used.insert(std::string(word_at({at + size + i + kSelf.size(), s.end})));
}

/// Of forward(self, x, w) and self.w in one class: that no line keeps the one as the other, or only __init__ does.
void Reader::tell_never_kept(Span head) {
    KeptInClass kept;
    bool initial = false;
    for (const Span s : statements_in(source_, body_of(head))) {
        if (word_at(s) != "def") {
            see_kept(s, initial, kept);
            continue;
        }
        initial = source_.slice(s).find("__init__") != std::string_view::npos;
        for (const OwnFunction::Parameter& p : initial ? std::vector<OwnFunction::Parameter>{} : parameters_of(source_, s))
            kept.given.insert(p.name);
    }
    for (const std::string& name : kept.given)
        if (kept.used.contains(name) && !kept.by_others.contains(name) && (is_input(name) || kept.by_init.contains(name)))
            tell(head, fmt::format("no line of it sets self.{0} to the {0} that a method is given", name));
    for (const auto& [name, value] : kept.sizes)
        if (kept.used.contains(name) && is_size_of_any(value, kept.given))
            tell(head, fmt::format("self.{} is {} of __init__, and methods are given other arrays", name, value));
}

/// net = Net(W, W.T) of a class whose __init__ is given two inputs there: they are no longer two.
void Reader::tell_tied_by_calls() {
    std::map<std::string, std::vector<std::string>> given;  // what the __init__ of each class is given
    for (const TextFunction& f : functions_in(source_, text_)) {
        if (f.in_class == 0 || f.name != "__init__") continue;
        const std::string_view behind = source_.text().substr(f.in_class + std::string_view("class ").size());
        for (const OwnFunction::Parameter& p : parameters_of(source_, f.head))
            if (p.name != "self") given[std::string(first_word(behind))].push_back(p.name);
    }
    const auto tell_if_tied = [&](Span s, Span call, const std::vector<std::string>& parameters) {
        std::map<std::string, std::string> first;  // the input that is given it
        std::size_t place = 0;
        for (const Span item : split_at_commas(source_, call)) {
            const auto [at, size] = assignment_in(source_, item);
            const std::string to = size > 0 ? std::string(word_at(item)) : place < parameters.size() ? parameters[place] : "";
            ++place;
            if (!is_input(to)) continue;
            const std::string_view value = source_.slice({size > 0 ? at + size : item.begin, item.end});
            for (const std::string& word : identifiers_in(value)) {
                if (is_module(word) || !stands_in(value, word)) continue;
                if (const auto [before, fresh] = first.emplace(word, to); !fresh && before->second != to)
                    return tell(s, fmt::format("{} and {} are given the same {}", before->second, to, word));
            }
        }
    };
    for (const Span s : statements_in(source_, text_))
        for (const auto& [name, parameters] : given) {
            const std::string_view text = source_.slice(s);
            const std::size_t at = text.find(name + "(");
            if (at == text.npos || word_at(s) == "class" || (at > 0 && identifier_length(text.substr(at - 1)) > name.size()))
                continue;
            const std::size_t open = s.begin + at + name.size();
            tell_if_tied(s, {open + 1, closer_of(source_, open, s.end)}, parameters);
        }
}

/// Whether the text is a size of one of these inputs: X.shape[0], len(X), n.
bool Reader::is_size_of_any(std::string_view size, const std::set<std::string>& given) const {
    const std::vector<std::string> words = identifiers_in(size);
    return std::ranges::any_of(to_.proof().given, [&](const Given& g) {
        const bool has_it = std::ranges::any_of(g.shape, [&](const ExprPtr& n) { return mentions(*n, std::string(size)); });
        return given.contains(g.name) && (has_it || is_one_of(words, g.name));
    });
}

/// @property def w(self): return ... of an input w, but for what __init__ keeps of it.
void Reader::tell_property(Span def) {
    const std::string_view above = source_.slice({text_.begin, def.begin});
    const std::size_t before = above.find_last_not_of(" \t\n");
    if (before == above.npos || !above.substr(0, before + 1).ends_with("property") || !is_input(function_name_)) return;
    const std::vector<Span> lines = statements_in(source_, body_of(def));
    std::string_view returned = lines.empty() ? "" : source_.slice(lines.back());
    if (returned.starts_with("return ")) returned.remove_prefix(7);
    const auto keeps = [&](Span s) {
        const auto [at, size] = assignment_in(source_, s);
        return size == 1 && source_.slice(trimmed(source_, {s.begin, at})) == returned &&
               is_as_given(source_.slice(trimmed(source_, {at + size, s.end})), function_name_);
    };
    const std::vector<Span> all = statements_in(source_, text_);
    const auto sets = [&](Span s) { return source_.slice(s).starts_with(fmt::format("{} =", returned)); };
    if (!std::ranges::any_of(all, sets) || !std::ranges::all_of(all, [&](Span s) { return !sets(s) || keeps(s); }))
        tell(def, fmt::format("what it returns for the input {} is not read", function_name_));
}

bool Reader::is_bound_anywhere(const std::string& name) const {
    return std::ranges::any_of(statements_or_lines(source_, {0, source_.text().size()}), [&](Span s) {
        const std::string_view text = source_.slice(s);
        const auto [at, size] = assignment_in(source_, s);
        return binds(text, name) || (size > 0 && stands_in(source_.slice({s.begin, at}), name));
    });
}

/// X.T of a backward that is not given an X, beside forward(self, X), and n of one that is given X [n, d]: those outside may be
/// others.
void Reader::tell_outside_names() {
    for (const OutsideName& one : taken_from_outside(source_, text_, to_.names().dims)) {
        const auto has_it = [&](const Given& g) {
            return one.given.contains(g.name) &&
                   std::ranges::any_of(g.shape, [&](const ExprPtr& n) { return mentions(*n, one.name); });
        };
        if (one.is_given_elsewhere)
            tell(one.at, fmt::format("{} is taken from outside of the function, and others are given it", one.name));
        else if (std::ranges::any_of(to_.proof().given, has_it))
            tell(one.at, fmt::format("{} is taken from outside of the function, which is given arrays of that size", one.name));
        else if (source_.text().find("import *") == std::string_view::npos && !is_bound_anywhere(one.name))
            tell(one.at, fmt::format("{} is a size of the comments alone, and nothing of the program assigns it", one.name));
    }
}

/// Whether the statement stands in the body of a class, and in none of its methods.
bool Reader::is_of_class_body(Span s) const {
    const std::string_view text = source_.text();
    const std::size_t indent = indent_of(source_, s.begin);
    for (std::size_t at = begin_of_line(text, s.begin); indent > 0 && at > text_.begin;) {
        at = begin_of_line(text, at - 1);
        const std::string_view line = line_at(text, at);
        const std::size_t first = line.find_first_not_of(" \t");
        if (first >= indent || line[first] == '#') continue;
        return line.substr(first).starts_with("class ");
    }
    return false;
}

/// lam = 0.5 of class Settings, where lam is a value of the program, too: outside of the class that stays what it was. Whether it
/// is such a line.
bool Reader::sets_attribute_of_class(Span s, Span left) {
    const std::string name(word_at(left));  // of lam: float = 0.5, too
    const bool known = to_.names().defined(name) || to_.names().helpers.contains(name) || file_.saved.find(name) != nullptr;
    if (!known || !is_of_class_body(s)) return false;
    const auto [used, is_new] = used_as_attributes_.try_emplace(name);
    if (is_new) used->second = source_.text().find("." + name) != std::string_view::npos;  // self.lam
    if (used->second) tell(s, fmt::format("{} of a class is another than {} outside of it", name, name));
    return true;
}

/// class Layer: grads = {}, of which methods set entries: all objects of the class have one.
void Reader::tell_shared_by_objects() {
    bool in_class = false;
    for (const Span s : statements_in(source_, text_)) {
        const std::string_view word = word_at(s);
        if (word == "class" || word == "def" || indent_of(source_, s.begin) == 0) in_class = word == "class";
        const auto [at, size] = assignment_in(source_, s);
        if (!in_class || size != 1) continue;
        const std::string_view name = source_.slice(trimmed(source_, {s.begin, at})),
                               right = source_.slice(trimmed(source_, {at + size, s.end}));
        const bool empty = right == "{}" || right == "[]" || right == "dict()" || right == "list()";
        if (empty && source_.text().find(fmt::format("self.{} =", name)) == std::string_view::npos)
            tell(s, fmt::format("all objects of the class have one {}", name));
    }
}

}  // namespace gradproof::proof::numpy
