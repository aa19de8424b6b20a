// Statements: sections, declarations, assignments, claims; each name defined once and before its use.
#include "gradproof/core/proof/language/proof.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/functions.hpp"

namespace gradproof::proof {
namespace {

constexpr std::array<std::string_view, 10> kKeywords{"title", "dims",  "input",  "const", "forward",
                                                     "loss",  "claim", "expect", "skip",  "where"};
constexpr std::array<std::string_view, 8> kConstants{"pi", "π", "e", "inf", "true", "false", "grad", "delta"};
constexpr std::size_t kMayBeHidden = 3;  // of these, the first ones are often names: a definition of that name hides them

class Reader {
  public:
    explicit Reader(std::shared_ptr<const Source> source) : source_(std::move(source)) { proof_.source = source_; }

    void read(const Block& block) {
        if (proof_.lines.empty() && proof_.given.empty()) proof_.line = block.line;
        for (const Statement& s : block.statements) statement(s);
        if (skip_) fail(skip_span_, "skip stands before a line; there is none after it");
    }
    Proof take() {
        for (const auto& [name, span] : helpers_)
            if (!used_.contains(name)) {
                std::string like = did_you_mean(name, names_.values);
                if (like.empty()) like = ": it is defined here and no line uses it";
                fail(span, fmt::format("unknown name {}{}", name, like));
            }
        if (proof_.forward.empty() && proof_.given.empty() && proof_.lines.empty())
            fail({0, 0}, "no statements: expected input, forward and claim");
        return std::move(proof_);
    }

  private:
    enum class Section { none, forward, claim, expect };

    [[noreturn]] void fail(Span at, const std::string& text) const { throw ProofError(*source_, at.begin, text); }
    std::string_view slice(Span s) const { return source_->slice(s); }

    void statement(Statement s) {
        const std::string_view text = slice(s.span);
        const std::size_t n = identifier_length(text);
        const std::string word(text.substr(0, n));
        const std::size_t after = n + blanks_length(text.substr(n));
        const std::string_view rest = text.substr(after);
        const Span rest_span{s.span.begin + after, s.span.end};
        const bool assigns = rest.starts_with("=") || rest.starts_with("≈") || text.substr(n).starts_with("[");
        if (!assigns && word == "title") {
            proof_.title = parse_quoted(*source_, rest_span);
        } else if (!assigns && word == "dims") {
            dims(rest_span);
        } else if (!assigns && (word == "input" || word == "const")) {
            for (Declaration& d : parse_declarations(*source_, rest_span, names_)) declare(std::move(d), word == "input");
        } else if (!assigns && word == "loss") {
            loss(s, rest_span);
        } else if (!assigns && word == "skip") {
            why_ = parse_quoted(*source_, rest_span);
            skip_ = true;
            skip_span_ = s.span;
        } else if (!assigns && (word == "forward" || word == "claim" || word == "expect")) {
            section_ = word == "forward" ? Section::forward : word == "claim" ? Section::claim : Section::expect;
            if (section_ == Section::forward && anything_claimed())
                fail(s.span, "forward after claims: forward statements come first");
            if (after < text.size()) equality({rest_span, source_->place(rest_span.begin).line});
        } else {
            equality(s);
        }
    }

    void equality(Statement s) {
        const std::string_view text = slice(s.span);
        for (const std::string_view sign : {"+", "*", "/", "@", "×", "⊙", "·", ".*", ")", "]"})
            if (text.starts_with(sign))
                fail(s.span,
                     fmt::format("a line begins with {}: to go on from the line before, end that one with an operator", sign));
        switch (section_) {
            case Section::none: {
                const std::string word(slice(s.span).substr(0, identifier_length(slice(s.span))));
                fail(s.span, fmt::format("expected title, dims, input, const, forward, claim or expect{}",
                                         word.empty() ? "" : did_you_mean(word, kKeywords)));
            }
            case Section::forward: assignment(s, s.span, false); return;
            case Section::claim:
                if (!skip_ && defines_helper(s)) return helper(s);
                judged(s);
                return;
            case Section::expect: judged(s); return;
        }
    }

    /// D = ... among the claims, where nothing is called D yet.
    bool defines_helper(Statement s) const {
        const std::string_view text = slice(s.span);
        const std::string_view name = text.substr(0, identifier_length(text));
        if (name.empty() || names_.defined(name) || names_.is_loss(name) || names_.subscripted(name)) return false;
        if (name[0] == 'd' && names_.values.contains(name.substr(1))) return false;
        if (std::find(kConstants.begin() + kMayBeHidden, kConstants.end(), name) != kConstants.end() || is_builtin(name))
            return false;
        std::size_t at = name.size() + blanks_length(text.substr(name.size()));
        if (text.substr(at).starts_with("[")) {
            at = text.find(']', at);
            if (at == std::string_view::npos) return false;
            at += 1 + blanks_length(text.substr(at + 1));
        }
        return text.substr(at).starts_with("=") && !text.substr(at).starts_with("==");
    }
    void helper(Statement s) {
        const std::string_view text = slice(s.span);
        const std::string name(text.substr(0, identifier_length(text)));
        const Span span{s.span.begin, s.span.begin + name.size()};
        define(name, span, false);
        const Equality e = parse_equality(*source_, s.span, names_);
        if (!e.further.empty())
            fail(e.further[0]->span, fmt::format("{} is defined here: a chain follows in a line of its own", name));
        Expr h;
        h.kind = Kind::helper;
        h.name = name;
        if (e.left->kind == Kind::index) h.bound = left_indices(*e.left, *e.left, 1, false);
        if (e.left->kind == Kind::index && h.bound.size() + 1 != e.left->children.size())
            fail(e.left->span, "the left of a definition takes letters as indices");
        contains_index_ = !h.bound.empty();
        check_names(*e.right, h.bound, "a claim", true);
        carry_on(*e.right);
        h.children = {e.right};
        names_.helpers[name] = make(std::move(h));
        helpers_.emplace_back(name, span);
    }

    void define(const std::string& name, Span span, bool differentiable) {
        if (names_.values.size() + names_.dims.size() >= kMostNames)
            fail(span, fmt::format("more than {} names of dims, inputs, constants and values (kMostNames)", kMostNames));
        if (names_.defined(name)) fail(span, fmt::format("{} is already defined", name));
        if (std::find(kConstants.begin() + kMayBeHidden, kConstants.end(), name) != kConstants.end() ||
            (is_builtin(name) && name != "σ"))
            fail(span, fmt::format("{} has a meaning of its own: choose another name", name));
        const auto gradient_of = [&](const std::string& x) {
            fail(span, fmt::format("d{0} means the gradient of {0}: choose another name", x));
        };
        for (const Given& g : proof_.given) {
            if (g.differentiable && name == "d" + g.name) gradient_of(g.name);
            if (differentiable && g.name == "d" + name) gradient_of(name);
        }
        for (const Assignment& f : proof_.forward) {
            if (name == "d" + f.name) gradient_of(f.name);
            if (f.name == "d" + name) gradient_of(name);
        }
    }

    void dims(Span rest) {
        for (Declaration& d : parse_dims(*source_, rest, names_)) {
            define(d.name, d.span, false);
            if (d.value) check_names(*d.value, {}, "a size");
            names_.dims.insert(d.name);
            proof_.dims.push_back({d.name, d.value, d.span});
        }
    }

    void declare(Declaration d, bool input) {
        define(d.name, d.span, input);
        Given g{d.name, d.span, input, std::move(d.shape), Fill::normal, std::move(d.parameters), d.value};
        for (const ExprPtr& e : g.shape) check_names(*e, {}, "a size");
        if (g.shape.size() > kMaxRank) fail(d.span, fmt::format("{} axes, at most {}", g.shape.size(), kMaxRank));
        for (const ExprPtr& e : g.parameters) check_names(*e, {}, "a parameter");
        if (d.value) {
            if (!d.distribution.empty()) fail(d.span, fmt::format("{} is given and drawn: keep either = or ~", d.name));
            check_names(*d.value, {}, "a given value");
            g.fill = Fill::literal;
        } else if (!d.distribution.empty()) {
            g.fill = fill_of(d.distribution, g.parameters.size(), d.span);
        }
        if (!d.value && !d.has_shape)
            fail({d.span.end, d.span.end},
                 fmt::format("expected the shape of {}, or = and its value: input {} [n, d]", d.name, d.name));
        names_.values.insert(d.name);
        proof_.given.push_back(std::move(g));
    }

    Fill fill_of(const std::string& name, std::size_t parameters, Span at) const {
        struct Known {
            std::string_view name;
            Fill fill;
            std::size_t parameters;
        };
        static constexpr std::array<Known, 5> kKnown{{{"normal", Fill::normal, 0},
                                                      {"uniform", Fill::uniform, 2},
                                                      {"positive", Fill::positive, 0},
                                                      {"onehot", Fill::onehot, 0},
                                                      {"index", Fill::index, 1}}};
        std::vector<std::string> all;
        for (const Known& k : kKnown) {
            all.emplace_back(k.name);
            if (k.name != name) continue;
            if (k.parameters != parameters)
                fail(at, fmt::format("~ {} takes {} parameters, got {}", name, k.parameters, parameters));
            return k.fill;
        }
        fail(at, fmt::format("no way to draw named {}; known are normal, uniform(a,b), positive, onehot, index(n){}", name,
                             did_you_mean(name, all)));
    }

    /// Every name in e means something; `indices` are those of the left side.
    void check_names(const Expr& e, const std::vector<std::string>& indices, std::string_view where, bool claims = false) const {
        std::vector<std::string> known = indices;
        check_names(e, known, where, claims, !indices.empty());
    }
    void check_names(const Expr& e, std::vector<std::string>& known, std::string_view where, bool claims, bool indexed) const {
        const auto value = [&](const std::string& name, const char* what) {
            if (names_.values.contains(name)) {
                if (proof_.is_constant(name)) fail(e.span, fmt::format("{} is a constant: it takes no gradient", name));
                return;
            }
            if (names_.helpers.contains(name))
                fail(e.span, fmt::format("{} is defined among the claims: the loss has no gradient by it", name));
            fail(e.span, fmt::format("unknown name {} {}{}", name, what, did_you_mean(name, names_.values)));
        };
        switch (e.kind) {
            case Kind::name: {
                const bool found = names_.defined(e.name) || std::find(known.begin(), known.end(), e.name) != known.end() ||
                                   (std::find(kConstants.begin(), kConstants.end(), e.name) != kConstants.end() &&
                                    e.name != "grad" && e.name != "delta");
                if (found || prints_.contains(e.name)) break;
                if (names_.is_loss(e.name) && claims && names_.values.contains(e.name)) break;
                std::vector<std::string> all = names_.all();
                const std::vector<std::string> functions = builtin_names();
                if (std::find(functions.begin(), functions.end(), e.name) != functions.end())
                    fail(e.span, fmt::format("{} is a function: write {}(...)", e.name, e.name));
                const std::string_view after = source_->text().substr(std::min(e.span.end, source_->text().size()));
                const bool called = after.starts_with("(");
                if (called) all = functions;
                const bool index = e.name.size() == 1 && (indexed || contains_index_);
                fail(e.span,
                     fmt::format("unknown {} {}{}",
                                 called  ? "function"
                                 : index ? "index"
                                         : "name",
                                 e.name, index ? ": it is neither on the left nor bound by a sum" : did_you_mean(e.name, all)));
            }
            case Kind::gradient:
                if (!claims) fail(e.span, fmt::format("a gradient in {}: gradients belong to claims and expectations", where));
                value(e.name, "in a gradient");
                break;
            case Kind::jacobian:
                if (!claims) fail(e.span, fmt::format("a derivative in {}: they belong to claims and expectations", where));
                value(e.name, "in a derivative");
                value(e.other, "in a derivative");
                if (order_of(e.name) <= order_of(e.other))
                    fail(e.span, fmt::format("{} is not computed after {}: the derivative is of a later value by an earlier one",
                                             e.name, e.other));
                break;
            case Kind::call:
                if (e.name == "printed") fail_printed(e);
                if (!names_.is_function(e.name)) fail(e.span, fmt::format("{} is not a function", e.name));
                break;
            case Kind::helper: used_.insert(e.name); return;
            default: break;
        }
        const std::size_t before = known.size();
        known.insert(known.end(), e.bound.begin(), e.bound.end());
        for (const ExprPtr& c : e.children) check_names(*c, known, where, claims, indexed || !e.bound.empty());
        known.resize(before);
        for (const Option& o : e.options) check_names(*o.value, known, where, claims, indexed);
    }

    /// printed(S) that stands for no numbers.
    [[noreturn]] void fail_printed(const Expr& e) const {
        if (e.children.size() != 1 || e.children[0]->kind != Kind::name || !e.options.empty())
            fail(e.span, "printed takes the name of a value: printed(S)");
        const std::string& name = e.children[0]->name;
        check_names(*e.children[0], {}, "printed");
        fail(e.span, fmt::format("no expectation above prints all of {}: write {} = [...] with every number", name, name));
    }

    std::size_t order_of(std::string_view name) const {
        for (std::size_t i = 0; i < proof_.forward.size(); ++i)
            if (proof_.forward[i].name == name) return i + 1;
        return 0;
    }

    /// The indices of X[i,j] on the left; none where the left is a plain name.
    std::vector<std::string> left_indices(const Expr& left, const Expr& at, std::size_t first, bool repeats) const {
        std::vector<std::string> out;
        for (std::size_t i = first; i < at.children.size(); ++i) {
            const Expr& c = *at.children[i];
            if (c.kind == Kind::number || c.kind == Kind::slice || (c.kind == Kind::name && names_.dims.contains(c.name)))
                continue;
            if (c.kind != Kind::name)
                fail(c.span, fmt::format("an index on the left is a letter or a number: {}", text_of(left)));
            if (names_.defined(c.name))
                fail(c.span, fmt::format("{} is not free to be an index: it names something else", c.name));
            const bool again = std::find(out.begin(), out.end(), c.name) != out.end();
            if (again && !repeats) fail(c.span, fmt::format("index {} stands twice on the left", c.name));
            if (!again) out.push_back(c.name);
        }
        return out;
    }

    void assignment(Statement s, Span text, bool is_loss) {
        // The name on the left is not defined yet, and must not be taken for a factor or a call.
        const std::string_view slice_of = slice(text);
        const std::size_t n = identifier_length(slice_of);
        const std::string name(slice_of.substr(0, n));
        if (n == 0) fail(text, "expected a name on the left of =");
        const std::size_t after = n + blanks_length(slice_of.substr(n));
        if (after >= slice_of.size() || (slice_of[after] != '=' && slice_of[after] != '['))
            fail({text.begin + after, text.end}, fmt::format("expected = after {}", name));
        define(name, {text.begin, text.begin + n}, true);
        Names names = names_;
        if (names.subscripted(name)) names.values.insert(name);  // C_t is defined here: no entry of C
        const Equality e = parse_equality(*source_, text, names);
        if (e.erratum) fail(e.erratum->span, "an erratum corrects a printed number: it belongs to an expectation");
        Assignment a{name, {}, e.right, s, is_loss};
        if (e.left->kind == Kind::index) a.indices = left_indices(*e.left, *e.left, 1, false);
        if (e.left->kind == Kind::index && a.indices.size() + 1 != e.left->children.size())
            fail(e.left->span, "the left of an assignment takes letters as indices");
        if (e.left->kind != Kind::index && e.left->kind != Kind::name)
            fail(e.left->span, "the left of an assignment is a name, or a name with indices");
        if (!e.further.empty()) fail(e.further[0]->span, "a second =: chains of equalities belong to the claims");
        contains_index_ = !a.indices.empty();
        if (a.is_recurrence()) {
            names_.values.insert(name);
            expect_entries(*a.value, name);
        }
        check_names(*a.value, a.indices, "the forward");
        carry_on(*a.value);
        names_.values.insert(name);
        proof_.forward.push_back(std::move(a));
    }

    /// A recurrence uses entries of what it computes, not the whole.
    void expect_entries(const Expr& e, const std::string& name) const {
        if (e.kind == Kind::name && e.name == name)
            fail(e.span, fmt::format("{0} stands in what defines it: a recurrence uses earlier entries, {0}[t-1]", name));
        const bool entry = e.kind == Kind::index && e.children[0]->kind == Kind::name;
        for (std::size_t i = entry ? 1 : 0; i < e.children.size(); ++i) expect_entries(*e.children[i], name);
    }

    void loss(Statement s, Span rest) {
        if (!names_.loss.empty()) fail(s.span, fmt::format("a second loss: {} is one already", names_.loss));
        if (anything_claimed()) fail(s.span, "loss after claims: it belongs to the forward statements");
        assignment(s, rest, true);
        names_.loss = proof_.forward.back().name;
    }

    void judged(Statement s) {
        JudgedLine line;
        line.statement = s;
        line.type = section_ == Section::expect ? JudgedLine::Type::expect : JudgedLine::Type::claim;
        line.skipped = std::exchange(skip_, false);
        line.why = std::exchange(why_, "");
        line.text = std::string(slice(s.span));
        if (line.skipped) {
            proof_.lines.push_back(std::move(line));
            return;
        }
        const Equality e = parse_equality(*source_, s.span, names_);
        line.left = e.left;
        line.right = e.right;
        line.erratum = e.erratum;
        const std::size_t parts = parts_of(*e.left) + parts_of(*e.right);
        if (section_ == Section::claim && parts > kMostPartsOfAClaim)
            fail(s.span, fmt::format("the claim has {} parts, at most {} (kMostPartsOfAClaim)", parts, kMostPartsOfAClaim));
        line.text = text_of(*e.left) + " = " + text_of(*e.right) + (e.erratum ? " erratum " + text_of(*e.erratum) : "");
        const bool expected = line.type == JudgedLine::Type::expect;
        if (e.erratum && !expected) fail(e.erratum->span, "an erratum corrects a printed number: it belongs to an expectation");
        const Expr& l = *line.left;
        std::vector<std::string> indices;
        if (l.kind == Kind::jacobian)
            indices = left_indices(l, l, 0, true);
        else if (l.kind == Kind::index)
            indices = left_indices(l, l, 1, true);
        if (l.kind == Kind::jacobian && !expected) line.type = JudgedLine::Type::jacobian;
        if (proof_.forward.empty() && !expected) fail(s.span, "a claim without a forward: nothing has a gradient yet");
        contains_index_ = !indices.empty();
        check_names(l, indices, "a claim", true);
        check_names(*line.right, indices, "a claim", true);
        carry_on(l);
        carry_on(*line.right);
        if (expected && l.kind == Kind::name && all_printed(*line.right)) print(l.name, line.right);
        if (!e.further.empty() && expected) fail(e.further[0]->span, "a second =: chains of equalities belong to the claims");
        if (!e.further.empty()) line.statement = {{s.span.begin, e.right->span.end}, s.line};
        proof_.lines.push_back(line);
        for (const ExprPtr& next : e.further) link(line, next, indices);
    }

    /// The next link of a chain, a line of its own.
    void link(JudgedLine& line, const ExprPtr& right, const std::vector<std::string>& indices) {
        check_names(*right, indices, "a claim", true);
        carry_on(*right);
        line.right = right;
        line.text = text_of(*line.left) + " = " + text_of(*right);
        line.statement = {right->span, source_->place(right->span.begin).line};
        ++line.link;
        proof_.lines.push_back(line);
    }

    bool anything_claimed() const {
        return std::any_of(proof_.lines.begin(), proof_.lines.end(),
                           [](const JudgedLine& l) { return l.type != JudgedLine::Type::expect; });
    }

    void print(const std::string& value, const ExprPtr& numbers) {
        std::string name = fmt::format("printed({})", value);
        if (prints_.contains(name)) name += fmt::format(" {}", prints_.size() + 1);  // printed again
        names_.printed[value] = name;
        prints_[name] = {numbers, false};
    }
    /// Printed numbers that an expression uses are constants of the proof.
    void carry_on(const Expr& e) {
        for_each(e, [&](const Expr& part) {
            const auto print = part.kind == Kind::name ? prints_.find(part.name) : prints_.end();
            if (print == prints_.end() || std::exchange(print->second.carried_on, true)) return;
            const ExprPtr& numbers = print->second.numbers;
            proof_.given.push_back({part.name, numbers->span, false, {}, Fill::literal, {}, numbers});
        });
    }

    /// Numbers, and nothing left out.
    static bool all_printed(const Expr& e) {
        if (e.kind == Kind::number) return true;
        return (e.kind == Kind::negate || e.kind == Kind::array) &&
               std::all_of(e.children.begin(), e.children.end(), [](const ExprPtr& c) { return all_printed(*c); });
    }

    std::shared_ptr<const Source> source_;
    Proof proof_;
    Names names_;
    /// Of an expectation that prints a value in full, by the name that printed(S) stands for.
    struct Print {
        ExprPtr numbers;
        bool carried_on = false;
    };
    std::map<std::string, Print, std::less<>> prints_;
    std::vector<std::pair<std::string, Span>> helpers_;  ///< and where each is defined
    mutable std::set<std::string, std::less<>> used_;    ///< of these
    Section section_ = Section::none;
    bool skip_ = false, contains_index_ = false;
    Span skip_span_;
    std::string why_;
};

/// Whether a block's first statement opens a proof of its own.
bool opens_proof(const Source& source, const Block& block) {
    if (block.statements.empty()) return false;
    const std::string_view text = source.slice(block.statements.front().span);
    const std::string_view word = text.substr(0, identifier_length(text));
    return word == "title" || word == "dims" || word == "input";
}

}  // namespace

bool Assignment::is_recurrence() const { return !indices.empty() && mentions(*value, name); }

const Assignment* Proof::find(std::string_view name) const {
    for (const Assignment& a : forward)
        if (a.name == name) return &a;
    return nullptr;
}
bool Proof::is_constant(std::string_view name) const {
    return std::any_of(given.begin(), given.end(), [&](const Given& g) { return g.name == name && !g.differentiable; });
}

Names names_of(const Proof& proof) {
    Names names;
    for (const Given& g : proof.given) names.values.insert(g.name);
    for (const Dim& d : proof.dims) names.dims.insert(d.name);
    for (const Assignment& a : proof.forward) {
        names.values.insert(a.name);
        if (a.is_loss) names.loss = a.name;
    }
    return names;
}

std::vector<Proof> read_proofs(std::string file, std::string text) {
    const auto source = std::make_shared<const Source>(std::move(file), std::move(text));
    std::vector<Proof> out;
    std::optional<Reader> reader;
    for (const Block& block : source->blocks()) {
        if (reader && opens_proof(*source, block)) {
            out.push_back(reader->take());
            reader.reset();
        }
        if (!reader) reader.emplace(source);
        reader->read(block);
    }
    if (!reader) throw ProofError(*source, 0, "no proofs: expected a block fenced as ```proof");
    out.push_back(reader->take());
    return out;
}

}  // namespace gradproof::proof
