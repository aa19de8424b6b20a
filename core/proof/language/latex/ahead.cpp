// What stands ahead, from the last token to the first.
#include "gradproof/core/proof/language/latex/ahead.hpp"

namespace gradproof::proof::latex {

Ahead::Ahead(const Tokens& all) : all_(all), next_(all.size() + 1) {
    const std::size_t end = all.size();
    next_[end] = {end, end, end, false};
    std::vector<std::size_t> closers;  // that nothing opens so far
    for (std::size_t i = end; i-- > 0;) {
        const Token& t = all[i];
        const Next& after = next_[i + 1];
        const bool separates = is_separator(t), equals = is_equals(t), ends_row = t.is_command("\\\\");
        const bool goes_on = is_small_letter(t) && i + 1 < end && all[i + 1].is_symbol(",");
        next_[i] = {.behind = separates || t.is_symbol("&") ? after.behind : i,
                    .last = goes_on ? next_[after.behind].last : i,
                    .equals = equals                                                  ? i
                              : separates || ends_row || t.kind == Token::Kind::words ? end
                                                                                      : after.equals,
                    .dots = !equals && !ends_row && (is_dots(t) || after.dots)};
        if (bracket(t) < 0) {
            closers.push_back(i);
            next_[i].equals = end;
        } else if (bracket(t) > 0) {  // what it holds is passed over
            next_[i].equals = closers.empty() ? end : next_[closers.back() + 1].equals;
            if (!closers.empty()) closers.pop_back();
        }
    }
}

bool Ahead::range_begins(std::size_t i) const {
    i = next_[i].behind;
    if (i < all_.size() && all_[i].is_symbol("(")) ++i;
    i = next_[i].last;
    if (i + 1 >= all_.size()) return false;
    if (all_[i].kind == Token::Kind::digits)
        return is_other_relation(all_[i + 1]) && i + 2 < all_.size() && is_small_letter(all_[i + 2]);
    if (!is_small_letter(all_[i])) return false;
    const auto is_space = [&](std::size_t at) { return at < all_.size() && all_[at].is_command("\\mathbb"); };
    if (all_[i + 1].is_command("\\in") && is_space(i + 2)) return false;  // x \in \mathbb{R}^n
    return is_other_relation(all_[i + 1]) || (all_[i + 1].is_symbol("=") && next_[i + 2].dots);
}

bool Ahead::equation_begins(std::size_t i) const {
    const std::size_t begin = next_[i].behind;
    if (range_begins(begin)) return false;
    const std::size_t equals = next_[begin].equals;
    return equals < all_.size() && (equals > begin + 1 || !is_small_letter(all_[begin]));  // i = 3 is none
}

}  // namespace gradproof::proof::latex
