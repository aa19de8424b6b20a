// Names and looks of blocks of code.
#include "gradproof/core/proof/language/fences.hpp"

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof {

Named named_by(std::string_view info) {
    const auto nearly = [](std::string_view word) {
        const std::string w = lower(word);
        return w.find("proof") != std::string::npos || edit_distance(w.substr(0, 20), "proof") <= 1 ? Named::nearly
                                                                                                    : Named::other;
    };
    if (!info.starts_with('{')) {
        const auto [word, behind] = first_word(info, " \t\r\n{");
        const std::string language = lower(word);
        if (lower(first_word(behind).first) == "proof") {
            if (language == "latex" || language == "tex") return Named::latex;
            if (language == "python" || language == "py" || language == "numpy") return Named::numpy;
            return Named::nearly;
        }
        return lower(word) == "proof" ? Named::proof : nearly(word);
    }
    Named out = Named::other;
    bool classed = false;
    for (auto rest = trimmed(info.substr(1, info.find('}') - 1)); !rest.empty();) {
        const auto [word, behind] = first_word(rest);
        rest = behind;
        if (word.starts_with('.') && !std::exchange(classed, true) && lower(word) == ".proof") return Named::proof;
        if (word.find('=') == std::string_view::npos && nearly(word) == Named::nearly) out = Named::nearly;
    }
    return out;
}

namespace {

/// Whether a line would open a proof where fences stand.
bool opens_proof(std::string_view line) {
    const std::string_view body = line.substr(std::min(line.find_first_not_of(" \t>"), line.size()));
    const std::size_t length = std::min(body.find_first_not_of(body.empty() ? '`' : body[0]), body.size());
    if (length < 3 || body.find_first_of("`~") != 0) return false;
    const Named named = named_by(trimmed(body.substr(length)));
    return named == Named::proof || named == Named::latex || named == Named::numpy;
}

}  // namespace

Looks looks_of(std::string_view code) {
    Looks out;
    bool any = false;
    for (std::size_t at = 0; at < code.size();) {
        const std::string_view line = line_at(code, at);
        const std::string_view word = first_word(trimmed(line)).first;
        out.forward = out.forward || word == "forward" || (word == "loss" && line.find('=') != std::string_view::npos);
        out.claim = out.claim || word == "claim" || word == "expect";
        if (!std::exchange(any, any || !word.empty()))
            out.first = word == "title" || word == "dims" || word == "input" || word == "const" || word == "forward";
        if (out.fence == std::string_view::npos && opens_proof(line)) out.fence = at;
        at += line.size() + 1;
    }
    return out;
}

bool claims_a_derivative(std::string_view formula) {
    const bool derivative = formula.find("\\partial") != formula.npos || formula.find("\\nabla") != formula.npos;
    return derivative && formula.find('=') != formula.npos;
}

bool is_python(std::string_view info) {
    const std::string all = lower(std::string(info));
    for (std::size_t i = 0; i < all.size();) {
        const std::size_t begin = all.find_first_not_of("{}. ,", i),
                          end = std::min(all.find_first_of("{}. ,", begin), all.size());
        if (begin == std::string::npos) break;
        const std::string_view word = std::string_view(all).substr(begin, end - begin);
        for (const std::string_view name : {"python", "py", "python3", "ipython", "ipython3", "jupyter", "pycon", "code-cell"})
            if (word == name) return true;
        i = end;
    }
    return false;
}
bool is_annotated_program(std::string_view info, std::string_view code) {
    const std::string name = lower(first_word(info).first);
    const bool latex = name == "latex" || name == "tex", python = is_python(info);
    if (!latex && !python) return false;
    for (const std::string_view word : {"dims ", "input ", "const "})
        if (code.find((latex ? "% gradproof: " : "# gradproof: ") + std::string(word)) != std::string_view::npos) return true;
    return false;
}

bool claims_gradients(std::string_view info, std::string_view code) {
    const std::string language = lower(first_word(info).first);
    return (language == "latex" || language == "tex" || language == "math") && claims_a_derivative(code);
}

}  // namespace gradproof::proof
