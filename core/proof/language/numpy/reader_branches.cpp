// Branches: those that are read, and those that are passed over and return what no line judges.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// if mode == "train": and if self.training:, whose lines are read; and if __name__ == "__main__":.
bool Reader::is_of_training(Span header) {
    if (word_at(header) != "if") return false;
    const Span condition = trimmed(source_, {header.begin + 2, header.end - 1});
    const std::string_view text = source_.slice(condition);
    leave(header);
    if (text.starts_with("__name__")) return true;
    const std::size_t equals = text.find("==");
    const std::string_view said = equals == std::string_view::npos ? text : text.substr(equals);
    const bool plain = text.find_first_of("(<>!&|+") == std::string_view::npos && text.find(" and ") == std::string_view::npos &&
                       text.find(" or ") == std::string_view::npos && !text.starts_with("not ") &&
                       text.find("False") == std::string_view::npos;
    if (!plain || said.find("train") == std::string_view::npos || to_.names().defined(word_at(condition))) return false;
    training_ = indent_of(source_, header.begin);
    if (told_heads_.insert(std::string(text)).second) to_.holds_for(fmt::format("the branch {}", text));
    return true;
}

/// What stands behind if self.training: ... return y, in the same function: it is the other branch.
bool Reader::is_behind_training(Span s) {
    const std::size_t indent = indent_of(source_, s.begin);
    if (training_ && indent > *training_) {
        if (!training_body_) training_body_ = indent;
        if (word_at(s) == "return" && indent == *training_body_) training_returned_ = training_;
        return false;
    }
    training_body_.reset();
    if (training_returned_ && indent < *training_returned_) training_returned_.reset();
    return training_returned_.has_value();
}

/// if ctx.needs_input_grad[0]: grad_X = ..., of the input in that place.
bool Reader::is_for_input(Span header, Span body) {
    constexpr std::string_view kNeeds = "if ctx.needs_input_grad[";
    const std::string_view text = source_.slice(header);
    const std::string_view place = text.substr(0, text.size() - 2).substr(std::min(kNeeds.size(), text.size() - 2));
    if (!text.starts_with(kNeeds) || !text.ends_with("]:") || place.size() != 1 || place[0] < '0' || place[0] > '9') return false;
    const std::size_t at = static_cast<std::size_t>(place[0] - '0');
    return at < inputs_.size() && std::ranges::all_of(statements_in(source_, body), [&](Span s) {
               const auto [sign, size] = assignment_in(source_, s);
               return size == 1 && gradient_named(std::string(source_.slice(trimmed(source_, {s.begin, sign})))) == inputs_[at];
           });
}

/// The elif and else of a branch that is read.
bool Reader::is_left_out(Span header) {
    const std::string_view word = word_at(header);
    return training_ && indent_of(source_, header.begin) == *training_ && (word == "elif" || word == "else");
}

/// Of "if loss < 1e-8: return loss, w" in a function, but not of "if dy is None: return None".
void Reader::see_early_returns(Span header, Span body) {
    if (here_ == 0 || function_name_.starts_with("test") || has_any(source_.slice(header), {" is None", "isinstance("})) return;
    for (const Span s : statements_in(source_, body))
        if (word_at(s) == "return") early_returns_.push_back({here_, s});
}

/// Whether it gives the same as the return that ends its function: loss, dw of loss, dw and loss, dw, cache, which no line
/// between the two changes.
bool Reader::returns_as_the_last(const EarlyReturn& early) const {
    const auto last = last_returns_.find(early.function);
    if (last == last_returns_.end()) return false;
    const auto given = [&](Span s) {
        const std::size_t word = std::string_view("return").size();
        return split_at_commas(source_, without_brackets(source_, trimmed(source_, {s.begin + word, s.end})));
    };
    const std::vector<Span> here = given(early.statement), there = given(last->second);
    for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
        const std::string_view name = source_.slice(here[i]);
        if (name != source_.slice(there[i]) || identifier_length(name) != name.size()) return false;
        for (const Span s : statements_in(source_, {early.statement.end, last->second.begin}))
            if (gives_value(s, std::string(name))) return false;
    }
    return !here.empty() && !there.empty();
}

void Reader::tell_early_returns() {
    for (const EarlyReturn& early : early_returns_) {
        const auto of_function = [&](const auto& value) { return value.second == early.function; };
        const auto in_function = [&](const Claim& c) { return c.function == early.function; };
        const bool is_read = std::ranges::any_of(function_, of_function) || std::ranges::any_of(claims_, in_function);
        if (is_read && !returns_as_the_last(early)) tell(early.statement, "what is returned in this case is not judged");
    }
}

}  // namespace gradproof::proof::numpy
