// Long short-term memory over a whole sequence: forward, backward through time, samples, registration.
#include "gradproof/ops/lstm.hpp"

#include "gradproof/ops/activation_forms.hpp"
#include "gradproof/ops/recurrence.hpp"

namespace gradproof {
namespace {

struct Lstm {
    static constexpr OpInfo info{
        .name = "lstm",
        .inputs = "x wx wh b? h0? c0?",
        .forward =
            "u_t = x_t wx + h_{t-1} wh + b; i = s(u_i); f = s(u_f); g = tanh(u_g); o = s(u_o); c_t = f * c_{t-1} + i * g; "
            "h_t = o * tanh(c_t)",
        .backward =
            "dh_t = dy_t + du_{t+1} whᵀ; do = dh * tanh(c); dc_t = dh * o * (1 - tanh(c)²) + f_{t+1} * dc_{t+1}; di = dc * g; "
            "df = dc * c_{t-1}; dg = dc * i; du = slopes * d(i f g o); dx_t = du_t wxᵀ; dwx = Σ x_tᵀ du_t; dwh = Σ h_{t-1}ᵀ "
            "du_t; "
            "db = Σ du_t; dh0 = du_1 whᵀ; dc0 = f_1 * dc_1",
        .saves = "x wx wh h0 c0 gates c h",
        .source = "Hochreiter and Schmidhuber 1997; Gers et al. 2000",
    };
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, wx, wh, h0, c0, gates, c, h;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("wx", s.wx);
            f("wh", s.wh);
            f("h0", s.h0);
            f("c0", s.c0);
            f("gates", s.gates);
            f("c", s.c);
            f("h", s.h);
        }
    };

    /// One step of one entry: u [4H] becomes the gates, before and c the cells; before may be null.
    template <Scalar T>
    static void cell(T* u, const T* before, T* c, T* h, Index H, bool fast) {
        const T *i = u, *f = u + H, *g = u + 2 * H, *o = u + 3 * H;
        forms::apply<forms::Sigmoid>(u, u, 2 * H, fast);
        forms::apply<forms::Tanh>(g, u + 2 * H, H, fast);
        forms::apply<forms::Sigmoid>(o, u + 3 * H, H, fast);
        for (Index k = 0; k < H; ++k) c[k] = (before ? f[k] * before[k] : T(0)) + i[k] * g[k];
        forms::apply<forms::Tanh>(c, h, H, fast);
        for (Index k = 0; k < H; ++k) h[k] *= o[k];
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        const RecurrentSizes n = recurrent_sizes(info, in, 4, 5);
        const Shape shape{n.batch, n.steps, n.hidden};
        const auto optional = [&](int i) { return in.has(i) ? in[i] : Tensor<T>(); };
        saved = {
            in[0],           in[1], in[2], optional(4), optional(5), Tensor<T>({n.batch, n.steps, n.width}), Tensor<T>(shape),
            Tensor<T>(shape)};
        const T *bias = in.has(3) ? in[3].data() : nullptr, *c0 = in.has(5) ? in[5].data() : nullptr;
        const bool fast = use_kernels<T>();
        T *u = saved.gates.data(), *c = saved.c.data(), *h = saved.h.data();
        parallel_for(n.batch, n.grain(), [&](Index begin, Index end) {
            recurrent_input(n, begin, end, saved.x, saved.wx, bias, u, fast);
            for (Index t = 0; t < n.steps; ++t) {
                recurrent_step(n, begin, end, t, h, saved.h0, saved.wh, u, fast);
                for (Index b = begin; b < end; ++b) {
                    const Index row = b * n.steps + t, at = row * n.hidden;
                    const T* before = t > 0 ? c + at - n.hidden : c0 ? c0 + b * n.hidden : nullptr;
                    cell(u + row * n.width, before, c + at, h + at, n.hidden, fast);
                }
            }
        });
        return saved.h;
    }

    /// One step of one entry, backward: dc holds what the step after sends to c and then what is sent to the step before.
    template <Scalar T>
    static void cell_backward(const T* gates, const T* before, const T* c, const T* dh, T* dc, T* du, Index H, bool fast) {
        const T *i = gates, *f = gates + H, *g = gates + 2 * H, *o = gates + 3 * H;
        forms::apply<forms::Tanh>(c, du + 3 * H, H, fast);  // read below just before du_o takes its place
        for (Index k = 0; k < H; ++k) {
            const T squashed = du[3 * H + k];
            // h = o tanh(c)
            const T out = dh[k] * squashed, kept = dc[k] + dh[k] * o[k] * (T(1) - squashed * squashed);
            // c = f c_{t-1} + i g, and the slopes s (1 - s) and 1 - g²
            du[k] = kept * g[k] * i[k] * (T(1) - i[k]);
            du[H + k] = before ? kept * before[k] * f[k] * (T(1) - f[k]) : T(0);
            du[2 * H + k] = kept * i[k] * (T(1) - g[k] * g[k]);
            du[3 * H + k] = out * o[k] * (T(1) - o[k]);
            dc[k] = kept * f[k];
        }
    }

    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const RecurrentSizes n{s.x.dim(0), s.x.dim(1), s.x.dim(2), s.wh.dim(0), s.wh.dim(1)};
        const Index H = n.hidden;
        Tensor<T> made({n.batch, n.steps, n.width}), dh({n.batch, H}), dc({n.batch, H}, T(0));
        T *du = made.data(), *dhs = dh.data(), *dcs = dc.data();
        const T* c0 = s.c0.defined() ? s.c0.data() : nullptr;
        const Tensor<T> turned = recurrent_transposed(s.wh);
        const bool fast = use_kernels<T>();
        parallel_for(n.batch, n.grain(), [&](Index begin, Index end) {
            for (Index t = n.steps - 1; t >= 0; --t) {
                for (Index b = begin; b < end; ++b) std::copy_n(dy.data() + (b * n.steps + t) * H, H, dhs + b * H);
                // u_{t+1} = .. + h_t wh:  dh_t = dy_t + du_{t+1} whᵀ
                if (t + 1 < n.steps) recurrent_step_backward(n, begin, end, t + 1, du, turned, T(1), dhs + begin * H, H, fast);
                for (Index b = begin; b < end; ++b) {
                    const Index row = b * n.steps + t;
                    const T* before = t > 0 ? s.c.data() + (row - 1) * H : c0 ? c0 + b * H : nullptr;
                    cell_backward(s.gates.data() + row * n.width, before, s.c.data() + row * H, dhs + b * H, dcs + b * H,
                                  du + row * n.width, H, fast);
                }
            }
        });
        recurrent_gradients(n, s.x, s.wx, turned, s.h0, s.h, made, dx);
        if (dx.needs(5)) dx.add(5, std::move(dc));
    }

    static std::vector<Sample<Lstm>> samples() {
        return {
            {"bias and states", {}, {{2, 4, 3}, {3, 8}, {2, 8}, {8}, {2, 2}, {2, 2}}},
            {"no bias, no states", {}, {{3, 3, 2}, {2, 12}, {3, 12}}},
            {"cell, no state", {}, {{2, 3, 2}, {2, 8}, {2, 8}, {8}, Arg::absent(), {2, 2}}},
            {"state, no cell", {}, {{2, 3, 2}, {2, 8}, {2, 8}, Arg::absent(), {2, 2}}},
            {"one step", {}, {{2, 1, 3}, {3, 8}, {2, 8}, {8}, {2, 2}, {2, 2}}},
            {"one unit", {}, {{1, 6, 1}, {1, 4}, {1, 4}, {4}}},
            {"more entries than a task takes", {}, {{9, 2, 1}, {1, 4}, {1, 4}, {4}}},
            {"no steps", {}, {{2, 0, 3}, {3, 8}, {2, 8}, {8}, {2, 2}, {2, 2}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Lstm>> error_samples() {
        return {
            {"two inputs", {}, {{2, 4, 3}, {3, 8}}, "lstm: takes 3 to 6 inputs"},
            {"no x", {}, {Arg::absent(), {3, 8}, {2, 8}}, "lstm: x, wx and wh are all needed: input 0 is undefined"},
            {"rank 2", {}, {{4, 3}, {3, 8}, {2, 8}}, "lstm: x must be [B, T, I]: x is [4, 3]"},
            {"three gates", {}, {{2, 4, 3}, {3, 6}, {2, 6}}, "lstm: wh must be [H, 4H]: wh is [2, 6]"},
            {"wx of another width", {}, {{2, 4, 3}, {3, 4}, {2, 8}}, "lstm: wx must be [3, 8]: wx is [3, 4]"},
            {"bias", {}, {{2, 4, 3}, {3, 8}, {2, 8}, {2}}, "lstm: b must be [8]: b is [2]"},
            {"state", {}, {{2, 4, 3}, {3, 8}, {2, 8}, {8}, {2, 3}}, "lstm: a state must be [2, 2]: input 4 is [2, 3]"},
            {"cell", {}, {{2, 4, 3}, {3, 8}, {2, 8}, {8}, {2, 2}, {1, 2}}, "lstm: a state must be [2, 2]: input 5 is [1, 2]"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Lstm);

template <Operand X>
X lstm(const X& x, const X& wx, const X& wh, const LstmOptional<X>& with) {
    return call<Lstm, typename X::value_type>({}, {&x, &wx, &wh, &with.bias, &with.state, &with.cell});
}
#define GRADPROOF_LSTM(X) template X lstm(const X&, const X&, const X&, const LstmOptional<X>&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_LSTM)
#undef GRADPROOF_LSTM

}  // namespace gradproof
