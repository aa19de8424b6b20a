// Shapes through lines.
#include "gradproof/core/proof/language/shape_rules.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/identities.hpp"

namespace gradproof::proof {
namespace {

constexpr double kStandIn = 100000, kAxesOfOne = 10;  // no text has such a size

/// How unlikely it is that an author means that.
constexpr double kRowTimesMatrix = 3;      ///< v M, where vectors stand
constexpr double kAddedToEach = 0.4;       ///< a number that is added to every entry
constexpr double kSumAddedToEach = 1.5;    ///< one that is a sum, as w^T x is
constexpr double kAddedToRows = 0.7;       ///< a vector that is added to every row
constexpr double kRowAndColumn = 2;        ///< a sum of a vector that stands and one that lies
constexpr double kDividedByArray = 1.5;    ///< entry by entry
constexpr double kNumberByEntry = 1.2;     ///< x \odot s of a number s
constexpr double kPowerOfArray = 1.5;      ///< entry by entry
constexpr double kMatrixTimesEntry = 2.5;  ///< W x_i of a number x_i, which hardly stands behind a matrix
constexpr double kEntryFromMatrix = 1;     ///< a number x_i that is added to each entry of a matrix

bool is_constant(const Expr& e) {
    return !any_part(e, [](const Expr& part) { return part.kind == Kind::name; });
}

/// x_i
bool is_entry(const Expr& e) { return e.kind == Kind::index && e.children[0]->kind == Kind::name; }
/// W and W^\top, of what has two axes.
bool is_matrix_alone(const Expr& e, const ShapeSeen& x) {
    const Expr& of = e.kind == Kind::transpose ? *e.children[0] : e;
    return of.kind == Kind::name && x.is_known && x.axes.size() == 2;
}

}  // namespace

double stand_in_size(std::size_t of, std::size_t axis) {
    return kStandIn + kAxesOfOne * static_cast<double>(of) + static_cast<double>(axis);
}

ShapeRules::ShapeRules(const Proof& proof, const std::set<std::string>& wanted, bool rows)
    : proof_(&proof), rows_(rows), one_(sizes_.named("1")) {
    for (const Given& g : proof.given) {
        if (wanted.contains(g.name) || (g.value && g.value->kind != Kind::number)) continue;
        ShapeSeen x;
        for (const ExprPtr& axis : g.shape) x.axes.push_back(size(*axis));
        x.is_row = rows && x.axes.size() == 1;
        values_[g.name] = x;
    }
}

void ShapeRules::give(const std::string& name, std::size_t stand_in, std::size_t rank) {
    ShapeSeen x;
    for (std::size_t axis = 0; axis < rank; ++axis) x.axes.push_back(sizes_.fresh());
    x.is_row = rows_ && rank == 1;
    values_[name] = x;
    stand_ins_[stand_in] = name;
}

void ShapeRules::give_sequence(const Assignment& a, std::size_t axes_of_rows) {
    ShapeSeen x;
    for (std::size_t axis = 0; axis < a.indices.size() + axes_of_rows; ++axis) x.axes.push_back(sizes_.fresh());
    values_[a.name] = x;
}

bool ShapeRules::add(const Assignment& a) {
    try {
        letters_.clear();
        ShapeSeen x;
        const ShapeSeen body = with_letters(a.indices, [&] {
            for (const Option& end : a.extents)
                if (letters_.contains(end.name)) join(letters_[end.name], size(*end.value));
            for (const std::string& index : a.indices) x.axes.push_back(letters_[index]);
            return of(*a.value);
        });
        if (a.indices.empty()) x = body;
        x.is_known = body.is_known;
        if (!a.indices.empty()) x.axes.insert(x.axes.end(), body.axes.begin(), body.axes.end());
        if (const auto sequence = values_.find(a.name); sequence != values_.end() && x.is_known) {
            if (sequence->second.axes.size() != x.axes.size()) throw Misfit{};
            for (std::size_t axis = 0; axis < x.axes.size(); ++axis) join(sequence->second.axes[axis], x.axes[axis]);
        }
        meet_stated(a.name, x);
        values_[a.name] = x;
        return true;
    } catch (const Misfit&) {
        return false;
    }
}

/// The sizes that the text states of a computed value; where the formula has another shape, it goes.
void ShapeRules::meet_stated(const std::string& name, const ShapeSeen& x) {
    const auto stated = proof_->stated.find(name);
    if (stated == proof_->stated.end() || !x.is_known || stated->second.size() != x.axes.size()) return;
    for (std::size_t axis = 0; axis < x.axes.size(); ++axis) sizes_.join(x.axes[axis], size(*stated->second[axis]));
}

bool ShapeRules::is_number(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() || !found->second.is_known || found->second.axes.empty();
}

double ShapeRules::take_cost() { return std::exchange(cost_, 0); }

AxisNames ShapeRules::sizes_of(const std::string& name) const {
    AxisNames out;
    const auto label = labels_.find(name);
    std::vector<int> axes = values_.at(name).axes;
    if (label != labels_.end()) axes.push_back(label->second);
    for (const int axis : axes)
        out.push_back(sizes_.name(axis).empty() ? fmt::format("#{}", sizes_.root(axis)) : sizes_.name(axis));
    return out;
}

void ShapeRules::join(int a, int b) {
    if (!sizes_.join(a, b)) throw Misfit{};
}

/// Of an axis that a name, a number or a stand-in says.
int ShapeRules::size(const Expr& e) {
    if (e.kind != Kind::number || e.number < kStandIn) return sizes_.named(text_of(e));
    const double at = e.number - kStandIn;
    const auto of = stand_ins_.find(static_cast<std::size_t>(at / kAxesOfOne));
    const auto axis = static_cast<std::size_t>(std::fmod(at, kAxesOfOne));
    if (of == stand_ins_.end() || axis >= values_[of->second].axes.size()) return sizes_.fresh();
    return values_[of->second].axes[axis];
}

ShapeSeen ShapeRules::with_letters(const std::vector<std::string>& letters, const std::function<ShapeSeen()>& f) {
    const std::map<std::string, int> before = letters_;
    for (const std::string& index : letters) letters_[index] = sizes_.fresh();
    ShapeSeen out = f();
    letters_ = before;
    return out;
}

ShapeSeen ShapeRules::of(const Expr& e) {
    switch (e.kind) {
        case Kind::number: return {};
        case Kind::delta: return of_delta(e);
        case Kind::name:
        case Kind::gradient: return of_name(e.name);
        case Kind::negate: return of(*e.children[0]);
        case Kind::transpose: return transposed(of(*e.children[0]));
        case Kind::sum: return of_sum(e);
        case Kind::product: return of_product(e);
        case Kind::power: return of_power(e);
        case Kind::index: return of_entries(e);
        case Kind::reduce: return of_reduction(e);
        case Kind::call: return of_call(e);
        case Kind::array: return of_array(e);
        case Kind::helper: return e.bound.empty() && !e.children.empty() ? of(*e.children[0]) : ShapeSeen::unknown();
        default: return ShapeSeen::unknown();
    }
}

bool ShapeRules::is_dim(const std::string& name) const {
    return std::ranges::any_of(proof_->dims, [&](const Dim& d) { return d.name == name; });
}
ShapeSeen ShapeRules::of_name(const std::string& name) {
    constexpr std::string_view kConstants[] = {"π", "pi", "e", "inf"};
    if (std::ranges::find(kConstants, name) != std::end(kConstants) && !values_.contains(name)) return {};
    if (letters_.contains(name) || is_dim(name)) return {};
    const auto found = values_.find(name);
    return found == values_.end() ? ShapeSeen::unknown() : found->second;
}

ShapeSeen ShapeRules::transposed(ShapeSeen x) {
    if (!x.is_known) return x;
    if (x.axes.empty()) unlikely(kNumberForArray);
    if (x.axes.size() > 2) throw Misfit{};
    std::ranges::reverse(x.axes);
    x.is_row = x.axes.size() == 1 && !x.is_row;
    return x;
}

/// As broadcasting makes them; `unlike` is how unlikely it is that a number meets an array.
ShapeSeen ShapeRules::together(const ShapeSeen& a, const ShapeSeen& b, double unlike) {
    if (!a.is_known || !b.is_known) {  // of which at least that is known that the other has
        const ShapeSeen &known = a.is_known ? a : b, &other = a.is_known ? b : a;
        return known.is_known && !known.axes.empty() ? known : other;
    }
    if (a.axes.size() < b.axes.size()) return together(b, a, unlike);
    ShapeSeen out = a;
    out.summed = -1;
    if (b.axes.empty()) {
        if (!a.axes.empty()) unlikely(unlike);
        return out;
    }
    if (a.axes.size() > b.axes.size()) unlikely(kAddedToRows);
    if (a.axes.size() == 1 && b.axes.size() == 1 && a.is_row != b.is_row) unlikely(kRowAndColumn);
    for (std::size_t i = 1; i <= b.axes.size(); ++i) {
        int& mine = out.axes[out.axes.size() - i];
        const int other = b.axes[b.axes.size() - i];
        if (sizes_.are_same(mine, one_))
            mine = other;
        else if (!sizes_.are_same(other, one_))
            join(mine, other);
    }
    return out;
}

ShapeSeen ShapeRules::of_sum(const Expr& e) {
    ShapeSeen out = of(*e.children[0]);
    bool constant = is_constant(*e.children[0]);
    for (std::size_t i = 1; i < e.children.size(); ++i) {
        const bool next = is_constant(*e.children[i]);
        const ShapeSeen with = of(*e.children[i]);
        const auto is_sum = [](const ShapeSeen& x) { return x.axes.empty() && x.summed >= 0; };
        double unlike = is_sum(out) || is_sum(with) ? kSumAddedToEach : kAddedToEach;
        if (out.axes.size() == 2 && is_entry(*e.children[i])) unlike += kEntryFromMatrix;
        out = together(out, with, constant || next ? 0 : unlike);
        constant = constant && next;
    }
    return out;
}

ShapeSeen ShapeRules::multiplied(const ShapeSeen& a, const ShapeSeen& b) {
    if (!a.is_known || !b.is_known) return ShapeSeen::unknown();
    if (a.axes.empty()) return b;
    if (b.axes.empty()) return a;
    if (a.axes.size() > 2 || b.axes.size() > 2) throw Misfit{};
    ShapeSeen out;
    if (a.axes.size() == 1 && b.axes.size() == 1) {
        if (a.is_row == b.is_row) throw Misfit{};
        if (a.is_row) {
            join(a.axes[0], b.axes[0]);
            out.summed = a.axes[0];
        } else {
            out.axes = {a.axes[0], b.axes[0]};
        }
        return out;
    }
    if (b.axes.size() == 1 && b.is_row) throw Misfit{};
    if (a.axes.size() == 1 && !a.is_row) unlikely(kRowTimesMatrix);
    join(a.axes.back(), b.axes[0]);
    out.axes.assign(a.axes.begin(), a.axes.end() - 1);
    out.axes.insert(out.axes.end(), b.axes.begin() + 1, b.axes.end());
    out.is_row = a.axes.size() == 1;
    out.summed = a.axes.back();
    return out;
}

/// The first n that divides a sum, and is the size of nothing so far, is how many that sum adds: \frac{1}{n} \sum_i.
void ShapeRules::tie(const Expr& divisor, const ShapeSeen& x) {
    if (x.summed < 0 || !sizes_.name(x.summed).empty()) return;
    for_each(divisor, [&](const Expr& part) {
        const bool free = part.kind == Kind::name && std::ranges::any_of(proof_->dims, [&](const Dim& d) {
                              return d.name == part.name && !d.value && !sizes_.is_named_somewhere(d.name);
                          });
        if (free && sizes_.name(x.summed).empty()) sizes_.join(x.summed, sizes_.named(part.name));
    });
}

ShapeSeen ShapeRules::of_product(const Expr& e) {
    ShapeSeen out;
    int summed = -1;
    std::vector<const Expr*> divisors;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        const Expr& c = *e.children[i];
        const ShapeSeen next = of(c);
        const char joint = i == 0 ? '@' : e.joints[i];
        if (next.summed >= 0 && joint != '/') summed = next.summed;
        if (joint == '/') {
            if (!next.axes.empty()) unlikely(kDividedByArray);
            out = together(out, next, 0);
            divisors.push_back(&c);
        } else {
            const bool by_entry = i > 0 && joint == '*' && !is_constant(c) && !is_constant(*e.children[i - 1]);
            const bool beside_matrix = i > 0 && joint == '@' && is_matrix_alone(*e.children[i - 1], out) && next.is_known;
            if (beside_matrix && next.axes.empty() && is_entry(c)) unlikely(kMatrixTimesEntry);
            out = i == 0 ? next : joint == '@' ? multiplied(out, next) : together(out, next, by_entry ? kNumberByEntry : 0);
            if (i > 0 && out.summed >= 0) summed = out.summed;
        }
        // 1/n as a factor of its own
        if (joint != '/' && c.kind == Kind::product && c.joints.find('/') != std::string::npos)
            for (std::size_t k = 1; k < c.children.size(); ++k)
                if (c.joints[k] == '/') divisors.push_back(c.children[k].get());
    }
    out.summed = summed;
    for (const Expr* divisor : divisors) tie(*divisor, out);
    return out;
}

ShapeSeen ShapeRules::of_power(const Expr& e) {
    ShapeSeen out = of(*e.children[0]);
    if (const ShapeSeen by = of(*e.children[1]); by.is_known && !by.axes.empty()) throw Misfit{};
    if (out.is_known && !out.axes.empty()) unlikely(kPowerOfArray);
    return out;
}

/// A label is a place of the axis that the index runs over: k = c.
ShapeSeen ShapeRules::of_delta(const Expr& e) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        const Expr &one = *e.children[at], &other = *e.children[1 - at];
        const Expr& place = one.kind == Kind::index ? *one.children[0] : one;
        const auto label = labels_.find(place.name);
        const auto letter = other.kind == Kind::name ? letters_.find(other.name) : letters_.end();
        if (place.kind != Kind::name || label == labels_.end() || letter == letters_.end()) continue;
        if (label->second >= 0) join(label->second, letter->second);
        label->second = letter->second;
        of(one);
    }
    return {};
}

/// Of x_i what is left of its axes; an index that is a letter runs over the axis.
ShapeSeen ShapeRules::of_entries(const Expr& e) {
    ShapeSeen out = of(*e.children[0]);
    if (!out.is_known) return out;
    if (e.children.size() - 1 > out.axes.size()) throw Misfit{};
    std::vector<int> left;
    for (std::size_t i = 0; i + 1 < e.children.size(); ++i) {
        const Expr& at = *e.children[i + 1];
        if (at.kind == Kind::slice) {
            left.push_back(at.children.empty() ? out.axes[i] : sizes_.fresh());
            continue;
        }
        const Expr& place = at.kind == Kind::index ? *at.children[0] : at;
        if (const auto label = labels_.find(place.name); place.kind == Kind::name && label != labels_.end()) {
            if (label->second >= 0) join(label->second, out.axes[i]);
            label->second = out.axes[i];
            of(at);
        }
        if (const ExprPtr last = size_of_last(at); last && last->kind == Kind::name && is_dim(last->name))
            sizes_.join(size(*last), out.axes[i]);
        std::set<std::string> letters;
        if (at.kind == Kind::name || at.kind == Kind::sum)
            for (const std::string& name : names_in(at))
                if (letters_.contains(name)) letters.insert(name);
        if (letters.size() == 1) join(letters_[*letters.begin()], out.axes[i]);
    }
    left.insert(left.end(), out.axes.begin() + static_cast<std::ptrdiff_t>(e.children.size() - 1), out.axes.end());
    out.axes = left;
    out.is_row = rows_ && left.size() == 1;
    out.summed = -1;
    return out;
}

ShapeSeen ShapeRules::of_reduction(const Expr& e) {
    return with_letters(e.bound, [&] {
        for (const Option& end : e.options)
            if (letters_.contains(end.name)) join(letters_[end.name], size(*end.value));
        ShapeSeen out = of(*e.children[0]);
        if (!e.bound.empty() && e.name == "sum") out.summed = letters_[e.bound[0]];
        if (!e.bound.empty() && !e.children.empty() && e.name == "sum" && e.children[0]->kind == Kind::product) {
            for (std::size_t k = 1; k < e.children[0]->children.size(); ++k)  // of \sum_i x_i / n
                if (e.children[0]->joints[k] == '/') tie(*e.children[0]->children[k], out);
        }
        return out;
    });
}

}  // namespace gradproof::proof
