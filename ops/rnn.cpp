// The tanh recurrence over a whole sequence: forward, backward through time, samples, registration.
#include "gradproof/ops/rnn.hpp"

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
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        check_recurrent(info, in, 1, 4);
        const Tensor<T>&x = in[0], &wh = in[2];
        Tensor<T> h = in.has(4) ? in[4] : Tensor<T>(), u = matmul(x, in[1]);
        if (in.has(3)) u = std::move(u) + in[3];
        saved = {x, in[1], wh, h, Tensor<T>(u.shape())};
        for (Index t = 0; t < x.dim(1); ++t) {
            Tensor<T> u_t = entry(u, 1, t);
            if (h.defined()) u_t = std::move(u_t) + matmul(h, wh);
            h = tanh(std::move(u_t));
            set_entry(saved.h, 1, t, h);
        }
        return saved.h;
    }

    // h_t = tanh(u_t):          du_t = (1 - h_t²) * dh_t
    // u_{t+1} = .. + h_t wh:    dh_t = dy_t + du_{t+1} whᵀ
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const auto& [x, wx, wh, h0, h] = saved;
        const Recurrence<T> linear{x, wx, wh, h0, h};
        Tensor<T> du(h.shape()), du_t;
        for (Index t = x.dim(1) - 1; t >= 0; --t) {
            const Tensor<T> h_t = entry(h, 1, t);
            Tensor<T> dh_t = entry(dy, 1, t);
            if (du_t.defined()) dh_t = std::move(dh_t) + matmul(du_t, linear.turned);
            du_t = (1 - h_t * h_t) * dh_t;
            set_entry(du, 1, t, du_t);
        }
        linear.backward(du, dx);
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
