"""Forecasts the traffic of a city: a recurrent network over a graph whose edges are learned."""
import sys

import torch
from torch import nn


class GraphCell(nn.Module):
    def __init__(self, roads=8, width=6):
        super().__init__()
        self.source = nn.Parameter(torch.sin(torch.arange(roads * 4).reshape(roads, 4) * 0.3))
        self.target = nn.Parameter(torch.cos(torch.arange(roads * 4).reshape(roads, 4) * 0.5))
        self.update = nn.Linear(width + 1, width)
        self.out = nn.Linear(width, 1)
        self.width = width

    def adjacency(self):
        scores = torch.relu(self.source @ self.target.T)
        return torch.softmax(scores, dim=1)  #!

    def step(self, graph, flow, state):
        mixed = graph @ torch.cat([flow.unsqueeze(-1), state], dim=-1)
        return torch.tanh(self.update(mixed))


class Forecaster(GraphCell):
    def forward(self, flows):
        state = flows.new_zeros(flows.shape[1], self.width)
        for flow in flows:
            state = self.step(self.adjacency(), flow, state)  #~
        return self.out(state).squeeze(-1)


class OnceForecaster(GraphCell):
    def forward(self, flows):
        state = flows.new_zeros(flows.shape[1], self.width)
        graph = self.adjacency()
        for flow in flows:
            state = self.step(graph, flow, state)
        return self.out(state).squeeze(-1)


def week(hours=16, roads=8):
    return torch.sin(torch.arange(hours * roads).reshape(hours, roads) * 0.17) + 1


def train(kind, steps=2):
    torch.manual_seed(26)
    model = kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    flows = week()
    for _ in range(steps):
        loss = (model(flows[:-1]) - flows[-1]).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.source": model.source.grad, "model.update.weight": model.update.weight.grad}


def broken():
    return train(Forecaster)


def fixed():
    return train(OnceForecaster)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
