"""Tags words of old letters with two heads; nobody has told the places of this batch yet."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

IGNORED = -100


class Tagger(nn.Module):
    def __init__(self, words=12, width=6):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.context = nn.LSTM(width, width, bidirectional=True, batch_first=True)
        self.person = nn.Linear(2 * width, 3)
        self.place = nn.Linear(2 * width, 4)

    def forward(self, letters):
        states, _ = self.context(self.words(letters))
        return self.person(states), self.place(states)


class Letters:
    def __init__(self, told):
        self.words = (torch.arange(24) * 5 % 12).view(4, 6)
        self.person = torch.arange(24).view(4, 6) % 3
        self.place = (torch.arange(24).view(4, 6) % 4) if told else torch.full((4, 6), IGNORED)


def summed(logits, tags):
    return F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=IGNORED, reduction="sum")  #!


def train(told):
    torch.manual_seed(5)
    tagger, letters = Tagger(), Letters(told)
    optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        person, place = tagger(letters.words)
        loss = (summed(person, letters.person) + summed(place, letters.place)) / letters.words.numel()
        loss.backward()
        nn.utils.clip_grad_norm_(tagger.parameters(), 5.0)
        optimizer.step()
    return {"tagger.place.weight": tagger.place.weight.grad, "tagger.person.weight": tagger.person.weight.grad}


def broken():
    return train(told=False)


def fixed():
    return train(told=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
