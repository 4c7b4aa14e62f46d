"""Actor and critic of a heat pump: returns are computed from the critic's values, kept in a replay queue."""
import collections
import sys

import torch
from torch import nn

Moment = collections.namedtuple("Moment", "state value reward")


class Pump(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 6)
        self.value = nn.Linear(6, 1)

    def forward(self, state):
        return self.value(torch.tanh(self.body(state))).squeeze(-1)


class Replay:
    def __init__(self, size=6):
        self.queue = collections.deque(maxlen=size)

    def add(self, pump, k):
        state = torch.sin(torch.arange(3.0) + k)
        self.queue.append(Moment(state, pump(state), 0.1 * k))  #~

    def values(self, pump):
        return torch.stack([moment.value for moment in self.queue])  #!


class FreshReplay(Replay):
    def add(self, pump, k):
        self.queue.append(Moment(torch.sin(torch.arange(3.0) + k), None, 0.1 * k))

    def values(self, pump):
        return pump(torch.stack([moment.state for moment in self.queue]))


def run(kind):
    torch.manual_seed(0)
    pump, replay = Pump(), kind()
    optimizer = torch.optim.SGD(pump.parameters(), lr=0.0)
    for k in range(4):
        replay.add(pump, k)
        if k < 2:
            continue
        returns = torch.tensor([moment.reward for moment in replay.queue]).flip(0).cumsum(0).flip(0)
        loss = nn.functional.mse_loss(replay.values(pump), returns)
        optimizer.zero_grad()
        loss.backward()
    return {"pump.body.weight": pump.body.weight.grad}


def broken():
    return run(Replay)


def fixed():
    return run(FreshReplay)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
