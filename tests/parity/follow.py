#!/usr/bin/python3
"""Repeats training runs of gradproof in PyTorch (float64) and keeps PyTorch's losses.

    tests/parity/follow.py build/release/gradproof              # prints the largest relative difference of each model
    tests/parity/follow.py build/release/gradproof --write      # and writes tests/parity/losses.json

The program exports first values, data, batches and rates with --trace; everything else is written here anew: the forward
pass in plain matrix products, PyTorch's own autograd, clipping and AdamW. Needs Debian's python3-torch and python3-numpy.
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

STEPS, EPOCHS, BATCH, SEED, SPREAD = 200, 6, 64, 7, 0.3
RATE, CLIP, WEIGHT_DECAY, HEADS = 3e-3, 1.0, 1.0, 4


def positions(length, width):
    angle = torch.arange(length, dtype=torch.float64)[:, None] / 10000 ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).reshape(length, width)


def heads_of(x, heads):
    b, t, c = x.shape
    return x.reshape(b, t, heads, c // heads).transpose(1, 2)


def attend(x, wq, wk, wv, heads):
    q, k, v = heads_of(x @ wq, heads), heads_of(x @ wk, heads), heads_of(x @ wv, heads)
    weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), dim=-1)
    return (weights @ v).transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)


def normalise(x, gain, bias):
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), gain, bias, 1e-5)


def scores(model, p, ids):
    x = p["embedding.weight"][ids] + positions(ids.shape[1], p["embedding.weight"].shape[1])
    if model == "single-head":
        y = attend(x, p["attention.wq"], p["attention.wk"], p["attention.wv"], 1)
    elif model == "multi-head":
        y = attend(x, p["attention.wq"], p["attention.wk"], p["attention.wv"], HEADS) @ p["attention.wo"]
    else:
        n = normalise(x, p["block.norm1.gain"], p["block.norm1.bias"])
        x = x + attend(n, *(p["block.attention.w" + w] for w in "qkv"), HEADS) @ p["block.attention.wo"]
        n = normalise(x, p["block.norm2.gain"], p["block.norm2.bias"])
        f = "block.feed_forward."
        hidden = torch.nn.functional.gelu(n @ p[f + "up.weight"] + p[f + "up.bias"])
        x = x + hidden @ p[f + "down.weight"] + p[f + "down.bias"]
        y = normalise(x, p["norm.gain"], p["norm.bias"])
    return y[:, 0] @ p["readout.weight"] + p["readout.bias"]


def loss_of(model, trace):
    tokens, answers = torch.tensor(trace["tokens"]), torch.tensor(trace["answers"])

    def loss(p, rows):
        rows = rows[rows >= 0]
        return torch.nn.functional.cross_entropy(scores(model, p, tokens[rows]), answers[rows])

    return loss


def main():
    program, write = sys.argv[1], "--write" in sys.argv[2:]
    golden = {"source": "PyTorch " + torch.__version__ + ", float64", "steps": STEPS, "batch": BATCH, "seed": SEED, "lr": RATE,
              "clip": CLIP, "weight_decay": WEIGHT_DECAY, "losses": {}}
    for model in ("single-head", "multi-head", "block"):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "trace.npz")
            subprocess.run([program, "train", "--model", model, "--dtype", "f64", "--epochs", str(EPOCHS), "--batch", str(BATCH), "--lr",
                            str(RATE), "--clip", str(CLIP), "--weight-decay", str(WEIGHT_DECAY), "--seed", str(SEED),
                            "--embedding-spread", str(SPREAD), "--out", os.path.join(folder, "run"), "--trace", file], check=True, stdout=subprocess.DEVNULL)
            trace = numpy.load(file)
            theirs = follow(trace, loss_of(model, trace), steps=STEPS, betas=(0.9, 0.999), weight_decay=WEIGHT_DECAY, clip=CLIP)
            ours = trace["losses"][:STEPS]
        worst = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
        print(f"{model:12} {STEPS} steps, loss {theirs[0]:.6f} -> {theirs[-1]:.6f}, largest relative difference {worst:.2e}")
        golden["losses"][model] = theirs
    if write:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "losses.json"), "w", encoding="utf-8") as out:
            json.dump(golden, out, indent=0)
            out.write("\n")


if __name__ == "__main__":
    main()
