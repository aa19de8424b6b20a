// Formulas of ops, by their arguments and options.
#include "gradproof/core/proof/derive/composite_formulas.hpp"

#include <algorithm>
#include <array>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// The arguments of an op in formulas, in their order.
constexpr auto kArguments = std::to_array<std::string_view>({"a", "b", "c", "u", "v", "w"});

struct Composite {
    std::string_view op;
    std::size_t arguments;
    std::string_view formula;  ///< eps, 1e-5 by default, is an option
};
constexpr auto kComposites = std::to_array<Composite>({
    {"layer_norm", 1, "(a - rowmean(a)) / sqrt(rowvar(a) + eps)"},
    {"layer_norm", 2, "(a - rowmean(a)) / sqrt(rowvar(a) + eps) ⊙ b"},
    {"layer_norm", 3, "(a - rowmean(a)) / sqrt(rowvar(a) + eps) ⊙ b + c"},
    {"rms_norm", 1, "a / sqrt(rowmean(a^2) + eps)"},
    {"rms_norm", 2, "a / sqrt(rowmean(a^2) + eps) ⊙ b"},
    {"linear", 2, "a b"},
    {"linear", 3, "a b + c"},
    {"mse", 2, "mean((a - b)^2)"},
    {"matmul", 2, "a b"},
    {"add", 2, "a + b"},
    {"sub", 2, "a - b"},
    {"mul", 2, "a ⊙ b"},
    {"div", 2, "a / b"},
    {"neg", 1, "-a"},
    {"transpose", 1, "a^T"},
    {"cross_entropy", 2, "-mean(rowsum(b ⊙ log_softmax(a)))"},
});

/// One call, and the formula that grows from it.
class Composing {
  public:
    Composing(const Expr& call, const std::function<const Known&()>& known) : call_(call), known_(known) {
        for (std::size_t i = 0; i < std::min(call.children.size(), kArguments.size()); ++i)
            out_.names.emplace(kArguments[i], call.children[i]);
        for (const Option& o : call.options)
            if (o.value->kind != Kind::word) out_.names.emplace(o.name, o.value);
    }

    std::optional<Formula> formula() {
        const std::string text = call_.children.size() > kArguments.size() ? "" : text_of_op();
        if (text.empty()) return std::nullopt;
        out_.text = text;
        return std::move(out_);
    }

  private:
    std::string text_of_op() {
        const std::string& op = call_.name;
        if (op == "attention" && takes(3, 4, {"scale", "causal", "softcap", "window_left", "window_right"})) return attention();
        if (op == "sigmoid_attention" && takes(3, 3, {"scale", "bias", "causal"})) return sigmoid_attention();
        if (op == "linear_attention" && takes(3, 3, {"causal"})) return linear_attention();
        if (op == "additive_attention" && takes(4, 4, {"causal"}))
            return fmt::format("softmax(tanh(expand_dims(a, axis=-2) + {}) u{}) c", rank(0) > 2 ? "expand_dims(b, axis=-3)" : "b",
                               causal_mask());
        if (op == "bilinear_attention" && takes(4, 4, {"scale", "causal"}))
            return fmt::format("softmax({}a u b^T{}) c", has("scale") ? "scale " : "", causal_mask());
        if (op == "gather" && takes(1, 1, {"ids"}) && rank(0) == 2) return size("rows", 0, 0), "onehot(ids, rows) a";
        if (op == "stack" && takes(1, kArguments.size(), {"axis"})) return stack();
        if (op == "slice" && takes(1, 1, {"axis", "start", "stop"})) return slice();
        if (op == "alibi" && takes(1, 1, {"queries", "keys", "offset"}) && has("queries") && has("keys"))
            return fmt::format(
                "-expand_dims(expand_dims(a, axis=-1), axis=-1) ⊙ abs(expand_dims(range(queries), axis=-1){} - range(keys))",
                has("offset") ? " + offset" : "");
        if (op == "log_softmax" && has("temperature") && takes(1, 1, {"temperature"})) return "log_softmax(a / temperature)";
        const auto found = std::ranges::find_if(
            kComposites, [&](const Composite& c) { return c.op == op && c.arguments == call_.children.size(); });
        if (found == kComposites.end() || !takes(found->arguments, found->arguments, {"eps"})) return "";
        Expr small = node(Kind::number, {}, "1e-5");
        small.number = 1e-5;
        out_.names.emplace("eps", make(std::move(small)));
        return std::string(found->formula);
    }

    bool takes(std::size_t least, std::size_t most, const std::set<std::string>& options) const {
        return call_.children.size() >= least && call_.children.size() <= most &&
               std::ranges::all_of(call_.options, [&](const Option& o) { return options.contains(o.name); });
    }
    bool has(std::string_view option) const { return find_option(call_, option) != nullptr; }
    bool is_true(std::string_view option) const {
        const Option* o = find_option(call_, option);
        return o != nullptr && o->value->name == "true";
    }
    std::optional<double> number_of(std::string_view option) const {
        const Option* o = find_option(call_, option);
        return o == nullptr ? std::nullopt : signed_number(*o->value);
    }
    std::size_t rank(std::size_t argument) const { return known_().axes(call_.children[argument]).size(); }
    const AxisSize& axis(std::size_t argument, std::size_t from_last) const {
        const Axes& of = known_().axes(call_.children[argument]);
        if (from_last >= of.size()) no_rule("no rule yet for {}", text_of(call_));
        return of[of.size() - 1 - from_last];
    }
    /// Gives the size of an axis a name, axes counted from the first.
    void size(const std::string& name, std::size_t argument, std::size_t at) {
        out_.names.emplace(name, known_().size(axis(argument, rank(argument) - 1 - at)));
    }
    /// `rows` is the number of queries, and of keys: masks are derived where there are as many.
    void square() {
        if (axis(0, 1) != axis(1, 1)) no_rule("no rule yet for {}, masked, with other keys than queries", call_.name);
        out_.names.emplace("rows", known_().size(axis(0, 1)));
    }

    std::string scores() {
        for (std::size_t i = 2; i < rank(0); ++i)
            if (axis(0, i) != axis(1, i)) no_rule("no rule yet for {} of groups of heads", call_.name);
        if (has("scale")) return "scale a b^T";
        out_.names.emplace("width", known_().size(axis(0, 0)));
        return "a b^T / sqrt(width)";
    }
    std::string causal_mask() {
        if (!is_true("causal")) return "";
        square();
        return " + causal(rows, rows)";
    }
    /// 1 where a query sees a key.
    std::string seen() {
        square();
        return "(expand_dims(range(rows), axis=-1) >= range(rows))";
    }

    std::string attention() {
        if (rank(0) != 4) return "";
        std::string s = scores();
        if (has("softcap") && number_of("softcap") != 0.0) s = fmt::format("softcap tanh(({}) / softcap)", s);
        if (call_.children.size() == 4) s += " + u";
        s += causal_mask();
        for (const std::string_view window : {"window_left", "window_right"}) {
            const double reach = has(window) ? number_of(window).value_or(-2) : -1;
            if (reach < -1) return "";
            if (reach == -1) continue;
            square();
            s += fmt::format(" + where(step({} {} (expand_dims(range(rows), axis=-1) - range(rows))), 0, -inf)", reach + 1,
                             window == "window_left" ? '-' : '+');
        }
        return "softmax(" + s + ") c";
    }
    std::string sigmoid_attention() {
        std::string bias = " + bias";
        if (!has("bias")) {
            out_.names.emplace("keys", known_().size(axis(1, 1)));
            bias = " - log(keys)";
        }
        const std::string weights = "sigmoid(" + scores() + bias + ")";
        return is_true("causal") ? "(" + weights + " ⊙ " + seen() + ") c" : weights + " c";
    }
    std::string linear_attention() {
        const auto features = [](std::string_view x) { return fmt::format("where(step({0}), {0} + 1, exp({0}))", x); };
        const std::string q = features("a"), k = features("b");
        if (!is_true("causal")) return fmt::format("{0} ({1}^T c) / rowsum({0} ⊙ colsum({1}))", q, k);
        return fmt::format("({0} {1}^T ⊙ {2}) c / rowsum({0} {1}^T ⊙ {2})", q, k, seen());
    }
    std::string stack() const {
        const std::optional<double> at = has("axis") ? number_of("axis") : 0.0;
        if (!at) return "";
        std::string parts;
        for (std::size_t i = 0; i < call_.children.size(); ++i)
            parts += fmt::format("expand_dims({}, axis={}), ", kArguments[i], *at);
        return fmt::format("concat({}axis={})", parts, *at);
    }
    std::string slice() {
        const double axes = static_cast<double>(rank(0));
        const std::optional<double> at = has("axis") ? number_of("axis") : 0.0, start = has("start") ? number_of("start") : 0.0;
        if (!at || !start || *start < 0 || (has("stop") && number_of("stop").value_or(-1) < 0)) return "";
        const auto axis = static_cast<std::size_t>(*at < 0 ? *at + axes : *at);
        if (!has("stop")) size("stop", 0, axis);
        std::string before;
        for (std::size_t i = 0; i < axis; ++i) before += ":,";
        return fmt::format("a[{}{}:stop]", before, *start);
    }

    const Expr& call_;
    const std::function<const Known&()>& known_;
    Formula out_;
};

}  // namespace

std::optional<Formula> formula_of(const Expr& call, const std::function<const Known&()>& known) {
    return Composing(call, known).formula();
}

std::optional<EntryFormula> entry_formula_of(const Expr& call, const Known& known,
                                             const std::function<bool(const std::string&)>& is_taken) {
    const std::size_t count = call.children.size();
    if (call.kind != Kind::call || call.name != "conv1d" || count < 2 || count > 3) return std::nullopt;
    const auto number_of = [&](std::string_view option, double otherwise) {
        const Option* o = find_option(call, option);
        return o == nullptr ? otherwise : signed_number(*o->value).value_or(-1);
    };
    const double dilation = number_of("dilation", 1), left = number_of("left", 0), right = number_of("right", 0);
    const bool known_options = std::ranges::all_of(
        call.options, [](const Option& o) { return o.name == "dilation" || o.name == "left" || o.name == "right"; });
    if (!known_options || dilation < 1 || left < 0 || right < 0 || known.axes(call.children[0]).size() != 3) return std::nullopt;
    EntryFormula out;
    std::vector<std::string> i{"i", "t", "o", "k", "h", "steps"};
    for (std::string& n : i)
        while (is_taken(n)) n += "_";
    out.indices = {i[0], i[1], i[2]};
    const auto place_less = [&](double less) {
        return fmt::format("{} + {}{}{}", i[1], dilation == 1 ? "" : fmt::format("{} ", dilation), i[3],
                           less == 0 ? "" : fmt::format(" - {}", less));
    };
    const std::string place = place_less(left);
    std::string inside = fmt::format("a[{},{},{}]", i[0], place, i[4]);
    if (right > 0) inside = fmt::format("where(step(length - ({})), {}, 0)", place, inside);
    if (left > 0) inside = fmt::format("where(step({}), {}, 0)", place_less(left - 1), inside);
    out.formula.text = fmt::format("Σ_{{{3},{4}}} {0} b[{3},{4},{2}] + {5}[{1}]{6}", inside, i[1], i[2], i[3], i[4], i[5],
                                   count == 3 ? fmt::format(" + c[{}]", i[2]) : "");
    for (std::size_t a = 0; a < count; ++a) out.formula.names.emplace(kArguments[a], call.children[a]);
    const ExprPtr length = known.size(known.axes(call.children[0])[1]), window = known.size(known.axes(call.children[1])[0]);
    out.formula.names.emplace("length", length);
    const ExprPtr reach = product(number(dilation), '@', sum(window, '-', number(1)));
    const ExprPtr many = sum(sum(length, '-', dilation == 1 ? sum(window, '-', number(1)) : reach), '+', number(left + right));
    out.steps.name = i[5];
    out.steps.differentiable = false;
    out.steps.shape = {many};
    out.steps.fill = Fill::literal;
    out.steps.value = proof::call("zeros", {many});
    return out;
}

}  // namespace gradproof::proof
