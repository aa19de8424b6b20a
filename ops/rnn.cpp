// The tanh recurrence over a whole sequence: forward, backward through time, samples, registration.
#include "gradproof/ops/rnn.hpp"

#include "gradproof/ops/activation_forms.hpp"
#include "gradproof/ops/recurrence.hpp"

namespace gradproof {
namespace {

struct Rnn {
    static constexpr OpInfo info{
        .name = "rnn",
        .inputs = "x wx wh b? h0?",
        .forward = "h_t = tanh(x_t wx + h_{t-1} wh + b)",
        .backward =
            "du_t = (1 - h_t²) * (dh_t + du_{t+1} whᵀ); dx_t = du_t wxᵀ; dwx = Σ x_tᵀ du_t; dwh = Σ h_{t-1}ᵀ du_t; db = Σ du_t; "
            "dh0 = du_1 whᵀ",
        .saves = "x wx wh h0 h",
        .source = "Elman 1990; Werbos 1990",
    };
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, wx, wh, h0, h;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("wx", s.wx);
            f("wh", s.wh);
            f("h0", s.h0);
            f("h", s.h);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        const RecurrentSizes n = recurrent_sizes(info, in, 1, 4);
        Tensor<T> y({n.batch, n.steps, n.hidden});
        saved = {in[0], in[1], in[2], in.has(4) ? in[4] : Tensor<T>(), y};
        const T* bias = in.has(3) ? in[3].data() : nullptr;
        const bool fast = use_kernels<T>();
        T* h = y.data();
        parallel_for(n.batch, n.grain(), [&](Index begin, Index end) {
            recurrent_input(n, begin, end, saved.x, saved.wx, bias, h, fast);
            for (Index t = 0; t < n.steps; ++t) {
                recurrent_step(n, begin, end, t, h, saved.h0, saved.wh, h, fast);
                for (Index b = begin; b < end; ++b) {
                    T* row = h + (b * n.steps + t) * n.hidden;
                    forms::apply<forms::Tanh>(row, row, n.hidden, fast);
                }
            }
        });
        return y;
    }

    // h_t = tanh(u_t):  du_t = (1 - h_t²) dh_t;   u_{t+1} = .. + h_t wh:  dh_t = dy_t + du_{t+1} whᵀ
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const RecurrentSizes n{s.x.dim(0), s.x.dim(1), s.x.dim(2), s.wh.dim(0), s.wh.dim(1)};
        Tensor<T> made = dy.clone();
        T* du = made.data();
        const Tensor<T> turned = recurrent_transposed(s.wh);
        const bool fast = use_kernels<T>();
        parallel_for(n.batch, n.grain(), [&](Index begin, Index end) {
            for (Index t = n.steps - 1; t >= 0; --t) {
                T* first = du + (begin * n.steps + t) * n.hidden;
                if (t + 1 < n.steps)
                    recurrent_step_backward(n, begin, end, t + 1, du, turned, T(1), first, n.steps * n.hidden, fast);
                for (Index b = begin; b < end; ++b) {
                    const Index row = (b * n.steps + t) * n.hidden;
                    forms::apply_slope<forms::Tanh>(s.h.data() + row, du + row, du + row, n.hidden, fast);
                }
            }
        });
        recurrent_gradients(n, s.x, s.wx, turned, s.h0, s.h, made, dx);
    }

    static std::vector<Sample<Rnn>> samples() {
        return {
            {"bias and state", {}, {{2, 4, 3}, {3, 5}, {5, 5}, {5}, {2, 5}}},
            {"no bias, no state", {}, {{3, 3, 2}, {2, 4}, {4, 4}}},
            {"state, no bias", {}, {{2, 3, 2}, {2, 3}, {3, 3}, Arg::absent(), {2, 3}}},
            {"one step", {}, {{2, 1, 3}, {3, 4}, {4, 4}, {4}, {2, 4}}},
            {"one step from nothing: wh has no effect", {}, {{2, 1, 3}, {3, 4}, {4, 4}, {4}}},
            {"one unit", {}, {{1, 6, 1}, {1, 1}, {1, 1}, {1}}},
            {"more entries than a task takes", {}, {{9, 2, 1}, {1, 2}, {2, 2}, {2}, {9, 2}}},
            {"no steps", {}, {{2, 0, 3}, {3, 4}, {4, 4}, {4}, {2, 4}}, {.zero_gradient = true, .why = "no entries"}},
            {"no input features", {}, {{2, 3, 0}, {0, 4}, {4, 4}, {4}, {2, 4}}},
        };
    }
    static std::vector<ErrorSample<Rnn>> error_samples() {
        return {
            {"two inputs", {}, {{2, 4, 3}, {3, 5}}, "rnn: takes 3 to 5 inputs"},
            {"no wh", {}, {{2, 4, 3}, {3, 5}, Arg::absent()}, "rnn: x, wx and wh are all needed: input 2 is undefined"},
            {"rank 2", {}, {{4, 3}, {3, 5}, {5, 5}}, "rnn: x must be [B, T, I]: x is [4, 3]"},
            {"wh is not square", {}, {{2, 4, 3}, {3, 5}, {5, 4}}, "rnn: wh must be [H, H]: wh is [5, 4]"},
            {"wx of another width", {}, {{2, 4, 3}, {2, 5}, {5, 5}}, "rnn: wx must be [3, 5]: wx is [2, 5]"},
            {"bias", {}, {{2, 4, 3}, {3, 5}, {5, 5}, {4}}, "rnn: b must be [5]: b is [4]"},
            {"state of another batch",
             {},
             {{2, 4, 3}, {3, 5}, {5, 5}, {5}, {3, 5}},
             "rnn: a state must be [2, 5]: input 4 is [3, 5]"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Rnn);

template <Operand X>
X rnn(const X& x, const X& wx, const X& wh, const RnnOptional<X>& with) {
    return call<Rnn, typename X::value_type>({}, {&x, &wx, &wh, &with.bias, &with.state});
}
#define GRADPROOF_RNN(X) template X rnn(const X&, const X&, const X&, const RnnOptional<X>&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_RNN)
#undef GRADPROOF_RNN

}  // namespace gradproof
