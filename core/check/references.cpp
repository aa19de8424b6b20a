// Black boxes made of ops, and what they may be held to: a page, a function, differences of their own.
#include "gradproof/core/check/references.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/kernel.hpp"

namespace gradproof::check {
namespace {

using NamedTensors = std::vector<std::pair<std::string, Tensor<double>>>;

/// The tensors that a call saves; those of a kernel's own under names that no page has.
template <class T>
class SavedParts final : public TapeObserver<T>, SavedVisitor<T> {
  public:
    NamedTensors found;
    void recorded(Tape<T>& tape, int node) override {
        const KernelTable<T>* kernel = tape.kernel(node);
        own_ = kernel != nullptr && !kernel->own.empty();
        tape.each_saved(node, *this);
    }

  private:
    void tensor(std::string_view name, const Tensor<T>& value) override {
        found.emplace_back((own_ ? "by the kernel: " : "") + std::string(name),
                           value.defined() ? cast<double>(value) : Tensor<double>());
    }
    void other(std::string_view, std::size_t) override {}
    bool own_ = false;
};

template <class T>
Outcome run_as(const OpEntry& op, const KernelCall& call) {
    SavedParts<T> saved;
    const std::vector<Tensor<T>> x = cast_all<T>(call.x);
    const GradientResult<T> run = differentiate<T>(op, call.attrs, x, cast<T>(call.u), {.observer = &saved});
    Outcome out{cast<double>(run.y), {}, std::move(saved.found)};
    for (const Tensor<T>& g : run.gradients(x)) out.gradients.push_back(g.defined() ? cast<double>(g) : Tensor<double>());
    return out;
}

Outcome run_as(const OpEntry& op, const KernelCall& call, BoxPrecision p) {
    return p == BoxPrecision::f64 ? run_as<double>(op, call) : run_as<float>(op, call);
}

template <class T>
bool takes_as(const OpEntry& op, const KernelCall& call, std::string_view kernel) {
    if (!op.has_table<T>()) return false;
    if (kernel == "page") return true;
    const auto entry = std::find_if(op.kernels.begin(), op.kernels.end(), [&](const auto& k) { return k.info.name == kernel; });
    const KernelTable<T>* table = entry == op.kernels.end() ? nullptr : entry->template table<T>();
    if (table == nullptr) return false;
    const std::vector<Tensor<T>> x = cast_all<T>(call.x);
    std::vector<const Tensor<T>*> pointers;
    for (const auto& t : x) pointers.push_back(&t);
    const KernelScope scope(kernel);
    const auto by =
        detail::choose_kernels(op.table<T>(), call.attrs.get(), Inputs<T>(pointers.data(), static_cast<int>(pointers.size())));
    return by.forward == table || by.backward == table;
}

/// What rounding leaves of each array of an outcome, at most, about: seen where float and double differ.
void add_rounding(const Outcome& wide, const Outcome& narrow, double eps, Known& known) {
    const auto rounding = [&](const Tensor<double>& a, const Tensor<double>& b) {
        double most = 0;
        for (Index i = 0; a.defined() && b.defined() && i < a.size(); ++i)
            if (const double off = std::abs(a[i] - b[i]); std::isfinite(off)) most = std::max(most, off);
        return a.defined() ? Tensor<double>(a.shape(), 2 * eps * most / kFloatEps) : a;
    };
    known.y_error = rounding(wide.y, narrow.y);
    for (std::size_t i = 0; i < wide.gradients.size(); ++i)
        known.gradient_errors.push_back(rounding(wide.gradients[i], narrow.gradients[i]));
}

/// What runs at both types say, with what rounding leaves of each.
template <class Run>
Known known_by_runs(const Run& run, bool in_float) {
    const auto known = [](const Outcome& o) {
        return Known{.y = o.y, .y_error = {}, .gradients = o.gradients, .gradient_errors = {}, .saved = o.saved};
    };
    const Outcome wide = run(BoxPrecision::f64);
    Known out = known(wide);
    if (!in_float) return out;
    const Outcome narrow = run(BoxPrecision::f32);
    Known as_float = known(narrow);
    add_rounding(wide, narrow, kEps, out);
    add_rounding(wide, narrow, kFloatEps, as_float);
    out.as_float = std::make_shared<Known>(std::move(as_float));
    return out;
}

Known known_by_page(const OpEntry& op, const KernelCall& call) {
    const KernelScope plain("plain");
    return known_by_runs([&](BoxPrecision p) { return run_as(op, call, p); }, fits_float(call));
}

/// The inputs with a rounding each, and no slope.
std::vector<Tensor<BoundedDual>> lifted(const Tensors& x) {
    std::vector<Tensor<BoundedDual>> out;
    for (const auto& t : x) {
        out.emplace_back();
        if (!t.defined()) continue;
        out.back() = Tensor<BoundedDual>(t.shape());
        for (Index k = 0; k < t.size(); ++k)
            out.back()[k] = {Bounded<double>(t[k], kEps / 2 * std::abs(t[k])), Bounded<double>::exactly(0)};
    }
    return out;
}

/// The derivative of <u, f> by one entry.
Bounded<double> bounded_slope(const BoundedFunction& f, const KernelCall& call, Entry e) {
    std::vector<Tensor<BoundedDual>> x = lifted(call.x);
    x[static_cast<std::size_t>(e.input)][e.index].tangent = Bounded<double>::exactly(1);
    const Tensor<BoundedDual> y = f(call, x);
    Bounded<double> sum = Bounded<double>::exactly(0);
    for (Index i = 0; i < y.size(); ++i) sum += Bounded<double>::exactly(call.u[i]) * y[i].tangent;
    return sum;
}

Tensor<BoundedDual> bounded_page(const OpEntry& op, const KernelCall& of, const std::vector<Tensor<BoundedDual>>& x) {
    std::vector<const Tensor<BoundedDual>*> pointers;
    for (const auto& t : x) pointers.push_back(&t);
    return call(op.table<BoundedDual>(), of.attrs.get(), Inputs<BoundedDual>(pointers.data(), static_cast<int>(pointers.size())));
}

}  // namespace

bool fits_float(const KernelCall& call) {
    const auto fits = [](const Tensor<double>& t) {
        for (Index k = 0; t.defined() && k < t.size(); ++k)
            if (std::isfinite(t[k]) && !std::isfinite(static_cast<float>(t[k]))) return false;
        return true;
    };
    return fits(call.u) && std::all_of(call.x.begin(), call.x.end(), fits);
}

KernelCall as_float_holds(const KernelCall& call) {
    KernelCall out = call;
    if (!fits_float(call)) return out;
    out.u = cast<double>(cast<float>(call.u));
    for (auto& t : out.x)
        if (t.defined()) t = cast<double>(cast<float>(t));
    return out;
}

Subject subject_of(const BlackBox& box, const KernelCall& call) {
    Subject s;
    s.x = call.x;
    s.u = call.u;
    s.y = box.forward(call, call.x);
    for (std::size_t i = 0; i < call.x.size(); ++i) s.names.push_back(box.input_name(i));
    return s;
}

BlackBox black_box(const OpEntry& op, std::string_view scope) {
    const bool page = scope == "page";
    BlackBox box{.name = std::string(scope),
                 .file = op.file,
                 .kind = page ? "the page" : "the kernel",
                 .types = {},
                 .directions = {"forward", "backward"},
                 .input_name = [&op](std::size_t i) { return input_names(op.info, static_cast<int>(i) + 1)[i]; },
                 .takes =
                     [&op, by = std::string(scope)](const KernelCall& call, BoxPrecision p) {
                         return p == BoxPrecision::f64 ? takes_as<double>(op, call, by) : takes_as<float>(op, call, by);
                     },
                 .run =
                     [&op, by = std::string(scope)](const KernelCall& call, BoxPrecision p) {
                         const KernelScope in(by);
                         return run_as(op, call, p);
                     },
                 .forward =
                     [&op, by = std::string(scope)](const KernelCall& call, const Tensors& x) {
                         const KernelScope in(by);
                         return evaluate<double>(op, call.attrs, clones(x));
                     }};
    if (page) {
        if (op.has_table<float>()) box.types.emplace_back("float");
        if (op.has_table<double>()) box.types.emplace_back("double");
    }
    for (const KernelEntry& kernel : op.kernels) {
        if (kernel.info.name != scope) continue;
        box.file = kernel.file;
        if (kernel.f32) box.types.emplace_back("float");
        if (kernel.f64) box.types.emplace_back("double");
        if (!kernel.has_backward()) box.directions = {"forward"};
        if (!kernel.has_forward()) box.directions = {"backward"};
    }
    return box;
}

KernelReport describe(const BlackBox& box) {
    KernelReport out;
    out.kernel = box.name;
    out.file = box.file;
    out.types = box.types;
    out.directions = box.directions;
    return out;
}

std::vector<KernelCall> black_box_calls(const OpEntry& op, std::uint64_t seed) {
    const KernelScope pages("page");
    std::vector<KernelCall> out;
    for (const SampleCase& sample : op.samples()) {
        const Subject s = draw_subject(op, sample, seed);
        out.push_back(
            {.name = sample.name, .attrs = sample.attrs, .x = s.x, .u = s.u, .is_excused = sample.excuse.finite_differences});
    }
    return out;
}

Against against_page(const OpEntry& op) {
    Against page{.name = op.file, .weak = false, .of = [&op](const KernelCall& call) { return known_by_page(op, call); }};
    page.is_page = true;
    if (op.has_table<BoundedDual>())
        page.rounding = [&op](const KernelCall& call, Entry entry) {
            const auto forward = [&op](const KernelCall& of, const auto& x) { return bounded_page(op, of, x); };
            const double error = bounded_slope(forward, call, entry).error;
            return std::isfinite(error) ? error : 0;
        };
    return page;
}

Against against_function(std::string name, const BoundedFunction& forward) {
    return {.name = std::move(name), .weak = false, .of = [forward](const KernelCall& call) {
                const Tensor<BoundedDual> y = forward(call, lifted(call.x));
                Known known{
                    .y = Tensor<double>(y.shape()), .y_error = Tensor<double>(y.shape()), .gradients = {}, .gradient_errors = {}};
                for (Index i = 0; i < y.size(); ++i) known.y[i] = y[i].value.value, known.y_error[i] = y[i].value.error;
                for (std::size_t n = 0; n < call.x.size(); ++n) {
                    Tensor<double> g, error;
                    if (call.x[n].defined()) g = zeros_like(call.x[n]), error = zeros_like(call.x[n]);
                    for (Index k = 0; g.defined() && k < g.size(); ++k) {
                        const Bounded<double> slope = bounded_slope(forward, call, {static_cast<int>(n), k});
                        g[k] = slope.value;
                        error[k] = slope.error;
                    }
                    known.gradients.push_back(std::move(g));
                    known.gradient_errors.push_back(std::move(error));
                }
                return known;
            }};
}

namespace {

/// What a float box may be off by where its inputs were rounded before, and in gradients of the size that is natural.
Known known_in_float(const BlackBox& box, const KernelCall& call, const Tensor<double>& y, const Known& wide) {
    Known out{.y = y, .y_error = zeros_like(y), .gradients = wide.gradients, .gradient_errors = {}};
    Random random = sample_random(0, box.name, call.name);
    for (int draw = 0; draw < 3; ++draw) {
        Tensors moved = clones(call.x);
        for (auto& x : moved)
            for (Index k = 0; x.defined() && k < x.size(); ++k) x[k] *= 1 + (random.uniform() < 0.5 ? -kFloatEps : kFloatEps);
        const Tensor<double> there = box.forward(call, moved);
        for (Index i = 0; i < y.size(); ++i) out.y_error[i] = std::max(out.y_error[i], std::abs(there[i] - y[i]));
    }
    for (std::size_t i = 0; i < wide.gradient_errors.size(); ++i) {
        const Tensor<double>& error = wide.gradient_errors[i];
        out.gradient_errors.push_back(error.defined() ? error.clone() : error);
        if (!error.defined()) continue;
        const double natural = finite_largest(call.u) * finite_largest(y) / std::max(1.0, finite_largest(call.x[i]));
        for (double& e : out.gradient_errors[i]) e += kFloatEps * natural;
    }
    return out;
}

Known known_by_differences(const BlackBox& box, const KernelCall& call) {
    constexpr double kMostNoise = 1e-3, kRelative = 1e-10;
    if (!box.takes(call, BoxPrecision::f64))
        throw NotComparable("it does not compute in double, and differences of a float forward say nothing");
    const Subject s = subject_of(box, call);
    const Truth t = difference_truth(
        s, [&](const Tensors& x) { return box.forward(call, x); }, sample_random(0, box.name, call.name));
    if (t.noise > kMostNoise)
        throw NotComparable(fmt::format("its differences are off by {:.1e} of the gradient themselves", t.noise));
    Known known{.y = {}, .y_error = {}, .gradients = t.value, .gradient_errors = t.error};
    for (std::size_t i = 0; i < t.value.size(); ++i)
        for (Index k = 0; t.value[i].defined() && k < t.value[i].size(); ++k)
            known.gradient_errors[i][k] += kRelative * finite_largest(t.value[i]);
    known.as_float = std::make_shared<Known>(known_in_float(box, call, s.y, known));
    return known;
}

}  // namespace

Against against_itself(const BlackBox& box) {
    return {.name = "differences of its own forward", .weak = true, .of = [box](const KernelCall& call) {
                return known_by_differences(box, call);
            }};
}

Against against_box(const BlackBox& box) {
    const bool has_backward = std::ranges::find(box.directions, "backward") != box.directions.end();
    return {.name = box.name, .weak = false, .of = [=](const KernelCall& call) {
                if (!box.takes(call, BoxPrecision::f64)) throw NotComparable(box.name + " does not compute in double");
                const bool in_float = fits_float(call) && box.takes(call, BoxPrecision::f32);
                if (has_backward) return known_by_runs([&](BoxPrecision p) { return box.run(call, p); }, in_float);
                Known known = known_by_differences(box, call);
                known.y = box.forward(call, call.x);
                return known;
            }};
}

}  // namespace gradproof::check
