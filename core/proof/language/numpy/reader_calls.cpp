// Calls of functions whose lines are read where they stand: loss, grads = backward(x, cache). Given what these lines speak of, a
// call says nothing new, and what it returns has the names that they give it.
#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {

/// Whether each parameter that is a value or a gradient is given just that.
bool Reader::gives_the_same(const Program::Call& call) const {
    const auto is_known = [&](const std::string& name) {
        return to_.names().defined(name) || !gradient_named(name).empty() || file_.conditions.contains(name);
    };
    for (const std::string& parameter : call.function->parameters) {
        const auto given = call.given.find(parameter);
        if (given == call.given.end()) {
            if (is_known(parameter) && !to_.proof().is_constant(parameter)) return false;
            continue;
        }
        const std::string text(source_.slice(given->second));
        if (file_.locals.contains(text)) return false;  // another value of that name
        if (text != parameter && (is_known(parameter) || is_known(text))) return false;
    }
    return true;
}

namespace {

/// What the function that begins there returns.
std::string returned_by(std::size_t function) { return fmt::format("(returned by {})", function); }

}  // namespace

/// For calls of it further down; of one with several returns it is not known.
void Reader::keep_result(Span rest) {
    const std::vector<ExprPtr> parts = parts_returned(rest);
    if (++returns_of_function_[function_begin_] == 1 && !parts.empty())
        file_.saved.keep(returned_by(function_begin_), make(node(Kind::array, parts)), rest);
}
/// Part i of what a function above returns; nullptr where it is not known.
ExprPtr Reader::result_of(const ProgramFunction& f, std::size_t i) const {
    const auto returns = returns_of_function_.find(f.begin);
    if (returns == returns_of_function_.end() || returns->second != 1) return nullptr;
    for (const auto& [function, output] : outputs_)
        if (i == 0 && output.begin == f.begin && !output.value.empty()) return name(output.value);
    const ExprPtr all = file_.saved.find(returned_by(f.begin));
    return all && i < all->children.size() ? all->children[i] : nullptr;
}

/// self.step() above a line of a function: what its methods give may be other values behind it.
bool Reader::changes_state_above(Span s) const {
    return std::ranges::any_of(statements_in(source_, {function_begin_, s.begin}), [&](Span line) {
        return source_.slice(line).starts_with("self.") && assignment_in(source_, line).second == 0;
    });
}
/// A value of the forward, also in a function that goes on with gradients.
void Reader::assign_result(Span s, Span left, const ExprPtr& value) {
    const std::string name(source_.slice(left));
    Expr n = node(Kind::name, {}, name);
    n.span = left;
    to_.assign(at(s), name, {make(std::move(n)), value, {}, nullptr}, false);
    function_[name] = here_;
}

/// x, W = self.kept() of a function that returns one tuple: each name with its part. Whether it is one of so many.
bool Reader::unpacks_result(const ProgramFunction& f, const std::vector<Span>& names,
                            std::vector<std::pair<Span, ExprPtr>>& to) const {
    const ExprPtr tuple = f.returned.size() == 1 ? result_of(f, 0) : nullptr;
    if (!tuple || !is_tuple(*tuple) || tuple->children.size() != names.size()) return false;
    for (std::size_t i = 0; i < names.size(); ++i) to.emplace_back(names[i], tuple->children[i]);
    return true;
}

/// Whether it is such a call, which is passed over.
bool Reader::calls_program(Span s) {
    const auto [at, size] = assignment_in(source_, s);
    const Span left = trimmed(source_, {s.begin, size == 1 ? at : s.begin}),
               right = trimmed(source_, {size == 1 ? at + size : s.begin, s.end});
    const std::string_view callee = source_.slice(right);
    if (size == 1 && program_.has_class(callee.substr(0, callee.find('(')))) {
        tell_given_another(right);
        return identifier_length(source_.slice(left)) == left.end - left.begin;
    }
    if (size > 1 || own_.find(callee.substr(0, identifier_length(callee))) != nullptr) return false;
    if (parameters_.contains(callee.substr(0, callee.find('(')))) return false;  // forward of def loss(X, forward)
    const std::optional<Program::Call> call = program_.call_in(source_, right);
    if (!call || !gives_the_same(*call)) return false;
    const std::vector<Span> names = split_at_commas(source_, left), &returned = call->function->returned;
    std::vector<std::pair<Span, ExprPtr>> renamed, results;
    const bool one_each = names.size() == returned.size(), unpacks = names.size() > 1 && !one_each;
    if (unpacks && !unpacks_result(*call->function, names, renamed)) return false;
    for (std::size_t i = 0; i < names.size() && !unpacks; ++i) {
        const std::string_view name = source_.slice(names[i]), part = one_each ? source_.slice(returned[i]) : "";
        const ExprPtr result = one_each ? result_of(*call->function, i) : nullptr;
        if (place_of(source_, names[i])) {  // self.out = self.forward(x)
            if (!result || !is_kept_whole(*result)) return false;
            renamed.emplace_back(names[i], result);
            continue;
        }
        if (identifier_length(name) != name.size()) return false;
        if (name == "_" || name == part) continue;
        const bool named = !part.empty() && identifier_length(part) == part.size();
        if (named && !to_.names().defined(part) && gradient_named(std::string(part)).empty() && !file_.saved.find(part))
            continue;  // nothing is known of it
        const std::vector<ExprPtr> values = one_each ? parts_returned(returned[i]) : std::vector<ExprPtr>();
        if (result && result->kind == Kind::name && result->name == name && !changes_state_above(s)) continue;
        const bool whole = values.size() == 1 && is_kept_whole(*values[0]);
        const Assignment* const same = result ? to_.proof().find(std::string(name)) : nullptr;
        if (same && !changes_state_above(s) && text_of(*same->value) == text_of(*result))
            continue;  // another call of it gave that
        if (!whole && (!result || !claims_.empty() || to_.names().defined(name))) return false;
        (whole ? renamed : results).emplace_back(names[i], whole ? values[0] : result);
    }
    lose_dicts_given(s, *call);
    for (const auto& [name, value] : renamed) take(s, name, '=', value);
    for (const auto& [name, value] : results) assign_result(s, name, value);
    for (const std::string& name : call->function->updated)
        if (backward_ && std::ranges::find(to_.proof().given, name, &Given::name) != to_.proof().given.end())
            changed_.emplace(name, fmt::format("line {} calls what changes it", source_.line(s.begin)));
    const auto is_known = [&](const std::string& name) {
        return to_.names().defined(name) || !gradient_named(name).empty() || file_.saved.find(name) != nullptr;
    };
    const bool returns = here_ != 0 && source_.slice({s.end, end_of_function(s.end)}).find("return ") != std::string_view::npos;
    if (returns && std::ranges::any_of(call->function->changed, is_known))
        tell(s, "it calls what may change arrays by another name");
    return true;
}

}  // namespace gradproof::proof::numpy
