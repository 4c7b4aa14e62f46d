"""Self-taught features of seismograms: an online network predicts what a slowly moving target says."""
import copy
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 8, 5, padding=2)
        self.norm = nn.BatchNorm1d(8)
        self.project = nn.Linear(8, 6)

    def forward(self, trace):
        hidden = F.relu(self.norm(self.conv(trace)))
        return self.project(hidden.mean(dim=-1))


class SelfTaught(nn.Module):
    def __init__(self, decay=0.95):
        super().__init__()
        self.online = Encoder()
        self.predictor = nn.Linear(6, 6)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.decay = decay

    def loss(self, first, second):
        guess = F.normalize(self.predictor(self.online(first)), dim=-1)
        with torch.no_grad():
            aim = F.normalize(self.target(second), dim=-1)
        return 2 - 2 * (guess * aim.detach()).sum(-1).mean()

    @torch.no_grad()
    def move_target(self):
        for slow, fast in zip(self.target.parameters(), self.online.parameters()):
            slow.data.lerp_(fast.data, 1 - self.decay)
        for slow, fast in zip(self.target.buffers(), self.online.buffers()):
            slow.copy_(fast)


def quakes(count=6, length=20):
    trace = torch.sin(torch.arange(count * 3 * length) * 0.31).reshape(count, 3, length)
    return trace + 0.1 * trace.roll(1, -1), trace.flip(-1)


def train(steps=3):
    torch.manual_seed(7)
    model = SelfTaught()
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(learned, lr=0.05, momentum=0.9, weight_decay=1e-4)
    for _ in range(steps):
        first, second = quakes()
        loss = (model.loss(first, second) + model.loss(second, first)) / 2
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        model.move_target()
    return {"model.online.conv.weight": model.online.conv.weight.grad, "model.predictor.weight": model.predictor.weight.grad}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
