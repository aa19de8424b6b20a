// Functions that go together by their names, f and f_backward, where another function is read as the forward; and what functions
// change of what they are given.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

/// A def of the text.
struct Reader::Function {
    std::string name;
    Span head, body;
    std::size_t in_class = 0;  ///< where the class begins that it stands in, 0 of none
    bool has(Span s) const { return body.begin <= s.begin && s.begin < body.end; }
};

std::vector<Reader::Function> Reader::functions_of_text() const {
    std::vector<Function> out;
    std::size_t in_class = 0;
    for (const Span s : statements_in(source_, text_)) {
        const std::string_view word = word_at(s);
        if (indent_of(source_, s.begin) == 0) in_class = word == "class" ? s.begin : 0;
        if (word == "def") out.push_back({std::string(word_at({s.begin + 4, s.end})), s, body_of(s), in_class});
    }
    return out;
}

/// Whether values that judged lines go back to are computed in it, or by calls of it.
std::vector<bool> Reader::are_in_forward(const std::vector<Function>& all) const {
    std::vector<bool> out(all.size(), false);
    const std::set<std::string> used = names_behind_lines(to_.proof(), true);
    std::vector<std::string_view> texts;
    for (const Assignment& a : to_.proof().forward) {
        if (!used.contains(a.name) && !a.is_loss) continue;
        texts.push_back(source_.slice(a.statement.span));
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].has(a.statement.span)) out[i] = true;
    }
    for (std::size_t at = 0; at < texts.size(); ++at)
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!out[i] && texts[at].find(all[i].name + "(") != std::string_view::npos) {
                out[i] = true;
                texts.push_back(source_.slice(all[i].body));
            }
    return out;
}

/// Of leaky_relu_backward in a file in which relu is the forward nothing can be told.
void Reader::doubt_other_forwards() {
    const std::vector<Function> all = functions_of_text();
    const std::vector<bool> used = are_in_forward(all);
    const auto first = std::ranges::find(used, true);
    if (first == used.end()) return;
    const auto computes = [&](const Function& f) {
        return std::ranges::any_of(claims_, [&](const Claim& c) { return f.has(c.span); });
    };
    for (const Function& g : all) {
        const std::string stem = stem_of_pair(g.name);
        if (stem.empty() || !computes(g)) continue;
        std::string other;
        bool read = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].name == g.name || all[i].in_class != g.in_class || stem_of_pair(all[i].name) != stem || computes(all[i]))
                continue;
            read = read || used[i];
            other = all[i].name;
        }
        if (other.empty() || read) continue;
        const std::string& forward = all[static_cast<std::size_t>(first - used.begin())].name;
        to_.doubt([&](const JudgedLine& l) { return g.has(l.statement.span); },
                  fmt::format("by its name {} goes with {}, and the forward that is read is {}: a file for each", g.name, other,
                              forward));
    }
}

/// What is changed in place there, without what selects entries of it: a of a += 1, a[i] = 0, a.mul_(b) and f(b, out=a); "" of none.
std::string Reader::changed_in_place(Span s) const {
    const std::string_view text = source_.slice(s);
    const auto [at, size] = assignment_in(source_, s);
    const std::string_view left = size > 0 ? source_.slice(trimmed(source_, {s.begin, at})) : "";
    const std::size_t open = left.find('[');
    if (size == 2 || open != left.npos) return std::string(left.substr(0, open));
    if (const std::size_t call = text.find("_("); size == 0 && call != text.npos && text.rfind('.', call) != text.npos)
        return std::string(text.substr(0, text.rfind('.', call)));
    if (const std::size_t out = text.find("out="); out != text.npos && out > 0 && !is_word(text[out - 1]))
        return std::string(word_at({s.begin + out + 4, s.end}));
    return "";
}

/// dz = self.p; dz -= y and dout[x < 0] = 0: what the object keeps, or what the function is given, is another array afterwards.
void Reader::tell_changes_of_given() {
    const std::vector<Function> all = functions_of_text();
    const std::vector<bool> used = are_in_forward(all);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Function& f = all[k];
        if (!used[k] && std::ranges::none_of(claims_, [&](const Claim& c) { return f.has(c.span); })) continue;
        std::map<std::string, std::string> origin;  // by names: what each is another name for
        for (const OwnFunction::Parameter& p : parameters_of(source_, f.head))
            if (p.name != "self" && p.name != "cls" && p.name != "ctx") origin[p.name] = p.name;
        for (const Span s : statements_in(source_, f.body)) {
            const bool passed = std::ranges::any_of(updates_, [&](Span u) { return u.begin == s.begin; });
            if (const auto found = origin.find(changed_in_place(s)); found != origin.end() && !passed) {
                tell(s, fmt::format("it changes {}, which the function is given or the object keeps", found->second));
                origin.erase(found);
            }
            follow_aliases(s, origin);
        }
    }
}

/// a = b, a = b.T and a, b = cache: what names stand for from there on.
void Reader::follow_aliases(Span s, std::map<std::string, std::string>& origin) const {
    const auto [at, size] = assignment_in(source_, s);
    if (size != 1) return;
    const std::vector<Span> left = split_at_commas(source_, without_brackets(source_, trimmed(source_, {s.begin, at}))),
                            right = split_at_commas(source_, without_brackets(source_, trimmed(source_, {at + 1, s.end})));
    for (std::size_t i = 0; i < left.size(); ++i) {
        const std::string name(source_.slice(left[i]));
        if (identifier_length(name) != name.size()) continue;
        const bool unpacks = right.size() == 1 && left.size() > 1;
        std::string_view value = right.size() == left.size() || unpacks ? source_.slice(right[unpacks ? 0 : i]) : "";
        for (const std::string_view view : {".T", ".ravel()"})
            if (value.ends_with(view)) value.remove_suffix(view.size());
        const bool kept = value.starts_with("self.") && identifier_length(value.substr(5)) + 5 == value.size();
        const bool saved = value.ends_with(".saved_tensors");
        const auto given = origin.find(std::string(value));
        std::string of = given != origin.end() ? given->second : kept || saved ? std::string(value) : "";
        if (unpacks && !of.empty()) of = name;
        if (of.empty() || (kept && !gradient_named(std::string(value.substr(5))).empty()))
            origin.erase(name);
        else
            origin[name] = std::move(of);
    }
}

}  // namespace gradproof::proof::numpy
