// One entry moved: the loss along it, the tangent that the gradient gives, and the slopes of differences for many steps.
#include "gradproof/core/proof/explain/explain.hpp"
#include "tools/web/open_proof.hpp"

namespace gradproof::web {
namespace {

constexpr int kPoints = 60;  // of the curve

double number_in(const Json& question, const char* key, double otherwise) {
    const auto found = question.find(key);
    if (found == question.end()) return otherwise;
    if (!found->is_number()) value_error("{} is not a number", key);
    return found->get<double>();
}

/// The loss as a function of one entry, the others as they are.
class Along {
  public:
    Along(const proof::Instance& draw, std::string name, Shape index)
        : draw_(draw), name_(std::move(name)), index_(std::move(index)) {}
    double operator()(double x) const {
        Tensor<double> moved = draw_.scope().values.at(name_).value().clone();
        moved.at(index_) = x;
        return draw_.loss_value(draw_.moved(name_, moved));
    }

  private:
    const proof::Instance& draw_;
    std::string name_;
    Shape index_;
};

Json point(double x, double y) { return Json::array({check::json_number(x), check::json_number(y)}); }

}  // namespace

Json nudge(const Json& question) {
    OpenProof& open = opened(question);
    const std::string entry = text_in(question, "entry");
    const auto [which, cell] = proof::find_cell(entry, open.proofs);
    const proof::Proof& p = open.proofs[which];
    if (cell.type != proof::Cell::Type::value || p.order_of(cell.name) != 0 || p.is_constant(cell.name))
        value_error("{}: only an entry of an input can be moved", printable(entry, 60));
    const Tensor<double>& before = open.draws[which]->instance.scope().values.at(cell.name).value();
    Shape index;
    for (const Index i : cell.index) index.push_back(i);
    if (index.rank() != before.rank()) value_error("{}: it has {} indices", printable(entry, 60), before.rank());
    for (int axis = 0; axis < before.rank(); ++axis)
        if (index[axis] >= before.dim(axis)) value_error("{}: it has no such entry", printable(entry, 60));

    const double x = number_in(question, "at", before.at(index)), reach = number_in(question, "reach", 2);
    Tensor<double> bound = before.clone();
    bound.at(index) = x;
    Drawn there(p, {.bind = {{cell.name, bound}}});
    const Along loss(there.instance, cell.name, index);
    const double here = loss(x), slope = there.instance.gradient(cell.name).value.at(index);

    Json curve = Json::array(), steps = Json::array();
    for (int i = 0; i <= kPoints; ++i) {
        const double at = x - reach + 2 * reach * i / kPoints;
        curve.push_back(point(at, loss(at)));
    }
    for (const Json& step : question.value("steps", Json::array())) {
        const double h = step.get<double>(), below = loss(x - h), above = loss(x + h), by = (above - below) / (2 * h);
        steps.push_back({{"h", h},
                         {"slope", check::json_number(by)},
                         {"error", check::json_number(std::abs(by - slope))},
                         {"secant", Json::array({point(x - h, below), point(x + h, above)})}});
    }
    return {{"entry", cell.text()},
            {"at", x},
            {"before", before.at(index)},
            {"loss", check::json_number(here)},
            {"gradient", check::json_number(slope)},
            {"curve", curve},
            {"tangent", Json::array({point(x - reach, here - slope * reach), point(x + reach, here + slope * reach)})},
            {"steps", steps}};
}

}  // namespace gradproof::web
