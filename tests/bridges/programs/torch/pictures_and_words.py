"""Brings pictures of bells and their inscriptions together by a contrastive loss with a learned scale."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, inputs, width=4):
        super().__init__()
        self.project = nn.Linear(inputs, width, bias=False)

    def forward(self, x):
        return F.normalize(self.project(x), dim=-1)


class PictureText(nn.Module):
    def __init__(self):
        super().__init__()
        self.picture = Tower(6)
        self.text = Tower(5)
        self.log_scale = nn.Parameter(torch.tensor(1.2))
        self.scale = self.log_scale.exp()  #~

    def temperature(self):
        return self.scale

    def forward(self, picture, text):
        p, t = self.picture(picture), self.text(text)
        return self.temperature() * (p @ t.t())  #!


class OpenPictureText(PictureText):
    def temperature(self):
        return self.log_scale.exp()


def contrast(logits):
    labels = torch.arange(len(logits))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


def train(kind):
    model = kind()
    with torch.no_grad():
        for k, tower in enumerate((model.picture, model.text)):
            weight = tower.project.weight
            weight.copy_(torch.sin(torch.arange(weight.numel()) * 0.7 + k).view_as(weight))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.2)
    for step in range(3):
        picture = torch.sin(torch.arange(24.0).view(4, 6) + step)
        text = torch.cos(torch.arange(20.0).view(4, 5) + step)
        loss = contrast(model(picture, text))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.log_scale": model.log_scale.grad, "model.text.project.weight": model.text.project.weight.grad}


def broken():
    return train(PictureText)


def fixed():
    return train(OpenPictureText)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
