"""Trains between stations: a memory of each station is written by an updater and read for the next forecast."""
import sys

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, stations, width):
        super().__init__()
        self.register_buffer("rows", torch.zeros(stations, width))

    def reset(self):
        self.rows = torch.zeros_like(self.rows)

    def read(self, index):
        return self.rows[index]

    def write(self, index, values):
        with torch.no_grad():
            self.rows[index] = values  #!


class RecordedMemory(Memory):
    def write(self, index, values):
        self.rows = self.rows.index_copy(0, index, values)


class Forecaster(nn.Module):
    def __init__(self, memory, width=4):
        super().__init__()
        self.memory = memory
        self.message = nn.Linear(2 * width + 1, width)
        self.updater = nn.GRUCell(width, width)
        self.output = nn.Sequential(nn.Linear(2 * width, 6), nn.ReLU(), nn.Linear(6, 1))

    def forward(self, events):
        delays = []
        for origin, target, wait in events:
            ends = torch.tensor([origin, target])
            here = self.memory.read(ends)
            delays.append(self.output(here.reshape(1, -1)).squeeze())
            message = self.message(torch.cat([here.reshape(-1), wait.view(1)]))
            self.memory.write(ends, self.updater(torch.tanh(message).expand(2, -1), here))  #~
        return torch.stack(delays)


def days(count=3):
    for day in range(count):
        waits = torch.sin(torch.arange(5.0) + day)
        yield [((k + day) % 4, (k + 1 + day) % 4, waits[k]) for k in range(5)], torch.cos(torch.arange(5.0) * 0.5 + day)


def train(kind):
    torch.manual_seed(4)
    model = Forecaster(kind(4, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for events, delays in days():
        model.memory.reset()
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(events), delays)
        loss.backward()
        optimizer.step()
    return {
        "model.message.weight": model.message.weight.grad,
        "model.updater.weight_ih": model.updater.weight_ih.grad,
        "model.output.2.weight": model.output[2].weight.grad,
    }


def broken():
    return train(Memory)


def fixed():
    return train(RecordedMemory)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
