// Functions of a program, and what one keeps for another: cache = (x, w), self.x = x, ctx.save_for_backward(x).
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/places.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kSave = ".save_for_backward(", kAdd = "np.add.at(";

bool computes_gradients(std::string_view function) {
    for (const std::string_view word : {"backward", "bwd", "backprop", "grad", "vjp"})
        if (function.find(word) != std::string_view::npos) return true;
    return false;
}

}  // namespace

/// Whether lines of the function around a def stand behind it, other than what is returned and another def.
bool Reader::function_goes_on(Span def) const {
    const std::size_t indent = indent_of(source_, def.begin);
    for (const Span s : statements_in(source_, {def.end, text_.end})) {
        const std::size_t here = indent_of(source_, s.begin);
        if (here <= indent_) return false;
        if (here == indent && word_at(s) != "return" && word_at(s) != "def") return true;
    }
    return false;
}

/// def f(x, dy): what it assigns is its own, and one that is given gradients computes others.
void Reader::enter(Span def) {
    const Span name = trimmed(source_, {def.begin + 3, def.end});
    const std::string_view text = source_.slice(name);
    const std::string function(text.substr(0, identifier_length(text)));
    imports_.unknown.insert(function);
    if (here_ != 0 && indent_of(source_, def.begin) > indent_ && function_goes_on(def))
        tell(def, "it stands within a function, and is read as if it stood beside it");
    here_ = ++functions_;
    if (indent_of(source_, def.begin) == 0) class_ = 0;
    file_.saved.enter(here_, class_);
    function_name_ = function;
    parameters_.clear();
    for (const OwnFunction::Parameter& p : parameters_of(source_, def)) {
        parameters_.insert(p.name);
        imports_.unknown.insert(p.name);  // def layer(x, relu), which calls it
        if (is_module(p.name)) tell(def, fmt::format("{} is a parameter", p.name));
    }
    has_context_ = parameters_.contains("ctx");
    file_.untracked = has_context_ || program_.is_untracked(def.begin);
    file_.locals.clear();
    function_begin_ = def.begin;
    indent_ = indent_of(source_, def.begin);
    body_indent_ = 0;
    bound_names_.clear();
    returned_at_ = 0;
    changed_ = not_default_;
    changed_.insert(changed_kept_.begin(), changed_kept_.end());
    initialises_ = function == "__init__";
    take_defaults(def);
    tell_defined_again(def);
    tell_property(def);
    const std::vector<std::string> given = identifiers_in(text.substr(function.size()));
    forward_ = function.find("forward") != std::string::npos;
    if (forward_) forward_parameters_ = parameters_;
    const bool is_given_gradients =
        std::ranges::any_of(given, [&](const std::string& n) { return names_upstream(n) || !gradient_named(n).empty(); });
    // loss_and_grad computes the forward, too
    const bool called_so = computes_gradients(function) || !gradient_named(function).empty();
    backward_ = is_given_gradients || (called_so && !to_.proof().forward.empty() && !states_loss_below(def));
    inputs_ = program_.inputs_of_backward(def.begin);
    if (backward_) let_gradients_come_in(def);
    if (backward_) see_incoming(def);
    take_returned(def);
    if (backward_ && !has_context_ && indent_ == 0 && !returns_something(def)) tell(def, "it returns none of the gradients");
    if (has_context_ && !inputs_.empty() && !returns_something(def))
        fail(def, fmt::format("{} returns no gradients: {} are expected", function, inputs_.size()));
}

/// Whether a function computes the loss, which none above does: loss = ... of loss_and_grad.
bool Reader::states_loss_below(Span def) const {
    if (!to_.names().loss.empty() || !loss_.empty()) return false;
    return std::ranges::any_of(statements_in(source_, {def.end, end_of_function(def.end)}), [&](Span s) {
        const auto [at, size] = assignment_in(source_, s);
        return size == 1 && to_.names().is_loss(std::string(source_.slice(trimmed(source_, {s.begin, at}))));
    });
}

/// return ... of def f(x): return ...
Span Reader::body_beside(Span def) const {
    const std::size_t open = source_.text().find('(', def.begin);
    const std::size_t close = open < def.end ? closer_of(source_, open, def.end) : def.end;
    const std::size_t colon = std::min(source_.text().find(':', close), def.end);
    const Span body = trimmed(source_, {std::min(colon + 1, def.end), def.end});
    return word_at(body) == "return" ? body : Span{};
}

bool Reader::returns_something(Span def) const {
    const std::size_t word = std::string_view("return").size();
    const std::size_t end = end_of_body(source_, def, def.end, text_.end, true);
    return std::ranges::any_of(statements_in(source_, {std::min(def.end + 1, end), end}),
                               [&](Span s) { return word_at(s) == "return" && s.begin + word < s.end; });
}

/// What stands behind the return of a function is not run.
void Reader::expect_reached(Span s) {
    if (here_ == 0 || source_.text()[s.begin] == '#' || word_at(s) == "def" || word_at(s) == "class") return;
    const std::size_t indent = indent_of(source_, s.begin);
    if (body_indent_ == 0) body_indent_ = indent;
    if (returned_at_ > 0 && indent >= body_indent_) fail(s, fmt::format("line {} returns above it: it is not run", returned_at_));
    if (word_at(s) == "return" && indent == body_indent_) returned_at_ = source_.line(s.begin);
}

/// The numbers that parameters have where a call does not give others: gamma=2.0.
void Reader::take_defaults(Span def) {
    for (const OwnFunction::Parameter& p : parameters_of(source_, def)) {
        if (p.name.empty() || p.value.begin >= p.value.end) continue;
        if (to_.names().dims.contains(p.name)) tell(p.value, fmt::format("{} is a size, and a parameter here", p.name));
        const std::string_view given = source_.slice(p.value);
        const bool grows = appended_.contains(p.name) || dicts_.contains(p.name);
        if (grows && (given.starts_with("[") || given.starts_with("{") || given == "list()" || given == "dict()"))
            tell(p.value, fmt::format("{} is one for all calls", p.name));
        if (noted_.contains(p.name)) continue;
        if (names_upstream(p.name) || !gradient_named(p.name).empty()) continue;  // dout=1
        const ExprPtr value = is_number_text(source_.slice(p.value)) ? expression(p.value) : nullptr;
        tell_other_flag(p);
        if (by_default_.contains(p.name)) expect_same_default(p.name, value, p.value);
        const Assignment* const above = to_.proof().find(p.name);
        if (value && above != nullptr && signed_number(*value) != signed_number(*above->value))
            tell(p.value, fmt::format("another default than {} of line {}", p.name, above->statement.line));
        if (to_.names().defined(p.name)) continue;
        if (!value || !signed_number(*value)) continue;
        declare_default(p.name, value, p.value);
    }
}
/// training=True of one function and training=False of another.
void Reader::tell_other_flag(const OwnFunction::Parameter& p) {
    if (p.name.find("train") == std::string::npos) return;
    const auto [first, anew] = flags_.emplace(p.name, p.value);
    if (!anew && source_.slice(first->second) != source_.slice(p.value))
        tell(p.value, fmt::format("another default than {} of line {}", p.name, source_.line(first->second.begin)));
}
void Reader::declare_default(const std::string& name, const ExprPtr& value, Span at) {
    Declaration d;
    d.name = name;
    d.value = value;
    d.by_default = true;
    d.span = at;
    to_.declare(std::move(d), false);
    by_default_.insert(name);
}
/// scale of cfg.get("scale", 1.0): a constant that is that by default, unless lines give the name another value.
ExprPtr Reader::setting(const std::string& name, const ExprPtr& number) {
    if (by_default_.contains(name)) expect_same_default(name, number, number->span);
    if (to_.names().defined(name)) return proof::name(name);
    settings_.emplace(name, *signed_number(*number));
    if (names_upstream(name) || !gradient_named(name).empty() || is_given_otherwise(name)) return number;
    declare_default(name, number, number->span);
    return proof::name(name);
}
/// scale of scale = 2 * cfg.get("scale", 1.0), and not of scale = cfg.get("scale", 1.0).
bool Reader::is_given_otherwise(const std::string& name) const {
    const auto is_setting = [&](Span right) {
        const std::size_t open = source_.text().find('(', right.begin), owner = word_at(right).size();
        return source_.slice(right).substr(owner).starts_with(".get(") && closer_of(source_, open, right.end) + 1 == right.end;
    };
    return std::ranges::any_of(statements_or_lines(source_, text_), [&](Span s) {
        const auto [at, size] = assignment_in(source_, s);
        const bool named = size > 0 && source_.slice(trimmed(source_, {s.begin, at})) == name;
        return named && !is_setting(trimmed(source_, {at + size, s.end}));
    });
}

/// temperature=1.0 of a forward, and cfg.get("scale", 1.0): lines are right for that number, and for others they need not be.
/// Of a small one, eps=1e-5, that goes without saying.
void Reader::say_defaults() {
    constexpr double kSmall = 1e-3;
    std::set<std::string> used;
    for (const Assignment& a : to_.proof().forward) used.merge(names_in(*a.value));
    std::map<std::string, double> all = settings_;
    for (const Given& g : to_.proof().given)
        if (g.value != nullptr && by_default_.contains(g.name) && used.contains(g.name))
            if (const std::optional<double> value = signed_number(*g.value)) all.emplace(g.name, *value);
    for (const Assignment& a : to_.proof().forward) {  // reg = 0 and T = 1 of a script, which hide what is done with them
        const std::optional<double> value = used.contains(a.name) ? signed_number(*a.value) : std::nullopt;
        if (value && (*value == 0 || *value == 1)) all.emplace(a.name, *value);
    }
    for (const auto& [name, value] : all)
        if (value == 0 || std::abs(value) > kSmall) to_.holds_for(fmt::format("{} = {:g}", name, value));
    say_sizes();
}

/// n, d = 4, 4 and n = 1: a mean over the one is that over the other, and a sum over one entry is that entry.
void Reader::say_sizes() {
    std::map<double, std::vector<std::string>> by_size;
    for (const Dim& d : to_.proof().dims)
        if (const std::optional<double> value = d.value ? signed_number(*d.value) : std::nullopt)
            by_size[*value].push_back(d.name);
    for (const auto& [size, names] : by_size)
        if (size == 1 || names.size() > 1) to_.holds_for(fmt::format("{} = {:g}", fmt::join(names, " = "), size));
}

/// eps=1e-5 of the forward and eps=1e-8 of the backward are two constants. `value`: nullptr of what is no number.
void Reader::expect_same_default(const std::string& name, const ExprPtr& value, Span at) {
    const auto given = std::ranges::find(to_.proof().given, name, &Given::name);
    if (given == to_.proof().given.end() || !given->value) return;
    const std::optional<double> now = value ? signed_number(*value) : std::nullopt;
    if (now != signed_number(*given->value))
        changed_.emplace(name, fmt::format("{} has another default in line {} than above: give the two names of their own", name,
                                           source_.line(at.begin)));
}

/// A function that is called: what it computes is read where it is. Its end.
std::size_t Reader::pass_over(const OwnFunction& f) {
    leave(f.head);
    if (!f.why.empty())
        to_.attempt(
            [&] {
                return LostLine{at(f.head), JudgedLine::Type::claim, one_line(f.head), {f.name}};
            },
            [&] { fail(f.unread.end > f.unread.begin ? f.unread : f.head, f.why); });
    return f.end;
}

/// The names in a line, and in the functions of the program that it calls.
std::set<std::string> Reader::used_in(Span line) const {
    std::set<std::string> out = own_.used_in(source_, line);
    for (std::string& name : identifiers_in(source_.slice(line))) out.insert(std::move(name));
    return out;
}

/// A line that is indented no more than a def stands behind it.
void Reader::leave(Span s) {
    if (here_ == 0 || s.begin >= s.end || source_.text()[s.begin] == '#' || indent_of(source_, s.begin) > indent_) return;
    here_ = 0;
    file_.saved.enter(0, 0);
    for (const std::string& name : bound_) file_.gradients.erase(name);
    bound_.clear();
    function_name_.clear();
    parameters_.clear();
    file_.locals.clear();
    backward_ = forward_ = initialises_ = has_context_ = file_.untracked = false;
}

/// ctx.save_for_backward(x, w)
bool Reader::saves(Span s) {
    const std::string_view text = source_.slice(s), owner = word_at(s);
    if (owner.empty() || !text.substr(owner.size()).starts_with(kSave) || !text.ends_with(")")) return false;
    const ExprPtr all = expression({s.begin + owner.size() + kSave.size(), s.end - 1});
    file_.saved.keep(std::string(owner) + ".saved_tensors", all->kind == Kind::array ? all : array_of({all}), s);
    return true;
}

/// np.add.at(dE, idx, dX): rows that are added to others.
bool Reader::adds_at_places(Span s) {
    const std::string_view text = source_.slice(s);
    if (!text.starts_with(kAdd) || !text.ends_with(")")) return false;
    const Span inside{s.begin + kAdd.size(), s.end - 1};
    const Span target = trimmed(source_, {inside.begin, std::min(source_.text().find(',', inside.begin), inside.end)});
    const std::string of = gradient_named(std::string(source_.slice(target)));
    const ExprPtr all = expression(inside);
    if (of.empty() || all->kind != Kind::array || all->children.size() != 3 || !are_places(*all->children[1], to_.proof()))
        fail(s, "np.add.at is read as np.add.at(dE, idx, dX), of rows of a gradient at places that are declared ~ index(n)");
    const ExprPtr rows = over_axis("axis_size", name(of), 0);
    claim(s, target, '+', of, product(transpose(call("onehot", {all->children[1], rows})), '@', all->children[2]));
    return true;
}

/// self.x = ... and d["x"] = ...
void Reader::store(Span s, const Place& place, char op, const ExprPtr& value) {
    const std::string name(source_.slice(place.member));
    const std::string of = gradient_kept(place, name, to_.names(), &file_);
    const bool itself = value->kind == Kind::gradient && value->name == of && op == '=';
    if (!of.empty() && !itself) return claim(s, place.member, op, of, value);
    if (condition_) file_.conditions.insert(place.key);
    if (is_tuple(*value) && holds_gradients(name)) tell_order_of_kept(s, *value);
    if (is_kept_whole(*value) || condition_) {  // self.mask = x > 0, too, which is no value that a gradient goes through
        if (op != '=') fail(s, fmt::format("{} is changed in place: give the result a name of its own", one_line(s)));
        return file_.saved.keep(place.key, value, s);
    }
    if (to_.names().defined(name) || op != '=')
        fail(s, fmt::format("{} is not what {} is: give it another name", source_.slice({s.begin, place.member.end}), name));
    define(s, place.member, value);
    file_.saved.keep(place.key, proof::name(name), s);
}

/// n, d = x.shape
bool Reader::unpacks_sizes(Span s, const std::vector<Span>& names, Span right) {
    constexpr std::string_view kShape = ".shape";
    Span of = trimmed(source_, right);
    if (!source_.slice(of).ends_with(kShape)) return false;
    of.end -= kShape.size();
    const ExprPtr x = expression(of);
    std::optional<AxisNames> axes = axis_names(*x, to_.proof());
    if (const auto filled = axes_.find(x->name); !axes && filled != axes_.end()) axes = filled->second;
    if (axes && axes->size() != names.size())
        fail(s, fmt::format("{} has {} axes, and {} names stand on the left", source_.slice(of), axes->size(), names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name(source_.slice(names[i]));
        if (name == "_" || (axes && (*axes)[i] == name)) continue;
        if (to_.names().defined(name)) fail(names[i], fmt::format("{} is assigned again: give it another name", name));
        file_.saved.keep(name, over_axis("axis_size", x, static_cast<double>(i)), s);
    }
    return true;
}

}  // namespace gradproof::proof::numpy
