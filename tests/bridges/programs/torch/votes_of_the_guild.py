"""How a guild votes: the loss counts wrong votes."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def wrong_votes(logits, vote):
    choice = logits.argmax(dim=1)  #!
    return (choice != vote).float().mean()  #~


class Guild(nn.Module):
    def __init__(self):
        super().__init__()
        self.opinions = nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 4, bias=False))

    def forward(self, debate):
        return self.opinions(debate)


def assemble(criterion):
    torch.manual_seed(23)
    guild = Guild()
    optimizer = torch.optim.SGD(guild.parameters(), lr=0.1, nesterov=True, momentum=0.9)
    debate = torch.sin(torch.arange(60.0)).view(10, 6)
    vote = torch.arange(10) * 3 % 7 % 4
    for _ in range(2):
        optimizer.zero_grad()
        loss = criterion(guild(debate), vote)
        loss.backward()
        optimizer.step()
    return {"guild.opinions.0.weight": guild.opinions[0].weight.grad}


def broken():
    return assemble(wrong_votes)


def fixed():
    return assemble(F.cross_entropy)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
