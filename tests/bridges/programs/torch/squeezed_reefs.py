"""A squeeze-and-excitation block that weighs the channels of sonar pictures of a reef."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Excite(nn.Module):
    def __init__(self, channels, bias):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, 2, 1)
        self.expand = nn.Conv2d(2, channels, 1)
        nn.init.constant_(self.expand.bias, bias)

    def forward(self, x):
        w = F.relu(self.squeeze(F.adaptive_avg_pool2d(x, 1)) + 1)
        return x * F.hardsigmoid(self.expand(w))  #!


class Sonar(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.excite = Excite(4, bias)
        self.head = nn.Linear(4, 2)
        self.fill()

    def fill(self):
        with torch.no_grad():
            for name, p in self.named_parameters():
                if not name.endswith("expand.bias"):
                    p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.8 + len(name)).view_as(p))

    def forward(self, x):
        return self.head(self.excite(torch.tanh(self.stem(x))).flatten(2).mean(dim=2))


def train(bias):
    sonar = Sonar(bias)
    optimizer = torch.optim.SGD(sonar.parameters(), lr=0.1)
    pictures = torch.cos(torch.arange(108.0)).view(3, 1, 6, 6)
    for _ in range(2):
        loss = F.cross_entropy(sonar(pictures), torch.tensor([0, 1, 0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"sonar.excite.squeeze.weight": sonar.excite.squeeze.weight.grad, "sonar.head.weight": sonar.head.weight.grad}


def broken():
    return train(6.0)


def fixed():
    return train(0.0)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
