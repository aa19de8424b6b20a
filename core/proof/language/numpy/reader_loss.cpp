// Which value of a program is the loss, where none is called so.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/reader.hpp"

namespace gradproof::proof::numpy {
namespace {

bool is_one_number(const Expr& e, const Proof& proof) {
    const std::optional<AxisNames> axes = axis_names(e, proof);
    return axes && axes->empty();
}

}  // namespace

bool is_of_loss(std::string_view name) {
    constexpr std::array<std::string_view, 3> kWhole{"J", "mse", "bce"};
    constexpr std::array<std::string_view, 6> kWithin{"loss", "Loss", "cost", "Cost", "objective", "nll"};
    return is_one_of(kWhole, name) ||
           std::ranges::any_of(kWithin, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

/// What is shown of how well a model does: no loss, unless it is returned first.
bool Reader::is_metric(std::string_view name) const {
    constexpr std::array<std::string_view, 8> kAll{"rmse", "r2", "r_squared", "psnr", "ppl", "perplexity", "acc", "accuracy"};
    return is_one_of(kAll, name) && source_.text().find(fmt::format("return {}", name)) == std::string_view::npos;
}

/// The last value of all, if it is one number and nothing speaks of its gradient, else the one that is called as losses are, or
/// that is returned with gradients.
void Reader::find_loss() {
    const Proof& proof = to_.proof();
    const auto is_lost = [](const JudgedLine& l) { return l.type == JudgedLine::Type::forward; };
    const bool told = gradient_comes_in_ || !loss_.empty() || !to_.names().loss.empty() || to_.names().several_losses;
    if (told || proof.forward.empty() || std::ranges::any_of(proof.lines, is_lost)) return;
    std::vector<std::string> candidates;
    for (auto a = proof.forward.begin(); a != proof.forward.end(); ++a) {
        const bool goes_on = std::any_of(a + 1, proof.forward.end(), [&](const Assignment& later) {
            return !is_metric(later.name) && mentions(*later.value, a->name);
        });
        const bool may_be =
            is_of_loss(a->name) || a + 1 == proof.forward.end() || (a->name == with_gradients_ && !is_metric(a->name));
        const bool is_setting = names_in(*a->value).empty();  // lam = 0.1
        if (may_be && !goes_on && !is_setting && !a->inner && a->indices.empty() && is_one_number(*a->value, proof))
            candidates.push_back(a->name);
    }
    const bool one_of_several = candidates.size() > 1;
    if (candidates.size() > 1) std::erase_if(candidates, [&](const std::string& name) { return is_metric(name); });
    if (std::ranges::count_if(candidates, is_of_loss) == 1)  // J, and not the rmse below it
        std::erase_if(candidates, [](const std::string& name) { return !is_of_loss(name); });
    if (candidates.size() != 1) return;
    const std::string& loss = candidates[0];
    const std::vector<std::string> words = identifiers_in(source_.slice(text_));
    const bool has_gradient =
        std::ranges::any_of(words, [&](const std::string& word) { return names_upstream(word) || gradient_named(word) == loss; });
    if (has_gradient) return;
    if (!is_of_loss(loss) || one_of_several) to_.holds_for(fmt::format("{} as the loss, as none is stated", loss));
    leave_out_metrics(loss);
    to_.take_for_loss(loss);
}

/// rmse = np.sqrt(mse), of what is taken for the loss, where nothing else uses it.
void Reader::leave_out_metrics(const std::string& loss) {
    std::vector<std::string> metrics;
    for (const Assignment& a : to_.proof().forward)
        if (is_metric(a.name) && mentions(*a.value, loss)) metrics.push_back(a.name);
    for (const std::string& name : metrics) {
        const bool used =
            std::ranges::any_of(to_.proof().forward, [&](const Assignment& a) { return mentions(*a.value, name); }) ||
            std::ranges::any_of(claims_, [&](const Claim& c) { return c.right != nullptr && mentions(*c.right, name); });
        if (!used) to_.leave_out(name);
    }
}

/// Of def backward(dout, cache), where one forward returns out and nothing is computed of that.
void Reader::find_incoming() {
    const std::string& result = file_.returned;
    const Assignment* const a = result.empty() ? nullptr : to_.proof().find(result);
    if (a == nullptr || results_.size() != 1 || !to_.names().loss.empty() || !loss_.empty()) return;
    const std::vector<std::string> words = identifiers_in(source_.slice(text_));
    const bool comes_in = std::ranges::any_of(
        words, [&](const std::string& word) { return names_upstream(word) || gradient_named(word) == result; });
    const bool claimed = std::ranges::any_of(claims_, [&](const Claim& c) { return without_indices(*c.left).name == result; });
    if (comes_in && !claimed) to_.comes_in_at(result);
}

/// def backward(ctx, g), f_bwd(res, g) and backward(dloss, cache) beside the function that stands here: what it returns is
/// scaled, or is a term among others. With dout=1 it need not be.
bool Reader::is_given_gradient_of(const std::string& name) {
    if (here_ == 0 || backward_) return false;
    const std::vector<Span> all = statements_or_lines(source_, {function_begin_, text_.end});
    const auto next_class = std::ranges::find_if(all, [&](Span s) { return word_at(s) == "class"; });
    for (const Span s : paired_in({function_begin_, next_class == all.end() ? text_.end : next_class->begin})) {
        const std::vector<OwnFunction::Parameter> given = parameters_of(source_, s);
        const bool of_framework = !program_.inputs_of_backward(s.begin).empty() && given.size() == 2;
        const auto is_it = [&](std::string_view of) { return of == name; };
        const auto comes_in = [&](const OwnFunction::Parameter& p) {
            return p.value.begin >= p.value.end && (names_upstream(p.name) || !value_named_in(p.name, is_it).empty());
        };
        if (!of_framework && std::ranges::none_of(given, comes_in)) continue;
        gradient_comes_in_ = true;
        return true;
    }
    return false;
}

/// loss = np.mean((p - y) ** 2) at the start of a backward that no gradient is given to.
bool Reader::states_loss(const std::string& name, const Expr& value) const {
    const bool first = backward_ && claims_.empty() && loss_.empty() && to_.names().loss.empty() && !to_.proof().forward.empty();
    const auto comes_in = [&](const std::string& p) { return names_upstream(p) || !gradient_named(p).empty(); };
    return first && is_of_loss(name) && std::ranges::none_of(parameters_, comes_in) && is_one_number(value, to_.proof());
}

/// return np.mean((p - y) ** 2) of a function that is called as losses are, or that has a backward given no gradient. Whether it
/// is one.
bool Reader::returns_loss(Span s, Span rest) {
    const bool called_so = is_of_loss(function_name_), of_pair = !called_so && !is_awaited() && has_backward();
    if (is_given_gradient_of("loss")) return false;
    if ((!called_so && !of_pair) || !loss_.empty() || !to_.names().loss.empty() || to_.names().defined("loss")) return false;
    const bool several = first_returned(rest).end < rest.end;  // return np.mean(...), p
    const std::vector<ExprPtr> parts = of_pair || several ? parts_returned(first_returned(rest)) : std::vector{expression(rest)};
    if (parts.empty()) return false;
    const ExprPtr& value = parts[0];
    if (value->kind == Kind::array || value->kind == Kind::name || !is_one_number(*value, to_.proof())) return false;
    try {
        to_.expect_free("loss", rest, true, true);
        to_.assign(at(s), "loss", {proof::name("loss"), value, {}, nullptr}, true);
    } catch (const ProofError&) {
        if (called_so) throw;
        return false;  // of values that nothing declares
    }
    return true;
}

/// def backward(dh, dc, cache) of a forward that returns h and c: these come in from outside, and the loss is of both.
void Reader::let_gradients_come_in(Span def) {
    file_.incoming.clear();
    if (!loss_.empty() || !to_.names().loss.empty() || to_.names().several_losses || !claims_.empty()) return;
    std::vector<std::pair<std::string, std::string>> gradients;
    for (const OwnFunction::Parameter& p : parameters_of(source_, def))
        if (const std::string of = gradient_named(p.name); results_.contains(of)) gradients.emplace_back(p.name, of);
    if (gradients.size() < 2) return;
    ExprPtr total;
    std::string told;
    for (const auto& [name, of] : gradients) {
        Declaration d;
        d.name = fmt::format("({})", name);
        d.span = def;
        d.has_shape = true;
        const std::optional<AxisNames> axes = axis_names(*proof::name(of), to_.proof());
        for (const std::string& size : axes.value_or(AxisNames{"?"})) {
            const bool known = to_.names().dims.contains(size) || is_number_text(size);
            if (!known) fail(def, fmt::format("{} comes in from outside, and the sizes of {} are not known", name, of));
            d.shape.push_back(is_number_text(size) ? number(std::stod(size)) : proof::name(size));
        }
        const std::string in = d.name;
        to_.declare(std::move(d), false);
        file_.incoming[name] = in;
        const ExprPtr part = call("sum", {product(proof::name(in), '*', proof::name(of))});
        total = total ? sum(total, '+', part) : part;
        told += fmt::format("{}sum({} * {})", told.empty() ? "" : " + ", name, of);
    }
    const std::string loss = to_.names().defined("loss") ? "(loss)" : "loss";
    to_.assign(at(def), loss, {proof::name(loss), total, {}, nullptr}, true);
    to_.holds_for(fmt::format("the loss {}, what comes in from outside", told));
}

}  // namespace gradproof::proof::numpy
