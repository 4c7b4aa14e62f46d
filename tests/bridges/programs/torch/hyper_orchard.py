"""A hypernetwork makes the weights of a small yield model from the soil of each orchard."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class Hyper(nn.Module):
    def __init__(self, soil, count):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(soil, 8), nn.Tanh())
        self.out = nn.Linear(8, count)

    def forward(self, soil):
        return 0.5 * self.out(self.body(soil))


def yields():
    return nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 1))


def written(net, vector, trees):
    vector_to_parameters(vector, net.parameters())  #!
    return net(trees)


def called(net, vector, trees):
    made, start = {}, 0
    for name, p in net.named_parameters():
        made[name] = vector[start:start + p.numel()].view_as(p)
        start += p.numel()
    return functional_call(net, made, (trees,))


def train(predict):
    torch.manual_seed(1)
    net = yields()
    hyper = Hyper(2, parameters_to_vector(net.parameters()).numel())
    optimizer = torch.optim.Adam(hyper.parameters(), lr=1e-2)
    for k in range(3):
        soil = torch.tensor([0.2 * k, 1.0 - 0.3 * k])
        trees = torch.cos(torch.arange(15.0) * 0.4 + k).view(5, 3)
        optimizer.zero_grad()
        net.zero_grad()
        loss = F.mse_loss(predict(net, hyper(soil), trees), trees.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
    return {"hyper.body.0.weight": hyper.body[0].weight.grad, "hyper.out.weight": hyper.out.weight.grad}


def broken():
    return train(written)


def fixed():
    return train(called)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
