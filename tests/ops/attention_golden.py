#!/usr/bin/env python3
"""Prints the golden numbers of attention_test.cpp: attention composed from PyTorch's own steps, float64, differentiated by its autograd.

Inputs and cotangent are waves sin(phase + 0.9 i), so that both languages have them without a file; each result is
shown by its inner product with a wave of its own, which no permutation or sign error leaves unchanged.
"""
import math
import torch

NAMES = ["q", "k", "v", "mask", "past_key", "past_value"]


def wave(shape, phase):
    n = math.prod(shape)
    return torch.tensor([math.sin(phase + 0.9 * i) for i in range(n)], dtype=torch.float64).reshape(shape)


def attention(q, k, v, mask=None, past_key=None, past_value=None, scale=None, causal=False, softcap=0, left=-1, right=-1,
              q_heads=0, kv_heads=0, kv_len=None, bool_mask=None):
    packed = q.dim() == 3
    if packed:
        split = lambda x, heads: x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)
        q, k, v = split(q, q_heads), split(k, kv_heads), split(v, kv_heads)
    past = 0
    if past_key is not None:
        past = past_key.shape[2]
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    (batch, heads, length, size), keys = q.shape, k.shape[2]
    s = (size ** -0.5 if scale is None else scale) * q @ k.transpose(2, 3)
    if softcap > 0:
        s = softcap * torch.tanh(s / softcap)
    allowed = torch.ones(batch, heads, length, keys, dtype=torch.bool)
    if mask is not None:
        width = keys if mask.shape[-1] == 1 else mask.shape[-1]
        s = s + torch.nn.functional.pad(mask.expand(*mask.shape[:-1], width), (0, keys - width))
        allowed[..., width:] = False
    if bool_mask is not None:
        allowed = allowed & torch.tensor(bool_mask)
    i, j = torch.arange(length)[:, None], torch.arange(keys)[None, :]
    for b in range(batch):
        offset = past if kv_len is None else kv_len[b] - length
        if causal:
            allowed[b] &= j <= i + offset
        if left >= 0:
            allowed[b] &= j >= i + offset - left
        if right >= 0:
            allowed[b] &= j <= i + offset + right
        if kv_len is not None:
            allowed[b] &= j < kv_len[b]
    y = torch.softmax(s.masked_fill(~allowed, -math.inf), 3) @ v
    return y.transpose(1, 2).reshape(batch, length, -1) if packed else y


CASES = {
    "multi-head": ([(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7)], {}),
    "grouped": ([(2, 4, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6)], {"scale": 0.3}),
    "causal": ([(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 6)], {"causal": True}),
    "soft cap and mask": ([(2, 4, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6), (4, 3, 5)], {"softcap": 0.5, "scale": 1.5}),
    "short mask": ([(2, 4, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6), (2, 1, 1, 3)], {}),
    "causal past": ([(2, 4, 3, 4), (2, 2, 3, 4), (2, 2, 3, 6), None, (2, 2, 4, 4), (2, 2, 4, 6)], {"causal": True}),
    "lengths": ([(3, 2, 3, 4), (3, 1, 5, 4), (3, 1, 5, 6)], {"causal": True, "kv_len": [4, 5, 3]}),
    "window": ([(1, 2, 7, 4), (1, 2, 6, 4), (1, 2, 6, 5)], {"left": 2, "right": 1}),
    "everything": ([(2, 3, 12), (2, 5, 6), (2, 5, 10), (2, 1, 3, 6), (2, 2, 2, 3), (2, 2, 2, 5)],
                   {"scale": 0.7, "causal": True, "softcap": 3, "left": 4, "q_heads": 4, "kv_heads": 2,
                    "bool_mask": [True, True, True, False, True, True, True]}),
}


def run(shapes, attrs):
    x = [None if s is None else wave(s, 1 + i).requires_grad_() for i, s in enumerate(shapes)]
    y = attention(*x, **attrs)
    y.backward(wave(y.shape, 8))
    return x, y


def main():
    for name, (shapes, attrs) in CASES.items():
        x, y = run(shapes, attrs)
        numbers = [(y.detach() * wave(y.shape, 9)).sum().item()]
        numbers += [0.0 if t is None else (t.grad * wave(t.shape, 10 + i)).sum().item() for i, t in enumerate(x)]
        print(name, "{" + ", ".join("%.16g" % n for n in numbers) + "}")
    x, y = run([(1, 2, 2, 3), (1, 1, 4, 3), (1, 1, 4, 2), (2, 4)], {})
    for name, t in [("y", y.detach())] + [("d" + n, t.grad) for n, t in zip(NAMES, x)]:
        print(name, "{" + ", ".join("%.16g" % n for n in t.flatten().tolist()) + "}")


if __name__ == "__main__":
    main()
