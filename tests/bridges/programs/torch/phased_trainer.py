"""The usual two phases per epoch, for a classifier of cloud types."""
import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TRAINING = "training"


def clouds(count, shift):
    x = torch.sin(torch.arange(count * 5.0) * 0.7 + shift).view(count, 5)
    return TensorDataset(x, torch.arange(count) % 3)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.6 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


class Phases:
    def __init__(self, train_name):
        self.train_name = train_name
        self.loaders = {
            TRAINING: DataLoader(clouds(12, 0.0), batch_size=6),
            "validation": DataLoader(clouds(6, 1.0), batch_size=6),
        }

    def run(self, model, optimizer, phase):
        learning = phase == TRAINING
        model.train(learning)
        right = 0
        for x, y in self.loaders[phase]:
            with torch.set_grad_enabled(phase == self.train_name):  #~
                scores = model(x)  #!
                loss = F.cross_entropy(scores, y)
            if learning:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            right += (scores.argmax(dim=1) == y).sum().item()
        return right / len(self.loaders[phase].dataset)


def train(train_name):
    model = settle(nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    phases, best, kept = Phases(train_name), 0.0, None
    for epoch in range(2):
        accuracy = {phase: phases.run(model, optimizer, phase) for phase in phases.loaders}
        if accuracy["validation"] >= best:
            best, kept = accuracy["validation"], copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    return {"model.0.weight": model[0].weight.grad, "model.2.weight": model[2].weight.grad}


def broken():
    return train("train")


def fixed():
    return train(TRAINING)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
