"""A spatial transformer that follows a hawk: a network chooses the window, grid_sample cuts it out."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

SIZE = 12


class Window(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.where = nn.Linear(SIZE, 2)
        nn.init.normal_(self.where.weight, std=0.01, generator=torch.Generator().manual_seed(1))
        self.where.bias.data.copy_(torch.tensor(start))

    def forward(self, sky):
        shift = self.where(sky.mean(1))
        zoom = torch.eye(2).mul(0.4).expand(len(sky), 2, 2)
        theta = torch.cat([zoom, shift.unsqueeze(-1)], dim=2)
        grid = F.affine_grid(theta, (len(sky), 1, 4, 4), align_corners=False)
        return F.grid_sample(sky.unsqueeze(1), grid, align_corners=False)  #!


class Tracker(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.window = Window(start)  #~
        self.judge = nn.Sequential(nn.Flatten(), nn.Linear(16, 5), nn.Tanh(), nn.Linear(5, 1))

    def forward(self, sky):
        return self.judge(self.window(sky)).squeeze(1)


def train(start):
    torch.manual_seed(19)
    tracker = Tracker(start)
    optimizer = torch.optim.SGD(tracker.parameters(), lr=0.05, nesterov=True, momentum=0.9)
    sky = torch.sin(torch.arange(3 * SIZE * SIZE) * 0.13).view(3, SIZE, SIZE)
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(tracker(sky), torch.tensor([1.0, 0.0, 1.0]))
        loss.backward()
        optimizer.step()
    return {"tracker.window.where.weight": tracker.window.where.weight.grad}


def broken():
    return train([6.0, 6.0])  #~


def fixed():
    return train([0.1, 0.1])


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
