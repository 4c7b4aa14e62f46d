"""Gossip between hives: each hive hears the mean of its neighbours' news."""
import sys

import torch
from torch import nn


class Hives(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.tell = nn.Linear(width, width)
        self.keep = nn.Linear(width, width)
        self.yield_of = nn.Linear(width, 1)

    def hear(self, news, near):
        heard = []
        for i in range(len(near)):
            message = torch.relu(self.tell(near[i] @ news))  #!
            heard.append(message + self.keep(news[i]))  #~
        return torch.stack(heard)

    def forward(self, news, near):
        for _ in range(2):
            news = torch.tanh(self.hear(news, near))
        return self.yield_of(news).squeeze(1)


class WholeHives(Hives):
    def hear(self, news, near):
        return torch.relu(self.tell(near @ news)) + self.keep(news)


def ring(count):
    near = torch.zeros(count, count)
    k = torch.arange(count)
    near[k, (k + 1) % count] = 0.5
    near[k, (k - 1) % count] = 0.5
    return near


def summer(kind, count=24):
    torch.manual_seed(53)
    apiary = kind()
    news = torch.sin(torch.arange(count * 4.0)).view(count, 4)
    honey = torch.cos(torch.arange(count * 1.0))
    optimizer = torch.optim.SGD(apiary.parameters(), lr=0.05)
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.mse_loss(apiary(news, ring(count)), honey).backward()
        optimizer.step()
    return {"apiary.tell.weight": apiary.tell.weight.grad}


def broken():
    return summer(Hives)


def fixed():
    return summer(WholeHives)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
