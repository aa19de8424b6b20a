// The kinds of planted bugs and how each is planted.
#include "gradproof/core/check/mutation.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/check/contract_result.hpp"

namespace gradproof::check {
namespace {

using Change = void (*)(Tensor<double>& g, const Shape& input);

Index rows(const Shape& s) { return s.rank() == 0 || s.last() == 0 ? 0 : s.size() / s.last(); }

Index largest_at(const Tensor<double>& g) {
    Index at = 0;
    for (Index i = 1; i < g.size(); ++i)
        if (std::abs(g[i]) > std::abs(g[at])) at = i;
    return at;
}

template <double (*F)(double)>
void each(Tensor<double>& g, const Shape&) {
    for (double& v : g) v = F(v);
}
double negative(double v) { return -v; }
double twice(double v) { return 2 * v; }
double half(double v) { return v / 2; }
double thousandth(double v) { return 1.001 * v; }
double magnitude(double v) { return std::abs(v); }

/// The values of gᵀ (last two axes) laid out in g's shape.
void transpose(Tensor<double>& g, const Shape&) {
    if (g.rank() < 2) return;
    const Index n = g.shape().last(1), m = g.shape().last();
    if (g.size() == 0) return;
    const Tensor<double> from = g.clone();
    for (Index b = 0; b < g.size(); b += n * m)
        for (Index i = 0; i < n; ++i)
            for (Index k = 0; k < m; ++k) g[b + k * n + i] = from[b + i * m + k];
}

void reverse_rows(Tensor<double>& g, const Shape&) {
    for (Index r = 0; r < rows(g.shape()); ++r)
        std::reverse(g.begin() + r * g.shape().last(), g.begin() + (r + 1) * g.shape().last());
}

void roll(Tensor<double>& g, const Shape&) {
    if (g.size() > 1)
        std::rotate(g.begin(), g.begin() + std::max<Index>(1, g.rank() > 0 ? g.shape().last() % g.size() : 1), g.end());
}

/// Adds `times` the mean of each row to the row.
void shift_rows(Tensor<double>& g, double times) {
    const Index n = g.rank() > 0 ? g.shape().last() : 0;
    for (Index r = 0; r < rows(g.shape()); ++r) {
        double mean = 0;
        for (Index i = 0; i < n; ++i) mean += g[r * n + i] / static_cast<double>(n);
        for (Index i = 0; i < n; ++i) g[r * n + i] += times * mean;
    }
}
void subtract_mean(Tensor<double>& g, const Shape&) { shift_rows(g, -1); }
void add_mean(Tensor<double>& g, const Shape&) { shift_rows(g, 1); }

void wrong_entry(Tensor<double>& g, const Shape&) {
    if (g.size() > 0) g[largest_at(g)] *= 1.01;
}
void missing_entry(Tensor<double>& g, const Shape&) {
    if (g.size() > 0) g[largest_at(g)] = 0;
}

/// A sum over broadcast axes replaced by the mean over them.
void mean_for_sum(Tensor<double>& g, const Shape& input) {
    if (g.shape() == input || input.size() == 0) return;
    const double n = static_cast<double>(g.size() / input.size());
    for (double& v : g) v /= n;
}
/// ... or by its first term.
void first_for_sum(Tensor<double>& g, const Shape& input) {
    if (g.shape() == input || g.size() == 0) return;
    const Shape from = broadcast_strides(input, g.shape());
    for (Index i = 0; i < g.size(); ++i) {
        const Shape at = unravel(i, g.shape());
        for (int a = 0; a < g.rank(); ++a)
            if (from[a] == 0 && at[a] > 0 && g.dim(a) > 1) g[i] = 0;
    }
}

struct Kind {
    std::string_view name;
    Change change;
};
/// Slips in one cotangent: what is handed back is changed by `change`.
constexpr Kind kChanges[] = {
    {"sign", each<negative>},
    {"factor 2", each<twice>},
    {"factor 1/2", each<half>},
    {"factor 1.001", each<thousandth>},
    {"absolute value", each<magnitude>},
    {"transpose", transpose},
    {"reversed axis", reverse_rows},
    {"rolled rows", roll},
    {"mean subtracted", subtract_mean},
    {"mean added", add_mean},
    {"one wrong entry", wrong_entry},
    {"one missing entry", missing_entry},
    {"mean for broadcast sum", mean_for_sum},
    {"first term for broadcast sum", first_for_sum},
};
constexpr int kChangeCount = static_cast<int>(std::size(kChanges));
/// Slips in how terms come together.
enum Structural : int {
    kDroppedPath = kChangeCount,  // the input's cotangent is never handed back
    kDroppedFirst,                // of several terms for one input, the first is lost
    kDroppedLast,
    kDroppedUse,   // the input is used twice, one use is lost
    kOverwritten,  // the input is used twice, `=` for `+=`
    kSwapped,      // two inputs get each other's cotangent
    kSaved,        // from here on: a saved tensor is changed between forward and backward
};
constexpr Kind kSavedChanges[] = {
    {"negated", each<negative>},
    {"times 1.001", each<thousandth>},
    {"rolled", roll},
};

/// Counts the terms each input of a node is handed.
class Count final : public CotangentHook<double> {
  public:
    explicit Count(int inputs) : terms(static_cast<std::size_t>(inputs)) {}
    bool on_add(int, int input, Tensor<double>&) override {
        ++terms[static_cast<std::size_t>(input)];
        return true;
    }
    std::vector<int> terms;
};

struct Handles final : SavedVisitor<double> {
    std::vector<std::string> names;
    std::vector<Tensor<double>> tensors;
    void tensor(std::string_view name, const Tensor<double>& value) override {
        if (!value.defined()) return;
        names.emplace_back(name);
        tensors.push_back(value);
    }
    void other(std::string_view, std::size_t) override {}
};

class Plant final : public CotangentHook<double>, public TapeObserver<double> {
  public:
    Plant(const Subject& s, const Mutant& m, const std::vector<int>& terms) : subject_(s), mutant_(m), terms_(terms) {}
    ~Plant() override {
        for (std::size_t i = 0; i < changed_.size(); ++i) std::copy(kept_[i].begin(), kept_[i].end(), changed_[i].begin());
    }
    Plant(const Plant&) = delete;
    Plant& operator=(const Plant&) = delete;

    void recorded(Tape<double>& tape, int node) override {
        node_ = node;
        if (mutant_.kind < kSaved) return;
        Handles handles;
        tape.each_saved(node, handles);
        // A handle is shared: writing through it changes what backward will read, until the destructor puts it back.
        Tensor<double> target = handles.tensors[static_cast<std::size_t>(mutant_.input)];
        changed_.push_back(target);
        kept_.push_back(target.clone());
        kSavedChanges[mutant_.kind - kSaved].change(target, target.shape());
    }

    bool on_add(int node, int input, Tensor<double>& g) override {
        node_now_ = node;
        input_now_ = input;
        if (mutant_.kind >= kSaved || node < node_ || node > node_ + 1 || (node == node_ + 1 && !uses_twice())) return true;
        if (input != mutant_.input) return true;
        const int term = seen_++;
        switch (mutant_.kind) {
            case kDroppedPath: return false;
            case kDroppedFirst: return term != 0;
            case kDroppedLast: return term != terms_[static_cast<std::size_t>(input)] - 1;
            case kDroppedUse: return node != node_;
            case kOverwritten: return true;
            default:
                g = g.clone();
                kChanges[mutant_.kind].change(g, subject_.x[static_cast<std::size_t>(input)].shape());
                return true;
        }
    }
    bool overwrites() const override { return mutant_.kind == kOverwritten && node_now_ == node_ && input_now_ == mutant_.input; }
    bool uses_twice() const { return mutant_.kind == kDroppedUse || mutant_.kind == kOverwritten; }

  private:
    const Subject& subject_;
    const Mutant& mutant_;
    const std::vector<int>& terms_;
    int node_ = 0, node_now_ = 0, input_now_ = 0, seen_ = 0;
    std::vector<Tensor<double>> changed_, kept_;
};

std::vector<int> count_terms(const Subject& s) {
    Count count(s.inputs());
    differentiate<double>(s, s.x, s.u, {.hook = &count});
    return count.terms;
}

class Names final : public TapeObserver<double> {
  public:
    void recorded(Tape<double>& tape, int node) override { tape.each_saved(node, handles); }
    Handles handles;
};

/// Whether two gradients differ by more than rounding.
bool differ(const Tensors& a, const Tensors& b) {
    const Tolerance rounding{.relative = 64 * std::numeric_limits<double>::epsilon(), .scale = finite_largest(a)};
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].defined() && !compare(b[i], a[i], rounding, NotFinite::compared).right()) return true;
    return false;
}

}  // namespace

std::vector<Mutant> mutants(const Subject& s) {
    std::vector<Mutant> out;
    const std::vector<int> terms = count_terms(s);
    for (int i = 0; i < s.inputs(); ++i) {
        if (!s.has(i)) continue;
        const std::string of = " of " + s.gradient_name(i);
        for (int k = 0; k < kChangeCount; ++k) out.push_back({std::string(kChanges[k].name) + of, k, i});
        out.push_back({"dropped path to " + s.names[static_cast<std::size_t>(i)], kDroppedPath, i});
        if (terms[static_cast<std::size_t>(i)] > 1) {
            out.push_back({"first term dropped" + of, kDroppedFirst, i});
            out.push_back({"last term dropped" + of, kDroppedLast, i});
        }
        out.push_back({"one use dropped" + of, kDroppedUse, i});
        out.push_back({"= for +=" + of, kOverwritten, i});
        for (int k = i + 1; k < s.inputs(); ++k)
            if (s.has(k) && s.x[static_cast<std::size_t>(i)].shape() == s.x[static_cast<std::size_t>(k)].shape())
                out.push_back({s.gradient_name(i) + " and " + s.gradient_name(k) + " swapped", kSwapped, i, k});
    }
    Names names;
    differentiate<double>(s, s.x, s.u, {.observer = &names});
    for (std::size_t t = 0; t < names.handles.names.size(); ++t)
        for (int k = 0; k < static_cast<int>(std::size(kSavedChanges)); ++k)
            out.push_back(
                {"saved " + names.handles.names[t] + " " + std::string(kSavedChanges[k].name), kSaved + k, static_cast<int>(t)});
    return out;
}

std::optional<Tensors> plant(const Subject& s, const Tensors& honest, const Mutant& m) {
    Tensors claimed;
    if (m.kind == kSwapped) {
        claimed = honest;
        std::swap(claimed[static_cast<std::size_t>(m.input)], claimed[static_cast<std::size_t>(m.other)]);
    } else {
        const std::vector<int> terms = count_terms(s);
        Plant bug(s, m, terms);
        // With every input used twice the honest gradient is twice as large; half of the claim is compared.
        claimed = differentiate<double>(s, s.x, s.u, {.hook = &bug, .observer = &bug, .twice = bug.uses_twice()}).gradients(s.x);
        for (auto& g : claimed) {
            if (!g.defined()) continue;
            g = g.clone();  // it may share a buffer that the bug puts right again when it goes
            if (bug.uses_twice())
                for (double& v : g) v /= 2;
        }
    }
    if (!differ(honest, claimed)) return std::nullopt;
    return claimed;
}

}  // namespace gradproof::check
