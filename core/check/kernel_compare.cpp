// A kernel beside its page at one call: the page, run with plain arithmetic, is what is true; the kernel is the claim.
#include "gradproof/core/check/kernel_contracts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"

namespace gradproof::check {
namespace {

/// One tensor of a run: "y", "d(x)" or "saved rstd".
template <class T>
struct Part {
    Contract contract;
    std::string name;
    Tensor<T> value;
};

template <class T>
class SavedParts final : public TapeObserver<T>, SavedVisitor<T> {
  public:
    explicit SavedParts(std::vector<Part<T>>& parts) : parts_(parts) {}
    void recorded(Tape<T>& tape, int node) override { tape.each_saved(node, *this); }

  private:
    void tensor(std::string_view name, const Tensor<T>& value) override {
        parts_.push_back({Contract::saved, "saved " + std::string(name), value.defined() ? value.clone() : value});
    }
    void other(std::string_view, std::size_t) override {}
    std::vector<Part<T>>& parts_;
};

/// Everything a call leaves behind, by the kernels that `scope` says.
template <class T>
std::vector<Part<T>> run(const OpEntry& op, const KernelCall& call, const std::vector<Tensor<T>>& x, std::string_view scope) {
    const KernelScope by(scope);
    std::vector<Part<T>> parts;
    SavedParts<T> saved(parts);
    const GradientResult<T> result = differentiate<T>(op, call.attrs, x, cast<T>(call.u), {.observer = &saved});
    parts.push_back({Contract::kernel_value, "y", result.y});
    const std::vector<std::string> names = input_names(op.info, static_cast<int>(x.size()));
    const auto gradients = result.gradients(x);
    for (std::size_t i = 0; i < gradients.size(); ++i)
        parts.push_back({Contract::kernel_gradient, "d(" + names[i] + ")", gradients[i]});
    return parts;
}

/// The page at one call: in double, and in float where the numbers fit.
struct Page {
    Tensors x;  ///< what float and double both hold
    std::vector<Tensor<float>> narrow_x;
    std::vector<Part<double>> wide;
    std::vector<Part<float>> narrow;  ///< none where an input is too large for a float

    Page(const OpEntry& op, const KernelCall& call) : narrow_x(cast_all<float>(call.x)) {
        bool fits = true;
        for (std::size_t i = 0; i < narrow_x.size(); ++i) {
            for (Index k = 0; narrow_x[i].defined() && k < narrow_x[i].size(); ++k)
                fits = fits && (std::isfinite(narrow_x[i][k]) || !std::isfinite(call.x[i][k]));
            x.push_back(!narrow_x[i].defined() ? Tensor<double>() : cast<double>(narrow_x[i]));
        }
        if (!fits) x = call.x;
        wide = run<double>(op, call, x, "plain");
        if (fits) narrow = run<float>(op, call, narrow_x, "plain");
    }
    template <class T>
    const std::vector<Part<T>>& parts() const {
        if constexpr (std::is_same_v<T, float>)
            return narrow;
        else
            return wide;
    }
    template <class T>
    const std::vector<Tensor<T>>& inputs() const {
        if constexpr (std::is_same_v<T, float>)
            return narrow_x;
        else
            return x;
    }
    /// How many units of rounding the page itself makes in part p: seen where float and double differ.
    double rounding(std::size_t p) const {
        double out = 0;
        if (p >= narrow.size() || !narrow[p].value.defined()) return out;
        for (Index i = 0; i < wide[p].value.size(); ++i) {
            const double off = std::abs(static_cast<double>(narrow[p].value[i]) - wide[p].value[i]);
            if (std::isfinite(off)) out = std::max(out, off);
        }
        return out / static_cast<double>(std::numeric_limits<float>::epsilon());
    }
};

/// 0 where x is finite, NaN elsewhere: which of NaN and infinity comes out depends on the order of sums, where they come out does
/// not; finite entries are compared by another contract.
template <class T>
Tensor<double> not_finite(const Tensor<T>& x) {
    Tensor<double> out(x.shape(), 0.0);
    for (Index i = 0; i < x.size(); ++i)
        if (!std::isfinite(x[i])) out[i] = std::numeric_limits<double>::quiet_NaN();
    return out;
}

/// Holds a part of the kernel's to the page's, to within `allowed`; the worst goes to f in units of it.
template <class T>
void hold_to_page(const std::string& name, const Tensor<T>& claimed, const Tensor<T>& truth, double allowed, ContractResult& f) {
    const std::string_view type = std::is_same_v<T, float> ? "float" : "double";
    if (claimed.defined() != truth.defined())
        return fail(f, fmt::format("{} is {} by the kernel and {} by the page ({})", name, claimed.defined() ? "there" : "absent",
                                   truth.defined() ? "there" : "absent", type));
    if (!claimed.defined()) return;
    if (!(claimed.shape() == truth.shape()))
        return fail(f, fmt::format("{} is {} by the kernel and {} by the page ({})", name, claimed.shape(), truth.shape(), type));
    const bool special = f.contract == Contract::kernel_special;
    const Comparison c =
        compare(special ? not_finite(claimed) : cast<double>(claimed), special ? not_finite(truth) : cast<double>(truth),
                {.relative = f.bound, .scale = allowed}, NotFinite::alike);
    f.entries += c.entries;
    if (c.error > f.error) take_worst(f, name, c);
    if (c.right()) return;
    const double a = static_cast<double>(claimed[c.off_at.front()]), b = static_cast<double>(truth[c.off_at.front()]);
    fail(f, std::isfinite(a) && std::isfinite(b)
                ? fmt::format("{} of the kernel (claimed) is not the page's (true), as {}", name, type)
                : fmt::format("{} is {} by the kernel and {} by the page, as {}", name, a, b, type));
}

/// Compares all parts at one type; each goes to the result of its contract, or all to one. Kernel and page may each be off by
/// some units of rounding of the largest entry, and by what the page itself rounds.
template <class T>
void compare_parts(const KernelCheck& k, const KernelCall& call, const Page& page, std::span<ContractResult> results) {
    constexpr double kUnits = 32;
    const auto& x = page.inputs<T>();
    if (page.parts<T>().empty() || !takes<T>(*k.op, *k.kernel, call.attrs, x)) return;
    const bool own = !k.kernel->table<T>()->own.empty();
    const std::vector<Part<T>> claimed = run<T>(*k.op, call, x, k.kernel->info.name);
    const auto largest = [](const Part<T>& part) { return part.value.defined() ? finite_largest(cast<double>(part.value)) : 0; };
    double largest_gradient = 0;
    for (const Part<T>& part : page.parts<T>())
        if (part.contract == Contract::kernel_gradient) largest_gradient = std::max(largest_gradient, largest(part));
    for (std::size_t p = 0; p < page.wide.size(); ++p) {
        const Part<T>& truth = page.parts<T>()[p];
        if (own && truth.contract == Contract::saved) continue;
        const auto same = std::find_if(claimed.begin(), claimed.end(), [&](const Part<T>& c) { return c.name == truth.name; });
        // Where one gradient is 0 by cancellation, its rounding is that of the others, as for the page's own (truth.hpp).
        const double part = truth.contract == Contract::kernel_gradient ? 0.01 * largest_gradient : 0;
        const double size = std::max(largest(truth), part) + page.rounding(p);
        constexpr double kEps = static_cast<double>(std::numeric_limits<T>::epsilon());
        const double far_out = truth.contract == Contract::kernel_gradient ? call.rounding : 0;
        const double allowed = kUnits * kEps * size + far_out * kEps / std::numeric_limits<double>::epsilon() +
                               static_cast<double>(std::numeric_limits<T>::min());
        for (ContractResult& f : results)
            if (results.size() == 1 || f.contract == truth.contract)
                hold_to_page(truth.name, same == claimed.end() ? Tensor<T>() : same->value, truth.value, allowed, f);
    }
}

ContractResult result_of(Contract contract, const KernelCall& call) {
    ContractResult f;
    f.contract = contract;
    f.sample = call.name;
    f.bound = 1;
    return f;
}

}  // namespace

template <class T>
bool takes(const OpEntry& op, const KernelEntry& kernel, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x) {
    const KernelTable<T>* table = kernel.table<T>();
    if (table == nullptr) return false;
    std::vector<const Tensor<T>*> pointers;
    for (const auto& t : x) pointers.push_back(&t);
    const KernelScope scope(kernel.info.name);
    const auto by =
        detail::choose_kernels(op.table<T>(), attrs.get(), Inputs<T>(pointers.data(), static_cast<int>(pointers.size())));
    return by.forward == table || by.backward == table;
}
template bool takes(const OpEntry&, const KernelEntry&, const AnyAttrs&, const std::vector<Tensor<float>>&);
template bool takes(const OpEntry&, const KernelEntry&, const AnyAttrs&, const std::vector<Tensor<double>>&);

std::vector<ContractResult> compare_with_page(const KernelCheck& k, const KernelCall& call) {
    std::vector<ContractResult> out;
    for (const Contract c : {Contract::kernel_value, Contract::kernel_gradient, Contract::saved})
        out.push_back(result_of(c, call));
    const Page page(*k.op, call);
    compare_parts<double>(k, call, page, out);
    compare_parts<float>(k, call, page, out);
    return out;
}

// Each input in turn, and the cotangent, gets one NaN, one infinity of either sign.
ContractResult check_special_values(const KernelCheck& k, const KernelCall& call) {
    ContractResult f = result_of(Contract::kernel_special, call);
    Random random = sample_random(0, k.op->info.name, call.name);
    for (std::size_t i = 0; i <= call.x.size(); ++i) {
        const Tensor<double>& from = i < call.x.size() ? call.x[i] : call.u;
        if (!from.defined() || from.size() == 0) continue;
        for (const double value : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
            KernelCall special = call;
            Tensor<double>& to = i < call.x.size() ? special.x[i] : special.u;
            to = from.clone();
            to[random.below(to.size())] = value;
            const Page page(*k.op, special);
            compare_parts<double>(k, special, page, {&f, 1});
            compare_parts<float>(k, special, page, {&f, 1});
            if (f.verdict == Verdict::right) continue;
            f.reason +=
                fmt::format(", with {} in {}", value,
                            i < call.x.size() ? input_names(k.op->info, static_cast<int>(call.x.size()))[i] : "the cotangent");
            return f;
        }
    }
    return f;
}

namespace {

/// The kernel again, and with other numbers of threads.
template <class T>
void same_bits(const KernelCheck& k, const KernelCall& call, ContractResult& f) {
    const auto x = cast_all<T>(call.x);
    if (!takes<T>(*k.op, *k.kernel, call.attrs, x)) return;
    std::vector<Part<T>> first;
    for (const int n : {1, 1, 2, 4, 8}) {
        const ThreadScope scope(n);
        std::vector<Part<T>> now = run<T>(*k.op, call, x, k.kernel->info.name);
        for (std::size_t p = 0; p < first.size(); ++p)
            expect_same_bits(now[p].name, now[p].value, first[p].value,
                             fmt::format("{} has other bits {}", now[p].name,
                                         n == 1 ? std::string("the second time") : fmt::format("with {} threads", n)),
                             f);
        if (first.empty()) first = std::move(now);
    }
}

}  // namespace

ContractResult check_in_bounds(const KernelCheck& k, const KernelCall& call) {
    ContractResult f = finding(Contract::in_bounds, call.name, Verdict::right, {});
    if (takes<double>(*k.op, *k.kernel, call.attrs, call.x)) expect_in_bounds<double>(*k.op, call.attrs, call.x, call.u, f);
    if (takes<float>(*k.op, *k.kernel, call.attrs, cast_all<float>(call.x)))
        expect_in_bounds<float>(*k.op, call.attrs, call.x, call.u, f);
    return f;
}

ContractResult check_same_bits(const KernelCheck& k, const KernelCall& call) {
    ContractResult f = result_of(Contract::deterministic, call);
    same_bits<double>(k, call, f);
    same_bits<float>(k, call, f);
    return f;
}

}  // namespace gradproof::check
