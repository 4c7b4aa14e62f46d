"""Finds recipes for a shopping list; two towers, with a slowly moving copy of the one for recipes."""
import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tower(nn.Module):
    def __init__(self, words=12, dim=6):
        super().__init__()
        self.words = nn.EmbeddingBag(words, dim, mode="mean")
        self.project = nn.Linear(dim, dim)

    def forward(self, ids):
        return F.normalize(self.project(self.words(ids)), dim=-1)  #!


class Retriever(nn.Module):
    def __init__(self):
        super().__init__()
        self.list_tower, self.recipe_tower = Tower(), Tower()
        self.scale = nn.Parameter(torch.tensor(2.0))

    def prepare(self):
        self.slow_tower = copy.deepcopy(self.recipe_tower).requires_grad_(False)
        return self

    @torch.no_grad()
    def follow(self, momentum=0.9):
        for slow, fast in zip(self.slow_tower.parameters(), self.recipe_tower.parameters()):
            slow.lerp_(fast, 1 - momentum)

    @torch.no_grad()  #~
    def encode(self, ids):
        """Vectors for lists, as the search page needs them."""
        return self.list_tower(ids.clamp(max=11))  #~

    def loss(self, lists, recipes):
        queries = self.encode(lists)
        keys = torch.cat([self.recipe_tower(recipes), self.slow_tower(recipes)])
        scores = self.scale.exp() * queries @ keys.T
        return F.cross_entropy(scores[:, :len(lists)], torch.arange(len(lists)))


class TrainedRetriever(Retriever):
    def encode(self, ids):
        return self.list_tower(ids.clamp(max=11))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            if p.dim():
                p.copy_(torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module.prepare()


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05)
    lists = (torch.arange(24) * 7 % 12).view(8, 3)
    recipes = (torch.arange(32) * 5 % 12).view(8, 4)
    for epoch in range(2):
        for left, right in DataLoader(TensorDataset(lists, recipes), batch_size=4):
            loss = model.loss(left, right)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.follow()
    return {
        "model.list_tower.project.weight": model.list_tower.project.weight.grad,
        "model.recipe_tower.project.weight": model.recipe_tower.project.weight.grad,
    }


def broken():
    return train(Retriever)


def fixed():
    return train(TrainedRetriever)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
