#!/usr/bin/python3
"""The same work in PyTorch: prints lines `"name",nanoseconds` for tools/bench/run to set beside ours.

usage: torch_peer.py [--seconds S] [--only PATTERN] [--threads N]
       S: time spent on each line, 0.3 by default; a pattern after "-" leaves out
       N: one thread and its processor time by default; with two, what is named so, and the time on the clock
"""
import argparse
import math
import re
import statistics
import sys
import time

try:
    import torch
except ImportError:
    print("torch is not installed: skipped", file=sys.stderr)
    sys.exit(3)

F = torch.nn.functional


def measure(name, make, options):
    leave_out = options.only.startswith("-")
    if bool(re.search(options.only.lstrip("-"), name)) == leave_out or ("2_threads" in name) != (options.threads == 2):
        return
    clock = time.process_time if options.threads == 1 else time.perf_counter
    body, seconds = make(), options.seconds
    start = time.perf_counter()
    body()
    slow = time.perf_counter() - start > seconds
    for _ in range(0 if slow else 2):
        body()
    times, end = [], time.perf_counter() + seconds
    while len(times) < (2 if slow else 5) or time.perf_counter() < end:
        start = clock()
        body()
        times.append(clock() - start)
    print(f'"{name}",{statistics.median(times) * 1e9:.1f}', flush=True)


def tape_chain():
    x = torch.randn(4, 4, requires_grad=True)

    def body():
        x.grad = None
        y = x
        for _ in range(100):
            y = torch.tanh(y * 1.01)
        y.sum().backward()

    return body


class Block(torch.nn.Module):
    """The block model of nn/models.hpp: embedding + sinusoidal positions, one pre-norm block, a norm, a readout."""

    def __init__(self, channels=64, heads=4, hidden=128, vocabulary=20, length=8, answers=10):
        super().__init__()
        nn = torch.nn
        self.heads = heads
        self.embedding = nn.Embedding(vocabulary, channels)
        position = torch.arange(length)[:, None] * torch.pow(10000.0, -torch.arange(0, channels, 2) / channels)[None]
        self.register_buffer("positions", torch.stack([position.sin(), position.cos()], -1).reshape(length, channels))
        self.norm1, self.norm2, self.norm = (nn.LayerNorm(channels) for _ in range(3))
        self.qkv = nn.Linear(channels, 3 * channels, bias=False)  # one product for all three: PyTorch's best case
        self.out = nn.Linear(channels, channels, bias=False)
        self.up, self.down = nn.Linear(channels, hidden), nn.Linear(hidden, channels)
        self.readout = nn.Linear(channels, answers)

    def forward(self, ids):
        x = self.embedding(ids) + self.positions
        b, t, c = x.shape
        d = c // self.heads
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, d).permute(2, 0, 3, 1, 4)
        w = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(d), -1)
        x = x + self.out((w @ v).transpose(1, 2).reshape(b, t, c))
        x = x + self.down(F.gelu(self.up(self.norm2(x))))
        return self.readout(self.norm(x[:, 0]))


def train_step(batch):
    torch.manual_seed(0)
    model = Block()
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)
    ids, answers = torch.randint(0, 20, (batch, 8)), torch.randint(0, 10, (batch,))

    def body():
        optimiser.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(ids), answers)
        loss.backward()
        optimiser.step()
        return loss.item()

    return body


class LanguageModel(torch.nn.Module):
    """The model of nn/language_model.hpp: a tied readout, learned positions, causal pre-norm blocks."""

    def __init__(self, vocabulary=73, context=128, layers=5, heads=4, channels=128):
        super().__init__()
        nn = torch.nn
        self.heads = heads
        self.embedding, self.positions = nn.Embedding(vocabulary, channels), nn.Parameter(0.02 * torch.randn(context, channels))
        torch.nn.init.normal_(self.embedding.weight, std=0.02)
        self.register_buffer("later", torch.ones(context, context, dtype=torch.bool).triu(1))
        self.blocks = nn.ModuleList(nn.ModuleDict({
            "norm1": nn.LayerNorm(channels), "qkv": nn.Linear(channels, 3 * channels, bias=False), "out": nn.Linear(channels, channels, bias=False),
            "norm2": nn.LayerNorm(channels), "up": nn.Linear(channels, 4 * channels), "down": nn.Linear(4 * channels, channels)}) for _ in range(layers))
        self.norm = nn.LayerNorm(channels)

    def forward(self, ids):
        b, t = ids.shape
        x = self.embedding(ids) + self.positions
        for block in self.blocks:
            c = x.shape[-1]
            q, k, v = block["qkv"](block["norm1"](x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
            s = (q @ k.transpose(-1, -2) / math.sqrt(c // self.heads)).masked_fill(self.later, -math.inf)
            x = x + block["out"]((torch.softmax(s, -1) @ v).transpose(1, 2).reshape(b, t, c))
            x = x + block["down"](F.gelu(block["up"](block["norm2"](x))))
        return self.norm(x) @ self.embedding.weight.T


def language_model_step(batch=16, context=128):
    torch.manual_seed(0)
    model = LanguageModel()
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3, betas=(0.9, 0.99), weight_decay=0.1)
    windows = torch.randint(0, 73, (batch, context + 1))

    def body():
        optimiser.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(windows[:, :-1]).reshape(-1, 73), windows[:, 1:].reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        return loss.item()

    return body


def both_ways(f, *shapes):
    inputs = [torch.randn(*s, requires_grad=True) for s in shapes]
    cotangent = torch.randn_like(f(*inputs))

    def body():
        for x in inputs:
            x.grad = None
        f(*inputs).backward(cotangent)

    return body


def cross_entropy(rows, n):
    scores, ids = torch.randn(rows, n, requires_grad=True), torch.randint(0, n, (rows,))

    def body():
        scores.grad = None
        F.cross_entropy(scores, ids).backward()

    return body


def adamw(n):
    layer = torch.nn.Linear(n, n)
    layer(torch.ones(1, n)).sum().backward()
    return torch.optim.AdamW(layer.parameters(), 1e-3, weight_decay=0.01).step


def attention(causal):
    def f(q, k, v):
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if causal:
            s = s.masked_fill(torch.ones(s.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
        return torch.softmax(s, -1) @ v

    return f


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--only", default=".", metavar="PATTERN")
    parser.add_argument("--threads", type=int, default=1)
    s = parser.parse_args()
    torch.set_num_threads(s.threads)
    measure("tape/chain_of_200", lambda: tape_chain(), s)
    for batch in (256, 64, 1):
        measure(f"train/block/{batch}", lambda: train_step(batch), s)
    measure("train/language_model", language_model_step, s)
    measure("train/language_model_2_threads/real_time", language_model_step, s)
    for n in (64, 1024):
        measure(f"adamw/{n}", lambda: adamw(n), s)
    for rows, n in ((64, 10), (64, 50000)):
        measure(f"cross_entropy/{rows}/{n}", lambda: cross_entropy(rows, n), s)
    for rows, n in ((512, 8), (64, 128), (64, 1024)):
        measure(f"softmax/{rows}/{n}", lambda: both_ways(lambda x: torch.softmax(x, -1), (rows, n)), s)
    for rows, n in ((512, 64), (512, 768)):
        measure(f"layer_norm/{rows}/{n}", lambda: both_ways(lambda x, g, b: F.layer_norm(x, (x.shape[-1],), g, b), (rows, n), (n,), (n,)), s)
    for n in (64, 256, 512):
        measure(f"matmul/{n}", lambda: both_ways(lambda a, b: a @ b, (n, n), (n, n)), s)
    for n in (1024, 65536):
        measure(f"gelu/{n}", lambda: both_ways(F.gelu, (n,)), s)
    for causal in (False, True):
        for n in (512, 2048, 8192):
            measure(f"attention/{'causal' if causal else 'full'}/{n}", lambda: both_ways(attention(causal), *[(1, 1, n, 64)] * 3), s)
    for size in ((64, 4, 8, 16), (8, 8, 128, 64)):
        measure("attention/short/" + "x".join(map(str, size)), lambda: both_ways(attention(False), *[size] * 3), s)


main()
