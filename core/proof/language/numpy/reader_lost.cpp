// Lines of a program that cannot be read, and what is not known without them.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// torch.relu_(z), np.exp(z, out=z), np.multiply(y, 2, y): what the line is given may be changed.
bool writes_into(const Source& source, Span all) {
    const std::string_view line = source.slice(all);
    if (line.find("_(") != line.npos || line.find("out=") != line.npos || line.find(":=") != line.npos) return true;
    for (const std::string_view two : {"add(", "subtract(", "multiply(", "divide(", "power(", "maximum(", "minimum("})
        if (const std::size_t at = line.find(two); at != line.npos) {
            const std::size_t open = all.begin + at + two.size() - 1;
            if (split_at_commas(source, {open + 1, closer_of(source, open, all.end)}).size() > 2) return true;
        }
    return false;
}

/// Whether lines change what is called so in place, or assign entries of it: q *= 2, q[0] = 1.
bool is_changed_in(std::string_view lines, const std::string& name) {
    for (std::size_t at = lines.find(name); at != lines.npos; at = lines.find(name, at + 1)) {
        const bool whole = at == 0 || !goes_on_in_identifier(lines[at - 1]);
        const std::string_view behind = lines.substr(at + name.size());
        for (const std::string_view sign : {" -= ", " += ", " *= ", " /= ", "["})
            if (whole && behind.starts_with(sign)) return true;
    }
    return false;
}

}  // namespace

/// Whether it is a value, or what a line among the gradients is called.
bool Reader::may_be_array(const std::string& name) const {
    return to_.names().values.contains(name) || to_.names().helpers.contains(name) || file_.locals.contains(name);
}

/// for r in h: r -= r.mean() changes the rows of h, and for r in [h]: r -= 1 all of it.
std::set<std::string> Reader::changed_by_loop(Span all) const {
    const std::string_view text = source_.slice(all);
    const std::size_t in = text.find(" in "), colon = text.find(':');
    if (word_at(all) != "for" || in == text.npos || colon == text.npos || colon < in) return {};
    std::set<std::string> out;
    const std::string_view over = text.substr(in + 4, colon - in - 4), body = text.substr(colon);
    if (over.starts_with("range(")) return out;
    for (const std::string& row : identifiers_in(text.substr(4, in - 4)))
        for (const std::string& of : is_changed_in(body, row) ? identifiers_in(over) : std::vector<std::string>())
            if (may_be_array(of)) out.insert(of);
    return out;
}

/// What is lost where these lines cannot be read: what they may assign or change is not known from there on.
LostLine Reader::lost(Span all) {
    lose_dicts(all);
    const Span first{all.begin, std::min(source_.text().find('\n', all.begin), all.end)};
    LostLine out{{all, source_.line(all.begin)}, JudgedLine::Type::claim, one_line(first)};
    each_line(source_, all, [&](Span line) {
        const std::string_view word = word_at(trimmed(source_, line));
        const auto [at, size] = assignment_in(source_, line);
        std::string_view target = source_.slice({line.begin, size == 0 ? line.end : at});
        if (size == 0 && is_one_of(kPassed, word)) target = {};
        if (size == 0 && is_one_of(kRefused, word)) target = target.substr(0, word == "for" ? target.find(" in ") : 0);
        const bool in_place = size == 2 || target.find('[') != std::string_view::npos;
        if (in_place) lose_members(target, all);
        std::string names(size == 0 ? target : "");
        for (const Span one : size == 0 ? std::vector<Span>() : split_at_commas(source_, {line.begin, at}))
            names += std::string(source_.slice(one).substr(0, source_.slice(one).find('['))) + " ";  // a, b[t] = ...
        const bool assigns = size == 1 && !in_place;
        for (std::string& name : identifiers_in(names)) {
            for (const std::string& used : assigns ? identifiers_in(source_.slice({at, line.end})) : std::vector<std::string>())
                if (used != name && may_be_array(used)) aliases_.may_be_same(name, used);  // z = y.ravel()
            for (const std::string& array : in_place ? aliases_.others_of(name) : std::vector<std::string>()) {
                changed_.emplace(array, fmt::format("line {}, which is not read, changes this array", source_.line(all.begin)));
                out.defines.push_back(array);
            }
            out.defines.push_back(std::move(name));
        }
        std::vector<std::string> used = identifiers_in(source_.slice(line));
        const bool changes_given =
            word != "def" && (writes_into(source_, line) || std::ranges::any_of(used, [&](const std::string& name) {
                                  const OwnFunction* const f = file_.own ? file_.own->find(name) : nullptr;
                                  return f != nullptr && f->changes_given;
                              }));
        for (const std::string& name : used)
            if (const std::string of = gradient_named(name); changes_given && (!of.empty() || may_be_array(name))) {
                changed_.emplace(of.empty() ? name : gradient_key(of),
                                 fmt::format("line {}, which is not read, may change this array", source_.line(all.begin)));
                out.defines.push_back(name);
            }
        for (std::string& name : used) out.uses.push_back(std::move(name));
    });
    for (const std::string& of : changed_by_loop(all)) {
        changed_.emplace(of, fmt::format("line {}, which is not read, changes its rows", source_.line(all.begin)));
        out.defines.push_back(of);
    }
    const auto is_gradient = [&](const std::string& name) { return !gradient_named(name).empty(); };
    if (claims_.empty() && std::none_of(out.defines.begin(), out.defines.end(), is_gradient))
        out.type = JudgedLine::Type::forward;
    const bool is_loop = word_at(all) == "for" || word_at(all) == "while";
    for (const std::string& name : out.defines) {
        if (Statements::has_meaning(name)) imports_.unknown.insert(name);  // relu = F.leaky_relu
        out.is_loss = out.is_loss || name == loss_ || to_.names().is_loss(name);
        if (file_.saved.find(name) || to_.names().helpers.contains(name) || file_.locals.contains(name))
            changed_.emplace(name, fmt::format("{} is changed in line {}, which is not read", name, out.statement.line));
        if (const std::string of = gradient_named(name);
            !of.empty() && (first_.contains(name) || zeros_.contains(of) || (is_loop && last_claim(of) != claims_.rend())))
            changed_.emplace(gradient_key(of),
                             fmt::format("line {}, which says what {} is, is not read", out.statement.line, name));
        if (changes(all, name)) lose_claims_of(gradient_named(name), out.statement.line);
    }
    return out;
}
/// What grads[k] += ... and params[k] -= ... may change: all that was claimed of members of the one, and all inputs.
void Reader::lose_members(std::string_view target, Span lines) {
    const std::size_t open = target.find('[');
    if (open == std::string_view::npos) return;
    std::string_view owner = target.substr(0, open);
    owner.remove_prefix(std::min(owner.find_first_not_of(kBlanks), owner.size()));
    if (owner.empty() || to_.names().defined(owner.substr(0, identifier_length(owner)))) return;
    const int line = source_.line(lines.begin);
    if (!holds_gradients(owner)) {
        const bool is_dict = source_.text().find(fmt::format("{}['", owner)) != std::string_view::npos ||
                             source_.text().find(fmt::format("{}[\"", owner)) != std::string_view::npos ||
                             holds_parameters(owner);
        for (const Given& g : to_.proof().given)
            if (g.differentiable && is_dict)
                changed_.emplace(g.name, fmt::format("line {}, which is not read, may change this array", line));
        return;
    }
    std::set<std::string> values;
    for (const Claim& c : claims_)
        if (source_.slice(c.span).starts_with(owner)) values.insert(without_indices(*c.left).name);
    for (const std::string& value : values) lose_claims_of(value, line);
}
/// Whether lines that assign a name go on from what it was: in place, by itself, or somewhere within several lines.
bool Reader::changes(Span lines, const std::string& name) const {
    const auto [at, size] = assignment_in(source_, lines);
    if (size != 1 || is_one_of(kRefused, word_at(lines))) return true;
    if (source_.slice({lines.begin, at}).find('[') != std::string_view::npos) return true;
    const std::string of = gradient_named(name);
    return std::ranges::any_of(identifiers_in(source_.slice({at, lines.end})), [&](const std::string& used) {
        return used == name || (!of.empty() && gradient_named(used) == of);
    });
}

/// The gradient is changed by a line that is not read.
void Reader::lose_claims_of(const std::string& value, int line) {
    if (value.empty()) return;
    for (std::size_t i = claims_.size(); i-- > 0;) {
        if (without_indices(*claims_[i].left).name != value) continue;
        const Claim c = claims_[i];
        claims_.erase(claims_.begin() + static_cast<std::ptrdiff_t>(i));
        to_.attempt(
            [&] {
                return LostLine{at(c.span), JudgedLine::Type::claim, one_line(c.span)};
            },
            [&] { fail(c.span, fmt::format("the gradient of {} is changed in line {}, which is not read", value, line)); });
    }
}

/// What was changed under another name, or in a line that is not read, is not what the lines before say of it.
void Reader::expect_unchanged(Span s) const {
    if (changed_.empty()) return;
    for (const std::string& name : used_in(code_of(source_, s)))
        for (const std::string& array : {name, gradient_key(gradient_named(name))})
            if (const auto found = changed_.find(array); found != changed_.end()) fail(s, found->second);
}

/// What calls a function or a module that another line gives another meaning.
void Reader::expect_meanings_kept(Span s) const {
    if (is_passed(s) || word_at(s) == "def") return;
    const auto is_value = [&](std::string_view name) { return to_.names().defined(name); };
    if (const std::string given = rebound_.given_in(s); !given.empty())
        fail(s, fmt::format("it gives {} another meaning: nothing is executed, and what it computes is not known", given));
    const Span code = code_of(source_, s);
    const std::string why = rebound_.why(source_, code, is_value, own_.used_in(source_, code));
    if (!why.empty()) fail(s, why);
}

}  // namespace gradproof::proof::numpy
