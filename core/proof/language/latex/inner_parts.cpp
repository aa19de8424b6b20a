// Expressions by which derivatives are taken.
#include "gradproof/core/proof/language/latex/inner_parts.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "gradproof/core/errors.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::string_view kInnerNames[] = {"inner1", "inner2", "inner3", "inner4", "inner5", "inner6", "inner7", "inner8"};

/// W x + b, where all behind the sign of a derivative is (W x + b).
Tokens in_brackets_behind_sign(const Tokens& t) {
    if (t.size() < 5 || !is_derivative_sign(t[0]) || !t[1].is_symbol("(") || end_of_brackets(t, 1) != t.size()) return {};
    return part_of(t, 2, t.size() - 1);
}

class InnerParts {
  public:
    explicit InnerParts(const Reading& reading) : reading_(reading) {}

    /// With a name for each expression that it is differentiated by.
    Tokens named_in(const Tokens& t) {
        Tokens out;
        for (std::size_t i = 0; i < t.size(); ++i) {
            out.push_back(t[i]);
            if (!is_fraction(t[i]) || i + 1 >= t.size()) continue;
            const std::size_t middle = end_of_group(reading_.source, t, i + 1);
            if (middle >= t.size()) continue;
            const Tokens of = in_brackets_behind_sign(inside_group(reading_.source, t, middle));
            const Token name = of.empty() ? Token{} : name_of(of);
            if (name.text.empty()) continue;
            const Tokens top = part_of(t, i + 1, middle);
            out.insert(out.end(), top.begin(), top.end());
            out.push_back({opening, "{", t[i].span, false});
            out.push_back({command, "\\partial", t[i].span, false});
            out.push_back(name);
            out.push_back({closing, "}", t[i].span, false});
            i = end_of_group(reading_.source, t, middle) - 1;
        }
        return out;
    }
    /// With these names where brackets hold the expressions.
    Tokens with_names(const Tokens& t) {
        Tokens out;
        for (std::size_t i = 0; i < t.size(); ++i) {
            out.push_back(t[i]);
            if (!t[i].is_symbol("(")) continue;
            const std::size_t end = end_of_brackets(t, i);
            if (end > t.size() || end < i + 3) continue;
            const Tokens inside = part_of(t, i + 1, end - 1);
            for (Part& p : parts_)
                if (same_texts(p.expression, inside)) {
                    out.push_back(p.name);
                    p.stands = true;
                    i = end - 2;
                }
        }
        return out;
    }
    /// The formulas of those that stand somewhere.
    void add_to(std::vector<Equation>& all) const {
        for (const Part& p : parts_) {
            Equation e;
            e.left = std::make_shared<const Tokens>(Tokens{p.name});
            e.right = p.expression;
            e.span = p.expression.front().span;
            e.in_line = true;
            if (p.stands) all.insert(all.begin(), std::move(e));
        }
    }
    bool all_stand() const { return std::ranges::all_of(parts_, &Part::stands); }
    bool is_none() const { return parts_.empty(); }

  private:
    struct Part {
        Tokens expression;
        Token name;
        bool stands = false;
    };
    Token name_of(const Tokens& expression) {
        for (const Part& p : parts_)
            if (same_texts(p.expression, expression)) return p.name;
        if (parts_.size() == std::size(kInnerNames)) return {};
        const Token name{word, kInnerNames[parts_.size()], expression.front().span, false};
        parts_.push_back({expression, name});
        return name;
    }

    const Reading& reading_;
    std::vector<Part> parts_;
};

}  // namespace

void with_inner_parts(std::vector<Equation>& all, const Reading& reading) {
    InnerParts parts(reading);
    std::vector<Equation> out = all;
    std::map<std::shared_ptr<const Tokens>, std::shared_ptr<const Tokens>> lefts;  // one for all of a chain
    try {
        for (Equation& e : out) {
            if (e.note.kind == note || !e.left) continue;
            auto& left = lefts[e.left];
            if (!left) left = std::make_shared<const Tokens>(parts.named_in(*e.left));
            e.left = left;
            e.right = parts.named_in(e.right);
        }
        if (parts.is_none()) return;
        for (Equation& e : out)
            if (e.note.kind != note && e.left && std::ranges::none_of(e.right, is_derivative_sign) &&
                std::ranges::none_of(*e.left, is_derivative_sign))
                e.right = parts.with_names(e.right);
    } catch (const ProofError&) {  // told where it is read
        return;
    }
    if (!parts.all_stand()) return;
    parts.add_to(out);
    all = std::move(out);
}

}  // namespace gradproof::proof::latex
