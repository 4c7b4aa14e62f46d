"""Meta-learns a loss for lake temperatures: the inner step follows it, the outer one judges the result."""
import sys

import torch
from torch import nn
from torch.func import functional_call
import torch.nn.functional as F


class LearnedLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.shape = nn.Parameter(torch.tensor(1.5))
        self.bias = nn.Parameter(torch.tensor(0.0))

    def forward(self, found, truth):
        error = (found - truth).abs() + 1e-3
        return (error ** self.shape).mean() + self.bias.detach() * error.mean()


class Learner:
    def __init__(self, rate=0.1, order=1):
        self.rate, self.order = rate, order

    def adapt(self, net, loss, lake):
        weights = dict(net.named_parameters())
        inner = loss(functional_call(net, weights, lake["depth"]), lake["degrees"])
        grads = torch.autograd.grad(inner, weights.values(), create_graph=self.order > 1)  #!
        return {name: w - self.rate * g for (name, w), g in zip(weights.items(), grads)}


def lakes():
    for k in range(2):
        depth = torch.linspace(0, 2, 7).unsqueeze(1)
        yield {"depth": depth, "degrees": 1.0 / (1.0 + depth + k)}


def meta_train(order):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1))
    criterion, learner = LearnedLoss(), Learner(order=order)
    meta = torch.optim.Adam([*net.parameters(), *criterion.parameters()], lr=1e-3)
    for lake in lakes():
        adapted = learner.adapt(net, criterion, lake)
        outer = F.mse_loss(functional_call(net, adapted, lake["depth"]), lake["degrees"])
        meta.zero_grad()
        outer.backward()
        meta.step()
    return {"criterion.shape": criterion.shape.grad, "net.0.weight": net[0].weight.grad}


def broken():
    return meta_train(1)


def fixed():
    return meta_train(2)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
