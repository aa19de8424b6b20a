#!/usr/bin/env python3
"""Prints the golden numbers of recurrent_test.cpp and conv1d_test.cpp: PyTorch's own in float64, differentiated by its autograd.

Inputs and cotangent are waves sin(phase + 0.9 i) times a factor, so that both languages have them without a file; each result is shown
by its inner product with a wave of its own, which no permutation or sign error leaves unchanged.
"""
import math
import torch


def wave(shape, phase, factor=1.0):
    n = math.prod(shape)
    return (factor * torch.tensor([math.sin(phase + 0.9 * i) for i in range(n)], dtype=torch.float64)).reshape(shape)


def recurrent(gates, batch=2, steps=5, size=3, hidden=4):
    shapes = [(batch, steps, size), (size, gates * hidden), (hidden, gates * hidden), (gates * hidden,), (batch, hidden)]
    if gates == 4:
        shapes.append((batch, hidden))
    x = [wave(s, 1 + i, 0.7).requires_grad_() for i, s in enumerate(shapes)]
    weights = [x[1].t(), x[2].t(), x[3], torch.zeros_like(x[3])]
    run = torch._VF.lstm if gates == 4 else torch._VF.rnn_tanh  # what torch.nn.LSTM and torch.nn.RNN call
    state = [h.unsqueeze(0) for h in x[4:]]
    return x, run(x[0], state if gates == 4 else state[0], weights, True, 1, 0.0, True, False, True)[0]


def convolution(dilation, left, right):
    x, w, b = [wave(s, 1 + i).requires_grad_() for i, s in enumerate([(2, 7, 3), (3, 3, 4), (4,)])]
    padded = torch.nn.functional.pad(x.transpose(1, 2), (left, right))
    return [x, w, b], torch.nn.functional.conv1d(padded, w.permute(2, 1, 0), b, dilation=dilation).transpose(1, 2)


def main():
    for name, (x, y) in [("rnn", recurrent(1)), ("lstm", recurrent(4)), ("window of 3", convolution(1, 0, 0)),
                         ("padded and dilated", convolution(2, 3, 1))]:
        y.backward(wave(y.shape, 8))
        numbers = [(y.detach() * wave(y.shape, 9)).sum().item()]
        numbers += [(t.grad * wave(t.shape, 10 + i)).sum().item() for i, t in enumerate(x)]
        print(name, "{" + ", ".join("%.16g" % n for n in numbers) + "}")


if __name__ == "__main__":
    main()
