// Names taken with the shapes that formulas need.
#include "gradproof/core/proof/language/latex/taken.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/dependence.hpp"
#include "gradproof/core/proof/language/latex/lead.hpp"
#include "gradproof/core/proof/language/latex/likely_axes.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/shape_rules.hpp"
#include "gradproof/core/proof/language/shapes_needed.hpp"

namespace gradproof::proof::latex {
namespace {

/// All equations of the text, displayed and within sentences.
std::vector<Equation> equations_in(const Source& source, Span text, const Prose& prose) {
    std::vector<Equation> out;
    Document document(source, text);
    while (const std::optional<Part> part = document.next()) {
        if (part->note.kind == Token::Kind::note) continue;
        try {
            std::vector<Equation> all = equations_of(source, {{}, document.expanded(part->tokens), part->span});
            prose.inversions().turn(all);
            std::move(all.begin(), all.end(), std::back_inserter(out));
        } catch (const ProofError&) {  // told where it is read
        }
    }
    for (const std::vector<Equation>& said : {prose.definitions(), prose.claims()})
        out.insert(out.end(), said.begin(), said.end());
    for (Tokens& added : added_in(source, text)) {
        Equation e;
        e.left = std::make_shared<const Tokens>(Tokens{{Token::Kind::word, "added", added.front().span, false}});
        e.span = added.front().span;
        e.right = std::move(added);
        out.push_back(std::move(e));
    }
    return out;
}

Declaration declaration_of(const Taken& t, Reading& reading) {
    Declaration d;
    d.span = {t.name.name.front().span.begin, t.name.name.back().span.end};
    d.name = reading.define(t.name.key, t.name.name, 0, t.name.name.size());
    return d;
}

void declare_sizes(std::vector<Taken>& taken, Reading& reading, Statements& to) {
    for (Taken& t : taken) {
        if (!t.name.is_size || reading.is_defined(t.name.key)) continue;
        const Declaration d = declaration_of(t, reading);
        t.id = d.name;
        to.dims({d});
    }
}

/// A size by its name, or as a stated input has it.
ExprPtr size_of(const std::string& text, const Statements& to) {
    for (const Given& g : to.proof().given)
        for (const ExprPtr& size : g.shape)
            if (proof::text_of(*size) == text) return size;
    return proof::name(text);
}

/// A label is drawn as the place of an entry.
void place_within(ExprPtr size, Declaration& d) {
    d.distribution = "index";
    d.parameters = {std::move(size)};
}

/// Letters that the text has not, for sizes that it does not name.
class FreeLetters {
  public:
    FreeLetters(const Source& source, const Statements& to) : text_(source.text()), names_(to.names()) {}
    std::string next() {
        for (; at_ < kLetters.size(); ++at_)
            if (!stands_alone(kLetters[at_]) && !names_.defined(std::string(1, kLetters[at_])))
                return std::string(1, kLetters[at_++]);
        return fmt::format("n{}", ++more_);
    }

  private:
    bool stands_alone(char letter) const {
        const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
        for (std::size_t i = text_.find(letter); i != std::string_view::npos; i = text_.find(letter, i + 1))
            if ((i == 0 || !is_letter(text_[i - 1])) && (i + 1 == text_.size() || !is_letter(text_[i + 1]))) return true;
        return false;
    }
    static constexpr std::string_view kLetters = "nmdpqhrsk";
    std::string_view text_;
    const Names& names_;
    std::size_t at_ = 0, more_ = 0;
};

}  // namespace

void declare_functions(const std::vector<Taken>& taken, const Reading& reading, Statements& to) {
    for (const Taken& t : taken) {
        if (!t.name.is_function || reading.meanings.contains(t.name.base) || reading.is_defined(t.name.base)) continue;
        try {
            to.function(t.name.base, {t.name.name.front().span.begin, t.name.name.back().span.end});
        } catch (const ProofError&) {  // a name with a meaning of its own
        }
    }
}

namespace {

/// Whether sentences say of labels that they do not sum to 1: "a vector of counts", "$\sum_i y_i = 2$".
bool are_no_distribution(const Source& source, const std::string& base) {
    for (const Sentence& s : sentences_in(source, {0, source.text().size()}))
        for (const Mention& m : s.formulas) {
            if (m.displayed || !has_name(source, m.formula, base)) continue;
            const auto equals = std::ranges::find_if(m.formula, is_equals);
            const bool number = equals != m.formula.end() && std::next(equals, 2) == m.formula.end();
            if (number && std::next(equals)->kind == Token::Kind::digits && std::stod(std::string(std::next(equals)->text)) > 1)
                return true;
            if (has_any(s.words,
                        {" counts ", " count ", " frequencies ", " unnormalised ", " unnormalized ", " scores ", " multi label ",
                         " multilabel ", " not normalised ", " not normalized ", " independent labels "}))
                return true;
        }
    return false;
}

/// y and p, and no advantages A and rewards r, which weight logarithms of probabilities as well.
bool may_be_labels(const Unsaid& u) {
    constexpr std::string_view kLabels[] = {"y", "t",     "p",     "q",       "Y",     "T",    "P",
                                            "π", "y_hat", "y_bar", "y_tilde", "p_hat", "p_bar"};
    return is_one(kLabels, u.base);
}

/// The ends of the sums over the letters that x has below, of x_i; none where sums do not say them.
std::set<std::string> ends_of_indices(const Source& source, const std::vector<Equation>& all, const std::string& base) {
    std::set<std::string_view> letters;
    std::set<std::string> out;
    const auto see_names = [&](const Tokens& t) {
        for (std::size_t i = 0; i < t.size(); ++i)
            if (const NameParts p = parts_of(source, t, i); p.base == base && p.below.size() == 1)
                letters.insert(p.below[0].text);
    };
    const auto see_sums = [&](const Tokens& t) {
        for (std::size_t i = 0; i + 2 < t.size(); ++i) {
            if (!t[i].is_command("\\sum") || !t[i + 1].is_symbol("_")) continue;
            const Tokens from = inside_group(source, t, i + 2);
            const std::size_t up = end_of_group(source, t, i + 2);
            if (from.empty() || !letters.contains(from[0].text) || up + 1 >= t.size() || !t[up].is_symbol("^")) continue;
            const Tokens to = inside_group(source, t, up + 1);
            out.insert(joined(to, 0, to.size()));
        }
    };
    for (const Equation& e : all)
        if (e.left && e.note.kind != Token::Kind::note) see_names(e.right);
    for (const Equation& e : all)
        if (e.left && e.note.kind != Token::Kind::note) see_sums(e.right);
    return out;
}

/// x_i of which the text says nothing, beside an X \in \mathbb{R}^{n \times d}: its row i, unless sums say that i goes up to
/// another size than n.
bool is_row_of_stated(const Unsaid& u, const Source& source, const std::vector<Equation>& all, const Prose& prose) {
    const std::string matrix(capital_of(u.base));
    if (matrix.empty() || u.key != u.base || u.is_bare || u.entries != 1 || u.is_size || u.is_label) return false;
    const std::vector<std::string> sizes = prose.sizes_stated(matrix);
    const std::set<std::string> ends = sizes.size() == 2 ? ends_of_indices(source, all, u.base) : std::set<std::string>{};
    return sizes.size() == 2 && std::ranges::all_of(ends, [&](const std::string& end) { return end == sizes[0]; });
}

/// W of \lambda \|W\|_F^2 that stands nowhere else: it is likely what other names are together, W_1 and W_2 or the w_k.
bool stands_in_norms_alone(const Unsaid& u, const Source& source, const std::vector<Equation>& all) {
    bool any = false, elsewhere = false;
    const auto see = [&](const Tokens& t) {
        for (std::size_t i = 0; i < t.size(); ++i) {
            const NameParts p = parts_of(source, t, i);
            if (p.base != u.base || p.full_key() != u.key) continue;
            const bool within = i > 0 && is_norm_bar(t[i - 1]) && p.end < t.size() && is_norm_bar(t[p.end]);
            (within ? any : elsewhere) = true;
            i = std::max(i + 1, p.end) - 1;
        }
    };
    for (const Equation& e : all) {
        if (e.note.kind == Token::Kind::note) continue;
        if (e.left) see(*e.left);
        see(e.right);
    }
    return any && !elsewhere;
}
/// W^{(l)} of \sum_l \|W^{(l)}\|^2 beside a W^{(1)}: each of the layers, and no array of its own.
bool is_any_layer(const Unsaid& u, const std::vector<Unsaid>& all) {
    return u.key == u.base && u.entries > 0 && !u.is_bare && std::ranges::any_of(all, [&](const Unsaid& other) {
               return other.base == u.base && other.key.starts_with(u.base + "^(") && other.entries == 0;
           });
}

/// Why it is no value of its own; "" of most.
std::string refusal_of(const Unsaid& u, const std::vector<Unsaid>& unsaid, const Source& source,
                       const std::vector<Equation>& all) {
    if (is_any_layer(u, unsaid)) return fmt::format("{} is that of each layer: write the terms out", printable(u.base, 40));
    if (!stands_in_norms_alone(u, source, all)) return "";
    return fmt::format("{} stands in norms alone: it may be what other names are together", printable(u.base, 40));
}

}  // namespace

std::vector<Taken> names_to_take(const Source& source, Span text, const Prose& prose) {
    std::vector<Taken> out;
    const std::vector<Equation> all = equations_in(source, text, prose);
    const auto is_said = [&](const NameParts& p) { return prose.says(p); };
    const std::map<std::string, std::size_t> said = axes_said(source, text);
    const std::set<std::string> covariances = covariances_in(source, text);
    const Sets sets(source);
    const LinesSaid lines = lines_said(source, with_text_before(source, text));
    const std::vector<Unsaid> unsaid = unsaid_in(source, all, is_said, lines);
    for (Unsaid u : unsaid) {
        if (is_row_of_stated(u, source, all, prose)) continue;
        u.is_covariance = u.is_covariance || is_base_of_parameters(u.key);
        if (const auto axes = axes_in_policies(u.key)) u.said = axes;
        if (is_base_of_parameters(u.key) || is_slope_of_parameters(u.key)) u.said = 2;
        u.is_mask = !sets.empty() && sets.is_mask(u.key);
        if (const auto words = said.find(u.key); words != said.end()) u.said = words->second;
        u.is_covariance =
            u.is_covariance || u.base == "Sigma" || prose.inversions().is_precision(u.key) || covariances.contains(u.key);
        const auto costs = costs_of_axes(u);
        const auto axes = u.is_label ? u.entries : static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
        std::string refused = refusal_of(u, unsaid, source, all);
        out.push_back({.name = std::move(u), .axes = axes, .refused = std::move(refused)});
    }
    return out;
}

void declare_to_find_shapes(std::vector<Taken>& taken, Reading& reading, Statements& to) {
    declare_sizes(taken, reading, to);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        Taken& t = taken[i];
        if (!t.is_value() || reading.is_defined(t.name.key)) continue;
        try {
            Declaration d = declaration_of(t, reading);
            d.has_shape = true;
            for (std::size_t axis = 0; axis < t.axes; ++axis) d.shape.push_back(number(stand_in_size(i, axis)));
            if (t.name.is_label) place_within(number(1), d);
            t.id = d.name;
            to.declare(std::move(d), !t.name.is_label);
        } catch (const ProofError&) {  // a name with a meaning of its own
            t.id.clear();
        }
    }
}

bool claims_something(const Proof& read) {
    return std::ranges::any_of(read.lines, [&](const JudgedLine& line) {
        const std::string_view text = read.source->slice(line.statement.span);
        constexpr std::string_view kSigns[] = {"\\partial", "\\nabla", "\\frac{d", "\\mathrm{d}", "\\dv", "\\pdv"};
        return line.type != JudgedLine::Type::forward &&
               (line.is_judged() ||
                std::ranges::any_of(kSigns, [&](std::string_view sign) { return text.find(sign) != text.npos; }));
    });
}

namespace {

std::vector<Wanted> wanted_of(const std::vector<Taken>& taken) {
    std::vector<Wanted> out;
    for (const Taken& t : taken)
        out.push_back({t.is_value() ? t.id : "", costs_of_axes(t.name), t.name.entries, t.name.is_label});
    return out;
}
bool is_always_a_number(std::string_view name) { return name.starts_with("log_") || name.ends_with("_cal"); }
bool is_number_or_loss(std::string_view name, bool last) { return is_always_a_number(name) || (last && is_usual_loss(name)); }

/// Whether the last value is hardly the loss, as another one is, or goes by the letter of one and stands before it, E = X w - y,
/// or as a gradient is taken by it, \partial L / \partial C of C = A B.
bool has_loss_before_last(const Proof& read) {
    const auto is_by_last = [&](const ExprPtr& side) {
        return side && !read.forward.empty() &&
               any_part(*side, [&](const Expr& e) { return e.kind == Kind::gradient && e.name == read.forward.back().name; });
    };
    if (std::ranges::any_of(read.lines, [&](const JudgedLine& l) { return is_by_last(l.left) || is_by_last(l.right); }))
        return true;
    return std::ranges::any_of(read.forward, [&](const Assignment& a) {
        const Assignment& last = read.forward.back();
        return a.is_loss || (a.name != last.name && is_usual_loss(a.name) && !mentions(*last.value, a.name));
    });
}

}  // namespace

std::optional<std::size_t> misfit_in(const std::vector<Taken>& taken, const Proof& read) {
    const auto at = assignment_to_leave_out(read, wanted_of(taken), is_number_or_loss);
    return at ? std::optional(read.forward[*at].statement.span.begin) : std::nullopt;
}

std::optional<bool> fit(std::vector<Taken>& taken, const Proof& read) {
    const std::vector<Wanted> wanted = wanted_of(taken);
    const auto is_always = [](std::string_view name, bool) { return is_always_a_number(name); };
    auto shapes = has_loss_before_last(read) ? std::nullopt : shapes_needed(read, wanted, is_number_or_loss);
    if (!shapes) shapes = shapes_needed(read, wanted, is_always);  // E = X W - Y, which is no loss
    if (!shapes) return std::nullopt;
    bool changed = false;
    for (Taken& t : taken) {
        const auto found = t.is_value() ? shapes->find(t.id) : shapes->end();
        if (found == shapes->end()) {
            if (t.is_value() && !t.name.is_number) t.id.clear();
            if (t.name.is_number) t.axes = 0;
            continue;
        }
        t.sizes = found->second;
        if (t.name.is_label) continue;
        changed = changed || t.axes != t.sizes.size();
        t.axes = t.sizes.size();
        t.domain = domain_needed(read, t.id);
        const bool small = t.name.base.size() == 1 && t.name.base[0] >= 'a' && t.name.base[0] <= 'z' && !t.name.is_bold;
        const bool matrix = t.axes == 2 && t.name.is_bare && t.name.entries == 0 && !t.name.is_rows && !t.name.said;
        const bool otherwise = t.name.said && *t.name.said > 0 && t.axes == 0;          // the text calls it a vector or a matrix
        if ((small && matrix && t.name.key == t.name.base) || otherwise) t.id.clear();  // the formulas are not understood
    }
    return changed;
}

void declare(std::vector<Taken>& taken, const Prose& prose, Reading& reading, Statements& to) {
    declare_sizes(taken, reading, to);
    FreeLetters letters(reading.source, to);
    std::map<std::string, std::string> named;  // of sizes without a name
    std::vector<std::string> told;
    for (Taken& t : taken) {
        if (!t.is_value() || t.id.empty() || reading.is_defined(t.name.key)) continue;
        if (!t.refused.empty()) {
            reading.unread.emplace(t.name.base, t.refused);
            continue;
        }
        try {
            Declaration d = declaration_of(t, reading);
            d.has_shape = d.taken = true;
            for (std::string& size : t.sizes) {
                if (size.starts_with('#')) {
                    auto [letter, is_new] = named.emplace(size, "");
                    if (is_new) {
                        letter->second = letters.next();
                        reading.spelling->names[letter->second] = letter->second;
                        Declaration dim;
                        dim.span = d.span;
                        dim.name = letter->second;
                        to.dims({dim});
                    }
                    size = letter->second;
                }
                d.shape.push_back(size_of(size, to));
            }
            if (t.name.is_label) {
                ExprPtr within = d.shape.at(t.name.entries);
                d.shape.pop_back();
                place_within(std::move(within), d);
            }
            const auto label = std::ranges::find_if(
                prose.properties(), [&](const Property& p) { return p.of_all && p.is_label() && p.key == t.name.key; });
            if (t.name.is_covariance && t.sizes.size() == 2 && t.sizes[0] == t.sizes[1]) d.distribution = "definite";
            const bool sums_to_one = t.domain == Domain::sums_to_one && !t.sizes.empty();
            if (sums_to_one && may_be_labels(t.name) && !are_no_distribution(reading.source, t.name.base))
                d.distribution = "distribution";
            const bool small_constant = t.sizes.empty() && (t.name.base == "ε" || t.name.base == "δ") && t.domain == Domain::all;
            if (t.domain == Domain::positive || small_constant) d.distribution = "positive";
            if (t.domain == Domain::unit) {
                d.distribution = "uniform";
                d.parameters = {number(0), number(1)};
            }
            if (t.name.is_mask) d.distribution = "binary";
            const bool input = !t.name.is_label && !t.name.is_mask && label == prose.properties().end();
            if (!axes_in_policies(t.name.key) && !is_base_of_parameters(t.name.key) && !is_slope_of_parameters(t.name.key))
                told.push_back(t.sizes.empty() || t.name.is_label ? d.name
                                                                  : fmt::format("{} [{}]", d.name, fmt::join(t.sizes, ", ")));
            to.declare(std::move(d), input);
        } catch (const ProofError&) {  // as where its shape was looked for
        }
    }
    if (std::ranges::any_of(taken, [](const Taken& t) { return is_slope_of_parameters(t.name.key) && !t.id.empty(); }))
        to.holds_for("any dependence on a parameter");
    for (const Taken& t : taken)
        if (const auto axes = axes_in_policies(t.name.key); axes && *axes == 1 && !t.id.empty()) {
            to.holds_for("any probabilities with these parameters");
            break;
        }
    if (!told.empty()) to.holds_for(fmt::format("{}: shapes as the formulas need them", fmt::join(told, ", ")));
}

}  // namespace gradproof::proof::latex
