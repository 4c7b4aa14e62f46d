"""Elastic weight consolidation for a stone sorter: the Fisher information of an old task, one stone at a time."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, vmap


def fisher_by_loop(model, stones, kinds):
    total = [torch.zeros_like(p) for p in model.parameters()]
    log_p = F.log_softmax(model(stones), dim=1)
    for k in range(len(stones)):
        grads = torch.autograd.grad(log_p[k, kinds[k]], model.parameters(), retain_graph=True)  #!
        total = [t + g.square() / len(stones) for t, g in zip(total, grads)]
    return total


def fisher_by_vmap(model, stones, kinds):
    weights = {name: p.detach() for name, p in model.named_parameters()}
    score = lambda w, x, y: F.log_softmax(functional_call(model, w, (x[None],)), dim=1)[0].gather(0, y[None])[0]
    each = vmap(grad(score), in_dims=(None, 0, 0))(weights, stones, kinds)
    return [g.square().mean(dim=0) for g in each.values()]


def second_task(fisher_of):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
    stones = torch.sin(torch.arange(80.0) * 0.6).view(20, 4)
    kinds = torch.arange(20) % 3
    fisher = fisher_of(model, stones, kinds)
    anchor = [p.detach().clone() + 0.1 for p in model.parameters()]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        kept = sum((f * (p - a).square()).sum() for f, p, a in zip(fisher, model.parameters(), anchor))
        loss = F.cross_entropy(model(stones.flip(0)), kinds) + 10 * kept
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return second_task(fisher_by_loop)


def fixed():
    return second_task(fisher_by_vmap)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
