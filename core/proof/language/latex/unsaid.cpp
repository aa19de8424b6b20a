// What a text uses and does not say.
#include "gradproof/core/proof/language/latex/unsaid.hpp"
#include "gradproof/core/proof/language/latex/uses.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {

/// Those whose indices are numbers are entries where others are, too: x_1 of an x_i.
std::vector<Unsaid> Uses::take() {
    std::vector<Unsaid> out;
    for (Unsaid& u : all_) {
        const bool letter = u.key.size() == 1 && u.key[0] >= 'a' && u.key[0] <= 'z';
        if ((letter && indices_.contains(u.key) && !bounds_.contains(u.key)) || is_entry(u)) continue;
        if (u.is_label && (indices_.contains(u.base) || as_value_.contains(u.key))) continue;
        if (u.key == u.base && u.is_bare && defined_by_index_.contains(u.base)) continue;  // S beside S_t = ...
        if (not_taken_.contains(u.base) || (u.is_size && indices_.contains(u.base) && !bounds_.contains(u.key))) continue;
        if (is_always_called(u.base)) {
            if (u.key != u.base) continue;  // F' of F
            u.is_function = true;
        }
        const bool numbered = numbered_.contains(u.key);
        const auto whole = std::ranges::find_if(all_, [&](const Unsaid& o) { return o.key == u.base && !o.is_size; });
        const bool entry = whole != all_.end() && (!is_capital(u.base) || whole->entries > 0);  // W_2 beside W is none
        if (numbered && entry) continue;
        u.is_size = bounds_.contains(u.key) || (u.is_size && !as_value_.contains(u.key));
        if (const auto claimed = claimed_.find(u.key); claimed != claimed_.end()) u.claimed_entries = claimed->second;
        if (is_line_of_another(u) || is_bar_of_another(u)) continue;
        u.is_number = u.is_number || parameters_.contains(u.key);
        u.is_transposed = transposed_.contains(u.key);
        u.is_by_entry = by_entry_.contains(u.key);
        u.is_bias = biases_.contains(u.key);
        u.is_power = powers_.contains(u.key);
        u.is_sequence = sequences_.goes_by_steps(u.key);
        name_matrix_of_rows(u);
        out.push_back(u);
    }
    return out;
}

/// \bar x beside an x_i of which the text says no more: most likely their mean, and no value of its own.
bool Uses::is_bar_of_another(const Unsaid& u) const {
    constexpr std::string_view kBar = "_bar";
    if (!u.key.ends_with(kBar) || u.entries > 0) return false;
    const std::string plain = u.key.substr(0, u.key.size() - kBar.size());
    return std::ranges::any_of(all_, [&](const Unsaid& o) { return o.key == plain && o.entries > 0 && !o.is_size; });
}

/// F of F(a - b), wherever it stands.
bool Uses::is_always_called(const std::string& base) const {
    constexpr std::string_view kGreat[] = {"Γ", "Φ", "Ψ", "Ξ"};
    const auto calls = calls_.find(base);
    const bool several = (is_capital(base) || is_one(kGreat, base)) && calls != calls_.end() && calls->second > 1;
    return (several || called_on_names_.contains(base)) && !others_.contains(base);
}

/// x_i of an x with other entries, where i runs over something elsewhere.
bool Uses::is_entry(const Unsaid& u) const {
    if (u.key.size() < u.base.size() + 2 || u.key[u.base.size()] != '_') return false;
    const std::string below = u.key.substr(u.base.size() + 1);
    const bool letters = std::ranges::all_of(below, [&](char c) { return indices_.contains(std::string(1, c)); });
    return letters && std::ranges::find(all_, u.base, &Unsaid::key) != all_.end();
}

/// U of a u that has one index wherever it stands; "" of others.
std::string Uses::matrix_of_lines(const Unsaid& u) {
    return u.key == u.base && !u.is_bare && u.entries == 1 && !u.is_size ? std::string(capital_of(u.base)) : "";
}

/// u_i of a U that the text names, too, and says that these are its rows or columns.
bool Uses::is_line_of_another(const Unsaid& u) const {
    const std::string matrix = matrix_of_lines(u);
    if (!lines_.are_of(matrix)) return false;
    NameParts whole;
    whole.source = &source_;
    whole.base = matrix;
    return is_said_(whole) || std::ranges::find(all_, matrix, &Unsaid::key) != all_.end();
}

/// x_i is row i of an X that stands in the text, and of which it does not say anything else.
void Uses::name_matrix_of_rows(Unsaid& u) const {
    const std::string matrix = matrix_of_lines(u);
    const auto found = capitals_.find(matrix);
    if (found == capitals_.end() || std::ranges::find(all_, matrix, &Unsaid::key) != all_.end()) return;
    u.name = found->second;
    u.key = u.base = matrix;
    u.is_rows = true;
}

std::vector<Unsaid> unsaid_in(const Source& source, const std::vector<Equation>& all,
                              const std::function<bool(const NameParts&)>& is_said, const LinesSaid& lines) {
    Uses uses(source, is_said, derived_in(source, all), lines);
    bool claims = false;
    uses.see_delta(all);
    uses.see_gates(all);
    for (const Equation& e : all)
        if (e.left && !e.left->empty() && !e.chained) uses.see_left(*e.left);
    for (const Equation& e : all) {
        if (!e.left || e.left->empty() || e.note.kind == Token::Kind::note) continue;
        const auto of_gradients = [](const Tokens& t) { return std::ranges::any_of(t, is_derivative_sign); };
        if (!e.chained) {
            NameParts p;
            try {
                p = parts_of(source, *e.left, 0);
            } catch (const ProofError&) {
            }
            const bool names = !p.base.empty() && (p.end == e.left->size() || (*e.left)[p.end].is_symbol("("));
            claims = of_gradients(*e.left) || of_gradients(e.right) || !names;
        }
        uses.see(e, claims);
    }
    return uses.take();
}

}  // namespace gradproof::proof::latex
