"""Fits the paddle force of a canoe to GPS speeds; the speed is smoothed as the receiver smooths it."""
import sys

import numpy as np
import torch
from torch import nn


class Canoe(nn.Module):
    def __init__(self, strokes=12):
        super().__init__()
        self.force = nn.Parameter(torch.linspace(0.8, 1.4, strokes))
        self.log_drag = nn.Parameter(torch.tensor(-1.2))
        self.offset = nn.Parameter(torch.tensor(0.05))

    def forward(self, dt=0.4):
        speed, speeds = torch.zeros(()), []
        for push in self.force:
            speed = speed + dt * (push - self.log_drag.exp() * speed * speed)
            speeds.append(speed)
        return torch.stack(speeds)


def receiver(speed, kernel=(0.25, 0.5, 0.25)):
    series = speed.detach().cpu().numpy()  #!
    return torch.from_numpy(np.convolve(series, np.asarray(kernel, dtype=np.float32), mode="same"))  #~


def receiver_in_torch(speed, kernel=(0.25, 0.5, 0.25)):
    return torch.conv1d(speed.view(1, 1, -1), torch.tensor(kernel).view(1, 1, -1), padding=1).view(-1)


def fit(smooth, rounds=3):
    canoe = Canoe()
    measured = 1.1 + 0.3 * torch.sin(torch.arange(12) * 0.5)
    optimizer = torch.optim.LBFGS(canoe.parameters(), lr=0.2, max_iter=2)

    def closure():
        optimizer.zero_grad()
        miss = smooth(canoe()) + canoe.offset - measured
        loss = miss.square().mean()
        loss.backward()
        return loss

    for _ in range(rounds):
        optimizer.step(closure)
    return {"canoe.force": canoe.force.grad, "canoe.log_drag": canoe.log_drag.grad, "canoe.offset": canoe.offset.grad}


def broken():
    return fit(receiver)


def fixed():
    return fit(receiver_in_torch)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
