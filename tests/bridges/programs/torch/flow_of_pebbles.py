"""Sizes of pebbles as a normalising flow of coupling layers, drawn from without gradients."""
import math

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 5), nn.Tanh(), nn.Linear(5, 2))

    def parts(self, x):
        a, b = x.unbind(-1)
        return (b, a) if self.flip else (a, b)

    def join(self, a, b):
        return torch.stack((b, a) if self.flip else (a, b), dim=-1)

    def forward(self, x):
        a, b = self.parts(x)
        log_scale, shift = self.net(a.unsqueeze(-1)).unbind(-1)
        log_scale = 2.0 * torch.tanh(log_scale / 2.0)
        return self.join(a, b * log_scale.exp() + shift), log_scale

    def inverse(self, y):
        a, b = self.parts(y)
        log_scale, shift = self.net(a.unsqueeze(-1)).unbind(-1)
        log_scale = 2.0 * torch.tanh(log_scale / 2.0)
        return self.join(a, (b - shift) * (-log_scale).exp())


class Flow(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.layers = nn.ModuleList([Coupling(k % 2 == 1) for k in range(depth)])

    def log_prob(self, x):
        total = torch.zeros(x.shape[:-1])
        for layer in self.layers:
            x, log_scale = layer(x)
            total = total + log_scale
        return total - 0.5 * (x.square() + math.log(2.0 * math.pi)).sum(dim=-1)

    @torch.no_grad()
    def draw(self, noise):
        for layer in reversed(self.layers):
            noise = layer.inverse(noise)
        return noise


def broken():
    flow = Flow()
    with torch.no_grad():
        for k, p in enumerate(flow.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 1.7 + k).view_as(p))
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    for step in range(4):
        size = torch.sin(torch.arange(16.0).view(8, 2) * 0.9 + step)
        loss = -flow.log_prob(size).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(flow.parameters(), 1.0)
        optimizer.step()
    print(flow.draw(torch.zeros(2, 2)).mean().item())
    return {"flow.layers.0.net.0.weight": flow.layers[0].net[0].weight.grad, "flow.layers.3.net.2.bias": flow.layers[3].net[2].bias.grad}


if __name__ == "__main__":
    print(broken())
