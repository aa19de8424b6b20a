// What the functions of a program are given and return.
#include "gradproof/core/proof/language/numpy/program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/own_functions.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::string_view kReturn = "return";

/// The parts of the last return of the lines, but of functions within.
std::vector<Span> returned_in(const Source& source, Span body) {
    std::vector<Span> out;
    for (std::size_t i = body.begin; i < body.end;) {
        const std::size_t end = end_of_statement(source, i, body.end);
        const Span s = code_of(source, trimmed(source, {i, end}));
        const std::string_view code = source.slice(s);
        i = (code.starts_with("def ") ? end_of_body(source, s, end, body.end, true) : end) + 1;
        if (code.starts_with(kReturn) && identifier_length(code) == kReturn.size()) {
            const Span all = trimmed(source, {s.begin + kReturn.size(), s.end});
            out = split_at_commas(source, without_brackets(source, all));
        }
    }
    return out;
}

/// self.W of v = self.W and of for v in (self.W, self.b), where something is changed in its place: v *= 2,
/// np.clip(v, -1, 1, out=v).
std::vector<std::string> changed_by_another_name(const Source& source, Span body) {
    constexpr std::string_view kSelf = "self.";
    std::vector<std::string> out;
    bool changes = false;
    for (const Span s : statements_in(source, body)) {
        const std::string_view text = source.slice(s);
        const auto [at, size] = assignment_in(source, s);
        const std::string_view left = source.slice(trimmed(source, {s.begin, at}));
        const bool here = (size == 2 && !left.starts_with(kSelf)) || writes_in_place(text) ||
                          (size == 1 && left.ends_with("]") && !left.starts_with(kSelf));
        changes = changes || here;
        for (std::size_t i = text.find(kSelf); i != text.npos; i = text.find(kSelf, i + 1)) {
            const std::string_view name = text.substr(i + kSelf.size());
            out.emplace_back(name.substr(0, identifier_length(name)));
        }
    }
    return changes ? out : std::vector<std::string>{};
}

/// W of the lines W -= ... and self.W -= ...
std::vector<std::string> updated_in(const Source& source, Span body) {
    constexpr std::string_view kSelf = "self.";
    std::vector<std::string> out;
    for (const Span s : statements_in(source, body)) {
        const auto [at, size] = assignment_in(source, s);
        std::string_view left = source.slice(trimmed(source, {s.begin, at}));
        if (left.starts_with(kSelf)) left.remove_prefix(kSelf.size());
        if (left.empty()) continue;
        const std::string_view right = source.slice({std::min(at + size, s.end), s.end});
        if (size == 2 || (size == 1 && right.find(left) != std::string_view::npos && right.find_first_of("+-*/") != right.npos))
            out.emplace_back(left.substr(0, identifier_length(left)));
    }
    return out;
}

/// Its text with what `named` says of each name in the place of it; x.name is no name.
std::string with_names_as(std::string_view text, const std::map<std::string, std::string, std::less<>>& named) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = identifier_length(text.substr(i));
        const auto found = size > 0 && (i == 0 || text[i - 1] != '.') ? named.find(text.substr(i, size)) : named.end();
        out += found == named.end() ? std::string(text.substr(i, std::max<std::size_t>(size, 1))) : found->second;
        i += std::max<std::size_t>(size, 1);
    }
    return out;
}

/// What a function returns first, with its own names written out, and $0, $1 for what it is given, without blanks and brackets:
/// of z = x @ W; return np.tanh(z) this is np.tanh$0@$1. Of one that assigns a name twice, "".
std::string written_out(const Source& source, const ProgramFunction& f) {
    constexpr int kMostRounds = 8;
    constexpr std::size_t kLongest = 4000;
    std::map<std::string, std::string, std::less<>> values, given;
    for (const Span s : statements_in(source, f.body)) {
        const auto [at, size] = assignment_in(source, s);
        if (size == 0) continue;
        const std::string name(source.slice(trimmed(source, {s.begin, at})));
        const bool once = size == 1 && values.emplace(name, fmt::format("({})", source.slice({at + size, s.end}))).second;
        if (!once || identifier_length(name) != name.size() || std::ranges::find(f.parameters, name) != f.parameters.end())
            return "";
    }
    for (std::size_t i = 0; i < f.parameters.size(); ++i) given.emplace(f.parameters[i], fmt::format("${}", i));
    std::string out(source.slice(f.returned[0]));
    for (int i = 0; i < kMostRounds && out.size() < kLongest; ++i) out = with_names_as(out, values);
    out = with_names_as(out, given);
    std::erase_if(out, [](char c) { return c == ' ' || c == '\n' || c == '(' || c == ')'; });
    return out;
}

}  // namespace

Program::Program(const Source& source, Span text) {
    std::vector<std::string> forward;  // of the class, by its context
    for (std::size_t i = text.begin; i < text.end;) {
        const std::size_t end = end_of_statement(source, i, text.end);
        const Span s = trimmed(source, {i, end});
        const std::string_view code = source.slice(s);
        i = end + 1;
        const bool is_class = code.starts_with("class "), is_function = code.starts_with("def ");
        if (!is_class && !is_function) continue;
        const std::size_t word = is_class ? 6 : 4;
        const std::string name(code.substr(word, identifier_length(code.substr(word))));
        if (is_class) {
            classes_.push_back(name);
            forward.clear();
            continue;
        }
        ProgramFunction f;
        f.begin = s.begin;
        const std::vector<OwnFunction::Parameter> parameters = parameters_of(source, s);
        for (const OwnFunction::Parameter& p : parameters)
            if (p.name != "self" && p.name != "cls" && p.name != "ctx") f.parameters.push_back(p.name);
        const bool has_context = !parameters.empty() && parameters[0].name == "ctx";
        const bool is_method = !parameters.empty() && parameters[0].name == "self";
        if (has_context && name == "forward") forward = f.parameters;
        if (has_context && name == "backward" && !forward.empty()) inputs_[f.begin] = forward;
        if (is_method && name == "forward") forward = f.parameters;
        if (is_method && name == "backward" && forward.size() == 1) inputs_[f.begin] = forward;
        const Span body{end, end_of_body(source, s, end, text.end, true)};
        f.body = body;
        f.returned = returned_in(source, body);
        f.updated = updated_in(source, body);
        f.changed = changed_by_another_name(source, body);
        functions_[name].push_back(std::move(f));
    }
    see_pairs(source, text);
}

/// f.defvjp(f_fwd, f_bwd)
void Program::see_pairs(const Source& source, Span text) {
    constexpr std::string_view kPair = ".defvjp(";
    const std::string_view all = source.text().substr(0, text.end);
    std::set<std::string_view> paired;
    for (std::size_t at = all.find(kPair, text.begin); at != std::string_view::npos; at = all.find(kPair, at + 1)) {
        const std::size_t open = at + kPair.size() - 1, close = closer_of(source, open, text.end);
        const std::vector<Span> names = close > open ? split_at_commas(source, {open + 1, close}) : std::vector<Span>{};
        const std::string_view name = word_before(source.text(), at);
        if (!paired.insert(name).second) paired_again_.insert(at - name.size());
        if (names.size() != 2) continue;
        const auto forward = functions_.find(source.slice(names[0])), backward = functions_.find(source.slice(names[1]));
        if (forward == functions_.end() || backward == functions_.end()) continue;
        inputs_[backward->second.back().begin] = forward->second.back().parameters;
        if (const std::vector<Span>& returned = forward->second.back().returned; returned.size() == 2)
            residuals_[backward->second.back().begin] = returned[1];
        untracked_.insert(forward->second.back().begin);
        see_forwards(source, at, forward->second.back());
    }
}
/// f of f.defvjp(f_fwd, f_bwd) returns X @ W, and f_fwd returns np.tanh(X @ W): what is differentiated is the second.
void Program::see_forwards(const Source& source, std::size_t at, const ProgramFunction& forward) {
    const std::string_view name = word_before(source.text(), at);
    const std::size_t begin = at - name.size();
    const auto f = functions_.find(name);
    if (f == functions_.end()) return;
    untracked_.insert(f->second.back().begin);
    if (f->second.back().returned.empty() || forward.returned.empty()) return;
    const std::string one = written_out(source, f->second.back()), other = written_out(source, forward);
    const bool calls = source.slice(forward.body).find(std::string(name) + "(") != std::string_view::npos;
    if (one.empty() || other.empty()) return;
    if (calls) {  // return f(x, W), (x, W), and not 2 * f(x, W)
        std::string same(name);
        for (std::size_t i = 0; i < forward.parameters.size(); ++i) same += fmt::format("{}${}", i > 0 ? "," : "", i);
        if (other != same && other.find(name) != std::string::npos) differing_.insert(begin);
        return;
    }
    repeated_.insert(f->second.back().begin);
    if (one != other) differing_.insert(begin);
}

std::vector<std::string> Program::inputs_of_backward(std::size_t def) const {
    const auto found = inputs_.find(def);
    return found == inputs_.end() ? std::vector<std::string>{} : found->second;
}

Span Program::residual_of_backward(std::size_t def) const {
    const auto found = residuals_.find(def);
    return found == residuals_.end() ? Span{} : found->second;
}

std::optional<Program::Call> Program::call_in(const Source& source, Span s) const {
    const std::string_view text = source.slice(s);
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || closer_of(source, s.begin + open, s.end) + 1 != s.end) return std::nullopt;
    const std::string_view callee = text.substr(0, open);
    const std::string_view name = callee.substr(callee.rfind('.') + 1);
    const bool computes = callee.find_first_of(" +-*/@%~<>&|^,=:{}\t\n") != std::string_view::npos;  // 2 * self.forward(x)
    const auto found = functions_.find(name);
    if (computes || found == functions_.end() || found->second.size() != 1 || identifier_length(name) != name.size())
        return std::nullopt;
    Call out{&found->second[0], {}};
    const std::vector<std::string>& parameters = out.function->parameters;
    std::size_t place = 0;
    for (const Span argument : split_at_commas(source, {s.begin + open + 1, s.end - 1})) {
        const auto [at, size] = assignment_in(source, argument);
        const std::string by(size == 1 ? source.slice(trimmed(source, {argument.begin, at})) : "");
        if (by.empty() && place >= parameters.size()) return std::nullopt;
        out.given[by.empty() ? parameters[place++] : by] = size == 1 ? trimmed(source, {at + size, argument.end}) : argument;
    }
    return out;
}

bool Program::has_class(std::string_view name) const { return std::ranges::find(classes_, name) != classes_.end(); }

}  // namespace gradproof::proof::numpy
