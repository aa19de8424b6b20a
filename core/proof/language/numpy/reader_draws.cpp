// Arrays that a program draws are its inputs, and names of their sizes are sizes.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Up to this number a size is as the program says; larger ones are drawn, as those that a comment leaves open.
constexpr double kLargestGiven = 12;

/// The numbers that the program assigns to names; none of a name that is assigned something else or another number.
using Numbers = std::map<std::string, std::optional<double>, std::less<>>;

void add_assigned(Numbers& to, const std::vector<std::pair<std::string, std::optional<double>>>& assigned) {
    for (const auto& [name, number] : assigned) {
        const auto [found, is_new] = to.emplace(name, number);
        if (!is_new && found->second != number) found->second = std::nullopt;
    }
}

}  // namespace

/// b of b = 0.0, b -= lr * db: numbers from which updates go on, and whose gradient is assigned.
std::set<std::string> Reader::started_parameters() const {
    std::map<std::string, int> is_started;  // 1 of a number, 2 with an update too, 3 of others
    std::set<std::string> assigned;
    for (const Span s : statements_in(source_, text_)) {
        const auto [at, size] = assignment_in(source_, s);
        if (size == 0) continue;
        const std::vector<Span> names = split_at_commas(source_, {s.begin, at});
        for (const Span n : names) assigned.emplace(source_.slice(n));
        const std::string name(names.size() == 1 ? source_.slice(names[0]) : "");
        const Span right = trimmed(source_, {at + size, s.end});
        const bool number = size == 1 && is_number_text(source_.slice(right));
        const bool updates = (size == 2 && source_.text()[at] != '*') || added_to_itself(source_, name, right).second == '-';
        for (const Span n : names) {
            int& state = is_started[std::string(source_.slice(n))];
            const bool fits = names.size() == 1 && state < 3 && ((number && state == 0) || (updates && state > 0));
            state = !fits ? 3 : number ? 1 : 2;
        }
    }
    std::set<std::string> out;
    for (const auto& [name, state] : is_started) {
        const auto is_it = [&started = name](std::string_view value) { return value == started; };
        const bool has_gradient =
            std::ranges::any_of(assigned, [&](const std::string& other) { return !value_named_in(other, is_it).empty(); });
        if (state == 2 && has_gradient && !is_of_loss(name) && !noted_.contains(name)) out.insert(name);
    }
    return out;
}

/// What is drawn anywhere in the text is declared at its start: functions that use it may stand above.
void Reader::find_draws() {
    Numbers numbers;
    std::map<std::string, std::string, std::less<>> shapes;  // "" of a name that is drawn in several
    const auto shape_text = [&](const Draw& draw) {
        std::string out = ",";
        for (const Span size : draw.sizes) out += std::string(source_.slice(size)) + ",";
        return out;
    };
    const std::set<std::string> started = started_parameters();
    for (const Span s : statements_in(source_, text_)) {
        const auto [at, equals] = assignment_in(source_, s);
        const Span left = trimmed(source_, {s.begin, at});
        if (equals == 1 && started.contains(std::string(source_.slice(left)))) {  // b = 0.0
            Draw draw{left, {}, "normal"};
            if (is_number_text(source_.slice(trimmed(source_, {at + equals, s.end})))) draws_.emplace(s.begin, std::move(draw));
            shapes.emplace(std::string(source_.slice(left)), ",");
            continue;
        }
        if (std::optional<Draw> draw = draw_in(source_, s)) {
            const auto [first, is_new] = shapes.emplace(std::string(source_.slice(draw->name)), shape_text(*draw));
            if (!is_new && first->second != shape_text(*draw)) first->second = "";
            std::vector<std::string> sizes;
            for (const Span size : draw->sizes) sizes.emplace_back(source_.slice(size));
            if (draw->is_filled) axes_[first->first] = std::move(sizes);
            draws_.emplace(s.begin, std::move(*draw));
        }
        add_assigned(numbers, assigned_in(source_, s));
    }
    const auto is_assigned_gradient_of = [&](std::string_view name) {
        return std::ranges::any_of(numbers, [&](const auto& assigned) {
            return !value_named_in(assigned.first, [&](std::string_view value) { return value == name; }).empty();
        });
    };
    const auto is_number = [&](const std::string& name) { return !numbers.contains(name) || numbers.find(name)->second; };
    const auto is_size = [&](const std::string& name) {
        const auto found = numbers.find(name);
        return found == numbers.end() || (found->second && *found->second >= 1 && std::floor(*found->second) == *found->second);
    };
    std::erase_if(draws_, [&](const auto& at) { return shapes.find(source_.slice(at.second.name))->second.empty(); });
    std::erase_if(draws_, [&](const auto& at) {
        const Draw& draw = at.second;
        const std::string_view name = source_.slice(draw.name);
        if (noted_.contains(name)) return false;
        const bool is_input =
            !draw.is_filled || (!filled_.contains(name) && !carried_.contains(name) && is_assigned_gradient_of(name));
        return !is_input || !std::ranges::all_of(draw.in_sizes, is_size) || !std::ranges::all_of(draw.around, is_number);
    });
    for (const auto& [begin, draw] : draws_) {
        if (noted_.contains(source_.slice(draw.name))) continue;
        for (const std::string& size : draw.in_sizes) {
            if (to_.names().defined(size) || noted_.contains(size)) continue;
            const auto found = numbers.find(size);
            Declaration d;
            d.name = size;
            d.span = draw.name;
            if (found != numbers.end() && *found->second <= kLargestGiven) d.value = number(*found->second);
            to_.dims({d});
            sizes_.insert(size);
        }
        if (std::ranges::none_of(draw.in_sizes, [&](const std::string& size) { return noted_.contains(size); })) declare(draw);
    }
}

void Reader::declare(const Draw& draw) {
    Declaration d;
    d.name = std::string(source_.slice(draw.name));
    if (to_.names().defined(d.name)) return;
    d.span = draw.name;
    d.has_shape = true;
    for (const Span s : draw.sizes) d.shape.push_back(expression(s));
    d.distribution = draw.is_filled ? "normal" : std::string(draw.distribution);
    for (const Span s : draw.parameters) d.parameters.push_back(expression(s));
    if (d.distribution == "uniform" && d.parameters.empty()) d.parameters = {number(0), number(1)};
    to_.declare(std::move(d), draw.distribution != "index");
}

/// What is drawn within an expression: a constant.
ExprPtr Reader::drawn_within(const std::vector<ExprPtr>& sizes, Span where, std::string_view distribution) {
    Declaration d;
    d.name = fmt::format("(draw of line {} at {})", source_.line(where.begin), where.begin);
    if (to_.names().defined(d.name)) return proof::name(d.name);
    d.span = where;
    d.has_shape = true;
    d.distribution = distribution;
    if (distribution == "uniform") d.parameters = {number(0), number(1)};
    for (const ExprPtr& size : sizes) {
        const std::string known = size_name(*size, to_.proof());
        if (!to_.names().dims.contains(known) && !signed_number(*size))
            fail(where, fmt::format("{}: its sizes are read where they are named by dims", source_.slice(where)));
        d.shape.push_back(to_.names().dims.contains(known) ? proof::name(known) : size);
    }
    const std::string name = d.name;
    to_.declare(std::move(d), false);
    return proof::name(name);
}

/// W = np.zeros(W.shape) in a function that is given W, or below a line of it that uses W, and in any backward; self.W = ... of a
/// class that is given W elsewhere.
bool Reader::is_made_anew(Span s, std::string_view name) const {
    if (here_ == 0 || function_name_ == "__init__") return false;
    if (class_ > 0 && source_.slice(s).starts_with("self.")) {
        const Span head{class_, end_of_statement(source_, class_, text_.end)};
        for (const Span def : statements_in(source_, body_of(head)))
            if (word_at(def) == "def" &&
                std::ranges::any_of(parameters_of(source_, def), [&](const OwnFunction::Parameter& p) { return p.name == name; }))
                return true;
    }
    const Span above{function_begin_, std::max(s.begin, function_begin_)};
    return backward_ || parameters_.contains(name) || is_one_of(identifiers_in(source_.slice(above)), name);
}

/// X = np.random.randn(n, d): X is declared, by a comment or by that, in sizes of a comment as late as here.
bool Reader::passes_draw(Span s) {
    constexpr std::array<std::string_view, 6> kMakers{"np.random.default_rng(", "np.random.RandomState(", "torch.Generator(",
                                                      "jax.random.PRNGKey(",    "random.PRNGKey(",        "jax.random.split("};
    const auto [at, size] = assignment_in(source_, s);
    const std::string_view right = source_.slice(trimmed(source_, {at + size, s.end}));
    if (size == 1 && std::ranges::any_of(kMakers, [&](std::string_view g) { return right.starts_with(g); })) return true;
    const auto found = draws_.find(s.begin);
    if (found == draws_.end()) return false;
    const std::string_view name = source_.slice(found->second.name);
    if (!drawn_.emplace(name).second)
        changed_[std::string(name)] =
            fmt::format("line {} draws it again: what stands in it is another draw", source_.line(s.begin));
    if (is_made_anew(s, name)) tell(s, fmt::format("it makes {} anew", name));
    if (!noted_.contains(name)) declare(found->second);
    return std::ranges::any_of(to_.proof().given, [&](const Given& g) { return g.name == name; });
}

}  // namespace gradproof::proof::numpy
