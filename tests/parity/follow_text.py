#!/usr/bin/python3
"""Repeats a training run of gradproof's language model in PyTorch (float64) and keeps PyTorch's losses.

    tests/parity/follow_text.py build/release/gradproof              # prints the largest relative difference
    tests/parity/follow_text.py build/release/gradproof --write      # and writes tests/parity/text_losses.json and follow_text.txt

First values, the windows of each step and the rates come from --trace; the forward pass is written here anew in plain matrix
products, gradients, clipping and AdamW are PyTorch's. Needs Debian's python3-torch and python3-numpy.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy
import torch

from steps import follow

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS, BATCH, SEED, RATE, WARMUP, CLIP, WEIGHT_DECAY = 100, 8, 7, 3e-3, 20, 1.0, 0.1
CONTEXT, LAYERS, HEADS, WIDTH = 24, 2, 4, 32


def sentences():
    lines = []
    for n in range(2, 260):
        factor = next(d for d in range(2, n + 1) if n % d == 0)
        lines.append(f"{n} is prime." if factor == n else f"{n} is {factor} times {n // factor}.")
    return "\n".join(lines) + "\n"


def normalise(x, p, name):
    return torch.nn.functional.layer_norm(x, (WIDTH,), p[name + ".gain"], p[name + ".bias"], 1e-5)


def attend(x, p, name):
    batch, length, _ = x.shape
    q, k, v = ((x @ p[f"{name}.w{w}"]).reshape(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2) for w in "qkv")
    scores = q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
    later = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    weights = torch.softmax(scores.masked_fill(later, -math.inf), dim=-1)
    return (weights @ v).transpose(1, 2).reshape(batch, length, WIDTH) @ p[name + ".wo"]


def loss_of(p, windows):
    ids, following = windows[:, :-1], windows[:, 1:]
    x = p["embedding.weight"][ids] + p["positions.weight"]
    for layer in range(LAYERS):
        block = f"blocks.{layer}."
        x = x + attend(normalise(x, p, block + "norm1"), p, block + "attention")
        hidden = normalise(x, p, block + "norm2") @ p[block + "feed_forward.up.weight"] + p[block + "feed_forward.up.bias"]
        x = x + torch.nn.functional.gelu(hidden) @ p[block + "feed_forward.down.weight"] + p[block + "feed_forward.down.bias"]
    scores = normalise(x, p, "norm") @ p["embedding.weight"].T
    return torch.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), following.reshape(-1))


def main():
    program, write = sys.argv[1], "--write" in sys.argv[2:]
    text = os.path.join(HERE, "follow_text.txt")
    if write:
        with open(text, "w", encoding="utf-8") as out:
            out.write(sentences())
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "trace.npz")
        options = {"data": text, "context": CONTEXT, "layers": LAYERS, "heads": HEADS, "width": WIDTH, "steps": STEPS, "decay-steps": 2 * STEPS,
                   "batch": BATCH, "seed": SEED, "lr": RATE, "warmup": WARMUP, "clip": CLIP, "weight-decay": WEIGHT_DECAY, "sample-tokens": 0,
                   "dtype": "f64", "out": os.path.join(folder, "run"), "trace": file}
        command = [program, "train", "--task", "text"] + [word for name, value in options.items() for word in ("--" + name, str(value))]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        trace = numpy.load(file)
        theirs = follow(trace, loss_of, steps=STEPS, betas=(0.9, 0.99), weight_decay=WEIGHT_DECAY, clip=CLIP)
        ours = trace["losses"]
    worst = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
    print(f"{STEPS} steps, loss {theirs[0]:.6f} -> {theirs[-1]:.6f}, largest relative difference {worst:.2e}")
    if write:
        golden = {"source": "PyTorch " + torch.__version__ + ", float64", "context": CONTEXT, "layers": LAYERS, "heads": HEADS, "width": WIDTH,
                  "batch": BATCH, "seed": SEED, "lr": RATE, "warmup": WARMUP, "decay_steps": 2 * STEPS, "clip": CLIP, "weight_decay": WEIGHT_DECAY, "losses": theirs}
        with open(os.path.join(HERE, "text_losses.json"), "w", encoding="utf-8") as out:
            json.dump(golden, out, indent=0)
            out.write("\n")


if __name__ == "__main__":
    main()
