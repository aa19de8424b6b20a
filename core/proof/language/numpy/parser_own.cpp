// Calls of functions that the program itself defines.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"

namespace gradproof::proof::numpy {
namespace {

/// Whether it is an array of its own, and no view of another.
bool is_fresh(const Expr& e) {
    return e.kind == Kind::sum || e.kind == Kind::product || e.kind == Kind::power ||
           (e.kind == Kind::call && e.name != "sg" && is_elementwise(e.name));
}

}  // namespace

/// What a name stands for within the function that is being read; nullptr where that says nothing of it.
ExprPtr Parser::name_of_function(std::string_view name) {
    const auto found = scope_ ? scope_->names.find(name) : decltype(scope_->names.end()){};
    if (!scope_ || found == scope_->names.end()) return nullptr;
    parts_ += found->second.parts;
    return found->second.condition ? as_condition(found->second.value) : found->second.value;
}

/// Within a function, what is no name of it has to be the same at each call.
void Parser::expect_given(std::size_t begin, std::string_view name) {
    constexpr std::array<std::string_view, 7> kWords{"None", "newaxis", "True", "False", "pi", "e", "inf"};
    const bool given = names_.dims.contains(name) ||
                       (names_.values.contains(name) && !names_.helpers.contains(name) && file_->proof->find(name) == nullptr);
    if (!given && std::ranges::find(kWords, name) == kWords.end() && !next_is("("))
        fail(begin, fmt::format("{} is none of the arguments of {}, of the sizes and of what is given", name, scope_->function));
}

Scope Parser::scope_of(const OwnFunction& f, const Arguments& given, std::size_t begin) {
    Scope out{f.name, scope_ ? scope_->call : Span{begin, at_}, scope_ ? scope_->within + 1 : 1, {}, {}};
    if (out.within > kDeepestCalls)
        fail(begin, fmt::format("calls of functions stand within each other deeper than {} (kDeepestCalls)", kDeepestCalls));
    std::size_t used = given.named.size();
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
        const OwnFunction::Parameter& p = f.parameters[i];
        const auto named = given.named.find(p.name);
        ExprPtr value = i < given.positional.size() ? given.positional[i] : nullptr;
        if (value && named != given.named.end()) fail(begin, fmt::format("{}: its argument {} is given twice", f.name, p.name));
        if (named != given.named.end()) value = named->second, --used;
        if (!value && p.value.begin < p.value.end) value = Parser(source_, p.value, names_, file_).whole();
        if (!value) fail(begin, fmt::format("{}: its argument {} is missing", f.name, p.name));
        out.names[p.name] = {value, parts_of(*value), is_condition(value)};
        out.shared.insert(p.name);
    }
    if (given.positional.size() > f.parameters.size() || used > 0)
        fail(begin, fmt::format("{}: got {} arguments, it takes {}", f.name, given.positional.size() + given.named.size(),
                                f.parameters.size()));
    return out;
}

/// What a function of the program returns for these arguments.
ExprPtr Parser::own_called(const OwnFunction& f, const Arguments& given, std::size_t begin) {
    if (!f.why.empty()) fail(begin, fmt::format("{}, a function of this file, is not read: {}", f.name, f.why));
    if (file_->called) file_->called(f.name);
    Scope scope = scope_of(f, given, begin);
    for (const OwnFunction::Step& step : f.steps) {
        Parser line(source_, step.right, names_, file_);
        line.scope_ = &scope;
        line.depth_ = depth_;
        line.parts_ = parts_;
        const ExprPtr value = line.whole();
        const std::size_t parts = line.parts_ - parts_;
        parts_ = line.parts_;
        if (step.names.empty()) {
            return marked_as(*value, finish(begin, value));
        }
        assign_within(scope, step, value, parts, line.is_condition(value));
    }
    fail(begin, fmt::format("{} returns nothing", f.name));
}

/// name = value, name += value, and a, b = values of a function.
void Parser::assign_within(Scope& scope, const OwnFunction::Step& step, const ExprPtr& value, std::size_t parts, bool condition) {
    const std::string& name = step.names[0];
    if (step.names.size() > 1) {
        if (value->kind != Kind::array || value->children.size() != step.names.size())
            fail(step.right.begin,
                 fmt::format("{} names on the left, as many expressions are expected on the right", step.names.size()));
        for (std::size_t i = 0; i < step.names.size(); ++i) {
            scope.names[step.names[i]] = {value->children[i], parts, is_condition(value->children[i])};
            scope.shared.insert(step.names[i]);
        }
        return;
    }
    ExprPtr after = value;
    if (step.op != '=') {
        const auto before = scope.names.find(name);
        if (before == scope.names.end() || scope.shared.contains(name) || before->second.condition)
            fail(step.right.begin, fmt::format("{} is changed in place: give the result a name of its own", name));
        const bool adds = step.op == '+' || step.op == '-';
        if (step.op == '@') fail(step.right.begin, "@= is not read: write the product");
        after = adds ? sum(before->second.value, step.op, value) : product(before->second.value, step.op, value);
        parts += before->second.parts;
    } else if (!is_fresh(*value)) {
        for (const auto& [other, named] : scope.names)
            if (mentions_in(step.right, other)) scope.shared.insert(other);
        scope.shared.insert(name);
    } else {
        scope.shared.erase(name);
    }
    scope.names[name] = {after, parts, condition};
}

bool Parser::mentions_in(Span s, const std::string& name) const {
    return std::ranges::count(identifiers_in(source_.slice(s)), name) > 0;
}

}  // namespace gradproof::proof::numpy
