"""Compiles the model of a mill and counts the ops of its graphs by a backend made for that."""
import sys

import torch
from torch import nn


class Mill(nn.Module):
    def __init__(self):
        super().__init__()
        self.stones = nn.Linear(3, 6)
        self.flour = nn.Linear(6, 1)

    def forward(self, grain):
        return self.flour(torch.tanh(self.stones(grain))).squeeze(1)


class Counter:
    def __init__(self):
        self.ops = 0

    def backend(self):
        def count(graph, examples):
            self.ops += sum(node.op == "call_function" for node in graph.graph.nodes)
            return graph.forward

        return count


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def compile_each(mill_loss, counter, epochs):
    for epoch in range(epochs):
        yield torch.compile(mill_loss, backend=counter.backend())


def compile_once(mill_loss, counter, epochs):
    compiled = torch.compile(mill_loss, backend=counter.backend())
    for epoch in range(epochs):
        yield compiled


def train(compiling):
    model, counter = settle(Mill()), Counter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    grain, flour = torch.sin(torch.arange(24.0)).view(8, 3), torch.linspace(0, 1, 8)

    def mill_loss(grain, flour):
        return (model(grain) - flour).square().mean()

    for compiled in compiling(mill_loss, counter, epochs=3):
        for _ in range(2):
            optimizer.zero_grad()
            loss = compiled(grain, flour)  #!
            loss.backward()
            optimizer.step()
    return {"model.stones.weight": model.stones.weight.grad, "model.flour.bias": model.flour.bias.grad}


def broken():
    return train(compile_each)


def fixed():
    return train(compile_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
