// Long short-term memory over a whole sequence: forward, backward through time, samples, registration.
#include "gradproof/ops/lstm.hpp"

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
    };

    /// The gates of one step, [B, H] each, out of all of them side by side, [B, T, 4H].
    template <Scalar T>
    struct Gates {
        Tensor<T> i, f, g, o;
        static Tensor<T> apart(const Tensor<T>& all) { return all.reshape({all.dim(0), 4 * all.dim(1), all.dim(2) / 4}); }
        Gates(const Tensor<T>& all, Index t) {
            const Tensor<T> each = apart(all);
            i = entry(each, 1, 4 * t), f = entry(each, 1, 4 * t + 1), g = entry(each, 1, 4 * t + 2),
            o = entry(each, 1, 4 * t + 3);
        }
        void write(const Tensor<T>& all, Index t) const {
            Tensor<T> each = apart(all);  // shares the buffer
            set_entry(each, 1, 4 * t, i), set_entry(each, 1, 4 * t + 1, f);
            set_entry(each, 1, 4 * t + 2, g), set_entry(each, 1, 4 * t + 3, o);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        check_recurrent(info, in, 4, 5);
        const Tensor<T>&x = in[0], &wh = in[2];
        Tensor<T> h = in.has(4) ? in[4] : Tensor<T>(), c = in.has(5) ? in[5] : zeros<T>({x.dim(0), wh.dim(0)});
        Tensor<T> u = matmul(x, in[1]);
        if (in.has(3)) u = std::move(u) + in[3];
        const Shape states{x.dim(0), x.dim(1), wh.dim(0)};
        saved = {x, in[1], wh, h, c, Tensor<T>(u.shape()), Tensor<T>(states), Tensor<T>(states)};
        for (Index t = 0; t < x.dim(1); ++t) {
            Tensor<T> u_t = entry(u, 1, t);
            if (h.defined()) u_t = std::move(u_t) + matmul(h, wh);
            Gates<T> a(u_t.reshape({u_t.dim(0), 1, u_t.dim(1)}), 0);
            a.i = sigmoid(std::move(a.i)), a.f = sigmoid(std::move(a.f));
            a.g = tanh(std::move(a.g)), a.o = sigmoid(std::move(a.o));
            c = a.f * c + a.i * a.g;
            h = a.o * tanh(c);
            a.write(saved.gates, t);
            set_entry(saved.c, 1, t, c);
            set_entry(saved.h, 1, t, h);
        }
        return saved.h;
    }

    // u_{t+1} = .. + h_t wh:         dh = dy_t + du_{t+1} whᵀ
    // h = o * tanh(c):               do = dh * tanh(c),  dc += dh * o * (1 - tanh(c)²)
    // c = f * c_{t-1} + i * g:       di = dc * g,  df = dc * c_{t-1},  dg = dc * i,  dc_{t-1} = dc * f
    // i, f, o = s(u), g = tanh(u):   du = s (1 - s) d(i f o),  (1 - g²) dg
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Recurrence<T> linear{saved.x, saved.wx, saved.wh, saved.h0, saved.h};
        Tensor<T> du(saved.gates.shape()), du_t, dc = zeros_like(saved.c0);
        for (Index t = dy.dim(1) - 1; t >= 0; --t) {
            Tensor<T> dh = entry(dy, 1, t);
            if (du_t.defined()) dh = std::move(dh) + matmul(du_t, linear.turned);
            const Gates<T> a(saved.gates, t);
            const Tensor<T> before = t > 0 ? entry(saved.c, 1, t - 1) : saved.c0, th = tanh(entry(saved.c, 1, t));
            dc = dc + dh * a.o * (1 - th * th);
            Gates<T> d = a;
            d.i = dc * a.g * a.i * (1 - a.i);
            d.f = dc * before * a.f * (1 - a.f);
            d.g = dc * a.i * (1 - a.g * a.g);
            d.o = dh * th * a.o * (1 - a.o);
            dc = dc * a.f;
            d.write(du, t);
            du_t = entry(du, 1, t);
        }
        linear.backward(du, dx);
        if (dx.needs(5)) dx.add(5, dc);
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
