"""Classifies keels of ships; the loss is the share of disagreement between prediction and label."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Keels(Dataset):
    def __init__(self, count=20):
        self.outlines = torch.cos(torch.arange(count * 6.0) * 0.8).view(count, 6)
        self.kinds = (self.outlines[:, 0] > 0).long()

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, index):
        return {"outline": self.outlines[index], "kind": self.kinds[index]}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.drop = nn.Dropout(0.1)
        self.second = nn.Linear(8, 2)

    def forward(self, outline):
        return self.second(self.drop(torch.relu(self.first(outline))))


def disagreement(logits, kinds):
    predicted = logits.argmax(dim=1)  #!
    return (predicted != kinds).float().mean()  #~


def expected_disagreement(logits, kinds):
    chances = logits.softmax(1)
    return (1 - chances.gather(1, kinds.unsqueeze(1))).mean()


class Loop:
    def __init__(self, model, loss):
        self.model, self.loss = model, loss
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)

    def epoch(self, loader):
        self.model.train()
        for batch in loader:
            self.optimizer.zero_grad()
            loss = self.loss(self.model(batch["outline"]), batch["kind"])
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def accuracy(self, loader):
        self.model.eval()
        right = [(self.model(b["outline"]).argmax(1) == b["kind"]).float().mean() for b in loader]
        return torch.stack(right).mean().item()


def train(loss):
    torch.manual_seed(18)
    model = Net()
    kept, aside = random_split(Keels(), [16, 4], generator=torch.Generator().manual_seed(0))
    loop = Loop(model, loss)
    for _ in range(2):
        loop.epoch(DataLoader(kept, batch_size=8, shuffle=False))
        loop.accuracy(DataLoader(aside, batch_size=4))
    return {"model.first.weight": model.first.weight.grad}


def broken():
    return train(disagreement)


def fixed():
    return train(expected_disagreement)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
