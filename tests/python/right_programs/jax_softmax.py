# gradproof: dims n d; input x [n, d]; input w [d, d]
import jax
import jax.numpy as jnp
@jax.custom_vjp
def attend(x, w):
    return jax.nn.softmax(x @ w, axis=-1) * x
def attend_fwd(x, w):
    p = jax.nn.softmax(x @ w, axis=-1)
    return p * x, (x, w, p)
def attend_bwd(res, dy):
    x, w, p = res
    dp = dy * x
    ds = p * (dp - jnp.sum(dp * p, axis=-1, keepdims=True))
    dx = dy * p + ds @ w.T
    dw = x.T @ ds
    return dx, dw
attend.defvjp(attend_fwd, attend_bwd)
