"""Recommends songs by two towers; the catalogue is embedded at the beginning of an epoch."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Songs(nn.Module):
    def __init__(self, songs, dim):
        super().__init__()
        self.title = nn.Embedding(songs, dim)
        self.mix = nn.Linear(dim, dim)
        self.register_buffer("ids", torch.arange(songs))

    def forward(self):
        return torch.tanh(self.mix(self.title(self.ids)))


class Recommender(nn.Module):
    def __init__(self, listeners=6, songs=10, dim=4):
        super().__init__()
        self.listener = nn.Embedding(listeners, dim)
        self.songs = Songs(songs, dim)

    def scores(self, who, catalogue):
        return self.listener(who) @ catalogue.T  #!


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def epoch(model, optimizer, loader):
    catalogue = model.songs()  #~
    optimizer.zero_grad()
    for who, heard in loader:
        loss = F.cross_entropy(model.scores(who, catalogue), heard)
        (loss / len(loader)).backward()
    optimizer.step()


def fresh_epoch(model, optimizer, loader):
    optimizer.zero_grad()
    for who, heard in loader:
        loss = F.cross_entropy(model.scores(who, model.songs()), heard)
        (loss / len(loader)).backward()
    optimizer.step()


def train(run):
    model = settle(Recommender())
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    who, heard = torch.arange(24) % 6, torch.arange(24) * 7 % 10
    loader = DataLoader(TensorDataset(who, heard), batch_size=8)
    for _ in range(2):
        run(model, optimizer, loader)
    return {"model.songs.mix.weight": model.songs.mix.weight.grad, "model.songs.title.weight": model.songs.title.weight.grad}


def broken():
    return train(epoch)


def fixed():
    return train(fresh_epoch)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
