// Updates of parameters behind all else, W -= lr * dW, also of all in a loop, and gradients that are clipped for them: what the
// lines above say is as it was.
#include <algorithm>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

bool is_shown(std::string_view code, std::string_view word) {
    return word == "print" || word == "assert" || code.starts_with("#");
}
/// Of return dZ @ W.T, dW the parts that compute something: dZ @ W.T. Nothing of other lines.
std::vector<Span> computed_at_return(const Source& source, Span code) {
    std::vector<Span> out;
    const Span returned = trimmed(source, {code.begin + std::string_view("return").size(), code.end});
    const std::string_view text = source.slice(returned);
    std::vector<Span> parts = split_at_commas(source, returned);
    const bool bracketed = (text.starts_with("(") && text.ends_with(")")) || (text.starts_with("[") && text.ends_with("]"));
    if (parts.size() == 1 && bracketed) parts = split_at_commas(source, {returned.begin + 1, returned.end - 1});
    for (const Span part : parts)
        if (source.slice(part).find_first_of("+-*/@%(") != std::string_view::npos || source.slice(part).ends_with(".T"))
            out.push_back(part);
    return out;
}

/// {"W1": W1, "b1": b1}, which computes nothing.
bool is_dict(std::string_view text) {
    return text.starts_with("{") && text.ends_with("}") && text.find_first_of("+-*/@(") == std::string_view::npos;
}

/// Whether d[...] stands in the text.
bool mentioned(std::string_view text, std::string_view dict) {
    const std::size_t at = text.find(dict);
    return at != std::string_view::npos && text.substr(at + dict.size()).starts_with("[");
}

}  // namespace

/// Where the function ends that a statement stands in; outside of all, the text.
std::size_t Reader::end_of_function(std::size_t from) const {
    if (here_ == 0) return text_.end;
    for (std::size_t i = from; i < text_.end;) {
        const std::size_t end = end_of_statement(source_, i, text_.end);
        const Span s = trimmed(source_, {i, end});
        if (s.begin < s.end && source_.text()[s.begin] != '#' && indent_of(source_, s.begin) <= indent_) return s.begin;
        i = end + 1;
    }
    return text_.end;
}

/// W -= lr * dW, where no line below in the function uses W or its gradient.
bool Reader::is_update(Span s, Span left) const {
    if (claims_.empty()) return false;
    const std::optional<Place> place = place_of(source_, left);
    const std::string name(source_.slice(place ? place->member : left));
    if (place && holds_gradients(place->owner)) return false;
    if (!to_.names().values.contains(name) || to_.proof().find(name) != nullptr) return false;
    std::vector<std::string> names = aliases_.others_of(name);
    std::ranges::copy(file_.saved.keys_of(name), std::back_inserter(names));
    names.push_back(name);
    bool used = false;
    each_line(source_, {s.end, end_of_function(s.end)}, [&](Span line) {
        const Span code = code_of(source_, trimmed(source_, line));
        if (is_shown(source_.slice(code), word_at(code))) return;
        if (word_at(code) == "return") {
            for (const Span part : computed_at_return(source_, code))
                for (const std::string& n : used_in(part)) used = used || std::ranges::count(names, n) > 0;
            return;
        }
        const auto [at, size] = assignment_in(source_, code);
        const Span target = trimmed(source_, {code.begin, at});
        const std::optional<Place> there = place_of(source_, target);
        if (size > 0 && source_.slice(there ? there->member : target) == name) return;  // another update
        if (size == 1 && is_dict(source_.slice(trimmed(source_, {at + size, code.end})))) return;
        for (const std::string& n : used_in(code)) used = used || std::ranges::count(names, n) > 0 || gradient_named(n) == name;
    });
    return !used;
}

/// m = 0.9 * m + 0.1 * dW of an m that no line says the start of: what an optimiser keeps.
bool Reader::is_state_update(Span left, Span right) const {
    if (claims_.empty()) return false;
    const std::string_view target = source_.slice(left);
    if (!value_with_grad(target).empty()) return false;
    const std::optional<Place> place = place_of(source_, left);
    const std::string name(place ? place->key : std::string(target));
    const bool plain = place || identifier_length(target) == target.size();
    const std::string member(place ? source_.slice(place->member) : target);
    if (!plain || to_.names().defined(member) || file_.saved.find(name) || !gradient_named(member).empty() ||
        first_.contains(name))
        return false;
    const std::string_view text = source_.slice(right);
    for (std::size_t at = text.find(target); at != std::string_view::npos; at = text.find(target, at + 1)) {
        const bool begins = at == 0 || identifier_length(text.substr(at - 1)) == 0 || text[at - 1] == '.';
        if (begins && identifier_length(text.substr(at + target.size())) == 0) return true;
    }
    return false;
}

/// What a list of that name holds, which a line of the function above puts together: outs = [dx, dw].
std::vector<std::string> Reader::list_above(const std::string& name, std::size_t before) const {
    std::vector<std::string> out;
    for (const Span s : statements_in(source_, {function_begin_, before})) {
        const auto [at, size] = assignment_in(source_, s);
        if (size != 1 || source_.slice(trimmed(source_, {s.begin, at})) != name) continue;
        const std::string_view right = source_.slice(trimmed(source_, {at + size, s.end}));
        out = right.starts_with("[") || right.starts_with("(") ? identifiers_in(right) : std::vector<std::string>{};
    }
    return out;
}

/// g of for g in (dW, db), for p, g in zip((W, b), (dW, db)) and for name, g in grads.items().
std::vector<std::string> Reader::over_gradients(Span header) const {
    const std::size_t in = source_.text().find(" in ", header.begin);
    if (in >= header.end) return {};
    const auto is_gradient = [&](const std::string& name) { return !gradient_named(name).empty() || holds_gradients(name); };
    const auto has_gradients = [&](Span s) {
        return std::ranges::any_of(identifiers_in(source_.slice(s)), [&](const std::string& name) {
            return is_gradient(name) || std::ranges::any_of(list_above(name, header.begin), is_gradient);
        });
    };
    const std::vector<std::string> over = identifiers_in(source_.slice({header.begin + 3, in}));
    const Span all{in + 4, header.end}, zipped = given_to(source_, trimmed(source_, {all.begin, all.end - 1}), "zip(");
    const std::vector<Span> parts = split_at_commas(source_, zipped);
    if (over.empty() || !has_gradients(all)) return {};
    if (parts.size() != over.size()) return {over.back()};
    std::vector<std::string> out;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (has_gradients(parts[i])) out.push_back(over[i]);
    return out;
}

/// Whether the lines of a loop only update or clip what it goes over: for p, dp in zip(...): p -= lr * dp, and params[k] -= ...
bool Reader::only_updates(Span header, Span body) const {
    const std::size_t in = source_.text().find(" in ", header.begin);
    if (in >= header.end || body.begin >= body.end) return false;
    const std::vector<std::string> over = identifiers_in(source_.slice({header.begin + 3, in}));
    const auto is_over = [&](std::string_view name) { return is_one_of(over, name); };
    const bool is_range = source_.slice({in, header.end}).find("range(") != std::string_view::npos;
    const std::vector<std::string> gradients = over_gradients(header);
    // g *= max_norm / norm, of names that no line says, and not g *= 2
    const auto is_clipped = [&](Span s, std::size_t sign) {
        const char op = source_.text()[sign];
        const std::vector<std::string> names = identifiers_in(source_.slice({sign, s.end}));
        return (op == '*' || op == '/') &&
               std::ranges::any_of(names, [&](const std::string& name) { return !to_.names().defined(name); });
    };
    bool any = false;
    const auto updates = [&](Span s) {
        const std::string_view code = source_.slice(s), word = word_at(s);
        if (is_passed(s) || (word == "if" && code.ends_with(":")) || code == "else:") return true;
        if (code.starts_with("np.clip(")) {
            const std::size_t out = code.find("out=");
            return any = out != std::string_view::npos && is_over(code.substr(out + 4, identifier_length(code.substr(out + 4))));
        }
        const auto [at, size] = assignment_in(source_, s);
        const Span left = trimmed(source_, {s.begin, at});
        const std::string_view target = source_.slice(left);
        if (size == 0 || to_.names().defined(word_at(left)) || target.find(',') != std::string_view::npos) return false;
        const std::size_t open = target.find('[');
        const std::string_view owner = target.substr(0, open);
        if (open == std::string_view::npos) {  // p -= ..., p.data -= ..., and a name of its own
            if (!gradient_named(std::string(target)).empty()) return false;
            const bool of_gradient = is_one_of(gradients, word_at(left)) || target.ends_with(".grad");
            if (of_gradient && !is_clipped(s, at)) return false;
            any = any || (is_over(word_at(left)) && size == 2);
            const std::vector<std::string> by = identifiers_in(source_.slice({at + size, s.end}));
            const bool is_changed_alone =
                size == 2 && is_over(word_at(left)) && std::ranges::none_of(by, [&](const std::string& name) {
                    return (is_over(name) && name != word_at(left)) || name == "grad" || !gradient_named(name).empty();
                });
            if (is_changed_alone && !of_gradient) return false;  // for o in outs: o *= 2
            return !is_over(word_at(left)) || size == 2 || target.ends_with(".data");
        }
        // params[k] -= ..., v[k] = 0.9 * v[k] + ..., but no rows of an array.
        const bool is_row = is_range && target.find_first_of("'\"") == std::string_view::npos;
        const bool goes_on = size == 2 || mentioned(source_.slice({at + size, s.end}), owner);
        if (is_row || !goes_on || axes_.contains(owner) || !gradient_named(std::string(owner)).empty()) return false;
        const bool clips = source_.slice(trimmed(source_, {at + size, s.end})).starts_with("np.clip(");
        if (holds_gradients(owner) && !clips) return false;
        return any = true;
    };
    return std::ranges::all_of(statements_in(source_, body), updates) && any;
}

/// Whether the lines of a loop only call functions that are read where they stand, and update by what these return.
bool Reader::only_drives(Span body) const {
    bool calls = false;
    const auto drives = [&](Span s) {
        const std::string_view code = source_.slice(s), word = word_at(s);
        if (is_passed(s) || (word == "if" && code.ends_with(":")) || code == "else:") return true;
        if (code.substr(word.size()).starts_with(".append(")) return !to_.names().defined(word);
        const auto [at, size] = assignment_in(source_, s);
        const Span left = trimmed(source_, {s.begin, at}), right = trimmed(source_, {at + size, s.end});
        if (size == 0) return false;
        if (const std::optional<Program::Call> call = program_.call_in(source_, right); call && size == 1) {
            const std::string_view callee = source_.slice(right);
            calls = true;
            return own_.find(callee.substr(0, identifier_length(callee))) == nullptr && gives_the_same(*call);
        }
        const std::string name(source_.slice(left));
        const std::optional<Place> read = place_of(source_, right);
        if (read && size == 1 && holds_gradients(read->owner)) return source_.slice(read->member) == name;  // dw = grads["dw"]
        const bool given = to_.names().values.contains(name) && to_.proof().find(name) == nullptr;
        const bool updates = size == 2 || added_to_itself(source_, name, right).second == '-';
        return given && updates;
    };
    return std::ranges::all_of(statements_in(source_, body), drives) && calls;
}

/// Such a loop, below which nothing of the function computes with inputs and gradients.
bool Reader::updates_all(Span header, Span body) const {
    if ((!only_updates(header, body) && !only_drives(body)) || (claims_.empty() && here_ == 0)) return false;
    const std::size_t last = end_of_function(body.end);
    const auto is_given = [&](const std::string& name) {
        return to_.names().values.contains(name) && to_.proof().find(name) == nullptr;
    };
    for (std::size_t i = body.end + 1; i < last;) {
        const std::size_t end = end_of_statement(source_, i, last);
        const Span s = code_of(source_, trimmed(source_, {i, end}));
        i = end + 1;
        if (s.begin >= s.end || is_shown(source_.slice(s), word_at(s))) continue;
        if (word_at(s) == "return") {
            for (const Span part : computed_at_return(source_, s))
                if (std::ranges::any_of(used_in(part), is_given)) return false;
            continue;
        }
        if (word_at(s) == "for") {
            const std::size_t behind = end_of_body(source_, s, end, last);
            if (!only_updates(s, {end, behind})) return false;
            i = behind + 1;
            continue;
        }
        const auto [at, size] = assignment_in(source_, s);
        if (size == 1 && is_dict(source_.slice(trimmed(source_, {at + size, s.end})))) continue;
        for (const std::string& name : used_in(s)) {
            if (is_given(name) || !gradient_named(name).empty() || holds_gradients(name)) return false;
        }
    }
    return true;
}

}  // namespace gradproof::proof::numpy
