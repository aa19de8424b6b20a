"""Training steps in PyTorch over what --trace wrote: first values, batches and rates are gradproof's, all else is PyTorch's."""
import math

import torch


def follow(trace, loss_of, steps, betas, weight_decay, clip):
    """The losses of `steps` steps of AdamW; loss_of(parameters by name, batch) is the mean loss of one."""
    p = {k[len("initial/"):]: torch.tensor(trace[k], requires_grad=True) for k in trace.files if k.startswith("initial/")}
    assert all(v.dtype == torch.float64 for v in p.values())
    optimiser = torch.optim.AdamW(list(p.values()), betas=betas, weight_decay=weight_decay)
    losses = []
    for step in range(steps):
        loss = loss_of(p, torch.tensor(trace["batches"][step]))
        optimiser.zero_grad()
        loss.backward()
        norm = math.sqrt(sum(float((v.grad ** 2).sum()) for v in p.values()))
        for v in p.values():
            v.grad *= min(1.0, clip / norm)
        optimiser.param_groups[0]["lr"] = float(trace["rates"][step])
        optimiser.step()
        losses.append(loss.item())
    return losses
