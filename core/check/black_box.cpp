// Black boxes held to what is known of them.
#include "gradproof/core/check/black_box.hpp"

#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/kernel_choice.hpp"

namespace gradproof::check {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// J v for each entry of each input in turn, weighed with u: derivative(entry) gives the column of J.
template <class Column>
void gradients_by(const KernelCall& call, const Column& derivative, double relative, Known& known) {
    double top = 0;
    for (std::size_t n = 0; n < call.x.size(); ++n) {
        const Tensor<double>& x = call.x[n];
        Tensor<double> g, error;
        if (x.defined()) {
            g = Tensor<double>(x.shape());
            error = Tensor<double>(x.shape());
            for (Index k = 0; k < x.size(); ++k) {
                const Tensor<double> column = derivative(Entry{static_cast<int>(n), k});
                double terms = 0;
                for (Index i = 0; i < column.size(); ++i) terms += std::abs(call.u[i] * column[i]);
                g[k] = weigh(call.u, column);
                error[k] = relative * terms;
            }
            top = std::max(top, finite_largest(g));
        }
        known.gradients.push_back(g);
        known.gradient_errors.push_back(error);
    }
    for (Tensor<double>& error : known.gradient_errors)
        for (Index k = 0; error.defined() && k < error.size(); ++k) error[k] += relative * 0.01 * top;
}

DualFunction page_of(const OpEntry& op, const AnyAttrs& attrs) {
    return [&op, attrs](const DualTensors& x) {
        const KernelScope pages("page");
        return evaluate<Dual<double>>(op, attrs, x);
    };
}

Known by_duals(const DualFunction& forward, const KernelCall& call) {
    constexpr double kGradient = 64 * kEps;
    Known known;
    const Tensors zero = [&] {
        Tensors out;
        for (const auto& x : call.x) out.push_back(x.defined() ? zeros_like(x) : x);
        return out;
    }();
    known.y = cast<double>(forward(DualTensors(cast_all<Dual<double>>(call.x))));
    known.y_error = Tensor<double>(known.y.shape(), 0.0);
    // What rounding the inputs costs: every input moves by itself, up or down.
    Random random(0);
    for (int draw = 0; draw < 3; ++draw) {
        Tensors v = clones(call.x);
        for (auto& t : v)
            for (Index k = 0; t.defined() && k < t.size(); ++k) t[k] *= random.uniform() < 0.5 ? -1 : 1;
        const Tensor<double> moved = dual_along(forward, call.x, v);
        for (Index i = 0; i < moved.size(); ++i) known.y_error[i] = std::max(known.y_error[i], kEps * std::abs(moved[i]));
    }
    gradients_by(
        call, [&](Entry e) { return dual_column(forward, call.x, e); }, kGradient, known);
    return known;
}

/// Holds one array to what is known of it.
void hold(const std::string& name, const Tensor<double>& claimed, const Tensor<double>& truth, const Tensor<double>& error,
          const std::string& wrong, ContractResult& f) {
    if (!truth.defined()) return;
    if (!claimed.defined() || !(claimed.shape() == truth.shape()))
        return fail(
            f, fmt::format("{} is {}, expected {}", name, claimed.defined() ? claimed.shape().str() : "absent", truth.shape()));
    constexpr double kUnits = 32, kHonest = 16;  // roundings of the largest entry, and of the bounds, that an honest box may make
    Tolerance tolerance = relative_to_largest(truth, kUnits * kEps);
    if (tolerance.scale == 0) tolerance.scale = std::numeric_limits<double>::min();
    tolerance.bounds = error.clone();
    for (double& e : tolerance.bounds) e *= kHonest;
    const Comparison c = compare(claimed, truth, tolerance, NotFinite::compared);
    f.entries += c.compared();
    f.bound = tolerance.relative;
    f.census.push_back(census_of(name, c));
    if (c.right() && f.verdict == Verdict::wrong) return;
    if (!c.right() && f.verdict == Verdict::right) f.worst.reset();  // of what agrees
    take_worst(f, name, c);
    if (c.right()) return;
    fail(f, wrong);
    Diagnosis why = compare(claimed, truth, CompareOptions{.tolerance = 1e-9}).diagnosis;
    if (why.text.empty()) return;
    why.tensor = name;
    why.repair.clear();  // in the words of an op's gradient
    f.diagnoses.push_back(std::move(why));
}

}  // namespace

BlackBox black_box(const OpEntry& op) {
    return {.name = "page",
            .file = op.file,
            .input_name = [&op](std::size_t i) { return input_names(op.info, static_cast<int>(i) + 1)[i]; },
            .forward =
                [&op](const AnyAttrs& attrs, const Tensors& x) {
                    const KernelScope pages("page");
                    return evaluate<double>(op, attrs, clones(x));
                },
            .gradients =
                [&op](const AnyAttrs& attrs, const Tensors& x, const Tensor<double>& u) {
                    const KernelScope pages("page");
                    return differentiate<double>(op, attrs, clones(x), u.clone()).gradients(x);
                }};
}

std::vector<KernelCall> black_box_calls(const OpEntry& op, std::uint64_t seed) {
    const KernelScope pages("page");
    std::vector<KernelCall> out;
    for (const SampleCase& sample : op.samples()) {
        const Random random = sample_random(seed, op.info.name, sample.name);
        KernelCall call{sample.name, sample.attrs, draw(sample.args, random.stream(0)), {}};
        Random cotangent = random.stream(1);
        call.u = cotangent.normal<double>(evaluate<double>(op, sample.attrs, clones(call.x)).shape());
        out.push_back(std::move(call));
    }
    return out;
}

Against against_page(const OpEntry& op) {
    return {.name = op.file, .of = [&op](const KernelCall& call) { return by_duals(page_of(op, call.attrs), call); }};
}

Against against_function(std::string name, const DualFunction& forward) {
    return {.name = std::move(name), .of = [forward](const KernelCall& call) { return by_duals(forward, call); }};
}

Against against_itself(const BlackBox& box) {
    return {.name = "differences of its own forward", .weak = true, .of = [box](const KernelCall& call) {
                constexpr double kRelative = 1e-9;
                Known known;
                const Function forward = [&](const Tensors& x) { return box.forward(call.attrs, x); };
                gradients_by(
                    call, [&](Entry e) { return difference(forward, call.x, e, Stencil::fourth_order); }, kRelative, known);
                double size = 0;
                const Tensor<double> y = forward(call.x);
                for (Index i = 0; i < y.size(); ++i) size += std::abs(call.u[i] * y[i]);
                for (std::size_t n = 0; n < call.x.size(); ++n)
                    for (Index k = 0; call.x[n].defined() && k < call.x[n].size(); ++k)
                        known.gradient_errors[n][k] += kEps * size / step(Stencil::fourth_order, call.x[n][k]);
                return known;
            }};
}

KernelReport check_kernel(const BlackBox& box, const std::vector<KernelCall>& calls, const Against& against) {
    KernelReport report;
    report.kernel = box.name;
    report.file = box.file;
    report.types = {"double"};
    report.directions = {"forward", "backward"};
    report.against = against.name + (against.weak ? ": the weaker evidence, for the forward is its own witness" : "");
    for (const KernelCall& call : calls) {
        ContractResult value = finding(Contract::kernel_value, call.name, Verdict::right, {}),
                       gradient = finding(Contract::kernel_gradient, call.name, Verdict::right, {});
        try {
            const Known known = against.of(call);
            ++report.samples;
            if (known.y.defined())
                hold("y", box.forward(call.attrs, call.x), known.y, known.y_error,
                     fmt::format("the forward is at fault: y (claimed) is not that of {} (true)", against.name), value);
            else
                value = excused(value, "nothing is known of the value");
            if (value.verdict == Verdict::right) {
                const Tensors claimed = box.gradients(call.attrs, call.x, call.u);
                for (std::size_t i = 0; i < known.gradients.size(); ++i)
                    hold("d(" + box.input_name(i) + ")", claimed[i], known.gradients[i], known.gradient_errors[i],
                         fmt::format("the backward is at fault: the claimed gradient is not that of {}", against.name), gradient);
            } else {
                gradient = excused(gradient, "not judged, for the forward is at fault");
            }
        } catch (const NotComparable& e) {
            value = excused(value, e.what());
            gradient = excused(gradient, e.what());
        } catch (const Stopped&) {
            throw;
        } catch (const std::exception& e) {
            fail(value, threw(&e));
        }
        report.findings.push_back(std::move(value));
        report.findings.push_back(std::move(gradient));
    }
    if (report.samples == 0 && report.verdict() == Verdict::right) {
        const std::string why = report.findings.empty() ? "there is no sample" : report.findings.front().reason;
        report.findings = {finding(Contract::kernel_value, "all samples", Verdict::cannot_tell,
                                   fmt::format("nothing could be compared with {}: {}", against.name, why))};
    }
    return report;
}

}  // namespace gradproof::check
