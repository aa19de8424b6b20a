// Numbers that are typed as an answer.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/exercises/numbers.hpp"
#include "gradproof/core/proof/exercises/read_answer.hpp"
#include "gradproof/core/proof/exercises/typed.hpp"

namespace gradproof::proof {

ReadAnswer read_numbers(const Exercise& exercise, const std::string& answer) {
    const Proof proof = solved(exercise);
    const Expr& right = *proof.lines.front().right;
    std::size_t count = 0, decimals = 0;
    for_each(right, [&](const Expr& e) {
        if (e.kind != Kind::number) return;
        ++count;
        decimals = std::max(decimals, decimals_of(e.name));
    });
    const std::optional<std::size_t> equals = equals_sign(answer);
    try {
        const std::string line = fmt::format(
            "{} = {}", exercise.asked, typed_numbers(std::string_view(answer).substr(equals ? *equals + 1 : 0), count, decimals));
        return {read_proofs("answer", exercise.forward + "expect\n" + line + "\n").front(), line};
    } catch (const ValueError& e) {
        throw NoAnswer(NoAnswerKind::numbers, e.what());
    }
}

}  // namespace gradproof::proof
