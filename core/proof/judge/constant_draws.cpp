// Masks, signs and labels that hold one value throughout.
#include "gradproof/core/proof/judge/constant_draws.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

constexpr int kFirstOfConstants = 5000;  // the number of the first draw
constexpr std::size_t kMostPlaces = 4, kMostConstantDraws = 16;

bool has_places(const Given& g) { return g.fill == Fill::index || g.fill == Fill::onehot; }
bool has_few_values(const Given& g) { return has_places(g) || g.fill == Fill::binary || g.fill == Fill::signs; }

/// Whole numbers that stand as indices, or beside something in a sum, as of v == 2.
std::set<Index> places_named(const Proof& proof) {
    std::set<Index> out;
    const auto look = [&](const Expr& e) {
        const bool entry = e.kind == Kind::index || e.kind == Kind::call || e.kind == Kind::delta || e.kind == Kind::sum;
        for (std::size_t i = e.kind == Kind::index ? 1 : 0; entry && i < e.children.size(); ++i)
            if (const Expr& at = *e.children[i]; at.kind == Kind::number && at.number == std::floor(at.number) && at.number > 0)
                out.insert(static_cast<Index>(std::min(at.number, 1e9)));
    };
    for (const Assignment& a : proof.forward) for_each(*a.value, look);
    for (const JudgedLine& line : proof.lines)
        if (line.is_judged()) {
            for_each(*line.left, look);
            for_each(*line.right, look);
        }
    return out;
}

/// The values of one constant that are tried.
struct Choice {
    const Given* given;
    Shape shape;
    std::vector<double> values;
};

Tensor<double> filled(const Choice& c, double value) {
    if (c.given->fill != Fill::onehot) {
        Tensor<double> x(c.shape);
        std::fill(x.begin(), x.end(), value);
        return x;
    }
    Tensor<double> x = zeros<double>(c.shape);
    const Index n = c.shape.last();
    for (Index row = 0; row < x.size() / n; ++row) x[row * n + static_cast<Index>(value)] = 1;
    return x;
}

/// How many places there are; 0 where that is not known.
Index places(const Given& g, const Shape& shape, const Instance& usual) {
    if (g.fill == Fill::onehot) return shape.rank() > 0 ? shape.last() : 0;
    try {
        return static_cast<Index>(Evaluator<double>(usual.scope()).matrix(*g.parameters.at(0)).value()[0]);
    } catch (const EvaluationError&) {
        return 0;
    }
}

std::vector<Choice> choices(const Proof& proof, const InstanceOptions& options, const Instance& usual) {
    std::vector<Choice> out;
    const std::set<Index> named = places_named(proof);
    for (const Given& g : proof.given) {
        if (!has_few_values(g) || options.bind.contains(g.name)) continue;
        Choice c{&g, usual.scope().values.at(g.name).shape(), {}};
        if (!has_places(g)) c.values = {g.fill == Fill::signs ? -1.0 : 0.0, 1.0};
        const Index n = has_places(g) ? places(g, c.shape, usual) : 0;
        if (n > 0) c.values.push_back(0);
        if (n > 1) c.values.push_back(static_cast<double>(n - 1));
        for (const Index k : named)
            if (k < n - 1 && c.values.size() < 2 + kMostPlaces) c.values.push_back(static_cast<double>(k));
        if (!c.values.empty()) out.push_back(std::move(c));
    }
    return out;
}

/// Draws in the sizes of the usual one, with some constants bound.
class BoundDraws {
  public:
    BoundDraws(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Instance& usual)
        : proof_(proof), plan_(plan), same_sizes_(options) {
        for (const Dim& d : proof.dims)
            if (!d.value) same_sizes_.sizes.insert_or_assign(d.name, usual.sizes().at(d.name));
    }
    void draw(const Bindings& bound, const std::string& text) {
        if (out_.draws.size() >= kMostConstantDraws) return;
        InstanceOptions filled_in = same_sizes_;
        filled_in.bind.insert(bound.begin(), bound.end());
        try {
            const int number = kFirstOfConstants + static_cast<int>(out_.draws.size());
            out_.draws.push_back(std::make_unique<Instance>(proof_, plan_, filled_in, number));
            out_.texts.push_back(text);
        } catch (const std::invalid_argument&) {  // an index beyond the end
        }
    }
    ConstantDraws all() && { return std::move(out_); }

  private:
    const Proof& proof_;
    const Plan& plan_;
    InstanceOptions same_sizes_;
    ConstantDraws out_;
};

/// Nothing of a small number, which only keeps others away from 0.
std::optional<double> beside_default(double value) {
    constexpr double kBesideZero = 0.37, kBesideOne = 0.63, kSmaller = 0.74, kHardlyAny = 1e-3;
    if (value == 0) return kBesideZero;
    if (value == 1) return kBesideOne;
    if (std::abs(value) <= kHardlyAny) return std::nullopt;
    return value == std::floor(value) ? value + 1 : kSmaller * value;
}

}  // namespace

ConstantDraws draws_of_constants(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Instance& usual) {
    BoundDraws out(proof, plan, options, usual);
    const std::vector<Choice> all = choices(proof, options, usual);
    for (const Choice& c : all)
        for (const double value : c.values)
            out.draw({{c.given->name, filled(c, value)}},
                     c.given->fill == Fill::onehot ? fmt::format("every row of {} has its 1 at {}", c.given->name, value)
                                                   : fmt::format("{} is all {}", c.given->name, value));
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
        Bindings bound;
        for (const Choice& c : all) bound.emplace(c.given->name, filled(c, c.values[std::min(end, c.values.size() - 1)]));
        if (all.size() > 1)
            out.draw(bound, end == 0 ? "all constants hold the first of their values" : "all hold the last of them");
    }
    return std::move(out).all();
}

ConstantDraws draws_beside_defaults(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Instance& usual) {
    BoundDraws out(proof, plan, options, usual);
    Bindings all;
    std::string texts;
    for (const Given& g : proof.given) {
        const std::optional<double> value = g.by_default && g.value ? signed_number(*g.value) : std::nullopt;
        const std::optional<double> beside = value && !options.bind.contains(g.name) ? beside_default(*value) : std::nullopt;
        if (!beside) continue;
        const Tensor<double> other = Tensor<double>::scalar(*beside);
        const std::string text = fmt::format("{} is {}", g.name, *beside);
        out.draw({{g.name, other}}, text);
        all.emplace(g.name, other);
        texts += (texts.empty() ? "" : " and ") + text;
    }
    if (all.size() > 1) out.draw(all, texts);
    return std::move(out).all();
}

}  // namespace gradproof::proof
