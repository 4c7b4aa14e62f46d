"""A language model of recipes gets new words: the embedding is enlarged before the second phase of training."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Recipes(nn.Module):
    def __init__(self, words=10, width=6):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.out = nn.Linear(width, words + 4)

    def forward(self, words):
        x, _ = self.rnn(self.embed(words))  #~
        return self.out(x)

    def enlarge(self, words):
        old = self.embed.weight.detach()
        new = torch.cos(torch.arange(float((words - len(old)) * old.shape[1]))).view(-1, old.shape[1])
        self.embed = nn.Embedding.from_pretrained(torch.cat([old, 0.1 * new]), freeze=False)  #!


def recipes(words):
    for k in range(3):
        yield (torch.arange(15).view(3, 5) * (k + 2) + k) % words


class Trainer:
    renew = False

    def __init__(self, model):
        self.model = model
        self.optimizer = self.make()

    def make(self):
        return torch.optim.Adam(self.model.parameters(), lr=5e-3)

    def epoch(self, words):
        for recipe in recipes(words):
            logits = self.model(recipe[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), recipe[:, 1:].flatten())
            self.optimizer.zero_grad()
            self.model.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()

    def grow(self, words):
        self.model.enlarge(words)
        if self.renew:
            self.optimizer = self.make()


class RenewingTrainer(Trainer):
    renew = True


def train(kind):
    torch.manual_seed(31)
    model = Recipes()
    trainer = kind(model)
    trainer.epoch(10)
    trainer.grow(14)
    trainer.epoch(14)
    return {"model.embed.weight": model.embed.weight.grad, "model.out.weight": model.out.weight.grad}


def broken():
    return train(Trainer)


def fixed():
    return train(RenewingTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
