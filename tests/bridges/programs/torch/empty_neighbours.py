"""Friendships in a school: graph attention over neighbours; new pupils have none yet."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class GraphAttention(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.lift = nn.Linear(inputs, outputs, bias=False)
        self.source = nn.Parameter(torch.sin(torch.arange(float(outputs))))
        self.target = nn.Parameter(torch.cos(torch.arange(float(outputs))))

    def weights(self, scores, friends):
        return scores.masked_fill(~friends, float("-inf")).softmax(dim=1)  #!

    def forward(self, pupils, friends):
        x = self.lift(pupils)
        scores = F.leaky_relu((x @ self.source).unsqueeze(1) + (x @ self.target).unsqueeze(0), 0.2)
        return self.weights(scores, friends) @ x


class SelfishAttention(GraphAttention):
    def weights(self, scores, friends):
        own = torch.eye(len(friends), dtype=torch.bool)
        return scores.masked_fill(~(friends | own), float("-inf")).softmax(dim=1)


class School(nn.Module):
    def __init__(self, attention, inputs=4, hidden=6, clubs=3):
        super().__init__()
        self.layers = nn.ModuleList([attention(inputs, hidden), attention(hidden, hidden)])
        self.out = nn.Linear(hidden, clubs)

    def forward(self, pupils, friends):
        for layer in self.layers:
            pupils = F.elu(layer(pupils, friends))
        return self.out(pupils)


def school(count=8):
    pupils = torch.sin(torch.arange(count * 4.0) * 0.35).view(count, 4)
    friends = (torch.arange(count).unsqueeze(0) + torch.arange(count).unsqueeze(1)) % 3 == 1
    friends[5], friends[:, 5] = False, False
    return pupils, friends, torch.arange(count) % 3


def train(attention):
    torch.manual_seed(28)
    model = School(attention)
    pupils, friends, clubs = school()
    known = torch.arange(len(clubs)) < 5
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    for _ in range(3):
        optimizer.zero_grad()
        logits = model(pupils, friends)
        loss = F.cross_entropy(logits[known], clubs[known])
        loss.backward()
        optimizer.step()
    return {"model.layers.0.lift.weight": model.layers[0].lift.weight.grad}


def broken():
    return train(GraphAttention)


def fixed():
    return train(SelfishAttention)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
