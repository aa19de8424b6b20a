// Other attributes and other points, each with the words that tell them.
#include "gradproof/core/check/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "gradproof/core/check/gradient_diagnoser.hpp"
#include "gradproof/core/check/truth.hpp"
#include "gradproof/core/platform/control.hpp"

namespace gradproof::check {
namespace {

/// One entry of Jᵀ u of an op with other attributes, at other inputs; NaN where it does not run or its value has another shape.
class GradientEntry {
  public:
    GradientEntry(const Subject& s, AnyAttrs with, Tensors at) : op_(s.op), attrs_(std::move(with)), x_(std::move(at)), u_(s.u) {}

    double operator()(int input, Index k) const {
        const auto [at, is_new] = known_->try_emplace(std::pair(input, k));
        if (is_new) at->second = entry(input, k);
        return at->second;
    }

  private:
    double entry(int input, Index k) const try {
        const DualFunction f = [this](const DualTensors& at) { return evaluate(*op_, attrs_, at); };
        const Tensor<double> column = dual_column(f, x_, {input, k});
        return column.shape() == u_.shape() ? weigh(u_, column) : std::numeric_limits<double>::quiet_NaN();
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception&) {
        return std::numeric_limits<double>::quiet_NaN();
    }

    const OpEntry* op_;
    AnyAttrs attrs_;
    Tensors x_;
    Tensor<double> u_;
    std::shared_ptr<std::map<std::pair<int, Index>, double>> known_ = std::make_shared<std::map<std::pair<int, Index>, double>>();
};

/// With attributes of its own; nothing where they cannot be copied name by name.
std::optional<AnyAttrs> copy_of(const OpEntry& op, const AnyAttrs& attrs) try {
    AnyAttrs out = op.default_attrs();
    for (const std::string& name : attrs.names()) {
        const AttrValue value = attrs.get(name);
        const auto* word = std::get_if<std::string>(&value);
        if (word == nullptr || *word != "none") out.set(name, value);
    }
    return out.text() == attrs.text() ? std::optional(out) : std::nullopt;
} catch (const std::exception&) {
    return std::nullopt;
}

bool same_ranks(const std::vector<Arg>& a, const std::vector<Arg>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Arg& x, const Arg& y) { return x.present == y.present && x.shape.rank() == y.shape.rank(); });
}

/// "axis=0", "smoothing=0.1"
std::string text_of(const std::string& name, const AttrValue& value) {
    if (const auto* v = std::get_if<double>(&value)) return fmt::format("{}={:.6g}", name, *v);
    if (const auto* v = std::get_if<Index>(&value)) return fmt::format("{}={}", name, *v);
    if (const auto* v = std::get_if<bool>(&value)) return fmt::format("{}={}", name, *v);
    return fmt::format("{}={}", name, std::get<std::string>(value));
}
bool is_scalar(const AttrValue& v) {
    return std::holds_alternative<double>(v) || std::holds_alternative<Index>(v) || std::holds_alternative<bool>(v) ||
           std::holds_alternative<std::string>(v);
}

/// Another value of an attribute, with what it has to do with the right one, "" where the value says it all.
struct Other {
    double value;
    std::string note{};
};
constexpr double kNoBound = 1e30;

/// The real numbers that an attribute is mistaken for. Whole numbers and words are taken from the page's samples only: an op need
/// not refuse others before it reads where they point.
std::vector<Other> other_values(const Subject& s, const std::string& name, double v) {
    std::vector<Other> out = {{0.0},
                              {1.0},
                              {kNoBound, fmt::format("no bound of {}", name)},
                              {-v},
                              {2 * v, "twice " + name},
                              {v / 2, "half of " + name},
                              {10 * v, "10 times " + name},
                              {v / 10, "a tenth of " + name},
                              {v * v, name + "^2"},
                              {1 / v, "1/" + name}};
    if (v > 0) out.push_back({std::sqrt(v), fmt::format("sqrt({})", name)});
    for (int i = 0; i < s.inputs(); ++i) {
        if (!s.has(i) || s.x[static_cast<std::size_t>(i)].rank() == 0) continue;
        const double n = static_cast<double>(s.x[static_cast<std::size_t>(i)].shape().last());
        if (n < 2) continue;
        const std::string size = s.names[static_cast<std::size_t>(i)] + ".shape[-1]";
        out.push_back({v * n / (n - 1), fmt::format("{} over {} - 1 in the place of {}", name, size, size)});
        out.push_back({v * (n - 1) / n, fmt::format("{} over {} in the place of {} - 1", name, size, size)});
    }
    return out;
}

class Alternatives {
  public:
    explicit Alternatives(const Subject& s) : s_(s) {}

    std::vector<Alternative> all() {
        attributes_of_other_samples();
        other_points();
        rare_ = true;
        other_attributes();
        inputs_left_out();
        for (int i = 0; i < s_.inputs(); ++i)
            if (s_.has(i)) in_another_order(static_cast<std::size_t>(i));
        return std::move(out_);
    }

  private:
    void add(Mistake mistake, std::string text, std::string repair, const AnyAttrs& attrs, const Tensors& x) {
        out_.push_back({mistake, std::move(text), std::move(repair), GradientEntry(s_, attrs, x), rare_});
    }
    void add_attributes(const std::string& is, const std::string& should, const std::string& repair, const AnyAttrs& attrs) {
        if (known_.insert(attrs.text()).second)
            add(Mistake::ignored_attribute, fmt::format("it is the gradient for {}, not for {}", is, should), repair, attrs,
                s_.x);
    }

    /// With the attributes of the page's other samples, where they differ in numbers and words and fit arrays of these ranks.
    void attributes_of_other_samples() {
        const AnyAttrs& own = s_.sample->attrs;
        for (const SampleCase& other : s_.op->samples()) {
            if (!same_ranks(other.args, s_.sample->args)) continue;
            std::string is, should;
            bool scalars = true;
            for (const std::string& name : own.names()) {
                const AttrValue a = own.get(name), b = other.attrs.get(name);
                scalars = scalars && is_scalar(a) && is_scalar(b);
                if (!scalars || text_of(name, a) == text_of(name, b)) continue;
                is += (is.empty() ? "" : ", ") + text_of(name, b);
                should += (should.empty() ? "" : ", ") + text_of(name, a);
            }
            if (scalars && !is.empty()) add_attributes(is, should, "use the attribute in the backward", other.attrs);
        }
    }

    /// With one real number left out, or off by what is often mistaken.
    void other_attributes() {
        const AnyAttrs& own = s_.sample->attrs;
        for (const std::string& name : own.names()) {
            const AttrValue value = own.get(name);
            const auto* v = std::get_if<double>(&value);
            if (v == nullptr) continue;
            const std::string should = text_of(name, value);
            for (const Other& other : other_values(s_, name, *v)) {
                std::optional<AnyAttrs> attrs = copy_of(*s_.op, own);
                if (!attrs) return;
                attrs->set(name, other.value);
                std::string is = other.value == kNoBound ? other.note : text_of(name, other.value);
                if (other.value != kNoBound && !other.note.empty()) is += fmt::format(" ({})", other.note);
                add_attributes(is, should, "use " + should, *attrs);
            }
        }
    }

    void at(const std::string& text, const std::string& repair, const Tensors& x) {
        add(Mistake::wrong_point, "it is the derivative " + text, repair, s_.sample->attrs, x);
    }
    /// With one input in another form.
    void with(std::size_t n, const Tensor<double>& in_its_place, const std::string& text, const std::string& repair) {
        Tensors x = s_.x;
        x[n] = in_its_place;
        at(text, repair, x);
    }

    void other_points() {
        for (int i = 0; i < s_.inputs(); ++i) {
            if (!s_.has(i)) continue;
            const auto n = static_cast<std::size_t>(i);
            const std::string& name = s_.names[n];
            const Tensor<double>& x = s_.x[n];
            if (s_.y.shape() == x.shape())
                with(n, s_.y, fmt::format("at {} = y", name), fmt::format("use the saved {}, not y", name));
            with(n, mapped(x, [](double v) { return -v; }), fmt::format("at -{}", name),
                 fmt::format("use {} with its sign", name));
            if (x.size() > 1) {
                Tensor<double> rotated = x.clone();
                std::rotate(rotated.begin(), rotated.begin() + std::max<Index>(1, x.rank() > 0 ? x.shape().last() % x.size() : 1),
                            rotated.end());
                with(n, rotated, fmt::format("at {} shifted by a row", name), fmt::format("use {} at its own index", name));
            }
            beside_others(i);
        }
    }

    void inputs_left_out() {
        for (std::size_t n = 0; n < s_.x.size(); ++n)
            for (const double v : {0.0, 1.0})
                if (s_.x[n].defined())
                    with(n, Tensor<double>(s_.x[n].shape(), v),
                         fmt::format("with {} = {}: {} is left out", s_.names[n], v, s_.names[n]),
                         fmt::format("use {} in the backward", s_.names[n]));
    }

    void in_another_order(std::size_t n) {
        const std::string& name = s_.names[n];
        const Tensor<double>& x = s_.x[n];
        for (int a = 0; a < x.rank(); ++a) {
            const Index size = x.dim(a);
            if (size < 2) continue;
            with(n, taken_along(x, a, [size](Index k) { return size - 1 - k; }),
                 fmt::format("with axis {} of {} reversed", a, name),
                 fmt::format("take {} in the order in which the forward does", name));
            for (int b = a + 1; b < x.rank(); ++b)
                if (x.dim(b) == size)
                    with(n, swapped(x, a, b), fmt::format("with axes {} and {} of {} swapped", a, b, name),
                         fmt::format("transpose {} once more", name));
        }
        if (x.rank() != 1) return;
        for (const NamedNumber& c : numbers(s_.sample->attrs)) {
            const auto groups = static_cast<Index>(c.value);
            if (c.value != std::floor(c.value) || groups < 2 || groups >= x.size() || x.size() % groups != 0) continue;
            with(n, taken_along(x, 0, [size = x.size() / groups](Index k) { return k / size; }),
                 fmt::format("with {} taken at the number of the group ({}={})", name, c.name, groups),
                 fmt::format("take {} at the index of each entry", name));
        }
    }

    void beside_others(int i) {
        const auto n = static_cast<std::size_t>(i);
        for (int k = 0; k < s_.inputs(); ++k) {
            const auto m = static_cast<std::size_t>(k);
            if (k == i || !s_.has(k) || !(s_.x[m].shape() == s_.x[n].shape())) continue;
            const std::string &name = s_.names[n], &other = s_.names[m];
            if (k > i) {
                Tensors x = s_.x;
                std::swap(x[n], x[m]);
                at(fmt::format("with {} and {} exchanged", name, other), fmt::format("exchange the saved {} and {}", name, other),
                   x);
            }
            with(n, s_.x[m], fmt::format("with {} in the place of {}", other, name), fmt::format("use {}, not {}", name, other));
        }
    }

    const Subject& s_;
    std::set<std::string> known_{s_.sample->attrs.text()};
    std::vector<Alternative> out_;
    bool rare_ = false;
};

}  // namespace

std::vector<Alternative> alternatives(const Subject& s) { return Alternatives(s).all(); }

std::vector<NamedNumber> numbers(const AnyAttrs& attrs) {
    std::vector<NamedNumber> out;
    for (const std::string& name : attrs.names()) {
        const AttrValue value = attrs.get(name);
        const auto* real = std::get_if<double>(&value);
        const auto* whole = std::get_if<Index>(&value);
        const double v = real ? *real : whole ? static_cast<double>(*whole) : 0;
        if (v != 0) out.push_back({name, v});
    }
    return out;
}

}  // namespace gradproof::check
