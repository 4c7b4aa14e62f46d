"""Herders' stories: word vectors of a larger corpus are loaded, and go on learning with the classifier."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


def vectors(words=14, width=6):
    return torch.sin(torch.arange(float(words * width)) * 0.3).view(words, width)


class Stories(nn.Module):
    def __init__(self, table, topics=3):
        super().__init__()
        self.words = self.lookup(table)
        self.conv = nn.Conv1d(table.shape[1], 8, 3, padding=1)
        self.norm = nn.BatchNorm1d(8)
        self.out = nn.Linear(8, topics)

    def lookup(self, table):
        words = nn.Embedding.from_pretrained(table, padding_idx=0)  #!
        return words

    def forward(self, story):
        x = self.conv(self.words(story).transpose(1, 2))
        return self.out(F.relu(self.norm(x)).amax(2))


class LearningStories(Stories):
    def lookup(self, table):
        return nn.Embedding.from_pretrained(table, freeze=False, padding_idx=0)


def collate(batch):
    stories, topics = zip(*batch)
    return torch.stack(stories), torch.tensor(topics)


def data(count=16, length=7):
    return [((torch.arange(length) * (k + 1)) % 13 + 1, k % 3) for k in range(count)]


class Run:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(
            [{"params": model.words.parameters(), "lr": 1e-4}, {"params": [*model.conv.parameters(), *model.out.parameters()]}], lr=1e-3
        )
        self.best = None

    def epoch(self, loader):
        self.model.train()
        total = 0.0
        for story, topic in loader:
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.model(story), topic)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        self.best = total if self.best is None else min(self.best, total)


def train(kind):
    torch.manual_seed(41)
    model = kind(vectors())
    run = Run(model)
    for _ in range(2):
        run.epoch(DataLoader(data(), batch_size=8, collate_fn=collate))
    return {"model.words.weight": model.words.weight.grad, "model.conv.weight": model.conv.weight.grad}


def broken():
    return train(Stories)


def fixed():
    return train(LearningStories)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
