// The parse tree of a statement turned into expressions.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/expected.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/number_text.hpp"
#include "gradproof/core/proof/language/rules.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof {
namespace {

using Node = peg::parse_tree::node;

/// Turns the parse tree of one statement into expressions.
class Builder {
  public:
    Builder(const Source& source, std::size_t offset, const Names& names) : source_(source), offset_(offset), names_(names) {}

    Span span(const Node& n) const { return {offset_ + n.begin().byte, offset_ + n.end().byte}; }

    /// The name that stands there, however it is written.
    static std::string name_in(const Node& n) {
        const bool is_long = n.is_type<long_name>() || n.is_type<long_d_name>() || n.is_type<new_long_name>();
        return is_long ? plain_name(n.string_view()) : n.string();
    }

    /// for t = 1, ..., T; for i ≠ j
    void add_ranges(const Node& n, Equality& to) const;

    ExprPtr build(const Node& n) const {
        if (n.is_type<expression>()) return joined(n, Kind::sum);
        if (n.is_type<product_expression>() || n.is_type<term>() || n.is_type<dim_value>()) return joined(n, Kind::product);
        if (n.is_type<unary>() || n.is_type<factor>() || n.is_type<dim_factor>()) return prefixed(n);
        if (n.is_type<postfix>()) return postfixed(n);
        if (n.is_type<compared>() && n.children.size() == 1) return build(*n.children[0]);
        if (n.is_type<compared>() || n.is_type<indicated>())
            return finish(n, *comparison(build(*n.children[0]), n.children[1]->string_view(), build(*n.children[2]), names_));
        if (n.is_type<indicator>()) return finish(n, *build(*n.children[0]));
        if (n.is_type<size_bars>() || n.is_type<norm_bars>())
            return finish(n, *call(n.is_type<size_bars>() ? "abs" : "norm", {build(*n.children[0])}));
        if (n.is_type<primed_call>()) return slope_called(n);
        if (n.is_type<exponent>()) {
            const bool minus = n.children.front()->is_type<power_minus>();
            const ExprPtr e = build(*n.children.back());
            return minus ? finish(n, *negate(e)) : e;
        }
        return leaf(n);
    }

  private:
    [[noreturn]] void fail(const Node& n, const std::string& text) const { throw ProofError(source_, span(n).begin, text); }

    void add_condition(const Node& n, Equality& to, const ExprPtr& condition) const;
    bool is_size(const Expr& e) const { return e.kind == Kind::name && names_.dims.contains(e.name); }
    void compare(const Node& part, Equality& to) const;
    ExprPtr counted(const ExprPtr& e) const;
    void add_range(const Node& n, Equality& to, const std::string& i, ExprPtr first, ExprPtr last) const;
    ExprPtr reduction(const Node& n) const;
    void restrict(const Node& n, Expr& e, const std::vector<IndexRange>& ranges) const;

    ExprPtr slope_called(const Node& n) const;
    std::string add_differentiated(const Node& part, std::size_t d, std::vector<ExprPtr>& to) const;
    ExprPtr derivative(const Node& n) const;
    ExprPtr derivative_of_columns(const Node& n) const;
    ExprPtr second_derivative(const Node& n) const;

    ExprPtr finish(const Node& n, Expr e) const {
        if (++parts_ > kMostParts) fail(n, fmt::format("the statement has more than {} parts (kMostParts)", kMostParts));
        e.span = span(n);
        while (e.span.end > e.span.begin &&
               std::string_view(" \t\r\n").find(source_.text()[e.span.end - 1]) != std::string_view::npos)
            --e.span.end;
        e.source = in_one_line(source_.slice(e.span));
        ExprPtr out = make(std::move(e));
        if (out->depth > kDeepest) fail(n, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
        return out;
    }

    static constexpr char kBlocks = '#';  ///< ⊗, which is a call in the tree
    static char joint(const Node& n) {
        if (n.is_type<by_matrix>() || n.is_type<beside>()) return '@';
        if (n.is_type<by_element>()) return '*';
        if (n.is_type<by_division>()) return '/';
        if (n.is_type<by_blocks>()) return kBlocks;
        if (n.is_type<add_sign>()) return '+';
        if (n.is_type<subtract_sign>()) return '-';
        return n.is_type<dim_operator>() ? n.string_view()[0] : '\0';
    }

    ExprPtr joined(const Node& n, Kind kind) const {
        if (n.children.size() == 1) return build(*n.children[0]);
        Expr e = node(kind);
        e.joints = kind == Kind::sum ? "+" : "@";
        std::vector<bool> are_beside{false};
        for (const auto& c : n.children) {
            if (const char op = joint(*c)) {
                e.joints.push_back(op);
                are_beside.push_back(c->is_type<beside>());
                continue;
            }
            e.children.push_back(build(*c));
            if (e.joints.back() == kBlocks) join_blocks(e);
        }
        if (kind == Kind::product && e.children.size() == are_beside.size()) take_ones(e, are_beside);
        if (e.children.size() == 1) return finish(n, *e.children[0]);
        if (n.is_type<dim_value>() && e.joints.find('+') != std::string::npos)
            fail(n, "a sum as a size goes in brackets: C=(a + b)");
        return finish(n, std::move(e));
    }

    /// a ⊗ b of the factors so far and the last.
    void join_blocks(Expr& e) const {
        const ExprPtr last = e.children.back();
        e.children.pop_back();
        e.joints.pop_back();
        const Span all{e.children.front()->span.begin, last->span.end};
        const ExprPtr first = e.children.size() == 1 ? e.children[0] : make(e);
        Expr out = *call("kron", {first, last});
        out.span = all;
        out.source = in_one_line(source_.slice(all));
        e.children = {make(std::move(out))};
        e.joints = "@";
    }
    /// The 1 of Y 1, 1^T Y and 1 v^T: ones, whose number sizes.hpp finds.
    void take_ones(Expr& e, const std::vector<bool>& are_beside) const {
        const auto is_one = [](const Expr& c) { return c.kind == Kind::number && c.name == "1"; };
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const Expr& c = *e.children[i];
            if (c.kind == Kind::transpose && is_one(*c.children[0])) {
                e.children[i] = ones_at(c, true);
                continue;
            }
            const bool behind = i > 0 && are_beside[i] && e.children[i - 1]->kind != Kind::number;
            const bool before = i + 1 < e.children.size() && are_beside[i + 1] && e.children[i + 1]->kind == Kind::transpose;
            if (is_one(c) && (behind || (i == 0 && before))) e.children[i] = ones_at(c, false);
        }
    }
    static ExprPtr ones_at(const Expr& one, bool transposed) {
        Expr out = *call(std::string(kOnes), {});
        out.span = one.span;
        out.source = one.source;
        if (!transposed) return make(std::move(out));
        Expr row = one;
        row.children = {make(std::move(out))};
        return make(std::move(row));
    }

    ExprPtr prefixed(const Node& n) const {
        ExprPtr out = build(*n.children.back());
        for (std::size_t i = n.children.size() - 1; i-- > 0;) {
            if (n.children[i]->is_type<minus_sign>())
                out = negate(out);
            else
                out = call("sqrt", {out});
            if (out->depth > kDeepest) fail(n, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
        }
        return n.children.size() == 1 ? out : finish(n, *out);
    }

    ExprPtr postfixed(const Node& n) const {
        ExprPtr out = build(*n.children.front());
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const Node& mark = *n.children[i];
            Expr e;
            if (mark.is_type<transpose_mark>()) {
                e.kind = Kind::transpose;
                e.children = {out};
            } else if (mark.is_type<inverse_mark>() || mark.is_type<inverse_transpose_mark>()) {
                const ExprPtr inverse = call("inverse", {out});
                e = mark.is_type<inverse_mark>() ? *inverse : *transpose(inverse);
            } else if (mark.is_type<power_mark>()) {
                const Node& by = *mark.children.front();
                const ExprPtr exponent = by.is_type<square_mark>() ? number(2) : by.is_type<cube_mark>() ? number(3) : build(by);
                e = raised(n, i, out, exponent);
            } else {
                e.kind = Kind::index;
                e.children = {out};
                for (const auto& c : mark.children) add_entry(e.children, *c);
            }
            out = make(std::move(e));
            if (out->depth > kDeepest) fail(n, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
        }
        return n.children.size() == 1 ? out : finish(n, *out);
    }

    /// The i-th mark of n is a power of what stands before it; in x^a^b and e^-x^2 it is one of the exponent.
    Expr raised(const Node& n, std::size_t i, const ExprPtr& base, const ExprPtr& by) const {
        const auto is_power = [&](std::size_t k) { return k > 0 && n.children[k]->is_type<power_mark>(); };
        if (!is_power(i - 1)) return node(Kind::power, {base, by});
        if (is_power(i - 2)) fail(n, "three powers above each other: put them in brackets");
        const Node& before = *n.children[i - 1]->children.front();
        const bool minus = before.is_type<exponent>() && before.children.front()->is_type<power_minus>();
        const ExprPtr& first = base->children[1];
        const ExprPtr tower = make(node(Kind::power, {minus ? first->children[0] : first, by}));
        return node(Kind::power, {base->children[0], minus ? negate(tower) : tower});
    }

    /// An index, or the stop that makes the index before it a range.
    void add_entry(std::vector<ExprPtr>& entries, const Node& n) const {
        if (!n.is_type<stop>()) {
            entries.push_back(build(n));
            return;
        }
        Expr range = node(Kind::slice, {entries.back(), build(*n.children.front())});
        range.span = {entries.back()->span.begin, span(n).end};
        entries.back() = make(std::move(range));
    }

    ExprPtr leaf(const Node& n) const {
        Expr e;
        e.name = n.string();
        if (n.is_type<number_text>()) {
            e.kind = Kind::number;
            const NumberText read = number_of(e.name);
            if (!read.why.empty()) fail(n, read.why);
            e.number = read.value;
        } else if (n.is_type<infinity>()) {
            e.kind = Kind::number;
            e.number = std::numeric_limits<double>::infinity();
        } else if (n.is_type<slice_mark>()) {
            e.kind = Kind::slice;
        } else if (n.is_type<ellipsis_mark>()) {
            e.kind = Kind::ellipsis;
        } else if (n.is_type<option_word>()) {
            e.kind = Kind::word;
        } else if (n.is_type<braced_entry>()) {
            return braced(n);
        } else if (n.is_type<einsum_call>()) {
            return einsum_called(n);
        } else if (n.is_type<long_name>()) {
            e.kind = Kind::name;
            e.name = name_in(n);
        } else if (n.is_type<variable>() || n.is_type<identifier>()) {
            if (const ExprPtr kronecker = kronecker_of(e.name)) return finish(n, *kronecker);
            if (const ExprPtr identity = identity_of(e.name)) return finish(n, *identity);
            if (const auto parts = names_.subscripted(e.name)) {
                counts_from_one_ = counts_from_one_ || has_start(parts->first);
                return finish(n, *entry(head_of(parts->first), letters_of(parts->second)));
            }
            if (const auto numbered = numbered_entry(e.name))
                return finish(n, *entry(head_of(numbered->first), {numbered->second}));
            e.kind = Kind::name;
        } else if (n.is_type<array>()) {
            e.kind = Kind::array;
            for (const auto& c : n.children) e.children.push_back(build(*c));
        } else if (n.is_type<sigma>() || n.is_type<reducer>()) {
            return reduction(n);
        } else if (n.is_type<delta_entry>()) {
            e.kind = Kind::delta;
            for (const auto& c : n.children) e.children.push_back(build(*c));
        } else if (n.is_type<partial>() || n.is_type<d_by_d>()) {
            return derivative(n);
        } else if (n.is_type<second_partial>() || n.is_type<second_nabla>()) {
            return second_derivative(n);
        } else if (n.is_type<nabla>() || n.is_type<grad_call>()) {
            e.kind = Kind::gradient;
            e.name = name_in(*n.children.back());
        } else if (n.is_type<d_name>() || n.is_type<long_d_name>() || n.is_type<d_quotient>()) {
            e.kind = Kind::gradient;
            e.name = name_in(n.is_type<d_quotient>() ? *n.children.back() : n).substr(1);
        } else if (n.is_type<call_expression>()) {
            return function(n);
        } else if (n.is_type<bare_call>()) {
            return finish(n, *call(n.children[0]->string(), {build(*n.children[1])}));
        } else {
            fail(n, kOperand);
        }
        return finish(n, std::move(e));
    }

    /// δ_ij, δᵢⱼ of two indices, where nothing has that name; nullptr of others.
    ExprPtr kronecker_of(const std::string& text) const {
        constexpr std::string_view kDelta = "δ";
        if (!text.starts_with(kDelta) || names_.defined(text)) return nullptr;
        std::string letters;
        for (std::size_t at = kDelta.size(); at < text.size();) {
            const std::size_t length = character_length(text, at);
            const char subscript = length > 1 ? subscript_index(std::string_view(text).substr(at, length)) : text[at];
            if (subscript != '_' || at > kDelta.size()) letters += subscript;
            at += length;
        }
        if (letters.size() != 2 || !are_letters(letters)) return nullptr;
        return delta(name(letters.substr(0, 1)), name(letters.substr(1)));
    }

    /// I and I_n, where nothing has that name; nullptr of others.
    ExprPtr identity_of(const std::string& text) const {
        if (!text.starts_with("I") || names_.defined(text) || !names_.has_identity) return nullptr;
        if (text == "I") return call(std::string(kIdentity), {});
        return text.starts_with("I_") && names_.dims.contains(text.substr(2)) ? call("eye", {name(text.substr(2))}) : nullptr;
    }

    static bool are_letters(const std::string& text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    }
    static std::vector<ExprPtr> letters_of(const std::string& text) {
        std::vector<ExprPtr> out;
        for (const char c : text) out.push_back(name(std::string(1, c)));
        return out;
    }
    /// The value A, or the gradient dA.
    ExprPtr head_of(const std::string& head) const {
        if (names_.values.contains(head) || names_.helpers.contains(head)) return name(head);
        return gradient_of(head.substr(1));
    }
    /// Whether something called h_0 stands before the first entry of h, whose subscripts then count from 1.
    bool has_start(const std::string& head) const {
        const bool gradient = !names_.values.contains(head) && head.starts_with('d');
        const std::string value = head.substr(gradient ? 1 : 0);
        return names_.values.contains(value) && names_.values.contains(value + "_0");
    }
    bool any_has_start() const {
        return std::ranges::any_of(names_.values, [&](const std::string& name) { return has_start(name); });
    }
    /// Of h_1 and h_T, where h_0 stands before them, and of y_T beside such: h and which of its entries that is.
    std::optional<std::pair<std::string, ExprPtr>> numbered_entry(const std::string& text) const {
        const std::size_t bar = text.rfind('_');
        if (bar == 0 || bar == std::string::npos || names_.defined(text)) return std::nullopt;
        const std::string head = text.substr(0, bar), at = text.substr(bar + 1);
        const bool number = !at.empty() && at.size() < 9 && at.find_first_not_of("0123456789") == std::string::npos;
        const bool last = names_.dims.contains(at) && names_.has_entries(head) && any_has_start();
        if (!last && !(number && has_start(head) && std::stoi(at) > 0)) return std::nullopt;
        counts_from_one_ = true;
        return std::pair{head, number ? proof::number(std::stoi(at) - 1) : sum(name(at), '-', proof::number(1))};
    }
    /// An index of such an h: T + 1 of no index counts from 1, t + 1 is the entry after that of t.
    ExprPtr from_zero(const std::string& head, const ExprPtr& at) const {
        if (!has_start(head)) return at;
        counts_from_one_ = true;
        const bool moves = any_part(*at, [&](const Expr& e) { return e.kind == Kind::name && !names_.dims.contains(e.name); });
        return moves ? at : sum(at, '-', proof::number(1));
    }
    /// h_{t-1}, and h_0 in the place of that before the first.
    ExprPtr with_start(const std::string& head, const ExprPtr& entry) const {
        const std::optional<IndexStep> step = step_of(*entry->children[1]);
        const bool before = step && step->by == -1 && entry->children.size() == 2 && !names_.dims.contains(step->index);
        if (!before || !has_start(head) || entry->children[0]->kind != Kind::name) return entry;
        return call("where", {comparison(name(step->index), ">", proof::number(0)), entry, name(head + "_0")});
    }
    /// A_{ij}, A_{i,j}, A_{t-1}
    ExprPtr braced(const Node& n) const {
        std::string head = n.children[0]->string();
        head.pop_back();
        const std::vector<ExprPtr> at = indices_of(n);
        if (head != "δ" || names_.defined(head)) return finish(n, *with_start(head, entry(head_of(head), at)));
        if (at.size() != 2) fail(n, "expected two indices: δ_{ij}");
        return finish(n, *delta(at[0], at[1]));
    }
    /// Those between the braces; letters beside each other are an index each, where they are no name.
    std::vector<ExprPtr> indices_of(const Node& n) const {
        std::vector<ExprPtr> out;
        std::string head = n.children[0]->string();
        head.pop_back();
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const ExprPtr e = build(*n.children[i]);
            const bool letters = e->kind == Kind::name && are_letters(e->name) && !names_.defined(e->name);
            const std::vector<ExprPtr> each =
                letters ? letters_of(e->name) : std::vector<ExprPtr>{i == 1 ? from_zero(head, e) : e};
            out.insert(out.end(), each.begin(), each.end());
        }
        return out;
    }

    /// einsum("ij,jk->ik", A, B)
    ExprPtr einsum_called(const Node& n) const {
        std::vector<ExprPtr> arrays;
        for (std::size_t i = 1; i < n.children.size(); ++i) arrays.push_back(build(*n.children[i]));
        try {
            const ExprPtr out = finish(n, *einsum(n.children[0]->string(), arrays, names_));
            if (out->kind != Kind::helper) return out;
            Expr named = *out;
            named.name = named.source;
            return make(std::move(named));
        } catch (const ProofError&) {
            throw;
        } catch (const std::invalid_argument& error) {
            fail(n, error.what());
        }
    }

    ExprPtr function(const Node& n) const {
        Expr e = node(Kind::call, {}, names_.function_called(n.children.front()->string()));
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const Node& c = *n.children[i];
            if (c.is_type<option>())
                e.options.push_back({c.children[0]->string(), build(*c.children[1]), span(c)});
            else if (!e.options.empty())
                fail(c, "an argument after an option: options come last");
            else
                e.children.push_back(build(c));
        }
        if (!is_short_form(e.name)) return finish(n, std::move(e));
        if (!e.options.empty()) fail(n, fmt::format("{} takes no options, got {}", e.name, e.options[0].name));
        const ExprPtr meaning = short_form(e.name, e.children);
        if (!meaning) fail(n, fmt::format("{}: a wrong number of arguments, {}", e.name, e.children.size()));
        return finish(n, *meaning);
    }

    const Source& source_;
    std::size_t offset_;
    const Names& names_;
    mutable std::size_t parts_ = 0;
    mutable bool counts_from_one_ = false;  ///< subscripts in this statement do
};

}  // namespace
}  // namespace gradproof::proof
