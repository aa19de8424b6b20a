// What is looked for in all of a program before its lines are read: names of imports, arrays that loops fill, lists that are only
// shown.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/bound_again.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// sigmoid of sigmoid(z) below from activations import *, unless the file defines it or Python does.
void Reader::find_imported() {
    constexpr std::array<std::string_view, 3> kOfPython{"abs", "pow", "round"};
    for (const std::string& name : identifiers_in(source_.text())) {
        const bool defined = source_.text().find(fmt::format("def {}(", name)) != std::string_view::npos;
        if (Statements::has_meaning(name) && !defined && !is_one_of(kOfPython, name)) imports_.unknown.insert(name);
    }
}

/// x.astype(np.float16), dtype=torch.half: its numbers have three digits, and are read as if they had all.
void Reader::tell_half_precision() {
    constexpr std::array<std::string_view, 4> kHalf{"float16", "half", "bfloat16", "float8_e4m3fn"};
    each_line(source_, text_, [&](Span line) {
        const Span code = code_of(source_, trimmed(source_, line));
        if (code.begin >= code.end || source_.slice(code).starts_with("#")) return;
        const std::vector<std::string> words = identifiers_in(source_.slice(code));
        for (const std::string_view type : kHalf)
            if (is_one_of(words, type) && source_.slice(code).find("." + std::string(type)) != std::string_view::npos)
                return tell(code, fmt::format("{} is read as a type of all digits", type));
    });
}

/// softmax of softmax = nn.Softmax(dim=0), in a cell above or outside of the lines that are marked.
void Reader::find_bound_elsewhere() {
    const auto see = [&](Span part) {
        each_line(source_, part, [&](Span line) {
            const std::string_view code = source_.slice(code_of(source_, trimmed(source_, line)));
            if (code.starts_with("#") || code.starts_with("import ") || code.starts_with("from ")) return;
            for (const std::string& name : identifiers_in(code))
                if (Statements::has_meaning(name) && own_.find(name) == nullptr && binds(code, name))
                    imports_.unknown.insert(name);
        });
    };
    for (const Span cell : source_.unmarked_cells())
        if (cell.end <= text_.begin) see(cell);
    if (!source_.file().ends_with(".py")) return find_defined_in_other_parts();
    see({0, text_.begin});
    see({text_.end, source_.text().size()});
}

/// def sigmoid(z): in another block of a Markdown file or notebook, however that is fenced, and %run helpers.py in one above.
void Reader::find_defined_in_other_parts() {
    bool runs_others = false;
    each_line(source_, {0, source_.text().size()}, [&](Span line) {
        if (text_.begin <= line.begin && line.begin < text_.end) return;
        const Span s = trimmed(source_, line);
        const std::string_view code = source_.slice(s);
        const bool above =
            line.begin < text_.begin && !code.starts_with("#") && !code.starts_with("import ") && !code.starts_with("from ");
        runs_others = runs_others || (above && binds_unseen(code));
        const std::size_t lambda = code.find("= lambda");
        const std::size_t at = code.starts_with("def ") ? 4 : lambda != code.npos ? 0 : code.size();
        const std::string name(code.substr(at, identifier_length(code.substr(at))));
        const OwnFunction* const own = name.empty() ? nullptr : own_.find(name);
        const bool seen = own != nullptr && (own->head.begin >= line.begin || own->head.begin >= text_.begin);
        if (Statements::has_meaning(name) && !seen) imports_.unknown.insert(name);
    });
    if (runs_others) find_imported();
}

/// Whether the statement gives the name a value, or may do so.
bool Reader::gives_value(Span s, const std::string& name) const {
    const auto [at, size] = assignment_in(source_, s);
    if (size > 0 && is_one_of(identifiers_in(source_.slice({s.begin, at})), name)) return true;
    const std::string_view code = source_.slice(code_of(source_, s));
    return binds(code, name) || binds_unseen(code);
}

/// The statements of a program, and of Markdown and notebooks those of the cells above, too.
void Reader::find_statements() {
    std::vector<Span> texts{text_};
    if (source_.file().ends_with(".py"))
        texts = {{0, source_.text().size()}};
    else
        for (const Span cell : source_.unmarked_cells()) texts.push_back(cell);
    for (const Span one : texts) try {
            const std::vector<Span> some = statements_in(source_, one);
            statements_.insert(statements_.end(), some.begin(), some.end());
        } catch (const ProofError&) {  // told where it is read
        }
}

/// dP of a function that no line of it assigns and that it is not given: in Python it has no value. Of inputs the text says so.
void Reader::expect_bound(const std::string& name, std::size_t at) {
    const bool nested = indent_ > 0 && class_ == 0;  // in a function that gives it more names
    if (here_ == 0 || nested || parameters_.contains(name) || is_input(name) || to_.names().dims.contains(name)) return;
    if (bound_names_.contains(name)) return;
    if (to_.proof().find(name) != nullptr && !function_.contains(name)) return;  // of the lines outside of functions
    if (statements_.empty()) find_statements();
    const std::size_t end = end_of_function(end_of_statement(source_, function_begin_, text_.end) + 1);
    std::optional<Span> first;  // of the function
    bool outside = false;
    for (const Span s : statements_) {
        const bool inside = function_begin_ < s.begin && s.begin < end;
        if ((inside && first) || !gives_value(s, name)) continue;
        if (inside) first = s;
        outside = outside || (!inside && (indent_of(source_, s.begin) <= indent_ || word_at(s) == "global"));
    }
    const Span here{at, at + name.size()};
    if (!first && !outside) fail(here, fmt::format("{} has no value in this function: no line of it assigns {}", name, name));
    const bool in_block = indent_of(source_, at) > body_indent_ && body_indent_ > 0;
    if (first && first->begin > at && !in_block)
        fail(here, fmt::format("{} has no value here: line {} assigns it, below", name, source_.line(first->begin)));
    bound_names_.insert(name);
}

/// The names in comments, the arrays that are made empty and then assigned row by row, and the names that are zeros and then
/// assigned within a loop.
void Reader::find_filled() {
    std::map<std::string, std::size_t, std::less<>> zeros;  // how far the line is indented
    each_line(source_, text_, [&](Span line) {
        const Span s = trimmed(source_, line);
        for (std::string& name : identifiers_in(source_.slice(note_in(source_, s)))) noted_.insert(std::move(name));
        const auto [at, size] = assignment_in(source_, s);
        const std::string_view left = source_.slice({s.begin, at});
        const std::size_t n = identifier_length(left), indent = s.begin < s.end ? indent_of(source_, s.begin) : 0;
        const std::string name(left.substr(0, n));
        if (size == 1 && n > 0 && trimmed(source_, {s.begin, at}).end == s.begin + n) {
            const bool zero = source_.slice({at, s.end}).find("zeros") != std::string_view::npos;
            if (zero) zeros.emplace(name, indent);
            const bool adds = added_to_itself(source_, name, {at + size, s.end}).first.end > 0;
            if (const auto before = zeros.find(name); !zero && !adds && before != zeros.end() && indent > before->second)
                carried_.insert(name);
        }
        if (size == 1 && n > 0 && left.substr(n).starts_with("[")) filled_.insert(std::string(left.substr(0, n)));
        if (const std::string_view text = source_.slice(s); text.substr(identifier_length(text)).starts_with(".append("))
            appended_.insert(std::string(text.substr(0, identifier_length(text))));
    });
}

/// losses of losses.append(loss), where it is only made empty, added to and shown.
void Reader::find_logged() {
    logged_ = appended_;
    for (const Span s : statements_in(source_, text_)) {
        const std::string_view text = source_.slice(s), word = word_at(s);
        if (word == "print" || word == "plt" || word == "return" || logged_.empty()) continue;
        const auto [at, size] = assignment_in(source_, s);
        const std::string_view right = source_.slice(trimmed(source_, {at + size, s.end}));
        const bool appends = text.substr(word.size()).starts_with(".append(");
        const bool begins =
            size == 1 && source_.slice(trimmed(source_, {s.begin, at})) == word && (right == "[]" || right == "list()");
        for (const std::string& name : identifiers_in(text))
            if (name != word || !(appends || begins)) logged_.erase(name);
    }
}

}  // namespace gradproof::proof::numpy
