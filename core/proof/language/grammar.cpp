// The parse tree of a statement turned into expressions.
#include "gradproof/core/proof/language/grammar.hpp"

#include <algorithm>
#include <limits>

#include "gradproof/core/platform/from_chars.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/rules.hpp"
#include "gradproof/core/registry.hpp"

namespace gradproof::proof {
namespace {

using Node = peg::parse_tree::node;

/// Turns the parse tree of one statement into expressions.
class Builder {
  public:
    Builder(const Source& source, std::size_t offset) : source_(source), offset_(offset) {}

    Span span(const Node& n) const { return {offset_ + n.begin().byte, offset_ + n.end().byte}; }

    ExprPtr build(const Node& n) const {
        if (n.is_type<expression>()) return joined(n, Kind::sum);
        if (n.is_type<product_expression>() || n.is_type<term>() || n.is_type<dim_value>()) return joined(n, Kind::product);
        if (n.is_type<unary>() || n.is_type<factor>() || n.is_type<dim_factor>()) return prefixed(n);
        if (n.is_type<postfix>()) return postfixed(n);
        if (n.is_type<exponent>()) {
            const bool minus = n.children.front()->is_type<power_minus>();
            const ExprPtr e = build(*n.children.back());
            return minus ? finish(n, *negate(e)) : e;
        }
        return leaf(n);
    }

  private:
    [[noreturn]] void fail(const Node& n, const std::string& text) const { throw ProofError(source_, span(n).begin, text); }

    ExprPtr finish(const Node& n, Expr e) const {
        if (++parts_ > kMostParts) fail(n, fmt::format("the statement has more than {} parts (kMostParts)", kMostParts));
        e.span = span(n);
        while (e.span.end > e.span.begin &&
               std::string_view(" \t\r\n").find(source_.text()[e.span.end - 1]) != std::string_view::npos)
            --e.span.end;
        e.source = one_line(source_.slice(e.span));
        ExprPtr out = make(std::move(e));
        if (out->depth > kDeepest) fail(n, fmt::format("nested deeper than {} (kDeepest)", kDeepest));
        return out;
    }

    /// Without line breaks and comments.
    static std::string one_line(std::string_view text) {
        std::string out;
        bool comment = false;
        for (const char c : text) {
            if (c == '#') comment = true;
            if (c == '\n') comment = false;
            const bool blank = comment || c == '\n' || c == '\r' || c == '\t' || c == ' ';
            if (!blank)
                out += c;
            else if (!out.empty() && out.back() != ' ')
                out += ' ';
        }
        return out;
    }

    static char joint(const Node& n) {
        if (n.is_type<by_matrix>() || n.is_type<beside>()) return '@';
        if (n.is_type<by_element>()) return '*';
        if (n.is_type<by_division>()) return '/';
        if (n.is_type<add_sign>()) return '+';
        if (n.is_type<subtract_sign>()) return '-';
        return n.is_type<dim_operator>() ? n.string_view()[0] : '\0';
    }

    ExprPtr joined(const Node& n, Kind kind) const {
        if (n.children.size() == 1) return build(*n.children[0]);
        Expr e;
        e.kind = kind;
        e.joints = kind == Kind::sum ? "+" : "@";
        for (const auto& c : n.children) {
            if (const char op = joint(*c))
                e.joints.push_back(op);
            else
                e.children.push_back(build(*c));
        }
        if (n.is_type<dim_value>() && e.joints.find('+') != std::string::npos)
            fail(n, "a sum as a size goes in brackets: C=(a + b)");
        return finish(n, std::move(e));
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
            } else if (mark.is_type<power_mark>()) {
                const Node& by = *mark.children.front();
                e.kind = Kind::power;
                e.children = {out, by.is_type<square_mark>() ? number(2) : by.is_type<cube_mark>() ? number(3) : build(by)};
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

    /// An index, or the stop that makes the index before it a range.
    void add_entry(std::vector<ExprPtr>& entries, const Node& n) const {
        if (!n.is_type<stop>()) {
            entries.push_back(build(n));
            return;
        }
        Expr range;
        range.kind = Kind::slice;
        range.children = {entries.back(), build(*n.children.front())};
        range.span = {entries.back()->span.begin, span(n).end};
        entries.back() = make(std::move(range));
    }

    ExprPtr leaf(const Node& n) const {
        Expr e;
        e.name = n.string();
        if (n.is_type<number_text>()) {
            e.kind = Kind::number;
            from_chars(e.name.data(), e.name.data() + e.name.size(), e.number);
            if (double parsed = 0;
                from_chars(e.name.data(), e.name.data() + e.name.size(), parsed).ec == std::errc::result_out_of_range)
                fail(n, fmt::format("{} does not fit a double", e.name));
        } else if (n.is_type<infinity>()) {
            e.kind = Kind::number;
            e.number = std::numeric_limits<double>::infinity();
        } else if (n.is_type<slice_mark>()) {
            e.kind = Kind::slice;
        } else if (n.is_type<ellipsis_mark>()) {
            e.kind = Kind::ellipsis;
        } else if (n.is_type<option_word>()) {
            e.kind = Kind::word;
        } else if (n.is_type<variable>() || n.is_type<identifier>()) {
            e.kind = Kind::name;
        } else if (n.is_type<array>()) {
            e.kind = Kind::array;
            for (const auto& c : n.children) e.children.push_back(build(*c));
        } else if (n.is_type<sigma>() || n.is_type<reducer>()) {
            return reduction(n);
        } else if (n.is_type<delta>()) {
            e.kind = Kind::delta;
            for (const auto& c : n.children) e.children.push_back(build(*c));
        } else if (n.is_type<partial>() || n.is_type<d_by_d>()) {
            return derivative(n);
        } else if (n.is_type<nabla>() || n.is_type<grad_call>()) {
            e.kind = Kind::gradient;
            e.name = n.children.back()->string();
        } else if (n.is_type<d_name>() || n.is_type<d_quotient>()) {
            e.kind = Kind::gradient;
            e.name = (n.is_type<d_name>() ? n : *n.children.back()).string().substr(1);
        } else if (n.is_type<call_expression>()) {
            return function(n);
        } else {
            fail(n, kOperand);
        }
        return finish(n, std::move(e));
    }

    ExprPtr reduction(const Node& n) const {
        Expr e;
        e.kind = Kind::reduce;
        e.name = "sum";
        for (std::size_t i = 0; i + 1 < n.children.size(); ++i) {
            const Node& c = *n.children[i];
            if (c.is_type<reducer_word>()) {
                const std::string word = c.string();
                e.name = word.substr(0, word.find('_'));
                if (word.back() != '_') e.bound.push_back(word.substr(word.find('_') + 1));
            } else if (c.is_type<subscripts>()) {
                const std::string text = c.string();
                for (std::size_t at = 0; at < text.size();) {
                    const std::size_t length = character_length(text, at);
                    const char letter = subscript_index(std::string_view(text).substr(at, length));
                    if (letter == 0) fail(c, "no such index: write Σ_{...}");
                    e.bound.emplace_back(1, letter);
                    at += length;
                }
            } else {
                e.bound.push_back(c.string());
            }
        }
        e.children = {build(*n.children.back())};
        return finish(n, std::move(e));
    }

    ExprPtr derivative(const Node& n) const {
        const Node &top = *n.children[0], &bottom = *n.children[1];
        Expr e;
        e.kind = Kind::jacobian;
        const std::size_t d = n.is_type<d_by_d>() ? 1 : 0;
        e.name = top.children[0]->string().substr(d);
        e.other = bottom.children[0]->string().substr(d);
        const auto add = [&](const Node& part) {
            if (part.children.size() > 1)
                for (const auto& c : part.children[1]->children) add_entry(e.children, *c);
        };
        add(top);
        e.split = e.children.size();
        add(bottom);
        return finish(n, std::move(e));  // told from a gradient once the names are known
    }

    ExprPtr function(const Node& n) const {
        Expr e;
        e.kind = Kind::call;
        e.name = n.children.front()->string();
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const Node& c = *n.children[i];
            if (c.is_type<option>())
                e.options.push_back({c.children[0]->string(), build(*c.children[1]), span(c)});
            else if (!e.options.empty())
                fail(c, "an argument after an option: options come last");
            else
                e.children.push_back(build(c));
        }
        return finish(n, std::move(e));
    }

    const Source& source_;
    std::size_t offset_;
    mutable std::size_t parts_ = 0;
};

bool names_a_printed_value(const Expr& e) {
    return e.kind == Kind::call && e.name == "printed" && e.children.size() == 1 && e.children[0]->kind == Kind::name &&
           e.options.empty();
}

/// ∂L/∂X is a gradient where L is the loss and carries no index; an index of X is then one of the gradient. printed(S) is the
/// name of those numbers, where S is printed.
ExprPtr resolve(const ExprPtr& e, const Names& names) {
    bool changed = false;
    Expr copy = *e;
    for (ExprPtr& c : copy.children) {
        const ExprPtr r = resolve(c, names);
        changed = changed || r != c;
        c = r;
    }
    for (Option& o : copy.options) {
        const ExprPtr r = resolve(o.value, names);
        changed = changed || r != o.value;
        o.value = r;
    }
    if (e->kind == Kind::jacobian && e->split == 0 && names.is_loss(e->name)) {
        Expr g;
        g.kind = Kind::gradient;
        g.name = e->other;
        g.span = e->span;
        if (copy.children.empty()) {
            g.source = e->source;
            return make(std::move(g));
        }
        Expr at;
        at.kind = Kind::index;
        at.span = e->span;
        at.source = e->source;
        at.children = {make(std::move(g))};
        at.children.insert(at.children.end(), copy.children.begin(), copy.children.end());
        return make(std::move(at));
    }
    if (names_a_printed_value(*e)) {
        if (const auto numbers = names.printed.find(e->children[0]->name); numbers != names.printed.end()) {
            copy.kind = Kind::name;
            copy.name = numbers->second;
            copy.children.clear();
            return make(std::move(copy));
        }
    }
    return changed ? make(std::move(copy)) : e;
}

template <class Rule>
std::unique_ptr<Node> tree(const Source& source, Span text, const Names& names) {
    const std::string_view slice = source.slice(text);
    peg::memory_input<peg::tracking_mode::eager, peg::eol::lf> in(slice.data(), slice.data() + slice.size(), "");
    Context context{names};
    try {
        return peg::parse_tree::parse<Rule, keep, peg::nothing, control>(in, context);
    } catch (const peg::parse_error& e) {
        std::size_t at = std::min(text.begin + e.positions().front().byte, text.end);
        throw ProofError(source, at, std::string(e.message()));
    }
}

}  // namespace

bool Names::is_function(std::string_view name) const { return !defined(name) && (is_builtin(name) || registry().has(name)); }
bool Names::is_loss(std::string_view name) const {
    if (!loss.empty() && name == loss) return true;
    return (name == "L" || name == "Loss" || name == "loss" || name == "ℒ") && !values.contains(name);
}
std::vector<std::string> Names::all() const {
    std::vector<std::string> out(values.begin(), values.end());
    out.insert(out.end(), dims.begin(), dims.end());
    return out;
}

Equality parse_equality(const Source& source, Span statement, const Names& names) {
    const auto root = tree<equality>(source, statement, names);
    const Builder b(source, statement.begin);
    Equality out{resolve(b.build(*root->children.at(0)), names), resolve(b.build(*root->children.at(1)), names), nullptr};
    if (root->children.size() > 2) out.erratum = b.build(*root->children[2]->children.at(0));
    return out;
}

ExprPtr parse_expression(const Source& source, Span text, const Names& names) {
    const auto root = tree<whole_expression>(source, text, names);
    return resolve(Builder(source, text.begin).build(*root->children.at(0)), names);
}

std::vector<Declaration> parse_declarations(const Source& source, Span text, const Names& names) {
    const auto root = tree<declarations>(source, text, names);
    const Builder b(source, text.begin);
    std::vector<Declaration> out;
    for (const auto& n : root->children) {
        Declaration d;
        d.name = n->children[0]->string();
        d.span = b.span(*n->children[0]);
        for (std::size_t i = 1; i < n->children.size(); ++i) {
            const Node& part = *n->children[i];
            if (part.is_type<shape_list>()) {
                d.has_shape = true;
                for (const auto& c : part.children) d.shape.push_back(b.build(*c));
            } else if (part.is_type<value_of_name>()) {
                d.value = resolve(b.build(*part.children[0]), names);
            } else {
                d.distribution = part.children[0]->string();
                if (part.children.size() > 1)
                    for (const auto& c : part.children[1]->children) d.parameters.push_back(b.build(*c));
            }
        }
        out.push_back(std::move(d));
    }
    return out;
}

std::vector<Declaration> parse_dims(const Source& source, Span text, const Names& names) {
    const auto root = tree<dims>(source, text, names);
    const Builder b(source, text.begin);
    std::vector<Declaration> out;
    for (const auto& n : root->children) {
        Declaration d;
        d.name = n->children[0]->string();
        d.span = b.span(*n->children[0]);
        if (n->children.size() > 1) d.value = b.build(*n->children[1]);
        out.push_back(std::move(d));
    }
    return out;
}

std::string parse_quoted(const Source& source, Span text) {
    const Names none;
    return tree<quoted>(source, text, none)->children.at(0)->string();
}

}  // namespace gradproof::proof
