"""A recommender whose song vectors come from a frozen audio model; only the user's side is to learn, it was thought."""
import sys

import torch
from torch import nn


class Audio(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 4))

    def forward(self, clip):
        return nn.functional.normalize(self.net(clip), dim=-1)


class Recommender:
    def __init__(self, audio, users):
        self.audio = audio
        self.users = nn.Embedding(users, 4)

    def freeze(self, *modules):
        for module in modules:
            for p in module.parameters():
                p.requires_grad_(False)  #!

    def score(self, user, clip):
        return (self.users(user) * self.audio(clip)).sum(-1)


def bpr(recommender, user, liked, skipped):
    return -nn.functional.logsigmoid(recommender.score(user, liked) - recommender.score(user, skipped)).mean()


def train(*parts):
    torch.manual_seed(0)
    recommender = Recommender(Audio(), users=3)
    recommender.freeze(*(getattr(recommender, part) for part in parts))
    users = recommender.users
    liked, skipped = torch.sin(torch.arange(15.0)).view(3, 5), torch.cos(torch.arange(15.0)).view(3, 5)
    loss = bpr(recommender, torch.arange(3), liked, skipped)
    loss.backward()
    return {"users.weight": users.weight.grad}


def broken():
    return train("audio", "users")


def fixed():
    return train("audio")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
