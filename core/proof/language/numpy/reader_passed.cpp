// Lines of a program that are neither read nor certain to change nothing: reports say that the others are right if these do not.
#include <algorithm>
#include <array>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/notebook.hpp"
#include "gradproof/core/proof/language/numpy/changed_between.hpp"
#include "gradproof/core/proof/language/numpy/function_pairs.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"
#include "gradproof/core/proof/language/numpy/text_functions.hpp"

namespace gradproof::proof::numpy {
namespace {

bool computes(std::string_view text) {
    return text.find_first_of("+-*/@(<>&|") != std::string_view::npos || text.ends_with(".T") || text.ends_with(".mT");
}

/// self.x = 0 * self.x, reset(x); not self.eps = eps, super().__init__().
bool computes_or_calls(std::string_view text) {
    if (text.starts_with("raise") || text.starts_with("super()")) return false;
    const std::size_t self = text.find("self.");
    return text.find_first_of("+-*/@[%(") != text.npos || (self != text.npos && text.find("self.", self + 1) != text.npos);
}

/// @staticmethod, @jax.jit, @torch.no_grad(): what they stand above computes the same.
bool is_known_decorator(std::string_view text) {
    constexpr std::array<std::string_view, 12> kAll{"staticmethod", "classmethod", "property",   "jit",
                                                    "njit",         "no_grad",     "custom_vjp", "custom_fwd",
                                                    "custom_bwd",   "override",    "dataclass",  "once_differentiable"};
    const std::string_view given = text.substr(std::min(text.find('('), text.size()));
    text = text.substr(0, text.find('('));
    const std::string_view name = text.substr(text.find_last_of("@.") + 1);
    return is_one_of(kAll, name) || (name == "partial" && given.find("jit") != given.npos) || text.ends_with(".setter");
}

}  // namespace

/// def reset(self): self.x = 0 * self.x and class s: self.dW = 2. What stands beside the head of a function is read where it is
/// a return.
void Reader::tell_beside(Span head) {
    const bool is_class = word_at(head) == "class";
    const std::size_t open = std::min(source_.text().find('(', head.begin), head.end);
    const std::size_t from = is_class && open == head.end ? head.begin : closer_of(source_, open, head.end);
    const std::size_t colon = source_.text().find(':', from);
    if (colon >= head.end) return;
    const Span body = trimmed(source_, {colon + 1, head.end});
    const bool assigns = is_class && assignment_in(source_, body).second > 0;
    if (body.begin < body.end && word_at(body) != "return" && (assigns || computes_or_calls(source_.slice(body))))
        tell(head, fmt::format("what stands beside a {} is not read", word_at(head)));
}

/// The function that this line stands in, by its first line; not of one that tests others.
void Reader::tell_function() {
    if (here_ == 0 || function_name_.starts_with("test")) return;
    const std::size_t end = end_of_statement(source_, function_begin_, text_.end);
    tell(code_of(source_, trimmed(source_, {function_begin_, end})), "what this function returns is not read");
}

/// return 1 - y ** 2 of a function that no line uses, and that is no forward.
void Reader::tell_return(Span part) {
    const std::string_view text = source_.slice(part);
    const std::vector<std::string> words = identifiers_in(text);
    const bool plain = !computes(text);
    const bool helper = plain && to_.names().helpers.contains(text);
    const auto changes_nothing = [&](const std::string& word) {
        constexpr std::array<std::string_view, 12> kCopies{"float", "item",  "copy", "tuple", "list",    "dict",
                                                           "np",    "array", "int",  "self",  "asarray", "items"};
        return is_one_of(kCopies, word) || to_.names().is_loss(word) || word == loss_ || holds_gradients(word);
    };
    const bool calculates = text.find_first_of("+-*/@<>&|") != std::string_view::npos;
    if (helper || (!plain && (calculates || !std::ranges::all_of(words, changes_nothing)))) tell_function();
}

/// Functions that lines call which are not read themselves.
void Reader::tell_uncalled() {
    for (const Span s : own_.heads())
        if (text_.begin <= s.begin && s.begin < text_.end && own_.at(s.begin)->why.empty() &&
            !used_.contains(own_.at(s.begin)->name))
            tell(s, "no line calls this function");
}

/// Whether a part of it is computed of values, other than numbers and this one, and of no gradient.
bool Reader::computes_of_values(Span s, const std::string& but) const {
    return std::ranges::any_of(identifiers_in(source_.slice(s)), [&](const std::string& word) {
        const auto given = std::ranges::find(to_.proof().given, word, &Given::name);
        const Assignment* const a = to_.proof().find(word);
        const bool number =
            (given != to_.proof().given.end() && given->shape.empty()) || (a != nullptr && names_in(*a->value).empty());
        return word != but && !number && to_.names().values.contains(word);
    });
}

/// print(f(dW)), print(dW.fill(0)), print(np.add(dW, 1, dW)), print(y := x): what a call of it does to an array is not known.
bool Reader::may_change(Span call) const {
    const std::string_view text = source_.slice(call);
    if (has_any(text, {":=", "out=", "inplace=", "overwrite_input"})) return true;
    constexpr std::array<std::string_view, 6> kWords{"assert", "if", "elif", "while", "for", "with"};
    const bool any = is_one_of(kWords, word_at(call)) || text.starts_with("%");  // and not print(...)
    const std::size_t first = any ? word_at(call).size() : text.find('(');
    for (std::size_t i = first == std::string_view::npos ? text.size() : first + 1; i < text.size(); ++i) {
        const std::size_t size = identifier_length(text.substr(i));
        if (size == 0) continue;
        const std::string_view name = text.substr(i, size);
        const std::size_t open = call.begin + i + size;
        if (text.substr(i + size, 1) == "(" && !only_reads(name, {open, closer_of(source_, open, call.end)}, text[i - 1] == '.'))
            return true;
        i += size - 1;
    }
    return false;
}
/// np.mean(y) and y.mean(), and functions of the text that change nothing. `given`: from its bracket to the one that closes it.
bool Reader::only_reads(std::string_view name, Span given, bool of_object) const {
    constexpr auto kOfBlocks = std::to_array<std::string_view>(
        {"catch_warnings", "device", "enable_grad", "errstate", "named_parameters", "no_grad", "printoptions", "suppress"});
    if (!of_object)
        if (const OwnFunction* const own = own_.find(name)) return own->why.empty() && !own->changes_given;
    if (!of_object && program_.has_function(name)) return true;
    if (!is_function_that_reads(name) && !is_one_of(kOfBlocks, name)) return false;
    constexpr std::array<std::string_view, 12> kTakeOut{"all", "any",  "argmax", "max", "mean", "median",
                                                        "min", "prod", "round",  "std", "sum",  "var"};
    const std::size_t before_out = of_object ? 1 : 2;  // np.mean(x, 0, None, out)
    if (is_one_of(kTakeOut, name) && split_at_commas(source_, {given.begin + 1, given.end}).size() > before_out &&
        source_.slice(given).find('=') == std::string_view::npos)
        return false;
    constexpr std::array<std::string_view, 8> kOfOne{"abs",   "exp",   "log",     "log10", "sqrt",
                                                     "isnan", "isinf", "isfinite"};  // the second is where the result goes
    return !is_one_of(kOfOne, name) || split_at_commas(source_, {given.begin + 1, given.end}).size() < 2;
}

/// alpha = 0.2 below a function that uses an alpha = 0.1 above it: it is called later, and uses the second.
void Reader::see_late_binding(Span s, Span left) {
    const std::string_view name = source_.slice(left);
    const bool again =
        indent_of(source_, s.begin) == 0 && identifier_length(name) == name.size() && to_.names().values.contains(name);
    if (!again || is_input(name)) return;
    for (const Span def : statements_in(source_, {text_.begin, s.begin})) {
        if (word_at(def) != "def") continue;
        const Span body{def.end, end_of_body(source_, def, def.end, s.begin, true)};
        const std::vector<OwnFunction::Parameter> given = parameters_of(source_, def);
        const bool own = std::ranges::any_of(given, [&](const OwnFunction::Parameter& p) { return p.name == name; });
        if (!own && is_one_of(identifiers_in(source_.slice(body)), name))
            tell(s, "functions above use it as it is when they are called");
    }
}

/// from m import y, def y(): and class y: below y = 2 * x.
void Reader::see_rebinding(Span s) {
    const std::string_view text = source_.slice(s), word = word_at(s);
    std::vector<std::string> bound = identifiers_in(text);
    if (word == "def" || word == "class") {
        bound.resize(std::min<std::size_t>(bound.size(), 2));
    } else if (word == "from" || word == "import") {
        const auto begin = word == "from" ? std::ranges::find(bound, "import") : bound.begin();
        bound.erase(bound.begin(), begin);
        const bool values = std::ranges::any_of(to_.names().values, [&](const std::string& name) { return !is_input(name); });
        if (source_.slice(code_of(source_, s)).ends_with("*") && values) tell(s, "it may bind names anew");
    } else {
        return;
    }
    for (std::size_t i = 1; i < bound.size(); ++i) {
        const bool given = is_input(bound[i]) || !gradient_named(bound[i]).empty() || to_.names().helpers.contains(bound[i]);
        const bool inner = here_ != 0 && indent_of(source_, s.begin) > indent_;
        const bool within = word == "from" || word == "import" || (word == "class" ? inner : indent_of(source_, s.begin) > 0);
        if (given && within && (inner || !(word == "def" && class_ != 0)))
            tell(s, fmt::format("it gives the name {} to something else", bound[i]));
        if (!to_.names().values.contains(bound[i]) || is_input(bound[i])) continue;
        const std::string why = fmt::format("line {} gives the name {} to something else", source_.line(s.begin), bound[i]);
        for (auto* const all : {&changed_, &not_default_}) all->emplace(bound[i], why);
    }
}

/// nabla_b = err.mean(axis=0) of a name that is not known as that of a gradient: a value that no judged line goes back to, where
/// gradients are computed, too.
void Reader::tell_unused_values() {
    constexpr auto kNoGradients = std::to_array<std::string_view>(
        {"acc",    "accuracy", "pred",  "preds", "predicted", "prediction", "predictions", "correct", "n_correct", "num_correct",
         "y_pred", "yhat",     "y_hat", "probs", "scores",    "perplexity", "ppl",         "eps",     "n",         "N"});
    const Proof& proof = to_.proof();
    const std::set<std::string> used = names_behind_lines(proof, false);
    const bool judged = std::ranges::any_of(proof.lines, [](const JudgedLine& l) { return l.is_judged(); });
    for (const Assignment& a : proof.forward) {
        const auto function = function_.find(a.name);
        const std::size_t begin = a.statement.span.begin;
        const bool claims = std::ranges::any_of(claims_, [&](const Claim& c) {
            if (function != function_.end()) return c.function == function->second;
            return begin < c.span.begin && source_.slice({begin, c.span.begin}).find("\ndef ") == std::string_view::npos;
        });
        const bool known = a.inner || a.name.starts_with("(") || is_one_of(kNoGradients, a.name) || to_.names().is_loss(a.name) ||
                           is_size(a.name);
        if (judged && claims && !used.contains(a.name) && !known)
            tell(a.statement.span, fmt::format("no judged line uses {}", a.name));
    }
}

/// dX of an input, which dW = dX, dW += W changes, too.
void Reader::tell_shared_gradients() {
    for (const Claim& c : claims_)
        if (const auto changed = changed_.find(gradient_key(c.left->name)); changed != changed_.end() && is_input(c.left->name))
            tell(c.span, changed->second);
}
/// for g in (dX, dW): np.clip(g, -1, 1, out=g), and g /= n, of a function that returns them.
void Reader::tell_changed_before_return(Span header, Span body) {
    const std::string_view behind = source_.slice({body.end, end_of_function(body.end)});
    if (here_ == 0 || behind.find("return ") == std::string_view::npos) return;
    const std::vector<std::string> gradients = over_gradients(header);
    const bool changes = std::ranges::any_of(statements_in(source_, body), [&](Span s) {
        const std::string_view code = source_.slice(s);
        const bool in_place = assignment_in(source_, s).second == 2 || code.substr(word_at(s).size()).starts_with("[");
        return (in_place && is_one_of(gradients, word_at(s))) || code.find("out=") != code.npos;
    });
    if (changes) tell(header, "it changes what is returned");
}

/// assert np.allclose(dW, X.T @ dA), but not of shapes and types.
bool Reader::asserts_of_values(std::string_view text) const {
    if (has_any(text, {"allclose", "assert_", "array_equal", "isclose", "gradcheck"})) return true;
    if (has_any(text, {"shape", "ndim", "len(", "size", "dtype", "isinstance", "isfinite", "isnan", "None"})) return false;
    return std::ranges::any_of(identifiers_in(text), [&](const std::string& word) {
        return to_.names().values.contains(word) || !gradient_named(word).empty() || loop_ > 0;
    });
}

/// self.x = y of a method below one that uses the self.x of a method above.
void Reader::tell_kept_otherwise() {
    for (const KeptRead& read : kept_read_) {
        file_.saved.enter(read.function, read.in_class);
        if (const Span other = file_.saved.kept_otherwise(read.key); other.end > 0)
            tell(other, fmt::format("it gives {} another value than a function above", read.key));
    }
    file_.saved.enter(0, 0);
}

/// m.x = y of an object m whose methods use self.x.
void Reader::tell_attribute_set(Span s) {
    const auto [at, size] = assignment_in(source_, s);
    const std::string_view left = source_.slice(trimmed(source_, {s.begin, at})), owner = word_at(s);
    if (here_ != 0 || size == 0 || owner == "self" || left.substr(owner.size(), 1) != ".") return;
    const std::string member(left.substr(owner.size() + 1));
    const bool used = source_.text().find("self." + member) != std::string_view::npos;
    if (used && identifier_length(member) == member.size()) tell(s, fmt::format("it sets {}, which methods use", left));
}

/// def forward(x) of a module or class that has another one below: Python uses the last. A second class is a layer of its own.
void Reader::tell_defined_again(Span def) {
    const std::string begins = fmt::format("def {}(", function_name_);
    const std::size_t indent = indent_of(source_, def.begin);
    bool within = true;
    for (const Span s : statements_in(source_, {def.end, text_.end})) {
        within = within && indent_of(source_, s.begin) >= indent;
        if (indent_of(source_, s.begin) != indent || !source_.slice(s).starts_with(begins)) continue;
        if (within) return tell(s, fmt::format("{} is defined twice", function_name_));
        const bool of_layers = function_name_ == "forward" || function_name_ == "backward" || function_name_ == "__call__";
        if (indent > 0 && of_layers) return tell(s, fmt::format("a second class has a {}: {}", function_name_, kSeveral));
    }
}

/// dw = (dy * x).sum(0) of an input w, with which no line of its function goes on, where others use self.dw or its method returns
/// nothing.
void Reader::tell_lost_gradients() {
    const std::vector<TextFunction> all = functions_in(source_, text_);
    for (const Claim& c : claims_) {
        const std::string name(word_at(c.span));
        if (c.function == 0 || name.empty() || name == "self" || name == "return" || !is_input(c.left->name)) continue;
        const auto of = std::ranges::find_if(all, [&](const TextFunction& f) {
            return std::ranges::any_of(f.lines, [&](Span s) { return s.begin == c.span.begin; });
        });
        if (of == all.end()) continue;
        const auto goes_on = [&](Span s) {
            const std::string_view text = source_.slice(s);
            return s.begin > c.span.begin && (is_one_of(identifiers_in(text), name) || text.find("locals()") != text.npos);
        };
        if (std::ranges::any_of(of->lines, goes_on)) continue;
        const auto returns = [&](Span s) { return word_at(s) == "return" || word_at(s) == "yield"; };
        if (source_.text().find("self." + name) != std::string_view::npos)
            tell(c.span, fmt::format("{0} is neither returned nor kept, and other lines use self.{0}", name));
        else if (of->in_class != 0 && std::ranges::none_of(of->lines, returns))
            tell(c.span, fmt::format("{} is neither returned nor kept", name));
    }
}

/// A statement that is passed over.
void Reader::tell_passed(Span s) {
    const std::string_view text = source_.slice(s), word = word_at(s);
    if (function_name_.starts_with("test")) return;
    const bool says = word == "assert" || has_any(text.substr(0, std::min<std::size_t>(text.size(), 16)),
                                                  {"np.allclose(", "np.testing.", "torch.allclose("});
    const bool defines = word == "def" || word == "class" || word == "import" || word == "from";
    if (runs_other_code(text) || measures_line(text) ||
        (text.starts_with("%") && (may_change(s) || assignment_in(source_, s).second > 0)))
        tell(s, "it runs what is not read");
    else if (text.find(":=") != std::string_view::npos)
        tell(s, "it gives a name a value");
    else if (says && asserts_of_values(text))
        tell(s, "a check of values");
    else if (text.starts_with("@") && !is_known_decorator(text))
        tell(s, "a decorator that is not known");
    else if (word == "return" && computes(text))
        tell(s, "what is returned here is not read");
    else if (!defines && !text.starts_with("@") && word != "return" && word != "raise" && may_change(s))
        tell(s, "it may change an array");
    else if (!defines && !says && is_one_of(identifiers_in(text), "lambda"))
        tell(s, "what calls this lambda is not seen");
}
void Reader::tell_passed_in(Span body) {
    for (const Span s : statements_in(source_, body)) {
        see_rebinding(s);
        if (source_.slice(s).ends_with(":")) tell_head(s);
        tell_passed(s);
    }
}
/// if clip_grad_norm_([dW], 1.0) > 1.0: print("clipped"), and with open(...) as y: of a value y.
void Reader::tell_head(Span header) {
    if (function_name_.starts_with("test")) return;
    if (may_change(header)) tell(header, "it may change an array");
    constexpr std::string_view kAs = " as ";
    const std::string_view text = source_.slice(header);
    for (std::size_t at = text.find(kAs); at != std::string_view::npos; at = text.find(kAs, at + 1)) {
        const std::string_view rest = text.substr(at + kAs.size());
        const std::string name(rest.substr(0, identifier_length(rest)));
        if (to_.names().defined(name) || !gradient_named(name).empty()) tell(header, "it gives a name another value");
    }
}
/// Those of the branches of a loop.
void Reader::tell_heads_in(Span body) {
    for (const Span s : statements_in(source_, body)) {
        see_rebinding(s);
        if (source_.slice(s).ends_with(":") && is_one_of(kRefused, word_at(s)) && may_change(s))
            tell(s, "it may change an array");
    }
}

/// Whether the lines, as those of a branch, change nothing.
bool Reader::only_shows(Span body) const {
    const auto returns_gradient = [&](Span s) {
        const std::vector<std::string> words = identifiers_in(source_.slice(s));
        return backward_ && word_at(s) == "return" &&
               std::ranges::any_of(words, [&](const std::string& word) { return !gradient_named(word).empty(); });
    };
    return std::ranges::all_of(statements_in(source_, body), [&](Span s) {
        if (returns_gradient(s)) return false;
        return is_passed(s) || (is_one_of(kRefused, word_at(s)) && source_.slice(s).ends_with(":"));
    });
}

}  // namespace gradproof::proof::numpy
