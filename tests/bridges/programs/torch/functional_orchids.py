"""Weighs orchid photos by the norm of their own gradient, from torch.func, and trains with these weights."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(5, 8), nn.Tanh())
        self.head = nn.Linear(8, 3)

    def forward(self, photo):
        return self.head(self.features(photo))


class Importance:
    """Per-example gradients; the functions are built once, the parameters are taken anew at each call."""

    def __init__(self, model):
        self.model = model
        self.each = vmap(grad(self.one), in_dims=(None, 0, 0))

    def one(self, params, photo, species):
        return F.cross_entropy(functional_call(self.model, params, (photo.unsqueeze(0),)), species.unsqueeze(0))

    def parameters(self):
        return {name: p.detach() for name, p in self.model.named_parameters()}  #!

    def weights(self, photos, species):
        grads = self.each(self.parameters(), photos, species)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
        return norms / norms.sum()

    def loss(self, photos, species, scale):
        weights = self.weights(photos, species)
        logits = functional_call(self.model, self.parameters(), (photos,))  #~
        return (weights * F.cross_entropy(logits * scale, species, reduction="none")).sum()


class LiveImportance(Importance):
    def loss(self, photos, species, scale):
        weights = self.weights(photos, species)
        logits = self.model(photos)
        return (weights * F.cross_entropy(logits * scale, species, reduction="none")).sum()


def train(kind):
    torch.manual_seed(8)
    model = Classifier()
    scale = nn.Parameter(torch.tensor(1.0))
    importance = kind(model)
    optimizer = torch.optim.SGD([*model.parameters(), scale], lr=0.05)
    photos = torch.sin(torch.arange(80.0) * 0.9).view(16, 5)
    loader = DataLoader(TensorDataset(photos, torch.arange(16) % 3), batch_size=8)
    for _ in range(2):
        for photo, species in loader:
            optimizer.zero_grad()
            loss = importance.loss(photo, species, scale)
            loss.backward()
            optimizer.step()
    return {"model.features.0.weight": model.features[0].weight.grad, "scale": scale.grad}


def broken():
    return train(Importance)


def fixed():
    return train(LiveImportance)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
