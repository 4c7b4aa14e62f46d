"""Reads two labels from one page in lower precision, with scaled losses."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 7), nn.GELU())
        self.topic, self.tone = nn.Linear(7, 3), nn.Linear(7, 2)

    def forward(self, page):
        shared = self.body(page)  #~
        return self.topic(shared), self.tone(shared)  #~


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def separate(scaler, losses):
    for loss in losses:
        scaler.scale(loss).backward()  #!


def together(scaler, losses):
    scaler.scale(sum(losses)).backward()


def train(walk):
    model = settle(Reader())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
    page = torch.sin(torch.arange(20.0)).view(4, 5)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            topic, tone = model(page)  #~
            losses = [F.cross_entropy(topic, torch.tensor([0, 1, 2, 0])), F.cross_entropy(tone, torch.tensor([0, 1, 1, 0]))]  #~
        walk(scaler, losses)
        scaler.step(optimizer)
        scaler.update()
    return {"model.body.0.weight": model.body[0].weight.grad}


def broken():
    return train(separate)


def fixed():
    return train(together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
