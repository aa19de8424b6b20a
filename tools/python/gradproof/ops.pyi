"""Every op of the engine. Written by tools/python/make_stubs."""

from typing import Any

from numpy.typing import ArrayLike

from .tensor import Tensor

def abs(x: Tensor | ArrayLike) -> Tensor:
    """y = |x|

    backward  dx = sign(x) dy
    saves     x
    source    elementary calculus
    """
    ...

def add(a: Tensor | ArrayLike, b: Tensor | ArrayLike) -> Tensor:
    """y = a + b

    backward  da = dy; db = dy
    source    elementary calculus
    """
    ...

def additive_attention(q: Tensor | ArrayLike, k: Tensor | ArrayLike, v: Tensor | ArrayLike, a: Tensor | ArrayLike, *, causal: Any = ...) -> Tensor:
    """u_ij = tanh(q_i + k_j); s_ij = a·u_ij; w = softmax(s); y = w v

    backward  dv = wᵀ dy; dw = dy vᵀ; ds = w * (dw - rowsum(dw * w)); da = Σ ds_ij u_ij; dh_ij = ds_ij a * (1 - u_ij²); dq_i = Σ_j dh_ij; dk_j = Σ_i dh_ij
    attrs     causal=false
    saves     q k v a
    source    Bahdanau et al. 2015
    """
    ...

def alibi(slopes: Tensor | ArrayLike, *, queries: Any = ..., keys: Any = ..., offset: Any = ...) -> Tensor:
    """y[h,i,j] = -slopes[h] |i + offset - j|

    backward  dslopes[h] = -Σ_ij dy[h,i,j] |i + offset - j|
    attrs     queries=0, keys=0, offset=0
    source    Press et al. 2022
    """
    ...

def attention(q: Tensor | ArrayLike, k: Tensor | ArrayLike, v: Tensor | ArrayLike, mask: Tensor | ArrayLike | None = ..., past_key: Tensor | ArrayLike | None = ..., past_value: Tensor | ArrayLike | None = ..., *, scale: Any = ..., causal: Any = ..., softcap: Any = ..., window_left: Any = ..., window_right: Any = ..., q_heads: Any = ..., kv_heads: Any = ..., kv_len: Any = ..., bool_mask: Any = ..., kernel: Any = ...) -> Tensor:
    """s = scale q kᵀ; s = c tanh(s/c); s = s + mask; w = softmax(s); y = w v

    backward  dv = wᵀ dy; dw = dy vᵀ; ds = w * (dw - rowsum(dw * w)); dmask = ds; ds = ds * (1 - (s/c)²); dq = scale ds k; dk = scale dsᵀ q
    attrs     scale=none, causal=false, softcap=0, window_left=-1, window_right=-1, q_heads=0, kv_heads=0, kv_len=none, bool_mask=none, kernel=auto
    saves     q k v mask past_key past_value weights
    source    Vaswani et al. 2017; backward Dao et al. 2022 app. B
    """
    ...

def bilinear_attention(q: Tensor | ArrayLike, k: Tensor | ArrayLike, v: Tensor | ArrayLike, w: Tensor | ArrayLike, *, scale: Any = ..., causal: Any = ...) -> Tensor:
    """r = q w; s = scale r kᵀ; p = softmax(s); y = p v

    backward  dv = pᵀ dy; dp = dy vᵀ; ds = p * (dp - rowsum(dp * p)); dr = scale ds k; dk = scale dsᵀ r; dq = dr wᵀ; dw = qᵀ dr
    attrs     scale=1, causal=false
    saves     q k v w r p
    source    Luong et al. 2015
    """
    ...

def concat(x: Tensor | ArrayLike, *, axis: Any = ...) -> Tensor:
    """y[..., offset_i + j, ...] = x_i[..., j, ...]

    backward  dx_i[..., j, ...] = dy[..., offset_i + j, ...]
    attrs     axis=0
    saves     count
    source    numpy.concatenate
    """
    ...

def conv1d(x: Tensor | ArrayLike, w: Tensor | ArrayLike, b: Tensor | ArrayLike | None = ..., *, dilation: Any = ..., padding: Any = ..., left: Any = ..., right: Any = ...) -> Tensor:
    """y_t = Σ_k x_{t + k dilation - left} w_k + b

    backward  dx_s = Σ_k dy_{s - k dilation + left} w_kᵀ; dw_k = Σ_t x_{t + k dilation - left}ᵀ dy_t; db = Σ_t dy_t
    attrs     dilation=1, padding=given, left=0, right=0
    saves     x w
    source    LeCun et al. 1989; Waibel et al. 1989
    """
    ...

def cos(x: Tensor | ArrayLike) -> Tensor:
    """y = cos(x)

    backward  dx = -sin(x) dy
    saves     x
    source    elementary calculus
    """
    ...

def cross_entropy(scores: Tensor | ArrayLike, targets: Tensor | ArrayLike | None = ..., *, ids: Any = ..., ignore_index: Any = ..., reduction: Any = ...) -> Tensor:
    """y = mean(sum(targets * (log(sum(exp(scores))) - scores))); targets = onehot(ids) where ids are given

    backward  dscores = (softmax(scores) * sum(targets) - targets) dy/N; dtargets = (log(sum(exp(scores))) - scores) dy/N
    attrs     ids=none, ignore_index=none, reduction=mean
    saves     scores max sum targets
    source    Good 1952
    """
    ...

def cumprod(x: Tensor | ArrayLike, *, axis: Any = ...) -> Tensor:
    """y[i] = Π_{j ≤ i} x[j]

    backward  dx[i] = y[i-1] s[i], s[i] = dy[i] + x[i+1] s[i+1]
    attrs     axis=-1
    saves     x y
    source    numpy.cumprod
    """
    ...

def cumsum(x: Tensor | ArrayLike, *, axis: Any = ...) -> Tensor:
    """y[i] = Σ_{j ≤ i} x[j]

    backward  dx[i] = Σ_{j ≥ i} dy[j]
    attrs     axis=-1
    source    numpy.cumsum
    """
    ...

def det(x: Tensor | ArrayLike) -> Tensor:
    """y = det x

    backward  dx = dy y x⁻ᵀ
    saves     x y
    source    Giles 2008, section 2.2.4
    """
    ...

def div(a: Tensor | ArrayLike, b: Tensor | ArrayLike) -> Tensor:
    """y = a / b

    backward  da = dy / b; db = -y dy / b
    saves     b y
    source    elementary calculus
    """
    ...

def dropout(x: Tensor | ArrayLike, *, mask: Any = ..., p: Any = ...) -> Tensor:
    """y = mask ? x/(1-p) : 0

    backward  dx = mask ? dy/(1-p) : 0
    attrs     mask=none, p=0.5
    source    Srivastava et al. 2014, scaled at training time
    """
    ...

def erf(x: Tensor | ArrayLike) -> Tensor:
    """y = erf(x)

    backward  dx = 2 / sqrt(pi) exp(-x^2) dy
    saves     x
    source    Abramowitz and Stegun 1964, 7.1.1
    """
    ...

def exp(x: Tensor | ArrayLike) -> Tensor:
    """y = exp(x)

    backward  dx = y dy
    saves     y
    source    elementary calculus
    """
    ...

def gather(table: Tensor | ArrayLike, *, ids: Any = ...) -> Tensor:
    """y[i..., :] = table[ids[i...], :]

    backward  dtable[v, :] = sum of dy[i..., :] where ids[i...] = v
    attrs     ids=none
    source    Bengio et al. 2003, section 2
    """
    ...

def gelu(x: Tensor | ArrayLike, *, form: Any = ...) -> Tensor:
    """y = x P(x), or x (1 + tanh(u)) / 2

    backward  dx = (P(x) + x p(x)) dy, or (1 + t + x (1 - t^2) u') / 2 dy, t = tanh(u)
    attrs     form=exact
    saves     x
    source    Hendrycks and Gimpel 2016
    """
    ...

def hard_attention(v: Tensor | ArrayLike, *, chosen: Any = ...) -> Tensor:
    """y_i = v_c(i), c(i) the key of the largest q_i·k_j

    backward  dv_j = Σ_i δ[c(i), j] dy_i; the choice takes no gradient: dq = dk = 0
    attrs     chosen=none
    source    the limit of Vaswani et al. 2017 eq. 1 as the scale grows
    """
    ...

def inverse(x: Tensor | ArrayLike) -> Tensor:
    """y = x⁻¹

    backward  dx = -yᵀ dy yᵀ
    saves     y
    source    Giles 2008, section 2.2.3
    """
    ...

def layer_norm(x: Tensor | ArrayLike, gain: Tensor | ArrayLike | None = ..., bias: Tensor | ArrayLike | None = ..., *, eps: Any = ...) -> Tensor:
    """xhat = (x - mean(x)) * rstd; rstd = 1/sqrt(var(x) + eps); y = xhat * gain + bias

    backward  dxhat = dy * gain; dx = rstd * (dxhat - mean(dxhat) - xhat * mean(dxhat * xhat)); dgain = sum(dy * xhat); dbias = sum(dy)
    attrs     eps=1e-05
    saves     xhat rstd gain
    source    Ba et al. 2016
    """
    ...

def linear(x: Tensor | ArrayLike, w: Tensor | ArrayLike, b: Tensor | ArrayLike | None = ..., *, activation: Any = ...) -> Tensor:
    """u = x w + b; y = f(u)

    backward  du = f'(u) dy; dx = du wᵀ; dw = xᵀ du; db = sum of du over rows
    attrs     activation=none
    saves     x w u y
    source    Giles 2008, section 2.2.1
    """
    ...

def linear_attention(q: Tensor | ArrayLike, k: Tensor | ArrayLike, v: Tensor | ArrayLike, *, causal: Any = ...) -> Tensor:
    """p = elu + 1; m_i = Σ_j p(k_j)ᵀ v_j; u_i = Σ_j p(k_j); z_i = p(q_i)·u_i; y_i = p(q_i) m_i / z_i

    backward  dn = dy / z; dz = -(dy·y) / z; dp(q) = dn mᵀ + dz u; dm_j = Σ_i p(q_i)ᵀ dn_i; dv_j = p(k_j) dm_j; dp(k_j) = v_j dm_jᵀ + Σ_i dz_i p(q_i); dx = min(p(x), 1) * dp(x)
    attrs     causal=false
    saves     q k v y z
    source    Katharopoulos et al. 2020
    """
    ...

def log(x: Tensor | ArrayLike) -> Tensor:
    """y = log(x)

    backward  dx = dy / x
    saves     x
    source    elementary calculus
    """
    ...

def log_softmax(x: Tensor | ArrayLike, *, axis: Any = ..., temperature: Any = ...) -> Tensor:
    """y = (x - max(x))/t - log(sum(exp((x - max(x))/t)))

    backward  dx = (dy - exp(y) * sum(dy)) / t
    attrs     axis=-1, temperature=1
    saves     y
    source    Bridle 1990
    """
    ...

def logdet(x: Tensor | ArrayLike) -> Tensor:
    """y = log |det x|

    backward  dx = dy x⁻ᵀ
    saves     x
    source    Giles 2008, section 2.2.4
    """
    ...

def logsumexp(x: Tensor | ArrayLike, *, axes: Any = ..., keep_dims: Any = ...) -> Tensor:
    """y = m + log(s), s = sum(exp(x - m)), m = max(x)

    backward  dx = exp(x - m) / s dy
    attrs     axes=[], keep_dims=false
    saves     x m s
    source    Blanchard, Higham and Higham 2021
    """
    ...

def lstm(x: Tensor | ArrayLike, wx: Tensor | ArrayLike, wh: Tensor | ArrayLike, b: Tensor | ArrayLike | None = ..., h0: Tensor | ArrayLike | None = ..., c0: Tensor | ArrayLike | None = ...) -> Tensor:
    """u_t = x_t wx + h_{t-1} wh + b; i = s(u_i); f = s(u_f); g = tanh(u_g); o = s(u_o); c_t = f * c_{t-1} + i * g; h_t = o * tanh(c_t)

    backward  dh_t = dy_t + du_{t+1} whᵀ; do = dh * tanh(c); dc_t = dh * o * (1 - tanh(c)²) + f_{t+1} * dc_{t+1}; di = dc * g; df = dc * c_{t-1}; dg = dc * i; du = slopes * d(i f g o); dx_t = du_t wxᵀ; dwx = Σ x_tᵀ du_t; dwh = Σ h_{t-1}ᵀ du_t; db = Σ du_t; dh0 = du_1 whᵀ; dc0 = f_1 * dc_1
    saves     x wx wh h0 c0 gates c h
    source    Hochreiter and Schmidhuber 1997; Gers et al. 2000
    """
    ...

def masked_fill(x: Tensor | ArrayLike, *, mask: Any = ..., value: Any = ...) -> Tensor:
    """y = mask ? value : x

    backward  dx = mask ? 0 : dy
    attrs     mask=none, value=0
    source    elementary
    """
    ...

def matmul(a: Tensor | ArrayLike, b: Tensor | ArrayLike, *, transpose_a: Any = ..., transpose_b: Any = ...) -> Tensor:
    """y = a b

    backward  da = dy bᵀ; db = aᵀ dy
    attrs     transpose_a=false, transpose_b=false
    saves     a b
    source    Giles 2008, section 2.2.1
    """
    ...

def max(x: Tensor | ArrayLike, *, axes: Any = ..., keep_dims: Any = ...) -> Tensor:
    """y = max(x)

    backward  dx = dy / ties where x = y, else 0
    attrs     axes=[], keep_dims=false
    saves     x y
    source    subgradient of the maximum
    """
    ...

def mean(x: Tensor | ArrayLike, *, axes: Any = ..., keep_dims: Any = ...) -> Tensor:
    """y = sum(x) / n

    backward  dx = dy / n
    attrs     axes=[], keep_dims=false
    source    elementary calculus; Higham 1993
    """
    ...

def mse(x: Tensor | ArrayLike, target: Tensor | ArrayLike, *, reduction: Any = ...) -> Tensor:
    """y = mean((x - target)^2)

    backward  dx = 2 (x - target) dy/N; dtarget = -dx
    attrs     reduction=mean
    saves     diff
    source    Legendre 1805
    """
    ...

def mul(a: Tensor | ArrayLike, b: Tensor | ArrayLike) -> Tensor:
    """y = a b

    backward  da = b dy; db = a dy
    saves     a b
    source    elementary calculus
    """
    ...

def neg(x: Tensor | ArrayLike) -> Tensor:
    """y = -x

    backward  dx = -dy
    source    elementary calculus
    """
    ...

def pow(x: Tensor | ArrayLike, *, exponent: Any = ...) -> Tensor:
    """y = x^p

    backward  dx = p x^(p-1) dy, 0 for p = 0
    attrs     exponent=2
    saves     x
    source    elementary calculus
    """
    ...

def relative_attention(q: Tensor | ArrayLike, k: Tensor | ArrayLike, v: Tensor | ArrayLike, rk: Tensor | ArrayLike, rv: Tensor | ArrayLike, *, scale: Any = ..., causal: Any = ...) -> Tensor:
    """p = clip(j - i, -c, c) + c; s_ij = scale q_i·(k_j + rk_p); w = softmax(s); y_i = Σ_j w_ij (v_j + rv_p)

    backward  dw_ij = dy_i·(v_j + rv_p); dv = wᵀ dy; drv_p = Σ w_ij dy_i; ds = w * (dw - rowsum(dw * w)); dq_i = scale Σ_j ds_ij (k_j + rk_p); dk = scale dsᵀ q; drk_p = scale Σ ds_ij q_i
    attrs     scale=none, causal=false
    saves     q k v rk rv weights
    source    Shaw et al. 2018
    """
    ...

def relu(x: Tensor | ArrayLike) -> Tensor:
    """y = max(x, 0)

    backward  dx = dy where y > 0, else 0
    saves     y
    source    Nair and Hinton 2010
    """
    ...

def reshape(x: Tensor | ArrayLike, *, shape: Any = ...) -> Tensor:
    """y = x as shape

    backward  dx = dy as the shape of x
    attrs     shape=[]
    source    numpy.reshape
    """
    ...

def rms_norm(x: Tensor | ArrayLike, gain: Tensor | ArrayLike | None = ..., *, eps: Any = ...) -> Tensor:
    """xhat = x * rrms; rrms = 1/sqrt(mean(x^2) + eps); y = xhat * gain

    backward  dxhat = dy * gain; dx = rrms * (dxhat - xhat * mean(dxhat * xhat)); dgain = sum(dy * xhat)
    attrs     eps=1e-05
    saves     x rrms gain
    source    Zhang and Sennrich 2019
    """
    ...

def rnn(x: Tensor | ArrayLike, wx: Tensor | ArrayLike, wh: Tensor | ArrayLike, b: Tensor | ArrayLike | None = ..., h0: Tensor | ArrayLike | None = ...) -> Tensor:
    """h_t = tanh(x_t wx + h_{t-1} wh + b)

    backward  du_t = (1 - h_t²) * (dh_t + du_{t+1} whᵀ); dx_t = du_t wxᵀ; dwx = Σ x_tᵀ du_t; dwh = Σ h_{t-1}ᵀ du_t; db = Σ du_t; dh0 = du_1 whᵀ
    saves     x wx wh h0 h
    source    Elman 1990; Werbos 1990
    """
    ...

def rotary(x: Tensor | ArrayLike, *, base: Any = ..., offset: Any = ..., pairs: Any = ..., heads: Any = ...) -> Tensor:
    """angle = (offset + t) base^(-2p/D); (y_a, y_b) = (x_a cos - x_b sin, x_a sin + x_b cos) for the pairs p = (a, b)

    backward  (dx_a, dx_b) = (dy_a cos + dy_b sin, -dy_a sin + dy_b cos)
    attrs     base=10000, offset=0, pairs=interleaved, heads=1
    source    Su et al. 2021
    """
    ...

def scale(x: Tensor | ArrayLike, *, factor: Any = ...) -> Tensor:
    """y = factor x

    backward  dx = factor dy
    attrs     factor=1
    source    elementary calculus
    """
    ...

def sigmoid(x: Tensor | ArrayLike) -> Tensor:
    """y = 1 / (1 + exp(-x))

    backward  dx = y (1 - y) dy
    saves     y
    source    elementary calculus
    """
    ...

def sigmoid_attention(q: Tensor | ArrayLike, k: Tensor | ArrayLike, v: Tensor | ArrayLike, *, scale: Any = ..., bias: Any = ..., causal: Any = ...) -> Tensor:
    """s = scale q kᵀ + bias; w = 1 / (1 + exp(-s)); y = w v

    backward  dv = wᵀ dy; dw = dy vᵀ; ds = w * (1 - w) * dw; dq = scale ds k; dk = scale dsᵀ q
    attrs     scale=none, bias=none, causal=false
    saves     q k v weights
    source    Ramapuram et al. 2024
    """
    ...

def silu(x: Tensor | ArrayLike) -> Tensor:
    """y = x s, s = 1 / (1 + exp(-x))

    backward  dx = s (1 + x (1 - s)) dy
    saves     x
    source    Elfwing et al. 2017
    """
    ...

def sin(x: Tensor | ArrayLike) -> Tensor:
    """y = sin(x)

    backward  dx = cos(x) dy
    saves     x
    source    elementary calculus
    """
    ...

def slice(x: Tensor | ArrayLike, *, axis: Any = ..., start: Any = ..., stop: Any = ..., step: Any = ...) -> Tensor:
    """y[..., i, ...] = x[..., start + step i, ...]

    backward  dx[..., start + step i, ...] = dy[..., i, ...], 0 elsewhere
    attrs     axis=0, start=0, stop=none, step=1
    source    NumPy basic indexing
    """
    ...

def softmax(x: Tensor | ArrayLike, *, axis: Any = ..., temperature: Any = ...) -> Tensor:
    """y = exp(x/t - max(x/t)) / sum(exp(x/t - max(x/t)))

    backward  dx = y * (dy - sum(dy * y)) / t
    attrs     axis=-1, temperature=1
    saves     y
    source    Bridle 1990
    """
    ...

def softplus(x: Tensor | ArrayLike) -> Tensor:
    """y = log(1 + exp(x))

    backward  dx = (1 - exp(-y)) dy
    saves     y
    source    Dugas et al. 2001
    """
    ...

def sqrt(x: Tensor | ArrayLike) -> Tensor:
    """y = sqrt(x)

    backward  dx = dy / (2 y)
    saves     y
    source    elementary calculus
    """
    ...

def stack(x: Tensor | ArrayLike, *, axis: Any = ...) -> Tensor:
    """y[..., i, ...] = x_i

    backward  dx_i = dy[..., i, ...]
    attrs     axis=0
    source    numpy.stack
    """
    ...

def sub(a: Tensor | ArrayLike, b: Tensor | ArrayLike) -> Tensor:
    """y = a - b

    backward  da = dy; db = -dy
    source    elementary calculus
    """
    ...

def sum(x: Tensor | ArrayLike, *, axes: Any = ..., keep_dims: Any = ...) -> Tensor:
    """y = sum(x)

    backward  dx = dy
    attrs     axes=[], keep_dims=false
    source    elementary calculus; Higham 1993
    """
    ...

def tanh(x: Tensor | ArrayLike) -> Tensor:
    """y = tanh(x)

    backward  dx = (1 - y^2) dy
    saves     y
    source    elementary calculus
    """
    ...

def transpose(x: Tensor | ArrayLike, *, perm: Any = ...) -> Tensor:
    """y[i[perm[0]], i[perm[1]], ...] = x[i[0], i[1], ...]

    backward  dx = dy with the axes put back
    attrs     perm=[]
    source    numpy.transpose
    """
    ...

def var(x: Tensor | ArrayLike, *, axes: Any = ..., keep_dims: Any = ..., correction: Any = ...) -> Tensor:
    """y = sum((x - m)^2) / (n - correction), m = mean(x)

    backward  dx = 2 (x - m) / (n - correction) dy
    attrs     axes=[], keep_dims=false, correction=0
    saves     x m
    source    Chan, Golub and LeVeque 1983
    """
    ...

def where(a: Tensor | ArrayLike, b: Tensor | ArrayLike, *, mask: Any = ...) -> Tensor:
    """y = mask ? a : b

    backward  da = mask ? dy : 0; db = mask ? 0 : dy
    attrs     mask=none
    source    numpy.where
    """
    ...
