// Equations put another way.
#include "gradproof/core/proof/language/latex/rewritten.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool same(const Token& a, const Token& b) { return a.kind == b.kind && a.text == b.text; }

/// Whether \partial or \nabla_ stands before the name in one of the equations.
bool is_differentiated(const Tokens& name, const std::vector<Equation>& all) {
    const auto follows = [&](const Tokens& t, std::size_t i) {
        return i + name.size() <= t.size() &&
               std::equal(name.begin(), name.end(), t.begin() + static_cast<std::ptrdiff_t>(i), same);
    };
    const auto in = [&](const Tokens& t) {
        for (std::size_t i = 0; i < t.size(); ++i) {
            if (!is_derivative_sign(t[i])) continue;
            std::size_t by = i + 1;
            while (by < t.size() && (t[by].is_symbol("_") || t[by].kind == opening)) ++by;
            if (follows(t, by)) return true;
        }
        return false;
    };
    return std::ranges::any_of(
        all, [&](const Equation& e) { return e.note.kind != note && (in(e.right) || (e.left && in(*e.left))); });
}

/// With the name in the place of what it is, where that is all that brackets or bars hold.
Tokens with_name(const Tokens& all, const Tokens& of, const Tokens& name) {
    const auto is_bar = [](const Token& t) { return t.is_command("\\|") || t.is_symbol("|"); };
    Tokens out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool opens = bracket(all[i]) > 0 || is_bar(all[i]);
        out.push_back(all[i]);
        const std::size_t end = i + 1 + of.size();
        if (!opens || end >= all.size() || !(bracket(all[end]) < 0 || is_bar(all[end]))) continue;
        if (!std::equal(of.begin(), of.end(), all.begin() + static_cast<std::ptrdiff_t>(i) + 1, same)) continue;
        out.insert(out.end(), name.begin(), name.end());
        i = end - 1;
    }
    return out;
}

/// Values that these equations define, and the one argument of those that are written with it.
class Jacobians {
  public:
    Jacobians(const std::vector<Equation>& all, const Reading& reading) : reading_(reading) {
        for (const Equation& e : all) {
            if (e.note.kind == note || !e.left) continue;
            const NameParts p = parts_of(reading_.source, *e.left, 0);
            if (p.base.empty() || p.has_below || p.has_above) continue;
            Tokens& of = argument_[p.base];
            if (of.empty()) of = argument_at(*e.left, p.end);
        }
    }
    Tokens in(const Tokens& t) const {
        Tokens out;
        for (std::size_t i = 0; i < t.size(); ++i) {
            std::size_t end = i;
            if (const NameParts p = parts_of(reading_.source, t, i); p.base == "J" && p.has_below && !is_in_script(t, i))
                put(t, p.base_end, end, out);
            if (end == i)
                out.push_back(t[i]);
            else
                i = end - 1;
        }
        return out;
    }
    bool is_none() const { return argument_.empty() || argument_.contains("J") || reading_.is_defined("J"); }

  private:
    /// x of (x), a name of its own.
    Tokens argument_at(const Tokens& t, std::size_t at) const {
        if (at >= t.size() || !t[at].is_symbol("(")) return {};
        const Tokens inside = part_of(t, at + 1, end_of_brackets(t, at) - 1);
        const NameParts p = inside.empty() ? NameParts{} : parts_of(reading_.source, inside, 0);
        return !p.base.empty() && p.end == inside.size() ? inside : Tokens{};
    }
    static bool is_in_script(const Tokens& t, std::size_t i) {
        return i > 0 && (t[i - 1].is_symbol("_") || t[i - 1].is_symbol("^"));
    }
    void put(const Tokens& t, std::size_t at, std::size_t& end, Tokens& out) const {
        if (at + 1 >= t.size() || !t[at].is_symbol("_")) return;
        const Tokens f = inside_group(reading_.source, t, at + 1);
        const NameParts p = f.empty() ? NameParts{} : parts_of(reading_.source, f, 0);
        const auto known = p.base.empty() || p.end != f.size() ? argument_.end() : argument_.find(p.base);
        if (known == argument_.end()) return;
        const std::size_t behind = end_of_group(reading_.source, t, at + 1);
        const Tokens here = argument_at(t, behind);
        const Tokens& x = here.empty() ? known->second : here;
        if (x.empty()) return;
        const auto add = [&](Token::Kind kind, std::string_view text) { out.push_back({kind, text, t[at].span, false}); };
        add(command, "\\frac");
        for (const Tokens* side : {&f, &x}) {
            add(opening, "{");
            add(command, "\\partial");
            out.insert(out.end(), side->begin(), side->end());
            add(closing, "}");
        }
        end = here.empty() ? behind : end_of_brackets(t, behind);
    }

    const Reading& reading_;
    std::map<std::string, Tokens> argument_;
};

}  // namespace

void with_jacobians(std::vector<Equation>& all, const Reading& reading) {
    const Jacobians jacobians(all, reading);
    if (jacobians.is_none()) return;
    std::map<std::shared_ptr<const Tokens>, std::shared_ptr<const Tokens>> lefts;  // one for all of a chain
    for (Equation& e : all) {
        if (e.note.kind == note) continue;
        e.right = jacobians.in(e.right);
        if (!e.left) continue;
        auto& left = lefts[e.left];
        if (!left) left = std::make_shared<const Tokens>(jacobians.in(*e.left));
        e.left = left;
    }
}

Equation by_entries_of_matrix(Equation e, const Source& source) {
    if (!e.left || e.chained || e.right.size() < 4 || !e.right.front().is_symbol("(")) return e;
    const NameParts whole = parts_of(source, *e.left, 0), entry = parts_of(source, e.right, 1);
    const bool closes =
        entry.end < e.right.size() && e.right[entry.end].is_symbol(")") && end_of_brackets(e.right, 0) == entry.end + 1;
    const bool letters = !entry.below.empty() &&
                         std::ranges::all_of(entry.below, [](const Token& t) { return t.is_symbol(",") || is_small_letter(t); });
    const bool layer = whole.has_below && entry.below.size() > whole.below.size() &&
                       same_texts(whole.below, part_of(entry.below, 0, whole.below.size()));
    if (!closes || !letters || whole.base.empty() || whole.end != e.left->size() || (whole.has_below && !layer)) return e;
    const bool alone = entry.end + 1 == e.right.size() || e.right[entry.end + 1].is_symbol("_");  // (q_{ij})_{i,j}
    if (!alone || whole.has_above || whole.base == entry.base) return e;
    Tokens left = part_of(*e.left, 0, whole.base_end);
    add_below(left, entry.below, e.left->back().span);
    e.left = std::make_shared<const Tokens>(std::move(left));
    e.right = part_of(e.right, 1, entry.end);
    return e;
}

Equation by_entries_of_function(Equation e, const Reading& reading) {
    const NameParts left = e.left && !e.chained ? name_at(reading, *e.left, 0) : NameParts{};
    const std::size_t at = first_bracket(e.right);
    if (reading.meanings.empty() || left.base.empty() || left.end != e.left->size() || at == e.right.size()) return e;
    const auto m = reading.meanings.find(function_named(reading.source, part_of(e.right, 0, at)));
    if (m == reading.meanings.end() || m->second.index.empty() || !m->second.refused.empty()) return e;
    const std::size_t end = end_of_brackets(e.right, at);
    const Tokens of = part_of(e.right, at + 1, end - 1);
    if (left.has_below) {  // p_j = softmax(z)_j
        const bool entry = left.below.size() == 1 && end + 2 == e.right.size() && e.right[end].is_symbol("_");
        if (entry) e.right = with_arguments(reading, m->second, of, e.right[end + 1]);
        return e;
    }
    if (end != e.right.size()) return e;
    Token index = m->second.index[0];
    e.right = with_arguments(reading, m->second, of, index);
    Tokens entries = *e.left;
    index.span = entries[0].span;
    entries.push_back({symbol, "_", index.span, false});
    entries.push_back(index);
    e.left = std::make_shared<const Tokens>(std::move(entries));
    return e;
}

void with_named_parts(std::vector<Equation>& all, const Reading& reading) {
    constexpr std::size_t kLeast = 3;  // X w - t is a part, X w a product like others
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Equation& part = all[k];
        if (part.note.kind == note || part.chained || !part.left || part.right.size() < kLeast) continue;
        const NameParts p = name_at(reading, *part.left, 0);
        if (p.base.empty() || p.end != part.left->size() || names_a_value(reading, p)) continue;
        if (std::ranges::any_of(part.right, is_derivative_sign) || !is_differentiated(*part.left, all)) continue;
        for (std::size_t i = 0; i < all.size(); ++i) {
            Equation& e = all[i];
            const bool forward = i != k && e.note.kind != note && e.left && !std::ranges::any_of(*e.left, is_derivative_sign) &&
                                 !std::ranges::any_of(e.right, is_derivative_sign);
            if (forward && !names_a_value(reading, name_at(reading, *e.left, 0)))
                e.right = with_name(e.right, part.right, *part.left);
        }
    }
}

}  // namespace gradproof::proof::latex
