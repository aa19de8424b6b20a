// The kernel of attention, attached: it saves what its backward needs in place of the weights, and holds no [L, S].
#include "gradproof/core/kernel.hpp"
#include "gradproof/ops/kernels/attention_fused.hpp"

namespace gradproof {
namespace {

/// The gradients of a call, to be written: undefined where nobody needs one.
template <class T>
AttentionOperands<T> attention_gradients(const AttentionPlan& plan, const AttentionOperands<T>& x, const Cotangents<T>& dx) {
    const auto like = [&](int i, const Tensor<T>& input) {
        return input.defined() && dx.needs(i) ? Tensor<T>(i == 3 ? plan.mask_gradient() : input.shape()) : Tensor<T>();
    };
    return {like(0, x.q), like(1, x.k), like(2, x.v), like(3, x.mask), like(4, x.past_key), like(5, x.past_value)};
}
/// Hands them over; dmask is summed over the axes it was broadcast along.
template <class T>
void add_attention_gradients(AttentionOperands<T>& g, Cotangents<T>& dx) {
    int i = 0;
    for (Tensor<T>* gradient : {&g.q, &g.k, &g.v, &g.mask, &g.past_key, &g.past_value}) {
        if (gradient->defined()) dx.add(i, std::move(*gradient));
        ++i;
    }
}

struct FusedAttention {
    static constexpr KernelInfo info{.op = "attention", .name = "fused", .saves = "q k v mask past_key past_value y log_sum_exp"};
    using Attrs = AttentionAttrs;

    static bool fits(const Attrs& a, const InputShapes& x) {
        if (a.kernel == AttentionKernel::reference) return false;
        const auto shape = [&](int i) { return x.has(i) ? &x[i] : nullptr; };
        try {
            plan_attention(a, {shape(0), shape(1), shape(2), shape(3), shape(4), shape(5)});
            return true;
        } catch (const std::invalid_argument&) {  // the page says why
            return false;
        }
    }

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const auto at = [&](int i) { return i < in.size() ? in[i] : Tensor<T>(); };
        const AttentionOperands<T> x{at(0), at(1), at(2), at(3), at(4), at(5)};
        const AttentionPlan plan = plan_attention(a, x);
        Tensor<T> y(plan.output()), log_sum_exp({2, plan.B, plan.Hq, plan.L});
        attention_fused_forward(plan, x, y, log_sum_exp);
        saved["q"] = x.q, saved["k"] = x.k, saved["v"] = x.v, saved["mask"] = x.mask;
        saved["past_key"] = x.past_key, saved["past_value"] = x.past_value;
        saved["y"] = y, saved["log_sum_exp"] = log_sum_exp;
        return y;
    }

    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const AttentionOperands<T> x{saved["q"], saved["k"], saved["v"], saved["mask"], saved["past_key"], saved["past_value"]};
        const AttentionPlan plan = plan_attention(a, x);
        AttentionOperands<T> g = attention_gradients(plan, x, dx);
        attention_fused_backward(plan, x, saved["y"], saved["log_sum_exp"], dy, g);
        add_attention_gradients(g, dx);
    }
};

}  // namespace

GRADPROOF_KERNEL(FusedAttention, float, double);

}  // namespace gradproof
