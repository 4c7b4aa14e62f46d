"""A line scorer for poems with an auxiliary head that predicts the rhyme."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class PoemModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 5)
        self.rnn = nn.GRU(5, 6, batch_first=True)
        self.next_word = nn.Linear(6, 12)
        self.rhyme = nn.Linear(6, 3)

    def forward(self, words):
        states, last = self.rnn(self.embed(words))
        return self.next_word(states), self.rhyme(last.squeeze(0))


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 0.6 + k).view_as(p))
    return model


def lines():
    words = torch.arange(20).view(4, 5) * 7 % 12
    return words[:, :-1], words[:, 1:], torch.tensor([0, 1, 2, 0])


def train(weight, combine):
    model = initialise(PoemModel())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    history = []
    for _ in range(3):
        words, following, rhymes = lines()
        logits, rhyme_logits = model(words)
        word_loss = F.cross_entropy(logits.flatten(0, 1), following.flatten())  #~
        rhyme_loss = F.cross_entropy(rhyme_logits, rhymes)  #~
        loss = combine(word_loss, weight * rhyme_loss)
        history.append((word_loss.item(), rhyme_loss.item()))
        optimizer.zero_grad()
        loss.backward()  #!
        optimizer.step()
    return {f"model.{name}": p.grad for name, p in model.named_parameters()}


def broken():
    return train(0.3, lambda words, rhymes: words)


def fixed():
    return train(0.3, lambda words, rhymes: words + rhymes)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
