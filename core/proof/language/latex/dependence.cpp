// Matrices with parameters.
#include "gradproof/core/proof/language/latex/dependence.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::string_view kBases[] = {"Base_1", "Base_2", "Base_3"}, kSlopes[] = {"Slope_1", "Slope_2", "Slope_3"};

/// K and \theta of \frac{\partial K}{\partial\theta}.
struct Quotient {
    Tokens of, by;
};

class Parameters {
  public:
    Parameters(const Source& source, Span text, const std::vector<Equation>& all) : source_(source), all_(all) {
        const std::string_view words = source.slice(text);
        for (const std::string_view word : {"covariance", "kernel", "Gram", "symmetric", "evidence", "marginal likelihood"})
            symmetric_ = symmetric_ || words.find(word) != words.npos;
        second_ = words.find("\\partial^2") != words.npos || words.find("\\nabla^2") != words.npos;
    }

    std::vector<Equation> read() {
        std::vector<Equation> out;
        if (second_) return out;
        for (const Equation& e : all_)
            if (e.note.kind != note && e.left) {
                collect(*e.left);
                collect(e.right);
            }
        for (const Quotient& q : quotients_) {
            if (out.size() == std::size(kBases)) break;
            const Tokens leaf = leaf_of(q);
            const bool again = std::ranges::any_of(out, [&](const Equation& e) { return same_texts(*e.left, leaf); });
            if (!leaf.empty() && !again) out.push_back(equation(leaf, q.by, out.size()));
        }
        return out;
    }

  private:
    NameParts parts(const Tokens& t) const { return t.empty() ? NameParts{} : parts_of(source_, t, 0); }
    bool is_name(const Tokens& t) const {
        const NameParts p = parts(t);
        return !p.base.empty() && p.end == t.size() && !p.primed;
    }
    void collect(const Tokens& t) {
        for (std::size_t i = 0; i + 1 < t.size(); ++i) {
            if (!is_fraction(t[i])) continue;
            const std::size_t middle = end_of_group(source_, t, i + 1);
            if (middle >= t.size()) return;
            const Tokens top = inside_group(source_, t, i + 1), bottom = inside_group(source_, t, middle);
            if (top.size() < 2 || bottom.size() < 2 || !is_derivative_sign(top[0]) || !is_derivative_sign(bottom[0])) continue;
            Quotient q{part_of(top, 1, top.size()), part_of(bottom, 1, bottom.size())};
            const NameParts of = is_name(q.of) ? parts(q.of) : NameParts{}, by = is_name(q.by) ? parts(q.by) : NameParts{};
            const bool matrix = of.base == "Sigma" || (of.base.size() == 1 && of.base[0] >= 'A' && of.base[0] <= 'Z');
            const bool greek = by.base == "θ" || by.base == "ψ" || by.base == "φ" || by.base == "η";
            if (matrix && greek && (!is_usual_loss(of.base) || is_inverted(of.base)) && !by.has_above)
                quotients_.push_back(std::move(q));
        }
    }
    /// C of C^{-1}, which is no loss.
    bool is_inverted(const std::string& base) const {
        const auto in = [&](const Tokens& t) {
            for (std::size_t i = 0; i < t.size(); ++i)
                if (const NameParts p = parts_of(source_, t, i);
                    p.base == base && p.above.size() > 1 && p.above[0].is_symbol("-"))
                    return true;
            return false;
        };
        return std::ranges::any_of(all_, [&](const Equation& e) { return e.note.kind != note && in(e.right); });
    }
    const Equation* definition_of(const Tokens& name) const {
        const auto found = std::ranges::find_if(all_, [&](const Equation& e) {
            return e.note.kind != note && e.left && !e.chained && same_texts(*e.left, name) &&
                   std::ranges::none_of(e.right, is_derivative_sign);
        });
        return found == all_.end() ? nullptr : &*found;
    }
    /// What moves with the parameter: K, or K_f of K = K_f + \sigma^2 I; empty where a formula says how.
    Tokens leaf_of(const Quotient& q) const {
        const std::string by = parts(q.by).base;
        for (const Equation& e : all_)  // \theta stands in a formula, or is what one says
            if (e.note.kind != note && e.left && !e.left->empty() && std::ranges::none_of(*e.left, is_derivative_sign)) {
                const NameParts left = parts(*e.left);
                if (left.base == by || (std::ranges::none_of(e.right, is_derivative_sign) && has_name(source_, e.right, by)))
                    return {};
            }
        const Equation* const definition = definition_of(q.of);
        if (definition == nullptr) return q.of;
        const NameParts whole = parts(q.of);
        for (std::size_t i = 0; i < definition->right.size(); ++i) {
            const NameParts p = parts_of(source_, definition->right, i);
            if (p.base != whole.base || !p.has_below || p.has_above) continue;
            Tokens leaf = part_of(definition->right, i, p.end);
            return definition_of(leaf) == nullptr ? leaf : Tokens{};
        }
        return {};
    }
    /// K = A + (B + B^\top) \theta / 9, where K is symmetric.
    Equation equation(const Tokens& leaf, const Tokens& by, std::size_t k) const {
        Equation e;
        e.left = std::make_shared<const Tokens>(leaf);
        e.span = leaf.front().span;
        const NameParts parameter = parts(by);
        const auto add = [&](Token::Kind kind, std::string_view text) { e.right.push_back({kind, text, e.span, false}); };
        const auto index = [&] {
            if (!parameter.has_below) return;
            add(symbol, "_");
            add(opening, "{");
            e.right.insert(e.right.end(), parameter.below.begin(), parameter.below.end());
            add(closing, "}");
        };
        add(word, kBases[k]);
        add(symbol, "+");
        if (parameter.has_below) {
            add(command, "\\sum");
            index();
        }
        add(symbol, "(");
        add(word, kSlopes[k]);
        index();
        if (symmetric_) {
            add(symbol, "+");
            add(word, kSlopes[k]);
            index();
            add(symbol, "^");
            add(command, "\\top");
        }
        add(symbol, ")");
        e.right.insert(e.right.end(), by.begin(), by.end());
        add(symbol, "/");
        add(digits, "9");
        return e;
    }

    const Source& source_;
    const std::vector<Equation>& all_;
    bool symmetric_ = false, second_ = false;
    std::vector<Quotient> quotients_;
};

}  // namespace

std::vector<Equation> said_of_parameters(const Source& source, Span text, const std::vector<Equation>& all) {
    try {
        return Parameters(source, text, all).read();
    } catch (const ProofError&) {  // told where it is read
        return {};
    }
}
bool is_base_of_parameters(std::string_view key) { return is_one(kBases, key); }
bool is_slope_of_parameters(std::string_view key) { return is_one(kSlopes, key); }

}  // namespace gradproof::proof::latex
